//! Slices of an array: which one each of its shards is.
//!
//! XLA cuts every axis into a number of tiles of one size, the last ones smaller or empty, and says which
//! device has which tile: by a list, or by a rule (all devices in their order, as an array of some
//! dimensions, its axes permuted). More axes than the array has are groups of devices with equal tiles.

use bytes::Bytes;
use unskew_ifrt::types::Sharding;

use crate::sharding::{OpSharding, sharding_type};
use crate::status::Status;

/// The most devices that a sharding may be of.
const MOST: i64 = 1 << 16;

/// How an array is cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Each device has all of it.
    #[default]
    Whole,
    /// As XLA says: an `xla.OpSharding`.
    Tiles(Bytes),
    Unknown,
}

/// The part of an array that a shard is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardSlice {
    /// Where it begins on each axis.
    pub origin: Vec<i64>,
    /// How large it is on each axis.
    pub dims: Vec<i64>,
}

impl From<&Sharding> for Cut {
    fn from(sharding: &Sharding) -> Self {
        match sharding {
            Sharding::SingleDevice(_) => Self::Whole,
            Sharding::Hlo(of) if of.devices.device_ids.len() < 2 => Self::Whole,
            Sharding::Hlo(of) => Self::Tiles(of.xla_op_sharding.0.clone().into()),
            Sharding::ConcreteEven(of) if of.is_fully_replicated => Self::Whole,
            Sharding::ConcreteEven(_)
            | Sharding::Opaque(_)
            | Sharding::Concrete(_)
            | Sharding::ShardingParam(_) => Self::Unknown,
        }
    }
}

impl Cut {
    /// The piece of each of so many devices; none if nobody says which they are.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the sharding is none of such an array on so many devices, UNIMPLEMENTED if it is of a form
    /// that is not known.
    pub fn pieces(&self, dims: &[i64], devices: usize) -> Result<Option<Vec<ShardSlice>>, Status> {
        let whole = || ShardSlice { origin: vec![0; dims.len()], dims: dims.to_vec() };
        let sharding = match self {
            Self::Unknown => return Ok(None),
            Self::Whole => return Ok(Some(vec![whole(); devices])),
            Self::Tiles(bytes) => OpSharding::read(bytes)?,
        };
        sharding.without_partial_sums()?;
        match sharding.kind {
            sharding_type::REPLICATED => Ok(Some(vec![whole(); devices])),
            sharding_type::TILED if !sharding.tiles.is_empty() => {
                sharding.tiled(dims, devices).map(Some)
            }
            _ => Ok(None),
        }
    }
}

impl OpSharding {
    fn tiled(&self, dims: &[i64], devices: usize) -> Result<Vec<ShardSlice>, Status> {
        let wrong = || {
            let tiles = &self.tiles;
            Status::invalid(format!("no sharding of {dims:?} on {devices} devices: {tiles:?}"))
        };
        let counts = self.tiles.get(..dims.len()).ok_or_else(wrong)?;
        let all = product(&self.tiles).ok_or_else(wrong)?;
        let order = self.order(all).ok_or_else(wrong)?;
        if all != devices || order.len() != devices || dims.iter().any(|dim| *dim < 0) {
            return Err(wrong());
        }
        let mut pieces: Vec<Option<ShardSlice>> = vec![None; devices];
        for (place, device) in order.into_iter().enumerate() {
            let index = unravel(place, &self.tiles);
            let (mut origin, mut size) = (Vec::new(), Vec::new());
            for ((dim, count), at) in dims.iter().zip(counts).zip(index) {
                let tile = (dim / count) + i64::from(dim % count != 0);
                let begin = tile.saturating_mul(at).min(*dim);
                origin.push(begin);
                size.push(tile.min(dim - begin));
            }
            let slot = pieces.get_mut(device).filter(|slot| slot.is_none()).ok_or_else(wrong)?;
            *slot = Some(ShardSlice { origin, dims: size });
        }
        pieces.into_iter().collect::<Option<_>>().ok_or_else(wrong)
    }

    /// The devices in the order of their tiles.
    fn order(&self, all: usize) -> Option<Vec<usize>> {
        if !self.devices.is_empty() {
            return self.devices.iter().map(|device| usize::try_from(*device).ok()).collect();
        }
        if product(&self.rule)? != all {
            return None;
        }
        let axes: Vec<usize> = self
            .permutation
            .iter()
            .map(|axis| usize::try_from(*axis).ok())
            .collect::<Option<_>>()?;
        let mut seen = axes.clone();
        seen.sort_unstable();
        if !seen.into_iter().eq(0..self.rule.len()) {
            return None;
        }
        let turned: Vec<i64> =
            axes.iter().filter_map(|axis| self.rule.get(*axis).copied()).collect();
        let device = |place: usize| {
            let index = unravel(place, &turned);
            let mut straight = vec![0; index.len()];
            axes.iter().zip(index).for_each(|(axis, at)| straight[*axis] = at);
            let number = self.rule.iter().zip(straight).fold(0, |sum, (dim, at)| sum * dim + at);
            usize::try_from(number).ok()
        };
        (0..all).map(device).collect()
    }
}

/// The product of numbers that are all positive, if it is not too large.
fn product(numbers: &[i64]) -> Option<usize> {
    let all = numbers.iter().try_fold(1_i64, |all, number| {
        all.checked_mul(*number).filter(|all| *number > 0 && *all <= MOST)
    });
    usize::try_from(all?).ok()
}

/// The index of a place in an array of these positive dimensions, row by row.
fn unravel(place: usize, dims: &[i64]) -> Vec<i64> {
    let mut rest = i64::try_from(place).unwrap_or(i64::MAX);
    let mut index = vec![0; dims.len()];
    for (at, dim) in index.iter_mut().zip(dims).rev() {
        (*at, rest) = (rest % dim, rest / dim);
    }
    index
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;

    fn tiled(tiles: &[i64], devices: &[i64], rule: &[i64], permutation: &[i32]) -> Cut {
        let sharding = OpSharding {
            kind: sharding_type::TILED,
            tiles: tiles.to_vec(),
            devices: devices.to_vec(),
            rule: rule.to_vec(),
            permutation: permutation.to_vec(),
            ..OpSharding::default()
        };
        Cut::Tiles(sharding.encode_to_vec().into())
    }

    fn origins(cut: &Cut, dims: &[i64], devices: usize) -> Vec<Vec<i64>> {
        let pieces = cut.pieces(dims, devices).unwrap().unwrap();
        pieces.into_iter().map(|piece| piece.origin).collect()
    }

    #[test]
    fn tiles_are_given_out_by_a_list_or_by_a_rule() {
        let list = tiled(&[2, 2], &[3, 2, 1, 0], &[], &[]);
        assert_eq!(origins(&list, &[4, 6], 4), [[2, 3], [2, 0], [0, 3], [0, 0]]);
        let rule = tiled(&[2, 2], &[], &[4], &[0]);
        assert_eq!(origins(&rule, &[4, 6], 4), [[0, 0], [0, 3], [2, 0], [2, 3]]);
        let turned = tiled(&[4, 1], &[], &[2, 2], &[1, 0]);
        assert_eq!(origins(&turned, &[4, 6], 4), [[0, 0], [2, 0], [1, 0], [3, 0]]);
    }

    #[test]
    fn axes_behind_those_of_the_array_are_groups_of_equal_tiles() {
        let groups = tiled(&[2, 2], &[], &[4], &[0]);
        assert_eq!(origins(&groups, &[8], 4), [[0], [0], [4], [4]]);
    }

    #[test]
    fn the_last_tiles_are_what_is_left() {
        let pieces = tiled(&[4], &[], &[4], &[0]).pieces(&[5], 4).unwrap().unwrap();
        let sizes: Vec<i64> = pieces.iter().map(|piece| piece.dims[0]).collect();
        assert_eq!(sizes, [2, 2, 1, 0]);
    }

    #[test]
    fn shardings_of_a_client_cannot_hurt() {
        for (cut, devices) in [
            (tiled(&[2], &[], &[2], &[1]), 2),
            (tiled(&[2], &[], &[3], &[0]), 2),
            (tiled(&[0], &[], &[0], &[0]), 0),
            (tiled(&[-2], &[0, 1], &[], &[]), 2),
            (tiled(&[2], &[0, 0], &[], &[]), 2),
            (tiled(&[2], &[0, 7], &[], &[]), 2),
            (tiled(&[i64::MAX, 2], &[], &[2], &[0]), 2),
            (tiled(&[], &[], &[], &[]), 2),
            (Cut::Tiles(Bytes::from_static(&[0xff])), 2),
        ] {
            assert!(!matches!(cut.pieces(&[8], devices), Ok(Some(_))), "{cut:?}");
        }
        assert_eq!(Cut::Unknown.pieces(&[8], 2).unwrap(), None);
    }
}
