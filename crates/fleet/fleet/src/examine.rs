//! From an artifact and a runtime to an answer: the same `check` and `convert` as the command's own.

use std::cmp::Reverse;
use std::sync::Arc;

use unskew_artifact::{Content, ConvertOptions, OpenOptions, convert_content};
use unskew_core::{Context, Date, Party, Verdict, check};
use unskew_source::ConvertedArtifact;

use crate::answer::{ArtifactAnswer, Attempt, Compatibility, StandIn, VerdictRecord};
use crate::{BlobStore, Digest, FleetError, Runtime};

/// Two days so far apart that every window that closes or opens does so between them.
const EXTREMES: [Date; 2] = [Date::constant(1980, 1, 1), Date::constant(2200, 1, 1)];

/// An artifact that was opened to be held against runtimes. Plug-ins are only read: nothing that was
/// uploaded is ever run.
pub(crate) struct Examined {
    content: Content,
    parties: Result<Vec<Arc<Party>>, String>,
}

/// An answer, and the day for which it holds if it does not hold for every day.
pub(crate) struct Given {
    pub(crate) answer: ArtifactAnswer,
    pub(crate) day: Option<Date>,
}

/// What a conversion made.
pub(crate) struct Made {
    pub(crate) attempt: Attempt,
    /// The result, which lies nowhere yet.
    pub(crate) output: Option<ConvertedArtifact>,
    /// Whether the day makes no difference.
    pub(crate) always: bool,
}

impl Examined {
    /// Opens an artifact of the depot, of the kind that the ending of `name` tells.
    pub(crate) fn open(depot: &BlobStore, digest: &Digest, name: &str) -> Result<Self, FleetError> {
        Ok(Self::new(depot.content(digest, &StandIn::for_name(name))?))
    }

    pub(crate) fn new(content: Content) -> Self {
        let parties = content.parties(&OpenOptions::default()).map_err(|error| error.to_string());
        Self { content, parties }
    }

    pub(crate) fn content(&self) -> &Content {
        &self.content
    }

    /// What `runtime` says to it, and with a depot also what a conversion with these options makes of it, which is put
    /// there.
    pub(crate) fn answer(
        &self,
        runtime: &Runtime,
        context: &Context,
        conversion: Option<(&BlobStore, &ConvertOptions)>,
    ) -> Result<Given, FleetError> {
        let (as_is, mut always) = match self.as_is(runtime, context) {
            Ok(said) => said,
            Err(error) => {
                let answer =
                    ArtifactAnswer { as_is: nothing(), converted: Some(Attempt::failed(error)) };
                return Ok(Given { answer, day: None });
            }
        };
        let mut converted = None;
        if let Some((depot, options)) = conversion
            && as_is.may_be_converted()
        {
            let Made { mut attempt, output, always: same } = self.made(runtime, context, options);
            if let Some(output) = output {
                let stored = depot.add_output(&output)?;
                (attempt.result, attempt.size) = (Some(stored.digest), Some(stored.size));
            }
            always &= same;
            converted = Some(attempt);
        }
        let day = (!always).then_some(context.as_of);
        Ok(Given { answer: ArtifactAnswer { as_is, converted }, day })
    }

    /// What `runtime` says to it as it is, and whether the day makes no difference.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn as_is(
        &self,
        runtime: &Runtime,
        context: &Context,
    ) -> Result<(VerdictRecord, bool), String> {
        match &self.parties {
            Ok(parties) => Ok(judge(parties, runtime, context)),
            Err(error) => Err(error.clone()),
        }
    }

    /// What a conversion makes of it. There is a result only if the runtime takes it.
    pub(crate) fn made(
        &self,
        runtime: &Runtime,
        context: &Context,
        options: &ConvertOptions,
    ) -> Made {
        let only = |attempt| Made { attempt, output: None, always: true };
        let made =
            match convert_content(&self.content, &runtime.party, &runtime.profile.name, options) {
                Ok(made) => made,
                Err(error) => return only(Attempt::failed(error.to_string())),
            };
        let mut attempt = Attempt::from(&made.plan);
        if !made.plan.is_possible() || made.plan.changes_nothing() {
            return only(attempt);
        }
        let parties: Vec<Arc<Party>> = match made.parties(&OpenOptions::default()) {
            Ok(parties) => parties.into_iter().map(Arc::new).collect(),
            Err(error) => {
                attempt.error = Some(format!("the result cannot be read: {error}"));
                return only(attempt);
            }
        };
        let (verdict, always) = judge(&parties, runtime, context);
        let fits = matches!(verdict.outcome, Compatibility::Compatible | Compatibility::Unjudged);
        let output = fits.then_some(made.output);
        attempt.verdict = Some(verdict);
        Made { attempt, output, always }
    }
}

impl VerdictRecord {
    pub(crate) fn may_be_converted(&self) -> bool {
        matches!(self.outcome, Compatibility::Adaptable | Compatibility::Incompatible)
    }
}

/// Judges the parts of an artifact as one, and says whether the day of the question makes no difference.
fn judge(parties: &[Arc<Party>], runtime: &Runtime, context: &Context) -> (VerdictRecord, bool) {
    let on = |day: Date| {
        let context = Context::on(day);
        let verdict = |party: &Arc<Party>| check(party, &runtime.party, &context);
        parties.iter().map(verdict).collect::<Vec<Verdict>>()
    };
    let now = on(context.as_of);
    let always = EXTREMES.iter().all(|day| on(*day) == now);
    (together(&now), always)
}

/// The verdicts on the parts of an artifact as one: what concerns none of the parts but one says nothing, and the
/// worst of the others counts.
fn together(verdicts: &[Verdict]) -> VerdictRecord {
    let all: Vec<VerdictRecord> = verdicts.iter().map(VerdictRecord::from).collect();
    let related = || all.iter().filter(|one| one.outcome != Compatibility::Unrelated);
    let grave = |one: &&VerdictRecord| match one.outcome {
        Compatibility::Compatible => 0,
        Compatibility::Unjudged => 1,
        Compatibility::Adaptable => 2,
        Compatibility::Incompatible => 3,
        Compatibility::Unrelated => 4,
    };
    let Some(worst) = related().max_by_key(grave) else {
        return all.into_iter().next().unwrap_or_else(nothing);
    };
    let mut whole = VerdictRecord { outcome: worst.outcome, ..nothing() };
    for one in related() {
        whole.findings.extend(one.findings.iter().cloned());
        whole.promises.extend(one.promises.iter().cloned());
        whole.unjudged.extend(one.unjudged.iter().cloned());
        whole.first_failure = whole.first_failure.into_iter().chain(one.first_failure).min();
    }
    whole.findings.sort_by_key(|one| Reverse(one.severity));
    whole
}

/// A verdict on something in which there is nothing to judge.
pub(crate) fn nothing() -> VerdictRecord {
    VerdictRecord {
        outcome: Compatibility::Unrelated,
        first_failure: None,
        findings: Vec::new(),
        promises: Vec::new(),
        unjudged: Vec::new(),
    }
}
