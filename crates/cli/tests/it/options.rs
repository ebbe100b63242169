//! Every verb and every option that the command offers stands in the README, the guides or the reference.

use std::path::Path;
use std::process::Command;

use unskew_peers::root;

/// What is offered everywhere and explains itself.
const PLAIN: [&str; 3] = ["--help", "--version", "help"];

/// The texts of all committed pages below the folder; the first line of the others says which command made them.
fn pages(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text += &pages(&path);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let page = std::fs::read_to_string(&path).unwrap();
            if !page.starts_with("<!-- made by `cargo xtask docs`") {
                text += &page;
            }
        }
    }
    text
}

fn help(verb: &[String]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    let output = command.args(verb).arg("--help").output().unwrap();
    assert!(output.status.success(), "{verb:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether `word` stands in `text`, and is not a part of a longer word.
fn mentions(text: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '-';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

/// The names of an option, if the line of a help begins with some: `-o`, `--output`, and `--text` of `--text[=<FORM>]`.
fn names(line: &str) -> Vec<&str> {
    let words = line.split_whitespace().map(|word| word.split([',', '[']).next().unwrap_or(word));
    words.take_while(|word| word.starts_with('-')).collect()
}

/// What of this verb, and of those below it, no page mentions.
fn unmentioned(verb: &[String], pages: &str, found: &mut Vec<String>) {
    let help = help(verb);
    let said = verb.join(" ");
    // The list of verbs ends with an empty line.
    let (_, verbs) = help.split_once("Commands:\n").unwrap_or_default();
    let verbs = verbs.split("\n\n").next().unwrap_or_default().lines();
    let verbs = verbs.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in verbs.filter(|name| !name.is_empty() && !PLAIN.contains(name)) {
        let below = [verb, &[name.to_owned()]].concat();
        // `runtime show` is enough on a page about `unskew fleet`.
        let called = match &*below {
            [name] => format!("unskew {name}"),
            [.., parent, name] => format!("{parent} {name}"),
            [] => continue,
        };
        if !mentions(pages, &called) {
            found.push(below.join(" "));
        }
        unmentioned(&below, pages, found);
    }
    for line in help.lines() {
        let names = names(line);
        let known = names.iter().any(|name| PLAIN.contains(name) || mentions(pages, name));
        if !names.is_empty() && !known {
            found.push(format!("{said} {}", names.join(" ")));
        }
    }
}

#[test]
fn every_option_of_every_verb_stands_on_a_page() {
    let docs = root().join("docs");
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let pages = readme + &pages(&docs.join("guide")) + &pages(&docs.join("reference"));
    let mut found = Vec::new();
    unmentioned(&[], &pages, &mut found);
    assert!(
        found.is_empty(),
        "neither in README.md nor in docs/guide nor docs/reference: {found:#?}"
    );
}
