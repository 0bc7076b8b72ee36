//! The scenes.

pub mod cavity;
pub mod dam_break;
pub mod dam_burst;
pub mod ink;
pub mod karman;
pub mod lbm_ink;
pub mod pond;
pub mod pool;
pub mod porous;
pub mod river;
pub mod shore;
pub mod smoke;
pub mod solvers;
pub mod stam;
pub mod tank3d;
pub mod wake3d;
pub mod water;
pub mod water3d;
pub mod waves;
pub mod wind;

use fluid_num::Error;

use crate::scene::{Scene, Setup};

/// How a scene is made.
pub type Make = fn(&Setup) -> Result<Box<dyn Scene>, Error>;

/// A line of the menu.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Its own number of cells along x and y.
    pub size: [usize; 2],
    /// Its own number of cells in a headless run.
    pub headless_size: [usize; 2],
    /// Makes it.
    pub make: Make,
}

/// All scenes, in the order of the menu.
pub const SCENES: [Entry; 20] = [
    Entry {
        name: ink::NAME,
        title: ink::TITLE,
        size: ink::SIZE,
        headless_size: ink::SIZE,
        make: |s| Ok(Box::new(ink::Ink::new(s)?)),
    },
    Entry {
        name: smoke::NAME,
        title: smoke::TITLE,
        size: smoke::SIZE,
        headless_size: smoke::HEADLESS_SIZE,
        make: |s| Ok(Box::new(smoke::Smoke::new(s)?)),
    },
    Entry {
        name: cavity::NAME,
        title: cavity::TITLE,
        size: cavity::SIZE,
        headless_size: cavity::SIZE,
        make: |s| Ok(Box::new(cavity::Cavity::new(s)?)),
    },
    Entry {
        name: stam::NAME,
        title: stam::TITLE,
        size: stam::SIZE,
        headless_size: stam::SIZE,
        make: |s| Ok(Box::new(stam::Stam::new(s)?)),
    },
    Entry {
        name: solvers::NAME,
        title: solvers::TITLE,
        size: solvers::SIZE,
        headless_size: solvers::HEADLESS_SIZE,
        make: |s| Ok(Box::new(solvers::Solvers::new(s)?)),
    },
    Entry {
        name: dam_break::NAME,
        title: dam_break::TITLE,
        size: dam_break::SIZE,
        headless_size: dam_break::HEADLESS_SIZE,
        make: |s| Ok(Box::new(dam_break::DamBreak::new(s)?)),
    },
    Entry {
        name: water::NAME,
        title: water::TITLE,
        size: water::SIZE,
        headless_size: water::HEADLESS_SIZE,
        make: |s| Ok(Box::new(water::Water::new(s)?)),
    },
    Entry {
        name: waves::NAME,
        title: waves::TITLE,
        size: waves::SIZE,
        headless_size: waves::HEADLESS_SIZE,
        make: |s| Ok(Box::new(waves::Waves::new(s)?)),
    },
    Entry {
        name: pool::NAME,
        title: pool::TITLE,
        size: pool::SIZE,
        headless_size: pool::HEADLESS_SIZE,
        make: |s| Ok(Box::new(pool::Pool::new(s)?)),
    },
    Entry {
        name: tank3d::NAME,
        title: tank3d::TITLE,
        size: tank3d::SIZE,
        headless_size: tank3d::HEADLESS_SIZE,
        make: |s| Ok(Box::new(tank3d::Tank::new(s)?)),
    },
    Entry {
        name: water3d::NAME,
        title: water3d::TITLE,
        size: water3d::SIZE,
        headless_size: water3d::HEADLESS_SIZE,
        make: |s| Ok(Box::new(water3d::Water3d::new(s)?)),
    },
    Entry {
        name: karman::NAME,
        title: karman::TITLE,
        size: karman::SIZE,
        headless_size: karman::SIZE,
        make: |s| Ok(Box::new(karman::Karman::new(s)?)),
    },
    Entry {
        name: lbm_ink::NAME,
        title: lbm_ink::TITLE,
        size: lbm_ink::SIZE,
        headless_size: lbm_ink::SIZE,
        make: |s| Ok(Box::new(lbm_ink::LbmInk::new(s)?)),
    },
    Entry {
        name: porous::NAME,
        title: porous::TITLE,
        size: porous::SIZE,
        headless_size: porous::SIZE,
        make: |s| Ok(Box::new(porous::Porous::new(s)?)),
    },
    Entry {
        name: wake3d::NAME,
        title: wake3d::TITLE,
        size: wake3d::SIZE,
        headless_size: wake3d::HEADLESS_SIZE,
        make: |s| Ok(Box::new(wake3d::Wake::new(s)?)),
    },
    Entry {
        name: wind::NAME,
        title: wind::TITLE,
        size: wind::SIZE,
        headless_size: wind::SIZE,
        make: |s| Ok(Box::new(wind::Wind::new(s)?)),
    },
    Entry {
        name: pond::NAME,
        title: pond::TITLE,
        size: pond::SIZE,
        headless_size: pond::HEADLESS_SIZE,
        make: |s| Ok(Box::new(pond::Pond::new(s)?)),
    },
    Entry {
        name: shore::NAME,
        title: shore::TITLE,
        size: shore::SIZE,
        headless_size: shore::HEADLESS_SIZE,
        make: |s| Ok(Box::new(shore::Shore::new(s)?)),
    },
    Entry {
        name: river::NAME,
        title: river::TITLE,
        size: river::SIZE,
        headless_size: river::HEADLESS_SIZE,
        make: |s| Ok(Box::new(river::River::new(s)?)),
    },
    Entry {
        name: dam_burst::NAME,
        title: dam_burst::TITLE,
        size: dam_burst::SIZE,
        headless_size: dam_burst::HEADLESS_SIZE,
        make: |s| Ok(Box::new(dam_burst::DamBurst::new(s)?)),
    },
];

/// The scene of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    SCENES.iter().find(|entry| entry.name == name)
}
