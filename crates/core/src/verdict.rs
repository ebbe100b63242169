//! The walk over the requirements of two parties.

use crate::{
    Absent, Axis, Clash, Context, Finding, Need, Party, Phase, Places, Promise, Requirement,
    Severity, rules,
};

/// Whether a pair works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It works.
    Compatible,
    /// It works after these named adaptations, each of which is exact.
    Adaptable(Vec<String>),
    /// It does not work; the findings say why.
    Incompatible,
    /// The two have nothing to do with each other: a TensorFlow graph and a PyTorch release.
    Unrelated,
}

/// A requirement that could not be checked, which is not a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// The axis.
    pub axis: Axis,
    /// Whose requirement it is.
    pub owner: String,
    /// Who does not say what it has.
    pub other: String,
}

/// What is to be said about two parties.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether the pair works.
    pub outcome: Outcome,
    /// Why not, and what else is worth knowing; gravest first.
    pub findings: Vec<Finding>,
    /// Whether its makers promise it.
    pub promises: Vec<Promise>,
    /// What could not be checked.
    pub unchecked: Vec<Unchecked>,
}

impl Verdict {
    /// Whether the pair works, be it through adaptations.
    pub fn works(&self) -> bool {
        matches!(self.outcome, Outcome::Compatible | Outcome::Adaptable(_))
    }

    /// The gravest severity of all findings.
    pub fn severity(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }

    /// The first phase in which something goes wrong, if it does: what fails at load never reaches
    /// its first use.
    pub fn first_failure(&self) -> Option<Phase> {
        let errors = self.findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.filter_map(|finding| finding.phase).min()
    }
}

/// Judges two parties: every requirement of each against what the other provides.
///
/// The outcome does not depend on which of the two comes first.
pub fn check(a: &Party, b: &Party, context: &Context) -> Verdict {
    let mut walk = Walk::default();
    walk.requirements(a, b, context);
    walk.requirements(b, a, context);
    walk.finish(a, b)
}

#[derive(Default)]
struct Walk {
    findings: Vec<Finding>,
    promises: Vec<Promise>,
    unchecked: Vec<Unchecked>,
    answered: bool,
}

impl Walk {
    fn requirements(&mut self, owner: &Party, other: &Party, context: &Context) {
        for requirement in &owner.requires {
            match answer(requirement, owner, other, context) {
                Answer::Judged { findings, promises } => {
                    self.answered = true;
                    self.findings.extend(findings.into_iter().map(|f| with_sides(f, owner, other)));
                    self.promises.extend(promises);
                }
                Answer::Silent if requirement.absent == Absent::NotChecked => {
                    let unchecked = Unchecked {
                        axis: requirement.axis.clone(),
                        owner: owner.name.clone(),
                        other: other.name.clone(),
                    };
                    if !self.unchecked.contains(&unchecked) {
                        self.unchecked.push(unchecked);
                    }
                }
                Answer::Silent => {}
            }
        }
    }

    fn finish(mut self, a: &Party, b: &Party) -> Verdict {
        if !self.answered {
            let nothing =
                rules::NothingInCommon { a: &a.name, a_kind: &a.kind, b: &b.name, b_kind: &b.kind };
            return Verdict {
                outcome: Outcome::Unrelated,
                findings: vec![with_sides(nothing.finding(), a, b)],
                promises: Vec::new(),
                unchecked: Vec::new(),
            };
        }
        self.findings.sort_by_key(Finding::gravity);
        let errors = || self.findings.iter().filter(|f| f.severity == Severity::Error);
        let outcome = if errors().any(|finding| finding.adaptation.is_none()) {
            Outcome::Incompatible
        } else {
            let mut names: Vec<String> = errors().filter_map(|f| f.adaptation.clone()).collect();
            names.sort();
            names.dedup();
            if names.is_empty() { Outcome::Compatible } else { Outcome::Adaptable(names) }
        };
        let Self { findings, promises, unchecked, .. } = self;
        Verdict { outcome, findings, promises, unchecked }
    }
}

enum Answer {
    Judged { findings: Vec<Finding>, promises: Vec<Promise> },
    Silent,
}

fn answer(requirement: &Requirement, owner: &Party, other: &Party, context: &Context) -> Answer {
    let judged = |finding: Option<Finding>| Answer::Judged {
        findings: finding.into_iter().collect(),
        promises: Vec::new(),
    };
    if let Need::Matches(matcher) = &requirement.need {
        return match matcher.judge(owner, other, context) {
            Some(judgement) => {
                Answer::Judged { findings: judgement.findings, promises: judgement.promises }
            }
            None => Answer::Silent,
        };
    }
    let provision = other.provision(&requirement.axis);
    let (met, found, place) = match (&requirement.need, provision) {
        (Need::Feature(name), _) if other.features.contains(name) => return judged(None),
        (Need::Feature(_), Some(provision)) => (false, provision.versions, &*provision.place),
        (need, Some(provision)) => {
            (need.met_by(provision.versions), provision.versions, &*provision.place)
        }
        (_, None) => return Answer::Silent,
    };
    if met {
        return judged(None);
    }
    let clash = Clash { owner, other, found, found_at: place, need: &requirement.need };
    judged(requirement.wording.as_ref().map(|wording| {
        let finding = wording(&clash);
        if finding.places.is_empty() && !place.is_empty() {
            finding.at(Places::from_iter([place]))
        } else {
            finding
        }
    }))
}

/// Fills in the sides that a boundary left out: the artifact or plug-in first, what it meets second.
fn with_sides(mut finding: Finding, owner: &Party, other: &Party) -> Finding {
    let (first, second) = if owner.role <= other.role { (owner, other) } else { (other, owner) };
    finding.subject.get_or_insert_with(|| first.side());
    finding.other.get_or_insert_with(|| second.side());
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Date, Judgement, Matcher, Provision, Role, Version, VersionRange};

    struct Says(Vec<Finding>);

    impl Matcher for Says {
        fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
            (other.kind == "reader")
                .then(|| Judgement { findings: self.0.clone(), promises: Vec::new() })
        }
    }

    fn today() -> Context {
        Context::on(Date::constant(2026, 11, 1))
    }

    fn finding() -> Finding {
        Finding::new(&rules::CO001, "m")
    }

    fn file(findings: Vec<Finding>) -> Party {
        Party::new("f", Role::Artifact, "file").require(Requirement::matches("x", Says(findings)))
    }

    #[test]
    fn strangers_are_unrelated_and_that_is_no_pass() {
        let verdict = check(&file(vec![]), &Party::new("r", Role::Runtime, "other"), &today());
        assert_eq!(verdict.outcome, Outcome::Unrelated);
        assert!(!verdict.works());
        assert_eq!(verdict.findings[0].rule.code, "CO001");
    }

    #[test]
    fn what_could_not_be_checked_is_named() {
        let reader = Party::new("r", Role::Runtime, "reader");
        let need = Need::Within(VersionRange::exactly(Version::number(1)));
        let file = file(vec![]).require(Requirement::new("y", need, |_| finding()));
        let verdict = check(&file, &reader, &today());
        assert_eq!(verdict.outcome, Outcome::Compatible);
        assert_eq!(verdict.unchecked[0].axis, Axis::from("y"));
    }

    #[test]
    fn errors_that_all_have_an_adaptation_leave_the_pair_adaptable() {
        let reader = Party::new("r", Role::Runtime, "reader");
        let one = finding().with_adaptation("drop attribute");
        let verdict = check(&file(vec![one.clone(), one.clone()]), &reader, &today());
        assert_eq!(verdict.outcome, Outcome::Adaptable(vec!["drop attribute".into()]));
        let verdict = check(&file(vec![one, finding()]), &reader, &today());
        assert_eq!(verdict.outcome, Outcome::Incompatible);
    }

    #[test]
    fn what_never_shows_stands_before_what_shows_at_load() {
        let reader = Party::new("r", Role::Runtime, "reader");
        let load = finding().in_phase(Phase::Load);
        let silent = finding().in_phase(Phase::Silent);
        let warning = finding().in_phase(Phase::Silent).with_severity(Severity::Warning);
        let verdict = check(&file(vec![warning, load, silent]), &reader, &today());
        let order: Vec<_> = verdict.findings.iter().map(|f| (f.severity, f.phase)).collect();
        assert_eq!(
            order,
            [
                (Severity::Error, Some(Phase::Silent)),
                (Severity::Error, Some(Phase::Load)),
                (Severity::Warning, Some(Phase::Silent)),
            ]
        );
        assert_eq!(verdict.first_failure(), Some(Phase::Load));
    }

    #[test]
    fn a_clash_names_the_place_of_the_number_it_clashes_with() {
        let need = Need::Within(VersionRange::at_most(Version::number(6)));
        let reader = Party::new("r", Role::Runtime, "reader")
            .require(Requirement::new("v", need, |_| finding()).irrelevant_if_absent());
        let file = Party::new("f", Role::Artifact, "file")
            .provide(Provision::version("v", Version::number(10)).at(".data/version"));
        let verdict = check(&reader, &file, &today());
        assert_eq!(verdict.findings[0].places.named(), [".data/version"]);
        assert_eq!(verdict.findings[0].subject.as_ref().map(|s| &*s.name), Some("f"));
    }
}
