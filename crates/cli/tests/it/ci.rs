//! What stands in `action.yml` and `.pre-commit-hooks.yaml` is run as it stands there, in a repository with a
//! change that breaks a promise.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use saphyr_parser::{Event, Parser};
use unskew_peers::root;

/// The scalars of a YAML file by their paths: `runs.steps.1.run`.
fn scalars(file: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let mut found = BTreeMap::new();
    // Of every collection that is open: the next index, or the key that waits for its value.
    let mut open: Vec<(Option<usize>, Option<String>)> = Vec::new();
    let path = |open: &[(Option<usize>, Option<String>)]| {
        let parts = open.iter().map(|(index, key)| match index {
            Some(index) => index.to_string(),
            None => key.clone().unwrap_or_default(),
        });
        parts.collect::<Vec<_>>().join(".")
    };
    let next = |open: &mut Vec<(Option<usize>, Option<String>)>| match open.last_mut() {
        Some((Some(index), _)) => *index += 1,
        Some((None, key)) => *key = None,
        None => {}
    };
    for event in Parser::new_from_str(&text) {
        match event.unwrap_or_else(|error| panic!("{file}: {error}")).0 {
            Event::SequenceStart(..) => open.push((Some(0), None)),
            Event::MappingStart(..) => open.push((None, None)),
            Event::SequenceEnd | Event::MappingEnd => {
                open.pop();
                next(&mut open);
            }
            Event::Scalar(value, ..) => match open.last_mut() {
                Some((None, key @ None)) => *key = Some(value.into_owned()),
                _ => {
                    found.insert(path(&open), value.into_owned());
                    next(&mut open);
                }
            },
            _ => {}
        }
    }
    found
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
    git.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let ran = git.output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// A branch on which a field was inserted and nothing else was done.
fn repository() -> tempfile::TempDir {
    let made = tempfile::tempdir().unwrap();
    let fixture = root().join("crates/cli/tests/files/headers/field-inserted");
    let file = made.path().join("device.h");
    std::fs::copy(fixture.join("old.h"), &file).unwrap();
    let promises = "[[boundary]]\nname = \"device\"\npreset = \"pjrt\"\npaths = [\"*.h\"]\n";
    std::fs::write(made.path().join("unskew.toml"), promises).unwrap();
    git(made.path(), &["init", "--quiet", "--initial-branch=main"]);
    git(made.path(), &["add", "--all"]);
    git(made.path(), &["commit", "--quiet", "--message", "before"]);
    git(made.path(), &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    std::fs::copy(fixture.join("new.h"), &file).unwrap();
    made
}

fn said(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr)
}

/// Runs a step of the action in a folder, with these inputs and else what is written as the default.
fn step(name: &str, folder: &Path, inputs: &[(&str, &str)]) -> Output {
    let action = scalars("action.yml");
    let step = (0..9)
        .find(|step| action.get(&format!("runs.steps.{step}.name")).is_some_and(|n| n == name))
        .unwrap();
    let script = &action[&format!("runs.steps.{step}.run")];
    let mut bash = Command::new("bash");
    bash.current_dir(folder).args(["-e", "-c", script]).env("GITHUB_ACTION_PATH", root());
    bash.env("GITHUB_STEP_SUMMARY", folder.join("summary.md"));
    let start = format!("runs.steps.{step}.env.");
    for (path, wanted) in action.iter().filter(|(path, _)| path.starts_with(&start)) {
        let name = &path[start.len()..];
        let input = wanted.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        let given = inputs.iter().find(|(one, _)| *one == input).map(|(_, value)| *value);
        let value = match name {
            "COMMAND" => env!("CARGO_BIN_EXE_unskew"),
            // github.base_ref: the branch that a pull request is for.
            "TARGET" => "main",
            _ => given.unwrap_or_else(|| &action[&format!("inputs.{input}.default")]),
        };
        bash.env(name, value);
    }
    bash.output().unwrap()
}

#[test]
fn the_step_that_installs_runs_no_module_of_the_checkout() {
    let (checkout, runner) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in ["venv", "pip", "ensurepip", "json", "subprocess"] {
        let text = "import pathlib; pathlib.Path(__file__).with_name('witness').touch()\n";
        std::fs::write(checkout.path().join(name).with_extension("py"), text).unwrap();
    }
    let action = scalars("action.yml");
    let mut bash = Command::new("bash");
    bash.current_dir(checkout.path()).args(["-e", "-c", &action["runs.steps.0.run"]]);
    bash.env("COMMAND", "there-is-no-such-command").env("VERSION", "");
    bash.env("RUNNER_TEMP", runner.path()).env("GITHUB_PATH", runner.path().join("path"));
    // Nobody is asked: pip was run when it says so.
    let ran = bash.env("PIP_NO_INDEX", "1").env_remove("PIP_FIND_LINKS").output().unwrap();
    assert!(said(&ran).contains("No matching distribution found for unskew"), "{}", said(&ran));
    assert!(!checkout.path().join("witness").exists());
}

#[test]
fn the_step_of_the_action_annotates_the_change_and_fails() {
    let ran = step("Lint", repository().path(), &[]);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    assert!(said(&ran).contains("::error file=device.h,line="), "{}", said(&ran));
}

#[test]
fn the_steps_of_the_action_write_a_summary_and_sarif() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("good.txt", "torch==2.11.0\ntorchao==0.18.0\n");
    write("bad.txt", "torch==2.7.1\ntorchao==0.18.0\n");
    let inputs = [("locks", "good.txt bad.txt"), ("python", "3.11"), ("sarif", "out/sarif")];
    let ran = step("Locks", folder.path(), &inputs);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    assert!(said(&ran).contains("unskew: no findings"), "{}", said(&ran));
    let summary = std::fs::read_to_string(folder.path().join("summary.md")).unwrap();
    assert!(summary.contains("### unskew good.txt\n\n    good.txt: no failure found"), "{summary}");
    assert!(summary.contains("    error EN115"), "{summary}");
    let sarif = std::fs::read(folder.path().join("out/sarif/bad.txt.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_slice(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "EN115");
}

#[test]
fn the_step_of_the_action_annotates_lines_of_locks_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a-requirements.txt", "numpy==2.1.0\ntorch==2.7.1\ntorchao==0.18.0\n");
    write("b-requirements.txt", "torch==2.11.0\ntorchao==0.18.0\n");
    let run = |locks: &str| step("Locks", folder.path(), &[("locks", locks), ("python", "3.11")]);
    let ran = run("*-requirements.txt");
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    assert!(said(&ran).contains("::error file=a-requirements.txt,line=3,"), "{}", said(&ran));
    assert!(!said(&ran).contains("::error file=b-"), "{}", said(&ran));
    assert_eq!(run("b-requirements.txt").status.code(), Some(0));
    assert_eq!(run("none-*.txt").status.code(), Some(2));
}

/// The problem matcher of GitHub, on what `concise` prints: file, line, column, severity, code, message.
#[test]
fn the_problem_matcher_reads_what_concise_prints() {
    let text = std::fs::read_to_string(root().join(".github/unskew-matcher.json")).unwrap();
    let matcher: serde_json::Value = serde_json::from_str(&text).unwrap();
    let matchers = matcher["problemMatcher"].as_array().unwrap();
    let mut diff = Command::new(env!("CARGO_BIN_EXE_unskew"));
    diff.current_dir(root()).args([
        "diff",
        "examples/ops-before.pbtxt",
        "examples/ops-after.pbtxt",
    ]);
    let printed = diff.args(["--format", "concise"]).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let read = |line: &str| {
        matchers.iter().find_map(|one| {
            let pattern = &one["pattern"][0];
            let regex = regex::Regex::new(pattern["regexp"].as_str().unwrap()).unwrap();
            let found = regex.captures(line)?;
            let group = |name: &str| {
                let index = usize::try_from(pattern[name].as_u64()?).ok()?;
                found.get(index).map(|text| text.as_str().to_owned())
            };
            let severity = group("severity").or_else(|| Some(one["severity"].as_str()?.to_owned()));
            Some([group("file"), group("line"), group("column"), severity, group("code")])
        })
    };
    let text = |parts: [&str; 5]| parts.map(|part| (!part.is_empty()).then(|| part.to_owned()));
    let file = "examples/ops-after.pbtxt";
    let found: Vec<_> = printed.lines().filter_map(read).collect();
    assert!(found.contains(&text([file, "5", "1", "warning", "TF605"])), "{found:?}");
    assert!(found.contains(&text([file, "", "", "error", "TF601"])), "{found:?}");
    assert!(found.contains(&text([file, "8", "1", "notice", "TF603"])), "{found:?}");
    assert_eq!(found.len(), printed.lines().count() - 1, "all but the verdict: {printed}");
}

#[test]
fn the_hooks_install_the_wheel_of_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let text = std::fs::read_to_string(root().join("pyproject.toml")).unwrap();
    assert!(text.contains(&format!("\nversion = \"{version}\"\n")), "{text}");
    assert!(text.contains(&format!("\"unskew=={version}\"")), "{text}");
    let jax = std::fs::read_to_string(root().join("python/unskew_jax/pyproject.toml")).unwrap();
    assert!(jax.contains(&format!("\nversion = \"{version}\"\n")), "{jax}");
}

#[test]
fn the_action_checks_the_models_that_a_pattern_names() {
    let action = scalars("action.yml");
    let step = (0..9)
        .find(|step| action.get(&format!("runs.steps.{step}.name")).is_some_and(|n| n == "Check"))
        .unwrap();
    let run = |models: &str, with: &str| {
        let mut bash = Command::new("bash");
        bash.current_dir(root()).args(["-e", "-c", &action[&format!("runs.steps.{step}.run")]]);
        bash.env("GITHUB_ACTION_PATH", root()).env("SARIF", "");
        bash.env("COMMAND", env!("CARGO_BIN_EXE_unskew")).env("FORMAT", "github");
        bash.env("DENY", "error").env("MODELS", models).env("WITH", with).output().unwrap()
    };
    let ran = run("examples/gelu-*.pt examples/add-*.pb", "torch@1.10 tensorflow@2.21");
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    let wanted = "::error file=examples/gelu-2.15.0.pt,title=PT002";
    assert!(said(&ran).contains(wanted), "{}", said(&ran));
    assert_eq!(run("examples/gelu-*.pt", "torch>=2.15").status.code(), Some(0));
    let none = run("examples/no-such-*.pt", "torch@1.10");
    assert_eq!(none.status.code(), Some(2), "{}", said(&none));
}

#[test]
fn the_hook_for_pre_commit_finds_what_is_about_to_be_committed() {
    let hooks = scalars(".pre-commit-hooks.yaml");
    assert_eq!(hooks["0.id"], "unskew-lint");
    assert_eq!(hooks["0.pass_filenames"], "false");
    let repository = repository();
    let mut words = hooks["0.entry"].split(' ');
    assert_eq!(words.next(), Some("unskew"));
    let run = |words: std::str::Split<'_, char>| {
        let mut unskew = Command::new(env!("CARGO_BIN_EXE_unskew"));
        unskew.current_dir(repository.path()).args(words).output().unwrap()
    };
    let ran = run(words.clone());
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    assert!(said(&ran).contains("device.h:15:3: error HD102"), "{}", said(&ran));
    git(repository.path(), &["commit", "--quiet", "--all", "--message", "accepted all the same"]);
    // The window still has the version before.
    assert_eq!(run(words).status.code(), Some(1));
}

/// What the hook says in a repository as it is.
fn hook(folder: &Path) -> Output {
    let hooks = scalars(".pre-commit-hooks.yaml");
    let words = hooks["0.entry"].strip_prefix("unskew ").unwrap().split(' ');
    let mut unskew = Command::new(env!("CARGO_BIN_EXE_unskew"));
    unskew.current_dir(folder).args(words).output().unwrap()
}

#[test]
fn the_hook_compares_with_where_the_branch_left_the_main_branch() {
    let made = tempfile::tempdir().unwrap();
    let folder = made.path();
    // A field takes the place of another one: every commit that is compared with this one needs a new major.
    let header = |major: u32, ty: &str, more: &str| {
        let text = format!(
            "#define DEVICE_API_MAJOR {major}\n#define DEVICE_API_MINOR 0\nstruct Thing {{ size_t struct_size; {ty} a; \
             }};\n#define T_STRUCT_SIZE SIZE(Thing, a)\n{more}"
        );
        std::fs::write(folder.join("device.h"), text).unwrap();
    };
    let commit = |subject: &str| {
        git(folder, &["add", "--all"]);
        git(folder, &["commit", "--quiet", "--message", subject]);
    };
    let promises = "[[boundary]]\nname = \"device\"\nkind = \"headers\"\npolicy = \"pjrt\"\npaths = [\"*.h\"]\n";
    std::fs::write(folder.join("unskew.toml"), promises).unwrap();
    header(1, "int", "");
    git(folder, &["init", "--quiet", "--initial-branch=main"]);
    commit("before");
    git(folder, &["checkout", "--quiet", "-b", "work"]);
    let status = |expected: i32, when: &str| {
        let ran = hook(folder);
        assert_eq!(ran.status.code(), Some(expected), "{when}: {}", said(&ran));
        said(&ran)
    };

    header(2, "float", "");
    status(0, "a first commit with its new major");
    commit("first");
    header(2, "double", "");
    status(0, "a second commit under the same new major");
    let second = std::fs::read(folder.join("device.h")).unwrap();
    header(1, "double", "");
    let text = status(1, "a second commit that takes the number back");
    assert!(text.contains("device.h:1:1: error HD"), "{text}");
    std::fs::write(folder.join("device.h"), second).unwrap();
    commit("second");

    // The main branch moves on: what it got meanwhile is not this branch's.
    git(folder, &["checkout", "--quiet", "main"]);
    header(1, "int", "void Thing_Open(void);\n");
    commit("elsewhere");
    git(folder, &["checkout", "--quiet", "work"]);
    status(0, "main has moved on");

    // What was merged on the machine and not pushed is still this branch's.
    git(folder, &["update-ref", "refs/remotes/origin/trunk", "main~1"]);
    git(folder, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    git(folder, &["branch", "--force", "main", "work"]);
    header(2, "short", "");
    status(0, "the remote's main branch counts");
    git(folder, &["symbolic-ref", "--delete", "refs/remotes/origin/HEAD"]);
    status(1, "the local one counts where the remote has none");

    git(folder, &["branch", "--quiet", "--delete", "--force", "main"]);
    let text = status(2, "no main branch");
    assert!(text.contains("no main branch") && text.contains("--baseline git:BRANCH..."), "{text}");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let at = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &at),
            false => {
                std::fs::copy(&path, &at).unwrap();
            }
        }
    }
}

#[test]
fn our_own_promises_fail_when_what_was_frozen_is_changed() {
    let made = tempfile::tempdir().unwrap();
    let frozen = root().join("promised");
    copy(&frozen, &made.path().join("promised"));
    copy(&frozen.join("crates"), &made.path().join("crates"));
    // The registry of operators is held against a revision, and what landed against the repository.
    let text = std::fs::read_to_string(root().join("unskew.toml")).unwrap();
    let (text, registry) = text.split_at(text.find("# The operators of PyTorch").unwrap());
    assert!(registry.contains("operator registry"));
    std::fs::write(made.path().join("unskew.toml"), text.replace("landed = \"git\", ", ""))
        .unwrap();
    let lint = || {
        let mut unskew = Command::new(env!("CARGO_BIN_EXE_unskew"));
        let ran = unskew.current_dir(made.path()).args(["lint", "--format", "concise"]).output();
        let ran = ran.unwrap();
        (ran.status.code(), said(&ran))
    };
    let (status, text) = lint();
    assert_eq!(status, Some(0), "{text}");
    let changed = |file: &str, from: &str, to: &str, code: &str| {
        let path = made.path().join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        assert!(whole.contains(from), "{file}: {from}");
        std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
        let (status, text) = lint();
        assert_eq!(status, Some(1), "{text}");
        let says = |line: &str| line.starts_with(file) && line.contains(&format!(": error {code}"));
        assert!(text.lines().any(says), "{text}");
        std::fs::write(&path, whole).unwrap();
    };
    let history = "crates/xla/ifrt/data/serdes.history.toml";
    changed(history, "landed = 2026-02-25", "landed = 2026-02-24", "HI016");
    let store = "crates/fleet/fleet/migrations/store.history.toml";
    changed(store, "number = 1", "number = 7", "HI017");
    changed("crates/xla/ifrt/tests/ifrt.lock", "2 dtype: DType", "2 dtype: int32", "SD002");
}
