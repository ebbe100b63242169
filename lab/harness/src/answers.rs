//! What releases answered, kept: asking one takes minutes, and its environment may be gone afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A folder with answers, a file each; or none, and everything is asked anew.
#[derive(Debug)]
pub struct Answers(Option<PathBuf>);

impl Answers {
    /// The answers in a folder, if they are kept.
    #[must_use]
    pub fn new(folder: Option<&Path>) -> Self {
        Self(folder.map(Path::to_owned))
    }

    /// The answer of this name: what is kept, else what `ask` gives, which is kept then.
    ///
    /// # Errors
    /// If it cannot be asked or kept.
    pub fn get(
        &self,
        name: &str,
        ask: impl FnOnce() -> anyhow::Result<String>,
    ) -> anyhow::Result<String> {
        let Some(folder) = &self.0 else { return ask() };
        let path = folder.join(name);
        if path.exists() {
            return fs::read_to_string(&path).with_context(|| path.display().to_string());
        }
        let answer = ask()?;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        fs::write(&path, &answer).with_context(|| path.display().to_string())?;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_not_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let answers = Answers::new(Some(&folder.path().join("out")));
        assert_eq!(answers.get("1.0", || Ok("yes".to_owned())).unwrap(), "yes");
        assert_eq!(answers.get("1.0", || anyhow::bail!("asked again")).unwrap(), "yes");
        assert!(answers.get("2.0", || anyhow::bail!("not there")).is_err());
        assert!(Answers::new(None).get("1.0", || anyhow::bail!("asked")).is_err());
    }
}
