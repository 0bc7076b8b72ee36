//! The interface in space as triangles.
//!
//! Marching cubes without a table: on each side of a cube of eight neighbouring centres the line
//! between inside and outside is drawn as [`contour`](super::contour()) draws it, decided by the side's
//! own four values, so that two cubes draw the same line on the side that they share. The lines on the
//! six sides of a cube join to loops, and each loop is filled with triangles: two for four points, a
//! fan around their mean for more. The surface has no holes and no edge of more than two triangles,
//! whatever the values.
//!
//! Reference: W. E. Lorensen, H. E. Cline, *Marching cubes*, SIGGRAPH 1987,
//! <https://doi.org/10.1145/37401.37422>; the sides after G. M. Nielson, B. Hamann, *The asymptotic
//! decider*, 1991, <https://doi.org/10.1109/VISUAL.1991.175782>, with the mean for the saddle.

use alloc::vec::Vec;

use super::{Border, LevelSet};
use crate::base::exec::Region;
use crate::{Error, Real};

/// No vertex, no edge.
const NONE: u32 = u32::MAX;

/// The interface of a level set in space, as triangles that share their vertices.
///
/// Triangles run counterclockwise seen from outside. Vertices lie on the lines between neighbouring
/// centres, where φ is zero linearly: second order. No memory is taken for no more triangles and no
/// larger a grid than ever before.
///
/// ```
/// use fluid_num::level_set::{Border, SurfaceMesh};
/// use fluid_num::solid::Shape;
/// use fluid_num::{Boundary, Grid3, LevelSet};
/// let grid = Grid3::new([24; 3], 1.0 / 24.0)?;
/// let ball = LevelSet::from_shape(grid, &Boundary::walls(), &Shape::ball(0.3)?, [0.5; 3])?;
/// let mut mesh = SurfaceMesh::new();
/// mesh.extract(&ball, Border::Open)?;
/// for (p, n) in mesh.positions().iter().zip(mesh.normals()) {
///     let away: [f64; 3] = core::array::from_fn(|a| p[a] - 0.5);
///     let along: f64 = (0..3).map(|a| away[a] * n[a]).sum();
///     assert!((along - 0.3).abs() < 1e-2);
/// }
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SurfaceMesh<T> {
    positions: Vec<[T; 3]>,
    normals: Vec<[T; 3]>,
    triangles: Vec<[u32; 3]>,
    // Scratch.
    /// The vertex on the line from each centre along each axis.
    vertices: Vec<u32>,
}

/// The corners of the sides of a cube, counterclockwise seen from outside; the bits of a corner say
/// upper along x, y and z.
const SIDES: [[usize; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

impl<T: Real> SurfaceMesh<T> {
    /// No triangles.
    pub fn new() -> Self {
        Self {
            positions: Vec::new(),
            normals: Vec::new(),
            triangles: Vec::new(),
            vertices: Vec::new(),
        }
    }

    /// The vertices, m.
    pub fn positions(&self) -> &[[T; 3]] {
        &self.positions
    }

    /// The unit vector away from the inside at each vertex.
    pub fn normals(&self) -> &[[T; 3]] {
        &self.normals
    }

    /// The vertices of each triangle, counterclockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Finds the interface of `phi`, in place of what was there.
    ///
    /// With [`Border::Open`] it ends at the outermost centres; with [`Border::Closed`] it goes on to
    /// the sides of the domain and is closed there.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a level set that is not finite; the mesh is as before then.
    pub fn extract(&mut self, phi: &LevelSet<T, 3>, border: Border) -> Result<(), Error> {
        phi.field().check_finite("phi")?;
        self.positions.clear();
        self.normals.clear();
        self.triangles.clear();
        self.vertices.clear();
        self.vertices.resize(3 * phi.grid().array_len(), NONE);
        let cells = phi.grid().cells();
        // The lowest corner of each cube, in storage indices.
        let (lo, hi) = match border {
            Border::Open => ([1; 3], cells),
            Border::Closed => ([0; 3], cells.map(|n| n + 1)),
        };
        let cubes = Region { lo, hi, strides: phi.grid().strides() };
        let nodes = Nodes { phi, closed: border == Border::Closed };
        for row in (0..cubes.rows()).map(|n| cubes.row(n)) {
            let mut at = row.at;
            for i in 0..row.len {
                at[0] = row.at[0] + i;
                self.cut(&nodes, at);
            }
        }
        Ok(())
    }

    /// Adds the triangles of the cube whose lowest corner is `at`.
    fn cut(&mut self, nodes: &Nodes<'_, T>, at: [usize; 3]) {
        let corner = |c: usize| core::array::from_fn(|a| at[a] + (c >> a & 1));
        let mut values = [T::zero(); 8];
        let (mut any, mut all) = (false, true);
        for c in 0..8 {
            values[c] = nodes.value(corner(c));
            let inside = values[c] < T::zero();
            any |= inside;
            all &= inside;
        }
        if any == all {
            return;
        }
        let inside = |c: usize| values[c] < T::zero();
        // Which edge follows each edge; an edge is numbered by its lower corner and its axis.
        let mut next = [NONE; 24];
        for side in SIDES {
            let edge = |n: usize| {
                let (p, q) = (side[n], side[(n + 1) % 4]);
                3 * p.min(q) + (p ^ q).trailing_zeros() as usize
            };
            let [a, b, c, d] = side.map(|c| values[c]);
            // Summed so that the cube on the other side gets the same bits.
            let joined = (a + c) + (b + d) < T::zero();
            let ends = |n: &usize| inside(side[*n]) && !inside(side[(*n + 1) % 4]);
            let begins = |n: &usize| !inside(side[*n]) && inside(side[(*n + 1) % 4]);
            for from in (0..4).filter(ends) {
                let to = (1..4).map(|n| (from + if joined { n } else { 4 - n }) % 4).find(begins);
                if let Some(to) = to {
                    next[edge(to)] = edge(from) as u32;
                }
            }
        }
        for first in 0..24 {
            let mut ring = [0; 12];
            let (mut count, mut edge) = (0, first);
            while next[edge] != NONE && count < 12 {
                ring[count] = self.vertex(nodes, corner(edge / 3), edge % 3);
                count += 1;
                edge = core::mem::replace(&mut next[edge], NONE) as usize;
            }
            self.fill(&ring[..count]);
        }
    }

    /// Adds triangles within a ring of vertices.
    fn fill(&mut self, ring: &[u32]) {
        match *ring {
            [a, b, c] => self.triangles.push([a, b, c]),
            [a, b, c, d] => self.triangles.extend([[a, b, c], [a, c, d]]),
            [] | [_] | [_, _] => {}
            _ => {
                let middle = self.positions.len() as u32;
                let share = T::one() / T::of_usize(ring.len());
                let mean = |of: &[[T; 3]]| {
                    ring.iter().fold([T::zero(); 3], |sum, v| {
                        core::array::from_fn(|a| sum[a] + of[*v as usize][a] * share)
                    })
                };
                let (position, normal) = (mean(&self.positions), unit(mean(&self.normals)));
                self.positions.push(position);
                self.normals.push(normal);
                for n in 0..ring.len() {
                    self.triangles.push([middle, ring[n], ring[(n + 1) % ring.len()]]);
                }
            }
        }
    }

    /// The vertex on the line from centre `at` along `axis`.
    fn vertex(&mut self, nodes: &Nodes<'_, T>, at: [usize; 3], axis: usize) -> u32 {
        let key = 3 * nodes.index(at) + axis;
        if self.vertices[key] == NONE {
            self.vertices[key] = self.positions.len() as u32;
            let mut above = at;
            above[axis] += 1;
            let (a, b) = (nodes.value(at), nodes.value(above));
            // On the line even where differences leave the range of numbers.
            let share = (a / (a - b)).at_least(T::zero()).at_most(T::one());
            let grid = nodes.phi.grid();
            let position = core::array::from_fn(|c| {
                let along = if c == axis { share } else { T::zero() };
                grid.origin()[c] + (T::of_usize(at[c]) - T::of(0.5) + along) * grid.dx()
            });
            let mut normal = nodes.phi.normal(position);
            if nodes.is_beyond(at) || nodes.is_beyond(above) {
                // On a side of the domain.
                normal = [T::zero(); 3];
                normal[axis] = if a < T::zero() { T::one() } else { -T::one() };
            }
            self.positions.push(position);
            self.normals.push(normal);
        }
        self.vertices[key]
    }
}

/// φ at centres and, beyond the sides of the domain, where it closes them.
struct Nodes<'a, T: Real> {
    phi: &'a LevelSet<T, 3>,
    closed: bool,
}

impl<T: Real> Nodes<'_, T> {
    fn index(&self, at: [usize; 3]) -> usize {
        (0..3).map(|a| at[a] * self.phi.grid().strides()[a]).sum()
    }

    fn is_beyond(&self, at: [usize; 3]) -> bool {
        self.closed && (0..3).any(|a| at[a] == 0 || at[a] > self.phi.grid().cells()[a])
    }

    /// φ, and beyond a side, periodic or not, the magnitude of the nearest: what is inside ends at the
    /// side.
    fn value(&self, at: [usize; 3]) -> T {
        let values = self.phi.field().as_slice();
        if !self.is_beyond(at) {
            return values[self.index(at)];
        }
        let cells = self.phi.grid().cells();
        let nearest = core::array::from_fn(|a| at[a].clamp(1, cells[a]));
        values[self.index(nearest)].magnitude()
    }
}

fn unit<T: Real>(v: [T; 3]) -> [T; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    if length > T::NEGLIGIBLE { v.map(|c| c / length) } else { v }
}
