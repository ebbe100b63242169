//! Packages that compare versions themselves before they load their extensions: torchao since 0.13.
//!
//! `torchao/__init__.py` has a list of pairs of its own version and PyTorch's, or the least PyTorch, and skips its
//! extensions with a warning where the installed one is another.

use unskew_core::Version;

/// The file of a package that has such a comparison.
pub const FILE: &str = "torchao/__init__.py";

/// The releases of PyTorch with which a package loads its extensions.
///
/// ```
/// use unskew_extensions::OwnCheck;
///
/// let text = "    pairs = [\n        (_parse_version(\"0.14.1\"), _parse_version(\"2.9.0\")),\n    ]\n";
/// let check = OwnCheck::from_text("0.14.1", text).unwrap();
/// assert_eq!(check.to_string(), "2.9.0");
/// assert!(check.takes("2.9.0".parse().unwrap()) && !check.takes("2.8.0".parse().unwrap()));
/// assert!(OwnCheck::from_text("0.12.0", "import torch\n").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnCheck {
    /// These, and no other.
    Among(Vec<Version>),
    /// This one and later ones.
    AtLeast(Version),
    /// Those before this one.
    Before(Version),
    /// None that was released: torchao 0.14.0 takes development versions only, and of itself too.
    Never,
}

impl OwnCheck {
    /// What `text` of [`FILE`] compares in a package of this version; none if it compares nothing, or in a way that is not
    /// understood.
    pub fn from_text(version: &str, text: &str) -> Option<Self> {
        let quoted = |line: &str, before: &str| -> Option<Version> {
            let (_, rest) = line.split_once(before)?;
            rest.split('"').next()?.parse().ok()
        };
        // `v2_8_0 = _parse_version("2.8.0")`; development versions are none that this is asked for.
        let mut names: Vec<(&str, Option<Version>)> = Vec::new();
        let named = |names: &[(&str, Option<Version>)], line: &str, before: &str| {
            let (_, rest) = line.split_once(before)?;
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
            names.iter().find(|(known, _)| *known == name).map(|(_, version)| *version)
        };
        let (mut among, mut compared) = (Vec::new(), false);
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            if let Some(least) = quoted(line, "min_torch_version = _parse_version(\"") {
                return Some(Self::AtLeast(least));
            }
            let own = format!("__version__.startswith(\"{version}\")");
            if line.contains(&own)
                && let Some(first) = quoted(line, "str(torch.__version__) >= \"")
            {
                return Some(Self::Before(first));
            }
            if let Some((name, _)) = line.split_once(" = _parse_version(\"") {
                names.push((name, quoted(line, "= _parse_version(\"")));
            }
            let torch = named(&names, line, "torch_version == ");
            if let (Some(torch), Some(of)) = (torch, named(&names, line, "torchao_version == ")) {
                compared = true;
                let takes =
                    of.is_some_and(|of| version.parse().is_ok_and(|own: Version| own == of));
                among.extend(torch.filter(|_| takes));
            }
            let pair = format!("(_parse_version(\"{version}\"), _parse_version(\"");
            among.extend(quoted(line, &pair));
        }
        match (among.is_empty(), compared) {
            (false, _) => Some(Self::Among(among)),
            (true, true) => Some(Self::Never),
            (true, false) => None,
        }
    }

    /// Whether extensions are loaded with a release of PyTorch.
    pub fn takes(&self, torch: Version) -> bool {
        match self {
            Self::Among(all) => all.contains(&torch),
            Self::AtLeast(least) => torch >= *least,
            Self::Before(first) => torch < *first,
            Self::Never => false,
        }
    }

    /// The check as [`OwnCheck`] is written in a table: `2.9.0,2.9.1`, `>=2.11.0`, `<2.9`, `none`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "none" {
            return Some(Self::Never);
        }
        if let Some(least) = text.strip_prefix(">=") {
            return Some(Self::AtLeast(least.parse().ok()?));
        }
        if let Some(first) = text.strip_prefix('<') {
            return Some(Self::Before(first.parse().ok()?));
        }
        text.split(',').map(|one| one.parse().ok()).collect::<Option<_>>().map(Self::Among)
    }
}

impl std::fmt::Display for OwnCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Among(all) => {
                let all: Vec<String> = all.iter().map(Version::to_string).collect();
                write!(f, "{}", all.join(","))
            }
            Self::AtLeast(least) => write!(f, ">={least}"),
            Self::Before(first) => write!(f, "<{first}"),
            Self::Never => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_that_torchao_has_is_read_and_written() {
        for (version, text, written) in [
            (
                "0.13.0",
                "if __version__.startswith(\"0.13.0\") and str(torch.__version__) >= \"2.9\":",
                "<2.9",
            ),
            (
                "0.16.0",
                "  (_parse_version(\"0.16.0\"), _parse_version(\"2.10.0\")),\n  (_parse_version(\"0.16.0\"), _parse_version(\"2.11.0.dev\")),",
                "2.10.0",
            ),
            (
                "0.13.0",
                "v2_8_0 = _parse_version(\"2.8.0\")\nv0_13_0 = _parse_version(\"0.13.0\")\nif torch_version == v2_8_0 and torchao_version == v0_13_0:",
                "2.8.0",
            ),
            (
                "0.14.0",
                "v2_8_0 = _parse_version(\"2.8.0\")\nv0_13_0 = _parse_version(\"0.13.0\")\nv2_9_0_dev = _parse_version(\"2.9.0.dev\")\nv0_14_0_dev = _parse_version(\"0.14.0.dev\")\nif torch_version == v2_8_0 and torchao_version == v0_13_0:\nelif torch_version == v2_9_0_dev and torchao_version == v0_14_0_dev:",
                "none",
            ),
            ("0.17.0", "    min_torch_version = _parse_version(\"2.11.0\")", ">=2.11.0"),
        ] {
            let check = OwnCheck::from_text(version, text).unwrap();
            assert_eq!(check.to_string(), written, "{version}");
            assert_eq!(OwnCheck::parse(written), Some(check));
        }
        assert_eq!(
            OwnCheck::from_text("0.17.0", "# min_torch_version = _parse_version(\"2.11.0\")"),
            None
        );
    }
}
