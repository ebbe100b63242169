//! The table of what the laboratory makes, in `docs/reference/made-from.md`: from what its commands state.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use unskew_lab_harness::catalogue::{self, Experiment};

/// The page; the rest of it is written by hand.
pub const PAGE: &str = "docs/reference/made-from.md";

/// What stands around the table.
const BEGIN: &str = "<!-- made by `cargo xtask docs`, from lab/*/experiments.toml -->\n\n";
const END: &str = "\n<!-- end -->";

/// The page with the table as it is now.
///
/// # Errors
/// If the page has no marks, or what is stated cannot be read.
pub fn page(root: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(root.join(PAGE)).context(PAGE)?;
    let (head, rest) = text.split_once(BEGIN).context("no mark where the table begins")?;
    let (_, tail) = rest.split_once(END).context("no mark where the table ends")?;
    let experiments: Vec<Experiment> = catalogue::all()?.into_iter().map(|(_, one)| one).collect();
    Ok(format!("{head}{BEGIN}{}{END}{tail}", table(&experiments)))
}

fn table(experiments: &[Experiment]) -> String {
    let mut text =
        "| made | from | by | takes | checked |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for one in experiments.iter().filter(|one| !one.makes.is_empty()) {
        let arguments = one.arguments.as_deref().unwrap_or("--write");
        let call = format!("cargo lab {} {arguments}", one.name);
        let Experiment { makes, oracle, checked, .. } = one;
        let _ = writeln!(
            text,
            "| {makes} | {oracle} | `{}` | {} | {checked} |",
            call.trim_end(),
            one.cost()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_makes_something_is_a_row_with_its_call_and_its_cost() {
        let text = "[[experiment]]\nname='a'\nsummary='s'\noracle='o'\nmakes='m'\nchecked='c'\nminutes=2\n\
                    [[experiment]]\nname='b'\nsummary='s'\n\
                    [[experiment]]\nname='d'\nsummary='s'\nmakes='n'\narguments=''";
        let table = table(&catalogue::read(text).unwrap());
        let rows: Vec<&str> = table.lines().skip(2).collect();
        let wanted =
            ["| m | o | `cargo lab a --write` | 2 minutes | c |", "| n |  | `cargo lab d` |  |  |"];
        assert_eq!(rows, wanted);
    }
}
