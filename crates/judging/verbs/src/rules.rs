//! The rule that somebody means.

use unskew_core::Rule;

use crate::VerbError;

/// How many letters may differ from what was meant.
const SLIPS: usize = 4;

/// A rule by its code (`PT002`, in letters of any size) or its name (`file-format-too-new`).
///
/// # Errors
/// If there is none; the error offers the nearest.
pub fn rule(code_or_name: &str) -> Result<&'static Rule, VerbError> {
    let asked = code_or_name.trim();
    let same = |rule: &&Rule| {
        rule.code.eq_ignore_ascii_case(asked) || rule.name.eq_ignore_ascii_case(asked)
    };
    unskew_artifact::every_rule().find(same).ok_or_else(|| {
        let meant =
            nearest(asked).map(|rule| format!("; did you mean {} {}?", rule.code, rule.name));
        VerbError::Question(format!(
            "no rule has this code or name; `unskew explain` lists them: {asked}{}",
            meant.unwrap_or_default()
        ))
    })
}

/// The rule whose name is nearest, or has the words that were given.
pub(crate) fn nearest(asked: &str) -> Option<&'static Rule> {
    let asked = asked.to_ascii_lowercase().replace([' ', '_'], "-");
    if asked.len() < 4 {
        return None;
    }
    let distance = |rule: &Rule| match rule.name.contains(&asked) {
        true => 0,
        false => strsim::osa_distance(&asked, rule.name),
    };
    let best = unskew_artifact::every_rule().min_by_key(|rule| distance(rule))?;
    (distance(best) <= SLIPS.min(asked.len() / 3)).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_found_by_code_by_name_and_offered_where_it_is_nearly_named() {
        let known = rule("pt002").unwrap();
        assert_eq!(rule(&known.name.to_uppercase()).unwrap().code, "PT002");
        let slip = rule(&known.name[1..]).unwrap_err().to_string();
        assert!(slip.contains("did you mean PT002"), "{slip}");
        let far = rule("ZZ999").unwrap_err().to_string();
        assert!(far.ends_with("ZZ999"), "{far}");
    }
}
