//! Connections on which nothing is asked.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use unskew_connections::open_files;

use super::served::{Served, add_runtime, code, example, publish, until};

/// How many connections are opened that send nothing, where the system gives so many sockets.
const MANY: u64 = 5000;

/// As many as this process may have open, with some room for the rest of the tests.
fn many() -> u64 {
    let files = open_files(MANY + 200);
    let many = MANY.min(files.saturating_sub(200));
    if many < MANY {
        eprintln!("{many} connections instead of {MANY}: the limit of open files is {files}");
    }
    many
}

#[test]
fn who_sends_nothing_keeps_nobody_out() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &["--first-request", "600"]);
    let mut client = served.client();
    publish(&mut client, "gelu", "gelu.pt", &example("examples/gelu-2.15.0.pt"));
    add_runtime(&mut client, "phones", "torch@1.10", 1);
    let path = "/v1/models/gelu/decision?runtime=phones&as_of=2999-01-01";
    assert_eq!(client.get(path).unwrap().status, 200);

    let idle: Vec<TcpStream> =
        (0..many()).map(|_| TcpStream::connect(served.address).unwrap()).collect();
    let begin = Instant::now();
    let decision = served.client().get(path).unwrap();
    println!("a decision took {:?} beside {} idle connections", begin.elapsed(), idle.len());
    assert_eq!(decision.status, 200, "{}", decision.text());
    assert_eq!(served.client().get("/health").unwrap().status, 200);
    // Half of what comes, and one of each protocol.
    let mut halves = Vec::new();
    for bytes in
        [b"GET /health HTTP/1.1\r\nhost: x\r\n".as_slice(), b"PRI * HTTP/2.0\r\n\r\n", b"G"]
    {
        for _ in 0..many() / 10 {
            let mut half = TcpStream::connect(served.address).unwrap();
            let _ = half.write_all(bytes);
            halves.push(half);
        }
    }
    assert_eq!(served.client().get(path).unwrap().status, 200);
    drop((idle, halves));
}

#[test]
fn one_address_may_have_so_many_and_gets_its_own_places_back() {
    let store = tempfile::tempdir().unwrap();
    let limits = ["--connections", "9", "--connections-per-address", "3"];
    let served = Served::start(store.path(), &limits);
    let mut idle: Vec<TcpStream> =
        (0..20).map(|_| TcpStream::connect(served.address).unwrap()).collect();
    assert_eq!(served.client().get("/health").unwrap().status, 200);
    // All but the last few are closed by the service.
    let closed = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        match stream.read(&mut [0]) {
            Ok(n) => n == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    };
    until("17 or more are closed", || {
        let closed = idle.iter_mut().map(closed).filter(|closed| *closed).count();
        (closed >= 17).then_some(())
    });
}

#[test]
fn silence_is_ended_in_both_protocols() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &["--first-request", "1", "--idle", "1"]);
    let starts = [
        b"".as_slice(),
        b"G",
        b"GET /health HTTP/1.1\r\nhost: x\r\n",
        b"PRI * HTTP/2.0\r\n",
        // The preface, and empty settings: HTTP/2 without a request.
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        // One request, and then nothing.
        b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n",
    ];
    for start in starts {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.write_all(start).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut said = Vec::new();
        // Whatever comes, it ends; a connection that is cut off is over too.
        match stream.read_to_end(&mut said) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{start:?}"),
        }
    }
    assert_eq!(served.client().get("/health").unwrap().status, 200);
}

#[test]
fn where_all_are_busy_the_service_still_says_how_it_is() {
    let store = tempfile::tempdir().unwrap();
    let limits = ["--connections", "2", "--connections-per-address", "2"];
    let served = Served::start(store.path(), &limits);
    let place = super::served::begin(&mut served.client(), "m", "m.pt", &[0; 100]);
    // Two uploads of which no byte comes for now. Until their heads are read they lose their places to whoever comes.
    let upload = || {
        let mut stream = TcpStream::connect(served.address).unwrap();
        let head = format!(
            "PATCH {place} HTTP/1.1\r\nhost: {}\r\nupload-offset: 0\r\ncontent-length: 100\r\n\r\n",
            served.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        stream
    };
    let (refused, busy) = until("both are busy", || {
        let busy = [upload(), upload()];
        let answer = served.client().get("/v1/models").unwrap();
        (answer.status == 503).then_some((answer, busy))
    });
    assert_eq!(code(&refused), "FL018");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(served.client().get("/health").unwrap().status, 200);
    assert_eq!(served.client().get("/ready").unwrap().status, 200);
    drop(busy);
    until("there is room again", || {
        (served.client().get("/v1/models").unwrap().status == 200).then_some(())
    });
}
