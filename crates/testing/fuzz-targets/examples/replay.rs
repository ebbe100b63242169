//! Gives files to a fuzz target, as they are and changed, without a fuzzing engine: to see what a file that an engine kept does.
//!
//! ```text
//! cargo run -p unskew-fuzz-targets --example replay -- TARGET CHANGES FILE...
//! ```
//!
//! `CHANGES` is how many changed copies of each file follow it; 0 gives each file once. A folder stands for its files. What is
//! being read is written to `fuzz/artifacts/TARGET-replay` before it is read, so that a panic leaves it there.

use std::fs;
use std::path::{Path, PathBuf};

use unskew_fuzz_targets::TARGETS;
use unskew_random::Random;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "replay TARGET CHANGES FILE...";
    let name = arguments.next().ok_or(usage)?;
    let changes: u64 = arguments.next().ok_or(usage)?.parse()?;
    let target = TARGETS.iter().find(|(known, _)| *known == name).ok_or("no such target")?.1;
    let mut files: Vec<PathBuf> = Vec::new();
    for path in arguments.map(PathBuf::from) {
        match path.is_dir() {
            true => files.extend(fs::read_dir(path)?.flatten().map(|entry| entry.path())),
            false => files.push(path),
        }
    }
    files.sort();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/artifacts");
    fs::create_dir_all(&kept)?;
    let kept = kept.join(format!("{name}-replay"));
    let mut given = 0_u64;
    for file in &files {
        let seed = fs::read(file)?;
        for change in 0..=changes {
            let bytes = if change == 0 { seed.clone() } else { changed(&seed, given) };
            fs::write(&kept, &bytes)?;
            target(&bytes);
            given += 1;
        }
    }
    if given > 0 {
        fs::remove_file(kept)?;
    }
    println!("{name}: {} files, {given} inputs", files.len());
    Ok(())
}

/// A copy with a few bytes changed, cut out, repeated or set to extremes.
fn changed(seed: &[u8], nth: u64) -> Vec<u8> {
    let mut random = Random::nth(44, nth);
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(5) {
            _ if bytes.is_empty() => bytes.push(random.next() as u8),
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => bytes[at..end].fill(*random.choose(&[0, 0x7f, 0x80, 0xff])),
            _ => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
    bytes
}
