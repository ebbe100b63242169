//! Mobile bytecode as a flatbuffer, `PTMF` at byte 4: the form of bytecode 9.

use unskew_core::Version;
use unskew_source::flatbuffer::Flatbuffer;
use unskew_source::{ReadError, Source, SourceProblem};

use super::bytecode;
use crate::model::OperatorUse;
use crate::{TorchFormat, TorchModel, VersionStamp, history};

/// The fields of the module at the root.
mod module {
    pub(super) const BYTECODE_VERSION: u64 = 0;
    pub(super) const VALUES: u64 = 4;
    pub(super) const OPERATOR_VERSION: u64 = 10;
}
/// The fields of a value, and the kind that is a function.
mod value {
    pub(super) const KIND: u64 = 0;
    pub(super) const VALUE: u64 = 1;
    pub(super) const ENUM: u64 = 15;
    pub(super) const FUNCTION: u64 = 16;
}
mod function {
    pub(super) const NAME: u64 = 0;
    pub(super) const OPERATORS: u64 = 2;
}
mod operator {
    pub(super) const NAME: u64 = 0;
    pub(super) const OVERLOAD: u64 = 1;
    pub(super) const GIVEN: u64 = 2;
}

/// The most functions and operators together.
const OPERATORS: u64 = 1 << 20;

/// Reads the versions and the operators of a mobile flatbuffer.
pub(super) fn read(source: &dyn Source) -> Result<TorchModel, ReadError> {
    let buffer = Flatbuffer::new(source);
    let root = buffer.root().map_err(|e| e.in_field("Module"))?;
    let mut model = TorchModel::new(TorchFormat::MobileFlatbuffer);
    let stamp = |field, place: &str| -> Result<Option<VersionStamp>, ReadError> {
        let version = buffer.scalar(root, field, 4).map_err(|e| e.in_field(place))?;
        let version = Version::number(version as i64);
        Ok(Some(VersionStamp { version, place: place.to_owned() }))
    };
    model.bytecode = stamp(module::BYTECODE_VERSION, "bytecode_version")?;
    model.file_format = stamp(module::OPERATOR_VERSION, "operator_version")?;
    let values = buffer.vector(root, module::VALUES, 4).map_err(|e| e.in_field("ivalues"))?;
    let mut count = 0;
    for i in 0..values.len {
        let one = buffer.element(values, i).map_err(|e| e.in_field("ivalues"))?;
        let kind = buffer.scalar(one, value::KIND, 1)?;
        if kind == value::ENUM {
            model.types.entry(history::ENUM_VALUES).or_default().add("ivalues");
        }
        if kind != value::FUNCTION {
            continue;
        }
        let Some(function) = buffer.child(one, value::VALUE)? else { continue };
        let name = buffer.text(function, function::NAME).map_err(|e| e.in_field("Function.qn"))?;
        let operators = buffer
            .vector(function, function::OPERATORS, 4)
            .map_err(|e| e.in_field("Function.operators"))?;
        count += 1 + operators.len;
        if count > OPERATORS {
            let what = "the bytecode (counted in operators)".to_owned();
            let problem = SourceProblem::TooLarge { what, size: count, limit: OPERATORS };
            return Err(ReadError::new(source.name(), problem));
        }
        for j in 0..operators.len {
            let one = buffer.element(operators, j)?;
            let given = buffer.int(one, operator::GIVEN, -1)?;
            let (operator, overload) =
                (buffer.text(one, operator::NAME)?, buffer.text(one, operator::OVERLOAD)?);
            let given = u64::try_from(given).ok();
            model.add_use(OperatorUse::overload(&operator, &overload, given), &name, false);
        }
    }
    if let Some(stamp) = &model.bytecode {
        bytecode::narrow(&mut model.producer, stamp.version);
    }
    Ok(model)
}
