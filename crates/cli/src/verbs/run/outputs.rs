//! The results of a program: fetched, saved, printed.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::json;
use unskew_array::{Array, npy};
use unskew_pjrt::Outputs;
use unskew_report::Plain;
use unskew_source::{OutputFile, make_folder};

use super::signature::own_type;
use super::timings::Taken;
use crate::args::{RunArgs, RunFormat, Shown};
use crate::print::{self, Printable};

/// One result of a program.
pub struct ProgramOutput {
    device: usize,
    index: usize,
    /// Its name in a file: with the device, if there are several.
    name: String,
    array: Array,
}

/// Copies all results from their devices.
pub fn fetch(outputs: &Outputs, devices: usize) -> anyhow::Result<Vec<ProgramOutput>> {
    let mut all = Vec::new();
    for device in 0..devices {
        for (index, buffer) in outputs.of_device(device).iter().enumerate() {
            let name = match devices {
                1 => format!("output_{index}"),
                _ => format!("device_{device}_output_{index}"),
            };
            let element = buffer.element_type()?;
            let Some(element) = own_type(element) else {
                bail!("{name} is of a type that is not known: {element:?}");
            };
            let dims: Result<Vec<u64>, _> =
                buffer.dimensions()?.into_iter().map(u64::try_from).collect();
            let dims = dims.context("a result with a negative dimension")?;
            let array = Array::new(element, &dims, buffer.to_host()?)?;
            all.push(ProgramOutput { device, index, name, array });
        }
    }
    Ok(all)
}

/// Writes each result to a `.npy` file, if a folder is given.
pub fn save(args: &RunArgs, outputs: &[ProgramOutput]) -> anyhow::Result<()> {
    let Some(folder) = &args.output else { return Ok(()) };
    make_folder(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for output in outputs {
        let path = place(folder, output);
        let write = || -> std::io::Result<()> {
            let mut file = OutputFile::in_folder(folder, &file(output))?;
            file.write_all(&npy::write(&output.array))?;
            file.commit()
        };
        write().with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn file(output: &ProgramOutput) -> String {
    format!("{}.npy", output.name)
}

fn place(folder: &Path, output: &ProgramOutput) -> PathBuf {
    folder.join(file(output))
}

/// Prints what is wanted.
pub fn print(args: &RunArgs, outputs: &[ProgramOutput], taken: &Taken) -> anyhow::Result<()> {
    let text: Printable = match args.format {
        RunFormat::Text => text(args, outputs, taken).into(),
        RunFormat::Json => Printable::json(&json(args, outputs, taken)?),
    };
    print::out(text)
}

fn text(args: &RunArgs, outputs: &[ProgramOutput], taken: &Taken) -> String {
    let mut text = String::new();
    for output in outputs {
        // Writing to a string does not fail.
        let _ = write!(text, "{}: {}", output.name, output.array.shape());
        if let Some(folder) = &args.output {
            let path = place(folder, output).display().to_string();
            let _ = write!(text, " -> {}", Plain(&path));
        }
        text.push('\n');
        if args.print == Shown::Full {
            let _ = writeln!(text, "{}", output.array);
        }
    }
    if args.timings {
        for (name, time) in taken.rows() {
            let _ = writeln!(text, "{name:<17} {:>12.1} us", time.as_secs_f64() * 1e6);
        }
    }
    text
}

fn json(args: &RunArgs, outputs: &[ProgramOutput], taken: &Taken) -> anyhow::Result<String> {
    let output = |output: &ProgramOutput| {
        let values: Vec<String> = match args.print {
            Shown::Full => {
                let all = (0..output.array.count()).filter_map(|i| output.array.get(i));
                all.map(|scalar| scalar.to_string()).collect()
            }
            Shown::Summary => Vec::new(),
        };
        json!({
            "device": output.device,
            "index": output.index,
            "type": output.array.element().to_string(),
            "dims": output.array.dims(),
            "file": args.output.as_deref().map(|folder| place(folder, output)),
            "values": values,
        })
    };
    let timings: serde_json::Map<String, serde_json::Value> = taken
        .rows()
        .into_iter()
        .map(|(name, time)| {
            (format!("{}_us", name.replace(' ', "_")), json!(time.as_secs_f64() * 1e6))
        })
        .collect();
    let outputs: Vec<serde_json::Value> = outputs.iter().map(output).collect();
    let all = match args.timings {
        true => json!({ "outputs": outputs, "timings": timings }),
        false => json!({ "outputs": outputs }),
    };
    Ok(format!("{}\n", serde_json::to_string_pretty(&all)?))
}
