//! The examples of rules: every rule file has two transcripts, `fires` and `silent`, and each is run here.
//!
//! A transcript is what a terminal shows: lines `$ COMMAND`, each with what it prints. Commands run in a new folder,
//! with the folder `examples` of the repository in it. Some show a file, and these are read the other way round, so that
//! the transcript holds its input: the file is made from the text below the command.
//!
//! ```text
//! $ cat old.proto                              a file with this text
//! $ diff -u old.proto new.proto                the second file: the first with these changes (without the two heads)
//! $ xxd -p cut.pb                              a file of these bytes
//! $ unzip -p model.pt net/version              a member of an archive; `| xxd -p` behind it: in hexadecimal
//! ```
//!
//! Every other command is run by `sh`: `unskew`, `git`, `cc` for a plug-in. `silent` goes on in the folder that `fires`
//! left, so it begins with the edit that the fix asks for.
//!
//! `UNSKEW_BLESS=1` writes what is printed now, if the one fires and the other does not.

mod transcript;

use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use transcript::{Folder, Ran, shows};
use unskew_peers::root;

/// Whether what an example prints of a plug-in, which it compiles, is true on this machine.
const MADE_HERE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// One trial for each rule.
pub fn trials() -> std::io::Result<Vec<Trial>> {
    let mut files = rule_files(&root().join("crates"))?;
    files.sort();
    let trial = |path: PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("rules/{stem}"), move || run(&path))
    };
    Ok(files.into_iter().map(trial).collect())
}

/// The files `crates/*/*/rules/*.toml`, of every subject and crate.
fn rule_files(crates: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for subject in std::fs::read_dir(crates)? {
        let Ok(members) = std::fs::read_dir(subject?.path()) else { continue };
        for member in members {
            let Ok(rules) = std::fs::read_dir(member?.path().join("rules")) else { continue };
            for rule in rules {
                let path = rule?.path();
                if path.extension().is_some_and(|ending| ending == "toml") {
                    files.push(path);
                }
            }
        }
    }
    Ok(files)
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let rule: toml::Table = text.parse()?;
    let key = |key: &str| {
        let value = rule.get(key).and_then(toml::Value::as_str);
        value.ok_or_else(|| format!("the rule has no `{key}`"))
    };
    let (code, fires, silent) = (key("code")?, key("fires")?, key("silent")?);
    if fires.contains("$ cc ") && !MADE_HERE {
        println!("skipped {code}: its plug-in is made for Linux on x86-64");
        return Ok(());
    }
    let folder = Folder::new(root())?;
    let fresh = [folder.run(fires)?, folder.run(silent)?];
    let [fired, stayed] = &fresh;
    if !shows(&fired.printed, code) {
        return Err(format!("`fires` does not fire:\n{}", fired.text).into());
    }
    if shows(&stayed.printed, code) {
        return Err(format!("`silent` fires:\n{}", stayed.text).into());
    }
    if fired.misused || stayed.misused {
        return Err(format!("could not be done:\n{}{}", fired.text, stayed.text).into());
    }
    if fired.text == fires && stayed.text == silent {
        return Ok(());
    }
    if std::env::var_os("UNSKEW_BLESS").is_some() {
        let text = replaced(&text, fires, fired)?;
        std::fs::write(path, replaced(&text, silent, stayed)?)?;
        return Ok(());
    }
    let shown = [(fires, fired), (silent, stayed)].map(|(was, is)| {
        let difference = similar::TextDiff::from_lines(was, &is.text);
        difference.unified_diff().context_radius(3).to_string()
    });
    Err(format!("{}\nUNSKEW_BLESS=1 accepts the new output", shown.concat()).into())
}

/// A rule file with another transcript. It stands between `'''`, so what is read is what is written.
fn replaced(file: &str, was: &str, is: &Ran) -> Result<String, Failed> {
    let quoted = |text: &str| format!("'''\n{text}'''");
    if !file.contains(&quoted(was)) || is.text.contains("'''") {
        return Err("write the transcripts between lines of '''".into());
    }
    Ok(file.replacen(&quoted(was), &quoted(&is.text), 1))
}
