//! Shardings of the dialect `sdy`, for versions in which artifacts hold no other dialects: as the texts of XLA that
//! JAX wrote before, and left out where nothing is said.

use std::collections::HashMap;

use unskew_core::Version;

use super::{older, values};
use crate::bytecode::entries::builtin;
use crate::module::{Block, Field, Id, Module, Operation, Raw, Sort, VHLO};

const SDY: &str = "sdy";
/// Since when there are other dialects in artifacts.
const SINCE: Version = Version::triple(1, 11, 0);

/// The numbers of the encodings of the dialect.
mod encoding_number {
    pub(super) const AXIS: u64 = 1;
    pub(super) const MESH: u64 = 2;
    pub(super) const AXIS_REF: u64 = 4;
    pub(super) const DIMENSION: u64 = 5;
    pub(super) const SHARDING: u64 = 6;
    pub(super) const SEVERAL: u64 = 7;
}

/// The axes of a mesh in their order, each with how many devices are along it.
type Mesh = Vec<(Vec<u8>, i64)>;

/// What a program has of shardings.
#[derive(Default)]
pub(super) struct Shardings {
    meshes: HashMap<Vec<u8>, Mesh>,
    wanted: bool,
    /// Whether anything is cut along an axis.
    cut: bool,
}

/// What a sharding is for XLA.
enum ShardingText {
    /// It leaves everything open.
    Nothing,
    Text(String),
}

impl Shardings {
    /// Gathers the meshes of a program.
    pub(super) fn gather_meshes(module: &Module, top: &Block, target: Version) -> Self {
        let mut found = Self { wanted: target < SINCE, ..Self::default() };
        found.gather(module, top);
        found.cut = (0..module.attributes.len()).any(|id| {
            dimension_of(module, id).map_or_else(
                || {
                    module
                        .attributes
                        .get(id)
                        .is_some_and(|item| item.code(SDY) == Some(encoding_number::DIMENSION))
                },
                |(axes, _)| !axes.is_empty(),
            )
        });
        found
    }

    fn gather(&mut self, module: &Module, block: &Block) {
        for operation in &block.operations {
            if operation.is(SDY, "mesh") {
                let name =
                    module.attribute(operation, "sym_name").and_then(|id| module.text_of(id));
                let mesh = module.attribute(operation, "mesh").and_then(|id| mesh(module, id));
                self.meshes.extend(name.map(<[u8]>::to_vec).zip(mesh));
            } else if operation.is("builtin", "module") {
                operation.regions.iter().flatten().for_each(|inner| self.gather(module, inner));
            }
        }
    }

    /// Replaces what an operation has of shardings. True if the operation itself is to go, and its results are its
    /// operands.
    ///
    /// # Errors
    /// With what has no older form.
    pub(super) fn replace(
        &self,
        module: &mut Module,
        operation: &mut Operation,
    ) -> Result<bool, String> {
        if !self.wanted {
            return Ok(false);
        }
        if operation.is(SDY, "mesh") {
            let name = module.attribute(operation, "sym_name").and_then(|id| module.text_of(id));
            return match name.is_some_and(|name| self.meshes.contains_key(name)) {
                true => Ok(true),
                false => Err("a mesh with an order of its own".to_owned()),
            };
        }
        if operation.is(SDY, "sharding_constraint") {
            let sharding = module.attribute(operation, "sharding");
            let said = sharding.map_or(Some(ShardingText::Nothing), |id| self.said(module, id));
            return match said.ok_or("a sharding of parts of axes")? {
                ShardingText::Nothing => Ok(true),
                ShardingText::Text(text) => {
                    constrain(module, operation, &text);
                    Ok(false)
                }
            };
        }
        if *operation.dialect == *SDY {
            return Err("what it does to shardings".to_owned());
        }
        if *operation.dialect == *VHLO {
            self.attributes(module, operation)?;
        }
        Ok(false)
    }

    fn attributes(&self, module: &mut Module, operation: &mut Operation) -> Result<(), String> {
        let before = operation.attributes.clone();
        operation.attributes.clear();
        let mut left = Vec::new();
        for (name, value) in before {
            match module.bytes(name) {
                b"arg_attrs" | b"res_attrs" => {
                    let value = self.of_values(module, value).unwrap_or(value);
                    operation.attributes.push((name, value));
                }
                b"sdy.sharding" => match self.several(module, value) {
                    Some(ShardingText::Nothing) => {}
                    Some(ShardingText::Text(text)) => {
                        let text = values::text(module, text.as_bytes());
                        let name = module.text(b"mhlo.sharding");
                        operation.attributes.push((name, text));
                    }
                    None => {
                        operation.attributes.push((name, value));
                        left.push("a sharding of parts of axes");
                    }
                },
                // How a custom call may be cut, for whoever wants to.
                b"sdy.sharding_rule" if !self.cut => {}
                b"sdy.sharding_rule" => {
                    operation.attributes.push((name, value));
                    left.push("the rule by which it is sharded");
                }
                _ => operation.attributes.push((name, value)),
            }
        }
        left.first().map_or(Ok(()), |left| Err((*left).to_owned()))
    }

    /// The attributes of the arguments or results of a function.
    fn of_values(&self, module: &mut Module, list: Id) -> Option<Id> {
        let mut all = Vec::new();
        for one in values::list(module, list)? {
            let item = module.attributes.get(one)?.clone();
            (item.code(VHLO)? == values::code::DICTIONARY).then_some(())?;
            let mut pairs = Vec::new();
            for pair in item.fields.get(2..)?.chunks_exact(2) {
                let [Field::Attribute(name), Field::Attribute(value)] = *pair else { return None };
                if module.text_of(name) != Some(b"sdy.sharding") {
                    pairs.push((name, value));
                    continue;
                }
                match self.said(module, value)? {
                    ShardingText::Nothing => {}
                    ShardingText::Text(text) => {
                        let name = values::text(module, b"mhlo.sharding");
                        pairs.push((name, values::text(module, text.as_bytes())));
                    }
                }
            }
            pairs.sort_by(|(a, _), (b, _)| module.text_of(*a).cmp(&module.text_of(*b)));
            let mut fields =
                vec![Field::Number(values::code::DICTIONARY), Field::Number(pairs.len() as u64)];
            let flat = pairs.into_iter().flat_map(|(name, value)| [name, value]);
            fields.extend(flat.map(Field::Attribute));
            all.push(module.vhlo(Sort::Attribute, fields));
        }
        Some(older::listed(module, &all))
    }

    /// The shardings of the results of an operation.
    fn several(&self, module: &Module, id: Id) -> Option<ShardingText> {
        let item = module.attributes.get(id)?;
        if item.code(SDY)? != encoding_number::SEVERAL {
            return None;
        }
        let mut texts = Vec::new();
        for one in item.fields.get(2..)? {
            let Field::Attribute(one) = one else { return None };
            match self.said(module, *one)? {
                ShardingText::Nothing => texts.push(None),
                ShardingText::Text(text) => texts.push(Some(text)),
            }
        }
        if texts.iter().all(Option::is_none) {
            return Some(ShardingText::Nothing);
        }
        let texts: Vec<String> = texts.into_iter().collect::<Option<_>>()?;
        Some(ShardingText::Text(match &texts[..] {
            [one] => one.clone(),
            _ => format!("{{{}}}", texts.join(", ")),
        }))
    }

    /// What a sharding is for XLA; none if it says what XLA has no words for.
    fn said(&self, module: &Module, id: Id) -> Option<ShardingText> {
        let item = module.attributes.get(id)?;
        (item.code(SDY)? == encoding_number::SHARDING).then_some(())?;
        let Some(Field::Attribute(mesh_or_name)) = item.fields.get(1) else { return None };
        let held;
        let axes = match mesh(module, *mesh_or_name) {
            Some(own) => {
                held = own;
                &held
            }
            None => self.meshes.get(&symbol(module, *mesh_or_name)?)?,
        };
        let Some(Field::Number(count)) = item.fields.get(2) else { return None };
        let count = usize::try_from(*count).ok()?;
        let (mut order, mut tiles, mut all_open) = (Vec::new(), Vec::new(), true);
        for field in item.fields.get(3..count.checked_add(3)?)? {
            let Field::Attribute(dimension) = field else { return None };
            let (names, closed) = dimension_of(module, *dimension)?;
            all_open &= !closed && names.is_empty();
            let mut tile = 1_i64;
            for name in names {
                let at = axes.iter().position(|(axis, _)| *axis == name)?;
                tile = tile.checked_mul(axes.get(at)?.1)?;
                order.push(at);
            }
            tiles.push(tile);
        }
        if all_open && count > 0 {
            return Some(ShardingText::Nothing);
        }
        Some(ShardingText::Text(text(axes, order, &tiles)?))
    }
}

/// Tiles over devices as XLA writes them.
fn text(axes: &Mesh, mut order: Vec<usize>, tiles: &[i64]) -> Option<String> {
    if tiles.iter().all(|tile| *tile == 1) {
        return Some("{replicated}".to_owned());
    }
    let used = order.len();
    order.extend((0..axes.len()).filter(|at| !order[..used].contains(at)).collect::<Vec<_>>());
    let rest = order.get(used..)?.iter();
    let rest: i64 = rest.filter_map(|at| axes.get(*at)).map(|(_, size)| size).product();
    let joined = |numbers: &mut dyn Iterator<Item = i64>| {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",")
    };
    let mut shape = tiles.to_vec();
    shape.extend((rest > 1).then_some(rest));
    let shape = joined(&mut shape.into_iter());
    let last = if rest > 1 { " last_tile_dim_replicate" } else { "" };
    let total: i64 = axes.iter().map(|(_, size)| size).product();
    let axis: Vec<usize> = order
        .iter()
        .copied()
        .filter(|at| axes.get(*at).is_some_and(|(_, size)| *size > 1))
        .collect();
    if axis.is_sorted() {
        return Some(format!("{{devices=[{shape}]<=[{total}]{last}}}"));
    }
    let mut kept: Vec<usize> = axis.clone();
    kept.sort_unstable();
    let sizes = joined(&mut kept.iter().filter_map(|at| axes.get(*at)).map(|(_, size)| *size));
    let places = axis.iter().filter_map(|at| kept.iter().position(|one| one == at));
    let permutation = joined(&mut places.map(|at| at as i64));
    Some(format!("{{devices=[{shape}]<=[{sizes}]T({permutation}){last}}}"))
}

/// The axes of a mesh whose devices are in order.
fn mesh(module: &Module, id: Id) -> Option<Mesh> {
    let item = module.attributes.get(id)?;
    (item.code(SDY)? == encoding_number::MESH).then_some(())?;
    let (Some(Field::Raw(Raw::Bytes(devices))), axes) = (item.fields.last(), item.fields.get(2..)?)
    else {
        return None;
    };
    // A list of devices, which is empty.
    (values::varint_of(devices)?.0 == 0).then_some(())?;
    let mut mesh = Vec::new();
    for axis in axes.get(..axes.len() - 1)? {
        let Field::Attribute(axis) = axis else { return None };
        let axis = module.attributes.get(*axis)?;
        (axis.code(SDY)? == encoding_number::AXIS).then_some(())?;
        let [_, Field::Text(name), Field::Raw(Raw::Bytes(size))] = &axis.fields[..] else {
            return None;
        };
        let (size, _) = values::varint_of(size)?;
        mesh.push((module.bytes(*name).to_vec(), (size >> 1).cast_signed()));
    }
    Some(mesh)
}

/// The name that a reference to a mesh has.
fn symbol(module: &Module, id: Id) -> Option<Vec<u8>> {
    let item = module.attributes.get(id)?;
    (item.code(builtin::NAME)? == 4).then_some(())?;
    let Some(Field::Attribute(name)) = item.fields.get(1) else { return None };
    module.text_of(*name).map(<[u8]>::to_vec)
}

/// The whole axes along which a dimension is cut, and whether that is all.
fn dimension_of(module: &Module, id: Id) -> Option<(Vec<Vec<u8>>, bool)> {
    let item = module.attributes.get(id)?;
    (item.code(SDY)? == encoding_number::DIMENSION).then_some(())?;
    let (Field::Raw(Raw::Bytes(rest)), axes) =
        item.fields.split_last().map(|(last, all)| (last, all.get(2..)))?
    else {
        return None;
    };
    let mut names = Vec::new();
    for axis in axes? {
        let Field::Attribute(axis) = axis else { return None };
        let axis = module.attributes.get(*axis)?;
        (axis.code(SDY)? == encoding_number::AXIS_REF).then_some(())?;
        let [_, Field::Text(name), Field::Optional(None)] = axis.fields[..] else { return None };
        names.push(module.bytes(name).to_vec());
    }
    Some((names, *rest.first()? != 0))
}

/// The custom call that says how a value is to be sharded. Its result is of the type of its operand, which is one of VHLO.
fn constrain(module: &mut Module, operation: &mut Operation, sharding: &str) {
    if let ([operand], [result]) = (&operation.operands[..], &operation.results[..])
        && let Some(kind) = module.values.get(*operand).copied()
        && let Some(own) = module.values.get_mut(*result)
    {
        *own = kind;
    }
    let sharding = values::text(module, sharding.as_bytes());
    values::call(module, operation, "Sharding", &[("mhlo.sharding", sharding)]);
}
