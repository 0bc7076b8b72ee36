//! Disjoint sets of places.

use alloc::vec::Vec;

/// Sets of places, each of which has one as its root: its first.
#[derive(Debug, Clone)]
pub(crate) struct DisjointSets {
    /// For each place another one of its set that is nearer to the root, itself at the root.
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Every place alone.
    pub(crate) fn new(len: usize) -> Self {
        Self { parent: (0..len as u32).collect() }
    }

    /// Every place is alone again.
    pub(crate) fn part(&mut self) {
        for (n, parent) in self.parent.iter_mut().enumerate() {
            *parent = n as u32;
        }
    }

    /// Makes one set of those of two places.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        if self.parent[a] == self.parent[b] {
            return;
        }
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b) as u32;
    }

    /// Puts a place that is alone into the set of the one before it.
    pub(crate) fn follow(&mut self, place: usize) {
        self.parent[place] = self.parent[place - 1];
    }

    /// The root of the set of a place. Shortens the way to it.
    pub(crate) fn root(&mut self, mut place: usize) -> usize {
        while self.parent[place] as usize != place {
            self.parent[place] = self.parent[self.parent[place] as usize];
            place = self.parent[place] as usize;
        }
        place
    }

    /// The same, and leaves the way as it is.
    pub(crate) fn look_up(&self, mut place: usize) -> usize {
        while self.parent[place] as usize != place {
            place = self.parent[place] as usize;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_places_have_the_first_of_them_as_root() {
        let mut sets = DisjointSets::new(8);
        for (a, b) in [(6, 7), (3, 5), (5, 6), (1, 2), (2, 1)] {
            sets.join(a, b);
        }
        let roots: Vec<usize> = (0..8).map(|place| sets.root(place)).collect();
        assert_eq!(roots, [0, 1, 1, 3, 4, 3, 3, 3]);
        assert!((0..8).all(|place| sets.look_up(place) == roots[place]));
        sets.part();
        sets.join(2, 4);
        sets.follow(5);
        sets.follow(6);
        assert!([4, 5, 6].into_iter().all(|place| sets.root(place) == 2));
        sets.part();
        assert!((0..8).all(|place| sets.root(place) == place));
    }
}
