//! The form for hypothetical changes: plain HTML; empty fields are ignored.
//!
//! | field | with | becomes |
//! | --- | --- | --- |
//! | `add` | `add_devices` | `add=RELEASE,DEVICES` |
//! | `move` | `move_to` | `move=RUNTIME,RELEASE` |
//! | `without` | `without_in` | `without=OPERATOR[,RUNTIME]` |
//! | `axis` | `first`, `last`, `window_in` | `window=AXIS,FIRST,LAST[,RUNTIME]` |
//! | `devices_of` | `devices` | `devices=RUNTIME,N` |
//! | `drop` | | `drop=RUNTIME` |

use maud::{Markup, html};

use crate::address::{Address, PageView};
use crate::plan::{PlanPage, PlanQuery};

/// The axes of which a range can be moved.
const AXES: [&str; 7] = [
    "torch.file_format",
    "torch.bytecode",
    "torch.export_schema",
    "tf.graph_def",
    "tf.checkpoint",
    "pjrt.api",
    "stablehlo",
];

/// The changes that the fields of the form say, as `unskew fleet plan --what-if` takes them. `field` gives the value
/// of a field, empty where there is none.
///
/// ```
/// let field = |name: &str| match name {
///     "add" => "torch@2.15".to_owned(),
///     "add_devices" => "500".to_owned(),
///     _ => String::new(),
/// };
/// assert_eq!(unskew_fleet_pages::changes(field), ["add=torch@2.15,500"]);
/// ```
pub fn changes(field: impl Fn(&str) -> String) -> Vec<String> {
    let field = |name: &str| field(name).trim().to_owned();
    let in_one = |name: &str| match field(name).as_str() {
        "" => String::new(),
        runtime => format!(",{runtime}"),
    };
    let change = |name: &str, text: String| (!field(name).is_empty()).then_some(text);
    let all = [
        change("add", format!("add={},{}", field("add"), field("add_devices"))),
        change("move", format!("move={},{}", field("move"), field("move_to"))),
        change("without", format!("without={}{}", field("without"), in_one("without_in"))),
        change(
            "axis",
            format!(
                "window={},{},{}{}",
                field("axis"),
                field("first"),
                field("last"),
                in_one("window_in")
            ),
        ),
        change("devices_of", format!("devices={},{}", field("devices_of"), field("devices"))),
        change("drop", format!("drop={}", field("drop"))),
    ];
    all.into_iter().flatten().collect()
}

/// Hypothetical changes, each with a link to the plan without it.
pub(crate) fn applied(asked: &PlanQuery, model: &str, view: &PageView) -> Markup {
    let without = |at: usize| {
        let mut less = asked.clone();
        less.what_if.remove(at);
        less.address(model, view)
    };
    html! {
        @if !asked.what_if.is_empty() {
            div class="banner" {
                p { b { "If" } }
                ul {
                    @for (at, what_if) in asked.what_if.iter().enumerate() {
                        li { code { (what_if) } " " a href=(without(at)) aria-label={ "Without " (what_if) } { "leave out" } }
                    }
                }
                p { a href=(PlanQuery { what_if: Vec::new(), ..asked.clone() }.address(model, view)) { "The fleet as it is" } }
            }
        }
    }
}

pub(crate) fn form(page: &PlanPage, model: &str) -> Markup {
    let kept = PlanQuery { what_if: page.asked.what_if.clone(), ..PlanQuery::default() };
    let kept = kept.address(model, &page.view);
    let releases: Vec<String> = unskew_releases::all().map(|release| release.to_string()).collect();
    let address = Address::plan(model);
    html! {
        form class="plan" action=(address.path()) method="get" {
            @for (key, value) in kept.query() { input type="hidden" name=(key) value=(value); }
            div class="fields" {
                fieldset { legend { "A release arrives" }
                    (text("add", "Release", "releases", 14)) (number("add_devices", "Devices"))
                }
                fieldset { legend { "A runtime moves to a release" }
                    (text("move", "Runtime", "names", 14)) (text("move_to", "Release", "releases", 14))
                }
                fieldset { legend { "An operator is removed" }
                    (text("without", "Operator", "", 20)) (text("without_in", "In one runtime (else in all)", "names", 14))
                }
                fieldset { legend { "A window moves" }
                    label { "Axis" select name="axis" { option value="" { "-" } @for axis in AXES { option { (axis) } } } }
                    (text("first", "First", "", 6)) (text("last", "Last", "", 6)) (text("window_in", "In one runtime (else in all)", "names", 14))
                }
                fieldset { legend { "Devices change" }
                    (text("devices_of", "Runtime", "names", 14)) (number("devices", "Devices"))
                }
                fieldset { legend { "A runtime goes" } (text("drop", "Runtime", "names", 14)) }
                fieldset { legend { "Limits" }
                    label { "At most so many artifacts" input type="number" name="max" min="1" value=[page.asked.most]; }
                    label class="box" {
                        input type="checkbox" name="any_version" value="true" checked[page.asked.any_version];
                        "older versions count"
                    }
                }
            }
            datalist id="releases" { @for release in &releases { option value=(release) {} } }
            datalist id="names" { @for name in &page.runtimes { option value=(name) {} } }
            button { "Plan for that" }
        }
    }
}

fn text(name: &str, label: &str, list: &str, size: u32) -> Markup {
    html! { label { (label) input name=(name) size=(size) list=[(!list.is_empty()).then_some(list)]; } }
}

fn number(name: &str, label: &str) -> Markup {
    html! { label { (label) input type="number" name=(name) min="0"; } }
}

#[cfg(test)]
mod tests {
    use unskew_fleet::WhatIf;

    #[test]
    fn every_field_of_the_form_becomes_a_change_that_is_understood() {
        let field = |name: &str| {
            match name {
                "add" | "move_to" => "torch@2.15",
                "add_devices" | "devices" => "5",
                "move" | "devices_of" | "drop" | "window_in" => " phones ",
                "without" => "aten::gelu",
                "axis" => "torch.file_format",
                "first" => "3",
                "last" => "10",
                _ => "",
            }
            .to_owned()
        };
        let all = super::changes(field);
        assert_eq!(all.len(), 6);
        for change in &all {
            let read: WhatIf = change.parse().unwrap();
            assert_eq!(read.to_string(), *change);
        }
        assert!(super::changes(|_| String::new()).is_empty());
    }
}
