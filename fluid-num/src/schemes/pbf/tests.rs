use super::*;

/// A column of 10 × 40 particles after 5 s of frames of 1/`rate`: its height, mean and largest excess of
/// density, and mean speed.
fn settled(rate: usize) -> [f64; 4] {
    let (spacing, depth) = (0.02, 0.8);
    let params = PbfParams { spacing, ..Default::default() };
    let mut column = Pbf::new(Domain::new([0.0; 2], [0.2, 1.2]).unwrap(), params).unwrap();
    column.particles_mut().add_block([0.0; 2], [0.2, depth], spacing, [0.0; 2], 0, &[]).unwrap();
    assert_eq!(column.particles().len(), 400);
    for _ in 0..5 * rate {
        column.step(1.0 / rate as f64).unwrap();
    }
    let excess: Vec<f64> = column.density().map(|d| (d / 1000.0 - 1.0).max(0.0)).collect();
    let top = column.particles().positions(1).iter().fold(0.0, |m: f64, y| m.max(*y));
    let [u, v] = column.particles().velocity_arrays();
    let speed: f64 = u.iter().zip(v).map(|(u, v)| libm::hypot(*u, *v)).sum();
    let largest = excess.iter().fold(0.0, |m: f64, e| m.max(*e));
    [top + 0.5 * spacing, excess.iter().sum::<f64>() / 400.0, largest, speed / 400.0]
}

#[test]
fn case_o22_a_column_settles_alike_at_every_frame_rate() {
    let heights = [30, 60, 120].map(|rate| {
        let [height, mean, largest, speed] = settled(rate);
        assert!(mean < 0.02 && largest < 0.10, "{rate}/s: density {mean} {largest}");
        assert!(speed < 0.02 * libm::sqrt(9.81 * 0.8), "{rate}/s: speed {speed}");
        height
    });
    for height in heights {
        assert!((height / heights[0] - 1.0).abs() < 0.05, "{heights:?}");
    }
}

#[test]
fn case_o22_a_long_frame_moves_nobody_further_than_a_support_radius_a_sub_step() {
    let params = PbfParams { spacing: 0.02, ..Default::default() };
    let mut pool = Pbf::new(Domain::new([0.0; 2], [0.4, 1.0]).unwrap(), params).unwrap();
    pool.particles_mut().add_block([0.0; 2], [0.2, 0.8], 0.02, [0.0; 2], 0, &[]).unwrap();
    for dt in [1.0 / 60.0, 0.25, 1.0 / 60.0] {
        let report = pool.step(dt).unwrap();
        assert_eq!(report.time, dt);
        let reach = params.support_radius() * report.substeps as f64 / dt;
        assert!(report.max_speed <= reach * 1.000_001);
    }
}

#[test]
fn two_particles_at_the_same_place_separate() {
    let params = PbfParams { spacing: 0.02, gravity: [0.0; 2], ..Default::default() };
    let mut pair: Pbf<f64, 2> = Pbf::new(Domain::new([0.0; 2], [1.0; 2]).unwrap(), params).unwrap();
    // Fewer than a lattice are too light to push: put a whole lattice there twice.
    for _ in 0..2 {
        pair.particles_mut().add_block([0.4; 2], [0.6; 2], 0.02, [0.0; 2], 0, &[]).unwrap();
    }
    for _ in 0..60 {
        pair.step(1.0 / 60.0).unwrap();
    }
    let [x, y] = pair.particles().position_arrays();
    assert!(x.iter().chain(y).all(|x| x.is_finite()));
    let mut nearest = f64::INFINITY;
    for i in 0..x.len() {
        for j in 0..i {
            nearest = nearest.min(libm::hypot(x[i] - x[j], y[i] - y[j]));
        }
    }
    assert!(nearest > 0.2 * 0.02, "still {nearest} apart");
}

#[test]
fn a_drop_keeps_its_momentum() {
    let params = PbfParams { spacing: 0.02, gravity: [0.0; 2], ..Default::default() };
    let mut drop = Pbf::new(Domain::new([0.0; 2], [2.0; 2]).unwrap(), params).unwrap();
    let ball = crate::solid::Shape::ball(0.2).unwrap();
    for (x, u, v) in [(0.7, 1.0, 0.3), (1.2, -1.0, 0.1)] {
        drop.particles_mut().add_shape(&ball, [x, 1.0], 0.02, [u, v], 0, &[]).unwrap();
    }
    let momentum =
        |d: &Pbf<f64, 2>| [0, 1].map(|a| d.particles().velocities(a).iter().sum::<f64>());
    let before = momentum(&drop);
    // Before the jets of the collision reach a wall.
    for _ in 0..8 {
        drop.step(1.0 / 60.0).unwrap();
    }
    for (a, b) in momentum(&drop).iter().zip(before) {
        assert!((a - b).abs() < 1e-9 * drop.particles().len() as f64, "{a} from {b}");
    }
}

#[test]
fn the_vorticity_of_a_rigid_rotation_is_twice_its_rate() {
    let params = PbfParams { spacing: 0.05, ..Default::default() };
    let mut block = Pbf::new(Domain::new([-2.0; 2], [2.0; 2]).unwrap(), params).unwrap();
    block.particles_mut().add_block([-0.5; 2], [0.5; 2], 0.05, [0.0; 2], 0, &[]).unwrap();
    block.liquid.sort().unwrap();
    block.liquid.find_neighbors().unwrap();
    let [x, y] = block.particles().position_arrays().map(<[f64]>::to_vec);
    for (v, y) in block.particles_mut().velocities_mut(0).iter_mut().zip(&y) {
        *v = -3.0 * y;
    }
    for (v, x) in block.particles_mut().velocities_mut(1).iter_mut().zip(&x) {
        *v = 3.0 * x;
    }
    let mut out = [(); 4].map(|()| alloc::vec![0.0; x.len()]);
    let pass = Vorticity { liquid: &block.liquid, volume: block.scale.volume };
    exec::chunks(out.each_mut().map(|o| &mut o[..]), &pass);
    for i in (0..x.len()).filter(|i| x[*i].abs() < 0.35 && y[*i].abs() < 0.35) {
        assert_eq!((out[0][i], out[1][i]), (0.0, 0.0));
        assert!((out[2][i] / 6.0 - 1.0).abs() < 0.03, "ω = {}", out[2][i]);
        assert_eq!(out[2][i], out[3][i]);
    }
}

#[test]
fn vorticity_confinement_keeps_a_vortex_turning() {
    let spin = |confinement: f64| {
        let params =
            PbfParams { spacing: 0.02, gravity: [0.0; 2], confinement, ..Default::default() };
        let mut disc = Pbf::new(Domain::new([-1.0; 2], [1.0; 2]).unwrap(), params).unwrap();
        let ball = crate::solid::Shape::ball(0.4).unwrap();
        disc.particles_mut().add_shape(&ball, [0.0; 2], 0.02, [0.0; 2], 0, &[]).unwrap();
        let [x, y] = disc.particles().position_arrays().map(<[f64]>::to_vec);
        for (i, v) in disc.particles_mut().velocities_mut(0).iter_mut().enumerate() {
            *v = -y[i];
        }
        for (i, v) in disc.particles_mut().velocities_mut(1).iter_mut().enumerate() {
            *v = x[i];
        }
        for _ in 0..30 {
            disc.step(1.0 / 60.0).unwrap();
        }
        let [x, y] = disc.particles().position_arrays();
        let [u, v] = disc.particles().velocity_arrays();
        (0..x.len()).map(|i| x[i] * v[i] - y[i] * u[i]).sum::<f64>()
    };
    let (without, with) = (spin(0.0), spin(0.8));
    assert!(without > 0.0 && with > 1.01 * without, "{with} against {without}");
}

#[test]
fn bad_input_is_refused_and_nothing_is_lost() {
    let good = PbfParams::<f64, 2>::default();
    let bad = [
        PbfParams { spacing: -1.0, ..good },
        PbfParams { support_ratio: 5.0, ..good },
        PbfParams { rest_density: f64::NAN, ..good },
        PbfParams { gravity: [0.0, f64::INFINITY], ..good },
        PbfParams { longest_substep: 0.0, ..good },
        PbfParams { max_substeps: 0, ..good },
        PbfParams { iterations: 0, ..good },
        PbfParams { tolerance: -1.0, ..good },
        PbfParams { relaxation: -0.1, ..good },
        PbfParams { tensile: 2.0, ..good },
        PbfParams { viscosity: f64::INFINITY, ..good },
        PbfParams { confinement: -1.0, ..good },
    ];
    let mut pool = Pbf::new(Domain::new([0.0; 2], [1.0; 2]).unwrap(), good).unwrap();
    for params in bad {
        assert!(params.check().is_err(), "{params:?}");
        assert!(pool.set_params(params).is_err());
    }
    assert_eq!(*pool.params(), good);
    pool.step(0.1).unwrap();
    pool.particles_mut().add_block([0.0; 2], [0.3; 2], 0.02, [0.0; 2], 0, &[]).unwrap();
    let digest = pool.digest();
    pool.step(0.0).unwrap();
    assert!(matches!(pool.step(f64::NAN), Err(Error::InvalidTimeStep { .. })));
    assert_eq!(pool.digest(), digest);
    pool.particles_mut().positions_mut(1)[3] = f64::INFINITY;
    let error = pool.step(0.01).unwrap_err();
    assert_eq!(error, Error::NotFinite { name: "particle position", place: [3, 0, 0] });
}

#[test]
fn without_relaxation_lone_and_touching_particles_stay_finite() {
    let params = PbfParams { spacing: 0.02, relaxation: 0.0, ..Default::default() };
    let mut few: Pbf<f64, 2> = Pbf::new(Domain::new([0.0; 2], [1.0; 2]).unwrap(), params).unwrap();
    // Alone, and in reach of one another by a hair.
    for x in [0.2, 0.5, 0.55 - 1e-12] {
        few.particles_mut().add([x, 0.5], [0.0; 2], 0).unwrap();
    }
    few.step(1.0 / 240.0).unwrap();
    assert!(few.lambda.iter().all(|lambda| *lambda == 0.0), "{:?}", few.lambda);
}
