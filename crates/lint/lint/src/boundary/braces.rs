//! `{a,b}` in patterns of paths, which the library that matches them does not have.

/// How many patterns one with braces may stand for.
const MOST: usize = 1_000;

/// Every pattern that one with braces stands for, in the order in which they are written: `x.{h,hpp}` is `x.h` and
/// `x.hpp`. Braces nest; within brackets they stand for themselves.
///
/// # Errors
/// If a brace is not closed, or there are more than a thousand patterns.
pub(super) fn expand(pattern: &str) -> Result<Vec<String>, &'static str> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        if done.len() + open.len() > MOST {
            return Err("braces stand for more than a thousand patterns");
        }
        let Some(group) = first_group(&next)? else {
            done.push(next);
            continue;
        };
        let (before, after) = (&next[..group.start], &next[group.end..]);
        let alternatives = group.alternatives.iter().rev();
        open.extend(alternatives.map(|alternative| format!("{before}{alternative}{after}")));
    }
    Ok(done)
}

/// The first braces of a pattern: their bytes, and what stands between their commas.
struct Group {
    start: usize,
    end: usize,
    alternatives: Vec<String>,
}

fn first_group(pattern: &str) -> Result<Option<Group>, &'static str> {
    let mut in_brackets = false;
    let mut depth = 0_usize;
    let mut start = 0;
    let mut alternatives = vec![String::new()];
    for (at, letter) in pattern.char_indices() {
        match letter {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '{' if !in_brackets => {
                depth += 1;
                if depth == 1 {
                    start = at;
                    continue;
                }
            }
            '}' if !in_brackets && depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(Group { start, end: at + 1, alternatives }));
                }
            }
            '}' if !in_brackets => return Err("a brace is closed that was not opened"),
            ',' if !in_brackets && depth == 1 => {
                alternatives.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = alternatives.last_mut()
            && depth > 0
        {
            last.push(letter);
        }
    }
    if depth > 0 { Err("a brace is not closed") } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn braces_stand_for_each_of_their_alternatives() {
        let cases: [(&str, &[&str]); 6] = [
            ("a/*.h", &["a/*.h"]),
            ("a/*.{h,hpp}", &["a/*.h", "a/*.hpp"]),
            ("{a,b}/{c,d}", &["a/c", "a/d", "b/c", "b/d"]),
            ("{a,b{c,d}}e", &["ae", "bce", "bde"]),
            ("x{,y}", &["x", "xy"]),
            ("[{,}]", &["[{,}]"]),
        ];
        for (pattern, expanded) in cases {
            assert_eq!(expand(pattern).unwrap(), expanded, "{pattern}");
        }
        for wrong in ["{a", "a}", "{a,{b}"] {
            assert!(expand(wrong).is_err(), "{wrong}");
        }
        assert!(expand(&"{a,b}".repeat(20)).is_err(), "a million patterns");
    }
}
