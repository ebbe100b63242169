//! The table in the documentation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::{Compared, JaxTests, Route};

/// The page that `--write` makes: one of several routes, or, for a larger sample, of one.
pub(super) fn path(routes: &[Route]) -> String {
    match routes {
        [only] => format!("docs/reference/jax-tests-{}.md", only.name()),
        _ => "docs/reference/jax-tests.md".to_owned(),
    }
}

const HEAD: &str = "<!-- made by `cargo lab jax-tests --write` -->\n\n# JAX's own tests\n\n\
    A sample of JAX's own tests, on jaxlib's CPU with four devices and on a plug-in. *Compared* are the tests that pass \
    on jaxlib's CPU and are not skipped on the route. `direct`: JAX loads the plug-in. `adapt`: JAX loads what \
    `unskew adapt` makes of it, with the handlers of `unskew_jax`. `serve`: a stock JAX is a client of `unskew serve --handlers`, with the handlers of its own release. \
    The tests are read from a checkout of JAX's public repository at the tag of the release.\n\n";

pub(super) fn page(asked: &JaxTests, python: &str, plugin: &Path, all: &[Compared]) -> String {
    let plugin = plugin.file_name().unwrap_or_default().to_string_lossy();
    let mut text = format!(
        "{HEAD}JAX {} on Python {python}, and `{plugin}`; `--count {} --seed {}`.\n\n\
         | file | route | compared | pass | fail | skipped |\n| --- | --- | ---: | ---: | ---: | ---: |\n",
        asked.release, asked.count, asked.seed
    );
    for one in all {
        let failed = one.failed.len();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {failed} | {} |",
            one.file,
            one.route.name(),
            one.compared,
            one.compared - failed,
            one.skipped.values().sum::<usize>()
        );
    }
    for route in &asked.routes {
        let of_route = || all.iter().filter(|one| one.route == *route);
        let compared: usize = of_route().map(|one| one.compared).sum();
        let skipped: usize = of_route().flat_map(|one| one.skipped.values()).sum();
        let failed: usize = of_route().map(|one| one.failed.len()).sum();
        let _ = writeln!(
            text,
            "| all | {} | {compared} | {} | {failed} | {skipped} |",
            route.name(),
            compared - failed
        );
    }
    text.push_str("\n## What is skipped\n\n");
    for route in &asked.routes {
        let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
        for (why, count) in
            all.iter().filter(|one| one.route == *route).flat_map(|one| &one.skipped)
        {
            *by_reason.entry(why).or_default() += count;
        }
        for (why, count) in by_reason {
            let _ = writeln!(text, "* {}, {count}: {why}", route.name());
        }
    }
    for route in &asked.routes {
        let _ = write!(text, "\n## What fails: {}\n\n", route.name());
        let mut by_cause: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for one in all.iter().filter(|one| one.route == *route) {
            for (test, why) in &one.failed {
                by_cause.entry(why).or_default().push(format!("{}.{test}", one.file));
            }
        }
        for (why, tests) in &by_cause {
            let _ = writeln!(text, "* `{}`", why.replace('`', "'"));
            for test in tests {
                let _ = writeln!(text, "  * {}", test.replace('_', "\\_").replace('<', "\\<"));
            }
        }
        if by_cause.is_empty() {
            text.push_str("Nothing.\n");
        }
    }
    text
}
