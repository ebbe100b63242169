//! Numbers as people read them.

/// A number with thin gaps between thousands: `12 345 678`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `1 device`, `2 devices`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A part of a whole in percent. What is not all never reads as 100 %, what is something never as 0 %.
pub(crate) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let percent = part as f64 * 100.0 / whole as f64;
    match part {
        0 => "0 %".to_owned(),
        part if part >= whole => "100 %".to_owned(),
        _ => format!("{:.1} %", percent.clamp(0.1, 99.9)),
    }
}

pub(crate) fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 || unit == "TiB" {
            return match unit {
                "bytes" => counted(number, "byte"),
                unit => format!("{value:.1} {unit}"),
            };
        }
        value /= 1024.0;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!((count(0).as_str(), count(999).as_str()), ("0", "999"));
        assert_eq!(
            (counted(1, "device").as_str(), counted(2, "device").as_str()),
            ("1 device", "2 devices")
        );
        assert_eq!((bytes(1).as_str(), bytes(1536).as_str()), ("1 byte", "1.5 KiB"));
    }

    #[test]
    fn what_is_not_all_never_reads_as_all() {
        assert_eq!(share(99_999, 100_000), "99.9 %");
        assert_eq!(share(1, 100_000), "0.1 %");
        assert_eq!((share(5, 5).as_str(), share(0, 5).as_str()), ("100 %", "0 %"));
        assert_eq!(share(0, 0), "-");
    }
}
