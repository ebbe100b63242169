//! Log of the server on the standard error: a line for each event, for people or as JSON.

use std::io::{self, IsTerminal as _, Write};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use unskew_report::{Medium, escaped};

use crate::args::{LogFormat, LogLevel};

/// Begins to log on the standard error.
pub fn begin(level: LogLevel, format: LogFormat) {
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    // What the libraries below say of each packet is nothing for here.
    let ours = Targets::new().with_target("unskew", level);
    let registry = tracing_subscriber::registry().with(ours);
    let medium = match format {
        LogFormat::Json => Medium::Json,
        LogFormat::Text => Medium::Terminal,
    };
    let lines = layer().with_target(false).with_writer(move || Lines(medium));
    // Whoever has set up logging before has it as he wants it.
    let _ = match format {
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
        LogFormat::Text => {
            registry.with(lines.with_ansi(std::io::stderr().is_terminal())).try_init()
        }
    };
}

/// The standard error, for lines of a log: a line feed in a value begins no line.
struct Lines(Medium);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let (event, end) = match text.strip_suffix('\n') {
            Some(event) => (event, "\n"),
            None => (&*text, ""),
        };
        let event = event.replace('\n', "\\n");
        // At once, so that threads do not write into each other's lines.
        io::stderr().write_all(format!("{}{end}", escaped(&event, self.0)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
