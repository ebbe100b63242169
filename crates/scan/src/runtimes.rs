//! From the content of an artifact to its rows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use unskew_artifact::{
    Artifact, Content, LabeledParty, OpenError, OpenOptions, open_content, operators,
};
use unskew_core::{Context, Finding, Outcome, Party, Verdict, check};
use unskew_source::SourceProblem;

use crate::counted::counted;
use crate::question::runtimes;
use crate::verdict_row::{ERROR, OVER_BUDGET};
use crate::{Question, ScanError, VerdictReason, VerdictRow};

/// What every artifact is judged by. Plug-ins are read, not run: a scan meets what nobody has vetted.
pub(crate) struct Runtimes {
    runtimes: Vec<(String, Arc<Party>)>,
    context: Context,
    options: OpenOptions,
}

impl Runtimes {
    /// Those of this question.
    ///
    /// # Errors
    /// If one of them cannot be found or read.
    pub(crate) fn for_question(question: &Question) -> Result<Self, ScanError> {
        let runtimes = runtimes(&question.with)?;
        Ok(Self { runtimes, context: Context::on(question.as_of), options: OpenOptions::default() })
    }

    /// All rows of an artifact, without what the inventory knows of it; never none.
    pub(crate) fn rows(&self, content: Content) -> Vec<VerdictRow> {
        let bytes = Arc::new(AtomicU64::new(0));
        // Readers do not panic on any bytes that are known; one of thousands must not end a scan all the same.
        let opened = catch_unwind(AssertUnwindSafe(|| self.open(content, &bytes)));
        let mut rows = match opened {
            Ok(Ok(rows)) => rows,
            Ok(Err(error)) => vec![failure(&error)],
            Err(_) => {
                vec![unread(ERROR, "a reader of Unskew failed; please report the file".to_owned())]
            }
        };
        let bytes_read = bytes.load(Ordering::Relaxed);
        rows.iter_mut().for_each(|row| row.bytes_read = bytes_read);
        rows
    }

    fn open(&self, content: Content, bytes: &Arc<AtomicU64>) -> Result<Vec<VerdictRow>, OpenError> {
        let artifact = open_content(&counted(content, bytes), &self.options)?;
        let mut rows: Vec<VerdictRow> = artifact.problems.iter().map(failure).collect();
        for piece in &artifact.pieces {
            rows.extend(self.piece(&artifact, piece));
        }
        Ok(rows)
    }

    /// One piece with every runtime that it has something in common with.
    fn piece(&self, artifact: &Artifact, piece: &LabeledParty) -> Vec<VerdictRow> {
        let party = &piece.party;
        let versions =
            party.provides.iter().map(|one| (one.axis.to_string(), one.versions.to_string()));
        let about = VerdictRow {
            piece: (piece.label != artifact.path).then(|| piece.label.clone()),
            kind: Some(party.kind.clone()),
            producer: Some(party.origin.clone()).filter(|origin| !origin.is_empty()),
            versions: versions.collect(),
            operators: operators(party),
            ..VerdictRow::default()
        };
        let judged = self
            .runtimes
            .iter()
            .map(|(label, runtime)| (label, check(party, runtime, &self.context)));
        let related = judged.filter(|(_, verdict)| verdict.outcome != Outcome::Unrelated);
        let rows: Vec<VerdictRow> =
            related.map(|(label, verdict)| with(&about, label, &verdict)).collect();
        match rows.is_empty() {
            true => vec![VerdictRow { verdict: "unrelated".to_owned(), ..about }],
            false => rows,
        }
    }
}

fn with(about: &VerdictRow, runtime: &str, verdict: &Verdict) -> VerdictRow {
    let (name, adaptations) = match &verdict.outcome {
        Outcome::Compatible => ("compatible", Vec::new()),
        Outcome::Adaptable(names) => ("adaptable", names.clone()),
        Outcome::Unjudged => ("unjudged", Vec::new()),
        Outcome::Incompatible => ("incompatible", Vec::new()),
        Outcome::Unrelated => ("unrelated", Vec::new()),
    };
    let mut rules: Vec<String> =
        verdict.findings.iter().map(|one| one.rule.code.to_owned()).collect();
    rules.sort();
    rules.dedup();
    let mut unjudged: Vec<String> =
        verdict.unjudged.iter().map(|one| one.aspect.to_string()).collect();
    unjudged.sort();
    unjudged.dedup();
    VerdictRow {
        runtime: Some(runtime.to_owned()),
        verdict: name.to_owned(),
        phase: verdict.first_failure().map(|phase| phase.to_string()),
        severity: verdict.severity().map(|severity| severity.to_string()),
        rules,
        findings: verdict.findings.iter().map(reason).collect(),
        adaptations,
        unjudged,
        ..about.clone()
    }
}

fn reason(finding: &Finding) -> VerdictReason {
    VerdictReason {
        rule: finding.rule.code.to_owned(),
        severity: finding.severity.to_string(),
        phase: finding.phase.map(|phase| phase.to_string()),
        message: finding.message.clone(),
        fix: finding.fix.clone(),
    }
}

/// The row of something that could not be judged.
pub(crate) fn failure(error: &OpenError) -> VerdictRow {
    let verdict = match error {
        OpenError::Unknown { .. } | OpenError::Nothing { .. } => "unrecognized",
        OpenError::TooMany { .. } => OVER_BUDGET,
        OpenError::Read(error) => match *error.problem {
            SourceProblem::Budget(_)
            | SourceProblem::TooLarge { .. }
            | SourceProblem::TooDeep { .. } => OVER_BUDGET,
            _ => ERROR,
        },
        _ => ERROR,
    };
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        let text = next.to_string();
        if !said.contains(&text) {
            said = format!("{said}: {text}");
        }
        cause = next.source();
    }
    unread(verdict, said)
}

/// The row of something about which nothing else is known.
pub(crate) fn unread(verdict: &str, error: String) -> VerdictRow {
    VerdictRow { verdict: verdict.to_owned(), error: Some(error), ..VerdictRow::default() }
}
