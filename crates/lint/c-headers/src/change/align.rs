//! Alignment of the fields of an old struct and a new one.

use super::pair::ContractPair;
use super::type_equivalence::TypeEquivalence;
use crate::contract::HeaderStruct;
use foldhash::{HashMap, HashMapExt as _};

/// The fields of two structs, put side by side.
pub struct Alignment {
    /// For every old field the new one.
    pub to_new: Vec<Option<usize>>,
    /// For every new field the old one.
    pub to_old: Vec<Option<usize>>,
    /// Fields that have another name, old and new.
    pub renamed: Vec<(usize, usize)>,
    /// Fields of another type and name that lie where another one lay, old and new. Neither counts as
    /// removed or inserted.
    pub replaced: Vec<(usize, usize)>,
    /// Old fields that are in another order, in the order of the new struct.
    pub reordered: Vec<usize>,
    removed: Vec<bool>,
    added: Vec<bool>,
}

impl Alignment {
    /// By name, and by place for the names that are left.
    pub fn new(pair: &ContractPair<'_>, old: &HeaderStruct, new: &HeaderStruct) -> Self {
        let mut by_name = HashMap::with_capacity(new.members.len());
        for (index, member) in new.members.iter().enumerate() {
            by_name.entry(member.name.as_str()).or_insert(index);
        }
        let mut to_new: Vec<Option<usize>> = vec![None; old.members.len()];
        let mut to_old: Vec<Option<usize>> = vec![None; new.members.len()];
        for (index, member) in old.members.iter().enumerate() {
            let Some(at) = by_name.remove(member.name.as_str()) else { continue };
            (to_new[index], to_old[at]) = (Some(at), Some(index));
        }
        let (mut renamed, mut replaced) = (Vec::new(), Vec::new());
        let mut by_place: HashMap<(Option<u64>, usize), usize> = HashMap::new();
        for (at, member) in new.members.iter().enumerate().filter(|(at, _)| to_old[*at].is_none()) {
            by_place.insert(place(member.offset, at), at);
        }
        for (index, member) in old.members.iter().enumerate() {
            if to_new[index].is_some() {
                continue;
            }
            let Some(at) = by_place.get(&place(member.offset, index)).copied() else { continue };
            let Some(other) = new.members.get(at) else { continue };
            let same_size = member.size == other.size && member.bits == other.bits;
            if same_size
                && pair.likeness(&member.r#type, &other.r#type) != TypeEquivalence::Different
            {
                by_place.remove(&place(member.offset, index));
                (to_new[index], to_old[at]) = (Some(at), Some(index));
                renamed.push((index, at));
            } else {
                replaced.push((index, at));
            }
        }
        let reordered = out_of_order(&to_old);
        let removed = to_new.iter().map(Option::is_none).collect();
        let added = to_old.iter().map(Option::is_none).collect();
        let mut found = Self { to_new, to_old, renamed, replaced, reordered, removed, added };
        for (index, at) in &found.replaced {
            (found.removed[*index], found.added[*at]) = (false, false);
        }
        found
    }

    /// Whether an old field is gone, and nothing stands in its place.
    pub fn is_removed(&self, index: usize) -> bool {
        self.removed.get(index).copied().unwrap_or_default()
    }

    /// Whether a new field was not there, and takes the place of none.
    pub fn is_added(&self, at: usize) -> bool {
        self.added.get(at).copied().unwrap_or_default()
    }

    /// The last new field that an old one became.
    pub fn last_kept(&self) -> Option<usize> {
        self.to_old.iter().rposition(Option::is_some)
    }
}

/// Where a field lies: its offset if that is known, else its number.
fn place(offset: Option<u64>, index: usize) -> (Option<u64>, usize) {
    (offset, if offset.is_some() { 0 } else { index })
}

/// The old fields that are not in the longest run that kept its order.
fn out_of_order(to_old: &[Option<usize>]) -> Vec<usize> {
    let kept: Vec<usize> = to_old.iter().copied().flatten().collect();
    // Patience sorting: the last card of every pile, and for every card the one under it.
    let mut piles: Vec<usize> = Vec::new();
    let mut under: Vec<Option<usize>> = Vec::with_capacity(kept.len());
    for (at, value) in kept.iter().enumerate() {
        let pile = piles.partition_point(|top| kept.get(*top) < Some(value));
        under.push(pile.checked_sub(1).and_then(|left| piles.get(left).copied()));
        match piles.get_mut(pile) {
            Some(top) => *top = at,
            None => piles.push(at),
        }
    }
    let mut in_order = vec![false; kept.len()];
    let mut next = piles.last().copied();
    while let Some(at) = next {
        if let Some(flag) = in_order.get_mut(at) {
            *flag = true;
        }
        next = under.get(at).copied().flatten();
    }
    kept.iter().zip(in_order).filter(|(_, kept)| !kept).map(|(value, _)| *value).collect()
}

#[cfg(test)]
mod tests {
    use super::out_of_order;

    #[test]
    fn the_longest_run_keeps_its_order() {
        let order =
            |list: &[usize]| out_of_order(&list.iter().map(|n| Some(*n)).collect::<Vec<_>>());
        assert_eq!(order(&[0, 1, 2, 3]), [0; 0]);
        assert_eq!(order(&[1, 0, 2, 3]).len(), 1);
        assert_eq!(order(&[3, 0, 1, 2]), [3]);
        assert_eq!(order(&[]), [0; 0]);
    }
}
