//! The pages of `unskew fleet serve` on a real process: every link of every page, forms, who may look, and what a real
//! browser makes of them, with and without scripts. Without Chromium that part says so and is skipped.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::axe;
use crate::browser::Browser;

/// A file whose name is an attack on every page that shows it.
const HOSTILE: &str = "<img src=x onerror=document.title=1>.pt";

fn unskew(store: &Path, args: &[&str]) -> String {
    let root = Path::new(env!("UNSKEW_ROOT"));
    let output = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .current_dir(root)
        .env("UNSKEW_FLEET", store)
        .arg("fleet")
        .args(args)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// A small fleet of PyTorch and TensorFlow.
fn filled(store: &Path) {
    unskew(store, &["runtime", "add", "torch@2.15", "--devices", "900"]);
    unskew(store, &["runtime", "add", "torch@1.10", "--name", "phones", "--devices", "400"]);
    unskew(store, &["runtime", "add", "examples/operators/camera-7.json", "--devices", "77"]);
    unskew(
        store,
        &["runtime", "add", "tensorflow@2.15", "--name", "shop/till-3", "--devices", "12"],
    );
    let hostile = store.with_file_name(HOSTILE);
    let root = Path::new(env!("UNSKEW_ROOT"));
    std::fs::copy(root.join("examples/gelu-2.15.0.pt"), &hostile).unwrap();
    unskew(store, &["model", "add", "vision/gelu", "crates/cli/tests/files/div-1.4.0.pt"]);
    unskew(store, &["model", "add", "vision/gelu", hostile.to_str().unwrap()]);
    unskew(store, &["model", "add", "graph", "examples/add-cast.pb"]);
    unskew(store, &["plan", "vision/gelu"]);
}

/// The command, serving; it is killed with this.
struct Serving {
    child: Child,
    host: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let begin = format!("{name}: ");
        self.head.lines().find_map(|line| {
            let found = line.get(..begin.len()).is_some_and(|own| own.eq_ignore_ascii_case(&begin));
            found.then(|| &line[begin.len()..])
        })
    }
}

impl Serving {
    fn of(store: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unskew"))
            .args(["fleet", "serve", "--listen", "127.0.0.1:0"])
            .env("UNSKEW_FLEET", store)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line =
            lines.by_ref().map_while(Result::ok).find(|line| line.contains("http://")).unwrap();
        let host = line.split("http://").nth(1).unwrap().trim_end_matches('/').to_owned();
        Self { child, host }
    }

    fn send(&self, request: &str, lines: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{lines}\r\n{body}",
            self.host,
            body.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Sends the form for a version of a model, as a browser does, with further lines of the head.
    fn publish(&self, lines: &str, model: &str, file: &str, content: &[u8]) -> Answer {
        let mut body = Vec::new();
        let field = format!("Content-Disposition: form-data; name=\"model\"\r\n\r\n{model}\r\n");
        body.extend_from_slice(format!("--limit\r\n{field}").as_bytes());
        let field =
            format!("Content-Disposition: form-data; name=\"file\"; filename=\"{file}\"\r\n\r\n");
        body.extend_from_slice(format!("--limit\r\n{field}").as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n--limit--\r\n");
        let mut stream = TcpStream::connect(&self.host).unwrap();
        write!(
            stream,
            "POST /publish HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\
             Content-Type: multipart/form-data; boundary=limit\r\n{lines}\r\n",
            self.host,
            body.len()
        )
        .unwrap();
        // Who is refused early closes the connection.
        let _ = stream.write_all(&body);
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn get(&self, address: &str) -> Answer {
        self.send(&format!("GET {address}"), "", "")
    }

    fn page(&self, address: &str) -> String {
        let answer = self.get(address);
        assert_eq!(answer.status, 200, "{address}: {}", answer.body);
        answer.body
    }
}

/// The addresses that a page leads to, on the same server; but for forms that say nothing without their fields.
fn links(page: &str) -> BTreeSet<String> {
    let attribute = |sign: &str| -> Vec<String> {
        let pieces = page.split(sign).skip(1);
        pieces.map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&")).collect()
    };
    let all = attribute(" href=\"").into_iter().chain(attribute(" action=\""));
    let own = all.filter(|link| link.starts_with('/') && link != "/logout" && link != "/decisions");
    own.map(|link| link.split('#').next().unwrap().to_owned()).collect()
}

#[test]
fn every_link_of_every_page_leads_to_something() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let serving = Serving::of(&store);
    let mut open = VecDeque::from(["/".to_owned()]);
    let mut seen: BTreeSet<String> = open.iter().cloned().collect();
    // Of thousands of operators and releases a few are enough.
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(address) = open.pop_front() {
        let answer = serving.get(&address);
        assert_eq!(answer.status, 200, "{address}: {}", answer.body);
        if !answer.header("content-type").unwrap().starts_with("text/html") {
            continue;
        }
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{address}: {policy}");
        for sign in ["<script", " style=\"", "<img", "https://"] {
            assert!(!answer.body.contains(sign), "{address}: {sign}");
        }
        for link in links(&answer.body) {
            let kind: String = link.split(['/', '?']).take(3).collect::<Vec<_>>().join("/");
            let count = kinds.entry(kind).or_default();
            if *count < 6 && seen.insert(link.clone()) {
                *count += 1;
                open.push_back(link);
            }
        }
    }
    println!("{} addresses", seen.len());
    for kind in
        ["/models/vision", "/plans/graph", "/runtimes/shop", "/windows/pjrt.api", "/jobs", "/audit"]
    {
        assert!(kinds.contains_key(kind), "no page leads to {kind}: {kinds:?}");
    }
    assert!(
        seen.iter().any(|link| link.starts_with("/v1/models/")),
        "no decision as JSON: {seen:?}"
    );
    assert!(seen.iter().any(|link| link.starts_with("/operators/tensorflow/")), "{seen:?}");
}

#[test]
fn axe_finds_nothing_on_any_kind_of_page() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    unskew(&store, &["token", "create", "wall", "--role", "read"]);
    let locked = Serving::of(&store);
    let login = [format!("http://{}/login?next=/", locked.host)];
    axe::assert_accessible("fleet-login", &login);
    drop(locked);

    let open = folder.path().join("open");
    filled(&open);
    let serving = Serving::of(&open);
    let pages = [
        "/",
        "/?contains=VISION",
        "/runtimes",
        "/runtimes/torch@2.15.0",
        "/runtimes/shop/till-3",
        "/releases",
        "/releases/torch",
        "/releases/torch?page=2",
        "/releases/torch/1.3.1",
        "/releases/tensorflow/0.12.1",
        "/releases/jax/0.4.10",
        "/windows",
        "/windows/ifrt.proxy",
        "/jobs",
        "/audit",
        "/unserved",
        "/publish",
        "/models/graph",
        "/models/vision/gelu",
        "/models/vision/gelu?deny=warning&accept_unjudged=all",
        "/models/nothing",
        "/plans/graph",
        "/plans/vision/gelu?what_if=add%3Dtorch@2.1,500&what_if=without%3Daten::gelu,phones",
        "/decisions?model=graph&runtime=camera-7",
        "/decisions?model=vision/gelu&runtime=phones",
        "/operators/tensorflow/A",
        "/operators/torch/aten::gelu",
    ];
    let urls: Vec<String> =
        pages.iter().map(|page| format!("http://{}{page}", serving.host)).collect();
    axe::assert_accessible("fleet", &urls);
}

#[test]
fn forms_work_and_what_is_not_there_is_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let serving = Serving::of(&store);
    // What a browser sends of the form: every field, most of them empty.
    let form = "/plans/vision/gelu?add=torch%402.1&add_devices=500&move=&move_to=&without=aten%3A%3Agelu&without_in=phones\
                &axis=&first=&last=&window_in=&devices_of=&devices=&drop=&max=";
    let sent = serving.get(form);
    assert_eq!(sent.status, 303, "{}", sent.body);
    let plan = sent.header("location").unwrap();
    assert_eq!(
        plan,
        "/plans/vision/gelu?what_if=add%3Dtorch@2.1,500&what_if=without%3Daten::gelu,phones"
    );
    let page = serving.page(plan);
    assert!(page.contains("<th scope=\"row\">torch@2.1.2</th><td>not there</td>"), "{page}");
    let found = serving.page("/?contains=VISION&as_of=&deny=error");
    assert!(found.contains(">vision/gelu</a>") && !found.contains(">graph</a>"), "{found}");
    let warned = serving.page("/models/vision/gelu?deny=warning&accept_unjudged=all");
    assert!(warned.contains("deny=warning&amp;accept_unjudged=all"), "links keep how one looks");

    for (address, status, words) in [
        ("/models/nothing", 404, "no such model"),
        ("/runtimes/nothing", 404, "no such runtime"),
        ("/operators/torch/aten::nothing", 404, "aten::nothing"),
        ("/releases/caffe", 404, "no such family"),
        ("/windows/nothing", 404, "no such axis"),
        ("/?as_of=yesterday", 400, "as_of"),
        ("/?%3Cb%3E=1", 400, "no such parameter"),
        ("/plans/vision/gelu?what_if=fly=x", 400, "no what-if"),
        ("/decisions", 400, "a decision is about"),
    ] {
        let answer = serving.get(address);
        assert_eq!(answer.status, status, "{address}: {}", answer.body);
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{address}");
        let body = answer.body.to_lowercase();
        assert!(body.contains(words) && body.contains("<h1>"), "{address}: {body}");
        assert!(!body.contains("<b>"), "{address}: {body}");
    }
}

#[test]
fn a_form_publishes_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let model =
        std::fs::read(Path::new(env!("UNSKEW_ROOT")).join("examples/gelu-2.15.0.pt")).unwrap();
    let serving = Serving::of(&store);
    let page = serving.page("/publish?model=vision/gelu");
    assert!(page.contains("value=\"vision/gelu\"") && !page.contains("name=\"token\""), "{page}");
    let done = serving.publish("", "vision/third", "third.pt", &model);
    assert_eq!(
        (done.status, done.header("location")),
        (303, Some("/models/vision/third")),
        "{}",
        done.body
    );
    assert!(serving.page("/models/vision/third").contains("<td>third.pt</td>"));
    for (name, file, content, status, words) in [
        ("vision/gelu", "", &model[..], 400, "o file was chosen"),
        ("vision/gelu", "empty.pt", b"", 400, "he file is empty"),
        ("vision/gelu", "text.pt", b"not a model", 422, "text.pt"),
        ("a//b", "x.pt", &model[..], 400, "a//b"),
    ] {
        let answer = serving.publish("", name, file, content);
        assert_eq!(answer.status, status, "{file}: {}", answer.body);
        assert!(answer.body.contains(words) && answer.body.contains("<h1>"), "{}", answer.body);
    }
    assert_eq!(serving.get("/v1/uploads").body, "[]", "nothing of them is left");

    // With tokens: the form has none, and is opened by the cookie if a page of the service sends it.
    let token =
        |role: &str| unskew(&store, &["token", "create", "ci", "--role", role]).trim().to_owned();
    let (read, publish) = (token("read"), token("publish"));
    let cookie = |token: &str| format!("Cookie: unskew_fleet_token={token}\r\n");
    let own = format!("Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n", serving.host);
    let send = |lines: &str| serving.publish(lines, "new", "x.pt", &model);
    for stranger in ["", &own, &cookie(&publish), &format!("{}{own}", cookie("unskew_nothing"))] {
        let login = send(stranger);
        assert_eq!(
            (login.status, login.header("location")),
            (303, Some("/login?next=/publish")),
            "{stranger}: {}",
            login.body
        );
    }
    for other in
        ["Origin: http://evil.example\r\n", "Origin: null\r\n", "Sec-Fetch-Site: same-site\r\n"]
    {
        let refused = send(&format!("{}{other}", cookie(&publish)));
        assert_eq!(refused.status, 403, "{other}: {}", refused.body);
    }
    let refused = send(&format!("{}{own}", cookie(&read)));
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(refused.body.contains("needs the role publish"), "{}", refused.body);
    let page = |token: &str| serving.send("GET /publish?model=new", &cookie(token), "").body;
    let (may, may_not) = (page(&publish), page(&read));
    assert!(may.contains("type=\"file\"") && !may_not.contains("type=\"file\""), "{may_not}");
    assert!(may_not.contains("href=\"/login?next=/publish%3Fmodel"), "{may_not}");
    assert!(!unskew(&store, &["model", "list"]).contains("new"));
    assert_eq!(send(&format!("{}{own}", cookie(&publish))).status, 303);
    assert_eq!(send(&format!("Authorization: Bearer {publish}\r\n")).status, 303);
    let shown = unskew(&store, &["model", "list"]);
    assert!(shown.contains("new"), "{shown}");
}

#[test]
fn nobody_looks_without_a_token_where_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let create =
        |role: &str| unskew(&store, &["token", "create", "wall", "--role", role]).trim().to_owned();
    let (token, admin) = (create("read"), create("admin"));
    let serving = Serving::of(&store);
    for address in ["/", "/models/vision/gelu?page=2", "/releases", "/windows", "/audit"] {
        let answer = serving.get(address);
        assert_eq!(answer.status, 303, "{address}");
        let login = answer.header("location").unwrap();
        assert!(login.starts_with("/login?next=/"), "{login}");
        assert!(!answer.body.contains("vision"), "{address}");
    }
    let login = serving.page("/login?next=/models/vision/gelu");
    assert!(login.contains("value=\"/models/vision/gelu\"") && login.contains("type=\"password\""));

    let enter = |token: &str, lines: &str| {
        let body = format!("next=%2Fmodels%2Fvision%2Fgelu&token={token}");
        let lines = format!("Content-Type: application/x-www-form-urlencoded\r\n{lines}");
        serving.send("POST /login", &lines, &body)
    };
    let wrong = enter("unskew_nothing", "");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    assert!(wrong.body.contains("No such token"), "{}", wrong.body);
    let elsewhere = enter(&token, "Origin: http://evil.example\r\n");
    assert_eq!(elsewhere.status, 403, "no other site signs anybody in");

    let cookie = |token: &str| {
        let right = enter(token, "");
        assert_eq!((right.status, right.header("location")), (303, Some("/models/vision/gelu")));
        let set = right.header("set-cookie").unwrap().to_owned();
        assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
        format!("Cookie: {}\r\n", set.split(';').next().unwrap())
    };
    let reading = cookie(&token);
    let get = |address: &str, lines: &str| serving.send(&format!("GET {address}"), lines, "");
    let page = get("/", &reading);
    assert!(page.status == 200 && page.body.contains("(wall)"), "{}", page.body);
    assert_eq!(get("/v1/models", &reading).status, 200, "links to the API are followed");
    assert_eq!(get("/audit", &reading).status, 403);
    assert_eq!(get("/audit", &cookie(&admin)).status, 200);
    let admin = cookie(&admin);
    let change = serving.send("DELETE /v1/runtimes/phones", &admin, "");
    assert_eq!(change.status, 401, "a cookie changes nothing: {}", change.body);
    let out = serving.send("POST /logout", &reading, "");
    assert!(out.status == 303 && out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(get("/", "Cookie: unskew_fleet_token=x\r\n").status, 303);
}

#[test]
fn a_real_browser_shows_the_pages_with_and_without_scripts() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let serving = Serving::of(&store);
    let pages = [
        ("/", "<b>4</b><a href=\"/runtimes\">runtimes</a>"),
        ("/models/vision/gelu", "&lt;img src=x onerror=document.title=1&gt;.pt"),
        ("/plans/vision/gelu", "<b>gets</b>"),
        ("/decisions?model=vision/gelu&runtime=phones", "Gets <b>version 2 converted</b>"),
        ("/releases/torch?contains=gelu", "<code>aten::gelu</code>"),
        ("/windows/pjrt.api", "class=\"must\""),
    ];
    for (address, words) in pages {
        let url = format!("http://{}{address}", serving.host);
        let (dom, said) = browser.dom(folder.path(), &url);
        assert!(dom.contains(words), "{address}: {words} is not in {dom}");
        assert!(!said.contains("Content Security Policy"), "{address}: {said}");
        assert!(!dom.contains("<title>1</title>"), "{address}: the name of a file ran");
        let [shown, plain] = [&[][..], &["--blink-settings=scriptEnabled=false"]]
            .map(|options| browser.shot(folder.path(), &url, options));
        assert_eq!(shown, plain, "{address} is another page without scripts");
    }
}

#[test]
fn narrow_dark_and_wide_screens_are_drawn_differently() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    filled(&store);
    let serving = Serving::of(&store);
    let url = format!("http://{}/models/vision/gelu", serving.host);
    let options: [&[&str]; 3] = [
        &["--window-size=1280,900"],
        &["--window-size=390,900"],
        &["--window-size=1280,900", "--blink-settings=preferredColorScheme=0"],
    ];
    let mut shots = BTreeSet::new();
    for options in options {
        let shot = browser.shot(folder.path(), &url, options);
        assert!(shot.len() > 10_000, "an empty page: {} bytes", shot.len());
        shots.insert(shot);
    }
    assert_eq!(shots.len(), 3, "two screens are drawn alike");
}
