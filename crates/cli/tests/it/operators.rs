//! Tables of PyTorch operators in `unskew lint` and `unskew diff`: one schema a line, or what `unskew ops table`
//! writes for a release, a selection of its operators, a device.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        let made = tempfile::tempdir().unwrap();
        std::fs::create_dir(made.path().join("old")).unwrap();
        let promises = "baseline = \"old\"\n[[boundary]]\nname = \"operators\"\n\
            preset = \"torch-operators\"\npaths = [\"ops.*\"]\n";
        std::fs::write(made.path().join("unskew.toml"), promises).unwrap();
        Self(made)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// What is said, with the exit status.
    fn run(&self, arguments: &[&str]) -> (String, Option<i32>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        let ran = command.current_dir(self.0.path()).args(arguments).output().unwrap();
        (said(&ran), ran.status.code())
    }

    fn lint(&self) -> (String, Option<i32>) {
        self.run(&["lint", "--format", "concise", "--as-of", "2026-06-01"])
    }

    /// What `unskew ops table` writes.
    fn table(&self, file: &str, arguments: &[&str]) {
        let output = self.path(file);
        let all = [&["ops", "table"], arguments, &["--output", output.to_str().unwrap()]].concat();
        let (said, status) = self.run(&all);
        assert_eq!(status, Some(0), "{said}");
    }
}

fn said(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr)
}

const TABLE: &str = "aten::relu(Tensor self) -> Tensor\naten::neg(Tensor self) -> Tensor\n";

#[test]
fn a_line_that_is_no_schema_is_told_with_its_place_and_the_others_are_compared() {
    let tree = Tree::new();
    tree.write("old/ops.txt", TABLE);
    // The third line is broken, and the second operator is gone.
    tree.write("ops.txt", "aten::relu(Tensor self) -> Tensor\n\naten::neg(Tensor self -> Tensor\n");
    let (said, status) = tree.lint();
    assert_eq!(status, Some(1), "{said}");
    let words =
        "ops.txt:3:1: error OP300 no schema of an operator: aten::neg(Tensor self -> Tensor";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("error OP201 operator `aten::neg`"), "{said}");
    let (said, _) = tree.run(&["lint", "--format", "github"]);
    assert!(said.contains("file=ops.txt,line=3,") && said.contains("OP300"), "{said}");

    // A first line that is none is no reason to skip the whole table.
    tree.write("ops.txt", &format!("<<<<<<< HEAD\n{TABLE}"));
    let (said, status) = tree.lint();
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("OP300 no schema of an operator: <<<<<<< HEAD"), "{said}");
    assert!(!said.contains("OP201"), "{said}");

    // And what has no line of a table is none.
    tree.write("ops.txt", "nothing\nof the kind\n");
    let (said, status) = tree.lint();
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("ops.txt: no table of operators: 2 lines are no schemas"), "{said}");
}

#[test]
fn tables_of_releases_and_selections_are_compared_in_either_notation() {
    let tree = Tree::new();
    tree.table("old/ops.json", &["torch@2.0"]);
    tree.table("ops.json", &["torch@2.1"]);
    let (released, _) = tree.run(&["diff", "torch@2.0", "torch@2.1", "--format", "concise"]);
    let (written, status) = tree.run(&["diff", "old/ops.json", "ops.json", "--format", "concise"]);
    let findings = |said: &str| -> Vec<String> {
        let lines = said.lines().filter_map(|line| line.split_once(": ")).map(|(_, rest)| rest);
        let mut lines: Vec<String> =
            lines.filter(|line| line.contains(" OP2")).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert!(findings(&released).len() > 5, "{released}");
    assert_eq!(findings(&released), findings(&written));
    assert_eq!(status, Some(1), "{written}");
    // A file beside a release.
    let (mixed, _) = tree.run(&["diff", "old/ops.json", "torch@2.1", "--format", "concise"]);
    assert_eq!(findings(&released), findings(&mixed));
    // The same in lint, with the line of each operator.
    let (linted, status) = tree.run(&["lint", "--format", "github", "--as-of", "2026-06-01"]);
    assert_eq!(status, Some(1), "{linted}");
    let removed = findings(&released).iter().filter(|line| line.contains("OP201")).count();
    let errors: Vec<&str> = linted.lines().filter(|line| line.contains("OP201")).collect();
    assert_eq!(errors.len(), removed, "{linted}");

    // A selection of a release, from which an operator is dropped.
    tree.write("list.yaml", "- aten::gelu\n- aten::div.Tensor\n");
    tree.table("old/ops.json", &["torch@2.1", "--from-list", "list.yaml", "--name", "camera"]);
    tree.write("list.yaml", "- aten::gelu\n");
    tree.table("ops.json", &["torch@2.1", "--from-list", "list.yaml", "--name", "camera"]);
    let (said, status) = tree.lint();
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("ops.json: error OP201 operator `aten::div.Tensor`"), "{said}");
    let (said, status) = tree.run(&["diff", "ops.json", "old/ops.json"]);
    assert_eq!(status, Some(0), "one more operator breaks nobody: {said}");
}

#[test]
fn a_device_that_reads_fewer_formats_is_told() {
    let tree = Tree::new();
    let example = Path::new(env!("UNSKEW_ROOT")).join("examples/operators/camera-7.json");
    let text = std::fs::read_to_string(example).unwrap();
    tree.write("old/ops.json", &text);
    tree.write("ops.json", &text.replacen("    1,\n", "    3,\n", 1));
    let words = "error OP308 camera-7 reads file formats 3 to 10, and read 1 to 10";
    let (said, status) = tree.lint();
    assert!(said.contains(words), "{said}");
    assert_eq!(status, Some(1));
    let (said, _) = tree.run(&["diff", "old/ops.json", "ops.json", "--format", "concise"]);
    assert!(said.contains(words), "{said}");
    let (said, status) = tree.run(&["diff", "ops.json", "old/ops.json", "--format", "concise"]);
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn a_table_that_is_broken_is_no_pass() {
    let tree = Tree::new();
    let table = |schema: &str| {
        format!(
            "{{\"operator_table\":1,\"name\":\"x\",\"release\":\"2.1.2\",\"file_format\":[1,10],\
             \"operators\":[{{\"schema\":\"aten::relu(Tensor self) -> Tensor\"}},{{\"schema\":\"{schema}\"}}]}}"
        )
    };
    tree.write("old/ops.json", &table("aten::neg(Tensor self) -> Tensor"));
    let broken = [
        (table("aten::neg(Tensor"), "operators[1]: no schema of an operator: aten::neg(Tensor"),
        (table("a(Tensor x)\\n -> Tensor"), "operators[1]: no schema of an operator"),
        ("{\"operator_table\":1,".to_owned(), "no operator table: EOF"),
        ("{\"operator_table\":2}".to_owned(), "an operator table of format 2"),
    ];
    for (text, words) in broken {
        tree.write("ops.json", &text);
        for arguments in [&["lint"][..], &["diff", "old/ops.json", "ops.json"]] {
            let (said, status) = tree.run(arguments);
            assert_eq!(status, Some(2), "{text}: {said}");
            assert!(said.contains(words), "{text}: {said}");
        }
    }
}
