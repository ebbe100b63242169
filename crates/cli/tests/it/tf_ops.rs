//! Op registries of TensorFlow in `unskew lint`: those that two real releases print of themselves, and what becomes
//! of the real one when somebody changes an op in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The interpreter that has this TensorFlow, if real releases are run.
fn python(version: &str) -> Option<PathBuf> {
    let there = unskew_peers::there(&format!("tensorflow-{version}"));
    there.then(|| unskew_peers::Peer::named("tensorflow", version).unwrap().python)
}

/// What the release prints of its ops.
fn printed(version: &str, file: &Path) -> Option<()> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tf_ops/oplist.py");
    let mut command = Command::new(python(version)?);
    // Cargo puts a stand-in for TensorFlow's library into the loader's path.
    command.env_remove("LD_LIBRARY_PATH").arg(driver).arg(file);
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(())
}

struct Tree(tempfile::TempDir);

impl Tree {
    /// A boundary with its baseline in a folder.
    fn new(options: &str) -> Self {
        let made = tempfile::tempdir().unwrap();
        std::fs::create_dir(made.path().join("old")).unwrap();
        let promises = format!(
            "baseline = \"old\"\n[[boundary]]\nname = \"ops\"\npreset = \"tensorflow-data\"\n\
             paths = [\"ops.*\"]\noptions = {{ {options} }}\n"
        );
        std::fs::write(made.path().join("unskew.toml"), promises).unwrap();
        Self(made)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.current_dir(self.0.path()).args(arguments).output().unwrap()
    }

    /// The findings: code, severity, message; and the status.
    fn lint(&self) -> (Vec<[String; 3]>, Option<i32>) {
        let ran = self.run(&["lint", "--format", "json"]);
        (findings(&ran), ran.status.code())
    }
}

fn findings(ran: &Output) -> Vec<[String; 3]> {
    let told = String::from_utf8_lossy(&ran.stderr);
    let json: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {told}"));
    let pairs = json["pairs"].as_array().unwrap();
    let findings = pairs.iter().flat_map(|pair| pair["findings"].as_array().unwrap());
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    findings.map(|f| [word(&f["code"]), word(&f["severity"]), word(&f["message"])]).collect()
}

/// The findings without their order, and without the summary, which is that of a diff alone.
fn sorted(mut found: Vec<[String; 3]>) -> Vec<[String; 3]> {
    found.retain(|[code, ..]| code != "TF620");
    found.sort();
    found
}

#[test]
fn what_two_real_releases_print_changed_as_the_database_says() {
    let tree = Tree::new("since = \"2.15.1\", version = \"2.21.0\", graph-def = 1645");
    let (old, new) = (tree.path("old/ops.pb"), tree.path("ops.pb"));
    if printed("2.15.1", &old).is_none() || printed("2.21.0", &new).is_none() {
        return;
    }
    let everything =
        std::fs::read_to_string(tree.path("unskew.toml")).unwrap() + "[boundary.severity]\n";
    std::fs::write(
        tree.path("unskew.toml"),
        everything.replace("paths =", "level = \"all\"\npaths ="),
    )
    .unwrap();
    let (linted, status) = tree.lint();
    let released = tree.run(&["diff", "tensorflow@2.15", "tensorflow@2.21", "--format", "json"]);
    let released = sorted(findings(&released));
    assert!(released.len() > 20, "{released:?}");
    assert_eq!(sorted(linted), released);
    let worst = released.iter().any(|[_, severity, _]| severity == "error");
    assert_eq!(status, Some(i32::from(worst)));
}

#[test]
fn a_change_of_a_real_op_is_found_in_what_the_release_prints() {
    let tree = Tree::new("since = \"2.15.1\", version = \"2.15.1\"");
    let old = tree.path("old/ops.pbtxt");
    if printed("2.15.1", &old).is_none() {
        return;
    }
    let text = std::fs::read_to_string(&old).unwrap();
    let lint = |changed: &str| {
        std::fs::write(tree.path("ops.pbtxt"), changed).unwrap();
        tree.lint()
    };
    assert_eq!(lint(&text), (Vec::new(), Some(0)), "nothing changed");

    // One op of the text, from its beginning to that of the next.
    let op = |name: &str| {
        let head = format!("op {{\n  name: \"{name}\"\n");
        let begin = text.find(&head).unwrap_or_else(|| panic!("no {name}"));
        let end = text[begin + 1..].find("\nop {").map_or(text.len(), |end| begin + 1 + end + 1);
        &text[begin..end]
    };
    let only = |changed: String, code: &str, severity: &str, names: &str| {
        let (found, status) = lint(&changed);
        let told: Vec<_> = found.iter().filter(|[found, ..]| found == code).collect();
        assert_eq!((found.len(), told.len()), (1, 1), "{found:?}");
        assert_eq!(told[0][1], severity, "{found:?}");
        assert!(told[0][2].contains(names), "{found:?}");
        assert_eq!(status, Some(i32::from(severity == "error")));
    };
    only(text.replace(op("Cross"), ""), "TF601", "error", "`Cross`");
    let cumsum = op("Cumsum");
    let reverse = cumsum.replacen("b: false", "b: true", 1);
    assert_ne!(reverse, cumsum);
    only(text.replace(cumsum, &reverse), "TF614", "error", "`Cumsum`");
    let needs =
        cumsum.replacen("attr {", "attr {\n    name: \"how\"\n    type: \"int\"\n  }\n  attr {", 1);
    only(text.replace(cumsum, &needs), "TF606", "error", "`Cumsum`");
}
