//! The server's own life: it stops gracefully, and says over HTTP and gRPC how it is.

use std::time::{Duration, Instant};

use crate::abacus::{NEWEST, Served, eventually, run};
use bytes::Bytes;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use unskew_ifrt_client::{Adder, ELEMENTS, IfrtClient, LoadTest, load};
use unskew_ifrt_proxy::ServerLimits;
use unskew_ifrt_proxy::messages::{CopyToHost, RequestBody};
use unskew_ifrt_proxy::status::StatusCode;

fn row(value: f32) -> Bytes {
    value.to_ne_bytes().repeat(ELEMENTS).into()
}

#[test]
fn a_server_that_stops_finishes_what_is_in_flight_and_tells_clients() {
    let mut served = Served::with(ServerLimits::default());
    run(async {
        let mut busy = served.client().await;
        let adder = Adder::compile(&mut busy, 0).await.unwrap();
        adder.put(&mut busy, 1, row(1.0)).await.unwrap();
        let mut idle = served.client().await;
        // This waits for a buffer that comes only after the server is told to stop.
        let make =
            busy.send(RequestBody::MakeArray(Adder::array(NEWEST, 0, (2, 2)).unwrap())).unwrap();
        let copy = CopyToHost { host_buffer: 3, array: 2, byte_strides: None };
        let copy = busy.send(RequestBody::CopyToHost(copy)).unwrap();
        eventually(|| served.server.ongoing()[0].in_flight() == 2, || "not asked".to_owned());
        served.stop();
        eventually(|| !served.server.is_ready(), || "not stopping".to_owned());

        // Who has nothing to wait for is told at once; nobody new is let in.
        let told = idle.receive().await.unwrap_err();
        assert_eq!(told.code, StatusCode::Unavailable);
        assert!(told.message.contains("stopping"), "{told}");
        let refused = IfrtClient::begin(busy.channel(), NEWEST).await.unwrap_err();
        assert_eq!(refused.code, StatusCode::Unavailable);
        assert!(served.http("/readyz", "localhost").0.contains("503"));
        assert!(served.http("/healthz", "localhost").0.contains("200"));

        busy.store(2, row(2.0)).await.unwrap();
        busy.answer(make).await.unwrap();
        busy.answer(copy).await.unwrap();
        // What was asked for is fetched before the session ends.
        assert_eq!(busy.look_up(busy.session, 3).await.unwrap(), row(2.0));
        busy.delete(busy.session, 3).await.unwrap();
        assert_eq!(busy.receive().await.unwrap_err().code, StatusCode::Unavailable);
    });
    served.ended();
    served.empty();
}

#[test]
fn a_server_that_stops_waits_no_longer_than_the_time_of_grace() {
    let grace = Duration::from_millis(200);
    let mut served = Served::with(ServerLimits { grace, ..ServerLimits::default() });
    let begun = Instant::now();
    run(async {
        let mut client = served.client().await;
        // Its buffer never comes, for which the server would wait a minute.
        client.send(RequestBody::MakeArray(Adder::array(NEWEST, 0, (2, 2)).unwrap())).unwrap();
        eventually(|| served.server.ongoing()[0].in_flight() == 1, || "not asked".to_owned());
        served.stop();
        let told = loop {
            match client.receive().await {
                // The request is given up when the session is.
                Ok((_, answer)) => assert_eq!(answer.unwrap_err().code, StatusCode::Cancelled),
                Err(told) => break told,
            }
        };
        assert_eq!(told.code, StatusCode::Unavailable);
    });
    served.ended();
    served.empty();
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_server_tells_how_it_is() {
    let served = Served::with(ServerLimits::default());
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        adder.put(&mut client, 1, row(1.0)).await.unwrap();
        adder.fetch(&mut client, 99).await.unwrap_err();
        let get = |path: &str| served.http(path, "127.0.0.1:80");
        assert!(get("/healthz").0.contains("200"));
        assert!(get("/readyz").1.ends_with("ready\n"));
        assert!(get("/nothing").0.contains("404"));
        let metrics = get("/metrics").1;
        for line in [
            "unskew_sessions 1\n",
            "unskew_devices 1\n",
            "unskew_session_bytes{place=\"device\"} 65536\n",
            "unskew_session_bytes{place=\"host\"} 0\n",
            "unskew_requests_total{kind=\"compile_request\",code=\"OK\"} 1\n",
            "unskew_requests_total{kind=\"copy_to_host_buffer_request\",code=\"NOT_FOUND\"} 1\n",
            "unskew_request_duration_seconds_count{kind=\"init_request\"} 1\n",
            "# EOF\n",
        ] {
            assert!(metrics.contains(line), "{line}{metrics}");
        }
        let page = get("/").1;
        assert!(page.contains("compile_request") && page.contains("64.0 KiB"), "{page}");
        // The number of a session is its secret.
        assert!(!page.contains(&client.session.to_string()));
        assert!(!page.contains(&format!("{:x}", client.session)));
        // A page from elsewhere, whose name leads here, reads nothing.
        let (status, text) = served.http("/", "evil.example");
        assert!(status.contains("421") && !text.contains("abacus"), "{text}");

        let mut health = HealthClient::new(client.channel());
        for service in ["", "xla.ifrt.proxy.GrpcIfrtService"] {
            let asked = HealthCheckRequest { service: service.to_owned() };
            assert_eq!(health.check(asked).await.unwrap().into_inner().status, 1);
        }
    });
    served.empty();
}

#[test]
fn ten_clients_at_once_have_no_error_and_leave_nothing() {
    let served = Served::with(ServerLimits::default());
    run(async {
        let time = Duration::from_secs(5);
        let outcome = load(&LoadTest { address: served.address(), clients: 10, time }).await;
        assert_eq!(outcome.errors, []);
        assert!(outcome.steps.len() >= 10, "{} steps", outcome.steps.len());
    });
    served.empty();
}
