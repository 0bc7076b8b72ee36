//! Flows with exact solutions.

use super::*;
use crate::solid::Shape;
use core::f64::consts::TAU;

/// A Taylor–Green vortex of n² cells that decays for `time` turnover units of n² steps; the relative
/// error of its velocity, and the viscosity that its amplitude fell by.
fn taylor_green(n: usize, collision: Collision<f64>) -> (f64, f64) {
    let nu = 0.05;
    let k = TAU / n as f64;
    let u0 = 0.05 * 32.0 / n as f64;
    let mut lbm = unit::<f64, D2Q9, 2, 9>(
        [n; 2],
        LbmParams { collision, kinematic_viscosity: nu, ..periodic() },
    );
    let flow = |[x, y]: [f64; 2], decay: f64| {
        let (sx, cx) = (k * x).sin_cos();
        let (sy, cy) = (k * y).sin_cos();
        let u = u0 * decay;
        let pressure = -0.25 * u * u * (libm::cos(2.0 * k * x) + libm::cos(2.0 * k * y));
        ([-u * cx * sy, u * sx * cy], pressure)
    };
    lbm.set_flow(|p| flow(p, 1.0)).unwrap();
    let amplitude = |lbm: &Lbm<f64, D2Q9, 2, 9>| {
        lbm.velocity().iter().flat_map(|u| u.values()).map(|u| u * u).sum::<f64>().sqrt()
    };
    let start = n * n / 8;
    lbm.advance(start).unwrap();
    let early = amplitude(&lbm);
    let rest = n * n / 8;
    lbm.advance(rest).unwrap();
    let measured = libm::log(early / amplitude(&lbm)) / (2.0 * k * k * rest as f64);
    let decay = libm::exp(-2.0 * nu * k * k * (start + rest) as f64);
    let (mut error, mut whole) = (0.0, 0.0);
    for j in 0..n {
        for i in 0..n {
            let (exact, _) = flow(lbm.grid().center([i, j]), decay);
            for a in 0..2 {
                error += (lbm.velocity()[a][[i, j]] - exact[a]).powi(2);
                whole += exact[a] * exact[a];
            }
        }
    }
    ((error / whole).sqrt(), measured / nu)
}

#[test]
fn taylor_green_vortices_converge_at_second_order_to_the_right_viscosity() {
    for collision in Collision::all() {
        let (coarse, _) = taylor_green(32, collision);
        let (fine, nu) = taylor_green(64, collision);
        let order = (coarse / fine).log2();
        assert!(order > 1.9, "{collision:?}: {coarse} {fine} order {order}");
        assert!((nu - 1.0).abs() < 0.005, "{collision:?}: viscosity {nu}");
    }
}

/// The profile of a channel along x, driven by a force, at rest with itself.
fn poiseuille<L: Lattice<D, Q>, const D: usize, const Q: usize>(
    collision: Collision<f64>,
    nu: f64,
    height: usize,
) -> Vec<f64> {
    let mut cells = [2; D];
    cells[1] = height;
    let mut acceleration = [0.0; D];
    acceleration[0] = 1e-6;
    let mut boundary = Boundary::periodic();
    boundary.sides[1] = [Side::NoSlip; 2];
    let params =
        LbmParams { collision, kinematic_viscosity: nu, acceleration, boundary, ..periodic() };
    let mut lbm = unit::<f64, L, D, Q>(cells, params);
    // What is left of the start falls by exp(−π²νt/H²).
    let steps = (30.0 * (height * height) as f64 / (10.0 * nu)) as usize;
    lbm.advance(steps).unwrap();
    let at = |j| {
        let mut cell = [1; D];
        cell[1] = j;
        cell
    };
    (0..height).map(|j| lbm.velocity()[0][at(j)]).collect()
}

/// The parabola between walls half-way, and the slip that the lattice adds: F/(2ν)·(4Λ/3 − ¼).
fn parabola(nu: f64, height: usize, magic: f64) -> Vec<f64> {
    let at = |j: usize| {
        let y = j as f64 + 0.5;
        1e-6 / (2.0 * nu) * (y * (height as f64 - y) + 4.0 / 3.0 * magic - 0.25)
    };
    (0..height).map(at).collect()
}

fn is_poiseuille<L: Lattice<D, Q>, const D: usize, const Q: usize>() {
    for nu in [0.05, 0.2, 0.6] {
        let cases = [
            (Collision::trt(), 3.0 / 16.0),
            (Collision::Trt { magic: 0.25 }, 0.25),
            (Collision::Bgk, 9.0 * nu * nu),
        ];
        for (collision, magic) in cases {
            let profile = poiseuille::<L, D, Q>(collision, nu, 9);
            let exact = parabola(nu, 9, magic);
            let largest = exact[4];
            for (u, exact) in profile.iter().zip(&exact) {
                let error = (u - exact).abs() / largest;
                assert!(error < 1e-10, "{} {collision:?} ν = {nu}: {error}", L::NAME);
            }
        }
    }
}

#[test]
fn poiseuille_flow_slips_at_walls_as_the_magic_parameter_says() {
    is_poiseuille::<D2Q9, 2, 9>();
    is_poiseuille::<D3Q19, 3, 19>();
    is_poiseuille::<D3Q27, 3, 27>();
}

#[test]
fn poiseuille_flow_converges_at_second_order_for_every_collision() {
    for collision in Collision::all() {
        let error = |height: usize| {
            let profile = poiseuille::<D2Q9, 2, 9>(collision, 0.1, height);
            let exact = parabola(0.1, height, 3.0 / 16.0);
            let worst = profile.iter().zip(&exact).map(|(u, e)| (u - e).abs());
            worst.fold(0.0, f64::max) / exact[height / 2]
        };
        let [coarse, fine] = [8, 16].map(error);
        assert!(fine < 1e-10 || (coarse / fine).log2() > 1.9, "{collision:?}: {coarse} {fine}");
        assert!(coarse < 0.02, "{collision:?}: {coarse}");
    }
}

#[test]
fn couette_flow_is_exact() {
    for collision in Collision::all() {
        let boundary = Boundary::periodic().with(1, 0, Side::NoSlip).with(
            1,
            1,
            Side::Moving { velocity: [0.05, 0.0] },
        );
        let params = LbmParams { collision, kinematic_viscosity: 0.3, boundary, ..periodic() };
        let mut lbm = unit::<f64, D2Q9, 2, 9>([3, 10], params);
        lbm.advance(1500).unwrap();
        for j in 0..10 {
            let exact = 0.05 * (j as f64 + 0.5) / 10.0;
            let error = (lbm.velocity()[0][[1, j]] - exact).abs();
            assert!(error < 1e-12, "{collision:?}: {error} at {j}");
        }
    }
}

/// The mean error of the velocity, over that on the inner wall, between a disc that turns and a ring
/// around it, and the relative error of the torque on the disc; the ring is `radius` wide inside, the
/// disc half that. Slow, for what compression does is not of the surfaces.
fn turning_disc(radius: f64, bounce: Bounce) -> [f64; 2] {
    let (outer, inner, rate) = (radius, 0.5 * radius, 0.02 / radius);
    let n = 2 * radius as usize + 6;
    let nu = 0.1;
    let params =
        LbmParams { bounce, kinematic_viscosity: nu, collision: Collision::trt(), ..periodic() };
    let mut lbm = unit::<f64, D2Q9, 2, 9>([n, n], params);
    // Between cells, so that no surface is half-way by chance.
    let center = [0.5 * n as f64 + 0.23, 0.5 * n as f64 - 0.11];
    let frame =
        Shape::difference(Shape::cuboid([n as f64; 2]).unwrap(), Shape::ball(outer).unwrap());
    let disc = Body::new(Shape::ball(inner).unwrap(), center).unwrap();
    lbm.bodies_mut().push(disc.with_angular_velocity([0.0, 0.0, rate]).unwrap());
    lbm.bodies_mut().push(Body::new(frame.unwrap(), center).unwrap());
    // What is left of the start falls by exp(−π²νt/gap²).
    lbm.advance((1.5 * (outer - inner) * (outer - inner) / nu) as usize).unwrap();
    lbm.bodies_mut().iter_mut().for_each(Body::clear_wrench);
    lbm.advance(10).unwrap();
    // u = Ar + B/r, the torque −4πνB.
    let b = rate * inner * inner * outer * outer / (outer * outer - inner * inner);
    let a = -b / (outer * outer);
    let (mut sum, mut count) = (0.0, 0.0);
    for cell in lbm.grid().interior().places().map(|i| lbm.grid().cell_at(i)) {
        if !lbm.is_solid(cell) {
            let [x, y] = [0, 1].map(|i| cell[i] as f64 + 0.5 - center[i]);
            let turn = a + b / (x * x + y * y);
            let [u, v] = lbm.velocity().each_ref().map(|u| u[cell]);
            sum += (u + turn * y) * (u + turn * y) + (v - turn * x) * (v - turn * x);
            count += 1.0;
        }
    }
    let exact = -4.0 * core::f64::consts::PI * nu * b;
    [(sum / count).sqrt() / (rate * inner), lbm.bodies()[0].torque[2] / exact - 1.0]
}

#[test]
fn interpolated_bounce_back_is_of_second_order_on_curved_surfaces() {
    let [coarse, fine] = [10.0, 20.0].map(|radius| turning_disc(radius, Bounce::Interpolated));
    for (coarse, fine) in coarse.iter().zip(fine) {
        assert!((coarse / fine).log2() > 1.9, "{coarse} {fine}");
    }
    assert!(fine[0] < 0.0025 && fine[1].abs() < 0.005, "{fine:?}");
    let half_way = turning_disc(20.0, Bounce::HalfWay);
    assert!(half_way[0] > 5.0 * fine[0] && half_way[1] > 5.0 * fine[1].abs(), "{half_way:?}");
}

#[test]
fn interpolated_walls_stand_where_they_are_and_fall_back_where_there_is_no_room() {
    // Channels whose walls cut the links at q and 1 − q from the fluid, and those of a single cell.
    for (gap, nu) in [(9.0, 0.1), (9.5, 0.05), (8.2, 0.2), (0.8, 0.1)] {
        let acceleration = [1e-6, 0.0];
        let params = LbmParams {
            bounce: Bounce::Interpolated,
            kinematic_viscosity: nu,
            acceleration,
            ..periodic()
        };
        let mut lbm = unit::<f64, D2Q9, 2, 9>([3, 16], params);
        let [below, above] = [2.7, 2.7 + gap];
        let wall = |lo: f64, hi: f64| {
            let shape = Shape::cuboid([10.0, 0.5 * (hi - lo)]).unwrap();
            Body::new(shape, [1.5, 0.5 * (lo + hi)]).unwrap()
        };
        lbm.bodies_mut().extend([wall(-2.0, below), wall(above, 18.0)]);
        lbm.advance((3.0 * gap.max(2.0) * gap.max(2.0) / nu) as usize).unwrap();
        if gap < 1.0 {
            let u = lbm.velocity()[0][[1, 3]];
            assert!(u > 0.0 && u < 1e-5, "{u}");
            continue;
        }
        let top = 1e-6 * gap * gap / (8.0 * nu);
        for j in (0..16).filter(|j| !lbm.is_solid([1, *j])) {
            let y = j as f64 + 0.5;
            let exact = 1e-6 / (2.0 * nu) * (y - below) * (above - y);
            let u = lbm.velocity()[0][[1, j]];
            // Linear interpolation slips by a part that grows with the viscosity.
            assert!((u - exact).abs() < 0.02 * top, "{gap} {j}: {u} {exact}");
        }
    }
}
