//! How layers of moments become the next ones.

use core::marker::PhantomData;

use super::super::collide::{BLOCK, Block, Regularising};
use super::super::expansion::Moments;
use super::super::force::Push;
use super::super::lattice::Lattice;
use super::super::sides::{Patch, step};
use super::super::solids::Link;
use crate::base::exec::{BlockPass, Wide};
use crate::{Grid, Real};

/// The number of layers that are worked on one after the other.
pub(super) const BAND: usize = 64;

/// The most moments of a cell.
const MOST: usize = 10;

/// Where things stand. A layer holds all places of one index along the last axis; its moments stand one
/// kind after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layers<const D: usize> {
    /// The number of layers.
    pub(super) count: usize,
    /// The number of places of a layer.
    len: usize,
    /// The number of rows of a layer, and their distance.
    rows: usize,
    stride: usize,
    /// The number of cells of a row.
    cells: usize,
}

impl<const D: usize> Layers<D> {
    /// The number of moments of a cell.
    const MOMENTS: usize = 1 + D + D * (D + 1) / 2;

    pub(super) fn new<T: Real>(grid: &Grid<T, D>) -> Self {
        let (cells, strides) = (grid.cells(), grid.strides());
        let (count, len, cells_x) = (cells[D - 1], strides[D - 1], cells[0]);
        let rows = if D == 3 { cells[1] } else { 1 };
        let stride = if D == 3 { strides[1] } else { 0 };
        Self { count, len, rows, stride, cells: cells_x }
    }

    /// The number of values of a layer of moments.
    pub(super) fn moments_len(&self) -> usize {
        Self::MOMENTS * self.len
    }

    /// The number of values of three layers of populations.
    pub(super) fn populations_len<const Q: usize>(&self) -> usize {
        3 * Q * self.len
    }

    /// Where in a layer its row number `row` begins.
    fn row(&self, row: usize) -> usize {
        (row + usize::from(D == 3)) * self.stride + 1
    }

    /// Where in the grid the places of a layer begin; beyond the ends come those of the other end.
    fn start(&self, layer: usize) -> usize {
        ((layer + self.count - 1) % self.count + 1) * self.len
    }

    /// The layer of a place of the grid, and the place in the layer.
    fn split(&self, place: usize) -> [usize; 2] {
        [place / self.len, place % self.len]
    }

    /// Where the populations number `k` of layer `layer` stand.
    fn slot<const Q: usize>(&self, layer: usize, k: usize) -> usize {
        (layer % 3 * Q + k) * self.len
    }

    /// The moments at a place of the grid.
    pub(super) fn get<T: Real>(&self, all: &[T], place: usize) -> Moments<T, D> {
        let [layer, i] = self.split(place);
        let mut values = [T::zero(); MOST];
        for m in 0..Self::MOMENTS {
            values[m] = all[(layer - 1) * self.moments_len() + m * self.len + i];
        }
        unpack(&values)
    }

    /// Sets the moments at a place of the grid.
    pub(super) fn put<T: Real>(&self, all: &mut [T], place: usize, moments: &Moments<T, D>) {
        let [layer, i] = self.split(place);
        let values = pack(moments);
        for m in 0..Self::MOMENTS {
            all[(layer - 1) * self.moments_len() + m * self.len + i] = values[m];
        }
    }

    pub(super) fn is_finite<T: Real>(&self, all: &[T], place: usize) -> bool {
        pack(&self.get(all, place)).iter().all(|m| m.is_finite())
    }

    /// The moments at a place of the grid, one after the other.
    pub(super) fn values<T: Real>(&self, all: &[T], place: usize) -> impl Iterator<Item = T> {
        pack(&self.get(all, place)).into_iter().take(Self::MOMENTS)
    }

    /// Sets the moments at a place to values that [`Self::values`] gave.
    pub(super) fn put_values<T: Real>(&self, all: &mut [T], place: usize, values: &[T]) {
        let mut padded = [T::zero(); MOST];
        padded[..values.len()].copy_from_slice(values);
        self.put(all, place, &unpack(&padded));
    }
}

#[inline(always)]
fn pack<T: Real, const D: usize>(moments: &Moments<T, D>) -> [T; MOST] {
    let mut values = [T::zero(); MOST];
    values[0] = moments.density;
    let mut next = 1 + D;
    for a in 0..D {
        values[1 + a] = moments.momentum[a];
        for b in a..D {
            values[next] = moments.flux[a][b];
            next += 1;
        }
    }
    values
}

#[inline(always)]
fn unpack<T: Real, const D: usize>(values: &[T; MOST]) -> Moments<T, D> {
    let mut moments =
        Moments { density: values[0], momentum: [T::zero(); D], flux: [[T::zero(); D]; D] };
    let mut next = 1 + D;
    for a in 0..D {
        moments.momentum[a] = values[1 + a];
        for b in a..D {
            moments.flux[a][b] = values[next];
            next += 1;
        }
    }
    moments
}

/// What comes in at sides: populations of some sites of a layer before streaming, which stand where those
/// beyond the sides would.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<T, const D: usize> {
    patch: Patch<T, D>,
    /// From the site that it enters at to where it is to stand, and to where it is: the number of
    /// layers, and of places in a layer.
    to: [isize; 2],
    from: [isize; 2],
}

impl<T: Real, const D: usize> Entry<T, D> {
    pub(super) fn new<L: Lattice<D, Q>, const Q: usize>(
        patch: &Patch<T, D>,
        grid: &Grid<T, D>,
    ) -> Self {
        let len = grid.strides()[D - 1];
        let site: usize = (0..D).map(|a| patch.region.lo[a] * patch.region.strides[a]).sum();
        let apart = |by: isize| {
            let other = site.wrapping_add_signed(by);
            let difference = |a: usize, b: usize| a as isize - b as isize;
            [difference(other / len, site / len), difference(other % len, site % len)]
        };
        let to = apart(-step::<T, L, D, Q>(grid, patch.to));
        let from = apart(patch.offset - step::<T, L, D, Q>(grid, patch.from));
        Self { patch: *patch, to, from }
    }

    /// Lets in what layer `layer` needs.
    #[inline(always)]
    fn apply<const Q: usize>(&self, layers: &Layers<D>, layer: usize, populations: &mut [T]) {
        let Patch { region, to, from, added, .. } = self.patch;
        if !(region.lo[D - 1]..region.hi[D - 1]).contains(&layer) {
            return;
        }
        let place = |k: usize, by: [isize; 2], at: usize| {
            let slot = layers.slot::<Q>(layer.wrapping_add_signed(by[0]), k);
            slot + at.wrapping_add_signed(by[1])
        };
        let rows = if D == 3 { region.lo[1]..region.hi[1] } else { 0..1 };
        for y in rows {
            let site = y * layers.stride + region.lo[0];
            let (to, from) = (place(to, self.to, site), place(from, self.from, site));
            for i in 0..region.len(0) {
                populations[to + i] = populations[from + i] + added;
            }
        }
    }
}

/// Collides and streams bands of layers.
pub(super) struct Sweep<'a, T, L, const FORCED: bool, const EDDIES: bool, const D: usize> {
    pub(super) rule: Regularising<T, FORCED, EDDIES>,
    pub(super) push: Push<'a, T, D>,
    pub(super) layers: Layers<D>,
    pub(super) entries: &'a [Entry<T, D>],
    pub(super) links: &'a [Link<T, D>],
    /// How far each velocity carries in the grid.
    pub(super) steps: &'a [isize],
    /// Of each band, the layer before and the one behind.
    pub(super) edges: &'a [T],
    pub(super) lattice: PhantomData<L>,
}

impl<T: Real, L, const FORCED: bool, const EDDIES: bool, const D: usize>
    Sweep<'_, T, L, FORCED, EDDIES, D>
{
    /// The populations that a layer of moments sends out.
    #[inline(always)]
    fn expand<const Q: usize>(&self, layer: usize, from: &[T], populations: &mut [T])
    where
        L: Lattice<D, Q>,
    {
        let Self { rule, push, layers, .. } = self;
        let (rule, start_of_layer) = (*rule, layers.start(layer));
        let mut force = push.uniform.map(|f| Block([f; BLOCK]));
        let nothing = Block([T::zero(); BLOCK]);
        let mut spare = [nothing; MOST];
        let mut after = [nothing; Q];
        for row in 0..layers.rows {
            for start in (0..layers.cells).step_by(BLOCK) {
                let len = BLOCK.min(layers.cells - start);
                let place = layers.row(row) + start;
                push.fill(start_of_layer + place, len, &mut force);
                let mut before = [&nothing.0; MOST];
                for (m, (before, spare)) in before.iter_mut().zip(&mut spare).enumerate() {
                    if m < Layers::<D>::MOMENTS {
                        *before = view(&from[m * layers.len + place..], len, spare);
                    }
                }
                for i in 0..BLOCK {
                    let mut values = [T::zero(); MOST];
                    for m in 0..Layers::<D>::MOMENTS {
                        values[m] = before[m][i];
                    }
                    let mut f = [T::zero(); D];
                    for a in 0..D {
                        f[a] = force[a].0[i];
                    }
                    let mut h = [T::zero(); Q];
                    rule.expansion::<L, D, Q>(unpack(&values), f).expand::<L, Q, true>(&mut h);
                    for k in 0..Q {
                        after[k].0[i] = h[k];
                    }
                }
                for k in 0..Q {
                    put(&mut populations[layers.slot::<Q>(layer, k) + place..], len, &after[k]);
                }
            }
        }
    }

    /// Lets in what comes back to a layer from solids: it stands where the solid would have sent it.
    #[inline(always)]
    fn bounce<const Q: usize>(&self, layer: usize, populations: &mut [T]) {
        let layers = &self.layers;
        let first = self.links.partition_point(|link| layers.split(link.to)[0] < layer);
        let here = self.links[first..].iter();
        for link in here.take_while(|link| layers.split(link.to)[0] == layer) {
            let [from, place] = layers.split(link.to.wrapping_add_signed(-self.steps[link.k]));
            populations[layers.slot::<Q>(from, link.k) + place] = link.back;
        }
    }

    /// The moments of what comes to a layer.
    #[inline(always)]
    fn gather<const Q: usize>(&self, layer: usize, populations: &[T], to: &mut [T])
    where
        L: Lattice<D, Q>,
    {
        let layers = &self.layers;
        let nothing = Block([T::zero(); BLOCK]);
        let mut spare = [nothing; Q];
        let mut after = [nothing; MOST];
        let mut starts = [0; Q];
        for k in 0..Q {
            let c = L::VELOCITIES[k];
            let from = layer.wrapping_add_signed(-isize::from(c[D - 1]));
            let rows = if D == 3 { isize::from(c[1]) * layers.stride as isize } else { 0 };
            let back = -(rows + isize::from(c[0]));
            starts[k] = layers.slot::<Q>(from, k).wrapping_add_signed(back);
        }
        for row in 0..layers.rows {
            for start in (0..layers.cells).step_by(BLOCK) {
                let len = BLOCK.min(layers.cells - start);
                let place = layers.row(row) + start;
                let mut before = [&nothing.0; Q];
                for ((before, start), spare) in before.iter_mut().zip(starts).zip(&mut spare) {
                    *before = view(&populations[start.wrapping_add(place)..], len, spare);
                }
                for i in 0..BLOCK {
                    let mut h = [T::zero(); Q];
                    for k in 0..Q {
                        h[k] = before[k][i];
                    }
                    let values = pack(&Moments::of::<L, Q, true>(&h));
                    for m in 0..Layers::<D>::MOMENTS {
                        after[m].0[i] = values[m];
                    }
                }
                for m in 0..Layers::<D>::MOMENTS {
                    put(&mut to[m * layers.len + place..], len, &after[m]);
                }
            }
        }
    }
}

/// The first `len` values, at most a block: where they stand, or in `spare`.
#[inline(always)]
fn view<'a, T: Copy>(from: &'a [T], len: usize, spare: &'a mut Block<T>) -> &'a [T; BLOCK] {
    match from.first_chunk() {
        Some(block) if len == BLOCK => block,
        _ => {
            spare.0[..len].copy_from_slice(&from[..len]);
            &spare.0
        }
    }
}

/// Copies the first `len` values of a block.
#[inline(always)]
fn put<T: Copy>(to: &mut [T], len: usize, from: &Block<T>) {
    match to.first_chunk_mut::<BLOCK>() {
        // Moves of known lengths stay where they are, and are no calls.
        Some(to) if len == BLOCK => {
            let (to, from) = (to.as_chunks_mut::<8>().0, from.0.as_chunks::<8>().0);
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from;
            }
        }
        _ => {
            for (to, from) in to.iter_mut().zip(&from.0[..len]) {
                *to = *from;
            }
        }
    }
}

/// The pass with its lattice's number of velocities.
pub(super) struct Counted<P, const Q: usize>(pub(super) P);

impl<T, L, const FORCED: bool, const EDDIES: bool, const D: usize, const Q: usize> BlockPass<T, T>
    for Counted<Sweep<'_, T, L, FORCED, EDDIES, D>, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    #[inline(always)]
    fn block(&self, number: usize, band: &mut [T], populations: &mut [T]) {
        let Self(sweep) = self;
        let layers = &sweep.layers;
        let len = layers.moments_len();
        let (first, count) = (number * BAND + 1, band.len() / len);
        let [below, above] = [0, 1].map(|n| &sweep.edges[(2 * number + n) * len..][..len]);
        sweep.expand::<Q>(first - 1, below, populations);
        sweep.expand::<Q>(first, &band[..len], populations);
        for n in 0..count {
            let next = if n + 1 < count { &band[(n + 1) * len..][..len] } else { above };
            sweep.expand::<Q>(first + n + 1, next, populations);
            for entry in sweep.entries {
                entry.apply::<Q>(layers, first + n, populations);
            }
            sweep.bounce::<Q>(first + n, populations);
            sweep.gather::<Q>(first + n, populations, &mut band[n * len..][..len]);
        }
    }
}

/// Finds the largest velocity component and the largest |δρ|; not a number where there is one.
pub(super) struct Extremes<'a, T, const D: usize> {
    pub(super) moments: &'a [T],
    pub(super) layers: &'a Layers<D>,
    pub(super) push: Push<'a, T, D>,
    pub(super) scale: T,
}

impl<T: Real, const D: usize> Wide for Extremes<'_, T, D> {
    type Output = [T; 2];

    #[inline(always)]
    fn run(self) -> [T; 2] {
        let Self { moments, layers, push, scale } = self;
        let [mut speed, mut most] = [T::zero(); 2];
        let mut force = push.uniform.map(|f| Block([f; BLOCK]));
        for (number, layer) in moments.chunks_exact(layers.moments_len()).enumerate() {
            for row in 0..layers.rows {
                for start in (0..layers.cells).step_by(BLOCK) {
                    let (len, place) = (BLOCK.min(layers.cells - start), layers.row(row) + start);
                    push.fill(layers.start(number + 1) + place, len, &mut force);
                    let values = |m: usize| &layer[m * layers.len + place..][..len];
                    let density = values(0);
                    for d in density {
                        most = most.worst(d.magnitude());
                    }
                    for a in 0..D {
                        let force = &force[a].0[..len];
                        for ((d, j), f) in density.iter().zip(values(1 + a)).zip(force) {
                            let u = (*j + T::of(0.5) * *f) * (T::one() / (T::one() + *d));
                            speed = speed.worst(u.magnitude());
                        }
                    }
                }
            }
        }
        [scale * speed, most]
    }
}
