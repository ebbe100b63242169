//! The names in a table of what operators do, in order, so that a file costs no more than the rows of what it calls.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Makes of the table at `path` `STEM.index`, a name a line with the numbers of its rows, and `STEM.rs`, the constant
/// `STARTS`: where each row begins. STEM is that of the table. A line of the table begins with names, divided by spaces;
/// its head says `# measured on RELEASES`. Ends the build with a message if the table is none.
pub fn index(path: &str) {
    println!("cargo::rerun-if-changed={path}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = write(Path::new(path), &out) {
        println!("cargo::error={path}: {error}");
        std::process::exit(1);
    }
}

fn write(path: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let stem = path.file_stem().unwrap_or_default();
    let (index, starts) = made(&text)?;
    fs::write(out.join(stem).with_extension("index"), index)?;
    let starts = format!("const STARTS: [u32; {}] = {starts:?};\n", starts.len());
    Ok(fs::write(out.join(stem).with_extension("rs"), starts)?)
}

/// The index of a table, and where its rows begin.
fn made(text: &str) -> Result<(String, Vec<usize>), Box<dyn Error>> {
    let releases = text.lines().find_map(|line| line.strip_prefix("# measured on "));
    let releases = releases.ok_or("no line \"# measured on RELEASES\"")?;
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut starts, mut start) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if !line.starts_with('#') {
            let (heads, _) = line.split_once('\t').ok_or_else(|| format!("not a row: {line}"))?;
            for name in heads.split(' ') {
                names.entry(format!("{name}(")).or_default().push(starts.len().to_string());
            }
            starts.push(start);
        }
        start += line.len();
    }
    let mut index = format!("#releases\t{releases}\n");
    for (name, rows) in names {
        writeln!(index, "{name}\t{}", rows.join(" "))?;
    }
    Ok((index, starts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_numbers_of_its_rows_and_a_row_its_place() {
        let text = "# what\n# measured on 1.0 2.0\nB A\tx\nA\ty\n";
        let (index, starts) = made(text).unwrap();
        assert_eq!(index, "#releases\t1.0 2.0\nA(\t0 1\nB(\t0\n");
        assert!(starts.iter().map(|start| &text[*start..]).all(|row| row.starts_with(['A', 'B'])));
        assert!(made("A\tx\n").is_err() && made("# measured on 1.0\nA\n").is_err());
    }
}
