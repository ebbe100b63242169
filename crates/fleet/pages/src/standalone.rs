//! A plan as one file that needs nothing else: no server, no other file, no script.

use maud::{DOCTYPE, PreEscaped, html};
use unskew_fleet::{Plan, WhatIf};
use unskew_report::{Medium, escaped};

use crate::asset::STYLE;
use crate::matrix::VersionMatrix;
use crate::plan;

/// The plan with its curve, and the verdict matrix with its reasons. `now` is the plan for the fleet as it is if
/// there are hypothetical changes.
pub fn plan_file(
    plan: &Plan,
    now: Option<&Plan>,
    what_if: &[WhatIf],
    matrix: &VersionMatrix<'_>,
) -> String {
    let judge = &plan.judge;
    let title = format!("Plan for {}", plan.model);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width";
                title { (title) " - Unskew" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (title) }
                    @if !what_if.is_empty() {
                        div class="banner" { p { b { "If" } } ul { @for one in what_if { li { code { (one) } } } } }
                    }
                    (plan::sections(plan, now, None))
                    h2 { "Versions on runtimes" }
                    (VersionMatrix { linked: false, ..*matrix }.render())
                }
                footer {
                    p { "As of " (plan.as_of) ". Judged by unskew " (judge.tool_version) " " code { (judge.fingerprint) }
                        ", database up to " (judge.newest_release) "." }
                }
            }
        }
    };
    escaped(&page.into_string(), Medium::Document).into_owned()
}
