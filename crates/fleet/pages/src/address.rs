//! Addresses of pages, which can be sent on, with everything that a page depends on in them.

use std::fmt::{self, Write as _};

use maud::Render;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use unskew_core::{Date, Severity};
use unskew_fleet::{AcceptUnjudged, DeliveryPolicy};

/// What may stand in a path as it is; names have slashes, which stay.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/')
    .remove(b'@')
    .remove(b':');
/// What may stand in a value of a query as it is.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'@')
    .remove(b':')
    .remove(b'/')
    .remove(b',');

/// The address of a page on the same server.
///
/// ```
/// use unskew_fleet_pages::Address;
///
/// let address = Address::model("vision/net+2").with("page", 3);
/// assert_eq!(address.to_string(), "/models/vision/net%2B2?page=3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    path: String,
    query: Vec<(String, String)>,
    place: Option<String>,
}

impl Address {
    fn at(path: impl Into<String>) -> Self {
        Self { path: path.into(), query: Vec::new(), place: None }
    }

    fn named(folder: &str, name: &str) -> Self {
        Self::at(format!("{folder}{}", utf8_percent_encode(name, PATH)))
    }

    /// The fleet and its models.
    pub fn overview() -> Self {
        Self::at("/")
    }

    /// The models that do not reach everybody.
    pub fn unserved() -> Self {
        Self::at("/unserved")
    }

    /// The page of a model.
    pub fn model(name: &str) -> Self {
        Self::named("/models/", name)
    }

    /// The plan for a model.
    pub fn plan(model: &str) -> Self {
        Self::named("/plans/", model)
    }

    /// The page with all runtimes.
    pub fn runtimes() -> Self {
        Self::at("/runtimes")
    }

    /// The page of a runtime.
    pub fn runtime(name: &str) -> Self {
        Self::named("/runtimes/", name)
    }

    /// What a runtime gets of a model, and why.
    pub fn decision(model: &str, runtime: &str) -> Self {
        Self::at("/decisions").with("model", model).with("runtime", runtime)
    }

    /// The page of the built-in database.
    pub fn releases() -> Self {
        Self::at("/releases")
    }

    /// A family of releases and its operators.
    pub fn family(family: unskew_releases::Family) -> Self {
        Self::at(format!("/releases/{family}"))
    }

    /// A release, or a version of a family.
    pub fn release(family: unskew_releases::Family, version: impl fmt::Display) -> Self {
        Self::at(format!("/releases/{family}/{version}"))
    }

    /// An operator of a family.
    pub fn operator(family: unskew_releases::Family, name: &str) -> Self {
        Self::named(&format!("/operators/{family}/"), name)
    }

    /// The axes and their windows.
    pub fn windows() -> Self {
        Self::at("/windows")
    }

    /// The page of an axis and its windows.
    pub fn axis(name: &str) -> Self {
        Self::named("/windows/", name)
    }

    /// The jobs of the service.
    pub fn jobs() -> Self {
        Self::at("/jobs")
    }

    /// What was done by whom.
    pub fn audit() -> Self {
        Self::at("/audit")
    }

    /// Where a token is given.
    pub fn login() -> Self {
        Self::at("/login")
    }

    /// The form that publishes a version of a model.
    pub fn publish() -> Self {
        Self::at("/publish")
    }

    /// Where it is taken back.
    pub fn logout() -> Self {
        Self::at("/logout")
    }

    /// With one more value.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl ToString) -> Self {
        self.query.push((key.to_owned(), value.to_string()));
        self
    }

    /// With one more value, unless it is empty.
    #[must_use]
    pub fn with_some(self, key: &str, value: &str) -> Self {
        if value.is_empty() { self } else { self.with(key, value) }
    }

    /// With what a view differs in from one of today.
    #[must_use]
    pub fn seen(self, view: &PageView) -> Self {
        view.pairs().into_iter().fold(self, |all, (key, value)| all.with(key, value))
    }

    /// A place on the page.
    #[must_use]
    pub fn place(mut self, name: impl Into<String>) -> Self {
        self.place = Some(name.into());
        self
    }

    /// The address without its values.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Names and values of the query, not yet escaped.
    pub fn query(&self) -> &[(String, String)] {
        &self.query
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        for (at, (key, value)) in self.query.iter().enumerate() {
            f.write_char(if at == 0 { '?' } else { '&' })?;
            write!(f, "{key}={}", utf8_percent_encode(value, VALUE))?;
        }
        match &self.place {
            Some(place) => write!(f, "#{}", utf8_percent_encode(place, VALUE)),
            None => Ok(()),
        }
    }
}

impl Render for Address {
    fn render_to(&self, buffer: &mut String) {
        maud::display(self).render_to(buffer);
    }
}

/// How a page is looked at: as of which day, and what is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageView {
    /// The policy under which the page decides.
    pub policy: DeliveryPolicy,
    /// Today, from whom the day of the policy may differ.
    pub today: Date,
}

impl PageView {
    /// As of today, with errors and what could not be checked keeping artifacts back.
    pub fn on(today: Date) -> Self {
        Self { policy: DeliveryPolicy::on(today), today }
    }

    /// What differs from [`PageView::on`] today, as values of an address.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if self.policy.as_of != self.today {
            pairs.push(("as_of", self.policy.as_of.to_string()));
        }
        if self.policy.deny != Severity::Error {
            pairs.push(("deny", self.policy.deny.as_str().to_owned()));
        }
        let accepted = self.policy.accept_unjudged;
        if accepted != AcceptUnjudged::default() {
            pairs.push(("accept_unjudged", accepted.as_str().to_owned()));
        }
        if self.policy.accept_lossy {
            pairs.push(("accept_lossy", "true".to_owned()));
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_place_in_an_address() {
        let address = Address::model("a?b#c d%\"<>'&e").to_string();
        assert_eq!(address, "/models/a%3Fb%23c%20d%25%22%3C%3E%27%26e");
        let address = Address::decision("m&runtime=x", "r").place("version-2").to_string();
        assert_eq!(address, "/decisions?model=m%26runtime%3Dx&runtime=r#version-2");
    }

    #[test]
    fn a_view_of_today_leaves_no_trace_in_an_address() {
        let today = Date::constant(2026, 11, 21);
        let mut view = PageView::on(today);
        assert_eq!(Address::overview().seen(&view).to_string(), "/");
        view.policy.as_of = Date::constant(2026, 6, 1);
        view.policy.deny = Severity::Warning;
        let address = Address::overview().seen(&view).to_string();
        assert_eq!(address, "/?as_of=2026-06-01&deny=warning");
    }
}
