//! Small files that stand for large values: names that double what they name, values that lie in each other, functions that
//! call each other twice, strings that share their bytes. A reader that visits such a graph as a tree never ends.

mod archives;
mod documents;
mod graphs;
mod shared_objects;
mod texts;
mod torch;

use std::io::{self, Write as _};
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
    all.extend(documents::all()?);
    Ok(all)
}

/// A tar file of these files.
///
/// # Errors
/// If a name fits none.
pub fn tar(members: &[(&str, &[u8])]) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes)?;
    }
    tar.into_inner()
}

/// The bytes in gzip.
///
/// # Errors
/// None that is known.
pub fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes)?;
    gzip.finish()
}

/// A zip archive of these files.
///
/// # Errors
/// If two have one name.
pub fn zip(members: &[(&str, &[u8])]) -> anyhow::Result<Vec<u8>> {
    archives::zip(members)
}

/// A container image as `docker save` writes one, whose manifest names each layer so many times.
///
/// # Errors
/// None that is known.
pub fn image(layers: &[&[u8]], times: usize) -> io::Result<Vec<u8>> {
    let names: Vec<String> = (0..layers.len()).map(|at| format!("layer{at}.tar")).collect();
    let listed: Vec<String> =
        names.iter().flat_map(|name| vec![format!("\"{name}\""); times]).collect();
    let manifest = format!("[{{\"Config\": \"config.json\", \"Layers\": [{}]}}]", listed.join(","));
    let mut files: Vec<(&str, &[u8])> =
        vec![("manifest.json", manifest.as_bytes()), ("config.json", b"{}")];
    files.extend(names.iter().map(String::as_str).zip(layers.iter().copied()));
    tar(&files)
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
