//! Sharding of a value over devices: an `xla.OpSharding`, as it is sent.
//!
//! | field | meaning |
//! | --- | --- |
//! | 1 | its kind: 0 a copy on each device, 1 all on one device, 2 a tuple, 3 tiles, 4 manual, 5 unknown, 6 unreduced |
//! | 3 | the number of tiles of each axis, and of groups of equal ones behind them |
//! | 4, 9, 10 | the devices in the order of their tiles: a list, or a rule |
//! | 5 | the shardings of a tuple |
//! | 6, 8 | what the groups behind the tiles are: copies, or of the kinds in the list |
//! | 14 | the same by the axes of a mesh (`NamedShardingProto`), in place of all else; XLA since 2026 |
//!
//! A reader that skips a field that it does not know takes the rest for a copy on each device, which is kind 0 and
//! the default, and gives a wrong answer. So a field that is not known is refused.

use bytes::Bytes;
use prost::Message;
use unskew_source::BytesSource;
use unskew_source::wire;

use crate::mesh::NamedSharding;
use crate::status::Status;

/// The last field of the message that is known.
const LAST_KNOWN: u32 = 14;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OpSharding {
    #[prost(int32, tag = "1")]
    pub(crate) kind: i32,
    /// The number of tiles of each axis, and of groups of equal ones behind them.
    #[prost(int64, repeated, tag = "3")]
    pub(crate) tiles: Vec<i64>,
    /// The devices in the order of their tiles, if there is no rule.
    #[prost(int64, repeated, tag = "4")]
    pub(crate) devices: Vec<i64>,
    #[prost(bytes = "bytes", repeated, tag = "5")]
    pub(crate) parts: Vec<Bytes>,
    /// Whether the last number of tiles is one of copies.
    #[prost(bool, tag = "6")]
    pub(crate) copies_behind: bool,
    /// The kinds of the groups behind the tiles.
    #[prost(int32, repeated, tag = "8")]
    pub(crate) groups: Vec<i32>,
    /// The rule: the dimensions of the array of all devices,
    #[prost(int64, repeated, tag = "9")]
    pub(crate) rule: Vec<i64>,
    /// and the order of its axes.
    #[prost(int32, repeated, tag = "10")]
    pub(crate) permutation: Vec<i32>,
    /// The same by the axes of a mesh.
    #[prost(message, optional, tag = "14")]
    pub(crate) named: Option<NamedSharding>,
}

pub(crate) mod sharding_type {
    pub(crate) const REPLICATED: i32 = 0;
    pub(crate) const MAXIMAL: i32 = 1;
    pub(crate) const TUPLE: i32 = 2;
    pub(crate) const TILED: i32 = 3;
    /// Each device has a value of its own, which the program spreads by hand: results of ordered callbacks in a
    /// `shard_map`.
    pub(crate) const MANUAL: i32 = 4;
    /// Each device has a part of a sum, as large as the sum.
    pub(crate) const UNREDUCED: i32 = 6;
}

impl OpSharding {
    /// Reads a sharding. One by the axes of a mesh becomes tiles, which readers of every age know.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the bytes are none, UNIMPLEMENTED if it is of a form that is not known.
    pub(crate) fn read(bytes: &Bytes) -> Result<Self, Status> {
        let not_one =
            |error: &dyn std::fmt::Display| Status::invalid(format!("a sharding: {error}"));
        let source = BytesSource::new("sharding", bytes.to_vec());
        let mut fields = wire::WireMessage::whole(&source);
        while let Some(found) = fields.next().map_err(|error| not_one(&error))? {
            if found.number > LAST_KNOWN {
                return Err(unknown(format!("field {}", found.number)));
            }
        }
        let read = Self::decode(bytes.clone()).map_err(|error| not_one(&error))?;
        match read.named {
            Some(named) => named.tiles(),
            None => Ok(read),
        }
    }

    /// The sharding of each value of a tuple; a value that is no tuple is one of one.
    ///
    /// # Errors
    /// As of [`read`](Self::read).
    pub(crate) fn each(bytes: &Bytes) -> Result<Vec<Bytes>, Status> {
        let read =
            Self::decode(bytes.clone()).map_err(|error| Status::invalid(error.to_string()))?;
        if let Some(named) = read.named.as_ref().filter(|named| !named.parts.is_empty()) {
            let parts = named.parts.iter().map(|part| Ok(part.tiles()?.encode_to_vec().into()));
            return parts.collect();
        }
        if read.named.is_none() && read.kind == sharding_type::TUPLE {
            return read.parts.iter().map(Self::in_tiles).collect();
        }
        Ok(vec![Self::in_tiles(bytes)?])
    }

    /// The bytes of a sharding in the form that readers of every age know.
    pub(crate) fn in_tiles(bytes: &Bytes) -> Result<Bytes, Status> {
        Ok(Self::read(bytes)?.encode_to_vec().into())
    }

    /// The dimensions of a value of which a device has a shard of these.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the sharding is of another rank, or the dimensions overflow; UNIMPLEMENTED if it does not
    /// say what a shard is.
    pub(crate) fn whole(&self, shard: &[i64]) -> Result<Vec<i64>, Status> {
        match self.kind {
            sharding_type::REPLICATED
            | sharding_type::MAXIMAL
            | sharding_type::MANUAL
            | sharding_type::UNREDUCED => {
                return Ok(shard.to_vec());
            }
            sharding_type::TILED => self.of_known_groups()?,
            kind => return Err(unknown(format!("kind {kind}"))),
        }
        let tiles = self.tiles.get(..shard.len());
        let tiles = tiles.ok_or_else(|| Status::invalid("a sharding of another rank"))?;
        let whole = shard.iter().zip(tiles).map(|(dim, count)| dim.checked_mul(*count));
        whole.collect::<Option<_>>().ok_or_else(|| Status::invalid("dimensions that overflow"))
    }

    /// Whether every device has a piece of the value itself: a part of a sum is none.
    ///
    /// # Errors
    /// UNIMPLEMENTED if not, or if groups behind the tiles are of a kind that is not known.
    pub(crate) fn without_partial_sums(&self) -> Result<(), Status> {
        if self.kind == sharding_type::UNREDUCED || self.groups.contains(&sharding_type::UNREDUCED)
        {
            return Err(Status::unimplemented(
                "an unreduced array is parts of a sum on each device, which only a program adds up",
            ));
        }
        if self.kind == sharding_type::MAXIMAL {
            return Err(Status::unimplemented(
                "the value of this array is on one of its devices, and others have something of its shape",
            ));
        }
        self.of_known_groups()
    }

    fn of_known_groups(&self) -> Result<(), Status> {
        let is_known =
            |group: &&i32| [sharding_type::REPLICATED, sharding_type::UNREDUCED].contains(group);
        match self.groups.iter().find(|group| !is_known(group)) {
            Some(group) => Err(unknown(format!("groups of kind {group}"))),
            None => Ok(()),
        }
    }
}

/// A sharding that is not understood must not be taken for another.
pub(crate) fn unknown(what: impl std::fmt::Display) -> Status {
    Status::unimplemented(format!("this server does not know this form of sharding: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_make_a_whole() {
        let tiled = OpSharding {
            kind: sharding_type::TILED,
            tiles: vec![4, 1, 2],
            ..OpSharding::default()
        };
        assert_eq!(tiled.whole(&[2, 3]).unwrap(), [8, 3]);
        assert_eq!(OpSharding::default().whole(&[2, 3]).unwrap(), [2, 3]);
        assert!(tiled.whole(&[1; 4]).is_err());
        let one_device = OpSharding { kind: sharding_type::MAXIMAL, ..OpSharding::default() };
        assert_eq!(one_device.whole(&[2, 3]).unwrap(), [2, 3]);
        assert!(one_device.without_partial_sums().is_err());
        let by_hand = OpSharding { kind: sharding_type::MANUAL, ..OpSharding::default() };
        assert_eq!(by_hand.whole(&[2]).unwrap(), [2]);
        // Of which value it is a piece nobody says.
        let cut = crate::pieces::Cut::Tiles(by_hand.encode_to_vec().into());
        assert_eq!(cut.pieces(&[2], 2).unwrap(), None);
        assert!(tiled.whole(&[i64::MAX, 1]).is_err());
    }

    #[test]
    fn a_form_that_is_not_known_is_refused_and_never_a_copy_on_each_device() {
        // A field 15 of nothing; kinds that say nothing about a shard; groups that only a program knows.
        let refused = OpSharding::read(&Bytes::from_static(&[0x7a, 0])).unwrap_err();
        assert!(refused.to_string().contains("field 15"), "{refused}");
        for kind in [5, 7] {
            let sharding = OpSharding { kind, ..OpSharding::default() };
            assert!(sharding.whole(&[2]).is_err(), "{kind}");
        }
        let manual =
            OpSharding { kind: 3, tiles: vec![2, 2], groups: vec![4], ..OpSharding::default() };
        assert!(manual.whole(&[2]).is_err());
    }

    #[test]
    fn parts_of_a_sum_have_dimensions_and_are_no_pieces_of_an_array() {
        let sums = OpSharding { kind: sharding_type::UNREDUCED, ..OpSharding::default() };
        assert_eq!(sums.whole(&[2, 3]).unwrap(), [2, 3]);
        let groups =
            OpSharding { kind: 3, tiles: vec![2, 2], groups: vec![6], ..OpSharding::default() };
        assert_eq!(groups.whole(&[2]).unwrap(), [4]);
        for sharding in [sums, groups] {
            let refused = sharding.without_partial_sums().unwrap_err();
            assert!(refused.to_string().contains("parts of a sum"), "{refused}");
        }
    }

    #[test]
    fn a_tuple_is_read_value_by_value() {
        let tiled =
            OpSharding { kind: sharding_type::TILED, tiles: vec![4], ..OpSharding::default() };
        let part = Bytes::from(tiled.encode_to_vec());
        let tuple = OpSharding {
            kind: sharding_type::TUPLE,
            parts: vec![part.clone(); 2],
            ..OpSharding::default()
        };
        assert_eq!(
            OpSharding::each(&tuple.encode_to_vec().into()).unwrap(),
            [part.clone(), part.clone()]
        );
        assert_eq!(OpSharding::each(&part).unwrap(), [part]);
    }
}
