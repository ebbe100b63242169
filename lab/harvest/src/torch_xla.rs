//! Takes a release of PyTorch/XLA into the database: the PJRT version in the code of its library, and the StableHLO that it
//! reads.
//!
//! A host compares a plug-in's version with its own, which is a constant of its code, and logs both: behind the text
//! [`TEXT`] the code hands over the major version, 0, and then the minor. The library is read, not run: it needs the PyTorch of
//! its own version.

mod stablehlo;

use std::fs::File;
use std::io::Read as _;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use unskew_lab_harness::run_command;

use crate::command::set_day;
use crate::row::{self, Row};

/// Where the rows of the releases lie, from the root of the repository.
const RELEASES: &str = "crates/judging/releases/data/torch_xla/releases.toml";

/// What the host logs before its own version.
const TEXT: &[u8] = b". The framework PJRT API version is ";

/// How far behind the text the constants stand, in bytes of code. Measured: 47 to 90.
const REACH: usize = 160;

/// The largest minor that is believed.
const LARGEST: u32 = 4096;

/// Takes `torch_xla==version` into the database and prints what is new.
///
/// # Errors
/// If pip does not find the version for Python 3.11, or its code is not written as expected.
pub(crate) fn harvest(version: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]);
    pip.args(["--python-version", "3.11", "-d"]).arg(scratch.path());
    run_command(pip.arg(format!("torch_xla=={version}")))?;
    let wheel = scratch.path().read_dir()?.next().context("pip fetched nothing")??.path();
    let library = library(&wheel)?;
    let mut row = Row::new(version);
    set_day(&mut row, "torch_xla", version);
    let minor = minor(&library)?;
    row.set("pjrt", minor.to_string());
    row.set("stablehlo", format!("\"{}\"", stablehlo::newest(&library, minor)?));
    row::enter(RELEASES, &format!("torch_xla {version}"), &row)
}

/// The library of a wheel that has the host in it.
fn library(wheel: &std::path::Path) -> Result<Vec<u8>> {
    let mut wheel = zip::ZipArchive::new(File::open(wheel)?)?;
    let names: Vec<String> =
        wheel.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
    let name = names.iter().find(|name| name.starts_with("_XLAC.cpython"));
    let name = name.context("no _XLAC library in the wheel")?;
    let mut bytes = Vec::new();
    wheel.by_name(name)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The minor of the PJRT C API in the code of a library.
fn minor(library: &[u8]) -> Result<u32> {
    let at = memchr::memmem::find(library, TEXT).context("no text of the handshake")?;
    let sections = sections(library).context("no ELF file of 64 bits")?;
    let holds = |section: &&Section| section.offset <= at && at < section.offset + section.size;
    let text = sections.iter().find(holds).context("the text is in no section")?;
    let address = (at - text.offset) as u64 + text.address;
    let mut found = None;
    for code in sections.iter().filter(|section| section.is_code) {
        let bytes = library.get(code.offset..code.offset + code.size).unwrap_or_default();
        for place in references(bytes, code.address, address) {
            let behind = &bytes[place..bytes.len().min(place + REACH)];
            let Some([0, minor]) = constants(behind).first_chunk().copied() else { continue };
            ensure!(
                found.is_none_or(|known| known == minor),
                "two places disagree: {found:?}, {minor}"
            );
            found = Some(minor);
        }
    }
    found.context("the code behind the text is not written as expected")
}

struct Section {
    address: u64,
    offset: usize,
    size: usize,
    is_code: bool,
}

fn sections(file: &[u8]) -> Option<Vec<Section>> {
    const NOBITS: u64 = 8;
    const EXECUTABLE: u64 = 4;
    let word = |at: usize, size: usize| {
        let bytes = file.get(at..at + size)?;
        Some(bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    (file.get(..5)? == b"\x7fELF\x02").then_some(())?;
    let start = usize::try_from(word(0x28, 8)?).ok()?;
    let (size, count) = (word(0x3a, 2)? as usize, word(0x3c, 2)? as usize);
    let mut all = Vec::new();
    for at in (0..count).map(|index| start + index * size) {
        if word(at + 4, 4)? != NOBITS {
            all.push(Section {
                address: word(at + 16, 8)?,
                offset: usize::try_from(word(at + 24, 8)?).ok()?,
                size: usize::try_from(word(at + 32, 8)?).ok()?,
                is_code: word(at + 8, 8)? & EXECUTABLE != 0,
            });
        }
    }
    Some(all)
}

/// Where the code, which lies at an address, names `target` by its distance: behind each such place.
fn references(code: &[u8], address: u64, target: u64) -> Vec<usize> {
    let named = |(at, bytes): (usize, &[u8])| {
        let distance = i32::from_le_bytes(bytes.try_into().ok()?);
        let next = address + at as u64 + 4;
        (next.wrapping_add_signed(distance.into()) == target).then_some(at + 4)
    };
    code.windows(4).enumerate().filter_map(named).collect()
}

/// The constants that code hands over, in their order: `xor esi, esi`, `mov esi, imm32`, and `mov dword ptr [rbp - x], imm32`.
fn constants(code: &[u8]) -> Vec<u32> {
    let number = |at: usize| Some(u32::from_le_bytes(*code.get(at..)?.first_chunk()?));
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let (value, length) = match rest {
            [0x31, 0xf6, ..] => (Some(0), 2),
            [0xbe, ..] => (number(at + 1), 5),
            [0xc7, 0x45, ..] => (number(at + 3), 7),
            [0xc7, 0x85, ..] => (number(at + 6), 10),
            _ => (None, 1),
        };
        let value = value.filter(|value| *value <= LARGEST);
        found.extend(value);
        at += if value.is_some() { length } else { 1 };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_constants_are_read() {
        let registers = b"\x48\x89\xc7\x31\xf6\xe8\x01\x02\x03\x04\xba\x01\0\0\0\xbe\x4b\0\0\0\xe8";
        assert_eq!(constants(registers), [0, 75]);
        let memory = b"\xc7\x85\x80\xfc\xff\xff\0\0\0\0\xe8\x01\x02\x03\x04\xc7\x85\x84\xfc\xff\xff\x2e\0\0\0";
        assert_eq!(constants(memory), [0, 46]);
    }

    #[test]
    fn a_place_is_found_by_its_distance() {
        let code = b"\x48\x8d\x35\x10\0\0\0\x90";
        assert_eq!(references(code, 0x1000, 0x1017), [7]);
        assert_eq!(references(code, 0x1000, 0x1018), Vec::<usize>::new());
    }

    #[test]
    fn what_is_no_library_is_an_error() {
        assert!(minor(b"nothing").is_err());
        assert!(minor(&[TEXT, TEXT].concat()).is_err());
    }
}
