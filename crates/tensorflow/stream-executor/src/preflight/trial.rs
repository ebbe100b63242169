//! Trial of a plug-in with one host, and what it did.

use std::fmt;

use serde::{Deserialize, Serialize};
use unskew_abi::contract::InterfaceVersion;

/// The version that every release of TensorFlow announces.
pub(crate) const VERSION: [i32; 3] = [0, 0, 1];

/// The functions whose error keeps a plug-in from being registered.
const REGISTRATION: [&str; 6] = [
    "SE_InitPlugin",
    "create_device_fns",
    "create_stream_executor",
    "create_timer_fns",
    "TF_InitGraph",
    "TF_InitProfiler",
];

/// A host that the preflight plays: one of a release, or one that differs from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostScript {
    /// The minor of the release of TensorFlow 2 whose structs it hands out.
    pub minor: u32,
    /// How it differs from the release.
    pub skew: Skew,
    /// The entry of the plug-in that it goes through, after the one that registers the platform.
    pub entry: PluginEntry,
}

/// An entry of a plug-in, each of which is tried by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginEntry {
    /// `SE_InitPlugin`: the platform, and the first device.
    Device,
    /// `TF_InitKernel`, which registers kernels.
    Kernels,
    /// `TF_InitGraph`, which registers a graph optimizer.
    Graph,
    /// `TF_InitProfiler`, which registers a profiler.
    Profiler,
}

impl PluginEntry {
    /// Those that a host goes through after the platform is registered, in their order.
    pub const OTHERS: [Self; 3] = [Self::Kernels, Self::Graph, Self::Profiler];

    /// The symbol that the host looks up.
    pub const fn function(self) -> &'static str {
        match self {
            Self::Device => "SE_InitPlugin",
            Self::Kernels => "TF_InitKernel",
            Self::Graph => "TF_InitGraph",
            Self::Profiler => "TF_InitProfiler",
        }
    }
}

/// How a host differs from its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skew {
    /// It is that of the release, unchanged.
    None,
    /// It says that it has this major version of the interface.
    Major(i32),
    /// It announces this size for every struct, whatever they have.
    Announces(u64),
    /// Every struct has so many zeroed bytes more, and announces them: a host of the future.
    Longer(u64),
    /// Every struct that a plug-in fills in ends one field earlier: a host of the past.
    Shorter,
    /// It hands out no structs to fill in.
    NoStructs,
    /// It registers the plug-in a second time.
    Twice,
}

impl HostScript {
    /// The host of a release, as it is.
    pub fn for_minor(minor: u32) -> Self {
        Self { minor, skew: Skew::None, entry: PluginEntry::Device }
    }

    /// The same host, going through this entry.
    pub fn through(minor: u32, entry: PluginEntry) -> Self {
        Self { entry, ..Self::for_minor(minor) }
    }

    /// Whether it is a host of a release that registers a device.
    pub(crate) fn is_released(self) -> bool {
        self.skew == Skew::None && self.entry == PluginEntry::Device
    }

    pub(crate) fn release(self) -> InterfaceVersion {
        InterfaceVersion::new(2, self.minor)
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("as released"),
            Self::Major(major) => write!(f, "of version {major}.0.0"),
            Self::Announces(size) if *size >= 1 << 20 => {
                write!(f, "with struct_size 2^{}", size.ilog2())
            }
            Self::Announces(size) => write!(f, "with struct_size {size}"),
            Self::Longer(more) => write!(f, "with structs {more} bytes longer"),
            Self::Shorter => f.write_str("with structs one field shorter"),
            Self::NoStructs => f.write_str("without structs to fill in"),
            Self::Twice => f.write_str("that registers twice"),
        }
    }
}

/// What a plug-in did with a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginTrial {
    /// The release that was played, and how it was skewed.
    pub script: HostScript,
    /// What was called, in the order of the calls.
    pub calls: Vec<TracedCall>,
    /// The structs that were handed out.
    pub structs: Vec<ObservedStruct>,
    /// Fields that the release wants to be set, and that are null.
    pub empty: Vec<NullField>,
    /// The name of the platform, if it was set.
    pub name: Option<String>,
    /// The device type, if it was set.
    pub device_type: Option<String>,
    /// The version in the struct after registration: the host's own, if the plug-in left it alone.
    pub version: [i32; 3],
    /// How many kernels it registered.
    pub kernels: u64,
    /// How many devices the plug-in says that there are; none if it was not asked.
    pub devices: Option<i32>,
    /// Functions of TensorFlow that the plug-in called and that the preflight does not have: what came
    /// after may be another thing in a real process.
    pub lacking: Vec<String>,
    /// The function that was called last.
    pub stage: String,
    /// How the process that loaded it ended.
    pub end: TrialEnd,
    /// The last line of what the plug-in wrote to its error output.
    pub said: String,
}

/// One call and what the plug-in answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedCall {
    /// The name of the function in C.
    pub function: String,
    /// The code of the status: 0 is OK.
    pub code: i32,
    /// The text of the status.
    pub message: String,
}

/// A struct that was handed out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedStruct {
    /// Its name in C.
    pub name: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// The size that the host announced.
    pub announced: u64,
    /// The size that stands in it now.
    pub after: u64,
    /// How far behind its end the plug-in wrote, in bytes.
    pub behind: u64,
    /// How far before its beginning.
    pub before: u64,
    /// The function in which it did so first.
    pub by: String,
}

/// A field that a host wants and that is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NullField {
    /// The name of the struct in C.
    pub structure: String,
    /// The name of the field in C.
    pub field: String,
    /// Whether the host refuses the plug-in; else it calls the field without looking.
    pub refused: bool,
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialEnd {
    /// It was played to the end, and the plug-in was left.
    Played,
    /// The plug-in ended the process: how.
    Died(String),
    /// It had not ended after so many seconds.
    Late(u64),
    /// It was not made: why.
    NotMade(String),
}

impl PluginTrial {
    pub(crate) fn new(script: HostScript) -> Self {
        Self {
            script,
            calls: Vec::new(),
            structs: Vec::new(),
            empty: Vec::new(),
            name: None,
            device_type: None,
            version: VERSION,
            kernels: 0,
            devices: None,
            lacking: Vec::new(),
            stage: String::new(),
            end: TrialEnd::Played,
            said: String::new(),
        }
    }

    /// The call of registration that the plug-in answered with an error, if it did so.
    pub fn refusal(&self) -> Option<&TracedCall> {
        let registers = |call: &&TracedCall| REGISTRATION.contains(&call.function.as_str());
        self.calls.iter().filter(registers).find(|call| call.code != 0)
    }

    /// The call about a device that the plug-in answered with an error. A machine without the device is
    /// no fault of the plug-in.
    pub fn no_device(&self) -> Option<&TracedCall> {
        let failed =
            |call: &&TracedCall| call.code != 0 && !REGISTRATION.contains(&call.function.as_str());
        self.calls.iter().find(failed)
    }

    /// Whether the plug-in was registered, as far as the host can tell: it answered, and with no error.
    pub fn is_accepted(&self) -> bool {
        self.end == TrialEnd::Played && self.refusal().is_none()
    }

    /// The struct of this name, if it was handed out.
    pub fn structure(&self, name: &str) -> Option<&ObservedStruct> {
        self.structs.iter().find(|seen| seen.name == name)
    }

    /// Whether how it ended says nothing of the plug-in: it called what is not here before it died.
    pub fn is_moot(&self) -> bool {
        matches!(self.end, TrialEnd::Died(_) | TrialEnd::Late(_)) && !self.lacking.is_empty()
    }
}

impl ObservedStruct {
    /// Whether all that was written behind its end is padding: a host's compiler rounds the struct up to
    /// eight bytes, and nothing lies there.
    pub(crate) fn is_padding(&self) -> bool {
        self.before == 0 && self.bytes + self.behind <= self.bytes.next_multiple_of(8)
    }
}
