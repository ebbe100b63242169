//! What is read of XLA's own messages, and what is written.
//!
//! | message | field | meaning |
//! | --- | --- | --- |
//! | `HloModuleProtoWithConfig` | 1 | the `HloModuleProto` |
//! | `HloModuleProto` | 8, 18 | aliases of parameters with results, parameters given away |
//! | | 12, 14 | the shardings of the result and of the parameters |
//! | `LayoutProto` | 1 | the axes, the fastest first |

use bytes::Bytes;
use prost::Message;
use unskew_pjrt::Executable;
use unskew_pjrt::convert::hlo_program;

use crate::sharding::OpSharding;
use crate::status::Status;

#[derive(Clone, PartialEq, Message)]
struct WithConfig {
    #[prost(message, optional, tag = "1")]
    module: Option<HloModule>,
}

#[derive(Clone, PartialEq, Message)]
struct HloModule {
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
}

impl Facts {
    /// Asks a plug-in: by its extension for shardings, and by the optimized program. What it does not
    /// say stays none.
    pub fn of(executable: &Executable) -> Self {
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
        Some(Self { parameters, outputs, donated: Some(donated) })
    }
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
    let axes = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let axes = axes.map(|axes| axes.split(',').map(str::trim).filter(|axis| !axis.is_empty()));
    let axes = axes.and_then(|axes| axes.map(|axis| axis.parse().ok()).collect());
    let axes: Vec<i64> = axes.ok_or_else(|| {
        Status::unimplemented(format!("this layout has no other form than the plug-in's: {text}"))
    })?;
    Ok(LayoutMessage { minor_to_major: axes }.encode_to_vec().into())
}

/// The message of the layout row by row of an array of this rank.
pub(crate) fn layout_message_of_rows(rank: usize) -> Vec<u8> {
    let axes = (0..rank).rev().map(|axis| i64::try_from(axis).unwrap_or(i64::MAX));
    LayoutMessage { minor_to_major: axes.collect() }.encode_to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharding::kind;

    #[test]
    fn a_layout_of_axes_has_a_message_and_one_of_tiles_has_none() {
        assert_eq!(layout_message("{1,0}").unwrap(), &[0x0a, 2, 1, 0][..]);
        assert_eq!(layout_message("{}").unwrap(), &[][..]);
        assert!(layout_message("{1,0:T(8,128)}").is_err());
        assert!(layout_message("").is_err());
    }

    #[test]
    fn facts_are_read_from_a_program() {
        let whole = OpSharding { kind: kind::TILED, tiles: vec![4], ..OpSharding::default() }
            .encode_to_vec();
        let tuple = OpSharding {
            kind: kind::TUPLE,
            parts: vec![whole.clone().into()],
            ..OpSharding::default()
        };
        let module = HloModule {
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
        assert_eq!(Facts::read(&program, "text"), None);
        assert_eq!(Facts::read(&[0xff], "hlo"), None);
    }
}
