//! Arrays that move as a whole in no time.
//!
//! A [`Ring`] shifted by s holds at place i what stood at i − s before; only the number of its first
//! place changes. What is carried along by one constant step, as the populations of lattice
//! Boltzmann are, needs neither a second array nor a copy.

use alloc::vec;
use alloc::vec::Vec;

/// An array whose place i is stored at i + head, modulo its length.
///
/// ```
/// use fluid_num::base::ring::Ring;
/// let mut ring = Ring::new(5, 0);
/// ring.set(1, 7);
/// ring.shift(3);
/// assert_eq!(ring.get(4), 7);
/// ring.shift(-5);
/// assert_eq!(ring.get(4), 7);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ring<T> {
    data: Vec<T>,
    head: usize,
}

impl<T: Copy> Ring<T> {
    /// `len` times `value`.
    pub fn new(len: usize, value: T) -> Self {
        Self { data: vec![value; len], head: 0 }
    }

    /// The number of places.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there is no place.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Moves what stands at any place `by` places on, around the end.
    pub fn shift(&mut self, by: isize) {
        if let Some(by) = by.checked_rem_euclid(self.data.len() as isize) {
            let before = self.data.len() - by as usize;
            self.head = wrapped(self.head + before, self.data.len());
        }
    }

    /// The value at place `i`, which must exist.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        self.data[wrapped(i + self.head, self.data.len())]
    }

    /// Sets the value at place `i`, which must exist.
    #[inline(always)]
    pub fn set(&mut self, i: usize, value: T) {
        let at = wrapped(i + self.head, self.data.len());
        self.data[at] = value;
    }

    /// The values at `len` places from `start` on: those before the end of the memory, and the
    /// others.
    #[inline(always)]
    pub fn span(&self, start: usize, len: usize) -> [&[T]; 2] {
        let at = wrapped(start + self.head, self.data.len());
        let first = len.min(self.data.len() - at);
        [&self.data[at..][..first], &self.data[..len - first]]
    }

    /// Copies into `to` what stands from place `start` on.
    #[inline(always)]
    pub fn read(&self, start: usize, to: &mut [T]) {
        let [first, rest] = self.span(start, to.len());
        let (head, tail) = to.split_at_mut(first.len());
        head.copy_from_slice(first);
        tail.copy_from_slice(rest);
    }

    /// The whole ring, to be cut in parts.
    pub fn as_arc(&mut self) -> Arc<'_, T> {
        let (second, first) = self.data.split_at_mut(self.head);
        Arc { first, second }
    }

    /// Takes over the values and the head of a ring of the same length, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.head = other.head;
        self.data.copy_from_slice(&other.data);
    }
}

#[inline(always)]
fn wrapped(i: usize, len: usize) -> usize {
    if i < len { i } else { i - len }
}

/// Consecutive places of a [`Ring`], where at most one break between neighbours is.
#[derive(Debug)]
pub struct Arc<'a, T> {
    first: &'a mut [T],
    second: &'a mut [T],
}

impl<T> Default for Arc<'_, T> {
    fn default() -> Self {
        Self { first: Default::default(), second: Default::default() }
    }
}

impl<'a, T> Arc<'a, T> {
    /// The places before `at` and those from `at` on.
    pub fn split(self, at: usize) -> [Self; 2] {
        let Self { first, second } = self;
        if at <= first.len() {
            let (lower, first) = first.split_at_mut(at);
            [Self { first: lower, second: Default::default() }, Self { first, second }]
        } else {
            let (lower, upper) = second.split_at_mut(at - first.len());
            [Self { first, second: lower }, Self { first: upper, second: Default::default() }]
        }
    }
}

impl<T: Copy> Arc<'_, T> {
    /// Copies into `to` what stands from place `start` on.
    #[inline(always)]
    pub fn read(&self, start: usize, to: &mut [T]) {
        let before = self.first.len();
        if start + to.len() <= before {
            to.copy_from_slice(&self.first[start..start + to.len()]);
        } else if start >= before {
            let start = start - before;
            to.copy_from_slice(&self.second[start..start + to.len()]);
        } else {
            let (head, tail) = to.split_at_mut(before - start);
            head.copy_from_slice(&self.first[start..]);
            tail.copy_from_slice(&self.second[..tail.len()]);
        }
    }

    /// Copies `from` to the places from `start` on.
    #[inline(always)]
    pub fn write(&mut self, start: usize, from: &[T]) {
        let before = self.first.len();
        if start + from.len() <= before {
            self.first[start..start + from.len()].copy_from_slice(from);
        } else if start >= before {
            let start = start - before;
            self.second[start..start + from.len()].copy_from_slice(from);
        } else {
            let (head, tail) = from.split_at(before - start);
            self.first[start..].copy_from_slice(head);
            self.second[..tail.len()].copy_from_slice(tail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_ring_reads_what_stood_before() {
        let n = 13;
        let mut ring = Ring::new(n, 0);
        for i in 0..n {
            ring.set(i, i);
        }
        let mut moved = 0_isize;
        for by in [0, 1, -1, 5, -12, 13, 40, -27] {
            ring.shift(by);
            moved += by;
            let expected = |i: usize| (i as isize - moved).rem_euclid(n as isize) as usize;
            assert!((0..n).all(|i| ring.get(i) == expected(i)));
            let mut copy = [0; 6];
            ring.read(4, &mut copy);
            assert!((0..6).all(|i| copy[i] == expected(4 + i)));
        }
    }

    #[test]
    fn parts_of_a_ring_are_the_ring() {
        for (head, cut) in [(0, 3), (4, 2), (4, 9), (4, 6), (9, 1)] {
            let mut ring = Ring::new(10, 0);
            ring.shift(-head);
            let [mut lower, mut upper] = ring.as_arc().split(cut);
            for i in 0..10 {
                let (part, at) = if i < cut { (&mut lower, i) } else { (&mut upper, i - cut) };
                part.write(at, &[i]);
            }
            assert!((0..10).all(|i| ring.get(i) == i));
            let mut arc = ring.as_arc();
            let mut copy = [0; 4];
            arc.read(3, &mut copy);
            assert_eq!(copy, [3, 4, 5, 6]);
            arc.write(2, &[30, 40, 50, 60, 70]);
            assert!(
                (0..10).all(|i| ring.get(i) == if (2..7).contains(&i) { i * 10 + 10 } else { i })
            );
        }
    }
}
