use super::*;

fn trio() -> ParticleSet<f32, 3> {
    let mut set = ParticleSet::with_capacity(3);
    for n in 0..3_u16 {
        let x = f32::from(n);
        set.add([x, x + 10.0, x + 20.0], [x + 30.0, x + 40.0, x + 50.0], n).unwrap();
    }
    set
}

#[test]
fn reordering_moves_every_array_and_no_handle() {
    let mut set = trio();
    set.lifetimes_mut().copy_from_slice(&[5.0, 6.0, 7.0]);
    let ids = set.ids().to_vec();
    set.reorder(&[2, 0, 1]).unwrap();
    for (n, id) in ids.iter().enumerate() {
        let i = set.index_of(*id).unwrap();
        let x = n as f32;
        assert_eq!(set.position(i), Some([x, x + 10.0, x + 20.0]));
        assert_eq!(set.velocity(i), Some([x + 30.0, x + 40.0, x + 50.0]));
        assert_eq!((set.groups()[i], set.lifetimes()[i]), (n as u16, x + 5.0));
        assert_eq!(set.id(i), Some(*id));
    }
    assert_eq!(set.groups(), [2, 0, 1]);
}

#[test]
fn an_order_that_is_no_permutation_is_refused() {
    let mut set = trio();
    let before = set.digest(Digest::new()).finish();
    for order in [&[0_u32, 1][..], &[0, 1, 1], &[0, 1, 3], &[0, 1, u32::MAX], &[0, 1, 2, 2]] {
        assert!(matches!(set.reorder(order), Err(Error::WrongCount { .. })));
    }
    assert_eq!(set.digest(Digest::new()).finish(), before);
    assert_eq!(set.reorder(&[0, 1, 2]), Ok(()));
}

#[test]
fn bad_particles_are_not_added_and_bad_axes_are_empty() {
    let mut set = trio();
    assert!(set.add([f32::NAN, 0.0, 0.0], [0.0; 3], 0).is_err());
    assert!(set.add([0.0; 3], [0.0, f32::INFINITY, 0.0], 0).is_err());
    assert_eq!((set.len(), set.position(3), set.id(3)), (3, None, None));
    assert!(set.positions(3).is_empty() && set.velocities_mut(9).is_empty());
    assert!(set.advance_ages(-1.0).is_err() && set.advance_ages(f32::NAN).is_err());
}

#[test]
fn the_first_particle_that_is_not_finite_is_named() {
    let mut set = trio();
    assert_eq!(set.check_finite(), Ok(()));
    set.velocities_mut(0)[2] = f32::NAN;
    set.velocities_mut(1)[1] = f32::NEG_INFINITY;
    let name = "particle velocity";
    assert_eq!(set.check_finite(), Err(Error::NotFinite { name, place: [1, 0, 0] }));
}

#[test]
fn a_copy_has_the_same_state_in_the_room_it_had() {
    let (set, mut copy) = (trio(), ParticleSet::with_capacity(8));
    let room = copy.positions(0).as_ptr();
    copy.copy_from(&set);
    assert_eq!(copy.positions(0).as_ptr(), room);
    assert!(set.ids().iter().all(|id| copy.index_of(*id) == set.index_of(*id)));
    let digest = |set: &ParticleSet<f32, 3>| set.digest(Digest::new()).finish();
    assert_eq!(digest(&copy), digest(&set));
    copy.groups_mut()[1] = 9;
    assert_ne!(digest(&copy), digest(&set));
    copy.copy_from(&set);
    let id = set.ids()[0];
    copy.remove(id).unwrap();
    assert_ne!(digest(&copy), digest(&set)); // the mark is state
}
