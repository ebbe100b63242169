//! The program of an artifact, for as long as its party lives.

use std::sync::{Arc, OnceLock};

use unskew_core::{Judgement, Unjudged, aspect};
use unskew_source::{BytesSource, Source, SourceExt as _};

use super::gather::{CompilerDemands, gather};
use super::{Compiler, CpuBackend, cpu, judge};
use crate::artifact::PortableArtifact;
use crate::features::FeatureKind;
use crate::module::Module;

/// The largest program that is kept, and handed to a plug-in as a whole, in bytes. Of a larger one only the questions are
/// kept; an open file for each of thousands of models would be too many.
const KEPT: u64 = 1 << 20;

/// The largest program of which the questions are read, in bytes.
const READ: u64 = 1 << 30;

/// What is left of a program after its file was read.
pub(crate) struct Program {
    whole: Option<Vec<u8>>,
    asks: OnceLock<Result<CompilerDemands, String>>,
    is_exported: bool,
}

impl Program {
    pub(crate) fn new(
        source: &Arc<dyn Source>,
        artifact: &PortableArtifact,
        is_exported: bool,
    ) -> Self {
        let size = source.size();
        let small = (size <= KEPT).then(|| source.bytes(0, size).ok()).flatten();
        let asks = OnceLock::new();
        // A program that is not kept is read now, if something of it may be asked.
        if small.is_none() {
            let _ = asks.set(match size <= READ {
                true => read(source, artifact),
                false => Err("the program is too large to be read for it".to_owned()),
            });
        }
        Self { whole: small, asks, is_exported }
    }

    /// What the compiler of the plug-in of this name makes of it; none if versions tell all.
    pub(crate) fn judge(
        &self,
        reader: &str,
        compiler: &Compiler,
        artifact: &PortableArtifact,
    ) -> Option<Judgement> {
        let whole = self.whole.as_deref();
        match self.asks(artifact) {
            Ok(asks) if asks.is_empty() => None,
            Ok(asks) => Some(judge::judge(asks, whole, compiler, reader, self.is_exported)),
            Err(cause) => Some(unread(cause)),
        }
    }

    /// What the CPU backend of the JAX of this name makes of it.
    pub(crate) fn on_cpu(
        &self,
        reader: &str,
        backend: CpuBackend,
        artifact: &PortableArtifact,
    ) -> Judgement {
        match self.asks(artifact) {
            Ok(asks) => cpu::judge(asks, backend, reader),
            Err(cause) => unread(cause),
        }
    }

    fn asks(&self, artifact: &PortableArtifact) -> &Result<CompilerDemands, String> {
        self.asks.get_or_init(|| {
            let bytes = self.whole.as_deref().unwrap_or_default().to_vec();
            let source: Arc<dyn Source> = Arc::new(BytesSource::new("program", bytes));
            read(&source, artifact)
        })
    }
}

fn unread(cause: &str) -> Judgement {
    let why = format!("what it asks of the compiler could not be read: {cause}");
    let unjudged = vec![Unjudged::new(aspect::CONTENTS, why)];
    Judgement { unjudged, ..Judgement::default() }
}

fn read(source: &Arc<dyn Source>, artifact: &PortableArtifact) -> Result<CompilerDemands, String> {
    let others = artifact.features.iter().any(|feature| feature.kind == FeatureKind::Dialect);
    let module = Module::read(source).map_err(|error| error.to_string())?;
    Ok(gather(&module, others))
}
