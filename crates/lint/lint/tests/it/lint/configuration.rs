//! What is wrong in `unskew.toml` is said with its place and what is allowed there.

use crate::lint::repository::config;

/// The message for a file whose boundary has these lines more.
fn wrong(lines: &str) -> String {
    let text =
        format!("[[boundary]]\nname = \"x\"\nkind = \"headers\"\npaths = [\"*.h\"]\n{lines}\n");
    config(&text).unwrap_err().to_string()
}

#[test]
fn an_error_names_line_and_column_and_what_is_allowed() {
    let cases = [
        ("windows = 3", "5:1: unknown field `windows`, expected one of `name`, `preset`, `kind`"),
        (
            "forward = \"4 moons\"",
            "5:11: not a window such as \"4 weeks\" or \"180 days or 1 release\"",
        ),
        ("forward = 4", "5:11: invalid type: integer `4`, expected a string"),
        (
            "level = \"strict\"",
            "5:9: unknown variant `strict`, expected one of `off`, `wire`, `source`",
        ),
        (
            "direction = \"up\"",
            "5:13: unknown variant `up`, expected one of `backward`, `forward`, `both`",
        ),
        (
            "against = \"some\"",
            "5:11: unknown variant `some`, expected one of `last`, `window`, `all`",
        ),
        (
            "preset = \"pjrtt\"",
            "5:10: no such preset, there are pjrt, stream-executor, ifrt-serdes, ",
        ),
        (
            "severity = { HD999 = \"off\" }",
            "5:14: no such rule, `unskew explain` lists them: HD999",
        ),
        (
            "severity = { HD001 = \"quiet\" }",
            "5:22: unknown variant `quiet`, expected one of `error`",
        ),
        (
            "options = { deep = true }",
            "5:13: no such option of headers, there are define and version: deep",
        ),
        ("exclude = [\"../x\"]", "5:12: a path is written from the folder of unskew.toml on"),
        ("exclude = [\"a[\"]", "5:12: no pattern of paths: "),
        (
            "[[accept]]\nfinding = \"HD001\"\nreason = \"r\"\nuntil = 2027-01-01",
            "6:11: not the fingerprint of a finding",
        ),
        (
            "[[accept]]\nfinding = \"HD001-0123456789ab\"\nreason = \" \"\nuntil = 2027-01-01",
            "7:10: say why",
        ),
        (
            "[[accept]]\nfinding = \"HD001-0123456789ab\"\nreason = \"r\"",
            "5:1: missing field `until`",
        ),
        (
            "[[accept]]\nfinding = \"HD001-0123456789ab\"\nreason = \"r\"\nuntil = 12:00:00",
            "8:9: not a day, written 2027-01-31",
        ),
        (
            "[[boundary.sunset]]\nwhat = \"x\"\nannounced = 2026-02-01\nremoved = 2026-01-01",
            "5:1: removed on 2026-01-01, before it was announced",
        ),
        (
            "[[boundary]]\nname = \"x\"\nkind = \"headers\"\npaths = [\"a\"]",
            "5:1: two boundaries have this name: x",
        ),
        ("[[boundary]]\nkind = \"headers\"\npaths = [\"a\"]", "5:1: a boundary needs a name"),
        (
            "[[boundary]]\nname = \"y\"\npaths = [\"a\"]",
            "5:1: a boundary needs a preset or a kind; the kinds are headers, names and history",
        ),
        (
            "[[boundary]]\nname = \"y\"\nkind = \"heads\"\npaths = [\"a\"]",
            "7:8: no such kind, there are headers, names and history: heads",
        ),
        ("[[boundary]]\nname = \"y\"\nkind = \"headers\"", "5:1: a boundary needs paths"),
        ("a = [", "5:"),
    ];
    for (lines, message) in cases {
        let said = wrong(lines);
        let whole = format!("unskew.toml:{message}");
        assert!(said.starts_with(&whole), "{lines}\n  says   {said}\n  not    {whole}");
    }
    assert_eq!(
        config("").unwrap_err().to_string(),
        "unskew.toml:1:1: nothing to lint; add one [[boundary]]"
    );
}

#[test]
fn what_a_boundary_says_comes_before_its_preset() {
    let text = "[[boundary]]\nname='x'\npreset='pjrt'\npaths=['*.h']\nforward='6 weeks'";
    let config = config(text).unwrap();
    let boundary = &config.boundaries[0];
    assert_eq!(boundary.forward.as_ref().unwrap().to_string(), "6 weeks");
    assert_eq!(boundary.policy.as_deref(), Some("pjrt"));
    let majors = boundary.major.as_ref().unwrap();
    assert_eq!(majors.notice.as_ref().unwrap().to_string(), "4 weeks");
}
