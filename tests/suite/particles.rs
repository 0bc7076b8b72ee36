//! Particles against experiment and exact answers: what users ran into with WCSPH and PBF.

use fluid_num::particles::{Domain, ParticleSet};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, Pbf2, PbfParams, Stiffness, Wcsph2, WcsphParams};

const GRAVITY: f64 = 9.81;

/// A scheme of particles in the plane.
trait Liquid {
    fn set(&mut self) -> &mut ParticleSet<f64, 2>;
    fn bodies(&mut self) -> &mut Vec<Body<f64, 2>>;
    fn advance(&mut self, dt: f64);
}

macro_rules! liquid {
    ($($scheme:ident),*) => {$(
        impl Liquid for $scheme<f64> {
            fn set(&mut self) -> &mut ParticleSet<f64, 2> {
                self.particles_mut()
            }
            fn bodies(&mut self) -> &mut Vec<Body<f64, 2>> {
                self.bodies_mut()
            }
            fn advance(&mut self, dt: f64) {
                self.step(dt).unwrap();
            }
        }
    )*};
}
liquid!(Wcsph2, Pbf2);

fn both(size: [f64; 2], spacing: f64) -> [Box<dyn Liquid>; 2] {
    let domain = Domain::new([0.0; 2], size).unwrap();
    let stiffness = Stiffness::for_depth(size[1], GRAVITY);
    let stiff = WcsphParams { spacing, stiffness, ..Default::default() };
    let soft = PbfParams { spacing, ..Default::default() };
    [Box::new(Wcsph2::new(domain, stiff).unwrap()), Box::new(Pbf2::new(domain, soft).unwrap())]
}

/// A block of 0.32 × 0.16 m, as dense as `ratio` times the liquid.
fn block(centre: [f64; 2], ratio: f64) -> Body<f64, 2> {
    let mass = 1000.0 * ratio * 0.32 * 0.16;
    let inertia = mass / 12.0 * (0.32 * 0.32 + 0.16 * 0.16);
    Body::new(Shape::cuboid([0.16, 0.08]).unwrap(), centre)
        .unwrap()
        .with_mass(mass, [0.0, 0.0, inertia])
        .unwrap()
}

#[test]
fn case_o16_a_submerged_block_is_lifted_by_the_weight_of_what_it_displaces() {
    let weight = 1000.0 * GRAVITY * 0.32 * 0.16;
    for (spacing, depth) in [(0.025, 0.3), (0.02, 0.2)] {
        for mut liquid in both([0.8, 0.7], spacing) {
            let fixed = block([0.4, 0.5 - depth], 0.0);
            let air = [fixed.clone()];
            liquid.set().add_block([0.0; 2], [0.8, 0.5], spacing, [0.0; 2], 0, &air).unwrap();
            liquid.bodies().push(fixed);
            let mut force = [0.0; 2];
            for frame in 0..180 {
                liquid.bodies()[0].clear_wrench();
                liquid.advance(1.0 / 60.0);
                if frame >= 90 {
                    for (sum, f) in force.iter_mut().zip(liquid.bodies()[0].force) {
                        *sum += f / 90.0;
                    }
                }
            }
            // Sound and sloshing still run to and fro; 0.06 is the worst of both schemes.
            assert!((force[1] / weight - 1.0).abs() < 0.06, "{spacing}: {force:?} of {weight}");
            assert!(force[0].abs() < 0.02 * weight, "{spacing}: {force:?}");
        }
    }
}

#[test]
fn case_o16_floating_blocks_have_the_draught_of_their_density() {
    for (spacing, ratio) in [(0.025, 0.5), (0.02, 0.5)] {
        for mut liquid in both([1.0, 0.8], spacing) {
            let body = block([0.5, 0.5], ratio);
            let weight = GRAVITY * body.mass;
            let air = [body.clone()];
            liquid.set().add_block([0.0; 2], [1.0, 0.5], spacing, [0.0; 2], 0, &air).unwrap();
            liquid.bodies().push(body);
            let (mut draught, mut counted) = (0.0, 0);
            for frame in 0..180 {
                liquid.advance(1.0 / 60.0);
                let body = &mut liquid.bodies()[0];
                body.force[1] -= weight;
                body.advance(1.0 / 60.0).unwrap();
                body.clear_wrench();
                let bottom = body.position[1] - 0.08;
                if frame >= 90 {
                    // The surface away from the block and the walls.
                    let [x, y] = liquid.set().position_arrays();
                    let columns = [0.08, 0.14, 0.86, 0.92].map(|at| {
                        let near = x.iter().zip(y).filter(|(x, _)| (**x - at).abs() < spacing);
                        near.fold(0.0, |top: f64, (_, y)| top.max(*y)) + 0.5 * spacing
                    });
                    draught += columns.iter().sum::<f64>() / 4.0 - bottom;
                    counted += 1;
                }
            }
            let off = (draught / f64::from(counted) - 0.16 * ratio) / spacing;
            assert!(off.abs() < 0.8, "{spacing}, {ratio}: {off} spacings off");
        }
    }
}

#[test]
fn case_o17_liquid_around_a_body_is_at_rest_at_the_start() {
    for mut liquid in both([0.96, 0.96], 0.02) {
        let ball = Body::new(Shape::ball(0.12).unwrap(), [0.48; 2]).unwrap();
        let air = [ball.clone()];
        liquid.set().add_block([0.0; 2], [0.96; 2], 0.02, [0.0; 2], 0, &air).unwrap();
        liquid.bodies().push(ball);
        let area = liquid.set().len() as f64 * 4e-4;
        let wanted = 0.96 * 0.96 - core::f64::consts::PI * 0.12 * 0.12;
        assert!((area / wanted - 1.0).abs() < 0.02, "area {area} of {wanted}");
        liquid.advance(1.0 / 240.0);
        let set = liquid.set();
        let falling = GRAVITY / 240.0;
        let speeds = set.velocities(0).iter().chain(set.velocities(1));
        // A lattice of squares meets the disc in steps, which push a little; nothing is thrown out.
        let fastest = speeds.fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(fastest < 12.0 * falling, "{fastest} m/s");
    }
    // On a corner of the lattice, at a wall, half outside: finite.
    for centre in [[0.5, 0.5], [0.12, 0.12], [0.0, 0.5]] {
        for mut liquid in both([0.96, 0.96], 0.04) {
            liquid.set().add_block([0.0; 2], [0.96, 0.6], 0.04, [0.0; 2], 0, &[]).unwrap();
            liquid.bodies().push(Body::new(Shape::ball(0.12).unwrap(), centre).unwrap());
            (0..5).for_each(|_| liquid.advance(0.01));
            let set = liquid.set();
            assert!(set.check_finite().is_ok());
            assert!(set.positions(0).iter().all(|x| (0.0..=0.96).contains(x)));
        }
    }
}

#[test]
fn case_o21_particles_come_and_go_in_mid_run() {
    for mut liquid in both([1.0, 1.0], 0.05) {
        for n in 0..60 {
            let x = 0.05 + 0.9 * f64::from(n % 7) / 7.0;
            for k in 0..10 {
                let y = 0.9 - 0.05 * f64::from(k);
                liquid.set().add([x, y], [0.0; 2], 0).unwrap();
            }
            let many = liquid.set().len();
            if many > 100 {
                liquid.set().keep_youngest(100);
            }
            liquid.advance(0.01);
            assert!(liquid.set().len() <= 110);
        }
        let id = liquid.set().id(3).unwrap();
        let found = liquid.set().ids_in(&Shape::ball(0.3).unwrap(), [0.5, 0.1]);
        liquid.set().remove(id).unwrap();
        assert!(matches!(liquid.set().remove(id), Err(Error::StaleParticle { .. })));
        liquid.set().remove_all();
        liquid.advance(0.01);
        assert!(liquid.set().is_empty());
        liquid.set().add_block([0.0; 2], [0.3; 2], 0.05, [0.0; 2], 0, &[]).unwrap();
        liquid.advance(0.01);
        for id in found {
            assert!(matches!(liquid.set().remove(id), Err(Error::StaleParticle { .. })));
        }
        assert_eq!(liquid.set().len(), 36);
    }
}

#[test]
fn the_front_of_a_breaking_dam_runs_as_martin_and_moyce_measured() {
    // n² = 2: T = t√(2g/a), Z = z/a; the linear range of their curve.
    let measured = [(3.345, 4.134), (4.418, 5.881), (5.091, 6.980), (5.685, 7.945)];
    let (a, rows) = (1.0, 20.0);
    let spacing = a / rows;
    let params = WcsphParams {
        spacing,
        stiffness: Stiffness::for_depth(2.0 * a, GRAVITY),
        ..Default::default()
    };
    let tank = Domain::new([0.0; 2], [10.0, 4.0]).unwrap();
    let mut water = Wcsph2::<f64>::new(tank, params).unwrap();
    water.particles_mut().add_block([0.0; 2], [a, 2.0 * a], spacing, [0.0; 2], 0, &[]).unwrap();
    let (mut time, mut fronts) = (0.0, Vec::new());
    for (scaled, _) in measured {
        let until = scaled / (2.0 * GRAVITY / a).sqrt();
        for _ in 0..8 {
            water.step((until - time) / 8.0).unwrap();
        }
        time = until;
        // The front is where liquid is, not where its farthest drop is.
        let mut x = water.particles().positions(0).to_vec();
        x.sort_by(|a, b| b.total_cmp(a));
        fronts.push(x[4] + 0.5 * spacing);
        assert!(x[0] < a + 2.0 * (2.0 * GRAVITY * a).sqrt() * time, "faster than Ritter's front");
    }
    for (front, (scaled, z)) in fronts.iter().zip(measured) {
        assert!((front / z - 1.0).abs() < 0.10, "T {scaled}: {front} against {z}");
    }
    let speed = (fronts[3] - fronts[0]) / (measured[3].0 - measured[0].0);
    let expected = (measured[3].1 - measured[0].1) / (measured[3].0 - measured[0].0);
    assert!((speed / expected - 1.0).abs() < 0.10, "speed {speed} against {expected}");
}
