//! The exports of a Mach-O file: a tree in which names share their beginnings.
//!
//! A node is the length of what it says of a symbol, in bytes and 0 if no name ends there; that; the number of its
//! branches; and for each branch the next part of the name, ended by a zero, and where its node lies in the tree.
//! Numbers are LEB128. A tree says every part of a name once, so that all steps together are no longer than the tree
//! itself; a hostile one, in which branches meet again or go in circles, is told by being longer.

use super::limits::MOST_ENTRIES;

/// The most bytes of all names that a file exports. Those of the largest library of TensorFlow 2.20 have 96 MB.
const MOST_BYTES: usize = 1 << 28;

/// A branch that has not been followed: where its node lies, how much of the name stands before it, and the part that
/// it adds.
struct Branch<'a> {
    node: usize,
    before: usize,
    part: &'a [u8],
}

/// The names in the order of the tree, as many as anybody looks at; none if the bytes are no such tree.
pub(super) fn names(tree: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut names, mut bytes, mut steps) = (Vec::new(), 0, 0);
    let mut name: Vec<u8> = Vec::new();
    let mut open = vec![Branch { node: 0, before: 0, part: &[] }];
    if tree.is_empty() {
        return Some(names);
    }
    // The names of a small tree may be some times as large as it is, and not a thousand times.
    let most = tree.len().saturating_mul(16).saturating_add(1 << 20).min(MOST_BYTES);
    while let Some(Branch { node, before, part }) = open.pop() {
        steps += part.len() + 1;
        if steps > tree.len() {
            return None;
        }
        name.truncate(before);
        name.extend(part);
        let mut rest = tree.get(node..)?;
        let said = number(&mut rest)?;
        if said > 0 {
            bytes += name.len();
            // The tree shares beginnings of names, so a small one may have very many.
            if names.len() >= MOST_ENTRIES || bytes > most {
                break;
            }
            names.push(name.clone());
        }
        rest = rest.get(said..)?;
        let (count, mut branches) = rest.split_first()?;
        let first = open.len();
        for _ in 0..*count {
            let end = branches.iter().position(|byte| *byte == 0)?;
            let part = branches.get(..end)?;
            branches = branches.get(end + 1..)?;
            open.push(Branch { node: number(&mut branches)?, before: name.len(), part });
        }
        open[first..].reverse();
    }
    Some(names)
}

/// A LEB128 number; none if it does not end or does not fit.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let digit = u64::from(byte & 0x7f);
        // The tenth digit has one bit left.
        if shift == 63 && digit > 1 {
            return None;
        }
        value |= digit << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(value).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node: what it says of a symbol, and its branches.
    fn node(said: &[u8], branches: &[(&str, u8)]) -> Vec<u8> {
        let mut bytes = vec![said.len() as u8];
        bytes.extend(said);
        bytes.push(branches.len() as u8);
        for (part, at) in branches {
            bytes.extend(part.as_bytes());
            bytes.extend([0, *at]);
        }
        bytes
    }

    #[test]
    fn names_are_put_together_from_their_parts() {
        let root = node(&[], &[("_T", 19), ("_GetPjrtApi", 33)]);
        let shared = node(&[0, 9], &[("F_A", 33), ("F_B", 37)]);
        assert_eq!((root.len(), shared.len()), (19, 14));
        let tree = [root, shared, node(&[0, 1], &[]), node(&[0, 2], &[])];
        assert_eq!(
            names(&tree.concat()).unwrap(),
            [&b"_T"[..], b"_TF_A", b"_TF_B", b"_GetPjrtApi"].map(<[u8]>::to_vec)
        );
        assert_eq!(names(&[]), Some(Vec::new()));
    }

    #[test]
    fn branches_without_names_that_meet_again_end_soon() {
        // Every node has two hundred branches to the next one: 200 to the power of 40 ways, and no name.
        let mut tree = Vec::new();
        for level in 1..=40_u16 {
            tree.extend([0, 200]);
            let at = level * 602;
            for _ in 0..200 {
                tree.extend([0, (at & 0x7f) as u8 | 0x80, (at >> 7) as u8]);
            }
        }
        tree.extend([0, 0]);
        assert_eq!(names(&tree), None);
        // A circle, and one that makes the name longer every time.
        assert_eq!(names(&node(&[], &[("", 0)])), None);
        assert_eq!(names(&node(&[0, 1], &[("a", 0)])), None);
    }

    #[test]
    fn what_is_cut_off_or_leads_out_of_the_tree_is_none() {
        let tree = [node(&[], &[("_a", 6)]), node(&[0, 1], &[])].concat();
        assert_eq!(names(&tree), Some(vec![b"_a".to_vec()]));
        for end in 1..tree.len() {
            assert_eq!(names(&tree[..end]), None, "{end}");
        }
        assert_eq!(names(&node(&[], &[("_a", 99)])), None);
        assert_eq!(names(&[0x80; 12]), None);
        assert_eq!(names(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), None);
    }
}
