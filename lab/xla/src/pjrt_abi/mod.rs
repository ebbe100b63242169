//! `cargo lab abi`: holds the ABI data of the PJRT C API against the real headers of published packages.
//!
//! `headers.toml` pins the packages and each of their headers; `corpus/headers/` keeps them. The
//! declarations are read by `unskew-c-headers` and compared with what `unskew_pjrt::layout` says of the
//! header's minor: structs, fields, offsets, sizes, announced sizes, the function table, enumerations,
//! extensions.
//!
//! Then plug-ins are asked for the sizes that they want: those of the corpus, or any.

mod compare;
mod extensions;
mod kinds;
mod oracle;
mod page;
mod set;

use std::path::PathBuf;

use anyhow::ensure;
use unskew_lab_harness::WritePage;
use unskew_lab_harness::pjrt_headers::{Pin, obtain, pins, print};

use compare::{Report, compare};
use oracle::Oracle;
use set::PjrtHeaders;

/// Which headers of PJRT are compared with the data, and what is written.
#[derive(clap::Args)]
pub struct Abi {
    /// Checks all pinned packages, not only those that `corpus` fetches, and writes the page of results.
    #[arg(long)]
    all: bool,
    /// Checks the headers in this folder instead.
    #[arg(long, value_name = "FOLDER")]
    headers: Vec<PathBuf>,
    /// Asks these plug-ins for the sizes of their arguments instead.
    #[arg(long, value_name = "PATH")]
    plugin: Vec<PathBuf>,
    /// Prints the entry for headers.toml of a file of a package instead, such as
    /// tf-nightly-cpu=tf_nightly_cpu-….whl.
    #[arg(long, value_name = "PACKAGE=FILE")]
    pin: Vec<String>,
}

/// One plug-in that is asked for its sizes: what [`run`] starts, because a plug-in may end its process.
#[derive(clap::Args)]
pub struct Sizes {
    plugin: PathBuf,
}

/// Asks it, in this process.
///
/// # Errors
/// If it is no plug-in.
pub fn run_sizes(sizes: &Sizes) -> anyhow::Result<()> {
    oracle::child(&sizes.plugin)
}

/// Checks, and prints every deviation with both sides.
///
/// # Errors
/// If headers cannot be had, or something deviates.
pub fn run(arguments: &Abi) -> anyhow::Result<()> {
    if !arguments.pin.is_empty() {
        return print(&arguments.pin, |folder| Ok(PjrtHeaders::read(folder)?.minor));
    }
    let mut reports = Vec::new();
    let given = !arguments.headers.is_empty() || !arguments.plugin.is_empty();
    if !given {
        obtain(arguments.all)?;
        for pin in pins()?.into_iter().filter(|pin| arguments.all || pin.always) {
            reports.push(check(&pin)?);
        }
    }
    for folder in &arguments.headers {
        reports.push(compare(&folder.display().to_string(), &PjrtHeaders::read(folder)?, None));
    }
    for report in &reports {
        println!("{report}");
        report.deviations.iter().for_each(|deviation| println!("  {deviation}"));
    }
    let across = if reports.len() > 20 { extensions::across(&reports) } else { Vec::new() };
    across.iter().for_each(|wrong| println!("{wrong}"));
    let plugins = if given { named(&arguments.plugin) } else { oracle::corpus() };
    let oracles = plugins.iter().map(|(label, path)| oracle::ask(label, path));
    let oracles = oracles.collect::<anyhow::Result<Vec<_>>>()?;
    oracles.iter().for_each(print_oracle);
    let write = WritePage { write: arguments.all };
    page::PAGE.write(&page::page(&reports, &oracles), &write)?;
    let of_headers: usize = reports.iter().map(|report| report.deviations.len()).sum();
    let of_plugins: usize = oracles.iter().map(|oracle| oracle.deviations.len()).sum();
    let deviations = of_headers + of_plugins + across.len();
    let (sets, asked) = (reports.len(), oracles.len());
    ensure!(deviations == 0, "{deviations} deviations in {sets} sets of headers, {asked} plug-ins");
    Ok(())
}

fn named(paths: &[PathBuf]) -> Vec<(String, PathBuf)> {
    paths.iter().map(|path| (path.display().to_string(), path.clone())).collect()
}

fn print_oracle(oracle: &Oracle) {
    println!("{oracle}");
    let (at_least, exactly, nothing) = (oracle.at_least, oracle.exactly, oracle.nothing);
    println!("  larger arguments: {at_least} take them, {exactly} refuse; {nothing} do not look");
    oracle.died.iter().for_each(|died| println!("  ends the process: {died}"));
    oracle.explained.iter().for_each(|explained| println!("  explained: {explained}"));
    oracle.deviations.iter().for_each(|deviation| println!("  {deviation}"));
}

/// Compares the headers of a pinned package.
fn check(pin: &Pin) -> anyhow::Result<Report> {
    let set = PjrtHeaders::read(&pin.folder())?;
    ensure!(set.minor == pin.minor, "{}: PJRT_API_MINOR is {}", pin.label(), set.minor);
    Ok(compare(&pin.label(), &set, pin.built))
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
    fn the_abi_data_says_what_the_plug_ins_of_the_corpus_say() {
        // The child is the binary, which a test is not: it is asked here, in copies of this process.
        for (label, path) in oracle::corpus() {
            let oracle = unskew_pjrt::conform::size_oracle(&path).expect("a plug-in");
            assert_eq!(oracle.deviations().count(), 0, "{label}: {oracle:?}");
            assert!(oracle.told() > 100, "{label}: {} told", oracle.told());
        }
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
            let set = PjrtHeaders::read_changed(&pin.folder(), &|text| {
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
