//! `unskew serve` as a process: how it stops, what it says of a crash, what a killed client leaves, and its
//! page in a real browser.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use unskew_ifrt_client::{Adder, ELEMENTS, IfrtClient};
use unskew_ifrt_proxy::messages::{ProxyVersion, RequestBody, ResponseBody};
use unskew_ifrt_proxy::status::{Status, StatusCode};
use unskew_jax_matrix::{JaxHost, PLUGINS};

use crate::axe;
use crate::browser::Browser;

/// How long something may take that happens at once, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

const NEWEST: ProxyVersion = ProxyVersion { protocol: 25, serdes: 3 };

/// The command, serving; it is killed with this.
struct Serving {
    child: Child,
    address: String,
    printed: BufReader<ChildStdout>,
}

impl Serving {
    fn of(plugin: &Path, options: &[&str]) -> Self {
        Self::in_surroundings(plugin, options, &[])
    }

    /// The same with variables.
    fn in_surroundings(plugin: &Path, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unskew"))
            .arg("serve")
            .arg(plugin)
            .args(["--port", "0"])
            .args(options)
            .env("TF_CPP_MIN_LOG_LEVEL", "3")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut lines = printed.by_ref().lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("grpc://")).unwrap();
        let address = line.split_whitespace().last().unwrap().to_owned();
        Self { child, address, printed }
    }

    /// The number of the port that `--tls-bind` asked for.
    fn tls_port(&mut self) -> String {
        let mut line = String::new();
        self.printed.read_line(&mut line).unwrap();
        line.trim().rsplit(':').next().unwrap().to_owned()
    }

    fn get(&self, path: &str) -> String {
        let host = self.address.strip_prefix("grpc://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    fn metric(&self, name: &str) -> u64 {
        let metrics = self.get("/metrics");
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name} is not in {metrics}")).trim().parse().unwrap()
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    fn ended(mut self) -> (Option<i32>, String) {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn eventually(so: impl Fn() -> bool, otherwise: &str) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < PATIENCE, "{otherwise}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(1).enable_all().build().unwrap().block_on(test)
}

async fn client(serving: &Serving) -> (IfrtClient, Adder) {
    let mut client = IfrtClient::connect(&serving.address, NEWEST).await.unwrap();
    client.init().await.unwrap();
    let adder = Adder::compile(&mut client, 0).await.unwrap();
    let row = 1.0_f32.to_ne_bytes().repeat(ELEMENTS);
    adder.put(&mut client, 1, row.into()).await.unwrap();
    (client, adder)
}

#[test]
fn a_signal_stops_the_server_which_tells_its_clients_and_logs_as_json() {
    for signal in ["-TERM", "-INT"] {
        let serving = Serving::of(&PLUGINS[0].path(), &["--log-format", "json"]);
        let told = run(async {
            let (mut client, _) = client(&serving).await;
            serving.signal(signal);
            client.receive().await.unwrap_err()
        });
        assert_eq!(told.code, StatusCode::Unavailable, "{told}");
        assert!(told.message.contains("the server is stopping"), "{told}");
        let (code, said) = serving.ended();
        assert_eq!(code, Some(0), "{said}");
        let events: Vec<serde_json::Value> =
            said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |message: &str| events.iter().find(|event| event["message"] == message).unwrap();
        assert_eq!(
            (&of("session began")["session"], &of("session began")["protocol"]),
            (&1.into(), &25.into())
        );
        assert_eq!(of("session ended")["failed"], 0);
        assert_eq!(of("stopping")["sessions"], 1);
    }
}

/// The oldest plug-in of the corpus, but for one function.
const ALTERED: &str = r#"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char table[1 << 16];
static void *(*original)(void *);
static void *other(void *args) { BODY }
const void *GetPjrtApi(void) {
  void *library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  const void *(*get)(void) = (const void *(*)(void))dlsym(library, "GetPjrtApi");
  const size_t *api = get();
  memcpy(table, api, *api);
  original = *(void *(**)(void *))(table + OFFSET);
  *(void *(**)(void *))(table + OFFSET) = other;
  return table;
}
"#;

/// A plug-in of which one function has another body in C; none without a C compiler.
fn altered(folder: &Path, function: &str, body: &str) -> Option<PathBuf> {
    let (source, plugin) = (folder.join("p.c"), folder.join("p.so"));
    let offset = unskew_pjrt::layout::slot(function).unwrap().offset;
    let head = format!(
        "#define OFFSET {offset}\n#define PLUGIN {:?}\n#define BODY {body}\n",
        PLUGINS[0].path()
    );
    std::fs::write(&source, head + ALTERED).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&plugin, &source])
        .arg("-ldl")
        .status();
    if !built.as_ref().is_ok_and(std::process::ExitStatus::success) {
        println!("skipped: no C compiler `cc` here: {built:?}");
        return None;
    }
    Some(plugin)
}

/// A plug-in that ends its process where a program runs; none without a C compiler.
fn crashing(folder: &Path) -> Option<PathBuf> {
    altered(folder, "PJRT_LoadedExecutable_Execute", "(void)args; abort();")
}

#[test]
fn requests_are_answered_while_a_program_is_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let goes_on = folder.path().join("go-on");
    let body = format!(
        "while (access({:?}, F_OK)) usleep(1000); return original(args);",
        goes_on.display().to_string()
    );
    let Some(plugin) = altered(folder.path(), "PJRT_Client_Compile", &body) else { return };
    let serving = Serving::of(&plugin, &[]);
    run(async {
        std::fs::write(&goes_on, "").unwrap();
        let (mut client, adder) = client(&serving).await;
        std::fs::remove_file(&goes_on).unwrap();
        let compile = RequestBody::Compile(Adder::request(client.version).unwrap());
        let asked = client.send(compile).unwrap();
        // These come after it, and have their answers before.
        adder.add(&mut client, [1, 1], 2).await.unwrap();
        assert_eq!(adder.fetch(&mut client, 2).await.unwrap().len(), ELEMENTS * 4);
        std::fs::write(&goes_on, "").unwrap();
        let answer = client.answer(asked).await.unwrap();
        assert!(matches!(answer, ResponseBody::Compile(_)), "{answer:?}");
    });
}

#[test]
fn a_plug_in_that_takes_the_server_down_is_named_with_the_request_and_its_client() {
    let folder = tempfile::tempdir().unwrap();
    let Some(plugin) = crashing(folder.path()) else { return };
    let serving = Serving::of(&plugin, &["--isolation", "none"]);
    let error: Status = run(async {
        let (_idle, _) = client(&serving).await;
        let (mut client, adder) = client(&serving).await;
        adder.add(&mut client, [1, 1], 2).await.unwrap_err()
    });
    println!("the client was told {error}");
    let (code, said) = serving.ended();
    assert_eq!(code, Some(2), "{said}");
    for words in [
        "p.so ended the server's process: signal: 6 (SIGABRT)",
        "session 1 of 127.0.0.1:",
        "did last make_array_from_host_buffer_request",
        "session 2 of 127.0.0.1:",
        "is doing loaded_executable_execute_request",
    ] {
        assert!(said.contains(words), "{words} is not in {said}");
    }
}

#[test]
fn a_plug_in_that_crashes_ends_the_session_of_one_client_and_of_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let Some(plugin) = crashing(folder.path()) else { return };
    let serving = Serving::of(&plugin, &[]);
    run(async {
        let (mut other, of_other) = client(&serving).await;
        let (mut client, adder) = client(&serving).await;
        let error = adder.add(&mut client, [1, 1], 2).await.unwrap_err();
        println!("the client was told {error}");
        eventually(|| serving.metric("unskew_sessions ") == 1, "the session is still there");
        // What the other has is whole, and more may come.
        assert_eq!(of_other.fetch(&mut other, 1).await.unwrap().len(), ELEMENTS * 4);
        let third = IfrtClient::connect(&serving.address, NEWEST).await.unwrap();
        assert_eq!(serving.metric("unskew_sessions_opened_total "), 3);
        drop(third);
    });
    serving.signal("-TERM");
    let (code, said) = serving.ended();
    assert_eq!(code, Some(0), "{said}");
    for words in [
        "the plug-in ended a worker process; other clients go on",
        "signal: 6 (SIGABRT)",
        "session 2 of 127.0.0.1:",
        "is doing loaded_executable_execute_request",
    ] {
        assert!(said.contains(words), "{words} is not in {said}");
    }
    assert!(!said.contains("session 1 of"), "{said}");
}

#[test]
fn processes_share_the_limits_of_the_server() {
    let limits = ["--sessions", "2", "--server-bytes", "160KiB"];
    let serving = Serving::of(&PLUGINS[0].path(), &limits);
    run(async {
        let (one, of_one) = client(&serving).await;
        let (mut two, of_two) = client(&serving).await;
        let third = IfrtClient::connect(&serving.address, NEWEST).await.unwrap_err();
        assert_eq!(third.code, StatusCode::ResourceExhausted, "{third}");
        assert!(third.message.contains("2 sessions at once, and has so many: 2"), "{third}");
        // Both have 64 KiB in an array.
        let row = || 1.0_f32.to_ne_bytes().repeat(ELEMENTS).into();
        let refused = of_two.put(&mut two, 2, row()).await.unwrap_err();
        assert_eq!(refused.code, StatusCode::ResourceExhausted, "{refused}");
        assert!(refused.message.contains("together may have 163840 bytes"), "{refused}");
        drop((one, of_one));
        eventually(|| serving.metric("unskew_sessions ") == 1, "the session is still there");
        of_two.put(&mut two, 3, row()).await.unwrap();
    });
}

#[test]
fn no_session_begins_when_processes_have_all_the_memory() {
    let plugin = PLUGINS[0].path();
    // What one of them has is said where that is too much already.
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.arg("serve").arg(&plugin).args(["--port", "0", "--memory", "1MiB"]);
    let output = command.env("TF_CPP_MIN_LOG_LEVEL", "3").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let (_, one) =
        said.split_once("--memory is 1 MiB, and a session of this plug-in begins with ").unwrap();
    let one: u64 = one.split(' ').next().unwrap().parse().unwrap();
    println!("a session begins with {one} MiB");

    let serving = Serving::of(&plugin, &["--memory", &format!("{}MiB", 8 * one)]);
    run(async {
        let mut clients = Vec::new();
        let refused = loop {
            match IfrtClient::connect(&serving.address, NEWEST).await {
                Ok(mut client) => {
                    client.init().await.unwrap();
                    clients.push(client);
                }
                Err(refused) => break refused,
            }
            assert!(clients.len() <= 8, "nobody is refused");
        };
        println!("{} sessions: {refused}", clients.len());
        assert!(clients.len() >= 2, "{refused}");
        assert_eq!(refused.code, StatusCode::ResourceExhausted, "{refused}");
        let limit = format!("the server may have {} MiB (--memory)", 8 * one);
        assert!(refused.message.contains(&limit), "{refused}");
        // Those that are there go on, and the place of one that left is given to the next.
        assert_eq!(serving.metric("unskew_sessions "), clients.len() as u64);
        clients.truncate(1);
        let begun = Instant::now();
        while IfrtClient::connect(&serving.address, NEWEST).await.is_err() {
            assert!(begun.elapsed() < PATIENCE, "the memory is not given back");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
}

#[test]
fn who_asks_for_versions_or_health_alone_uses_up_no_process() {
    let serving = Serving::of(&PLUGINS[0].path(), &[]);
    let workers = || {
        let children = format!("/proc/{0}/task/{0}/children", serving.child.id());
        std::fs::read_to_string(children).unwrap().split_whitespace().count()
    };
    run(async {
        for _ in 0..20 {
            IfrtClient::agree(&serving.address, NEWEST).await.unwrap();
        }
        let (_client, _) = client(&serving).await;
    });
    assert!(workers() <= 3, "{} workers", workers());
    eventually(|| workers() <= 2, "the worker of a client that left is still there");
}

#[test]
fn connections_that_begin_with_anything_end_nothing() {
    let serving = Serving::of(&PLUGINS[0].path(), &[]);
    let host = serving.address.strip_prefix("grpc://").unwrap().to_owned();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let mut noise = 1_u32;
    let mut byte = move || {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24) as u8
    };
    let mut open = Vec::new();
    for turn in 0..300 {
        let bytes: Vec<u8> = (0..turn).map(|_| byte()).collect();
        let begins: &[u8] = match turn % 5 {
            0 => &bytes,
            1 => &preface[..turn % preface.len()],
            2 => &[preface, &bytes[..]].concat(),
            3 => &[b"UNSKEW CALLBACKS/1 ", &bytes[..], b"\n"].concat(),
            _ => &[&preface[..], &[0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0, 1, 4, 0, 0, 0, 1], &bytes]
                .concat(),
        };
        let mut stream = TcpStream::connect(&host).unwrap();
        // The server may have closed it by then.
        let _ = stream.write_all(begins);
        if turn % 3 == 0 {
            open.push(stream);
        }
    }
    assert!(serving.get("/readyz").ends_with("ready\n"));
    run(async {
        let (mut client, adder) = client(&serving).await;
        adder.add(&mut client, [1, 1], 2).await.unwrap();
    });
    drop(open);
}

#[test]
fn workers_end_with_a_server_that_is_killed() {
    let mut serving = Serving::of(&PLUGINS[0].path(), &[]);
    let id = serving.child.id();
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let workers: Vec<_> = children.split_whitespace().map(str::to_owned).collect();
    assert!(!workers.is_empty());
    serving.child.kill().unwrap();
    serving.child.wait().unwrap();
    let gone = |id: &String| !Path::new("/proc").join(id).exists();
    eventually(|| workers.iter().all(gone), "a worker is still there");
}

#[test]
fn a_real_client_that_is_killed_leaves_nothing() {
    if !unskew_peers::there("jax-0.6.2") {
        return;
    }
    let serving = Serving::of(&PLUGINS[0].path(), &[]);
    let host = JaxHost::named("0.6.2").unwrap();
    let program = format!(
        "import unskew_jax; unskew_jax.connect({:?})\n\
         import jax, numpy, sys, time\n\
         kept = [jax.device_put(numpy.ones(1 << 20, numpy.float32)) for _ in range(8)]\n\
         step = jax.jit(lambda x: x @ x)\n\
         big = step(numpy.ones((512, 512), numpy.float32))\n\
         jax.block_until_ready(kept); print('ready', flush=True)\n\
         while True: big = step(big)\n",
        serving.address
    );
    let mut client = host
        .peer
        .command()
        .args(["-c", &program])
        .env("PYTHONPATH", unskew_peers::root().join("python/unskew_jax"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    let device = "unskew_session_bytes{place=\"device\"}";
    assert!(serving.metric(device) >= 32 << 20);
    client.kill().unwrap();
    client.wait().unwrap();
    eventually(|| serving.metric("unskew_sessions ") == 0, "the session is still there");
    assert_eq!(serving.metric(device), 0);
    assert_eq!(serving.metric("unskew_session_bytes{place=\"host\"}"), 0);
    assert_eq!(serving.metric("unskew_handles "), 0);
}

#[test]
fn the_page_shows_sessions_devices_bytes_and_requests_in_a_browser() {
    let serving = Serving::of(&PLUGINS[0].path(), &[]);
    let page = serving.get("/");
    assert!(page.contains("Nobody is connected."));
    for sign in ["<script", "src=", "https://", "url(", "@import", "http-equiv"] {
        assert!(!page.contains(sign), "{sign} stands in the page");
    }
    run(async {
        let (mut client, adder) = client(&serving).await;
        adder.fetch(&mut client, 77).await.unwrap_err();
        let Some(browser) = Browser::find() else { return };
        let folder = tempfile::tempdir().unwrap();
        let url = serving.address.replacen("grpc://", "http://", 1) + "/";
        let (dom, _) = browser.dom(folder.path(), &url);
        for words in [
            "<h1>unskew serve <span class=\"state\">serving</span></h1>",
            "<dt>PJRT C API</dt><dd>0.81</dd>",
            "<dt>Sessions</dt><dd>1 of at most 64</dd>",
            "<dd>64.0 KiB in arrays, 0 B on their way;",
            "<tr><th scope=\"row\">1</th><td>127.0.0.1:",
            "<td class=\"number\">25</td><td class=\"number\">3</td>",
            "<th scope=\"row\">compile_request</th><td class=\"number\">1</td>",
            "<th scope=\"row\">copy_to_host_buffer_request</th><td class=\"number\">1</td><td class=\"number wrong\">1</td>",
            "tabindex=\"0\" role=\"region\" aria-labelledby=\"sessions\"",
        ] {
            assert!(dom.contains(words), "{words} is not in {dom}");
        }
    });
}

/// `unskew proxy`, on the loopback; it is killed with this.
struct Proxying(Child);

impl Drop for Proxying {
    fn drop(&mut self) {
        // One that has ended already is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The files of a tunnel: a certificate for `localhost`, its key, and a token.
fn tunnel_files(folder: &Path) -> [String; 3] {
    use std::os::unix::fs::PermissionsExt as _;
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let [certificate, key, token] = ["certificate", "key", "token"].map(|it| folder.join(it));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    std::fs::write(&token, "0123456789abcdef0123456789abcdef\n").unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    [certificate, key, token].map(|path| path.display().to_string())
}

#[test]
fn a_stock_jax_passes_every_step_through_tls_and_a_token() {
    if !unskew_peers::there("jax-0.10.2") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key, token] = tunnel_files(folder.path());
    let options = [
        "--tls-certificate",
        &certificate,
        "--tls-key",
        &key,
        "--token-file",
        &token,
        "--tls-bind",
    ];
    let mut options = options.to_vec();
    options.push("127.0.0.1:0");
    let mut serving = Serving::of(&PLUGINS[1].path(), &options);
    let gate = serving.tls_port();
    let mut child = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .args(["proxy", &format!("localhost:{gate}"), "--token-file", &token])
        .args(["--ca", &certificate, "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
    let _proxying = Proxying(child);
    let line = printed.next().unwrap().unwrap();
    let address = line.split_whitespace().next().unwrap();
    let host = JaxHost::named("0.10.2").unwrap();
    let mut client = host.peer.probe("xla", "proxy_steps.py");
    client.arg(address).env("PYTHONPATH", unskew_peers::root().join("python/unskew_jax"));
    let outcome = unskew_peers::run_probe(&mut client, PATIENCE * 3).unwrap();
    assert_eq!(outcome.failure(), None, "{line}");
    assert_eq!(outcome.passed(), unskew_jax_matrix::PROXY_STEPS);
}

#[test]
fn a_client_with_another_token_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key, token] = tunnel_files(folder.path());
    let mut serving = Serving::of(
        &PLUGINS[1].path(),
        &[
            "--tls-certificate",
            &certificate,
            "--tls-key",
            &key,
            "--token-file",
            &token,
            "--tls-bind",
            "127.0.0.1:0",
        ],
    );
    let other = folder.path().join("other");
    std::fs::copy(&token, &other).unwrap();
    std::fs::write(&other, "ffffffffffffffffffffffffffffffff\n").unwrap();
    let refused = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .args(["proxy", &format!("localhost:{}", serving.tls_port()), "--ca", &certificate])
        .args(["--port", "0", "--token-file"])
        .arg(&other)
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("the server does not know this token"), "{said}");
}

/// `unskew serve` with the handlers of a release of jaxlib.
fn with_handlers(plugin: &Path, jax: &str) -> Serving {
    let python = unskew_peers::root().join(format!("corpus/python/jax-{jax}/bin/python"));
    let path = unskew_peers::root().join("python/unskew_jax");
    Serving::in_surroundings(
        plugin,
        &["--handlers", &python.display().to_string()],
        &[("PYTHONPATH", &path.display().to_string())],
    )
}

#[test]
fn a_stock_jax_solves_and_decomposes_with_the_handlers_of_another_jaxlib() {
    if !unskew_peers::there("jax-0.10.2") || !unskew_peers::there("jax-0.6.2") {
        return;
    }
    for plugin in [&PLUGINS[0], &PLUGINS[2]] {
        let serving = with_handlers(&plugin.path(), "0.10.2");
        let program = "import jax.numpy as jnp, numpy as np\n\
             a = np.random.default_rng(1).normal(size=(5, 5)).astype(np.float32)\n\
             assert np.abs(np.asarray(jnp.linalg.inv(a)) @ a - np.eye(5)).max() < 1e-4\n\
             np.testing.assert_allclose(jnp.linalg.svd(a)[1], np.linalg.svd(a)[1], rtol=1e-4)\n\
             np.testing.assert_allclose(jnp.linalg.eigvalsh(a @ a.T), np.linalg.eigvalsh(a @ a.T), rtol=1e-3)\n\
             print('solved')\n";
        let client = of_client("0.6.2", &serving, program);
        let said = String::from_utf8_lossy(&client.stderr);
        assert_eq!(String::from_utf8_lossy(&client.stdout), "solved\n", "{}: {said}", plugin.name);
    }
}

/// What a client of a release does on a server.
fn of_client(jax: &str, serving: &Serving, program: &str) -> std::process::Output {
    let connect =
        format!("import unskew_jax; connection = unskew_jax.connect({:?})\n", serving.address);
    let mut command = JaxHost::named(jax).unwrap().peer.command();
    command.args(["-c", &(connect + program)]);
    command.env("PYTHONPATH", unskew_peers::root().join("python/unskew_jax"));
    command.output().unwrap()
}

const FAULTS: &str = "
import os, sys, jax, numpy as np

def faults():
    '''Page faults of the processes that the server has.'''
    found = 0
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            fields = open(f'/proc/{name}/stat').read().rsplit(')', 1)[1].split()
        except OSError:
            continue
        found += int(fields[7]) if fields[1] == SERVER else 0
    return found

add = jax.jit(lambda a: a + 1)
there = jax.device_put(np.zeros(16 << 20, np.float32))
def rounds(count):
    for _ in range(count): jax.block_until_ready(add(there))
rounds(30)
before = faults()
rounds(20)
print((faults() - before) // 20)
";

#[test]
fn a_process_of_a_client_keeps_memory_for_its_next_arrays_on_few_cores() {
    let few = std::thread::available_parallelism().is_ok_and(|cores| cores.get() <= 4);
    if !unskew_peers::there("jax-0.10.2") || !few {
        return;
    }
    let pages = 16 << 10;
    for (variables, kept) in [(&[][..], true), (&[("MALLOC_ARENA_MAX", "8")], false)] {
        let serving = Serving::in_surroundings(&PLUGINS[1].path(), &[], variables);
        let program = format!("SERVER = '{}'\n{FAULTS}", serving.child.id());
        let client = of_client("0.10.2", &serving, &program);
        let said = String::from_utf8_lossy(&client.stderr);
        let faults: u32 = String::from_utf8_lossy(&client.stdout)
            .trim()
            .parse()
            .unwrap_or_else(|_| panic!("{said}"));
        println!("{faults} page faults for an array of {pages} pages");
        assert_eq!(faults < pages / 4, kept, "{faults} with {variables:?}");
    }
}

const CALLBACKS: &str = "
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import io_callback
shape = jax.ShapeDtypeStruct((4,), np.float32)

@jax.jit
def pure(x):
    jax.debug.print('x is {}', x)
    return jax.pure_callback(lambda a: np.sin(a), shape, x) + 1
x = np.arange(4, dtype=np.float32)
np.testing.assert_allclose(pure(x), np.sin(x) + 1, rtol=1e-6)

seen = []
@jax.jit
def ordered(x):
    io_callback(lambda a: seen.append(int(a)), None, x, ordered=True)
    io_callback(lambda a: seen.append(-int(a)), None, x, ordered=True)
    return x
for i in range(1, 4): ordered(i)
jax.effects_barrier()
assert seen == [1, -1, 2, -2, 3, -3], seen

small = jnp.arange(-3, 4, dtype=jnp.int4)
same = jax.ShapeDtypeStruct(small.shape, small.dtype)
negated = jax.jit(lambda x: jax.pure_callback(lambda a: (-a.astype(np.int8)).astype(a.dtype), same, x))
assert negated(small).astype(int).tolist() == [3, 2, 1, 0, -1, -2, -3]

mesh = jax.make_mesh((4,), ('i',))
spread = jax.device_put(x, jax.NamedSharding(mesh, jax.P('i') if hasattr(jax, 'P') else jax.sharding.PartitionSpec('i')))
np.testing.assert_allclose(jax.jit(lambda x: jax.pure_callback(lambda a: a * 2, shape, x))(spread), x * 2)

try:
    jax.jit(lambda x: jax.pure_callback(lambda a: 1 / 0, shape, x))(x).block_until_ready()
except Exception as error:
    assert 'ZeroDivisionError: division by zero' in str(error), error
else:
    raise AssertionError('no error came')
print('called')
";

#[test]
fn a_server_calls_functions_of_its_clients_and_those_of_one_that_left_fail() {
    if !unskew_peers::there("jax-0.10.2") || !unskew_peers::there("jax-0.6.2") {
        return;
    }
    let serving = with_handlers(&PLUGINS[2].path(), "0.10.2");
    for jax in ["0.6.2", "0.10.2"] {
        let client = of_client(jax, &serving, CALLBACKS);
        let (printed, said) =
            (String::from_utf8_lossy(&client.stdout), String::from_utf8_lossy(&client.stderr));
        assert_eq!(printed, "x is [0. 1. 2. 3.]\ncalled\n", "{jax}: {said}");
    }
    // A second connection of a process has a process of the server's, too.
    let again = format!(
        "import jax, numpy as np\n\
         call = lambda: jax.jit(lambda x: jax.pure_callback(lambda a: a + 1, x, x))(np.float32(1))\n\
         first = call(); print(first)\n\
         from jax._src import xla_bridge; kept = xla_bridge.get_backend()\n\
         connection.close(); unskew_jax.connect({:?}); print(call())\n",
        serving.address
    );
    let client = of_client("0.10.2", &serving, &again);
    let said = String::from_utf8_lossy(&client.stderr);
    assert_eq!(String::from_utf8_lossy(&client.stdout), "2.0\n2.0\n", "{said}");
    // One that ends within its own function.
    let gone = "import jax, os, numpy as np\n\
                jax.jit(lambda x: jax.pure_callback(lambda a: os._exit(7), x, x))(np.float32(1))\n\
                import time; time.sleep(60)\n";
    assert_eq!(of_client("0.10.2", &serving, gone).status.code(), Some(7));
    eventually(|| serving.metric("unskew_sessions ") == 0, "the session is still there");
    let more = of_client("0.10.2", &serving, "import jax; print(jax.jit(lambda x: x + 1)(1))");
    assert_eq!(String::from_utf8_lossy(&more.stdout), "2\n");
}

#[test]
fn a_server_without_a_python_says_what_callbacks_need() {
    if !unskew_peers::there("jax-0.6.2") {
        return;
    }
    for options in [&[][..], &["--isolation", "none"]] {
        let serving = Serving::of(&PLUGINS[2].path(), options);
        let program = "import jax; jax.jit(lambda x: jax.debug.print('{}', x))(1)";
        let client = of_client("0.6.2", &serving, program);
        let said = String::from_utf8_lossy(&client.stderr);
        assert!(said.contains("start it with `unskew serve --handlers PYTHON`"), "{said}");
    }
}

#[test]
fn axe_finds_nothing_on_the_status_page() {
    let serving = Serving::of(&PLUGINS[0].path(), &[]);
    let host = serving.address.replace("grpc://", "http://");
    axe::assert_accessible("serve", &[format!("{host}/")]);
}

#[test]
fn a_python_without_jaxlib_gives_no_handlers() {
    let output = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .args(["serve", "--port", "0", "--handlers", "python3"])
        .arg(PLUGINS[0].path())
        .env("PYTHONPATH", "/nothing")
        .env("PYTHONNOUSERSITE", "1")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("it needs the packages jaxlib, scipy and unskew_jax"), "{said}");
    let absent = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .args(["serve", "--port", "0", "--handlers", "/no/python"])
        .arg(PLUGINS[0].path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&absent.stderr);
    assert!(said.contains("/no/python: No such file"), "{said}");
}
