//! The other side: a released host, such as JAX, and the rules by which its age meets a plug-in.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Date, Version};
use unskew_tables::toml_table;

use crate::layout::StructUse;

/// The software that loads PJRT plug-ins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostFramework {
    /// JAX, with its jaxlib.
    Jax,
    /// PyTorch/XLA, which takes the path of a plug-in from its Python package.
    TorchXla,
    /// TensorFlow, which loads plug-ins as devices: see [`entry`](Self::entry).
    TensorFlow,
}

impl HostFramework {
    /// The name of its package: `torch_xla`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jax => "jax",
            Self::TorchXla => "torch_xla",
            Self::TensorFlow => "tensorflow",
        }
    }

    /// What one of its releases is called: `JAX release`.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Jax => "JAX release",
            Self::TorchXla => "PyTorch/XLA release",
            Self::TensorFlow => "TensorFlow release",
        }
    }

    /// The function by which it enters a plug-in before it asks for the table, and without which it does not ask.
    pub const fn entry(self) -> Option<&'static str> {
        match self {
            Self::TensorFlow => Some("TFNPD_InitPlugin"),
            Self::Jax | Self::TorchXla => None,
        }
    }

    /// Whether it loads what `unskew adapt` makes: that has no entry of its own.
    pub(crate) const fn takes_adapters(self) -> bool {
        self.entry().is_none()
    }

    /// Whether it hands programs to a plug-in as StableHLO. TensorFlow hands over XLA's own form, and PyTorch/XLA hands over XLA's own form (`hlo`) unless
    /// `XLA_STABLEHLO_COMPILE` is set, so the StableHLO version of a plug-in does not matter to it.
    pub const fn sends_stablehlo(self) -> bool {
        matches!(self, Self::Jax)
    }
}

/// A released host: whatever loads PJRT plug-ins and was built on XLA.
#[derive(Clone, Debug)]
pub struct ReleasedHost {
    /// The software that it is a release of.
    pub framework: HostFramework,
    /// The name that the user knows it by: `jax 0.6.2`.
    pub name: String,
    /// What it is: `JAX release`.
    pub kind: String,
    /// The day of the release.
    pub released: Date,
    /// The minor of the PJRT C API that it was built with; none if that is not known.
    pub minor: Option<i32>,
    /// How strictly it compares versions, where that was measured; otherwise the day of the release tells.
    pub strictness: Option<Strictness>,
    /// What it does not have for a plug-in that it enters by its own function to get a client; none for others.
    pub lacks: Option<&'static str>,
    /// The extensions that it does not go on without: the process ends when it looks for one in vain.
    pub needs_extensions: Vec<String>,
    /// The newest StableHLO version that it reads and writes; none if that is not known.
    pub stablehlo: Option<Version>,
    /// All releases of the same host, oldest first, to say which one would work.
    pub siblings: Siblings,
}

/// A lazily made list of releases.
pub type Siblings = Option<fn() -> &'static [ReleasedHost]>;

impl ReleasedHost {
    /// The JAX release `version` of `released`, built with PJRT 0.`minor`.
    ///
    /// ```
    /// let host = unskew_pjrt::ReleasedHost::jax("0.6.2", unskew_core::Date::constant(2025, 6, 17), 70);
    /// assert_eq!(host.party().name, "jax 0.6.2");
    /// ```
    pub fn jax(version: &str, released: Date, minor: i32) -> Self {
        Self::new(HostFramework::Jax, version, released, Some(minor))
    }

    /// The release `version` of a framework, built with PJRT 0.`minor` if that is known.
    pub fn new(
        framework: HostFramework,
        version: &str,
        released: Date,
        minor: Option<i32>,
    ) -> Self {
        let name = format!("{} {version}", framework.as_str());
        Self {
            framework,
            name,
            kind: framework.kind().to_owned(),
            released,
            minor,
            strictness: None,
            lacks: None,
            needs_extensions: Vec::new(),
            stablehlo: None,
            siblings: None,
        }
    }

    /// With the newest StableHLO version that it reads and writes.
    #[must_use]
    pub fn with_stablehlo(mut self, version: Version) -> Self {
        self.stablehlo = Some(version);
        self
    }

    /// With the extensions that it does not go on without, by the names that [`crate::layout::extensions`] has.
    #[must_use]
    pub fn with_needed_extensions(mut self, names: Vec<String>) -> Self {
        self.needs_extensions = names;
        self
    }

    /// With all releases of the same host.
    #[must_use]
    pub fn among(mut self, siblings: fn() -> &'static [ReleasedHost]) -> Self {
        self.siblings = Some(siblings);
        self
    }

    /// Whether it is called as a release is, and not by a name of its user's.
    pub(crate) fn is_release(&self) -> bool {
        let rest = self.name.strip_prefix(self.framework.as_str());
        rest.is_some_and(|rest| rest.starts_with(' '))
    }

    /// The PJRT version as it is written: `0.70`.
    pub fn version(&self) -> Option<Version> {
        self.minor.map(|minor| Version::pair(0, minor.into()))
    }
}

/// How hosts behave, by the day of their release.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Behaviour {
    pub(crate) handshake: Handshake,
    pub(crate) stablehlo: StableHlo,
    mesh_shardings: MeshShardings,
    pub(crate) ungated: Vec<Ungated>,
    unguarded: Vec<UnguardedFeature>,
    obligation: Vec<Obligation>,
    pub(crate) required: Required,
    tensorflow: Required,
    torch_xla: Required,
    condition: Vec<Condition>,
}

/// When a host calls functions that it cannot do without.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Condition {
    functions: Vec<String>,
    after: Option<String>,
    #[serde(default)]
    host_memory: bool,
}

/// A function that JAX needs from a version on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Obligation {
    function: String,
    since: i32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Handshake {
    exact_table_until: Date,
    exact_minor_until: Date,
    pub(crate) least_minor: i32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StableHlo {
    pub(super) minimum: String,
    target_since: Date,
    capped_since: Date,
}

/// Shardings by the axes of a mesh: which hosts write them, and which plug-ins get them wrong.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeshShardings {
    written_since: Date,
    wrong_from: i32,
    right_from: i32,
}

/// A function that a host calls without asking whether the plug-in has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ungated {
    pub(crate) function: String,
    pub(crate) r#use: Option<StructUse>,
    pub(crate) extension: Option<String>,
    #[serde(default)]
    pub(crate) measured: bool,
}

/// A feature of JAX that calls an extension without asking whether the plug-in has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnguardedFeature {
    feature: String,
    extension: String,
    /// The days of the first release that does so, and of the first one after that which asks.
    since: Date,
    until: Date,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Required {
    pub(crate) functions: Vec<String>,
    extensions: Option<ReadExtensions>,
}

/// The extensions that a framework reads where a plug-in has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadExtensions {
    read: Vec<String>,
    /// The minor of the oldest release that was run.
    from: i32,
}

/// How strictly a host compares versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// The size of the table must be its own.
    ExactTable,
    /// The minor must be its own, unless an environment variable is set.
    ExactMinor,
    /// Any plug-in of the same major from the least minor on.
    Tolerant,
}

/// The behaviour, read once.
pub(crate) fn behaviour() -> &'static Behaviour {
    static BEHAVIOUR: LazyLock<Behaviour> = LazyLock::new(|| toml_table!("data/host.toml"));
    &BEHAVIOUR
}

/// The functions that JAX cannot do without: each was taken away in turn.
pub(crate) fn required_functions() -> impl Iterator<Item = &'static str> {
    behaviour().required.functions.iter().map(String::as_str)
}

/// The functions that a JAX of `host` cannot do without on a plug-in of `plugin`, both minors: those that
/// every JAX needs, and those that came with a version which both have.
pub(crate) fn needed_functions(host: i32, plugin: i32) -> impl Iterator<Item = &'static str> {
    let older = move |name: &&str| crate::layout::slot(name).is_some_and(|slot| slot.since <= host);
    let both = host.min(plugin);
    let obligations = behaviour().obligation.iter();
    let met = obligations.filter(move |obligation| obligation.since <= both);
    required_functions().filter(older).chain(met.map(|obligation| obligation.function.as_str()))
}

/// Whether a host does not call the function on a plug-in that lacks those that `lacks` says, and whose
/// buffers lie in the memory of the host or do not.
pub(crate) fn is_moot(name: &str, lacks: &dyn Fn(&str) -> bool, host_memory: bool) -> bool {
    let conditions = behaviour().condition.iter();
    let mut own = conditions.filter(|condition| condition.functions.iter().any(|f| f == name));
    own.any(|condition| {
        condition.after.as_deref().is_some_and(lacks) || (condition.host_memory && !host_memory)
    })
}

impl Behaviour {
    /// The features of a host that need an extension to be there, each with the extension.
    pub(crate) fn unguarded_features(
        &self,
        host: &ReleasedHost,
    ) -> impl Iterator<Item = (&str, &str)> {
        let is_jax = host.framework == HostFramework::Jax && host.is_release();
        let day = host.released;
        let of_day =
            self.unguarded.iter().filter(move |one| is_jax && one.since <= day && day < one.until);
        of_day.map(|one| (&*one.feature, &*one.extension))
    }

    /// The functions that a framework cannot do without: each was taken away in turn.
    pub(crate) fn required_by(&self, framework: HostFramework) -> &[String] {
        match framework {
            HostFramework::TensorFlow => &self.tensorflow.functions,
            HostFramework::TorchXla => &self.torch_xla.functions,
            HostFramework::Jax => &self.required.functions,
        }
    }

    /// The extensions that a host reads where a plug-in has them; none if that is not known.
    pub(crate) fn extensions_read_by(&self, host: &ReleasedHost) -> Option<&[String]> {
        let framework = match host.framework {
            HostFramework::TensorFlow => &self.tensorflow,
            HostFramework::TorchXla => &self.torch_xla,
            HostFramework::Jax => &self.required,
        };
        let known = framework.extensions.as_ref()?;
        // A host that gets no client reads nothing.
        let measured = host.lacks.is_none() && host.minor.is_some_and(|minor| minor >= known.from);
        measured.then_some(&known.read)
    }

    pub(crate) fn strictness(&self, host: &ReleasedHost) -> Strictness {
        host.strictness.unwrap_or_else(|| self.strictness_on(host.released))
    }

    fn strictness_on(&self, released: Date) -> Strictness {
        if released < self.handshake.exact_table_until {
            Strictness::ExactTable
        } else if released < self.handshake.exact_minor_until {
            Strictness::ExactMinor
        } else {
            Strictness::Tolerant
        }
    }

    /// Whether a host writes programs at the plug-in's version without regard for its own.
    pub(crate) fn writes_beyond_itself(&self, released: Date) -> bool {
        released >= self.stablehlo.target_since && released < self.stablehlo.capped_since
    }

    /// Whether the programs of a host have shardings by the axes of a mesh.
    pub(crate) fn writes_mesh_shardings(&self, released: Date) -> bool {
        released >= self.mesh_shardings.written_since
    }
}

/// Whether a plug-in of this minor that is built on XLA knows shardings by the axes of a mesh, and gets some wrong.
pub(crate) fn gets_mesh_shardings_wrong(plugin: i32) -> bool {
    let mesh = &behaviour().mesh_shardings;
    (mesh.wrong_from..mesh.right_from).contains(&plugin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout;

    #[test]
    fn the_behaviour_is_read_and_names_functions_that_exist() {
        let behaviour = behaviour();
        let names = behaviour.ungated.iter().map(|call| &call.function);
        let obligations = behaviour.obligation.iter().map(|obligation| &obligation.function);
        let conditions = &behaviour.condition;
        let conditional = conditions.iter().flat_map(|c| c.functions.iter().chain(&c.after));
        let required = behaviour.required.functions.iter().chain(&behaviour.tensorflow.functions);
        let required = required.chain(&behaviour.torch_xla.functions);
        for name in names.chain(required).chain(obligations).chain(conditional) {
            assert!(layout::slot(name).is_some(), "{name}");
        }
        let hosts = [&behaviour.tensorflow, &behaviour.torch_xla];
        for name in hosts.iter().filter_map(|one| one.extensions.as_ref()).flat_map(|it| &it.read) {
            assert!(layout::extension(name).is_some(), "{name}");
        }
        assert!(behaviour.stablehlo.minimum.parse::<Version>().is_ok());
    }

    #[test]
    fn what_a_host_calls_only_for_its_own_memory_or_a_topology_is_moot_without_them() {
        let topology = "PJRT_TopologyDescription_PlatformName";
        let reference = "PJRT_Buffer_IncreaseExternalReferenceCount";
        let none = |_: &str| false;
        let no_topology = |name: &str| name == "PJRT_Client_TopologyDescription";
        assert!(is_moot(topology, &no_topology, true) && !is_moot(topology, &none, true));
        assert!(is_moot(reference, &none, false) && !is_moot(reference, &none, true));
        assert!(!is_moot("PJRT_Client_Compile", &no_topology, false));
    }

    #[test]
    fn strictness_goes_by_the_day_of_the_release() {
        let strictness = |y, m, d| behaviour().strictness_on(Date::constant(y, m, d));
        assert_eq!(strictness(2023, 10, 6), Strictness::ExactTable);
        assert_eq!(strictness(2024, 7, 29), Strictness::ExactMinor);
        assert_eq!(strictness(2024, 9, 11), Strictness::Tolerant);
    }
}
