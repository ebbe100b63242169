//! Operations of a file: the attributes that StableHLO has as one are apart in VHLO, and what was left out is there.

use std::sync::Arc;

use super::attributes::{find, integers};
use super::{Lowering, World};
use crate::bytecode::entries::builtin;
use crate::module::{Field, Id, Operation, Raw, Sort, declared};
use crate::parse::attributes::{Attr, Named, Role};
use crate::parse::types::Type;
use crate::print::{ALGORITHM, ARRAYS, GROUPS};
use crate::rewrite::values::{self, code};
use crate::{KNOWN, beside, features};

/// An operation before its attributes are those of a file.
pub(in crate::parse) struct Written<'w> {
    /// The name behind that of the dialect.
    pub(in crate::parse) name: &'w str,
    pub(in crate::parse) named: &'w Named,
    pub(in crate::parse) inputs: &'w [Arc<Type>],
}

/// What is one attribute in text, and parts of it in VHLO.
const HANDLE: &str = "channel_handle";
const ALGORITHMS: &str = "algorithm";

/// The newest form of an operation of StableHLO: `tanh_v2`.
pub(in crate::parse) fn form(name: &str) -> Option<String> {
    let forms = (1..=9).rev().map(|form| format!("{name}_v{form}"));
    forms.into_iter().find(|form| features::since(form).is_some_and(|since| since <= KNOWN))
}

/// Whether readers take this operation of another dialect, and its attributes are known.
pub(in crate::parse) fn is_known(dialect: &str, name: &str) -> bool {
    dialect == "chlo"
        || dialect == "sdy" && name == "return"
        || beside::knows(&format!("{dialect}.{name}"))
        || !declared(dialect, name).is_empty()
}

impl Lowering {
    /// The attributes of an operation of StableHLO, by the names that VHLO has for them.
    pub(in crate::parse) fn own(
        &mut self,
        operation: &mut Operation,
        written: &Written<'_>,
    ) -> Result<(), String> {
        let declared = declared(&operation.dialect, &operation.name);
        let group = GROUPS.iter().find(|(names, ..)| names.contains(&written.name));
        let mut taken = vec![HANDLE];
        taken.extend(group.map(|(_, key, ..)| *key));
        if written.name == "dot_general" {
            taken.push(ALGORITHMS);
        }
        taken.extend(declared.iter().copied());
        for (name, value) in written.named {
            let has_handle = declared.contains(&"channel_id") || name != HANDLE.as_bytes();
            if !taken.iter().any(|one| one.as_bytes() == &name[..]) || !has_handle {
                let value = self.attribute(World::Vhlo, value)?;
                let name = self.module.text(name);
                operation.attributes.push((name, value));
            }
        }
        for key in declared {
            let value = self.of_own(written, key).map_err(|what| format!("`{key}`: {what}"))?;
            let name = self.module.text(key.as_bytes());
            operation.attributes.push((name, value));
        }
        Ok(())
    }

    /// The attributes of an operation of another dialect.
    pub(in crate::parse) fn foreign(
        &mut self,
        operation: &mut Operation,
        named: &Named,
        inherent: &[Vec<u8>],
    ) -> Result<(), String> {
        let declared = declared(&operation.dialect, &operation.name);
        let is_declared =
            |name: &[u8]| declared.iter().any(|one| one.trim_end_matches('?').as_bytes() == name);
        // What somebody put on an operation names its own dialect.
        let other = named.iter().map(|(name, _)| name).filter(|name| !name.contains(&b'.'));
        let other = other.filter(|_| *operation.dialect != *builtin::NAME);
        if let Some(odd) = inherent.iter().chain(other).find(|name| !is_declared(name)) {
            return Err(format!(
                "`{}` of such an operation is not read",
                String::from_utf8_lossy(odd)
            ));
        }
        for needed in declared.iter().filter(|name| !name.ends_with('?')) {
            if !named.iter().any(|(name, _)| name == needed.as_bytes()) {
                return Err(format!("`{needed}` is missing"));
            }
        }
        for (name, value) in named {
            let value = self.attribute(World::Plain, value)?;
            let name = self.module.text(name);
            operation.attributes.push((name, value));
        }
        Ok(())
    }

    fn of_own(&mut self, written: &Written<'_>, key: &str) -> Result<Id, String> {
        let value = |key: &str| {
            let mut named = written.named.iter();
            named.find(|(name, _)| name == key.as_bytes()).map(|(_, value)| value)
        };
        if let Some((_, whole, kind, parts)) =
            GROUPS.iter().find(|(names, ..)| names.contains(&written.name))
            && parts.contains(&key)
        {
            return match value(whole) {
                Some(Attr::Convolution(sides)) if *kind == "conv" => self.convolution(sides, key),
                Some(Attr::Group(name, parts)) if name.strip_prefix("stablehlo.") == Some(kind) => {
                    self.of_group(find(parts, key), key)
                }
                Some(_) => Err(format!("`{whole}` is no `#stablehlo.{kind}`")),
                None => Err(format!("`{whole}` is missing")),
            };
        }
        if written.name == "dot_general" && ALGORITHM.contains(&key) {
            return match value(ALGORITHMS) {
                Some(Attr::Group(_, parts)) => {
                    let part = find(parts, key).ok_or("is missing")?;
                    self.attribute(World::Vhlo, part)
                }
                Some(_) => Err("no algorithm".to_owned()),
                None => {
                    let operand = self.nowhere();
                    let none = values::default(&mut self.module, "none", &operand);
                    none.ok_or_else(|| "has no default".to_owned())
                }
            };
        }
        if matches!(key, "channel_id" | "channel_type") {
            let part = if key == "channel_id" { "handle" } else { "type" };
            let number = match value(HANDLE) {
                Some(Attr::Group(_, parts)) => find(parts, part).and_then(Attr::integer),
                Some(_) => None,
                None => Some(0),
            };
            let number = number.ok_or("no channel")?;
            return Ok(values::signed(&mut self.module, number));
        }
        match value(key) {
            Some(value) => self.of_value(key, value),
            None => self.default(written, key),
        }
    }

    /// What stands there, in the form that VHLO has for it.
    fn of_value(&mut self, key: &str, value: &Attr) -> Result<Id, String> {
        if ARRAYS.contains(&key) || key == "window_reversal" {
            return self.dimensions(key, value);
        }
        match (key, value) {
            ("callee" | "decomposition" | "call_target_name", Attr::Symbol(path)) => {
                let [name] = &path[..] else { return Err("a name within a name".to_owned()) };
                Ok(values::text(&mut self.module, name))
            }
            ("api_version", value) => {
                let number = value.integer().and_then(|number| u64::try_from(number).ok());
                let number = number.ok_or("no version of an interface")?;
                let fields = vec![Field::Number(code::API_VERSION), values::number(number)];
                Ok(self.module.vhlo(Sort::Attribute, fields))
            }
            (
                "has_side_effect"
                | "use_global_device_ids"
                | "has_dynamic_root"
                | "is_host_transfer"
                | "indices_are_sorted"
                | "unique_indices"
                | "is_stable"
                | "lower"
                | "left_side"
                | "unit_diagonal",
                Attr::Unit,
            ) => Ok(values::truth(&mut self.module, true)),
            ("value", Attr::Dense(..)) => self.attribute(World::Vhlo, value),
            ("value", _) => Err("constants are written as `dense<...>`".to_owned()),
            (_, Attr::Array(all)) if key == "called_computations" => {
                let mut names = Vec::new();
                for one in all {
                    let Attr::Symbol(path) = one else { return Err("no name".to_owned()) };
                    let [name] = &path[..] else { return Err("a name within a name".to_owned()) };
                    names.push(values::text(&mut self.module, name));
                }
                Ok(self.array(names))
            }
            _ => self.attribute(World::Vhlo, value),
        }
    }

    /// Dimensions: a tensor of 64-bit integers, or of truth values.
    fn dimensions(&mut self, key: &str, value: &Attr) -> Result<Id, String> {
        if let Attr::Dense(..) = value {
            return self.attribute(World::Vhlo, value);
        }
        let numbers = match value {
            Attr::Number(..) => value.integer().map(|one| vec![one]),
            Attr::Array(all) if all.iter().all(|one| matches!(one, Attr::Bool(_))) => {
                Some(all.iter().map(|one| i64::from(*one == Attr::Bool(true))).collect())
            }
            _ => integers(value),
        };
        let numbers = numbers.ok_or("is a list of whole numbers")?;
        if key != "window_reversal" {
            return Ok(values::integers(&mut self.module, &[numbers.len() as i64], &numbers));
        }
        let all: Vec<bool> = numbers.iter().map(|one| *one != 0).collect();
        self.truths(&all)
    }

    /// A tensor of truth values, eight to a byte.
    fn truths(&mut self, all: &[bool]) -> Result<Id, String> {
        let shape = Type::Tensor {
            dims: Some(vec![i64::try_from(all.len()).ok()]),
            element: Type::scalar("i1"),
            encoding: None,
        };
        let bytes: Vec<u8> = match all {
            [] => Vec::new(),
            [first, rest @ ..] if rest.iter().all(|one| one == first) => {
                vec![if *first { 0xff } else { 0 }]
            }
            _ => {
                let byte = |bits: &[bool]| {
                    let bits = bits.iter().enumerate();
                    bits.fold(0, |byte, (at, bit)| byte | u8::from(*bit) << at)
                };
                all.chunks(8).map(byte).collect()
            }
        };
        self.attribute(World::Vhlo, &Attr::Dense(Arc::new(shape), bytes.into()))
    }

    fn of_group(&mut self, part: Option<&Attr>, key: &str) -> Result<Id, String> {
        match part {
            None if key == "index_vector_dim" => Ok(values::signed(&mut self.module, 0)),
            None => Ok(values::integers(&mut self.module, &[0], &[])),
            Some(part) => match (part.integer(), integers(part)) {
                (Some(number), _) => Ok(values::signed(&mut self.module, number)),
                (_, Some(all)) => Ok(values::integers(&mut self.module, &[all.len() as i64], &all)),
                _ => Err("is a list of whole numbers".to_owned()),
            },
        }
    }

    /// Where a dimension of a convolution is: `input_batch_dimension`.
    fn convolution(&mut self, sides: &[Vec<Role>; 3], key: &str) -> Result<Id, String> {
        let (side, part) = key.split_once('_').ok_or("no dimension")?;
        let [input, kernel, output] = sides;
        let (side, letters) = match side {
            "input" => (input, ['b', 'f']),
            "kernel" => (kernel, ['i', 'o']),
            _ => (output, ['b', 'f']),
        };
        let letter = match part {
            "batch_dimension" | "input_feature_dimension" => letters[0],
            "feature_dimension" | "output_feature_dimension" => letters[1],
            _ => {
                let mut places: Vec<(i64, i64)> = Vec::new();
                for (at, role) in side.iter().enumerate() {
                    if let Role::Space(number) = role {
                        places.push((*number, at as i64));
                    }
                }
                places.sort_unstable();
                let numbers: Vec<i64> = places.iter().map(|(number, _)| *number).collect();
                if numbers.iter().enumerate().any(|(at, number)| at as i64 != *number) {
                    return Err("the dimensions of space are 0, 1 and so on, each once".to_owned());
                }
                let places: Vec<i64> = places.into_iter().map(|(_, at)| at).collect();
                return Ok(values::integers(&mut self.module, &[places.len() as i64], &places));
            }
        };
        let mut found = side.iter().enumerate().filter(|(_, role)| **role == Role::Letter(letter));
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Ok(values::signed(&mut self.module, at as i64)),
            _ => Err(format!("`{letter}` stands there once")),
        }
    }

    /// What it says when it says nothing.
    fn default(&mut self, written: &Written<'_>, key: &str) -> Result<Id, String> {
        let operand = self.nowhere();
        let known = |lowering: &mut Self, name: &str| {
            let made = values::default(&mut lowering.module, name, &operand);
            made.ok_or_else(|| "is missing".to_owned())
        };
        let space = || {
            let rank = written.inputs.first().and_then(|input| input.rank());
            let rank = rank.ok_or("is missing, and the dimensions are not known")?;
            let whole = !matches!(written.name, "convolution" | "dynamic_conv");
            Ok::<i64, String>(if whole { rank as i64 } else { rank.saturating_sub(2) as i64 })
        };
        Ok(match key {
            "use_global_device_ids"
            | "has_dynamic_root"
            | "has_side_effect"
            | "is_stable"
            | "indices_are_sorted"
            | "unique_indices"
            | "is_host_transfer"
            | "lower" => values::truth(&mut self.module, false),
            "arg_attrs"
            | "res_attrs"
            | "called_computations"
            | "operand_layouts"
            | "result_layouts"
            | "output_operand_aliases"
            | "result_tilings"
            | "layout" => known(self, "list")?,
            "sym_visibility" | "infeed_config" | "outfeed_config" => {
                values::text(&mut self.module, b"")
            }
            "backend_config" => {
                let typed = written.named.iter().any(|(name, value)| {
                    name == b"api_version" && value.integer() == Some(TYPED_FFI)
                });
                match typed {
                    true => values::dictionary(&mut self.module, &[]),
                    false => values::text(&mut self.module, b""),
                }
            }
            "composite_attributes" => values::dictionary(&mut self.module, &[]),
            "api_version" => {
                let fields = vec![Field::Number(code::API_VERSION), values::number(1)];
                self.module.vhlo(Sort::Attribute, fields)
            }
            "version" => self.attribute(World::Vhlo, &Attr::Number(0, Type::scalar("i32")))?,
            "compare_type" => {
                let fields = vec![Field::Number(code::COMPARED), values::number(0)];
                self.module.vhlo(Sort::Attribute, fields)
            }
            "result_accuracy" => known(self, "default")?,
            "source_target_pairs" if matches!(written.name, "send" | "recv") => {
                known(self, "empty")?
            }
            "known_expanding_dimensions" | "known_nonexpanding_dimensions" => known(self, "empty")?,
            "precision_config" => {
                let default =
                    self.attribute(World::Vhlo, &Attr::Choice("stablehlo", PRECISION, 0))?;
                self.array(vec![default, default])
            }
            "dimension" if written.name == "sort" => values::signed(&mut self.module, -1),
            "padding" => {
                let space = space()?;
                self.splat(&[space, 2], 0)
            }
            "window_reversal" => {
                let all = vec![false; usize::try_from(space()?).unwrap_or_default()];
                self.truths(&all)?
            }
            "lhs_dilation" | "rhs_dilation" | "window_strides" | "base_dilations"
            | "window_dilations" | "window_dimensions" => {
                let space = space()?;
                self.splat(&[space], 1)
            }
            _ => return Err("is missing".to_owned()),
        })
    }

    /// A tensor of which every element is this number.
    fn splat(&mut self, dims: &[i64], value: i64) -> Id {
        if dims.contains(&0) {
            return values::integers(&mut self.module, dims, &[]);
        }
        let element = self.module.vhlo(Sort::Type, vec![Field::Number(code::I64)]);
        let kind = values::tensor_type(&mut self.module, dims, element);
        let mut bytes = Vec::new();
        crate::convert::numbers::varint(&mut bytes, 8);
        bytes.extend_from_slice(&value.to_le_bytes());
        let bytes = Field::Raw(Raw::Bytes(bytes));
        let fields = vec![Field::Number(code::TENSOR), Field::Type(kind), bytes];
        self.module.vhlo(Sort::Attribute, fields)
    }

    /// An operation that defaults need not look at.
    fn nowhere(&self) -> Operation {
        Operation::new("", "", self.location)
    }
}

/// The interface of typed calls, whose configuration is a dictionary.
const TYPED_FFI: i64 = 4;
/// The number of precisions among the lists of VHLO.
const PRECISION: u64 = 11;
