//! Verdict of a JAX, or a plug-in, and a cache.

use std::sync::Arc;

use unskew_core::{
    Axis, Context, Finding, Judgement, Matcher, Party, Places, Role, Unjudged, Version, aspect,
};

use crate::cache::{Cache, CacheItem, EntryStatus};
use crate::party::releases;
use crate::writers::{ACCESS_TIME_OPTIONAL, JaxlibWriter, writer};
use crate::{AXIS, rules};

/// The aspect of keys, which cannot be asked for without the program.
const KEYS: &str = "keys";

/// What a JAX looks up.
pub(crate) struct Lookup(pub(crate) Arc<Cache>);

impl Matcher for Lookup {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if other.role == Role::Artifact {
            return None;
        }
        let jax = other.provision(&Axis::from(AXIS))?.versions.max?;
        let Some(writer) = writer(jax) else {
            let why = format!("what the jaxlib of {} writes is not known here", other.name);
            let unjudged = vec![Unjudged::new(aspect::VERSION, why)];
            return Some(Judgement { unjudged, ..Judgement::default() });
        };
        Some(self.with(&other.name, jax, writer))
    }
}

impl Lookup {
    fn with(&self, reader: &str, jax: Version, writer: &JaxlibWriter) -> Judgement {
        let cache = &*self.0;
        let state = |item: &CacheItem| item.state(jax, writer, cache.folder.as_deref());
        let of = |wanted: EntryStatus| cache.items.iter().filter(move |item| state(item) == wanted);
        let names = |wanted: EntryStatus| of(wanted).map(|item| &item.file).collect::<Places>();
        let (all, lib) = (cache.items.len(), writer.version);
        let mut findings = Vec::new();
        let stale = names(EntryStatus::Stale);
        // A cache that was moved may be mounted where it was made.
        let unused = stale.count() + of(EntryStatus::Broken).count();
        if !stale.is_empty() {
            let count = stale.count();
            let by = written_by(of(EntryStatus::Stale));
            let finding = rules::WrittenByAnotherJaxlib {
                count: &count,
                all: &all,
                by: &by,
                reader: &reader,
                own: &lib,
            };
            findings.push(finding.finding().at(stale));
        }
        let moved = names(EntryStatus::Moved);
        if let Some(folder) =
            of(EntryStatus::Moved).find_map(|item| item.entry.as_ref().ok()?.folder())
        {
            let count = moved.count();
            let finding = rules::MadeInAnotherFolder {
                count: &count,
                all: &all,
                folder: &folder,
                reader: &reader,
            };
            findings.push(finding.finding().at(moved));
        }
        findings.extend(self.without_access_time(reader, jax));
        let mut unjudged = Vec::new();
        let candidates = names(EntryStatus::Candidate);
        if !candidates.is_empty() {
            let by = written_by(of(EntryStatus::Candidate));
            let why = format!(
                "{} of {all} entries, written by {by}: {reader} takes one if its program, options, XLA_FLAGS, devices, \
                 platform and compression give this key",
                candidates.count()
            );
            unjudged.push(Unjudged::new(KEYS, why).at(candidates));
        }
        let open = names(EntryStatus::Open);
        if all > 0 && unused == all {
            let none = rules::NothingIsReused { all: &all, reader: &reader };
            findings.push(none.finding().with_consequence("every program is compiled again"));
        }
        if !open.is_empty() {
            let why = "these entries do not say who wrote them, or are too large to be looked at";
            unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(open));
        }
        Judgement { findings, unjudged, ..Judgement::default() }
    }

    /// Entries without an access time among others that have one: a JAX with a limit of size was at work here.
    fn without_access_time(&self, reader: &str, jax: Version) -> Option<Finding> {
        let items = || self.0.items.iter().filter(|item| item.suffixed);
        let bounded = self.0.lock || items().any(|item| item.has_access_time);
        let without: Places =
            items().filter(|item| !item.has_access_time).map(|item| &item.file).collect();
        if !bounded
            || without.is_empty()
            || jax >= ACCESS_TIME_OPTIONAL
            || jax < crate::writers::SUFFIXED
        {
            return None;
        }
        let count = without.count();
        Some(rules::NoAccessTime { count: &count, reader: &reader }.finding().at(without))
    }
}

/// Who wrote some entries, in words.
fn written_by<'i>(items: impl Iterator<Item = &'i CacheItem>) -> String {
    let mut versions: Vec<Version> = items.filter_map(CacheItem::writers).flatten().collect();
    versions.sort_unstable();
    versions.dedup();
    match &versions[..] {
        [one, other] => format!("jaxlib {one} or {other}"),
        all => releases(all),
    }
}

/// What a plug-in takes of a cache: JAX asks it only for what it compiled itself, and what that is stands in no entry.
pub(crate) struct Plugin(pub(crate) Arc<Cache>);

impl Matcher for Plugin {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if other.role != Role::Plugin {
            return None;
        }
        let why =
            "which plug-in compiled an entry is hashed into its key, and stands nowhere in it";
        let whole: Places =
            self.0.items.iter().filter(|item| item.entry.is_ok()).map(|item| &item.file).collect();
        let unjudged = vec![Unjudged::new(aspect::PLUGIN, why).at(whole)];
        Some(Judgement { unjudged, ..Judgement::default() })
    }
}
