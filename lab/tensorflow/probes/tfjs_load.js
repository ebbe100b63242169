// What a release of TensorFlow.js does with models: each is loaded from its folder and run once.
//
// load.js BUNDLE FOLDER...
//
// Prints a line for each: the folder, `ok`, `load` or `run`, and the message.
"use strict";

const fs = require("fs");
const path = require("path");

for (const kind of ["log", "warn", "info", "error"]) console[kind] = () => {};
const say = (...cells) => process.stdout.write(cells.join("\t").replaceAll("\n", " ") + "\n");

const tf = require(path.resolve(process.argv[2]));

/** What a page hands to the loader after it fetched `model.json` and its shards. */
function artifacts(folder) {
  const json = JSON.parse(fs.readFileSync(path.join(folder, "model.json"), "utf8"));
  const manifest = json.weightsManifest || [];
  const shards = manifest.flatMap((group) => group.paths).map((name) => fs.readFileSync(path.join(folder, name)));
  const bytes = Buffer.concat(shards);
  const weightData = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return { ...json, weightSpecs: manifest.flatMap((group) => group.weights), weightData };
}

/** An input of this shape and type; sizes that are not known are 2. */
function made(shape, dtype) {
  const sizes = (shape || [2]).map((size) => (size === null || size < 0 ? 2 : size));
  if (dtype === "string") return tf.fill(sizes, "a b", "string");
  const count = sizes.reduce((all, one) => all * one, 1);
  const values = [...Array(count).keys()].map((at) => (dtype === "int32" ? at % 3 : ((at * 37) % 101) / 101));
  return tf.tensor(values, sizes, dtype === "int32" ? "int32" : "float32");
}

async function run(folder) {
  const found = artifacts(folder);
  const handler = { load: async () => found };
  if (found.format === "graph-model") {
    const model = await tf.loadGraphModel(handler);
    return async () => {
      const feed = {};
      for (const input of model.inputs) feed[input.name] = made(input.shape, input.dtype);
      try {
        await model.executeAsync(feed);
      } catch (error) {
        // Up to 1.1 a graph without control flow is not run so.
        if (!String(error && error.message).includes("please use execute method")) throw error;
        model.execute(feed);
      }
    };
  }
  const model = await tf.loadLayersModel(handler);
  return async () => {
    const inputs = model.inputs.map((input) => made(input.shape, input.dtype));
    model.predict(inputs.length === 1 ? inputs[0] : inputs);
  };
}

async function main() {
  await tf.setBackend("cpu");
  for (const folder of process.argv.slice(3)) {
    let phase = "load";
    try {
      const first = await run(folder);
      phase = "run";
      await first();
      say(folder, "ok", "");
    } catch (error) {
      say(folder, phase, String(error && error.message).slice(0, 400));
    }
  }
}

main().then(() => process.exit(0));
