//! Shardings: `{devices=[4,1]<=[4]}`.

use crate::messages::Sharding;
use crate::metadata::metadata;
use crate::numbers::joined;

/// The kinds by their numbers.
const KINDS: [&str; 7] =
    ["replicated", "maximal", "tuple", "other", "manual", "unknown", "unreduced"];
const REPLICATED: usize = 0;
const MAXIMAL: usize = 1;
const TUPLE: usize = 2;
const TILED: usize = 3;

impl Sharding {
    pub(crate) fn text(&self) -> String {
        let kind = usize::try_from(self.kind).unwrap_or(usize::MAX);
        if kind == TUPLE {
            return format!("{{{}}}", crate::numbers::counted(self.parts.iter().map(Self::text)));
        }
        let about = if self.metadata.is_empty() {
            String::new()
        } else {
            let all: Vec<String> =
                self.metadata.iter().map(|one| metadata(one, one.frame)).collect();
            match all.as_slice() {
                [one] => format!(" metadata={{{one}}}"),
                all => {
                    let all = all.iter().map(|one| format!("{{{one}}}"));
                    format!(" metadata={{{}}}", joined(all, ", "))
                }
            }
        };
        let group = if self.is_group {
            let verb = if self.group_kind == 0 { "shard_as" } else { "shard_like" };
            format!(" {verb} {}", self.group)
        } else {
            String::new()
        };
        let what = match kind {
            MAXIMAL => {
                format!("maximal device={}", self.devices.first().copied().unwrap_or_default())
            }
            TILED => format!("devices={}{}", self.assignment(), self.last()),
            _ => KINDS.get(kind).copied().unwrap_or(KINDS[REPLICATED]).to_owned(),
        };
        format!("{{{what}{group}{about}}}")
    }

    /// Which device has which tile: a list, or a rule.
    fn assignment(&self) -> String {
        let tiles = joined(&self.tiles, ",");
        if self.reshape.is_empty() {
            return format!("[{tiles}]{}", joined(&self.devices, ","));
        }
        let order = transposed(&self.transpose);
        format!("[{tiles}]<=[{}]{order}", joined(&self.reshape, ","))
    }

    /// What the devices behind the last tile of data are.
    fn last(&self) -> String {
        if self.replicate_last {
            return " last_tile_dim_replicate".to_owned();
        }
        if self.last_kinds.is_empty() {
            return String::new();
        }
        let kind = |kind: &i32| {
            usize::try_from(*kind).ok().and_then(|at| KINDS.get(at)).copied().unwrap_or("unknown")
        };
        let kinds = joined(self.last_kinds.iter().map(kind), ", ");
        if kinds == KINDS[REPLICATED] {
            return " last_tile_dim_replicate".to_owned();
        }
        format!(" last_tile_dims={{{kinds}}}")
    }
}

/// How a list of all devices is turned before it is cut: nothing if it is not.
pub(crate) fn transposed(order: &[i32]) -> String {
    let turned = order.iter().enumerate().any(|(at, axis)| usize::try_from(*axis) != Ok(at));
    if turned { format!("T({})", joined(order, ",")) } else { String::new() }
}
