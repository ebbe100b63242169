//! Scope of a message: how long its bytes live.

/// Where the bytes of a message go; the later one is the graver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageScope {
    /// They live and die in one program.
    Scratch,
    /// They go from one process to another, which may be of another age.
    Rpc,
    /// They are kept, and read by builds that are written years later.
    Persisted,
}

impl MessageScope {
    /// The scope of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "scratch" => Some(Self::Scratch),
            "rpc" => Some(Self::Rpc),
            "persisted" => Some(Self::Persisted),
            _ => None,
        }
    }

    /// The word that stands in comments and in `unskew.toml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scratch => "scratch",
            Self::Rpc => "rpc",
            Self::Persisted => "persisted",
        }
    }
}

/// What is said of messages outside the files: a scope for all, and patterns of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScopeOptions {
    pub(crate) all: Option<MessageScope>,
    /// Names or beginnings of names that end in `*`.
    pub(crate) patterns: Vec<(MessageScope, String)>,
}

impl ScopeOptions {
    /// What is said of a message: the longest pattern that fits.
    pub(crate) fn scope_of(&self, name: &str) -> Option<MessageScope> {
        let fits = |pattern: &str| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        let found = self.patterns.iter().filter(|(_, pattern)| fits(pattern));
        found.max_by_key(|(_, pattern)| pattern.len()).map(|(scope, _)| *scope)
    }
}
