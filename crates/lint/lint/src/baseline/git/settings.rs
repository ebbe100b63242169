//! Settings of a repository that git has to be told: the formats of its files, and where its branches come from.
//!
//! Most keys of a configuration can name a program, directly or by way of attributes. So it is a list of what is taken, and
//! all else is left where it is.

use std::fmt::Write as _;

use super::super::BaselineError;

/// Extensions that say nothing about how objects and references are read.
const HARMLESS: [&str; 5] =
    ["noop", "noop-v1", "preciousobjects", "relativeworktrees", "worktreeconfig"];

/// The settings that are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// Whether objects may lie on another machine only.
    pub partial: bool,
    /// Whether references lie in the folder `reftable`.
    pub reftable: bool,
    /// Section, subsection, key, value.
    taken: Vec<[String; 4]>,
}

impl Settings {
    /// Reads what `git config --null --list` prints: a key in each record, and in its other lines the value.
    pub fn parse(listed: &[u8]) -> Result<Self, BaselineError> {
        let mut settings = Self::default();
        let (mut version, mut unknown) = (0, None);
        for record in listed.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
            let record = String::from_utf8_lossy(record);
            let (key, value) = record.split_once('\n').unwrap_or((&record, "true"));
            let (Some((section, rest)), Some((_, name))) =
                (key.split_once('.'), key.rsplit_once('.'))
            else {
                continue;
            };
            let inner = rest.strip_suffix(name).and_then(|rest| rest.strip_suffix('.'));
            let inner = inner.unwrap_or_default();
            match (section, name) {
                ("core", "repositoryformatversion") => version = value.trim().parse().unwrap_or(9),
                ("extensions", "objectformat" | "refstorage") => {
                    settings.reftable |= name == "refstorage" && value == "reftable";
                    settings.take(section, inner, name, value);
                }
                ("extensions", "partialclone") | ("remote", "promisor" | "partialclonefilter") => {
                    settings.partial = true;
                }
                ("extensions", name) if !HARMLESS.contains(&name) => {
                    unknown = Some(name.to_owned());
                }
                // What `@{upstream}` means.
                ("branch", "remote" | "merge") | ("remote", "fetch") => {
                    settings.take(section, inner, name, value);
                }
                _ => {}
            }
        }
        // Before version 1 git does not look at extensions.
        match (version, unknown) {
            (0, _) | (1, None) => Ok(settings),
            (1, Some(name)) => {
                Err(BaselineError::Git(format!("the repository has an unknown extension: {name}")))
            }
            _ => Err(BaselineError::Git("the repository has an unknown format".to_owned())),
        }
    }

    fn take(&mut self, section: &str, inner: &str, name: &str, value: &str) {
        if !inner.contains('\n') {
            self.taken.push([section, inner, name, value].map(str::to_owned));
        }
    }

    /// As a file of configuration.
    pub fn text(&self, bare: bool) -> String {
        let mut text = format!("[core]\n\trepositoryformatversion = 1\n\tbare = {bare}\n");
        if cfg!(any(windows, target_os = "macos")) {
            text.push_str("\tignorecase = true\n\tprecomposeunicode = true\n\tlongpaths = true\n");
        }
        // The names of authors are not asked for, and the file with other ones lies in the work tree.
        text.push_str("[log]\n\tmailmap = false\n[protocol]\n\tallow = never\n");
        for [section, inner, name, value] in &self.taken {
            let (inner, value) = (quoted(inner), quoted(value));
            // Writing into a String cannot fail.
            let _ = match inner.as_str() {
                "\"\"" => writeln!(text, "[{section}]\n\t{name} = {value}"),
                inner => writeln!(text, "[{section} {inner}]\n\t{name} = {value}"),
            };
        }
        text
    }
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_names_a_program_is_taken() {
        let listed = b"core.repositoryformatversion\n1\0extensions.objectformat\nsha256\0\
            core.fsmonitor\n./evil\0core.sshcommand\n./evil\0filter.x.smudge\n./evil\0diff.x.textconv\n./evil\0\
            remote.o\"p\\.q.fetch\n+refs/heads/*:refs/remotes/o/*\0remote.o\"p\\.q.uploadpack\n./evil\0\
            branch.main.merge\nrefs/heads/main\0branch.main.mergeoptions\nx\0alias.log\n!./evil\0";
        let settings = Settings::parse(listed).unwrap();
        let text = settings.text(false);
        assert!(!text.contains("evil") && !settings.partial, "{text}");
        for line in [
            "objectformat = \"sha256\"",
            "[remote \"o\\\"p\\\\.q\"]",
            "merge = \"refs/heads/main\"",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn what_git_would_refuse_to_read_is_refused() {
        let settings =
            |text: &str| Settings::parse(text.replace('=', "\n").replace(';', "\0").as_bytes());
        assert!(settings("core.repositoryformatversion=1;extensions.tomorrow=x").is_err());
        assert!(settings("core.repositoryformatversion=0;extensions.tomorrow=x").is_ok());
        assert!(settings("core.repositoryformatversion=2").is_err());
        assert!(settings("remote.origin.promisor=true").unwrap().partial);
    }
}
