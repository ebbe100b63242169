//! Verdict of a JAX and a file: whether it loads it and takes its arguments, and what is promised about the pair.

use unskew_core::{
    Axis, Context, Finding, Judgement, Matcher, Party, Places, Promise, PromiseState, Role,
    Unjudged, Version, aspect,
};

use crate::jax_reader::{self, JaxReader, KNOWN};
use crate::schema::dtype;
use crate::{AXIS, Exported, format, rules};

/// The first format version with the number of devices in 32 bits.
const WIDE_DEVICES: u64 = 5;
/// The first with shardings by names.
const NAMED_SHARDINGS: u64 = 6;
/// The first with classes in pytrees.
const CLASSES: u64 = 3;

/// The requirement of a file: a JAX that loads it and sees all that is in it.
pub(crate) struct Loading(pub(crate) Exported);

impl Matcher for Loading {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if other.role == Role::Artifact {
            return None;
        }
        let jax = other.provision(&Axis::from(AXIS))?.versions.max?;
        let reader = jax_reader::reader_of_version(jax)?;
        let findings: Vec<Finding> = self.findings(&other.name, reader).into_iter().collect();
        let readable = findings.is_empty();
        let promise = self.promise(other, readable);
        Some(Judgement {
            unjudged: self.unjudged(jax),
            findings,
            promises: promise.into_iter().collect(),
        })
    }
}

impl Loading {
    /// What the reader meets first; it goes no further.
    fn findings(&self, reader_name: &str, reader: &JaxReader) -> Option<Finding> {
        let file = &self.0;
        let stored = file.stored;
        if let Some(accepted) =
            reader.stored.as_ref().filter(|accepted| !accepted.contains(&stored))
        {
            let list: Places = accepted.iter().collect();
            let since = jax_reader::first(|row| {
                row.stored.as_ref().is_none_or(|all| all.contains(&stored))
            });
            let finding = rules::StoredVersionRefused {
                reader: &reader_name,
                stored: &stored,
                accepted: &list,
            }
            .finding()
            .with_symptom(format!("NotImplementedError: deserialize unsupported version {stored}"));
            return Some(match since {
                Some(since) => finding.with_fix(format!(
                    "Use JAX {since} or later, or export with the JAX that is to load the file."
                )),
                None => finding,
            });
        }
        let short = file.devices == 0 && file.devices_short > 0;
        if reader.expired && (short || file.hlo_shardings_only > 0) {
            let until = jax_reader::before(|row| !row.expired);
            let until = until.map_or_else(String::new, |until| until.to_string());
            let old = if short {
                "the number of devices in one byte"
            } else {
                "shardings as messages of XLA"
            };
            return Some(
                rules::Expired { reader: &reader_name, old: &old, until: &until }.finding().with_symptom(
                    "ValueError: Exported being deserialized seems to be older than the 6-month backward-compatibility \
                     window and cannot be deserialized anymore.",
                ),
            );
        }
        let unknown: Vec<u64> =
            file.dtypes.iter().copied().filter(|dtype| *dtype > reader.dtypes).collect();
        if let Some(first) = unknown.first() {
            let names: Places = unknown.iter().map(dtype).collect();
            let since = jax_reader::first(|row| unknown.iter().all(|number| *number <= row.dtypes));
            let since =
                since.map_or_else(|| "a later release".to_owned(), |since| since.to_string());
            return Some(
                rules::UnknownDtype { reader: &reader_name, dtypes: &names, since: &since }
                    .finding()
                    .at(names.clone())
                    .with_symptom(format!("KeyError: {first}")),
            );
        }
        if !file.classes.is_empty() && reader.format < CLASSES {
            let since = jax_reader::first(|row| row.format >= CLASSES);
            let since = since.map_or_else(String::new, |since| since.to_string());
            let classes: Places = file.classes.iter().collect();
            return Some(
                rules::UnknownPytreeNode { reader: &reader_name, classes: &classes, since: &since }
                    .finding()
                    .at(classes.clone()),
            );
        }
        if file.devices > 0 && file.devices_short == 0 && reader.format < WIDE_DEVICES {
            let since = jax_reader::first(|row| row.format >= WIDE_DEVICES);
            let since = since.map_or_else(String::new, |since| since.to_string());
            return Some(
                rules::DevicesNotSeen { reader: &reader_name, devices: &file.devices, since: &since }
                    .finding()
                    .with_symptom("ValueError: Function was exported for 0 devices and is called in a context with 1 devices"),
            );
        }
        let named = file.named_shardings > 0;
        let hidden = named && file.hlo_shardings == 0;
        if hidden && reader.format < NAMED_SHARDINGS {
            let since = jax_reader::first(|row| row.format >= NAMED_SHARDINGS);
            let since = since.map_or_else(String::new, |since| since.to_string());
            return Some(
                rules::ShardingsNotSeen {
                    reader: &reader_name,
                    count: &file.named_shardings,
                    since: &since,
                }
                .finding(),
            );
        }
        None
    }

    /// A file of a later format, or a later JAX, than is known here.
    fn unjudged(&self, jax: Version) -> Vec<Unjudged> {
        let known = format::history().map(unskew_core::History::current);
        let mut all = Vec::new();
        if known.is_some_and(|known| self.0.oldest_format() > known) {
            let why = format!("format version {} is not known here", self.0.oldest_format());
            all.push(Unjudged::new(aspect::CONTENTS, why));
        }
        if jax > KNOWN
            && Version::pair(jax.major(), jax.minor()) > Version::pair(KNOWN.major(), KNOWN.minor())
        {
            let why = format!("what JAX after {KNOWN} reads of these files is not known here");
            all.push(Unjudged::new(aspect::VERSION, why));
        }
        all
    }

    /// What JAX promises, as far as the days are known: a file carries none, but its format was not written before
    /// its own day.
    fn promise(&self, reader: &Party, readable: bool) -> Option<Promise> {
        let policy = format::policy()?;
        let format = self.0.oldest_format();
        let landed = format::history()?.landed(format)?;
        let released = reader.dated?;
        let newer = landed > released;
        let window = if newer { policy.forward.clone()? } else { policy.backward.clone()? };
        let until = window.end(if newer { released } else { landed }, &[]).ok().flatten();
        let inside =
            until.is_some_and(|until| if newer { landed <= until } else { released <= until });
        let (state, what) = match (inside, newer) {
            (true, false) => {
                (PromiseState::Promised, format!("the reader is at most {window} newer"))
            }
            // Written on the day of its format or later: nobody knows how much later.
            (true, true) => (
                PromiseState::Unknown,
                format!(
                    "the reader is older than the format, and the file does not say whether by more than {window}"
                ),
            ),
            (false, false) if readable => (
                PromiseState::Unknown,
                "the file does not say on which day it was written".to_owned(),
            ),
            (false, false) => (
                PromiseState::Expired,
                format!("the reader is more than {window} newer than the format"),
            ),
            (false, true) => (
                PromiseState::NotPromised,
                format!("the reader is more than {window} older than the format"),
            ),
        };
        Some(Promise {
            policy: policy.name.clone(),
            state,
            window: Some(window.to_string()),
            from: Some(if newer { released } else { landed }),
            until,
            statement: format!("file of format version {format}, {}: {what}", reader.name),
            reference: policy.reference.clone(),
        })
    }
}
