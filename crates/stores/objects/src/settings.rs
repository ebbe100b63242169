//! Settings: where a store is and who asks.

use std::path::PathBuf;

/// What the names of settings begin with.
const FAMILIES: [&str; 4] = ["aws_", "google_", "azure_", "hf_"];

/// Where a store is and who asks: names and values, as the tools of each store have them in the environment
/// (`AWS_ENDPOINT_URL`, `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_NAME`, ...).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StoreSettings {
    pairs: Vec<(String, String)>,
}

impl StoreSettings {
    /// No settings: nothing that the environment says is used.
    pub fn none() -> Self {
        Self::default()
    }

    /// Those of the environment. Variables that are no UTF-8 are passed over.
    pub fn from_env() -> Self {
        let mut settings = Self::default();
        for (name, value) in std::env::vars_os() {
            let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) else { continue };
            let name = name.to_ascii_lowercase();
            if FAMILIES.iter().any(|family| name.starts_with(family)) {
                settings = settings.with(&name, &value);
            }
        }
        settings.with_token_of_the_hub()
    }

    /// Where the tools of the Hugging Face hub keep the token, if no variable says so.
    fn with_token_of_the_hub(self) -> Self {
        if self.get("hf_token_path").is_some() {
            return self;
        }
        let home = self.get("hf_home").map(PathBuf::from).or_else(|| {
            let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
            let cache = cache.or_else(|| Some(std::env::home_dir()?.join(".cache")))?;
            Some(cache.join("huggingface"))
        });
        match home.and_then(|home| home.join("token").into_os_string().into_string().ok()) {
            Some(path) => self.with("hf_token_path", &path),
            None => self,
        }
    }

    /// With one more, which takes the place of one of the same name.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        let name = name.to_ascii_lowercase();
        self.pairs.retain(|(known, _)| *known != name);
        self.pairs.push((name, value.to_owned()));
        self
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: AsRef<str>, V: AsRef<str>> FromIterator<(N, V)> for StoreSettings {
    /// Names and values; of one name the last counts.
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let with = |all: Self, (name, value): (N, V)| all.with(name.as_ref(), value.as_ref());
        pairs.into_iter().fold(Self::none(), with)
    }
}

impl std::fmt::Debug for StoreSettings {
    /// The names only: some values are secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.pairs.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_printed() {
        let settings = StoreSettings::none().with("AWS_SECRET_ACCESS_KEY", "hush");
        assert_eq!(settings.get("aws_secret_access_key"), Some("hush"));
        assert!(!format!("{settings:?}").contains("hush"));
    }
}
