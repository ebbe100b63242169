//! The files that 24 releases wrote, with the inputs that they were given and what they gave.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use anyhow::Context as _;
use serde::Deserialize;
use unskew_core::Version;
use unskew_interpreter::{
    Dtype, Interpreter, ReleaseSemantics, RunnableProgram, ScalarValue, ScriptValue, Tensor,
};
use unskew_source::{BytesSource, Source};

/// Types and shapes are exact; floats may differ by what the order of a sum of 32-bit floats changes.
pub const TOLERANCE: f64 = 2e-6;

/// Every file by `release/name`.
///
/// # Errors
/// If the packed files are broken.
pub fn files() -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    unpacked(include_bytes!("../../../torch/archives/tests/data/archives.tar.xz"))
}

fn unpacked(packed: &[u8]) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let mut archive = tar::Archive::new(liblzma::read::XzDecoder::new(packed));
    let mut files = BTreeMap::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        files.insert(name, bytes);
    }
    Ok(files)
}

/// What a release recorded for a model, in the words of JSON: the inputs, and the output if it did not refuse.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedModel {
    /// The writer and the model: `1.10.2/add`.
    pub model: String,
    /// What it was given.
    pub inputs: Vec<serde_json::Value>,
    /// What it gave; none if it refused.
    #[serde(default, rename = "outputs")]
    pub output: Option<serde_json::Value>,
}

/// Everything that was recorded.
///
/// # Errors
/// If the packed rows are broken.
pub fn all() -> anyhow::Result<Vec<RecordedModel>> {
    let packed = include_bytes!("../../../torch/interpreter/tests/data/outputs.jsonl.xz");
    let mut text = String::new();
    liblzma::read::XzDecoder::new(&packed[..]).read_to_string(&mut text)?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// A file that is not among the others: one of `torch.export` of 2.3.1, or one of 2.15.0.
#[derive(Clone, Debug)]
pub struct SingleFile {
    /// The writer and the file: `2.3.1/Add.pt2`.
    pub name: String,
    /// The whole content of the file.
    pub bytes: Vec<u8>,
    /// What it was given by place, as the module takes it.
    pub inputs: Vec<serde_json::Value>,
    /// What it was given by name.
    pub named: serde_json::Map<String, serde_json::Value>,
    /// The output that its writer recorded.
    pub output: ScriptValue,
}

/// What `crates/torch/interpreter/tests/data/exported.py` made of 2.3.1.
///
/// # Errors
/// If the packed files are broken.
pub fn exported() -> anyhow::Result<Vec<SingleFile>> {
    singles(include_bytes!("../../../torch/interpreter/tests/data/exported-2.3.1.tar.xz"), "2.3.1")
}

/// What `crates/torch/interpreter/tests/data/newest.py` made of 2.15.0: mobile files and one of `torch.export`.
///
/// # Errors
/// If the packed files are broken.
pub fn newest() -> anyhow::Result<Vec<SingleFile>> {
    singles(include_bytes!("../../../torch/interpreter/tests/data/newest-2.15.0.tar.xz"), "2.15.0")
}

/// What `crates/torch/interpreter/tests/data/in_place.py` made of 2.15.0: graphs that write to their arguments.
///
/// # Errors
/// If the packed files are broken.
pub fn in_place() -> anyhow::Result<Vec<SingleFile>> {
    singles(
        include_bytes!("../../../torch/interpreter/tests/data/in-place-2.15.0.tar.xz"),
        "2.15.0",
    )
}

fn singles(packed: &[u8], release: &str) -> anyhow::Result<Vec<SingleFile>> {
    #[derive(Deserialize)]
    struct RecordedRow {
        model: String,
        inputs: Vec<serde_json::Value>,
        named: serde_json::Map<String, serde_json::Value>,
        outputs: serde_json::Value,
    }
    let mut files = unpacked(packed)?;
    let rows = files.remove("outputs.jsonl").context("no outputs")?;
    let rows = std::str::from_utf8(&rows)?.lines().map(|line| {
        let row: RecordedRow = serde_json::from_str(line)?;
        let file = if row.model.contains('.') { row.model } else { format!("{}.pt2", row.model) };
        Ok(SingleFile {
            name: format!("{release}/{file}"),
            bytes: files.remove(&file).with_context(|| file.clone())?,
            inputs: row.inputs,
            named: row.named,
            output: value(&row.outputs)?,
        })
    });
    rows.collect()
}

impl RecordedModel {
    /// The inputs as values.
    ///
    /// # Errors
    /// If one is no value.
    pub fn values(&self) -> anyhow::Result<Vec<ScriptValue>> {
        self.inputs.iter().map(value).collect()
    }

    /// What a file of this model has to give, none if it has to refuse.
    ///
    /// `torch.full([n], True)` is written as `torch.full([n], 1)`, and what was recorded is what the module gave
    /// before it was saved: there the file counts, run by its own release.
    ///
    /// # Errors
    /// If what was recorded is no value, or that file cannot be read.
    pub fn wanted(
        &self,
        name: &str,
        file: &Arc<dyn Source>,
    ) -> anyhow::Result<Option<ScriptValue>> {
        if !self.model.ends_with("/Full") || name.ends_with(".pt2") {
            return self.output.as_ref().map(value).transpose();
        }
        let Some(program) = RunnableProgram::open(file)? else {
            return self.output.as_ref().map(value).transpose();
        };
        let before = Interpreter::new(ReleaseSemantics::for_release(release(name)?));
        Ok(before.method(&program, "forward", self.values()?).ok())
    }
}

/// The release that wrote a file, from its name.
///
/// # Errors
/// If the name does not begin with a release.
pub fn release(name: &str) -> anyhow::Result<Version> {
    let (release, _) = name.split_once('/').with_context(|| name.to_owned())?;
    release.parse().ok().with_context(|| name.to_owned())
}

/// A file in memory.
pub fn source(name: &str, bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(name, bytes.to_vec()))
}

/// The numbers that stand beside tensors in an output.
///
/// # Errors
/// If one is no number.
pub fn loose_numbers(json: &serde_json::Value) -> anyhow::Result<Vec<ScalarValue>> {
    match json {
        serde_json::Value::Null | serde_json::Value::Object(_) => Ok(Vec::new()),
        serde_json::Value::Array(items) => {
            let each: Vec<Vec<ScalarValue>> =
                items.iter().map(loose_numbers).collect::<anyhow::Result<_>>()?;
            Ok(each.concat())
        }
        one => Ok(vec![number(one)?]),
    }
}

fn number(json: &serde_json::Value) -> anyhow::Result<ScalarValue> {
    Ok(match json {
        serde_json::Value::Bool(yes) => ScalarValue::Bool(*yes),
        // JSON has no infinity and no NaN.
        serde_json::Value::String(text) => ScalarValue::Float(text.parse()?),
        serde_json::Value::Array(parts) => match parts.as_slice() {
            [re, im] => ScalarValue::Complex(
                re.as_f64().context("a real part")?,
                im.as_f64().context("an imaginary part")?,
            ),
            _ => anyhow::bail!("not a number: {json}"),
        },
        _ => match json.as_i64() {
            Some(number) => ScalarValue::Int(number),
            None => {
                ScalarValue::Float(json.as_f64().with_context(|| format!("no number: {json}"))?)
            }
        },
    })
}

/// A value from JSON: a tensor is an object; several outputs are a list.
///
/// # Errors
/// If it is none.
pub fn value(json: &serde_json::Value) -> anyhow::Result<ScriptValue> {
    match json {
        serde_json::Value::Null => Ok(ScriptValue::None),
        serde_json::Value::Array(items) => {
            Ok(ScriptValue::tuple(items.iter().map(value).collect::<anyhow::Result<_>>()?))
        }
        serde_json::Value::Object(_) => {
            let dtype = json["dtype"].as_str().and_then(Dtype::named);
            let dtype = dtype.with_context(|| format!("no dtype: {}", json["dtype"]))?;
            let list = |name: &str| json[name].as_array().map_or(&[][..], Vec::as_slice);
            let shape: Option<Vec<usize>> =
                list("shape").iter().map(|n| usize::try_from(n.as_u64()?).ok()).collect();
            let numbers: Vec<ScalarValue> =
                list("values").iter().map(number).collect::<anyhow::Result<_>>()?;
            let tensor = Tensor::new(dtype, &shape.context("no shape")?, &numbers)
                .map_err(|error| anyhow::anyhow!("{error:?}"))?;
            Ok(tensor.into())
        }
        other => Ok(number(other)?.into()),
    }
}

/// How two outputs differ: types and shapes must be the same, floats within a tolerance.
pub fn difference(wanted: &ScriptValue, found: &ScriptValue, tolerance: f64) -> Option<String> {
    let (wanted, found) = (wanted.tensors(), found.tensors());
    if wanted.len() != found.len() {
        return Some(format!("{} tensors instead of {}", found.len(), wanted.len()));
    }
    wanted.iter().zip(&found).find_map(|(wanted, found)| {
        if (wanted.dtype(), wanted.shape()) != (found.dtype(), found.shape()) {
            return Some(format!("{found} instead of {wanted}"));
        }
        let pairs = wanted.numbers().into_iter().zip(found.numbers());
        pairs.enumerate().find_map(|(at, (wanted, found))| {
            (!near(wanted, found, tolerance))
                .then(|| format!("element {at}: {found} instead of {wanted}"))
        })
    })
}

/// Whether two outputs differ by no more than what rounding leaves of a sum of numbers as large as the largest of its
/// tensor: where large ones cancel each other, the order in which a release adds shows.
pub fn is_rounding(wanted: &ScriptValue, found: &ScriptValue, tolerance: f64) -> bool {
    let (wanted, found) = (wanted.tensors(), found.tensors());
    let of_tensor = |(wanted, found): (&Tensor, &Tensor)| {
        let pairs = || wanted.numbers().into_iter().zip(found.numbers());
        let largest = pairs().map(|(one, _)| size(one)).filter(|one| one.is_finite());
        let bound = tolerance * largest.fold(0.0, f64::max);
        let is_same = (wanted.dtype(), wanted.shape()) == (found.dtype(), found.shape());
        is_same && pairs().all(|(a, b)| near(a, b, tolerance) || distance(a, b) <= bound)
    };
    wanted.len() == found.len() && wanted.iter().zip(&found).all(|(a, b)| of_tensor((a, b)))
}

fn size(number: ScalarValue) -> f64 {
    distance(number, ScalarValue::Float(0.0))
}

/// How far two floats lie apart; integers that are not the same lie apart without end.
fn distance(a: ScalarValue, b: ScalarValue) -> f64 {
    let parts = |number| match number {
        ScalarValue::Complex(re, im) => Some((re, im)),
        ScalarValue::Float(re) => Some((re, 0.0)),
        _ => None,
    };
    match (parts(a), parts(b)) {
        (Some(a), Some(b)) => (a.0 - b.0).hypot(a.1 - b.1),
        _ => f64::INFINITY,
    }
}

/// Equal, but for what rounding may change in a float.
pub fn near(wanted: ScalarValue, found: ScalarValue, tolerance: f64) -> bool {
    match (wanted, found) {
        (ScalarValue::Complex(a, b), ScalarValue::Complex(c, d)) => {
            near(ScalarValue::Float(a), ScalarValue::Float(c), tolerance)
                && near(ScalarValue::Float(b), ScalarValue::Float(d), tolerance)
        }
        (ScalarValue::Float(a), ScalarValue::Float(b)) => {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * a.abs().max(0.1)
        }
        (ScalarValue::Float(a), ScalarValue::Int(b))
        | (ScalarValue::Int(b), ScalarValue::Float(a)) => a == b as f64,
        (a, b) => a == b,
    }
}
