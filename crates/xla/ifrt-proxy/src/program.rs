//! Programs of a session: checked, compiled, and what their results are.

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use unskew_ifrt::types::{
    DType, DTypeKind, HloProgram, Ifrt, Serialized, Shape, XlaCompileOptions,
};
use unskew_pjrt::convert::compile_options::{
    CompileOptions, update_debug_options, without_mesh_shardings,
};
use unskew_pjrt::{Buffer, LoadedExecutable, PjrtProgram};
use unskew_serdes::proto::{decode, encode};

use crate::array::Spread;
use crate::finding::TooNew;
use crate::messages::CompileRequest;
use crate::negotiate::SessionVersions;
use crate::pieces::Cut;
use crate::platform::ServedPlatform;
use crate::sharding::{self, OpSharding};
use crate::status::Status;
use crate::{element, xla};

#[derive(Debug)]
pub struct Loaded {
    pub executable: LoadedExecutable,
    /// The devices that it runs on, in the order in which they take arguments.
    pub devices: Vec<i32>,
    /// How many replicas and partitions it has.
    pub parts: (i64, i64),
    /// What the compiler says of it.
    pub facts: xla::Facts,
    /// What its results are; known once it has run.
    pub outputs: OnceLock<Vec<OutputSpec>>,
}

/// What a result is.
#[derive(Clone, Debug)]
pub struct OutputSpec {
    /// The type of its elements.
    pub kind: DTypeKind,
    pub dims: Vec<i64>,
    pub spread: Spread,
    /// A `DType`, as it is told.
    pub dtype_message: Bytes,
    /// A `Shape`, as it is told.
    pub shape_message: Bytes,
    /// A `Sharding`, as it is told.
    pub sharding_message: Bytes,
}

impl Loaded {
    /// Compiles what a client sent.
    ///
    /// # Errors
    /// If it is no program for this plug-in; what the compiler says.
    pub fn compile(platform: &ServedPlatform, asked: &CompileRequest) -> Result<Self, Status> {
        if !asked.host_callbacks.is_empty() {
            return Err(Status::unimplemented(
                "callbacks of this kind are not served, and public clients do not run them; \
                 `unskew_jax.connect` and `unskew serve --handlers` have others",
            ));
        }
        let program = program(&asked.program)?;
        let given = options(&asked.options)?;
        let options = checked(platform, &given)?;
        // The plug-in has the last word on options that are not understood here.
        let updated = update_debug_options(&given).unwrap_or(Cow::Borrowed(&given));
        let minor = platform.client.plugin().api().minor();
        let updated = without_mesh_shardings(&updated, minor).unwrap_or(Cow::Borrowed(&updated));
        let too_new = TooNew::find(&program, platform.stablehlo);
        let compiled = platform.client.compile(PjrtProgram::mlir(program.artifact()), &*updated);
        let executable = compiled.map_err(|error| {
            let error = Status::from(error);
            let Some(too_new) = &too_new else { return error };
            tracing::warn!("a program that the plug-in refused: {too_new}");
            too_new.told(error)
        })?;
        let devices: Result<Vec<i32>, _> =
            executable.devices().iter().map(|device| device.id()).collect();
        let facts =
            executable.executable().map(|of| xla::Facts::from_executable(&of)).unwrap_or_default();
        let parts = (options.num_replicas, options.num_partitions);
        Ok(Self { devices: devices?, parts, facts, outputs: OnceLock::new(), executable })
    }

    /// What its results are, by the results of its first run, those of the first device first.
    ///
    /// # Errors
    /// What the plug-in answers.
    pub fn outputs(
        &self,
        agreed: SessionVersions,
        results: &[Buffer],
    ) -> Result<&[OutputSpec], Status> {
        if let Some(known) = self.outputs.get() {
            return Ok(known);
        }
        let each = self.executable.num_outputs();
        let of_first = results.iter().take(each).enumerate();
        let specs: Result<Vec<_>, _> =
            of_first.map(|(at, result)| self.output(agreed, at, result)).collect();
        let specs = specs?;
        Ok(self.outputs.get_or_init(|| specs))
    }

    fn output(
        &self,
        agreed: SessionVersions,
        at: usize,
        result: &Buffer,
    ) -> Result<OutputSpec, Status> {
        let kind = element::to_ifrt(result.element_type()?)?;
        let shard = result.dimensions()?;
        let known = self.facts.outputs.as_ref().and_then(|list| list.get(at));
        let dims = match known.filter(|_| self.devices.len() > 1) {
            None if self.devices.len() > 1 && self.parts.1 > 1 => {
                return Err(sharding::unknown(
                    "the plug-in does not say how the results are spread",
                ));
            }
            None => shard.clone(),
            Some(sharding) => OpSharding::read(sharding)?.whole(&shard)?,
        };
        let memory_kind = result.memory().and_then(|memory| memory.kind()).ok();
        let cut = match known.cloned() {
            Some(sharding) if self.devices.len() > 1 => Cut::Tiles(sharding),
            None if self.devices.len() > 1 => Cut::Unknown,
            _ => Cut::Whole,
        };
        let spread = Spread { devices: self.devices.clone(), memory_kind, cut };
        let version = agreed.written_at()?;
        Ok(OutputSpec {
            kind,
            dtype_message: encode(&DType::from(kind), version)?.into(),
            shape_message: encode(&Shape { dims: dims.clone() }, version)?.into(),
            sharding_message: encode(&spread.sharding(&dims, &shard), version)?.into(),
            dims,
            spread,
        })
    }
}

/// The program of a request.
fn program(bytes: &[u8]) -> Result<HloProgram, Status> {
    match decode::<Ifrt, Serialized>(bytes)? {
        Serialized::HloProgram(program) => Ok(program),
        Serialized::IfrtIrProgram(_) => {
            Err(Status::unimplemented("programs of several programs (IFRT IR) are not served"))
        }
        Serialized::CustomCallProgram(_) => {
            Err(Status::unimplemented("programs that only the runtime knows are not served"))
        }
        _ => Err(Status::invalid("this is no program")),
    }
}

/// The serialized `CompileOptionsProto` of a request.
fn options(bytes: &[u8]) -> Result<Vec<u8>, Status> {
    match decode::<Ifrt, Serialized>(bytes)? {
        Serialized::XlaCompileOptions(XlaCompileOptions {
            compile_options,
            outputs_bundle_slice_sizes,
        }) => {
            if outputs_bundle_slice_sizes.is_empty() {
                return Ok(compile_options.0);
            }
            Err(Status::unimplemented("results in bundles are not served"))
        }
        _ => Err(Status::invalid("these are no options for a StableHLO program")),
    }
}

/// The options as they are read here, if a plug-in survives them: several end their process where a
/// number is missing.
fn checked(platform: &ServedPlatform, bytes: &[u8]) -> Result<CompileOptions, Status> {
    let options = CompileOptions::read(bytes)?;
    let (replicas, partitions) = (options.num_replicas, options.num_partitions);
    let there = platform.devices.len();
    let wanted = replicas.checked_mul(partitions).and_then(|count| usize::try_from(count).ok());
    if replicas < 1 || partitions < 1 || wanted.is_none_or(|wanted| wanted > there) {
        return Err(Status::invalid(format!(
            "a program for {replicas} replicas of {partitions} partitions on {there} devices"
        )));
    }
    if let Some(assignment) = &options.device_assignment {
        let rows = &assignment.devices;
        let fits = assignment.replicas == replicas
            && assignment.computations == partitions
            && i64::try_from(rows.len()) == Ok(partitions)
            && rows.iter().all(|row| i64::try_from(row.len()) == Ok(replicas));
        if !fits {
            return Err(Status::invalid("the device assignment does not fit the program"));
        }
        for id in rows.iter().flatten() {
            let id = i32::try_from(*id).map_err(|_| Status::invalid("a device id of 64 bits"))?;
            platform.device(id)?;
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_is_refused() {
        assert!(program(b"").is_err());
        assert!(program(&[0xff; 20]).is_err());
        assert!(options(b"").is_err());
    }
}
