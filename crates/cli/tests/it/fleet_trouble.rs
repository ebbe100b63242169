//! `unskew fleet` on a full disk, with a damaged artifact, without its database: it says what is wrong, and nothing is
//! lost.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use unskew_fleet::Fleet;

fn example(name: &str) -> PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join("examples").join(name)
}

fn text(output: &Output) -> String {
    let (out, error) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{error}")
}

/// Runs the command on a fleet. With a limit no file gets longer than so many half kilobytes, as if the disk were
/// full from there on.
fn unskew(fleet: &Path, limit: Option<u32>, args: &[&str]) -> Output {
    let limit = limit.map(|blocks| format!("trap '' XFSZ; ulimit -f {blocks}; "));
    let script = format!("{}exec \"$0\" \"$@\"", limit.unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_unskew"), "fleet"]).args(args);
    command.args(["--as-of", "2026-11-21"]).env("UNSKEW_FLEET", fleet).output().unwrap()
}

/// Everything that is there is whole, and nothing half lies about.
fn whole(folder: &Path) -> usize {
    let fleet = Fleet::open(folder).unwrap();
    let digests = fleet.depot().digests().unwrap();
    digests.iter().for_each(|digest| fleet.depot().verify(digest).unwrap());
    assert_eq!(std::fs::read_dir(folder.join("artifacts/incoming")).unwrap().count(), 0);
    digests.len()
}

#[test]
fn a_full_disk_is_said_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet");
    let add = ["runtime", "add", "torch@1.10", "--name", "phones"];
    assert!(unskew(&fleet, None, &add).status.success());
    // An artifact that does not fit.
    let large = folder.path().join("large.pb");
    let mut bytes = std::fs::read(example("add-cast.pb")).unwrap();
    // A field that nobody knows, of 3 MB.
    bytes.extend([0xc2, 0x3e, 0x80, 0x80, 0xc0, 0x01]);
    bytes.resize(bytes.len() + (3 << 20), 0);
    std::fs::write(&large, bytes).unwrap();
    let publish = ["model", "add", "large", large.to_str().unwrap()];
    let refused = unskew(&fleet, Some(4096), &publish);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("large"), "{}", text(&refused));
    assert_eq!(whole(&fleet), 0);
    assert!(unskew(&fleet, None, &publish).status.success());
    assert_eq!(whole(&fleet), 1);

    // A database that cannot grow: whatever it was that did not fit, the same again works later.
    let gelu = example("gelu-2.15.0.pt");
    let publish = ["model", "add", "gelu", gelu.to_str().unwrap()];
    assert!(unskew(&fleet, None, &publish).status.success());
    let decide = ["decide", "gelu", "--runtime", "phones"];
    let mut failed = 0;
    for blocks in [0, 1, 8, 20, 40, 60] {
        let output = unskew(&fleet, Some(blocks), &decide);
        assert!(matches!(output.status.code(), Some(0 | 2)), "{blocks}: {}", text(&output));
        failed += usize::from(output.status.code() == Some(2));
        assert!(!text(&output).contains("panicked"), "{}", text(&output));
        whole(&fleet);
    }
    assert!(failed > 0, "nothing was full");
    assert!(unskew(&fleet, None, &decide).status.success());
    assert_eq!(whole(&fleet), 3);
}

#[test]
fn a_damaged_artifact_is_not_delivered() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet");
    assert!(unskew(&fleet, None, &["runtime", "add", "torch@2.15"]).status.success());
    let gelu = example("gelu-2.15.0.pt");
    assert!(
        unskew(&fleet, None, &["model", "add", "gelu", gelu.to_str().unwrap()]).status.success()
    );
    let out = folder.path().join("out.pt");
    let decide = ["decide", "gelu", "--runtime", "torch@2.15.0", "-o", out.to_str().unwrap()];
    assert!(unskew(&fleet, None, &decide).status.success());
    assert_eq!(std::fs::read(&out).unwrap(), std::fs::read(&gelu).unwrap());
    std::fs::remove_file(&out).unwrap();

    let depot = Fleet::open(&fleet).unwrap().depot().clone();
    let place = depot.path(&depot.digests().unwrap()[0]).unwrap();
    let mut bytes = std::fs::read(&place).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&place, bytes).unwrap();
    let output = unskew(&fleet, None, &decide);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("no longer what it was"), "{}", text(&output));
    assert!(!out.exists());
}

#[test]
fn a_database_that_is_not_there_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let database = format!("postgres://me:secret@127.0.0.1:{port}/fleet");
    let output = unskew(folder.path(), None, &["model", "list", "--database", &database]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output);
    assert!(said.contains(&format!("postgres://me@127.0.0.1:{port}/fleet")), "{said}");
    assert!(said.contains("does not answer") && !said.contains("secret"), "{said}");
}

#[test]
fn an_artifact_that_asks_for_too_much_is_an_error_and_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet");
    assert!(unskew(&fleet, None, &["runtime", "add", "torch@1.10"]).status.success());
    let gelu = example("gelu-2.15.0.pt");
    let publish =
        |path: &Path| unskew(&fleet, None, &["model", "add", "gelu", path.to_str().unwrap()]);
    assert!(publish(&gelu).status.success());
    // A header of 20 MiB, and a graph of two million nodes.
    let header = folder.path().join("weights.safetensors");
    let mut bytes = (20_u64 << 20).to_le_bytes().to_vec();
    bytes.extend(b"{}");
    bytes.resize(8 + (20 << 20), b' ');
    std::fs::write(&header, bytes).unwrap();
    let graph = folder.path().join("nodes.pb");
    let mut bytes = std::fs::read(example("add-cast.pb")).unwrap();
    bytes.extend(b"\x0a\x06\x0a\x01a\x12\x01a".repeat(2_000_000));
    std::fs::write(&graph, bytes).unwrap();
    for hostile in [&header, &graph] {
        let refused = publish(hostile);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
        assert!(text(&refused).contains("over the budget"), "{}", text(&refused));
    }
    let decided = unskew(&fleet, None, &["decide", "gelu", "--all"]);
    assert!(decided.status.success(), "{}", text(&decided));
    assert_eq!(whole(&fleet), 2);
}
