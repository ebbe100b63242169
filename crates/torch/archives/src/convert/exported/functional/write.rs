//! Nodes that write to an argument, as those that give what is written.

use unskew_torch_schemas::FunctionSchema;

use super::memory::MemoryOrigin;
use super::view::{ResultMemory, ViewInverse};
use super::{Functionalizer, meta};
use crate::format::target as operator;
use crate::json::JsonValue;

/// What is written to no tensor but to what it is: the operator that gives the view.
const TURNING: [(&str, &str); 9] = [
    ("aten::detach_", "detach"),
    ("aten::moveaxis_", "moveaxis"),
    ("aten::movedim_", "movedim"),
    ("aten::squeeze_", "squeeze"),
    ("aten::swapaxes_", "swapaxes"),
    ("aten::swapdims_", "swapdims"),
    ("aten::t_", "t"),
    ("aten::transpose_", "transpose"),
    ("aten::unsqueeze_", "unsqueeze"),
];

/// Operators that change what memory a tensor has.
const MEMORY: [&str; 7] = [
    "aten::as_strided_",
    "aten::rename_",
    "aten::requires_grad_",
    "aten::resize_",
    "aten::resize_as_",
    "aten::resize_as_sparse_",
    "aten::set_",
];

const REFUSED: &str = "takes no operator that writes to its arguments";

impl Functionalizer<'_, '_> {
    pub(super) fn write(&mut self, node: JsonValue, target: &str, schema: &FunctionSchema) {
        let outputs = node.get("outputs").into_iter().flat_map(meta::tensors);
        let outputs: Vec<String> = outputs.map(str::to_owned).collect();
        if let Err(why) = self.instead(node, target, schema) {
            self.block(&format!("{REFUSED}: {target}, {why}"));
            for name in outputs {
                self.memory.root(&name, MemoryOrigin::Made);
            }
        }
    }

    fn instead(
        &mut self,
        mut node: JsonValue,
        target: &str,
        schema: &FunctionSchema,
    ) -> Result<(), String> {
        let mut written = schema.arguments.iter().filter(|one| one.is_written());
        let (Some(argument), None) = (written.next(), written.next()) else {
            return Err("which writes to several".to_owned());
        };
        let output = node.get("outputs").into_iter().flat_map(meta::tensors).next();
        let (Some(output), Some(overload)) = (output.map(str::to_owned), operator(target)) else {
            return Err("of which no result is told".to_owned());
        };
        let overload = overload.1;
        let spelled = spelled(&overload);
        let given = meta::argument(&node, &argument.name).map(meta::tensors).unwrap_or_default();
        let [name] = given[..] else { return Err("which writes to several".to_owned()) };
        let name = name.to_owned();
        let tensor_id = self.memory.id(&name);
        if let Some(why) = self.memory.doubt(tensor_id) {
            return Err(format!(
                "and {name} may share memory with {why}, which is written to before"
            ));
        }
        if let Some((_, view)) = TURNING.iter().find(|(one, _)| *one == schema.name) {
            return self.turn(node, view, tensor_id, &output);
        }
        if MEMORY.contains(&schema.name.as_str()) {
            return Err("which changes what memory a tensor has".to_owned());
        }
        if let Some(why) = self.memory.refusal(tensor_id) {
            return Err(why);
        }
        let functional = match schema.name.as_str() {
            "aten::normal_" => "aten::normal_functional",
            name => name.strip_suffix('_').unwrap_or_default(),
        };
        let there = self.schemas.table.overload(functional, &overload);
        let Some(there) = there.filter(|there| is_beside(there, schema)) else {
            return Err("and has none that gives what it writes".to_owned());
        };
        // The first argument has another name in some.
        let renamed = schema.arguments.iter().zip(&there.arguments);
        let inputs = node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut);
        for (old, new) in renamed.filter(|(old, new)| old.name != new.name) {
            let is = |input: &&mut JsonValue| {
                input.get("name").and_then(JsonValue::as_text) == Some(&old.name)
            };
            if let Some(input) = inputs.iter_mut().find(is) {
                input.set("name", JsonValue::text(&*new.name));
            }
        }
        let cast = self.cast_of(functional.trim_start_matches("aten::"), &node, &name)?;
        let row = self.rows.get(&name).cloned();
        let after = self.rows.get(&output);
        if let (Some(row), Some(after)) = (&row, after)
            && row.get("sizes") != after.get("sizes")
        {
            return Err("which changes the sizes of a tensor".to_owned());
        }
        let new = format!("torch.ops.{}.{spelled}", functional.replacen("::", ".", 1));
        node.set("target", JsonValue::text(&*new));
        let mut value = output.clone();
        match cast {
            None => self.emit(node),
            Some(dtype) => {
                let mut wide = row.clone().ok_or("of whose tensor nothing is told")?;
                let own = wide.get("dtype").cloned().unwrap_or(JsonValue::Null);
                wide.set("dtype", JsonValue::number(dtype));
                let before = self.fresh(&output);
                self.row(&before, wide);
                meta::each_tensor(
                    node.get_mut("outputs").unwrap_or(&mut JsonValue::Null),
                    &mut |name| {
                        *name = before.clone();
                    },
                );
                if node.get("name").is_some() {
                    node.set("name", JsonValue::text(&*before));
                }
                let metadata = node.get("metadata").cloned();
                self.emit(node);
                let own = JsonValue::object([("as_scalar_type", own)]);
                let tensor = [("self", tensor(&before)), ("dtype", own)];
                value = self.add("to.dtype", &tensor, &output, metadata, None);
            }
        }
        self.found.change(format!("{new} in place of {target}"));
        self.put_back(tensor_id, &output, value)
    }

    /// Puts what was written to a tensor back into all that it is a view of. `written` is what the node gives.
    fn put_back(&mut self, id: usize, written: &str, mut value: String) -> Result<(), String> {
        let mut at = id;
        while let Some((node, back, number, parent)) = self.memory.view_of(at) {
            let (node, back) = (node.clone(), back.clone());
            value = self.one_back(&node, &back, number, parent, value)?;
            at = parent;
        }
        self.memory.written(at, &value, id);
        if at == id {
            self.memory.same(written, id);
        } else {
            // The node gave a copy of the part that was written: it is taken from the whole when it is read.
            self.memory.alias(written, id);
        }
        Ok(())
    }

    /// What the whole `parent` becomes with `value` in the place of a view of it.
    fn one_back(
        &mut self,
        node: &JsonValue,
        back: &ViewInverse,
        number: usize,
        parent: usize,
        value: String,
    ) -> Result<String, String> {
        let metadata = node.get("metadata").cloned();
        let result = |at: usize| -> Option<String> {
            let all = node.get("outputs").into_iter().flat_map(meta::tensors);
            all.map(str::to_owned).nth(at)
        };
        let target = node.get("target").and_then(JsonValue::as_text).unwrap_or_default().to_owned();
        let never = || format!("through {target}, which is not put back");
        let name = self.memory.name(parent).to_owned();
        let row = self.rows.get(&name).cloned();
        let copied = |source: &str| {
            let arg = meta::argument(node, source);
            arg.map(|arg| (source.to_owned(), arg.clone()))
        };
        let (operator, arguments): (&str, Vec<(String, JsonValue)>) = match back {
            ViewInverse::Itself => return Ok(value),
            ViewInverse::Never => return Err(never()),
            ViewInverse::Reshape => {
                let whole = self.read(parent);
                let arguments =
                    vec![("self".to_owned(), tensor(&value)), ("other".to_owned(), tensor(&whole))];
                ("reshape_as.default", arguments)
            }
            ViewInverse::Again => {
                let operator = target.strip_prefix("torch.ops.aten.").ok_or_else(never)?;
                let mut arguments = vec![("self".to_owned(), tensor(&value))];
                arguments.extend(["dim0", "dim1", "axis0", "axis1"].into_iter().filter_map(copied));
                (operator, arguments)
            }
            ViewInverse::Swap => {
                let operator = target.strip_prefix("torch.ops.aten.").ok_or_else(never)?;
                let swapped = [("source", "destination"), ("destination", "source")];
                let mut arguments = vec![("self".to_owned(), tensor(&value))];
                for (name, from) in swapped {
                    let (_, arg) = copied(from).ok_or_else(never)?;
                    arguments.push((name.to_owned(), arg));
                }
                (operator, arguments)
            }
            ViewInverse::Permute => {
                let dims = meta::argument(node, "dims")
                    .and_then(|dims| dims.get("as_ints"))
                    .ok_or_else(never)?;
                let dims: Option<Vec<i64>> = dims.items().iter().map(JsonValue::as_int).collect();
                let dims = dims.and_then(|dims| inverse(&dims)).ok_or_else(never)?;
                let dims = JsonValue::List(dims.into_iter().map(JsonValue::number).collect());
                let arguments = vec![
                    ("self".to_owned(), tensor(&value)),
                    ("dims".to_owned(), JsonValue::object([("as_ints", dims)])),
                ];
                ("permute.default", arguments)
            }
            ViewInverse::Scatter(operator) => {
                let whole = self.read(parent);
                let mut arguments =
                    vec![("self".to_owned(), tensor(&whole)), ("src".to_owned(), tensor(&value))];
                let names = ["offset", "dim1", "dim2", "dim", "index", "start", "end", "step"];
                arguments.extend(names.into_iter().filter_map(copied));
                (*operator, arguments)
            }
            ViewInverse::Part | ViewInverse::Element => {
                let whole = self.read(parent);
                let dim = match meta::argument(node, "dim") {
                    Some(_) => meta::int(node, "dim").ok_or_else(never)?,
                    None => 0,
                };
                let mut arguments =
                    vec![("self".to_owned(), tensor(&whole)), ("src".to_owned(), tensor(&value))];
                arguments.push(("dim".to_owned(), int(dim)));
                if *back == ViewInverse::Element {
                    let number = i64::try_from(number).map_err(|_| never())?;
                    arguments.push(("index".to_owned(), int(number)));
                    ("select_scatter.default", arguments)
                } else {
                    let size = |at: usize| -> Option<i64> {
                        let sizes =
                            meta::numbers(meta::list(self.rows.get(&result(at)?)?, "sizes")?)?;
                        let rank = i64::try_from(sizes.len()).ok()?;
                        let dim = if dim < 0 { dim + rank } else { dim };
                        sizes.get(usize::try_from(dim).ok()?).copied()
                    };
                    let start = (0..number).try_fold(0_i64, |sum, at| sum.checked_add(size(at)?));
                    let start = start.ok_or_else(never)?;
                    let end =
                        size(number).and_then(|size| start.checked_add(size)).ok_or_else(never)?;
                    arguments.push(("start".to_owned(), int(start)));
                    arguments.push(("end".to_owned(), int(end)));
                    ("slice_scatter.default", arguments)
                }
            }
        };
        let arguments: Vec<(&str, JsonValue)> =
            arguments.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let name = self.fresh(&name);
        Ok(self.add(operator, &arguments, &name, metadata, row))
    }

    /// Adds a node of an operator of PyTorch's, whose arguments have the names that are meant by now.
    fn add(
        &mut self,
        operator: &str,
        arguments: &[(&str, JsonValue)],
        output: &str,
        metadata: Option<JsonValue>,
        row: Option<JsonValue>,
    ) -> String {
        let input = |(name, arg): &(&str, JsonValue)| {
            JsonValue::object([
                ("name", JsonValue::text(*name)),
                ("arg", arg.clone()),
                ("kind", JsonValue::number(1)),
            ])
        };
        let mut node = JsonValue::object([
            ("target", JsonValue::text(format!("torch.ops.aten.{operator}"))),
            ("inputs", JsonValue::List(arguments.iter().map(input).collect())),
            ("outputs", JsonValue::List(vec![tensor(output)])),
            ("metadata", metadata.unwrap_or(JsonValue::Object(Vec::new()))),
        ]);
        if let Some(JsonValue::Object(fields)) = self.nodes.last() {
            // Fields that a later schema has, as the nodes around have them.
            let has = |name: &str| fields.iter().any(|(field, _)| field == name);
            if has("is_hop_single_tensor_return") {
                node.set("is_hop_single_tensor_return", JsonValue::Null);
            }
            if has("name") {
                node.set("name", JsonValue::text(output));
            }
        }
        self.nodes.push(node);
        if let Some(row) = row {
            self.row(output, row);
        }
        output.to_owned()
    }

    /// A tensor that becomes a view of what it was.
    fn turn(
        &mut self,
        mut node: JsonValue,
        view: &str,
        id: usize,
        output: &str,
    ) -> Result<(), String> {
        if !self.memory.is_own(id) {
            let name = self.memory.name(id);
            return Err(format!("which changes what {name} is, that others may have"));
        }
        let target = node.get("target").and_then(JsonValue::as_text).unwrap_or_default().to_owned();
        let (_, mut overload) = operator(&target).ok_or("which has no operator beside it")?;
        if view == "transpose" {
            "int".clone_into(&mut overload);
        }
        let new = format!("torch.ops.aten.{view}.{}", spelled(&overload));
        node.set("target", JsonValue::text(&*new));
        let schema = self.schemas.schema_of(&new);
        let ResultMemory::View(back) = self.kind(&node, schema.as_deref()) else {
            return Err("which has no operator beside it".to_owned());
        };
        let before = node.clone();
        self.emit(node);
        self.memory.turned(id, output, before, back);
        self.found.change(format!("{new} in place of {target}"));
        Ok(())
    }
}

/// Whether an operator takes what another takes, and gives what that one writes.
fn is_beside(new: &FunctionSchema, writing: &FunctionSchema) -> bool {
    let types = |schema: &FunctionSchema| {
        let types = schema.arguments.iter().map(|one| one.ty.to_string());
        types.collect::<Vec<_>>()
    };
    let writes = new.arguments.iter().any(|one| one.is_written());
    !writes && new.returns.len() == 1 && types(new) == types(writing)
}

fn inverse(dims: &[i64]) -> Option<Vec<i64>> {
    let rank = i64::try_from(dims.len()).ok()?;
    let mut inverse = vec![0; dims.len()];
    for (at, dim) in dims.iter().enumerate() {
        let dim = if *dim < 0 { dim + rank } else { *dim };
        *inverse.get_mut(usize::try_from(dim).ok()?)? = i64::try_from(at).ok()?;
    }
    Some(inverse)
}

/// The overload of a schema as a target has it.
fn spelled(overload: &str) -> &str {
    if overload.is_empty() { "default" } else { overload }
}

fn tensor(name: &str) -> JsonValue {
    JsonValue::object([("as_tensor", JsonValue::object([("name", JsonValue::text(name))]))])
}

fn int(number: i64) -> JsonValue {
    JsonValue::object([("as_int", JsonValue::number(number))])
}
