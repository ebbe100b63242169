//! Credentials for a registry, as Docker and ORAS keep them.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use oci_client::secrets::RegistryAuth;
use serde_json::Value;

/// What `config.json` says of a registry; nobody if it says nothing. Helper programs are not run.
pub(super) fn credentials_of(registry: &str) -> RegistryAuth {
    let read = || std::fs::read_to_string(folder()?.join("config.json")).ok();
    read().and_then(|text| found(&text, registry)).unwrap_or(RegistryAuth::Anonymous)
}

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("DOCKER_CONFIG").map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".docker")))
}

fn found(config: &str, registry: &str) -> Option<RegistryAuth> {
    let config: Value = serde_json::from_str(config).ok()?;
    let auths = config.get("auths")?;
    let names = [registry.to_owned(), format!("https://{registry}"), format!("http://{registry}")];
    let entry = names.iter().find_map(|name| auths.get(name))?;
    let text = |key: &str| entry.get(key)?.as_str().filter(|text| !text.is_empty());
    if let Some(token) = text("registrytoken") {
        return Some(RegistryAuth::Bearer(token.to_owned()));
    }
    let (user, password) = match (text("username"), text("password")) {
        (Some(user), Some(password)) => (user.to_owned(), password.to_owned()),
        _ => {
            let both = String::from_utf8(STANDARD.decode(text("auth")?).ok()?).ok()?;
            let (user, password) = both.split_once(':')?;
            (user.to_owned(), password.to_owned())
        }
    };
    Some(RegistryAuth::Basic(user, password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_has_the_credentials_that_the_file_says() {
        let config = r#"{"auths": {
            "a.example": {"auth": "bWU6c2VjcmV0"},
            "https://b.example": {"username": "me", "password": "secret"},
            "c.example": {"registrytoken": "t"},
            "d.example": {}
        }}"#;
        let me = Some(RegistryAuth::Basic("me".to_owned(), "secret".to_owned()));
        assert_eq!(found(config, "a.example"), me);
        assert_eq!(found(config, "b.example"), me);
        assert_eq!(found(config, "c.example"), Some(RegistryAuth::Bearer("t".to_owned())));
        assert_eq!(found(config, "d.example"), None);
        assert_eq!(found(config, "e.example"), None);
        assert_eq!(found("[", "a.example"), None);
    }
}
