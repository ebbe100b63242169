//! Needs of the extensions in published wheels, by the SHA-256 of the wheel: `data/wheels.tsv`, made by
//! `cargo lab harvest extensions==WHEEL`.
//!
//! A wheel is a line `= SHA256 FILE`, with what it requires of the framework after that, and `loads:` with the releases with
//! which it loads its extensions where it compares them itself ([`OwnCheck`]). Each shared object in it that takes
//! something from a framework is a line of cells with tabs between them: path, machine, `python`, `numpy`, `cxx11`, versions of the system, libraries that it
//! is linked against, a function of CUDA's runtime that it takes from nobody in particular (`cuda NAME`), and for each
//! framework its name, how many symbols it takes and those that decide
//! ([`Needs::reduced`]).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use unskew_core::Version;

use crate::{Framework, Machine, Needs, NumPyAbi, OwnCheck, PythonTag};

/// What stands before the releases of PyTorch with which a wheel loads its extensions.
const LOADS: &str = "loads:";

/// A published wheel and its extensions.
#[derive(Clone, Debug)]
pub struct Wheel {
    /// The digest of the file, in small hexadecimal digits.
    pub sha256: String,
    /// The name of the file.
    pub file: String,
    /// What it requires of the framework, if anything: `torch==2.9.1`.
    pub requires: Option<String>,
    /// The releases of PyTorch with which it loads its extensions, where it compares them itself.
    pub loads_with: Option<OwnCheck>,
    /// The shared objects that take something from a framework, by their paths.
    pub objects: Vec<(String, Needs)>,
}

impl Wheel {
    /// The package, with hyphens and in small letters: `torch-c-dlpack-ext`.
    pub fn package(&self) -> String {
        normal(self.file.split('-').next().unwrap_or_default())
    }

    /// Its version, as its file name has it.
    pub fn version(&self) -> &str {
        self.file.split('-').nth(1).unwrap_or_default()
    }

    /// The wheel as lines of the table.
    pub fn write(&self) -> String {
        let requires = self.requires.as_deref().map(|text| format!(" {text}")).unwrap_or_default();
        let loads = self.loads_with.as_ref().map(|takes| format!(" {LOADS}{takes}"));
        let loads = loads.unwrap_or_default();
        let mut text = format!("= {} {}{requires}{loads}\n", self.sha256, self.file);
        for (path, needs) in &self.objects {
            let python = match needs.python {
                PythonTag::None => "-".to_owned(),
                PythonTag::Abi3 => "abi3".to_owned(),
                PythonTag::CPython(version) => version.to_string(),
            };
            let numpy = match needs.numpy {
                NumPyAbi::Unused => "-",
                NumPyAbi::One => "1",
                NumPyAbi::Two => "2",
            };
            let cxx11 = needs.cxx11.map_or("-", |new| if new { "1" } else { "0" });
            let system: Vec<String> = needs
                .system
                .iter()
                .map(|(library, version)| format!("{library}_{version}"))
                .collect();
            let machine = needs.machine.map_or("-", Machine::as_str);
            // Writing into a String cannot fail.
            let _ = write!(
                text,
                "{path}\t{machine}\t{python}\t{numpy}\t{cxx11}\t{}\t{}",
                system.join(" "),
                needs.needed.join(" ")
            );
            for symbol in &needs.others {
                let _ = write!(text, "\tcuda {symbol}");
            }
            for (framework, symbols) in &needs.frameworks {
                let _ =
                    write!(text, "\t{framework} {} {}", needs.total(*framework), symbols.join(" "));
            }
            text.push('\n');
        }
        text
    }
}

/// The name of a package as indexes compare it.
pub fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Reads wheels from lines; a line that is not understood ends the reading with its text.
///
/// # Errors
/// The line that is none.
pub fn read(text: &str) -> Result<Vec<Wheel>, String> {
    let mut wheels: Vec<Wheel> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix("= ") {
            let (sha256, rest) = head.split_once(' ').ok_or(line)?;
            let mut words = rest.split(' ');
            let file = words.next().ok_or(line)?;
            let (mut requires, mut loads_with) = (None, None);
            for word in words {
                match word.strip_prefix(LOADS) {
                    Some(takes) => loads_with = Some(OwnCheck::parse(takes).ok_or(line)?),
                    None => requires = Some(word.to_owned()),
                }
            }
            let (sha256, file) = (sha256.to_owned(), file.to_owned());
            wheels.push(Wheel { sha256, file, requires, loads_with, objects: Vec::new() });
        } else {
            let object = object(line).ok_or(line)?;
            wheels.last_mut().ok_or(line)?.objects.push(object);
        }
    }
    Ok(wheels)
}

fn object(line: &str) -> Option<(String, Needs)> {
    let mut cells = line.split('\t');
    let path = cells.next()?.to_owned();
    let machine = Machine::named(cells.next()?);
    let python = match cells.next()? {
        "-" => PythonTag::None,
        "abi3" => PythonTag::Abi3,
        version => PythonTag::CPython(version.parse().ok()?),
    };
    let numpy = match cells.next()? {
        "1" => NumPyAbi::One,
        "2" => NumPyAbi::Two,
        _ => NumPyAbi::Unused,
    };
    let cxx11 = match cells.next()? {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    };
    let mut system = BTreeMap::new();
    for word in cells.next()?.split_whitespace() {
        let (library, version) = word.rsplit_once('_')?;
        system.insert(library.to_owned(), version.parse::<Version>().ok()?);
    }
    let needed = cells.next()?.split_whitespace().map(str::to_owned).collect();
    let (mut frameworks, mut totals) = (BTreeMap::new(), BTreeMap::new());
    let mut others = Vec::new();
    for cell in cells {
        if let Some(symbol) = cell.strip_prefix("cuda ") {
            others.push(symbol.to_owned());
            continue;
        }
        let mut words = cell.split_whitespace();
        let framework = Framework::named(words.next()?)?;
        totals.insert(framework, words.next()?.parse().ok()?);
        frameworks.insert(framework, words.map(str::to_owned).collect());
    }
    let needs = Needs {
        name: path.rsplit('/').next()?.to_owned(),
        machine,
        frameworks,
        totals,
        is_reduced: true,
        others,
        system,
        needed,
        python,
        is_module: false,
        numpy,
        cxx11,
    };
    Some((path, needs))
}

/// The table as the build packs it.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/wheels.bin"));

/// The text that `build.rs` packed; none if it is cut.
fn unpacked(packed: &[u8]) -> Option<String> {
    let end = memchr::memmem::find(packed, b"\n\n")?;
    let words = std::str::from_utf8(packed.get(..end)?).ok()?;
    let words: Vec<&str> =
        words.lines().map(|line| line.strip_prefix('=')).collect::<Option<_>>()?;
    let (mut text, mut number, mut shift) = (String::new(), 0_usize, 0);
    for byte in packed.get(end + 2..)? {
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            text.push_str(words.get(number / 3)?);
            text.push([' ', '\t', '\n'][number % 3]);
            (number, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(text)
}

/// The wheels that were harvested.
pub fn wheels() -> &'static [Wheel] {
    #[expect(clippy::expect_used, reason = "part of the program")]
    static WHEELS: LazyLock<Vec<Wheel>> = LazyLock::new(|| {
        let text = unpacked(PACKED).expect("data/wheels.tsv, compressed");
        read(&text).expect("data/wheels.tsv")
    });
    &WHEELS
}

/// The harvested wheel with this digest.
pub fn by_digest(sha256: &str) -> Option<&'static Wheel> {
    wheels().iter().find(|wheel| wheel.sha256.eq_ignore_ascii_case(sha256))
}

/// The harvested wheels of a release of a package.
pub fn of_release(package: &str, version: &str) -> impl Iterator<Item = &'static Wheel> {
    let package = normal(package);
    let version = version.split('+').next().unwrap_or_default().to_owned();
    wheels().iter().filter(move |one| one.version() == version && one.package() == package)
}

/// The version of a package that is made for a release of the framework, as the harvested wheels require it: of
/// `torch==2.5.1` and torchvision it is `0.20.1`, of 2.5.0 `0.20.0`. A wheel that takes later releases too (`torch>=2.14.0`) counts where none
/// is made for this one.
///
/// ```
/// use unskew_extensions::wheels::made_for;
/// assert_eq!(made_for("torchvision", "torch", "2.5.1".parse().unwrap()), Some("0.20.1"));
/// assert_eq!(made_for("torchvision", "torch", "2.5.0".parse().unwrap()), Some("0.20.0"));
/// assert_eq!(made_for("torchvision", "torch", "1.4.0".parse().unwrap()), None);
/// ```
pub fn made_for(package: &str, framework: &str, release: Version) -> Option<&'static str> {
    let package = normal(package);
    let of_package = || wheels().iter().filter(|one| one.package() == package);
    let required = |wheel: &'static Wheel, how: &str| -> Option<Version> {
        wheel.requires.as_deref()?.strip_prefix(framework)?.strip_prefix(how)?.parse().ok()
    };
    let minor = |version: Version| (version.major(), version.minor());
    let newest = |one: &&'static Wheel| one.version().parse::<Version>().ok();
    // What is made for this very release, else the newest that is made for one of the same minor.
    let exact = of_package()
        .filter(|one| required(one, "==").is_some_and(|wanted| minor(wanted) == minor(release)))
        .max_by_key(|one| (required(one, "==") == Some(release), newest(one)));
    let later = || {
        let takes =
            |one: &&'static Wheel| required(one, ">=").is_some_and(|least| least <= release);
        of_package().filter(takes).max_by_key(newest)
    };
    exact.or_else(later).map(Wheel::version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read_and_written_again() {
        let text = include_str!("../data/wheels.tsv");
        let wheels = read(text).unwrap();
        let rows: String =
            text.lines().filter(|l| !l.starts_with('#')).map(|l| format!("{l}\n")).collect();
        assert_eq!(wheels.iter().map(Wheel::write).collect::<String>(), rows);
        assert_eq!(unpacked(PACKED).unwrap(), rows);
        assert!(PACKED.len() < text.len() / 4, "{} bytes", PACKED.len());
        assert!(wheels.len() >= 300, "{}", wheels.len());
        assert!(wheels.iter().all(|wheel| wheel.sha256.len() == 64), "a digest is cut");
    }

    #[test]
    fn a_packed_table_that_is_cut_is_none() {
        assert_eq!(unpacked(b""), None);
        assert_eq!(unpacked(b"=a\n=b\n\n\x01\x05").unwrap(), "a\tb\n");
        assert_eq!(unpacked(b"=a\n=b\n\n\x01\x85"), None);
        assert_eq!(unpacked(b"=a\n=b\n\n\x06"), None);
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        assert_eq!(read("= abc").unwrap_err(), "= abc");
        assert_eq!(read("x.so\tx86-64").unwrap_err(), "x.so\tx86-64");
        assert!(read("= abc x.whl\nx.so\tx86-64\t-\t-\t-\tGLIBC\t").is_err());
    }
}
