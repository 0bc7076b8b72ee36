//! What enters at the sides of the domain.
//!
//! After streaming, what left the domain stands in the ghost layer, and what should have come in
//! is not there. Each velocity's sites beside a set of sides form a box ([`Patch`]) that takes its
//! values from another population at a constant distance:
//!
//! ```text
//! periodic       h_k(x) = h_k(x + n)           n from side to side
//! no slip        h_k(x) = h_k̄(x − c_k)         what has just left towards the wall, half-way
//! moving wall    the same + 6 w_k c_k·u_w       in corners of several of them their mean
//! free slip      h_k(x) = h_k'(x − n)          k' mirrored by the wall, n the normal part of c_k
//! ```
//!
//! Sources lie outside the domain, targets inside: no order of patches matters.

use alloc::vec::Vec;

use super::lattice::{Lattice, opposite};
use crate::base::exec::Region;
use crate::base::ring::Ring;
use crate::{Boundary, Grid, Real, Side};

/// The sites that a population enters at through one set of sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch<T, const D: usize> {
    pub(super) region: Region<D>,
    pub(super) to: usize,
    pub(super) from: usize,
    /// How far the source lies behind the target in the array.
    pub(super) offset: isize,
    /// What a moving wall adds.
    pub(super) added: T,
}

/// The patches of all sides; velocities of walls are scaled to lattice units by `scale`. Where the
/// last axis is periodic and goes `around` by itself, nothing enters at its sides.
pub(super) fn patches<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    grid: &Grid<T, D>,
    boundary: &Boundary<T, D>,
    scale: T,
    around: bool,
) -> Vec<Patch<T, D>> {
    let mut patches = Vec::new();
    let around = around && boundary.sides[D - 1][0] == Side::Periodic;
    let sides = if around { D - 1 } else { D };
    for k in 1..Q {
        for through in 1..1_usize << sides {
            let axes: [bool; D] = core::array::from_fn(|a| through >> a & 1 == 1);
            if (0..D).all(|a| !axes[a] || L::VELOCITIES[k][a] != 0) {
                patches.extend(patch::<T, L, D, Q>(grid, boundary, scale, k, axes, sides));
            }
        }
    }
    patches.retain(|patch| !patch.region.is_empty());
    patches
}

/// The sites that velocity number `k` comes to from beyond the sides of all of `axes` and no other of
/// the first `sides` axes.
fn patch<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    grid: &Grid<T, D>,
    boundary: &Boundary<T, D>,
    scale: T,
    k: usize,
    axes: [bool; D],
    sides: usize,
) -> Option<Patch<T, D>> {
    let c = L::VELOCITIES[k];
    let strides = grid.strides();
    let mut region = grid.interior();
    let mut mirrored = c;
    let (mut shift, mut held, mut at_rest) = (0, false, false);
    let (mut added, mut moving) = (T::zero(), T::zero());
    for a in 0..D {
        let [lo, hi] = [region.lo[a], region.hi[a]];
        if !axes[a] {
            if a < sides {
                region.lo[a] += usize::from(c[a] > 0);
                region.hi[a] -= usize::from(c[a] < 0);
            }
            continue;
        }
        let end = usize::from(c[a] < 0);
        [region.lo[a], region.hi[a]] = if end == 0 { [lo, lo + 1] } else { [hi - 1, hi] };
        let back = isize::from(c[a]) * strides[a] as isize;
        match boundary.sides[a][end] {
            Side::Periodic => shift += back * (hi - lo) as isize,
            Side::FreeSlip => {
                mirrored[a] = -c[a];
                shift -= back;
            }
            Side::NoSlip => (held, at_rest) = (true, true),
            Side::Moving { velocity } => {
                held = true;
                moving += T::one();
                for b in 0..D {
                    let part = T::of(6.0 * L::WEIGHTS[k] * f64::from(c[b]));
                    added += part * velocity[b] * scale;
                }
            }
            // The whole site is made anew; till then it gets back what it sent.
            Side::Inflow { .. } | Side::Open => held = true,
        }
    }
    if moving > T::one() {
        // In the corner of walls that move, their mean.
        added /= moving;
    }
    if at_rest {
        // In the corner of a wall that moves and one that does not.
        added = T::zero();
    }
    if held {
        return Some(Patch {
            region,
            to: k,
            from: opposite(k),
            offset: -step::<T, L, D, Q>(grid, k),
            added,
        });
    }
    let from = L::VELOCITIES.iter().position(|other| *other == mirrored)?;
    Some(Patch { region, to: k, from, offset: shift, added })
}

/// How far velocity number `k` carries in the array in a step.
pub(super) fn step<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    grid: &Grid<T, D>,
    k: usize,
) -> isize {
    let c = L::VELOCITIES[k];
    (0..D).map(|a| isize::from(c[a]) * grid.strides()[a] as isize).sum()
}

impl<T: Real, const D: usize> Patch<T, D> {
    /// Lets the population in.
    pub(super) fn apply<const Q: usize>(&self, populations: &mut [Ring<T>; Q]) {
        let Self { region, to, from, offset, added } = *self;
        let first: usize = (0..D).map(|a| region.lo[a] * region.strides[a]).sum();
        let [_, y, z] =
            core::array::from_fn(
                |a| {
                    if a < D { (region.len(a), region.strides[a]) } else { (1, 0) }
                },
            );
        // Most rows are one cell long: their starts are counted, not computed.
        for plane in (0..z.0).map(|n| first + n * z.1) {
            for start in (0..y.0).map(|n| plane + n * y.1) {
                for i in start..start + region.len(0) {
                    let value = populations[from].get(i.wrapping_add_signed(offset));
                    populations[to].set(i, value + added);
                }
            }
        }
    }
}
