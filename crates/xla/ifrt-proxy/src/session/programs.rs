//! Requests about programs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use bytes::Bytes;
use unskew_ifrt::types::{DType, Ifrt};
use unskew_pjrt::convert::compile_options::DeviceAssignment as Assignment;
use unskew_pjrt::{Error, Executable};
use unskew_serdes::proto::{decode, encode};

use super::{Session, SessionEvent, init};
use crate::handles::HandleTarget;
use crate::memory_quota::QuotaGuard;
use crate::messages::{
    CompileRequest, CompileResponse, CostAnalysis, DefaultDeviceAssignment, DefaultLayout,
    DeviceAssignmentMessage, DonatedInputs, ExecutableMetadata, Handle, LogicalId, MemoryKinds,
    MemoryStatsMessage, Opaques, OutputMemoryKinds, ProgramText, SerializedLayout,
};
use crate::program::Loaded;
use crate::reply::Reply;
use crate::status::{Status, StatusCode};
use crate::{element, xla};

impl Session {
    pub(super) fn compile(&mut self, asked: &CompileRequest) -> Result<CompileResponse, Status> {
        self.compiled(Loaded::compile(&self.platform, asked)?)
    }

    /// Compiles on a thread of its own: a compiler may take minutes, and other threads of the client have requests too.
    pub(super) fn compile_beside(
        &mut self,
        asked: CompileRequest,
        (reply, charge): (Reply, Option<QuotaGuard>),
        turns: mpsc::Sender<SessionEvent>,
    ) {
        self.compiling += 1;
        let platform = Arc::clone(&self.platform);
        let thread = std::thread::Builder::new().name("compiling".to_owned());
        let spawned = thread.spawn(move || {
            let compile = AssertUnwindSafe(|| Loaded::compile(&platform, &asked).map(Box::new));
            let fault =
                |_| Err(Status::new(StatusCode::Internal, "a fault of the server in compiling"));
            let program = catch_unwind(compile).unwrap_or_else(fault);
            drop(charge);
            // If the session is over, nobody waits for it.
            let _ = turns.send(SessionEvent::Compiled(reply, program));
        });
        if spawned.is_err() {
            // Its answer, a fault of the server, is sent when it is dropped.
            self.compiling -= 1;
        }
    }

    pub(super) fn compiled(&mut self, program: Loaded) -> Result<CompileResponse, Status> {
        let executable = program.executable.executable()?;
        let fingerprint = program.executable.fingerprint();
        let (fingerprint, fingerprint_error) = either(fingerprint);
        let mut compiled = CompileResponse {
            name: executable.name()?,
            num_devices: i32::try_from(program.devices.len()).unwrap_or(i32::MAX),
            logical_ids: self.logical_ids(&program),
            addressable_device_ids: program.devices.clone(),
            fingerprint: fingerprint.map(Bytes::from),
            fingerprint_error,
            device_ids: program.devices.clone(),
            ..CompileResponse::default()
        };
        compiled.executable = self.handles.add(HandleTarget::Program(Arc::new(program)))?;
        compiled.ready_future = Some(self.handles.add(HandleTarget::Future(Vec::new()))?);
        Ok(compiled)
    }

    /// What each device runs, for clients before 5.
    fn logical_ids(&self, program: &Loaded) -> Vec<LogicalId> {
        if self.agreed.since(5) {
            return Vec::new();
        }
        if let Ok(Some(ids)) = program.executable.logical_ids() {
            return ids
                .iter()
                .map(|&(replica, partition)| LogicalId { replica, partition })
                .collect();
        }
        let (replicas, partitions) = program.parts;
        let number = |value: i64| i32::try_from(value).unwrap_or(i32::MAX);
        let all = (0..number(replicas)).flat_map(|replica| {
            (0..number(partitions)).map(move |partition| LogicalId { replica, partition })
        });
        all.collect()
    }

    /// What a program is like.
    pub(super) fn metadata(&self, handle: u64) -> Result<ExecutableMetadata, Status> {
        let program = self.handles.program(handle)?;
        let executable = program.executable.executable()?;
        let facts = &program.facts;
        let opaques = |list: &Option<Vec<Bytes>>| list.clone().map(|list| Opaques { list });
        let (parameter_layouts, parameter_layouts_error) = match parameter_layouts(facts) {
            Some(known) => (Some(known), None),
            None => layouts(executable.parameter_layouts().map_err(Status::from)),
        };
        let (output_layouts, output_layouts_error) =
            layouts(executable.output_layouts().map_err(Status::from));
        let (memory_stats, memory_stats_error) = either(memory_stats(&executable));
        let unknown =
            || Status::unimplemented("the plug-in does not say what it is given").message();
        Ok(ExecutableMetadata {
            parameter_shardings: opaques(&facts.parameters),
            output_shardings: opaques(&facts.outputs),
            output_memory_kinds: Some(memory_kinds(&executable)),
            parameter_layouts,
            parameter_layouts_error,
            output_layouts,
            output_layouts_error,
            donated_inputs: facts.donated.clone().map(|indices| DonatedInputs { indices }),
            donated_inputs_error: facts.donated.is_none().then(unknown),
            memory_stats,
            memory_stats_error,
            code_size: executable.generated_code_size().unwrap_or_default(),
        })
    }

    /// What a program is estimated to cost.
    pub(super) fn cost_analysis(&self, handle: u64) -> Result<CostAnalysis, Status> {
        let program = self.handles.program(handle)?;
        let version = self.agreed.written_at()?;
        let costs = program.executable.executable().and_then(|of| of.cost_analysis());
        Ok(match costs {
            Ok(costs) => {
                let attributes = Some(encode(&init::attributes(&costs), version)?.into());
                CostAnalysis { status: None, attributes }
            }
            Err(error) => {
                CostAnalysis { status: Some(Status::from(error).message()), attributes: None }
            }
        })
    }

    /// A program for people. Plug-ins yield it as a protobuf of XLA's, or as a text of MLIR.
    pub(super) fn program_text(&self, handle: u64) -> Result<ProgramText, Status> {
        let program = self.handles.program(handle)?;
        let optimized = program.executable.executable().and_then(|of| of.optimized_program());
        let text = optimized.map_err(Status::from).and_then(|(program, format)| {
            if format == "mlir" {
                let text = String::from_utf8(program);
                return text.map_err(|_| Status::unimplemented("the program is no text of MLIR"));
            }
            unskew_hlo::text(&program, &format)
                .map_err(|error| Status::unimplemented(error.to_string()))
        });
        let (text, status) = either(text);
        Ok(ProgramText { status, text })
    }

    pub(super) fn delete_program(&mut self, handle: u64) -> Result<Handle, Status> {
        self.handles.program(handle)?.executable.delete()?;
        Ok(Handle { handle: self.handles.add(HandleTarget::Future(Vec::new()))? })
    }

    /// Which device runs what unless told otherwise.
    pub(super) fn default_assignment(
        &self,
        asked: DefaultDeviceAssignment,
    ) -> Result<DeviceAssignmentMessage, Status> {
        let there = self.platform.devices.len() as u64;
        let wanted = asked.replicas.checked_mul(asked.partitions);
        if wanted.is_none_or(|wanted| wanted == 0 || wanted > there) {
            let (replicas, partitions) = (asked.replicas, asked.partitions);
            return Err(Status::invalid(format!(
                "{replicas} replicas of {partitions} partitions on {there} devices"
            )));
        }
        let number = |count: u64| i32::try_from(count).unwrap_or(i32::MAX);
        let (replicas, partitions) = (number(asked.replicas), number(asked.partitions));
        let ids = self.platform.client.default_device_assignment(replicas, partitions)?;
        // The plug-in lists replicas; the message has computations, which are partitions.
        let columns = usize::try_from(partitions).unwrap_or_default();
        let computation = |at: usize| -> Vec<i64> {
            ids.iter().filter_map(|row| row.get(at).copied().map(i64::from)).collect()
        };
        let assignment = Assignment::from_devices((0..columns).map(computation).collect());
        Ok(DeviceAssignmentMessage { assignment: Some(assignment.write().into()) })
    }

    /// How an array lies in memory unless told otherwise.
    pub(super) fn default_layout(&self, asked: &DefaultLayout) -> Result<SerializedLayout, Status> {
        // A client that has no name for a type (int2 before 0.8) asks without one, and aborts if it gets an error.
        // Whatever it does with such an array is refused then, which Python gets as an exception.
        if asked.dtype.is_empty() {
            return Ok(row_by_row(asked.dims.len()));
        }
        let kind = decode::<Ifrt, DType>(&asked.dtype)?.kind;
        let element = element::to_pjrt(kind)?;
        match self.platform.client.default_layout(element, &asked.dims) {
            Ok(layout) => Ok(SerializedLayout { layout: layout.bytes().to_vec().into() }),
            // Plug-ins that know of no layouts have one: row by row.
            Err(error) if error.is_unimplemented() => Ok(row_by_row(asked.dims.len())),
            Err(error) => Err(error.into()),
        }
    }
}

/// The layout in which the last dimension varies fastest, as XLA writes it.
fn row_by_row(rank: usize) -> SerializedLayout {
    let axes: Vec<String> = (0..rank).rev().map(|axis| axis.to_string()).collect();
    SerializedLayout { layout: format!("{{{}}}", axes.join(",")).into() }
}

/// A value, or why there is none.
fn either<T, E: Into<Status>>(
    result: Result<T, E>,
) -> (Option<T>, Option<crate::messages::StatusMessage>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(error.into().message())),
    }
}

/// The layouts of parameters by what is known of the program, which is more than plug-ins before 0.93 say.
fn parameter_layouts(facts: &xla::Facts) -> Option<Opaques> {
    let orders: Option<Vec<_>> = facts.orders.iter().cloned().collect();
    let orders = orders.filter(|orders| !orders.is_empty())?;
    Some(Opaques { list: orders.into_iter().map(xla::message_of).collect() })
}

fn layouts(
    layouts: Result<Vec<unskew_pjrt::host::extension::MemoryLayout>, Status>,
) -> (Option<Opaques>, Option<crate::messages::StatusMessage>) {
    let messages = |layouts: Vec<unskew_pjrt::host::extension::MemoryLayout>| {
        let messages = layouts.iter().map(|layout| xla::layout_message(&layout.text()));
        messages.collect::<Result<Vec<_>, _>>()
    };
    either(layouts.and_then(messages).map(|list| Opaques { list }))
}

fn memory_kinds(executable: &Executable) -> OutputMemoryKinds {
    match executable.output_memory_kinds() {
        Ok(kinds) => OutputMemoryKinds { status: None, lists: vec![MemoryKinds { kinds }] },
        Err(error) => {
            OutputMemoryKinds { status: Some(Status::from(error).message()), lists: Vec::new() }
        }
    }
}

fn memory_stats(executable: &Executable) -> Result<MemoryStatsMessage, Error> {
    let stats = executable.memory_stats()?;
    let known = |number: Option<i64>| number.unwrap_or_default();
    Ok(MemoryStatsMessage {
        generated_code_size: known(stats.generated_code_size_in_bytes),
        argument_size: known(stats.argument_size_in_bytes),
        output_size: known(stats.output_size_in_bytes),
        alias_size: known(stats.alias_size_in_bytes),
        temp_size: known(stats.temp_size_in_bytes),
        host_generated_code_size: known(stats.host_generated_code_size_in_bytes),
        host_argument_size: known(stats.host_argument_size_in_bytes),
        host_output_size: known(stats.host_output_size_in_bytes),
        host_alias_size: known(stats.host_alias_size_in_bytes),
        host_temp_size: known(stats.host_temp_size_in_bytes),
        peak_memory: known(stats.peak_memory_in_bytes),
        total_size: known(stats.total_size_in_bytes),
        total_allocation: known(stats.total_allocation_bytes),
        indefinite_allocations: known(stats.indefinite_allocations),
        peak_unpadded_heap: known(stats.peak_unpadded_heap_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::StatusCode;

    #[test]
    fn a_value_or_its_error_stands_in_a_message() {
        assert_eq!(either::<_, Status>(Ok(3)), (Some(3), None));
        let error = Status::new(StatusCode::Internal, "why");
        assert_eq!(either::<u8, _>(Err(error.clone())), (None, Some(error.message())));
    }
}
