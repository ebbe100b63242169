//! `torch.export` archives, in both containers.
//!
//! Up to 2.7 a zip with `serialized_exported_program.json` at the top; from 2.8 on an archive with
//! `models/NAME.json`. Both hold the same graph: nodes whose targets name an overload, with named
//! arguments. From 2.5 on the file says which version wrote it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use memchr::memmem;
use serde::Deserialize;
use serde::de::IgnoredAny;
use unskew_abi::SharedObject;
use unskew_core::Version;
use unskew_extensions::{Framework, Needs};
use unskew_source::{ArchiveMember, BytesSource, ReadError, Slice, Source};
use unskew_torch_schemas::CallShape;

use super::records::Records;
use crate::exported::elements::{self, Element};
use crate::exported::loader;
use crate::model::{GivenArguments, OperatorUse};
use crate::{ProducerReleases, TorchFormat, TorchModel, VersionStamp, history};

/// The record of the older container.
const PROGRAM: &str = "serialized_exported_program.json";

/// Where compiled libraries lie; up to 2.7 at the top of the file, since 2.8 in the folder of the archive.
const COMPILED: &str = "data/aotinductor/";

#[derive(Deserialize)]
struct Program<'a> {
    #[serde(borrow)]
    graph_module: GraphModule<'a>,
    #[serde(default)]
    opset_version: BTreeMap<String, i64>,
    schema_version: SchemaVersion,
    #[serde(default)]
    torch_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SchemaVersion {
    Number(i64),
    Pair { major: i64, minor: i64 },
}

#[derive(Deserialize)]
struct GraphModule<'a> {
    #[serde(borrow)]
    graph: Graph<'a>,
}

#[derive(Deserialize)]
struct Graph<'a> {
    #[serde(borrow)]
    nodes: Vec<Node<'a>>,
}

#[derive(Deserialize)]
struct Node<'a> {
    #[serde(borrow)]
    target: Cow<'a, str>,
    #[serde(borrow, default)]
    inputs: Vec<Input<'a>>,
    #[serde(default)]
    outputs: Vec<NodeOutput>,
    #[serde(default)]
    is_hop_single_tensor_return: Option<bool>,
}

/// Of what a node gives only whether it is a list of tensors.
#[derive(Deserialize)]
struct NodeOutput {
    #[serde(default)]
    as_tensors: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Input<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arg: Option<Argument<'a>>,
}

/// Only graphs within the graph matter; every other kind of argument is passed over.
#[derive(Deserialize)]
struct Argument<'a> {
    #[serde(borrow, default)]
    as_graph: Option<Box<GraphModule<'a>>>,
}

/// A file of 2.1 to 2.7.
pub(super) fn read_json(records: &Records) -> Result<TorchModel, ReadError> {
    let mut model = TorchModel::new(TorchFormat::ExportedJson);
    let bytes = records.get(PROGRAM)?.unwrap_or_default();
    program(records, PROGRAM, &bytes, &mut model)?;
    model.export_records = loader::known_records(records.all().map(|(name, _)| name));
    Ok(model)
}

/// A file of 2.8 or later.
pub(super) fn read_archive(records: &Records) -> Result<TorchModel, ReadError> {
    let mut model = TorchModel::new(TorchFormat::ExportedArchive);
    model.export_records = loader::known_records(records.all().map(|(name, _)| name));
    for (name, entry) in records.all() {
        if name.starts_with("models/") && name.ends_with(".json") {
            program(records, name, &records.content(entry)?, &mut model)?;
        }
    }
    if let Some(version) = records.get("archive_version")? {
        let version = String::from_utf8_lossy(&version).trim().to_owned();
        model.facts.push(("archive version", version));
    }
    if records.any(COMPILED, "") {
        compiled(records, &mut model);
        model.facts.push(("compiled", "AOTInductor libraries".to_owned()));
        model.compiled_at = Some(format!("{}{COMPILED}", records.root()));
        compiled_for(records, &mut model)?;
    }
    if records.root().is_empty() {
        model.producer.narrow(None, Some(Version::pair(2, 7)), "no folder around its records");
    } else {
        model.producer.narrow(Some(Version::pair(2, 8)), None, "archive container");
    }
    Ok(model)
}

/// Takes what the compiled libraries need; one of which that cannot be read is not judged.
fn compiled(records: &Records, model: &mut TorchModel) {
    let is_library = |name: &str| name.starts_with(COMPILED) && name.ends_with(".so");
    for (name, entry) in records.all().filter(|(name, _)| is_library(name)) {
        match library(records, name, entry) {
            Some(needs) => model.libraries.push(Arc::new(needs)),
            None => model.compiled = true,
        }
    }
    model.compiled |= model.libraries.is_empty();
}

/// What AOTInductor writes of the machine that it compiled for.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CompiledFor {
    #[serde(rename = "AOTI_DEVICE_KEY")]
    device: String,
    #[serde(rename = "AOTI_MACHINE")]
    machine: String,
    #[serde(rename = "AOTI_CPU_ISA")]
    instructions: String,
    #[serde(rename = "AOTI_COMPUTE_CAPABILITY")]
    capability: String,
}

/// Takes note of the device and the instructions that the libraries were compiled for, which are not judged.
fn compiled_for(records: &Records, model: &mut TorchModel) -> Result<(), ReadError> {
    let is_said =
        |name: &str| name.starts_with(COMPILED) && name.ends_with("wrapper_metadata.json");
    let Some((_, entry)) = records.all().find(|(name, _)| is_said(name)) else { return Ok(()) };
    let bytes = records.content(entry)?;
    let made: CompiledFor = serde_json::from_slice(&bytes).unwrap_or_default();
    let all = [made.device, made.machine, made.instructions, made.capability];
    let all: Vec<String> = all.into_iter().filter(|one| !one.is_empty()).collect();
    if !all.is_empty() {
        model.facts.push(("compiled for", all.join(", ")));
    }
    Ok(())
}

fn library(records: &Records, name: &str, entry: &ArchiveMember) -> Option<Needs> {
    let raw = records.raw(entry).ok()?;
    let source: Arc<dyn Source> = match raw.deflated {
        true => Arc::new(BytesSource::new(name, records.content(entry).ok()?)),
        // It may hold all weights of the model: only its headers are read.
        false => {
            let size = raw.range.end - raw.range.start;
            Arc::new(Slice::new(name, raw.source, raw.range.start, size).ok()?)
        }
    };
    let object = SharedObject::read(&source).ok()??;
    let needs = Needs::from_object(name, &object)?;
    (needs.machine.is_some() && needs.extends(Framework::Torch)).then_some(needs)
}

fn program(
    records: &Records,
    name: &str,
    bytes: &[u8],
    model: &mut TorchModel,
) -> Result<(), ReadError> {
    let bytes = without_float_words(bytes);
    // Where all is UTF-8 that is known at once, and need not be found out for each of the texts that are read.
    let program: Result<Program<'_>, _> = match str::from_utf8(&bytes) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(&bytes),
    };
    let program = program
        .map_err(|error| ReadError::malformed(records.file(), error.to_string()).in_record(name))?;
    let version = match program.schema_version {
        SchemaVersion::Number(n) => Version::number(n),
        SchemaVersion::Pair { major, minor } => Version::pair(major, minor),
    };
    model.exported = Some(VersionStamp { version, place: format!("{name}, schema_version") });
    model.producer = match &program.torch_version {
        Some(torch) => ProducerReleases::stated(torch, &format!("{name}, torch_version")),
        None => {
            let mut producer = ProducerReleases::unknown();
            let (since, until) = history::exported_by(version);
            producer.narrow(since, until, &format!("schema {version}"));
            producer
        }
    };
    let opsets: Vec<String> =
        program.opset_version.iter().map(|(domain, n)| format!("{domain} {n}")).collect();
    model.facts.push(("opset version", opsets.join(", ")));
    graph(&program.graph_module.graph, name, model);
    let text = String::from_utf8_lossy(&bytes);
    let found = elements::of_program(&text, version)
        .map_err(|error| ReadError::malformed(records.file(), error.to_string()).in_record(name))?;
    for (element, places) in found {
        model.elements.entry(element).or_default().extend(&places);
    }
    Ok(())
}

/// Python writes `Infinity` and `NaN` for floats, which JSON does not have: here they become 0, since no
/// number matters. The text keeps its length, so faults are found at their places.
fn without_float_words(bytes: &[u8]) -> Cow<'_, [u8]> {
    // Nearly all graphs have neither.
    if [&b"Infinity"[..], b"NaN"].iter().all(|word| memmem::find(bytes, word).is_none()) {
        return Cow::Borrowed(bytes);
    }
    let mut changed = Cow::Borrowed(bytes);
    let (mut at, mut in_text) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            b'I' | b'N' | b'-' if !in_text => {
                let rest = bytes.get(at..).unwrap_or_default();
                let words: [&[u8]; 3] = [b"Infinity", b"-Infinity", b"NaN"];
                if let Some(word) = words.into_iter().find(|word| rest.starts_with(word)) {
                    let end = at + word.len();
                    if let Some(word) = changed.to_mut().get_mut(at..end) {
                        word.fill(b' ');
                        word[0] = b'0';
                    }
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    changed
}

/// The nesting is bounded by the JSON reader, which refuses more than 128 levels.
fn graph(graph: &Graph<'_>, record: &str, model: &mut TorchModel) {
    for (i, node) in graph.nodes.iter().enumerate() {
        let subgraphs =
            node.inputs.iter().filter_map(|input| input.arg.as_ref()?.as_graph.as_ref());
        for subgraph in subgraphs {
            self::graph(&subgraph.graph, record, model);
        }
        if let Some(name) = loader::region(&node.target) {
            let element = Element { ty: elements::REGION, name: name.to_owned().into() };
            model.elements.entry(element).or_default().add(format_args!("{record}, node {i}"));
        }
        if let [NodeOutput { as_tensors: Some(_) }] = node.outputs.as_slice()
            && node.is_hop_single_tensor_return.is_none()
            && node.target.starts_with("torch.ops.higher_order.")
        {
            let element = Element { ty: elements::RESULT, name: "as_tensors".into() };
            model.elements.entry(element).or_default().add(format_args!("{record}, node {i}"));
        }
        let Some((name, overload)) = target(&node.target) else { continue };
        let names = node.inputs.iter().map(|input| &*input.name);
        let keywords = names.filter(|name| !name.is_empty()).map(str::to_owned);
        let shape = CallShape { positional: 0, keywords: keywords.collect() };
        let one = OperatorUse { name, given: GivenArguments::Named(overload, shape) };
        model.add_use(one, format_args!("{record}, node {i}"), false);
    }
}

/// `torch.ops.aten.add.Tensor` as an operator and an overload. Other targets are Python functions
/// and operators of higher order, which are in no operator table.
pub(crate) fn target(target: &str) -> Option<(String, String)> {
    let (namespace, rest) = target.strip_prefix("torch.ops.")?.split_once('.')?;
    let (name, overload) = rest.rsplit_once('.')?;
    if namespace == "higher_order" || name.contains('.') {
        return None;
    }
    let overload = if overload == "default" { "" } else { overload };
    Some(([namespace, "::", name].concat(), overload.to_owned()))
}
