//! Requests that JAX on one machine seldom sends, word for word: a client of our own on a real plug-in with
//! four devices. What cannot be done is answered with a status, and the session goes on.

use std::path::PathBuf;
use std::process::Command;

use bytes::Bytes;
use unskew_ifrt::types::{
    ArraySpec, CompactLayout, DType, DTypeKind, DeviceList, ExecuteOptions, HloProgram,
    HloSharding, Ifrt, Layout, Mapping, RemapPlan, Serialized, Shape, Sharding,
    SingleDeviceSharding, any_version,
};
use unskew_ifrt_client::{Adder, ELEMENTS, IfrtClient};
use unskew_ifrt_proxy::messages::{
    CopyArrays, CopyToHost, DefaultDeviceAssignment, Disassemble, Execute, FullyReplicatedShard,
    Handle, HandleList, MakeArray, MakeArraysFromShards, MakeErrorArrays, OldReshard, ProxyVersion,
    Remap, RequestBody, Respec, ResponseBody, ShardBuffer, ShardIndices, ShardsSpec, StatusMessage,
};
use unskew_ifrt_proxy::status::{Status, StatusCode};
use unskew_jax_matrix::{CorpusPlugin, PLUGINS, ProxyServer};
use unskew_serdes::proto::{Message, encode};

const NEWEST: ProxyVersion = ProxyVersion { protocol: 25, serdes: 3 };
const DIMS: [i64; 2] = [4, 4];

fn bytes(value: &impl Message<Ifrt>) -> Bytes {
    encode(value, any_version().get(0).unwrap()).unwrap().into()
}

/// An `xla.OpSharding` of these tiles on devices in their order; no tiles, a copy on each.
fn tiles(counts: &[u8]) -> Vec<u8> {
    if counts.is_empty() {
        return Vec::new();
    }
    let mut message = vec![8, 3, 0x1a, u8::try_from(counts.len()).unwrap()];
    message.extend_from_slice(counts);
    message.extend_from_slice(&[0x4a, 1, counts.iter().product(), 0x52, 1, 0]);
    message
}

fn spread(devices: &[i32], counts: &[u8]) -> Sharding {
    Sharding::Hlo(HloSharding {
        devices: DeviceList { device_ids: devices.to_vec() },
        xla_op_sharding: tiles(counts).into(),
        memory_kind: None,
    })
}

fn on(device_id: i32) -> Sharding {
    Sharding::SingleDevice(SingleDeviceSharding { device_id, memory_kind: None })
}

fn spec(kind: DTypeKind, dims: &[i64], sharding: Sharding) -> ArraySpec {
    let shape = Shape { dims: dims.to_vec() };
    ArraySpec { dtype: DType::from(kind), shape, sharding, layout: None }
}

/// Sixteen numbers from 0 on.
fn numbers() -> Vec<u8> {
    (0..16_u8).flat_map(|number| f32::from(number).to_ne_bytes()).collect()
}

fn read(data: &[u8]) -> Vec<f32> {
    data.chunks(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap())).collect()
}

/// The array of 16 numbers in four rows, a device each, under a handle.
async fn rows(client: &mut IfrtClient, handle: u64) {
    let data = numbers();
    let buffer = |at: usize| ShardBuffer {
        dtype: bytes(&DType::from(DTypeKind::F32)),
        shape: bytes(&Shape { dims: vec![1, 4] }),
        host_buffer: handle + 100 + at as u64,
        byte_strides: None,
    };
    let spec = ShardsSpec {
        shard_indices: (0..4).map(|at| ShardIndices { indices: vec![at] }).collect(),
        host_buffers: (0..4).map(buffer).collect(),
        array_spec: bytes(&spec(DTypeKind::F32, &DIMS, spread(&[0, 1, 2, 3], &[4, 1]))),
    };
    let ask = MakeArraysFromShards { specs: vec![spec], arrays: vec![handle] };
    let op_id = client.send(RequestBody::MakeArraysFromShards(ask)).unwrap();
    for at in 0..4 {
        let part = Bytes::copy_from_slice(&data[at * 16..at * 16 + 16]);
        client.store(handle + 100 + at as u64, part).await.unwrap();
    }
    client.answer(op_id).await.unwrap();
}

async fn fetched(client: &mut IfrtClient, array: u64) -> Vec<f32> {
    let copy = CopyToHost { host_buffer: array, array, byte_strides: None };
    client.ask(RequestBody::CopyToHost(copy)).await.unwrap();
    read(&client.look_up(client.session, array).await.unwrap())
}

fn resharded(array: u64, to: Sharding, result: u64) -> RequestBody {
    RequestBody::Reshard(Respec {
        arrays: vec![array],
        array_specs: vec![bytes(&spec(DTypeKind::F32, &DIMS, to))],
        copy_semantics: 1,
        results: vec![result],
    })
}

/// A server in a process of its own, whose plug-in then has four devices.
fn server() -> ProxyServer {
    server_with(&PLUGINS[2])
}

fn server_with(plugin: &CorpusPlugin) -> ProxyServer {
    let test = std::env::current_exe().unwrap();
    let example: PathBuf = test.ancestors().nth(2).unwrap().join("examples/serve");
    assert!(example.exists(), "`cargo build --examples -p unskew-ifrt-proxy` makes {example:?}");
    ProxyServer::start(Command::new(example).arg(plugin.path())).unwrap()
}

async fn client(server: &ProxyServer, version: ProxyVersion) -> IfrtClient {
    let mut client = IfrtClient::connect(server.address(), version).await.unwrap();
    client.init().await.unwrap();
    client
}

fn run(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build().unwrap().block_on(test);
}

#[test]
fn arrays_are_cut_anew_and_put_together() {
    let server = server();
    run(async {
        let mut client = client(&server, NEWEST).await;
        rows(&mut client, 1).await;
        client.ask(resharded(1, spread(&[3, 2, 1, 0], &[2, 2]), 2)).await.unwrap();
        let parts = Disassemble {
            array: 2,
            copy_semantics: 2,
            results: vec![3, 4, 5, 6],
            ..Default::default()
        };
        client.ask(RequestBody::Disassemble(parts)).await.unwrap();
        assert_eq!(fetched(&mut client, 4).await, [2.0, 3.0, 6.0, 7.0]);
        assert_eq!(fetched(&mut client, 5).await, [8.0, 9.0, 12.0, 13.0]);
        client.ask(resharded(2, spread(&[0, 1, 2, 3], &[]), 7)).await.unwrap();
        let one = FullyReplicatedShard { array: 7, copy_semantics: 2, result: 8 };
        client.ask(RequestBody::FullyReplicatedShard(one)).await.unwrap();
        assert_eq!(fetched(&mut client, 8).await, read(&numbers()));
        client.ask(resharded(2, on(2), 9)).await.unwrap();
        assert_eq!(fetched(&mut client, 9).await, read(&numbers()));
        let wrong = client.ask(resharded(2, spread(&[0, 1], &[3, 1]), 10)).await.unwrap_err();
        assert_eq!(wrong.code, StatusCode::InvalidArgument, "{wrong}");
        // What was to be made stands for the error.
        let copy = CopyToHost { host_buffer: 10, array: 10, byte_strides: None };
        assert_eq!(client.ask(RequestBody::CopyToHost(copy)).await.unwrap_err(), wrong);
    });
}

#[test]
fn a_plan_moves_shards_and_none_that_do_not_fit() {
    let server = server();
    run(async {
        let mut client = client(&server, NEWEST).await;
        rows(&mut client, 1).await;
        let plan = |kind, dims: &[i64]| RemapPlan {
            input_specs: vec![spec(DTypeKind::F32, &DIMS, spread(&[0, 1, 2, 3], &[4, 1]))],
            output_specs: vec![spec(kind, dims, spread(&[1, 2], &[2, 1]))],
            mappings: vec![Mapping {
                from_start: vec![1],
                from_end: vec![3],
                from_step: vec![1],
                to_start: vec![0],
                to_end: vec![2],
                to_step: vec![1],
                ..Mapping::default()
            }],
            ..RemapPlan::default()
        };
        let ask = |plan: &RemapPlan, result| {
            RequestBody::Remap(Remap {
                plan: bytes(plan),
                arrays: vec![1],
                copy_semantics: 2,
                results: vec![result],
            })
        };
        client.ask(ask(&plan(DTypeKind::F32, &[2, 4]), 2)).await.unwrap();
        client.ask(resharded_rows(2, 3)).await.unwrap();
        let wanted: Vec<f32> = read(&numbers())[4..12].to_vec();
        assert_eq!(fetched(&mut client, 3).await, wanted);
        for wrong in [plan(DTypeKind::S32, &[2, 4]), plan(DTypeKind::F32, &[4, 4])] {
            let refused = client.ask(ask(&wrong, 4)).await.unwrap_err();
            assert_eq!(refused.code, StatusCode::InvalidArgument, "{refused}");
        }
    });
}

fn resharded_rows(array: u64, result: u64) -> RequestBody {
    RequestBody::Reshard(Respec {
        arrays: vec![array],
        array_specs: vec![bytes(&spec(DTypeKind::F32, &[2, 4], on(0)))],
        copy_semantics: 1,
        results: vec![result],
    })
}

/// The first dialect: handles of the server's, XLA's own execute options, a status of every run.
#[test]
fn a_client_of_protocol_four_runs_a_program_and_moves_an_array() {
    let server = server();
    run(async {
        let mut client = client(&server, ProxyVersion { protocol: 4, serdes: 0 }).await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        let data: Vec<u8> = (0..ELEMENTS).flat_map(|_| 1.5_f32.to_ne_bytes()).collect();
        adder.put(&mut client, 1, data.into()).await.unwrap();
        // Untupled results, a number of the run, strict shape checking, arguments that stay.
        let options = Bytes::from_static(&[0x10, 1, 0x18, 7, 0x20, 1, 0x3a, 1, 0]);
        let execute = Execute {
            executable: adder.executable,
            arguments: vec![1, 1],
            options: Some(options),
            ..Execute::default()
        };
        let ResponseBody::Execute(done) = client.ask(RequestBody::Execute(execute)).await.unwrap()
        else {
            panic!()
        };
        client.ask(RequestBody::CheckFuture(Handle { handle: done.status })).await.unwrap();
        let sum = done.outputs[0].array;
        let moved = OldReshard { array: sum, sharding: bytes(&on(1)), copy_semantics: 1 };
        let ResponseBody::OldReshard(moved) =
            client.ask(RequestBody::OldReshard(moved)).await.unwrap()
        else {
            panic!()
        };
        let found = read(&adder.fetch(&mut client, moved.handle).await.unwrap());
        assert!(found.len() == ELEMENTS && found.iter().all(|value| *value == 3.0));
    });
}

#[test]
fn a_run_has_the_status_and_the_arguments_that_were_asked_for() {
    let server = server();
    run(async {
        let mut client = client(&server, NEWEST).await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        let data: Vec<u8> = (0..ELEMENTS).flat_map(|_| 2.0_f32.to_ne_bytes()).collect();
        adder.put(&mut client, 1, data.into()).await.unwrap();
        let options = ExecuteOptions {
            non_donatable_input_indices: vec![0, 1],
            fill_status: true,
            ..ExecuteOptions::default()
        };
        let execute = Execute {
            executable: adder.executable,
            arguments: vec![1, 1],
            options: Some(bytes(&options)),
            results: vec![2],
            status: 3,
            ..Execute::default()
        };
        client.ask(RequestBody::Execute(execute)).await.unwrap();
        client.ask(RequestBody::FetchExecuteResult(Handle { handle: 3 })).await.unwrap();
        assert_eq!(read(&adder.fetch(&mut client, 2).await.unwrap())[0], 4.0);
        let ResponseBody::IsArrayDeleted(deleted) =
            client.ask(RequestBody::IsArrayDeleted(Handle { handle: 1 })).await.unwrap()
        else {
            panic!()
        };
        assert!(!deleted.is);
    });
}

#[test]
fn arrays_of_an_error_yield_it_at_every_use() {
    let server = server();
    run(async {
        let mut client = client(&server, NEWEST).await;
        let made = MakeErrorArrays {
            error: Some(StatusMessage { code: 10, message: "the cause".to_owned() }),
            array_specs: vec![bytes(&spec(DTypeKind::F32, &DIMS, on(0)))],
            arrays: vec![1],
        };
        client.ask(RequestBody::MakeErrorArrays(made)).await.unwrap();
        let ready = client.ask(RequestBody::CheckValueReady(HandleList { handles: vec![1] })).await;
        let error = ready.unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (StatusCode::Aborted, "the cause"));
        let moved = client.ask(resharded(1, on(1), 2)).await.unwrap_err();
        assert_eq!(moved, error);
        let used = client
            .ask(RequestBody::CheckValueReady(HandleList { handles: vec![2] }))
            .await
            .unwrap_err();
        assert_eq!(used, error);
    });
}

#[test]
fn what_the_plug_in_has_no_words_for_is_refused_and_the_session_goes_on() {
    let server = server();
    run(async {
        let mut client = client(&server, NEWEST).await;
        let assignment = |replicas, partitions| {
            RequestBody::DefaultDeviceAssignment(DefaultDeviceAssignment { replicas, partitions })
        };
        let ResponseBody::DefaultDeviceAssignment(two) =
            client.ask(assignment(2, 2)).await.unwrap()
        else {
            panic!()
        };
        assert!(two.assignment.is_some_and(|message| !message.is_empty()));
        for (replicas, partitions) in [(0, 1), (5, 1), (u64::MAX, 2)] {
            let refused = client.ask(assignment(replicas, partitions)).await.unwrap_err();
            assert_eq!(refused.code, StatusCode::InvalidArgument, "{refused}");
        }
        rows(&mut client, 1).await;
        client.ask(resharded(1, on(0), 2)).await.unwrap();
        assert_eq!(fetched(&mut client, 2).await, read(&numbers()));
    });
}

/// An array of one host buffer under this handle, and its answer.
async fn put(client: &mut IfrtClient, ask: MakeArray, data: Bytes) -> Result<ResponseBody, Status> {
    let handle = ask.host_buffer;
    let op_id = client.send(RequestBody::MakeArray(ask)).unwrap();
    client.store(handle, data).await.unwrap();
    client.answer(op_id).await
}

/// The layout with these axes, as it is written since SerDes version 1.
fn layout(major_to_minor: &[i32]) -> Bytes {
    let layout = Layout::Compact(CompactLayout { major_to_minor: major_to_minor.to_vec() });
    encode(&layout, any_version().get(1).unwrap()).unwrap().into()
}

/// JAX lays arrays out by programs, so none of its releases up to 0.12.0 sends a layout with host data.
#[test]
fn host_data_lie_on_the_device_as_the_client_asks() {
    for plugin in [&PLUGINS[0], &PLUGINS[2]] {
        let server = server_with(plugin);
        run(async {
            let mut client = client(&server, NEWEST).await;
            let ask = |handle: u64, major_to_minor: &[i32]| MakeArray {
                dtype: bytes(&DType::from(DTypeKind::F32)),
                shape: bytes(&Shape { dims: vec![2, 8] }),
                sharding: bytes(&on(0)),
                host_buffer: handle,
                array: Some(handle),
                layout: Some(layout(major_to_minor)),
                ..MakeArray::default()
            };
            put(&mut client, ask(1, &[0, 1]), numbers().into()).await.unwrap();
            assert_eq!(fetched(&mut client, 1).await, read(&numbers()));
            // A plug-in that lays it out otherwise all the same is not believed.
            match put(&mut client, ask(2, &[1, 0]), numbers().into()).await {
                Ok(_) => {
                    assert_eq!(fetched(&mut client, 2).await, read(&numbers()));
                    let copy = CopyArrays {
                        arrays: vec![2],
                        device_ids: vec![1],
                        results: vec![3],
                        ..CopyArrays::default()
                    };
                    client.ask(RequestBody::CopyArrays(copy)).await.unwrap();
                    assert_eq!(fetched(&mut client, 3).await, read(&numbers()));
                }
                Err(refused) => assert_eq!(refused.code, StatusCode::Unimplemented, "{refused}"),
            }
            for wrong in [&[0][..], &[0, 0], &[0, 2]] {
                let refused = put(&mut client, ask(4, wrong), numbers().into()).await.unwrap_err();
                assert_eq!(refused.code, StatusCode::InvalidArgument, "{refused}");
            }
        });
    }
}

#[test]
fn texts_are_kept_and_no_program_takes_them() {
    let server = server();
    run(async {
        let mut client = client(&server, NEWEST).await;
        let ask = |handle: u64, dims: &[i64], sharding: Sharding| MakeArray {
            dtype: bytes(&DType::from(DTypeKind::String)),
            shape: bytes(&Shape { dims: dims.to_vec() }),
            sharding: bytes(&sharding),
            host_buffer: handle,
            array: Some(handle),
            ..MakeArray::default()
        };
        let words = Bytes::from_static(b"\x0a\x01a\x0a\x02\xc3\xa9");
        put(&mut client, ask(1, &[2], on(0)), words.clone()).await.unwrap();
        let copy = CopyToHost { host_buffer: 9, array: 1, byte_strides: None };
        client.ask(RequestBody::CopyToHost(copy)).await.unwrap();
        assert_eq!(client.look_up(client.session, 9).await.unwrap(), words);
        client.ask(RequestBody::CheckValueReady(HandleList { handles: vec![1] })).await.unwrap();
        for (dims, sharding, code) in [
            (&[3][..], on(0), StatusCode::InvalidArgument),
            (&[-2], on(0), StatusCode::InvalidArgument),
            (&[2], spread(&[0, 1], &[]), StatusCode::FailedPrecondition),
        ] {
            let refused =
                put(&mut client, ask(2, dims, sharding), words.clone()).await.unwrap_err();
            assert_eq!(refused.code, code, "{refused}");
        }
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        let execute = Execute {
            executable: adder.executable,
            arguments: vec![1, 1],
            options: Some(bytes(&ExecuteOptions::default())),
            results: vec![3],
            ..Execute::default()
        };
        let refused = client.ask(RequestBody::Execute(execute)).await.unwrap_err();
        assert_eq!(refused.code, StatusCode::Unimplemented, "{refused}");
        assert!(refused.message.contains("argument 0: arrays of texts"), "{refused}");
    });
}

/// A program that uses `composite`, which came with StableHLO 1.14.0, on the plug-in of 1.13.3.
#[test]
fn a_program_too_new_for_the_plug_in_is_refused_with_a_finding() {
    let server = server_with(&PLUGINS[0]);
    run(async {
        let mut client = client(&server, NEWEST).await;
        let artifact = include_bytes!("../data/composite-1.14.0.stablehlo");
        let program = Serialized::HloProgram(HloProgram::new(artifact.to_vec()).unwrap());
        let mut compile = Adder::request(NEWEST).unwrap();
        compile.program = bytes(&program);
        let refused = client.ask(RequestBody::Compile(compile.clone())).await.unwrap_err();
        for line in [
            "finding: SH001 newer-than-the-reader",
            "program: StableHLO 1.14.0",
            "plug-in: StableHLO 1.13.3",
            "explain: unskew explain SH001",
        ] {
            assert!(refused.message.lines().any(|found| found == line), "{refused}");
        }
        Adder::compile(&mut client, 0).await.unwrap();
    });
}

#[test]
fn every_request_has_a_row_in_the_table() {
    let table = unskew_peers::root().join("docs/reference/ifrt-requests.md");
    let table = std::fs::read_to_string(table).unwrap();
    let rows: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    for name in RequestBody::NAMES {
        assert_eq!(rows.iter().filter(|row| *row == name).count(), 1, "{name}");
    }
    assert_eq!(rows.len(), RequestBody::NAMES.len() + 6, "requests and calls");
}
