//! Limits of nesting, counted before anything is parsed: a parser needs a kilobyte of stack for each level.

/// How deep brackets nest in what CPython itself takes.
const BRACKETS: u32 = 200;

/// How many operators that nest to the right (`-`, `**`, `not`, `lambda:`) or to the left (`a.b`, `a + b`) one expression has.
const OPERATORS: u32 = 20_000;

/// Whether a source nests deeper than what is parsed.
///
/// It knows strings and comments, and nothing else of the language: what it counts is an upper bound.
pub(crate) fn is_too_deep(source: &str) -> bool {
    let bytes = source.as_bytes();
    let (mut at, mut brackets, mut operators) = (0, 0_u32, 0_u32);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'#' => at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count(),
            b'"' | b'\'' => {
                at = end_of_string(bytes, at);
                continue;
            }
            b'(' | b'[' | b'{' => brackets += 1,
            b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
            b',' => operators = 0,
            b'\n' if brackets == 0 && at.checked_sub(1).is_none_or(|at| bytes[at] != b'\\') => {
                operators = 0;
            }
            b'+' | b'-' | b'~' | b'*' | b'.' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>'
            | b'=' | b':' | b'@' => operators += 1,
            // Words that nest (`not`, `await`, `else`) have a space behind them; so has indentation, which nests less.
            b' ' if at.checked_sub(1).is_some_and(|at| bytes[at].is_ascii_alphabetic()) => {
                operators += 1;
            }
            _ => {}
        }
        if brackets > BRACKETS || operators > OPERATORS {
            return true;
        }
        at += 1;
    }
    false
}

/// Where the string that begins at `at` is over.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let triple = [quote; 3];
    let is_long = bytes[at..].starts_with(&triple);
    let mut at = at + if is_long { 3 } else { 1 };
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' if !is_long => return at,
            _ if *byte == quote && !is_long => return at + 1,
            _ if is_long && bytes[at..].starts_with(&triple) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::is_too_deep;

    #[test]
    fn what_nests_deeper_than_python_takes_is_refused() {
        for (text, times) in
            [("(", 201), ("-", 30_000), ("lambda:", 30_000), ("1**", 30_000), ("not ", 30_000)]
        {
            assert!(is_too_deep(&format!("x = {}1", text.repeat(times))), "{text}");
        }
        assert!(is_too_deep(&"f'{".repeat(1000)));
    }

    #[test]
    fn long_and_flat_is_not_deep() {
        let flat = [
            format!("x = [{}]", "1.5, ".repeat(50_000)),
            "a.b.c(1)\n".repeat(50_000),
            format!("'''{}'''", "(.-\n".repeat(50_000)),
            format!("# {}\n", "(".repeat(50_000)),
        ];
        for text in flat {
            assert!(!is_too_deep(&text), "{}", &text[..40]);
        }
    }
}
