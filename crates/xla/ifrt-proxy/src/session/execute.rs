//! Running programs.

use std::sync::Arc;

use prost::Message as _;
use unskew_ifrt::types::{ExecuteOptions as Asked, Ifrt};
use unskew_pjrt::{Buffer, ExecuteOptions, Outputs};
use unskew_serdes::proto::decode;

use super::{Session, results};
use crate::array::{ArrayShard, ShardedArray};
use crate::handles::HandleTarget;
use crate::messages::{
    Execute, ExecuteResult, Executed, OldExecuteOptions, OutputMessage, ResponseBody,
};
use crate::program::{Loaded, OutputSpec};
use crate::reply::Reply;
use crate::status::Status;
use crate::xla;

/// The protocol before which every run has a status, wanted or not, and options of XLA's own.
const FILL_STATUS: i32 = 6;

impl Session {
    pub(super) fn execute(&mut self, asked: &Execute) -> Result<Executed, Status> {
        let program = self.handles.program(asked.executable)?;
        let arguments = self.handles.arrays(&asked.arguments)?;
        let options = self.options(asked.options.as_deref().unwrap_or_default())?;
        if !asked.device_ids.is_empty() && asked.device_ids != program.devices {
            return Err(Status::unimplemented(
                "loaded_executable_execute_request on other devices than those of the program",
            ));
        }
        let each = program.executable.num_outputs();
        let handles = results(&asked.results, each)?;
        let with_status = options.fill_status || !self.agreed.since(FILL_STATUS);
        let mut outputs = run(&program, &arguments, &options, with_status)?;
        let buffers = outputs.take();
        let specs = program.outputs(self.agreed, &buffers)?;
        let arrays = per_output(&program, specs, buffers);
        let mut told = Vec::new();
        for ((handle, array), spec) in handles.into_iter().zip(arrays).zip(specs) {
            let named = handle.is_some();
            let array = self.handles.put(handle, HandleTarget::Array(Arc::new(array)))?;
            // A client that made the handles knows what they are from the first run.
            if !named {
                told.push(output(spec, array));
            }
        }
        let status = if with_status {
            let events = outputs.take_events();
            self.handles.put(Some(asked.status), HandleTarget::Future(events))?
        } else {
            0
        };
        Ok(Executed { status, outputs: told })
    }

    /// How a program is to run.
    fn options(&self, bytes: &[u8]) -> Result<Asked, Status> {
        if self.agreed.since(FILL_STATUS) {
            return Ok(decode::<Ifrt, _>(bytes)?);
        }
        let old = OldExecuteOptions::decode(bytes)
            .map_err(|error| Status::invalid(format!("execute options: {error}")))?;
        let OldExecuteOptions { launch_id, non_donatable_input_indices } = old;
        Ok(Asked { launch_id, non_donatable_input_indices, ..Asked::default() })
    }

    /// Answers when a run is over. How long it took on devices plug-ins do not say.
    pub(super) fn fetch_result(&mut self, handle: u64, reply: Reply) {
        match self.handles.take_future(handle) {
            Ok(events) => {
                reply.send_after(
                    &events,
                    ResponseBody::FetchExecuteResult(ExecuteResult::default()),
                );
            }
            Err(status) => reply.send(Err(status)),
        }
    }
}

/// Runs a program on each of its devices, with the shards that are there.
fn run(
    program: &Loaded,
    arguments: &[Arc<ShardedArray>],
    options: &Asked,
    with_status: bool,
) -> Result<Outputs, Status> {
    let mut lists: Vec<Vec<&Buffer>> = Vec::with_capacity(program.devices.len());
    for device in &program.devices {
        let mut list = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.iter().enumerate() {
            let buffer = argument.on_device(*device).map_err(|status| {
                Status::new(status.code, format!("argument {at}: {}", status.message))
            })?;
            check_order(program, at, buffer)?;
            list.push(buffer.as_ref());
        }
        lists.push(list);
    }
    let lists: Vec<&[&Buffer]> = lists.iter().map(Vec::as_slice).collect();
    let non_donatable: Vec<i64> =
        options.non_donatable_input_indices.iter().map(|index| i64::from(*index)).collect();
    let told = ExecuteOptions {
        launch_id: options.launch_id,
        non_donatable: &non_donatable,
        ..ExecuteOptions::default()
    };
    let mut outputs = Outputs::new();
    if with_status {
        program.executable.execute_with_events(&lists, &told, &mut outputs)?;
    } else {
        program.executable.execute_into(&lists, &told, &mut outputs)?;
    }
    Ok(outputs)
}

/// Refuses an argument that lies otherwise than the program reads it: a plug-in may take one for the other, and compute
/// with elements in the wrong places.
fn check_order(program: &Loaded, at: usize, argument: &Buffer) -> Result<(), Status> {
    let Some(Some(wanted)) = program.facts.orders.get(at) else { return Ok(()) };
    let Ok(Some(order)) = argument.minor_to_major() else { return Ok(()) };
    if order == *wanted || xla::same_order(&order, wanted, &argument.dimensions()?) {
        return Ok(());
    }
    Err(Status::invalid(format!(
        "argument {at} lies on its device in the order of axes {order:?}, the fastest first, and the program reads \
         {wanted:?}: put it with the layout that the program's in_shardings have, or take jax 0.5.3 or later, which sees \
         how arrays lie"
    )))
}

/// The results by their places, each with its shard of every device: the plug-in has them by devices.
fn per_output(program: &Loaded, specs: &[OutputSpec], buffers: Vec<Buffer>) -> Vec<ShardedArray> {
    let empty = |spec: &OutputSpec| ShardedArray {
        kind: spec.kind,
        dims: spec.dims.clone(),
        spread: spec.spread.clone(),
        shards: Vec::with_capacity(program.devices.len()),
    };
    let mut arrays: Vec<ShardedArray> = specs.iter().map(empty).collect();
    let mut buffers = buffers.into_iter();
    for device in &program.devices {
        for array in &mut arrays {
            if let Some(buffer) = buffers.next() {
                array.shards.push(ArrayShard::new(*device, buffer));
            }
        }
    }
    arrays
}

fn output(spec: &OutputSpec, array: u64) -> OutputMessage {
    OutputMessage {
        dtype: spec.dtype_message.clone(),
        shape: spec.shape_message.clone(),
        sharding: spec.sharding_message.clone(),
        array,
    }
}
