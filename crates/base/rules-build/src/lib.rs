//! Build-script helper: turns the rule files of a crate into typed Rust.
//!
//! A rule is one TOML file, `rules/<CODE>-<name>.toml`. From it this crate makes
//!
//! * a `static` `Rule` of `unskew-core`, named after the code (`PT204`);
//! * a struct named after the rule (`Pt2SchemaMajor`) with one field per placeholder of its message
//!   and its fix, and `fn finding(&self) -> Finding`, so that a finding without one of its numbers
//!   does not compile;
//! * `rules.lz4` beside it, what only the pages of rules say, compressed;
//! * `RULES`, all rules of the crate in the order of their codes.
//!
//! A crate calls [`generate`] from its build script and includes the result:
//!
//! ```ignore
//! // build.rs
//! fn main() { unskew_rules_build::generate("rules", "unskew_core"); }
//! // src/rules.rs
//! include!(concat!(env!("OUT_DIR"), "/rules.rs"));
//! ```
//!
//! What is refused, with the file and the reason: a file whose name does not say its code and name,
//! a missing or unknown key, two rules with one code or one name, a severity or phase that does not
//! exist, a placeholder that is no identifier.
//!
//! `fires` and `silent` are transcripts: an example that makes the rule fire, and one that does not. `unskew-cli` runs each
//! and compares what it prints, so a rule without examples does not compile and one with wrong examples fails its test.
//!
//! `error_texts` are patterns of what runtimes print when it fails so (`unskew-error-texts` says how they are written): by them
//! `unskew explain "TEXT"` finds the rule of a text that somebody pastes. One that would be found anywhere is refused.
//!
//! [`index`] makes an index of the names in a table of what operators do by release.
//!
//! A page of a rule (`unskew explain`, the site) has no finding to take numbers from. It shows `fix_page` if the file has
//! that key, else `fix` with its placeholders as metavariables: `{last_field}` becomes `LAST_FIELD`.
#![forbid(unsafe_code)]

mod index;
mod rust;
mod template;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use unskew_error_texts::ErrorPattern;

pub use index::index;

/// One rule file, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    code: String,
    name: String,
    since: String,
    severity: String,
    #[serde(default)]
    phase: String,
    summary: String,
    reference: String,
    what: String,
    why: String,
    #[serde(default)]
    fix: String,
    /// What a page of the rule says instead of `fix`, where the message has a number or an edit of its own.
    #[serde(default)]
    fix_page: String,
    message: String,
    /// What runtimes print when it fails so, as patterns of `unskew-error-texts`.
    #[serde(default)]
    error_texts: Vec<String>,
    fires: String,
    /// One that goes on from it and in which the rule does not fire, with the fix applied where there is one.
    silent: String,
}

/// Why the rules of a crate could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The folder or a file could not be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is no rule.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The path of the rule file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Makes `$OUT_DIR/rules.rs` from the rule files in `folder`; `core` is the path by which the crate
/// knows the model (`unskew_core`). For build scripts: ends the build with a message on any fault.
pub fn generate(folder: &str, core: &str) {
    println!("cargo::rerun-if-changed={folder}");
    let made = read(Path::new(folder)).and_then(|rules| {
        let folder = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
        let rust::Made { module, pages } = rust::made(&rules, core);
        let files = [(rust::PAGES, pages), ("rules.rs", module.into_bytes())];
        files.into_iter().try_for_each(|(name, bytes)| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|source| RuleError::Io { path, source })
        })
    });
    if let Err(error) = made {
        println!("cargo::error={error}");
        std::process::exit(1);
    }
}

/// The rules in `folder`, by code.
///
/// # Errors
/// [`RuleError`] for the first file that is no rule.
pub fn read(folder: &Path) -> Result<BTreeMap<String, RuleFile>, RuleError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| RuleError::Io { path, source }
    };
    let mut rules: BTreeMap<String, RuleFile> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(io(folder))? {
        let path = entry.map_err(io(folder))?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(io(&path))?;
        let malformed = |reason: String| RuleError::Malformed { path: path.clone(), reason };
        let rule: RuleFile = toml::from_str(&text).map_err(|e| malformed(e.to_string()))?;
        rule.validate(&path).map_err(malformed)?;
        if let Some(twin) = rules.values().find(|r| r.code == rule.code || r.name == rule.name) {
            return Err(malformed(format!("same code or name as {}-{}", twin.code, twin.name)));
        }
        rules.insert(rule.code.clone(), rule);
    }
    Ok(rules)
}

impl RuleFile {
    fn validate(&self, path: &Path) -> Result<(), String> {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if stem != format!("{}-{}", self.code, self.name) {
            return Err(format!("the file must be named {}-{}.toml", self.code, self.name));
        }
        let (family, digits) = self.code.split_at_checked(2).unwrap_or(("", ""));
        if !family.bytes().all(|b| b.is_ascii_uppercase())
            || digits.len() != 3
            || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return Err(format!("a code is two letters and three digits: {}", self.code));
        }
        if !["error", "warning", "note"].contains(&&*self.severity) {
            return Err(format!("severity is error, warning or note: {}", self.severity));
        }
        if !["", "load", "first use", "silent"].contains(&&*self.phase) {
            return Err(format!("phase is load, first use or silent: {}", self.phase));
        }
        if !self.reference.contains("https://") {
            return Err("reference has no link to a public source".to_owned());
        }
        for (key, text) in [("fires", &self.fires), ("silent", &self.silent)] {
            if !text.starts_with("$ ") || !text.contains(" unskew ") {
                return Err(format!(
                    "{key} is a transcript: lines `$ unskew ...` and what they print"
                ));
            }
        }
        if self.fix_page.contains('{') || self.fix_page.contains('}') {
            return Err("fix_page is read without a finding, so it has no placeholders".to_owned());
        }
        for pattern in &self.error_texts {
            if pattern.contains('\n') {
                return Err(format!("a pattern of error_texts is one line: {pattern}"));
            }
            ErrorPattern::parse(pattern).map_err(|error| format!("error_texts: {error}"))?;
        }
        template::placeholders(&[&self.message, &self.fix]).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str, text: &str) {
        std::fs::write(folder.join(file), text).unwrap();
    }

    const GOOD: &str = "code='XX001'\nname='too-new'\nsince='0.1'\nseverity='error'\nphase='load'\n\
        summary='s'\nreference='https://r'\nwhat='w'\nwhy='y'\nfix='install {wanted}'\nmessage='{file}: {found}'\n\
        fires='$ unskew check a'\nsilent='$ unskew check b'";

    #[test]
    fn a_rule_becomes_a_static_and_a_struct_with_its_placeholders() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "XX001-too-new.toml", GOOD);
        let text = rust::made(&read(folder.path()).unwrap(), "unskew_core").module;
        for part in ["pub static XX001", "pub struct TooNew<'a>", "pub wanted:", "pub file:"] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
    }

    #[test]
    fn what_pages_say_is_one_compressed_text() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "XX001-too-new.toml", GOOD);
        let made = rust::made(&read(folder.path()).unwrap(), "unskew_core");
        let all = lz4_flex::block::decompress(&made.pages, 100).unwrap();
        assert_eq!(all, b"https://rwy$ unskew check a$ unskew check b");
        assert!(made.module.contains("silent: unskew_core::RuleText::packed(&PAGES, 27, 43)"));
    }

    #[test]
    fn patterns_of_error_texts_are_lines_of_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let texts =
            "\nerror_texts=['IR version {found} is too new', 'Version of the model: {found}']";
        write(folder.path(), "XX001-too-new.toml", &format!("{GOOD}{texts}"));
        let made = rust::made(&read(folder.path()).unwrap(), "unskew_core");
        let all = lz4_flex::block::decompress(&made.pages, 200).unwrap();
        let lines = "IR version {found} is too new\nVersion of the model: {found}";
        assert!(String::from_utf8(all).unwrap().contains(lines));
    }

    #[test]
    fn a_page_has_no_placeholders() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "XX001-too-new.toml", GOOD);
        let text = rust::made(&read(folder.path()).unwrap(), "unskew_core").module;
        assert!(text.contains("fix: \"Install WANTED.\""), "{text}");
        let own = format!("{GOOD}\nfix_page='install a newer release'");
        write(folder.path(), "XX001-too-new.toml", &own);
        let text = rust::made(&read(folder.path()).unwrap(), "unskew_core").module;
        assert!(text.contains("fix: \"install a newer release\""), "{text}");
    }

    #[test]
    fn every_fault_of_a_rule_file_names_the_file() {
        let cases = [
            ("XX002-too-new.toml", GOOD.to_owned()),
            ("XX001-too-new.toml", GOOD.replace("'error'", "'fatal'")),
            ("XX001-too-new.toml", GOOD.replace("'load'", "'later'")),
            ("XX001-too-new.toml", GOOD.replace("{found}", "{fo und}")),
            ("XX001-too-new.toml", GOOD.replace("{found}", "{found")),
            ("XX001-too-new.toml", format!("{GOOD}\nextra=1")),
            ("XX001-too-new.toml", format!("{GOOD}\nfix_page='install {{wanted}}'")),
            ("XX001-too-new.toml", format!("{GOOD}\nerror_texts=['{{x}} short']")),
            (
                "XX001-too-new.toml",
                format!("{GOOD}\nerror_texts=['several words\\nin lines']").replace('\'', "\""),
            ),
            ("XX001-too-new.toml", GOOD.replace("https://", "")),
            ("XX001-too-new.toml", GOOD.replace("$ unskew check b", "")),
            ("X001-too-new.toml", GOOD.replace("XX001", "X001")),
        ];
        for (file, text) in cases {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), file, &text);
            let error = read(folder.path()).unwrap_err().to_string();
            assert!(error.contains(file), "{error}");
        }
    }
}
