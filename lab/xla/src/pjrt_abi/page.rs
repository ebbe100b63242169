//! The page of results: `docs/reference/pjrt-abi-check.md`.

use std::fmt::Write as _;

use unskew_lab_harness::Page;

use super::compare::Report;
use super::oracle::Oracle;

/// Where it stands, from the root of the repository.
pub const PAGE: Page = Page("docs/reference/pjrt-abi-check.md");

/// The page.
pub fn page(reports: &[Report], oracles: &[Oracle]) -> String {
    text(reports) + &told(oracles)
}

fn text(reports: &[Report]) -> String {
    let mut text = String::from(
        "# The PJRT ABI data against real headers\n\n\
         `cargo lab abi --all` fetches the headers of the PJRT C API out of published packages, reads their\n\
         declarations and compares them with [the data](pjrt-abi.md) of this repository for the minor that each\n\
         header names: every struct, every field with its name, type (but for `const`), offset and size, every announced\n\
         size, the function table, every enumeration value, every slot of every extension. It wrote this table; the packages are\n\
         pinned in `headers.toml`. Those marked with * are checked by every `cargo xtask test`.\n\n\
         | package | minor | structs | fields | announced sizes | functions | enum values | extension slots | deviations |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let always: Vec<String> = super::pins()
        .unwrap_or_default()
        .iter()
        .filter(|pin| pin.always)
        .map(super::Pin::label)
        .collect();
    for r in reports {
        let mark = if always.contains(&r.label) { " *" } else { "" };
        let _ = writeln!(
            text,
            "| {}{mark} | 0.{} | {} | {} | {} | {} | {} | {} | {} |",
            r.label,
            r.minor,
            r.structs,
            r.fields,
            r.announced,
            r.functions,
            r.values,
            r.slots,
            r.deviations.len()
        );
    }
    let minors: std::collections::BTreeSet<i32> =
        reports.iter().map(|report| report.minor).collect();
    let _ = writeln!(
        text,
        "\n{} packages, {} minors. Extensions carry no version; where a header has an older form of a struct of\n\
         an extension, in front of the minor from which the data says that its slot may be called, the form is\n\
         not compared. Older packages have the table of a time when functions were still inserted in its middle\n\
         (tensorflow-cpu 2.14.0: 0.13) and are below what is supported.",
        reports.len(),
        minors.len()
    );
    text
}

fn told(oracles: &[Oracle]) -> String {
    let mut text = String::from(
        "\n## Against plug-ins\n\n\
         A plug-in that is built from XLA answers arguments of 8 bytes with the size that it wants. `cargo lab abi`\n\
         asks every function of the plug-ins of the corpus, each in a copy of a process, and holds the answer against\n\
         the data for the plug-in's minor; then it asks with 16 bytes more than that. `cargo lab abi --plugin PATH`\n\
         asks any other.\n\n\
         | plug-in | minor | sizes told | larger ones taken | larger ones refused | not looked at | not there | deviations |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for oracle in oracles {
        let _ = writeln!(
            text,
            "| {} | 0.{} | {} | {} | {} | {} | {} | {} |",
            oracle.label,
            oracle.minor,
            oracle.told,
            oracle.at_least,
            oracle.exactly,
            oracle.nothing,
            oracle.unsupported,
            oracle.deviations.len()
        );
    }
    text.push_str(
        "\n`PJRT_Plugin_Initialize` and `PJRT_Client_Create` are not asked with larger arguments, because the call would\n\
         do something.\n",
    );
    let explained = oracles.iter().flat_map(|o| o.explained.iter().map(move |e| (&o.label, e)));
    for (label, explained) in explained {
        let _ = writeln!(text, "{label} wants another size than its minor's: `{explained}`.");
    }
    let died = oracles.iter().flat_map(|o| o.died.iter().map(move |d| (&o.label, d)));
    for (label, died) in died {
        let _ = writeln!(text, "{label} ends the process before it looks at the size: `{died}`.");
    }
    text
}
