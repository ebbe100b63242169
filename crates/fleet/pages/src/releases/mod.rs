//! The release explorer: which release has an operator, since when and until when.
//!
//! Everything here is the built-in database, the same for every fleet.

mod family;
mod operator;
mod release;
mod runs;

use maud::{Markup, html};
use unskew_releases::{Family, ReleaseRow};

use crate::address::Address;
use crate::amount;
use crate::frame::{Frame, Section, heading, wide};

pub use family::FamilyPage;
pub use operator::OperatorPage;
pub use release::ReleasePage;

/// The page of all families, with a search over the operators of those that have some.
pub fn families(frame: &Frame<'_>) -> String {
    let main = html! {
        (heading(&[], &html! { "Releases" }))
        p { "What each release provides, harvested from the real packages." }
        (wide("Families", &html! {
            table {
                thead { tr {
                    th scope="col" { "Family" } th scope="col" { "Releases" } th scope="col" { "First" }
                    th scope="col" { "Newest" } th scope="col" { "Operators ever" } th scope="col" { "In the newest" }
                } }
                tbody {
                    @for family in Family::ALL {
                        @let all = family.catalogue();
                        @let rows = family.rows();
                        tr {
                            th scope="row" { a href=(Address::family(family)) { (family.title()) } }
                            td class="number" { (rows.len()) }
                            td class="whole" { @if let Some(first) = rows.first() { (dated(family, first)) } }
                            td class="whole" { @if let Some(last) = rows.last() { (dated(family, last)) } }
                            td class="number" { @if all.is_empty() { "-" } @else { (amount::count(all.len() as u64)) } }
                            td class="number" {
                                @if all.is_empty() { "-" }
                                @else { (amount::count(all.iter().filter(|one| one.until().is_none()).count() as u64)) }
                            }
                        }
                    }
                }
            }
        }))
        h2 { "Which release has an operator?" }
        @for family in [Family::Torch, Family::TensorFlow, Family::OnnxRuntime, Family::Onnx] {
            form class="find" role="search" method="get" action=(Address::family(family).path()) {
                label { (family.title()) " operator" input type="search" name="contains" size="28" placeholder=(family.known_operator()); }
                button { "Search" }
            }
        }
    };
    frame.page(Section::Releases, "Releases", main)
}

/// A release and its day.
fn dated(family: Family, row: &ReleaseRow) -> Markup {
    html! {
        a href=(Address::release(family, row.version)) { (row.version) }
        span class="dim" { ", " (row.released) }
    }
}
