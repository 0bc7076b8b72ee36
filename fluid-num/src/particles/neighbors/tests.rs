use super::*;
use alloc::vec;

const STRUCTURES: [CellStructure; 4] = [
    CellStructure::Sorted,
    CellStructure::Fixed { capacity: 64 },
    CellStructure::Fixed { capacity: 1 },
    CellStructure::Hashed,
];

/// Numbers from 0 to 1.
fn random(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| next()).collect()
}

/// The neighbours of every query by comparison with every particle.
fn brute<const D: usize>(
    domain: &Domain<f64, D>,
    queries: &[Vec<f64>; D],
    particles: &[Vec<f64>; D],
    reach: f64,
    pairs: Pairs,
) -> Vec<Vec<u32>> {
    let near = |i: usize, j: usize| {
        let squared = |a: usize| {
            let d = (queries[a][i] - particles[a][j]).abs();
            let d = if domain.periodic[a] { d.min(domain.size(a) - d) } else { d };
            d * d
        };
        (0..D).map(squared).sum::<f64>() < reach * reach && (pairs == Pairs::Between || i != j)
    };
    let of = |i| (0..particles[0].len()).filter(|j| near(i, *j)).map(|j| j as u32).collect();
    (0..queries[0].len()).map(of).collect()
}

fn slices<const D: usize>(x: &[Vec<f64>; D]) -> [&[f64]; D] {
    core::array::from_fn(|a| &x[a][..])
}

fn sorted(list: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut list: Vec<u32> = list.into_iter().collect();
    list.sort_unstable();
    list
}

#[track_caller]
fn compare<const D: usize>(domain: Domain<f64, D>, x: &[Vec<f64>; D], reach: f64) {
    let expected = brute(&domain, x, x, reach, Pairs::Among);
    for structure in STRUCTURES {
        let mut neighbors = Neighbors::new(domain, reach, structure).unwrap();
        neighbors.update(slices(x)).unwrap();
        assert_eq!(neighbors.len(), x[0].len());
        for (i, list) in expected.iter().enumerate() {
            assert_eq!(&sorted(neighbors.of(i)), list, "particle {i} in {structure:?}");
        }
        let pairs: usize = expected.iter().map(Vec::len).sum();
        assert_eq!(neighbors.pair_count(), pairs);
    }
}

#[test]
fn all_structures_find_the_pairs_of_a_search_through_all() {
    let square = Domain::new([-1.0, 0.5], [1.0, 1.5]).unwrap();
    let cube = Domain::new([0.0; 3], [1.0, 0.7, 1.3]).unwrap();
    for (count, reach) in [(0, 0.1), (1, 0.1), (300, 0.11), (300, 0.5), (60, 3.0)] {
        let [u, v, w] = [1, 2, 3].map(|seed| random(count, seed));
        let plane =
            [u.iter().map(|u| 2.0 * u - 1.0).collect(), v.iter().map(|v| v + 0.5).collect()];
        compare(square, &plane, reach);
        compare(cube, &[u, v.iter().map(|v| 0.7 * v).collect(), w.clone()], reach);
        let half = reach.min(0.5);
        compare(square.with_periodic(0).with_periodic(1), &plane, half);
        compare(square.with_periodic(1), &plane, half);
    }
}

#[test]
fn periodic_boxes_of_two_and_three_cells_count_nobody_twice() {
    for cells in [2.0, 2.5, 3.0, 3.5] {
        let domain = Domain::new([0.0; 3], [1.0; 3]).unwrap();
        let domain = (0..3).fold(domain, Domain::with_periodic);
        compare(domain, &[4, 5, 6].map(|seed| random(150, seed)), 1.0 / cells);
    }
}

#[test]
fn coincident_aligned_and_far_particles_are_found() {
    let domain = Domain::new([0.0; 2], [1.0; 2]).unwrap();
    compare(domain, &[vec![0.3; 40], vec![0.6; 40]], 0.1);
    compare(domain, &[(0..50).map(|i| f64::from(i) * 0.02).collect(), vec![0.5; 50]], 0.1);
    // Exactly on the sides, beyond them, and a million lengths away.
    let x = vec![0.0, 1.0, -0.01, 1.05, -1e6, -1e6, 1e6, 3.7, 3.71, 0.99];
    let y = vec![0.0, 1.0, 0.0, 1.0, 0.5, 0.55, 0.5, 0.2, 0.2, 1.01];
    compare(domain, &[x, y], 0.1);
}

#[test]
fn a_cell_with_thousands_of_particles_loses_none() {
    let domain = Domain::new([0.0; 2], [1.0; 2]).unwrap();
    let count = 1500;
    let x = [7, 8].map(|seed| random(count, seed).iter().map(|u| 0.41 + 0.02 * u).collect());
    for structure in STRUCTURES {
        let mut neighbors = Neighbors::new(domain, 0.1, structure).unwrap();
        neighbors.update(slices(&x)).unwrap();
        assert_eq!(neighbors.pair_count(), count * (count - 1));
        let spilled = match structure {
            CellStructure::Fixed { capacity } => count - capacity,
            _ => 0,
        };
        assert_eq!(neighbors.overflowed(), spilled);
    }
}

#[test]
fn neighbours_among_other_points_include_those_at_the_same_place() {
    let domain = Domain::new([0.0; 2], [1.0; 2]).unwrap().with_periodic(0);
    let (particles, queries) = ([11, 12].map(|s| random(80, s)), [11, 12].map(|s| random(20, s)));
    let expected = brute(&domain, &queries, &particles, 0.2, Pairs::Between);
    for structure in STRUCTURES {
        let mut neighbors = Neighbors::new(domain, 0.2, structure).unwrap();
        neighbors.assign(slices(&particles)).unwrap();
        neighbors.search(slices(&queries), Pairs::Between);
        for (i, list) in expected.iter().enumerate() {
            assert_eq!(&sorted(neighbors.of(i)), list);
            assert!(list.contains(&(i as u32)));
        }
    }
}

#[test]
fn particles_put_into_the_order_of_cells_have_the_same_neighbours() {
    let domain = Domain::new([0.0; 2], [1.0; 2]).unwrap();
    let x = [21, 22].map(|seed| random(400, seed));
    for structure in STRUCTURES {
        let mut neighbors = Neighbors::new(domain, 0.08, structure).unwrap();
        neighbors.assign(slices(&x)).unwrap();
        let order = neighbors.order().to_vec();
        assert_eq!(sorted(order.clone()), (0..400).collect::<Vec<_>>());
        let moved = x.clone().map(|x| order.iter().map(|i| x[*i as usize]).collect::<Vec<_>>());
        neighbors.renumber();
        neighbors.search(slices(&moved), Pairs::Among);
        let expected = brute(&domain, &moved, &moved, 0.08, Pairs::Among);
        for (i, list) in expected.iter().enumerate() {
            assert_eq!(&sorted(neighbors.of(i)), list);
        }
    }
}

#[test]
fn lanes_without_a_point_point_at_particles_that_there_are() {
    let domain = Domain::new([0.0; 2], [1.0; 2]).unwrap();
    let x = [41, 42].map(|seed| random(100, seed));
    let mut neighbors = Neighbors::new(domain, 0.3, CellStructure::Sorted).unwrap();
    for count in [100, 5, 11, 1] {
        neighbors.update(x.each_ref().map(|x| &x[..count])).unwrap();
        for first in (0..count).step_by(LANES) {
            let (list, counts) = neighbors.group(first);
            assert!(list.iter().flatten().all(|j| (*j as usize) < count));
            for (lane, held) in counts.into_iter().enumerate() {
                assert_eq!(held as usize, neighbors.of(first + lane).len());
            }
        }
    }
}

#[test]
fn a_position_that_is_not_finite_is_an_error_that_names_the_particle() {
    let domain = Domain::new([0.0; 2], [1.0; 2]).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        for structure in STRUCTURES {
            let mut neighbors = Neighbors::new(domain, 0.2, structure).unwrap();
            neighbors.update([&[0.1, 0.2], &[0.1, 0.2]]).unwrap();
            let error = neighbors.update([&[0.1, 0.2], &[0.1, bad]]).unwrap_err();
            assert_eq!(error, Error::NotFinite { name: "particle position", place: [1, 0, 0] });
            assert!(neighbors.of(0).eq([1]));
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let domain = Domain::new([0.0; 2], [1.0; 2]).unwrap();
    for reach in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Neighbors::new(domain, reach, CellStructure::Sorted).is_err());
    }
    assert!(Neighbors::new(domain, 0.6, CellStructure::Sorted).is_ok());
    assert!(Neighbors::new(domain.with_periodic(1), 0.6, CellStructure::Sorted).is_err());
    assert!(Neighbors::new(domain, 0.1, CellStructure::Fixed { capacity: 0 }).is_err());
}

#[test]
fn a_domain_of_more_cells_than_fit_takes_larger_ones() {
    let domain = Domain::new([0.0; 2], [1e4; 2]).unwrap();
    let x = [31, 32].map(|seed| random(200, seed).iter().map(|u| 5e3 + u).collect());
    compare(domain, &x, 0.1);
}
