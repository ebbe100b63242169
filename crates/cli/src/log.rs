//! What the server says about itself on the standard error: a line for each event, for people or as JSON.

use std::io::IsTerminal as _;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

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
    let lines = layer().with_target(false).with_writer(std::io::stderr);
    // Whoever has set up logging before has it as he wants it.
    let _ = match format {
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
        LogFormat::Text => {
            registry.with(lines.with_ansi(std::io::stderr().is_terminal())).try_init()
        }
    };
}
