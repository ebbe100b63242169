//! `unskew explain TEXT` and `unskew explain -`: what an error message means.

use std::io::{self, Read as _};

use anyhow::{Context as _, bail};
use unskew_verbs::explain_text;

use super::environment;
use crate::args::{Explain, ExplainFormat, Global};
use crate::exit::CallStatus;
use crate::print::{self, Printable};

/// How much of a log is kept while it is read: its end says why it failed.
const KEPT: usize = 4 << 20;

/// How much is read at once.
const PIECE: usize = 1 << 16;

/// The end of what stands on the standard input.
pub fn from_standard_input() -> anyhow::Result<Vec<u8>> {
    let mut input = io::stdin().lock();
    let mut log = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        let read = input.read(&mut piece).context("cannot read the standard input")?;
        if read == 0 {
            return Ok(log);
        }
        log.extend_from_slice(&piece[..read]);
        if log.len() > 2 * KEPT {
            log.drain(..log.len() - KEPT);
        }
    }
}

/// Prints what a text means, and whether it is the cause in an environment.
pub fn explain(log: &[u8], args: &Explain, global: &Global) -> anyhow::Result<CallStatus> {
    let mut answer = explain_text(log);
    if answer.matches.is_empty() && answer.elsewhere.is_empty() {
        bail!(
            "no rule knows this text; `unskew env` judges what is installed, `unskew check FILE --with RELEASE` a file"
        );
    }
    match &args.env {
        Some(path) => answer.look_in(path, global.context())?,
        None if answer.is_about_an_environment() => {
            // One that nobody named may be of something else, and need not be there.
            if let Ok(path) = environment::found() {
                answer.look_in(&path, global.context())?;
            }
        }
        None => {}
    }
    match args.format {
        ExplainFormat::Text => print::out(answer.text())?,
        ExplainFormat::Json => {
            let text = format!("{}\n", serde_json::to_string_pretty(&answer.json())?);
            print::out(Printable::json(&text))?;
        }
    }
    Ok(CallStatus::Clean)
}
