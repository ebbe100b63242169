//! Packages of onnx and ONNX Runtime, each installed into a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use unskew_core::Version;

use crate::environment::{interpreter, uv};
use crate::run_command;

/// A package that is installed, and the Python that imports it.
pub struct Package {
    python: PathBuf,
    site: PathBuf,
}

impl Package {
    /// The package of this name; `site` is the folder that it was installed into, if it is there already.
    ///
    /// # Errors
    /// If it cannot be installed, or its Python is not here.
    pub fn new(name: &str, version: &str, site: Option<&Path>) -> anyhow::Result<Self> {
        let release: Version = version.parse()?;
        let minor = release.minor();
        let (python, needs): (_, &[&str]) = match (name, minor) {
            ("onnx", ..7) => ("3.7", &["numpy<1.22", "protobuf<3.21"]),
            ("onnx", ..13) => ("3.8", &["numpy<1.24", "protobuf<3.21"]),
            ("onnxruntime" | "onnxruntime-gpu", ..12) => ("3.8", &["numpy<1.24", "protobuf<3.21"]),
            ("onnxruntime" | "onnxruntime-gpu", ..15) => ("3.10", &["numpy<2"]),
            ("onnxruntime" | "onnxruntime-gpu", ..19) => ("3.11", &["numpy<2"]),
            _ => ("3.11", &["numpy"]),
        };
        let python = interpreter(python)?;
        let site = match site {
            Some(site) => site.to_owned(),
            None => {
                let site = std::env::temp_dir().join(format!("unskew-harvest-{name}-{version}"));
                fs::create_dir_all(&site)?;
                let mut uv = Command::new(uv()?);
                uv.args(["pip", "install", "--quiet", "--only-binary", ":all:", "--python"]);
                uv.arg(&python).arg("--target").arg(&site).arg(format!("{name}=={version}"));
                run_command(uv.args(needs).env("UV_SYSTEM_CERTS", "1").env("UV_NATIVE_TLS", "1"))?;
                // A backport that old packages ask for hides the module of Python itself.
                let _ = fs::remove_file(site.join("typing.py"));
                site
            }
        };
        Ok(Self { python, site })
    }

    /// A file of the package.
    pub fn path(&self, file: &str) -> PathBuf {
        self.site.join(file)
    }

    /// Removes what was installed.
    ///
    /// # Errors
    /// If that fails.
    pub fn remove(self) -> anyhow::Result<()> {
        Ok(fs::remove_dir_all(self.site)?)
    }

    /// What `lab/SUBJECT/probes/PROBE` prints under it.
    ///
    /// # Errors
    /// If that fails.
    pub fn ask(&self, subject: &str, probe: &str, arguments: &[&str]) -> anyhow::Result<String> {
        self.ask_with(subject, probe, arguments, &[])
    }

    /// The same with variables of the environment.
    ///
    /// # Errors
    /// If that fails.
    pub fn ask_with(
        &self,
        subject: &str,
        probe: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> anyhow::Result<String> {
        let mut python = Command::new(&self.python);
        python.args(["-W", "ignore"]).arg(unskew_peers::probe(subject, probe)).args(arguments);
        python.envs(environment.iter().copied());
        run_command(python.env("PYTHONPATH", &self.site))
    }
}
