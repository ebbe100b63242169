//! Days as people write them.

use unskew_core::Date;

pub(crate) fn find(text: &str) -> Option<Date> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || "(),;[]<>\"'`*_".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().find_map(|(at, word)| {
        numbers(word.trim_end_matches(['.', ':'])).or_else(|| named(words.get(at..at + 3)?))
    })
}

/// Whether the text looks as if a day was meant: a year and a month, or numbers with strokes between.
pub(crate) fn meant(text: &str) -> bool {
    let year = |word: &str| {
        word.len() == 4 && (word.starts_with("20") || word.starts_with("19")) && digits(word)
    };
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let month_named = words.iter().any(|word| month(word).is_some());
    let stroked = text
        .split(|c: char| c.is_whitespace() || "(),;[]".contains(c))
        .any(|word| word.split(['-', '/']).filter(|part| digits(part)).count() == 3);
    stroked || words.iter().any(|word| year(word)) || (month_named && words.len() <= 4)
}

fn digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// Year, month and day of `2026-06-10` or `2026/06/10`.
fn numbers(word: &str) -> Option<Date> {
    let mut parts = word.split(['-', '/']);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let well_formed = year.len() == 4 && [year, month, day].iter().all(|part| digits(part));
    if !well_formed || parts.next().is_some() {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// `Nov 11, 2024`, `11 November 2024`.
fn named(words: &[&str]) -> Option<Date> {
    let [a, b, year] = words else { return None };
    let (name, day) = if digits(a) { (b, a) } else { (a, b) };
    let day = day.trim_end_matches(|c: char| c.is_alphabetic());
    if !digits(day) || !digits(year) || year.len() != 4 {
        return None;
    }
    Date::new(year.parse().ok()?, month(name)?, day.parse().ok()?).ok()
}

/// The month of a name or its first letters.
fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let word = word.trim_end_matches('.').to_ascii_lowercase();
    if word.len() < 3 {
        return None;
    }
    let at = MONTHS
        .iter()
        .position(|name| name.starts_with(&word) || word == "sept" && *name == "september")?;
    i8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_found_as_people_write_them() {
        let day = Some(Date::constant(2024, 11, 1));
        for text in [
            "2024-11-01",
            "(Nov 1, 2024)",
            "- 2024/11/01",
            "1 November 2024",
            "November 1st, 2024",
            "Added date: 2024-11-01.",
        ] {
            assert_eq!(find(text), day, "{text}");
        }
    }

    #[test]
    fn what_is_no_day_is_none_though_one_may_be_meant() {
        for (text, is_meant) in [
            ("2025-02-30", true),
            ("(Nov 31, 2024)", true),
            ("(Foo 3, 2024)", true),
            ("", false),
            ("added two fields", false),
            ("the 3 fields that may grow", false),
        ] {
            assert_eq!(find(text), None, "{text}");
            assert_eq!(meant(text), is_meant, "{text}");
        }
    }
}
