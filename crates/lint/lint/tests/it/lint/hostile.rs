//! Repositories that name programs wherever git looks for one: reading them runs none, and gives what their objects say.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::repository::{Repository, codes, config, lint_at};
use unskew_lint::{BaselinePlace, LintResult, Sources};

const PROMISES: &str = "baseline = 'git:HEAD'\n[[boundary]]\nname = 'n'\nkind = 'names'\npaths = ['*.names']\n\
    [[boundary]]\nname = 'h'\nkind = 'history'\npaths = ['*.toml']\noptions = { landed = 'git' }\n";

const DAY: &str = "2026-04-01";

/// A repository with two commits and a change: `b` is gone from the list.
fn repository() -> Repository {
    let made = Repository::new();
    made.commit("list.toml", "[[version]]\nnumber = 1\nlanded = 2026-01-05\n", "2026-01-05");
    made.commit("a.names", "a\nb\n", "2026-01-06");
    made.write("a.names", "a\n");
    made
}

/// A program that leaves a witness when it is run, and the folder for it.
fn program(folder: &Path) -> (PathBuf, PathBuf) {
    let (program, witness) = (folder.join("evil.sh"), folder.join("witness"));
    let text = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 1\n", witness.display());
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    (program, witness)
}

fn add(file: &Path, text: &str) {
    let before = std::fs::read_to_string(file).unwrap_or_default();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, before + text).unwrap();
}

fn judged(folder: &Path) -> LintResult {
    lint_at(folder, &config(PROMISES).unwrap(), DAY)
}

/// The name that is gone is found, and nothing is missing.
fn assert_right(folder: &Path, what: &str) {
    let outcome = judged(folder);
    assert!(outcome.failures.is_empty(), "{what}: {:?}", outcome.failures);
    assert_eq!(codes(&outcome), ["HD207"], "{what}");
}

/// Why the first boundary was not checked.
fn refusal(folder: &Path) -> String {
    let outcome = judged(folder);
    outcome.failures.first().unwrap_or_else(|| panic!("{outcome:?}")).why.clone()
}

/// Settings that make git run PROGRAM, or read what nobody named.
const SETTINGS: &[&str] = &[
    "[log]\nshowSignature = true\n[gpg]\nprogram = PROGRAM\n[gpg \"ssh\"]\nprogram = PROGRAM\n",
    "[core]\nfsmonitor = PROGRAM\n",
    "[core]\nfsmonitor = true\nfsmonitorHookVersion = 2\n",
    "[remote \"origin\"]\nurl = .\npromisor = true\nuploadpack = PROGRAM\npartialclonefilter = blob:none\n",
    "[remote \"origin\"]\nurl = ext::PROGRAM\npromisor = true\n[protocol]\nallow = always\n",
    "[remote \"origin\"]\nurl = ssh://host/x\npromisor = true\n[core]\nsshCommand = PROGRAM\n",
    "[core]\npager = PROGRAM\n[pager]\nlog = PROGRAM\nls-tree = PROGRAM\n",
    "[core]\nhooksPath = HOOKS\n",
    "[core]\neditor = PROGRAM\naskPass = PROGRAM\n[sequence]\neditor = PROGRAM\n",
    "[credential]\nhelper = PROGRAM\n",
    "[diff]\nexternal = PROGRAM\n",
    "[diff \"x\"]\ncommand = PROGRAM\ntextconv = PROGRAM\n",
    "[filter \"x\"]\nclean = PROGRAM\nsmudge = PROGRAM\nprocess = PROGRAM\nrequired = true\n",
    "[merge \"x\"]\ndriver = PROGRAM\n",
    "[alias]\nlog = !PROGRAM\nls-tree = !PROGRAM\ncat-file = !PROGRAM\nrev-parse = !PROGRAM\n",
    "[core]\ngitProxy = PROGRAM\n[uploadpack]\npackObjectsHook = PROGRAM\n",
    "[trailer \"x\"]\ncommand = PROGRAM\ncmd = PROGRAM\n[interactive]\ndiffFilter = PROGRAM\n",
    "[submodule]\nrecurse = true\n[submodule \"x\"]\nupdate = !PROGRAM\nurl = ext::PROGRAM\n",
    "[core]\nworktree = /\n",
    "[core]\nattributesFile = ATTRIBUTES\nexcludesFile = EVERYTHING\n[diff \"x\"]\ntextconv = PROGRAM\n",
    "[core]\nalternateRefsCommand = PROGRAM\n",
    "[mailmap]\nfile = /dev/tty\n[maintenance]\nauto = true\n[gc]\nauto = 1\n",
];

#[test]
fn no_setting_of_a_repository_runs_a_program() {
    for setting in SETTINGS {
        let made = repository();
        let (program, witness) = program(made.path());
        let hooks = made.path().join(".git/hooks");
        for hook in
            ["fsmonitor-watchman", "post-index-change", "reference-transaction", "post-checkout"]
        {
            std::fs::create_dir_all(&hooks).unwrap();
            std::fs::copy(&program, hooks.join(hook)).unwrap();
        }
        add(
            &made.path().join(".gitattributes"),
            "* filter=x diff=x merge=x ident working-tree-encoding=UTF-16\n",
        );
        add(&made.path().join(".git/info/attributes"), "* filter=x diff=x\n");
        add(&made.path().join("everything"), "*\n");
        let text = setting
            .replace("PROGRAM", &program.display().to_string())
            .replace("HOOKS", &hooks.display().to_string())
            .replace("ATTRIBUTES", &made.path().join(".gitattributes").display().to_string())
            .replace("EVERYTHING", &made.path().join("everything").display().to_string());
        // Directly, from an included file, from one for this work tree, and from one for this folder.
        let config = made.path().join(".git/config");
        add(&made.path().join(".git/more"), &text);
        add(&made.path().join(".git/config.worktree"), &text);
        add(&config, &text);
        add(&config, "[include]\npath = more\n[includeIf \"gitdir:**\"]\npath = more\n");
        add(&config, "[extensions]\nworktreeConfig = true\n");
        assert_right(made.path(), setting);
        let ran = std::fs::read_to_string(&witness).unwrap_or_default();
        assert_eq!(ran, "", "{setting}");
    }
}

#[test]
fn what_git_ran_for_these_settings_is_run_by_plain_git() {
    // The programs above can be run: the witness works.
    let made = repository();
    let (program, witness) = program(made.path());
    add(&made.path().join(".git/config"), &format!("[core]\nfsmonitor = {}\n", program.display()));
    made.git(&["ls-files", "--others"], DAY);
    assert!(witness.exists());
}

/// Variables of git in the environment point elsewhere, and a folder of PATH brings its own git: a process of its own reads the
/// repository, because tests share their environment.
#[test]
fn neither_variables_nor_a_git_beside_the_files_change_what_is_read() {
    const INNER: &str = "UNSKEW_TEST_REPOSITORY";
    if let Some(folder) = std::env::var_os(INNER) {
        return assert_right(Path::new(&folder), "with variables");
    }
    let (made, other) = (repository(), Repository::new());
    other.commit("other.names", "z\n", DAY);
    let (program, witness) = program(made.path());
    for folder in [made.path().to_owned(), made.path().join("bin")] {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::copy(&program, folder.join("git")).unwrap();
    }
    let bin = made.path().join("bin").display().to_string();
    let path = format!(".:bin::{bin}:{}:{}", made.path().display(), std::env::var("PATH").unwrap());
    let mut again = Command::new(std::env::current_exe().unwrap());
    let name = "lint::hostile::neither_variables_nor_a_git_beside_the_files_change_what_is_read";
    again.args(["--exact", name]).current_dir(made.path()).env(INNER, made.path());
    again.env("PATH", path).env("GIT_DIR", other.path().join(".git"));
    again.env("GIT_EXTERNAL_DIFF", &program).env("GIT_PAGER", &program).env("GIT_SSH", &program);
    again.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "core.fsmonitor");
    again.env("GIT_CONFIG_VALUE_0", &program).env("GIT_TRACE", made.path().join("trace"));
    again.env("GIT_EXEC_PATH", made.path()).env("GIT_INDEX_FILE", other.path().join(".git/index"));
    let ran = again.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    assert!(String::from_utf8_lossy(&ran.stdout).contains("1 passed"));
    assert!(!witness.exists() && !made.path().join("trace").exists());
}

#[test]
fn what_a_partial_clone_lacks_is_said_and_not_fetched() {
    let (whole, made) = (repository(), tempfile::tempdir().unwrap());
    whole.git(&["config", "uploadpack.allowFilter", "true"], DAY);
    let (from, to) = (format!("file://{}", whole.path().display()), made.path().join("clone"));
    whole.git(
        &["clone", "--quiet", "--filter=blob:none", "--no-checkout", &from, to.to_str().unwrap()],
        DAY,
    );
    let (program, witness) = program(made.path());
    add(
        &to.join(".git/config"),
        &format!("[remote \"origin\"]\nuploadpack = {}\n", program.display()),
    );
    std::fs::write(to.join("a.names"), "a\n").unwrap();
    let why = refusal(&to);
    assert!(why.contains("missing") && why.contains("this clone is partial"), "{why}");
    assert!(!witness.exists());
}

#[test]
fn replaced_objects_and_grafts_are_not_taken_for_what_was_committed() {
    let made = repository();
    let object = |text: &str| {
        made.write("object", text);
        made.git(&["hash-object", "-w", "object"], DAY)
    };
    let (was, other) = (object("a\nb\n"), object("a\n"));
    made.git(&["replace", &was, &other], DAY);
    std::fs::remove_file(made.path().join("object")).unwrap();
    add(
        &made.path().join(".git/info/grafts"),
        &format!("{}\n", made.git(&["rev-parse", "HEAD"], DAY)),
    );
    assert_right(made.path(), "replace");
}

#[test]
fn every_form_of_a_repository_is_read() {
    // A linked work tree, with a branch of its own.
    let made = repository();
    let tree = tempfile::tempdir().unwrap();
    let linked = tree.path().join("linked");
    made.git(&["worktree", "add", "--quiet", "-b", "other", linked.to_str().unwrap()], DAY);
    std::fs::write(linked.join("a.names"), "a\n").unwrap();
    assert_right(&linked, "linked work tree");

    // A folder below, in a repository whose references and objects are packed.
    let made = Repository::new();
    made.commit("below/list.toml", "[[version]]\nnumber = 1\nlanded = 2026-01-05\n", "2026-01-05");
    made.commit("below/a.names", "a\nb\n", "2026-01-06");
    made.write("below/a.names", "a\n");
    made.git(&["pack-refs", "--all"], DAY);
    made.git(&["gc", "--quiet"], DAY);
    made.git(&["update-index", "--split-index"], DAY);
    assert_right(&made.path().join("below"), "packed");

    // A clone that borrows its objects, and one that is a module with its folder elsewhere.
    let made = repository();
    let borrowed = tree.path().join("borrowed");
    let from = made.path().to_str().unwrap();
    made.git(&["clone", "--quiet", "--shared", from, borrowed.to_str().unwrap()], DAY);
    std::fs::write(borrowed.join("a.names"), "a\n").unwrap();
    assert_right(&borrowed, "alternates");
    let module = tree.path().join("module");
    let apart = format!("--separate-git-dir={}", tree.path().join("modules").display());
    made.git(&["clone", "--quiet", &apart, from, module.to_str().unwrap()], DAY);
    std::fs::write(module.join("a.names"), "a\n").unwrap();
    add(&tree.path().join("modules/config"), "[core]\nworktree = /nowhere\n");
    assert_right(&module, "gitfile");

    // Without a work tree: a revision is read.
    let bare = tree.path().join("bare.git");
    made.git(&["clone", "--quiet", "--bare", from, bare.to_str().unwrap()], DAY);
    let sources = Sources::new(&bare, None);
    let snapshot = BaselinePlace::parse("git:main", &bare).unwrap().open(&sources).unwrap();
    assert_eq!(snapshot.names().collect::<Vec<_>>(), ["a.names", "list.toml"]);

    for form in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        let folder = tempfile::tempdir().unwrap();
        let made = Repository(folder);
        made.git(&[&["init", "--quiet", "--initial-branch=main"], form].concat(), DAY);
        made.commit("list.toml", "[[version]]\nnumber = 1\nlanded = 2026-01-05\n", "2026-01-05");
        made.commit("a.names", "a\nb\n", "2026-01-06");
        made.write("a.names", "a\n");
        assert_right(made.path(), form[0]);
    }
}

#[test]
fn revisions_that_need_settings_or_logs_are_found() {
    let made = repository();
    made.git(&["add", "--all"], DAY);
    made.git(&["commit", "--quiet", "--message", "gone"], DAY);
    made.git(&["config", "branch.main.remote", "."], DAY);
    made.git(&["config", "branch.main.merge", "refs/heads/up/stream"], DAY);
    made.git(&["branch", "up/stream", "HEAD~1"], DAY);
    for revision in
        ["HEAD~1", "main@{1}", "@{upstream}", "main@{u}...", "up/stream", "HEAD^{/a.names}"]
    {
        let promises = PROMISES.replace("git:HEAD", &format!("git:{revision}"));
        let outcome = lint_at(made.path(), &config(&promises).unwrap(), DAY);
        assert_eq!(codes(&outcome), ["HD207"], "{revision}");
    }
}

#[test]
fn a_repository_of_another_user_is_read() {
    let made = repository();
    let owned = |user: u32| std::os::unix::fs::chown(made.path().join(".git"), Some(user), None);
    if owned(12_345).is_err() {
        println!("SKIPPED: only root gives files away, so no repository of another user was read");
        return;
    }
    assert_right(made.path(), "of another user");
}

#[test]
fn what_would_be_waited_for_or_lies_elsewhere_is_refused() {
    let fifo = |path: &Path| {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    for (file, says) in [
        (".git/objects/pack/pack-1.idx", "neither a file nor a folder"),
        (".git/objects/info/alternates", "neither a file nor a folder"),
        (".git/objects/zz", "neither a file nor a folder"),
        (".git/packed-refs", "named pipe"),
        (".git/shallow", "named pipe"),
        (".git/FETCH_HEAD", "named pipe"),
    ] {
        let made = repository();
        fifo(&made.path().join(file));
        let why = refusal(made.path());
        assert!(why.contains(says), "{file}: {why}");
    }
    for (file, text, says) in [
        (".git/objects/info/alternates", "//host/share/objects\n", "another machine"),
        (".git/objects/info/alternates", "\\\\host\\share\n", "another machine"),
        (".git/commondir", "//host/share\n", "another machine"),
        (
            ".git/config",
            "[extensions]\ntomorrow = x\n[core]\nrepositoryformatversion = 1\n",
            "unknown extension: tomorrow",
        ),
        (".git/config", "[core\n", "its configuration cannot be read"),
    ] {
        let made = repository();
        add(&made.path().join(file), text);
        let why = refusal(made.path());
        assert!(why.contains(says), "{file}: {why}");
    }
    // A reference that is a pipe is none; a link to a reference is one.
    let made = repository();
    fifo(&made.path().join(".git/refs/heads/pipe"));
    symlink("main", made.path().join(".git/refs/heads/link")).unwrap();
    assert_right(made.path(), "a pipe among references");
    let promises = PROMISES.replace("git:HEAD", "git:link");
    assert_eq!(codes(&lint_at(made.path(), &config(&promises).unwrap(), DAY)), ["HD207"]);
}

#[test]
fn nothing_is_left_of_what_was_read() {
    const INNER: &str = "UNSKEW_TEST_LEFT";
    if let Some(folder) = std::env::var_os(INNER) {
        return assert_right(Path::new(&folder), "with a folder for temporary files");
    }
    let (made, temporary) = (repository(), tempfile::tempdir().unwrap());
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "lint::hostile::nothing_is_left_of_what_was_read"]);
    let ran = again.env(INNER, made.path()).env("TMPDIR", temporary.path()).output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stdout).contains("1 passed"), "{ran:?}");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
    assert_eq!(made.git(&["status", "--porcelain"], DAY), "M a.names");
}

/// git waits for a writer when it opens one of its own files and that is a named pipe.
#[test]
fn named_pipes_in_the_place_of_files_of_git_are_said_by_their_names() {
    let pipe = |made: &Repository, name: &str| {
        let path = made.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    };
    for name in [
        ".gitignore",
        "below/deeper/.gitignore",
        ".git/config",
        ".git/packed-refs",
        ".git/index.lock",
        ".git/objects/info/commit-graph",
        ".git/objects/info/commit-graphs/commit-graph-chain",
        ".git/objects/pack/multi-pack-index.d/multi-pack-index-chain",
        ".git/objects/info/alternates",
    ] {
        let made = repository();
        if name == ".git/config" {
            std::fs::remove_file(made.path().join(name)).unwrap();
        }
        pipe(&made, name);
        // What git does not open harms nobody.
        if name == ".git/index.lock" {
            assert_right(made.path(), name);
            continue;
        }
        let why = refusal(made.path());
        assert!(why.contains(name.rsplit('/').next().unwrap()), "{name}: {why}");
    }
    for name in [".mailmap", ".gitattributes", "below/.gitattributes", ".git/info/attributes"] {
        let made = repository();
        pipe(&made, name);
        assert_right(made.path(), name);
    }
    // A file that is compared itself.
    let made = repository();
    std::fs::remove_file(made.path().join("a.names")).unwrap();
    pipe(&made, "a.names");
    pipe(&made, "b.names");
    assert_eq!(codes(&judged(made.path())), ["HD207", "HD207"]);
}
