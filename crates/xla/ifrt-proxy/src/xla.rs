//! Messages of XLA, as far as they are read and written.
//!
//! | message | field | meaning |
//! | --- | --- | --- |
//! | `HloModuleProtoWithConfig` | 1 | the `HloModuleProto` |
//! | `HloModuleProto` | 8, 18 | aliases of parameters with results, parameters given away |
//! | | 4 | the types of parameters, `ShapeProto`s in a `ProgramShapeProto` (1); the layout of one (5) |
//! | | 12, 14 | the shardings of the result and of the parameters |
//! | `LayoutProto` | 1 | the axes, the fastest first |
//! | | 7, 16 | the bits of a packed element, the elements to which the size is rounded up |

use bytes::Bytes;
use prost::Message;
use unskew_pjrt::Executable;
use unskew_pjrt::convert::hlo_program;

use crate::sharding::OpSharding;
use crate::status::Status;

#[derive(Clone, PartialEq, Message)]
struct AskedLayout {
    #[prost(int64, repeated, tag = "1")]
    minor_to_major: Vec<i64>,
    #[prost(int64, tag = "7")]
    element_bits: i64,
    #[prost(int64, tag = "16")]
    padding: i64,
}

#[derive(Clone, PartialEq, Message)]
struct WithConfig {
    #[prost(message, optional, tag = "1")]
    module: Option<HloModule>,
}

#[derive(Clone, PartialEq, Message)]
struct HloModule {
    #[prost(message, optional, tag = "4")]
    shape: Option<ProgramShape>,
    #[prost(message, optional, tag = "8")]
    aliases: Option<Aliases>,
    #[prost(bytes = "bytes", optional, tag = "12")]
    output_sharding: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "14")]
    parameter_shardings: Vec<Bytes>,
    #[prost(message, optional, tag = "18")]
    donors: Option<Donors>,
}

#[derive(Clone, PartialEq, Message)]
struct ProgramShape {
    #[prost(message, repeated, tag = "1")]
    parameters: Vec<Parameter>,
}

#[derive(Clone, PartialEq, Message)]
struct Parameter {
    #[prost(message, optional, tag = "5")]
    layout: Option<LayoutMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct Aliases {
    #[prost(message, repeated, tag = "1")]
    entries: Vec<Alias>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Alias {
    #[prost(int64, tag = "2")]
    parameter: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Donors {
    #[prost(message, repeated, tag = "1")]
    entries: Vec<Donor>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Donor {
    #[prost(int64, tag = "1")]
    parameter: i64,
}

/// What the compiler says of a program it has compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// How each parameter is spread; none if nobody says.
    pub parameters: Option<Vec<Bytes>>,
    /// How each result is spread; none if nobody says.
    pub outputs: Option<Vec<Bytes>>,
    /// The parameters that the program gives away; none if nobody says.
    pub donated: Option<Vec<u32>>,
    /// The order of axes in which each parameter is read, the fastest first; none of one, or an empty list, if nobody
    /// says.
    pub orders: Vec<Option<Vec<i64>>>,
}

impl Facts {
    /// Asks a plug-in: by its extension for shardings, and by the optimized program. What it does not
    /// say stays none.
    pub fn from_executable(executable: &Executable) -> Self {
        let mut facts = match executable.optimized_program() {
            Ok((program, format)) => Self::read(&program, &format).unwrap_or_default(),
            Err(_) => Self::default(),
        };
        if let Ok(Some(shardings)) = executable.output_shardings() {
            facts.outputs = Some(shardings.into_iter().map(Bytes::from).collect());
        }
        if let Ok(Some(shardings)) = executable.parameter_shardings() {
            facts.parameters = Some(shardings.into_iter().map(Bytes::from).collect());
        }
        if let Ok(layouts) = executable.parameter_layouts() {
            facts.orders = layouts.iter().map(|layout| axes(&layout.text())).collect();
        }
        facts.in_tiles()
    }

    /// With shardings that readers of every age know; a list with one that has no such form is none.
    fn in_tiles(mut self) -> Self {
        let each = |list: Vec<Bytes>| {
            let each: Result<Vec<_>, _> = list.iter().map(OpSharding::in_tiles).collect();
            each.inspect_err(|why| tracing::warn!("a compiled program: {why}")).ok()
        };
        self.outputs = self.outputs.and_then(each);
        self.parameters = self.parameters.and_then(each);
        self
    }

    fn read(program: &[u8], format: &str) -> Option<Self> {
        let module = match format {
            hlo_program::FORMAT => WithConfig::decode(program).ok()?.module?,
            "hlo" => HloModule::decode(program).ok()?,
            _ => return None,
        };
        let aliases = module.aliases.unwrap_or_default().entries;
        let donors = module.donors.unwrap_or_default().entries;
        let given = aliases.iter().map(|alias| alias.parameter);
        let given = given.chain(donors.iter().map(|donor| donor.parameter));
        let mut donated: Vec<u32> = given.filter_map(|at| u32::try_from(at).ok()).collect();
        donated.sort_unstable();
        donated.dedup();
        let outputs = module.output_sharding.and_then(|sharding| OpSharding::each(&sharding).ok());
        let parameters = Some(module.parameter_shardings).filter(|list| !list.is_empty());
        let shape = module.shape.unwrap_or_default().parameters.into_iter();
        let orders = shape.map(|one| one.layout.map(|layout| layout.minor_to_major)).collect();
        Some(Self { parameters, outputs, donated: Some(donated), orders })
    }
}

/// Whether two orders of axes are the same for an array of these dimensions: where an axis of one element stands makes no
/// difference.
pub fn same_order(one: &[i64], other: &[i64], dims: &[i64]) -> bool {
    let long = |order: &[i64]| -> Vec<i64> {
        let dim = |axis: i64| usize::try_from(axis).ok().and_then(|axis| dims.get(axis));
        order.iter().copied().filter(|axis| dim(*axis) != Some(&1)).collect()
    };
    dims.contains(&0) || long(one) == long(other)
}

/// What is read of an `xla.LayoutProto`.
#[derive(Clone, PartialEq, Eq, Message)]
struct LayoutMessage {
    #[prost(int64, repeated, tag = "1")]
    minor_to_major: Vec<i64>,
}

/// The message of a layout that is a text of axes alone: `{1,0}`.
///
/// # Errors
/// UNIMPLEMENTED if there is more in it, which tiles are.
pub fn layout_message(text: &str) -> Result<Bytes, Status> {
    let minor_to_major = axes(text).ok_or_else(|| {
        Status::unimplemented(format!("this layout has no other form than the plug-in's: {text}"))
    })?;
    Ok(message_of(minor_to_major))
}

/// The message of a layout of these axes, the fastest first.
pub fn message_of(minor_to_major: Vec<i64>) -> Bytes {
    LayoutMessage { minor_to_major }.encode_to_vec().into()
}

/// The axes of a layout that is a text of axes alone.
fn axes(text: &str) -> Option<Vec<i64>> {
    let axes = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'))?;
    let axes = axes.split(',').map(str::trim).filter(|axis| !axis.is_empty());
    axes.map(|axis| axis.parse().ok()).collect()
}

/// The order of axes of a layout, the fastest first. In how many bits a plug-in packs an element is its own affair.
///
/// # Errors
/// INVALID_ARGUMENT if it is no such message; UNIMPLEMENTED if there is more in it, such as tiles.
pub(crate) fn minor_to_major(layout: &[u8]) -> Result<Vec<i64>, Status> {
    let read = AskedLayout::decode(layout)
        .map_err(|error| Status::invalid(format!("the layout of an array: {error}")))?;
    // Messages are written in the order of their fields, so what was not read makes a difference.
    if read.padding > 1 || read.encode_to_vec() != layout {
        return Err(Status::unimplemented(
            "layouts of host data on a device that are more than an order of axes, such as tiles",
        ));
    }
    Ok(read.minor_to_major)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharding::sharding_type;

    #[test]
    fn a_layout_of_axes_has_a_message_and_one_of_tiles_has_none() {
        assert_eq!(layout_message("{1,0}").unwrap(), &[0x0a, 2, 1, 0][..]);
        assert_eq!(layout_message("{}").unwrap(), &[][..]);
        assert!(layout_message("{1,0:T(8,128)}").is_err());
        assert!(layout_message("").is_err());
    }

    #[test]
    fn facts_are_read_from_a_program() {
        let whole =
            OpSharding { kind: sharding_type::TILED, tiles: vec![4], ..OpSharding::default() }
                .encode_to_vec();
        let tuple = OpSharding {
            kind: sharding_type::TUPLE,
            parts: vec![whole.clone().into()],
            ..OpSharding::default()
        };
        let parameter = Parameter { layout: Some(LayoutMessage { minor_to_major: vec![0, 1] }) };
        let shape = ProgramShape { parameters: vec![parameter, Parameter::default()] };
        let module = HloModule {
            shape: Some(shape),
            aliases: Some(Aliases {
                entries: vec![Alias { parameter: 2 }, Alias { parameter: 0 }],
            }),
            output_sharding: Some(tuple.encode_to_vec().into()),
            parameter_shardings: Vec::new(),
            donors: Some(Donors { entries: vec![Donor { parameter: 2 }, Donor { parameter: -1 }] }),
        };
        let program = WithConfig { module: Some(module) }.encode_to_vec();
        let facts = Facts::read(&program, "hlo_with_config").unwrap();
        assert_eq!(facts.donated, Some(vec![0, 2]));
        assert_eq!(facts.outputs, Some(vec![whole.into()]));
        assert_eq!(facts.parameters, None);
        assert_eq!(facts.orders, [Some(vec![0, 1]), None]);
        assert!(same_order(&[0, 1], &[1, 0], &[1, 3]) && same_order(&[0, 1], &[1, 0], &[0, 3]));
        assert!(!same_order(&[0, 1], &[1, 0], &[2, 3]) && !same_order(&[0], &[0, 1], &[2, 3]));
        assert_eq!(Facts::read(&program, "text"), None);
        assert_eq!(Facts::read(&[0xff], "hlo"), None);
    }
}
