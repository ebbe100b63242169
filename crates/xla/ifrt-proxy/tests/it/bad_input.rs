//! What clients may get wrong, kind by kind, over the network: each is an error of its request, and the session
//! goes on. Versions, order and announced sizes are in `sessions.rs`, bytes that are no requests in `hostile.rs`,
//! a plug-in that ends the process in the tests of the command.

use std::time::Duration;

use crate::abacus::{NEWEST, Served, run};
use bytes::Bytes;
use unskew_ifrt::types::{Ifrt, Shape, any_version};
use unskew_ifrt_client::{Adder, ELEMENTS, IfrtClient};
use unskew_ifrt_proxy::ServerLimits;
use unskew_ifrt_proxy::messages::{
    Assemble, ByteStrides, CopyArrays, CopyToHost, Disassemble, Execute, FullyReplicatedShard,
    Handle, HandleList, OldOrNewHandles, RequestBody,
};
use unskew_ifrt_proxy::status::{Status, StatusCode};
use unskew_serdes::proto::encode;

fn row() -> Bytes {
    1.0_f32.to_ne_bytes().repeat(ELEMENTS).into()
}

/// Buffers that never come are not waited for.
fn limits() -> ServerLimits {
    ServerLimits { patience: Duration::from_millis(1), ..ServerLimits::default() }
}

/// Every request that names an array, a program or a future, with a handle that may be none.
fn with_handle(handle: u64) -> Vec<RequestBody> {
    let (array, result, executable) = (handle, 900, handle);
    let of = Handle { handle };
    let names = || OldOrNewHandles { one: None, several: vec![handle] };
    vec![
        RequestBody::CheckFuture(of),
        RequestBody::Assemble(Assemble { parts: vec![handle], result, ..Assemble::default() }),
        RequestBody::CopyToHost(CopyToHost { host_buffer: 901, array, byte_strides: None }),
        RequestBody::Disassemble(Disassemble {
            array,
            results: vec![result],
            ..Disassemble::default()
        }),
        RequestBody::CheckValueReady(HandleList { handles: vec![handle] }),
        RequestBody::DeleteArray(names()),
        RequestBody::IsArrayDeleted(of),
        RequestBody::ExecutableMetadata(of),
        RequestBody::Execute(Execute { executable, results: vec![result], ..Execute::default() }),
        RequestBody::DeleteExecutable(of),
        RequestBody::IsExecutableDeleted(of),
        RequestBody::FullyReplicatedShard(FullyReplicatedShard {
            array,
            copy_semantics: 0,
            result,
        }),
        RequestBody::CopyArrays(CopyArrays {
            arrays: vec![handle],
            results: vec![result],
            ..CopyArrays::default()
        }),
        RequestBody::CostAnalysis(of),
        RequestBody::ProgramText(of),
        RequestBody::FetchExecuteResult(of),
    ]
}

async fn works(client: &mut IfrtClient, adder: Adder) {
    adder.add(client, [1, 1], 2).await.unwrap();
    assert_eq!(adder.fetch(client, 2).await.unwrap().len(), ELEMENTS * 4);
    adder.forget(client, &[2]).await.unwrap();
}

async fn refused(client: &mut IfrtClient, ask: RequestBody) -> Status {
    let name = ask.name();
    let answer = client.ask(ask).await;
    answer.err().unwrap_or_else(|| panic!("{name} was done"))
}

#[test]
fn handles_that_are_not_there_are_errors_of_every_request() {
    let served = Served::with(limits());
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        adder.put(&mut client, 1, row()).await.unwrap();
        for handle in [0, 77, 1 << 62, (1 << 62) + 999, u64::MAX] {
            for ask in with_handle(handle) {
                if handle != adder.executable {
                    refused(&mut client, ask).await;
                }
            }
            works(&mut client, adder).await;
        }
    });
    served.empty();
}

#[test]
fn a_handle_of_one_kind_is_none_of_another() {
    let served = Served::with(limits());
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        adder.put(&mut client, 1, row()).await.unwrap();
        // A program where an array or a future is meant, and an array where a program is.
        for ask in with_handle(adder.executable) {
            match ask {
                RequestBody::ExecutableMetadata(_)
                | RequestBody::IsExecutableDeleted(_)
                | RequestBody::DeleteExecutable(_)
                | RequestBody::CostAnalysis(_)
                | RequestBody::ProgramText(_) => {}
                other => _ = refused(&mut client, other).await,
            }
        }
        for ask in with_handle(1) {
            let of_another_kind = matches!(
                ask,
                RequestBody::ExecutableMetadata(_)
                    | RequestBody::IsExecutableDeleted(_)
                    | RequestBody::DeleteExecutable(_)
                    | RequestBody::CostAnalysis(_)
                    | RequestBody::ProgramText(_)
                    | RequestBody::CheckFuture(_)
                    | RequestBody::FetchExecuteResult(_)
                    | RequestBody::Execute(_)
            );
            if of_another_kind {
                let _ = refused(&mut client, ask).await;
            }
        }
        works(&mut client, adder).await;
    });
    served.empty();
}

#[test]
fn a_buffer_that_is_missing_or_too_short_is_an_error_and_so_is_what_it_was_for() {
    let served = Served::with(limits());
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        adder.put(&mut client, 1, row()).await.unwrap();
        let make = Adder::array(NEWEST, 0, (5, 55)).unwrap();
        let missing = refused(&mut client, RequestBody::MakeArray(make.clone())).await;
        assert_eq!(missing.code, StatusCode::NotFound, "{missing}");
        assert_eq!(adder.fetch(&mut client, 5).await.unwrap_err(), missing);
        for length in [0, 1, ELEMENTS * 4 - 1] {
            client.store(55, vec![0; length].into()).await.unwrap();
            let short = refused(&mut client, RequestBody::MakeArray(make.clone())).await;
            assert_eq!(short.code, StatusCode::InvalidArgument, "{short}");
        }
        works(&mut client, adder).await;
    });
    served.empty();
}

#[test]
fn shapes_and_strides_that_cannot_be_are_errors() {
    let served = Served::with(limits());
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        adder.put(&mut client, 1, row()).await.unwrap();
        let version = any_version().get(0).unwrap();
        let huge = [&[i64::MAX][..], &[i64::MAX, i64::MAX], &[-1], &[1 << 40, 1 << 40, 0, -1]];
        for dims in huge {
            let mut make = Adder::array(NEWEST, 0, (6, 66)).unwrap();
            let shape = Shape { dims: dims.to_vec() };
            // What cannot be written a client would have to forge.
            let Ok(shape) = encode::<Ifrt, _>(&shape, version) else { continue };
            make.shape = shape.into();
            client.store(66, row()).await.unwrap();
            refused(&mut client, RequestBody::MakeArray(make)).await;
            _ = client.delete(client.session, 66).await;
        }
        for strides in [vec![i64::MAX], vec![i64::MIN], vec![-4], vec![], vec![4, 4], vec![1 << 50]]
        {
            let mut make = Adder::array(NEWEST, 0, (6, 66)).unwrap();
            make.byte_strides = Some(ByteStrides { strides });
            client.store(66, row()).await.unwrap();
            refused(&mut client, RequestBody::MakeArray(make)).await;
            _ = client.delete(client.session, 66).await;
        }
        works(&mut client, adder).await;
    });
    served.empty();
}

#[test]
fn a_client_that_goes_while_programs_run_leaves_nothing_and_others_go_on() {
    let served = Served::with(limits());
    run(async {
        let mut other = served.client().await;
        let others = Adder::compile(&mut other, 0).await.unwrap();
        others.put(&mut other, 1, row()).await.unwrap();
        for _ in 0..5 {
            let mut client = served.client().await;
            let adder = Adder::compile(&mut client, 0).await.unwrap();
            adder.put(&mut client, 1, row()).await.unwrap();
            for sum in 10..60 {
                let execute = Execute {
                    executable: adder.executable,
                    arguments: vec![1, 1],
                    results: vec![sum],
                    ..Execute::default()
                };
                client.send(RequestBody::Execute(execute)).unwrap();
                let copy = CopyToHost { host_buffer: sum, array: sum, byte_strides: None };
                client.send(RequestBody::CopyToHost(copy)).unwrap();
            }
            // Gone with a hundred requests on their way, and nobody to read the answers.
            drop(client);
            works(&mut other, others).await;
        }
        drop(other);
    });
    served.empty();
}
