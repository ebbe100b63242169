//! Verdict of a reader on the form of a program as text.
//!
//! A text names no version, and its operations have forms only once they are written as bytecode. So it is judged by what
//! [`crate::rewrite`] makes of it for the reader. Whether the reader's own parser takes the text as it is written is
//! another question, which nothing here answers.

use std::sync::Arc;

use unskew_core::{Axis, Context, Judgement, Matcher, Party, Role, Unjudged, aspect};

use unskew_source::Source;

use crate::artifact::Mlir;
use crate::requirements::{CpuBackend, Program};
use crate::rewrite::{self, RewriteOptions};
use crate::text::TextProgram;
use crate::{AXIS, TEXT_AXIS};

/// The requirement of a text: a reader for which its program can be written.
pub(crate) struct TextReading(pub(crate) TextProgram);

impl Matcher for TextReading {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if other.role == Role::Artifact {
            return None;
        }
        let newest = other.provision(&Axis::from(AXIS))?.versions.max?;
        let mut made = Judgement::default();
        match rewrite::plan(&self.0.bytecode, newest, &RewriteOptions::default()) {
            Ok(Some((plan, output))) => {
                made.findings = plan.blockers;
                let output: Arc<dyn Source> = Arc::new(output);
                if let Ok(Some(Mlir::Artifact(artifact))) = Mlir::read(&*output)
                    && made.findings.is_empty()
                {
                    made.unjudged = artifact.unjudged(other);
                    if let Some(backend) = other.capability::<CpuBackend>() {
                        let program = Program::new(&output, &artifact, false);
                        let on_cpu = program.on_cpu(&other.name, *backend, &artifact);
                        made.unjudged.retain(|one| one.aspect != aspect::CUSTOM_CALLS);
                        made.unjudged.extend(on_cpu.unjudged);
                        made.findings.extend(on_cpu.findings);
                    }
                }
            }
            Ok(None) => return None,
            Err(error) => {
                let why = format!("its program cannot be written anew: {error}");
                made.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
            }
        }
        if made.findings.is_empty() && other.provision(&Axis::from(TEXT_AXIS)).is_none() {
            let why = format!("whether {} parses the text as it is written", other.name);
            let remedy = "unskew convert, which makes an artifact of it";
            made.unjudged.push(Unjudged::new(aspect::SYNTAX, why).with_remedy(remedy));
        }
        Some(made)
    }
}
