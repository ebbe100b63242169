//! Pages under axe, the accessibility checker, in a real browser: at the width of a desktop and of a phone, light and dark.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::browser::Browser;

/// Fails if axe finds anything on one of the pages, or one is wider than the screen. Screenshots go into
/// `target/pages/NAME`. Skipped, which it says, without Chromium or without the corpus.
pub fn assert_accessible(name: &str, urls: &[String]) {
    let root = Path::new(env!("UNSKEW_ROOT"));
    let axe = root.join("corpus/tools/axe.min.js");
    if !axe.exists() {
        println!("skipped: no axe, which `cargo xtask corpus` fetches");
        return;
    }
    let Some(browser) = Browser::find() else { return };
    let output = Command::new("python3")
        .arg(root.join("crates/cli/tests/it/page_axe.py"))
        .args([&axe, browser.program()])
        .arg(root.join("target/pages").join(name))
        .args(urls)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let rows = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), urls.len() * 4, "two widths, light and dark");
    let faults: Vec<&Value> = rows
        .iter()
        .filter(|row| row["overflow"] != 0 || row["violations"] != Value::Array(vec![]))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A checker that finds nothing anywhere would be none.
#[test]
fn axe_finds_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let image = "<img src=x.png width=3000>";
    std::fs::write(&page, format!("<!doctype html><title>x</title><body>{image}")).unwrap();
    let url = format!("file://{}", page.display());
    let found = std::panic::catch_unwind(|| assert_accessible("wrong", &[url]));
    if Path::new(env!("UNSKEW_ROOT")).join("corpus/tools/axe.min.js").exists() {
        let said = found.err().and_then(|said| said.downcast::<String>().ok());
        let Some(said) = said else { return };
        assert!(said.contains("image-alt") && said.contains("\"overflow\": Number("), "{said}");
    }
}
