//! Level sets of any values, moved, made distances and corrected.

use fluid_num::advection::Interpolation;
use fluid_num::base::digest::Digest;
use fluid_num::level_set::{
    BandTransport, DistanceOrder, Extrapolation, FastIterative, JumpFlooding, MarkerParams,
    MarkerParticles,
};
use fluid_num::{Boundary, Faces, Field, LevelSet, Real, Side};

use crate::input::{Input, dispatch};

/// A level set, some steps of everything that is done with one.
///
/// # Panics
/// Where a property does not hold.
pub fn level_set(data: &[u8]) {
    dispatch!(data, run);
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    let grid = input.grid::<T, D>();
    let mut boundary = Boundary::walls();
    for axis in 0..D {
        if input.flag() {
            boundary = boundary.with(axis, 0, Side::Periodic).with(axis, 1, Side::Periodic);
        }
    }
    let phi = Field::from_fn(grid, |_| input.number::<T>(-2.0, 2.0) * grid.dx());
    let finite = phi.values().all(|v: T| v.is_finite());
    let made = LevelSet::from_field(phi, &boundary);
    assert_eq!(made.is_ok(), finite);
    let Ok(mut set) = made else { return };
    let u = Faces::from_fn(grid, |_| input.vector(-1.0, 1.0));
    let params = MarkerParams { per_cell: 3, band: 3.0, capacity: 500 };
    let band = T::of_usize(input.within(2, 12));
    let made = (
        BandTransport::new(
            grid,
            boundary,
            input.pick(&[Interpolation::Linear, Interpolation::Cubic]),
        ),
        FastIterative::new(grid, band, input.pick(&[DistanceOrder::First, DistanceOrder::Second])),
        JumpFlooding::new(grid, band),
        MarkerParticles::new(grid, boundary, params),
    );
    let (Ok(mut transport), Ok(mut fast), Ok(mut jump), Ok(mut markers)) = made else {
        panic!("what is valid is refused")
    };
    assert!(markers.seed(&set).is_ok());
    for _ in 0..3 {
        step(input, &u, &mut set, (&mut transport, &mut fast, &mut jump, &mut markers));
    }
    let mut v = u.clone();
    let extended = Extrapolation::new(grid).velocity(&set, &mut v, T::of(2.0));
    assert_eq!(extended.is_ok(), is_finite(&u) && is_whole(&set));
    if extended.is_err() {
        let bits = |u: &Faces<T, D>| u.digest(Digest::new()).finish();
        assert_eq!(bits(&v), bits(&u));
    }
}

type Tools<'a, T, const D: usize> = (
    &'a mut BandTransport<T, D>,
    &'a mut FastIterative<T, D>,
    &'a mut JumpFlooding<T, D>,
    &'a mut MarkerParticles<T, D>,
);

fn step<T: Real, const D: usize>(
    input: &mut Input<'_>,
    u: &Faces<T, D>,
    set: &mut LevelSet<T, D>,
    (transport, fast, jump, markers): Tools<'_, T, D>,
) {
    let (dt, before) = (input.time_step::<T>(), set.clone());
    let moved = transport.carry(u, set, dt);
    assert_eq!(markers.carry(u, dt).is_ok(), moved.is_ok());
    if moved.is_err() {
        assert_eq!(*set, before);
    }
    assert!(markers.correct(set).is_ok());
    let before = set.clone();
    let done = if input.flag() { fast.reinitialize(set) } else { jump.reinitialize(set) };
    assert_eq!(done.is_ok(), is_whole(&before));
    if done.is_err() {
        assert_eq!(*set, before);
        return;
    }
    assert!(is_whole(set) && set.measure().is_finite());
    let sides = before.field().values().zip(set.field().values());
    for (a, b) in sides {
        assert_eq!(a < T::zero(), b < T::zero(), "a cell has changed its side");
    }
    assert!(markers.resize(set).is_ok() && markers.reseed(set).is_ok());
    assert!(markers.len() <= 500);
}

fn is_finite<T: Real, const D: usize>(u: &Faces<T, D>) -> bool {
    u.components().iter().all(|c| c.values().all(|v| v.is_finite()))
}

fn is_whole<T: Real, const D: usize>(set: &LevelSet<T, D>) -> bool {
    set.field().values().all(|v| v.is_finite())
}
