//! One fixed step, sub-step by sub-step.

use core::mem::swap;

use super::Wind;
use super::passes::{
    Backward, Divergence, Forward, Gradient, Magnitudes, Path, Scale, Spread, Unpack,
};
use crate::base::exec;
use crate::grid::field::max_abs;
use crate::grid::sample::Lattice;
use crate::{Field, Location, Real};

/// The most passes in which a step spreads what motors did.
const MOST_SPREADS: usize = 64;

impl<T: Real, const D: usize> Wind<T, D> {
    /// One fixed step.
    pub(super) fn advance(&mut self) {
        let dt = self.params.time_step;
        self.unroll();
        self.blow(dt);
        self.spread(dt);
        self.stop_in_obstacles();
        self.swirl();
        self.find_base(dt);
        self.carry_forward_and_backward(dt * T::of(0.5));
        self.stop_in_obstacles();
        self.roll();
        self.motors.iter_mut().for_each(|motor| motor.advance(dt));
        self.motors.retain(|motor| !motor.is_gone());
        self.drift = self.drift.after(&self.params, dt.to_f64());
        self.steps += 1;
    }

    /// Takes e out of its rings, and remembers it.
    pub(super) fn unroll(&mut self) {
        let region = self.grid.interior();
        for a in 0..D {
            self.before[a].copy_from(&self.excess[a]);
            let work = self.work[a].as_mut_slice();
            for row in (0..region.rows()).map(|n| region.row(n)) {
                self.excess[a].read(row.start, &mut work[row.start..][..row.len]);
            }
        }
    }

    /// Puts e back into its rings.
    pub(super) fn roll(&mut self) {
        let region = self.grid.interior();
        for (ring, work) in self.excess.iter_mut().zip(&self.work) {
            let mut arc = ring.as_arc();
            for row in (0..region.rows()).map(|n| region.row(n)) {
                arc.write(row.start, row.of(work.as_slice()));
            }
        }
    }

    /// Motors blow: what a motor gives is spread evenly over its stations on the way.
    pub(super) fn blow(&mut self, dt: T) {
        let corner = self.lower_corner();
        for motor in &self.motors {
            let time = motor.blows_for(dt);
            let stations = motor.stations(time);
            let share = T::one() / T::of_usize(stations);
            let given = motor.strength * motor.given_within(dt) * share;
            let axis = motor.unit_axis();
            for n in 0..stations {
                let motor = motor.moved(time * share * (T::of_usize(n) + T::of(0.5)));
                let mut bounds = motor.bounds();
                for a in 0..D {
                    bounds[0][a] -= corner[a];
                    bounds[1][a] -= corner[a];
                }
                for i in self.grid.within(bounds).places() {
                    let mut r = self.grid.center(self.grid.cell_at(i));
                    for a in 0..D {
                        r[a] += corner[a] - motor.place[a];
                    }
                    let push = motor.push(axis, r);
                    for a in 0..D {
                        self.work[a].as_mut_slice()[i] += given * push[a];
                    }
                }
            }
        }
    }

    /// What motors did spreads out and decays.
    fn spread(&mut self, dt: T) {
        let params = &self.params;
        let decay = -dt / params.relaxation_time;
        let wanted = params.viscosity * dt * self.per_dx * self.per_dx;
        let most = T::of(1.0 / (4 * D) as f64);
        let passes = (wanted / most).ceil().at_most(T::of_usize(MOST_SPREADS)).truncate().max(1);
        let alpha = (wanted / T::of_index(passes)).at_most(most);
        let region = self.grid.interior();
        for n in 0..passes {
            let kept = if n == 0 { decay.portable_exp() } else { T::one() };
            for (work, next) in self.work.iter_mut().zip(&mut self.path) {
                let pass = Spread {
                    from: work.as_slice(),
                    strides: self.grid.strides(),
                    cells: self.grid.cells(),
                    alpha,
                    kept,
                };
                exec::rows(&region, [next.as_mut_slice()], &pass);
                swap(work, next);
            }
        }
    }

    /// Divergence is damped, if that is wanted: Σ|e| of all components together does not rise.
    pub(super) fn swirl(&mut self) {
        if self.params.swirl_sweeps == 0 {
            return;
        }
        let (grid, region) = (self.grid, self.grid.interior());
        let (strides, cells) = (grid.strides(), grid.cells());
        let had: f64 = self.magnitudes().iter().sum();
        for _ in 0..self.params.swirl_sweeps {
            let of = self.work.each_ref().map(Field::as_slice);
            let divergence = self.path[0].as_mut_slice();
            exec::rows(&region, [divergence], &Divergence { of, strides, cells });
            let of = self.path[0].as_slice();
            // ∇∇· has no eigenvalue beyond D/Δx²: by its inverse no sweep overshoots.
            let scale = T::of(1.0 / (4 * D) as f64);
            let work = self.work.each_mut().map(Field::as_mut_slice);
            exec::rows(&region, work, &Gradient { of, strides, cells, scale });
            self.stop_in_obstacles();
        }
        let has: f64 = self.magnitudes().iter().sum();
        if has > had {
            for work in &mut self.work {
                exec::rows(&region, [work.as_mut_slice()], &Scale(T::of(had / has)));
            }
        }
    }

    /// Σ|e| of every component.
    fn magnitudes(&self) -> [f64; D] {
        let region = self.grid.interior();
        self.work.each_ref().map(|work| {
            exec::reduce(&region, &Magnitudes { values: work.as_slice(), region }).unwrap_or(0.0)
        })
    }

    /// The ambient wind with its gusts, behind obstacles, `ahead` seconds after the last step.
    pub(super) fn find_base(&mut self, ahead: T) {
        for a in 0..D {
            self.base[a].fill(self.params.ambient[a]);
        }
        let drift = self.drift.after(&self.params, ahead.to_f64());
        let base = self.base.each_mut().map(Field::as_mut_slice);
        self.waves.add(&self.grid, self.corner, drift, base);
        if self.sheltered {
            for base in &mut self.base {
                let cells = base.as_mut_slice().iter_mut().zip(self.open.as_slice());
                cells.for_each(|(b, open)| *b *= *open);
            }
        }
    }

    fn carry_forward_and_backward(&mut self, dt: T) {
        let had = self.magnitudes();
        self.find_path(dt);
        self.carry_forward();
        let region = self.grid.interior();
        exec::rows(&region, self.work.each_mut().map(Field::as_mut_slice), &Unpack(&self.packed));
        self.find_path(-dt);
        self.carry_backward();
        let has = self.magnitudes();
        for ((work, had), has) in self.work.iter_mut().zip(had).zip(has) {
            if has > had {
                exec::rows(&region, [work.as_mut_slice()], &Scale(T::of(had / has)));
            }
        }
    }

    /// What is in `work` is pushed along `path` into `packed`.
    pub(super) fn carry_forward(&mut self) {
        exec::wide(Forward {
            carried: self.work.each_ref().map(Field::as_slice),
            path: self.path.each_ref().map(Field::as_slice),
            lattice: Lattice::clamped(&self.grid, Location::Center),
            region: self.grid.interior(),
            out: &mut self.packed,
        });
    }

    /// What is in `packed` is read along `path` into `work`.
    pub(super) fn carry_backward(&mut self) {
        let pass = Backward {
            from: &self.packed,
            path: self.path.each_ref().map(Field::as_slice),
            lattice: Lattice::clamped(&self.grid, Location::Center),
            strides: self.grid.strides(),
        };
        let work = self.work.each_mut().map(Field::as_mut_slice);
        exec::rows(&self.grid.interior(), work, &pass);
    }

    /// How far every cell's wind goes in `dt` seconds, in cells.
    pub(super) fn find_path(&mut self, dt: T) {
        let region = self.grid.interior();
        for a in 0..D {
            let pass = Path {
                ambient: self.base[a].as_slice(),
                excess: self.work[a].as_slice(),
                scale: dt * self.per_dx,
            };
            exec::rows(&region, [self.path[a].as_mut_slice()], &pass);
        }
    }

    /// Makes what is sampled that of this moment.
    pub(super) fn refresh(&mut self) {
        self.find_base(self.pending - self.params.time_step);
        let share = self.pending * (T::one() / self.params.time_step);
        let share = share.at_least(T::zero()).at_most(T::one());
        let region = self.grid.interior();
        for a in 0..D {
            let ambient = self.params.ambient[a];
            let (now, before) = (self.work[a].as_mut_slice(), self.path[a].as_mut_slice());
            for row in (0..region.rows()).map(|n| region.row(n)) {
                let range = row.start..row.start + row.len;
                let (now, before) = (&mut now[range.clone()], &mut before[range.clone()]);
                self.excess[a].read(row.start, now);
                self.before[a].read(row.start, before);
                let wind = &mut self.base[a].as_mut_slice()[range.clone()];
                let view = &mut self.view[range];
                for i in 0..row.len {
                    wind[i] += before[i] + share * (now[i] - before[i]);
                    view[i][a] = wind[i] - ambient;
                }
            }
        }
        let most = self.base.each_ref().map(|wind| max_abs(&region, wind.as_slice()));
        self.max_speed = most.into_iter().fold(T::zero(), Real::worst);
    }
}
