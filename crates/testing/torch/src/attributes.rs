//! Attributes that modules of `torch.nn` must have in a release.
//!
//! `lab/torch/probes/torch_attributes.py` constructs them and calls them without.

use std::time::Duration;

use serde::Deserialize;

use crate::TorchHost;
use crate::answers::{answers, lines};

/// A class that a release constructed and called.
#[derive(Clone, Debug)]
pub struct ModuleClass {
    /// `torch.nn.modules.activation.GELU`.
    pub name: String,
    /// Those that are simple values.
    pub attributes: Vec<ModuleAttribute>,
}

/// What a release says of an attribute.
#[derive(Clone, Debug, Deserialize)]
pub struct ModuleAttribute {
    /// `approximate`.
    pub name: String,
    /// What the constructor sets, as Python prints it.
    pub value: String,
    /// Whether a call fails without it.
    pub needed: bool,
}

impl TorchHost {
    /// What this release says of the attributes of its modules, for [`module_classes`].
    ///
    /// # Errors
    /// If it cannot be run, or ends before it is through.
    pub fn module_attributes(&self, limit: Duration) -> anyhow::Result<String> {
        answers(&mut self.probe("torch_attributes.py"), limit)
    }
}

/// The classes that a release told of.
///
/// # Errors
/// If the text is not what [`TorchHost::module_attributes`] gives.
pub fn module_classes(text: &str) -> anyhow::Result<Vec<ModuleClass>> {
    #[derive(Deserialize)]
    struct Detail {
        class: Option<String>,
        attributes: Vec<ModuleAttribute>,
    }
    let mut all = Vec::new();
    for line in lines(text) {
        let detail: Detail = serde_json::from_str(&line?.detail)?;
        if let Some(name) = detail.class {
            all.push(ModuleClass { name, attributes: detail.attributes });
        }
    }
    Ok(all)
}
