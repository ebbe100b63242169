//! From tables to boundaries: what is allowed where, and what a preset fills in.

use std::collections::BTreeMap;

use glob::Pattern;
use toml::Spanned;

use super::config_text::{LintConfigError, Text, list};
use super::file::{AcceptTable, BoundaryTable, ConfigTable, ScopeTable, SunsetTable};
use super::{
    Acceptance, Against, AnnouncedMajor, AnnouncedRemoval, Boundary, DatedRelease, LintConfig,
    PathScope, Paths, ReaderFirst, Weight, preset,
};
use unskew_kinds::{Direction, InterfaceKind, Level};

/// What may be named in `unskew.toml`.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The kinds of files.
    pub kinds: &'a [&'static dyn InterfaceKind],
    /// Whether there is a rule of this code.
    pub is_rule: &'a dyn Fn(&str) -> bool,
}

/// How many boundaries one file may have. Each is compared on its own.
const MOST_BOUNDARIES: usize = 500;

type Result<T> = std::result::Result<T, LintConfigError>;

impl LintConfig {
    /// Reads an `unskew.toml`; `file` is what messages call it.
    ///
    /// # Errors
    /// At the first thing that is wrong, with its line and column and what is allowed there.
    pub fn from_toml(file: &str, text: &str, known: Known<'_>) -> Result<Self> {
        let reader = ConfigReader { text: Text { file, text }, known };
        if let Some(at) = unskew_core::nested_too_deep(text) {
            return Err(reader.text.wrong(at..at + 1, "nests deeper than 256 brackets"));
        }
        let table: ConfigTable =
            toml::from_str(text).map_err(|error| reader.text.malformed(&error))?;
        let mut boundaries: Vec<Boundary> = Vec::new();
        if let Some(beyond) = table.boundary.get(MOST_BOUNDARIES) {
            let what =
                format!("over the budget of {MOST_BOUNDARIES} boundaries; use several files");
            return Err(reader.text.wrong(beyond.span(), what));
        }
        let table_headers = table.headers;
        for table in table.boundary {
            let span = table.span();
            let boundary = reader.boundary(table, &table_headers)?;
            if boundaries.iter().any(|other| other.name == boundary.name) {
                let what = format!("two boundaries have this name: {}", boundary.name);
                return Err(reader.text.wrong(span, what));
            }
            boundaries.push(boundary);
        }
        if boundaries.is_empty() {
            return Err(reader.text.wrong(0..0, "nothing to lint; add one [[boundary]]"));
        }
        let release = |table: super::file::ReleaseTable| DatedRelease {
            version: table.version,
            on: table.on.0,
            baseline: table.baseline,
        };
        let mut releases: Vec<DatedRelease> = table.release.into_iter().map(release).collect();
        releases.sort_by_key(|release| release.on);
        let accept = table.accept.into_iter().map(|table| reader.acceptance(table));
        Ok(Self {
            baseline: table.baseline,
            boundaries,
            acceptances: accept.collect::<Result<_>>()?,
            releases,
            release_tags: table.release_tags,
        })
    }
}

struct ConfigReader<'a> {
    text: Text<'a>,
    known: Known<'a>,
}

impl ConfigReader<'_> {
    fn boundary(
        &self,
        table: Spanned<BoundaryTable>,
        headers: &BTreeMap<Spanned<String>, toml::Value>,
    ) -> Result<Boundary> {
        let span = table.span();
        // The header of the table, and not all of it.
        let span = span.start..span.start;
        let own = table.into_inner();
        let empty = BoundaryTable::default();
        let (promise, given) = match &own.preset {
            None => (None, &empty),
            Some(name) => {
                let found = preset::named(name.get_ref()).ok_or_else(|| {
                    let names: Vec<String> = super::presets().map(|p| p.preset).collect();
                    let names = list(names.iter().map(String::as_str));
                    let what = format!("no such preset, there are {names}: {}", name.get_ref());
                    self.text.wrong(name.span(), what)
                })?;
                (Some(found.0), found.1)
            }
        };
        let name = own.name.as_ref().ok_or_else(|| {
            self.text.wrong(span.clone(), "a boundary needs a name: name = \"...\"")
        })?;
        let missing = |what: &str| self.text.wrong(span.clone(), what);
        if own.paths.is_empty() {
            return Err(missing("a boundary needs paths: paths = [\"include/**/*.h\"]"));
        }
        let kind = self.kind(own.kind.as_ref().or(given.kind.as_ref()), &missing)?;
        let policy = own.policy.as_ref().or(given.policy.as_ref());
        // `[headers]` is for all boundaries of headers.
        let none = BTreeMap::new();
        let of_kind = if kind.name() == "headers" { headers } else { &none };
        for option in of_kind.keys().chain(own.options.keys()) {
            if !kind.options().contains(&option.get_ref().as_str()) {
                let (allowed, option_name) =
                    (list(kind.options().iter().copied()), option.get_ref());
                let what = format!(
                    "no such option of {}, there are {allowed}: {option_name}",
                    kind.name()
                );
                return Err(self.text.wrong(option.span(), what));
            }
        }
        let mut all_options = toml::Table::new();
        for (key, value) in given.options.iter().chain(of_kind).chain(&own.options) {
            all_options.insert(key.get_ref().clone(), value.clone());
        }
        let mut severity = self.severity(&given.severity)?;
        severity.extend(self.severity(&own.severity)?);
        let reader_first = own.reader_first.as_ref().map(|table| self.paths(&table.writers, &[]));
        let announced = own.announced.into_iter().map(|table| AnnouncedMajor {
            version: table.version,
            on: table.on.0,
            landed: table.landed.map(|day| day.0),
        });
        let sunsets = own.sunset.into_iter().map(|table| self.sunset(table));
        Ok(Boundary {
            name: name.get_ref().clone(),
            line: self.text.line(span.start),
            kind,
            paths: self.paths(&own.paths, &own.exclude)?,
            baseline: own.baseline,
            promise,
            policy: policy.map(|policy| policy.get_ref().clone()),
            direction: own.direction.or(given.direction).unwrap_or(Direction::Both),
            forward: own.forward.or_else(|| given.forward.clone()),
            backward: own.backward.or_else(|| given.backward.clone()),
            against: own.against.or(given.against).unwrap_or(Against::Last),
            level: own.level.or(given.level).unwrap_or(Level::Promise),
            major: own.major.or_else(|| given.major.clone()),
            announced: announced.collect(),
            sunsets: sunsets.collect::<Result<_>>()?,
            reader_first: reader_first.transpose()?.map(|writers| ReaderFirst { writers }),
            severity,
            scopes: own.scope.iter().map(|table| self.scope(table)).collect::<Result<_>>()?,
            options: all_options,
        })
    }

    fn kind(
        &self,
        name: Option<&Spanned<String>>,
        missing: &dyn Fn(&str) -> LintConfigError,
    ) -> Result<&'static dyn InterfaceKind> {
        let kinds = || list(self.known.kinds.iter().map(|kind| kind.name()));
        let Some(name) = name else {
            let what = format!("a boundary needs a preset or a kind; the kinds are {}", kinds());
            return Err(missing(&what));
        };
        let found = self.known.kinds.iter().find(|kind| kind.name() == name.get_ref());
        found.copied().ok_or_else(|| {
            let what = format!("no such kind, there are {}: {}", kinds(), name.get_ref());
            self.text.wrong(name.span(), what)
        })
    }

    fn paths(&self, wanted: &[Spanned<String>], unwanted: &[Spanned<String>]) -> Result<Paths> {
        Ok(Paths {
            patterns: wanted.iter().map(|pattern| pattern.get_ref().clone()).collect(),
            wanted: self.globs(wanted)?,
            unwanted: self.globs(unwanted)?,
        })
    }

    fn globs(&self, patterns: &[Spanned<String>]) -> Result<Vec<Pattern>> {
        let mut globs = Vec::new();
        for pattern in patterns {
            let wrong = |what: String| self.text.wrong(pattern.span(), what);
            let text = pattern.get_ref();
            if text.starts_with('/') || text.starts_with("./") || text.split('/').any(|p| p == "..")
            {
                let what =
                    "a path is written from the folder of unskew.toml on, without / or . before it";
                return Err(wrong(format!("{what}: {text}")));
            }
            let not_a_pattern = |why: &str| wrong(format!("no pattern of paths: {why}: {text}"));
            for alternative in super::braces::expand(text).map_err(not_a_pattern)? {
                let glob = Pattern::new(&alternative);
                globs.push(glob.map_err(|error| not_a_pattern(error.msg))?);
            }
        }
        Ok(globs)
    }

    fn severity(
        &self,
        table: &BTreeMap<Spanned<String>, Weight>,
    ) -> Result<BTreeMap<String, Weight>> {
        let mut weights = BTreeMap::new();
        for (code, weight) in table {
            if !(self.known.is_rule)(code.get_ref()) {
                let what = format!("no such rule, `unskew explain` lists them: {}", code.get_ref());
                return Err(self.text.wrong(code.span(), what));
            }
            weights.insert(code.get_ref().clone(), *weight);
        }
        Ok(weights)
    }

    fn scope(&self, table: &ScopeTable) -> Result<PathScope> {
        Ok(PathScope {
            paths: self.paths(&table.paths, &table.exclude)?,
            level: table.level,
            severity: self.severity(&table.severity)?,
        })
    }

    fn sunset(&self, table: Spanned<SunsetTable>) -> Result<AnnouncedRemoval> {
        let (span, table) = (table.span(), table.into_inner());
        let (announced, removed) = (table.announced.0, table.removed.0);
        if removed < announced {
            let what = format!("removed on {removed}, before it was announced: {announced}");
            return Err(self.text.wrong(span, what));
        }
        Ok(AnnouncedRemoval {
            what: table.what,
            announced,
            removed,
            line: self.text.line(span.start),
        })
    }

    fn acceptance(&self, table: Spanned<AcceptTable>) -> Result<Acceptance> {
        let (span, table) = (table.span(), table.into_inner());
        let finding = table.finding.get_ref();
        let form = finding.split_once('-').is_some_and(|(code, hash)| {
            code.len() == 5 && hash.len() == 12 && hash.bytes().all(|b| b.is_ascii_hexdigit())
        });
        if !form {
            let what =
                format!("not the fingerprint of a finding, such as HD108-3f9ac2d01b7e: {finding}");
            return Err(self.text.wrong(table.finding.span(), what));
        }
        if table.reason.get_ref().trim().is_empty() {
            let what = "say why the finding is accepted: reason = \"...\"";
            return Err(self.text.wrong(table.reason.span(), what));
        }
        Ok(Acceptance {
            finding: finding.clone(),
            reason: table.reason.get_ref().clone(),
            until: table.until.0,
            line: self.text.line(span.start),
        })
    }
}
