//! What every Poisson solver and every advection scheme promises, for `f32` and `f64`, in 2D and
//! 3D: one macro a trait, an oracle that shares no code with the library, one line an implementor.

use fluid_num::advection::{Advection, Interpolation, PathOrder, Transport};
use fluid_num::poisson::{
    Budget, End, FilterParams, MultigridParams, PoissonSolver, Preconditioner, Problem, RedBlack,
    Solver, SolverKind,
};
use fluid_num::{Boundary, Error, Faces, Field, Grid, Real, Side, SolveReport};
use fluid_tests::{Random, random_faces};

// ---------------------------------------------------------------------------------------------
// The oracle: Σ_f a_f (p_neighbour − p) − σh² p = h² b, assembled cell by cell and eliminated.

/// What a cell is coupled to: (a_f, the neighbour), the neighbour `None` where p = 0.
type Couplings = Vec<(f64, Option<usize>)>;

/// A problem as data: the library's version and the oracle's are made from the same numbers.
struct Case<T, const D: usize> {
    grid: Grid<T, D>,
    ends: [[End; 2]; D],
    beta: Option<Faces<T, D>>,
    active: Option<Vec<u8>>,
    shift: T,
    rhs: Field<T, D>,
}

impl<T: Real, const D: usize> Case<T, D> {
    fn random(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let r = &mut random;
        let most = if D == 2 { 100 } else { 250 };
        let cells = loop {
            let cells: [usize; D] = core::array::from_fn(|_| 1 + r.below(10));
            if cells.iter().product::<usize>() <= most {
                break cells;
            }
        };
        let grid = Grid::new(cells, T::of(r.within(0.1, 3.0))).unwrap();
        let open = [End::Neumann, End::Dirichlet, End::DirichletNode];
        // Every third problem is closed, so that singular ones are common.
        let kinds = if seed.is_multiple_of(3) { 1 } else { 3 };
        let ends = core::array::from_fn(|_| match r.below(4) {
            0 => [End::Periodic; 2],
            _ => core::array::from_fn(|_| open[r.below(kinds)]),
        });
        let variable = r.below(4) > 0;
        let mut beta =
            Faces::from_fn(grid, |_| core::array::from_fn(|_| T::of(r.within(1e-3, 1.0))));
        if variable {
            for cell in all_cells(cells) {
                if r.below(6) == 0 {
                    close_cell(&mut beta, cell);
                }
            }
            // A wall across the box: two rooms.
            let axis = r.below(D);
            if r.below(2) == 0 && cells[axis] > 2 {
                let at = 1 + r.below(cells[axis] - 1);
                for mut cell in all_cells(cells) {
                    cell[axis] = at;
                    beta[axis][cell] = T::zero();
                }
            }
            // One face, stored twice.
            for axis in 0..D {
                for mut cell in all_cells(cells) {
                    if ends[axis][0] == End::Periodic && cell[axis] == 0 {
                        let value = beta[axis][cell];
                        cell[axis] = cells[axis];
                        beta[axis][cell] = value;
                    }
                }
            }
        }
        let active = (variable && r.below(3) == 0).then(|| {
            let mut active = vec![0; grid.array_len()];
            for cell in all_cells(cells) {
                active[grid.index(cell)] = u8::from(r.below(8) > 0);
            }
            active
        });
        let shift = [0.0, 0.0, 0.0, 0.5][r.below(4)];
        Self {
            grid,
            ends,
            beta: variable.then_some(beta),
            active,
            shift: T::of(shift),
            rhs: Field::from_fn(grid, |_| T::of(r.within(-1.0, 1.0))),
        }
    }

    fn problem(&self) -> Problem<T, D> {
        let mut problem = Problem::new(self.grid, self.ends).unwrap();
        problem.set_shift(self.shift).unwrap();
        if let Some(beta) = &self.beta {
            problem.set_coefficients(beta, self.active.as_deref()).unwrap();
        }
        problem
    }

    fn cells(&self) -> Vec<[usize; D]> {
        all_cells(self.grid.cells())
    }

    fn is_active(&self, cell: [usize; D]) -> bool {
        self.active.as_ref().is_none_or(|a| a[self.grid.index(cell)] != 0)
    }

    /// The couplings of every cell, in the order of [`Case::cells`].
    fn couplings(&self) -> Vec<Couplings> {
        let n = self.grid.cells();
        let number = |cell: [usize; D]| (0..D).rev().fold(0, |number, a| number * n[a] + cell[a]);
        let of = |cell: [usize; D]| {
            let mut list = Couplings::new();
            if !self.is_active(cell) {
                return list;
            }
            for axis in 0..D {
                for end in 0..2 {
                    let mut face = cell;
                    face[axis] += end;
                    let beta = self.beta.as_ref().map_or(1.0, |b| b[axis][face].to_f64());
                    let outside = [cell[axis] == 0, cell[axis] + 1 == n[axis]][end];
                    let mut next = cell;
                    let across = if end == 0 { n[axis] - 1 } else { 1 };
                    next[axis] = (cell[axis] + across) % n[axis];
                    let inner = self.is_active(next).then(|| number(next));
                    let (a, neighbour) = match self.ends[axis][end] {
                        _ if !outside => (beta, inner),
                        End::Periodic => (beta, inner),
                        End::Neumann => (0.0, None),
                        End::Dirichlet => (2.0 * beta, None),
                        End::DirichletNode => (beta, None),
                    };
                    if a > 0.0 {
                        list.push((a, neighbour));
                    }
                }
            }
            list
        };
        self.cells().into_iter().map(of).collect()
    }

    /// For every cell the room it belongs to where p is known there up to a constant only.
    fn closed_rooms(&self, couplings: &[Couplings]) -> Vec<Option<usize>> {
        let mut room: Vec<usize> = (0..couplings.len()).collect();
        for _ in 0..couplings.len() {
            for c in 0..couplings.len() {
                for n in couplings[c].iter().filter_map(|(_, n)| *n) {
                    let low = room[c].min(room[n]);
                    (room[c], room[n]) = (low, low);
                }
            }
        }
        let held =
            |c: usize| self.shift > T::zero() || couplings[c].iter().any(|(_, n)| n.is_none());
        let open: Vec<usize> = (0..room.len()).filter(|c| held(*c)).map(|c| room[c]).collect();
        room.iter()
            .enumerate()
            .map(|(c, r)| (!couplings[c].is_empty() && !open.contains(r)).then_some(*r))
            .collect()
    }

    /// b without its mean over each closed room, 0 where nothing is unknown.
    fn compatible(&self, couplings: &[Couplings], rooms: &[Option<usize>]) -> Vec<f64> {
        let mut b: Vec<f64> = self.rhs.values().map(T::to_f64).collect();
        for (c, cell) in self.cells().into_iter().enumerate() {
            if !self.is_unknown(cell, &couplings[c]) {
                b[c] = 0.0;
            }
        }
        remove_means(&mut b, rooms);
        b
    }

    fn is_unknown(&self, cell: [usize; D], couplings: &Couplings) -> bool {
        self.is_active(cell) && (!couplings.is_empty() || self.shift > T::zero())
    }

    /// The solution, by elimination.
    fn solution(&self) -> Vec<f64> {
        let couplings = self.couplings();
        let rooms = self.closed_rooms(&couplings);
        let b = self.compatible(&couplings, &rooms);
        let h2 = self.grid.dx().to_f64() * self.grid.dx().to_f64();
        let n = b.len();
        let mut matrix = vec![vec![0.0; n + 1]; n];
        for (c, cell) in self.cells().into_iter().enumerate() {
            let first_of_room =
                rooms[c].is_some() && rooms.iter().position(|r| *r == rooms[c]) == Some(c);
            if !self.is_unknown(cell, &couplings[c]) || first_of_room {
                matrix[c][c] = 1.0;
                continue;
            }
            for (a, neighbour) in &couplings[c] {
                matrix[c][c] -= a;
                if let Some(neighbour) = neighbour {
                    matrix[c][*neighbour] += a;
                }
            }
            matrix[c][c] -= self.shift.to_f64() * h2;
            matrix[c][n] = h2 * b[c];
        }
        let mut p = eliminate(matrix);
        remove_means(&mut p, &rooms);
        p
    }

    /// max|b − A·p| / max|b|.
    fn residual(&self, p: &Field<T, D>) -> f64 {
        let couplings = self.couplings();
        let b = self.compatible(&couplings, &self.closed_rooms(&couplings));
        let h2 = self.grid.dx().to_f64() * self.grid.dx().to_f64();
        let p: Vec<f64> = p.values().map(T::to_f64).collect();
        let mut worst = 0.0_f64;
        for (c, cell) in self.cells().into_iter().enumerate() {
            if self.is_unknown(cell, &couplings[c]) {
                let flow: f64 =
                    couplings[c].iter().map(|(a, n)| a * (n.map_or(0.0, |n| p[n]) - p[c])).sum();
                worst = worst.max((b[c] - flow / h2 + self.shift.to_f64() * p[c]).abs());
            }
        }
        worst / largest(&b).max(f64::MIN_POSITIVE)
    }
}

fn all_cells<const D: usize>(cells: [usize; D]) -> Vec<[usize; D]> {
    let count = cells.iter().product();
    (0..count)
        .map(|mut n: usize| {
            cells.map(|size| {
                let i = n % size;
                n /= size;
                i
            })
        })
        .collect()
}

fn close_cell<T: Real, const D: usize>(beta: &mut Faces<T, D>, cell: [usize; D]) {
    for axis in 0..D {
        for end in 0..2 {
            let mut face = cell;
            face[axis] += end;
            beta[axis][face] = T::zero();
        }
    }
}

fn remove_means(values: &mut [f64], rooms: &[Option<usize>]) {
    for room in 0..values.len() {
        let inside: Vec<usize> = (0..values.len()).filter(|c| rooms[*c] == Some(room)).collect();
        let mean = inside.iter().map(|c| values[*c]).sum::<f64>() / inside.len().max(1) as f64;
        for c in inside {
            values[c] -= mean;
        }
    }
}

/// Gauss elimination with partial pivoting of the rows (A | b).
fn eliminate(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for k in 0..n {
        let best = (k..n).max_by(|i, j| rows[*i][k].abs().total_cmp(&rows[*j][k].abs()));
        rows.swap(k, best.unwrap());
        let pivot = rows[k].clone();
        assert!(pivot[k] != 0.0, "the oracle's matrix is singular");
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot[k];
            if factor != 0.0 {
                for j in k..=n {
                    row[j] -= factor * pivot[j];
                }
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * x[j]).sum();
        x[k] = (rows[k][n] - known) / rows[k][k];
    }
    x
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}

fn bits<T: Real, const D: usize>(field: &Field<T, D>) -> Vec<u64> {
    field.as_slice().iter().map(|v| v.bits()).collect()
}

#[test]
fn the_oracle_solves_a_system_whose_solution_is_known() {
    // −2 p₀ + p₁ = 1, p₀ − 3 p₁ = 0, and a row that needs a pivot.
    let rows = vec![vec![0.0, 0.0, 2.0, 4.0], vec![-2.0, 1.0, 0.0, 1.0], vec![1.0, -3.0, 0.0, 0.0]];
    let x = eliminate(rows);
    let exact = [-0.6, -0.2, 2.0];
    assert!(x.iter().zip(exact).all(|(x, e)| (x - e).abs() < 1e-15), "{x:?}");
}

// ---------------------------------------------------------------------------------------------
// Poisson solvers.

/// The iterations that a test may ask for: enough for a room that leaks through one face of
/// β = 1e-3; and far more than conjugate gradients need, which must do no harm.
fn patience<T: Real>(kind: SolverKind<T>) -> usize {
    match kind {
        SolverKind::ConjugateGradient(_) => 5_000,
        _ => 100_000,
    }
}

/// How far a residual goes, and how far from the oracle the solution may then be. Rounding leaves
/// about ε·κ, κ up to 1e5 for a room that leaks through one face of β = 1e-3.
fn limits<T: Real>() -> (f64, f64) {
    if T::EPSILON.to_f64() < 1e-10 { (1e-12, 1e-8) } else { (1e-6, 1e-3) }
}

fn agrees_with_elimination<T: Real, const D: usize>(kind: SolverKind<T>) {
    let (tolerance, accepted) = limits::<T>();
    for seed in 0..40 {
        let case = Case::<T, D>::random(seed);
        let problem = case.problem();
        let mut solver = Solver::new(case.grid, kind).unwrap();
        // A guess that is no solution, ghosts and solids included.
        let mut p = Field::zeros(case.grid);
        let mut random = Random::new(seed + 1000);
        for v in p.as_mut_slice() {
            *v = T::of(random.within(-1.0, 1.0));
        }
        let budget = Budget::tolerance(T::of(tolerance), patience(kind));
        let report = solver.solve(&problem, &case.rhs, &mut p, budget).unwrap();
        let exact = case.solution();
        let p: Vec<f64> = p.values().map(T::to_f64).collect();
        let off: Vec<f64> = p.iter().zip(&exact).map(|(p, e)| p - e).collect();
        let scale = largest(&exact);
        assert!(
            largest(&off) <= accepted * scale,
            "{}, problem {seed} of {:?} cells, ends {:?}: off by {:e} of {scale:e}, {report:?}",
            kind.name(),
            case.grid.cells(),
            case.ends,
            largest(&off),
        );
    }
}

fn a_right_side_with_nan_is_refused_and_p_is_untouched<T: Real, const D: usize>(
    kind: SolverKind<T>,
) {
    for seed in 0..12 {
        let mut case = Case::<T, D>::random(seed);
        let problem = case.problem();
        let mut solver = Solver::new(case.grid, kind).unwrap();
        let mut p = Field::from_fn(case.grid, |x| x[0]);
        p.as_mut_slice()[0] = T::of(7.0);
        let before = bits(&p);
        let last = case.grid.cells().map(|n| n - 1);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            case.rhs[last] = T::of(bad);
            let result = solver.solve(&problem, &case.rhs, &mut p, Budget::iterations(3));
            assert!(
                matches!(result, Err(Error::NotFinite { name: "rhs", place }) if place[..D] == last),
                "{result:?}"
            );
            assert_eq!(bits(&p), before);
        }
    }
}

fn a_guess_with_nan_is_refused_and_p_is_untouched<T: Real, const D: usize>(kind: SolverKind<T>) {
    let grid = Grid::<T, D>::new([6; D], T::of(0.5)).unwrap();
    let problem = Problem::new(grid, [[End::Dirichlet; 2]; D]).unwrap();
    let rhs = Field::from_fn(grid, |x| x[0]);
    let mut solver = Solver::new(grid, kind).unwrap();
    let mut p = Field::from_fn(grid, |x| x[0]);
    p.as_mut_slice()[0] = T::of(7.0);
    p[[3; D]] = T::of(f64::NAN);
    let before = bits(&p);
    let result = solver.solve(&problem, &rhs, &mut p, Budget::iterations(3));
    let there = |place: [usize; 3]| place[..D].iter().all(|i| *i == 3);
    assert!(
        matches!(result, Err(Error::NotFinite { name: "p", place }) if there(place)),
        "{result:?}"
    );
    assert_eq!(bits(&p), before);
}

fn fields_of_another_grid_are_refused<T: Real, const D: usize>(kind: SolverKind<T>) {
    let grid = Grid::<T, D>::new([6; D], T::of(0.5)).unwrap();
    let other = Grid::<T, D>::new([7; D], T::of(0.5)).unwrap();
    let problem = Problem::new(grid, [[End::Dirichlet; 2]; D]).unwrap();
    let mut solver = Solver::new(grid, kind).unwrap();
    let (good, alien) = (Field::zeros(grid), Field::zeros(other));
    let budget = Budget::iterations(3);
    let result = solver.solve(&problem, &alien, &mut good.clone(), budget);
    assert_eq!(result, Err(Error::GridMismatch { name: "rhs" }));
    let result = solver.solve(&problem, &good, &mut alien.clone(), budget);
    assert_eq!(result, Err(Error::GridMismatch { name: "p" }));
}

fn no_iterations_change_nothing_but_the_mean<T: Real, const D: usize>(kind: SolverKind<T>) {
    for seed in 0..20 {
        let case = Case::<T, D>::random(seed);
        let mut solver = Solver::new(case.grid, kind).unwrap();
        let guess = Field::from_fn(case.grid, |x| x[0] * x[D - 1] + T::one());
        let mut p = guess.clone();
        let budget = Budget::iterations(0);
        let report = solver.solve(&case.problem(), &case.rhs, &mut p, budget).unwrap();
        assert_eq!(report.iterations, 0);
        assert_eq!(report.residual.bits(), report.residual_before.bits());
        let couplings = case.couplings();
        let mut expected: Vec<f64> = guess.values().map(T::to_f64).collect();
        for (c, cell) in case.cells().into_iter().enumerate() {
            if !case.is_unknown(cell, &couplings[c]) {
                expected[c] = 0.0;
            }
        }
        let rooms = case.closed_rooms(&couplings);
        // A right-hand side of nothing has the solution 0, which needs no iteration.
        if largest(&case.compatible(&couplings, &rooms)) < 1e-6 {
            continue;
        }
        remove_means(&mut expected, &rooms);
        // A mean and its removal round twice.
        let rounding = 4.0 * T::EPSILON.to_f64() * largest(&expected).max(guess.max_abs().to_f64());
        for (p, e) in p.values().zip(&expected) {
            assert!((p.to_f64() - e).abs() <= rounding, "{p} instead of {e}, problem {seed}");
        }
    }
}

fn the_report_gives_the_true_residual<T: Real, const D: usize>(kind: SolverKind<T>) {
    for seed in 0..20 {
        let case = Case::<T, D>::random(seed);
        let mut solver = Solver::new(case.grid, kind).unwrap();
        let mut p = Field::zeros(case.grid);
        let budget = Budget::iterations(4);
        let report = solver.solve(&case.problem(), &case.rhs, &mut p, budget).unwrap();
        let (given, own) = (report.residual.to_f64(), case.residual(&p));
        let couplings = case.couplings();
        if largest(&case.compatible(&couplings, &case.closed_rooms(&couplings))) < 1e-6 {
            continue;
        }
        // h²b is compared with sums of terms of p's size, each rounded.
        let h2 = case.grid.dx().to_f64() * case.grid.dx().to_f64();
        let terms = 1.0 + p.max_abs().to_f64() / h2 / case.rhs.max_abs().to_f64();
        let rounding = 60.0 * T::EPSILON.to_f64() * terms;
        assert!(
            (given - own).abs() <= 1e-4 * own + rounding,
            "{}, problem {seed}: {given:e} reported, {own:e} found",
            kind.name()
        );
    }
}

fn a_warm_start_from_the_solution_is_done_at_once<T: Real, const D: usize>(kind: SolverKind<T>) {
    let tolerance = T::of(1e-3);
    for seed in 0..20 {
        let case = Case::<T, D>::random(seed);
        let problem = case.problem();
        let mut solver = Solver::new(case.grid, kind).unwrap();
        let mut p = Field::zeros(case.grid);
        let tight = Budget::tolerance(T::of(2e-4), patience(kind));
        let first = solver.solve(&problem, &case.rhs, &mut p, tight).unwrap();
        assert!(first.converged, "{}, problem {seed}: {first:?}", kind.name());
        let again = Budget::tolerance(tolerance, 1000);
        let second = solver.solve(&problem, &case.rhs, &mut p, again).unwrap();
        assert!(second.converged && second.iterations <= 1, "problem {seed}: {second:?}");
    }
}

fn o9_closed_boxes_are_solved_without_their_mean<T: Real, const D: usize>(kind: SolverKind<T>) {
    let cells = if D == 2 { 32 } else { 12 };
    let grid = Grid::<T, D>::new([cells; D], T::one()).unwrap();
    let problem = Problem::new(grid, [[End::Neumann; 2]; D]).unwrap();
    assert!(problem.is_singular());
    let mut solver = Solver::new(grid, kind).unwrap();
    let mut rhs = Field::zeros(grid);
    rhs[[cells / 3; D]] = T::one();
    let mut p = Field::zeros(grid);
    // (a); f32 cannot hold 1e-6 of the right-hand side where p is 3 times as large.
    let tolerance = if T::EPSILON.to_f64() < 1e-10 { 1e-6 } else { 5e-6 };
    let budget = Budget::tolerance(T::of(tolerance), 20_000);
    let report = solver.solve(&problem, &rhs, &mut p, budget).unwrap();
    assert!(report.converged, "{}: {report:?}", kind.name());
    let count = grid.cell_count() as f64;
    let mean = 1.0 / count;
    assert!((report.incompatibility.to_f64() - mean).abs() < 1e-6 * mean);
    assert!((p.sum() / count).abs() <= 1e-6);
    // (b) another cell each time, warm.
    let mut random = Random::new(9);
    for _ in 0..1000 {
        rhs.fill(T::zero());
        rhs[core::array::from_fn(|_| random.below(cells))] = T::one();
        solver.solve(&problem, &rhs, &mut p, Budget::iterations(3)).unwrap();
        let mean = p.sum() / count;
        assert!(mean.abs() <= 1e-5 * p.max_abs().to_f64(), "the mean wanders: {mean:e}");
    }
}

fn o9_rooms_and_walled_in_cells_are_solved_apart<T: Real, const D: usize>(kind: SolverKind<T>) {
    let cells = 12;
    let grid = Grid::<T, D>::new([cells; D], T::one()).unwrap();
    let mut beta = Faces::zeros(grid);
    beta.fill(T::one());
    let lonely = core::array::from_fn(|a| if a == 0 { 9 } else { 4 });
    close_cell(&mut beta, lonely);
    for mut cell in all_cells(grid.cells()) {
        cell[0] = 5;
        beta[0][cell] = T::zero();
    }
    let mut problem = Problem::new(grid, [[End::Neumann; 2]; D]).unwrap();
    problem.set_coefficients(&beta, None).unwrap();
    let mut random = Random::new(3);
    let case = Case {
        grid,
        ends: [[End::Neumann; 2]; D],
        beta: Some(beta),
        active: None,
        shift: T::zero(),
        rhs: Field::from_fn(grid, |_| T::of(random.unit())),
    };
    let mut p = Field::zeros(grid);
    let mut solver = Solver::new(grid, kind).unwrap();
    let budget = Budget::tolerance(T::of(2e-5), 20_000);
    let report = solver.solve(&problem, &case.rhs, &mut p, budget).unwrap();
    assert!(report.converged, "{}: {report:?}", kind.name());
    assert!(case.residual(&p) <= 4e-5);
    assert_eq!(p[lonely], T::zero());
    for side in [true, false] {
        let inside = |cell: &[usize; D]| (cell[0] < 5) == side;
        let sum: f64 =
            all_cells(grid.cells()).into_iter().filter(inside).map(|cell| p[cell].to_f64()).sum();
        assert!(sum.abs() <= 1e-5 * grid.cell_count() as f64 * p.max_abs().to_f64());
    }
}

macro_rules! every_solver {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            use super::*;
            every_solver!(@kinds $test,
                jacobi: SolverKind::Jacobi,
                gauss_seidel: SolverKind::GaussSeidel,
                sor: SolverKind::Sor { relaxation: None },
                cg: SolverKind::ConjugateGradient(Preconditioner::None),
                cg_jacobi: SolverKind::ConjugateGradient(Preconditioner::Jacobi),
                cg_mic: SolverKind::ConjugateGradient(Preconditioner::IncompleteCholesky),
                cg_spectral: SolverKind::ConjugateGradient(Preconditioner::Spectral),
                cg_multigrid: SolverKind::ConjugateGradient(Preconditioner::Multigrid(
                    MultigridParams::default()
                )),
                multigrid: SolverKind::Multigrid(MultigridParams::default()),
                filter: SolverKind::Filter(FilterParams::default()),
            );
        }
    )*};
    (@kinds $test:ident, $($name:ident: $kind:expr,)*) => {$(
        #[test]
        fn $name() {
            super::$test::<f32, 2>($kind);
            super::$test::<f64, 2>($kind);
            super::$test::<f32, 3>($kind);
            super::$test::<f64, 3>($kind);
        }
    )*
        #[test]
        fn no_kind_is_missing() {
            let kinds: &[SolverKind<f64>] = &[$($kind),*];
            assert_eq!(kinds, &SolverKind::general());
        }
    };
}

every_solver!(
    agrees_with_elimination,
    a_right_side_with_nan_is_refused_and_p_is_untouched,
    a_guess_with_nan_is_refused_and_p_is_untouched,
    fields_of_another_grid_are_refused,
    no_iterations_change_nothing_but_the_mean,
    the_report_gives_the_true_residual,
    a_warm_start_from_the_solution_is_done_at_once,
    o9_closed_boxes_are_solved_without_their_mean,
    o9_rooms_and_walled_in_cells_are_solved_apart,
    iterations_past_the_solution_do_no_harm,
);

/// The error of the lowest mode, and of a random field, in a box of 64² cells with p = 0 around.
struct Box64 {
    problem: Problem<f64, 2>,
    rhs: Field<f64, 2>,
    exact: Field<f64, 2>,
}

impl Box64 {
    fn new() -> Self {
        let grid = Grid::new([64, 64], 1.0).unwrap();
        let mode = |x: f64| libm::sin(core::f64::consts::PI * (x + 0.5) / 65.0);
        let exact = Field::from_fn(grid, |[x, y]| mode(x) * mode(y));
        let eigenvalue = -8.0 * libm::pow(libm::sin(core::f64::consts::PI / 130.0), 2.0);
        let rhs = Field::from_fn(grid, |[x, y]| eigenvalue * mode(x) * mode(y));
        let problem = Problem::new(grid, [[End::DirichletNode; 2]; 2]).unwrap();
        Self { problem, rhs, exact }
    }

    fn error(&self, p: &Field<f64, 2>) -> f64 {
        let off = p.values().zip(self.exact.values()).map(|(p, e)| (p - e) * (p - e));
        off.sum::<f64>().sqrt() / 32.5
    }

    /// The number of iterations for the error to fall from `from` to `to`.
    fn iterations(&self, kind: SolverKind<f64>, from: f64, to: f64) -> usize {
        let mut solver = Solver::new(*self.problem.grid(), kind).unwrap();
        let mut p = Field::zeros(*self.problem.grid());
        let mut start = None;
        for done in 0..40_000 {
            let error = self.error(&p);
            if error <= from && start.is_none() {
                start = Some(done);
            }
            if error <= to {
                return done - start.unwrap_or(0);
            }
            solver.solve(&self.problem, &self.rhs, &mut p, Budget::iterations(1)).unwrap();
        }
        panic!("{} does not converge", kind.name());
    }

    /// By what an iteration multiplies the error, after the first 200.
    fn rate(&self, kind: SolverKind<f64>) -> f64 {
        let mut solver = Solver::new(*self.problem.grid(), kind).unwrap();
        let mut p = Field::zeros(*self.problem.grid());
        let mut run = |iterations| {
            let budget = Budget::iterations(iterations);
            solver.solve(&self.problem, &self.rhs, &mut p, budget).unwrap();
            self.error(&p)
        };
        let (first, last) = (run(200), run(400));
        libm::pow(last / first, 1.0 / 400.0)
    }
}

#[test]
fn jacobi_and_gauss_seidel_converge_at_their_spectral_radius() {
    let case = Box64::new();
    let radius = libm::cos(core::f64::consts::PI / 65.0);
    // Rates as distances from 1: 1 % of those is what a wrong weight or sweep would change.
    let jacobi = case.rate(SolverKind::Jacobi);
    assert!(((1.0 - jacobi) / (1.0 - radius) - 1.0).abs() < 0.01, "{jacobi}");
    let gauss_seidel = case.rate(SolverKind::GaussSeidel);
    let square = radius * radius;
    assert!(((1.0 - gauss_seidel) / (1.0 - square) - 1.0).abs() < 0.01, "{gauss_seidel}");
}

#[test]
fn iterations_a_decade_are_those_of_theory() {
    let case = Box64::new();
    // Six decades; SOR's first ones are slower, because its eigenvalue is a defective one.
    let near = |count: usize, decade: f64| (count as f64 / (6.0 * decade) - 1.0).abs() < 0.2;
    let jacobi = case.iterations(SolverKind::Jacobi, 1.0, 1e-6);
    let gauss_seidel = case.iterations(SolverKind::GaussSeidel, 1.0, 1e-6);
    let sor = case.iterations(SolverKind::Sor { relaxation: None }, 1e-6, 1e-12);
    assert!(near(jacobi, 1971.0), "Jacobi: {jacobi}");
    assert!(near(gauss_seidel, 985.0), "Gauss-Seidel: {gauss_seidel}");
    assert!(near(sor, 23.8), "SOR: {sor}");
}

#[test]
fn the_optimal_relaxation_beats_its_neighbours() {
    let case = Box64::new();
    let best = RedBlack::<f64, 2>::optimal_relaxation([64, 64]);
    let count = |ω: f64| case.iterations(SolverKind::Sor { relaxation: Some(ω) }, 1.0, 1e-10);
    let optimum = count(best);
    for other in [1.5, 1.8, best - 0.03, best + 0.03] {
        assert!(count(other) > optimum, "ω = {other} needs no more than {optimum}");
    }
}

/// The largest error of the solution of ∇²p = f for p = ∏ f(x), on n cells a side.
fn discretisation_error<const D: usize>(
    n: usize,
    end: End,
    mode: impl Fn(f64) -> f64,
    eigenvalue: f64,
) -> f64 {
    // The node condition holds one cell beyond the outermost unknowns.
    let (dx, first) = match end {
        End::DirichletNode => (1.0 / (n + 1) as f64, 0.5 / (n + 1) as f64),
        _ => (1.0 / n as f64, 0.0),
    };
    let grid = Grid::<f64, D>::new([n; D], dx).unwrap();
    let exact = |x: [f64; D]| x.iter().map(|x| mode(x + first)).product::<f64>();
    let problem = Problem::new(grid, [[end; 2]; D]).unwrap();
    let rhs = Field::from_fn(grid, |x| eigenvalue * D as f64 * exact(x));
    let mut p = Field::zeros(grid);
    let kind = SolverKind::ConjugateGradient(Preconditioner::None);
    let budget = Budget::tolerance(1e-11, 10_000);
    let mut solver = Solver::new(grid, kind).unwrap();
    assert!(solver.solve(&problem, &rhs, &mut p, budget).unwrap().converged);
    let exact = Field::from_fn(grid, exact);
    let squares = p.values().zip(exact.values()).map(|(p, e)| (p - e) * (p - e));
    (squares.sum::<f64>() / grid.cell_count() as f64).sqrt()
}

#[test]
fn the_discretisation_is_of_second_order_for_every_end() {
    use core::f64::consts::PI;
    fn order<const D: usize>(end: End, mode: impl Fn(f64) -> f64, eigenvalue: f64) {
        let sizes = if D == 2 { [16, 32, 64] } else { [8, 16, 32] };
        let errors = sizes.map(|n| discretisation_error::<D>(n, end, &mode, eigenvalue));
        for pair in errors.windows(2) {
            let order = libm::log2(pair[0] / pair[1]);
            assert!((order - 2.0).abs() < 0.15, "{end:?} in {D}D: order {order}, {errors:?}");
        }
    }
    order::<2>(End::Neumann, |x| libm::cos(PI * x), -PI * PI);
    order::<2>(End::Dirichlet, |x| libm::sin(PI * x), -PI * PI);
    order::<2>(End::DirichletNode, |x| libm::sin(PI * x), -PI * PI);
    order::<2>(End::Periodic, |x| libm::sin(2.0 * PI * x), -4.0 * PI * PI);
    order::<3>(End::Neumann, |x| libm::cos(PI * x), -PI * PI);
    order::<3>(End::Dirichlet, |x| libm::sin(PI * x), -PI * PI);
    order::<3>(End::DirichletNode, |x| libm::sin(PI * x), -PI * PI);
    order::<3>(End::Periodic, |x| libm::sin(2.0 * PI * x), -4.0 * PI * PI);
}

fn iterations_past_the_solution_do_no_harm<T: Real, const D: usize>(kind: SolverKind<T>) {
    let grid = Grid::<T, D>::new([8; D], T::one()).unwrap();
    for end in [End::Neumann, End::Dirichlet, End::Periodic] {
        let problem = Problem::new(grid, [[end; 2]; D]).unwrap();
        let mut random = Random::new(1);
        let rhs = Field::from_fn(grid, |_| T::of(random.within(-1.0, 1.0)));
        let mut p = Field::zeros(grid);
        let mut solver = Solver::new(grid, kind).unwrap();
        for iterations in [1000, 100, 1000] {
            let budget = Budget::iterations(iterations);
            let report = solver.solve(&problem, &rhs, &mut p, budget).unwrap();
            // Rounding of a few terms of p's size, p ≈ max|b|.
            let rounding = T::EPSILON * T::of(50.0);
            assert!(report.residual <= rounding, "{}, {end:?}: {report:?}", kind.name());
        }
    }
}

#[test]
fn every_kind_does_something() {
    // O10: no kind may fall through to an empty branch.
    let grid = Grid::<f64, 2>::new([16, 9], 0.1).unwrap();
    let problem = Problem::new(grid, [[End::Dirichlet; 2]; 2]).unwrap();
    let rhs = Field::from_fn(grid, |[x, y]| x - 2.0 * y);
    for kind in SolverKind::general() {
        let mut p = Field::zeros(grid);
        let mut solver = Solver::new(grid, kind).unwrap();
        let report: SolveReport<f64> =
            solver.solve(&problem, &rhs, &mut p, Budget::iterations(40)).unwrap();
        assert!(report.residual < 0.7 * report.residual_before, "{}: {report:?}", kind.name());
        assert_eq!(solver.name(), kind.name());
    }
}

// ---------------------------------------------------------------------------------------------
// Advection.

const SCHEMES: [Advection; 4] = [
    Advection::SemiLagrangian(Interpolation::Linear),
    Advection::SemiLagrangian(Interpolation::MonotoneCubic),
    Advection::MacCormack,
    Advection::Scatter,
];
const ORDERS: [PathOrder; 3] = [PathOrder::Euler, PathOrder::Midpoint, PathOrder::Ralston];

fn a_move_by_whole_cells_is_exact<T: Real, const D: usize>(scheme: Advection) {
    let cells: [usize; D] = core::array::from_fn(|a| 7 - a);
    let grid = Grid::<T, D>::new(cells, T::of(0.25)).unwrap();
    for order in ORDERS {
        for shift in [[1_i32, 0, 0], [-1, 2, 1], [3, -4, -2], [23, 9, -40]] {
            let velocity = core::array::from_fn(|a| T::of(f64::from(shift[a]) * 0.5));
            let wind = Faces::from_fn(grid, |_| velocity);
            let mut random = Random::new(5);
            let before = Field::from_fn(grid, |_| T::of(random.within(-1.0, 1.0)));
            let mut q = before.clone();
            let mut transport = Transport::new(grid, Boundary::periodic(), order).unwrap();
            transport.carry(&wind, &mut q, scheme, T::of(0.5)).unwrap();
            for cell in all_cells(cells) {
                let to = core::array::from_fn(|a| {
                    (cell[a] as i32 + shift[a]).rem_euclid(cells[a] as i32) as usize
                });
                assert_eq!(q[to], before[cell], "{scheme:?}, {order:?}, {shift:?}, {cell:?}");
            }
        }
    }
}

fn a_constant_stays_constant<T: Real, const D: usize>(scheme: Advection) {
    if scheme == Advection::Scatter {
        return;
    }
    let cells: [usize; D] = core::array::from_fn(|a| 9 - a);
    let grid = Grid::<T, D>::new(cells, T::of(0.3)).unwrap();
    let mut boundaries = vec![Boundary::walls(), Boundary::all(Side::NoSlip), Boundary::periodic()];
    boundaries.push(Boundary::walls().with(0, 0, Side::Periodic).with(0, 1, Side::Periodic));
    for boundary in boundaries {
        for order in ORDERS {
            for (seed, size) in [(1, 0.1), (2, 3.0), (3, 1e6)] {
                let wind = random_faces(grid, seed, size);
                let mut q = Field::from_fn(grid, |_| T::of(0.7));
                let mut transport = Transport::new(grid, boundary, order).unwrap();
                transport.carry(&wind, &mut q, scheme, T::one()).unwrap();
                // Weights f and 1 − f that are multiplied out round a few times.
                let rounding = T::of(0.7) * T::EPSILON * T::of(8.0);
                for v in q.values() {
                    let off = (v - T::of(0.7)).magnitude();
                    assert!(off <= rounding, "{scheme:?}, {order:?}, {size}: {v}");
                }
            }
        }
    }
}

fn no_time_and_no_wind_change_no_bit<T: Real, const D: usize>(scheme: Advection) {
    let grid = Grid::<T, D>::new([6; D], T::of(0.3)).unwrap();
    for boundary in [Boundary::walls(), Boundary::periodic(), Boundary::all(Side::Open)] {
        let mut random = Random::new(8);
        let before = Field::from_fn(grid, |_| T::of(random.within(-1.0, 1.0)));
        let mut transport = Transport::new(grid, boundary, PathOrder::Midpoint).unwrap();
        for (wind, dt) in [(random_faces(grid, 1, 2.0), 0.0), (Faces::zeros(grid), 5.0)] {
            let mut q = before.clone();
            transport.carry(&wind, &mut q, scheme, T::of(dt)).unwrap();
            assert!(q.values().zip(before.values()).all(|(a, b)| a == b), "{scheme:?}");
        }
    }
}

fn bad_calls_leave_the_field_untouched<T: Real, const D: usize>(scheme: Advection) {
    let grid = Grid::<T, D>::new([6; D], T::of(0.3)).unwrap();
    let other = Grid::<T, D>::new([7; D], T::of(0.3)).unwrap();
    let mut transport = Transport::new(grid, Boundary::walls(), PathOrder::Euler).unwrap();
    let mut q = Field::from_fn(grid, |x| x[0]);
    let before = bits(&q);
    let good = random_faces(grid, 1, 1.0);
    for dt in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-9] {
        let result = transport.carry(&good, &mut q, scheme, T::of(dt));
        assert!(matches!(result, Err(Error::InvalidTimeStep { .. })), "{result:?}");
    }
    let mut broken = good.clone();
    broken[D - 1][[2; D]] = T::of(f64::NAN);
    let result = transport.carry(&broken, &mut q, scheme, T::one());
    assert!(matches!(result, Err(Error::NotFinite { name: "u", .. })), "{result:?}");
    let result = transport.carry(&random_faces(other, 1, 1.0), &mut q, scheme, T::one());
    assert_eq!(result, Err(Error::GridMismatch { name: "u" }));
    let result = transport.carry(&good, &mut Field::zeros(other), scheme, T::one());
    assert_eq!(result, Err(Error::GridMismatch { name: "q" }));
    assert_eq!(bits(&q), before);
}

macro_rules! every_scheme {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            use super::*;
            #[test]
            fn in_two_dimensions() {
                for scheme in SCHEMES {
                    super::$test::<f32, 2>(scheme);
                    super::$test::<f64, 2>(scheme);
                }
            }
            #[test]
            fn in_three_dimensions() {
                for scheme in SCHEMES {
                    super::$test::<f32, 3>(scheme);
                    super::$test::<f64, 3>(scheme);
                }
            }
        }
    )*};
}

every_scheme!(
    a_move_by_whole_cells_is_exact,
    a_constant_stays_constant,
    no_time_and_no_wind_change_no_bit,
    bad_calls_leave_the_field_untouched,
);
