//! A scan of files that take more than a check may take: each is a row, and the scan goes on.

use std::path::Path;
use std::process::{Command, Output};

fn scan(models: &Path, table: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.arg("scan").arg(models).args(["--with", "torch@2.15", "--as-of", "2026-11-01", "-o"]);
    command.arg(table).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn files_over_a_budget_are_rows_and_the_scan_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (models, table) = (folder.path().join("models"), folder.path().join("table"));
    std::fs::create_dir(&models).unwrap();
    let examples = Path::new(concat!(env!("UNSKEW_ROOT"), "/examples"));
    for name in ["gelu-2.15.0.pt", "add-1.1.0.pt", "add.stablehlo"] {
        std::fs::copy(examples.join(name), models.join(name)).unwrap();
    }
    for (sign, last) in [("!", "!t0 = f32"), ("#", "#t0 = 1")] {
        let open = if sign == "!" { ("tuple<", ">") } else { ("[", "]") };
        let name = |n: usize| format!("{sign}t{n}");
        let lines = (1..60).map(|n| {
            format!("{} = {}{}, {}{}\n", name(n), open.0, name(n - 1), name(n - 1), open.1)
        });
        let lines: String = lines.collect();
        let text = format!("{last}\n{lines}module attributes {{x = {}}} {{}}\n", name(59));
        std::fs::write(models.join(format!("bomb-{}.mlir", open.0.len())), text).unwrap();
    }
    let first = scan(&models, &table);
    let text = said(&first);
    assert_eq!(first.status.code(), Some(1), "{text}");
    assert!(text.starts_with("5 artifacts judged, 2 could not be read; "), "{text}");
    assert!(text.contains("  over budget   2\n"), "{text}");
    assert!(text.contains("  compatible    1\n"), "{text}");
    let again = said(&scan(&models, &table));
    assert!(again.starts_with("0 artifacts judged, 5 were in the table"), "{again}");
}

/// A runtime is read by the scan itself and by its processes, each as a check would.
#[test]
fn a_runtime_over_a_budget_or_a_named_pipe_ends_the_scan_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    std::fs::create_dir(&models).unwrap();
    let lines: String = (1..60).map(|n| format!("#t{n} = [#t{0}, #t{0}]\n", n - 1)).collect();
    let bomb = folder.path().join("runtime.mlir");
    std::fs::write(&bomb, format!("#t0 = 1\n{lines}module attributes {{x = #t59}} {{}}\n"))
        .unwrap();
    let pipe = folder.path().join("runtime.yaml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (runtime, words) in [(&bomb, "over the budget of"), (&pipe, "a named pipe")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.arg("scan").arg(&models).arg("--with").arg(runtime).arg("-o");
        let output = command.arg(folder.path().join("table")).output().unwrap();
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(words) && text.contains("runtime."), "{text}");
    }
}
