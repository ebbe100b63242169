//! Every page of a real fleet: what all of them keep to, and what each of them must say.
//!
//! With `UNSKEW_PAGES=FOLDER` the pages are written there, to be looked at.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use unskew_core::Date;
use unskew_fleet::store::{AuditEntry, Job, JobState, Signature};
use unskew_fleet::{AnswerIndex, Fleet, JudgeIdentity, RuntimeProfile};
use unskew_fleet_pages::{
    AxisPage, FamilyPage, Frame, Gather, ListRequest, OperatorPage, PageView, PlanQuery,
    ReleasePage, Viewer, assets, audit, axes, families, jobs, login, problem,
};
use unskew_releases::Family;

/// The name of a file that is an attack on every page that shows it.
const HOSTILE: &str = "<img src=x onerror=document.title=1>\"'&.pt";

const DAY: Date = Date::constant(2026, 11, 21);

struct Site {
    _folder: tempfile::TempDir,
    fleet: Fleet,
    survey: AnswerIndex,
    view: PageView,
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join(name)
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut fleet = Fleet::open(&folder.path().join("fleet")).unwrap();
        let camera = std::fs::read_to_string(example("examples/operators/camera-7.json")).unwrap();
        let profiles = [
            r#"{ "fleet_runtime": 1, "devices": 900, "release": "torch@2.15" }"#,
            r#"{ "fleet_runtime": 1, "name": "phones", "devices": 400, "release": "torch@1.10" }"#,
            r#"{ "fleet_runtime": 1, "name": "cut", "devices": 40, "release": "torch@2.1",
                 "without": ["aten::gelu"], "versions": { "torch.file_format": [3, 10] } }"#,
            r#"{ "fleet_runtime": 1, "name": "shop/till-3", "devices": 12, "release": "tensorflow@2.15" }"#,
            r#"{ "fleet_runtime": 1, "name": "hosts", "devices": 3, "release": "jax@0.6.2" }"#,
            &camera,
        ];
        let before =
            r#"{ "fleet_runtime": 1, "name": "cut", "devices": 20, "release": "torch@2.1" }"#;
        fleet.put_runtime(&RuntimeProfile::read(before).unwrap(), "2026-10-15").unwrap();
        for profile in profiles {
            fleet.put_runtime(&RuntimeProfile::read(profile).unwrap(), "2026-11-01").unwrap();
        }
        let hostile = folder.path().join(HOSTILE);
        std::fs::copy(example("examples/gelu-2.15.0.pt"), &hostile).unwrap();
        let old = example("crates/cli/tests/files/div-1.4.0.pt");
        fleet.publish("vision/gelu", &old, "2026-10-01").unwrap();
        fleet.publish("vision/gelu", &hostile, "2026-11-01").unwrap();
        fleet.publish("other", &old, "2026-11-02").unwrap();
        Self { _folder: folder, fleet, survey: AnswerIndex::default(), view: PageView::on(DAY) }
    }

    fn gather(&mut self) -> Gather<'_> {
        Gather::new(&mut self.fleet, &mut self.survey, self.view)
    }
}

fn asked(what_if: &[&str]) -> PlanQuery {
    let what_if = what_if.iter().map(|text| text.parse().unwrap()).collect();
    PlanQuery { what_if, ..PlanQuery::default() }
}

fn job() -> Job {
    Job {
        number: 12,
        ask: r#"{ "kind": "decision", "model": "vision/gelu", "runtime": "<i>" }"#.to_owned(),
        who: "<i>".to_owned(),
        state: JobState::Failed,
        owner: None,
        beat: 3,
        attempts: 2,
        done: 1,
        total: 4,
        problem: Some("<i>".to_owned()),
        created: "2026-11-21T20:15:00Z".to_owned(),
        started: None,
        finished: None,
    }
}

fn entry() -> AuditEntry {
    let signature = Signature {
        who: "<i>".to_owned(),
        request: "a-1".to_owned(),
        moment: "2026-11-21T20:15:00Z".to_owned(),
    };
    let (act, subject) = ("runtime.put".to_owned(), "<i>".to_owned());
    AuditEntry { number: 7, signature, act, subject, result: "added".to_owned() }
}

type Pages = Vec<(&'static str, String)>;

/// The pages of a site, made once.
fn pages() -> &'static Pages {
    static PAGES: LazyLock<Pages> = LazyLock::new(|| {
        let pages = made(&mut Site::new());
        keep(&pages);
        pages
    });
    &PAGES
}

/// Every page, by a name.
fn made(site: &mut Site) -> Pages {
    let reader = Viewer { name: Some("<b>anna</b>".to_owned()), jobs: true, audit: true };
    let judge = JudgeIdentity::of_this_program();
    let frame = &Frame { reader: &reader, judge: &judge, as_of: DAY };
    let part = ListRequest { contains: "\"><i>".to_owned(), page: 7 };
    let first = ListRequest::default();
    let view = site.view;
    let before = site.gather().overview(&first).unwrap().page(frame);
    let asked_before = site.gather().model("vision/gelu", &first, None).unwrap().page(frame);
    let plan = site.gather().plan("vision/gelu", asked(&[])).unwrap().page(frame);
    let changes = ["without=aten::gelu,phones", "add=torch@2.1,500"];
    let what_if = site.gather().plan("vision/gelu", asked(&changes)).unwrap().page(frame);
    let wrong = site.gather().plan("vision/gelu", asked(&["drop=nobody"])).unwrap().page(frame);
    let mut gather = site.gather();
    let model = "vision/gelu";
    vec![
        ("overview-not-asked", before),
        ("model-not-asked", asked_before),
        ("plan", plan),
        ("plan-what-if", what_if),
        ("plan-wrong", wrong),
        ("overview", gather.overview(&first).unwrap().page(frame)),
        ("overview-none", gather.overview(&part).unwrap().page(frame)),
        ("unserved", gather.unserved(&first).unwrap().page(frame)),
        ("unserved-none", gather.unserved(&part).unwrap().page(frame)),
        ("model", gather.model(model, &first, None).unwrap().page(frame)),
        ("model-older", gather.model(model, &first, Some(1)).unwrap().page(frame)),
        ("runtimes", gather.runtimes(&first).unwrap().page(frame)),
        ("runtime", gather.runtime("cut", &first).unwrap().page(frame)),
        ("runtime-jax", gather.runtime("hosts", &first).unwrap().page(frame)),
        ("decision", gather.decision(model, "phones", Some(1)).unwrap().page(frame)),
        ("decision-nothing", gather.decision(model, "cut", None).unwrap().page(frame)),
        ("releases", families(frame)),
        ("releases-torch", FamilyPage::new(Family::Torch, "gelu", "", 1).page(frame)),
        ("releases-tensorflow", FamilyPage::new(Family::TensorFlow, "", "gone", 2).page(frame)),
        ("releases-jax", FamilyPage::new(Family::Jax, "\"><i>", "", 1).page(frame)),
        ("operator", OperatorPage::find(Family::Torch, "aten::div.Tensor").unwrap().page(frame)),
        ("release", ReleasePage::find(Family::Torch, "1.12").unwrap().page(frame)),
        ("windows", axes(frame, &view)),
        ("axis", AxisPage::find("pjrt.api", &view, false).unwrap().page(frame)),
        ("axis-torch", AxisPage::find("torch.file_format", &view, true).unwrap().page(frame)),
        ("jobs", jobs(frame, &[job()], true)),
        ("audit", audit(frame, &[entry()], true)),
        ("login", login(frame, "/\"><i>", Some("<i>"))),
        ("problem", problem(frame, "Not there", "<i>")),
    ]
}

fn page<'p>(pages: &'p [(&str, String)], name: &str) -> &'p str {
    &pages.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name}")).1
}

/// Keeps the pages where somebody wants to look at them.
fn keep(pages: &[(&str, String)]) {
    let Some(folder) = std::env::var_os("UNSKEW_PAGES").map(PathBuf::from) else { return };
    std::fs::create_dir_all(folder.join("assets")).unwrap();
    for (name, text) in pages {
        std::fs::write(folder.join(format!("{name}.html")), text).unwrap();
    }
    for asset in assets() {
        std::fs::write(folder.join(asset.path.trim_start_matches('/')), asset.text).unwrap();
    }
}

fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let sign = format!(" {attribute}=\"");
    let pieces = page.split(sign.as_str()).skip(1);
    pieces.map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_page_keeps_to_what_all_pages_keep_to() {
    for (name, page) in pages() {
        for sign in [
            "<script",
            " style=\"",
            "http://",
            "https://",
            "url(",
            "<img",
            "<i>",
            "<b>anna",
            "javascript:",
        ] {
            assert!(!page.contains(sign), "{name}: {sign} stands in {page}");
        }
        assert_eq!(page.matches("<h1").count(), 1, "{name}");
        assert!(page.contains("<a class=\"skip\" href=\"#main\">"), "{name}");
        assert!(
            page.contains("<html lang=\"en\">") && page.contains("name=\"viewport\""),
            "{name}"
        );
        assert_eq!(page.matches("<th ").count(), page.matches("<th scope=\"").count(), "{name}");
        assert!(!page.contains("<th>"), "{name}: a head without its scope");
        // Whatever a pointer or a key can act on has a name; what scrolls can be reached.
        assert_eq!(
            page.matches("class=\"wide").count(),
            page.matches("role=\"region\"").count(),
            "{name}"
        );
        for stop in values(page, "tabindex") {
            assert!(["0", "-1"].contains(&stop), "{name}: an order of its own for keys");
        }
        let ids = values(page, "id");
        let known: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(known.len(), ids.len(), "{name}: an id twice");
        for target in values(page, "href").iter().filter_map(|href| href.strip_prefix('#')) {
            assert!(known.contains(target), "{name}: nothing is called {target}");
        }
        for tag in ["table", "tr", "td", "div", "form", "ul", "li", "p", "svg", "dl", "article"] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{name}: <{tag}>");
        }
    }
}

#[test]
fn a_hostile_name_is_shown_as_what_it_is() {
    let pages = pages();
    for name in ["model", "decision", "plan"] {
        let page = page(pages, name);
        assert!(
            page.contains("&lt;img src=x onerror=document.title=1&gt;&quot;"),
            "{name}: {page}"
        );
    }
    assert!(page(pages, "login").contains("value=\"/&quot;&gt;&lt;i&gt;\""));
    assert!(page(pages, "problem").contains("<p>&lt;i&gt;</p>"));
}

#[test]
fn nothing_is_asked_by_looking_at_lists_and_everything_by_a_plan() {
    let pages = pages();
    let before = page(pages, "overview-not-asked");
    // 900 + 400 + 77 + 40 + 12 + 3 devices, of which nobody asked.
    assert!(before.contains("<b>1\u{202f}356</b>devices"), "{before}");
    assert!(before.contains("<td class=\"number\">1\u{202f}356</td>"), "{before}");
    assert!(
        page(pages, "model-not-asked").contains("aria-label=\"version 2 on cut: not asked yet\"")
    );
    let after = page(pages, "overview");
    assert!(after.contains("97.0 %"), "{after}");
    assert!(after.contains("aria-label=\"Why nothing of vision/gelu fits cut\""), "{after}");
}

#[test]
fn each_page_says_what_it_is_for() {
    let pages = pages();
    let says = |name: &str, words: &[&str]| {
        let page = page(pages, name);
        for words in words {
            assert!(page.contains(words), "{name}: {words} is not in {page}");
        }
    };
    says(
        "model",
        &[
            "<a href=\"/decisions?model=vision/gelu&amp;runtime=phones&amp;version=2#version-2\" aria-label=\"version 2 on phones: works after a conversion\">convert</a>",
            "aria-label=\"version 2 on cut: fails at ",
            "<code>OP001</code>",
            "version 2 converted",
        ],
    );
    says("plan", &["Versions that cannot be dropped", "<b>gets</b>", "the number of artifacts"]);
    says(
        "plan-what-if",
        &[
            "<code>without=aten::gelu,phones</code>",
            "Before: ",
            "<th scope=\"row\">torch@2.1.2</th><td>not there</td>",
            "name=\"what_if\" value=\"add=torch@2.1,500\"",
        ],
    );
    says("plan-wrong", &["role=\"alert\"", "no such runtime"]);
    says(
        "decision",
        &["Gets <b>version 2 converted</b>", "<code>PT002</code>", "A version that was not needed"],
    );
    says(
        "decision",
        &[
            "unskew fleet decide vision/gelu --runtime phones --as-of 2026-11-21",
            "file format version",
        ],
    );
    says("decision-nothing", &["Nothing fits.", "aten::gelu"]);
    says("runtime", &["built from torch@2.1.2: without aten::gelu", "<code>sha256:", "3 to 10"]);
    says("runtime", &["<h2>History</h2>", "<td>another profile</td>", "<td>added</td>"]);
    says("runtime", &["2026-10-15</th>", "<td class=\"number\">20</td>"]);
    says("runtime-jax", &["<a href=\"/windows/pjrt.api\">", "12 weeks"]);
    says("releases-torch", &["<code>aten::gelu</code>", "<a href=\"/releases/torch/1.12.1\">"]);
    says(
        "operator",
        &["since the first, ", "<code>aten::div.Tensor(", "<code>aten::div.Scalar</code>"],
    );
    says("release", &["Changed: ", "<code>aten::gelu</code>", "Before: 1.11"]);
    says("windows", &["A release of this day must support", "<code>ifrt.serdes</code>"]);
    says("axis", &["class=\"must\"", "Draw what was before"]);
    says(
        "jobs",
        &["1 of 4", "begun 2 times", "/jobs?below=12", "decision about vision/gelu for &lt;i&gt;"],
    );
    says("audit", &["<code>runtime.put</code>", "/audit?below=7"]);
    says("unserved", &["Of all models, 2 leave a runtime", "Why nothing of vision/gelu fits cut"]);
    says("overview", &["<a href=\"/unserved\">"]);
    says("overview-none", &["No models", "in the name"]);
    says("runtimes", &["shop/till-3", "href=\"/runtimes/shop/till-3\""]);
}
