//! The depth that waves of the layer feel: that of the water, where it changes gently.
//!
//! ```text
//! d(x) = min over y of h(y) + a·|x − y|
//! ```
//!
//! is the largest depth below h that nowhere rises faster than a. It is 0 on dry ground and at sides
//! that let waves out, so that the layer has nothing to do with shores, islands, drops of the bed and
//! hulls: it fades towards them, and the water in front of them flows without it.

use super::sides;
use crate::{Field, Real};

/// How fast the depth rises at most: half a depth within two of them.
const RISE: f64 = 0.25;

/// Makes that of a depth. `lets_out` tells at which sides it is 0.
pub(super) fn limit_rise<T: Real>(
    depth: &mut Field<T, 2>,
    periodic: [bool; 2],
    lets_out: [[bool; 2]; 2],
) {
    let grid = *depth.grid();
    let (cells, strides) = (grid.cells(), grid.strides());
    let beside = T::of(RISE) * grid.dx();
    let askew = beside * T::of(core::f64::consts::SQRT_2);
    // What goes around a periodic axis needs a second look.
    for _ in 0..1 + usize::from(periodic[0] || periodic[1]) {
        fill_beyond(depth, periodic, lets_out);
        let data = depth.as_mut_slice();
        let up = strides[1];
        for row in 1..=cells[1] {
            let start = row * up + 1;
            for place in start..start + cells[0] {
                let below = data[place - up] + beside;
                let corners = data[place - up - 1].at_most(data[place - up + 1]) + askew;
                let before = data[place - 1] + beside;
                data[place] = data[place].at_most(below.at_most(corners)).at_most(before);
            }
        }
        for row in (1..=cells[1]).rev() {
            let start = row * up + 1;
            for place in (start..start + cells[0]).rev() {
                let above = data[place + up] + beside;
                let corners = data[place + up - 1].at_most(data[place + up + 1]) + askew;
                let after = data[place + 1] + beside;
                data[place] = data[place].at_most(above.at_most(corners)).at_most(after);
            }
        }
    }
    sides::fill_cells(depth, periodic);
}

/// Sets ghosts: nothing where waves leave, and what takes no part in the least at walls.
fn fill_beyond<T: Real>(depth: &mut Field<T, 2>, periodic: [bool; 2], lets_out: [[bool; 2]; 2]) {
    sides::fill_cells(depth, periodic);
    let (cells, strides) = (depth.grid().cells(), depth.grid().strides());
    let data = depth.as_mut_slice();
    for axis in (0..2).filter(|axis| !periodic[*axis]) {
        for (end, lets_out) in lets_out[axis].into_iter().enumerate() {
            let line = [0, cells[axis] + 1][end] * strides[axis];
            let far = if lets_out { T::zero() } else { T::of(1e9) };
            for i in 0..cells[1 - axis] + 2 {
                let place = line + i * strides[1 - axis];
                data[place] = if lets_out { far } else { data[place].at_least(far) };
            }
        }
    }
}
