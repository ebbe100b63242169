//! `cargo xtask abi`: holds the ABI data of the PJRT C API against the real headers of published packages.
//!
//! `headers.toml` pins the packages and each of their headers; `corpus/headers/` keeps them. The
//! declarations are read by `unskew-lint` and compared with what `unskew_pjrt::layout` says of the
//! header's minor: structs, fields, offsets, sizes, announced sizes, the function table, enumerations,
//! extensions.

mod compare;
mod extensions;
mod kinds;
mod page;
mod pins;
mod set;

use std::path::{Path, PathBuf};

use anyhow::ensure;
pub use pins::obtain;

use compare::{Report, compare};
use pins::{Pin, pins};
use set::HeaderSet;

/// What to check.
#[derive(clap::Args)]
pub struct Abi {
    /// Checks all pinned packages, not only those that `corpus` fetches, and writes the page of results.
    #[arg(long)]
    all: bool,
    /// Checks the headers in this folder instead.
    #[arg(long, value_name = "FOLDER")]
    headers: Vec<PathBuf>,
    /// Prints the entry for headers.toml of a file of a package instead, such as
    /// tf-nightly-cpu=tf_nightly_cpu-….whl.
    #[arg(long, value_name = "PACKAGE=FILE")]
    pin: Vec<String>,
}

/// Checks, and prints every deviation with both sides.
///
/// # Errors
/// If headers cannot be had, or something deviates.
pub fn run(arguments: &Abi) -> anyhow::Result<()> {
    if !arguments.pin.is_empty() {
        return pins::print(&arguments.pin);
    }
    let mut reports = Vec::new();
    if arguments.headers.is_empty() {
        obtain(arguments.all)?;
        for pin in pins()?.into_iter().filter(|pin| arguments.all || pin.always) {
            reports.push(check(&pin)?);
        }
    }
    for folder in &arguments.headers {
        reports.push(compare(&folder.display().to_string(), &HeaderSet::read(folder)?, None));
    }
    for report in &reports {
        println!("{report}");
        report.deviations.iter().for_each(|deviation| println!("  {deviation}"));
    }
    let across = if reports.len() > 20 { extensions::across(&reports) } else { Vec::new() };
    across.iter().for_each(|wrong| println!("{wrong}"));
    if arguments.all {
        page::write(&reports)?;
    }
    let deviations: usize = reports.iter().map(|report| report.deviations.len()).sum();
    let deviations = deviations + across.len();
    ensure!(deviations == 0, "{deviations} deviations in {} sets of headers", reports.len());
    Ok(())
}

/// Compares the headers of a pinned package.
fn check(pin: &Pin) -> anyhow::Result<Report> {
    let set = HeaderSet::read(&pin.folder())?;
    ensure!(set.minor == pin.minor, "{}: PJRT_API_MINOR is {}", pin.label(), set.minor);
    Ok(compare(&pin.label(), &set, pin.built))
}

/// Where headers are kept, from the root of the repository.
fn folder() -> PathBuf {
    Path::new(crate::root()).join("corpus/headers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_abi_data_says_what_the_headers_of_the_corpus_say() {
        let mut checked = 0;
        for pin in pins().expect("headers.toml").into_iter().filter(|pin| pin.always) {
            if !pin.folder().is_dir() {
                println!(
                    "SKIPPED: no headers of {}; `cargo xtask corpus` fetches them",
                    pin.label()
                );
                continue;
            }
            let report = check(&pin).expect("headers");
            assert!(report.deviations.is_empty(), "{report}: {:#?}", report.deviations);
            assert!(report.fields > 400 && report.functions > 90, "{report}");
            checked += 1;
        }
        println!("{checked} sets of headers agree");
    }

    #[test]
    fn a_changed_header_deviates() {
        let Some(pin) = pins().expect("headers.toml").into_iter().rfind(|pin| pin.always) else {
            panic!("no pins");
        };
        if !pin.folder().is_dir() {
            println!("SKIPPED: no headers of {}; `cargo xtask corpus` fetches them", pin.label());
            return;
        }
        let changed = |from: &str, to: &str| {
            let set = HeaderSet::read_changed(&pin.folder(), &|text| {
                assert!(!text.contains("PJRT_API_MINOR") || text.contains(from), "{from}");
                text.replacen(from, to, 1)
            });
            compare("changed", &set.expect("headers"), pin.built).deviations.len()
        };
        assert_eq!(changed("size_t struct_size;", "size_t struct_size;"), 0);
        assert!(
            changed("  const char* message;  // out", "  bool extra;\n  const char* message;") > 0
        );
        assert!(
            changed("PJRT_Error_Message_Args, message_size)", "PJRT_Error_Message_Args, message)")
                > 0
        );
        assert_eq!(changed("  const char* message;  // out", "  char* message;  // out"), 0);
        assert!(changed("  const char* message;  // out", "  int64_t message;") > 0);
        assert!(changed("PJRT_Error_Code_UNKNOWN = 2", "PJRT_Error_Code_UNKNOWN = 20") > 0);
        assert!(changed("_PJRT_API_STRUCT_FIELD(PJRT_Error_Destroy);", "") > 0);
        assert!(changed("PJRT_Extension_Type_Stream,", "") > 0);
    }
}
