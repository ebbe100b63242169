//! C headers as a kind of files: contracts, compared under a policy. A shared object with debug information says
//! what its headers declared.
//!
//! ```
//! use unskew_source::Files;
//! use unskew_kinds::{InterfaceKind, CompareOptions};
//! use unskew_c_headers::Headers;
//!
//! let side = |text: &str| Files::from_iter([("thing.h", text)]);
//! let old = side("#define THING_MINOR 1\nstruct Thing { int a; int b; };");
//! let new = side("#define THING_MINOR 1\nstruct Thing { int b; int a; };");
//! let found = Headers.compare(&old, &new, &CompareOptions::default())?;
//! assert_eq!(found.changes[0].subject, "Thing");
//! assert_eq!(found.changes[0].finding.rule.code, "HD105");
//! # Ok::<(), unskew_source::NotRead>(())
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Promise, PromiseState, Unjudged};

use crate::change::{Bump, Class, HeaderPolicy, compare};
use crate::contract::{HeaderContract, HeaderSource, called_alike};
use crate::debug;
use unskew_kinds::{CompareOptions, FileChange, FileComparison, InterfaceKind, Level, Raise};
use unskew_source::{Files, LARGEST_TEXT, NotRead};
use unskew_tables::toml_table;

/// C headers; see [`contract`](crate::contract).
#[derive(Clone, Copy, Debug, Default)]
pub struct Headers;

impl InterfaceKind for Headers {
    fn name(&self) -> &'static str {
        "headers"
    }

    fn title(&self) -> &'static str {
        "C headers"
    }

    fn recognizes(&self, name: &str, head: &[u8]) -> bool {
        if debug::is_object(head) {
            return true;
        }
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        matches!(ending, Some("h" | "hh" | "hpp" | "hxx" | "inc"))
    }

    fn options(&self) -> &'static [&'static str] {
        &["define", "version"]
    }

    fn compare(
        &self,
        old: &Files,
        new: &Files,
        terms: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead> {
        let options = HeaderOptions::from_table(terms.options)?;
        let (policy, read) = policy(terms.policy, new, &options)?;
        let mut names: Vec<String> = old.names().map(str::to_owned).collect();
        // Two files are one header, whatever each is called.
        let one = old.len() == 1 && new.len() == 1;
        if !one {
            called_alike(names.iter_mut(), &new.names().collect::<Vec<_>>());
        }
        let texts = names.iter().map(String::as_str).zip(old.iter().map(|(_, text)| text));
        let was = contract(texts, &policy.prelude, &options)?;
        let is = match read.filter(|_| policy.prelude.is_empty()) {
            Some(read) => read,
            None => contract(new.iter(), &policy.prelude, &options)?,
        };
        let mut compared = compare(&was, &is, policy, terms.as_of);
        let compiled = [old, new].map(|side| side.iter().any(|(_, text)| debug::is_object(text)));
        if compiled.contains(&true) {
            // A header has what no code uses, and debug information does not.
            let one_side = compiled.contains(&false);
            let unknown =
                |code: &str| NOT_COMPILED.contains(&code) || (one_side && NOT_USED.contains(&code));
            compared.changes.retain(|change| !unknown(change.finding.rule.code));
        }
        let only = new.names().next().filter(|_| one);
        let file = |file: &str| only.unwrap_or(file).to_owned();
        let mut found = FileComparison::default();
        if compiled.contains(&true) {
            let place = new.names().next().unwrap_or_default();
            found.promises.push((place.to_owned(), not_compiled(policy)));
        }
        for change in compared.changes {
            let (level, file) = (level(change.finding.rule.code), file(change.file()));
            let subject = change.subject().to_owned();
            found.changes.push(FileChange::new(change.finding, file, subject).on(level));
        }
        for (place, what) in compared.not_judged {
            let unjudged = Unjudged::new("declarations", what);
            found.unjudged.push((file(&place), unjudged));
        }
        for bump in compared.bumps {
            if bump.required > Class::Patch {
                found.promises.push((file(&bump.file), promise(policy, &bump)));
            }
            if bump.made == Class::Major && !bump.single {
                let Bump { line, place, before, after, .. } = bump;
                found.majors.push(Raise { line, file: file(&bump.file), place, before, after });
            }
        }
        for name in new.names() {
            let before = if one { names.first().map_or(name, String::as_str) } else { name };
            found.origins.insert(name.to_owned(), [origin(&was, before), origin(&is, name)]);
        }
        for name in names.iter().filter(|name| new.get(name).is_none() && !one) {
            found.origins.insert(name.clone(), [origin(&was, name), origin(&is, name)]);
        }
        Ok(found)
    }
}

/// What whoever asks says about headers.
#[derive(Default)]
struct HeaderOptions {
    /// Macros that are defined: `NAME` or `NAME=VALUE`.
    define: Vec<String>,
    /// The version that counts for all headers, by the name of a macro or what the names of its numbers begin with.
    version: Option<String>,
}

impl HeaderOptions {
    fn from_table(table: Option<&toml::Table>) -> Result<Self, NotRead> {
        let mut options = Self::default();
        let wrong = |key: &str, wanted: &str| NotRead::new("", format!("{key} is {wanted}"));
        if let Some(value) = table.and_then(|table| table.get("define")) {
            let wanted = || wrong("define", "a list of macros: [\"NAME\", \"LEVEL=2\"]");
            for one in value.as_array().ok_or_else(wanted)? {
                let text = one.as_str().ok_or_else(wanted)?;
                let name = text.split('=').next().unwrap_or_default();
                let word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
                if name.is_empty() || !word {
                    return Err(wrong("define", &format!("NAME or NAME=VALUE, and not {text}")));
                }
                options.define.push(text.to_owned());
            }
        }
        if let Some(value) = table.and_then(|table| table.get("version")) {
            let wanted = || wrong("version", "the name of a macro: \"THING_VERSION\"");
            options.version = Some(value.as_str().ok_or_else(wanted)?.to_owned());
        }
        Ok(options)
    }

    fn read(&self, sources: &[HeaderSource<'_>], prelude: &str) -> HeaderContract {
        let mut contract = HeaderContract::read_defined(sources, prelude, &self.define);
        if let Some(version) = &self.version {
            contract.speak_for_all(version);
        }
        contract
    }
}

/// Rules about what debug information does not hold: macros and comments.
const NOT_COMPILED: &[&str] =
    &["HD004", "HD006", "HD010", "HD011", "HD119", "HD209", "HD501", "HD502", "HD601", "HD602"];

/// Rules about declarations of which one side says nothing, if it is a shared object and the other a header.
const NOT_USED: &[&str] = &["HD115", "HD207", "HD208"];

/// What is said of a shared object in place of findings of [`NOT_COMPILED`].
fn not_compiled(policy: &HeaderPolicy) -> Promise {
    Promise {
        policy: policy.title.clone(),
        state: PromiseState::Unknown,
        window: None,
        from: None,
        until: None,
        statement: "read from debug information, which has no macros and no comments: versions, \
                    announced sizes and deprecations were judged only as far as they are no macros"
            .to_owned(),
        reference: policy.reference.clone(),
    }
}

/// The contract of headers, or that of one shared object.
fn contract<'a>(
    files: impl Iterator<Item = (&'a str, &'a [u8])>,
    prelude: &str,
    options: &HeaderOptions,
) -> Result<HeaderContract, NotRead> {
    let sources: Vec<HeaderSource<'_>> =
        files.map(|(name, text)| HeaderSource { name, text }).collect();
    match sources.iter().find(|source| debug::is_object(source.text)) {
        None if sources.iter().any(|source| source.text.len() > LARGEST_TEXT) => {
            let texts: Files = sources.iter().map(|one| (one.name, one.text)).collect();
            texts.check_sizes().map(|()| options.read(&sources, prelude))
        }
        None => Ok(options.read(&sources, prelude)),
        Some(object) if sources.len() == 1 => {
            debug::read(object.text).map_err(|error| NotRead::new(object.name, error.to_string()))
        }
        Some(object) => {
            Err(NotRead::new(object.name, "a shared object is compared alone, without other files"))
        }
    }
}

/// The policy of this name, or the one that the versions in the headers name; with the contract of the headers without
/// a prelude, if that was needed to tell.
fn policy(
    name: Option<&str>,
    headers: &Files,
    options: &HeaderOptions,
) -> Result<(&'static HeaderPolicy, Option<HeaderContract>), NotRead> {
    let read = match name {
        Some(_) => None,
        None => Some(contract(headers.iter(), "", options)?),
    };
    let found = match (name, &read) {
        (Some(name), _) => HeaderPolicy::named(name),
        (None, read) => read.as_ref().and_then(HeaderPolicy::policy_of),
    };
    match found {
        Some(found) => Ok((found, read)),
        None => {
            let names: Vec<&str> =
                HeaderPolicy::built_in().iter().map(|policy| &*policy.name).collect();
            let why = format!("no such policy for headers, there are {}: ", names.join(", "));
            Err(NotRead::new("", why + name.unwrap_or_default()))
        }
    }
}

/// What a header is: `C header, PJRT_API 0.72`.
fn origin(contract: &HeaderContract, file: &str) -> String {
    let lines = contract.lines.iter().filter(|line| line.file() == file);
    let versions: Vec<String> = lines.map(|line| format!("{} {line}", line.name)).collect();
    match versions.is_empty() {
        true => "C header".to_owned(),
        false => format!("C header, {}", versions.join(", ")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels {
    wire: Vec<Cow<'static, str>>,
    source: Vec<Cow<'static, str>>,
}

/// The level of every rule that has another than `promise`.
static LEVELS: LazyLock<BTreeMap<Cow<'static, str>, Level>> = LazyLock::new(|| {
    let file: Levels = toml_table!("data/levels.toml");
    let wire = file.wire.into_iter().map(|code| (code, Level::Wire));
    wire.chain(file.source.into_iter().map(|code| (code, Level::Source))).collect()
});

fn level(code: &str) -> Level {
    LEVELS.get(code).copied().unwrap_or(Level::Promise)
}

/// Whether the number was raised that the changes ask for.
fn promise(policy: &HeaderPolicy, bump: &Bump) -> Promise {
    let kept = bump.made >= bump.required;
    let made = match (bump.made, bump.single) {
        (Class::Patch, _) => "its number was not raised".to_owned(),
        (_, true) => "its number was raised".to_owned(),
        (made, false) => format!("its {made} number was raised"),
    };
    let moved = match bump.before.as_str() {
        "" => format!("begins with {}", bump.after),
        before if before == bump.after => format!("stays at {}", bump.after),
        before => format!("went from {before} to {}", bump.after),
    };
    let required = match bump.required {
        Class::Major => "a change that breaks",
        _ => "a change that adds something",
    };
    Promise {
        policy: policy.title.clone(),
        state: if kept { PromiseState::Promised } else { PromiseState::NotPromised },
        window: None,
        from: None,
        until: None,
        statement: format!("{} {moved}: {required}, and {made}", bump.line),
        reference: policy.reference.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_that_of_a_rule() {
        assert!(!LEVELS.is_empty());
        for code in LEVELS.keys() {
            assert!(crate::rules::RULES.iter().any(|rule| rule.code == code), "{code}");
        }
    }
}
