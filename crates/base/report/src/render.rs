//! A report as text, in each of its formats.

use std::borrow::Cow;
use std::fmt;

use crate::model::Report;
use crate::{Medium, concise, conversion, escaped, full, github, inventory, json, junit, sarif};

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RenderFormat {
    /// Human-readable, with every detail.
    #[default]
    Full,
    /// For people: one line a finding.
    Concise,
    /// For scripts: the schema of [`crate::json`].
    Json,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
    /// For GitHub Actions: workflow commands.
    Github,
    /// For CI servers: JUnit XML.
    Junit,
}

impl RenderFormat {
    /// What reads it.
    pub fn medium(self) -> Medium {
        match self {
            Self::Full | Self::Concise => Medium::Terminal,
            Self::Json | Self::Sarif => Medium::Json,
            Self::Github => Medium::Commands,
            Self::Junit => Medium::Document,
        }
    }
}

impl Report {
    /// The report as text, with ANSI styles in the formats for people; ends with a line break. Nothing in it drives a terminal, or
    /// a runner that is not meant.
    pub fn render(&self, format: RenderFormat) -> String {
        let mut out = String::new();
        // Writing into a String cannot fail.
        let _ = match format {
            RenderFormat::Full => self.write_full(&mut out),
            RenderFormat::Concise => concise::write(self, &mut out),
            RenderFormat::Json => json::write(self, &mut out),
            RenderFormat::Sarif => sarif::write(self, &mut out),
            RenderFormat::Github => github::write(self, &mut out),
            RenderFormat::Junit => junit::write(self, &mut out),
        };
        match escaped(&out, format.medium()) {
            Cow::Borrowed(_) => out,
            Cow::Owned(safe) => safe,
        }
    }

    fn write_full(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for (index, look) in self.looks.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            inventory::write(look, out)?;
        }
        for one in &self.conversions {
            conversion::write(one, out)?;
        }
        full::write(self, out)
    }
}
