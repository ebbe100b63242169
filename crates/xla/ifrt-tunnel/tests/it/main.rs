//! Both ends of a tunnel, with certificates made for the test, before a server that sends back what it gets.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use unskew_ifrt_tunnel::{Gate, GateFiles, TunnelClient, TunnelError};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const OTHER: &str = "ffffffffffffffffffffffffffffffff";

/// A folder with the files of both ends.
struct Files(tempfile::TempDir);

impl Files {
    /// A certificate for this name, its key, and a file with these tokens.
    fn new(name: &str, tokens: &str) -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        fs::write(files.path("certificate"), made.cert.pem()).unwrap();
        fs::write(files.path("key"), made.signing_key.serialize_pem()).unwrap();
        files.secret("tokens", tokens);
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file that only its owner reads.
    fn secret(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        set_mode(&path, 0o600);
        path
    }

    fn gate(&self) -> GateFiles {
        let [certificate, key, tokens] = ["certificate", "key", "tokens"].map(|it| self.path(it));
        GateFiles { certificate, key, tokens }
    }

    fn client(&self, server: SocketAddr, token: &str) -> Result<Arc<TunnelClient>, TunnelError> {
        let token = self.secret("token", token);
        let server = format!("localhost:{}", server.port()).parse()?;
        TunnelClient::new(server, &token, Some(&self.path("certificate")))
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// A server that sends back what it gets.
fn echo() -> SocketAddr {
    let (listener, address) = listener();
    listener.set_nonblocking(true).unwrap();
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = stream.split();
                let _ = tokio::io::copy(&mut from, &mut to).await;
                let _ = to.shutdown().await;
            });
        }
    });
    address
}

fn gate(files: &Files, connections: usize) -> SocketAddr {
    let (listener, address) = listener();
    let gate = Gate::new(&files.gate(), connections).unwrap();
    tokio::spawn(gate.serve(listener, echo()));
    address
}

fn tunnel(client: Arc<TunnelClient>) -> SocketAddr {
    let (listener, address) = listener();
    tokio::spawn(client.serve(listener));
    address
}

#[tokio::test]
async fn bytes_go_through_both_ways_and_ends_are_passed_on() {
    let files = Files::new("localhost", &format!("# of a test\n{OTHER}\n\n{TOKEN}\n"));
    let client = files.client(gate(&files, 8), TOKEN).unwrap();
    client.check().await.unwrap();
    let at = tunnel(client);
    let sent: Vec<u8> = (0..3_000_000_u32).map(|number| number as u8).collect();
    for _ in 0..3 {
        let (mut from, mut to) = TcpStream::connect(at).await.unwrap().into_split();
        let bytes = sent.clone();
        let writer = tokio::spawn(async move {
            to.write_all(&bytes).await.unwrap();
            to.shutdown().await.unwrap();
        });
        let mut got = Vec::new();
        from.read_to_end(&mut got).await.unwrap();
        writer.await.unwrap();
        assert!(got == sent, "{} bytes", got.len());
    }
}

/// What a client is told that cannot get in.
async fn refused(files: &Files, gate: SocketAddr, token: &str) -> String {
    files.client(gate, token).unwrap().check().await.unwrap_err().to_string()
}

#[tokio::test]
async fn who_has_no_token_of_the_file_is_refused_and_a_token_can_be_taken_out() {
    let files = Files::new("localhost", TOKEN);
    let gate = gate(&files, 8);
    let said = refused(&files, gate, OTHER).await;
    assert!(said.ends_with("the server does not know this token"), "{said}");
    files.client(gate, TOKEN).unwrap().check().await.unwrap();
    files.secret("tokens", OTHER);
    assert!(refused(&files, gate, TOKEN).await.ends_with("does not know this token"));
    fs::remove_file(files.path("tokens")).unwrap();
    assert!(refused(&files, gate, OTHER).await.ends_with("cannot read its tokens"));
}

#[tokio::test]
async fn a_certificate_of_another_name_or_authority_is_refused() {
    let files = Files::new("elsewhere.example", TOKEN);
    let gate = gate(&files, 8);
    let said = refused(&files, gate, TOKEN).await;
    assert!(said.ends_with("connect by a name that the certificate has"), "{said}");
    let stranger = Files::new("localhost", TOKEN);
    let said = refused(&stranger, gate, TOKEN).await;
    assert!(said.contains("--ca names a file"), "{said}");
}

#[tokio::test]
async fn the_certificate_of_an_authority_is_refused_with_what_to_do() {
    let files = Files::new("localhost", TOKEN);
    let mut of_authority = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    of_authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().unwrap();
    fs::write(files.path("certificate"), of_authority.self_signed(&key).unwrap().pem()).unwrap();
    fs::write(files.path("key"), key.serialize_pem()).unwrap();
    let said = refused(&files, gate(&files, 8), TOKEN).await;
    assert!(said.ends_with("make one with basicConstraints=CA:FALSE"), "{said}");
}

#[tokio::test]
async fn what_does_not_speak_tls_or_says_nothing_is_dropped_and_others_go_on() {
    let files = Files::new("localhost", TOKEN);
    let gate = gate(&files, 8);
    let _silent = TcpStream::connect(gate).await.unwrap();
    let mut plain = TcpStream::connect(gate).await.unwrap();
    plain.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    let mut said = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(60), plain.read_to_end(&mut said)).await;
    assert!(ended.is_ok(), "the gate keeps a connection that speaks no TLS");
    files.client(gate, TOKEN).unwrap().check().await.unwrap();
}

#[tokio::test]
async fn more_connections_than_it_takes_are_refused_until_one_ends() {
    let files = Files::new("localhost", TOKEN);
    let gate = gate(&files, 1);
    let at = tunnel(files.client(gate, TOKEN).unwrap());
    let mut first = TcpStream::connect(at).await.unwrap();
    first.write_all(b"x").await.unwrap();
    assert_eq!(first.read_u8().await.unwrap(), b'x');
    assert!(refused(&files, gate, TOKEN).await.contains("as many connections as it takes"));
    drop(first);
    let client = files.client(gate, TOKEN).unwrap();
    let mut left = 600;
    while client.check().await.is_err() {
        left -= 1;
        assert!(left > 0, "the place of a connection that ended is not given back");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn who_says_no_token_keeps_nobody_out_however_many_connections_he_has() {
    let files = Files::new("localhost", TOKEN);
    let gate = gate(&files, 8);
    let at = tunnel(files.client(gate, TOKEN).unwrap());
    let mut inside = TcpStream::connect(at).await.unwrap();
    inside.write_all(b"x").await.unwrap();
    assert_eq!(inside.read_u8().await.unwrap(), b'x');
    // More than it greets at a time of one address, and so many that waiting for each would take minutes.
    unskew_connections::open_files(4096);
    let mut strangers = Vec::new();
    for number in 0..600 {
        let mut stranger = TcpStream::connect(gate).await.unwrap();
        // The beginning of a handshake, of which the rest never comes; or nothing at all.
        if number % 2 == 0 {
            let _ = stranger.write_all(b"\x16\x03\x01").await;
        }
        strangers.push(stranger);
    }
    files.client(gate, TOKEN).unwrap().check().await.unwrap();
    inside.write_all(b"y").await.unwrap();
    assert_eq!(inside.read_u8().await.unwrap(), b'y', "who is inside stays there");
    // The first have lost their places.
    let ended = strangers[1].read(&mut [0]).await;
    assert!(!matches!(ended, Ok(1..)), "{ended:?}");
}

/// What a gate says of such files.
fn wrong(files: &Files) -> String {
    Gate::new(&files.gate(), 1).err().unwrap().to_string()
}

#[test]
fn files_that_are_wrong_are_named() {
    for (tokens, what) in [
        ("short", "line 1 is no token"),
        ("# none\n", "no token; `openssl rand -hex 32` makes one"),
        (&format!("{TOKEN}\n{TOKEN} with words"), "line 2 is no token"),
    ] {
        let said = wrong(&Files::new("localhost", tokens));
        assert!(said.contains("tokens: ") && said.contains(what), "{said}");
    }
    let files = Files::new("localhost", TOKEN);
    fs::write(files.path("key"), "no key").unwrap();
    assert!(wrong(&files).ends_with("key: no private key in PEM format"), "{}", wrong(&files));
    let other = Files::new("localhost", TOKEN);
    fs::copy(other.path("key"), files.path("key")).unwrap();
    assert!(wrong(&files).starts_with("TLS: "), "{}", wrong(&files));
    fs::remove_file(files.path("certificate")).unwrap();
    assert!(wrong(&files).contains("certificate: "), "{}", wrong(&files));
}

#[cfg(unix)]
#[test]
fn tokens_that_others_can_read_are_refused() {
    let files = Files::new("localhost", TOKEN);
    set_mode(&files.path("tokens"), 0o644);
    assert!(wrong(&files).contains("chmod 600"), "{}", wrong(&files));
}

#[test]
fn a_server_is_a_host_and_a_port() {
    let name = |text: &str| text.parse::<unskew_ifrt_tunnel::ServerName>();
    for good in ["gpu.example.org:8471", "192.0.2.7:1", "[2001:db8::1]:8471", "localhost:65535"] {
        assert_eq!(name(good).unwrap().to_string(), good);
    }
    for bad in ["", "gpu.example.org", "gpu.example.org:", "host:99999", "ho st:1", ":8471"] {
        assert!(name(bad).is_err(), "{bad}");
    }
}
