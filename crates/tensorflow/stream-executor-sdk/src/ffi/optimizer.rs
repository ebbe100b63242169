//! `TF_InitGraph`.

use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

use unskew_abi::contract::InterfaceVersion;
use unskew_stream_executor::bindings::{self as c, TF_Status, TF_TriState};
use unskew_stream_executor::layout::{NEWEST, Structure, contract};

use super::register::handshake;
use super::status::{self, answer};
use super::{framework, structs, text};
use crate::{Error, Optimizer};

/// A graph optimizer of this library: made by [`export_optimizer!`](crate::export_optimizer).
pub trait OptimizerExports: 'static {
    /// The author's optimizer, made when it is first asked for.
    fn exported() -> &'static dyn Optimizer;
}

/// The first release whose optimizers are told the item that a graph belongs to, by a parameter in the middle.
const WITH_ITEM: InterfaceVersion = InterfaceVersion::new(2, 6);

/// The first release that has one more switch in the middle of the others: its struct is larger.
const CONFIGS_GREW: InterfaceVersion = InterfaceVersion::new(2, 10);

/// A buffer of the host, whose first three words are the same in every release.
#[repr(C)]
struct Buffer {
    data: *const c_void,
    length: usize,
    free: Option<unsafe extern "C" fn(*mut c_void, usize)>,
}

/// What `TF_InitGraph` does.
///
/// # Safety
/// The arguments are what a host hands out: a struct that announces its size, and a status.
pub unsafe fn init_graph<E: OptimizerExports>(
    params: *mut c::TP_OptimizerRegistrationParams,
    status: *mut TF_Status,
) {
    // SAFETY: the caller says so.
    answer("TF_InitGraph", status, || unsafe { register::<E>(params) });
}

unsafe fn register<E: OptimizerExports>(
    params: *mut c::TP_OptimizerRegistrationParams,
) -> Result<(), Error> {
    static DEVICE_TYPE: OnceLock<CString> = OnceLock::new();
    let optimizer = status::caught("the optimizer", || Ok(E::exported()))?;
    let kind = Structure::TP_OptimizerRegistrationParams;
    // SAFETY: the caller says that this is what a host hands out.
    let mut writer = unsafe { structs::writer(params, kind, NEWEST) }?;
    handshake(&writer.reader(), optimizer.device_type())?;
    let device_type = DEVICE_TYPE.get_or_init(|| text(optimizer.device_type()));
    writer.set_named("device_type", device_type.as_ptr()).map_err(super::register::absent)?;
    let configs = writer.reader().get_named("optimizer_configs").unwrap_or(null_mut());
    let target = writer.reader().get_named("optimizer").unwrap_or(null_mut());
    // SAFETY: the host hands out both structs to be filled in.
    unsafe {
        switch_off(configs, &optimizer.switched_off())?;
        fill_in::<E>(target)
    }
}

unsafe fn fill_in<E: OptimizerExports>(target: *mut c::TP_Optimizer) -> Result<(), Error> {
    let kind = Structure::TP_Optimizer;
    // SAFETY: the caller says that the host hands it out.
    let mut writer = unsafe { structs::writer(target, kind, NEWEST) }?;
    let optimize = if without_item() {
        optimize_2_5::<E> as *const c_void
    } else {
        optimize::<E> as *const c_void
    };
    let create: Option<unsafe extern "C" fn() -> *mut c_void> = Some(create);
    let destroy: Option<unsafe extern "C" fn(*mut c_void)> = Some(destroy);
    for set in [
        writer.set_named("create_func", create),
        writer.set_named("optimize_func", optimize),
        writer.set_named("destroy_func", destroy),
    ] {
        set.map_err(super::register::absent)?;
    }
    Ok(())
}

/// Whether the host is 2.5. Its structs have the sizes of later ones, so its own word tells, or, where that cannot
/// be had, a function that went when the parameter came.
fn without_item() -> bool {
    match framework::version().and_then(|it| crate::host::release_of(&it)) {
        Some(release) => release < WITH_ITEM,
        None => !framework::of_host(c"TF_GetGrapplerItem").is_null(),
    }
}

/// # Safety
/// `configs` is null or a struct of the host.
unsafe fn switch_off(configs: *mut c::TP_OptimizerConfigs, names: &[String]) -> Result<(), Error> {
    let kind = Structure::TP_OptimizerConfigs;
    // SAFETY: the caller says so.
    let announced = unsafe { structs::reader(configs, kind, NEWEST) }?.announced();
    let newer = contract(kind, CONFIGS_GREW).is_some_and(|known| announced >= known.size());
    let release = if newer { CONFIGS_GREW } else { WITH_ITEM };
    // SAFETY: as above.
    let mut writer = unsafe { structs::writer(configs, kind, release) }?;
    for name in names {
        writer.set_named(name, TF_TriState::OFF.0).map_err(super::register::absent)?;
    }
    Ok(())
}

/// The author's optimizer is the library's own; a host wants an address all the same.
unsafe extern "C" fn create() -> *mut c_void {
    static NOTHING: u8 = 0;
    (&raw const NOTHING).cast_mut().cast()
}

unsafe extern "C" fn destroy(_: *mut c_void) {}

unsafe extern "C" fn optimize<E: OptimizerExports>(
    _: *mut c_void,
    graph: *const Buffer,
    _item: *const c::TF_GrapplerItem,
    result: *mut Buffer,
    status: *mut TF_Status,
) {
    // SAFETY: the host hands out both buffers.
    answer("optimize_func", status, || unsafe { rewrite::<E>(graph, result) });
}

unsafe extern "C" fn optimize_2_5<E: OptimizerExports>(
    _: *mut c_void,
    graph: *const Buffer,
    result: *mut Buffer,
    status: *mut TF_Status,
) {
    // SAFETY: the host hands out both buffers.
    answer("optimize_func", status, || unsafe { rewrite::<E>(graph, result) });
}

/// # Safety
/// Both are null or buffers of the host.
unsafe fn rewrite<E: OptimizerExports>(
    graph: *const Buffer,
    result: *mut Buffer,
) -> Result<(), Error> {
    // SAFETY: the caller says so.
    let buffers = unsafe { (graph.as_ref(), result.as_mut()) };
    let (Some(graph), Some(result)) = buffers else {
        return Err(Error::invalid("the host handed out no graph, or no place for the result"));
    };
    let bytes = if graph.data.is_null() {
        &[]
    } else {
        // SAFETY: the host says that so many bytes are there.
        unsafe { std::slice::from_raw_parts(graph.data.cast::<u8>(), graph.length) }
    };
    let rewritten = E::exported().optimize(bytes)?.into_boxed_slice();
    result.length = rewritten.len();
    result.data = Box::into_raw(rewritten).cast::<c_void>().cast_const();
    result.free = Some(free);
    Ok(())
}

unsafe extern "C" fn free(data: *mut c_void, length: usize) {
    if !data.is_null() {
        let bytes = std::ptr::slice_from_raw_parts_mut(data.cast::<u8>(), length);
        // SAFETY: `rewrite` made it of as many bytes.
        drop(unsafe { Box::from_raw(bytes) });
    }
}
