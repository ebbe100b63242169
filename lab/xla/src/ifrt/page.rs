//! The page of results: `docs/reference/ifrt-types-check.md`.

use std::fmt::Write as _;

use unskew_lab_harness::Page;

use super::compare::Report;
use super::proxy::ProxyReport;

/// Where it stands, from the root of the repository.
pub const PAGE: Page = Page("docs/reference/ifrt-types-check.md");

/// The page.
pub fn page(reports: &[Report], proxies: &[ProxyReport]) -> String {
    text(reports) + &proxy_text(proxies)
}

fn text(reports: &[Report]) -> String {
    let mut text = String::from(
        "<!-- made by `cargo lab ifrt --write` -->\n\n# The IFRT types against real packages\n\n\
         `cargo lab ifrt` finds the protobuf descriptors in the shared objects of released jaxlibs and compares\n\
         them with what [the types](ifrt-types.md) declare: every field with its number, name, kind and choice, every\n\
         value of an enumeration, every name that types are told apart by. What a type declares to be there since a\n\
         version must be in every package that announces that version, and a package must have nothing that no type\n\
         declares. `cargo xtask test` checks the packages of the corpus; `cargo xtask corpus --all-jax` fetches all of these.\n\n\
         | package | SerDes | messages | fields | values | type names | not there yet, or any more | deviations |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for report in reports {
        let [messages, fields, values, names] = report.compared;
        let _ = writeln!(
            text,
            "| {} | {} | {messages} | {fields} | {values} | {names} | {} | {} |",
            report.label,
            report.serdes,
            report.without.join(", "),
            report.deviations.len()
        );
    }
    text.push_str(
        "\njaxlib 0.6.x announces no SerDes versions yet, and has those of version 0 in its messages already.\n",
    );
    text
}

fn proxy_text(reports: &[ProxyReport]) -> String {
    let mut text = String::from(
        "\n## The messages of the proxy\n\n\
         The same for the messages of the server: the number, the kind and the label of every field, from the\n\
         request and the response down, as the sources of `unskew-ifrt-proxy` declare them. *Not read* are fields of\n\
         the package that the server neither reads nor writes.\n\n\
         | package | messages | fields | not read | deviations |\n| --- | --- | --- | --- | --- |\n",
    );
    for report in reports {
        let ([messages, fields], deviations) = (report.compared, report.deviations.len());
        let _ = writeln!(
            text,
            "| {} | {messages} | {fields} | {} | {deviations} |",
            report.label,
            report.unread.len()
        );
    }
    let unread: std::collections::BTreeSet<&String> =
        reports.iter().flat_map(|report| &report.unread).collect();
    let unread: Vec<String> = unread.into_iter().map(|field| format!("`{field}`")).collect();
    let _ = writeln!(text, "\nNot read, of one package or another: {}.", unread.join(", "));
    text
}
