//! `unskew fleet` from the first runtime to the page of a plan.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs the command on a fleet, in the root of the repository.
fn unskew(store: &Path, args: &[&str]) -> Output {
    let root = Path::new(env!("UNSKEW_ROOT"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.current_dir(root).env("UNSKEW_FLEET", store).arg("fleet");
    command.args(args).args(["--as-of", "2026-11-21"]).output().unwrap()
}

/// What it prints if it ends with this status.
fn printed(store: &Path, status: i32, args: &[&str]) -> String {
    let output = unskew(store, args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(store: &Path, status: i32, args: &[&str]) -> Value {
    serde_json::from_str(&printed(store, status, args)).unwrap()
}

/// A fleet of a release, an old release and a device, with two versions of a model.
fn filled(store: &Path) {
    printed(store, 0, &["runtime", "add", "torch@2.15", "--devices", "900"]);
    printed(store, 0, &["runtime", "add", "torch@1.10", "--name", "phones", "--devices", "400"]);
    let camera = ["runtime", "add", "examples/operators/camera-7.json", "--devices", "77"];
    printed(store, 0, &camera);
    printed(store, 0, &["model", "add", "gelu", "crates/cli/tests/files/div-1.4.0.pt"]);
    printed(store, 0, &["model", "add", "gelu", "examples/gelu-2.15.0.pt"]);
}

#[test]
fn every_runtime_gets_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let again = printed(&store, 0, &["model", "add", "gelu", "examples/gelu-2.15.0.pt"]);
    assert!(again.starts_with("the newest already: gelu version 2"), "{again}");
    let list = printed(&store, 0, &["runtime", "list"]);
    assert!(list.contains("phones") && list.contains("torch@1.10.2"), "{list}");
    let decisions = json(&store, 0, &["decide", "gelu", "--all", "--format", "json"]);
    let choice = |at: usize| decisions["decisions"][at]["decision"].as_str().unwrap().to_owned();
    assert_eq!([choice(0), choice(1), choice(2)], ["as is", "converted", "as is"]);

    let place = folder.path().join("phones.pt");
    let text = place.display().to_string();
    let one = printed(&store, 0, &["decide", "gelu", "--runtime", "phones", "-o", &text]);
    assert!(one.contains("gelu for phones (400 devices): version 2 converted"), "{one}");
    let check = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .args(["check", &text, "--with", "torch@1.10"])
        .output()
        .unwrap();
    assert!(check.status.success(), "what is delivered is accepted by the command's own check");
}

#[test]
fn a_plan_is_text_json_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let text = printed(&store, 0, &["plan", "gelu"]);
    assert!(text.contains("1          1377     100.0 %"), "{text}");
    let plan = json(&store, 0, &["plan", "gelu", "--format", "json"]);
    assert_eq!((&plan["devices"], &plan["servable"]), (&1377.into(), &1377.into()));
    let asked = ["plan", "gelu", "--what-if", "add=torch@2.1,100", "--what-if", "drop=phones"];
    let what_if = printed(&store, 0, &asked);
    assert!(what_if.contains("1077 of 1077 devices served, before 1377 of 1377"), "{what_if}");
    let place = folder.path().join("plan.html");
    let asked = ["plan", "gelu", "--format", "html", "-o", &place.display().to_string()];
    printed(&store, 0, &asked);
    let page = std::fs::read_to_string(&place).unwrap();
    for sign in ["src=\"", "http://", "https://", "url(", "@import"] {
        assert!(!page.contains(sign), "{sign} stands in the page");
    }
    assert!(page.contains("<svg") && page.contains("<code>PT002</code>"), "{page}");
    assert!(page.contains("phones</th><td class=\"number\">400</td>"), "{page}");
    let beside = folder.path().join("beside.html");
    let curve = folder.path().join("curve.svg");
    let [html, svg] = [&beside, &curve].map(|place| place.display().to_string());
    let asked = ["plan", "gelu", "--what-if", "without=aten::gelu", "--html", &html, "--svg", &svg];
    let text = printed(&store, 1, &asked);
    assert!(text.contains("if without=aten::gelu"), "{text}");
    let page = std::fs::read_to_string(&beside).unwrap();
    assert!(
        page.contains("<code>without=aten::gelu</code>") && page.contains("Before: 1"),
        "{page}"
    );
    let curve = std::fs::read_to_string(&curve).unwrap();
    assert!(curve.starts_with("<svg xmlns="), "{curve}");
}

#[test]
fn what_is_asked_wrongly_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    let errors = |args: &[&str]| {
        let output = unskew(&store, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(errors(&["plan", "gelu"]).contains("no fleet here"));
    assert!(!store.exists(), "a question makes no fleet");
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, r#"{"fleet_runtime": 1, "release": "torch@2.1", "device": 3}"#).unwrap();
    let error = errors(&["runtime", "add", &bad.display().to_string()]);
    assert!(error.contains("unknown field `device`"), "{error}");
    filled(&store);
    assert!(errors(&["decide", "gleu", "--all"]).contains("no such model (it has gelu): gleu"));
    assert!(errors(&["decide", "gelu", "--runtime", "x"]).contains("no such runtime"));
    assert!(errors(&["plan", "gelu", "--what-if", "fly=x"]).contains("no what-if"));
    assert!(errors(&["runtime", "remove", "x"]).contains("no such runtime"));
}

#[test]
fn who_gets_nothing_makes_the_status_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let cut = folder.path().join("cut.json");
    let profile = r#"{"fleet_runtime": 1, "name": "cut", "devices": 5, "release": "torch@2.1",
                      "operators": ["aten::relu"]}"#;
    std::fs::write(&cut, profile).unwrap();
    printed(&store, 0, &["runtime", "add", &cut.display().to_string()]);
    let table = printed(&store, 1, &["decide", "gelu", "--all"]);
    assert!(table.contains("nothing fits"), "{table}");
    let text = printed(&store, 1, &["plan", "gelu"]);
    assert!(text.contains("left out: 5 devices: cut (nothing fits)"), "{text}");
    printed(&store, 0, &["runtime", "remove", "cut"]);
    printed(&store, 0, &["plan", "gelu"]);
}

#[test]
fn runtimes_of_another_kind_are_no_failure_unless_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    printed(&store, 0, &["runtime", "add", "tensorflow@2.15", "--devices", "5"]);
    let table = printed(&store, 0, &["decide", "gelu", "--all"]);
    assert!(table.ends_with("nothing in common with tensorflow@2.15.1\n"), "{table}");
    printed(&store, 1, &["decide", "gelu", "--runtime", "tensorflow@2.15.1"]);
    let plan = json(&store, 0, &["plan", "gelu", "--format", "json"]);
    assert_eq!(plan["unrelated"], serde_json::json!(["tensorflow@2.15.1"]));
    assert_eq!(plan["devices"], 1377);
}

#[test]
fn a_window_that_moves_is_thought_through() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    // The file has version 10: whoever reads up to 9 gets it converted, as the phones do anyhow.
    let way = |plan: &Value, name: &str| {
        let runtimes = plan["runtimes"].as_array().unwrap();
        let runtime = runtimes.iter().find(|runtime| runtime["name"] == name).unwrap();
        let served = runtime["served_by"].as_u64().unwrap() as usize;
        plan["candidates"][served]["way"].as_str().unwrap().to_owned()
    };
    for change in ["window=torch.file_format,3,9,torch@2.15.0", "window=torch.file_format,3,9"] {
        let asked = ["plan", "gelu", "--format", "json", "--what-if", change];
        let both = json(&store, 0, &asked);
        assert_eq!(both["what_if"], serde_json::json!([change]));
        assert_eq!(both["then"]["devices"], 1377);
        assert_eq!(way(&both["then"], "torch@2.15.0"), "converted", "{change}");
    }
    let nobody = ["plan", "gelu", "--what-if", "window=torch.file_format,30,31"];
    let text = printed(&store, 1, &nobody);
    assert!(text.contains("0 of 1377 devices served, before 1377 of 1377"), "{text}");
    let wrong = unskew(&store, &["plan", "gelu", "--what-if", "window=no.such.axis,1,2"]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(2) && said.contains("no.such.axis"), "{said}");
}

#[test]
fn a_conversion_that_drops_something_is_delivered_only_where_that_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    printed(&store, 0, &["runtime", "add", "tensorflow@2.4", "--devices", "5"]);
    printed(&store, 0, &["model", "add", "product", "examples/matmul-gradient.pbtxt"]);
    let decide = ["decide", "product", "--runtime", "tensorflow@2.4.4", "--format", "json"];
    let exact = json(&store, 1, &decide);
    assert_eq!(exact["decision"], "nothing", "{exact}");
    assert_eq!(exact["policy"]["accept_lossy"], false);
    let lossy = json(&store, 0, &[&decide[..], &["--accept-lossy"]].concat());
    let decision = &lossy;
    assert_eq!(decision["decision"], "converted", "{lossy}");
    assert_eq!(
        (&decision["deliver"]["lossy"], &decision["policy"]["accept_lossy"]),
        (&true.into(), &true.into())
    );
    let steps = decision["considered"][0]["answer"]["converted"]["rewrites"].as_array().unwrap();
    let dropped = |step: &&Value| step["adaptation"] == "drop-attribute" && step["lossy"] == true;
    assert!(steps.iter().any(|step| dropped(&step)), "{lossy}");
    // What is accepted once is accepted for nobody else.
    assert_eq!(json(&store, 1, &decide), exact);
    let plan = ["plan", "product", "--format", "json"];
    assert_eq!(json(&store, 1, &plan)["servable"], 0);
    assert_eq!(json(&store, 0, &[&plan[..], &["--accept-lossy"]].concat())["servable"], 5);
}
