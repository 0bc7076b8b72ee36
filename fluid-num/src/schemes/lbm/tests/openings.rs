//! Inflow, outlets, solids, and what they do to one another.

use super::*;
use crate::solid::Shape;

/// A channel of 200 × 51 cells with a disc of radius 5 in it, as in O23: inflow on the left.
fn street(collision: Collision<f64>, nu: f64, speed: f64, outlet: Outlet) -> Lbm<f64, D2Q9, 2, 9> {
    let boundary = Boundary::all(Side::NoSlip)
        .with(0, 0, Side::Inflow { velocity: [speed, 0.0] })
        .with(0, 1, Side::Open);
    let params =
        LbmParams { collision, kinematic_viscosity: nu, boundary, outlet, ..Default::default() };
    let mut lbm = unit::<f64, D2Q9, 2, 9>([200, 51], params);
    let disc = Body::new(Shape::ball(5.0).unwrap(), [40.0, 25.5]).unwrap();
    lbm.bodies_mut().push(disc);
    lbm
}

#[test]
fn central_moments_carry_a_street_at_a_cell_reynolds_number_of_a_thousand() {
    let mut lbm = street(Collision::CentralMoments, 1e-4, 0.1, Outlet::Pressure);
    let report = lbm.advance(5000).unwrap();
    assert!(report.max_speed < 0.4, "{}", report.max_speed);
}

/// What flows through a cross-section of the channel: Σ ρu, and Σ p + ρu² less the shear.
fn fluxes(lbm: &Lbm<f64, D2Q9, 2, 9>, i: usize) -> [f64; 2] {
    let (mut mass, mut momentum) = (0.0, 0.0);
    for j in 0..lbm.grid().cells()[1] {
        let u = lbm.velocity()[0][[i, j]];
        let rho = lbm.density([i, j]).unwrap();
        let slope = 0.5 * (lbm.velocity()[0][[i + 1, j]] - lbm.velocity()[0][[i - 1, j]]);
        mass += rho * u;
        momentum +=
            lbm.pressure()[[i, j]] + rho * u * u - 2.0 * lbm.params().kinematic_viscosity * slope;
    }
    [mass, momentum]
}

#[test]
fn the_force_on_a_body_is_the_momentum_that_the_flow_loses() {
    for collision in Collision::all() {
        // Free-slip walls take no momentum: what is lost between two sections is the body's.
        let boundary = Boundary::all(Side::FreeSlip)
            .with(0, 0, Side::Inflow { velocity: [0.04, 0.0] })
            .with(0, 1, Side::Open);
        let params =
            LbmParams { collision, kinematic_viscosity: 0.08, boundary, ..Default::default() };
        let mut lbm = unit::<f64, D2Q9, 2, 9>([90, 40], params);
        let at = [30.0, 20.0];
        lbm.bodies_mut().push(Body::new(Shape::ball(4.0).unwrap(), at).unwrap());
        lbm.set_flow(|_| ([0.04, 0.0], 0.0)).unwrap();
        lbm.advance(12_000).unwrap();
        lbm.bodies_mut()[0].clear_wrench();
        lbm.advance(10).unwrap();
        let body = &lbm.bodies()[0];
        let [[mass_in, before], [mass_out, after]] = [10, 70].map(|i| fluxes(&lbm, i));
        let drag = before - after;
        assert!(body.force[0] > 0.0);
        assert!((mass_in - mass_out).abs() < 1e-3 * mass_in, "{collision:?}: {mass_in} {mass_out}");
        let error = (body.force[0] - drag).abs() / drag;
        assert!(error < 0.01, "{collision:?}: {} against {drag}", body.force[0]);
        // The scene is its own mirror image.
        assert!(body.force[1].abs() < 1e-6 * drag && body.torque[2].abs() < 1e-4 * drag);
    }
}

#[test]
fn closed_cells_feel_what_a_body_of_the_same_cells_feels() {
    let boundary = Boundary::all(Side::FreeSlip)
        .with(0, 0, Side::Inflow { velocity: [0.05, 0.01] })
        .with(0, 1, Side::Open);
    let params = LbmParams { kinematic_viscosity: 0.05, boundary, ..Default::default() };
    let disc = Body::new(Shape::ball(4.0).unwrap(), [15.0, 10.0]).unwrap();
    let mut body = unit::<f64, D2Q9, 2, 9>([40, 20], params);
    body.bodies_mut().push(disc.clone());
    let mut closed = unit::<f64, D2Q9, 2, 9>([40, 20], params);
    closed.close_cells(|[i, j]| disc.signed_distance([i as f64 + 0.5, j as f64 + 0.5]) < 0.0);
    assert_eq!(closed.force_on_closed_cells(), [0.0; 2]);
    body.advance(70).unwrap();
    closed.advance(70).unwrap();
    let (force, expected) = (closed.force_on_closed_cells(), body.bodies()[0].force);
    assert!(expected[0] > 1e-3 && force == expected, "{force:?} {expected:?}");
    assert_eq!(body.force_on_closed_cells(), [0.0; 2]);
}

#[test]
fn a_closed_box_with_solids_in_it_keeps_its_mass_and_its_rest() {
    for collision in Collision::all() {
        let params = LbmParams { collision, ..Default::default() };
        let mut lbm = unit::<f64, D2Q9, 2, 9>([24, 24], params);
        lbm.close_cells(|[i, j]| (i * 7 + j * 3) % 11 == 0);
        lbm.bodies_mut().push(Body::new(Shape::cuboid([3.0, 2.0]).unwrap(), [12.0, 12.0]).unwrap());
        lbm.advance(50).unwrap();
        assert_eq!(lbm.report.max_speed, 0.0);
        assert_eq!(lbm.bodies()[0].force, [0.0, 0.0]);
        let mut seed = 3;
        lbm.set_flow(|_| ([0.0; 2].map(|_| 0.1 * random(&mut seed)), 0.0)).unwrap();
        let mass = |lbm: &Lbm<f64, D2Q9, 2, 9>| lbm.pressure().values().sum::<f64>();
        let before = mass(&lbm);
        lbm.advance(2000).unwrap();
        assert!((mass(&lbm) - before).abs() < 1e-12 * 576.0, "{}", mass(&lbm) - before);
        assert!(lbm.is_solid([12, 12]) && !lbm.is_solid([1, 0]));
        assert_eq!(lbm.velocity()[0][[12, 12]], 0.0);
    }
}

#[test]
fn a_parabola_that_flows_in_flows_out_and_its_pressure_falls_as_it_must() {
    for outlet in [Outlet::Pressure, Outlet::Convective] {
        let (height, nu, top) = (16, 0.1, 0.04);
        let boundary = Boundary::all(Side::NoSlip)
            .with(0, 0, Side::Inflow { velocity: [0.0; 2] })
            .with(0, 1, Side::Open);
        let params = LbmParams { kinematic_viscosity: nu, boundary, outlet, ..Default::default() };
        let mut lbm = unit::<f64, D2Q9, 2, 9>([60, height], params);
        let h = height as f64;
        let profile = |y: f64| 4.0 * top * y * (h - y) / (h * h);
        lbm.set_inflow(0, 0, |[_, y]| [profile(y), 0.0]).unwrap();
        lbm.set_flow(|[_, y]| ([profile(y), 0.0], 0.0)).unwrap();
        assert!(lbm.set_inflow(0, 1, |_| [0.0; 2]).is_err());
        lbm.advance(12_000).unwrap();
        // What flows is ρu: the density falls along the channel.
        let density = |i| lbm.density([i, height / 2]).unwrap();
        let expansion = density(0) / density(30);
        for j in 0..height {
            let exact = profile(j as f64 + 0.5) * expansion;
            let u = lbm.velocity()[0][[30, j]];
            assert!((u - exact).abs() < 0.005 * top, "{outlet:?} {j}: {u} {exact}");
        }
        let p = |i| lbm.pressure()[[i, height / 2]];
        let slope = (p(40) - p(20)) / 20.0;
        let exact = -8.0 * nu * top / (h * h);
        assert!((slope / exact - 1.0).abs() < 0.03, "{outlet:?}: {slope} {exact}");
        // Of 60 cells of this slope.
        assert!(p(59).abs() < 0.02 * 60.0 * exact.abs(), "{outlet:?}: {}", p(59));
    }
}

#[test]
fn a_duct_in_space_lets_through_what_comes_in() {
    let boundary = Boundary::all(Side::NoSlip)
        .with(0, 0, Side::Inflow { velocity: [0.03, 0.0, 0.0] })
        .with(0, 1, Side::Open);
    let params = LbmParams { kinematic_viscosity: 0.1, boundary, ..Default::default() };
    let mut lbm = unit::<f64, D3Q19, 3, 19>([24, 9, 9], params);
    lbm.set_flow(|_| ([0.03, 0.0, 0.0], 0.0)).unwrap();
    lbm.advance(4000).unwrap();
    let flux = |i: usize| {
        let mut sum = 0.0;
        for n in 0..81 {
            let cell = [i, n % 9, n / 9];
            sum += lbm.velocity()[0][cell] * lbm.density(cell).unwrap();
        }
        sum
    };
    // Some sound is still there.
    for i in [3, 20] {
        assert!((flux(i) / flux(12) - 1.0).abs() < 1e-4, "{i}: {}", flux(i));
    }
    // Of ρu the density is not given.
    assert!((flux(0) / (81.0 * 0.03) - 1.0).abs() < 0.15, "{}", flux(0));
}

#[test]
fn a_body_that_moves_leaves_fluid_behind_and_drags_it_along() {
    let params = LbmParams { kinematic_viscosity: 0.05, ..periodic() };
    let mut lbm = unit::<f64, D2Q9, 2, 9>([40, 40], params);
    let disc = Body::new(Shape::ball(4.0).unwrap(), [10.0, 20.0]).unwrap();
    lbm.bodies_mut().push(disc.with_velocity([0.05, 0.0]).unwrap());
    for _ in 0..300 {
        lbm.bodies_mut()[0].clear_wrench();
        lbm.bodies_mut()[0].advance(1.0).unwrap();
        lbm.advance(1).unwrap();
    }
    assert!(lbm.is_solid([25, 20]) && !lbm.is_solid([10, 20]));
    let wake = lbm.velocity()[0][[19, 20]];
    assert!(wake > 0.01 && wake < 0.06, "{wake}");
    let mass: f64 = lbm.pressure().values().sum();
    assert!((3.0 * mass).abs() < 0.02 * 1600.0, "{mass}");
}

#[test]
fn impulses_stay_below_the_limit() {
    let mut lbm = unit::<f64, D2Q9, 2, 9>([30, 30], periodic());
    for _ in 0..5 {
        lbm.add_impulse([15.0, 15.0], 6.0, [0.1, 0.2]).unwrap();
        let fastest = lbm.velocity()[0].values().zip(lbm.velocity()[1].values());
        let fastest = fastest.map(|(u, v)| libm::hypot(u, v)).fold(0.0, f64::max);
        assert!(fastest <= 0.15 + 1e-12 && fastest > 0.1, "{fastest}");
    }
    assert_eq!(lbm.velocity()[0][[2, 2]], 0.0);
    assert!(lbm.add_impulse([f64::NAN, 0.0], 1.0, [0.0; 2]).is_err());
}

/// Outside the domain, and in solids, stands what no state holds.
#[test]
fn openings_read_neither_solids_nor_what_lies_beyond_the_domain() {
    for outlet in [Outlet::Pressure, Outlet::Convective] {
        for collision in Collision::all() {
            let make = || {
                let inflow = Side::Inflow { velocity: [0.0, 0.05] };
                let boundary = Boundary::periodic().with(1, 0, inflow).with(1, 1, Side::Open);
                let params = LbmParams { collision, outlet, boundary, ..LbmParams::default() };
                unit::<f64, D2Q9, 2, 9>([7, 1], params)
            };
            let mut flow = make();
            flow.set_flow(|[x, _]| ([0.02 * x, 0.01], 0.01 * x)).unwrap();
            flow.advance(5).unwrap();
            let mut restored = make();
            restored.restore(&flow.snapshot()).unwrap();
            flow.advance(4).unwrap();
            restored.advance(4).unwrap();
            assert_eq!(restored.digest(), flow.digest(), "{outlet:?} {collision:?}");
            let blocked = || {
                let boundary = Boundary::all(Side::NoSlip).with(0, 1, Side::Open);
                let params = LbmParams { collision, outlet, boundary, ..LbmParams::default() };
                let mut flow = unit::<f64, D2Q9, 2, 9>([8, 6], params);
                flow.close_cells(|[i, j]| i == 6 && j > 2);
                flow.set_flow(|_| ([0.05, 0.02], 0.0)).unwrap();
                flow
            };
            let (mut at_once, mut apart) = (blocked(), blocked());
            at_once.advance(6).unwrap();
            (0..6).for_each(|_| apart.advance(1).map(drop).unwrap());
            assert_eq!(at_once.population(1, [7, 4]), apart.population(1, [7, 4]));
        }
    }
}
