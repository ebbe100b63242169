//! The names that one file looks up.

use std::collections::BTreeSet;

/// What a file looks up in Python packages. A capability of its party.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassNames {
    /// Each as `module.name`.
    pub names: BTreeSet<String>,
    /// Who looks them up, which decides the words of the error.
    pub asked_by: NameLookup,
}

/// Says of a party that the models which its classes keep in formats of their own are judged, too. A capability of it.
#[derive(Clone, Copy, Debug)]
pub struct ModelsAreJudged;

/// How the names of a file are looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameLookup {
    /// By `pickle`: the module is imported, and asked for the name.
    #[default]
    Pickle,
    /// By `DiffusionPipeline.from_pretrained`: `getattr(diffusers, name)`.
    Diffusers,
    /// By `SentenceTransformer(…)`: the module is imported, and asked for the name.
    SentenceTransformers,
    /// By `datasets`: in its table of types of features.
    Datasets,
}

impl NameLookup {
    /// What is printed where a class is missing.
    pub(crate) fn class_missing(self, module: &str, name: &str) -> String {
        match self {
            Self::Pickle => format!("Can't get attribute '{name}' on <module '{module}'"),
            Self::Diffusers => format!("module diffusers has no attribute {name}"),
            Self::SentenceTransformers => {
                format!("Module \"{module}\" does not define a \"{name}\" attribute/class")
            }
            Self::Datasets => format!("Feature type '{name}' not found."),
        }
    }
}

impl ClassNames {
    /// What a pickle looks up.
    pub fn of_pickle(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect(), asked_by: NameLookup::Pickle }
    }
}
