//! What comes back from solids along the links that cut their surface.
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
//! References: A. J. C. Ladd, *Numerical simulations of particulate suspensions via a discretized
//! Boltzmann equation*, 1994, <https://doi.org/10.1017/S0022112094001771>; M. Bouzidi, M.
//! Firdaouss, P. Lallemand, *Momentum transfer of a Boltzmann-lattice fluid with boundaries*, 2001,
//! <https://doi.org/10.1063/1.1399290>.

use super::{FLUID, Obstacles, number};
use crate::schemes::lbm::lattice::{Lattice, opposite};
use crate::schemes::lbm::params::{Bounce, LbmParams};
use crate::solid::Body;
use crate::{Boundary, Grid, Real, Side};

/// One population of one cell that comes back from a solid.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Link<T, const D: usize> {
    /// The cell of fluid.
    pub(in super::super) to: usize,
    pub(in super::super) k: usize,
    owner: u32,
    added: T,
    /// From the body's centre to where the link is half-way, cells.
    arm: [T; D],
    /// The share of what was sent there, and what is interpolated with.
    share: T,
    other: Option<Sent>,
    /// What comes back in this step.
    pub(in super::super) back: T,
}

/// A population beside a link, whose share is what the link's leaves: the cell that sent it, and its
/// number.
#[derive(Debug, Clone, Copy)]
struct Sent {
    from: usize,
    k: usize,
}

impl<T: Real, const D: usize> Obstacles<T, D> {
    /// Computes what comes back to the fluid and what that gives to bodies; `sent` says what a cell
    /// of fluid sent out as its population of a number.
    pub(in super::super) fn exchange<L: Lattice<D, Q>, const Q: usize>(
        &mut self,
        mut sent: impl FnMut(usize, usize) -> T,
    ) {
        let Self { links, exchanged, by_closed, .. } = self;
        for link in links {
            let Link { to, k, owner, added, arm, share, other, .. } = *link;
            let there = sent(to, opposite(k));
            link.back = match other {
                Some(Sent { from, k }) => {
                    share * there + (T::one() - share) * sent(from, k) + added
                }
                None => there + added,
            };
            let push = L::VELOCITIES[k].map(|c| -T::of(f64::from(c)) * (there + link.back));
            match number(owner) {
                Some(number) => exchanged[number].add(push, arm),
                None => (0..D).for_each(|a| by_closed[a] += push[a]),
            }
        }
    }

    /// Finds all links.
    pub(super) fn connect<L: Lattice<D, Q>, const Q: usize>(
        &mut self,
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
        scale: T,
    ) {
        self.links.clear();
        super::for_each_cell(grid, |cell, to| {
            for k in (1..Q).filter(|_| self.owner[to] == FLUID) {
                self.links.extend(self.link::<L, Q>(grid, params, (cell, to), k, scale));
            }
        });
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
        let (solid, _) = source(grid, &params.boundary, cell, c)?;
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
        let (arm, back) = ([T::zero(); D], T::zero());
        let mut link = Link { to, k, owner, added, arm, share: T::one(), other: None, back };
        let Some(body) = self.body(owner) else { return Some(link) };
        link.arm = core::array::from_fn(|a| (point[a] - body.position[a]) / grid.dx());
        if params.bounce == Bounce::HalfWay {
            return Some(link);
        }
        // What comes to the cell from the other side, where that is fluid.
        let behind = source(grid, &params.boundary, cell, c.map(|c| -c)).and_then(|(cell, c)| {
            let from = grid.index(cell);
            let k = L::VELOCITIES.iter().position(|other| *other == c)?;
            (!self.is_solid(from)).then_some(Sent { from, k })
        });
        Some(behind.map_or(link, |behind| interpolated(body, link, [near, far], behind)))
    }
}

/// A link between a cell of fluid and one of a body, whose centres are given, with the body's surface
/// where it is.
fn interpolated<T: Real, const D: usize>(
    body: &Body<T, D>,
    link: Link<T, D>,
    centers: [[T; D]; 2],
    behind: Sent,
) -> Link<T, D> {
    let [near, far] = centers.map(|point| body.signed_distance(point));
    if near < T::zero() {
        // Beyond a periodic side, where the body is not continued.
        return link;
    }
    let twice = T::of(2.0) * near / (near - far);
    if twice < T::one() {
        return Link { share: twice, other: Some(behind), ..link };
    }
    let share = T::one() / twice;
    let other = Some(Sent { from: link.to, k: link.k });
    Link { share, added: share * link.added, other, ..link }
}

/// The cell that a population which comes to `cell` with velocity `c` was sent by, across periodic and
/// free-slip sides, and the velocity that it was sent with; `None` beyond other sides.
pub(super) fn source<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    boundary: &Boundary<T, D>,
    mut cell: [usize; D],
    mut c: [i8; D],
) -> Option<([usize; D], [i8; D])> {
    for a in 0..D {
        let n = grid.cells()[a];
        let next = cell[a].wrapping_add_signed(-isize::from(c[a]));
        if next < n {
            cell[a] = next;
            continue;
        }
        match boundary.sides[a][usize::from(c[a] < 0)] {
            Side::Periodic => cell[a] = if c[a] > 0 { n - 1 } else { 0 },
            Side::FreeSlip => c[a] = -c[a],
            _ => return None,
        }
    }
    Some((cell, c))
}
