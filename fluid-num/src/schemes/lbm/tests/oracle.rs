//! A plain implementation after the textbook: two arrays, one loop over sites and velocities, whole
//! populations, no pairs, no rings.

use super::*;

/// f_k of every site; periodic, or half-way bounce-back at the lower and upper side of y, the upper
/// one moving.
struct Plain<const D: usize, const Q: usize> {
    n: [usize; D],
    c: [[i8; D]; Q],
    w: [f64; Q],
    f: Vec<[f64; Q]>,
    tau: f64,
    force: [f64; D],
    collision: Collision<f64>,
    smagorinsky: f64,
    /// The velocity of the wall, where there are walls.
    lid: Option<[f64; D]>,
}

impl<const D: usize, const Q: usize> Plain<D, Q> {
    fn cell(&self, mut at: usize) -> [usize; D] {
        core::array::from_fn(|a| {
            let i = at % self.n[a];
            at /= self.n[a];
            i
        })
    }

    fn index(&self, cell: [usize; D]) -> usize {
        (0..D).rev().fold(0, |at, a| at * self.n[a] + cell[a])
    }

    fn dot(&self, k: usize, v: [f64; D]) -> f64 {
        (0..D).map(|a| f64::from(self.c[k][a]) * v[a]).sum()
    }

    fn back(&self, k: usize) -> usize {
        (0..Q).find(|b| self.c[*b] == self.c[k].map(|c| -c)).unwrap()
    }

    fn collide(&self, f: [f64; Q]) -> [f64; Q] {
        let rho: f64 = f.iter().sum();
        let u: [f64; D] = core::array::from_fn(|a| {
            let momentum: f64 = (0..Q).map(|k| f64::from(self.c[k][a]) * f[k]).sum();
            (momentum + 0.5 * self.force[a]) / rho
        });
        let square: f64 = u.iter().map(|v| v * v).sum();
        let equilibrium: [f64; Q] = core::array::from_fn(|k| {
            let cu = self.dot(k, u);
            self.w[k] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * square)
        });
        let source: [f64; Q] = core::array::from_fn(|k| {
            let (cu, cf) = (self.dot(k, u), self.dot(k, self.force));
            let uf: f64 = (0..D).map(|a| u[a] * self.force[a]).sum();
            self.w[k] * (3.0 * (cf - uf) + 9.0 * cu * cf)
        });
        let deviation = |a: usize, b: usize| -> f64 {
            let c = |k: usize| f64::from(self.c[k][a]) * f64::from(self.c[k][b]);
            (0..Q).map(|k| c(k) * (f[k] - equilibrium[k] + 0.5 * source[k])).sum()
        };
        let mut tau = self.tau;
        if self.smagorinsky > 0.0 {
            let norm: f64 = (0..D * D).map(|n| deviation(n / D, n % D).powi(2)).sum();
            let c2 = self.smagorinsky.powi(2);
            tau = 0.5 * (tau + (tau * tau + 18.0 * 2_f64.sqrt() * c2 * norm.sqrt() / rho).sqrt());
        }
        match self.collision {
            Collision::Bgk => core::array::from_fn(|k| {
                f[k] + (equilibrium[k] - f[k]) / tau + (1.0 - 0.5 / tau) * source[k]
            }),
            Collision::Trt { magic } => {
                let odd = 0.5 + magic / (tau - 0.5);
                core::array::from_fn(|k| {
                    let b = self.back(k);
                    let half = |x: &[f64; Q], sign: f64| 0.5 * (x[k] + sign * x[b]);
                    let part = |sign: f64, tau: f64| {
                        (half(&equilibrium, sign) - half(&f, sign)) / tau
                            + (1.0 - 0.5 / tau) * half(&source, sign)
                    };
                    f[k] + part(1.0, tau) + part(-1.0, odd)
                })
            }
            // Without a force alone: the sum over all Hermite polynomials, index by index.
            Collision::Regularised | Collision::CentralMoments => {
                let mut a: [[f64; D]; D] =
                    core::array::from_fn(|i| core::array::from_fn(|j| deviation(i, j)));
                let trace: f64 = (0..D).map(|i| a[i][i]).sum::<f64>() / D as f64;
                for i in 0..D {
                    if self.collision == Collision::CentralMoments {
                        a[i][i] -= trace;
                    }
                    for j in 0..D {
                        a[i][j] *= 1.0 - 1.0 / tau;
                    }
                }
                core::array::from_fn(|k| self.w[k] * self.series(k, rho, u, &a))
            }
        }
    }

    /// Σ H⁽ⁿ⁾ : a⁽ⁿ⁾ / (n! c_s²ⁿ) at c_k.
    fn series(&self, k: usize, rho: f64, u: [f64; D], a: &[[f64; D]; D]) -> f64 {
        let c = self.c[k].map(f64::from);
        let hermite = |axes: &[usize]| -> Option<f64> {
            let mut product = 1.0;
            for d in 0..D {
                product *= match axes.iter().filter(|x| **x == d).count() {
                    0 => 1.0,
                    1 => c[d],
                    2 => c[d] * c[d] - 1.0 / 3.0,
                    // Not one that the lattice tells from lower ones.
                    _ => return None,
                };
            }
            Some(product)
        };
        let moment = |axes: &[usize]| -> f64 {
            let mut sum = rho * axes.iter().map(|x| u[*x]).product::<f64>();
            for i in 0..axes.len() {
                for j in i + 1..axes.len() {
                    let others = (0..axes.len()).filter(|n| *n != i && *n != j);
                    sum += a[axes[i]][axes[j]] * others.map(|n| u[axes[n]]).product::<f64>();
                }
            }
            sum
        };
        let mut sum = 0.0;
        let mut factor = 1.0;
        let highest = if Q == 19 { 2 } else { 4 };
        for order in 0..=highest {
            for n in 0..D.pow(order) {
                let axes: Vec<usize> = (0..order).map(|i| n / D.pow(i) % D).collect();
                sum += factor * hermite(&axes).map_or(0.0, |h| h * moment(&axes));
            }
            factor *= 3.0 / f64::from(order + 1);
        }
        if Q == 19 {
            // The six combinations of third polynomials that are orthogonal on this lattice.
            for b in 0..D {
                let [p, q] = [[1, 2], [0, 2], [0, 1]][b];
                let [h, g] = [[p, p, b], [q, q, b]].map(|axes| hermite(&axes).unwrap());
                let [m, n] = [[p, p, b], [q, q, b]].map(|axes| moment(&axes));
                sum += 4.5 * (3.0 * (h + g) * (m + n) + (h - g) * (m - n));
            }
        }
        sum
    }

    fn step(&mut self) {
        let after: Vec<[f64; Q]> = self.f.iter().map(|f| self.collide(*f)).collect();
        let mut next = after.clone();
        for (at, f) in after.iter().enumerate() {
            let cell = self.cell(at);
            for k in 0..Q {
                let mut to = [0; D];
                let mut wall = None;
                for a in 0..D {
                    let x = cell[a] as isize + isize::from(self.c[k][a]);
                    if a == 1 && self.lid.is_some() && (x < 0 || x >= self.n[1] as isize) {
                        wall = Some(x >= 0);
                    }
                    to[a] = x.rem_euclid(self.n[a] as isize) as usize;
                }
                match (wall, self.lid) {
                    (Some(upper), Some(lid)) => {
                        let push = if upper { 6.0 * self.w[k] * self.dot(k, lid) } else { 0.0 };
                        next[at][self.back(k)] = f[k] - push;
                    }
                    _ => next[self.index(to)][k] = f[k],
                }
            }
        }
        self.f = next;
    }
}

fn compare<L: Lattice<D, Q>, const D: usize, const Q: usize>(
    collision: Collision<f64>,
    smagorinsky: f64,
    force: f64,
    walls: bool,
) {
    let n: [usize; D] = core::array::from_fn(|a| [7, 6, 5][a]);
    let lid = core::array::from_fn(|a| [0.05, 0.0, -0.03][a]);
    let acceleration = core::array::from_fn(|a| force * [1.0, -0.5, 0.7][a]);
    let mut params =
        LbmParams { collision, smagorinsky, acceleration, kinematic_viscosity: 0.03, ..periodic() };
    if walls {
        params.boundary = params.boundary.with(1, 0, Side::NoSlip);
        params.boundary = params.boundary.with(1, 1, Side::Moving { velocity: lid });
    }
    let mut lbm = unit::<f64, L, D, Q>(n, params);
    let mut seed = 9;
    lbm.set_flow(|_| (core::array::from_fn(|_| 0.2 * random(&mut seed)), 0.01 * random(&mut seed)))
        .unwrap();
    let mut plain = Plain::<D, Q> {
        n,
        c: L::VELOCITIES,
        w: L::WEIGHTS,
        f: Vec::new(),
        tau: 0.5 + 3.0 * 0.03,
        force: acceleration,
        collision,
        smagorinsky,
        lid: walls.then_some(lid),
    };
    plain.f = (0..n.iter().product())
        .map(|at| {
            core::array::from_fn(|k| L::WEIGHTS[k] + lbm.population(k, plain.cell(at)).unwrap())
        })
        .collect();
    for step in 0..40 {
        lbm.advance(1).unwrap();
        plain.step();
        for (at, f) in plain.f.iter().enumerate() {
            for k in 0..Q {
                let h = lbm.population(k, plain.cell(at)).unwrap();
                let difference = (h + L::WEIGHTS[k] - f[k]).abs();
                // Whole populations near ½ are rounded by 1e-16 at each of 40 steps.
                assert!(
                    difference < 1e-14,
                    "{} {collision:?} step {step}, velocity {k}: {difference}",
                    L::NAME
                );
            }
        }
    }
}

fn compare_all<L: Lattice<D, Q>, const D: usize, const Q: usize>() {
    for walls in [false, true] {
        for smagorinsky in [0.0, 0.2] {
            for collision in Collision::all() {
                compare::<L, D, Q>(collision, smagorinsky, 0.0, walls);
            }
            for collision in [Collision::Bgk, Collision::trt()] {
                compare::<L, D, Q>(collision, smagorinsky, 1e-3, walls);
            }
        }
    }
}

#[test]
fn the_plain_textbook_loop_gives_the_same_populations_step_by_step() {
    compare_all::<D2Q9, 2, 9>();
    compare_all::<D3Q19, 3, 19>();
    compare_all::<D3Q27, 3, 27>();
}
