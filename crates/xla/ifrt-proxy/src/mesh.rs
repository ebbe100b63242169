//! A sharding by the axes of a mesh: field 14 of an `xla.OpSharding`.
//!
//! All devices stand in a mesh, an array whose axes have names and sizes. Each axis of a value names the axes of the
//! mesh by which it is cut, the major one first; one of them may be a part of an axis, which is `size` neighbours of
//! every `before` groups. Axes of the mesh that no axis of the value names are copies.

use prost::Message;

use crate::sharding::{OpSharding, sharding_type, unknown};
use crate::status::Status;

/// The most devices of a mesh.
const MOST: i64 = 1 << 16;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct NamedSharding {
    /// The shardings of a tuple.
    #[prost(message, repeated, tag = "1")]
    pub(crate) parts: Vec<NamedSharding>,
    #[prost(message, optional, tag = "2")]
    pub(crate) mesh: Option<Mesh>,
    /// How each axis of the value is cut.
    #[prost(message, repeated, tag = "3")]
    pub(crate) axes: Vec<Cuts>,
    /// Axes of the mesh along which devices hold parts of a sum.
    #[prost(message, repeated, tag = "5")]
    pub(crate) unreduced: Vec<AxisPart>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Mesh {
    #[prost(message, repeated, tag = "1")]
    pub(crate) axes: Vec<Axis>,
    /// The devices in the order of the mesh; none are all of them in their own order.
    #[prost(int64, repeated, tag = "2")]
    pub(crate) devices: Vec<i64>,
}

/// An axis of the mesh. Its name is of no use here.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Axis {
    #[prost(int64, tag = "2")]
    pub(crate) size: i64,
}

/// How an axis of a value is cut.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Cuts {
    #[prost(message, repeated, tag = "1")]
    pub(crate) by: Vec<AxisPart>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct AxisPart {
    #[prost(int64, tag = "1")]
    pub(crate) axis: i64,
    #[prost(message, optional, tag = "2")]
    pub(crate) part: Option<Part>,
}

/// A part of an axis.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Part {
    #[prost(int64, tag = "1")]
    pub(crate) before: i64,
    #[prost(int64, tag = "2")]
    pub(crate) size: i64,
}

impl NamedSharding {
    /// The same in tiles.
    ///
    /// # Errors
    /// UNIMPLEMENTED if it is a tuple or holds parts of a sum, INVALID_ARGUMENT if it is none of its mesh.
    pub(crate) fn tiles(&self) -> Result<OpSharding, Status> {
        if !self.parts.is_empty() {
            return Err(unknown("a tuple of shardings for one value"));
        }
        if !self.unreduced.is_empty() {
            return Err(unknown("unreduced axes of a mesh"));
        }
        let mesh = self.mesh.as_ref().filter(|mesh| !mesh.axes.is_empty());
        let Some(mesh) = mesh else {
            return match self.mesh.as_ref().map(|mesh| &*mesh.devices) {
                None | Some([]) => Ok(OpSharding::default()),
                Some(devices) => {
                    let devices = devices.to_vec();
                    Ok(OpSharding {
                        kind: sharding_type::MAXIMAL,
                        tiles: vec![1],
                        devices,
                        ..OpSharding::default()
                    })
                }
            };
        };
        mesh.tiles(&self.axes).ok_or_else(|| Status::invalid("a sharding that is none of its mesh"))
    }
}

impl Mesh {
    fn tiles(&self, axes: &[Cuts]) -> Option<OpSharding> {
        let sizes: Vec<i64> = self.axes.iter().map(|axis| axis.size).collect();
        let count = product(sizes.iter().copied())?;
        let steps: Vec<Vec<Step>> = axes
            .iter()
            .map(|cuts| cuts.by.iter().map(|part| Step::from_axis(part, &sizes)).collect())
            .collect::<Option<_>>()?;
        let tiles: Vec<i64> = steps
            .iter()
            .map(|cuts| product(cuts.iter().map(|step| step.size)))
            .collect::<Option<_>>()?;
        let all = product(tiles.iter().copied())?;
        let copies = count.checked_div(all).filter(|copies| copies * all == count)?;
        if all == 1 {
            return Some(OpSharding::default());
        }
        let mut slots = vec![Vec::new(); usize::try_from(all).ok()?];
        for at in 0..count {
            let place = steps.iter().zip(&tiles).try_fold(0_i64, |place, (cuts, count)| {
                let index = cuts.iter().fold(0, |index, step| index * step.size + step.index(at));
                Some(place * count + index)
            })?;
            let device = match self.devices.len() {
                0 => at,
                _ => *self.devices.get(usize::try_from(at).ok()?)?,
            };
            slots.get_mut(usize::try_from(place).ok()?)?.push(device);
        }
        // Parts of one axis that overlap would leave a tile with more devices than another.
        if slots.iter().any(|slot| slot.len() as i64 != copies) {
            return None;
        }
        let mut tiles = tiles;
        if copies > 1 {
            tiles.push(copies);
        }
        let devices = slots.concat();
        Some(OpSharding {
            kind: sharding_type::TILED,
            tiles,
            devices,
            copies_behind: copies > 1,
            ..OpSharding::default()
        })
    }
}

/// A digit of the number of a device in the mesh.
struct Step {
    /// How many numbers lie between neighbours.
    stride: i64,
    size: i64,
}

impl Step {
    fn from_axis(part: &AxisPart, sizes: &[i64]) -> Option<Self> {
        let axis = usize::try_from(part.axis).ok()?;
        let whole = *sizes.get(axis)?;
        let behind = product(sizes.get(axis + 1..)?.iter().copied())?;
        let Some(Part { before, size }) = part.part else {
            return Some(Self { stride: behind, size: whole });
        };
        if before < 1
            || size < 1
            || before.checked_mul(size)? > whole
            || whole % (before * size) != 0
        {
            return None;
        }
        Some(Self { stride: behind * (whole / (before * size)), size })
    }

    fn index(&self, device: i64) -> i64 {
        device / self.stride % self.size
    }
}

/// The product of numbers that are all positive, if it is not too large.
fn product(mut numbers: impl Iterator<Item = i64>) -> Option<i64> {
    numbers.try_fold(1_i64, |all, number| {
        all.checked_mul(number).filter(|all| number > 0 && *all <= MOST)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::Cut;

    fn whole(axis: i64) -> AxisPart {
        AxisPart { axis, part: None }
    }

    fn part(axis: i64, before: i64, size: i64) -> AxisPart {
        AxisPart { axis, part: Some(Part { before, size }) }
    }

    fn sharding(mesh: &[i64], devices: &[i64], axes: &[&[AxisPart]]) -> NamedSharding {
        let mesh = Mesh {
            axes: mesh.iter().map(|size| Axis { size: *size }).collect(),
            devices: devices.to_vec(),
        };
        let axes = axes.iter().map(|by| Cuts { by: by.to_vec() }).collect();
        NamedSharding { mesh: Some(mesh), axes, ..NamedSharding::default() }
    }

    fn origins(named: &NamedSharding, dims: &[i64], devices: usize) -> Vec<Vec<i64>> {
        let bytes = OpSharding { named: Some(named.clone()), ..OpSharding::default() };
        let cut = Cut::Tiles(bytes.encode_to_vec().into());
        let pieces = cut.pieces(dims, devices).unwrap().unwrap();
        pieces.into_iter().map(|piece| piece.origin).collect()
    }

    #[test]
    fn an_axis_of_a_mesh_cuts_an_axis_of_the_value() {
        let rows = sharding(&[4], &[], &[&[whole(0)]]);
        assert_eq!(origins(&rows, &[16], 4), [[0], [4], [8], [12]]);
        let both = sharding(&[2, 2], &[], &[&[whole(1)], &[whole(0)]]);
        assert_eq!(origins(&both, &[4, 6], 4), [[0, 0], [2, 0], [0, 3], [2, 3]]);
        let two = sharding(&[2, 2], &[], &[&[whole(1), whole(0)]]);
        assert_eq!(origins(&two, &[8], 4), [[0], [4], [2], [6]]);
    }

    #[test]
    fn an_axis_that_is_not_named_is_of_copies() {
        let rows = sharding(&[2, 2], &[], &[&[], &[whole(1)]]);
        assert_eq!(origins(&rows, &[8, 12], 4), [[0, 0], [0, 6], [0, 0], [0, 6]]);
        assert_eq!(sharding(&[4], &[], &[&[]]).tiles().unwrap(), OpSharding::default());
    }

    #[test]
    fn devices_stand_in_the_order_of_the_mesh() {
        let turned = sharding(&[4], &[3, 2, 1, 0], &[&[whole(0)]]);
        assert_eq!(origins(&turned, &[8], 4), [[6], [4], [2], [0]]);
    }

    #[test]
    fn parts_of_an_axis_cut_as_one_does() {
        // The major half of the axis, then the minor one: as the whole axis.
        let halves = sharding(&[4], &[], &[&[part(0, 1, 2), part(0, 2, 2)]]);
        assert_eq!(origins(&halves, &[8], 4), [[0], [2], [4], [6]]);
        let major = sharding(&[4], &[], &[&[part(0, 1, 2)]]);
        assert_eq!(origins(&major, &[8], 4), [[0], [0], [4], [4]]);
        let minor = sharding(&[4], &[], &[&[part(0, 2, 2)]]);
        assert_eq!(origins(&minor, &[8], 4), [[0], [4], [0], [4]]);
    }

    #[test]
    fn a_mesh_without_axes_is_one_device_or_none() {
        let one = sharding(&[], &[2], &[]).tiles().unwrap();
        assert_eq!((one.kind, one.devices), (sharding_type::MAXIMAL, vec![2]));
        assert_eq!(sharding(&[], &[], &[]).tiles().unwrap(), OpSharding::default());
    }

    #[test]
    fn meshes_of_a_client_cannot_hurt() {
        for wrong in [
            sharding(&[0], &[], &[&[whole(0)]]),
            sharding(&[-4], &[], &[&[whole(0)]]),
            sharding(&[4], &[], &[&[whole(1)]]),
            sharding(&[4], &[], &[&[whole(-1)]]),
            sharding(&[4], &[0], &[&[whole(0)]]),
            sharding(&[4], &[], &[&[part(0, 3, 2)]]),
            sharding(&[4], &[], &[&[part(0, i64::MAX, i64::MAX)]]),
            sharding(&[4], &[], &[&[whole(0)], &[whole(0)]]),
            sharding(&[1 << 40, 1 << 40], &[], &[&[whole(0)]]),
            sharding(&[4], &[], &[&[part(0, 1, 2), part(0, 1, 2)]]),
        ] {
            assert!(wrong.tiles().is_err(), "{wrong:?}");
        }
        let mut sums = sharding(&[4], &[], &[&[]]);
        sums.unreduced = vec![whole(0)];
        assert!(sums.tiles().is_err());
    }
}
