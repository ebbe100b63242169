//! Uploads that are made to end whoever reads them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::process::Stdio;

use serde_json::{Value, json};
use unskew_fleet::{DeliveryPolicy, Digest, Fleet, RuntimeProfile};
use unskew_fleet_service::client::{ServiceClient, ServiceResponse};
use unskew_peers::root;

use super::served::{Served, add_runtime, begin, code, example, piece, publish, until};

const MODEL: &str = "examples/gelu-2.15.0.pt";

/// Uploads a file and asks for it to be published.
fn offered(client: &mut ServiceClient, model: &str, file: &str, bytes: &[u8]) -> ServiceResponse {
    let place = begin(client, model, file, bytes);
    assert_eq!(piece(client, &place, 0, bytes).status, 204);
    client.send("POST", &format!("{place}/finish"), &[], b"").unwrap()
}

/// A graph of so many nodes: a few bytes each in the file, and much more in memory.
fn graph(nodes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for at in 0..nodes {
        let name = format!("n{at}");
        let mut node = vec![0x0a, name.len() as u8];
        node.extend(name.as_bytes());
        node.extend(b"\x12\x04NoOp");
        bytes.extend([0x0a, node.len() as u8]);
        bytes.extend(node);
    }
    bytes
}

/// The processes that a process started.
#[cfg(target_os = "linux")]
fn children(of: u32) -> BTreeSet<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split(' ').filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// How many bytes of address space a child has that was asked nothing yet.
#[cfg(target_os = "linux")]
fn at_rest() -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .args(["__inspect", &(4_u64 << 30).to_string(), "60"])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It is ready when it says so.
    let mut output = child.stdout.take().unwrap();
    std::io::Read::read_exact(&mut output, &mut [0; 5]).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    // It is kept to its streams before it sees anything.
    assert!(status.lines().any(|line| line == "Seccomp:\t2"), "{status}");
    let size: u64 = size.trim().trim_end_matches(" kB").parse().unwrap();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success(), "it ends with its parent");
    size << 10
}

#[cfg(target_os = "linux")]
#[test]
fn an_upload_that_takes_too_much_memory_is_refused_and_nothing_else_happens() {
    let store = tempfile::tempdir().unwrap();
    let memory = (at_rest() + (12 << 20)).to_string();
    let served = Served::start(store.path(), &["--inspect-memory", &memory]);
    let mut client = served.client();
    let large = graph(400_000);
    for _ in 0..3 {
        let refused = offered(&mut client, "large", "large.pb", &large);
        assert_eq!((refused.status, code(&refused).as_str()), (422, "FL012"), "{}", refused.text());
        let body = refused.json();
        let detail = body["detail"].as_str().unwrap();
        assert!(detail.contains("large.pb") && detail.contains("MiB of memory"), "{detail}");
        let digest = Digest::sha256(&large);
        assert_eq!(client.get(&format!("/v1/artifacts/{digest}")).unwrap().status, 404);
    }
    assert_eq!(client.get("/health").unwrap().status, 200);
    let small = offered(&mut client, "small", "small.pb", &example("examples/add-cast.pb"));
    assert_eq!(small.status, 200, "{}", small.text());
    let models = client.get("/v1/models").unwrap().json();
    assert_eq!(models.as_array().unwrap().len(), 1, "{models}");
    assert!(client.get("/v1/audit").unwrap().text().contains("MiB of memory"));
    let left = std::fs::read_dir(store.path().join("artifacts/staging")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name == "coming"), "no pieces are left: {left:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_version_that_takes_too_much_memory_keeps_back_no_other() {
    let store = tempfile::tempdir().unwrap();
    let large = graph(400_000);
    {
        let served = Served::start(store.path(), &[]);
        let mut client = served.client();
        publish(&mut client, "m", "one.pb", &example("examples/add-cast.pb"));
        publish(&mut client, "m", "two.pb", &large);
        add_runtime(&mut client, "servers", "tensorflow@2.15", 1);
    }
    let asked = |year: u64, memory: u64| -> Value {
        let served = Served::start(store.path(), &["--inspect-memory", &memory.to_string()]);
        let mut client = served.client();
        let path = format!("/v1/models/m/decision?runtime=servers&as_of={year}-01-01");
        let answer = client.get(&path).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(client.get("/health").unwrap().status, 200);
        answer.json()
    };
    // Too little for the large graph, and perhaps for the small one; then more, until one of them is judged. An answer to
    // what was not judged is kept for its day only.
    let rest = at_rest();
    for step in 0.. {
        let memory = rest + (12 << 20) + step * (24 << 20);
        let decision = asked(3000 + step, memory);
        let considered = decision["considered"].as_array().unwrap();
        let error = considered[0]["answer"]["converted"]["error"].as_str().unwrap_or_default();
        match decision["decision"].as_str().unwrap() {
            "as is" if step > 0 => break,
            "older" => {
                assert!(error.contains("MiB of memory"), "{decision}");
                assert_eq!(decision["deliver"]["version"], 1);
                break;
            }
            _ => {
                assert!(error.contains("MiB of memory"), "{decision}");
                assert_eq!(considered.len(), 2, "the version before is asked too");
            }
        }
        assert!(step < 100, "{decision}");
    }
    let whole = asked(4000, 4 << 30);
    assert_eq!((&whole["decision"], &whole["deliver"]["version"]), (&json!("as is"), &json!(2)));
}

#[cfg(target_os = "linux")]
#[test]
fn who_reads_ends_with_the_service_and_is_replaced_when_it_ends_before() {
    let store = tempfile::tempdir().unwrap();
    let mut served = Served::start(store.path(), &[]);
    let mut client = served.client();
    let bytes = example(MODEL);
    publish(&mut client, "a", "a.pt", &bytes);
    let first = children(served.child.id());
    assert!(!first.is_empty(), "somebody has read it");
    for id in &first {
        assert!(Command::new("kill").args(["-KILL", &id.to_string()]).status().unwrap().success());
    }
    // One that was asked before and is gone says nothing about what is asked now.
    publish(&mut client, "b", "b.pt", &bytes);
    add_runtime(&mut client, "phones", "torch@1.10", 1);
    let path = "/v1/models/b/decision?runtime=phones";
    assert_eq!(client.get(path).unwrap().json()["decision"], "converted");
    let second = children(served.child.id());
    assert!(!second.is_empty() && second.is_disjoint(&first));
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    until("nobody reads on for a service that is gone", || {
        second.iter().all(|id| !Path::new(&format!("/proc/{id}")).exists()).then_some(())
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_decision_that_is_known_starts_no_process() {
    let store = tempfile::tempdir().unwrap();
    let path = "/v1/models/a/decision?runtime=phones&as_of=2999-01-01";
    {
        let served = Served::start(store.path(), &[]);
        let mut client = served.client();
        publish(&mut client, "a", "a.pt", &example(MODEL));
        add_runtime(&mut client, "phones", "torch@1.10", 1);
        let computed = client.get(path).unwrap();
        assert_eq!(computed.header("x-answer"), Some("computed"), "{}", computed.text());
    }
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    for _ in 0..20 {
        let known = client.get(path).unwrap();
        assert_eq!((known.status, known.header("x-answer")), (200, None));
    }
    assert_eq!(children(served.child.id()), BTreeSet::new());
}

#[test]
fn what_another_process_reads_is_judged_as_it_is_here() {
    let here = tempfile::tempdir().unwrap();
    let there = tempfile::tempdir().unwrap();
    let mut fleet = Fleet::open(here.path()).unwrap();
    let served = Served::start(there.path(), &[]);
    let mut client = served.client();
    let runtimes = ["torch@1.10", "torch@2.15", "tensorflow@1.15", "tensorflow@2.15", "jax@0.6.2"];
    for release in runtimes {
        add_runtime(&mut client, release, release, 1);
        let profile =
            json!({ "fleet_runtime": 1, "name": release, "devices": 1, "release": release });
        let profile = RuntimeProfile::read(&profile.to_string()).unwrap();
        fleet.put_runtime(&profile, "2020-01-01").unwrap();
    }
    let policy =
        DeliveryPolicy { accept_lossy: true, ..DeliveryPolicy::on("2999-01-01".parse().unwrap()) };
    let files = [MODEL, "examples/add-cast.pb", "examples/add.stablehlo"];
    let mut seen = BTreeSet::new();
    for (at, file) in files.into_iter().enumerate() {
        let model = format!("m{at}");
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        publish(&mut client, &model, name, &example(file));
        fleet.publish(&model, &root().join(file), "2020-01-01").unwrap();
        for release in runtimes {
            let path = format!(
                "/v1/models/{model}/decision?runtime={release}&accept_lossy=true&as_of=2999-01-01"
            );
            let theirs = client.get(&path).unwrap().json();
            let own = fleet.decide(&model, release, &policy).unwrap();
            let own: Value = serde_json::from_str(&own.to_json()).unwrap();
            assert_eq!(theirs["decision"], own["decision"], "{model} for {release}");
            assert_eq!(theirs["deliver"]["artifact"], own["deliver"]["artifact"]);
            let answers = |decision: &Value| decision["considered"][0]["answer"].clone();
            assert_eq!(answers(&theirs), answers(&own), "{model} for {release}");
            seen.insert(theirs["decision"].as_str().unwrap().to_owned());
        }
    }
    assert!(seen.contains("converted") && seen.contains("as is"), "{seen:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_shared_object_that_is_uploaded_never_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("p.c"), folder.path().join("libp.so"));
    let mark = folder.path().join("it ran");
    let text = format!(
        "#include <stdio.h>\n\
         __attribute__((constructor)) static void begin(void) {{ fopen(\"{}\", \"w\"); }}\n\
         const void *GetPjrtApi(void) {{ begin(); return 0; }}\n\
         void SE_InitPlugin(void *a, void *b) {{ begin(); }}\n",
        mark.display()
    );
    std::fs::write(&source, text).unwrap();
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&object).arg(&source).status();
    match built {
        Ok(status) => assert!(status.success()),
        Err(error) => return eprintln!("SKIPPED: no C compiler: {error}"),
    }
    // It runs where it is loaded.
    let loaded = Command::new("true").env("LD_PRELOAD", &object).status().unwrap();
    assert!(loaded.success() && mark.exists(), "the trap works");
    std::fs::remove_file(&mark).unwrap();

    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    let bytes = std::fs::read(&object).unwrap();
    let said = offered(&mut client, "p", "libp.so", &bytes);
    assert!(matches!(said.status, 200 | 422), "{}", said.text());
    if said.status == 200 {
        add_runtime(&mut client, "jax", "jax@0.6.2", 1);
        let decision = client.get("/v1/models/p/decision?runtime=jax").unwrap();
        assert_eq!(decision.status, 200, "{}", decision.text());
    }
    // Nor within a folder.
    let members =
        json!([{ "path": "a/libp.so", "size": bytes.len(), "digest": Digest::sha256(&bytes) }]);
    let mut rows = vec![("a/libp.so".to_owned(), Digest::sha256(&bytes), bytes.len() as u64)];
    let new = json!({
        "model": "f", "file": "folder", "size": bytes.len(), "files": members,
        "digest": unskew_fleet::list_digest(&mut rows),
    });
    let begun = client.send_json("POST", "/v1/uploads", &new).unwrap();
    let place = begun.header("location").unwrap().to_owned();
    assert_eq!(piece(&mut client, &place, 0, &bytes).status, 204);
    let said = client.send("POST", &format!("{place}/finish"), &[], b"").unwrap();
    assert!(matches!(said.status, 200 | 422), "{}", said.text());
    assert!(!mark.exists());
}
