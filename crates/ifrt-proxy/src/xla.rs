//! What is read of XLA's own messages, and what is written.
//!
//! | message | field | meaning |
//! | --- | --- | --- |
//! | `OpSharding` | 1 | its kind: 0 a copy on each device, 2 a tuple, 3 tiles |
//! | | 3 | the number of tiles of each axis, and of groups of equal ones behind them |
//! | | 4, 9, 10 | the devices in the order of their tiles: a list, or a rule |
//! | | 5 | the shardings of a tuple |
//! | `HloModuleProtoWithConfig` | 1 | the `HloModuleProto` |
//! | `HloModuleProto` | 8, 18 | aliases of parameters with results, parameters given away |
//! | | 12, 14 | the shardings of the result and of the parameters |
//! | `LayoutProto` | 1 | the axes, the fastest first |

use bytes::Bytes;
use prost::Message;
use unskew_pjrt::Executable;
use unskew_pjrt::convert::hlo_program;

use crate::pieces::{OpSharding, TILED, TUPLE};
use crate::status::Status;

impl OpSharding {
    /// The dimensions of a value of which a device has a shard of these.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the sharding is of another rank, or the dimensions overflow.
    pub(crate) fn whole(&self, shard: &[i64]) -> Result<Vec<i64>, Status> {
        if self.kind != TILED {
            return Ok(shard.to_vec());
        }
        let tiles = self.tiles.get(..shard.len());
        let tiles = tiles.ok_or_else(|| Status::invalid("a sharding of another rank"))?;
        let whole = shard.iter().zip(tiles).map(|(dim, count)| dim.checked_mul(*count));
        whole.collect::<Option<_>>().ok_or_else(|| Status::invalid("dimensions that overflow"))
    }
}

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
        let list = |shardings: Vec<Vec<u8>>| shardings.into_iter().map(Bytes::from).collect();
        if let Ok(Some(shardings)) = executable.output_shardings() {
            facts.outputs = Some(list(shardings));
        }
        if let Ok(Some(shardings)) = executable.parameter_shardings() {
            facts.parameters = Some(list(shardings));
        }
        facts
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
        let outputs = module.output_sharding.and_then(|sharding| {
            let read = OpSharding::decode(sharding.clone()).ok()?;
            Some(if read.kind == TUPLE { read.parts } else { vec![sharding] })
        });
        let parameters = Some(module.parameter_shardings).filter(|list| !list.is_empty());
        Some(Self { parameters, outputs, donated: Some(donated) })
    }
}

/// An `xla.LayoutProto`.
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

    #[test]
    fn tiles_make_a_whole() {
        let tiled = OpSharding { kind: TILED, tiles: vec![4, 1, 2], ..OpSharding::default() };
        assert_eq!(tiled.whole(&[2, 3]).unwrap(), [8, 3]);
        assert_eq!(OpSharding::default().whole(&[2, 3]).unwrap(), [2, 3]);
        assert!(tiled.whole(&[1; 4]).is_err());
        assert!(tiled.whole(&[i64::MAX, 1]).is_err());
    }

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
            OpSharding { kind: TILED, tiles: vec![4], ..OpSharding::default() }.encode_to_vec();
        let tuple =
            OpSharding { kind: TUPLE, parts: vec![whole.clone().into()], ..OpSharding::default() };
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
