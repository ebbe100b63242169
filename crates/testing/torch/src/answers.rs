//! Lines of JSON that probes print, kept without their times.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use unskew_peers::{ProcessEnd, run_probe};

use crate::TorchHost;

/// A line that a probe printed.
#[derive(Serialize, Deserialize)]
pub(crate) struct AnswerLine {
    pub(crate) step: String,
    pub(crate) ok: bool,
    pub(crate) detail: String,
}

/// The lines that a probe prints, without their times.
pub(crate) fn answers(command: &mut Command, limit: Duration) -> anyhow::Result<String> {
    let outcome = run_probe(command, limit)?;
    let words = || outcome.errors.lines().rev().take(5).collect::<Vec<_>>().join("\n");
    ensure!(outcome.end == ProcessEnd::Finished, "{}: {}", outcome.end, words());
    let mut text = String::new();
    for step in &outcome.steps {
        let (name, detail) = (step.step.clone(), step.detail.clone());
        let line = AnswerLine { step: name, ok: step.ok, detail };
        writeln!(text, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(text)
}

pub(crate) fn lines(text: &str) -> impl Iterator<Item = anyhow::Result<AnswerLine>> + '_ {
    text.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned()))
}

impl TorchHost {
    pub(crate) fn probe(&self, name: &str) -> Command {
        let mut command = self.command();
        command.arg(unskew_peers::root().join("lab/torch/probes").join(name));
        command
    }
}
