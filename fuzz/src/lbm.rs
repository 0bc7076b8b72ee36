//! Lattice Boltzmann flows that are built, pushed, walled in, broken and run.

use fluid_num::schemes::lbm::{Bounce, Carried, Collision, D2Q9, D3Q19, D3Q27, Lattice, Outlet};
use fluid_num::{EncodedLbm, Error, Field, Grid, Lbm, LbmParams, Real, Simulation};

use crate::input::Input;
use crate::scene;

/// A flow of any parameters on any lattice and up to eight things that happen to it.
///
/// # Panics
/// Where a property does not hold.
pub fn lbm_step(data: &[u8]) {
    let (choice, rest) = data.split_first().unwrap_or((&0, &[]));
    let mut input = Input::new(rest);
    match choice % 6 {
        0 => run::<f32, D2Q9, 2, 9>(&mut input),
        1 => run::<f64, D2Q9, 2, 9>(&mut input),
        2 => run::<f32, D3Q19, 3, 19>(&mut input),
        3 => run::<f64, D3Q19, 3, 19>(&mut input),
        4 => run::<f32, D3Q27, 3, 27>(&mut input),
        _ => run::<f64, D3Q27, 3, 27>(&mut input),
    }
}

struct Scene<T, L, const D: usize, const Q: usize> {
    lbm: Lbm<T, L, D, Q>,
    carried: Carried<T, D>,
}

fn params<T: Real, const D: usize>(input: &mut Input<'_>) -> LbmParams<T, D> {
    let magic = input.number(0.01, 0.5);
    LbmParams {
        kinematic_viscosity: input.coefficient(),
        rest_density: input.number(0.5, 1000.0),
        time_step: input.pick(&[T::one(), T::of(0.1), T::of(1e-3)]),
        collision: input.pick(&[
            Collision::Bgk,
            Collision::Trt { magic },
            Collision::Regularised,
            Collision::CentralMoments,
        ]),
        smagorinsky: input.coefficient(),
        acceleration: input.vector(-0.01, 0.01),
        boundary: scene::boundary(input),
        outlet: input.pick(&[Outlet::Pressure, Outlet::Convective]),
        bounce: input.pick(&[Bounce::HalfWay, Bounce::Interpolated]),
        open_pressure: core::array::from_fn(|_| input.vector(-0.01, 0.01)),
        speed_limit_lu: input.number(0.05, 0.3),
        max_substeps: input.within(0, 12),
    }
}

fn run<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(input: &mut Input<'_>) {
    // 27 populations a cell: a few cells are enough to have sides, edges, corners and a middle.
    let most = if D == 2 { 16 } else { 6 };
    let cells = core::array::from_fn(|_| input.within(1, most));
    let dx = T::of(input.pick(&[1.0, 0.1, 1e-3, 7.0]));
    let grid = Grid::<T, D>::new(cells, dx).expect("a few cells are a grid");
    let params = params(input);
    let lbm = match Lbm::<T, L, D, Q>::new(grid, params) {
        Ok(lbm) => lbm,
        Err(error) => return assert!(error.to_string().len() > 20, "{error}"),
    };
    moments(lbm.clone(), input);
    let carried = Carried::new(&lbm, 1, scene::advection(input)).expect("the sides are good");
    let mut scene = Scene { lbm, carried };
    for _ in 0..input.within(1, 8) {
        match input.byte() % 16 {
            0 | 1 => scene.set_flow(input),
            2 => scene.push(input, &grid),
            3 => scene.lbm.close_cells(|_| input.chance(40)),
            4 => scene.lbm.bodies_mut().extend(scene::body(input, &grid)),
            5 => scene.lbm.bodies_mut().clear(),
            6 => scene.force(input),
            7 => scene.blow(input),
            8 => scene.strew(input, &grid),
            9 => scene.change(self::params(input)),
            _ => scene.step(input.time_step::<T>() * scene.time_step() * T::of(40.0)),
        }
    }
    scene.step(T::zero());
    scene.step(scene.time_step());
    scene.repeat();
}

/// A solver that stores moments finds what one that stores populations does, where it can be made.
fn moments<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    mut lbm: Lbm<T, L, D, Q>,
    input: &mut Input<'_>,
) {
    let (grid, params) = (*lbm.grid(), *lbm.params());
    let mut encoded = match EncodedLbm::<T, L, D, Q>::new(grid, params) {
        Ok(encoded) => encoded,
        Err(error) => return assert!(matches!(error, Error::UnsuitableSolver { .. }), "{error}"),
    };
    let unit = T::of(0.1) * grid.dx() / params.time_step;
    let size = grid.size();
    let flow = |p: [T; D]| (core::array::from_fn(|a| unit * p[a] / size[a]), T::zero());
    let closed: Vec<bool> = (0..grid.cell_count()).map(|_| input.chance(10)).collect();
    let number =
        |cell: [usize; D]| (0..D).rev().fold(0, |number, a| number * grid.cells()[a] + cell[a]);
    lbm.close_cells(|cell| closed[number(cell)]);
    encoded.close_cells(|cell| closed[number(cell)]);
    if let Some(body) = scene::body(input, &grid).filter(|body| body.check().is_ok()) {
        lbm.bodies_mut().push(body.clone());
        encoded.bodies_mut().push(body);
    }
    lbm.set_flow(flow).expect("a finite flow");
    encoded.set_flow(flow).expect("a finite flow");
    for time_step in [params.time_step, params.time_step * T::of(0.7)] {
        let changed = LbmParams { time_step, ..params };
        let ends = [lbm.set_params(changed), encoded.set_params(changed)].map(|end| end.is_ok());
        assert_eq!(ends[0], ends[1]);
        let ends = [lbm.advance(3).is_ok(), encoded.advance(3).is_ok()];
        assert_eq!(ends[0], ends[1]);
        for cell in grid.interior().places().map(|i| grid.cell_at(i)).filter(|_| ends[0]) {
            let found = encoded.velocity(cell).expect("a cell of the grid");
            assert_eq!(found, lbm.velocity().each_ref().map(|u| u[cell]), "at {cell:?}");
        }
    }
}

impl<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize> Scene<T, L, D, Q> {
    fn set_flow(&mut self, input: &mut Input<'_>) {
        let unit = self.lbm.grid().dx() / self.lbm.params().time_step;
        let weight = self.lbm.params().rest_density * unit * unit;
        // Some have no density left, some are beyond the range of numbers.
        let largest: T = input.pick(&[T::of(0.2), T::of(0.2), T::of(2.0), T::of(1e30)]);
        let flow = |_| {
            let u: [T; D] = input.vector(-1.0, 1.0);
            (u.map(|u| u * largest * unit), weight * largest * input.number::<T>(-0.5, 0.5))
        };
        if let Err(error) = self.lbm.set_flow(flow) {
            assert!(error.to_string().len() > 20, "{error}");
        }
    }

    fn push(&mut self, input: &mut Input<'_>, grid: &Grid<T, D>) {
        let before = self.lbm.digest();
        let (center, radius) = (input.point(grid), input.length(grid));
        if let Err(error) = self.lbm.add_impulse(center, radius, input.vector(-1.0, 1.0)) {
            self.refused(&error, before);
        }
    }

    fn force(&mut self, input: &mut Input<'_>) {
        for field in self.lbm.force_mut() {
            field.fill(T::zero());
            field[[0; D]] = input.number(-0.01, 0.01);
        }
        if input.chance(20) {
            let other = Grid::new([2; D], T::one()).expect("a few cells are a grid");
            self.lbm.force_mut()[0] = Field::zeros(other);
        }
    }

    fn blow(&mut self, input: &mut Input<'_>) {
        let (axis, end) = (input.within(0, D), input.within(0, 2));
        let before = self.lbm.digest();
        if let Err(error) = self.lbm.set_inflow(axis, end, |_| input.vector(-0.1, 0.1)) {
            self.refused(&error, before);
        }
    }

    fn time_step(&self) -> T {
        self.lbm.params().time_step
    }

    fn change(&mut self, params: LbmParams<T, D>) {
        let (before, old) = (self.lbm.digest(), *self.lbm.params());
        match self.lbm.set_params(params) {
            Ok(()) => assert_eq!(*self.lbm.params(), params),
            Err(error) => {
                self.refused(&error, before);
                assert_eq!(*self.lbm.params(), old);
            }
        }
    }

    fn strew(&mut self, input: &mut Input<'_>, grid: &Grid<T, D>) {
        let before = self.carried.digest();
        if let Err(error) = self.carried.add_tracer(input.point(grid)) {
            assert!(error.to_string().len() > 20, "{error}");
            assert_eq!(self.carried.digest(), before);
        }
        let dye = self.carried.dye_mut(0).expect("there is one");
        dye.set_from_fn(|_| T::of(input.pick(&[0.0, 0.5, 1.0])));
    }

    fn step(&mut self, dt: T) {
        let before = self.lbm.digest();
        match self.lbm.step(dt) {
            Ok(report) => {
                if dt == T::zero() {
                    assert_eq!(self.lbm.digest(), before, "a step of 0 s changed something");
                    return;
                }
                assert!(report.substeps <= self.lbm.params().max_substeps, "{report:?}");
                assert!(report.max_speed.is_finite(), "{report:?}");
                self.carry(report.time);
            }
            Err(Error::Unstable { place, .. }) => {
                for a in 0..D {
                    assert!(place[a] < self.lbm.grid().cells()[a]);
                }
                // What blew up starts anew.
                self.lbm = Lbm::new(*self.lbm.grid(), *self.lbm.params())
                    .expect("parameters that were accepted are accepted again");
            }
            Err(error) => {
                self.refused(&error, before);
                self.lbm.bodies_mut().clear();
                let grid = *self.lbm.grid();
                self.lbm.force_mut().iter_mut().for_each(|field| *field = Field::zeros(grid));
            }
        }
    }

    /// The flow is finite, so is what it carries, and no tracer is outside.
    fn carry(&mut self, dt: T) {
        for field in self.lbm.velocity().iter().chain([self.lbm.pressure()]) {
            field.check_finite("flow").expect("success means finite");
        }
        let grid = *self.lbm.grid();
        let mut view = Field::zeros(grid);
        self.lbm.vorticity(0, &mut view).expect("the grids are one");
        self.carried.follow(&self.lbm, dt).expect("the velocity is finite");
        let dye = self.carried.dye(0).expect("there is one");
        dye.check_finite("dye").expect("success means finite");
        for (a, list) in self.carried.tracers().iter().enumerate() {
            let (lo, hi) = (grid.origin()[a], grid.origin()[a] + grid.size()[a]);
            assert!(list.iter().all(|x| *x >= lo && *x <= hi), "{list:?}");
        }
    }

    fn refused(&self, error: &Error, before: u64) {
        scene::assert_refused(error, before, self.lbm.digest());
    }

    /// The same state gives the same bits, copied or from a snapshot.
    fn repeat(&self) {
        let fresh = || {
            Lbm::<T, L, D, Q>::new(*self.lbm.grid(), *self.lbm.params())
                .expect("parameters that were accepted are accepted again")
        };
        let (mut copy, mut restored, mut own) = (fresh(), fresh(), self.lbm.clone());
        copy.copy_from(&self.lbm).expect("the grids are one");
        restored.bodies_mut().extend(self.lbm.bodies().iter().cloned());
        let dt = T::of(3.0) * self.lbm.params().time_step;
        let whole = restored.restore(&self.lbm.snapshot()).is_ok();
        let after =
            [&mut own, &mut copy, &mut restored].map(|lbm| (lbm.step(dt).is_ok(), lbm.digest()));
        assert_eq!(after[1], after[0]);
        // What is not finite is refused by snapshots as by steps.
        assert!(whole || !after[0].0, "a good state has no snapshot");
        if whole {
            assert_eq!(after[2], after[0]);
        }
    }
}
