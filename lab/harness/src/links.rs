//! Links of a page, as they are to be in the site. Pages that are made when the site is are linked by their address there.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Where the site of the trunk is published. Committed pages link pages that are not committed by it.
pub const SITE: &str = "https://unskew.github.io/unskew/dev/";

/// The files of the site: where each lies in the repository, and where it goes.
pub type Files = BTreeMap<PathBuf, PathBuf>;

/// What links are resolved against.
pub struct LinkTargets<'a> {
    /// The root of the repository.
    pub root: &'a Path,
    /// The pages and other files.
    pub files: &'a Files,
    /// The address of the repository, for links to files that are no pages.
    pub repository: &'a str,
}

/// A page with its links rewritten.
pub struct LinkedPage {
    /// The page as it goes into the site.
    pub text: String,
    /// Links that lead nowhere: `LINE: TARGET`.
    pub dead: Vec<String>,
}

impl LinkTargets<'_> {
    /// The page that lies at `path` in the repository.
    pub fn rewritten(&self, path: &Path, text: &str) -> LinkedPage {
        let mut page = LinkedPage { text: String::with_capacity(text.len()), dead: Vec::new() };
        let mut in_code = false;
        for (number, line) in (1..).zip(text.lines()) {
            let fence = line.trim_start().starts_with("```");
            in_code ^= fence;
            if fence || in_code {
                page.text.push_str(line);
            } else {
                self.line(path, line, number, &mut page);
            }
            page.text.push('\n');
        }
        page
    }

    fn line(&self, path: &Path, line: &str, number: usize, page: &mut LinkedPage) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("](") {
            page.text.push_str(before);
            page.text.push_str("](");
            let Some((target, behind)) = after.split_once(')') else {
                rest = after;
                break;
            };
            let quoted = line.len() - rest.len() + before.len();
            let is_code = line[..quoted].bytes().filter(|byte| *byte == b'`').count() % 2 == 1;
            match self.target(path, target) {
                _ if is_code => page.text.push_str(target),
                Some(now) => page.text.push_str(&now),
                None => page.dead.push(format!("{number}: {target}")),
            }
            page.text.push(')');
            rest = behind;
        }
        page.text.push_str(rest);
    }

    /// The target of a link on the page at `path`; none if it leads nowhere.
    fn target(&self, path: &Path, target: &str) -> Option<String> {
        if let Some(published) = target.strip_prefix(SITE) {
            return self.published(path, published);
        }
        if target.contains(':') || target.starts_with('#') {
            return Some(target.to_owned());
        }
        let (file, anchor) = match target.split_once('#') {
            Some((file, anchor)) => (file, format!("#{anchor}")),
            None => (target, String::new()),
        };
        let named = normal(&path.parent()?.join(file))?;
        let index = named.join("README.md");
        let page = [&named, &index].into_iter().find_map(|one| self.files.get(one));
        if let Some(page) = page {
            let from = self.files.get(path)?;
            return Some(format!("{}{anchor}", between(from, page)));
        }
        let there = self.root.join(&named);
        let kind = if there.is_dir() { "tree" } else { "blob" };
        let named = named.to_str()?;
        there.exists().then(|| format!("{}/{kind}/main/{named}{anchor}", self.repository))
    }
}

impl LinkTargets<'_> {
    /// The way to a page that is named by its address: `rules/PT204.html#fix` is made of `rules/PT204.md`.
    fn published(&self, path: &Path, target: &str) -> Option<String> {
        let (page, anchor) = target.split_once(".html")?;
        let page = PathBuf::from(match page.strip_suffix("index") {
            Some(folder) if !folder.is_empty() => format!("{folder}README.md"),
            _ => format!("{page}.md"),
        });
        let from = self.files.get(path)?;
        let there = self.files.values().any(|one| *one == page);
        there.then(|| format!("{}{anchor}", between(from, &page)))
    }
}

/// A path without `.` and `..`; none if it leads out of the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::ParentDir => drop(parts.pop()?),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.into_iter().collect())
}

/// The way from one page to another.
fn between(from: &Path, to: &Path) -> String {
    let up = from.components().count().saturating_sub(1);
    format!("{}{}", "../".repeat(up), to.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_of_the_site_or_to_the_repository() {
        let root = unskew_peers::root();
        let files: Files = [
            ("README.md", "index.md"),
            ("docs/guide/run.md", "guide/run.md"),
            ("docs/rules/README.md", "rules/README.md"),
            ("docs/rules/PT001.md", "rules/PT001.md"),
        ]
        .into_iter()
        .map(|(from, to)| (from.into(), to.into()))
        .collect();
        let site = LinkTargets { root, files: &files, repository: "https://r" };
        let text = "[a](../../README.md#try-it) `[b](c)` [d](../../Cargo.toml) [e](gone.md)\n```\n[f](gone.md)\n```\n";
        let page = site.rewritten(Path::new("docs/guide/run.md"), text);
        let (first, rest) = page.text.split_once('\n').unwrap();
        assert_eq!(
            first,
            "[a](../index.md#try-it) `[b](c)` [d](https://r/blob/main/Cargo.toml) [e]()"
        );
        assert_eq!(rest, "```\n[f](gone.md)\n```\n");
        assert_eq!(page.dead, ["1: gone.md"]);
        let text = format!(
            "[a]({SITE}rules/PT001.html#fix) [b]({SITE}rules/index.html) [c]({SITE}gone.html)"
        );
        let page = site.rewritten(Path::new("docs/guide/run.md"), &text);
        assert_eq!(page.text, "[a](../rules/PT001.md#fix) [b](../rules/README.md) [c]()\n");
        assert_eq!(page.dead, [format!("1: {SITE}gone.html")]);
    }
}
