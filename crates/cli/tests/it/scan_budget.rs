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
