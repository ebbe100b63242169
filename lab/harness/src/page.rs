//! The page of an oracle.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

/// Whether a page is written.
#[derive(Args)]
pub struct WritePage {
    /// Writes the page into the documentation, and does not only print it.
    #[arg(long)]
    pub write: bool,
}

/// A page of the documentation that a command makes, by its path from the root of the repository.
pub struct Page<P = &'static str>(pub P);

impl<P: AsRef<str>> Page<P> {
    /// Prints the text, and writes it, with `head` before it, if that was asked for.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn publish(&self, head: &str, text: &str, asked: &WritePage) -> anyhow::Result<()> {
        print!("{text}");
        self.write(&format!("{head}{text}"), asked)
    }

    /// Writes a text, if that was asked for.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, text: &str, asked: &WritePage) -> anyhow::Result<()> {
        if asked.write {
            fs::write(self.path(), text).with_context(|| self.0.as_ref().to_owned())?;
            println!("{}: written", self.0.as_ref());
        }
        Ok(())
    }

    /// Writes what stands between two marks of the page, if that was asked for.
    ///
    /// # Errors
    /// If the page has no such marks, or cannot be read or written.
    pub fn write_between(
        &self,
        [begin, end]: [&str; 2],
        text: &str,
        asked: &WritePage,
    ) -> anyhow::Result<()> {
        let page = fs::read_to_string(self.path()).with_context(|| self.0.as_ref().to_owned())?;
        let (head, rest) = page.split_once(begin).context("no mark where the table begins")?;
        let (_, tail) = rest.split_once(end).context("no mark where the table ends")?;
        self.write(&format!("{head}{begin}{text}{end}{tail}"), asked)
    }

    fn path(&self) -> PathBuf {
        unskew_peers::root().join(self.0.as_ref())
    }
}
