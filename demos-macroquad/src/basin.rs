//! A lattice Boltzmann flow on a stage: what all scenes of such a flow do alike.

use std::collections::VecDeque;

use fluid_adapters::Picture;
use fluid_num::advection::Advection;
use fluid_num::base::digest::Digest;
use fluid_num::grid::ops;
use fluid_num::schemes::lbm::Carried;
use fluid_num::{Error, Field, Grid2, LbmD2Q9, LbmParams, Real, Simulation};

use crate::ledger::keep_sum;
use crate::lettering::Lettering;
use crate::paint::{Painter, blend, lay_over, shade};
use crate::scene::{DT, Pointer, Stats, grid_of_area};

/// The colour of what is solid.
pub(crate) const SOLID: [u8; 3] = [70, 74, 82];

/// The parameters of a flow whose cells have an edge of so many metres.
pub(crate) type Params<'a> = &'a dyn Fn(f32) -> LbmParams<f32, 2>;

/// A flow with what its scene needs to show and to judge it.
#[derive(Debug)]
pub(crate) struct Basin {
    pub(crate) lbm: LbmD2Q9<f32>,
    pub(crate) carried: Carried<f32, 2>,
    /// Steps since the start.
    pub(crate) steps: u64,
    painter: Painter,
    view: Field<f32, 2>,
    area: f64,
    substeps: usize,
}

/// The time of a lattice step where a frame has `substeps`, s.
pub(crate) fn lattice_step(substeps: usize) -> f32 {
    (DT / substeps as f64) as f32
}

impl Basin {
    /// A flow at rest of this area, with so many dyes and lattice steps a frame.
    ///
    /// # Errors
    /// A number of cells that no grid has, or parameters that the scheme refuses.
    pub(crate) fn new(
        cells: [usize; 2],
        area: f64,
        [dyes, substeps]: [usize; 2],
        params: Params<'_>,
    ) -> Result<Self, Error> {
        let grid = grid_of_area(cells, area)?;
        let lbm = LbmD2Q9::new(grid, params(grid.dx()))?;
        Ok(Self {
            carried: Carried::new(&lbm, dyes, Advection::MacCormack)?,
            lbm,
            steps: 0,
            painter: Painter::new(grid),
            view: Field::zeros(grid),
            area,
            substeps,
        })
    }

    pub(crate) fn grid(&self) -> Grid2<f32> {
        *self.lbm.grid()
    }

    /// Cells along x and y.
    pub(crate) fn cells(&self) -> [usize; 2] {
        self.lbm.grid().cells()
    }

    /// Its edges.
    pub(crate) fn extent(&self) -> [f64; 2] {
        self.lbm.grid().size().map(f64::from)
    }

    /// A cell a lattice step, m/s.
    pub(crate) fn speed_unit(&self) -> f64 {
        f64::from(self.grid().dx() / lattice_step(self.substeps))
    }

    /// Starts anew with these parameters and no obstacle.
    ///
    /// # Errors
    /// As [`Basin::new`].
    pub(crate) fn restart(&mut self, params: Params<'_>) -> Result<(), Error> {
        let dyes = self.carried.dyes().len();
        *self = Self::new(self.cells(), self.area, [dyes, self.substeps], params)?;
        Ok(())
    }

    /// Goes on with these parameters: the populations are kept.
    ///
    /// # Errors
    /// Parameters that the scheme refuses; nothing is changed then.
    pub(crate) fn adopt(&mut self, params: Params<'_>) -> Result<(), Error> {
        self.lbm.set_params(params(self.grid().dx()))
    }

    /// Stretches the flow and its dyes to another number of cells; speeds in cells a step stay.
    /// Obstacles and tracers are the scene's.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub(crate) fn resize(&mut self, cells: [usize; 2], params: Params<'_>) -> Result<(), Error> {
        let dyes = self.carried.dyes().len();
        let mut next = Self::new(cells, self.area, [dyes, self.substeps], params)?;
        let (from, to) = (self.grid(), next.grid());
        let back = |x: [f32; 2]| [0, 1].map(|a| x[a] * from.size()[a] / to.size()[a]);
        let scale = to.dx() / from.dx();
        let (u, p) = (self.lbm.velocity(), self.lbm.pressure());
        next.lbm.set_flow(|x| {
            let x = back(x);
            (u.each_ref().map(|u| u.sample(x) * scale), p.sample(x) * scale * scale)
        })?;
        for (n, dye) in self.carried.dyes().iter().enumerate() {
            let stretched = next.carried.dye_mut(n)?;
            stretched.set_from_fn(|x| dye.sample(back(x)));
            keep_sum(dye, stretched);
        }
        next.steps = self.steps;
        *self = next;
        Ok(())
    }

    /// Does a frame, and carries all along.
    ///
    /// # Errors
    /// What the scheme says.
    pub(crate) fn step(&mut self) -> Result<(), Error> {
        let time = self.lbm.advance(self.substeps)?.time;
        self.carried.follow(&self.lbm, time)?;
        self.steps += 1;
        Ok(())
    }

    /// Lets all dyes fade at a rate, 1/s, for a frame.
    ///
    /// # Errors
    /// None: every dye is there.
    pub(crate) fn fade(&mut self, rate: f64) -> Result<(), Error> {
        let left = (-rate * DT).portable_exp() as f32;
        for n in 0..self.carried.dyes().len() {
            self.carried.dye_mut(n)?.as_mut_slice().iter_mut().for_each(|q| *q *= left);
        }
        Ok(())
    }

    /// Lets a pointer leave so much of each dye, as a Gaussian of a radius.
    ///
    /// # Errors
    /// More amounts than there are dyes.
    pub(crate) fn pour(
        &mut self,
        pointer: Pointer,
        amounts: &[f64],
        radius: f64,
    ) -> Result<(), Error> {
        let [x, y] = pointer.position.map(|x| x as f32);
        let grid = self.grid();
        let [nx, ny] = grid.cells();
        let per_square = 1.0 / (radius * radius) as f32;
        for j in 0..ny {
            let dy = grid.center([0, j])[1] - y;
            if dy * dy * per_square > 9.0 {
                continue;
            }
            for i in 0..nx {
                let dx = grid.center([i, j])[0] - x;
                let away = (dx * dx + dy * dy) * per_square;
                if away > 9.0 || self.lbm.is_solid([i, j]) {
                    continue;
                }
                let share = (-away).portable_exp();
                for (n, amount) in amounts.iter().enumerate() {
                    self.carried.dye_mut(n)?[[i, j]] += share * *amount as f32;
                }
            }
        }
        Ok(())
    }

    /// Shows a view of the flow; false where the flow has no such view.
    ///
    /// # Errors
    /// None for a basin without fault.
    pub(crate) fn paint(&mut self, view: &str, picture: &mut Picture) -> Result<bool, Error> {
        match view {
            "vorticity" => self.lbm.vorticity(0, &mut self.view)?,
            "Q-criterion" => self.lbm.q_criterion(&mut self.view)?,
            "speed" => self.lbm.speed(&mut self.view)?,
            "pressure" => self.view.copy_from(self.lbm.pressure())?,
            _ => return Ok(false),
        }
        if view == "speed" {
            self.painter.look_at_amount(&self.view)?;
        } else {
            self.painter.look_at(&self.view)?;
        }
        self.painter.show(self.painter.scale(), picture);
        self.paint_solids(picture);
        Ok(true)
    }

    /// Shows what is solid over what is there.
    pub(crate) fn paint_solids(&self, picture: &mut Picture) {
        let solid = |i, j| f32::from(u8::from(self.lbm.is_solid([i, j])));
        lay_over(picture, self.cells(), SOLID, solid);
    }

    /// The numbers of the flow; the sum of what it carries is the scene's.
    ///
    /// # Errors
    /// None for a basin without fault.
    pub(crate) fn stats(&mut self) -> Stats {
        let divergence = ops::divergence(self.carried.faces(), &mut self.view);
        let digests = [self.lbm.digest(), self.carried.digest()];
        let digest = digests.into_iter().fold(Digest::new(), Digest::word).finish();
        Stats {
            size: self.cells(),
            steps: self.steps,
            max_speed: f64::from(self.lbm.report().max_speed),
            max_divergence: divergence.map_or(0.0, |()| f64::from(self.view.max_abs())),
            digest,
            ..Stats::default()
        }
    }
}

/// The last values of two figures, drawn as curves.
#[derive(Debug, Default)]
pub(crate) struct Plot {
    pub(crate) values: VecDeque<[f64; 2]>,
}

/// Values that are kept: five seconds.
const KEPT: usize = 300;
/// The colours of the two curves.
pub(crate) const CURVES: [[u8; 3]; 2] = [[255, 176, 60], [90, 190, 255]];

impl Plot {
    pub(crate) fn add(&mut self, values: [f64; 2]) {
        if self.values.len() == KEPT {
            self.values.pop_front();
        }
        self.values.push_back(values);
    }

    /// The mean time between two rises of the second figure through its mean, in values; `None`
    /// before there are two.
    pub(crate) fn period(&self) -> Option<f64> {
        // The first third may still be the start.
        let late = || self.values.iter().skip(self.values.len() / 3).map(|v| v[1]);
        let mean = late().sum::<f64>() / late().count().max(1) as f64;
        let mut rises = (None, None, 0_u32);
        let mut before = f64::NAN;
        for (n, value) in late().map(|v| v - mean).enumerate() {
            if before < 0.0 && value >= 0.0 {
                let at = n as f64 - value / (value - before);
                rises = (rises.0.or(Some(at)), Some(at), rises.2 + 1);
            }
            before = value;
        }
        match rises {
            (Some(first), Some(last), count) if count > 1 => {
                Some((last - first) / f64::from(count - 1))
            }
            _ => None,
        }
    }

    /// Draws both curves into the lower left corner of the picture, the newest value on the right,
    /// and `words` over them.
    pub(crate) fn paint(&self, picture: &mut Picture, lettering: &Lettering, words: &str) {
        let (width, height) = (picture.width() * 2 / 5, picture.height() / 4);
        let top = picture.height() - height;
        shade(picture, [0..width, top..picture.height()], [12, 14, 20], 0.75);
        let range = |n: usize| {
            let late = self.values.iter().skip(self.values.len() / 5).map(|v| v[n]);
            late.fold((0.0_f64, 1e-9_f64), |(lo, hi), v| (lo.min(v), hi.max(v)))
        };
        for n in 0..2 {
            let (lo, hi) = range(n);
            let mut last = None;
            for x in 0..width {
                let Some(values) = self.values.get(x * KEPT / width) else { break };
                let part = ((values[n] - lo) / (hi - lo)).clamp(0.0, 1.0);
                let y = top
                    + ((1.0 - part) * (height as f64 * 0.85 - 1.0) + 0.1 * height as f64) as usize;
                // A line, not dots: all rows from the last value to this one.
                let from = last.unwrap_or(y);
                for row in from.min(y)..=from.max(y) {
                    let place = (row * picture.width() + x) * 4;
                    if let Some(pixel) = picture.bytes_mut().get_mut(place..place + 4) {
                        blend(pixel, CURVES[n], 0.9);
                    }
                }
                last = Some(y);
            }
        }
        let size = (picture.height() as f32 / 18.0).clamp(10.0, 18.0);
        let line = top.saturating_sub(size as usize / 3);
        let wide = lettering.width(size, words) as usize + size as usize;
        let rows = line.saturating_sub(size as usize)..top;
        shade(picture, [0..wide, rows], [12, 14, 20], 0.75);
        lettering.write(picture, [size as usize / 2, line], size, [240; 3], words);
    }
}

/// Moves `place` towards `target`, both parts of `size`, by at most `most` m; gives the way, m.
pub(crate) fn approach(
    place: &mut [f64; 2],
    target: [f64; 2],
    size: [f64; 2],
    most: f64,
) -> [f64; 2] {
    let way = [0, 1].map(|a| (target[a] - place[a]) * size[a]);
    let far = length(way);
    let part = if far > most { most / far } else { 1.0 };
    let step = way.map(|w| w * part);
    for a in 0..2 {
        place[a] += step[a] / size[a];
    }
    step
}

/// The length of a vector.
pub(crate) fn length([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_of_a_wave_is_found_between_its_samples() {
        let mut plot = Plot::default();
        assert_eq!(plot.period(), None);
        for n in 0..400 {
            let (sine, _) = (f64::from(n) * core::f64::consts::TAU / 37.3).portable_sin_cos();
            plot.add([1.0, 0.5 + sine]);
        }
        assert_eq!(plot.values.len(), KEPT);
        // The mean of some periods and a part is a little off; a period is between two equals.
        assert!((plot.period().unwrap() - 37.3).abs() < 0.1, "{:?}", plot.period());
    }
}
