//! `cargo lab se`: holds the data of the StreamExecutor C API against the real headers in TensorFlow's wheels.
//!
//! `device-headers.toml` pins a wheel of each release and its headers; `corpus/device-headers/` keeps them. The
//! declarations are read by `unskew-c-headers` and compared with what `unskew_stream_executor::layout` says of the
//! release: every struct, every field with its name, type, offset and size, every announced size, every value of
//! an enumeration, and the version, which is 0.0.1 in all of them.

mod compare;
mod page;

use anyhow::ensure;

use compare::{Report, compare};
use unskew_lab_harness::WritePage;
use unskew_lab_harness::device_headers::{obtain, pins, print};

/// Which headers of StreamExecutor are compared with the data, and what is written.
#[derive(clap::Args)]
pub struct Se {
    /// Checks all pinned releases, not only those that `corpus` fetches, and writes the page of results.
    #[arg(long)]
    all: bool,
    /// Prints the entry for device-headers.toml of a wheel of tensorflow-cpu instead.
    #[arg(long, value_name = "FILE")]
    pin: Vec<String>,
}

/// Checks, and prints every deviation with both sides.
///
/// # Errors
/// If headers cannot be had, or something deviates.
pub fn run(arguments: &Se) -> anyhow::Result<()> {
    if !arguments.pin.is_empty() {
        return print(&arguments.pin);
    }
    obtain(arguments.all)?;
    let mut reports: Vec<Report> = Vec::new();
    for pin in pins()?.into_iter().filter(|pin| arguments.all || pin.always) {
        let report = compare(&pin, &|text| text)?;
        println!("{report}");
        report.deviations.iter().for_each(|deviation| println!("  {deviation}"));
        reports.push(report);
    }
    let write = WritePage { write: arguments.all };
    page::PAGE.write(&page::page(&reports)?, &write)?;
    let deviations: usize = reports.iter().map(|report| report.deviations.len()).sum();
    ensure!(deviations == 0, "{deviations} deviations in {} releases", reports.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use unskew_lab_harness::device_headers::Pin;

    use super::*;

    /// The pins whose headers are here, which is said of the others.
    fn there() -> Vec<Pin> {
        let always = pins().expect("device-headers.toml").into_iter().filter(|pin| pin.always);
        let (there, missing): (Vec<Pin>, Vec<Pin>) = always.partition(|pin| pin.folder().is_dir());
        for pin in missing {
            println!("SKIPPED: no headers of {}; `cargo xtask corpus` fetches them", pin.label());
        }
        there
    }

    #[test]
    fn the_data_says_what_the_headers_of_the_corpus_say() {
        for pin in there() {
            let report = compare(&pin, &|text| text).expect("headers");
            assert!(report.deviations.is_empty(), "{report}: {:#?}", report.deviations);
            assert!(report.fields > 80 && report.announced > 10, "{report}");
        }
    }

    #[test]
    fn a_changed_header_deviates() {
        let Some(pin) = there().into_iter().next_back() else { return };
        for (from, to) in [
            ("use_bfc_allocator;", "use_bfc_allocators;"),
            ("TF_Bool use_bfc_allocator;", "int64_t use_bfc_allocator;"),
            ("TF_Bool force_memory_growth;", ""),
            ("SP_Platform, force_memory_growth)", "SP_Platform, use_bfc_allocator)"),
            ("int64_t num_allocs;", "uint64_t num_allocs;"),
            ("uint64_t size, int64_t memory_space", "int64_t memory_space, uint64_t size"),
            ("SE_EVENT_COMPLETE,", "SE_EVENT_COMPLETE = 4,"),
            ("#define SE_PATCH 1", "#define SE_PATCH 2"),
        ] {
            let found = std::cell::Cell::new(false);
            let changed = |text: String| {
                found.set(found.get() || text.contains(from));
                text.replacen(from, to, 1)
            };
            let report = compare(&pin, &changed).expect("headers");
            assert!(found.get(), "no header says {from}");
            assert!(!report.deviations.is_empty(), "{from}: {report}");
        }
    }
}
