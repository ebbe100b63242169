//! Arguments that both services share: logging and byte sizes.

/// The lowest level that is logged.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub enum LogLevel {
    /// No logs
    Off,
    /// Failures of the service itself
    Error,
    /// Refused requests
    Warn,
    /// Start and end of sessions
    #[default]
    Info,
    /// Failed requests
    Debug,
}

/// Log formats.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub enum LogFormat {
    /// Human-readable lines
    #[default]
    Text,
    /// JSON Lines: one object per line
    Json,
}

/// A number of bytes, with or without a unit.
pub fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return Err("expected a number and KiB, MiB, GiB or TiB, such as 512MiB".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a number, such as 512MiB".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("17"), Ok(17));
        assert_eq!(bytes("512MiB"), Ok(512 << 20));
        assert_eq!(bytes("0B"), Ok(0));
        for wrong in ["", "MiB", "-1", "1.5GiB", "1 GiB", "99999999999TiB", "1GB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
