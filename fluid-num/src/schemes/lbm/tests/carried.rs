//! Views, dyes and tracers.

use super::*;
use crate::Field;
use crate::advection::{Advection, Interpolation};

/// A box of `cells` in which u = A(x − middle), no cell next to another but by the flow.
fn linear<L: Lattice<D, Q>, const D: usize, const Q: usize>(
    n: usize,
    matrix: [[f64; D]; D],
) -> Lbm<f64, L, D, Q> {
    let grid = Grid::new([n; D], 0.5).unwrap();
    let boundary = Boundary::all(Side::Open);
    let params = LbmParams { boundary, ..Default::default() };
    let mut lbm = Lbm::new(grid, params).unwrap();
    let middle = 0.25 * n as f64;
    lbm.set_flow(|x| {
        let u =
            core::array::from_fn(|a| (0..D).map(|b| matrix[a][b] * (x[b] - middle)).sum::<f64>());
        (u, 0.0)
    })
    .unwrap();
    lbm
}

#[test]
fn views_of_a_linear_flow_are_exact_up_to_the_sides() {
    let a = [[0.5, 2.0], [-3.0, -0.5]];
    let plane = linear::<D2Q9, 2, 9>(7, a);
    let mut out = Field::zeros(*plane.grid());
    // Rounding of populations of a size of 1, over that of a step.
    let near = |value: f64, exact: f64| assert!((value - exact).abs() < 1e-9, "{value} {exact}");
    plane.vorticity(0, &mut out).unwrap();
    out.values().for_each(|v| near(v, -5.0));
    plane.q_criterion(&mut out).unwrap();
    out.values().for_each(|v| near(v, -0.25 + 6.0));
    plane.speed(&mut out).unwrap();
    near(out[[3, 3]], 0.0);
    near(out[[5, 3]], libm::hypot(0.5_f64, 3.0));
    assert!(plane.vorticity(1, &mut out).is_err());
    let b = [[0.1, 1.0, 2.0], [3.0, 0.2, 4.0], [5.0, 6.0, -0.3]];
    let space = linear::<D3Q19, 3, 19>(6, b);
    let mut out = Field::zeros(*space.grid());
    for (k, exact) in [2.0, -3.0, 2.0].into_iter().enumerate() {
        space.vorticity(k, &mut out).unwrap();
        out.values().for_each(|v| near(v, exact));
    }
    space.q_criterion(&mut out).unwrap();
    out.values().for_each(|v| near(v, -0.5 * (0.01 + 0.04 + 0.09) - (3.0 + 10.0 + 24.0)));
    assert!(space.speed(&mut Field::zeros(Grid::new([6, 6, 5], 0.5).unwrap())).is_err());
}

#[test]
fn views_reach_across_periodic_sides_and_work_on_single_cells() {
    let mut lbm = unit::<f64, D2Q9, 2, 9>([16, 16], periodic());
    let k = core::f64::consts::TAU / 16.0;
    lbm.set_flow(|[x, _]| ([0.0, 0.1 * libm::sin(k * x)], 0.0)).unwrap();
    let mut out = Field::zeros(*lbm.grid());
    lbm.vorticity(0, &mut out).unwrap();
    for i in 0..16 {
        // A central difference of a sine.
        let exact = 0.1 * libm::sin(k) * libm::cos(k * (i as f64 + 0.5));
        assert!((out[[i, 3]] - exact).abs() < 1e-14);
    }
    for cells in [[1, 1], [2, 1], [1, 5]] {
        for boundary in [Boundary::periodic(), Boundary::all(Side::NoSlip)] {
            let params = LbmParams { boundary, ..Default::default() };
            let mut lbm = unit::<f64, D2Q9, 2, 9>(cells, params);
            lbm.set_flow(|_| ([0.1, 0.2], 0.0)).unwrap();
            let mut out = Field::zeros(*lbm.grid());
            lbm.vorticity(0, &mut out).unwrap();
            assert!(out.values().all(|v| v.abs() < 1e-15));
            lbm.q_criterion(&mut out).unwrap();
            assert!(out.values().all(|v| v.abs() < 1e-15));
        }
    }
}

#[test]
fn tracers_of_a_linear_flow_follow_the_midpoint_rule_exactly() {
    let a = [[0.5, 2.0], [-3.0, -0.5]];
    let flow = linear::<D2Q9, 2, 9>(16, a);
    let mut carried = Carried::new(&flow, 0, Advection::default()).unwrap();
    carried.add_tracer([4.7, 3.9]).unwrap();
    let dt = 0.1;
    carried.follow(&flow, dt).unwrap();
    let x = [0.7, -0.1];
    let times = |x: [f64; 2]| a.map(|row| row[0] * x[0] + row[1] * x[1]);
    let (u, uu) = (times(x), times(times(x)));
    for axis in 0..2 {
        let exact = 4.0 + x[axis] + dt * u[axis] + 0.5 * dt * dt * uu[axis];
        let error = (carried.tracers()[axis][0] - exact).abs();
        assert!(error < 1e-10, "{error}");
    }
    for bad in [[-0.1, 1.0], [f64::NAN, 1.0], [1.0, 8.1]] {
        assert!(carried.add_tracer(bad).is_err());
    }
    assert_eq!(carried.tracers()[1].len(), 1);
}

/// Solid-body rotation once round: the radius of a tracer grows by (ωΔt)⁴/8 a step.
#[test]
fn what_turns_with_the_flow_comes_back() {
    let flow = linear::<D2Q9, 2, 9>(64, [[0.0, -1.0], [1.0, 0.0]]);
    let blob = |x: [f64; 2]| libm::exp(-((x[0] - 22.0).powi(2) + (x[1] - 16.0).powi(2)) / 8.0);
    let error = |steps: usize, advection: Advection| {
        let mut carried = Carried::new(&flow, 1, advection).unwrap();
        carried.dye_mut(0).unwrap().set_from_fn(blob);
        carried.add_tracer([22.0, 16.0]).unwrap();
        let before = carried.digest();
        let dt = core::f64::consts::TAU / steps as f64;
        for _ in 0..steps {
            carried.follow(&flow, dt).unwrap();
        }
        assert_ne!(carried.digest(), before);
        let [x, y] = [0, 1].map(|a| carried.tracers()[a][0]);
        let exact = Field::from_fn(*flow.grid(), blob);
        let dye = carried.dye(0).unwrap();
        let worst = dye.values().zip(exact.values()).map(|(a, b)| (a - b).abs());
        (libm::hypot(x - 22.0, y - 16.0), worst.fold(0.0, f64::max))
    };
    let [(coarse, _), (fine, dye)] = [100, 200].map(|n| error(n, Advection::MacCormack));
    let order = libm::log2(coarse / fine);
    assert!((order - 2.0).abs() < 0.05, "{coarse} {fine}");
    // A blob of four cells' half-width: its peak is cut off by the limiter; measured 0.22.
    assert!(dye < 0.25, "{dye}");
    let (_, smeared) = error(200, Advection::SemiLagrangian(Interpolation::Linear));
    assert!(smeared > 2.0 * dye, "{smeared}");
}

#[test]
fn nothing_is_carried_into_solids_or_through_walls() {
    let params = LbmParams { kinematic_viscosity: 0.1, ..Default::default() };
    let mut lbm = unit::<f64, D2Q9, 2, 9>([24, 24], params);
    lbm.close_cells(|[i, _]| i >= 16);
    lbm.set_flow(|_| ([0.1, 0.05], 0.0)).unwrap();
    let mut carried = Carried::new(&lbm, 1, Advection::Scatter).unwrap();
    carried.dye_mut(0).unwrap().set_from_fn(|[x, _]| if x < 16.0 { 1.0 } else { 0.0 });
    for n in 1..15 {
        carried.add_tracer([n as f64, 0.5 * n as f64]).unwrap();
    }
    let before = carried.dye(0).unwrap().sum();
    for _ in 0..20 {
        let time = lbm.advance(10).unwrap().time;
        carried.follow(&lbm, time).unwrap();
    }
    let dye = carried.dye(0).unwrap();
    assert!((dye.sum() / before - 1.0).abs() < 1e-12);
    assert_eq!(dye[[18, 12]], 0.0);
    assert_eq!(carried.tracers()[0].len(), 14);
    assert!(carried.tracers()[0].iter().all(|x| *x <= 16.01), "{:?}", carried.tracers());
}

#[test]
fn tracers_wrap_where_the_flow_does_and_leave_where_it_leaves() {
    let mut lbm = unit::<f64, D2Q9, 2, 9>([10, 10], periodic());
    lbm.set_flow(|_| ([0.1, -0.2], 0.0)).unwrap();
    let mut carried = Carried::new(&lbm, 0, Advection::default()).unwrap();
    carried.add_tracer([9.5, 0.5]).unwrap();
    carried.follow(&lbm, 20.0).unwrap();
    let [x, y] = [0, 1].map(|a| carried.tracers()[a][0]);
    assert!((x - 1.5).abs() < 1e-12 && (y - 6.5).abs() < 1e-12, "{x} {y}");
    let before = carried.digest();
    assert!(carried.follow(&lbm, f64::NAN).is_err());
    assert!(carried.dye(0).is_err() && carried.dye_mut(0).is_err());
    assert_eq!(carried.digest(), before);
    let open = linear::<D2Q9, 2, 9>(10, [[1.0, 0.0], [0.0, 1.0]]);
    let mut carried = Carried::new(&open, 0, Advection::default()).unwrap();
    carried.add_tracer([4.5, 2.5]).unwrap();
    carried.add_tracer([2.6, 2.5]).unwrap();
    carried.follow(&open, 1.0).unwrap();
    assert_eq!(carried.tracers()[0].len(), 1);
    carried.clear_tracers();
    assert!(carried.tracers()[1].is_empty());
}
