//! ExecuTorch programs: a flatbuffer with `ET12` (or another number) at byte 4.

use std::collections::BTreeSet;

use unskew_core::Version;
use unskew_source::flatbuffer::Flatbuffer;
use unskew_source::{ReadError, Source, SourceExt, SourceProblem};

use crate::model::OperatorUse;
use crate::{TorchFormat, TorchModel, VersionStamp};

/// The fields of the program at the root.
mod program {
    pub(super) const VERSION: u64 = 0;
    pub(super) const PLANS: u64 = 1;
}
/// The fields of an execution plan.
mod plan {
    pub(super) const NAME: u64 = 0;
    pub(super) const OPERATORS: u64 = 6;
    pub(super) const DELEGATES: u64 = 7;
}

/// The most plans, operators and delegates together.
const OPERATORS: u64 = 1 << 20;

/// Reads the version, the operators and the delegates of a program.
pub(super) fn read(source: &dyn Source) -> Result<TorchModel, ReadError> {
    let buffer = Flatbuffer::new(source);
    let root = buffer.root().map_err(|e| e.in_field("Program"))?;
    let mut model = TorchModel::new(TorchFormat::ExecuTorch);
    let head = source.head(16)?;
    let identifier = head.get(4..8).map(String::from_utf8_lossy).unwrap_or_default();
    model.facts.push(("identifier", identifier.into_owned()));
    if head.get(8..12) == Some(b"eh00") {
        model.facts.push(("extended header", "eh00".to_owned()));
    }
    let version = buffer.scalar(root, program::VERSION, 4)?;
    let place = "Program.version".to_owned();
    model.exported = Some(VersionStamp { version: Version::number(version as i64), place });
    let plans = buffer.vector(root, program::PLANS, 4).map_err(|e| e.in_field("execution_plan"))?;
    let mut delegates = BTreeSet::new();
    let mut count = 0;
    for i in 0..plans.len {
        let one = buffer.element(plans, i).map_err(|e| e.in_field("execution_plan"))?;
        let name = buffer.text(one, plan::NAME)?;
        let operators =
            buffer.vector(one, plan::OPERATORS, 4).map_err(|e| e.in_field("operators"))?;
        let backends = buffer.vector(one, plan::DELEGATES, 4)?;
        count += 1 + operators.len + backends.len;
        if count > OPERATORS {
            let what = "the program (counted in operators)".to_owned();
            let problem = SourceProblem::TooLarge { what, size: count, limit: OPERATORS };
            return Err(ReadError::new(source.name(), problem));
        }
        for j in 0..operators.len {
            let operator = buffer.element(operators, j)?;
            let (operator, overload) = (buffer.text(operator, 0)?, buffer.text(operator, 1)?);
            model.add_use(OperatorUse::overload(&operator, &overload, None), &name, false);
        }
        for j in 0..backends.len {
            delegates.insert(buffer.text(buffer.element(backends, j)?, 0)?);
        }
    }
    if !delegates.is_empty() {
        let delegates = delegates.into_iter().take(20).collect::<Vec<_>>().join(", ");
        model.facts.push(("delegates", delegates));
    }
    Ok(model)
}
