//! The arguments of a program: from files, made, or numbers.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use unskew_array::{Array, Fill, Number, npy};
use unskew_source::{Archive, FileSource, Source, read_regular};

use super::signature::ProgramParameter;
use crate::args::RunArgs;

/// How large an array of a file may be, in bytes.
const LARGEST: u64 = 16 << 30;

/// One array for each parameter, for each device.
pub fn gather(
    args: &RunArgs,
    parameters: &[ProgramParameter],
    devices: usize,
) -> anyhow::Result<Vec<Vec<Array>>> {
    let mut given = Vec::new();
    for input in &args.input {
        given.extend(expand(input)?);
    }
    if given.len() > parameters.len() {
        bail!("the program takes {}: {} given", count(parameters.len(), "input"), given.len());
    }
    let mut each = vec![Vec::new(); devices];
    for (index, parameter) in parameters.iter().enumerate() {
        let arrays = match (given.get(index), args.fill) {
            (Some(given), _) => given.arrays(parameter, devices)?,
            (None, Some(fill)) => vec![filled(parameter, fill)?],
            (None, None) => bail!(missing(parameters, given.len())),
        };
        for (device, all) in each.iter_mut().enumerate() {
            let array = arrays.get(device).or(arrays.first());
            all.extend(array.cloned());
        }
    }
    Ok(each)
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

fn missing(parameters: &[ProgramParameter], given: usize) -> String {
    let shape = |p: &ProgramParameter| {
        let dims: Vec<String> = p.dims.iter().map(u64::to_string).collect();
        format!("{}[{}]", p.element, dims.join(","))
    };
    let shapes: Vec<String> = parameters.iter().map(shape).collect();
    format!(
        "the program takes {} ({}): {given} given; add --input for each, or --fill random",
        count(parameters.len(), "input"),
        shapes.join(", ")
    )
}

/// What one `--input` gives to one parameter: an array for each device, or one for all.
struct Given {
    text: String,
    from: Vec<Origin>,
}

enum Origin {
    File(npy::Loose),
    Fill(Fill),
    Number(Number),
}

/// The arrays that a text names: a file, the members of an archive, a fill, a number; or, with commas
/// between them, one for each device.
fn expand(text: &str) -> anyhow::Result<Vec<Given>> {
    if text.ends_with(".npz") && !text.contains(',') {
        return members(text);
    }
    let mut from = Vec::new();
    for part in text.split(',') {
        from.push(origin(part)?);
    }
    Ok(vec![Given { text: text.to_owned(), from }])
}

fn origin(text: &str) -> anyhow::Result<Origin> {
    if let Ok(fill) = text.parse() {
        return Ok(Origin::Fill(fill));
    }
    if let Ok(number) = text.parse() {
        return Ok(Origin::Number(number));
    }
    if text.ends_with(".npz") {
        bail!("an archive has all inputs of its own: {text}; give each device a .npy file");
    }
    let file = read_regular(Path::new(text), LARGEST).with_context(|| {
        format!(
            "not zeros, ones, iota, random[:SEED] or a number, and no file that can be read: {text}"
        )
    })?;
    Ok(Origin::File(npy::read(&file).with_context(|| format!("cannot read {text}"))?))
}

/// Every array of an archive, in its order.
fn members(path: &str) -> anyhow::Result<Vec<Given>> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(Path::new(path))?);
    let archive = Archive::open(source)?;
    let mut all = Vec::new();
    for entry in archive.entries().iter().filter(|entry| entry.name.ends_with(".npy")) {
        let text = format!("{path}:{}", entry.name);
        let file = archive.read(entry)?;
        let loose = npy::read(&file).with_context(|| format!("cannot read {text}"))?;
        all.push(Given { text, from: vec![Origin::File(loose)] });
    }
    if all.is_empty() {
        bail!("no .npy file in the archive: {path}");
    }
    Ok(all)
}

impl Given {
    fn arrays(&self, parameter: &ProgramParameter, devices: usize) -> anyhow::Result<Vec<Array>> {
        if self.from.len() != 1 && self.from.len() != devices {
            let (text, n) = (&self.text, self.from.len());
            bail!("one array for all {devices} devices, or one for each: {n} given in {text}");
        }
        let array = |origin: &Origin| match origin {
            Origin::File(loose) => of_file(loose, parameter),
            Origin::Fill(fill) => filled(parameter, *fill),
            Origin::Number(number) => of_number(*number, parameter),
        };
        let arrays: anyhow::Result<Vec<Array>> = self.from.iter().map(array).collect();
        arrays.with_context(|| format!("input {}", self.text))
    }
}

fn of_file(loose: &npy::Loose, parameter: &ProgramParameter) -> anyhow::Result<Array> {
    let array = loose.as_type(parameter.element)?;
    if array.dims() != parameter.dims {
        let wanted = Array::filled(parameter.element, &parameter.dims, Fill::Zeros)?;
        bail!("the array is {}, the program takes {}", array.shape(), wanted.shape());
    }
    Ok(array)
}

fn filled(parameter: &ProgramParameter, fill: Fill) -> anyhow::Result<Array> {
    Ok(Array::filled(parameter.element, &parameter.dims, fill)?)
}

/// The number in every place.
fn of_number(number: Number, parameter: &ProgramParameter) -> anyhow::Result<Array> {
    let count = Array::filled(parameter.element, &parameter.dims, Fill::Zeros)?.count();
    let mut one = Vec::new();
    number.element(parameter.element, &mut one)?;
    Ok(Array::new(parameter.element, &parameter.dims, one.repeat(count))?)
}
