//! Completions and manual pages.

use std::process::Command;

fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_unskew")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_shell_is_told_of_every_verb_and_bash_reads_its_script() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = printed(&["completions", shell]);
        for word in ["matrix", "convert", "--as-of", "--with"] {
            let word = if shell == "fish" { word.trim_start_matches("--") } else { word };
            assert!(script.contains(word), "{shell} has no {word}");
        }
        assert!(!script.contains("__probe"), "{shell} offers what is hidden");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unskew.bash");
    std::fs::write(&file, printed(&["completions", "bash"])).unwrap();
    let offered = |words: &[&str]| {
        let [.., before, begun] = words else { panic!("two words at least") };
        let asked = format!(
            "source {}; COMP_WORDS=({}); COMP_CWORD={}; _unskew unskew {begun} {before}; echo \"${{COMPREPLY[@]}}\"",
            file.display(),
            words.join(" "),
            words.len() - 1,
        );
        let output = Command::new("bash").args(["-c", &asked]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(offered(&["unskew", "mat"]), "matrix");
    let releases = offered(&["unskew", "check", "net.pt", "--with", "tor"]);
    assert!(releases.contains("torch@2.15.0") && !releases.contains("tensorflow"), "{releases}");
    assert!(offered(&["unskew", "convert", "net.pt", "--to", "peft@"]).contains("peft@"));
}

#[test]
fn shells_are_told_of_the_codes_of_rules() {
    let script = printed(&["completions", "zsh"]);
    assert!(script.contains("EN118") && script.contains("PT002"));
}

#[test]
fn there_is_a_manual_page_for_every_verb_and_none_for_hidden_ones() {
    assert!(printed(&["man"]).contains(".TH unskew 1"));
    let folder = tempfile::tempdir().unwrap();
    printed(&["man", "-o", folder.path().to_str().unwrap()]);
    let pages = std::fs::read_dir(folder.path()).unwrap();
    let names: Vec<String> =
        pages.map(|page| page.unwrap().file_name().into_string().unwrap()).collect();
    for verb in ["unskew.1", "unskew-check.1", "unskew-matrix.1", "unskew-ops-run.1"] {
        assert!(names.iter().any(|name| name == verb), "{names:?}");
    }
    assert!(names.iter().all(|name| !name.contains("__")), "{names:?}");
}
