//! All runtimes, and what one of them is.

use maud::{Markup, html};
use serde_json::Value;
use unskew_fleet::store::KeptRuntime;

use crate::address::{Address, PageView};
use crate::amount;
use crate::frame::{Frame, Section, heading, wide};
use crate::listing::ListPage;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct RuntimesPage {
    /// How it is looked at.
    pub view: PageView,
    /// Which runtimes are shown.
    pub listing: ListPage,
    /// The runtimes that are shown.
    pub runtimes: Vec<KeptRuntime>,
}

impl RuntimesPage {
    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let address = Address::runtimes().seen(&self.view);
        let main = html! {
            (heading(&[("Fleet", Address::overview().seen(&self.view))], &html! { "Runtimes" }))
            (self.listing.search("Name of a runtime", &address))
            @if !self.runtimes.is_empty() { (wide("Runtimes", &self.table())) }
            (self.listing.pager("runtime", &address))
        };
        frame.page(Section::Runtimes, "Runtimes", main)
    }

    fn table(&self) -> Markup {
        html! {
            table {
                thead { tr {
                    th scope="col" { "Runtime" } th scope="col" { "Devices" } th scope="col" { "Since" } th scope="col" { "What it is" }
                } }
                tbody {
                    @for kept in &self.runtimes {
                        tr {
                            th scope="row" { a href=(Address::runtime(&kept.name).seen(&self.view)) { (kept.name) } }
                            td class="number" { (amount::count(kept.devices)) }
                            td class="whole" { (kept.since) }
                            td { (ProfileSummary::from_profile(&kept.profile).in_words()) }
                        }
                    }
                }
            }
        }
    }
}

/// The main points of a profile, read without building the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProfileSummary {
    /// The release that it is, or was built from.
    pub(crate) release: String,
    /// How many operators it has, if it has no others.
    pub(crate) operators: Option<usize>,
    /// Operators that it lacks.
    pub(crate) without: Vec<String>,
    /// Ranges in place of the release's.
    pub(crate) versions: Vec<(String, String, String)>,
}

impl ProfileSummary {
    pub(crate) fn from_profile(profile: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(profile) else { return Self::default() };
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let list = |key: &str| value.get(key).and_then(Value::as_array);
        let range = |(axis, range): (&String, &Value)| {
            let end = |at: usize| range.get(at).map(text).unwrap_or_default();
            (axis.clone(), end(0), end(1))
        };
        let ranges = value.get("versions").and_then(Value::as_object);
        Self {
            release: value.get("release").map(text).unwrap_or_default(),
            operators: list("operators").map(Vec::len),
            without: list("without").map(|all| all.iter().map(text).collect()).unwrap_or_default(),
            versions: ranges.map(|all| all.iter().map(range).collect()).unwrap_or_default(),
        }
    }

    /// A release as it is, or what a device was built from and in what it differs.
    pub(crate) fn in_words(&self) -> String {
        let mut own = Vec::new();
        if let Some(operators) = self.operators {
            own.push(amount::counted(operators as u64, "operator"));
        }
        match self.without.as_slice() {
            [] => {}
            few if few.len() <= 3 => own.push(format!("without {}", few.join(", "))),
            many => own.push(format!("without {} operators", many.len())),
        }
        own.extend(self.versions.iter().map(|(axis, first, last)| match first == last {
            true => format!("{axis} {first}"),
            false => format!("{axis} {first} to {last}"),
        }));
        match own.is_empty() {
            true => self.release.clone(),
            false => format!("built from {}: {}", self.release, own.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_points_of_a_profile_are_read_from_its_text() {
        let text = r#"{"release":"torch@2.1.2","without":["aten::gelu"],"versions":{"torch.file_format":[3,"10"]}}"#;
        assert_eq!(
            ProfileSummary::from_profile(text).in_words(),
            "built from torch@2.1.2: without aten::gelu; torch.file_format 3 to 10"
        );
        assert_eq!(
            ProfileSummary::from_profile(r#"{"release":"jax@0.6.2"}"#).in_words(),
            "jax@0.6.2"
        );
        assert_eq!(ProfileSummary::from_profile("no JSON"), ProfileSummary::default());
    }
}
