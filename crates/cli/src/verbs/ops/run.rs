//! `unskew ops run MODEL --input A.npy`: what a model calculates with the operators of a release.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use unskew_array::{Number as Written, npy};
use unskew_interpreter::{Interpreter, Number, Program, Semantics, Tensor, Value};
use unskew_releases::Family;
use unskew_source::{FileSource, Source};

use crate::args::OpsRun;
use crate::exit::Status;
use crate::print;

pub fn run(args: &OpsRun) -> anyhow::Result<Status> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&args.model)?);
    let Some(program) = Program::open(&source)? else {
        bail!(
            "only archives of TorchScript and of torch.export can be run: {}",
            args.model.display()
        );
    };
    let interpreter = interpreter(args.release.as_deref())?;
    let inputs = args.input.iter().map(|text| input(text)).collect::<anyhow::Result<_>>()?;
    let result = interpreter.method(&program, &args.method, inputs)?;
    let outputs = named(&result);
    match &args.output {
        Some(folder) => save(folder, &outputs)?,
        None => print::out(&shown(&outputs))?,
    }
    Ok(Status::Clean)
}

/// With the operators of a release, and the upgraders that it knows.
fn interpreter(name: Option<&str>) -> anyhow::Result<Interpreter> {
    let registry = unskew_torch::registry();
    let upgraded = |interpreter: Interpreter, known| interpreter.with_upgraders(registry, known);
    let Some(name) = name else {
        return Ok(upgraded(Interpreter::new(Semantics::newest()), registry.current()));
    };
    let release = unskew_releases::find(name)?;
    if release.family() != Family::Torch {
        bail!("operators of PyTorch are those of torch@VERSION, not of {release}");
    }
    let semantics = Semantics::of(release.row().version);
    match unskew_releases::torch::runtime(release.row()) {
        Some(runtime) => {
            let known = runtime.release.file_format.max.map_or(0, |version| version.major());
            let semantics = semantics.with_operators(Arc::new(runtime.operators));
            Ok(upgraded(Interpreter::new(semantics), u32::try_from(known).unwrap_or(0)))
        }
        None => Ok(Interpreter::new(semantics)),
    }
}

/// A tensor from a file, or what was written.
fn input(text: &str) -> anyhow::Result<Value> {
    let path = Path::new(text);
    if path.extension().is_some_and(|extension| extension == "npy") {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {text}"))?;
        let loose = npy::read(&bytes).with_context(|| text.to_owned())?;
        let Some(element) = loose.element() else {
            bail!("the file does not say what its elements are: {text}");
        };
        let array = loose.as_type(element).with_context(|| text.to_owned())?;
        return Ok(Value::from(Tensor::from_array(&array)?));
    }
    if text.eq_ignore_ascii_case("none") {
        return Ok(Value::None);
    }
    match text.to_lowercase().parse::<Written>() {
        Ok(Written::Bool(yes)) => Ok(Value::from(yes)),
        Ok(Written::Int(number)) => match i64::try_from(number) {
            Ok(number) => Ok(Value::from(number)),
            Err(_) => bail!("integers of PyTorch have 64 bits: {text}"),
        },
        Ok(Written::Float(number)) => Ok(Value::from(number)),
        Ok(Written::Complex(real, imaginary)) => Ok(Number::Complex(real, imaginary).into()),
        Err(_) => bail!("neither an .npy file nor a number, true, false or none: {text}"),
    }
}

/// Every tensor and number of the result: `0`, `1.0` for the first of the second.
fn named(result: &Value) -> Vec<(String, Value)> {
    fn walk(name: &str, value: &Value, out: &mut Vec<(String, Value)>) {
        let inner = |key: &dyn std::fmt::Display| match name {
            "" => key.to_string(),
            _ => format!("{name}.{key}"),
        };
        match value {
            Value::Tuple(tuple) => {
                tuple.items.iter().enumerate().for_each(|(at, v)| walk(&inner(&at), v, out));
            }
            Value::List(items) if name.len() < 100 => {
                items.borrow().iter().enumerate().for_each(|(at, v)| walk(&inner(&at), v, out));
            }
            Value::Dict(items) if name.len() < 100 => {
                items.borrow().iter().for_each(|(key, v)| walk(&inner(key), v, out));
            }
            other => out.push((if name.is_empty() { "0" } else { name }.to_owned(), other.clone())),
        }
    }
    let mut out = Vec::new();
    walk("", result, &mut out);
    out
}

fn shown(outputs: &[(String, Value)]) -> String {
    let mut text = String::new();
    for (name, value) in outputs {
        // Writing to a text cannot fail.
        let _ = match value {
            Value::Tensor(tensor) => writeln!(text, "{name}: {tensor}\n{value}"),
            other => writeln!(text, "{name}: {} {other}", other.type_name()),
        };
    }
    text
}

fn save(folder: &Path, outputs: &[(String, Value)]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (name, value) in outputs {
        let tensor = match value {
            Value::Tensor(tensor) => tensor.clone(),
            Value::Number(number) => Tensor::new(number.dtype(), &[], &[*number])?,
            other => bail!("output {name} is no tensor and no number: {}", other.type_name()),
        };
        // A name may come from the program: only what is safe in a path.
        let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let place = folder.join(format!("{}.npy", name.chars().map(safe).collect::<String>()));
        std::fs::write(&place, npy::write(&tensor.to_array()))
            .with_context(|| format!("cannot write {}", place.display()))?;
    }
    Ok(())
}
