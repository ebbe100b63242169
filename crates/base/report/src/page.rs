//! Style of pages: the matrix in a file, and those of a fleet and its server.

/// The style of every page, for light and dark screens, phones and paper. Colours have names, so that a page that adds
/// to it stays readable in both.
pub const PAGE_STYLE: &str = include_str!("page.css");

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Texts, and what they stand on.
    const PAIRS: [(&str, &[&str]); 7] = [
        ("ink", &["paper", "head", "target", "good", "warn", "bad", "grave", "unknown"]),
        ("dim", &["paper", "head", "target", "unknown"]),
        ("link", &["paper", "head", "target", "good", "warn", "bad", "grave", "unknown"]),
        ("error", &["paper", "target"]),
        ("warning", &["paper", "target"]),
        ("note", &["paper", "target"]),
        ("paper", &["link"]),
    ];

    /// The least contrast of a text by WCAG 2.2, 1.4.3.
    const LEAST: f64 = 4.5;

    fn colours(block: &str) -> BTreeMap<&str, [f64; 3]> {
        let declared = block.split(';').filter_map(|line| line.trim().strip_prefix("--"));
        let colour = |text: &str| -> Option<[f64; 3]> {
            let digits = text.trim().strip_prefix('#')?;
            let step = digits.len() / 3;
            let part = |i: usize| -> Option<f64> {
                let part = digits.get(i * step..(i + 1) * step)?;
                let value = u8::from_str_radix(&part.repeat(2 / step), 16).ok()?;
                Some(f64::from(value) / 255.0)
            };
            Some([part(0)?, part(1)?, part(2)?])
        };
        declared
            .filter_map(|line| line.split_once(':'))
            .filter_map(|(name, value)| Some((name, colour(value)?)))
            .collect()
    }

    /// The relative luminance of WCAG.
    fn luminance(colour: [f64; 3]) -> f64 {
        let linear =
            |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        let [red, green, blue] = colour.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn the_contrast_of_black_and_white_is_21() {
        let named = colours("--white: #fff; --black: #000000; --grey: #767676");
        assert!((contrast(named["white"], named["black"]) - 21.0).abs() < 1e-9);
        assert!((contrast(named["white"], named["grey"]) - 4.54).abs() < 0.01);
    }

    #[test]
    fn every_text_can_be_read_in_light_in_dark_and_on_paper() {
        let mut blocks = PAGE_STYLE.split(":root {").skip(1);
        let mut block = || blocks.next().and_then(|rest| rest.split('}').next()).unwrap();
        let light = colours(block());
        for scheme in [light.clone(), colours(block()), colours(block())] {
            let of = |name: &str| scheme.get(name).or(light.get(name)).copied().unwrap();
            for (text, grounds) in PAIRS {
                for ground in grounds {
                    let contrast = contrast(of(text), of(ground));
                    assert!(contrast >= LEAST, "{text} on {ground}: {contrast:.2}");
                }
            }
        }
    }
}
