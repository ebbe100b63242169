//! Sessions beside each other: what one has is no other's, and what is too much is refused.

use std::time::Duration;

use crate::abacus::{NEWEST, Served, eventually, run};
use bytes::Bytes;
use unskew_ifrt_client::{Adder, ELEMENTS, IfrtClient};
use unskew_ifrt_proxy::ServerLimits;
use unskew_ifrt_proxy::messages::{
    Empty, Handle, HandleList, OldOrNewHandles, ProxyVersion, Request, RequestBody, ResponseBody,
    StoreMetadata,
};
use unskew_ifrt_proxy::status::StatusCode;

const ROW: usize = ELEMENTS * 4;

fn row(value: f32) -> Bytes {
    value.to_ne_bytes().repeat(ELEMENTS).into()
}

#[test]
fn a_session_never_touches_what_another_has() {
    let served = Served::with(ServerLimits::default());
    run(async {
        let (mut one, mut two) = (served.client().await, served.client().await);
        let adder = Adder::compile(&mut one, 0).await.unwrap();
        adder.put(&mut one, 1, row(1.0)).await.unwrap();
        adder.put(&mut one, 2, row(2.0)).await.unwrap();
        one.store(7, row(7.0)).await.unwrap();

        // The arrays and the program of the one are nothing to the other.
        let handle = Handle { handle: 1 };
        for ask in [
            RequestBody::IsArrayDeleted(handle),
            RequestBody::CheckValueReady(HandleList { handles: vec![1] }),
            RequestBody::ExecutableMetadata(Handle { handle: adder.executable }),
            RequestBody::DeleteArray(OldOrNewHandles { one: Some(1), several: vec![2] }),
        ] {
            assert_eq!(two.ask(ask).await.unwrap_err().code, StatusCode::NotFound);
        }
        assert_eq!(adder.add(&mut two, [1, 2], 3).await.unwrap_err().code, StatusCode::NotFound);
        // Neither are its host buffers, under its own number or one near the other's.
        for session in [two.session, one.session.wrapping_add(1), one.session ^ 1, 0, u64::MAX] {
            assert_eq!(two.look_up(session, 7).await.unwrap_err().code, StatusCode::NotFound);
        }
        // What the other lets go of the one keeps.
        adder.forget(&mut two, &[1, 2]).await.unwrap();
        two.delete(two.session, 7).await.unwrap();
        adder.add(&mut one, [1, 2], 3).await.unwrap();
        assert_eq!(adder.fetch(&mut one, 3).await.unwrap(), row(3.0));
        assert_eq!(one.look_up(one.session, 7).await.unwrap(), row(7.0));
    });
    served.empty();
}

#[test]
fn requests_are_answered_in_their_order_though_nobody_waits() {
    let served = Served::with(ServerLimits::default());
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        let mut sent = Vec::new();
        for handle in 1..200 {
            client.store(handle, row(1.0)).await.unwrap();
            let make = Adder::array(NEWEST, 0, (handle, handle)).unwrap();
            sent.push(client.send(RequestBody::MakeArray(make)).unwrap());
            sent.push(client.send(RequestBody::IsArrayDeleted(Handle { handle })).unwrap());
        }
        for op_id in sent {
            let (answered, answer) = client.receive().await.unwrap();
            assert_eq!((answered, answer.is_ok()), (op_id, true));
        }
        adder.add(&mut client, [1, 199], 200).await.unwrap();
        assert_eq!(adder.fetch(&mut client, 200).await.unwrap(), row(2.0));
    });
    served.empty();
}

#[test]
fn what_a_failed_request_was_to_make_stands_for_its_error() {
    let served = Served::with(ServerLimits {
        patience: Duration::from_millis(10),
        ..ServerLimits::default()
    });
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        adder.put(&mut client, 1, row(1.0)).await.unwrap();
        // Nobody sends the buffer. All are sent before the first answer comes.
        let make = Adder::array(NEWEST, 0, (2, 77)).unwrap();
        let made = client.send(RequestBody::MakeArray(make)).unwrap();
        let error = client.answer(made).await.unwrap_err();
        assert_eq!(error.code, StatusCode::NotFound);
        assert!(error.message.contains("77"), "{error}");
        assert_eq!(adder.add(&mut client, [1, 2], 3).await.unwrap_err(), error);
        assert_eq!(adder.add(&mut client, [3, 1], 4).await.unwrap_err(), error);
        assert_eq!(adder.fetch(&mut client, 4).await.unwrap_err(), error);
        // The session goes on.
        adder.add(&mut client, [1, 1], 5).await.unwrap();
        assert_eq!(adder.fetch(&mut client, 5).await.unwrap(), row(2.0));
    });
    served.empty();
}

#[test]
fn more_sessions_than_there_may_be_are_refused_with_the_number() {
    let served = Served::with(ServerLimits { sessions: 1, ..ServerLimits::default() });
    run(async {
        let one = served.client().await;
        let refused = served.connect().await.unwrap_err();
        assert_eq!(refused.code, StatusCode::ResourceExhausted);
        assert!(refused.message.contains("1 sessions at once, and has so many: 1"), "{refused}");
        drop(one);
        served.empty();
        served.client().await;
    });
}

#[test]
fn more_bytes_than_a_session_may_have_are_refused_with_the_numbers() {
    let limit = 3 * ROW as u64;
    let served = Served::with(ServerLimits { session_bytes: limit, ..ServerLimits::default() });
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        for handle in 1..4 {
            adder.put(&mut client, handle, row(1.0)).await.unwrap();
        }
        let refused = client.store(4, row(1.0)).await.unwrap_err();
        assert_eq!(refused.code, StatusCode::ResourceExhausted);
        for words in [limit.to_string(), format!("would have so many more: {ROW}")] {
            assert!(refused.message.contains(&words), "{refused}");
        }
        // The result of a program counts as well, and is poisoned.
        let refused = adder.add(&mut client, [1, 2], 4).await.unwrap_err();
        assert_eq!(refused.code, StatusCode::ResourceExhausted);
        assert_eq!(adder.fetch(&mut client, 4).await.unwrap_err(), refused);
        // What was deleted has no bytes, though it has a handle.
        let gone = OldOrNewHandles { one: None, several: vec![3] };
        client.ask(RequestBody::DeleteArray(gone)).await.unwrap();
        adder.add(&mut client, [1, 2], 5).await.unwrap();
        adder.forget(&mut client, &[1, 2]).await.unwrap();
        assert_eq!(adder.fetch(&mut client, 5).await.unwrap(), row(2.0));
        // Shards of an array are no bytes more.
        assert_eq!(served.bytes(), ROW as u64);
    });
    served.empty();
}

#[test]
fn more_requests_than_may_be_unanswered_are_refused_when_none_is_answered() {
    let stall = Duration::from_millis(50);
    let patience = Duration::from_secs(3);
    let served =
        Served::with(ServerLimits { requests: 2, stall, patience, ..ServerLimits::default() });
    run(async {
        let mut client = served.client().await;
        let make = |array| RequestBody::MakeArray(Adder::array(NEWEST, 0, (array, array)).unwrap());
        let first = client.send(make(1)).unwrap();
        let second = client.send(make(2)).unwrap();
        let third = client.send(make(3)).unwrap();
        let refused = client.answer(third).await.unwrap_err();
        assert_eq!(refused.code, StatusCode::ResourceExhausted);
        assert!(refused.message.contains("may have 2 requests without an answer"), "{refused}");
        assert_eq!(client.answer(first).await.unwrap_err().code, StatusCode::NotFound);
        assert_eq!(client.answer(second).await.unwrap_err().code, StatusCode::NotFound);
        let used = client.ask(RequestBody::IsArrayDeleted(Handle { handle: 3 })).await.unwrap_err();
        assert_eq!(used, refused, "what the refused request was to make stands for the refusal");
    });
    served.empty();
}

#[test]
fn what_a_client_had_is_given_back_when_it_is_gone() {
    let served = Served::with(ServerLimits::default());
    run(async {
        let mut client = served.client().await;
        let adder = Adder::compile(&mut client, 0).await.unwrap();
        for handle in 1..20 {
            adder.put(&mut client, handle, row(1.0)).await.unwrap();
        }
        client.store(50, row(1.0)).await.unwrap();
        assert_eq!(served.bytes(), 20 * ROW as u64);
        // One that waits for a buffer that never comes, with others behind it.
        client.send(RequestBody::MakeArray(Adder::array(NEWEST, 0, (60, 60)).unwrap())).unwrap();
        for handle in 1..20 {
            client.send(RequestBody::IsArrayDeleted(Handle { handle })).unwrap();
        }
        eventually(|| served.server.ongoing()[0].in_flight() == 20, || "not asked".to_owned());
        drop(client);
        served.empty();
    });
}

#[test]
fn a_buffer_that_is_not_what_was_announced_is_refused_and_leaves_nothing() {
    let served = Served::with(ServerLimits::default());
    run(async {
        let client = served.client().await;
        let session = client.session;
        for size in [-1, i64::MIN, 0, 3, 5, i64::MAX] {
            let what = StoreMetadata { session, handle: 1, size };
            let refused = client.store_as(what, Bytes::from_static(b"four")).await.unwrap_err();
            let wanted = if size == i64::MAX {
                StatusCode::ResourceExhausted
            } else {
                StatusCode::InvalidArgument
            };
            assert_eq!(refused.code, wanted, "{size}: {refused}");
        }
        let what = StoreMetadata { session: session ^ 1, handle: 1, size: 4 };
        let refused = client.store_as(what, Bytes::from_static(b"four")).await.unwrap_err();
        assert_eq!(refused.code, StatusCode::NotFound);
        assert_eq!(served.bytes(), 0);
        client.store(1, Bytes::from_static(b"four")).await.unwrap();
        let again = client.store(1, Bytes::from_static(b"four")).await.unwrap_err();
        assert_eq!(again.code, StatusCode::AlreadyExists);
    });
    served.empty();
}

#[test]
fn requests_out_of_order_and_without_contents_are_errors_and_the_session_goes_on() {
    let served = Served::with(ServerLimits::default());
    run(async {
        let mut client = served.connect().await.unwrap();
        let early =
            client.ask(RequestBody::IsArrayDeleted(Handle { handle: 1 })).await.unwrap_err();
        assert_eq!(early.code, StatusCode::FailedPrecondition);
        client.init().await.unwrap();
        client.send_raw(Request::default()).unwrap();
        assert_eq!(client.answer(0).await.unwrap_err().code, StatusCode::Unimplemented);
        assert_eq!(
            client.ask(RequestBody::MpmdMetadata(Empty {})).await.unwrap_err().code,
            StatusCode::Unimplemented
        );
        client.init().await.unwrap();
        assert!(Adder::compile(&mut client, 0).await.is_ok());
    });
    served.empty();
}

#[test]
fn versions_that_were_not_agreed_begin_no_session() {
    let served = Served::with(ServerLimits::default());
    run(async {
        let channel = served.client().await.channel();
        for (protocol, serdes) in
            [(-1, 0), (0, 0), (2, 0), (26, 3), (25, -1), (25, 99), (i32::MIN, i32::MAX)]
        {
            let version = ProxyVersion { protocol, serdes };
            let refused = IfrtClient::begin(channel.clone(), version).await.unwrap_err();
            assert_eq!(refused.code, StatusCode::InvalidArgument, "{version:?}");
        }
        let mut again = IfrtClient::begin(channel, NEWEST).await.unwrap();
        assert!(matches!(again.ask(RequestBody::Init(Empty {})).await, Ok(ResponseBody::Init(_))));
    });
    served.empty();
}
