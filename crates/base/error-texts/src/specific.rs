//! Which of several matches say the most.

use crate::Occurrence;

/// Drops each match that overlaps one with more literal words in it. What overlaps and has as many is kept: the same words
/// have several causes then. `of` gives the place of a match and the [`literal_length`](crate::ErrorPattern::literal_length) of its
/// pattern.
pub fn most_specific<T>(mut all: Vec<T>, of: impl Fn(&T) -> (&Occurrence, usize)) -> Vec<T> {
    // The longest literals first: what is kept is never dropped again.
    all.sort_by_key(|one| std::cmp::Reverse(of(one).1));
    let mut kept: Vec<T> = Vec::new();
    for one in all {
        let (place, length) = of(&one);
        let covered = kept.iter().any(|other| {
            let (other, longer) = of(other);
            longer > length
                && other.span.start < place.span.end
                && place.span.start < other.span.end
        });
        if !covered {
            kept.push(one);
        }
    }
    kept.sort_by_key(|one| of(one).0.span.start);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_overlapping_matches_the_longer_words_stay() {
        let at = |start: usize, end: usize| Occurrence { span: start..end, values: Vec::new() };
        let all = vec![(at(0, 10), 8), (at(5, 20), 14), (at(5, 20), 14), (at(30, 40), 3)];
        let kept = most_specific(all, |one| (&one.0, one.1));
        let lengths: Vec<usize> = kept.iter().map(|one| one.1).collect();
        assert_eq!(lengths, [14, 14, 3]);
    }
}
