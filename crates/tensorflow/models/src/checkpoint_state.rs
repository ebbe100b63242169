//! The file `checkpoint` that a saver leaves in a folder: text that names the newest of its checkpoints.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, aspect};
use unskew_source::{ReadError, Source, SourceExt as _};

use crate::TensorFlowRuntime;
use crate::runtime::CHECKPOINT_AXIS;

/// The name that every saver gives it, if it is told none.
const NAME: &str = "checkpoint";

/// The field that names the newest checkpoint; the others name older ones and times.
const NEWEST: &str = "model_checkpoint_path:";

/// The most of it that is read; it has a line for each checkpoint that is kept.
const LONGEST: u64 = 1 << 20;

/// What such a file says. A capability of its party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckpointState {
    /// The newest checkpoint, as it is written: relative to the folder, or from the root.
    pub(crate) newest: String,
}

impl CheckpointState {
    /// What `source` says; none if it is no such file.
    pub(crate) fn read(source: &dyn Source) -> Result<Option<Self>, ReadError> {
        let path = source.name();
        if path.rsplit(['/', '\\', '!']).next() != Some(NAME) {
            return Ok(None);
        }
        let text = source.head(LONGEST)?;
        let text = String::from_utf8_lossy(&text);
        let newest = text.lines().find_map(|line| line.trim().strip_prefix(NEWEST));
        Ok(newest.and_then(quoted).map(|newest| Self { newest }))
    }

    /// The names of the files that the checkpoint may begin with, relative to the folder; none if it is elsewhere.
    pub(crate) fn files(&self) -> Option<[String; 2]> {
        let elsewhere = self.newest.starts_with(['/', '\\'])
            || self.newest.contains(':')
            || self.newest.split(['/', '\\']).any(|part| part == "..");
        (!elsewhere).then(|| [format!("{}.index", self.newest), self.newest.clone()])
    }

    /// The file as a party, which asks nothing of a release.
    pub(crate) fn party(self) -> Party {
        let newest = self.shown();
        Party::new(NAME, Role::Artifact, "checkpoint state file")
            .fact("newest checkpoint", newest)
            .with_capability(Arc::new(self))
    }

    /// The same while nobody has looked at what it names.
    pub(crate) fn unseen(self) -> Party {
        self.party().require(Requirement::matches(CHECKPOINT_AXIS, UnreadCheckpoint))
    }

    /// The newest checkpoint without anything that a terminal would act on.
    pub(crate) fn shown(&self) -> String {
        self.newest.chars().filter(|one| !one.is_control()).take(256).collect()
    }
}

/// What stands between quotes, with what is escaped by a backslash.
fn quoted(text: &str) -> Option<String> {
    let mut letters = text.trim().strip_prefix('"')?.chars();
    let mut value = String::new();
    loop {
        match letters.next()? {
            '"' => return Some(value),
            '\\' => value.push(letters.next()?),
            letter => value.push(letter),
        }
    }
}

/// The checkpoint that it names lies elsewhere.
struct UnreadCheckpoint;

impl Matcher for UnreadCheckpoint {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        other.capability::<TensorFlowRuntime>()?;
        let why = "the checkpoint that it names is elsewhere and was not looked at";
        let unjudged = vec![Unjudged::new(aspect::CONTENTS, why)];
        Some(Judgement { unjudged, ..Judgement::default() })
    }
}

#[cfg(test)]
mod tests {
    use unskew_source::BytesSource;

    use super::*;

    fn said(name: &str, text: &str) -> Option<CheckpointState> {
        CheckpointState::read(&BytesSource::new(name, text.as_bytes().to_vec())).unwrap()
    }

    #[test]
    fn the_newest_checkpoint_is_read_and_what_lies_elsewhere_is_not_looked_for() {
        let text = "model_checkpoint_path: \"model.ckpt-10\"\nall_model_checkpoint_paths: \"model.ckpt-5\"\n";
        let state = said("run/checkpoint", text).unwrap();
        assert_eq!(state.newest, "model.ckpt-10");
        assert_eq!(state.files().unwrap()[0], "model.ckpt-10.index");
        for path in ["/tmp/model.ckpt", "../a", "a/../../b", "C:/x", "gs://a/b"] {
            let state = said("checkpoint", &format!("model_checkpoint_path: \"{path}\"")).unwrap();
            assert_eq!(state.files(), None, "{path}");
        }
        assert_eq!(said("checkpoint", "{}"), None);
        assert_eq!(said("checkpoint", "model_checkpoint_path: \"cut"), None);
        assert_eq!(said("other", text), None);
    }
}
