//! Model of a report.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{
    Context, Conversion, Finding, Outcome, Party, Severity, Side, Unjudged, Verdict,
};

use crate::Tally;
use crate::sentence::Sentence;

/// One side of a pair as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The path by which the user named it; none for a release.
    pub path: Option<String>,
    /// Name, role and origin, as findings print them.
    pub side: Side,
}

impl Subject {
    /// A party that has no path: a release.
    pub fn from_party(party: &Party) -> Self {
        Self { path: None, side: party.side() }
    }

    /// A party that came from `path`.
    pub fn at(path: impl Into<String>, party: &Party) -> Self {
        Self { path: Some(path.into()), side: party.side() }
    }

    /// The path if there is one, else the name.
    pub fn label(&self) -> &str {
        self.path.as_deref().unwrap_or(&self.side.name)
    }
}

/// One pair that was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedPair {
    /// The side that was checked: `A` of `unskew check A --with B`.
    pub a: Subject,
    /// The side that it was checked against.
    pub b: Subject,
    /// What is to be said about them.
    pub verdict: Verdict,
}

impl CheckedPair {
    /// The path in which `finding` was found: that of the side it is about, or of the only side
    /// that has one.
    pub fn place_of(&self, finding: &Finding) -> &str {
        let about = |subject: &&Subject| {
            finding.subject.as_ref().is_some_and(|side| side.name == subject.side.name)
        };
        self.with_path().find(about).map_or_else(|| self.place(), Subject::label)
    }

    /// The path of the pair: that of the first side that has one.
    pub fn place(&self) -> &str {
        self.with_path().next().unwrap_or(&self.a).label()
    }

    fn with_path(&self) -> impl Iterator<Item = &Subject> {
        [&self.a, &self.b].into_iter().filter(|subject| subject.path.is_some())
    }

    /// The verdict in a few words: `incompatible at load`.
    pub fn outcome(&self) -> String {
        let outcome = self.outcome_alone();
        match self.verdict.consequence() {
            Some(consequence) => format!("{outcome}, but {consequence}"),
            None => outcome,
        }
    }

    fn outcome_alone(&self) -> String {
        match &self.verdict.outcome {
            Outcome::Compatible => "compatible".to_owned(),
            Outcome::Adaptable(names) => {
                let far = if self.verdict.unjudged.is_empty() { "" } else { ", as far as judged" };
                format!("compatible after: {}{far}", names.join(", "))
            }
            Outcome::Unjudged => Sentence::new(&self.verdict, &self.a.side, &self.b.side).alone(),
            Outcome::Unrelated => "nothing in common".to_owned(),
            Outcome::Incompatible if let Some(how) = how(&self.verdict) => {
                format!("incompatible, {how}")
            }
            Outcome::Incompatible => match self.verdict.first_failure() {
                Some(unskew_core::Phase::Load) => "incompatible, fails at load".to_owned(),
                Some(unskew_core::Phase::FirstUse) => "incompatible, fails at first use".to_owned(),
                Some(unskew_core::Phase::Silent) => "incompatible, fails silently".to_owned(),
                None => "incompatible".to_owned(),
            },
        }
    }
}

/// In which way all that breaks does, if that is said in one way of all of it: `as the raised major allows`.
fn how(verdict: &unskew_core::Verdict) -> Option<&'static str> {
    let open = verdict.findings.iter().filter(|finding| finding.accepted.is_none());
    let errors = || open.clone().filter(|one| one.severity == unskew_core::Severity::Error);
    let said = |one: &unskew_core::Finding| one.consequence;
    let how = errors().chain(open.clone()).find_map(said)?;
    errors().all(|one| one.consequence == Some(how)).then_some(how)
}

/// One party that was looked at.
#[derive(Clone, Debug)]
pub struct Look {
    /// The path by which the user named it, with the member after a `!` if it lies in an archive.
    pub path: String,
    /// What the file provides and requires.
    pub party: Arc<Party>,
}

/// One artifact that was to be converted.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversionReport {
    /// The path of the artifact.
    pub from: String,
    /// The target release: `torch@1.4.0`.
    pub to: String,
    /// What is done to it, and what stands in the way.
    pub plan: Conversion,
    /// Where the result stands; none if nothing was written.
    pub written: Option<Written>,
}

/// A result that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file or folder.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

/// What could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailure {
    /// The path, or the release, as the user named it.
    pub path: String,
    /// Why not, with the whole chain of causes.
    pub message: String,
}

/// Where in a text file a finding stands, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The line.
    pub line: u32,
    /// The column, in characters; none if nobody looked at the line.
    pub column: Option<u32>,
}

/// The line of `path` in which a finding stands, if its first place says so: `api.h:12` for `include/api.h`.
pub fn line(path: &str, finding: &Finding) -> Option<u32> {
    let (name, line) = finding.places.named().first()?.rsplit_once(':')?;
    let folder = path.strip_suffix(name).filter(|_| !name.is_empty())?;
    let whole = folder.is_empty() || folder.ends_with(['/', '\\']);
    whole.then(|| line.parse().ok()).flatten()
}

/// Everything that one call has to say.
#[derive(Clone, Debug)]
pub struct Report {
    /// The day on which promises were judged.
    pub context: Context,
    /// The pairs that were checked.
    pub pairs: Vec<CheckedPair>,
    /// The parties that were looked at.
    pub looks: Vec<Look>,
    /// The artifacts that were to be converted; the verdict on a result is one of the pairs.
    pub conversions: Vec<ConversionReport>,
    /// What could not be read.
    pub failures: Vec<ReadFailure>,
    /// Whether text shows every finding of a rule, instead of the first ones.
    pub verbose: bool,
    /// Where findings stand in text files, by the path and the first place of a finding. What is not here has the line
    /// that its place says.
    pub locations: BTreeMap<(String, String), Location>,
}

impl Report {
    /// A report without pairs; `context` has the day of the verdicts.
    pub fn new(context: Context) -> Self {
        Self {
            context,
            pairs: Vec::new(),
            looks: Vec::new(),
            conversions: Vec::new(),
            failures: Vec::new(),
            verbose: false,
            locations: BTreeMap::new(),
        }
    }

    /// Where in the file at `path` a finding stands, as far as that is known.
    pub fn location(&self, path: &str, finding: &Finding) -> Option<Location> {
        let known = finding
            .places
            .named()
            .first()
            .and_then(|place| self.locations.get(&(path.to_owned(), place.clone())).copied());
        known.or_else(|| line(path, finding).map(|line| Location { line, column: None }))
    }

    /// All findings with the path in which each was found.
    pub fn findings(&self) -> impl Iterator<Item = (&str, &Finding)> {
        let of_pairs = self
            .pairs
            .iter()
            .flat_map(|pair| pair.verdict.findings.iter().map(|f| (pair.place_of(f), f)));
        let of_looks =
            self.looks.iter().flat_map(|look| look.party.notes.iter().map(|f| (&*look.path, f)));
        let of_conversions = self
            .conversions
            .iter()
            .flat_map(|one| one.plan.blockers.iter().map(|f| (&*one.from, f)));
        of_conversions.chain(of_pairs).chain(of_looks)
    }

    /// What was not judged, with the path that it is about: of pairs, and of parties that were looked at.
    pub fn unjudged(&self) -> impl Iterator<Item = (&str, &Unjudged)> {
        let of_pairs = self.pairs.iter().map(|pair| (pair.place(), &pair.verdict.unjudged));
        let of_looks = self.looks.iter().map(|look| (&*look.path, &look.party.unjudged));
        of_pairs.chain(of_looks).flat_map(|(path, all)| all.iter().map(move |one| (path, one)))
    }

    /// How many findings of each severity there are, without those that are accepted.
    pub fn tally(&self) -> Tally {
        self.findings().map(|(_, finding)| finding).collect()
    }

    /// The gravest severity of all findings that are not accepted.
    pub fn severity(&self) -> Option<Severity> {
        let counted = self.findings().filter(|(_, finding)| finding.accepted.is_none());
        counted.map(|(_, finding)| finding.severity).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_core::{Places, rules};

    #[test]
    fn a_place_in_the_file_itself_has_a_line() {
        let at = |place: &str| Finding::new(&rules::CO001, "m").at(Places::from_iter([place]));
        assert_eq!(line("include/api.h", &at("api.h:12")), Some(12));
        assert_eq!(line("include/my_api.h", &at("api.h:12")), None);
        assert_eq!(line("include/api.h", &at("api.h:12 (before)")), None);
        assert_eq!(line("net.pt", &at("node:3")), None);
    }
}
