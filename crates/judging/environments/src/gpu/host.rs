//! The GPUs and the driver of a machine.

use std::path::Path;

use unskew_cuda::{ComputeCapability, DriverVersion};
use unskew_source::read_text;

/// The GPUs that packages are to run on, and their driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuHost {
    /// What each GPU can run, sorted, each once.
    pub gpus: Vec<ComputeCapability>,
    /// The driver; none if it is not known.
    pub driver: Option<DriverVersion>,
    /// The models of GPUs whose capability is not known.
    pub unknown: Vec<String>,
}

/// Where the driver says what there is, below the root.
const DRIVER: &str = "proc/driver/nvidia";

/// The most bytes of a file there, and GPUs.
const FILE: u64 = 64 << 10;
const GPUS: usize = 256;

impl GpuHost {
    /// A machine with these GPUs and this driver.
    pub fn new(mut gpus: Vec<ComputeCapability>, driver: Option<DriverVersion>) -> Self {
        gpus.sort_unstable();
        gpus.dedup();
        Self { gpus, driver, unknown: Vec::new() }
    }

    /// The machine that this runs on, by what its driver says in `/proc`; without anything if there is no driver.
    pub fn here() -> Self {
        Self::from_root(Path::new("/"))
    }

    /// The same of a machine whose root is a folder.
    pub fn from_root(root: &Path) -> Self {
        let folder = root.join(DRIVER);
        let Ok(text) = read_text(&folder.join("version"), FILE) else { return Self::default() };
        let (mut gpus, mut unknown) = (Vec::new(), Vec::new());
        let entries = folder.join("gpus").read_dir().into_iter().flatten().flatten();
        for entry in entries.take(GPUS) {
            let Ok(text) = read_text(&entry.path().join("information"), FILE) else { continue };
            let model = text.lines().find_map(|line| line.strip_prefix("Model:")).map(str::trim);
            match model.map(str::parse) {
                Some(Ok(gpu)) => gpus.push(gpu),
                _ => unknown.push(model.unwrap_or("a GPU without a name").to_owned()),
            }
        }
        unknown.sort_unstable();
        unknown.dedup();
        Self { unknown, ..Self::new(gpus, DriverVersion::from_proc(&text)) }
    }

    /// Whether nothing is known of it.
    pub fn is_empty(&self) -> bool {
        self.gpus.is_empty() && self.driver.is_none() && self.unknown.is_empty()
    }

    /// How messages name it: `sm_80, sm_120, driver 550`.
    pub(super) fn name(&self) -> String {
        let driver = self.driver.iter().map(|driver| format!("driver {driver}"));
        let gpus = Some(self.models()).filter(|gpus| !gpus.is_empty());
        match gpus.into_iter().chain(driver).collect::<Vec<_>>().join(", ") {
            name if name.is_empty() => "the GPUs of this machine".to_owned(),
            name => name,
        }
    }

    /// Its GPUs only: `sm_80, sm_120`.
    pub(super) fn models(&self) -> String {
        self.gpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_driver_says_what_there_is() {
        let root = tempfile::tempdir().unwrap();
        assert!(GpuHost::from_root(root.path()).is_empty());
        let folder = root.path().join(DRIVER);
        for (at, model) in
            ["NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", "Graphics Device"].iter().enumerate()
        {
            let gpu = folder.join(format!("gpus/0000:0{at}:00.0"));
            fs::create_dir_all(&gpu).unwrap();
            fs::write(gpu.join("information"), format!("Model: \t\t {model}\nIRQ:   \t\t 42\n"))
                .unwrap();
        }
        let version = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\n";
        fs::write(folder.join("version"), version).unwrap();
        let host = GpuHost::from_root(root.path());
        assert_eq!(host.name(), "sm_90, driver 550.54.14");
        assert_eq!(host.unknown, ["Graphics Device"]);
    }
}
