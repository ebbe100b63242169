//! Programs of StableHLO in graphs of TensorFlow: what `jax2tf` writes into the op `XlaCallModule`.

use std::sync::Arc;

use unskew_core::{
    Axis, Context, Finding, Judgement, Matcher, Party, Phase, Requirement, Role, Severity,
    Unjudged, aspect, check,
};
use unskew_source::{ReadError, Slice, Source};
use unskew_tensorflow::read::embedded_programs;
use unskew_tensorflow::{CallModuleSupport, GraphFile};

/// The party of a file of TensorFlow's, with the programs in it.
pub(super) fn read(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(party) = unskew_tensorflow::party(source)? else { return Ok(None) };
    let calls = party.capability::<GraphFile>().is_some_and(GraphFile::calls_modules);
    if !calls {
        return Ok(Some(party));
    }
    let mut programs = Vec::new();
    for (number, (start, size)) in embedded_programs(&**source)?.into_iter().enumerate() {
        let name = format!("program {}", number + 1);
        let slice: Arc<dyn Source> = Arc::new(Slice::new(name, source.clone(), start, size)?);
        programs.extend(unskew_stablehlo::party(&slice)?);
    }
    let axis = Axis::from(unskew_stablehlo::AXIS);
    let versions = programs.iter().filter_map(|one| one.provision(&axis)?.versions.max);
    let party = match (versions.max(), programs.len()) {
        (Some(version), 1) => party.fact("StableHLO", format!("1 program, of {version}")),
        (Some(newest), count) => {
            party.fact("StableHLO", format!("{count} programs, up to {newest}"))
        }
        (None, _) => party,
    };
    let matcher = CallModuleMatcher { programs };
    Ok(Some(
        party.require(Requirement::matches("stablehlo.embedded", matcher).irrelevant_if_absent()),
    ))
}

/// A finding of a program inside of a graph: TensorFlow looks at it when the function is called.
fn at_first_call(finding: Finding) -> Finding {
    match finding.severity {
        Severity::Error => finding.in_phase(Phase::FirstUse).with_symptom(UNREAD),
        _ => finding,
    }
}

/// What TensorFlow says of a program that it does not read. Measured on 2.13.1 to 2.21.0.
const UNREAD: &str = "Cannot deserialize computation";

/// Asks a release of TensorFlow whether it reads the programs.
struct CallModuleMatcher {
    programs: Vec<Party>,
}

impl Matcher for CallModuleMatcher {
    fn judge(&self, _: &Party, other: &Party, context: &Context) -> Option<Judgement> {
        let support = other.capability::<CallModuleSupport>()?;
        let mut judgement = Judgement::default();
        if self.programs.is_empty() {
            let why = "the program in XlaCallModule, which is no MLIR bytecode of its own";
            judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        }
        let reader = Party::new(&other.name, Role::Runtime, "reader of StableHLO");
        let reader = unskew_stablehlo::reader(reader, support.stablehlo);
        for program in &self.programs {
            let verdict = check(program, &reader, context);
            judgement.findings.extend(verdict.findings.into_iter().map(at_first_call));
            judgement.unjudged.extend(verdict.unjudged);
            judgement.promises.extend(verdict.promises);
        }
        judgement.promises.dedup();
        Some(judgement)
    }
}
