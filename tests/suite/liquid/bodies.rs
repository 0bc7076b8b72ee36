//! Bodies in the water.

use core::f64::consts::PI;

use fluid_num::solid::Body;
use fluid_num::{LiquidParams, Real};

use crate::measure::afloat::{Around, afloat, disc, lift, pushed, released};
use crate::measure::liquid::{Care, FRAME, exact, pool_party, water};

#[test]
fn case_o16_a_submerged_block_is_lifted_by_the_weight_of_what_it_displaces() {
    for refined in [1, 2] {
        for depth in [14.0, 20.3, 26.77] {
            for x in [24.0, 24.3] {
                let [across, up] = lift(refined, depth, x);
                assert!((up - 1.0).abs() <= 0.02, "{refined} {depth} {x}: {up}");
                assert!(across.abs() <= 0.005, "{refined} {depth} {x}: {across}");
            }
        }
    }
}

#[test]
fn case_o16_floating_blocks_have_the_draught_of_their_density() {
    for (ratio, draught) in [(0.5, 4.0), (0.75, 6.0)] {
        // At its draught, and a cell above it: there it bobs.
        for above in [0.0, 1.0] {
            let found = afloat(ratio, 20.3 + 4.0 - draught + above, 900, 600);
            assert!((found.draught - draught).abs() <= 0.5, "{ratio}: {}", found.draught);
            assert!(found.tilt.abs() < 0.1, "{ratio}: {}", found.tilt);
        }
    }
}

#[test]
fn case_o16_a_block_as_heavy_as_water_hovers_and_a_heavier_one_rests_on_the_floor() {
    let hovers = afloat(1.0, 12.0, 120, 1);
    assert!(hovers.moved < 0.5, "{}", hovers.moved);
    let rests = afloat(1.25, 12.0, 900, 1);
    assert!(rests.above.abs() < 0.5 && rests.tilt.abs() < 0.1, "{}", rests.above);
}

#[test]
fn case_o17_a_body_in_the_liquid_at_the_start_disturbs_nothing() {
    let params = LiquidParams { gravity: [0.0; 2], ..exact() };
    let mut full = water::<f64>([48; 2], 1.0, params, |_| -1e3);
    full.bodies_mut().push(disc(6.0, 0.5, [24.0; 2]));
    let speed = full.step(FRAME).unwrap().max_speed;
    assert!(speed <= 1e-3, "{speed}");
    let area = full.volume().volume / (48.0 * 48.0 - PI * 36.0);
    assert!((area - 1.0).abs() <= 0.01, "{area}");
}

/// The largest difference of the solid's velocity at faces from what it is, and the number of faces.
fn off<T: Real>(body: Body<T, 2>, exact: impl Fn([f64; 2]) -> [f64; 2]) -> (f64, usize) {
    let mut full = water::<T>([48; 2], 1.0, LiquidParams::default(), |_| -1e3);
    full.bodies_mut().push(body);
    full.cut_solids().unwrap();
    let (mut off, mut count) = (0.0_f64, 0);
    for axis in 0..2 {
        let (open, velocity) = (&full.solids().open()[axis], &full.solids().velocity()[axis]);
        for (i, j) in (1..47_u8).flat_map(|i| (1..47_u8).map(move |j| (i, j))) {
            let face = [i, j].map(usize::from);
            if open[face] < T::one() {
                let mut place = [i, j].map(|k| f64::from(k) + 0.5);
                place[axis] -= 0.5;
                off = off.max((velocity[face].to_f64() - exact(place)[axis]).abs());
                count += 1;
            }
        }
    }
    (off, count)
}

#[test]
fn case_o17_a_face_of_a_solid_has_the_component_of_its_own_axis() {
    let center = [24.2, 23.7];
    let (wrong, faces) =
        off(disc(6.0, 0.5, center).with_velocity([1.0, 0.0]).unwrap(), |_| [1.0, 0.0]);
    assert!(wrong == 0.0 && faces > 150, "{wrong} at {faces} faces");
    let turning = disc(6.0, 0.5, center).with_angular_velocity([0.0, 0.0, 1.0]).unwrap();
    let (wrong, faces) = off(turning, |[x, y]| [center[1] - y, x - center[0]]);
    assert!(wrong <= 1e-6 && faces > 150, "{wrong} at {faces} faces");
}

#[test]
fn case_o17_a_body_at_an_odd_place_blows_nothing_apart() {
    for gravity in [0.0, -9.81] {
        for at in [[24.0, 24.0], [24.5, 24.5], [6.0, 24.0], [0.0, 24.0], [2.0, 2.0], [48.0, 48.0]] {
            let params = LiquidParams { gravity: [0.0, gravity], ..exact() };
            let mut full = water::<f64>([48; 2], 1.0, params, |_| -1e3);
            full.bodies_mut().push(disc(6.0, 0.5, at));
            for _ in 0..5 {
                let speed = full.step(FRAME).unwrap().max_speed;
                full.advance_bodies(FRAME).unwrap();
                // A disc half as heavy as water rises with g/3.
                let bound = if gravity == 0.0 { 1e-3 } else { 5.0 * FRAME * 9.81 };
                assert!(speed <= bound, "{at:?}: {speed}");
            }
            assert!(full.bodies()[0].position.iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn a_released_disc_has_its_added_mass() {
    for ratio in [2.0, 0.5, 0.001] {
        let found = released(ratio);
        // The walls of the box make the liquid's share of the mass up to 2(r/R)², 2 %, more.
        assert!((found - 1.0).abs() <= 0.02, "{ratio}: {found}");
    }
}

#[test]
fn the_momentum_of_liquid_and_body_is_what_they_have_been_given() {
    for around in [Around::Walls, Around::Periodic, Around::Air] {
        // Before anything has moved by a cell, action is reaction.
        let [off, _] = pushed(around, 1, 0.5);
        assert!(off <= 1e-3, "{around:?}: {off}");
        // What the transport of velocities loses on a way of five cells.
        let [off, way] = pushed(around, 1, 6.0);
        assert!(off <= 0.01 && way > 0.5, "{around:?}: {off}, {way}");
    }
}

#[test]
fn a_pool_full_of_bodies_keeps_its_water_where_that_is_asked_for() {
    let held = pool_party([128, 64], Care::Correction, 300);
    assert!(held.most <= 0.02 && held.drift.abs() <= 0.01, "{} {}", held.most, held.drift);
    let (mean, most) = held.cost();
    assert!(mean < 7.0 && most <= 15, "{mean} {most}");
    let loses = pool_party([128, 64], Care::None, 300);
    assert!(loses.most <= 0.12, "{}", loses.most);
}
