//! Output of the command, and the last look at it: see [`Printable`].

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use unskew_report::{BAD, Medium, Plain, RenderFormat, Report, error_lines, escaped};
use unskew_source::OutputFile;

use crate::locate::locate;

/// Text that may leave. A text is made one by its medium; one that nobody speaks of is for a terminal.
pub struct Printable(String);

impl Printable {
    /// A text for this medium.
    pub fn new(text: &str, medium: Medium) -> Self {
        Self(escaped(text, medium).into_owned())
    }

    /// A document of JSON.
    pub fn json(text: &str) -> Self {
        Self::new(text, Medium::Json)
    }

    /// A page, a drawing, or a table for other programs.
    pub fn document(text: &str) -> Self {
        Self::new(text, Medium::Document)
    }

    /// A text of this program itself, in which nothing comes from outside: a script, a page of the manual.
    pub fn own(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str>> From<T> for Printable {
    fn from(text: T) -> Self {
        Self::new(text.as_ref(), Medium::Terminal)
    }
}

/// Prints a text on the standard output, without styles where they are not wanted. A reader that has
/// seen enough (`| head`) is no error.
pub fn out(text: impl Into<Printable>) -> anyhow::Result<()> {
    let text = text.into();
    let mut stream = anstream::stdout().lock();
    match stream.write_all(text.0.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot print")
        }
        _ => Ok(()),
    }
}

static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether reports have all findings, and what was read is said.
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Prints all findings of a rule from now on, and at the end what was read, if `verbose` says so.
pub fn be_verbose(verbose: bool) {
    VERBOSE.store(verbose, Ordering::Relaxed);
}

/// Whether `--verbose` was given.
pub fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

/// Prints on the standard error how much was read and how long it took, if that was asked for.
pub fn what_was_read(time: Duration) {
    if is_verbose() {
        let (files, bytes) = unskew_source::budget::opened();
        let milliseconds = time.as_secs_f64() * 1e3;
        note(&format!("{files} files of {bytes} bytes in {milliseconds:.1} ms"));
    }
}

/// Prints no report from now on, if `quiet` says so.
pub fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Prints what was found, unless nobody wants to read it.
pub fn found(text: impl Into<Printable>) -> anyhow::Result<()> {
    if QUIET.load(Ordering::Relaxed) { Ok(()) } else { out(text) }
}

/// Prints a report, and on the standard error what could not be read.
pub fn report(report: &mut Report, format: RenderFormat) -> anyhow::Result<()> {
    found(rendered(report, format))?;
    for failure in &report.failures {
        self::failure(&failure.message);
    }
    Ok(())
}

/// A report as text, with every finding if `--verbose` was given, and with lines and columns where a program reads them.
pub fn rendered(report: &mut Report, format: RenderFormat) -> Printable {
    report.verbose = is_verbose();
    if matches!(format, RenderFormat::Concise | RenderFormat::Github | RenderFormat::Sarif) {
        locate(report);
    }
    Printable(report.render(format))
}

/// Writes a text without styles to the file at `path`, which appears whole or not at all, or into the device or the named
/// pipe that stands there.
pub fn file(path: &Path, text: impl Into<Printable>) -> anyhow::Result<()> {
    let text = text.into();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!("cannot write {}; no such folder: {}", path.display(), folder.display());
    }
    let write = || -> io::Result<()> {
        let mut file = OutputFile::create(path)?;
        let stripped = anstream::adapter::strip_str(&text.0).to_string();
        file.write_all(stripped.as_bytes())?;
        file.commit()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Prints an error and its causes on the standard error.
pub fn error(error: &anyhow::Error) {
    failure(&unskew_verbs::chain(error.as_ref()));
}

/// Prints what is worth knowing, and no failure.
pub fn note(message: &str) {
    to_errors(&format!("note: {}", Plain(message)));
}

/// Prints a table on the standard error, which is no result.
#[cfg(feature = "run")]
pub fn aside(text: &str) {
    text.lines().for_each(|line| to_errors(&Plain(line).to_string()));
}

/// Prints that something could not be done.
pub fn failure(message: &str) {
    for (index, line) in error_lines(message).into_iter().enumerate() {
        match index {
            0 => to_errors(&format!("{BAD}error{BAD:#}: {line}")),
            _ => to_errors(&line),
        }
    }
}

/// Prints what is wrong with the arguments.
pub fn usage(text: &str) {
    anstream::eprint!("{}", escaped(text, Medium::Terminal));
}

/// Prints one line on the standard error. Runners read that, too.
fn to_errors(line: &str) {
    anstream::eprintln!("{}", escaped(line, Medium::Terminal));
}

/// Paragraphs of a width that reads well, indented.
pub fn wrapped(body: &str, indent: usize) -> String {
    const WIDTH: usize = 88;
    let mut text = String::new();
    for (index, line) in body.lines().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let mut column = 0;
        for word in line.split_whitespace() {
            if column > 0 && column + 1 + word.len() > WIDTH {
                text.push('\n');
                column = 0;
            }
            text.push_str(&" ".repeat(if column == 0 { indent } else { 1 }));
            text.push_str(word);
            column += 1 + word.len();
        }
    }
    text
}
