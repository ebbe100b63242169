//! Files that cannot be loaded, each with its own reason.

use std::path::{Path, PathBuf};
use std::process::Command;

use unskew_pjrt::Plugin;
use unskew_pjrt::host::LoadError;
use unskew_pjrt::sys::TableError;

/// Compiles C into a shared object; none without a compiler.
fn shared_object(folder: &Path, name: &str, code: &str, more: &[&str]) -> Option<PathBuf> {
    let (source, output) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
    std::fs::write(&source, code).unwrap();
    let mut command = Command::new("cc");
    command.current_dir(folder).args(["-shared", "-fPIC", "-w", "-o"]).args([&output, &source]);
    if command.args(more).status().is_ok_and(|status| status.success()) {
        return Some(output);
    }
    println!("skipped: no C compiler that makes shared objects");
    None
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_for_another_machine_is_refused_before_it_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = shared_object(folder.path(), "p", "void *GetPjrtApi(void) { return 0; }", &[])
    else {
        return;
    };
    let mut bytes = std::fs::read(&path).unwrap();
    // The machine of an ELF file: AArch64, or x86-64 where that is this one.
    bytes[18] = if cfg!(target_arch = "aarch64") { 62 } else { 183 };
    std::fs::write(&path, bytes).unwrap();
    let error = Plugin::load(&path).unwrap_err();
    let LoadError::OtherMachine { found, wanted, .. } = &error else { panic!("{error}") };
    assert_ne!(found, wanted);
    assert!(error.to_string().ends_with(&format!("{found}, wanted {wanted}")), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_missing_library_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let needed =
        shared_object(folder.path(), "libneeded-by-test", "int one(void) { return 1; }", &[]);
    let Some(needed) = needed else { return };
    let code = "int one(void); void *GetPjrtApi(void) { return (void *)(long)one(); }";
    let path =
        shared_object(folder.path(), "p", code, &["-L.", "-l:libneeded-by-test.so"]).unwrap();
    std::fs::remove_file(needed).unwrap();
    let error = Plugin::load(path).unwrap_err();
    let LoadError::MissingLibraries { names, .. } = &error else { panic!("{error}") };
    assert_eq!(names, &["libneeded-by-test.so"]);
}

#[test]
fn a_library_without_the_entry_is_no_plug_in_and_none_without_a_table_either() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = shared_object(folder.path(), "other", "int one(void) { return 1; }", &[])
    else {
        return;
    };
    let error = Plugin::load(path).unwrap_err();
    assert!(matches!(error, LoadError::NotAPlugin { .. }), "{error}");
    assert!(error.to_string().contains("GetPjrtApi"), "{error}");
    let code = "void *GetPjrtApi(void) { return 0; }";
    let path = shared_object(folder.path(), "null", code, &[]).unwrap();
    let error = Plugin::load(path).unwrap_err();
    assert!(matches!(error, LoadError::Table { cause: TableError::NoTable(_), .. }), "{error}");
}

#[test]
fn a_plug_in_of_another_major_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let code = "static struct { unsigned long words[4]; int major, minor; void *slots[140]; } table =\n\
                { { sizeof table, 0, 24, 0 }, 1, 3 };\n\
                void *GetPjrtApi(void) { return &table; }";
    let Some(path) = shared_object(folder.path(), "major", code, &[]) else { return };
    let error = Plugin::load(path).unwrap_err();
    let LoadError::Table { cause: TableError::OtherMajor { found }, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(found.to_string(), "1.3");
}
