//! Selective-build lists: which operators a runtime is built with.
//!
//! Three forms are in use: a YAML list of names (`- aten::add.Tensor`), which the mobile build takes; the
//! YAML map of PyTorch's code generator, with the names as keys under `operators`; and plain lines.

use std::collections::BTreeSet;

/// Why a text is no such list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: not the name of an operator, such as aten::add.Tensor: {text}")]
pub struct SelectionError {
    /// The line, from 1.
    pub line: usize,
    /// The line of the list that is no operator.
    pub text: String,
}

/// The names in a list: `aten::add.Tensor`, and `aten::add.*` where all overloads are meant.
///
/// # Errors
/// The first line that is of none of the three forms.
///
/// ```
/// let names = unskew_torch::selection("- aten::add.Tensor\n- aten::relu\n").unwrap();
/// assert_eq!(names.into_iter().collect::<Vec<_>>(), ["aten::add.Tensor", "aten::relu"]);
/// ```
pub fn selection(text: &str) -> Result<BTreeSet<String>, SelectionError> {
    let mut names = BTreeSet::new();
    let mut last: Option<String> = None;
    for (at, line) in text.lines().enumerate() {
        let line_text = line.split(" #").next().unwrap_or("").trim();
        if line_text.is_empty() || line_text.starts_with('#') || line_text == "---" {
            continue;
        }
        let item = line_text.strip_prefix("- ").unwrap_or(line_text).trim();
        let quoted = item.trim_matches(['\'', '"']);
        if is_name(quoted) {
            names.insert(quoted.to_owned());
            last = None;
            continue;
        }
        // `aten::add.Tensor:` with its settings below.
        if let Some(key) = item.strip_suffix(':').map(|key| key.trim_matches(['\'', '"'])) {
            if is_name(key) {
                names.insert(key.to_owned());
                last = Some(key.to_owned());
                continue;
            }
            last = None;
        }
        let setting = item.split_once(':').map(|(key, value)| (key.trim(), value.trim()));
        match (setting, &last) {
            (Some(("include_all_overloads", "true")), Some(name)) => {
                let base = name.split('.').next().unwrap_or(name);
                names.insert(format!("{base}.*"));
            }
            (Some((key, _)), _) if is_setting(key) => {}
            _ => {
                let text: String = line.trim().chars().take(60).collect();
                return Err(SelectionError { line: at + 1, text });
            }
        }
    }
    Ok(names)
}

/// Whether it is `ns::name` or `ns::name.overload`.
fn is_name(text: &str) -> bool {
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let Some((space, name)) = text.split_once("::") else { return false };
    let (name, overload) = name.split_once('.').unwrap_or((name, "_"));
    word(space) && word(name) && word(overload)
}

fn is_setting(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_forms_are_read() {
        let wanted = ["aten::add.Tensor", "aten::relu"];
        for text in [
            "aten::add.Tensor\naten::relu\n",
            "# mine\n- 'aten::add.Tensor'\n- aten::relu # from the net\n",
            "include_all_non_op_selectives: false\noperators:\n  aten::add.Tensor:\n    is_root_operator: true\n    include_all_overloads: false\n  aten::relu:\n    is_used_for_training: false\n",
        ] {
            let names: Vec<String> = selection(text).unwrap().into_iter().collect();
            assert_eq!(names, wanted, "{text}");
        }
        let all = selection("operators:\n  aten::add:\n    include_all_overloads: true\n").unwrap();
        assert!(all.contains("aten::add.*"));
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_line() {
        let error = selection("- aten::add\nhello world\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2: not the name of an operator, such as aten::add.Tensor: hello world"
        );
    }
}
