//! Direct solves against dense ones, exact solutions and the residual.

use alloc::vec::Vec;

use nalgebra::{DMatrix, DVector};

use super::*;

const ENDS: [[End; 2]; 10] = {
    use End::{Dirichlet as D, DirichletNode as P, Neumann as N, Periodic};
    [[N, N], [D, D], [P, P], [Periodic, Periodic], [N, D], [D, N], [N, P], [P, N], [D, P], [P, D]]
};
const METHODS: [SpectralMethod; 2] = [SpectralMethod::Tridiagonal, SpectralMethod::FullTransform];

struct Random(u32);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 24)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

fn noise<T: Real, const D: usize>(grid: Grid<T, D>) -> Field<T, D> {
    let mut random = Random(7);
    Field::from_fn(grid, |_| T::of(random.next() - 0.5))
}

/// The matrix of a problem, from what its stencil does to every unit vector; without ghosts.
fn dense<const D: usize>(problem: &Problem<f64, D>) -> DMatrix<f64> {
    let grid = *problem.grid();
    let cells = grid.cells();
    let n = grid.cell_count();
    let at = |mut i: usize| {
        let mut cell = [0; D];
        for a in 0..D {
            cell[a] = i % cells[a];
            i /= cells[a];
        }
        cell
    };
    let number = |cell: [usize; D]| (0..D).rev().fold(0, |sum, a| sum * cells[a] + cell[a]);
    let mut matrix = DMatrix::zeros(n, n);
    let h2 = grid.dx() * grid.dx();
    for i in 0..n {
        let cell = at(i);
        matrix[(i, i)] -= problem.shift();
        for a in 0..D {
            for end in 0..2 {
                let outermost = if end == 0 { cell[a] == 0 } else { cell[a] + 1 == cells[a] };
                let mut beside = cell;
                beside[a] = (cell[a] + if end == 0 { cells[a] - 1 } else { 1 }) % cells[a];
                match problem.ends()[a][end] {
                    End::Neumann if outermost => {}
                    End::Dirichlet if outermost => matrix[(i, i)] -= 2.0 / h2,
                    End::DirichletNode if outermost => matrix[(i, i)] -= 1.0 / h2,
                    _ => {
                        matrix[(i, i)] -= 1.0 / h2;
                        matrix[(i, number(beside))] += 1.0 / h2;
                    }
                }
            }
        }
    }
    matrix
}

fn agrees_with_dense<const D: usize>(largest: usize, seed: u32) {
    let mut random = Random(seed);
    let cells = core::array::from_fn(|_| 1 + random.below(largest));
    let grid = Grid::<f64, D>::new(cells, 0.5 + random.next()).unwrap();
    let ends = core::array::from_fn(|_| ENDS[random.below(ENDS.len())]);
    let mut problem = Problem::new(grid, ends).unwrap();
    if random.below(3) == 0 {
        problem.set_shift(random.next()).unwrap();
    }
    let mut rhs = noise(grid);
    let mut matrix = dense(&problem);
    if problem.is_singular() {
        let mean = rhs.sum() / grid.cell_count() as f64;
        rhs.as_mut_slice().iter_mut().for_each(|v| *v -= mean);
        // Fixes the mean of p at 0 and changes nothing else.
        matrix.add_scalar_mut(-1.0);
    }
    let b = DVector::from_iterator(grid.cell_count(), rhs.values());
    let exact = matrix.lu().solve(&b).unwrap();
    let scale = exact.amax().max(1e-300);
    for method in METHODS {
        let mut solver = Spectral::new(grid, method);
        let mut p = Field::zeros(grid);
        let report = solver.solve(&problem, &rhs, &mut p, Budget::iterations(1)).unwrap();
        assert!(grid.cell_count() == 1 || report.iterations == 1, "{report:?}");
        for (ours, theirs) in p.values().zip(&exact) {
            let error = (ours - theirs).abs() / scale;
            assert!(error <= 1e-10, "{cells:?} {ends:?} {method:?}: {error:e}");
        }
        // What scratch memory holds is of no account.
        let bits: Vec<u64> = p.values().map(f64::to_bits).collect();
        solver.poison(f64::NAN);
        solver.solve(&problem, &rhs, &mut p, Budget::iterations(1)).unwrap();
        assert!(p.values().map(f64::to_bits).eq(bits), "{cells:?} {ends:?} {method:?}");
    }
}

#[test]
fn small_problems_are_solved_as_by_dense_elimination() {
    for seed in 0..400 {
        agrees_with_dense::<2>(12, seed);
    }
    for seed in 0..150 {
        agrees_with_dense::<3>(6, seed);
    }
}

/// The relative residual after one iteration of noise between `ends`.
fn residual<T: Real, const D: usize>(
    cells: [usize; D],
    ends: [[End; 2]; D],
    method: SpectralMethod,
) -> f64 {
    let grid = Grid::new(cells, T::of(0.7)).unwrap();
    let problem = Problem::new(grid, ends).unwrap();
    let mut p = Field::zeros(grid);
    let mut solver = Spectral::new(grid, method);
    let report = solver.solve(&problem, &noise(grid), &mut p, Budget::iterations(1)).unwrap();
    assert_eq!(report.iterations, 1);
    report.residual.to_f64()
}

#[test]
fn one_iteration_leaves_rounding_in_f64() {
    for method in METHODS {
        for ends in ENDS {
            for cells in [[97, 5], [1, 7], [21, 22], [255, 256]] {
                let left = residual::<f64, 2>(cells, [ends; 2], method);
                assert!(left <= 1e-12, "{cells:?} {ends:?} {method:?}: {left:e}");
            }
        }
    }
    for (ends, method) in [(ENDS[0], METHODS[0]), (ENDS[2], METHODS[0]), (ENDS[0], METHODS[1])] {
        for n in [511, 512, 1023] {
            let left = residual::<f64, 2>([n; 2], [ends; 2], method);
            assert!(left <= 1e-12, "{n}² {ends:?} {method:?}: {left:e}");
        }
        let left = residual::<f64, 3>([128; 3], [ends; 3], method);
        assert!(left <= 1e-12, "128³ {ends:?} {method:?}: {left:e}");
    }
}

#[test]
fn one_iteration_leaves_little_in_f32() {
    // Rounding p alone leaves about 4ε max|p|/h², which for noise is some 1e-5 of max|b|.
    for method in METHODS {
        for ends in ENDS {
            for cells in [[21, 22], [97, 5], [1, 7], [64, 64]] {
                let left = residual::<f32, 2>(cells, [ends; 2], method);
                assert!(left <= 1e-4, "{cells:?} {ends:?} {method:?}: {left:e}");
            }
        }
    }
}

/// The largest difference between the solutions in f32 and f64, relative to the largest p.
fn single_error<const D: usize>(cells: [usize; D], ends: [[End; 2]; D], smooth: bool) -> f64 {
    let (grid, single) = (Grid::new(cells, 1.0).unwrap(), Grid::new(cells, 1.0).unwrap());
    let mut given: Field<f32, D> = if smooth {
        let size = cells.map(|n| n as f64);
        Field::from_fn(single, |x| {
            let wave = |a: usize| libm::sin(3.0 * f64::from(x[a]) / size[a] + 0.4);
            (0..D).map(wave).product::<f64>() as f32
        })
    } else {
        noise(single)
    };
    let problem = Problem::<f32, D>::new(single, ends).unwrap();
    if problem.is_singular() {
        let mean = (given.sum() / single.cell_count() as f64) as f32;
        given.as_mut_slice().iter_mut().for_each(|v| *v -= mean);
    }
    let mut rhs = Field::zeros(grid);
    for (wide, v) in rhs.as_mut_slice().iter_mut().zip(given.as_slice()) {
        *wide = f64::from(*v);
    }
    let (mut p, mut exact) = (Field::zeros(single), Field::zeros(grid));
    let method = SpectralMethod::Tridiagonal;
    let one = Budget::iterations(1);
    Spectral::new(single, method).solve(&problem, &given, &mut p, one).unwrap();
    let problem = Problem::new(grid, ends).unwrap();
    Spectral::new(grid, method).solve(&problem, &rhs, &mut exact, Budget::iterations(1)).unwrap();
    let worst = p.values().zip(exact.values()).map(|(a, b)| (f64::from(a) - b).abs());
    worst.fold(0.0, f64::max) / exact.max_abs()
}

#[test]
fn single_precision_is_that_of_the_solution() {
    let check = |error: [f64; 2], what: &str| {
        let [smooth, random] = error;
        assert!(smooth <= 1e-6 && random <= 1e-5, "{what}: {smooth:e} {random:e}");
    };
    for pair in ENDS {
        for cells in [[97, 5], [1, 7], [255, 256], [256, 255]] {
            let error = [true, false].map(|s| single_error(cells, [pair; 2], s));
            check(error, &std::format!("{cells:?} {pair:?}"));
        }
    }
    for pair in [ENDS[0], ENDS[2]] {
        for n in [511, 512, 1023] {
            let error = [true, false].map(|s| single_error([n; 2], [pair; 2], s));
            check(error, &std::format!("{n}² {pair:?}"));
        }
        let error = [true, false].map(|s| single_error([128; 3], [pair; 3], s));
        check(error, &std::format!("128³ {pair:?}"));
    }
}

/// The error against p = Π f_a(x_a) with one wave along each axis that its ends allow.
fn wave_error<const D: usize>(n: usize, ends: [[End; 2]; D]) -> f64 {
    use End::{Dirichlet, Neumann};
    let pi = core::f64::consts::PI;
    let grid = Grid::<f64, D>::new([n; D], 1.0 / n as f64).unwrap();
    let number = ends.map(|pair| match pair {
        [Neumann, Neumann] | [Dirichlet, Dirichlet] => pi,
        [Neumann, Dirichlet] => pi / 2.0,
        _ => 2.0 * pi,
    });
    let wave = |x: [f64; D]| -> f64 {
        let along = |a: usize| match ends[a] {
            [Dirichlet, Dirichlet] => libm::sin(number[a] * x[a]),
            _ => libm::cos(number[a] * x[a]),
        };
        (0..D).map(along).product()
    };
    let square: f64 = number.iter().map(|k| k * k).sum();
    let problem = Problem::new(grid, ends).unwrap();
    let rhs = Field::from_fn(grid, |x| -square * wave(x));
    let (exact, mut p) = (Field::from_fn(grid, wave), Field::zeros(grid));
    let mut solver = Spectral::new(grid, SpectralMethod::Tridiagonal);
    solver.solve(&problem, &rhs, &mut p, Budget::iterations(1)).unwrap();
    p.values().zip(exact.values()).fold(0.0, |worst, (a, b)| f64::max(worst, (a - b).abs()))
}

fn second_order<const D: usize>(ends: [[End; 2]; D]) {
    let [coarse, fine] = [32, 64].map(|n| wave_error(n, ends));
    let order = libm::log2(coarse / fine);
    // The next term of the error is h² smaller: 1e-2 at the coarse grid.
    assert!((1.98..2.02).contains(&order) && fine < 2e-3, "{ends:?}: {order} {fine:e}");
}

#[test]
fn solutions_are_of_second_order() {
    let [walls, open, _, periodic, mixed, ..] = ENDS;
    for pair in [walls, open, periodic, mixed] {
        second_order([pair; 2]);
        second_order([pair; 3]);
    }
    second_order([walls, mixed]);
    second_order([periodic, open, walls]);
}

#[test]
fn a_second_iteration_refines_where_the_tolerance_asks_for_it() {
    let grid = Grid::<f32, 2>::new([200, 120], 1.0).unwrap();
    let problem = Problem::new(grid, [[End::Neumann; 2]; 2]).unwrap();
    let rhs = noise(grid);
    let mut solver = Spectral::new(grid, SpectralMethod::Tridiagonal);
    let mut run = |budget| {
        let mut p = Field::zeros(grid);
        solver.solve(&problem, &rhs, &mut p, budget).unwrap()
    };
    let one = run(Budget::iterations(50));
    assert_eq!(one.iterations, 1);
    let more = run(Budget::tolerance(one.residual * 0.9, 2));
    assert_eq!(more.iterations, 2);
    assert!(more.residual <= one.residual * 1.5, "{one:?} {more:?}");
    assert_eq!(run(Budget::tolerance(1e-3, 50)).iterations, 1);
    assert!(run(Budget::tolerance(1e-12, 50)).iterations <= MOST_ITERATIONS);
}

#[test]
fn variable_problems_are_refused_and_nothing_is_touched() {
    let grid = Grid::<f64, 2>::new([6, 5], 1.0).unwrap();
    let mut problem = Problem::new(grid, [[End::Dirichlet; 2]; 2]).unwrap();
    problem.set_coefficients(&crate::Faces::zeros(grid), None).unwrap();
    let mut p = noise(grid);
    let before = p.clone();
    let mut solver = Spectral::new(grid, SpectralMethod::Tridiagonal);
    let error = solver.solve(&problem, &noise(grid), &mut p, Budget::iterations(1)).unwrap_err();
    assert!(matches!(error, Error::UnsuitableSolver { .. }));
    assert!(std::format!("{error}").contains("multigrid"), "{error}");
    assert_eq!(p, before);
}
