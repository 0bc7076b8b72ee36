use super::kernel::{Term, decompose, octant};
use super::*;
use crate::Faces;
use crate::poisson::conjugate_gradient::dot;
use crate::poisson::stencil::PRODUCT;
use crate::poisson::{ConjugateGradient, End, Preconditioner};

/// Jacobi sweeps of the uniform stencil, one cell at a time, ghosts as each kind of end says.
struct Sweeper<const D: usize> {
    cells: [usize; D],
    ends: [[End; 2]; D],
}

impl<const D: usize> Sweeper<D> {
    fn value(&self, p: &[f64], at: [isize; D]) -> f64 {
        let mut index = 0;
        let mut stride = 1;
        let mut sign = 1.0;
        for a in 0..D {
            let n = self.cells[a] as isize;
            let mut i = at[a];
            if i < 0 || i >= n {
                let inner = if i < 0 { 0 } else { n - 1 };
                (i, sign) = match self.ends[a][usize::from(i >= n)] {
                    End::Neumann => (inner, sign),
                    End::Dirichlet => (inner, -sign),
                    End::DirichletNode => (inner, 0.0),
                    End::Periodic => (n - 1 - inner, sign),
                };
            }
            index += i as usize * stride;
            stride *= self.cells[a];
        }
        sign * p[index]
    }

    /// The sweep from `p` for the right-hand side `b`, cells of edge 1.
    fn sweep(&self, p: &[f64], b: &[f64]) -> Vec<f64> {
        (0..p.len())
            .map(|n| {
                let mut rest = n;
                let mut sum = -b[n];
                let at = self.cells.map(|cells| {
                    let i = rest % cells;
                    rest /= cells;
                    i as isize
                });
                for a in 0..D {
                    for step in [-1, 1] {
                        let mut beside = at;
                        beside[a] += step;
                        sum += self.value(p, beside);
                    }
                }
                sum / (2 * D) as f64
            })
            .collect()
    }

    fn sweeps(&self, p: &[f64], b: &[f64], count: usize) -> Vec<f64> {
        (0..count).fold(p.to_vec(), |p, _| self.sweep(&p, b))
    }
}

fn noise(len: usize) -> Vec<f64> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    (0..len).map(|_| next()).collect()
}

fn field<T: Real, const D: usize>(grid: Grid<T, D>, values: &[f64]) -> Field<T, D> {
    let mut values = values.iter();
    Field::from_fn(grid, |_| T::of(*values.next().unwrap()))
}

/// `values` without their mean if the problem is singular.
fn compatible(values: Vec<f64>, singular: bool) -> Vec<f64> {
    let mean = if singular { values.iter().sum::<f64>() / values.len() as f64 } else { 0.0 };
    values.iter().map(|v| v - mean).collect()
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

const PAIRS: [[End; 2]; 10] = {
    use End::{Dirichlet as Side, DirichletNode as Node, Neumann as Wall, Periodic};
    [
        [Wall, Wall],
        [Wall, Side],
        [Wall, Node],
        [Side, Wall],
        [Side, Side],
        [Side, Node],
        [Node, Wall],
        [Node, Side],
        [Node, Node],
        [Periodic, Periodic],
    ]
};

/// One application from zero against `params.order` sweeps; the largest difference relative to
/// the largest value.
fn difference<T: Real, const D: usize>(
    cells: [usize; D],
    ends: [[End; 2]; D],
    params: FilterParams,
) -> f64 {
    let grid = Grid::new(cells, T::one()).unwrap();
    let problem = Problem::new(grid, ends).unwrap();
    let b = compatible(noise(grid.cell_count()), problem.is_singular());
    let sweeper = Sweeper { cells, ends };
    let expected = sweeper.sweeps(&vec![0.0; b.len()], &b, params.order);
    let expected = compatible(expected, problem.is_singular());
    let mut p = Field::zeros(grid);
    let mut filter = Filter::new(grid, params).unwrap();
    let report = filter.solve(&problem, &field(grid, &b), &mut p, Budget::iterations(1)).unwrap();
    if grid.cell_count() > 1 {
        assert_eq!(report.iterations, 1, "{cells:?} {ends:?} {report:?}");
    }
    let most = expected.iter().fold(1e-3, |m: f64, v| m.max(v.abs()));
    let error = |(a, b): (T, &f64)| (a.to_f64() - b).abs() / most;
    p.values().zip(&expected).map(error).fold(0.0, f64::max)
}

#[test]
fn at_full_rank_a_filter_is_that_many_jacobi_sweeps_for_all_ends_and_sizes() {
    let params = FilterParams { order: 12, rank: 12 };
    for x in PAIRS {
        for y in PAIRS {
            for cells in [[1, 7], [7, 1], [5, 40], [40, 6], [33, 21]] {
                let error = difference::<f64, 2>(cells, [x, y], params);
                assert!(error < 1e-12, "{cells:?} {x:?} {y:?}: {error}");
                let error = difference::<f32, 2>(cells, [x, y], params);
                assert!(error < 2e-6, "{cells:?} {x:?} {y:?}: {error}");
            }
        }
    }
}

#[test]
fn on_grids_of_several_tiles_too_it_is_that_many_sweeps() {
    let params = FilterParams { order: 6, rank: 6 };
    for x in PAIRS {
        for cells in [[513, 2], [1030, 3]] {
            let error = difference::<f64, 2>(cells, [x, PAIRS[1]], params);
            assert!(error < 1e-12, "{cells:?} {x:?}: {error}");
        }
    }
}

#[test]
fn in_space_a_filter_of_enough_terms_is_that_many_sweeps_for_all_ends() {
    // The fit ends at 1e-8 of the kernel's norm; 1e-6 of p is what is asked for.
    for (order, rank) in [(1, 1), (2, 4), (3, 8), (4, 12)] {
        for x in PAIRS {
            let ends = [x, PAIRS[order], PAIRS[9 - order]];
            for cells in [[5, 4, 7], [1, 9, 2], [20, 3, 6]] {
                let error = difference::<f64, 3>(cells, ends, FilterParams { order, rank });
                assert!(error < 1e-6, "n = {order}, {cells:?} {ends:?}: {error}");
            }
        }
    }
}

/// The distance of a sum of products from the kernel, and the kernel's norm, over all taps.
fn distance<const D: usize>(order: usize, terms: &[Term]) -> (f64, f64) {
    let (mut error, mut whole) = (0.0, 0.0);
    for (n, tap) in octant::<D>(order, order).into_iter().enumerate() {
        let at: [usize; D] = from_fn(|a| n / order.pow(a as u32) % order);
        let times = at.iter().filter(|i| **i > 0).fold(1.0, |times, _| 2.0 * times);
        let tap_of = |t: &Term, i: usize| t.taps.get(i).copied().unwrap_or(0.0);
        let product = |t: &Term| at.iter().fold(t.weight, |p, i| p * tap_of(t, *i));
        let rest = tap - terms.iter().map(product).sum::<f64>();
        error += times * rest * rest;
        whole += times * tap * tap;
    }
    (error.sqrt(), whole.sqrt())
}

#[test]
fn in_the_plane_the_error_of_a_rank_is_the_spectrum_left_out() {
    for order in [1, 5, 32, 60] {
        let all = decompose::<2>(order, order).terms;
        let mut last = f64::INFINITY;
        for rank in 1..=order {
            let kept = decompose::<2>(order, rank);
            let (error, whole) = distance::<2>(order, &kept.terms);
            let left_out =
                norm(&all[rank.min(all.len())..].iter().map(|t| t.weight).collect::<Vec<_>>());
            assert!(
                (error - left_out).abs() < 1e-13 * whole,
                "{order}, {rank}: {error} {left_out}"
            );
            assert!((kept.error - left_out / whole).abs() < 1e-13);
            assert!(kept.error <= last, "order {order}, rank {rank}");
            last = kept.error;
        }
    }
}

#[test]
fn the_default_kernel_has_the_known_singular_values_and_errors() {
    let all = decompose::<2>(32, 32).terms;
    for (term, known) in all.iter().zip([3.824, 0.592, 0.0828, 0.0277, 0.0065]) {
        let value = term.weight.abs();
        assert!((value - known).abs() < 5e-4 * (1.0 + known), "{value} is not {known}");
    }
    for (rank, low, high) in [(1, 0.154, 0.156), (2, 0.022, 0.024), (4, 0.0016, 0.0018)] {
        let error = decompose::<2>(32, rank).error;
        assert!(error > low && error < high, "{rank}: {error}");
    }
    assert!(decompose::<2>(32, 8).error < 1e-4);
}

#[test]
fn in_space_the_error_falls_with_every_term_and_is_the_one_that_is_reported() {
    for order in [3, 8, 32] {
        let mut last = f64::INFINITY;
        for rank in 1..=6 {
            let fit = decompose::<3>(order, rank);
            let (error, whole) = distance::<3>(order, &fit.terms);
            assert!((error / whole - fit.error).abs() < 1e-7, "{error} {}", fit.error);
            assert!(fit.error <= last);
            last = fit.error;
        }
        assert!(last < 1e-4, "{order}: {last}");
    }
}

#[test]
fn orders_and_ranks_out_of_range_are_refused() {
    let plane = Grid::new([4, 4], 1.0_f64).unwrap();
    let space = Grid::new([4, 4, 4], 1.0_f64).unwrap();
    for (order, rank) in [(0, 1), (1, 0), (129, 4), (32, 129)] {
        let refused = Filter::new(plane, FilterParams { order, rank }).unwrap_err();
        let name = if (1..=128).contains(&order) { "rank" } else { "order" };
        assert!(matches!(refused, Error::InvalidParameter { name: n, .. } if n == name));
    }
    assert!(Filter::new(space, FilterParams { order: 4, rank: 17 }).is_err());
    assert!(Filter::new(plane, FilterParams { order: 128, rank: 128 }).is_ok());
    let long = Filter::new(space, FilterParams { order: 128, rank: 3 }).unwrap();
    assert!(long.kernel_error() < 0.05, "{}", long.kernel_error());
}

/// The pieces of a solve for the application alone.
fn apply<const D: usize>(
    filter: &mut Filter<f64, D>,
    problem: &Problem<f64, D>,
    b: &Field<f64, D>,
    p: &mut Field<f64, D>,
) {
    let Filter { taps, places, residual, correction, depth, .. } = filter;
    for axis in 0..D {
        let ends = problem.ends()[axis];
        continue_axis(&mut places[axis], &problem.region(), axis, ends, taps.radius);
    }
    problem.prepare(p);
    Application { problem, taps, places }.correct(b, p, [residual, correction], depth);
}

#[test]
fn at_full_rank_an_application_to_any_guess_is_that_many_sweeps_of_it() {
    for ends in [[PAIRS[0], PAIRS[4]], [PAIRS[9], PAIRS[7]]] {
        let cells = [24, 17];
        let grid = Grid::new(cells, 1.0).unwrap();
        let problem = Problem::new(grid, ends).unwrap();
        let values = noise(2 * 24 * 17);
        let (b, start) = values.split_at(24 * 17);
        let mut p = field(grid, start);
        let mut filter = Filter::new(grid, FilterParams { order: 20, rank: 20 }).unwrap();
        apply(&mut filter, &problem, &field(grid, b), &mut p);
        let expected = Sweeper { cells, ends }.sweeps(start, b, 20);
        for (found, expected) in p.values().zip(&expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}

fn solved<const D: usize>(problem: &Problem<f64, D>, b: &Field<f64, D>) -> Field<f64, D> {
    let mut p = Field::zeros(*problem.grid());
    let mut solver = ConjugateGradient::new(*problem.grid(), Preconditioner::Jacobi).unwrap();
    let report = solver.solve(problem, b, &mut p, Budget::tolerance(1e-11, 20_000)).unwrap();
    assert!(report.converged, "{report:?}");
    p
}

#[test]
fn case_o12_an_impulse_has_the_pressure_of_the_sweeps_with_the_sign_of_all_solvers() {
    let (cells, ends) = ([129, 129], [PAIRS[0]; 2]);
    let grid = Grid::new(cells, 1.0).unwrap();
    let problem = Problem::new(grid, ends).unwrap();
    let mut impulse = vec![0.0; 129 * 129];
    impulse[64 * 129 + 64] = 1.0;
    let impulse = compatible(impulse, true);
    let rhs = field(grid, &impulse);
    let exact = solved(&problem, &rhs);
    let middle = |p: &Field<f64, 2>| -> Vec<f64> {
        let cells = (0..43 * 43).map(|n| p[[43 + n % 43, 43 + n / 43]]).collect();
        compatible(cells, true)
    };
    let correlation = |p: &Field<f64, 2>| {
        let (a, b) = (middle(p), middle(&exact));
        a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / (norm(&a) * norm(&b))
    };
    for order in [20, 60] {
        let swept = Sweeper { cells, ends }.sweeps(&vec![0.0; 129 * 129], &impulse, order);
        let swept = compatible(swept, true);
        let mut errors = Vec::new();
        for rank in (1..=8).chain([order]) {
            let mut filter = Filter::new(grid, FilterParams { order, rank }).unwrap();
            let mut p = Field::zeros(grid);
            filter.solve(&problem, &rhs, &mut p, Budget::iterations(1)).unwrap();
            let difference: Vec<f64> = p.values().zip(&swept).map(|(a, b)| a - b).collect();
            errors.push(norm(&difference));
            if rank == order {
                assert!(difference.iter().all(|d| d.abs() < 1e-6));
                let once = correlation(&p);
                filter.solve(&problem, &rhs, &mut p, Budget::iterations(3600 / order)).unwrap();
                let often = correlation(&p);
                // The sweeps themselves reach no further than this.
                assert!(once > 0.5 && often > 0.99, "order {order}: {once}, {often}");
                assert!(p[[64, 64]] < 0.0 && exact[[64, 64]] < 0.0);
            }
        }
        assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "order {order}: {errors:?}");
    }
}

#[test]
fn near_walls_no_more_divergence_is_left_than_by_the_sweeps() {
    let (cells, ends) = ([60, 44], [PAIRS[0], PAIRS[1]]);
    let grid = Grid::new(cells, 1.0).unwrap();
    let problem = Problem::new(grid, ends).unwrap();
    let b = noise(60 * 44);
    let left = |p: &[f64]| -> f64 {
        let swept = Sweeper { cells, ends }.sweep(p, &b);
        let near = |n: &usize| [n % 60, 59 - n % 60, n / 60, 43 - n / 60].iter().any(|d| *d < 4);
        let cells = (0..p.len()).filter(near);
        cells.map(|n| (swept[n] - p[n]).powi(2)).sum::<f64>().sqrt()
    };
    let swept = Sweeper { cells, ends }.sweeps(&vec![0.0; b.len()], &b, 32);
    for rank in [4, 8, 32] {
        let mut filter = Filter::new(grid, FilterParams { order: 32, rank }).unwrap();
        let mut p = Field::zeros(grid);
        filter.solve(&problem, &field(grid, &b), &mut p, Budget::iterations(1)).unwrap();
        let (filtered, swept) = (left(&p.values().collect::<Vec<_>>()), left(&swept));
        assert!(filtered <= 1.1 * swept, "rank {rank}: {filtered} {swept}");
        assert!(swept < 0.2 * left(&vec![0.0; b.len()]));
    }
}

#[test]
fn applied_again_and_again_every_rank_converges_for_all_ends() {
    for rank in [1, 4, 32] {
        for pair in PAIRS {
            for order in [31, 32] {
                let grid = Grid::new([16, 20], 1.0).unwrap();
                let problem = Problem::new(grid, [pair, pair]).unwrap();
                let b = field(grid, &noise(16 * 20));
                let mut p = Field::zeros(grid);
                let mut filter = Filter::new(grid, FilterParams { order, rank }).unwrap();
                let report = filter.solve(&problem, &b, &mut p, Budget::tolerance(1e-9, 400));
                let report = report.unwrap();
                assert!(report.converged, "order {order}, rank {rank}, {pair:?}: {report:?}");
            }
        }
    }
}

#[test]
fn one_application_a_frame_never_lets_a_chequerboard_grow() {
    for pair in [PAIRS[0], PAIRS[4], PAIRS[9]] {
        let grid = Grid::new([32, 32], 1.0_f32).unwrap();
        let problem = Problem::new(grid, [pair, pair]).unwrap();
        let b = field(grid, &noise(32 * 32));
        let mut p = Field::zeros(grid);
        let mut filter = Filter::new(grid, FilterParams::default()).unwrap();
        let mut residual = 1.0;
        for _ in 0..2000 {
            residual = filter.solve(&problem, &b, &mut p, Budget::iterations(1)).unwrap().residual;
        }
        // A hundred times the rounding of p, whose values are about ten times those of b.
        assert!(residual < 1e-4, "{pair:?}: {residual}");
    }
}

#[test]
fn a_converged_guess_is_not_made_worse() {
    let grid = Grid::new([40, 24], 1.0_f32).unwrap();
    let problem = Problem::new(grid, [PAIRS[1], PAIRS[4]]).unwrap();
    let b = field(grid, &noise(40 * 24));
    let mut p = Field::zeros(grid);
    let mut filter = Filter::new(grid, FilterParams::default()).unwrap();
    filter.solve(&problem, &b, &mut p, Budget::iterations(300)).unwrap();
    let square = |p: &Field<f32, 2>| {
        let mut residual = Field::zeros(grid);
        run::<RESIDUAL, f32, 2>(
            problem.stencil(p.as_slice(), b.as_slice()),
            1.0,
            residual.as_mut_slice(),
        );
        residual.values().map(|r| f64::from(r).powi(2)).sum::<f64>()
    };
    for _ in 0..20 {
        let before = square(&p);
        filter.solve(&problem, &b, &mut p, Budget::iterations(3)).unwrap();
        assert!(square(&p) <= before * (1.0 + 1e-6));
    }
}

/// A problem with a disc and scattered cells that are closed, held at 0, or of random β.
fn obstacles(what: &str) -> Problem<f64, 2> {
    let grid = Grid::new([30, 26], 0.5).unwrap();
    let mut problem = Problem::new(grid, [PAIRS[0], PAIRS[1]]).unwrap();
    let random = noise(grid.array_len());
    let solid = |n: usize| {
        let [x, y] = grid.cell_at(n).map(|i| i as f64);
        (x - 12.0).powi(2) + (y - 13.0).powi(2) < 25.0 || random[n] > 0.45
    };
    let mut beta = Faces::zeros(grid);
    for axis in 0..2 {
        let stride = grid.strides()[axis];
        for n in stride..grid.array_len() {
            beta[axis].as_mut_slice()[n] = match what {
                "solids" if solid(n) || solid(n - stride) => 0.0,
                "weights" => 1.5 + 2.9 * random[n],
                _ => 1.0,
            };
        }
    }
    let active: Vec<u8> =
        (0..grid.array_len()).map(|n| u8::from(what == "weights" || !solid(n))).collect();
    problem.set_coefficients(&beta, Some(&active)).unwrap();
    problem
}

#[test]
fn with_solids_surfaces_and_weights_the_error_never_grows_and_goes() {
    for what in ["solids", "surfaces", "weights"] {
        for rank in [1, 4, 32] {
            let problem = obstacles(what);
            let grid = *problem.grid();
            let b = field(grid, &noise(grid.cell_count()));
            let exact = solved(&problem, &b);
            let energy = |p: &Field<f64, 2>| {
                let mut error = exact.clone();
                for (e, p) in error.as_mut_slice().iter_mut().zip(p.as_slice()) {
                    *e -= p;
                }
                let (e, mut product) = (error.as_slice(), Field::zeros(grid));
                run::<PRODUCT, f64, 2>(problem.stencil(e, e), 1.0, product.as_mut_slice());
                dot(&problem.extent(), &error, &product)
            };
            let mut p = Field::zeros(grid);
            let start = energy(&p);
            let mut last = start;
            let mut filter = Filter::new(grid, FilterParams { order: 32, rank }).unwrap();
            for _ in 0..400 {
                filter.solve(&problem, &b, &mut p, Budget::iterations(1)).unwrap();
                let now = energy(&p);
                assert!(now <= last * (1.0 + 1e-9) + 1e-16 * start, "{what}, {rank}: {now} {last}");
                last = now;
            }
            assert!(last < 1e-8 * start, "{what}, rank {rank}: {last} {start}");
        }
    }
}

#[test]
fn a_shift_is_solved_too() {
    for number in [0.02, 0.1, 3.0] {
        let grid = Grid::new([30, 20], 0.1).unwrap();
        let mut problem = Problem::new(grid, [PAIRS[0], PAIRS[9]]).unwrap();
        problem.set_shift(number / 0.01).unwrap();
        let b = field(grid, &noise(600));
        let mut p = Field::zeros(grid);
        let mut filter = Filter::new(grid, FilterParams::default()).unwrap();
        let report = filter.solve(&problem, &b, &mut p, Budget::tolerance(1e-9, 100)).unwrap();
        assert!(report.converged, "{number}: {report:?}");
    }
}

fn scratch_and_nan<const D: usize>(cells: [usize; D], ends: [[End; 2]; D]) {
    let grid = Grid::new(cells, 1.0_f32).unwrap();
    let problem = Problem::new(grid, ends).unwrap();
    let mut b = field(grid, &noise(grid.cell_count()));
    let mut clean = Filter::new(grid, FilterParams { order: 9, rank: 3 }).unwrap();
    let (mut p, mut q) = (Field::zeros(grid), Field::zeros(grid));
    let mut dirty = clean.clone();
    for _ in 0..2 {
        dirty.poison(f32::NAN);
        clean.solve(&problem, &b, &mut p, Budget::iterations(2)).unwrap();
        dirty.solve(&problem, &b, &mut q, Budget::iterations(2)).unwrap();
        assert!(p.max_abs() > 0.0);
        assert!(p.values().zip(q.values()).all(|(p, q)| p.to_bits() == q.to_bits()));
    }
    b.as_mut_slice()[grid.index([1; D])] = f32::NAN;
    let refused = clean.solve(&problem, &b, &mut q, Budget::iterations(1)).unwrap_err();
    assert!(matches!(refused, Error::NotFinite { name: "rhs", .. }));
    assert!(p.values().zip(q.values()).all(|(p, q)| p.to_bits() == q.to_bits()));
}

#[test]
fn scratch_may_hold_nan_and_a_right_hand_side_with_nan_is_refused() {
    for pair in PAIRS {
        scratch_and_nan([19, 33], [pair, PAIRS[1]]);
        scratch_and_nan([9, 6, 11], [pair, PAIRS[9], PAIRS[6]]);
    }
}
