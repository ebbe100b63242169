//! Objects that the pickles of an archive describe, as values.
//!
//! Nothing is unpickled: the description is read ([`unskew_torch::pickle`]), and of the calls in it only
//! those are carried out that make tensors, lists, and objects of the archive's own classes.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt as _};
use unskew_source::ReadError;
use unskew_torch::pickle::{Id, Pickle, PickleCall, PickleValue as Described};

use super::records::Records;
use crate::limits::Meter;
use crate::machine::named_fields;
use crate::operators::packed;
use crate::tensor::Quantizer;
use crate::tensor::Storage;
use crate::{Dtype, ProgramCode, ScriptValue, Tensor};
use crate::{ScriptObject, ScriptTuple};

/// How deep objects may nest.
const DEPTH: usize = 200;

/// What the pickle of this name is; none if there is none.
pub(super) fn read(
    records: &Records,
    code: &ProgramCode,
    name: &str,
    constants: &[ScriptValue],
) -> Result<Option<ScriptValue>, ReadError> {
    let record = format!("{name}.pkl");
    let Some(bytes) = records.get(&record)? else { return Ok(None) };
    let pickle = records.pickle(&record, &bytes)?;
    let mut reader = ObjectReader::new(records, code, &pickle, name, constants);
    reader.value(pickle.root(), None, 0).map(Some).map_err(|what| records.fault(&record, what))
}

/// Some values of a pickle, whose tensors lie in `folder`.
pub(super) fn members(
    records: &Records,
    code: &ProgramCode,
    pickle: &Pickle,
    ids: &[Id],
    folder: &str,
    constants: &[ScriptValue],
) -> Result<Vec<ScriptValue>, String> {
    ObjectReader::new(records, code, pickle, folder, constants).all(ids, 0)
}

struct ObjectReader<'r> {
    records: &'r Records,
    code: &'r ProgramCode,
    pickle: &'r Pickle,
    folder: &'r str,
    constants: &'r [ScriptValue],
    meter: Rc<Meter>,
    /// By the number of the description: what is shared is made once.
    made: HashMap<Id, ScriptValue>,
    storages: HashMap<String, (Rc<Storage>, Dtype)>,
}

impl<'r> ObjectReader<'r> {
    fn new(
        records: &'r Records,
        code: &'r ProgramCode,
        pickle: &'r Pickle,
        folder: &'r str,
        constants: &'r [ScriptValue],
    ) -> Self {
        let meter = Meter::new(records.limits());
        let (made, storages) = (HashMap::new(), HashMap::new());
        Self { records, code, pickle, folder, constants, meter, made, storages }
    }

    fn value_of(&mut self, id: Id, depth: usize) -> Result<ScriptValue, String> {
        if let Some(value) = self.made.get(&id) {
            return Ok(value.clone());
        }
        let value = self.value(self.pickle.value(id), Some(id), depth + 1)?;
        self.made.insert(id, value.clone());
        Ok(value)
    }

    fn all(&mut self, ids: &[Id], depth: usize) -> Result<Vec<ScriptValue>, String> {
        ids.iter().map(|id| self.value_of(*id, depth)).collect()
    }

    fn value(
        &mut self,
        described: &Described,
        id: Option<Id>,
        depth: usize,
    ) -> Result<ScriptValue, String> {
        if depth > DEPTH {
            return Err(format!("objects nest deeper than {DEPTH}"));
        }
        Ok(match described {
            Described::None => ScriptValue::None,
            Described::Bool(yes) => ScriptValue::from(*yes),
            Described::Int(number) => ScriptValue::from(*number),
            Described::Float(number) => ScriptValue::from(*number),
            Described::Text(text) => ScriptValue::from(text.as_str()),
            Described::Tuple(ids) => ScriptValue::tuple(self.all(ids, depth)?),
            Described::List(ids) => ScriptValue::list(self.all(ids, depth)?),
            Described::Dict(ids) => self.dict(ids, depth)?,
            Described::Call(call) => self.call(call, id, depth)?,
            Described::Global(module, name) => {
                ScriptValue::Callable(format!("{module}.{name}").into())
            }
            Described::BigInt(_) => return Err("an integer of more than 64 bits".into()),
            Described::Bytes(_) => return Err("bytes where a value should be".into()),
            Described::Persistent(_) => return Err("a storage where a value should be".into()),
        })
    }

    fn dict(&mut self, ids: &[Id], depth: usize) -> Result<ScriptValue, String> {
        let values = self.all(ids, depth)?;
        let pairs = values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        Ok(ScriptValue::dict(pairs))
    }

    fn call(
        &mut self,
        call: &PickleCall,
        id: Option<Id>,
        depth: usize,
    ) -> Result<ScriptValue, String> {
        let Described::Global(module, name) = self.pickle.value(call.callee) else {
            return Err("a call of something that has no name".into());
        };
        let full = format!("{module}.{name}");
        let arguments = match call.arguments.map(|id| self.pickle.value(id)) {
            Some(Described::Tuple(ids)) => ids.to_vec(),
            _ => Vec::new(),
        };
        if module.starts_with("__torch__") {
            return self.object(&full, call, &arguments, id, depth);
        }
        let first = arguments.first().copied();
        match (full.as_str(), first) {
            ("torch._utils._rebuild_tensor_v2" | "torch._utils._rebuild_tensor", _) => {
                self.tensor(&arguments, depth)
            }
            ("torch._utils._rebuild_qtensor", _) => self.quantized(&arguments, depth),
            ("torch._utils._rebuild_parameter", Some(data)) => self.value_of(data, depth),
            (
                "torch.jit._pickle.build_intlist"
                | "torch.jit._pickle.build_doublelist"
                | "torch.jit._pickle.build_boollist"
                | "torch.jit._pickle.build_tensorlist"
                | "torch.jit._pickle.restore_type_tag",
                Some(list),
            ) => self.value_of(list, depth),
            ("torch.jit._pickle.build_tensor_from_id", Some(at)) => {
                let at = self.value_of(at, depth)?.number().map_or(-1, crate::ScalarValue::int);
                let known = usize::try_from(at).ok().and_then(|at| self.constants.get(at));
                known.cloned().ok_or_else(|| format!("no constant of this number: {at}"))
            }
            ("collections.OrderedDict", _) => self.dict(&call.items, depth),
            ("torch.device", Some(device)) => match self.value_of(device, depth)? {
                ScriptValue::Text(name) => Ok(ScriptValue::Device(name)),
                other => Err(format!("a device that is {}", other.type_name())),
            },
            _ => Err(format!("the interpreter does not make these: {full}")),
        }
    }

    /// An object of a class of the code, with its attributes.
    fn object(
        &mut self,
        class: &str,
        call: &PickleCall,
        arguments: &[Id],
        id: Option<Id>,
        depth: usize,
    ) -> Result<ScriptValue, String> {
        if let Some((_, fields)) = self.code.class(class).and_then(|(unit, class)| {
            named_fields(class).map(|fields| (unit, fields.iter().map(|f| Rc::from(*f)).collect()))
        }) {
            let fields: Vec<Rc<str>> = fields;
            let items = self.all(arguments, depth)?;
            let named = Some((Rc::from(class), fields));
            return Ok(ScriptValue::Tuple(Rc::new(ScriptTuple { items, named })));
        }
        if class.starts_with("__torch__.torch.classes.") {
            let state = match call.state {
                Some(state) => self.value_of(state, depth)?,
                None => ScriptValue::None,
            };
            return packed(class, &state).unwrap_or_else(|| {
                Err(format!("the interpreter does not make objects of this class: {class}"))
            });
        }
        let object = Rc::new(ScriptObject { class: class.into(), attributes: Default::default() });
        // Before its attributes, which may refer to it.
        if let Some(id) = id {
            self.made.insert(id, ScriptValue::Object(object.clone()));
        }
        let takes_state = self.code.method(class, "__setstate__").is_some();
        match call.state.map(|id| self.pickle.value(id)) {
            None => {}
            Some(state) if takes_state => {
                let state = self.value(state, None, depth + 1)?;
                let object = ScriptValue::Object(object.clone());
                self.records.states.borrow_mut().push((object, state));
            }
            Some(Described::Dict(ids)) => {
                for pair in ids.chunks_exact(2) {
                    let name = self.pickle.value(pair[0]).text().unwrap_or("").to_owned();
                    let value = self.value_of(pair[1], depth)?;
                    object.set(&name, value);
                }
            }
            Some(_) => return Err(format!("an object with a state of its own: {class}")),
        }
        Ok(ScriptValue::Object(object))
    }

    fn tensor(&mut self, arguments: &[Id], depth: usize) -> Result<ScriptValue, String> {
        let [storage, offset, shape, strides, ..] = arguments else {
            return Err("a tensor with too few numbers".into());
        };
        let Described::Persistent(Some(which)) = self.pickle.value(*storage) else {
            return Err("a tensor without a storage".into());
        };
        let which: Vec<&Described> = self.pickle.members(self.pickle.value(*which)).collect();
        let [_, Described::Global(_, class), Described::Text(key), ..] = which.as_slice() else {
            return Err("a storage that does not say what it is".into());
        };
        let (storage, dtype) = self.storage(class, key)?;
        let mut sizes = |id: Id| -> Result<Vec<usize>, String> {
            let items = self.value_of(id, depth)?.items().unwrap_or_default();
            let size = |item: &ScriptValue| usize::try_from(item.number()?.int()).ok();
            items.iter().map(size).collect::<Option<_>>().ok_or_else(|| "no sizes".to_owned())
        };
        let (shape, strides) = (sizes(*shape)?, sizes(*strides)?);
        let offset = self.pickle.value(*offset).int().and_then(|n| usize::try_from(n).ok());
        let offset = offset.ok_or("a tensor without an offset")?;
        let tensor = Tensor::over(storage, dtype, offset, shape, strides);
        tensor.map(ScriptValue::Tensor).map_err(|problem| problem.to_string())
    }

    /// A tensor of integers that stand for numbers.
    fn quantized(&mut self, arguments: &[Id], depth: usize) -> Result<ScriptValue, String> {
        let Some(described) = arguments.get(4) else {
            return Err("a quantized tensor without a scale".into());
        };
        let parts = self.value_of(*described, depth)?.items().unwrap_or_default();
        let floats = |value: &ScriptValue| -> Option<Vec<f64>> {
            match value {
                ScriptValue::Tensor(tensor) => Some(tensor.floats()),
                ScriptValue::List(_) => {
                    let items = value.items()?;
                    items.iter().map(|item| Some(item.number()?.float())).collect()
                }
                one => Some(vec![one.number()?.float()]),
            }
        };
        let (scales, zero_points, axis) = match parts.as_slice() {
            [_, scale, zero] => (floats(scale), floats(zero), None),
            [_, scales, zeros, axis] => {
                let axis = axis.number().and_then(|axis| usize::try_from(axis.int()).ok());
                (floats(scales), floats(zeros), Some(axis.ok_or("a scale for no dimension")?))
            }
            _ => return Err("a quantized tensor of an unknown scheme".into()),
        };
        let (Some(scales), Some(zero_points)) = (scales, zero_points) else {
            return Err("a quantized tensor whose scales are no numbers".into());
        };
        let half_bytes = self.is_of_half_bytes(arguments);
        let quantizer = Rc::new(Quantizer { scales, zero_points, axis, half_bytes });
        let tensor = match half_bytes {
            true => self.halves(arguments, depth)?,
            false => match self.tensor(arguments, depth)? {
                ScriptValue::Tensor(tensor) => {
                    let could_hold = |count| self.meter.could_hold(count);
                    let bounded = crate::tensor::count(tensor.shape()).and_then(could_hold);
                    bounded.map_err(|problem| problem.to_string())?;
                    tensor
                }
                other => return Err(format!("a tensor that is {}", other.type_name())),
            },
        };
        let tensor = tensor.quantized_by(quantizer);
        tensor.map(ScriptValue::Tensor).map_err(|problem| problem.to_string())
    }

    fn is_of_half_bytes(&self, arguments: &[Id]) -> bool {
        let Some(Described::Persistent(Some(which))) =
            arguments.first().map(|storage| self.pickle.value(*storage))
        else {
            return false;
        };
        let mut parts = self.pickle.members(self.pickle.value(*which));
        matches!(parts.nth(1), Some(Described::Global(_, class)) if class == "QUInt4x2Storage")
    }

    /// A dense matrix of which each byte has two integers, the lower bits first. Each row is said to have as many bytes as
    /// integers, and has half of that.
    fn halves(&mut self, arguments: &[Id], depth: usize) -> Result<Tensor, String> {
        let [storage, _, shape, ..] = arguments else {
            return Err("a tensor with too few numbers".into());
        };
        let Described::Persistent(Some(which)) = self.pickle.value(*storage) else {
            return Err("a tensor without a storage".into());
        };
        let which: Vec<&Described> = self.pickle.members(self.pickle.value(*which)).collect();
        let [_, _, Described::Text(key), ..] = which.as_slice() else {
            return Err("a storage that does not say what it is".into());
        };
        let (storage, _) = self.storage("ByteStorage", key)?;
        let sizes = self.value_of(*shape, depth)?.items().unwrap_or_default();
        let size = |item: &ScriptValue| usize::try_from(item.number()?.int()).ok();
        let Some([rows, width]) = sizes
            .iter()
            .map(size)
            .collect::<Option<Vec<_>>>()
            .and_then(|all| <[usize; 2]>::try_from(all).ok())
        else {
            return Err("integers of 4 bits in another form than a matrix".into());
        };
        let packed = Tensor::over(
            storage,
            Dtype::U8,
            0,
            vec![rows, width.div_ceil(2)],
            vec![width.div_ceil(2), 1],
        );
        let packed = packed.map_err(|problem| problem.to_string())?.floats();
        let mut integers = Vec::new();
        for row in packed.chunks(width.div_ceil(2).max(1)) {
            let each = row.iter().flat_map(|byte| [byte % 16.0, (byte / 16.0).floor()]);
            integers.extend(each.take(width));
        }
        let made = Tensor::of_floats(&self.meter, Dtype::U8, &[rows, width], integers);
        made.map_err(|problem| problem.to_string())
    }

    fn storage(&mut self, class: &str, key: &str) -> Result<(Rc<Storage>, Dtype), String> {
        if let Some((storage, dtype)) = self.storages.get(key) {
            return Ok((storage.clone(), *dtype));
        }
        let name = match class.strip_suffix("Storage").unwrap_or(class) {
            "QInt8" => "Char",
            "QUInt8" => "Byte",
            "QInt32" => "Int",
            name => name,
        };
        let dtype = Dtype::named(name).ok_or_else(|| format!("a storage of this kind: {class}"))?;
        let places =
            [format!("{}/{key}", self.folder), format!("tensors/{key}"), format!("data/{key}")];
        for place in places {
            let bytes = self.records.get(&place).map_err(|error| error.to_string())?;
            if let Some(bytes) = bytes {
                let storage =
                    Storage::new(&self.meter, bytes).map_err(|problem| problem.to_string())?;
                self.storages.insert(key.to_owned(), (storage.clone(), dtype));
                return Ok((storage, dtype));
            }
        }
        Err(format!("no record for the storage {key}"))
    }
}
