//! Solids inside: which cells they cover, what comes back from them, and what they are pushed with.
//!
//! ```text
//! h_k(x) = h*_k̄ + 6 w_k c_k·u_w               for x − c_k in a solid: half-way bounce-back
//! 2q h*_k̄ + (1 − 2q)h*_k̄(x + c_k) + 6 w_k c_k·u_w             interpolated, q < ½
//! (h*_k̄ + (2q − 1)h*_k + 6 w_k c_k·u_w)/(2q)                  interpolated, q ≥ ½
//! force on the solid = −Σ c_k(h_k + h*_k̄)    over these links: momentum exchange
//! ```
//!
//! h* is what the site at x sent, and qc_k reaches from the surface to x.
//!
//!
//! Deviations from rest are exchanged, so forces are those of the pressure above that at rest.
//! What stands in solid cells after streaming is what the fluid has just sent there; they collide
//! with the others of their row, and nothing of that ever reaches the fluid.
//!
//! References: A. J. C. Ladd, *Numerical simulations of particulate suspensions via a discretized
//! Boltzmann equation*, 1994, <https://doi.org/10.1017/S0022112094001771>; M. Bouzidi, M.
//! Firdaouss, P. Lallemand, *Momentum transfer of a Boltzmann-lattice fluid with boundaries*, 2001,
//! <https://doi.org/10.1063/1.1399290>.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use super::input::make;
use super::lattice::{Lattice, opposite};
use super::params::{Bounce, LbmParams};
use super::{Lbm, push, sides};
use crate::base::{ring::Ring, snapshot::Snapshot};
use crate::solid::Body;
use crate::{Boundary, Error, Field, Grid, Real, Side};

/// One population of one cell that comes back from a solid.
#[derive(Debug, Clone, Copy)]
struct Link<T, const D: usize> {
    /// The cell of fluid.
    to: usize,
    k: usize,
    owner: u32,
    added: T,
    /// From the body's centre to where the link is half-way, cells.
    arm: [T; D],
    /// The share of what was sent there, and what is interpolated with.
    share: T,
    other: Option<Other>,
}

/// A population beside a link, whose share is what the link's leaves.
#[derive(Debug, Clone, Copy)]
struct Other {
    at: usize,
    k: usize,
}

/// No solid.
const FLUID: u32 = 0;
/// A cell closed by hand.
const CLOSED: u32 = 1;
/// The first body.
const BODIES: u32 = 2;

/// The place of a cell in a solid, and the solid's velocity there in lattice units.
type Covered<T, const D: usize> = (usize, [T; D]);

/// The solids of a simulation.
#[derive(Debug, Clone)]
pub(super) struct Obstacles<T, const D: usize> {
    pub(super) bodies: Vec<Body<T, D>>,
    /// As they were when the cells were last looked at.
    seen: Vec<Body<T, D>>,
    closed: Vec<u8>,
    stale: bool,
    /// What covers each place.
    owner: Vec<u32>,
    /// The covered cells.
    covered: Vec<Covered<T, D>>,
    links: Vec<Link<T, D>>,
    /// Of each body, the momentum and the angular momentum that it got, in lattice units.
    exchanged: Vec<([T; D], [T; 3])>,
    /// The momentum that cells closed by hand got.
    by_closed: [T; D],
    /// The mean force on them in the last call, N.
    on_closed: [T; D],
}

impl<T: Real, const D: usize> Obstacles<T, D> {
    pub(super) fn new(grid: &Grid<T, D>) -> Self {
        Self {
            bodies: Vec::new(),
            seen: Vec::new(),
            closed: vec![0; grid.array_len()],
            stale: false,
            owner: vec![FLUID; grid.array_len()],
            covered: Vec::new(),
            links: Vec::new(),
            exchanged: Vec::new(),
            by_closed: [T::zero(); D],
            on_closed: [T::zero(); D],
        }
    }

    /// Closes the cells where `mask` holds, and opens the others.
    pub(super) fn close_cells(
        &mut self,
        grid: &Grid<T, D>,
        mut mask: impl FnMut([usize; D]) -> bool,
    ) {
        for_each_cell(grid, |cell, i| self.closed[i] = u8::from(mask(cell)));
        self.stale = true;
    }

    /// Whether a place is in a solid.
    pub(super) fn is_solid(&self, i: usize) -> bool {
        self.owner[i] != FLUID
    }

    /// Whether a body is not where it was.
    pub(super) fn changed(&self) -> bool {
        let same = |a: &Body<T, D>, b: &Body<T, D>| {
            a.shape == b.shape
                && a.position == b.position
                && a.rotation() == b.rotation()
                && a.velocity == b.velocity
                && a.angular_velocity == b.angular_velocity
        };
        self.stale
            || self.bodies.len() != self.seen.len()
            || !self.bodies.iter().zip(&self.seen).all(|(a, b)| same(a, b))
    }

    /// Looks which cells are covered now, and returns those that no longer are, with the velocity of
    /// what covered them. Velocities are scaled to lattice units by `scale`.
    pub(super) fn update<L: Lattice<D, Q>, const Q: usize>(
        &mut self,
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
        scale: T,
    ) -> Vec<Covered<T, D>> {
        let mut uncovered = mem::take(&mut self.covered);
        for_each_cell(grid, |cell, i| {
            let center = grid.center(cell);
            let owner = self.owner_of(center, i);
            self.owner[i] = owner;
            if owner != FLUID {
                self.covered.push((i, self.velocity_of(owner, center, scale)));
            }
        });
        uncovered.retain(|(i, _)| self.owner[*i] == FLUID);
        self.links.clear();
        for_each_cell(grid, |cell, to| {
            for k in (1..Q).filter(|_| self.owner[to] == FLUID) {
                self.links.extend(self.link::<L, Q>(grid, params, (cell, to), k, scale));
            }
        });
        self.seen.clone_from(&self.bodies);
        self.stale = false;
        uncovered
    }

    /// What comes back to a cell of fluid as population number `k`, where that is from a solid.
    fn link<L: Lattice<D, Q>, const Q: usize>(
        &self,
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
        (cell, to): ([usize; D], usize),
        k: usize,
        scale: T,
    ) -> Option<Link<T, D>> {
        let c = L::VELOCITIES[k];
        let solid = source(grid, &params.boundary, cell, c)?;
        let owner = self.owner[grid.index(solid)];
        if owner == FLUID {
            return None;
        }
        // Where they are beside each other, also across a periodic side.
        let (mut near, far) = (grid.center(cell), grid.center(solid));
        for a in 0..D {
            if cell[a].abs_diff(solid[a]) > 1 {
                near[a] = far[a] + T::of(f64::from(c[a])) * grid.dx();
            }
        }
        let half = T::of(0.5) * grid.dx();
        let point: [T; D] = core::array::from_fn(|a| near[a] - half * T::of(f64::from(c[a])));
        let velocity = self.velocity_of(owner, point, scale);
        let mut added = T::zero();
        for a in 0..D {
            added += T::of(6.0 * L::WEIGHTS[k] * f64::from(c[a])) * velocity[a];
        }
        let mut link =
            Link { to, k, owner, added, arm: [T::zero(); D], share: T::one(), other: None };
        let Some(body) = self.body(owner) else { return Some(link) };
        link.arm = core::array::from_fn(|a| (point[a] - body.position[a]) / grid.dx());
        let next = source(grid, &params.boundary, cell, c.map(|c| -c));
        let room = next.is_some_and(|next| !self.is_solid(grid.index(next)));
        Some(match params.bounce {
            Bounce::Interpolated if room => {
                interpolated::<T, L, D, Q>(grid, body, link, [near, far])
            }
            _ => link,
        })
    }

    fn body(&self, owner: u32) -> Option<&Body<T, D>> {
        self.bodies.get(owner.checked_sub(BODIES)? as usize)
    }

    /// The velocity of what covers a point, times `scale`.
    fn velocity_of(&self, owner: u32, point: [T; D], scale: T) -> [T; D] {
        self.body(owner).map_or([T::zero(); D], |body| body.velocity_at(point).map(|v| v * scale))
    }

    fn owner_of(&self, center: [T; D], i: usize) -> u32 {
        if self.closed[i] != 0 {
            return CLOSED;
        }
        let inside = |b: &Body<T, D>| b.signed_distance(center) < T::zero();
        self.bodies.iter().position(inside).map_or(FLUID, |n| n as u32 + BODIES)
    }

    /// Lets populations come back from solids.
    pub(super) fn bounce<L: Lattice<D, Q>, const Q: usize>(
        &mut self,
        grid: &Grid<T, D>,
        populations: &mut [Ring<T>; Q],
    ) {
        for link in &self.links {
            let Link { to, k, owner, added, arm: from_center, share, other } = *link;
            let behind = to.wrapping_add_signed(-sides::step::<T, L, D, Q>(grid, k));
            let sent = populations[opposite(k)].get(behind);
            let back = match other {
                Some(Other { at, k }) => {
                    share * sent + (T::one() - share) * populations[k].get(at) + added
                }
                None => sent + added,
            };
            populations[k].set(to, back);
            let Some(number) = owner.checked_sub(BODIES) else {
                for a in 0..D {
                    self.by_closed[a] -= T::of(f64::from(L::VELOCITIES[k][a])) * (sent + back);
                }
                continue;
            };
            let number = number as usize;
            let (mut push, mut arm) = ([T::zero(); 3], [T::zero(); 3]);
            for a in 0..D {
                let c = T::of(f64::from(L::VELOCITIES[k][a]));
                push[a] = -c * (sent + back);
                arm[a] = from_center[a];
            }
            let (force, torque) = &mut self.exchanged[number];
            for a in 0..D {
                force[a] += push[a];
            }
            for a in 0..3 {
                let [b, c] = [(a + 1) % 3, (a + 2) % 3];
                torque[a] += arm[b] * push[c] - arm[c] * push[b];
            }
        }
    }

    /// Forgets what bodies have got.
    fn forget_exchange(&mut self) {
        self.exchanged.clear();
        self.exchanged.resize(self.bodies.len(), ([T::zero(); D], [T::zero(); 3]));
        self.by_closed = [T::zero(); D];
    }

    /// Adds the mean force and torque of `count` steps to the bodies; a momentum exchanged in one
    /// step is worth `scale` newtons, cells are `dx` wide.
    pub(super) fn push_bodies(&mut self, count: usize, scale: T, dx: T) -> Result<(), Error> {
        let share = scale / T::of_usize(count);
        self.on_closed = self.by_closed.map(|j| j * share);
        for (body, (force, torque)) in self.bodies.iter_mut().zip(&self.exchanged) {
            for a in 0..D {
                body.force[a] += force[a] * share;
            }
            for a in 0..3 {
                body.torque[a] += torque[a] * share * dx;
            }
        }
        self.bodies.iter().try_for_each(Body::check)
    }

    /// Forgets what stands in solid cells.
    pub(super) fn clear<const Q: usize>(&self, populations: &mut [Ring<T>; Q]) {
        for ring in populations {
            for (i, _) in &self.covered {
                ring.set(*i, T::zero());
            }
        }
    }

    /// Nothing flows in solid cells.
    pub(super) fn clear_fields(&self, pressure: &mut Field<T, D>, velocity: &mut [Field<T, D>; D]) {
        for field in core::iter::once(pressure).chain(velocity) {
            let values = field.as_mut_slice();
            for (i, _) in &self.covered {
                values[*i] = T::zero();
            }
        }
    }

    /// Adds solids to a snapshot: what bodies do, which cells are closed by hand, and which were
    /// covered when the last step looked, because whatever is uncovered from then on is filled.
    pub(super) fn snapshot(&self, grid: &Grid<T, D>, snapshot: Snapshot<T>) -> Snapshot<T> {
        let places = || grid.interior().places();
        let snapshot = snapshot
            .with_bits("closed cells", places().map(|i| self.closed[i] != 0))
            .with_bits("solid cells", places().map(|i| self.is_solid(i)))
            .with_values("solid motion", self.covered.iter().flat_map(|(_, velocity)| *velocity));
        Body::snapshot_all(&self.bodies, snapshot)
    }

    /// Takes over what a snapshot says of solids, or nothing. The next step looks at all cells.
    pub(super) fn restore(
        &mut self,
        grid: &Grid<T, D>,
        snapshot: &Snapshot<T>,
    ) -> Result<(), Error> {
        let cells = || grid.interior().places();
        let closed = snapshot.bits("closed cells", grid.cell_count())?;
        let solid = snapshot.bits("solid cells", grid.cell_count())?;
        let solid: Vec<usize> = cells().zip(solid).filter(|(_, s)| *s).map(|(i, _)| i).collect();
        let motion = snapshot.values_exactly("solid motion", D * solid.len())?;
        self.bodies = Body::restored_all(&self.bodies, snapshot)?;
        cells().zip(closed).for_each(|(i, closed)| self.closed[i] = u8::from(closed));
        self.owner.fill(FLUID);
        solid.iter().for_each(|i| self.owner[*i] = CLOSED);
        let velocities = motion.as_chunks().0.iter().copied();
        self.covered = solid.into_iter().zip(velocities).collect();
        self.stale = true;
        self.on_closed = [T::zero(); D];
        Ok(())
    }
}

impl<T, L, const D: usize, const Q: usize> Lbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    /// The mean force on the cells closed by hand, all together, in the last call of `step` or
    /// `advance` that did a lattice step, N; 0 before and after a snapshot was restored.
    pub fn force_on_closed_cells(&self) -> [T; D] {
        self.obstacles.on_closed
    }

    /// Finds the cells of solids where they have changed, and fills those that they have left.
    pub(super) fn look_at_solids(&mut self) {
        self.obstacles.forget_exchange();
        if !self.obstacles.changed() {
            return;
        }
        let scale = T::one() / self.scales.velocity;
        let uncovered = self.obstacles.update::<L, Q>(&self.grid, &self.params, scale);
        for (i, velocity) in uncovered {
            let none = [[T::zero(); D]; D];
            let f = push(&self.params, &self.scales, &self.force).at(i);
            let density = self.density_around(i);
            let h = make::<T, L, D, Q>(&self.params, density, velocity, f, &none);
            for (ring, h) in self.populations.iter_mut().zip(h) {
                ring.set(i, h);
            }
        }
        self.obstacles.clear(&mut self.populations);
    }

    /// The mean δρ of the cells beside a place that were fluid.
    fn density_around(&self, i: usize) -> T {
        let (mut sum, mut count) = (T::zero(), 0);
        let cell = self.grid.cell_at(i);
        for c in L::VELOCITIES {
            let beside: [usize; D] =
                core::array::from_fn(|a| cell[a].wrapping_add_signed(isize::from(c[a])));
            // What was not fluid before has no pressure yet.
            let pressure = self.pressure.get(beside).filter(|p| *p != T::zero());
            if let Some(pressure) = pressure.filter(|_| !self.is_solid(beside)) {
                sum += pressure / self.scales.pressure;
                count += 1;
            }
        }
        if count == 0 { T::zero() } else { sum / T::of_usize(count) }
    }

    /// Adds to the bodies' force and torque.
    pub(super) fn push_bodies(&mut self, count: usize) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        let LbmParams { rest_density, time_step, .. } = self.params;
        let dx = self.grid.dx();
        let mass = (0..D).fold(rest_density, |mass, _| mass * dx);
        let scale = mass * self.scales.velocity / time_step;
        let step = self.steps - 1;
        self.obstacles.push_bodies(count, scale, dx).map_err(|_| Error::Unstable {
            step,
            field: "the force on a body",
            place: [0; 3],
        })
    }
}

/// A link between a cell of fluid and one of a body, whose centres are given, with the body's surface
/// where it is.
fn interpolated<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    grid: &Grid<T, D>,
    body: &Body<T, D>,
    link: Link<T, D>,
    centers: [[T; D]; 2],
) -> Link<T, D> {
    let [near, far] = centers.map(|point| body.signed_distance(point));
    let twice = T::of(2.0) * near / (near - far);
    if twice < T::one() {
        let other = Some(Other { at: link.to, k: opposite(link.k) });
        return Link { share: twice, other, ..link };
    }
    let share = T::one() / twice;
    let at = link.to.wrapping_add_signed(sides::step::<T, L, D, Q>(grid, link.k));
    Link { share, added: share * link.added, other: Some(Other { at, k: link.k }), ..link }
}

/// The cell that a population of velocity `c` comes to `cell` from, across periodic and free-slip
/// sides; `None` beyond others.
fn source<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    boundary: &Boundary<T, D>,
    mut cell: [usize; D],
    c: [i8; D],
) -> Option<[usize; D]> {
    for a in 0..D {
        let n = grid.cells()[a];
        let next = cell[a].wrapping_add_signed(-isize::from(c[a]));
        if next < n {
            cell[a] = next;
            continue;
        }
        match boundary.sides[a][usize::from(c[a] < 0)] {
            Side::Periodic => cell[a] = if c[a] > 0 { n - 1 } else { 0 },
            Side::FreeSlip => {}
            _ => return None,
        }
    }
    Some(cell)
}

/// Every cell, and where it lies.
pub(super) fn for_each_cell<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    mut f: impl FnMut([usize; D], usize),
) {
    let region = grid.interior();
    for n in 0..region.rows() {
        let row = region.row(n);
        let mut cell = row.at.map(|i| i - 1);
        for i in 0..row.len {
            cell[0] = i;
            f(cell, row.start + i);
        }
    }
}
