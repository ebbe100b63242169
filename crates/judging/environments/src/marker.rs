//! Environment markers: under which conditions a requirement holds, `python_version < "3.11" and extra == "test"`.
//!
//! They are those of the
//! [specification](https://packaging.python.org/en/latest/specifications/dependency-specifiers/#environment-markers).
//! What is not known of an environment makes an answer unknown, unless it does not depend on it.

use std::str::FromStr as _;

use pep440_rs::Version as Pep440;
use unskew_core::Version;
use unskew_extensions::wheels::normal;

use crate::Environment;
use crate::specifiers::Specifiers;

/// How deep parentheses nest.
const DEPTH: usize = 100;

/// The greatest patch release that is thought of where only major and minor of Python are known.
const LAST_PATCH: u32 = 99;

/// What markers ask of an environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markers {
    /// Major and minor of Python.
    pub(crate) python: Option<Version>,
    /// The same with the patch release.
    pub(crate) full: Option<Version>,
    /// `linux`, `darwin` or `win32`.
    pub(crate) system: Option<&'static str>,
    /// `x86_64`, as the system calls it.
    pub(crate) machine: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoMarker;

impl Markers {
    /// Those of an environment: its Python, and the platform that most of its wheels are for. If none says it, it is for
    /// the machine that it lies on.
    pub(crate) fn from_environment(environment: &Environment) -> Self {
        let tags = environment.packages.iter().flat_map(|package| &package.platforms);
        let mut platforms: Vec<(&'static str, String)> =
            tags.filter_map(|tag| platform(tag)).collect();
        platforms.sort_unstable();
        let most = platforms.chunk_by(|a, b| a == b).max_by_key(|same| same.len());
        let (system, machine) = match (most.and_then(<[_]>::first), environment.machine) {
            (_, Some(machine)) => (Some("linux"), Some(machine.as_str().replace('-', "_"))),
            (Some((system, machine)), None) => {
                (Some(*system), Some(machine.clone()).filter(|one| !one.is_empty()))
            }
            (None, None) if cfg!(target_os = "linux") => {
                (Some("linux"), Some(std::env::consts::ARCH.to_owned()))
            }
            (None, None) => (None, None),
        };
        Self { python: environment.python, full: environment.python_full, system, machine }
    }

    /// Whether a marker holds for a package that is asked for with an extra, or without one (an empty text); none if that
    /// depends on what is not known.
    pub(crate) fn hold(&self, marker: &str, extra: &str) -> Result<Option<bool>, NoMarker> {
        let mut parser = Parser { markers: self, extra, rest: marker, depth: 0 };
        let holds = parser.either()?;
        if parser.rest.trim().is_empty() { Ok(holds) } else { Err(NoMarker) }
    }

    /// What a variable stands for: all values that it may have, and whether they are versions. None if nothing is known.
    fn value(&self, variable: &str) -> Result<(Option<Vec<String>>, bool), NoMarker> {
        let of_system = |names: [&str; 3]| {
            let at = ["linux", "darwin", "win32"].iter().position(|one| Some(*one) == self.system);
            at.map(|at| vec![names[at].to_owned()])
        };
        let full = || match (self.full, self.python) {
            (Some(full), _) => Some(vec![full.to_string()]),
            (None, Some(python)) => {
                Some([0, LAST_PATCH].map(|last| format!("{python}.{last}")).to_vec())
            }
            (None, None) => None,
        };
        let one = |text: &str| Some(vec![text.to_owned()]);
        Ok(match variable {
            "python_version" => (self.python.map(|python| vec![python.to_string()]), true),
            "python_full_version" | "implementation_version" => (full(), true),
            "os_name" | "os.name" => (of_system(["posix", "posix", "nt"]), false),
            "sys_platform" | "sys.platform" => (of_system(["linux", "darwin", "win32"]), false),
            "platform_system" => (of_system(["Linux", "Darwin", "Windows"]), false),
            "platform_machine" | "platform.machine" => {
                (self.machine.clone().map(|one| vec![one]), false)
            }
            "implementation_name" => (one("cpython"), false),
            "platform_python_implementation"
            | "platform.python_implementation"
            | "python_implementation" => (one("CPython"), false),
            "platform_release" => (None, true),
            "platform_version" | "platform.version" => (None, false),
            _ => return Err(NoMarker),
        })
    }
}

/// System and machine of a wheel's platform tag; the machine is empty where it is for several.
fn platform(tag: &str) -> Option<(&'static str, String)> {
    let last = |names: &[&str]| {
        let found = names.iter().find(|name| tag.ends_with(&format!("_{name}")));
        found.map_or_else(String::new, |name| (*name).to_owned())
    };
    if tag.contains("linux") {
        let names = ["x86_64", "aarch64", "i686", "armv7l", "ppc64le", "s390x", "riscv64"];
        Some(("linux", last(&names)))
    } else if tag.starts_with("macosx") {
        Some(("darwin", last(&["x86_64", "arm64"])))
    } else {
        let machines = [("win_amd64", "AMD64"), ("win_arm64", "ARM64"), ("win32", "x86")];
        let (_, machine) = machines.into_iter().find(|(one, _)| *one == tag)?;
        Some(("win32", machine.to_owned()))
    }
}

/// One side of a comparison.
struct Operand {
    values: Option<Vec<String>>,
    kind: MarkerKind,
}

/// How a side is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerKind {
    Text,
    Version,
    /// The name of an extra, which is written in several ways, as names of packages are.
    Extra,
}

struct Parser<'a> {
    markers: &'a Markers,
    extra: &'a str,
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn either(&mut self) -> Result<Option<bool>, NoMarker> {
        let mut holds = self.both()?;
        while self.word("or") {
            holds = match (holds, self.both()?) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        Ok(holds)
    }

    fn both(&mut self) -> Result<Option<bool>, NoMarker> {
        let mut holds = self.one()?;
        while self.word("and") {
            holds = match (holds, self.one()?) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        Ok(holds)
    }

    fn one(&mut self) -> Result<Option<bool>, NoMarker> {
        if !self.sign("(") {
            let (left, operator, right) = (self.operand()?, self.operator()?, self.operand()?);
            return Ok(compared(&left, operator, &right));
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(NoMarker);
        }
        let holds = self.either()?;
        self.depth -= 1;
        if self.sign(")") { Ok(holds) } else { Err(NoMarker) }
    }

    fn operand(&mut self) -> Result<Operand, NoMarker> {
        let text = self.rest.trim_start();
        if let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let (value, rest) = text[1..].split_once(quote).ok_or(NoMarker)?;
            self.rest = rest;
            return Ok(Operand { values: Some(vec![value.to_owned()]), kind: MarkerKind::Text });
        }
        let name = self.name();
        if name == "extra" {
            return Ok(Operand {
                values: Some(vec![self.extra.to_owned()]),
                kind: MarkerKind::Extra,
            });
        }
        let (values, is_version) = self.markers.value(name)?;
        Ok(Operand {
            values,
            kind: if is_version { MarkerKind::Version } else { MarkerKind::Text },
        })
    }

    fn operator(&mut self) -> Result<&'static str, NoMarker> {
        const SIGNS: [&str; 8] = ["===", "==", "!=", "~=", "<=", ">=", "<", ">"];
        if let Some(sign) = SIGNS.into_iter().find(|sign| self.sign(sign)) {
            return Ok(sign);
        }
        match self.name() {
            "in" => Ok("in"),
            "not" if self.name() == "in" => Ok("not in"),
            _ => Err(NoMarker),
        }
    }

    fn name(&mut self) -> &'a str {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.".contains(c)));
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        self.rest = rest;
        name
    }

    /// Takes a word off the rest, if it stands there.
    fn word(&mut self, word: &str) -> bool {
        let before = self.rest;
        let is_there = self.name() == word;
        if !is_there {
            self.rest = before;
        }
        is_there
    }

    fn sign(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

/// What a comparison comes to; none if it is not the same for all that the sides may be.
fn compared(left: &Operand, operator: &str, right: &Operand) -> Option<bool> {
    let is = |kind| left.kind == kind || right.kind == kind;
    let kind = [MarkerKind::Version, MarkerKind::Extra]
        .into_iter()
        .find(|kind| is(*kind))
        .unwrap_or(MarkerKind::Text);
    let mut holds = None;
    for left in left.values.as_ref()? {
        for right in right.values.as_ref()? {
            let here = compared_values(left, operator, right, kind);
            if holds.is_some_and(|holds| holds != here) {
                return None;
            }
            holds = Some(here);
        }
    }
    holds
}

/// Versions are compared as versions, where both are some, and all else as text.
fn compared_values(left: &str, operator: &str, right: &str, kind: MarkerKind) -> bool {
    let range = || {
        let specifiers = Specifiers::read(&format!("{operator}{right}"))?;
        Some(specifiers.allow(&Pep440::from_str(left).ok()?))
    };
    if let Some(allows) = (kind == MarkerKind::Version).then(range).flatten() {
        return allows;
    }
    if kind == MarkerKind::Extra {
        return compared_values(&normal(left), operator, &normal(right), MarkerKind::Text);
    }
    match operator {
        "in" => right.contains(left),
        "not in" => !right.contains(left),
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markers() -> Markers {
        Markers {
            python: Some(Version::pair(3, 11)),
            full: Some(Version::triple(3, 11, 7)),
            system: Some("linux"),
            machine: Some("x86_64".to_owned()),
        }
    }

    #[test]
    fn markers_are_evaluated_as_installers_do() {
        for (marker, holds) in [
            ("python_version >= \"3.9\"", true),
            ("python_version<'3.9'", false),
            ("'3.9' <= python_version", true),
            ("python_version in '3.10, 3.11'", true),
            ("python_version not in '3.10, 3.11'", false),
            ("python_version ~= '3.8' and python_version != '3.10.*'", true),
            ("python_full_version < '3.11.0a6'", false),
            ("python_full_version == '3.11.*'", true),
            ("sys_platform == 'win32' or os_name == 'posix'", true),
            ("sys_platform == 'win32' or os_name == 'nt' and python_version > '3'", false),
            ("(sys_platform == 'win32' or os_name == 'posix') and (python_version < '3')", false),
            ("platform_system == 'Linux' and platform_machine == 'x86_64'", true),
            ("platform_machine != 'arm64'", true),
            ("implementation_name == 'cpython'", true),
            ("platform_python_implementation != 'PyPy'", true),
            ("'linux' in sys_platform", true),
            ("extra == 'test'", false),
            ("python_version > '3' and extra == 'test'", false),
            ("platform_release >= '5' and extra == 'test'", false),
            ("platform_version == '1' or python_version >= '3'", true),
        ] {
            assert_eq!(markers().hold(marker, ""), Ok(Some(holds)), "{marker}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        let minor = Markers { full: None, ..markers() };
        assert_eq!(minor.hold("python_full_version >= '3.11.4'", ""), Ok(None));
        assert_eq!(minor.hold("python_full_version < '3.12'", ""), Ok(Some(true)));
        let nothing = Markers::default();
        for marker in ["python_version > '3'", "sys_platform == 'linux'", "platform_machine == 'a'"]
        {
            assert_eq!(nothing.hold(marker, ""), Ok(None), "{marker}");
        }
        assert_eq!(markers().hold("platform_release > '5'", ""), Ok(None));
    }

    #[test]
    fn what_is_no_marker_is_said() {
        let deep = format!("{}extra == 'a'", "(".repeat(100_000));
        for marker in [
            "",
            "python_version",
            "python_version >",
            "a == 'b'",
            "extra == 'a",
            "extra = 'a'",
            "(extra == 'a'",
            &deep,
        ] {
            assert_eq!(
                markers().hold(marker, ""),
                Err(NoMarker),
                "{}",
                &marker[..marker.len().min(40)]
            );
        }
        assert_eq!(markers().hold("extra == 'a') ", ""), Err(NoMarker));
    }

    #[test]
    fn tags_of_wheels_say_system_and_machine() {
        for (tag, expected) in [
            ("manylinux_2_28_x86_64", Some(("linux", "x86_64"))),
            ("musllinux_1_2_aarch64", Some(("linux", "aarch64"))),
            ("macosx_11_0_arm64", Some(("darwin", "arm64"))),
            ("macosx_10_9_universal2", Some(("darwin", ""))),
            ("win_amd64", Some(("win32", "AMD64"))),
            ("any", None),
        ] {
            let expected = expected.map(|(system, machine)| (system, machine.to_owned()));
            assert_eq!(platform(tag), expected, "{tag}");
        }
    }
}
