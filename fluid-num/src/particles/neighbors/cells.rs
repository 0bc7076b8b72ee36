//! Particles by cell: three structures that answer the same question, which particles may lie within
//! reach of a point.
//!
//! All three keep particles in **slots**, each cell's in consecutive ones, with copies of the
//! positions beside them, so that candidates are read in order.

use alloc::vec::Vec;
use core::ops::Range;

use super::super::domain::Domain;
use super::LANES;
use crate::{Error, Real};

/// The most cells of a dense grid; of a larger domain the cells are larger than the reach.
const MOST_CELLS: usize = 1 << 22;

/// The most ranges of slots that hold the candidates of a point: 3³ cells, and what overflowed.
pub(super) const MOST_RANGES: usize = 28;

/// How particles are found by place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellStructure {
    /// A dense grid over the domain, particles sorted by cell with a counting sort: the default, and
    /// the fastest. Memory grows with the domain's volume.
    #[default]
    Sorted,
    /// A dense grid with room for `capacity` particles in each cell, as in Niagara's neighbour grid.
    /// What does not fit goes to one common list that every search reads too: slower, never wrong;
    /// see [`Neighbors::overflowed`](super::Neighbors::overflowed).
    Fixed {
        /// The room in each cell, at least 1.
        capacity: usize,
    },
    /// A hash table of the cells that hold particles: memory grows with their number alone, so
    /// the domain may be as large as numbers go.
    Hashed,
}

/// The slots of a structure.
#[derive(Debug, Clone)]
pub(super) struct Slots<T, const D: usize> {
    pub(super) particle: Vec<u32>,
    pub(super) position: [Vec<T>; D],
}

impl<T: Real, const D: usize> Slots<T, D> {
    fn new() -> Self {
        Self { particle: Vec::new(), position: core::array::from_fn(|_| Vec::new()) }
    }

    /// Room for `len` slots, and lanes to spare: blocks of slots may begin at any of them.
    fn resize(&mut self, len: usize) {
        self.particle.resize(len + LANES, 0);
        self.position.iter_mut().for_each(|p| p.resize(len + LANES, T::zero()));
    }

    fn len(&self) -> usize {
        self.particle.len().saturating_sub(LANES)
    }

    fn put(&mut self, slot: usize, particle: usize, positions: [&[T]; D]) {
        self.particle[slot] = particle as u32;
        for a in 0..D {
            self.position[a][slot] = positions[a][particle];
        }
    }
}

/// Particles by cell.
#[derive(Debug, Clone)]
pub(super) struct Cells<T, const D: usize> {
    structure: CellStructure,
    lattice: Lattice<T, D>,
    pub(super) slots: Slots<T, D>,
    /// The number of the cell of each particle.
    cell_of: Vec<u32>,
    /// Where each cell's slots begin, and one entry more; with fixed capacity the number in each cell.
    starts: Vec<u32>,
    /// Slots that hold what did not fit.
    overflow: Range<usize>,
    /// Of the hash table.
    table: Table<D>,
}

impl<T: Real, const D: usize> Cells<T, D> {
    pub(super) fn new(domain: &Domain<T, D>, reach: T, structure: CellStructure) -> Self {
        let lattice = Lattice::new(domain, reach, structure == CellStructure::Hashed);
        Self {
            structure,
            lattice,
            slots: Slots::new(),
            cell_of: Vec::new(),
            starts: Vec::new(),
            overflow: 0..0,
            table: Table::new(),
        }
    }

    pub(super) fn overflowed(&self) -> usize {
        self.overflow.len()
    }

    /// Takes in the particles at `positions`.
    pub(super) fn assign(&mut self, positions: [&[T]; D]) -> Result<(), Error> {
        let count = positions.iter().map(|p| p.len()).min().unwrap_or(0);
        for i in 0..count {
            if !(0..D).all(|a| positions[a][i].is_finite()) {
                return Err(Error::NotFinite { name: "particle position", place: [i, 0, 0] });
            }
        }
        match self.structure {
            CellStructure::Sorted => self.sort(positions, count),
            CellStructure::Fixed { capacity } => self.fill(positions, count, capacity.max(1)),
            CellStructure::Hashed => self.hash(positions, count),
        }
        Ok(())
    }

    /// The counting sort, of cells whose numbers `cell_of` holds.
    fn scatter(&mut self, positions: [&[T]; D], count: usize, cells: usize) {
        let Self { starts, cell_of, slots, .. } = self;
        // starts[c + 1] is where the next particle of cell c goes, and in the end where c + 1 begins.
        starts.clear();
        starts.resize(cells + 2, 0);
        for cell in cell_of.iter() {
            starts[*cell as usize + 2] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        slots.resize(count);
        for (particle, cell) in cell_of.iter().enumerate() {
            let next = &mut starts[*cell as usize + 1];
            slots.put(*next as usize, particle, positions);
            *next += 1;
        }
    }

    fn number_cells(&mut self, positions: [&[T]; D], count: usize) {
        let Self { lattice, cell_of, .. } = self;
        cell_of.clear();
        cell_of.extend((0..count).map(|i| {
            let cell = lattice.cell(core::array::from_fn(|a| positions[a][i]));
            lattice.number(cell) as u32
        }));
    }

    fn sort(&mut self, positions: [&[T]; D], count: usize) {
        self.number_cells(positions, count);
        self.scatter(positions, count, self.lattice.cells());
    }

    fn fill(&mut self, positions: [&[T]; D], count: usize, capacity: usize) {
        self.number_cells(positions, count);
        let cells = self.lattice.cells();
        let Self { starts, cell_of, slots, overflow, .. } = self;
        starts.clear();
        starts.resize(cells, 0);
        let spill = cells * capacity;
        slots.resize(spill + count);
        let mut spilled = 0;
        for (particle, cell) in cell_of.iter().enumerate() {
            let cell = *cell as usize;
            let held = starts[cell] as usize;
            if held < capacity {
                slots.put(cell * capacity + held, particle, positions);
                starts[cell] += 1;
            } else {
                slots.put(spill + spilled, particle, positions);
                spilled += 1;
            }
        }
        *overflow = spill..spill + spilled;
    }

    fn hash(&mut self, positions: [&[T]; D], count: usize) {
        let Self { lattice, cell_of, table, .. } = self;
        table.clear(count);
        cell_of.clear();
        cell_of.extend((0..count).map(|i| {
            let cell = lattice.cell(core::array::from_fn(|a| positions[a][i]));
            table.find_or_insert(cell) as u32
        }));
        // As many cells as there may ever be with so many particles.
        self.starts.clear();
        self.starts.reserve(count + 2);
        self.scatter(positions, count, self.table.cells.len());
    }

    /// The particles in the order of their slots.
    pub(super) fn order(&self, order: &mut Vec<u32>) {
        order.clear();
        self.for_each_range(|range| order.extend_from_slice(&self.slots.particle[range]));
    }

    /// Says that the particles have been put into the order of [`Self::order`].
    pub(super) fn renumber(&mut self) {
        let mut number = 0;
        let all = self.slots.len();
        let Self { structure, slots, starts, overflow, .. } = self;
        let mut count_up = |range: Range<usize>| {
            for particle in &mut slots.particle[range] {
                *particle = number;
                number += 1;
            }
        };
        match structure {
            CellStructure::Fixed { capacity } => {
                for (cell, held) in starts.iter().enumerate() {
                    count_up(cell * *capacity..cell * *capacity + *held as usize);
                }
                count_up(overflow.clone());
            }
            _ => count_up(0..all),
        }
    }

    fn for_each_range(&self, mut visit: impl FnMut(Range<usize>)) {
        match self.structure {
            CellStructure::Fixed { capacity } => {
                for (cell, held) in self.starts.iter().enumerate() {
                    visit(cell * capacity..cell * capacity + *held as usize);
                }
                visit(self.overflow.clone());
            }
            _ => visit(0..self.slots.len()),
        }
    }

    /// The ranges of slots that hold all particles within reach of a point.
    #[inline]
    pub(super) fn candidates(&self, at: [T; D], found: &mut Candidates<D>) {
        let cell = self.lattice.cell(at);
        if found.cell == Some(cell) {
            return;
        }
        found.cell = Some(cell);
        found.count = 0;
        let around = self.lattice.around(cell);
        // Rows of cells along x: the product of what lies around along the other axes.
        let rows: usize = (1..D).map(|a| around[a].count).product();
        for row in 0..rows {
            let mut there = cell;
            let mut rest = row;
            for a in 1..D {
                there[a] = around[a].cells[rest % around[a].count];
                rest /= around[a].count;
            }
            self.row(there, &around[0], found);
        }
        if let CellStructure::Fixed { .. } = self.structure {
            found.push(self.overflow.clone());
        }
    }

    /// The ranges of the cells `along` x of the row of `there`.
    fn row(&self, mut there: [i32; D], along: &Around, found: &mut Candidates<D>) {
        match self.structure {
            CellStructure::Sorted => {
                // Consecutive cells have consecutive slots.
                let mut next = 0;
                while next < along.count {
                    let first = next;
                    while next + 1 < along.count && along.cells[next + 1] == along.cells[next] + 1 {
                        next += 1;
                    }
                    there[0] = along.cells[first];
                    let from = self.starts[self.lattice.number(there)];
                    there[0] = along.cells[next];
                    let to = self.starts[self.lattice.number(there) + 1];
                    found.push(from as usize..to as usize);
                    next += 1;
                }
            }
            CellStructure::Fixed { capacity } => {
                for x in &along.cells[..along.count] {
                    there[0] = *x;
                    let cell = self.lattice.number(there);
                    found.push(cell * capacity..cell * capacity + self.starts[cell] as usize);
                }
            }
            CellStructure::Hashed => {
                for x in &along.cells[..along.count] {
                    there[0] = *x;
                    if let Some(cell) = self.table.find(there) {
                        found.push(self.starts[cell] as usize..self.starts[cell + 1] as usize);
                    }
                }
            }
        }
    }
}

/// The ranges of slots of the last point's cell.
#[derive(Debug, Clone)]
pub(super) struct Candidates<const D: usize> {
    cell: Option<[i32; D]>,
    count: usize,
    ranges: [(u32, u32); MOST_RANGES],
}

impl<const D: usize> Candidates<D> {
    pub(super) fn new() -> Self {
        Self { cell: None, count: 0, ranges: [(0, 0); MOST_RANGES] }
    }

    fn push(&mut self, range: Range<usize>) {
        if !range.is_empty() && self.count < MOST_RANGES {
            self.ranges[self.count] = (range.start as u32, range.end as u32);
            self.count += 1;
        }
    }

    #[inline(always)]
    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges[..self.count]
    }
}

/// The cells around one along an axis, each once, in rising order but for what is wrapped.
#[derive(Debug, Clone, Copy)]
struct Around {
    cells: [i32; 3],
    count: usize,
}

/// How points become cells.
#[derive(Debug, Clone, Copy)]
struct Lattice<T, const D: usize> {
    lo: [T; D],
    /// Cells per metre.
    scale: [T; D],
    /// The number of cells along each axis; `None` where there is no end.
    size: [Option<i32>; D],
    periodic: [bool; D],
}

impl<T: Real, const D: usize> Lattice<T, D> {
    fn new(domain: &Domain<T, D>, reach: T, unbounded: bool) -> Self {
        // A hair more than the reach: rounding must not put a neighbour two cells away.
        let mut cell = reach * T::of(1.0 + 1e-4);
        let size_for = |a: usize, cell: T| {
            let fitting = (domain.size(a) / cell).at_most(T::of(1e6)).truncate();
            // Periodic cells make up the length exactly, so there are as many as fit whole.
            if domain.periodic[a] { fitting.max(1) } else { fitting + 1 }
        };
        if !unbounded {
            while (0..D).map(|a| size_for(a, cell) as f64).product::<f64>() > MOST_CELLS as f64 {
                cell *= T::of(1.25);
            }
        }
        let mut lattice = Self {
            lo: domain.lo,
            scale: [T::one() / cell; D],
            size: [None; D],
            periodic: domain.periodic,
        };
        for a in 0..D {
            if domain.periodic[a] {
                let size = size_for(a, cell);
                lattice.size[a] = Some(size);
                lattice.scale[a] = T::of_index(size) / domain.size(a);
            } else if !unbounded {
                lattice.size[a] = Some(size_for(a, cell));
            }
        }
        lattice
    }

    fn cells(&self) -> usize {
        self.size.iter().map(|s| s.unwrap_or(1) as usize).product()
    }

    /// The cell of a point; the outermost one for points beyond, which keeps neighbours neighbours.
    #[inline(always)]
    fn cell(&self, at: [T; D]) -> [i32; D] {
        let mut cell = [0; D];
        for a in 0..D {
            let index = (at[a] - self.lo[a]) * self.scale[a];
            cell[a] = match self.size[a] {
                Some(size) => index.at_least(T::zero()).truncate().min(size - 1),
                None => index.floor().truncate().clamp(-i32::MAX / 2, i32::MAX / 2),
            };
        }
        cell
    }

    #[inline(always)]
    fn number(&self, cell: [i32; D]) -> usize {
        let mut number = 0;
        for a in (0..D).rev() {
            number = number * self.size[a].unwrap_or(1) as usize + cell[a] as usize;
        }
        number
    }

    fn around(&self, cell: [i32; D]) -> [Around; D] {
        let mut around = [Around { cells: [0; 3], count: 0 }; D];
        for (a, around) in around.iter_mut().enumerate() {
            for offset in -1..=1 {
                let next = match self.size[a] {
                    Some(size) if self.periodic[a] => (cell[a] + offset).rem_euclid(size),
                    Some(size) if !(0..size).contains(&(cell[a] + offset)) => continue,
                    _ => cell[a] + offset,
                };
                if !around.cells[..around.count].contains(&next) {
                    around.cells[around.count] = next;
                    around.count += 1;
                }
            }
        }
        around
    }
}

/// A hash table from cells to consecutive numbers, in the order in which cells come.
#[derive(Debug, Clone)]
struct Table<const D: usize> {
    cells: Vec<[i32; D]>,
    /// One more than a cell's number; 0 for an empty place.
    places: Vec<u32>,
}

impl<const D: usize> Table<D> {
    fn new() -> Self {
        Self { cells: Vec::new(), places: Vec::new() }
    }

    fn clear(&mut self, most: usize) {
        self.cells.clear();
        self.cells.reserve(most);
        let places = (2 * most + 2).next_power_of_two();
        self.places.clear();
        self.places.resize(places, 0);
    }

    /// Where a cell is, or the empty place where it would be.
    #[inline]
    fn place(&self, cell: [i32; D]) -> usize {
        let mut hash = 0_u64;
        for c in cell {
            hash = (hash ^ u64::from(c as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
        }
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        while self.places[place] != 0 && self.cells[self.places[place] as usize - 1] != cell {
            place = (place + 1) & mask;
        }
        place
    }

    fn find(&self, cell: [i32; D]) -> Option<usize> {
        (self.places[self.place(cell)] as usize).checked_sub(1)
    }

    fn find_or_insert(&mut self, cell: [i32; D]) -> usize {
        let place = self.place(cell);
        if self.places[place] == 0 {
            self.cells.push(cell);
            self.places[place] = self.cells.len() as u32;
        }
        self.places[place] as usize - 1
    }
}
