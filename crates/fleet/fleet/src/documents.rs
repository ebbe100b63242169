//! JSON documents of `unskew fleet --format json`, but for single decisions and plans, which are documents of their own;
//! and the JSON Schema of all of them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use crate::store::{KeptRuntime, KeptToken, PublishedVersion, TokenRole};
use crate::{Decision, Digest, Plan, ProfileError, RuntimeProfile};

/// The version of every document here.
const VERSION: u32 = 1;

/// The text of a document, as it is printed.
pub fn text(document: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(format!("{}\n", serde_json::to_string_pretty(document)?))
}

/// What `unskew fleet runtime list` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Runtimes")]
pub struct RuntimesDocument {
    #[schemars(extend("const" = "unskew.fleet.runtimes"))]
    schema: &'static str,
    schema_version: u32,
    runtimes: Vec<RuntimeRow>,
}

/// A runtime of the fleet.
#[derive(Serialize, JsonSchema)]
struct RuntimeRow {
    name: String,
    devices: u64,
    /// The day since when it is like this.
    since: String,
    /// The digest of the profile.
    digest: Digest,
    #[schemars(with = "RuntimeProfile")]
    profile: Value,
}

impl RuntimesDocument {
    /// The document of these runtimes.
    ///
    /// # Errors
    /// If a profile in the database is none.
    pub fn from_runtimes(runtimes: &[KeptRuntime]) -> Result<Self, ProfileError> {
        let row = |kept: &KeptRuntime| {
            Ok(RuntimeRow {
                name: kept.name.clone(),
                devices: kept.devices,
                since: kept.since.clone(),
                digest: kept.digest,
                profile: serde_json::from_str(&kept.profile)
                    .map_err(|error| ProfileError::new(kept.name.clone(), error))?,
            })
        };
        let runtimes = runtimes.iter().map(row).collect::<Result<_, ProfileError>>()?;
        Ok(Self { schema: "unskew.fleet.runtimes", schema_version: VERSION, runtimes })
    }
}

/// What `unskew fleet model list` prints.
#[derive(Serialize, JsonSchema)]
pub struct Models {
    #[schemars(extend("const" = "unskew.fleet.models"))]
    schema: &'static str,
    schema_version: u32,
    models: Vec<ModelRow>,
}

/// A model of the fleet.
#[derive(Serialize, JsonSchema)]
struct ModelRow {
    name: String,
    /// How many versions it has.
    versions: u64,
}

impl Models {
    /// The document of these models, each with how many versions it has.
    pub fn new(models: Vec<(String, u64)>) -> Self {
        let models = models.into_iter().map(|(name, versions)| ModelRow { name, versions });
        Self { schema: "unskew.fleet.models", schema_version: VERSION, models: models.collect() }
    }
}

/// What `unskew fleet model show` prints.
#[derive(Serialize, JsonSchema)]
pub struct Model {
    #[schemars(extend("const" = "unskew.fleet.model"))]
    schema: &'static str,
    schema_version: u32,
    name: String,
    /// Its versions, newest first.
    versions: Vec<VersionRow>,
}

/// A version of a model.
#[derive(Serialize, JsonSchema)]
struct VersionRow {
    version: i64,
    /// The day on which it was published.
    published: String,
    /// The name of the file or folder that was published.
    file: String,
    artifact: Digest,
    /// In bytes.
    size: u64,
}

impl Model {
    /// The document of a model with these versions.
    pub fn new(name: &str, versions: &[PublishedVersion]) -> Self {
        let row = |version: &PublishedVersion| VersionRow {
            version: version.number,
            published: version.published.clone(),
            file: version.file.clone(),
            artifact: version.artifact,
            size: version.size,
        };
        let versions = versions.iter().map(row).collect();
        Self { schema: "unskew.fleet.model", schema_version: VERSION, name: name.into(), versions }
    }
}

/// What `unskew fleet decide` prints of several runtimes.
#[derive(Serialize, JsonSchema)]
pub struct Decisions<'a> {
    #[schemars(extend("const" = "unskew.fleet.decisions"))]
    schema: &'static str,
    schema_version: u32,
    decisions: &'a [Decision],
}

impl<'a> Decisions<'a> {
    /// The document of these decisions.
    pub fn new(decisions: &'a [Decision]) -> Self {
        Self { schema: "unskew.fleet.decisions", schema_version: VERSION, decisions }
    }
}

/// What `unskew fleet plan --what-if` prints.
#[derive(Serialize, JsonSchema)]
pub struct Compared<'a> {
    #[schemars(extend("const" = "unskew.fleet.what_if"))]
    schema: &'static str,
    schema_version: u32,
    /// The changes of the fleet, as they were given.
    what_if: Vec<String>,
    /// The plan for the fleet as it is.
    now: &'a Plan,
    /// The plan for the fleet with the changes.
    then: &'a Plan,
}

impl<'a> Compared<'a> {
    /// The document of two plans.
    pub fn new(what_if: Vec<String>, now: &'a Plan, then: &'a Plan) -> Self {
        Self { schema: "unskew.fleet.what_if", schema_version: VERSION, what_if, now, then }
    }
}

/// A token, as `unskew fleet token list` prints a list of them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Token")]
pub struct TokenDocument {
    id: String,
    name: String,
    role: TokenRole,
    /// When it was made, in UTC.
    created: String,
    /// When it ends; null if it does not.
    expires: Option<String>,
    /// When it was revoked; null if it was not.
    revoked: Option<String>,
}

impl From<&KeptToken> for TokenDocument {
    fn from(kept: &KeptToken) -> Self {
        Self {
            id: kept.id.clone(),
            name: kept.name.clone(),
            role: kept.role,
            created: kept.created.clone(),
            expires: kept.expires.clone(),
            revoked: kept.revoked.clone(),
        }
    }
}

/// The JSON Schema of each document that `unskew fleet` prints, by the name of its file.
pub fn schemas() -> Vec<(&'static str, Value)> {
    type SchemaOf = fn(&mut SchemaGenerator) -> Schema;
    let all: [(&str, &str, SchemaOf); 8] = [
        ("fleet-runtimes", "What fleet runtime list prints", |all| {
            all.root_schema_for::<RuntimesDocument>()
        }),
        ("fleet-models", "What fleet model list prints", |all| all.root_schema_for::<Models>()),
        ("fleet-model", "What fleet model show prints", |all| all.root_schema_for::<Model>()),
        ("fleet-decision", "What fleet decide prints", |all| all.root_schema_for::<Decision>()),
        ("fleet-decisions", "What fleet decide prints of several runtimes", |all| {
            all.root_schema_for::<Decisions<'_>>()
        }),
        ("fleet-plan", "What fleet plan prints", |all| all.root_schema_for::<Plan>()),
        ("fleet-what-if", "What fleet plan --what-if prints", |all| {
            all.root_schema_for::<Compared<'_>>()
        }),
        ("fleet-tokens", "What fleet token list prints", |all| {
            all.root_schema_for::<Vec<TokenDocument>>()
        }),
    ];
    let schema = |(name, title, of): (&'static str, &str, SchemaOf)| {
        let mut schema = of(&mut SchemaGenerator::default());
        let place = "https://raw.githubusercontent.com/unskew/unskew/main/docs/reference/schemas";
        schema.insert("$id".into(), json!(format!("{place}/{name}.schema.json")));
        schema.insert("title".into(), json!(format!("{title} with --format json")));
        (name, schema.to_value())
    };
    all.into_iter().map(schema).collect()
}
