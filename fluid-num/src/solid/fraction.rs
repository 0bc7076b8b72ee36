//! How solid bodies cut a grid: the open part of faces and cells.
//!
//! ```text
//! φ(node) = min over bodies of their signed distance       nodes are the corners of cells
//! F(face) = share of the face where the interpolant of φ is positive, ∈ [0, 1]
//! V(cell) = share of the cell where the interpolant of φ is positive, ∈ [0, 1]
//! ```
//!
//! The interpolant is linear on edges and on the simplices between the corners and the mean of the
//! corners of each face and cell: exact for plane surfaces, second order for curved ones. A part
//! of a face below 1 % or above 99 % is snapped to closed or open, so that no cell hangs on a hair.
//! A cell is solid where all its faces are closed.
//!
//! Not modelled: a body thinner than a cell may fall between the nodes and let fluid through; a
//! body that crosses a periodic side needs a copy of itself at the opposite one.
//!
//! References: Y. T. Ng, C. Min and F. Gibou, An efficient fluid–solid coupling algorithm for
//! single-phase flows, J. Comput. Phys. 228 (2009), <https://doi.org/10.1016/j.jcp.2009.08.032>;
//! C. Batty, F. Bertails and R. Bridson, A fast variational framework for accurate solid-fluid
//! coupling, ACM Trans. Graph. 26 (2007), <https://doi.org/10.1145/1276377.1276502>.

use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::AtomicBool;

use super::body::{Body, Slip};
use super::cut::{BodyVelocity, Cut, CutCells, CutFaces, Enclosed, NoSlip, Nodes};
use crate::base::exec::{self, Region, Row};
use crate::{Error, Faces, Field, Grid, Real};

/// How many cells beyond its box a body is looked at.
const MARGIN: i32 = 2;

/// The open part of every face and cell of a grid, and the velocity of the solid there.
///
/// ```
/// use fluid_num::{Grid2, solid::{Body, Shape, Solids}};
/// let grid = Grid2::new([8, 8], 0.125)?;
/// let mut solids = Solids::new(grid);
/// let wall = Body::new(Shape::half_space([0.0, 1.0])?, [0.0, 0.3125])?;
/// solids.update(&[wall])?;
/// assert!(solids.is_solid([3, 1]) && !solids.is_solid([3, 2]));
/// assert_eq!(solids.open()[0][[3, 2]], 0.5); // the surface halves this face
/// assert_eq!(solids.cell_fraction()[[3, 2]], 0.5);
/// assert_eq!(solids.open()[1][[3, 2]], 0.0);
/// solids.update(&[])?;
/// assert!(!solids.any());
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Solids<T, const D: usize> {
    open: Faces<T, D>,
    velocity: Faces<T, D>,
    no_slip: [Vec<u8>; D],
    solid: Vec<u8>,
    fraction: Field<T, D>,
    /// Cells closed one by one.
    closed: Vec<u8>,
    any_closed: bool,
    nodes: Nodes<T, D>,
    layers: u32,
    /// The cells that the last update may have changed from open.
    touched: Option<Region<D>>,
    any: bool,
    generation: u64,
}

impl<T: Real, const D: usize> Solids<T, D> {
    /// Everything open.
    pub fn new(grid: Grid<T, D>) -> Self {
        let mut open = Faces::zeros(grid);
        open.fill(T::one());
        let mut fraction = Field::zeros(grid);
        fraction.fill(T::one());
        Self {
            open,
            velocity: Faces::zeros(grid),
            no_slip: core::array::from_fn(|_| vec![0; grid.array_len()]),
            solid: vec![0; grid.array_len()],
            fraction,
            closed: vec![0; grid.array_len()],
            any_closed: false,
            nodes: Nodes::new(&grid),
            layers: u32::MAX,
            touched: None,
            any: false,
            generation: 0,
        }
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<T, D> {
        self.open.grid()
    }

    /// Takes over the state of another of the same grid, without allocating.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for one of another grid.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        self.open.copy_from(&other.open)?;
        self.velocity.copy_from(&other.velocity)?;
        self.fraction.copy_from(&other.fraction)?;
        for a in 0..D {
            self.no_slip[a].copy_from_slice(&other.no_slip[a]);
        }
        self.solid.copy_from_slice(&other.solid);
        self.closed.copy_from_slice(&other.closed);
        self.nodes.copy_from(&other.nodes);
        self.any_closed = other.any_closed;
        self.layers = other.layers;
        self.touched = other.touched;
        self.any = other.any;
        self.generation = other.generation;
        Ok(())
    }

    /// The open part of every face, from 0 (closed) to 1 (open), ghosts included.
    pub fn open(&self) -> &Faces<T, D> {
        &self.open
    }

    /// The velocity of the nearest body, m/s, at every face that is not quite open; 0 elsewhere.
    pub fn velocity(&self) -> &Faces<T, D> {
        &self.velocity
    }

    /// The open part of every cell, from 0 to 1, ghosts included; 0 in solid cells.
    pub fn cell_fraction(&self) -> &Field<T, D> {
        &self.fraction
    }

    /// 1 for every face that a body of [`Slip::No`] cuts or covers, else 0, per axis in the padded
    /// layout of [`Grid`].
    pub fn no_slip(&self) -> [&[u8]; D] {
        self.no_slip.each_ref().map(Vec::as_slice)
    }

    /// 1 for every solid cell, else 0, in the padded layout of [`Grid`].
    pub fn solid_cells(&self) -> &[u8] {
        &self.solid
    }

    /// 1 for every cell closed by [`Solids::close_cells`], else 0, in the padded layout of [`Grid`].
    pub(crate) fn closed_cells(&self) -> &[u8] {
        &self.closed
    }

    /// Whether all faces of a cell are closed; `true` outside the grid.
    pub fn is_solid(&self, cell: [usize; D]) -> bool {
        let inside = (0..D).all(|a| cell[a] < self.grid().cells()[a]);
        !inside || self.solid[self.grid().index(cell)] != 0
    }

    /// The signed distance of the centre of the cell at storage indices to the bodies, m, where one is
    /// within two cells; up to eight cells elsewhere.
    pub(crate) fn distance(&self, cell: [usize; D]) -> T {
        self.nodes.at_center(cell)
    }

    /// The number of the body nearest to the lower face of the cell at storage indices along `axis`.
    pub(crate) fn nearest_body(&self, axis: usize, cell: [usize; D]) -> Option<usize> {
        self.nodes.nearest(axis, &Row { at: cell, start: 0, len: 1 }, 0)
    }

    /// Whether any face is not quite open.
    pub fn any(&self) -> bool {
        self.any
    }

    /// A number that grows whenever an open part of a face or cell changes, as what is built from
    /// them (a pressure matrix) then must; a change of velocity alone does not count.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The layers whose bodies count, a bit each; default all. Takes effect with the next
    /// [`Solids::update`].
    pub fn set_layers(&mut self, layers: u32) {
        self.layers = layers;
    }

    /// Closes every cell of the grid for which `mask` holds, at once and in every later
    /// [`Solids::update`], in addition to bodies and to what was closed before. Closed cells are at
    /// rest and free-slip; those along a side of the grid go on beyond it.
    pub fn close_cells(&mut self, mask: impl Fn([usize; D]) -> bool) {
        let grid = *self.grid();
        let region = padded(&grid);
        let cells = grid.cells();
        for n in 0..region.rows() {
            let row = region.row(n);
            for i in 0..row.len {
                let mut at = row.at;
                at[0] += i;
                let inner = core::array::from_fn(|a| at[a].clamp(1, cells[a]) - 1);
                if mask(inner) {
                    self.close(at);
                }
            }
        }
        let changed = AtomicBool::new(false);
        self.measure_cells(&region, &changed);
        self.finish(&region, changed.into_inner());
    }

    /// Forgets the cells closed by [`Solids::close_cells`]; they open with the next
    /// [`Solids::update`].
    pub fn clear_closed_cells(&mut self) {
        self.closed.fill(0);
        self.any_closed = false;
        self.touched = Some(padded(self.grid()));
    }

    /// Closes the faces of the cell at storage indices `at`.
    fn close(&mut self, at: [usize; D]) {
        let grid = *self.grid();
        let place: usize = (0..D).map(|a| at[a] * grid.strides()[a]).sum();
        self.closed[place] = 1;
        self.any_closed = true;
        for a in 0..D {
            // The upper faces of the last ghost cells are not stored.
            let ends = 1 + usize::from(at[a] <= grid.cells()[a]);
            for end in 0..ends {
                let face = place + end * grid.strides()[a];
                self.open[a].as_mut_slice()[face] = T::zero();
                self.velocity[a].as_mut_slice()[face] = T::zero();
                self.no_slip[a][face] = 0;
            }
        }
    }

    /// Cuts the grid with `bodies` where they now are. Costs what the boxes around them, now and
    /// at the last call, hold in cells; allocates nothing.
    ///
    /// # Errors
    /// What [`Body::check`] says of any body; everything is then as before.
    pub fn update(&mut self, bodies: &[Body<T, D>]) -> Result<(), Error> {
        bodies.iter().try_for_each(Body::check)?;
        let grid = *self.grid();
        let layers = self.layers;
        let seen = |body: &&Body<T, D>| body.layers & layers != 0;
        let covered =
            bodies.iter().filter(seen).filter_map(|body| surroundings(&grid, body)).reduce(hull);
        let dirty = match (covered, self.touched) {
            (Some(a), Some(b)) => hull(a, b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => return Ok(()),
        };
        self.nodes.reset(&dirty);
        for (n, body) in bodies.iter().enumerate().filter(|(_, body)| seen(body)) {
            if let Some(region) = surroundings(&grid, body) {
                self.nodes.add(&grid, &region, body, n);
            }
        }
        let changed = AtomicBool::new(false);
        self.measure_faces(&dirty, bodies, &changed);
        self.measure_cells(&dirty, &changed);
        self.touched = covered;
        self.finish(&dirty, changed.into_inner());
        Ok(())
    }

    /// Postcondition: open, velocity and no_slip of the lower faces of `region` are those of the
    /// nodes and closed cells.
    fn measure_faces(&mut self, region: &Region<D>, bodies: &[Body<T, D>], changed: &AtomicBool) {
        let grid = *self.grid();
        // Nothing to look up where no body moves or holds the fluid.
        let none = &bodies[..0];
        let still =
            |b: &Body<T, D>| b.velocity == [T::zero(); D] && b.angular_velocity == [T::zero(); 3];
        let moving = if bodies.iter().all(still) { none } else { bodies };
        let holding = if bodies.iter().all(|b| b.slip == Slip::Free) { none } else { bodies };
        for axis in 0..D {
            let cut = Cut {
                nodes: &self.nodes,
                closed: self.any_closed.then_some(&self.closed),
                stride: grid.strides()[axis],
                axis,
            };
            let open = &mut self.open[axis];
            exec::rows(region, [open.as_mut_slice()], &CutFaces { cut, changed });
            let open = open.as_slice();
            let pass = BodyVelocity { cut, grid: &grid, bodies: moving, open };
            exec::rows(region, [self.velocity[axis].as_mut_slice()], &pass);
            let pass = NoSlip { cut, bodies: holding, open };
            exec::rows(region, [&mut self.no_slip[axis]], &pass);
        }
    }

    /// Postcondition: solid and fraction of `region` are those of the faces and nodes.
    fn measure_cells(&mut self, region: &Region<D>, changed: &AtomicBool) {
        let grid = *self.grid();
        let pass = Enclosed {
            nodes: &self.nodes,
            closed: &self.closed,
            open: self.open.slices(),
            grid: &grid,
        };
        exec::rows(region, [&mut self.solid], &pass);
        let pass = CutCells { nodes: &self.nodes, solid: &self.solid, changed };
        exec::rows(region, [self.fraction.as_mut_slice()], &pass);
    }

    /// Outside of `region` only closed cells differ from open.
    fn finish(&mut self, region: &Region<D>, changed: bool) {
        self.any =
            self.any_closed || (0..D).any(|a| any_below_one(region, self.open[a].as_slice()));
        self.generation = self.generation.wrapping_add(u64::from(changed));
    }
}

/// All cells, ghosts included.
fn padded<T: Real, const D: usize>(grid: &Grid<T, D>) -> Region<D> {
    Region { lo: [0; D], hi: grid.cells().map(|n| n + 2), strides: grid.strides() }
}

/// The smallest region around two.
fn hull<const D: usize>(a: Region<D>, b: Region<D>) -> Region<D> {
    Region {
        lo: core::array::from_fn(|n| a.lo[n].min(b.lo[n])),
        hi: core::array::from_fn(|n| a.hi[n].max(b.hi[n])),
        strides: a.strides,
    }
}

/// The cells, ghosts included, that a body may cut, with a margin; `None` where there are none.
fn surroundings<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    body: &Body<T, D>,
) -> Option<Region<D>> {
    let mut region = padded(grid);
    let finite = |ends: &[[T; D]; 2]| ends.as_flattened().iter().all(|v| v.is_finite());
    let Some([lo, hi]) = body.bounds().filter(finite) else {
        return Some(region);
    };
    for a in 0..D {
        let end = region.hi[a] as i32;
        let cell = |p: T, step: i32| {
            let x = (p - grid.origin()[a]) / grid.dx() + T::one();
            let beyond = T::of_index(end + 2 * MARGIN);
            // Truncation is the floor of what is moved above zero.
            let moved = x.at_least(-beyond).at_most(beyond) + beyond;
            (moved.truncate() - (end + 2 * MARGIN) + step).clamp(0, end) as usize
        };
        region.lo[a] = cell(lo[a], -MARGIN);
        region.hi[a] = cell(hi[a], MARGIN + 1);
    }
    (!region.is_empty()).then_some(region)
}

fn any_below_one<T: Real, const D: usize>(region: &Region<D>, values: &[T]) -> bool {
    (0..region.rows()).any(|n| region.row(n).of(values).iter().any(|v| *v < T::one()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::Shape;
    use alloc::string::String;
    use core::f64::consts::PI;

    fn random(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn ball<const D: usize>(radius: f64, position: [f64; D]) -> Body<f64, D> {
        Body::new(Shape::ball(radius).unwrap(), position).unwrap()
    }

    /// A half-space through a point, its outward normal at an angle.
    fn slope(angle: f64, through: [f64; 2]) -> Body<f64, 2> {
        Body::new(Shape::half_space([1.0, 0.0]).unwrap(), through)
            .unwrap()
            .with_angle(angle)
            .unwrap()
    }

    fn snapped(share: f64) -> f64 {
        match share {
            s if s < 0.01 => 0.0,
            s if s > 0.99 => 1.0,
            s => s,
        }
    }

    #[test]
    fn a_half_space_at_any_angle_has_exact_face_fractions() {
        let (n, dx) = (16, 0.0625);
        let grid = Grid::new([n, n], dx).unwrap();
        let mut solids = Solids::new(grid);
        let mut seed = 1;
        for _ in 0..50 {
            let angle = 7.0 * random(&mut seed);
            let through = [0.3 + 0.4 * random(&mut seed), 0.3 + 0.4 * random(&mut seed)];
            solids.update(&[slope(angle, through)]).unwrap();
            let (sin, cos) = angle.portable_sin_cos();
            let normal = [cos, sin];
            let phi =
                |p: [f64; 2]| (p[0] - through[0]) * normal[0] + (p[1] - through[1]) * normal[1];
            for axis in 0..2 {
                let region = solids.open()[axis].region();
                for j in 0..region.hi[1] - 1 {
                    for i in 0..region.hi[0] - 1 {
                        let low = [i as f64 * dx, j as f64 * dx];
                        let mut high = low;
                        high[1 - axis] += dx;
                        let (a, b) = (phi(low), phi(high));
                        // The positive part of the edge by clipping its parameter.
                        let root = (a / (a - b)).clamp(0.0, 1.0);
                        let exact = match (a > 0.0, b > 0.0) {
                            (true, true) => 1.0,
                            (false, false) => 0.0,
                            (true, false) => root,
                            (false, true) => 1.0 - root,
                        };
                        let open = solids.open()[axis][[i, j]];
                        assert!((open - snapped(exact)).abs() < 1e-10, "{open} {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_half_space_cuts_off_the_exact_area_and_volume() {
        // x + y < 0.7 cuts the unit cell beyond a triangle of area 0.7²/2.
        let mut solids = Solids::new(Grid::new([1, 1], 1.0_f64).unwrap());
        let plane = Shape::half_space([1.0, 1.0]).unwrap();
        solids.update(&[Body::new(plane, [0.7, 0.0]).unwrap()]).unwrap();
        assert!((solids.cell_fraction()[[0, 0]] - (1.0 - 0.245)).abs() < 1e-14);
        // x/1.5 + y/0.5 + z/0.8 < 1 in the unit cube: the simplex of volume 1.5·0.5·0.8/6 less
        // its tip beyond x = 1, a third as large in each direction.
        let mut solids = Solids::new(Grid::new([1, 1, 1], 1.0_f64).unwrap());
        let plane = Shape::half_space([1.0 / 1.5, 1.0 / 0.5, 1.0 / 0.8]).unwrap();
        solids.update(&[Body::new(plane, [1.5, 0.0, 0.0]).unwrap()]).unwrap();
        let simplex = 1.5 * 0.5 * 0.8 / 6.0;
        let exact = 1.0 - simplex * (1.0 - 1.0 / 27.0);
        assert!((solids.cell_fraction()[[0, 0, 0]] - exact).abs() < 1e-14);
        // Its traces on the faces.
        let open = solids.open();
        assert!((open[0][[0, 0, 0]] - (1.0 - 0.5 * 0.8 / 2.0)).abs() < 1e-14);
        assert!((open[0][[1, 0, 0]] - (1.0 - 0.5 * 0.8 / 18.0)).abs() < 1e-14);
        assert!((open[2][[0, 0, 0]] - (1.0 - 0.375 * (1.0 - 1.0 / 9.0))).abs() < 1e-14);
        assert_eq!(open[2][[0, 0, 1]], 1.0);
    }

    #[test]
    fn the_area_and_perimeter_of_a_disc_converge_at_second_order() {
        let radius = 0.3;
        let errors = [32, 64, 128].map(|n| {
            let dx = 1.0 / n as f64;
            let mut solids = Solids::new(Grid::new([n, n], dx).unwrap());
            // The error of one position is erratic; the mean over many is not.
            let (mut area, mut perimeter) = (0.0, 0.0);
            let tries = 40;
            let mut seed = 4;
            for _ in 0..tries {
                let centre = [0.5 + dx * random(&mut seed), 0.5 + dx * random(&mut seed)];
                solids.update(&[ball(radius, centre)]).unwrap();
                let solid = n as f64 * n as f64 - solids.cell_fraction().sum();
                area += (solid * dx * dx - PI * radius * radius).abs();
                let mut length = 0.0;
                for j in 0..n {
                    for i in 0..n {
                        let open = solids.open();
                        let x = open[0][[i + 1, j]] - open[0][[i, j]];
                        let y = open[1][[i, j + 1]] - open[1][[i, j]];
                        length += (x * x + y * y).sqrt() * dx;
                    }
                }
                perimeter += (length - 2.0 * PI * radius).abs();
            }
            [area / f64::from(tries), perimeter / f64::from(tries)]
        });
        for pair in errors.windows(2) {
            let order = (pair[0][0] / pair[1][0]).log2();
            assert!(order > 1.8, "area: {errors:?}");
        }
        // Snapping faces moves a fixed share of the surface: the perimeter is good to 1 %.
        for [_, perimeter] in errors {
            assert!(perimeter < 0.01 * 2.0 * PI * radius, "{errors:?}");
        }
    }

    #[test]
    fn the_volume_of_a_ball_converges_at_second_order() {
        let radius = 0.35;
        let errors = [16, 32, 64].map(|n| {
            let dx = 1.0 / n as f64;
            let mut solids = Solids::new(Grid::new([n; 3], dx).unwrap());
            solids.update(&[ball(radius, [0.51, 0.5, 0.493])]).unwrap();
            let solid = (n as f64).powi(3) - solids.cell_fraction().sum();
            (solid * dx.powi(3) - 4.0 / 3.0 * PI * radius.powi(3)).abs()
        });
        for pair in errors.windows(2) {
            assert!((pair[0] / pair[1]).log2() > 1.8, "{errors:?}");
        }
    }

    #[test]
    fn the_surface_of_a_closed_body_sums_to_zero_over_the_cells_it_cuts() {
        let grid = Grid::new([40, 30], 0.05).unwrap();
        let mut solids = Solids::new(grid);
        let holed =
            Shape::difference(Shape::cuboid([0.6, 0.35]).unwrap(), Shape::ball(0.2).unwrap())
                .unwrap();
        let body = Body::new(holed, [1.02, 0.77]).unwrap().with_angle(0.4).unwrap();
        solids.update(&[body]).unwrap();
        let (mut sum, mut total, mut cut) = ([0.0; 2], 0.0, 0);
        for j in 0..30 {
            for i in 0..40 {
                let share: f64 = solids.cell_fraction()[[i, j]];
                let open = solids.open();
                let surface =
                    [open[0][[i + 1, j]] - open[0][[i, j]], open[1][[i, j + 1]] - open[1][[i, j]]];
                if share > 0.0 && share < 1.0 {
                    cut += 1;
                    sum = [sum[0] + surface[0], sum[1] + surface[1]];
                    total += surface[0].abs() + surface[1].abs();
                } else {
                    // Away from the surface the faces of a cell agree.
                    assert_eq!(surface, [0.0, 0.0], "{i} {j}");
                }
            }
        }
        assert!(cut > 100 && total > 60.0);
        assert!(sum[0].abs() < 1e-12 && sum[1].abs() < 1e-12, "{sum:?}");
    }

    #[test]
    fn a_surface_along_the_grid_closes_its_faces_whatever_the_rounding() {
        for n in [10, 17, 100, 333] {
            let dx = 1.0 / n as f32;
            let grid = Grid::new([n, n], dx).unwrap().with_origin([3.1, -7.7]).unwrap();
            let mut solids = Solids::new(grid);
            let half = T_HALF * dx;
            let cell = [n / 2, n / 3];
            let centre = grid.center(cell);
            let one = Body::new(Shape::cuboid([half; 2]).unwrap(), centre).unwrap();
            solids.update(&[one]).unwrap();
            let count: usize = solids.solid_cells().iter().map(|s| usize::from(*s)).sum();
            assert_eq!(count, 1, "{n}");
            assert!(solids.is_solid(cell));
            assert_eq!(solids.cell_fraction()[[cell[0] + 1, cell[1]]], 1.0);
        }
    }
    const T_HALF: f32 = 0.5;

    /// The solid cells as a picture, the last row first.
    fn picture(solids: &Solids<f64, 2>) -> Vec<String> {
        let [w, h] = solids.grid().cells();
        (0..h)
            .rev()
            .map(|j| (0..w).map(|i| if solids.is_solid([i, j]) { '#' } else { '.' }).collect())
            .collect()
    }

    #[test]
    fn closed_cells_stay_closed_over_updates_until_they_are_cleared() {
        let grid = Grid::new([6, 4], 1.0).unwrap();
        let mut solids = Solids::new(grid);
        solids.close_cells(|[i, j]| i == j);
        let chain = ["...#..", "..#...", ".#....", "#....."];
        assert_eq!(picture(&solids), chain);
        assert!(solids.any());
        assert_eq!(solids.open()[0][[1, 0]], 0.0);
        assert_eq!(solids.open()[1][[1, 1]], 0.0);
        assert_eq!(solids.open()[0][[2, 0]], 1.0);
        let moving = Body::new(Shape::cuboid([1.0, 1.0]).unwrap(), [5.0, 1.0])
            .unwrap()
            .with_velocity([2.0, 3.0])
            .unwrap()
            .with_slip(Slip::No);
        solids.update(&[moving]).unwrap();
        assert_eq!(picture(&solids), ["...#..", "..#...", ".#..##", "#...##"]);
        let face = grid.index([5, 0]);
        assert_eq!(solids.velocity()[0][[5, 0]], 2.0);
        assert_eq!(solids.velocity()[1][[5, 1]], 3.0);
        assert_eq!(solids.velocity()[0][[1, 1]], 0.0);
        assert_eq!(solids.no_slip()[0][face], 1);
        assert_eq!(solids.no_slip()[0][grid.index([1, 1])], 0);
        solids.update(&[]).unwrap();
        assert_eq!(picture(&solids), chain);
        assert_eq!(solids.velocity().max_abs(), 0.0);
        assert_eq!(solids.no_slip()[0][face], 0);
        solids.clear_closed_cells();
        solids.update(&[]).unwrap();
        assert!(!solids.any() && picture(&solids).iter().all(|row| row == "......"));
        assert_eq!(solids.cell_fraction().sum(), 24.0);
    }

    #[test]
    fn cells_closed_at_once_are_those_that_an_update_closes() {
        // 6 + 2 places fill a row without padding: the next row follows the last ghost cell.
        for cells in [[6, 4], [5, 7], [1, 1]] {
            let mut solids = Solids::new(Grid::new(cells, 1.0_f64).unwrap());
            solids.close_cells(|[i, j]| (i + 1 == cells[0] && j != 1) || (i + 2 * j) % 5 == 3);
            let at_once = solids.clone();
            let far = Shape::half_space([1.0, 0.0]).unwrap();
            solids.update(&[Body::new(far, [-50.0, 0.0]).unwrap()]).unwrap();
            assert_eq!(solids.open(), at_once.open());
            assert_eq!(solids.solid_cells(), at_once.solid_cells());
            assert_eq!(solids.cell_fraction(), at_once.cell_fraction());
            assert_eq!(solids.generation(), at_once.generation());
        }
    }

    #[test]
    fn a_body_larger_than_numbers_can_square_still_covers_all() {
        let mut solids = Solids::new(Grid::new([5, 5], 0.1_f32).unwrap());
        let huge = Shape::cuboid([3e38_f32; 2]).unwrap();
        solids.update(&[Body::new(huge, [0.0; 2]).unwrap()]).unwrap();
        assert_eq!(solids.cell_fraction().sum(), 0.0);
    }

    #[test]
    fn only_what_changes_the_openings_counts_as_a_change() {
        let mut solids = Solids::new(Grid::new([20, 20], 0.1).unwrap());
        solids.update(&[]).unwrap();
        assert_eq!(solids.generation(), 0);
        let body = ball(0.4, [1.0, 1.0]);
        solids.update(core::slice::from_ref(&body)).unwrap();
        assert_eq!(solids.generation(), 1);
        let faster = body.clone().with_velocity([1.0, 0.0]).unwrap();
        solids.update(core::slice::from_ref(&faster)).unwrap();
        assert_eq!(solids.generation(), 1);
        assert_eq!(solids.velocity()[0][[10, 10]], 1.0);
        solids.update(&[ball(0.4, [1.03, 1.0])]).unwrap();
        assert_eq!(solids.generation(), 2);
        solids.close_cells(|_| false);
        assert_eq!(solids.generation(), 2);
        solids.close_cells(|cell| cell == [0, 0]);
        assert_eq!(solids.generation(), 3);
    }

    #[test]
    fn the_nearest_body_gives_the_velocity_and_layers_choose_the_bodies() {
        let mut solids = Solids::new(Grid::new([40, 20], 0.1).unwrap());
        let left = ball(0.5, [1.0, 1.0]).with_velocity([1.0, 0.0]).unwrap();
        let right =
            ball(0.5, [3.0, 1.0]).with_angular_velocity([0.0, 0.0, 2.0]).unwrap().with_layers(2);
        solids.update(&[left.clone(), right.clone()]).unwrap();
        assert_eq!(solids.velocity()[0][[10, 10]], 1.0);
        // −ω·(y − y₀) at the centre of the face (3.0, 1.25).
        let spin: f64 = solids.velocity()[0][[30, 12]];
        assert!((spin + 0.5).abs() < 1e-14);
        assert_eq!(solids.velocity()[0][[20, 10]], 0.0);
        solids.set_layers(1);
        solids.update(&[left.with_layers(1), right]).unwrap();
        assert!(solids.is_solid([9, 9]) && !solids.is_solid([29, 9]));
    }

    #[test]
    fn bodies_that_move_leave_the_same_as_bodies_that_were_always_there() {
        let grid = Grid::new([24, 18, 20], 0.05).unwrap();
        let mut seed = 2;
        let mut moved = Solids::new(grid);
        for _ in 0..20 {
            let bodies: Vec<Body<f64, 3>> = (0..3)
                .map(|_| {
                    let mut at = || 1.6 * random(&mut seed) - 0.3;
                    let p = [at(), at(), at()];
                    let half = [0, 1, 2].map(|_| 0.02 + 0.2 * random(&mut seed));
                    Body::new(Shape::cuboid(half).unwrap(), p)
                        .unwrap()
                        .with_rotation([1.0, 2.0, 0.5], 6.0 * random(&mut seed))
                        .unwrap()
                })
                .collect();
            moved.update(&bodies).unwrap();
            let mut fresh = Solids::new(grid);
            fresh.update(&bodies).unwrap();
            assert_eq!(moved.open(), fresh.open());
            assert_eq!(moved.velocity(), fresh.velocity());
            assert_eq!(moved.cell_fraction(), fresh.cell_fraction());
            assert_eq!(moved.solid_cells(), fresh.solid_cells());
            assert_eq!(moved.any(), fresh.any());
            // The boxes around the bodies hide nothing: the same with a union without end.
            let whole = Shape::union(vec![
                Shape::half_space([1.0, 0.0, 0.0]).unwrap().moved([-1e3, 0.0, 0.0]).unwrap(),
                Shape::ball(0.23).unwrap().moved([0.4, 0.5, 0.6]).unwrap(),
            ])
            .unwrap();
            fresh.update(&[Body::new(whole, [0.0; 3]).unwrap()]).unwrap();
            moved.update(&[ball(0.23, [0.4, 0.5, 0.6])]).unwrap();
            for a in 0..3 {
                for (x, y) in moved.open()[a].as_slice().iter().zip(fresh.open()[a].as_slice()) {
                    assert!((x - y).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn a_mirrored_body_has_mirrored_openings() {
        let n = 20;
        let mut solids = Solids::new(Grid::new([n; 3], 1.0).unwrap());
        solids.update(&[ball(6.3, [10.0; 3])]).unwrap();
        let open = solids.open();
        for k in 0..n {
            for j in 0..n {
                for i in 0..=n {
                    let a: f64 = open[0][[i, j, k]];
                    for b in [
                        open[0][[n - i, j, k]],
                        open[0][[i, n - 1 - j, k]],
                        open[1][[k, i, j]],
                        open[2][[k, j, i]],
                    ] {
                        assert!((a - b).abs() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn ghost_cells_have_the_geometry_of_their_own_place() {
        // A wall over the lower half, through all sides.
        let grid = Grid::new([4, 4], 1.0_f64).unwrap();
        let mut solids = Solids::new(grid);
        solids.update(&[slope(PI / 2.0, [0.0, 2.0])]).unwrap();
        let strides = grid.strides();
        for i in 0..6 {
            for j in 0..6 {
                let place = i * strides[0] + j * strides[1];
                let below = j < 3;
                assert_eq!(solids.solid_cells()[place], u8::from(below), "{i} {j}");
                assert_eq!(solids.open()[0].as_slice()[place], f64::from(u8::from(!below)));
                let closed = j <= 3;
                assert_eq!(solids.open()[1].as_slice()[place], f64::from(u8::from(!closed)));
            }
        }
    }

    #[test]
    fn no_random_scene_leaves_the_range_or_panics() {
        let mut seed = 17;
        for round in 0..60 {
            let cells = [1 + round % 5, 1 + round % 9, 1 + round % 3];
            let grid = Grid::new(cells, 10_f32.powi(round as i32 % 7 - 3)).unwrap();
            let mut solids = Solids::new(grid);
            let bodies: Vec<Body<f32, 3>> = (0..4)
                .map(|n| {
                    let mut size = || 10_f32.powi((8.0 * random(&mut seed)) as i32 - 4);
                    let shape = match n {
                        0 => Shape::ball(size()),
                        1 => Shape::capsule(size(), size()),
                        2 => Shape::cuboid([size(), size(), size()]),
                        _ => Shape::polygon(&[[0.0, 0.0], [size(), 0.0], [0.0, size()]]),
                    };
                    let p = [0, 1, 2].map(|_| {
                        let power = 10.0 * random(&mut seed) as f32 - 4.0;
                        10_f32.powi(power as i32) * (2.0 * random(&mut seed) as f32 - 1.0)
                    });
                    Body::new(shape.unwrap(), p).unwrap()
                })
                .collect();
            solids.update(&bodies).unwrap();
            for axis in 0..3 {
                let good = |v: &f32| (0.0..=1.0).contains(v);
                assert!(solids.open()[axis].as_slice().iter().all(good));
            }
            assert!(solids.cell_fraction().values().all(|v| (0.0..=1.0).contains(&v)));
        }
    }

    #[test]
    fn a_bad_body_is_refused_and_changes_nothing() {
        let mut solids = Solids::new(Grid::new([8, 8], 0.25).unwrap());
        let good = ball(0.5, [1.0, 1.0]);
        solids.update(core::slice::from_ref(&good)).unwrap();
        let before = solids.clone();
        for bad in [f64::NAN, f64::INFINITY] {
            let mut body = good.clone();
            body.position[1] = bad;
            assert!(solids.update(&[ball(0.5, [0.0; 2]), body]).is_err());
            assert_eq!(solids.open(), before.open());
            assert_eq!(solids.generation(), before.generation());
        }
    }
}
