//! The page of results: `docs/reference/stream-executor-abi-check.md`.

use std::fmt::Write as _;

use unskew_lab_harness::Page;

use super::compare::Report;

/// Where it stands, from the root of the repository.
pub const PAGE: Page = Page("docs/reference/stream-executor-abi-check.md");

/// The page.
pub fn page(reports: &[Report]) -> anyhow::Result<String> {
    let mut text = String::from(
        "# The StreamExecutor data against real headers\n\n\
         `cargo lab se --all` fetches the headers of the interface out of TensorFlow's wheels, reads their\n\
         declarations and compares them with [the data](stream-executor-abi.md) of this repository for the release:\n\
         every struct, every field with its name, type (but for `const`), offset and size, every announced size,\n\
         every value of an enumeration, and the versions, which are 0.0.1 in all of them. It wrote this table; the\n\
         wheels and their headers are pinned in `device-headers.toml`. Those marked with * are checked by every\n\
         `cargo xtask test`.\n\n\
         | release | headers | structs | fields | announced sizes | enum values | versions | deviations |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let pins = super::pins()?;
    for r in reports {
        let always = pins.iter().any(|pin| pin.always && pin.label() == r.label);
        let mark = if always { " *" } else { "" };
        let _ = writeln!(
            text,
            "| {}{mark} | {} | {} | {} | {} | {} | {} | {} |",
            r.label,
            r.headers,
            r.structs,
            r.fields,
            r.announced,
            r.values,
            r.versions,
            r.deviations.len()
        );
    }
    text.push_str(
        "\nWheels before 2.5 have no header of graph optimizers: there the data is that of the next release. Profilers\n\
         came with 2.7.\n",
    );
    Ok(text)
}
