//! A scene that plays in real time: fixed steps, pause, single steps, views.

use fluid_adapters::Picture;
use fluid_num::{Error, Stepper};

use crate::scene::{Pointer, Scene};
use crate::workers::Workers;

/// The most steps that one frame may do; what does not fit is dropped and counted.
pub const MAX_STEPS: usize = 4;

/// A scene and the clock that drives it. It knows no window.
#[derive(Debug)]
pub struct Player {
    scene: Box<dyn Scene>,
    clock: Stepper<f64>,
    picture: Picture,
    /// Which view is painted.
    pub view: usize,
    /// Whether time stands still.
    pub paused: bool,
    /// Whether the scene is still left to itself.
    pub rehearsing: bool,
}

impl Player {
    /// A player of this scene, running.
    ///
    /// # Errors
    /// A scene of a size that no picture has.
    pub fn new(scene: Box<dyn Scene>) -> Result<Self, Error> {
        let [width, height] = scene.picture_size();
        Ok(Self {
            clock: Stepper::new(scene.dt(), MAX_STEPS)?,
            picture: Picture::new(width, height)?,
            scene,
            view: 0,
            paused: false,
            rehearsing: true,
        })
    }

    /// The scene.
    pub fn scene(&self) -> &dyn Scene {
        &*self.scene
    }

    /// The scene, to be changed.
    pub fn scene_mut(&mut self) -> &mut dyn Scene {
        &mut *self.scene
    }

    /// The picture that [`Player::paint`] paints.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// The time that did not fit into frames, s.
    pub fn dropped(&self) -> f64 {
        self.clock.dropped()
    }

    /// Hands on a pressed pointer; from now on the scene is the user's.
    pub fn pointer(&mut self, pointer: Pointer) {
        self.rehearsing = false;
        self.scene.pointer(pointer);
    }

    /// Plays a frame that took `seconds`: whole steps, as many as have become due. Returns their
    /// number.
    ///
    /// # Errors
    /// What the scene says.
    pub fn frame(&mut self, seconds: f64, workers: &Workers) -> Result<usize, Error> {
        if self.paused {
            return Ok(0);
        }
        let steps = self.clock.advance(seconds);
        (0..steps).try_for_each(|_| self.step(workers))?;
        Ok(steps)
    }

    /// Does one step.
    ///
    /// # Errors
    /// What the scene says.
    pub fn step(&mut self, workers: &Workers) -> Result<(), Error> {
        if self.rehearsing {
            self.scene.rehearse();
        }
        let scene = &mut self.scene;
        workers.run(|| scene.step())
    }

    /// Paints the view into the picture.
    ///
    /// # Errors
    /// What the scene says.
    pub fn paint(&mut self) -> Result<&Picture, Error> {
        self.scene.paint(self.view, &mut self.picture)?;
        Ok(&self.picture)
    }

    /// Goes on to the next view.
    pub fn next_view(&mut self) {
        self.view = (self.view + 1) % self.scene.views().len().max(1);
    }

    /// Starts the scene anew, left to itself.
    ///
    /// # Errors
    /// What the scene says.
    pub fn reset(&mut self) -> Result<(), Error> {
        self.rehearsing = true;
        self.scene.reset()
    }

    /// Goes on with another number of cells.
    ///
    /// # Errors
    /// A size that no grid or picture has; the scene then goes on as it was.
    pub fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        self.scene.resize(size)?;
        let [width, height] = self.scene.picture_size();
        self.picture = Picture::new(width, height)?;
        Ok(())
    }
}
