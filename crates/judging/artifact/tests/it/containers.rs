//! Folders and wheels: what is found in them, and what is not followed, read or believed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use unskew_artifact::{Artifact, Container, OpenError, OpenOptions, RunPolicy, open};
use zip::write::SimpleFileOptions;

const GGUF: &[u8] = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

fn example(name: &str) -> Vec<u8> {
    let root = Path::new(env!("UNSKEW_ROOT"));
    std::fs::read(root.join("examples").join(name)).unwrap()
}

/// A SavedModel with one graph: schema version 1, then a MetaGraphDef with the graph as field 2.
fn saved_model() -> Vec<u8> {
    let field = |tag: u8, bytes: &[u8]| {
        let mut field = vec![tag];
        let mut length = bytes.len();
        while length >= 0x80 {
            field.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        field.push(length as u8);
        [field.as_slice(), bytes].concat()
    };
    let meta_graph = field(0x12, &example("add-cast.pb"));
    [&[0x08, 0x01][..], &field(0x12, &meta_graph)].concat()
}

fn wheel(folder: &Path, file: &str, members: &[(&str, &[u8])]) -> PathBuf {
    let path = folder.join(file);
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
    path
}

fn labels(artifact: &Artifact) -> Vec<&str> {
    let end = |label: &'_ str| label.rfind(['/', '!']).map_or(0, |at| at + 1);
    artifact.pieces.iter().map(|piece| &piece.label[end(&piece.label)..]).collect()
}

#[test]
fn a_folder_shows_what_is_in_it_and_in_the_folders_below() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("deep")).unwrap();
    std::fs::write(folder.path().join("deep/net.pt"), example("gelu-2.15.0.pt")).unwrap();
    std::fs::write(folder.path().join("weights.gguf"), GGUF).unwrap();
    std::fs::write(folder.path().join("train.py"), "import torch").unwrap();
    let artifact = open(folder.path(), &OpenOptions::default()).unwrap();
    assert_eq!(labels(&artifact), ["net.pt", "weights.gguf"]);
    assert_eq!(artifact.container, Container::Folder);
}

#[test]
fn a_saved_model_is_known_by_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("detector");
    std::fs::create_dir(&model).unwrap();
    std::fs::write(model.join("saved_model.pb"), saved_model()).unwrap();
    let artifact = open(folder.path(), &OpenOptions::default()).unwrap();
    assert_eq!(artifact.pieces[0].party.name, "detector");
    assert_eq!(artifact.pieces[0].party.kind, "SavedModel");
    assert_eq!(labels(&artifact), ["detector"]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_wherever_they_lead() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.gguf"), GGUF).unwrap();
    std::fs::write(folder.path().join("weights.gguf"), GGUF).unwrap();
    let link = |to: &Path, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    };
    link(folder.path(), "itself");
    link(outside.path(), "outside");
    link(&outside.path().join("secret.gguf"), "secret.gguf");
    link(&folder.path().join("weights.gguf"), "near.gguf");
    let artifact = open(folder.path(), &OpenOptions::default()).unwrap();
    assert_eq!(labels(&artifact), ["weights.gguf"]);
    let problems: Vec<String> = artifact.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].ends_with("secret.gguf"), "{problems:?}");
}

#[test]
fn a_folder_without_models_says_what_was_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("train.py"), "import torch").unwrap();
    let error = open(folder.path(), &OpenOptions::default()).unwrap_err();
    assert!(matches!(error, OpenError::Nothing { files: 1, .. }), "{error}");
    assert!(error.to_string().contains("StableHLO"), "{error}");
}

#[test]
fn what_is_broken_in_a_folder_stands_beside_what_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let archive = example("gelu-2.15.0.pt");
    std::fs::write(folder.path().join("good.pt"), &archive).unwrap();
    std::fs::write(folder.path().join("cut.pt"), &archive[..700]).unwrap();
    let artifact = open(folder.path(), &OpenOptions::default()).unwrap();
    assert_eq!(labels(&artifact), ["good.pt"]);
    assert_eq!(artifact.problems.len(), 1);
    assert!(artifact.problems[0].to_string().contains("cut.pt"));
}

#[test]
fn the_wheel_of_a_release_is_that_release() {
    let folder = tempfile::tempdir().unwrap();
    let metadata = b"Metadata-Version: 2.1\nName: torch\nVersion: 2.4.1+cpu\n\nVersion: 9\n";
    let members: &[(&str, &[u8])] = &[("torch-2.4.1+cpu.dist-info/METADATA", metadata)];
    let path = wheel(folder.path(), "torch-2.4.1+cpu-cp312-linux.whl", members);
    let artifact = open(&path, &OpenOptions::default()).unwrap();
    assert_eq!(artifact.release.unwrap().to_string(), "torch@2.4.1");
    assert_eq!(artifact.pieces[0].party.name, "torch 2.4.1");
}

#[test]
fn the_models_in_a_wheel_say_which_package_they_are_from() {
    let folder = tempfile::tempdir().unwrap();
    let (gelu, model) = (example("gelu-2.15.0.pt"), saved_model());
    let metadata = b"Name: speech\nVersion: 1.2\n";
    let members: &[(&str, &[u8])] = &[
        ("speech/net.pt", &gelu),
        ("speech/model/saved_model.pb", &model),
        ("speech/cut.pt", &gelu[..700]),
        ("speech/_native.cpython-312-x86_64-linux-gnu.so", b"not opened"),
        ("speech-1.2.dist-info/METADATA", metadata),
    ];
    let path = wheel(folder.path(), "speech-1.2-py3-none-any.whl", members);
    let artifact = open(&path, &OpenOptions::default()).unwrap();
    assert_eq!(labels(&artifact), ["net.pt", "model"]);
    assert_eq!(artifact.problems.len(), 1, "{:?}", artifact.problems);
    for piece in &artifact.pieces {
        let package = piece.party.facts.iter().find(|fact| fact.label == "package").unwrap();
        assert_eq!(package.value, "speech 1.2");
    }
}

/// A shared object of this C text, or none if there is no C compiler.
fn library(folder: &Path, text: &str) -> Option<Vec<u8>> {
    let source = folder.join("plugin.c");
    std::fs::write(&source, text).unwrap();
    let object = folder.join("plugin.bin");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&object).arg(&source);
    let built = compiler.status().is_ok_and(|status| status.success());
    if !built {
        println!("skipped: no C compiler on this machine");
    }
    built.then(|| std::fs::read(&object).unwrap())
}

#[test]
fn a_pluggable_device_is_read_and_put_on_trial_if_it_may_be_run() {
    let folder = tempfile::tempdir().unwrap();
    let text = "void TF_AssignVariable(void); void SE_InitPlugin(void) { TF_AssignVariable(); }";
    let Some(plugin) = library(folder.path(), text) else { return };
    let path = folder.path().join("libdevice.so");
    std::fs::write(&path, plugin).unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    let run = OpenOptions::probing(RunPolicy::Named, move |path: &Path| {
        seen.lock().unwrap().push(path.to_owned());
        Command::new("false")
    });
    let release = unskew_releases::find("tensorflow@2.21").unwrap();
    let day = unskew_core::Context::for_tests();
    for options in [OpenOptions::default(), run] {
        let artifact = open(&path, &options).unwrap();
        let verdict = unskew_core::check(&artifact.pieces[0].party, &release.party(), &day);
        let codes: Vec<&str> = verdict.findings.iter().map(|finding| finding.rule.code).collect();
        assert!(codes.contains(&"SE002"), "{codes:?}");
        // A child that says nothing tells nothing.
        assert!(!verdict.unjudged.is_empty(), "what only running code tells was not judged");
    }
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert_eq!(*asked.lock().unwrap(), [path]);
    }
}

/// A Mach-O library for 64-bit ARM that exports `GetPjrtApi`, by hand.
fn macos_plugin() -> Vec<u8> {
    let strings = b"\0_GetPjrtApi\0";
    // The head: a library with one command, the table of symbols, which lies behind it.
    let head = [0xfeed_facf, 0x0100_000c, 0, 6, 1, 24, 0x80, 0];
    let table = [2, 24, 56, 1, 72, strings.len() as u32];
    let mut bytes: Vec<u8> = head.into_iter().chain(table).flat_map(u32::to_le_bytes).collect();
    // The symbol: index of the name, kind (absolute, external), section, description, value.
    bytes.extend([1, 0, 0, 0, 0x03, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0]);
    bytes.extend(strings);
    bytes
}

#[test]
fn a_plug_in_for_another_machine_is_read_and_not_run_and_nothing_is_wrong_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = vec![("metal.dylib", macos_plugin(), "Mach-O aarch64")];
    let text = "const void *GetPjrtApi(void) { return 0; }";
    let own = library(folder.path(), text);
    if let (Some(own), true) = (&own, cfg!(all(target_os = "linux", target_arch = "x86_64"))) {
        // The machine of an ELF file: AArch64.
        let mut other = own.clone();
        other[18] = 183;
        made.push(("arm.so", other, "ELF aarch64"));
    }
    let release = unskew_releases::find("jax@0.4.30").unwrap();
    let day = unskew_core::Context::for_tests();
    let verdict = |name: &str, bytes: &[u8], running| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let run = OpenOptions::probing(running, |_: &Path| Command::new("false"));
        let artifact = open(&path, &run).unwrap();
        unskew_core::check(&artifact.pieces[0].party, &release.party(), &day)
    };
    for running in [RunPolicy::Named, RunPolicy::All] {
        for (name, bytes, built_for) in &made {
            if *built_for == "Mach-O aarch64" && cfg!(target_vendor = "apple") {
                continue;
            }
            let verdict = verdict(name, bytes, running);
            let codes: Vec<&str> = verdict.findings.iter().map(|f| f.rule.code).collect();
            assert!(!codes.iter().any(|code| code.starts_with("PJ60")), "{name}: {codes:?}");
            let [gap] = verdict.unjudged.as_slice() else { panic!("{:?}", verdict.unjudged) };
            assert_eq!(gap.aspect, unskew_core::aspect::PLUGIN);
            assert!(gap.reason.contains(&format!("it is built for {built_for}")), "{gap:?}");
            let remedy = gap.remedy.as_deref().unwrap();
            assert_eq!(remedy, format!("the same command on {built_for}"));
        }
        // One that is for this machine is asked.
        let Some(own) = &own else { continue };
        let verdict = verdict("own.so", own, running);
        assert!(verdict.findings.iter().any(|finding| finding.rule.code.starts_with("PJ6")));
    }
}

#[test]
fn a_plug_in_of_two_interfaces_is_two_parties() {
    let folder = tempfile::tempdir().unwrap();
    let text = "void SE_InitPlugin(void) {} const void *GetPjrtApi(void) { return 0; }";
    let Some(plugin) = library(folder.path(), text) else { return };
    let only = folder.path().join("only");
    std::fs::create_dir(&only).unwrap();
    let path = only.join("libboth.so");
    std::fs::write(&path, &plugin).unwrap();
    let members: &[(&str, &[u8])] = &[("pack/libboth.so", &plugin)];
    let wheel = wheel(folder.path(), "both-1-py3-none-any.whl", members);
    for path in [&path, &wheel, &only] {
        let artifact = open(path, &OpenOptions::default()).unwrap();
        let kinds: Vec<&str> = artifact.pieces.iter().map(|piece| &*piece.party.kind).collect();
        assert_eq!(kinds, ["PJRT plug-in", "TensorFlow pluggable device"], "{}", path.display());
    }
}

#[test]
fn a_plug_in_in_a_wheel_is_asked_as_a_file_that_is_gone_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    // No other test has this plug-in.
    let text = "int once; const void *GetPjrtApi(void) { return 0; }";
    let Some(plugin) = library(folder.path(), text) else { return };
    let members: &[(&str, &[u8])] = &[("pack/libpjrt.so", &plugin)];
    let path = wheel(folder.path(), "pack-1-py3-none-any.whl", members);
    let asked = Arc::new(Mutex::new(None));
    let seen = asked.clone();
    let options = OpenOptions::probing(RunPolicy::All, move |path: &Path| {
        *seen.lock().unwrap() = Some((path.to_owned(), std::fs::read(path).unwrap()));
        Command::new("false")
    });
    let artifact = open(&path, &options).unwrap();
    assert_eq!(labels(&artifact), ["libpjrt.so"]);
    assert!(!artifact.pieces[0].party.notes.is_empty(), "that it did not answer is a finding");
    let (asked, bytes) = asked.lock().unwrap().take().unwrap();
    assert_eq!(bytes, plugin);
    // It is a descriptor of this process, whose number may be that of another test's file, or pipe, by now.
    let found =
        std::fs::metadata(&asked).is_ok_and(|of| of.is_file() && of.len() == bytes.len() as u64);
    assert!(!found || std::fs::read(&asked).unwrap_or_default() != plugin);
}

/// A cache of the Hugging Face hub: files by their digests, and a revision that is links to them.
#[cfg(unix)]
#[test]
fn a_snapshot_of_the_hub_is_read_through_its_links_and_no_other_link_is() {
    use std::os::unix::fs::symlink;

    let cache = tempfile::tempdir().unwrap();
    let repository = cache.path().join("models--org--net");
    let snapshot = repository.join("snapshots/0123abc");
    std::fs::create_dir_all(&snapshot).unwrap();
    std::fs::create_dir(repository.join("blobs")).unwrap();
    std::fs::write(repository.join("blobs/4d7a"), example("gelu-2.15.0.pt")).unwrap();
    std::fs::write(cache.path().join("elsewhere.pt"), example("gelu-2.15.0.pt")).unwrap();
    symlink("../../blobs/4d7a", snapshot.join("net.pt")).unwrap();
    symlink("../../../elsewhere.pt", snapshot.join("other.pt")).unwrap();
    symlink("../../blobs/gone", snapshot.join("dangling.pt")).unwrap();
    let artifact = open(&snapshot, &OpenOptions::default()).unwrap();
    let labels: Vec<&str> = artifact.pieces.iter().map(|piece| &*piece.label).collect();
    assert_eq!(labels, [snapshot.join("net.pt").display().to_string()]);
    let problems: Vec<String> = artifact.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].ends_with("dangling.pt") && problems[1].ends_with("other.pt"));
}

#[test]
fn a_member_of_a_wheel_is_a_path_that_can_be_named() {
    let folder = tempfile::tempdir().unwrap();
    let (net, gelu) = (example("gelu-2.15.0.pt"), example("add-cast.pb"));
    let members: &[(&str, &[u8])] = &[("pack/net.pt", &net), ("pack/graph.pb", &gelu)];
    let path = wheel(folder.path(), "pack-1-py3-none-any.whl", members);
    let open = |path: &Path| open(path, &OpenOptions::default());
    assert_eq!(open(&path).unwrap().pieces.len(), 2);
    for named in [path.join("pack/net.pt"), format!("{}!pack/net.pt", path.display()).into()] {
        assert_eq!(labels(&open(&named).unwrap()), ["net.pt"]);
    }
    let missing = open(&path.join("pack/other.pt")).unwrap_err().to_string();
    let ending = "no member `pack/other.pt` in this wheel; it has pack/net.pt, pack/graph.pb";
    assert!(missing.ends_with(ending), "{missing}");
    // Not every path with these letters leads into a wheel.
    assert!(matches!(open(&folder.path().join("b.whl/net.pt")), Err(OpenError::Io { .. })));
}
