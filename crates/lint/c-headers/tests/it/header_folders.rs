//! Folders of headers: which version counts for which.

use crate::common::{codes, diff_bytes, lines};
use unskew_core::Severity;

const VERSION: &str = "#define API_MAJOR 1\n#define API_MINOR 4\n";
const API: &str =
    "struct Api_Args { size_t struct_size; int kind; };\nint Api_Run(struct Api_Args* args);\n";
const TOOLS: &str = "int Tool_Run(int level);\n";

/// The findings when a parameter of a function in `tools.h` changes.
fn judged(api: &str, tools: &str, more: &[(&str, &str)]) -> (Vec<&'static str>, String) {
    let changed = tools.replace("int level", "int level, int more");
    assert_ne!(changed, tools);
    let side = |tools: &str| -> Vec<(String, Vec<u8>)> {
        let files = [("api.h", api), ("tools.h", tools)].into_iter().chain(more.iter().copied());
        files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect()
    };
    let (old, new) = (side(tools), side(&changed));
    fn view(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
        files.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect()
    }
    let comparison = diff_bytes(&view(&old), &view(&new), Some("stream-executor"));
    (codes(&comparison, Severity::Warning), lines(&comparison))
}

#[test]
fn the_version_of_one_header_says_nothing_of_those_that_have_nothing_to_do_with_it() {
    let api = VERSION.to_owned() + API;
    let (found, text) = judged(&api, TOOLS, &[]);
    assert_eq!(found, ["HD011", "HD204"], "{text}");
    assert!(text.contains("`tools.h` has no version"), "{text}");
    // That both include a third header is no relation.
    let third = ("base.h", "typedef int Base;\n");
    let including = |text: &str| format!("#include \"base.h\"\n{text}");
    let (found, text) = judged(&including(&api), &including(TOOLS), &[third]);
    assert_eq!(found, ["HD011", "HD204"], "{text}");
}

#[test]
fn the_version_of_one_header_counts_for_those_that_include_it_and_that_it_includes() {
    let api = VERSION.to_owned() + API;
    let (found, text) = judged(&api, &format!("#include \"sdk/c/api.h\"\n{TOOLS}"), &[]);
    assert_eq!(found, ["HD001", "HD204"], "{text}");
    let (found, text) = judged(&format!("#include \"tools.h\"\n{api}"), TOOLS, &[]);
    assert_eq!(found, ["HD001", "HD204"], "{text}");
    // Over another header.
    let middle = ("middle.h", "#include \"api.h\"\ntypedef int Middle;\n");
    let (found, text) = judged(&api, &format!("#include <middle.h>\n{TOOLS}"), &[middle]);
    assert_eq!(found, ["HD001", "HD204"], "{text}");
}

#[test]
fn a_header_that_has_the_version_and_nothing_else_counts_for_all() {
    let (found, text) = judged(API, TOOLS, &[("version.h", VERSION)]);
    assert_eq!(found, ["HD001", "HD204"], "{text}");
}

#[test]
fn what_a_header_that_is_gone_declared_goes_by_the_version_that_it_included() {
    let api = VERSION.to_owned() + API;
    let tools = format!("#include \"api.h\"\n{TOOLS}");
    let old = [("api.h", api.as_bytes()), ("tools.h", tools.as_bytes())];
    let comparison = diff_bytes(&old, &[("api.h", api.as_bytes())], Some("stream-executor"));
    let found = codes(&comparison, Severity::Warning);
    assert!(found.contains(&"HD001") && !found.contains(&"HD011"), "{}", lines(&comparison));
}
