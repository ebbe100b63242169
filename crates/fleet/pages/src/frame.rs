//! Frame around every page.

use maud::{DOCTYPE, Markup, html};
use unskew_core::Date;
use unskew_fleet::JudgeIdentity;
use unskew_report::{Medium, escaped};

use crate::address::Address;
use crate::asset::assets;

/// A part of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The fleet and its models.
    Fleet,
    /// The runtimes of the fleet.
    Runtimes,
    /// The built-in database of releases.
    Releases,
    /// The axes and their windows.
    Windows,
    /// The jobs that run and ran.
    Jobs,
    /// What was done by whom.
    Audit,
    /// A page of no section, such as an error.
    Other,
}

/// Who looks at the page, and what may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// The name of the token; none where nobody has to show one.
    pub name: Option<String>,
    /// Whether jobs are shown.
    pub jobs: bool,
    /// Whether the audit log is shown.
    pub audit: bool,
}

/// What stands around a page.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Who looks at the page.
    pub reader: &'a Viewer,
    /// Who judged what is shown.
    pub judge: &'a JudgeIdentity,
    /// The day as of which it is shown.
    pub as_of: Date,
}

impl Frame<'_> {
    pub(crate) fn page(&self, section: Section, title: &str, main: Markup) -> String {
        let [style, icon] = assets();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width";
                    title { (title) " - Unskew" }
                    link rel="stylesheet" href=(style.path);
                    link rel="icon" type=(icon.media) href=(icon.path);
                }
                body {
                    a class="skip" href="#main" { "Skip to the content" }
                    (self.head(section))
                    main id="main" tabindex="-1" { (main) }
                    (self.foot())
                }
            }
        };
        escaped(&page.into_string(), Medium::Document).into_owned()
    }

    fn head(&self, section: Section) -> Markup {
        let mut parts = vec![
            (Section::Fleet, "Fleet", Address::overview()),
            (Section::Runtimes, "Runtimes", Address::runtimes()),
            (Section::Releases, "Releases", Address::releases()),
            (Section::Windows, "Windows", Address::windows()),
        ];
        if self.reader.jobs {
            parts.push((Section::Jobs, "Jobs", Address::jobs()));
        }
        if self.reader.audit {
            parts.push((Section::Audit, "Audit", Address::audit()));
        }
        html! {
            header class="site" {
                a class="name" href="/" { "unskew fleet" }
                nav aria-label="Sections" {
                    ul {
                        @for (part, name, address) in parts {
                            li {
                                a href=(address) aria-current=[(part == section).then_some("true")] { (name) }
                            }
                        }
                    }
                }
                @if let Some(name) = &self.reader.name {
                    form class="who" action=(Address::logout()) method="post" { (name) " " button { "Sign out" } }
                }
            }
        }
    }

    fn foot(&self) -> Markup {
        let JudgeIdentity { tool_version, newest_release, fingerprint } = self.judge;
        html! {
            footer {
                p { "As of " (self.as_of) "." }
                p { "Judged by unskew " (tool_version) " " code { (fingerprint) } ", database up to " (newest_release) "." }
            }
        }
    }
}

/// A heading with the way to it above.
pub(crate) fn heading(way: &[(&str, Address)], title: &Markup) -> Markup {
    html! {
        @if !way.is_empty() {
            p class="crumbs" {
                @for (name, address) in way { a href=(address) { (name) } " / " }
            }
        }
        h1 { (title) }
    }
}

/// A drawing, which scrolls in the same way where it would be too small to read.
pub(crate) fn drawing(name: &str, svg: &Markup) -> Markup {
    html! { div class="wide drawing" tabindex="0" role="region" aria-label=(name) { (svg) } }
}

/// A table that scrolls by itself where it is wider than the screen, also with the keyboard.
pub(crate) fn wide(name: &str, table: &Markup) -> Markup {
    html! { div class="wide" tabindex="0" role="region" aria-label=(name) { (table) } }
}
