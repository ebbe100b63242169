//! The planner's core against brute force, its stated bounds, and hard instances.

use std::time::Instant;

use proptest::prelude::*;
use unskew_fleet::{Best, Cover, EFFORT};

/// The most that `k` of the sets cover.
fn brute(weights: &[u64], sets: &[Vec<usize>], k: usize) -> u64 {
    let cover = Cover::new(weights.to_vec(), sets.to_vec());
    let choices = (0_u32..1 << sets.len()).filter(|choice| choice.count_ones() as usize <= k);
    let members = |choice: u32| -> Vec<usize> {
        (0..sets.len()).filter(|set| choice >> set & 1 == 1).collect()
    };
    choices.map(|choice| cover.weight(&members(choice))).max().unwrap_or(0)
}

fn problem() -> impl Strategy<Value = (Vec<u64>, Vec<Vec<usize>>)> {
    (1_usize..14, 1_usize..10).prop_flat_map(|(elements, sets)| {
        let weights = proptest::collection::vec(0_u64..50, elements);
        let set = proptest::collection::vec(0..elements, 0..elements);
        (weights, proptest::collection::vec(set, sets))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_best_is_what_trying_all_finds((weights, sets) in problem(), k in 1_usize..6) {
        let cover = Cover::new(weights.clone(), sets.clone());
        let best = cover.best(k, EFFORT);
        prop_assert!(best.is_optimal());
        prop_assert!(best.sets.len() <= k);
        prop_assert_eq!(cover.weight(&best.sets), best.weight);
        prop_assert_eq!(best.weight, brute(&weights, &sets, k));
    }

    #[test]
    fn greedy_keeps_its_bound_and_no_limit_lies((weights, sets) in problem(), k in 1_usize..6) {
        let cover = Cover::new(weights.clone(), sets.clone());
        let optimum = brute(&weights, &sets, k);
        let share = 1.0 - (1.0 - 1.0 / k as f64).powi(k as i32);
        let greedy = cover.greedy(k);
        prop_assert!(greedy.weight as f64 >= share * optimum as f64 - 1e-9);
        for effort in [0, 1, 3] {
            let short = cover.best(k, effort);
            prop_assert!(greedy.at_most >= optimum && short.at_most >= optimum);
            prop_assert!(short.weight <= optimum);
        }
    }

    #[test]
    fn the_curve_rises_to_all_that_can_be_covered((weights, sets) in problem()) {
        let cover = Cover::new(weights.clone(), sets.clone());
        let curve = cover.curve(usize::MAX, EFFORT);
        prop_assert!(curve.windows(2).all(|pair| pair[0].weight < pair[1].weight));
        let end = curve.last().map_or(0, |best| best.weight);
        prop_assert_eq!(end, cover.coverable());
        for (at, best) in curve.iter().enumerate() {
            prop_assert_eq!(best.weight, brute(&weights, &sets, at + 1));
        }
    }
}

/// Numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Instances that are hard for a branch and bound, 60 elements and 40 sets each.
fn hard() -> Vec<(String, Cover)> {
    let mut all = Vec::new();
    for (seed, degree) in [(1, 2), (2, 3), (3, 4), (4, 6), (5, 10), (6, 20)] {
        for weighty in [false, true] {
            let mut dice = Dice(seed);
            let mut sets = vec![Vec::new(); 40];
            for element in 0..60 {
                for _ in 0..degree {
                    sets[dice.roll(40) as usize].push(element);
                }
            }
            let weights = (0..60).map(|_| if weighty { 1 + dice.roll(10_000) } else { 1 });
            let name = format!("each in {degree} random sets, weights {weighty}");
            all.push((name, Cover::new(weights.collect(), sets)));
        }
    }
    // Triples of a cyclic design: every set has its equal everywhere.
    let sets = (0..40).map(|at| [0, 1, 3, 7, 12].map(|d| (at * 3 / 2 + d * 5) % 60).to_vec());
    all.push(("a cyclic design".to_owned(), Cover::new(vec![1; 60], sets.collect())));
    let sets = (0..40).map(|at: usize| (at..(at + 15).min(60)).collect());
    all.push(("intervals".to_owned(), Cover::new((1..61).collect(), sets.collect())));
    // A knight and a queen on a chess board, and points and lines of a plane: many symmetries.
    for (name, reach) in [("knights", [(0, 0), (1, 2)]), ("neighbours", [(0, 1), (1, 1)])] {
        let near = |a: i32, b: i32| {
            let (x, y) = ((a % 6 - b % 6).abs(), (a / 6 - b / 6).abs());
            a == b || reach.iter().any(|(u, v)| (x, y) == (*u, *v) || (x, y) == (*v, *u))
        };
        let set = |a: i32| (0..36).filter(|b| near(a, *b)).map(|b| b as usize).collect();
        all.push((name.to_owned(), Cover::new(vec![1; 36], (0..36).map(set).collect())));
    }
    let mut points = vec![[0, 0, 1]];
    points.extend((0..5).map(|y| [0, 1, y]));
    points.extend((0..25).map(|at| [1, at / 5, at % 5]));
    let on = |line: &[usize; 3], point: &[usize; 3]| {
        line.iter().zip(point).map(|(a, b)| a * b).sum::<usize>() % 5 == 0
    };
    let line = |line: &[usize; 3]| (0..31).filter(|at| on(line, &points[*at])).collect();
    let lines = points.iter().map(line).collect();
    all.push(("lines of a plane".to_owned(), Cover::new(vec![1; 31], lines)));
    // Four kinds of runtimes that have nothing to do with each other.
    let mut dice = Dice(30);
    let block: Vec<Vec<usize>> =
        (0..10).map(|_| (0..5).map(|_| dice.roll(15) as usize).collect()).collect();
    let sets = (0..40).map(|at| block[at % 10].iter().map(|one| one + 15 * (at / 10)).collect());
    all.push(("four equal parts".to_owned(), Cover::new(vec![1; 60], sets.collect())));
    all
}

#[test]
fn every_point_of_a_hard_instance_is_proven() {
    let (mut met, mut points) = (0, 0);
    for (name, cover) in hard() {
        let begin = Instant::now();
        let curve = cover.curve(usize::MAX, EFFORT);
        let spent = begin.elapsed();
        let open: Vec<String> = curve
            .iter()
            .enumerate()
            .filter(|(_, best)| !best.is_optimal())
            .map(|(at, Best { weight, at_most, .. })| format!("{}: {weight}..{at_most}", at + 1))
            .collect();
        println!("{name}: {} points, open [{}], {spent:?}", curve.len(), open.join(", "));
        assert!(curve.iter().all(|best| best.weight <= best.at_most));
        points += curve.len();
        met += curve.len() - open.len();
    }
    println!("{met} of {points} points are proven");
    assert_eq!(met, points);
}
