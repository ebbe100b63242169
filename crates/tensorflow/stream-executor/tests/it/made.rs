//! Plug-ins made by the C compiler of this machine, and how they are put on trial.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use unskew_abi::SharedObject;
use unskew_abi::sandbox::Confinement;
use unskew_core::{Context, Party, Role, Verdict, check};
use unskew_source::{FileSource, Source};
use unskew_stream_executor::preflight::{Preflight, preflight_in_child};
use unskew_stream_executor::{asked, exports};

/// A plug-in of the newest layout. Every part can be replaced by a definition before it: `SETS` runs at the
/// end of `SE_InitPlugin`, `ENTERS` at its beginning, `EXECUTES` at the end of `create_stream_executor`.
const PLUGIN: &str = r#"
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef uint64_t u64;
void TF_SetStatus(void *status, int code, const char *message);
void *TF_NewStatus(void);
int TF_GetCode(const void *status);
const char *TF_Message(const void *status);
void TF_DeleteStatus(void *status);
#ifndef NAME
#define NAME "RUSTDEV"
#endif
#ifndef TYPE
#define TYPE NAME
#endif
#ifndef ENTERS
#define ENTERS
#endif
#ifndef SETS
#define SETS
#endif
#ifndef EXECUTES
#define EXECUTES
#endif
#ifndef DEVICE
#define DEVICE device[0] = 56;
#endif
#ifndef COUNT
#define COUNT *count = 1;
#endif
#ifndef EXECUTOR
#define EXECUTOR 36
#endif
#ifndef GROWTH
#define GROWTH 1
#endif
#ifndef DESTROYS
#define DESTROYS
#endif
static void nothing(void) {}
static void destroys(void) { DESTROYS }
static void get_device_count(void *platform, int *count, void *status) { COUNT }
static void create_device(void *platform, u64 *params, void *status) {
  u64 *device = (u64 *)params[3]; DEVICE
}
#ifndef FNS
#define FNS
#endif
#ifndef PIECE
#define PIECE piece[2] = (u64)piece;
#endif
static void allocate(void *device, u64 size, int64_t space, u64 *piece) { PIECE }
static void create_device_fns(void *platform, u64 *params, void *status) {
  u64 *fns = (u64 *)params[2]; fns[0] = 40;
  for (int i = 2; i < 5; i++) fns[i] = (u64)nothing;
  FNS
}
static void create_stream_executor(void *platform, u64 *params, void *status) {
  u64 *se = (u64 *)params[2]; se[0] = EXECUTOR * 8;
  for (int i = 2; i < EXECUTOR; i++) se[i] = (u64)nothing;
  se[2] = (u64)allocate;
  EXECUTES
}
static void create_timer_fns(void *platform, u64 *fns, void *status) {
  fns[0] = 24; fns[2] = (u64)nothing;
}
void SE_InitPlugin(u64 *params, void *status) {
  ENTERS
  u64 *platform = (u64 *)params[4], *fns = (u64 *)params[5];
  platform[0] = GROWTH ? 35 : 34;
  platform[2] = (u64)NAME; platform[3] = (u64)TYPE;
  ((char *)platform)[33] = 1;
  if (GROWTH) ((char *)platform)[34] = 1;
  fns[0] = 88;
  fns[2] = (u64)get_device_count; fns[3] = (u64)create_device; fns[4] = (u64)destroys;
  fns[5] = (u64)create_device_fns; fns[6] = (u64)nothing;
  fns[7] = (u64)create_stream_executor; fns[8] = (u64)nothing;
  fns[9] = (u64)create_timer_fns; fns[10] = (u64)nothing;
  params[6] = (u64)nothing; params[7] = (u64)nothing;
  SETS
}
"#;

/// A plug-in in a folder of its own.
pub struct Made {
    _folder: tempfile::TempDir,
    pub path: PathBuf,
}

/// Builds a plug-in with these definitions; none without a C compiler.
pub fn build(definitions: &str) -> Option<Made> {
    build_with(definitions, "")
}

/// The same with more C behind it.
pub fn build_with(definitions: &str, more: &str) -> Option<Made> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let lines: String =
        definitions.lines().map(|line| format!("#define {}\n", line.trim())).collect();
    std::fs::write(path("plugin.c"), format!("{lines}{PLUGIN}{more}")).unwrap();
    std::fs::write(path("empty.c"), "").unwrap();
    let cc = |arguments: &[&str], files: &[PathBuf]| {
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-w", "-Wl,--no-as-needed"])
            .args(arguments)
            .arg("-o")
            .args(files);
        cc.status().is_ok_and(|status| status.success())
    };
    let soname = "-Wl,-soname,libtensorflow_framework.so.2";
    let made = cc(&[soname], &[path("stub.so"), path("empty.c")])
        && cc(&["-Wl,-z,now"], &[path("plugin.so"), path("plugin.c"), path("stub.so")]);
    if !made {
        println!("skipped: no C compiler that makes shared objects");
        return None;
    }
    let path = path("plugin.so");
    Some(Made { _folder: folder, path })
}

const PATH_VARIABLE: &str = "UNSKEW_TEST_PLUGIN";
const LIMIT_VARIABLE: &str = "UNSKEW_TEST_LIMIT";

pub fn object(path: &Path) -> SharedObject {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    SharedObject::read(&source).unwrap().unwrap()
}

/// Not a test of its own: what the child processes of the others run.
#[test]
fn the_child_of_the_other_tests() {
    if let Some(path) = std::env::var_os(PATH_VARIABLE) {
        let path = PathBuf::from(path);
        let limit = std::env::var(LIMIT_VARIABLE).unwrap().parse().unwrap();
        let limit = Duration::from_secs(limit);
        std::process::exit(unskew_stream_executor::preflight::child_main(
            &path,
            &object(&path),
            limit,
        ));
    }
}

/// Puts the plug-in at `path` on trial.
pub fn trial(path: &Path, seconds: u64) -> Preflight {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "made::the_child_of_the_other_tests", "--nocapture"]);
    command.env(PATH_VARIABLE, path).env(LIMIT_VARIABLE, seconds.to_string());
    preflight_in_child(command, Duration::from_secs(seconds), Confinement::Sandbox)
}

/// The party of a plug-in that was put on trial.
pub fn party(made: &Made) -> Party {
    asked("plugin.so", &object(&made.path), trial(&made.path, 20))
}

/// The verdict on it and a release.
pub fn judge(plugin: &Party, release: &str) -> Verdict {
    let version = release.parse().unwrap();
    let runtime = Party::new(format!("tensorflow {release}"), Role::Runtime, "TensorFlow release")
        .with_capability(exports(&version));
    check(plugin, &runtime, &Context::for_tests())
}

/// Codes and messages of a verdict.
pub fn found(verdict: &Verdict) -> Vec<(&'static str, &str)> {
    verdict.findings.iter().map(|finding| (finding.rule.code, finding.message.as_str())).collect()
}
