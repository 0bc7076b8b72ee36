//! Bodies in a liquid: lift, draught, added mass, momentum.
#![allow(clippy::disallowed_methods, reason = "exact solutions need no equal bits")]

use core::f64::consts::PI;

use fluid_num::solid::{Body, Shape};
use fluid_num::{Boundary, Liquid2, LiquidParams, Side};

use super::liquid::{FRAME, GRAVITY, exact, water};

/// A disc that is `ratio` times as dense as water.
pub(crate) fn disc(radius: f64, ratio: f64, at: [f64; 2]) -> Body<f64, 2> {
    let mass = 1000.0 * ratio * PI * radius * radius;
    let body = Body::new(Shape::ball(radius).unwrap(), at).unwrap();
    body.with_mass(mass, [0.0, 0.0, 0.5 * mass * radius * radius]).unwrap()
}

/// A block of 16 by 8 m that is `ratio` times as dense as water.
fn block(ratio: f64, at: [f64; 2]) -> Body<f64, 2> {
    let mass = 1000.0 * ratio * 128.0;
    let body = Body::new(Shape::cuboid([8.0, 4.0]).unwrap(), at).unwrap();
    body.with_mass(mass, [0.0, 0.0, mass * (256.0 + 64.0) / 12.0]).unwrap()
}

/// The force on a block of 16 by 8 m that is held with its centre `depth` under water, on cells of 1 m
/// or parts of that, along x and y, over the weight of what it displaces.
pub(crate) fn lift(refined: usize, depth: f64, x: f64) -> [f64; 2] {
    let (n, dx) = (48 * refined, 1.0 / refined as f64);
    let mut water = water([n, n], dx, exact(), |[_, y]| y - 40.2);
    let held = Body::new(Shape::cuboid([8.0, 4.0]).unwrap(), [x, 40.2 - depth]);
    water.bodies_mut().push(held.unwrap());
    water.step(FRAME).unwrap();
    water.bodies()[0].force.map(|f| f / (1000.0 * GRAVITY * 128.0))
}

/// What became of a block of 16 by 8 cells that was put into a pool.
pub(crate) struct Afloat {
    /// How deep its bottom lies below the level that the water has at rest, in cells, on average of the
    /// last steps.
    pub(crate) draught: f64,
    /// How far its centre has moved, in cells.
    pub(crate) moved: f64,
    /// How far its centre is from where the bottom of the box would hold it, in cells.
    pub(crate) above: f64,
    /// The sine of the angle that it has turned by.
    pub(crate) tilt: f64,
}

/// Puts a block that is `ratio` times as dense as water with its centre at a height into a pool 20.3
/// cells deep, and watches the last `counted` of so many steps.
pub(crate) fn afloat(ratio: f64, start: f64, steps: usize, counted: usize) -> Afloat {
    let mut water = water([48, 40], 1.0, exact(), |[_, y]| y - 20.3);
    water.bodies_mut().push(block(ratio, [24.0, start]));
    let mut sum = 0.0;
    for n in 0..steps {
        water.step(FRAME).unwrap();
        water.advance_bodies(FRAME).unwrap();
        if n + counted >= steps {
            // Water and what is below the level of the block fill the box up to it.
            let bottom = water.bodies()[0].position[1] - 4.0;
            sum += (water.volume().volume - 48.0 * bottom) / (48.0 - 16.0);
        }
    }
    let body = &water.bodies()[0];
    let [x, y] = body.position;
    Afloat {
        draught: sum / counted as f64,
        moved: (x - 24.0).hypot(y - start),
        above: y - 4.0,
        tilt: body.rotation()[0][1],
    }
}

/// The acceleration of a disc that is let go in a full box twenty times as wide, over that of a disc in
/// a liquid without bounds, g(ρ − ρ_s)/(ρ + ρ_s).
pub(crate) fn released(ratio: f64) -> f64 {
    let (dt, steps) = (0.015, 10);
    let mut water = water([128; 2], 1.0, exact(), |_| -1e3);
    water.bodies_mut().push(disc(6.0, ratio, [64.17, 64.4]));
    for _ in 0..steps {
        water.step(dt).unwrap();
        water.advance_bodies(dt).unwrap();
    }
    // Velocities stand half a step behind.
    let found = water.bodies()[0].velocity[1] / ((f64::from(steps) - 0.5) * dt);
    found / (GRAVITY * (1.0 - ratio) / (1.0 + ratio))
}

/// What is around a body that is pushed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Around {
    /// A full box.
    Walls,
    /// A full box whose sides in the direction of the push are periodic: nothing else acts.
    Periodic,
    /// A drop in air: nothing else acts.
    Air,
}

/// The momentum of the liquid along x, by what of every face is open and wet.
fn momentum(water: &Liquid2<f64>, periodic: bool) -> f64 {
    let (phi, u) = (water.surface().field(), &water.velocity()[0]);
    let [nx, ny] = water.grid().cells();
    let mass = 1000.0 * water.grid().dx().powi(2);
    let wet = |a: f64, b: f64| match (a < 0.0, b < 0.0) {
        (true, true) => 1.0,
        (true, false) => a / (a - b),
        (false, true) => b / (b - a),
        (false, false) => 0.0,
    };
    let mut sum = 0.0;
    for j in 0..ny {
        for i in usize::from(!periodic)..nx {
            let part = wet(phi[[(i + nx - 1) % nx, j]], phi[[i, j]]);
            sum += mass * part * water.solids().open()[0][[i, j]] * u[[i, j]];
        }
    }
    sum
}

/// A disc in a liquid without gravity that is pushed along x for so long: how far the momentum of both
/// is at most from what the push and the walls have given, over all that the push gives; and how many
/// of its radii the disc has come. On cells of 1 m, or parts of that.
pub(crate) fn pushed(around: Around, refined: usize, seconds: f64) -> [f64; 2] {
    let periodic = around == Around::Periodic;
    let boundary = match periodic {
        true => Boundary::walls().with(0, 0, Side::Periodic).with(0, 1, Side::Periodic),
        false => Boundary::walls(),
    };
    let params = LiquidParams { boundary, gravity: [0.0; 2], most_cells: 9.0, ..exact() };
    let (n, dx) = (64 * refined, 1.0 / refined as f64);
    let (dt, push, start, radius) = (0.05 * dx, 1e5, [24.3, 31.8], 7.0);
    let drop = |[x, y]: [f64; 2]| match around {
        Around::Air => (x - start[0]).hypot(y - start[1]) - 18.3,
        _ => -1e3,
    };
    let mut water = water([n; 2], dx, params, drop);
    water.bodies_mut().push(disc(radius, 1.5, start));
    let (mut given, mut off, steps) = (0.0, 0.0_f64, (seconds / dt).round() as usize);
    for n_step in 0..steps {
        water.bodies_mut()[0].force = [push, 0.0];
        let report = water.step(dt).unwrap();
        assert_eq!(report.substeps, 1);
        // The first step drives for half of its time.
        let driven = if n_step == 0 { 0.5 * dt } else { dt };
        let p = water.pressure();
        let walls: f64 = (0..n).map(|j| (p[[0, j]] - p[[n - 1, j]]) * dx).sum();
        given += if periodic { push } else { push + walls } * driven;
        let liquid = momentum(&water, periodic);
        water.advance_bodies(dt).unwrap();
        let body = &water.bodies()[0];
        off = off.max((liquid + body.mass * body.velocity[0] - given).abs());
    }
    [off / (push * seconds), (water.bodies()[0].position[0] - start[0]) / radius]
}
