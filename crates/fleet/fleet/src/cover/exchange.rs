//! Better choices by exchange: a set of a choice for another, as long as that covers more.

use super::reduced::Reduced;

/// A choice of as many sets, from which no exchange of one set leads to more; and what it covers.
pub(super) fn improved(problem: &Reduced, mut sets: Vec<usize>) -> (u64, Vec<usize>) {
    // How many of the sets have an element.
    let mut count = vec![0_u32; problem.weights.len()];
    sets.iter().for_each(|set| add(problem, &mut count, *set));
    while let Some((place, other)) = exchange(problem, &mut count, &sets) {
        remove(problem, &mut count, sets[place]);
        add(problem, &mut count, other);
        sets[place] = other;
    }
    let covered = problem.weights.iter().zip(&count).filter(|(_, count)| **count > 0);
    (covered.map(|(weight, _)| weight).sum(), sets)
}

/// The exchange that gains most: the place of a set, and another one for it.
fn exchange(problem: &Reduced, count: &mut [u32], sets: &[usize]) -> Option<(usize, usize)> {
    let weight = |count: &[u32], set: usize| -> u64 {
        let open = problem.sets[set].iter().filter(|element| count[**element] == 0);
        open.map(|element| problem.weights[*element]).sum()
    };
    let (mut most, mut best) = (0, None);
    for (place, own) in sets.iter().enumerate() {
        remove(problem, count, *own);
        let loss = weight(count, *own);
        for other in 0..problem.sets.len() {
            let gain = weight(count, other).saturating_sub(loss);
            if gain > most {
                (most, best) = (gain, Some((place, other)));
            }
        }
        add(problem, count, *own);
    }
    best
}

fn add(problem: &Reduced, count: &mut [u32], set: usize) {
    problem.sets[set].iter().for_each(|element| count[*element] += 1);
}

fn remove(problem: &Reduced, count: &mut [u32], set: usize) {
    problem.sets[set].iter().for_each(|element| count[*element] -= 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_greed_took_is_exchanged() {
        let sets = vec![vec![0, 1, 3, 4], vec![0, 1, 2], vec![3, 4, 5]];
        let problem = Reduced::new(&[1; 6], &sets);
        let (covered, mut better) = improved(&problem, vec![0, 1]);
        better.sort_unstable();
        assert_eq!((covered, better), (problem.weights.iter().sum(), vec![1, 2]));
    }
}
