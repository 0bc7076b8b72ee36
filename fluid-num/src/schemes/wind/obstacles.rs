//! What stands in the way, and the shadow behind it.
//!
//! ```text
//! open = 0 in obstacles, else min(1, open upwind + Δx/shadow length)        upwind: one cell towards −A
//! ```

use alloc::vec::Vec;

use super::Wind;
use crate::grid::sample::{Lattice, linear};
use crate::solid::Shape;
use crate::{Error, Location, Real};

impl<T: Real, const D: usize> Wind<T, D> {
    /// The obstacles.
    pub fn obstacles(&self) -> &[Shape<T, D>] {
        &self.obstacles
    }

    /// Sets what stands in the way of the wind, at its place in the world: cells whose centre it
    /// covers have no wind, and those behind less of the ambient one.
    ///
    /// # Errors
    /// What [`Shape::check`] says; nothing is changed then.
    pub fn set_obstacles(&mut self, obstacles: Vec<Shape<T, D>>) -> Result<(), Error> {
        obstacles.iter().try_for_each(Shape::check)?;
        self.obstacles = obstacles;
        self.find_open();
        self.refresh();
        Ok(())
    }

    /// Closes, beside what obstacles cover, the cells on whose centre in the world `closed` says yes,
    /// such as all below a height map, and opens all others. They keep their place in the world;
    /// cells that come in when the volume moves are open until this is called again.
    ///
    /// ```
    /// use fluid_num::{Wind2, WindParams};
    /// let params = WindParams { ambient: [4.0, 0.0], ..Default::default() };
    /// let mut wind = Wind2::<f32>::new(params, [0.0; 2])?;
    /// let ground = |[x, y]: [f32; 2]| y < 0.3 * x;
    /// wind.close_cells(ground);
    /// assert_eq!(wind.sample([8.0, 0.2]), [0.0, 0.0]);
    /// if wind.follow([5.0, 1.0])? {
    ///     wind.close_cells(ground);
    /// }
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    pub fn close_cells(&mut self, mut closed: impl FnMut([T; D]) -> bool) {
        for i in self.grid.interior().places() {
            let closed = closed(self.center_in_world(i));
            self.closed.set(i, closed);
        }
        self.find_open();
        self.refresh();
    }

    /// How much of the ambient wind reaches a cell, counted from the lower corner of the volume: 0 in
    /// obstacles, 1 in the open; `None` outside.
    pub fn openness(&self, cell: [usize; D]) -> Option<T> {
        self.place_of(cell).map(|i| self.open.as_slice()[i])
    }

    pub(super) fn stop_in_obstacles(&mut self) {
        if !self.sheltered {
            return;
        }
        let open = self.open.as_slice();
        for work in &mut self.work {
            for (e, open) in work.as_mut_slice().iter_mut().zip(open) {
                if *open == T::zero() {
                    *e = T::zero();
                }
            }
        }
    }

    /// Finds how much of the ambient wind reaches each cell.
    pub(super) fn find_open(&mut self) {
        self.open.fill(T::one());
        self.sheltered = false;
        let closed = self.closed.span(0, self.closed.len());
        if self.obstacles.is_empty() && !closed.iter().any(|part| part.contains(&true)) {
            return;
        }
        let region = self.grid.interior();
        for i in region.places() {
            let covers = |o: &Shape<T, D>| o.signed_distance(self.center_in_world(i)) < T::zero();
            if self.closed.get(i) || self.obstacles.iter().any(covers) {
                self.open.as_mut_slice()[i] = T::zero();
                self.sheltered = true;
            }
        }
        if self.sheltered {
            self.cast_shadows();
        }
    }

    /// Behind an obstacle the wind comes back by the same share in every cell.
    fn cast_shadows(&mut self) {
        let (grid, ambient) = (self.grid, self.params.ambient);
        let speed = ambient.iter().fold(T::zero(), |s, a| s + *a * *a).sqrt();
        let against = ambient.map(|a| if speed > T::NEGLIGIBLE { -a / speed } else { T::zero() });
        let lattice = Lattice::clamped(&grid, Location::Center);
        let recovered = T::one() / self.params.shadow_length;
        let reach = self.params.shadow_length.ceil().truncate().max(1);
        for _ in 0..reach.min(grid.cells().iter().sum::<usize>() as i32) {
            let (from, to) = (&self.open, &mut self.path[0]);
            for i in grid.interior().places() {
                let at = grid.cell_at(i).map(|c| c + 1);
                let (index, f) = lattice.locate(at, against);
                let upwind = linear(from.as_slice(), grid.strides(), index, f);
                let here = from.as_slice()[i];
                to.as_mut_slice()[i] = here.at_most((upwind + recovered).at_most(T::one()));
            }
            core::mem::swap(&mut self.open, &mut self.path[0]);
        }
    }
}
