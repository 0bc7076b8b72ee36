//! Water whose surface is a level set: how pointers move it, what its scenes count, how it looks.
//!
//! In the plane light comes from above and spreads: each row of pixels knows how much water the light
//! has passed on its way, mixed with what its neighbours know.

use fluid_adapters::{ColorMap, Picture};
use fluid_num::solid::Body;
use fluid_num::{Faces, LevelSet, Liquid, Liquid2, Real, Simulation, StepReport};

use crate::liquid::{Window, map_color, mix, paint_air, rim_light};
use crate::paint::{blend, byte};
use crate::scene::{DT, Pointer, Stats};

/// What can be shown of water.
pub(crate) const VIEWS: &[&str] = &["water", "speed", "pressure"];

/// How fast water about a pointer follows it, 1/s, and up to which speed, m/s.
const FOLLOWS: f64 = 12.0;
const FASTEST: f64 = 8.0;

/// Water in the light, in the dark, in motion, and as foam.
const SHALLOW: [f32; 3] = [0.10, 0.43, 0.66];
const DEEP: [f32; 3] = [0.012, 0.085, 0.23];
const FAST: [f32; 3] = [0.20, 0.62, 0.86];
const FOAM: [f32; 3] = [0.93, 0.97, 1.0];

/// How a scene wants its water to look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// The speed at which it foams, m/s.
    pub(crate) foam: f32,
    /// The depth in which half of the light is gone, m.
    pub(crate) dark: f32,
}

/// How deep a place lies in the water, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Depth {
    /// Below the nearest surface, as far as φ is a distance.
    pub(crate) near: f32,
    /// Below the light: the water above.
    pub(crate) above: f32,
}

/// The velocity of a pointer, m/s.
pub(crate) fn speed_of(pointer: &Pointer) -> [f64; 2] {
    // A pointer that jumps is a slow hand on a slow screen, not a blow.
    pointer.delta.map(|d| (d / DT).clamp(-FASTEST, FASTEST))
}

/// Takes water along for a step: towards `wanted`, m/s, the more the smaller `square` is of a place, the
/// square of its distance in units of what is moved.
pub(crate) fn take_along<const D: usize>(
    velocity: &mut Faces<f32, D>,
    wanted: [f64; D],
    square: impl Fn([f64; D]) -> f64,
) {
    /// Beyond three radii nothing is left of a Gaussian.
    const FAR: f64 = 9.0;
    let part = (FOLLOWS * DT).min(1.0);
    for (axis, wanted) in wanted.into_iter().enumerate() {
        let u = &mut velocity[axis];
        let old: Vec<f32> = u.values().collect();
        let mut old = old.into_iter();
        u.set_from_fn(|x| {
            let u = old.next().unwrap_or(0.0);
            let square = square(x.map(f64::from));
            if square > FAR {
                return u;
            }
            u + (part * (-square).portable_exp() * (wanted - f64::from(u))) as f32
        });
    }
}

/// Takes water about a pointer along, up to so many metres away.
pub(crate) fn stir(water: &mut Liquid2<f32>, pointer: &Pointer, radius: f64) {
    take_along(water.velocity_mut(), speed_of(pointer), |x| {
        let away = [0, 1].map(|a| (x[a] - pointer.position[a]) / radius);
        away[0] * away[0] + away[1] * away[1]
    });
}

/// The body that can be moved at a place, or no farther from it than `reach`.
pub(crate) fn body_at<const D: usize>(
    bodies: &[Body<f32, D>],
    place: [f64; D],
    reach: f32,
) -> Option<usize> {
    let place = place.map(|x| x as f32);
    let away = |n: &usize| bodies[*n].signed_distance(place);
    let moved = (0..bodies.len()).filter(|n| bodies[*n].is_dynamic());
    moved.min_by(|a, b| away(a).total_cmp(&away(b))).filter(|n| away(n) < reach)
}

/// How many of the bodies that can be moved have left a box from the origin to `extent`.
pub(crate) fn bodies_outside<const D: usize>(bodies: &[Body<f32, D>], extent: [f64; D]) -> usize {
    let inside = |body: &&Body<f32, D>| {
        (0..D).all(|a| body.position[a] >= 0.0 && f64::from(body.position[a]) <= extent[a])
    };
    bodies.iter().filter(|body| body.is_dynamic()).filter(|body| !inside(body)).count()
}

/// What a run of water is judged by.
pub(crate) fn stats<const D: usize>(
    water: &mut Liquid<f32, D>,
    report: &StepReport<f32>,
    extent: [f64; D],
) -> Stats {
    let volume = water.volume();
    let more = [
        ("bodies_outside", bodies_outside(water.bodies(), extent) as f64),
        ("substeps", report.substeps as f64),
        ("volume", volume.volume),
        ("volume_drift", volume.drift()),
    ];
    let pressure = report.pressure;
    Stats {
        max_speed: f64::from(water.velocity().max_abs()),
        pressure_iterations: pressure.map(|solve| solve.iterations as u64),
        pressure_residual: pressure.map(|solve| f64::from(solve.residual)),
        digest: water.digest(),
        more: more.into_iter().collect(),
        ..Stats::default()
    }
}

/// The colour of water at a place so deep that moves at `speed` times the speed at which it foams;
/// `cell` is the width of what counts as its surface, m.
fn water_color(depth: Depth, speed: f32, cell: f32, dark: f32) -> [f32; 3] {
    let shade = depth.above.max(0.0) / (depth.above.max(0.0) + dark);
    let surface = (1.0 - depth.near / (5.0 * cell)).clamp(0.0, 1.0);
    let lively = speed * (0.4 + 0.6 * surface);
    let body = mix(SHALLOW, DEEP, shade);
    let body = mix(body, FAST, 0.65 * (lively / 0.7).min(1.0) * (1.0 - 0.6 * shade));
    let foam = ((lively - 0.55) / 0.9).clamp(0.0, 1.0);
    mix(body, FOAM, foam * foam * (3.0 - 2.0 * foam))
}

/// Paints the air, and before it a view of the water.
pub(crate) fn paint_water(
    water: &Liquid2<f32>,
    view: usize,
    look: Look,
    window: &Window,
    picture: &mut Picture,
) {
    let (u, map) = (water.velocity(), ColorMap::inferno());
    let speed = |place| {
        let [x, y]: [f32; 2] = u.sample(place);
        (x * x + y * y).sqrt() / look.foam
    };
    let (pressure, cell) = (water.pressure(), water.grid().dx());
    let most = pressure.max_abs().max(1.0);
    paint_air(picture);
    paint_liquid(water.surface(), window, picture, |place, depth| {
        match *VIEWS.get(view).unwrap_or(&VIEWS[0]) {
            "speed" => map_color(&map, 0.15 + 0.85 * speed(place)),
            "pressure" => map_color(&map, 0.1 + 0.9 * pressure.sample(place).max(0.0) / most),
            _ => water_color(depth, speed(place), cell, look.dark),
        }
    });
}

/// Lays the liquid over a picture: `color` is that of a place in it, so deep.
pub(crate) fn paint_liquid(
    phi: &LevelSet<f32, 2>,
    window: &Window,
    picture: &mut Picture,
    color: impl Fn([f32; 2], Depth) -> [f32; 3],
) {
    let (scale, dx) = (window.scale(), phi.grid().dx());
    let width = picture.width();
    let mut passed = vec![0.0; window.columns.len()];
    for y in 0..window.height {
        spread(&mut passed);
        for (n, x) in window.columns.clone().enumerate() {
            let up = (window.height - y) as f32 - 0.5;
            let place = [(n as f32 + 0.5) / scale, up / scale];
            let near = -phi.signed_distance(place);
            let cover = (0.5 + near * scale).clamp(0.0, 1.0);
            if cover <= 0.0 {
                continue;
            }
            let mut rgb = color(place, Depth { near, above: passed[n] });
            passed[n] += cover / scale;
            let rim = (1.0 - near / (3.0 * dx)).clamp(0.0, 1.0);
            if rim > 0.0 {
                let light = rim_light(rim, phi.gradient(place));
                rgb = rgb.map(|c| (c + light).clamp(0.0, 1.0));
            }
            let at = (y * width + x) * 4;
            blend(&mut picture.bytes_mut()[at..at + 4], rgb.map(byte), cover);
        }
    }
}

/// Mixes each value with its neighbours; the sum stays.
fn spread(values: &mut [f32]) {
    let Some(mut before) = values.first().copied() else { return };
    for n in 0..values.len() {
        let here = values[n];
        let after = values.get(n + 1).copied().unwrap_or(here);
        values[n] = 0.25 * before + 0.5 * here + 0.25 * after;
        before = here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_num::solid::Shape;
    use fluid_num::{Boundary, Grid2};

    #[test]
    fn light_that_spreads_is_neither_lost_nor_made() {
        let mut values = [0.0, 0.0, 8.0, 0.0, 1.0];
        spread(&mut values);
        assert_eq!(values, [0.0, 2.0, 4.0, 2.25, 0.75]);
        spread(&mut []);
    }

    #[test]
    fn water_is_painted_below_its_surface_and_told_how_deep_it_is() {
        let grid = Grid2::new([16, 16], 0.125).unwrap();
        let pool = LevelSet::from_fn(grid, &Boundary::walls(), |[_, y]| y - 1.0).unwrap();
        let mut picture = Picture::new(32, 32).unwrap();
        picture.fill([0, 0, 0, 255]);
        let window = Window { columns: 0..32, height: 32, extent: [2.0, 2.0] };
        paint_liquid(&pool, &window, &mut picture, |[_, y], depth| {
            // Below the lowest centre φ stays as it is there.
            assert!((depth.near - (1.0 - y.max(0.0625))).abs() < 1e-5, "{y} {depth:?}");
            // Half a pixel of water is above the centre of the first one.
            assert!((depth.above - (1.0 - y)).abs() < 0.05, "{y} {depth:?}");
            [0.0, 0.0, 1.0]
        });
        assert_eq!(picture.pixel(9, 14), Some([0, 0, 0, 255]));
        assert_eq!(picture.pixel(9, 28), Some([0, 0, 255, 255]));
    }

    #[test]
    fn a_hand_takes_along_what_is_near_and_nothing_far_away() {
        let grid = Grid2::new([20, 20], 0.1).unwrap();
        let mut u = Faces::<f32, 2>::zeros(grid);
        take_along(&mut u, [1.0, 0.0], |[x, y]| {
            let away = [(x - 1.0) / 0.2, (y - 1.0) / 0.2];
            away[0] * away[0] + away[1] * away[1]
        });
        let [near, far]: [[f32; 2]; 2] = [u.sample([1.0, 1.0]), u.sample([1.8, 1.0])];
        assert!(near[0] > 0.15 && near[0] < 0.2, "{near:?}");
        assert_eq!((near[1], far), (0.0, [0.0; 2]));
    }

    #[test]
    fn only_bodies_that_can_be_moved_are_taken_hold_of_and_missed() {
        let ball = |x: f32, mass: f32| {
            let ball = Body::new(Shape::ball(0.2).unwrap(), [x, 1.0]).unwrap();
            ball.with_mass(mass, [0.0, 0.0, mass]).unwrap()
        };
        let bodies = [ball(1.0, 0.0), ball(1.5, 1.0), ball(-3.0, 1.0), ball(9.0, 0.0)];
        assert_eq!(body_at(&bodies, [1.0, 1.0], 0.4), Some(1));
        assert_eq!(body_at(&bodies, [1.0, 1.0], 0.1), None);
        assert_eq!(bodies_outside(&bodies, [2.0, 2.0]), 1);
    }
}
