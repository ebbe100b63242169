//! Writes the artifacts of a folder anew, each for some versions: `rewrite IN OUT 0.9.0 1.0.0`. A name in `OUT` is
//! `NAME@VERSION.bc`; what has no older form is said and is not written.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use unskew_core::Version;
use unskew_source::{ConvertedArtifact, FileSource, Source};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, versions @ ..] = &arguments[..] else { return Err("IN OUT VERSION...".into()) };
    for file in std::fs::read_dir(from)? {
        let path = file?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for version in versions {
            let target: Version = version.parse()?;
            let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
            match unskew_stablehlo::rewrite::rewrite(&source, target, &Default::default()) {
                Ok(done) => ConvertedArtifact::File(Arc::new(done.output))
                    .write(&Path::new(to).join(format!("{name}@{version}.bc")))?,
                Err(error) => println!("{name}@{version}: {error}"),
            }
        }
    }
    Ok(())
}
