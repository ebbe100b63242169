//! The walk over the requirements of two parties.

use crate::merge::merged;
use crate::{
    AbsentAxis, Clash, Context, Finding, Judgement, Need, Party, Phase, Places, Promise,
    Requirement, Role, Severity, Unjudged, rules,
};

/// Whether a pair works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It works, and every aspect of it was judged.
    Compatible,
    /// What was judged of it works after these named adaptations, each of which is exact.
    Adaptable(Vec<String>),
    /// Nothing that was judged stands against it, but a part was not judged: [`Verdict::unjudged`] says what.
    Unjudged,
    /// It does not work; the findings say why.
    Incompatible,
    /// The two have nothing to do with each other: a TensorFlow graph and a PyTorch release.
    Unrelated,
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
    /// What was not judged. An incompatible pair has it, too: it says how far the list of findings goes.
    pub unjudged: Vec<Unjudged>,
}

impl Verdict {
    /// The verdict that findings and what was not judged amount to. Findings that say the same are one.
    pub fn new(findings: Vec<Finding>, promises: Vec<Promise>, unjudged: Vec<Unjudged>) -> Self {
        let mut findings = merged(findings);
        findings.sort_by_key(Finding::gravity);
        let errors = || findings.iter().filter(|f| f.severity == Severity::Error);
        let mut names: Vec<String> = errors().filter_map(|f| f.adaptation.clone()).collect();
        names.sort_unstable();
        names.dedup();
        let outcome = if errors().any(|finding| finding.adaptation.is_none()) {
            Outcome::Incompatible
        } else if !names.is_empty() {
            Outcome::Adaptable(names)
        } else if !unjudged.is_empty() {
            Outcome::Unjudged
        } else {
            Outcome::Compatible
        };
        Self { outcome, findings, promises, unjudged }
    }

    /// Whether nothing that was judged stands against the pair, be it through adaptations. Where a part was
    /// not judged, this is no promise: see [`Verdict::unjudged`].
    pub fn works(&self) -> bool {
        matches!(self.outcome, Outcome::Compatible | Outcome::Adaptable(_) | Outcome::Unjudged)
    }

    /// The adaptations through which the pair works.
    pub fn adaptations(&self) -> &[String] {
        match &self.outcome {
            Outcome::Adaptable(names) => names,
            _ => &[],
        }
    }

    /// What the user gets of a pair that works and does not do what it is for, which no word for the outcome says.
    pub fn consequence(&self) -> Option<&'static str> {
        let open = self.findings.iter().filter(|finding| finding.accepted.is_none());
        open.filter_map(|finding| finding.consequence).next().filter(|_| self.works())
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
    let mut walk = VerdictBuilder::default();
    // Two that read artifacts never meet, whatever one of them would ask of an artifact.
    if (a.role, b.role) != (Role::Runtime, Role::Runtime) {
        walk.requirements(a, b, context);
        walk.requirements(b, a, context);
        walk.itself(a, b);
        walk.itself(b, a);
    }
    walk.finish(a, b)
}

#[derive(Default)]
struct VerdictBuilder {
    findings: Vec<Finding>,
    promises: Vec<Promise>,
    unjudged: Vec<Unjudged>,
    answered: bool,
}

impl VerdictBuilder {
    fn requirements(&mut self, owner: &Party, other: &Party, context: &Context) {
        for requirement in &owner.requires {
            match answer(requirement, owner, other, context) {
                Some(judgement) => {
                    self.answered = true;
                    let Judgement { findings, promises, unjudged } = judgement;
                    self.findings.extend(findings.into_iter().map(|f| with_sides(f, owner, other)));
                    self.promises.extend(promises);
                    unjudged.into_iter().for_each(|one| one.merge_into(&mut self.unjudged));
                }
                None if requirement.absent == AbsentAxis::NotChecked => {
                    let (axis, owner, other) = (&requirement.axis, &owner.name, &other.name);
                    let reason = format!("{owner} requires it and {other} does not tell");
                    Unjudged::new(axis.as_str().to_owned(), reason).merge_into(&mut self.unjudged);
                }
                None => {}
            }
        }
    }

    /// What holds for `party` whoever stands opposite: a plug-in that ends on trial ends for every host.
    fn itself(&mut self, party: &Party, other: &Party) {
        for note in party.notes.iter().filter(|_| party.role == Role::Plugin) {
            let known = |f: &Finding| f.rule.code == note.rule.code && f.message == note.message;
            if note.severity == Severity::Error && !self.findings.iter().any(known) {
                self.answered |= matches!(other.role, Role::Host | Role::Runtime);
                self.findings.push(with_sides(note.clone(), party, other));
            }
        }
        party.unjudged.iter().for_each(|one| one.clone().merge_into(&mut self.unjudged));
    }

    fn finish(self, a: &Party, b: &Party) -> Verdict {
        if !self.answered {
            let nothing =
                rules::NothingInCommon { a: &a.name, a_kind: &a.kind, b: &b.name, b_kind: &b.kind };
            return Verdict {
                outcome: Outcome::Unrelated,
                findings: vec![with_sides(nothing.finding(), a, b)],
                promises: Vec::new(),
                unjudged: Vec::new(),
            };
        }
        Verdict::new(self.findings, self.promises, self.unjudged)
    }
}

/// What the other side says to a requirement; none if it does not tell.
fn answer(
    requirement: &Requirement,
    owner: &Party,
    other: &Party,
    context: &Context,
) -> Option<Judgement> {
    let judged = |finding: Option<Finding>| {
        Some(Judgement { findings: finding.into_iter().collect(), ..Judgement::default() })
    };
    if let Need::Matches(matcher) = &requirement.need {
        return matcher.judge(owner, other, context);
    }
    let provision = other.provision(&requirement.axis);
    let (met, found, place) = match (&requirement.need, provision) {
        (Need::Feature(name), _) if other.features.contains(name) => return judged(None),
        (Need::Feature(_), Some(provision)) => (false, provision.versions, &*provision.place),
        (need, Some(provision)) => {
            (need.met_by(provision.versions), provision.versions, &*provision.place)
        }
        (_, None) => return None,
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
    use crate::{Judgement, Matcher, Provision, Role, Version, VersionRange, aspect};

    struct Says(Vec<Finding>);

    impl Matcher for Says {
        fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
            (other.kind == "reader")
                .then(|| Judgement { findings: self.0.clone(), ..Judgement::default() })
        }
    }

    fn today() -> Context {
        Context::for_tests()
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
    fn what_was_not_judged_is_named_and_is_not_compatible() {
        let reader = Party::new("r", Role::Runtime, "reader");
        let need = Need::Within(VersionRange::exactly(Version::number(1)));
        let file = file(vec![]).require(Requirement::new("y", need, |_| finding()));
        let verdict = check(&file, &reader, &today());
        assert_eq!(verdict.outcome, Outcome::Unjudged);
        assert_eq!(verdict.unjudged[0].aspect, "y");
        assert_eq!(verdict.unjudged[0].reason, "f requires it and r does not tell");
    }

    #[test]
    fn what_is_not_judged_about_a_party_is_not_judged_in_any_of_its_pairs() {
        let reader = Party::new("r", Role::Runtime, "reader");
        let unread = Unjudged::new(aspect::DATA, "not verified");
        let verdict = check(&file(vec![]).not_judged(unread.clone()), &reader, &today());
        assert_eq!(verdict.outcome, Outcome::Unjudged);
        let one = finding().with_adaptation("drop attribute");
        let verdict = check(&file(vec![one]).not_judged(unread.clone()), &reader, &today());
        assert_eq!(verdict.outcome, Outcome::Adaptable(vec!["drop attribute".into()]));
        assert_eq!(verdict.unjudged.len(), 1);
        let verdict = check(&file(vec![finding()]).not_judged(unread), &reader, &today());
        assert_eq!(verdict.outcome, Outcome::Incompatible);
        assert_eq!(verdict.unjudged.len(), 1, "how far the findings go is said as well");
    }

    #[test]
    fn an_error_about_a_plugin_is_one_in_every_pair() {
        let plugin = |note: Finding| Party::new("p", Role::Plugin, "plug-in").note(note);
        let host = Party::new("h", Role::Host, "host");
        let verdict = check(&plugin(finding()), &host, &today());
        assert_eq!(verdict.outcome, Outcome::Incompatible);
        assert_eq!(verdict.findings.len(), 1);
        let mild = finding().with_severity(Severity::Warning);
        assert_eq!(check(&plugin(mild), &host, &today()).outcome, Outcome::Unrelated);
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
