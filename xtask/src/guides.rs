//! `cargo xtask guides`: the projects in the guides, built and run as a reader would, outside of this workspace.
//!
//! A page is followed from its top. A block of code whose first line is a comment with a path becomes that file; of a block
//! `console` each command is run by `sh`. What is shown below a command is a part of what it prints; a command below which
//! nothing is shown succeeds. Our own crates are taken from this tree, all others in the versions of our `Cargo.lock`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, ensure};

/// The pages, each with the files of the repository that lie in its project.
const PAGES: [(&str, &[(&str, &str)]); 2] = [
    ("docs/guide/serdes-versions.md", &[]),
    ("docs/guide/write-a-plugin.md", &[("examples/add.stablehlo", "add.stablehlo")]),
];

#[derive(Debug, PartialEq, Eq)]
enum Block {
    /// The path and the text of a file.
    File(String, String),
    /// Commands, each with the lines that are shown below it.
    Console(Vec<(String, Vec<String>)>),
}

/// Follows every page, with this command as `unskew`.
///
/// # Errors
/// If a command fails, or prints something else than its page shows.
pub fn run(unskew: &Path) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    for (page, files) in PAGES {
        let begun = Instant::now();
        let text = fs::read_to_string(root.join(page)).with_context(|| page.to_owned())?;
        let folder = tempfile::tempdir()?;
        for (from, to) in files {
            fs::copy(root.join(from), folder.path().join(to))?;
        }
        fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock"))?;
        let name = Path::new(page).file_stem().context("a page has a name")?;
        let kept = root.join("target/guides").join(name);
        fs::create_dir_all(&kept)?;
        std::os::unix::fs::symlink(kept, folder.path().join("target"))?;
        for block in blocks(&text) {
            match block {
                Block::File(path, text) => write(folder.path(), &path, &text)?,
                Block::Console(commands) => {
                    for (command, shown) in commands {
                        follow(folder.path(), unskew, &command, &shown)
                            .with_context(|| page.to_owned())?;
                    }
                }
            }
        }
        println!("{page}: followed in {} s", begun.elapsed().as_secs());
    }
    Ok(())
}

fn blocks(page: &str) -> Vec<Block> {
    let (mut found, mut lines) = (Vec::new(), page.lines());
    while let Some(line) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else { continue };
        let body: Vec<&str> =
            lines.by_ref().take_while(|line| line.trim_start() != "```").collect();
        if language == "console" {
            let mut commands: Vec<(String, Vec<String>)> = Vec::new();
            for line in body {
                match (line.strip_prefix("$ "), commands.last_mut()) {
                    (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                    (None, Some((_, shown))) if !line.trim().is_empty() => {
                        shown.push(line.trim().to_owned())
                    }
                    _ => {}
                }
            }
            found.push(Block::Console(commands));
        } else if let Some(path) = body.first().and_then(|line| path_of(line)) {
            found.push(Block::File(path.to_owned(), body.join("\n") + "\n"));
        }
    }
    found
}

/// The path in the comment `// src/lib.rs` or `# Cargo.toml`.
fn path_of(line: &str) -> Option<&str> {
    let path = line.strip_prefix("// ").or_else(|| line.strip_prefix("# "))?;
    let named = [".rs", ".toml"].iter().any(|end| path.ends_with(end));
    (named && !path.contains(' ')).then_some(path)
}

fn write(folder: &Path, path: &str, text: &str) -> anyhow::Result<()> {
    let place = folder.join(path);
    fs::create_dir_all(place.parent().context("a file has a folder")?)?;
    let text = if path == "Cargo.toml" { from_this_tree(text)? } else { text.to_owned() };
    fs::write(place, text)?;
    Ok(())
}

/// A manifest whose dependencies on our crates are paths, and which belongs to no workspace.
fn from_this_tree(manifest: &str) -> anyhow::Result<String> {
    let whole = fs::read_to_string(unskew_peers::root().join("Cargo.toml"))?;
    let whole: toml::Table = whole.parse()?;
    let ours = |name: &str| -> Option<PathBuf> {
        let path = whole.get("workspace")?.get("dependencies")?.get(name)?.get("path")?.as_str()?;
        Some(unskew_peers::root().join(path))
    };
    let mut text = String::new();
    for line in manifest.lines() {
        match line.split_once(" = ").and_then(|(name, version)| Some((name, version, ours(name)?)))
        {
            Some((name, version, path)) => {
                text.push_str(&format!("{name} = {{ path = {path:?}, version = {version} }}\n"));
            }
            None => text.push_str(&format!("{line}\n")),
        }
    }
    Ok(text + "\n[workspace]\n")
}

fn follow(folder: &Path, unskew: &Path, command: &str, shown: &[String]) -> anyhow::Result<()> {
    let bin = unskew.parent().context("the command lies in a folder")?;
    let mut path = vec![bin.to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", command]).env("PATH", env::join_paths(path)?);
    // What cargo told us is about this workspace.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let about_us = name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        if about_us || name == "CARGO_TARGET_DIR" || name == "UNSKEW_ROOT" {
            shell.env_remove(&*name);
        }
    }
    let ran = shell.env("CARGO_NET_OFFLINE", "true").output()?;
    let text = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    if shown.is_empty() {
        ensure!(ran.status.success(), "$ {command}\n{text}");
    }
    for line in shown {
        ensure!(text.contains(line.as_str()), "$ {command}\nprints no line with: {line}\n{text}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_files_and_commands_in_their_order() {
        let page = "```toml\n# Cargo.toml\n[package]\n```\ntext\n```rust\nlet a = 1;\n```\n```console\n$ ls\nsrc\n$ cargo build\n```\n";
        let expected = [
            Block::File("Cargo.toml".to_owned(), "# Cargo.toml\n[package]\n".to_owned()),
            Block::Console(vec![
                ("ls".to_owned(), vec!["src".to_owned()]),
                ("cargo build".to_owned(), vec![]),
            ]),
        ];
        assert_eq!(blocks(page), expected);
    }
}
