//! Processes of a job, as a client is told of them.

use super::Handle;
use crate::host::{Error, ProcessInfo};
use crate::sys::bindings::*;

/// The first minor in which every build has the struct of today: of 0.75 there are two.
const ONE_LAYOUT: i32 = 76;

/// Tells a client how the other processes are.
pub(crate) fn update(client: &Handle<PJRT_Client>, processes: &[ProcessInfo]) -> Result<(), Error> {
    let api = client.api();
    if api.minor() < ONE_LAYOUT {
        let function = Function::PJRT_Client_UpdateGlobalProcessInfo.name();
        let plugin = api.version();
        return Err(
            crate::sys::CallError::Unimplemented { function, since: ONE_LAYOUT, plugin }.into()
        );
    }
    let info = |process: &ProcessInfo| {
        let mut info = api.record::<PJRT_ProcessInfo>();
        info.task_id = process.task_id;
        info.incarnation_id = process.incarnation_id;
        info.state = process.state;
        if let Some((code, message)) = &process.error {
            info.error_code = *code;
            info.error_message = message.as_ptr();
            info.error_message_size = message.len();
        }
        info
    };
    let mut infos: Vec<PJRT_ProcessInfo> = processes.iter().map(info).collect();
    let mut arguments = api.record::<PJRT_Client_UpdateGlobalProcessInfo_Args>();
    arguments.client = client.raw();
    arguments.process_infos = infos.as_mut_ptr();
    arguments.num_process_infos = infos.len();
    // SAFETY: the client is alive; what is said of the processes lives during the call.
    unsafe { api.call(&mut arguments) }.map_err(Into::into)
}
