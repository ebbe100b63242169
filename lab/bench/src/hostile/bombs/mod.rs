//! Small files that stand for large values: names that double what they name, values that lie in each other, functions that
//! call each other twice, strings that share their bytes. A reader that visits such a graph as a tree never ends.

mod archives;
mod graphs;
mod shared_objects;
mod texts;
mod torch;

use std::path::Path;

/// How often something is doubled: no machine counts to two to the power of this.
const DOUBLINGS: usize = 60;

/// A file of this kind, and what is run on it. `FILE` and the others are as for mutated files.
#[derive(Clone)]
pub struct Bomb {
    /// The name of the file: its ending tells its format.
    pub name: String,
    pub bytes: Vec<u8>,
    pub commands: &'static [&'static str],
}

impl Bomb {
    fn new(name: &str, bytes: impl Into<Vec<u8>>, commands: &'static [&'static str]) -> Self {
        Self { name: name.to_owned(), bytes: bytes.into(), commands }
    }
}

/// All of them.
///
/// # Errors
/// If an example of the repository cannot be read.
pub fn all(root: &Path) -> anyhow::Result<Vec<Bomb>> {
    let mut all = texts::all()?;
    all.extend(graphs::all());
    all.extend(shared_objects::all());
    all.extend(torch::all(root)?);
    all.extend(archives::all()?);
    Ok(all)
}

/// Each line of a text that doubles: the first, and then one for each of those before it.
fn doubled(first: &str, next: impl Fn(usize, usize) -> String) -> String {
    let lines = (1..=DOUBLINGS).map(|nth| next(nth, nth - 1));
    std::iter::once(first.to_owned()).chain(lines).map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bomb_is_small_has_a_name_of_its_own_and_a_command() {
        let all = all(unskew_peers::root()).unwrap();
        let mut names: Vec<&str> = all.iter().map(|bomb| bomb.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        for bomb in &all {
            assert!(bomb.bytes.len() < 8 << 20, "{}", bomb.name);
            assert!(!bomb.commands.is_empty(), "{}", bomb.name);
        }
        assert_eq!(doubled("a", |nth, before| format!("{nth} {before}")).lines().count(), 61);
    }
}
