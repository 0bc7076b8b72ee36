//! How the paddle, the beach, the boat and the ball look.

use fluid_adapters::Picture;
use fluid_num::Error;
use fluid_num::solid::{Body, Shape};

use crate::bodies::{paint_body, paint_solid};
use crate::liquid::{Window, mix};
use crate::paint::blend;

const SAND: [f32; 3] = [0.80, 0.68, 0.47];
const WET_SAND: [f32; 3] = [0.47, 0.37, 0.25];
const DEEP_SAND: [f32; 3] = [0.07, 0.14, 0.22];
const STEEL: [f32; 3] = [0.20, 0.23, 0.28];
const YELLOW: [f32; 3] = [0.93, 0.70, 0.14];
const BLACK: [f32; 3] = [0.09, 0.09, 0.10];
const RED: [f32; 3] = [0.72, 0.17, 0.14];
const WHITE: [f32; 3] = [0.95, 0.93, 0.88];
const WOOD: [f32; 3] = [0.48, 0.31, 0.17];
const CLOTH: [f32; 3] = [0.96, 0.94, 0.88];
const ROPE: [u8; 3] = [196, 186, 160];

/// The mast and the sails, in parts of half the boat's length.
const MAST: [[f32; 2]; 4] = [[0.02, 0.3], [0.10, 0.3], [0.08, 2.3], [0.04, 2.3]];
const MAIN: [[f32; 2]; 3] = [[0.13, 0.70], [0.92, 0.76], [0.13, 2.2]];
const JIB: [[f32; 2]; 3] = [[-0.05, 0.70], [-0.05, 1.95], [-0.92, 0.64]];

/// Paints everything but the water, whose level at rest is `still`, m.
///
/// # Errors
/// None for bodies without fault.
pub(super) fn paint_all(
    bodies: &[Body<f32, 2>],
    cable: Option<[[f64; 2]; 2]>,
    still: f64,
    window: &Window,
    picture: &mut Picture,
) -> Result<(), Error> {
    let [paddle, beach, boat, ball] = bodies else { return Ok(()) };
    if let Some(ends) = cable {
        paint_cable(ends, window, picture);
    }
    paint_boat(boat, window, picture)?;
    paint_body(ball, window, picture);
    let still = still as f32;
    paint_solid(beach, window, picture, |place, distance| sand(place, -distance, still));
    let thick = 0.02 * window.extent[0] as f32;
    paint_solid(paddle, window, picture, |place, _| steel(place, thick));
    Ok(())
}

/// Grains that do not move: a number from 0 to 1 for each place.
fn grain([x, y]: [f32; 2], size: f32) -> f32 {
    let [i, j] = [x, y].map(|x| (x / size + 4096.0) as u32);
    let mut bits = i.wrapping_mul(0x9e37_79b9) ^ j.wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
    bits ^= bits >> 12;
    (bits & 0xffff) as f32 / 65535.0
}

/// Sand so far below its surface: wet to a little above the water, and darker the deeper it lies.
fn sand(place: [f32; 2], below: f32, still: f32) -> [f32; 3] {
    let up = place[1] - still;
    let wet = (0.5 - up / 0.35).clamp(0.0, 1.0);
    let deep = (-up / (0.9 * still)).clamp(0.0, 1.0);
    let layer = 0.06 * grain([0.0, below], 0.16) + 0.05 * grain(place, 0.03);
    let base = mix(mix(SAND, WET_SAND, wet), DEEP_SAND, 0.85 * deep);
    let crust = (1.0 - below / 0.05).clamp(0.0, 1.0);
    let buried = (below / 1.6).clamp(0.0, 1.0);
    let light = (0.92 + layer + 0.18 * crust) * (1.0 - 0.55 * buried);
    base.map(|c| (c * light).clamp(0.0, 1.0))
}

/// A plate so thick with warning stripes along its edge, and the block that pushes it.
fn steel([x, y]: [f32; 2], thick: f32) -> [f32; 3] {
    let behind = -x / thick;
    if behind < 0.22 {
        return STEEL.map(|c| 1.9 * c);
    }
    if behind < 0.8 {
        let stripe = ((x + y) / (1.5 * thick) + 64.0).fract() < 0.5;
        return if stripe { YELLOW.map(|c| 0.9 * c) } else { BLACK };
    }
    let seam = (y / (6.0 * thick) + 64.0).fract();
    let light = if seam < 0.03 { 0.55 } else { 1.0 - 0.25 * seam };
    STEEL.map(|c| c * light * (1.0 - (0.08 * (behind - 0.8)).clamp(0.0, 0.5)))
}

fn paint_boat(boat: &Body<f32, 2>, window: &Window, picture: &mut Picture) -> Result<(), Error> {
    let Shape::Polygon(hull) = &boat.shape else { return Ok(()) };
    let [left, right, top] = hull
        .vertices()
        .iter()
        .fold([0.0_f32; 3], |[l, r, t], v| [l.min(v[0]), r.max(v[0]), t.max(v[1])]);
    let size = 0.5 * (right - left) / 1.06;
    let mut rig = |corners: &[[f32; 2]], color: &dyn Fn([f32; 2]) -> [f32; 3]| {
        let corners: Vec<_> = corners.iter().map(|corner| corner.map(|x| x * size)).collect();
        let mut part = boat.clone();
        part.shape = Shape::polygon(&corners)?;
        paint_solid(&part, window, picture, |place, _| color(place.map(|x| x / size)));
        Ok::<(), Error>(())
    };
    rig(&MAST, &|_| WOOD)?;
    let cloth = |[x, y]: [f32; 2]| {
        let seam = (y / 0.38).fract() < 0.06;
        let light = 0.86 + 0.14 * (1.0 - x.abs()) - if seam { 0.12 } else { 0.0 };
        CLOTH.map(|c| c * light)
    };
    rig(&MAIN, &cloth)?;
    rig(&JIB, &|[x, y]| if y > 1.2 { RED.map(|c| 1.15 * c) } else { cloth([x, y]) })?;
    paint_solid(boat, window, picture, |[_, y], distance| {
        let down = (top - y) / size;
        let base = match down {
            down if down < 0.10 => WOOD,
            down if down < 0.36 => WHITE,
            down if down < 0.43 => [0.13, 0.20, 0.34],
            _ => RED,
        };
        let edge = (1.0 + distance / (0.06 * size)).clamp(0.0, 1.0);
        base.map(|c| c * (1.0 - 0.35 * edge) * (1.02 - 0.28 * down))
    });
    Ok(())
}

/// A rope between two places that hangs a little.
fn paint_cable([bow, anchor]: [[f64; 2]; 2], window: &Window, picture: &mut Picture) {
    let [from, to] = [bow, anchor].map(|end| window.pixel(end.map(|x| x as f32)));
    let way = [to[0] - from[0], to[1] - from[1]];
    let count = way[0].abs().max(way[1].abs()).ceil().max(1.0);
    let (width, height) = (picture.width(), picture.height());
    for n in 0..=(2.0 * count) as usize {
        let part = n as f32 / (2.0 * count);
        let sag = 0.06 * window.height as f32 * 4.0 * part * (1.0 - part);
        let [x, y] = [from[0] + way[0] * part, from[1] + way[1] * part + sag];
        // Two rows share each point.
        let first = (y - 0.5).floor();
        for (row, cover) in [(first, first + 1.5 - y), (first + 1.0, y - 0.5 - first)] {
            if x >= 0.0 && row >= 0.0 && (x as usize) < width && (row as usize) < height {
                let at = (row as usize * width + x as usize) * 4;
                blend(&mut picture.bytes_mut()[at..at + 4], ROPE, 0.5 * cover);
            }
        }
    }
}
