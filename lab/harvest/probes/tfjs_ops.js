// What a release of TensorFlow.js takes: asked of its bundle, which runs on its own CPU backend.
//
// tfjs.js BUNDLE < NAMES
//
// NAMES are ops, one a line. Prints `#unknown PHASE` (when a graph with an op that it does not know fails), `#weights`
// and `#quantized` (the types that it reads), an op a line as `NAME(op)`, and a class that a model of layers may name
// as `NAME(layer)` or `NAME(class)`.
"use strict";

const path = require("path");

// What a release prints of itself is none of the answer.
for (const kind of ["log", "warn", "info", "error"]) console[kind] = () => {};
const say = (line) => process.stdout.write(line + "\n");

const tf = require(path.resolve(process.argv[2]));
const INPUTS = 6;
const NO_OP = "UnskewHasNoSuchOp";

/** A promise that ends: a loop of a graph may wait for what never comes. */
function within(promise, ms) {
  let timer;
  const end = new Promise((_, no) => (timer = setTimeout(() => no(new Error("takes too long")), ms)));
  return Promise.race([promise, end]).finally(() => clearTimeout(timer));
}

function memory(artifacts) {
  return { load: async () => artifacts };
}

/** How a graph of one node fails: the phase and the message; none if it runs. */
async function failure(op) {
  const names = [...Array(INPUTS).keys()].map((at) => "x" + at);
  const float = { type: "DT_FLOAT" };
  const shape = { shape: { dim: [{ size: "2" }] } };
  const node = names.map((name) => ({ name, op: "Placeholder", attr: { dtype: float, shape } }));
  node.push({ name: "y", op, input: names, attr: { T: float } });
  const modelTopology = { node, versions: { producer: 1 } };
  let phase = "load";
  try {
    const weights = { weightSpecs: [], weightData: new ArrayBuffer(0) };
    const model = await tf.loadGraphModel(memory({ modelTopology, ...weights }));
    phase = "run";
    const feed = {};
    for (const name of names) feed[name] = tf.tensor1d([1, 2]);
    await within(model.executeAsync(feed, "y"), 2000);
    return null;
  } catch (error) {
    return { phase, message: String(error && error.message) };
  }
}

/** Whether a weight of this type is read. */
async function reads(dtype, quantization) {
  const spec = { name: "w", shape: dtype === "string" ? [0] : [1], dtype };
  if (quantization) spec.quantization = { dtype: quantization, scale: 1, min: 0, original_dtype: dtype };
  const node = [{ name: "w", op: "Const", attr: { dtype: { type: "DT_FLOAT" }, value: { tensor: {} } } }];
  const bytes = { uint8: 1, int8: 1, bool: 1, uint16: 2, int16: 2, float16: 2, bfloat16: 2, string: 0, int64: 8, uint64: 8, float64: 8, complex64: 8 };
  const weightData = new ArrayBuffer(bytes[quantization || dtype] ?? 4);
  try {
    await tf.loadGraphModel(memory({ modelTopology: { node, versions: {} }, weightSpecs: [spec], weightData }));
    return true;
  } catch (error) {
    if (process.env.WHY) say(`# ${dtype} ${quantization || ""}: ${error.message}`);
    return false;
  }
}

async function types(quantizations) {
  const all = ["float32", "int32", "bool", "string", "complex64", "float16", "bfloat16", "float64", "int8", "int16", "int64", "uint8", "uint16", "uint32", "uint64"];
  const read = [];
  for (const one of all) if (await (quantizations ? reads("float32", one) : reads(one))) read.push(one);
  return read.join(" ");
}

async function main() {
  await tf.setBackend("cpu");
  const unknown = await failure(NO_OP);
  const message = unknown.message;
  if (!message.includes(NO_OP)) throw new Error(`an op that is not known is not named: ${message}`);
  say(`#unknown ${unknown.phase}`);
  say(`#weights ${await types(false)}`);
  say(`#quantized ${await types(true)}`);
  const names = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
  for (const name of names) {
    const failed = await failure(name);
    const same = failed && failed.message === message.replaceAll(NO_OP, name);
    const missing = failed && failed.message.startsWith(`Node type ${name} is not implemented`);
    if (process.env.WHY && failed && !same) say(`# ${name}: ${failed.phase}: ${failed.message.slice(0, 200)}`);
    if (!same && !missing) say(`${name}(op)`);
  }
  const classes = tf.serialization.SerializationMap.getMap().classNameMap;
  for (const [name, [found]] of Object.entries(classes)) {
    const layer = found.prototype instanceof tf.layers.Layer;
    say(`${name}(${layer ? "layer" : "class"})`);
  }
}

main().then(() => process.exit(0), (error) => {
  process.stderr.write(String(error && error.stack) + "\n");
  process.exit(1);
});
