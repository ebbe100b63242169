//! Takes what the libraries of a TensorFlow wheel export into the data of the StreamExecutor boundary: the C
//! functions by name, the C++ symbols as hashes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use unskew_abi::SharedObject;
use unskew_core::Version;
use unskew_source::{FileSource, Source};
use unskew_stream_executor::symbols::{Symbols, Where, is_covered};

/// The C functions by release.
const FUNCTIONS: &str = "crates/stream-executor/data/exports.tsv";
/// The C++ symbols by release.
const SYMBOLS: &str = "crates/stream-executor/data/cpp.bin";

/// The library that all others need.
const FRAMEWORK: &str = "tensorflow/libtensorflow_framework.so.2";
/// The library that has most of the rest, and the one that had it before 2.12.
const CC: &str = "tensorflow/libtensorflow_cc.so.2";
const PYWRAP: &str = "tensorflow/python/_pywrap_tensorflow_internal.so";
/// What is loaded along with the Python module since 2.19.
const COMMON: &str = "tensorflow/python/lib_pywrap_tensorflow_common.so";

/// The members of a wheel that are read.
pub const LIBRARIES: [&str; 4] = [FRAMEWORK, CC, PYWRAP, COMMON];

/// A function and the library that has it, with the releases that do.
type Functions = BTreeMap<(String, String), BTreeSet<Version>>;

/// Takes the exports of `version`, whose wheel was unpacked at `site`.
///
/// # Errors
/// If the wheel has no such library, or one is broken.
pub fn take(version: &str, site: &Path) -> Result<()> {
    let release: Version = version.parse()?;
    let framework = exports(&site.join(FRAMEWORK))?.context("no libtensorflow_framework.so.2")?;
    let cc = exports(&site.join(CC))?;
    let pywrap = exports(&site.join(PYWRAP))?;
    let rest = cc.as_ref().or(pywrap.as_ref()).context("no library with the rest")?.clone();
    let common = exports(&site.join(COMMON))?;
    let (mut releases, mut functions) = read(&fs::read_to_string(crate::root().join(FUNCTIONS))?)?;
    for releases in functions.values_mut() {
        releases.remove(&release);
    }
    for (library, exported) in [("framework", &framework), ("cc", &rest)] {
        for name in exported.iter().filter(|name| is_c_api(name)) {
            let key = (name.clone(), library.to_owned());
            functions.entry(key).or_default().insert(release);
        }
    }
    let mut symbols = Symbols::read(&fs::read(crate::root().join(SYMBOLS))?).context(SYMBOLS)?;
    let at = match releases.binary_search(&release) {
        Ok(at) => at,
        Err(at) => {
            releases.insert(at, release);
            symbols.make_room(at);
            at
        }
    };
    ensure!(releases.len() <= 32, "a mask has 32 bits; widen those of {SYMBOLS}");
    symbols.forget(at);
    let elsewhere = [cc, pywrap, common];
    let lists = [(true, &framework)]
        .into_iter()
        .chain(elsewhere.iter().flatten().map(|exported| (false, exported)));
    for (in_framework, exported) in lists {
        let place = Where { framework: in_framework, elsewhere: !in_framework };
        for name in exported.iter().filter(|name| is_covered(name)) {
            symbols.insert(name, at, place);
        }
    }
    let bytes = symbols.to_bytes();
    println!("tensorflow {version}: {} C++ symbols in all, {} bytes", symbols.len(), bytes.len());
    fs::write(crate::root().join(SYMBOLS), bytes)?;
    fs::write(crate::root().join(FUNCTIONS), written(&releases, &functions))?;
    Ok(())
}

/// What a library exports; none if there is no such file.
fn exports(path: &Path) -> Result<Option<Vec<String>>> {
    if !path.exists() {
        return Ok(None);
    }
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let object = SharedObject::read(&source)?.with_context(|| path.display().to_string())?;
    Ok(Some(object.exports))
}

fn is_c_api(name: &str) -> bool {
    ["TF_", "TFE_", "TSL_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The releases that were measured, in their order, and the functions.
fn read(text: &str) -> Result<(Vec<Version>, Functions)> {
    let line = text.lines().find_map(|line| line.strip_prefix("#releases\t")).context(FUNCTIONS)?;
    let releases: Vec<Version> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let mut functions = Functions::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, library, since, until] = *cells else { anyhow::bail!("{FUNCTIONS}: {line}") };
        let since: Version = since.parse()?;
        let until: Option<Version> = if until.is_empty() { None } else { Some(until.parse()?) };
        let there =
            |release: &&Version| **release >= since && until.is_none_or(|until| **release <= until);
        let row = functions.entry((name.to_owned(), library.to_owned())).or_default();
        row.extend(releases.iter().filter(there));
    }
    Ok((releases, functions))
}

/// The table: a row for every unbroken run of releases.
fn written(releases: &[Version], functions: &Functions) -> String {
    let mut text = String::from(
        "# The C functions that each TensorFlow wheel for Linux exports: name, library, first release, last one \
         (empty: the newest).\n# The library is libtensorflow_framework.so.2, or `cc`: libtensorflow_cc.so.2, before \
         2.12 _pywrap_tensorflow_internal.so.\n# Measured on these releases:\n",
    );
    let names: Vec<String> = releases.iter().map(Version::to_string).collect();
    let _ = writeln!(text, "#releases\t{}", names.join(" "));
    for ((name, library), there) in functions {
        let mut first = None;
        for (i, release) in releases.iter().enumerate() {
            let (has, last) = (there.contains(release), i + 1 == releases.len());
            if has {
                first = first.or(Some(release));
            }
            let before = if has { None } else { i.checked_sub(1).and_then(|i| releases.get(i)) };
            if let (Some(since), true) = (first, !has || last) {
                let until = before.map(Version::to_string).unwrap_or_default();
                let _ = writeln!(text, "{name}\t{library}\t{since}\t{until}");
                first = None;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_written_as_it_was_read() -> Result<()> {
        let text = fs::read_to_string(crate::root().join(FUNCTIONS))?;
        let (releases, functions) = read(&text)?;
        assert_eq!(written(&releases, &functions), text);
        Ok(())
    }
}
