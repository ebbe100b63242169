//! Whoever has no token: is refused by the head of a request, on every address, and keeps nobody out.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use tokio::net::TcpSocket;
use tokio::runtime::Runtime;
use unskew_connections::open_files;
use unskew_fleet_service::endpoint::{Endpoint, Takes};
use unskew_fleet_service::routes;
use unskew_fleet_service::verb::HttpMethod;

use super::served::{Served, begin, printed};

/// How many connections strangers have, where the system gives so many sockets.
const MANY: u64 = 6300;

const STRANGERS: [[u8; 4]; 3] = [[127, 0, 0, 1], [127, 0, 0, 2], [127, 0, 0, 3]];

/// Of which address is the one who has a token.
const KNOWN: [u8; 4] = [127, 0, 0, 4];

/// How often strangers come back.
const ROUNDS: usize = 3;

fn token(served: &std::path::Path, role: &str) -> String {
    printed(served, &["token", "create", "known", "--role", role]).trim().to_owned()
}

/// Something that looks like a token.
fn forged() -> String {
    format!("unskew_{}_{}", "0f".repeat(6), "a1".repeat(32))
}

fn verb(endpoint: &Endpoint) -> &'static str {
    match endpoint.verb {
        HttpMethod::Get => "GET",
        HttpMethod::Head => "HEAD",
        HttpMethod::Put => "PUT",
        HttpMethod::Post => "POST",
        HttpMethod::Patch => "PATCH",
        HttpMethod::Delete => "DELETE",
    }
}

/// An address of an endpoint, with names that nothing has.
fn path(endpoint: &Endpoint) -> String {
    let segments = endpoint.path.split('/');
    let filled = segments.map(|segment| if segment.starts_with('{') { "x" } else { segment });
    filled.collect::<Vec<_>>().join("/")
}

/// What comes on a connection until the service closes it, after these bytes and no more.
fn answered(address: SocketAddr, bytes: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    let mut said = Vec::new();
    let ended = stream.read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(ended.is_ok(), "{ended:?} after {bytes:?}: {said:?}");
    said
}

#[test]
fn every_address_knows_who_asks_before_it_reads_a_body() {
    let store = tempfile::tempdir().unwrap();
    token(store.path(), "admin");
    let served = Served::start(store.path(), &["--first-request", "600", "--rate", "100000"]);
    let forged = forged();
    let strangers = [
        String::new(),
        format!("authorization: Bearer {forged}\r\n"),
        format!("cookie: unskew_fleet_token={forged}\r\n"),
        format!(
            "cookie: unskew_fleet_token={forged}\r\norigin: http://{}\r\nsec-fetch-site: same-origin\r\n",
            served.address
        ),
    ];
    // A body of which the rest never comes.
    let bodies = [
        "content-length: 100000\r\n\r\nx",
        "content-type: multipart/form-data; boundary=XX\r\ncontent-length: 100000\r\n\r\n--XX\r\n",
        "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n",
        "content-length: 100000\r\nexpect: 100-continue\r\n\r\n",
    ];
    let mut read_before = Vec::new();
    let mut asked = 0;
    for endpoint in routes::routed() {
        let (verb, path) = (verb(endpoint), path(endpoint));
        let name = endpoint.name;
        if endpoint.role.is_none() && !matches!(endpoint.takes, Takes::Nothing) {
            read_before.push(name);
        }
        for stranger in &strangers {
            for body in bodies {
                let head = format!("{verb} {path} HTTP/1.1\r\nhost: {}\r\n", served.address);
                let said = answered(served.address, &format!("{head}{stranger}{body}"));
                let status = said.split(' ').nth(1).unwrap_or_default();
                assert!(said.contains("connection: close"), "{name}: {said}");
                if endpoint.role.is_some() {
                    let login = status == "303" && said.contains("\r\nlocation: /login?next=");
                    assert!(status == "401" || login, "{name} {stranger}{body}: {said}");
                } else if read_before.contains(&name) {
                    assert_eq!(status, "413", "{name}: {said}");
                }
                assert_ne!(status, "100", "{name} asks for a body: {said}");
                asked += 1;
            }
        }
    }
    assert!(asked > 500, "{asked}");
    // The form that gives the token is read of strangers: it says how long it is, which is little.
    assert_eq!(read_before, ["page.login.post"]);
    let body = "next=%2F&token=x";
    let length = body.len();
    let head = format!("POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
    assert!(answered(served.address, &format!("{head}{body}")).starts_with("HTTP/1.1 401"));
    // What is nowhere reads nothing either.
    for first in ["POST /nowhere", "PUT /health", "POST /v1/models/x"] {
        let said = answered(
            served.address,
            &format!("{first} HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\nx"),
        );
        let status = said.split(' ').nth(1).unwrap_or_default();
        assert!(matches!(status, "400" | "404" | "405"), "{first}: {said}");
    }
}

#[test]
fn who_is_known_is_asked_for_the_body() {
    let store = tempfile::tempdir().unwrap();
    let token = token(store.path(), "publish");
    let served = Served::start(store.path(), &[]);
    let mut client = served.client().with_token(&token);
    let upload = begin(&mut client, "m", "m.pt", &[7; 9]);
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(
        stream,
        "PATCH {upload} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nupload-offset: 0\r\n\
         content-length: 9\r\nexpect: 100-continue\r\n\r\n"
    )
    .unwrap();
    let mut said = [0; 25];
    stream.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(&[7; 9]).unwrap();
    stream.read_exact(&mut said).unwrap();
    assert!(said.starts_with(b"HTTP/1.1 204"), "{}", String::from_utf8_lossy(&said));
}

/// A connection of one of the addresses of this machine.
fn connect(runtime: &Runtime, from: [u8; 4], to: SocketAddr) -> std::io::Result<TcpStream> {
    let stream = runtime.block_on(async {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::from(from)), 0))?;
        socket.connect(to).await
    })?;
    stream.into_std()
}

/// Whether a stream was closed, after all that came on it.
fn is_closed(stream: &mut TcpStream) -> bool {
    let mut bytes = [0; 4096];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// What strangers begin with, and never end.
fn beginnings(upload: &str) -> Vec<String> {
    let forged = forged();
    let form = "content-type: multipart/form-data; boundary=XX";
    let field = "--XX\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\n";
    vec![
        String::new(),
        "GET /v1/models HTTP/1.1\r\nhost: x\r\nauthor".to_owned(),
        format!(
            "POST /publish HTTP/1.1\r\nhost: x\r\n{form}\r\ncontent-length: 100000\r\n\r\n{field}"
        ),
        format!(
            "POST /publish HTTP/1.1\r\nhost: x\r\n{form}\r\ntransfer-encoding: chunked\r\n\r\n2\r\n--\r\n"
        ),
        "POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: 9000\r\n\r\nnext=".to_owned(),
        format!(
            "PATCH {upload} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {forged}\r\nupload-offset: 0\r\n\
             content-length: 100\r\n\r\nx"
        ),
        // One that is answered, and the next, whose head never ends.
        format!(
            "GET /health HTTP/1.1\r\nhost: x\r\n\r\nGET /v1/models HTTP/1.1\r\nauthorization: Bearer {}",
            &forged[..30]
        ),
        // HTTP/2, and no request.
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_owned(),
    ]
}

#[test]
fn three_addresses_without_a_token_keep_nobody_out() {
    let files = open_files(MANY + 500);
    let many = MANY.min(files.saturating_sub(500));
    if many < MANY {
        eprintln!("{many} connections instead of {MANY}: the limit of open files is {files}");
    }
    let store = tempfile::tempdir().unwrap();
    let token = token(store.path(), "publish");
    let served = Served::start(store.path(), &["--first-request", "600"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut beside = served.client().with_token(&token);
    let upload = begin(&mut beside, "m", "m.pt", &[7; 100]);
    let stay = |stream: &TcpStream| stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();

    // Somebody who is known uploads slowly all the time.
    let mut slow = connect(&runtime, KNOWN, served.address).unwrap();
    slow.set_nonblocking(false).unwrap();
    stay(&slow);
    write!(
        slow,
        "PATCH {upload} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nupload-offset: 0\r\n\
         content-length: 100\r\n\r\n"
    )
    .unwrap();
    let beginnings = beginnings(&upload);
    let mut strangers: Vec<Option<(TcpStream, usize)>> = (0..many).map(|_| None).collect();
    for round in 0..ROUNDS {
        let begun = Instant::now();
        let mut opened = 0;
        for (number, place) in strangers.iter_mut().enumerate() {
            if place.as_mut().is_some_and(|(stream, _)| !is_closed(stream)) {
                continue;
            }
            let from = STRANGERS[number % STRANGERS.len()];
            let how = (number / STRANGERS.len() + round) % beginnings.len();
            let Ok(mut stream) = connect(&runtime, from, served.address) else { continue };
            let _ = stream.write_all(beginnings[how].as_bytes());
            *place = Some((stream, how));
            opened += 1;
        }
        println!("round {round}: {opened} connections of strangers in {:?}", begun.elapsed());
        for _ in 0..3 {
            // A byte more of each.
            for (stream, _) in strangers.iter_mut().flatten() {
                let _ = stream.write_all(b"a");
            }
            slow.write_all(&[7; 10]).unwrap();
            let begun = Instant::now();
            for path in ["/v1/models", "/health", "/ready"] {
                // On a new connection each, from an address of strangers and from another.
                let near = served.client().with_token(&token).get(path).unwrap();
                assert_eq!(near.status, 200, "{path}: {}", near.text());
                let mut far = connect(&runtime, KNOWN, served.address).unwrap();
                far.set_nonblocking(false).unwrap();
                stay(&far);
                let head =
                    format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}");
                write!(far, "{head}\r\nconnection: close\r\n\r\n").unwrap();
                let mut said = String::new();
                far.read_to_string(&mut said).unwrap();
                assert!(said.starts_with("HTTP/1.1 200"), "{path}: {said}");
            }
            println!("six answers beside them in {:?}", begun.elapsed());
        }
        // Nobody who is known lost a connection for them.
        assert_eq!(beside.get("/v1/uploads").unwrap().status, 200);
    }
    slow.write_all(&[7; 100 - ROUNDS * 30]).unwrap();
    let mut said = [0; 12];
    slow.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 204");
    let left =
        strangers.iter_mut().flatten().filter_map(|(stream, _)| (!is_closed(stream)).then_some(()));
    let left = left.count();
    println!("{left} connections of strangers are left");
    assert!(left <= 256 * STRANGERS.len(), "{left} are open");
}

/// A connection of HTTP/2 of a stranger, with many streams whose bodies come slowly.
struct Streams {
    bodies: Vec<h2::SendStream<bytes::Bytes>>,
    /// How many were refused before their bodies ended.
    refused: usize,
    _logins: Vec<h2::client::ResponseFuture>,
    _sender: h2::client::SendRequest<bytes::Bytes>,
}

impl Streams {
    /// None if others have the place of the connection.
    async fn open(from: [u8; 4], to: SocketAddr) -> Option<Self> {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::from(from)), 0)).unwrap();
        let (mut sender, connection) =
            h2::client::handshake(socket.connect(to).await.ok()?).await.ok()?;
        // It ends when the service ends it.
        tokio::spawn(connection);
        let (mut bodies, mut logins, mut refused) = (Vec::new(), Vec::new(), 0);
        let paths = [
            ("POST", "/publish", 303),
            ("POST", "/v1/uploads", 401),
            ("PATCH", "/v1/uploads/x", 401),
            ("POST", "/login", 0),
        ];
        for (method, path, status) in paths.into_iter().cycle().take(40) {
            let request = http::Request::builder()
                .method(method)
                .uri(format!("http://{to}{path}"))
                .header("authorization", format!("Bearer {}", forged()))
                .header("content-length", "9000");
            sender = sender.ready().await.ok()?;
            let sent = sender.send_request(request.body(()).unwrap(), false);
            let (answer, mut body) = sent.ok()?;
            let _ = body.send_data(bytes::Bytes::from_static(b"a"), false);
            bodies.push(body);
            if status == 0 {
                logins.push(answer);
                continue;
            }
            let answer = answer.await.ok()?;
            assert!([status, 429].contains(&answer.status().as_u16()), "{path}: {answer:?}");
            refused += 1;
        }
        Some(Self { bodies, refused, _logins: logins, _sender: sender })
    }
}

#[test]
fn streams_of_http_2_without_a_token_keep_nobody_out() {
    let store = tempfile::tempdir().unwrap();
    let token = token(store.path(), "read");
    // Fewer connections than strangers have.
    let limits =
        ["--connections", "48", "--connections-per-address", "20", "--first-request", "600"];
    let served = Served::start(store.path(), &limits);
    let mut beside = served.client().with_token(&token);
    assert_eq!(beside.get("/v1/models").unwrap().status, 200);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut strangers = Vec::new();
    for number in 0..75 {
        let from = STRANGERS[number % STRANGERS.len()];
        strangers.extend(runtime.block_on(Streams::open(from, served.address)));
        if number % 10 != 0 {
            continue;
        }
        for stream in strangers.iter_mut().flat_map(|stranger: &mut Streams| &mut stranger.bodies) {
            let _ = stream.send_data(bytes::Bytes::from_static(b"a"), false);
        }
        for path in ["/v1/models", "/health"] {
            let answer = served.client().with_token(&token).get(path).unwrap();
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        }
        assert_eq!(beside.get("/v1/models").unwrap().status, 200);
    }
    let refused: usize = strangers.iter().map(|stranger| stranger.refused).sum();
    println!("{} connections of strangers, {refused} streams refused", strangers.len());
    assert!(strangers.len() > 48 && refused > 1500, "{} {refused}", strangers.len());
}

#[test]
fn an_address_that_asks_too_fast_without_a_token_leaves_those_with_one_alone() {
    let store = tempfile::tempdir().unwrap();
    let token = token(store.path(), "read");
    let served = Served::start(store.path(), &["--rate", "50"]);
    let mut known = served.client().with_token(&token);
    assert_eq!(known.get("/v1/models").unwrap().status, 200);
    let mut stranger = served.client().with_token(&forged());
    let mut statuses = Vec::new();
    for _ in 0..400 {
        statuses.push(stranger.get("/v1/models").unwrap().status);
        if statuses.len() % 50 == 0 {
            assert_eq!(known.get("/v1/models").unwrap().status, 200, "{statuses:?}");
        }
    }
    assert!(statuses.iter().all(|status| matches!(status, 401 | 429)), "{statuses:?}");
}
