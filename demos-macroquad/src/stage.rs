//! A stable fluid on a stage: what all scenes of such a fluid do alike.

use fluid_adapters::Picture;
use fluid_num::{
    Effect, Error, Real, Simulation, Source, StableFluids2, StableFluidsParams, StepPart,
    StepReport,
};
use macroquad::miniquad::date;

use crate::ledger::{self, Ledger};
use crate::paint::Painter;
use crate::scene::{DT, Pointer, Solve, Stats, grid_of_area};

/// How much of the mean time of a solve is that of the last one: figures that can be read.
const NEWEST: f64 = 0.1;

/// A fluid with what its scene needs to show and to judge it.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) fluid: StableFluids2<f32>,
    /// Who made the dye.
    pub(crate) ledger: Ledger,
    pub(crate) painter: Painter,
    /// Steps since the start.
    pub(crate) steps: u64,
    area: f64,
    /// The time of a pressure solve, s: a running mean.
    pressure_time: Option<f64>,
}

impl Stage {
    /// A fluid at rest on a stage of this area.
    ///
    /// # Errors
    /// A number of cells that no grid has, or parameters that the fluid refuses.
    pub(crate) fn new(
        cells: [usize; 2],
        area: f64,
        params: StableFluidsParams<f32, 2>,
    ) -> Result<Self, Error> {
        let grid = grid_of_area(cells, area)?;
        Ok(Self {
            fluid: StableFluids2::new(grid, params)?,
            ledger: Ledger::default(),
            painter: Painter::new(grid),
            steps: 0,
            area,
            pressure_time: None,
        })
    }

    /// Starts anew with these parameters.
    ///
    /// # Errors
    /// As [`Stage::new`].
    pub(crate) fn restart(&mut self, params: StableFluidsParams<f32, 2>) -> Result<(), Error> {
        *self = Self::new(self.cells(), self.area, params)?;
        Ok(())
    }

    /// Goes on with these parameters.
    ///
    /// # Errors
    /// Parameters that the fluid refuses; nothing is changed then.
    pub(crate) fn adopt(&mut self, params: StableFluidsParams<f32, 2>) -> Result<(), Error> {
        let another = params.pressure_solver != self.fluid.params().pressure_solver;
        self.fluid.set_params(params)?;
        if another {
            self.pressure_time = None;
        }
        Ok(())
    }

    /// Stretches everything to another number of cells.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub(crate) fn resize(&mut self, cells: [usize; 2]) -> Result<(), Error> {
        let grid = grid_of_area(cells, self.area)?;
        self.fluid = ledger::stretched(&self.fluid, grid)?;
        self.painter = Painter::new(grid);
        Ok(())
    }

    /// Cells along x and y.
    pub(crate) fn cells(&self) -> [usize; 2] {
        self.fluid.grid().cells()
    }

    /// Its edges.
    pub(crate) fn extent(&self) -> [f64; 2] {
        self.fluid.grid().size().map(f64::from)
    }

    /// Lets a pointer push along its movement in the coming step, `strength` times its speed a
    /// second.
    pub(crate) fn push(&mut self, pointer: Pointer, strength: f64, radius: f64) {
        self.fluid.sources_mut().push(Source {
            center: pointer.position.map(|x| x as f32),
            radius: radius as f32,
            effect: Effect::Accelerate(pointer.delta.map(|d| (d * strength / DT) as f32)),
        });
    }

    /// Lets a pointer leave so much of each quantity a second, now.
    ///
    /// # Errors
    /// More rates than there are quantities.
    pub(crate) fn pour(
        &mut self,
        pointer: Pointer,
        rates: &[f64],
        radius: f64,
    ) -> Result<(), Error> {
        let before = self.mass();
        for (quantity, rate) in rates.iter().enumerate() {
            let source = Source {
                center: pointer.position.map(|x| x as f32),
                radius: radius as f32,
                effect: Effect::Add { quantity, rate: *rate as f32 },
            };
            self.fluid.apply_source(&source, pointer.seconds as f32)?;
        }
        self.ledger.give(self.mass() - before);
        Ok(())
    }

    /// Does a step and forgets its sources.
    ///
    /// # Errors
    /// What the fluid says.
    pub(crate) fn step(&mut self) -> Result<StepReport<f32>, Error> {
        let (mut last, mut time) = (date::now(), 0.0);
        let done = self.fluid.step_watched(DT as f32, &mut |part| {
            let now = date::now();
            if part == StepPart::Pressure {
                time += now - last;
            }
            last = now;
        });
        self.fluid.sources_mut().clear();
        let done = done?;
        let mean = self.pressure_time.map_or(time, |mean| mean + (time - mean) * NEWEST);
        self.pressure_time = Some(mean);
        self.steps += 1;
        Ok(done)
    }

    /// Does a step in which all that is carried fades at the rate `fade`, 1/s, and books what else
    /// happens to its sum.
    ///
    /// # Errors
    /// What the fluid says.
    pub(crate) fn step_fading(&mut self, fade: f64) -> Result<(), Error> {
        let before = self.mass();
        self.step()?;
        self.ledger.step(before * (-fade * DT).portable_exp(), self.mass());
        Ok(())
    }

    /// What it carries in all.
    pub(crate) fn mass(&self) -> f64 {
        ledger::mass(self.fluid.quantities())
    }

    /// Looks at a view of the flow and shows it; false where the flow has no such view.
    ///
    /// # Errors
    /// None for a stage without fault.
    pub(crate) fn paint(&mut self, view: &str, picture: &mut Picture) -> Result<bool, Error> {
        let found = self.look(view)?;
        if found {
            self.painter.show(self.painter.scale(), picture);
        }
        Ok(found)
    }

    /// Lets the painter look at a view of the flow; false where the flow has no such view.
    ///
    /// # Errors
    /// None for a stage without fault.
    pub(crate) fn look(&mut self, view: &str) -> Result<bool, Error> {
        self.painter.look(view, self.fluid.velocity(), self.fluid.pressure())
    }

    /// The numbers of the flow; those of what it carries are the scene's.
    pub(crate) fn stats(&mut self) -> Stats {
        let pressure = self.fluid.report().pressure;
        Stats {
            size: self.cells(),
            steps: self.steps,
            max_speed: f64::from(self.fluid.velocity().max_abs()),
            max_divergence: f64::from(self.fluid.max_divergence()),
            pressure_iterations: pressure.map(|p| p.iterations as u64),
            pressure_residual: pressure.map(|p| f64::from(p.residual)),
            digest: self.fluid.digest(),
            ..Stats::default()
        }
    }

    /// The numbers of the flow and of the dye that it carries.
    pub(crate) fn stats_with_dye(&mut self) -> Stats {
        let (mass, drift) = (self.mass(), self.ledger.drift());
        Stats { mass: Some(mass), mass_drift: Some(drift), ..self.stats() }
    }

    /// The last pressure solve.
    pub(crate) fn solve(&mut self) -> Option<Solve> {
        let pressure = self.fluid.report().pressure?;
        Some(Solve {
            solver: self.fluid.params().pressure_solver.name(),
            iterations: pressure.iterations as u64,
            residual: f64::from(pressure.residual),
            divergence: f64::from(self.fluid.max_divergence()),
            ms: self.pressure_time? * 1e3,
        })
    }
}
