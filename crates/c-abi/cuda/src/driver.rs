//! Versions of NVIDIA's driver.

use std::fmt;
use std::str::FromStr;

/// The most bytes of a text that is a version.
const LONGEST: usize = 32;

/// The version of a driver: `550.54.14`, or its branch, `550`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverVersion {
    /// As it was written: numbers may begin with a zero (`525.60.03`).
    text: String,
    numbers: Vec<u32>,
}

/// A text that is no version of a driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no version of a driver (550, 550.54.14): {0:?}")]
pub struct DriverVersionError(pub String);

impl DriverVersion {
    /// Whether it is older than `least`. Of a branch without further numbers any release may be there, so it is older only if the
    /// branch is.
    pub fn is_older_than(&self, least: &Self) -> bool {
        let count = self.numbers.len().min(least.numbers.len());
        self.numbers[..count] < least.numbers[..count]
    }

    /// The version in the text of `/proc/driver/nvidia/version`:
    /// `NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 ...`.
    pub fn from_proc(text: &str) -> Option<Self> {
        let line = text.lines().find(|line| line.starts_with("NVRM version:"))?;
        line.split_whitespace().filter(|word| word.contains('.')).find_map(|word| word.parse().ok())
    }
}

impl FromStr for DriverVersion {
    type Err = DriverVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || DriverVersionError(text.chars().take(LONGEST).collect());
        let number = |part: &str| {
            let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse().ok()).flatten().ok_or_else(error)
        };
        let numbers: Vec<u32> = text.split('.').map(number).collect::<Result<_, _>>()?;
        // Drivers have two or three numbers since branch 100; a CUDA version (12.4) given by mistake is none.
        let is_driver = numbers.len() <= 3 && numbers.first().is_some_and(|branch| *branch >= 100);
        match is_driver && text.len() <= LONGEST {
            true => Ok(Self { text: text.to_owned(), numbers }),
            false => Err(error()),
        }
    }
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver(text: &str) -> DriverVersion {
        text.parse().unwrap()
    }

    #[test]
    fn a_branch_is_older_only_if_all_of_its_releases_are() {
        for (has, least, older) in [
            ("525", "525.60.13", false),
            ("525.60.11", "525.60.13", true),
            ("525.105.17", "525.60.13", false),
            ("470.82.01", "525.60.13", true),
            ("580.65.06", "580", false),
        ] {
            assert_eq!(driver(has).is_older_than(&driver(least)), older, "{has} {least}");
        }
    }

    #[test]
    fn what_is_no_driver_is_refused() {
        for text in ["", "12.4", "550.", "550.54.14.1", "r550", "550.x", "99999999999"] {
            assert!(text.parse::<DriverVersion>().is_err(), "{text}");
        }
        assert_eq!(driver("525.60.03").to_string(), "525.60.03");
    }

    #[test]
    fn both_kernel_modules_say_their_version() {
        for (text, version) in [
            (
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\nGCC version:  gcc 12.2.0",
                "550.54.14",
            ),
            (
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build  (a@b)  Tue Mar 4",
                "570.124.06",
            ),
        ] {
            assert_eq!(DriverVersion::from_proc(text), Some(driver(version)));
        }
        assert_eq!(DriverVersion::from_proc("GCC version:  gcc 12.2.0"), None);
    }
}
