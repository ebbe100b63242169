//! Programs, what they are compiled with, and how they are run.

use unskew_serdes::proto::{
    FieldDescription, Message, MessageDescription, ProtoEncoder, SinceVersion, WireFields,
};
use unskew_serdes::{DecodeError, DecodeProblem, EncodeError, StableName};

use super::{AttributeMap, CompileOptions, Ifrt};

/// A StableHLO program, as the portable artifact that it is sent as.
///
/// It has no version of its own. Its makers write it for SerDes 3 and later with operations of other
/// dialects in it, and refuse to write it at all below the version that they call four weeks old: see
/// [`typed_week_4_old`](crate::typed_week_4_old).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HloProgram {
    artifact: Vec<u8>,
}

/// What every MLIR bytecode begins with.
const MAGIC: &[u8] = b"ML\xefR";

/// What the name of its producer begins with, if it is a portable artifact.
const PRODUCER: &[u8] = b"StableHLO_v";

impl HloProgram {
    /// The program of an artifact; none if the bytes are no StableHLO artifact.
    pub fn new(artifact: Vec<u8>) -> Option<Self> {
        let program = Self { artifact };
        program.stablehlo().is_some().then_some(program)
    }

    /// The bytes of the StableHLO artifact.
    pub fn artifact(&self) -> &[u8] {
        &self.artifact
    }

    /// The StableHLO version that it was written for, as `1.13.7`.
    pub fn stablehlo(&self) -> Option<&str> {
        let rest = self.artifact.strip_prefix(MAGIC)?;
        // The version of the bytecode is one byte in every version that there has been.
        let producer = rest.get(1..)?.strip_prefix(PRODUCER)?;
        let end = producer.iter().take(32).position(|byte| *byte == 0)?;
        std::str::from_utf8(producer.get(..end)?).ok()
    }
}

impl StableName for HloProgram {
    // The name is older than the type's own.
    const TYPE_NAME: &'static str = "xla::ifrt::XlaProgram";
}

impl Message<Ifrt> for HloProgram {
    const NAME: &'static str = "HloProgram";
    const DESCRIPTION: &'static MessageDescription = &MessageDescription {
        name: "",
        rust: "HloProgram",
        version: None,
        since: SinceVersion::ALWAYS,
        removed_with_minimum: None,
        fields: NO_FIELDS,
    };

    fn write(&self, to: &mut ProtoEncoder<'_, Ifrt>) -> Result<(), EncodeError> {
        to.raw(&self.artifact);
        Ok(())
    }

    fn read(mut from: WireFields<'_, Ifrt>) -> Result<Self, DecodeError> {
        let wrong =
            from.error(DecodeProblem::Refused("no StableHLO artifact begins here".to_owned()));
        Self::new(from.raw()?.to_vec()).ok_or(wrong)
    }
}

/// It is an artifact, and no message.
const NO_FIELDS: &[FieldDescription] = &[];

/// What a program is compiled with.
///
/// Since version 4 its makers record 4 whenever that was requested, even if nothing needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.XlaCompileOptionsProto", version = 3, as_requested,
    type_name = "xla::ifrt::XlaCompileOptions"
)]
pub struct XlaCompileOptions {
    /// The options of XLA.
    #[field(1, opaque = "xla.CompileOptionsProto")]
    pub compile_options: CompileOptions,
    /// How many results go into each bundle.
    #[field(2, repeated, int32, since = 4)]
    pub outputs_bundle_slice_sizes: Vec<i32>,
}

/// How a program is run.
#[derive(Clone, Debug, Default, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.ExecuteOptionsProto", version = 12)]
pub struct ExecuteOptions {
    /// Whether a result that is a tuple comes as its parts.
    #[field(2, bool)]
    pub untuple_result: bool,
    /// Equal on all hosts that run it together.
    #[field(3, int32)]
    pub launch_id: i32,
    /// The arguments that must not be given away.
    #[field(7, repeated, int32)]
    pub non_donatable_input_indices: Vec<i32>,
    /// Whether a status is wanted that says when it is done.
    #[field(9, bool)]
    pub fill_status: bool,
    /// What the runtime alone understands.
    #[field(10, message, optional)]
    pub custom_options: Option<AttributeMap>,
    /// Runs with the same number are in order.
    #[field(11, int64)]
    pub execution_stream_id: i64,
}
