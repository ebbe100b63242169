//! `cargo xtask wheel`: the packages `unskew`, `unskew-jax` and `unskew-full` for Python, built and tried in fresh
//! environments.
//!
//! The build itself is that of `crates/python/build/backend.py`, which `pip install` runs too. The tools come from an
//! environment of the corpus, so that they are pinned.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};

use unskew_lab_harness::environment::{Environment, interpreter, uv};

/// The environment with maturin, mypy and pytest.
pub const TOOLS: &str = "maturin-1.16.0";

/// A JAX that is too old for the plug-in, and one that can use it.
const HOSTS: (&str, &str) = ("jax-0.6.2", "jax-0.10.2");

/// The releases that the loaders are tested with.
const TORCH: &str = "2.15.0";
const TENSORFLOW: &str = "tensorflow-2.15.1";

/// The MLflow whose registry judges what it registers.
const MLFLOW: &str = "mlflow-3.17.2";

/// The plug-in, of PJRT 0.81.
const PLUGIN: &str = "xla-cpu-pjrt-0.0.1.so";

/// The largest wheel, in bytes.
const LARGEST: u64 = 25_000_000;

/// How soon the command has to be there, started warm, and how soon the package, imported.
const SOON: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(30));

/// How often a start is measured; the best counts, since other processes only add.
const STARTS: usize = 20;

/// The options of `cargo xtask wheel`.
#[derive(clap::Args)]
pub struct Wheel {
    /// The profile of cargo; what is published is built with dist.
    #[arg(long, default_value = "dist")]
    profile: String,
    /// The tag that the wheel claims, such as manylinux_2_28; without it, that of this machine.
    #[arg(long)]
    compatibility: Option<String>,
    /// Takes this command, which was built already with the adapter in `deps` beside it.
    #[arg(long)]
    command: Option<PathBuf>,
    /// Where the packages go.
    #[arg(long, default_value = "target/python")]
    out: PathBuf,
    /// Makes `unskew-full` too, the command with every verb.
    #[arg(long)]
    full: bool,
    /// Makes the sdist too.
    #[arg(long)]
    sdist: bool,
    /// Installs the wheel in fresh environments of these Pythons and runs the tests there, such as 3.9,3.11,3.14.
    #[arg(long, value_delimiter = ',')]
    test: Vec<String>,
}

/// Builds, and tests where that was asked for.
///
/// # Errors
/// If something is not built, a test fails, or the wheel is too large or too slow.
pub fn run(asked: &Wheel) -> anyhow::Result<()> {
    Environment::named(TOOLS)?.make()?;
    let out = unskew_peers::root().join(&asked.out);
    fs::create_dir_all(&out)?;
    let mut variables = vec![("UNSKEW_WHEEL_PROFILE", asked.profile.clone())];
    variables.extend(asked.compatibility.clone().map(|tag| ("UNSKEW_WHEEL_COMPATIBILITY", tag)));
    if let Some(command) = &asked.command {
        variables.push(("UNSKEW_WHEEL_COMMAND", whole(command)?));
    }
    let mut wheels = build(&out, &variables)?;
    if asked.full {
        wheels.push(built("python/unskew_full", "backend", &out, &variables)?);
    }
    if asked.sdist {
        let sdist = hook("crates/python", "build", "backend", "build_sdist", &out, &[])?;
        println!("{}: {:.1} MB", sdist.display(), megabytes(&sdist)?);
    }
    let published = matches!(asked.profile.as_str(), "dist" | "release");
    if published {
        let size = wheels[0].metadata()?.len();
        ensure!(size <= LARGEST, "{} has {size} bytes, {LARGEST} are allowed", wheels[0].display());
    }
    for version in &asked.test {
        let python = interpreter(version)?;
        let home = unskew_peers::root().join("target/python/environments").join(version);
        let environment = Fresh::make(&python, &home, &wheels)?;
        environment.pip(&["pytest", "numpy"])?;
        environment.test(None)?;
        let (command, import) = environment.starts()?;
        println!(
            "Python {version}: tests passed; the command starts in {:.1} ms, `import unskew` takes {:.1} ms",
            milliseconds(command),
            milliseconds(import)
        );
        if published {
            ensure!(command < SOON.0 && import < SOON.1, "slower than {SOON:?}");
        }
    }
    Ok(())
}

/// What CI does: builds the module as the other tests are built, takes the command that they have, and runs mypy and
/// pytest.
///
/// # Errors
/// If something is not built, or a test fails.
pub fn test(command: &Path) -> anyhow::Result<()> {
    let out = unskew_peers::root().join("target/python/test");
    fs::create_dir_all(&out)?;
    let command = command.to_str().context("the path of the command is not UTF-8")?.to_owned();
    let variables = [
        ("UNSKEW_WHEEL_PROFILE", "dev".to_owned()),
        ("UNSKEW_WHEEL_FULL", command.clone()),
        ("UNSKEW_WHEEL_COMMAND", command),
    ];
    let mut wheels = build(&out, &variables)?;
    wheels.push(built("python/unskew_full", "backend", &out, &variables)?);
    mypy()?;
    let tools = tools();
    let environment = Fresh::make(&tools.join("bin/python"), &out.join("python"), &wheels)?;
    environment.test(Some(&site_packages(&tools)?))?;
    let (old, new) = HOSTS;
    by_itself(old, true, &out, &wheels)?;
    by_itself(new, false, &out, &wheels)?;
    beside_frameworks(&out, &wheels)
}

/// The whole path of a file, as a variable of the environment has it.
fn whole(path: &Path) -> anyhow::Result<String> {
    let path = path.canonicalize().with_context(|| path.display().to_string())?;
    path.into_os_string().into_string().ok().context("the path is not UTF-8")
}

/// JAX that adapts by itself: its tests with this release, whose environment is read only, so the wheels lie beside it.
fn by_itself(
    environment: &str,
    needs_adapter: bool,
    out: &Path,
    wheels: &[PathBuf],
) -> anyhow::Result<()> {
    let python = python_of(environment);
    let place = beside(&python, out, wheels)?;
    let status = Command::new(&python)
        .args(["-m", "unittest", "discover", "--start-directory"])
        .arg(unskew_peers::root().join("python/unskew_jax/tests/by_itself"))
        .env("PYTHONPATH", &place)
        .env("UNSKEW_PLUGIN", unskew_peers::root().join("corpus").join(PLUGIN))
        .env("UNSKEW_NEEDS_ADAPTER", if needs_adapter { "1" } else { "0" })
        .status()?;
    ensure!(status.success(), "JAX did not adapt by itself in {environment}");
    Ok(())
}

/// What stands beside frameworks, each with its own: loaders, and the registry of MLflow.
fn beside_frameworks(out: &Path, wheels: &[PathBuf]) -> anyhow::Result<()> {
    let folder = unskew_peers::root().join("crates/python/tests/frameworks");
    let place = beside(&python_of(&format!("torch-{TORCH}")), out, wheels)?;
    let mut command = unskew_peers::torch_command(TORCH)?;
    command.arg(folder.join("test_torch.py")).env("PYTHONPATH", &place);
    ensure!(command.status()?.success(), "the loader of PyTorch failed");
    for (environment, file) in [(TENSORFLOW, "test_tensorflow.py"), (MLFLOW, "test_mlflow.py")] {
        let python = python_of(environment);
        let place = beside(&python, out, wheels)?;
        let mut command = Command::new(python);
        command.arg(folder.join(file)).env("PYTHONPATH", &place);
        ensure!(command.status()?.success(), "{file} failed in {environment}");
    }
    Ok(())
}

fn python_of(environment: &str) -> PathBuf {
    unskew_peers::root().join("corpus/python").join(environment).join("bin/python")
}

/// Installs the wheels beside an environment, which stays as it is; the folder for `PYTHONPATH`.
fn beside(python: &Path, out: &Path, wheels: &[PathBuf]) -> anyhow::Result<PathBuf> {
    let place = out.join("beside");
    remove(&place)?;
    let mut uv = Command::new(uv()?);
    uv.args(["pip", "install", "--quiet", "--no-deps", "--python"]).arg(python);
    uv.arg("--target").arg(&place).args(wheels);
    ensure!(uv.status()?.success(), "not installed in {}", place.display());
    Ok(place)
}

/// The wheel of a package whose build backend lies beside its `pyproject.toml`.
fn built(
    folder: &str,
    backend: &str,
    out: &Path,
    variables: &[(&str, String)],
) -> anyhow::Result<PathBuf> {
    let wheel = hook(folder, ".", backend, "build_wheel", out, variables)?;
    println!("{}: {:.1} MB", wheel.display(), megabytes(&wheel)?);
    Ok(wheel)
}

/// The wheels of `unskew`, which is first, and `unskew-jax`.
fn build(out: &Path, variables: &[(&str, String)]) -> anyhow::Result<Vec<PathBuf>> {
    let unskew = hook("crates/python", "build", "backend", "build_wheel", out, variables)?;
    // setuptools writes beside what it reads.
    let scratch = out.join("unskew_jax");
    remove(&scratch)?;
    copy(&unskew_peers::root().join("python/unskew_jax"), &scratch)?;
    let folder = scratch.to_str().context("the path of the target folder is not UTF-8")?;
    println!("{}: {:.1} MB", unskew.display(), megabytes(&unskew)?);
    let jax = built(folder, "setuptools.build_meta", out, &[])?;
    remove(&scratch)?;
    Ok(vec![unskew, jax])
}

/// Calls a hook of a build backend in the environment of the tools; the file that it made.
fn hook(
    folder: &str,
    backend_path: &str,
    backend: &str,
    name: &str,
    out: &Path,
    variables: &[(&str, String)],
) -> anyhow::Result<PathBuf> {
    // The arguments first: setuptools takes them for its own, and changes them.
    let program = "import sys, importlib; path, backend, name, out, told = sys.argv[1:]\n\
                   sys.path.insert(0, path); sys.argv[1:] = []\n\
                   made = getattr(importlib.import_module(backend), name)(out)\n\
                   open(told, 'w').write(made)";
    let told = out.join("made.txt");
    let path = [tools().join("bin"), PathBuf::from(std::env::var_os("PATH").unwrap_or_default())];
    let path: Vec<&OsStr> = path.iter().map(|part| part.as_os_str()).collect();
    let status = Command::new(tools().join("bin/python"))
        .current_dir(unskew_peers::root().join(folder))
        .args(["-c", program, backend_path, backend, name])
        .args([out, &told])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .env("PATH", path.join(OsStr::new(":")))
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "{name} of {folder} failed");
    let made = out.join(fs::read_to_string(&told)?);
    fs::remove_file(told)?;
    Ok(made)
}

fn mypy() -> anyhow::Result<()> {
    let status = Command::new(tools().join("bin/python"))
        .args(["-m", "mypy", "--config-file", "pyproject.toml", "--python-version", "3.10"])
        .current_dir(unskew_peers::root().join("crates/python"))
        .status()?;
    ensure!(status.success(), "mypy failed");
    Ok(())
}

struct Fresh {
    home: PathBuf,
}

impl Fresh {
    fn make(python: &Path, home: &Path, wheels: &[PathBuf]) -> anyhow::Result<Self> {
        remove(home)?;
        let made = Command::new(python).args(["-m", "venv", "--without-pip"]).arg(home).output()?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr).trim());
        let environment = Self { home: home.to_owned() };
        environment.pip(wheels)?;
        Ok(environment)
    }

    fn pip(&self, what: &[impl AsRef<OsStr>]) -> anyhow::Result<()> {
        let mut uv = Command::new(uv()?);
        uv.args(["pip", "install", "--quiet", "--python"]).arg(self.home.join("bin/python"));
        uv.env("UV_SYSTEM_CERTS", "1").env("UV_NATIVE_TLS", "1");
        let status = uv.args(what).status()?;
        ensure!(status.success(), "not installed in {}", self.home.display());
        Ok(())
    }

    /// Runs the tests of the package as it is installed, with pytest of another folder if it has none.
    fn test(&self, pytest: Option<&Path>) -> anyhow::Result<()> {
        let mut python = Command::new(self.home.join("bin/python"));
        python.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
        python.arg("--rootdir").arg(unskew_peers::root().join("crates/python"));
        python.arg(unskew_peers::root().join("crates/python/tests"));
        python.env("UNSKEW_CACHE", self.home.join("cache")).env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(folder) = pytest {
            python.env("PYTHONPATH", folder);
        }
        ensure!(python.status()?.success(), "tests of the Python package failed");
        Ok(())
    }

    /// How long the command and the import take, the best of some.
    fn starts(&self) -> anyhow::Result<(Duration, Duration)> {
        let best = |start: &dyn Fn() -> anyhow::Result<Duration>| -> anyhow::Result<Duration> {
            let all = (0..STARTS).map(|_| start()).collect::<anyhow::Result<Vec<_>>>()?;
            all.into_iter().min().context("nothing was measured")
        };
        let command = best(&|| {
            let begun = Instant::now();
            let mut command = Command::new(self.home.join("bin/unskew"));
            ensure!(command.arg("--version").stdout(Stdio::null()).status()?.success());
            Ok(begun.elapsed())
        })?;
        let program = "import time; begun = time.perf_counter(); import unskew; print(time.perf_counter() - begun)";
        let import = best(&|| {
            let said = Command::new(self.home.join("bin/python")).args(["-c", program]).output()?;
            let seconds: f64 = String::from_utf8_lossy(&said.stdout).trim().parse()?;
            Ok(Duration::from_secs_f64(seconds))
        })?;
        Ok((command, import))
    }
}

fn tools() -> PathBuf {
    unskew_peers::root().join("corpus/python").join(TOOLS)
}

fn site_packages(environment: &Path) -> anyhow::Result<PathBuf> {
    for entry in environment.join("lib").read_dir()? {
        let folder = entry?.path().join("site-packages");
        if folder.is_dir() {
            return Ok(folder);
        }
    }
    bail!("no site-packages in {}", environment.display())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let (path, place) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &place)?;
        } else {
            fs::copy(path, place)?;
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn megabytes(file: &Path) -> anyhow::Result<f64> {
    Ok(file.metadata()?.len() as f64 / f64::from(1 << 20))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
