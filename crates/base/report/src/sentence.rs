//! Verdict of a pair in one sentence: the strongest that was judged, and why not more.

use unskew_core::{
    Answer, Finding, Outcome, Phase, Role, Severity, Side, Verdict, VerdictQuestion,
};

use crate::CheckedPair;

impl CheckedPair {
    /// The verdict in one sentence that names both sides; of a pair that fails, a second one says why.
    pub fn sentence(&self) -> String {
        let (loaded, loader) = self.in_order();
        let said = Sentence::new(&self.verdict, &self.a.side, &self.b.side);
        let mut text = said.between(loaded.label(), loader.label());
        if let Some(consequence) = self.verdict.consequence() {
            text.push_str(&format!(", but {consequence}"));
        }
        text.push('.');
        if let Some(cause) = cause(&self.verdict) {
            text.push_str(&format!(" {}", cause.rule.summary));
        }
        text
    }

    /// What is loaded, and what loads it.
    fn in_order(&self) -> (&crate::Subject, &crate::Subject) {
        match self.a.side.role <= self.b.side.role {
            true => (&self.a, &self.b),
            false => (&self.b, &self.a),
        }
    }
}

/// The verb where a part that decides whether it loads was not judged.
const IN_PART: &str = "is judged only in part with";

/// A sentence about two sides without their names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sentence {
    /// What stands between the two names: `does not load with`.
    pub(crate) verb: &'static str,
    /// What follows the second name.
    pub(crate) end: String,
}

impl Sentence {
    /// The sentence for a verdict on two sides.
    pub(crate) fn new(verdict: &Verdict, a: &Side, b: &Side) -> Self {
        let says = |verb, end: &str| Self { verb, end: end.to_owned() };
        let answer = |question| verdict.answer(question) == Answer::Yes;
        // Two schemas, two headers, two packages: neither loads the other.
        let is_loaded = a.role != b.role && a.role.min(b.role) < Role::Runtime;
        match &verdict.outcome {
            Outcome::Unrelated => says("has nothing in common with", ""),
            Outcome::Adaptable(names) => {
                let end = format!(" after a conversion: {}", names.join(", "));
                Self { verb: "works with", end }
            }
            Outcome::Compatible if is_loaded => says("works with", ""),
            Outcome::Compatible => says("is compatible with", ""),
            Outcome::Unjudged if !is_loaded || !answer(VerdictQuestion::Loads) => {
                says(IN_PART, ": nothing was found in that part")
            }
            Outcome::Unjudged if !answer(VerdictQuestion::Runs) => {
                says("loads with", "; whether it runs was not judged")
            }
            Outcome::Unjudged => {
                says("loads and runs with", "; whether it gives the same results was not judged")
            }
            Outcome::Incompatible => match verdict.first_failure() {
                Some(Phase::Load) if is_loaded => says("does not load with", ""),
                Some(Phase::FirstUse) if is_loaded && answer(VerdictQuestion::Loads) => {
                    says("loads with", " and fails when it runs")
                }
                Some(Phase::FirstUse) if is_loaded => says("fails with", " when it runs"),
                Some(Phase::Silent) if is_loaded => says("gives other results with", ""),
                _ if is_loaded => says("does not work with", ""),
                _ => says("is not compatible with", ""),
            },
        }
    }

    /// What it says of the second side, without naming it.
    pub(crate) fn alone(&self) -> String {
        match self.verb {
            IN_PART => "not judged in part".to_owned(),
            verb => format!("{}{}", verb.strip_suffix(" with").unwrap_or(verb), self.end),
        }
    }

    fn between(&self, loaded: &str, loader: &str) -> String {
        format!("{loaded} {} {loader}{}", self.verb, self.end)
    }
}

/// The finding that makes a pair fail first.
pub(crate) fn cause(verdict: &Verdict) -> Option<&Finding> {
    if verdict.outcome != Outcome::Incompatible {
        return None;
    }
    let first = verdict.first_failure();
    let mut errors = verdict.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let fails = |finding: &&Finding| finding.adaptation.is_none() && finding.phase == first;
    errors.clone().find(fails).or_else(|| errors.next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Subject;
    use unskew_core::{Party, Unjudged, aspect, rules};

    fn pair(findings: Vec<Finding>, unjudged: &[&'static str]) -> CheckedPair {
        let file = Party::new("net.pt", Role::Artifact, "archive");
        let release = Party::new("torch 2.1.2", Role::Runtime, "release");
        let unjudged = unjudged.iter().map(|aspect| Unjudged::new(*aspect, "why")).collect();
        CheckedPair {
            a: Subject::from_party(&release),
            b: Subject::at("models/net.pt", &file),
            verdict: Verdict::new(findings, Vec::new(), unjudged),
        }
    }

    #[test]
    fn the_strongest_that_was_judged_comes_first() {
        let says = |unjudged: &[&'static str]| pair(Vec::new(), unjudged).sentence();
        assert_eq!(says(&[]), "models/net.pt works with torch 2.1.2.");
        assert_eq!(
            says(&[aspect::BEHAVIOUR]),
            "models/net.pt loads and runs with torch 2.1.2; whether it gives the same results was not judged."
        );
        assert_eq!(
            says(&[aspect::KERNELS]),
            "models/net.pt loads with torch 2.1.2; whether it runs was not judged."
        );
        assert!(says(&[aspect::CONTENTS]).starts_with("models/net.pt is judged only in part with"));
    }

    #[test]
    fn what_fails_says_why() {
        let mut finding = Finding::new(&rules::CO001, "m");
        (finding.severity, finding.phase) = (Severity::Error, Some(Phase::Load));
        assert_eq!(
            pair(vec![finding], &[]).sentence(),
            format!("models/net.pt does not load with torch 2.1.2. {}", rules::CO001.summary)
        );
    }
}
