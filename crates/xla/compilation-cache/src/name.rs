//! Names of files in a cache.

/// How many hexadecimal digits a key ends with: a SHA-256.
const DIGITS: usize = 64;

/// What a name of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheFileName<'n> {
    /// The file of an executable.
    Entry {
        /// The program and the digest: what JAX looks up.
        key: &'n str,
        /// Whether `-cache` follows, as in JAX 0.4.31 and later.
        suffixed: bool,
    },
    /// When the entry with this key was last used.
    AccessTime(&'n str),
    /// An entry that was being written.
    Unfinished,
    /// The lock of a cache with a limit.
    Lock,
    /// A cache of XLA.
    Xla,
    /// A file of something else.
    Other,
}

impl<'n> CacheFileName<'n> {
    /// What the name of a file in a cache says; without the folders that it lies in.
    pub fn parse(file: &'n str) -> Self {
        if let Some(rest) = file.strip_prefix("_temp_") {
            return if is_key(rest) { Self::Unfinished } else { Self::Other };
        }
        if file == ".lockfile" {
            return Self::Lock;
        }
        if file.starts_with("xla_gpu_") {
            return Self::Xla;
        }
        if let Some(key) = file.strip_suffix("-cache").filter(|key| is_key(key)) {
            return Self::Entry { key, suffixed: true };
        }
        if let Some(key) = file.strip_suffix("-atime").filter(|key| is_key(key)) {
            return Self::AccessTime(key);
        }
        // Stores of other kinds name files by what made the digest: sha256-...
        if is_key(file) && !file.starts_with("sha") {
            return Self::Entry { key: file, suffixed: false };
        }
        Self::Other
    }
}

/// The name of the program in a key: `jit_f`.
pub(crate) fn program(key: &str) -> &str {
    key.rsplit_once('-').map_or(key, |(program, _)| program)
}

fn is_key(text: &str) -> bool {
    let digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    match text.rsplit_once('-') {
        Some((program, digest)) => {
            !program.is_empty() && digest.len() == DIGITS && digest.as_bytes().iter().all(digit)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_cache_are_told_from_others() {
        let digest = "0123456789abcdef".repeat(4);
        let key = format!("jit_f-{digest}");
        let new = format!("{key}-cache");
        assert_eq!(CacheFileName::parse(&new), CacheFileName::Entry { key: &key, suffixed: true });
        assert_eq!(CacheFileName::parse(&key), CacheFileName::Entry { key: &key, suffixed: false });
        assert_eq!(CacheFileName::parse(&format!("{key}-atime")), CacheFileName::AccessTime(&key));
        assert_eq!(CacheFileName::parse(&format!("_temp_{key}")), CacheFileName::Unfinished);
        assert_eq!(CacheFileName::parse(".lockfile"), CacheFileName::Lock);
        assert_eq!(CacheFileName::parse("xla_gpu_kernel_cache_file"), CacheFileName::Xla);
        for other in [
            "model.onnx".to_owned(),
            format!("sha256-{digest}"),
            format!("-{digest}-cache"),
            format!("jit_f-{}-cache", digest.to_uppercase()),
            format!("jit_f-{}-cache", &digest[1..]),
            String::new(),
            "jit_é-cache".to_owned(),
        ] {
            assert_eq!(CacheFileName::parse(&other), CacheFileName::Other, "{other}");
        }
        assert_eq!(program(&key), "jit_f");
        assert_eq!(program("x"), "x");
    }
}
