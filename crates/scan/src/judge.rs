//! From an item to its rows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use unskew_artifact::{Artifact, OpenError, Options, Piece, open_content, operators};
use unskew_core::{Context, Finding, Outcome, Party, Verdict, check};

use crate::counted::counted;
use crate::question::runtimes;
use crate::{Item, Question, Reason, Row, ScanError};

/// Judges artifacts. Plug-ins are read, not run: a scan meets what nobody has vetted.
pub struct Judge {
    runtimes: Vec<(String, Arc<Party>)>,
    context: Context,
    options: Options,
}

impl Judge {
    /// The judge of this question.
    ///
    /// # Errors
    /// If one of its runtimes cannot be found or read.
    pub fn new(question: &Question) -> Result<Self, ScanError> {
        let runtimes = runtimes(&question.with)?;
        Ok(Self { runtimes, context: Context::on(question.as_of), options: Options::default() })
    }

    /// All rows of an artifact; never none.
    pub fn rows(&self, item: &Item) -> Vec<Row> {
        let bytes = Arc::new(AtomicU64::new(0));
        // Readers do not panic on any bytes that are known; one of thousands must not end a scan all the same.
        let opened = catch_unwind(AssertUnwindSafe(|| self.open(item, &bytes)));
        let blank = Row {
            uri: item.uri.clone(),
            collection: item.collection.clone(),
            revision: item.revision.clone(),
            etag: item.etag.clone(),
            sha256: item.sha256.clone(),
            size: item.size,
            ..Row::default()
        };
        let mut rows = match opened {
            Ok(Ok(rows)) => rows,
            Ok(Err(error)) => vec![failure(&error)],
            Err(_) => vec![Row {
                verdict: "error".to_owned(),
                error: Some("a reader of Unskew failed; please report the file".to_owned()),
                ..Row::default()
            }],
        };
        let bytes_read = bytes.load(Ordering::Relaxed);
        for row in &mut rows {
            let Row { uri, collection, revision, etag, sha256, size, .. } = blank.clone();
            *row = Row {
                uri,
                collection,
                revision,
                etag,
                sha256,
                size,
                bytes_read,
                ..std::mem::take(row)
            };
        }
        rows
    }

    fn open(&self, item: &Item, bytes: &Arc<AtomicU64>) -> Result<Vec<Row>, OpenError> {
        let content = counted((item.open)()?, bytes);
        let artifact = open_content(&content, &self.options)?;
        let mut rows: Vec<Row> = artifact.problems.iter().map(failure).collect();
        for piece in &artifact.pieces {
            rows.extend(self.piece(&artifact, piece));
        }
        Ok(rows)
    }

    /// One piece with every runtime that it has something in common with.
    fn piece(&self, artifact: &Artifact, piece: &Piece) -> Vec<Row> {
        let party = &piece.party;
        let versions =
            party.provides.iter().map(|one| (one.axis.to_string(), one.versions.to_string()));
        let about = Row {
            piece: (piece.label != artifact.path).then(|| piece.label.clone()),
            kind: Some(party.kind.clone()),
            producer: Some(party.origin.clone()).filter(|origin| !origin.is_empty()),
            versions: versions.collect(),
            operators: operators(party),
            ..Row::default()
        };
        let judged = self
            .runtimes
            .iter()
            .map(|(label, runtime)| (label, check(party, runtime, &self.context)));
        let related = judged.filter(|(_, verdict)| verdict.outcome != Outcome::Unrelated);
        let rows: Vec<Row> =
            related.map(|(label, verdict)| with(&about, label, &verdict)).collect();
        match rows.is_empty() {
            true => vec![Row { verdict: "unrelated".to_owned(), ..about }],
            false => rows,
        }
    }
}

/// The row of a verdict.
fn with(about: &Row, runtime: &str, verdict: &Verdict) -> Row {
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
    Row {
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

fn reason(finding: &Finding) -> Reason {
    Reason {
        rule: finding.rule.code.to_owned(),
        severity: finding.severity.to_string(),
        phase: finding.phase.map(|phase| phase.to_string()),
        message: finding.message.clone(),
        fix: finding.fix.clone(),
    }
}

/// The row of something that could not be judged.
fn failure(error: &OpenError) -> Row {
    let verdict = match error {
        OpenError::Unknown { .. } | OpenError::Nothing { .. } => "unrecognized",
        _ => "error",
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
    Row { verdict: verdict.to_owned(), error: Some(said), ..Row::default() }
}
