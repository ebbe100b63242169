//! A program that adds two arrays, and the requests to compile and run it.

use bytes::Bytes;
use unskew_ifrt::types::{
    DType, DTypeKind, HloProgram, Ifrt, Serialized, Shape, Sharding, SingleDeviceSharding,
    XlaCompileOptions, any_version,
};
use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_serdes::FamilyVersion;
use unskew_serdes::proto::encode;

use crate::IfrtClient;
use unskew_ifrt_proxy::messages::{
    CompileRequest, CopyToHost, Execute, MakeArray, OldOrNewHandles, ProxyVersion, RequestBody,
    ResponseBody,
};
use unskew_ifrt_proxy::status::{Status, StatusCode};

/// How many elements its arrays have: 64 KiB of `f32`.
pub const ELEMENTS: usize = 16384;

/// The program, as MLIR's own `stablehlo.serialize_portable_artifact_str(TEXT, "1.0.0")` makes it of a
/// function with one `stablehlo.add`.
const ARTIFACT: &[u8] = include_bytes!("../data/add.mlirbc");

/// The program, compiled in a session.
#[derive(Clone, Copy, Debug)]
pub struct Adder {
    /// The handle of the loaded executable.
    pub executable: u64,
    device: i32,
}

impl Adder {
    /// Compiles it for a device.
    ///
    /// # Errors
    /// What the server answers; so for all that follow.
    pub async fn compile(client: &mut IfrtClient, device: i32) -> Result<Self, Status> {
        let ask = RequestBody::Compile(Self::request(client.version)?);
        match client.ask(ask).await? {
            ResponseBody::Compile(compiled) => {
                if let Some(handle) = compiled.ready_future {
                    client
                        .ask(RequestBody::CheckFuture(unskew_ifrt_proxy::messages::Handle {
                            handle,
                        }))
                        .await?;
                }
                Ok(Self { executable: compiled.executable, device })
            }
            _ => Err(unexpected()),
        }
    }

    /// The request to compile it.
    ///
    /// # Errors
    /// If values cannot be written at that version.
    pub fn request(version: ProxyVersion) -> Result<CompileRequest, Status> {
        let version = at(version)?;
        let program = HloProgram::new(ARTIFACT.to_vec());
        let program = program.ok_or_else(|| Status::invalid("this is no StableHLO artifact"))?;
        let options = XlaCompileOptions {
            compile_options: CompileOptions::new(1, 1).write().into(),
            outputs_bundle_slice_sizes: Vec::new(),
        };
        Ok(CompileRequest {
            program: encode(&Serialized::HloProgram(program), version)?.into(),
            options: encode(&Serialized::XlaCompileOptions(options), version)?.into(),
            host_callbacks: Vec::new(),
        })
    }

    /// The request to make an array, of a host buffer that comes beside it.
    ///
    /// # Errors
    /// If values cannot be written at that version.
    pub fn array(
        version: ProxyVersion,
        device_id: i32,
        (array, host_buffer): (u64, u64),
    ) -> Result<MakeArray, Status> {
        let version = at(version)?;
        let sharding = SingleDeviceSharding { device_id, memory_kind: None };
        let dims = vec![i64::try_from(ELEMENTS).unwrap_or(i64::MAX)];
        Ok(MakeArray {
            dtype: encode(&DType::from(DTypeKind::F32), version)?.into(),
            shape: encode(&Shape { dims }, version)?.into(),
            sharding: encode(&Sharding::SingleDevice(sharding), version)?.into(),
            host_buffer,
            array: Some(array),
            ..MakeArray::default()
        })
    }

    /// Puts an array under a handle.
    ///
    /// # Errors
    /// What the server answers.
    pub async fn put(
        self,
        client: &mut IfrtClient,
        handle: u64,
        data: Bytes,
    ) -> Result<(), Status> {
        client.store(handle, data).await?;
        let make = Self::array(client.version, self.device, (handle, handle))?;
        client.ask(RequestBody::MakeArray(make)).await.map(|_| ())
    }

    /// Adds two arrays; the sum gets the handle.
    ///
    /// # Errors
    /// What the server answers.
    pub async fn add(
        self,
        client: &mut IfrtClient,
        arguments: [u64; 2],
        sum: u64,
    ) -> Result<(), Status> {
        let execute = Execute {
            executable: self.executable,
            arguments: arguments.to_vec(),
            results: vec![sum],
            ..Execute::default()
        };
        client.ask(RequestBody::Execute(execute)).await.map(|_| ())
    }

    /// The elements of an array, by way of a host buffer of the same handle.
    ///
    /// # Errors
    /// What the server answers.
    pub async fn fetch(self, client: &mut IfrtClient, array: u64) -> Result<Bytes, Status> {
        let copy = CopyToHost { host_buffer: array, array, byte_strides: None };
        client.ask(RequestBody::CopyToHost(copy)).await?;
        let data = client.look_up(client.session, array).await?;
        client.delete(client.session, array).await?;
        Ok(data)
    }

    /// Lets arrays go.
    ///
    /// # Errors
    /// What the server answers.
    pub async fn forget(self, client: &mut IfrtClient, arrays: &[u64]) -> Result<(), Status> {
        let gone = OldOrNewHandles { one: None, several: arrays.to_vec() };
        client.ask(RequestBody::DestructArray(gone)).await.map(|_| ())
    }
}

pub(super) fn at(version: ProxyVersion) -> Result<FamilyVersion<Ifrt>, Status> {
    let found = any_version().get(version.serdes.into());
    found.map_err(|error| Status::new(StatusCode::FailedPrecondition, error.to_string()))
}

fn unexpected() -> Status {
    Status::new(StatusCode::Internal, "the answer to another request")
}
