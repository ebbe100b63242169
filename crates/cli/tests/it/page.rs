//! Opens the HTML matrix in a real browser.
//!
//! Chromium loads the page without a screen and prints the document as it is after the script ran.
//! Without Chromium the test says so and is skipped.

use std::path::Path;
use std::process::Command;

use crate::axe;
use crate::browser::Browser;

/// A file whose name is an attack on the page.
const HOSTILE: &str = "<img src=x onerror=document.title=1>.pt";

/// A PyTorch model, which has nothing in common with TensorFlow.
const MODEL: &str = concat!(env!("UNSKEW_ROOT"), "/examples/gelu-2.15.0.pt");

fn page(folder: &Path, columns: &[&str]) -> String {
    for name in ["gelu.pt", HOSTILE] {
        std::fs::copy(MODEL, folder.join(name)).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .current_dir(folder)
        .args(["matrix", "gelu.pt", HOSTILE, "no-such-file.pt"])
        .args(["--format", "html", "-o", "matrix.html", "--with"])
        .args(columns)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(folder.join("matrix.html")).unwrap()
}

/// The document as a browser has it.
fn dom(browser: Browser, folder: &Path, query: &str) -> String {
    let url = format!("file://{}/matrix.html{query}", folder.display());
    browser.dom(folder, &url).0
}

/// How many rows of the table are shown.
fn shown(dom: &str) -> usize {
    let body = dom.split_once("<tbody>").unwrap().1.split_once("</tbody>").unwrap().0;
    let rows = body.split("<tr").skip(1);
    rows.filter(|row| !row.split('>').next().unwrap().contains("hidden")).count()
}

#[test]
fn nothing_on_the_page_comes_from_elsewhere_and_a_name_is_no_tag() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path(), &["tensorflow@2.15"]);
    // A link to the page of a rule is followed by whoever clicks on it, and by nothing else.
    let page = page.replace("href=\"https://unskew.github.io/unskew/dev/rules/", "");
    for sign in ["src=\"", "http://", "https://", "url(", "@import", "<img"] {
        assert!(!page.contains(sign), "{sign} stands in the page");
    }
    assert!(page.contains("&lt;img src=x"));
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn the_page_shows_every_row_and_filters_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    page(folder.path(), &["tensorflow@2.15"]);
    let Some(browser) = Browser::find() else { return };
    let dom = |query| dom(browser, folder.path(), query);
    let all = dom("");
    assert_eq!(shown(&all), 3);
    assert!(all.contains("3 of 3 rows"), "the script did not run:\n{all}");
    assert!(all.contains("<td class=\"mark none\""), "{all}");
    assert!(all.contains("<a href=\"#reason-1\">"), "{all}");
    assert!(all.contains("id=\"reason-1\""));
    let one = dom("?rows=gelu");
    assert_eq!(shown(&one), 1);
    assert!(one.contains("1 of 3 rows"));
    let problems = dom("?problems");
    assert_eq!(shown(&problems), 1, "only the unreadable file is a problem");
    let no_column = dom("?columns=torch");
    assert!(no_column.contains("data-name=\"tensorflow@2.15.1\" hidden"), "{no_column}");
}

#[test]
fn unrelated_columns_and_their_families_are_hidden_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    page(folder.path(), &["torch@2.1", "torch@2.15", "tensorflow@2.15", "jax@0.6.2"]);
    let Some(browser) = Browser::find() else { return };
    let dom = |query| dom(browser, folder.path(), query);
    let all = dom("?unrelated");
    assert!(
        all.contains("<th scope=\"colgroup\" colspan=\"2\"><span class=\"family\">torch<"),
        "{all}"
    );
    assert!(!all.contains("data-name=\"jax@0.6.2\" hidden"));
    let related = dom("?rows=gelu");
    for hidden in ["tensorflow@2.15.1", "jax@0.6.2"] {
        assert!(related.contains(&format!("data-name=\"{hidden}\" hidden")), "{related}");
    }
    assert!(!related.contains("data-name=\"torch@2.15.0\" hidden"));
    // Nothing would be left.
    let none = dom("?columns=jax");
    assert!(!none.contains("data-name=\"jax@0.6.2\" hidden"));
}

#[test]
fn columns_that_say_the_same_are_folded_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let text = page(folder.path(), &["torch"]);
    assert!(text.contains("<td class=\"summary\">torch@1.12.1 to torch@2.15.0</td>"), "{text}");
    let newest = text.find("data-name=\"torch@2.15.0\"").unwrap();
    assert!(newest < text.find("data-name=\"torch@1.4.0\"").unwrap());
    let Some(browser) = Browser::find() else { return };
    let folded = dom(browser, folder.path(), "?rows=gelu");
    assert!(folded.contains("2.15.0 … 1.12.1</button>"), "{folded}");
    assert!(folded.contains("data-name=\"torch@2.1.2\" hidden"), "{folded}");
    let unfolded = dom(browser, folder.path(), "?rows=gelu&unfolded");
    assert!(!unfolded.contains("data-name=\"torch@2.1.2\" hidden"), "{unfolded}");
}

#[test]
fn axe_finds_nothing_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    page(folder.path(), &["torch@2.1", "torch@2.15", "tensorflow@2.15", "jax@0.6.2", MODEL]);
    let url = format!("file://{}/matrix.html", folder.path().display());
    axe::assert_accessible("matrix", &[url.clone(), format!("{url}?unrelated&unfolded&rows=gelu")]);
}
