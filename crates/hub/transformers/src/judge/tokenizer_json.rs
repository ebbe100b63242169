//! `tokenizer.json`: the package tokenizers reads it, of which a release accepts a range.

use std::sync::{Arc, OnceLock};

use unskew_core::{Date, Finding, Judgement, Phase, Places, Unjudged, Version, aspect};
use unskew_tokenizers::{TokenizerFile, TokenizersNames, TokenizersRelease};

use super::{is_error, place};
use crate::folder::FolderFiles;
use crate::known_names::releases_in;
use crate::{TransformersRelease, rules};

/// `tokenizer.json` of a folder, and what the releases of tokenizers make of it: a release of transformers accepts many, and many
/// releases of transformers are asked.
#[derive(Clone, Debug)]
pub struct FastTokenizer(Arc<JudgedFile>);

#[derive(Debug)]
struct JudgedFile {
    file: TokenizerFile,
    judged: OnceLock<Vec<Judged>>,
}

impl FastTokenizer {
    pub(crate) fn new(file: TokenizerFile) -> Self {
        Self(Arc::new(JudgedFile { file, judged: OnceLock::new() }))
    }

    /// What `tokenizer.json` consists of.
    pub fn file(&self) -> &TokenizerFile {
        &self.0.file
    }

    /// What every release of the database makes of it.
    fn judged(&self, names: &Arc<TokenizersNames>, released: Date) -> &[Judged] {
        self.0.judged.get_or_init(|| {
            let one = |version: &Version| {
                let names = names.clone();
                Judged::new(self.file(), &TokenizersRelease { version: *version, released, names })
            };
            names.rows().releases().iter().map(one).collect()
        })
    }
}

/// What the releases of tokenizers in the range make of the file: all of them, none of them, or some.
pub(super) fn judge(files: &FolderFiles, release: &TransformersRelease, judgement: &mut Judgement) {
    let Some(file) = &files.fast_tokenizer else { return };
    let judged = accepted(file, release);
    let Some(wanted) = release.wanted_tokenizers().filter(|_| !judged.is_empty()) else {
        let why = "tokenizer.json is read by the package tokenizers, and what the one that is installed reads is not known";
        judgement.unjudged.push(Unjudged::new(aspect::VERSION, why));
        return;
    };
    let label = release.label();
    let first_of = |phase: Phase| judged.iter().find_map(|one| one.first(phase));
    if judged.iter().all(|one| one.fails_at(Phase::Load)) {
        let Some(first) = first_of(Phase::Load) else { return };
        let why = &first.message;
        let finding =
            rules::HfTokenizerFormNotRead { release: &label, wanted: &wanted, why: &why }.finding();
        let finding = match &first.symptom {
            Some(symptom) => finding.with_symptom(symptom.clone()),
            None => finding,
        };
        judgement.findings.push(finding.at(at(first)));
    } else if judged.iter().all(|one| !one.findings.is_empty())
        && let Some(first) = first_of(Phase::Silent)
    {
        let why = &first.message;
        let finding =
            rules::HfTokenizerIdsDiffer { release: &label, wanted: &wanted, why: &why }.finding();
        judgement.findings.push(finding.at(at(first)));
    } else if judged.iter().any(|one| !one.findings.is_empty()) {
        let fits = judged.iter().filter(|one| one.findings.is_empty());
        let fits: Vec<String> = fits.map(|one| one.version.to_string()).collect();
        let why = format!(
            "which tokenizers is installed: {label} wants {wanted}, and tokenizer.json works with {} of these",
            fits.join(", ")
        );
        judgement.unjudged.push(Unjudged::new(aspect::VERSION, why));
    }
    // What none of them judges.
    if let Some(one) = judged.last() {
        judgement.unjudged.extend(one.unjudged.iter().cloned());
    }
}

/// What one release of tokenizers makes of the file.
#[derive(Debug)]
struct Judged {
    version: Version,
    /// Its errors.
    findings: Vec<Finding>,
    unjudged: Vec<Unjudged>,
}

impl Judged {
    fn new(file: &TokenizerFile, release: &TokenizersRelease) -> Self {
        let Judgement { findings, unjudged, .. } = unskew_tokenizers::judge(file, release);
        let findings = findings.into_iter().filter(is_error).collect();
        Self { version: release.version, findings, unjudged }
    }

    fn first(&self, phase: Phase) -> Option<&Finding> {
        self.findings.iter().find(|one| one.phase == Some(phase))
    }

    fn fails_at(&self, phase: Phase) -> bool {
        self.first(phase).is_some()
    }
}

fn at(finding: &Finding) -> Places {
    place(&format!("tokenizer.json, {}", finding.places))
}

/// What the releases of tokenizers that a release accepts make of the file; empty if they are not known.
fn accepted<'f>(file: &'f FastTokenizer, release: &TransformersRelease) -> Vec<&'f Judged> {
    let (Some(names), Some(wanted)) = (&release.tokenizers, release.wanted_tokenizers()) else {
        return Vec::new();
    };
    let accepted: Vec<Version> = releases_in(wanted, names.rows().releases()).collect();
    let is_accepted = |one: &&Judged| accepted.contains(&one.version);
    file.judged(names, release.released).iter().filter(is_accepted).collect()
}
