//! The form for what is good enough, and as of which day.

use maud::{Markup, html};
use unskew_core::Severity;
use unskew_fleet::AcceptUnjudged;

use crate::address::{Address, PageView};

/// The form; whatever else stands in the address stays.
pub(crate) fn form(view: &PageView, address: &Address) -> Markup {
    let own = ["as_of", "deny", "accept_unjudged", "accept_lossy"];
    html! {
        details open[!view.pairs().is_empty()] {
            summary { "As of " (view.policy.as_of) ", " (in_words(view)) }
            form class="terms" action=(address.path()) method="get" {
                @for (key, value) in address.query().iter().filter(|(key, _)| !own.contains(&key.as_str())) {
                    input type="hidden" name=(key) value=(value);
                }
                label { "As of" input type="date" name="as_of" value=(view.policy.as_of); }
                label {
                    "Kept back by"
                    select name="deny" {
                        @for (severity, words) in SEVERITIES {
                            option value=(severity.as_str()) selected[severity == view.policy.deny] { (words) }
                        }
                    }
                }
                label {
                    "Delivered though not judged"
                    select name="accept_unjudged" {
                        @for (choice, words) in UNJUDGED {
                            option value=(choice.as_str()) selected[choice == view.policy.accept_unjudged] { (words) }
                        }
                    }
                }
                label class="box" {
                    input type="checkbox" name="accept_lossy" value="true" checked[view.policy.accept_lossy];
                    "deliver conversions that drop something"
                }
                button { "Show" }
            }
        }
    }
}

/// The form for the day alone.
pub(crate) fn day(view: &PageView, address: &Address) -> Markup {
    html! {
        form class="terms" action=(address.path()) method="get" {
            label { "As of" input type="date" name="as_of" value=(view.policy.as_of); }
            button { "Show" }
        }
    }
}

const SEVERITIES: [(Severity, &str); 3] = [
    (Severity::Error, "errors"),
    (Severity::Warning, "errors and warnings"),
    (Severity::Note, "any finding"),
];

const UNJUDGED: [(AcceptUnjudged, &str); 3] = [
    (AcceptUnjudged::Nothing, "nothing"),
    (AcceptUnjudged::Common, "kernels, behaviour, data"),
    (AcceptUnjudged::All, "everything"),
];

fn in_words(view: &PageView) -> String {
    let kept = SEVERITIES.iter().find(|(severity, _)| *severity == view.policy.deny);
    let kept = kept.map_or("errors", |(_, words)| words);
    let unjudged = match view.policy.accept_unjudged {
        AcceptUnjudged::Nothing => ", and so does whatever was not judged",
        AcceptUnjudged::Common => "",
        AcceptUnjudged::All => "; what was not judged is delivered",
    };
    let lossy = if view.policy.accept_lossy { "; conversions may drop something" } else { "" };
    format!("{kept} keep an artifact back{unjudged}{lossy}")
}
