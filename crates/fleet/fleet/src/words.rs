//! Severities and phases as the words that users see, in JSON and in the database.

/// [`Severity`](unskew_core::Severity) as `error`, `warning` or `note`.
pub(crate) mod severity {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};
    use unskew_core::Severity;

    const ALL: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

    pub(crate) fn serialize<S: Serializer>(one: &Severity, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(one.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Severity, D::Error> {
        let word = String::deserialize(from)?;
        let named = ALL.into_iter().find(|one| one.as_str() == word);
        named.ok_or_else(|| D::Error::custom(format!("no severity: {word}")))
    }
}

/// [`Phase`](unskew_core::Phase) as `load`, `first use`, `silent` or null.
pub(crate) mod phase {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use unskew_core::Phase;

    const ALL: [Phase; 3] = [Phase::Load, Phase::FirstUse, Phase::Silent];

    pub(crate) fn serialize<S: Serializer>(one: &Option<Phase>, to: S) -> Result<S::Ok, S::Error> {
        one.map(Phase::as_str).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Phase>, D::Error> {
        let Some(word) = Option::<String>::deserialize(from)? else { return Ok(None) };
        let named = ALL.into_iter().find(|one| one.as_str() == word);
        named.map(Some).ok_or_else(|| D::Error::custom(format!("no phase: {word}")))
    }
}
