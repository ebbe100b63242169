//! Place that a URI names in a registry of MLflow.

use percent_encoding::percent_decode_str;

use crate::error::{RegistryError, RegistryErrorCause};

/// A registry of MLflow, or something in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MlFlowPlace {
    /// The tracking server: `http://host:5000`.
    pub server: String,
    /// A model; none for all.
    pub model: Option<String>,
    /// A version of it; none for all.
    pub version: Option<String>,
    /// The version that has this alias.
    pub alias: Option<String>,
}

impl MlFlowPlace {
    /// Reads `mlflow+http://host/MODEL/VERSION` or `models:/MODEL/VERSION`, each with any of the parts left out, and
    /// `@ALIAS` in place of a version; nothing if it is no URI of MLflow.
    ///
    /// # Errors
    /// If `models:` is given and `MLFLOW_TRACKING_URI` names no server, or a part is empty.
    pub fn parse(uri: &str) -> Option<Result<Self, RegistryError>> {
        if let Some(rest) = uri.strip_prefix("models:/") {
            return Some(tracking(uri).and_then(|server| Self::below(uri, server, rest)));
        }
        let server = uri.strip_prefix("mlflow+")?;
        let (scheme, rest) = server.split_once("://")?;
        let (host, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let invalid = |what: &str| {
            Some(Err(RegistryError::new(uri, RegistryErrorCause::Invalid(what.into()))))
        };
        if !matches!(scheme, "http" | "https") {
            return invalid("MLflow is asked over http or https: mlflow+https://host/MODEL");
        }
        if host.is_empty() {
            return invalid("names no server: mlflow+https://host/MODEL");
        }
        Some(Self::below(uri, format!("{scheme}://{host}"), rest))
    }

    fn below(uri: &str, server: String, rest: &str) -> Result<Self, RegistryError> {
        let invalid =
            |what: &str| RegistryError::new(uri, RegistryErrorCause::Invalid(what.to_owned()));
        let plain = |text: &str| {
            let text = percent_decode_str(text).decode_utf8();
            text.map(String::from).map_err(|_| invalid("names are UTF-8"))
        };
        let rest = rest.trim_matches('/');
        let (mut parts, mut alias) = (rest.split('/').filter(|part| !part.is_empty()), None);
        let (model, version) = (parts.next(), parts.next());
        if parts.next().is_some() {
            return Err(invalid("has more parts than MODEL/VERSION; write / in a name as %2F"));
        }
        let model = match model.and_then(|model| model.rsplit_once('@')) {
            Some((model, called)) if version.is_none() => {
                alias = Some(plain(called)?);
                Some(plain(model)?)
            }
            _ => model.map(plain).transpose()?,
        };
        if model.as_deref() == Some("") || alias.as_deref() == Some("") {
            return Err(invalid("a model or an alias without a name"));
        }
        Ok(Self { server, model, version: version.map(plain).transpose()?, alias })
    }
}

/// The server that the environment names.
fn tracking(uri: &str) -> Result<String, RegistryError> {
    let named = std::env::var("MLFLOW_TRACKING_URI").unwrap_or_default();
    if named.starts_with("http://") || named.starts_with("https://") {
        return Ok(named.trim_end_matches('/').to_owned());
    }
    let said = format!(
        "which server? Set MLFLOW_TRACKING_URI to its http address, or write mlflow+http://host/MODEL; it is {named:?}"
    );
    Err(RegistryError::new(uri, RegistryErrorCause::Invalid(said)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_server_a_model_a_version_or_an_alias() {
        let read = |uri| {
            let place = MlFlowPlace::parse(uri).unwrap().unwrap();
            (place.server, place.model, place.version, place.alias)
        };
        let some = |text: &str| Some(text.to_owned());
        let server = || "http://h:5000".to_owned();
        assert_eq!(read("mlflow+http://h:5000"), (server(), None, None, None));
        assert_eq!(read("mlflow+http://h:5000/a%2Fb"), (server(), some("a/b"), None, None));
        assert_eq!(read("mlflow+http://h:5000/m/3"), (server(), some("m"), some("3"), None));
        assert_eq!(read("mlflow+http://h:5000/m@best"), (server(), some("m"), None, some("best")));
        for wrong in
            ["mlflow+ftp://h/m", "mlflow+http:///m", "mlflow+http://h/m/1/x", "mlflow+http://h/m@"]
        {
            assert!(MlFlowPlace::parse(wrong).unwrap().is_err(), "{wrong}");
        }
        assert!(MlFlowPlace::parse("s3://bucket").is_none());
    }
}
