//! Whatever a client sends, it gets answers, others notice nothing, and nothing is left of it.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::abacus::{self, NEWEST, Served, plugin, run};
use bytes::Bytes;
use proptest::prelude::*;
use unskew_ifrt_client::{Adder, ELEMENTS, Hostile, IfrtClient};
use unskew_ifrt_proxy::messages::{ProxyVersion, Request, RequestMetadata};
use unskew_ifrt_proxy::status::StatusCode;
use unskew_ifrt_proxy::{ServedPlatform, ServerLimits, play};
use unskew_pjrt::Plugin;

/// Buffers that a request names never come, so nobody waits long for them.
fn limits() -> ServerLimits {
    ServerLimits {
        patience: Duration::from_millis(1),
        session_bytes: 16 << 20,
        handles: 64,
        ..ServerLimits::default()
    }
}

fn row(value: f32) -> Bytes {
    value.to_ne_bytes().repeat(ELEMENTS).into()
}

static SERVED: LazyLock<Served> = LazyLock::new(|| Served::with(limits()));

static PLATFORM: LazyLock<Arc<ServedPlatform>> = LazyLock::new(|| {
    let client = Plugin::load(plugin()).unwrap().create_client(&[]).unwrap();
    Arc::new(ServedPlatform::new(client).unwrap())
});

fn versions() -> impl Strategy<Value = ProxyVersion> {
    let version = |(protocol, serdes)| ProxyVersion { protocol, serdes };
    prop_oneof![Just((3, 0)), Just((14, 0)), Just((16, 0)), Just((25, 3))].prop_map(version)
}

/// The requests, numbered anew.
fn numbered(requests: Vec<Request>) -> Vec<Request> {
    let number = |(at, mut request): (usize, Request)| {
        let op_id = 1000 + at as u64;
        request.metadata = Some(RequestMetadata { op_id, ..RequestMetadata::default() });
        request
    };
    requests.into_iter().enumerate().map(number).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_requests_over_the_network_are_all_answered_and_hurt_nobody(
        version in versions(),
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
    ) {
        run(async {
            let mut other = SERVED.client().await;
            let adder = Adder::compile(&mut other, 0).await.unwrap();
            adder.put(&mut other, 1, row(1.0)).await.unwrap();

            let mut client = IfrtClient::connect(&SERVED.address(), version).await.unwrap();
            client.init().await.unwrap();
            for handle in 1..4 {
                client.store(handle, row(1.0)).await.unwrap();
            }
            let requests = numbered(Hostile::new(version).requests(&bytes));
            let count = requests.len();
            requests.into_iter().for_each(|request| client.send_raw(request).unwrap());
            for _ in 0..count {
                let (op_id, _) = client.receive().await.unwrap();
                assert!((1000..1000 + count as u64).contains(&op_id));
            }
            adder.add(&mut other, [1, 1], 2).await.unwrap();
            assert_eq!(adder.fetch(&mut other, 2).await.unwrap(), row(2.0));
        });
        SERVED.empty();
    }

    #[test]
    fn random_requests_to_a_session_are_all_answered(
        version in versions(),
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let _entered = runtime.enter();
        let requests = numbered(Hostile::new(version).requests(&bytes));
        let count = requests.len();
        let responses = play(&PLATFORM, limits(), version, requests).unwrap();
        prop_assert_eq!(responses.len(), count + 1);
        for response in responses {
            let metadata = response.metadata.unwrap();
            prop_assert_eq!(metadata.status.is_some(), response.answer.is_none());
        }
    }
}

#[test]
fn bytes_that_are_no_request_end_their_session_with_a_word_and_no_other() {
    let served = Served::with(limits());
    run(async {
        let mut other = served.client().await;
        let mut client = served.client().await;
        // The first field of a request is a message, and this is none.
        let told = client.send_garbage(Bytes::from_static(&[0xff; 40])).await.unwrap_err();
        assert_eq!(told.code, StatusCode::InvalidArgument);
        assert!(told.message.contains("cannot be read"), "{told}");
        client.init().await.unwrap();
        other.init().await.unwrap();
        drop(other);
    });
    served.empty();
}

#[test]
fn a_request_that_is_too_large_is_refused_with_both_sizes() {
    let served = Served::with(ServerLimits { request_bytes: 4096, ..limits() });
    run(async {
        let mut client = served.client().await;
        let mut compile = Adder::request(NEWEST).unwrap();
        compile.program = vec![7; 5000].into();
        let ask = unskew_ifrt_proxy::messages::RequestBody::Compile(compile);
        let told = client.ask(ask).await.unwrap_err();
        assert_eq!(told.code, StatusCode::ResourceExhausted);
        assert!(told.message.contains("4096"), "{told}");
    });
    served.empty();
}

#[test]
fn a_client_that_goes_in_the_middle_of_a_buffer_leaves_nothing() {
    let served = Served::with(limits());
    run(async {
        let client = served.client().await;
        // Most of it never comes.
        let begun = client.begin_store(1, 8 << 20, row(1.0)).await.unwrap();
        abacus::eventually(|| served.bytes() == 8 << 20, || "no room was taken".to_owned());
        drop((begun, client));
    });
    served.empty();
}

#[test]
fn who_connects_and_says_nothing_keeps_nobody_out() {
    let served = Served::with(ServerLimits { connections: 16, ..limits() });
    run(async {
        let connect = || std::net::TcpStream::connect(served.at).unwrap();
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        adder.put(&mut client, 1, row(1.0)).await.unwrap();
        let idle: Vec<_> = (0..500).map(|_| connect()).collect();
        // A session stays, and another one begins.
        adder.add(&mut client, [1, 1], 2).await.unwrap();
        assert_eq!(adder.fetch(&mut client, 2).await.unwrap(), row(2.0));
        let mut other = served.client().await;
        Adder::compile(&mut other, 0).await.unwrap();
        assert!(served.http("/healthz", "localhost").0.contains("200"));
        let more: Vec<_> = (0..100).map(|_| connect()).collect();
        assert_eq!(adder.fetch(&mut client, 2).await.unwrap(), row(2.0));
        drop((idle, more));
    });
    served.empty();
}
