//! The volume as a texture.
//!
//! Texels are the cells, x fastest, then y, then z: the centre of texel (0, 0, 0) lies half a cell
//! within [`Wind::lower_corner`]. They hold the wind at their centres, joined to the ambient wind as
//! [`Wind::sample`] does, but for the outermost, which hold the ambient wind, so that a texture that is
//! clamped to its edge goes on with it. The fourth channel says how open the cell is: 0 in obstacles,
//! 1 in the open. In the plane the third channel is 0.

use half::f16;

use super::Wind;
use super::sample::rise;
use crate::base::error::check;
use crate::{Error, Real};

impl<T: Real, const D: usize> Wind<T, D> {
    /// Four bytes a cell: 128 + 127·u/`range`, rounded and cut to 1…255, and 255 times how open the
    /// cell is. A shader gets u = (255·texel − 128)/127·range; still air is exact.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a range that is not from 1e-6 to 1e9; [`Error::WrongCount`]
    /// unless there are four bytes a cell.
    pub fn pack_rgba8(&self, range: T, out: &mut [u8]) -> Result<(), Error> {
        check::within("range", range, 1e-6, 1e9, "from 1e-6 to 1e9")?;
        let (scale, middle) = (T::of(127.0) / range, T::of(128.0));
        self.pack(
            out,
            |u| {
                let byte = (middle + u * scale + T::of(0.5)).at_least(T::one());
                byte.at_most(T::of(255.0)).truncate() as u8
            },
            |open| (open * T::of(255.0) + T::of(0.5)).truncate() as u8,
        )
    }

    /// Four half-precision numbers a cell, as bits: the wind in m/s, cut to ±65504 and rounded,
    /// through `f32`, to the nearest, and how open the cell is.
    ///
    /// # Errors
    /// [`Error::WrongCount`] unless there are four numbers a cell.
    pub fn pack_rgba16f(&self, out: &mut [u16]) -> Result<(), Error> {
        let most = T::of(65504.0);
        // By way of f32, from which every machine rounds alike.
        let half = |v: T| f16::from_f32(v.at_least(-most).at_most(most).to_f64() as f32).to_bits();
        self.pack(out, half, half)
    }

    fn pack<N: Copy>(
        &self,
        out: &mut [N],
        speed: impl Fn(T) -> N,
        open: impl Fn(T) -> N,
    ) -> Result<(), Error> {
        let count = out.len();
        if count != 4 * self.grid.cell_count() {
            let expected = "four entries a cell";
            return Err(Error::WrongCount { name: "the texture", count, expected });
        }
        let region = self.grid.interior();
        for (i, texel) in region.places().zip(out.as_chunks_mut::<4>().0) {
            let (share, d) = (self.share_of_cell(self.grid.cell_at(i)), self.view[i]);
            for c in 0..3 {
                let ambient = self.params.ambient.get(c).copied().unwrap_or(T::zero());
                texel[c] = speed(ambient + share * d[c]);
            }
            texel[3] = open(self.open.as_slice()[i]);
        }
        Ok(())
    }

    /// s at the centre of a cell, and 0 in the outermost ones.
    fn share_of_cell(&self, cell: [usize; D]) -> T {
        let mut share = T::one();
        for a in 0..D {
            let layer = cell[a].min(self.grid.cells()[a] - 1 - cell[a]);
            if layer == 0 {
                return T::zero();
            }
            share *= rise((T::of_usize(layer) + T::of(0.5)) * self.per_margin);
        }
        share
    }
}
