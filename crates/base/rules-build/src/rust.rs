//! Rust text of a crate's rules.
//!
//! Most of what a rule says stands on its page alone, its examples above all: that is one compressed text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::RuleFile;
use crate::template::{metavariables, placeholders};

/// The file of the compressed text, beside the module.
pub(crate) const PAGES: &str = "rules.lz4";

/// What is made of the rules of a crate.
pub(crate) struct Made {
    pub(crate) module: String,
    /// The contents of [`PAGES`].
    pub(crate) pages: Vec<u8>,
}

/// The whole generated module, and the text of its pages.
pub(crate) fn made(rules: &BTreeMap<String, RuleFile>, core: &str) -> Made {
    let (mut text, mut pages) = (String::new(), String::new());
    for rule in rules.values() {
        one(&mut text, rule, core, &mut pages);
    }
    let _ = writeln!(
        text,
        "static PAGES: {core}::CompressedText = {core}::CompressedText::new(\
         include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{PAGES}\")), {});",
        pages.len()
    );
    let codes: Vec<String> = rules.keys().map(|code| format!("&{code}")).collect();
    let _ = write!(
        text,
        "/// Every rule of this crate, in the order of their codes.\n\
         pub static RULES: &[&{core}::Rule] = &[{}];\n",
        codes.join(", ")
    );
    Made { module: text, pages: lz4_flex::block::compress(pages.as_bytes()) }
}

/// Adds a rule to the module, and what its page alone says to the text of them.
fn one(text: &mut String, rule: &RuleFile, core: &str, pages: &mut String) {
    let severity = upper_camel(&rule.severity);
    let phase = match rule.phase.as_str() {
        "" => "None".to_owned(),
        phase => format!("Some({core}::Phase::{})", upper_camel(&phase.replace(' ', "-"))),
    };
    let RuleFile { code, name, since, summary, reference, message, fix, .. } = rule;
    let error_texts = rule.error_texts.join("\n");
    let page =
        [reference, rule.what.trim(), rule.why.trim(), &error_texts, &rule.fires, &rule.silent];
    let [reference, what, why, error_texts, fires, silent] = page.map(|part| {
        let start = pages.len();
        pages.push_str(part);
        format!("{core}::RuleText::packed(&PAGES, {start}, {})", pages.len())
    });
    let fix_page = match rule.fix_page.trim() {
        "" => sentence(&metavariables(fix)),
        page => page.to_owned(),
    };
    let _ = write!(
        text,
        "/// {summary}\n\
         pub static {code}: {core}::Rule = {core}::Rule {{ code: {code:?}, name: {name:?}, \
         since: {since:?}, severity: {core}::Severity::{severity}, phase: {phase}, \
         summary: {summary:?}, reference: {reference}, what: {what}, why: {why}, \
         fix: {fix_page:?}, error_texts: {error_texts}, fires: {fires}, silent: {silent} }};\n"
    );
    // The templates were validated when the file was read.
    let names = placeholders(&[message, fix]).unwrap_or_default();
    let (lifetime, fields) = fields(&names);
    let with_fix = match fix.as_str() {
        "" => String::new(),
        fix => format!(".with_fix({})", format_call(fix, core)),
    };
    let _ = write!(
        text,
        "/// Words a finding of {code}: {summary}\n\
         pub struct {camel}{lifetime} {{{fields}}}\n\
         impl {camel}{anonymous} {{\n\
         /// The finding, without its sides.\n\
         #[must_use]\n\
         pub fn finding(&self) -> {core}::Finding {{\n\
         {core}::Finding::new(&{code}, {call}){with_fix}\n}}\n}}\n",
        camel = upper_camel(name),
        anonymous = if names.is_empty() { "" } else { "<'_>" },
        call = format_call(message, core),
    );
}

fn fields(names: &BTreeSet<String>) -> (&'static str, String) {
    if names.is_empty() {
        return ("", String::new());
    }
    let mut text = String::new();
    for name in names {
        let _ = write!(
            text,
            "/// The `{name}` of the message.\npub {name}: &'a (dyn ::std::fmt::Display + 'a),\n"
        );
    }
    ("<'a>", text)
}

/// `format!("… {file} …", file = OneLine(self.file))` for a template, or just its text. Only where the template itself has
/// lines a value may have some.
fn format_call(template: &str, core: &str) -> String {
    let names = placeholders(&[template]).unwrap_or_default();
    if names.is_empty() {
        return format!("{:?}", template.replace("{{", "{").replace("}}", "}"));
    }
    let argument = |name: &String| match template.contains('\n') {
        true => format!(", {name} = self.{name}"),
        false => format!(", {name} = {core}::OneLine(self.{name})"),
    };
    let arguments: String = names.iter().map(argument).collect();
    format!("format!({template:?}{arguments})")
}

/// A fix as it stands on a page: it begins with a capital, and ends with a full stop unless it ends in code.
fn sentence(fix: &str) -> String {
    let mut letters = fix.chars();
    let Some(first) = letters.next() else { return String::new() };
    let end = if fix.ends_with(char::is_alphanumeric) { "." } else { "" };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}

fn upper_camel(hyphenated: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    hyphenated.split('-').map(capital).collect()
}
