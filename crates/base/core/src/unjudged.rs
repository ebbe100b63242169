//! Parts that nobody looked at. They are part of every verdict, and no pass.

use std::borrow::Cow;

use crate::{Places, VerdictQuestion};

/// The names of aspects. Scripts and policies ask for them by these words.
pub mod aspect {
    /// Whether the runtime has a kernel for each operator, type and device.
    pub const KERNELS: &str = "kernels";
    /// Whether operators whose history of behaviour is not measured give the same result.
    pub const BEHAVIOUR: &str = "behaviour";
    /// Code of the other side that runs the artifact, and differs between releases.
    pub const CODE: &str = "code";
    /// Stored data: tensors whose checksums were not verified.
    pub const DATA: &str = "data";
    /// Custom calls whose handlers come from elsewhere.
    pub const CUSTOM_CALLS: &str = "custom calls";
    /// Packed and custom classes, whose code is not in the file.
    pub const CLASSES: &str = "packed classes";
    /// Quantized operators and their packed weights.
    pub const QUANTIZED: &str = "quantized operators";
    /// A plug-in that was not run.
    pub const PLUGIN: &str = "plug-in";
    /// Contents of a kind that no reader here knows.
    pub const CONTENTS: &str = "contents";
    /// A release that is judged by the facts of another, or a package beside it of which no version is known.
    pub const VERSION: &str = "version";

    /// How a text is written, which each release parses in its own way.
    pub const SYNTAX: &str = "syntax";

    /// The aspects that are not judged for whole families of artifacts, whatever the artifact: a policy that
    /// refused them would refuse every artifact of the family.
    pub const COMMON: &[&str] = &[KERNELS, BEHAVIOUR, CODE, DATA, SYNTAX];
}

/// An aspect of a pair that was not judged, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged {
    /// What was not looked at: one of [`aspect`], or the axis on which one side requires something and the other
    /// does not tell what it has.
    pub aspect: Cow<'static, str>,
    /// Why not, in one sentence.
    pub reason: String,
    /// The command or the option that has it judged, if there is one.
    pub remedy: Option<String>,
    /// Where in the artifact, and how often.
    pub places: Places,
}

impl Unjudged {
    /// An aspect without places.
    pub fn new(aspect: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Self {
        let (aspect, reason) = (aspect.into(), reason.into());
        Self { aspect, reason, remedy: None, places: Places::default() }
    }

    /// With the places in the artifact that were not looked at.
    #[must_use]
    pub fn at(mut self, places: Places) -> Self {
        self.places = places;
        self
    }

    /// With the command or the option that has it judged.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Whether the aspect is one of [`aspect::COMMON`].
    pub fn is_common(&self) -> bool {
        aspect::COMMON.contains(&&*self.aspect)
    }

    /// The first question that stays open because of it. What is not known by name decides whether it loads.
    pub fn question(&self) -> VerdictQuestion {
        match &*self.aspect {
            aspect::KERNELS | aspect::CODE | aspect::CUSTOM_CALLS | aspect::QUANTIZED => {
                VerdictQuestion::Runs
            }
            aspect::BEHAVIOUR | aspect::DATA => VerdictQuestion::MeansTheSame,
            _ => VerdictQuestion::Loads,
        }
    }

    /// Adds this aspect to `all`; what stands there with the same reason gets the places as well.
    pub(crate) fn merge_into(self, all: &mut Vec<Self>) {
        let same = |one: &&mut Self| one.aspect == self.aspect && one.reason == self.reason;
        match all.iter_mut().find(same) {
            Some(one) => one.places.extend(&self.places),
            None => all.push(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_reason_stands_once_with_all_places() {
        let at = |place: &str| {
            Unjudged::new(aspect::KERNELS, "no table").at([place].into_iter().collect())
        };
        let mut all = Vec::new();
        at("a").merge_into(&mut all);
        at("b").merge_into(&mut all);
        Unjudged::new(aspect::DATA, "not verified").merge_into(&mut all);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].places.count(), 2);
    }
}
