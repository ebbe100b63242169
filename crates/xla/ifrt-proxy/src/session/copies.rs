//! Requests that make arrays of arrays.

use std::sync::Arc;

use unskew_ifrt::types::{ArraySpec, DType, Ifrt, Mapping, RemapPlan, Shape, Sharding};
use unskew_pjrt::{Buffer, BufferPlace, Client, HostArray};
use unskew_serdes::proto::decode;

use super::{Session, results};
use crate::array::{ArrayShard, ShardedArray, Spread};
use crate::contents::ShardContents;
use crate::element;
use crate::handles::HandleTarget;
use crate::messages::{
    Assemble, CopyArrays, Disassemble, FullyReplicatedShard, Handle, HandleList, Remap, Respec,
    Semantics,
};
use crate::status::Status;

/// The most shards that a plan may move.
const MOST_SHARDS: usize = 1 << 20;

impl Session {
    /// One array of arrays of one shard each.
    pub(super) fn assemble(&mut self, asked: &Assemble) -> Result<Handle, Status> {
        let dims = decode::<Ifrt, Shape>(&asked.shape)?.dims;
        let spread = Spread::from(&decode::<Ifrt, Sharding>(&asked.sharding)?);
        self.platform.devices_of(&spread)?;
        let parts = self.handles.arrays(&asked.parts)?;
        let given: Option<DType> =
            asked.dtype.as_ref().map(|dtype| decode::<Ifrt, DType>(dtype)).transpose()?;
        let kind = match (given, parts.first()) {
            (Some(dtype), _) => dtype.kind,
            (None, Some(first)) => first.kind,
            (None, None) => return Err(Status::invalid("an array of no arrays and no type")),
        };
        if parts.len() != spread.devices.len() {
            let (given, wanted) = (parts.len(), spread.devices.len());
            return Err(Status::invalid(format!("{given} arrays for {wanted} shards")));
        }
        let mut shards = Vec::new();
        for (part, device) in parts.iter().zip(&spread.devices) {
            match part.shards.as_slice() {
                [shard] if shard.device == *device && part.kind == kind => {
                    shards.push(self.share(shard, asked.copy_semantics)?);
                }
                _ => return Err(Status::invalid(format!("this is no shard for device {device}"))),
            }
        }
        let array = ShardedArray::of_shards((kind, dims), spread, shards)?;
        let handle = self.handles.put(Some(asked.result), HandleTarget::Array(Arc::new(array)))?;
        Ok(Handle { handle })
    }

    /// A shard for another array: the same memory, unless a copy is wanted.
    fn share(&self, shard: &ArrayShard, semantics: i32) -> Result<ArrayShard, Status> {
        if Semantics::from_number(semantics) != Semantics::Copy {
            return Ok(shard.clone());
        }
        let entry = self.platform.device(shard.device)?;
        let contents = match shard.contents.as_ref() {
            ShardContents::Texts(texts) => ShardContents::Texts(texts.copy()?),
            ShardContents::Device(buffer) => {
                let kind = buffer.memory().and_then(|memory| memory.kind()).ok();
                copy(&self.platform.client, buffer, entry.place(kind.as_deref())?)?.into()
            }
        };
        Ok(ArrayShard::new(shard.device, contents))
    }

    /// The shards of an array as arrays.
    pub(super) fn disassemble(&mut self, asked: &Disassemble) -> Result<HandleList, Status> {
        let array = self.handles.array(asked.array)?;
        let places = results(&asked.results, array.shards.len())?;
        let part = |shard| array.of_shard(&self.share(shard, asked.copy_semantics)?);
        let parts: Result<Vec<_>, _> = array.shards.iter().map(part).collect();
        self.put_arrays(&places, parts?)
    }

    /// One of the equal shards of an array.
    pub(super) fn one_shard(&mut self, asked: FullyReplicatedShard) -> Result<Handle, Status> {
        let array = self.handles.array(asked.array)?;
        let shard = self.share(array.whole()?, asked.copy_semantics)?;
        let one = array.of_shard(&shard)?;
        let handle = self.handles.put(Some(asked.result), HandleTarget::Array(Arc::new(one)))?;
        Ok(Handle { handle })
    }

    /// Arrays on other devices, or in other memories.
    pub(super) fn copy_arrays(&mut self, asked: &CopyArrays) -> Result<HandleList, Status> {
        let arrays = self.handles.arrays(&asked.arrays)?;
        let places = results(&asked.results, arrays.len())?;
        let mut copies = Vec::new();
        for array in &arrays {
            let mut spread = array.spread.clone();
            if !asked.device_ids.is_empty() {
                spread.devices.clone_from(&asked.device_ids);
            }
            // The first clients send an empty text for none.
            if let Some(kind) = asked.memory_kind.as_ref().filter(|kind| !kind.is_empty()) {
                spread.memory_kind = Some(kind.clone());
            }
            copies.push(self.onto(array, spread, asked.copy_semantics)?);
        }
        self.put_arrays(&places, copies)
    }

    /// The shards of an array on other devices, in their order.
    pub(super) fn onto(
        &self,
        array: &ShardedArray,
        spread: Spread,
        semantics: i32,
    ) -> Result<ShardedArray, Status> {
        let devices = self.platform.devices_of(&spread)?;
        if devices.len() != array.shards.len() {
            let (there, wanted) = (array.shards.len(), devices.len());
            return Err(Status::invalid(format!("{there} shards on {wanted} devices")));
        }
        let mut shards = Vec::new();
        for (shard, entry) in array.shards.iter().zip(devices) {
            let stays = entry.id == shard.device && spread.memory_kind == array.spread.memory_kind;
            if stays && Semantics::from_number(semantics) != Semantics::Copy {
                shards.push(shard.clone());
                continue;
            }
            let place = entry.place(spread.memory_kind.as_deref())?;
            let copied = match shard.contents.as_ref() {
                ShardContents::Texts(texts) => ShardContents::Texts(texts.copy()?),
                ShardContents::Device(buffer) => copy(&self.platform.client, buffer, place)?.into(),
            };
            if Semantics::from_number(semantics) == Semantics::Donate {
                shard.contents.delete()?;
            }
            shards.push(ArrayShard::new(entry.id, copied));
        }
        Ok(ShardedArray { kind: array.kind, dims: array.dims.clone(), spread, shards })
    }

    /// Arrays made of shards of others.
    pub(super) fn remap(&mut self, asked: &Remap) -> Result<HandleList, Status> {
        let plan: RemapPlan = decode::<Ifrt, _>(&asked.plan)?;
        let arrays = self.handles.arrays(&asked.arrays)?;
        let places = results(&asked.results, plan.output_specs.len())?;
        if arrays.len() != plan.input_specs.len() {
            return Err(Status::invalid("a plan for another number of arrays"));
        }
        let mut outputs: Vec<Vec<Option<ArrayShard>>> = Vec::new();
        for spec in &plan.output_specs {
            let spread = Spread::from(&spec.sharding);
            outputs.push(self.platform.devices_of(&spread)?.iter().map(|_| None).collect());
        }
        for mapping in &plan.mappings {
            let pick = |index: i32| usize::try_from(index).ok();
            let from = pick(mapping.in_array).and_then(|at| arrays.get(at));
            let to = pick(mapping.out_array).and_then(|at| outputs.get_mut(at));
            let spec = pick(mapping.out_array).and_then(|at| plan.output_specs.get(at));
            let (Some(from), Some(to), Some(kind)) = (from, to, spec.map(|spec| spec.dtype.kind))
            else {
                return Err(Status::invalid("a plan names an array that is not there"));
            };
            for (source, target) in moves(mapping)? {
                let (Some(shard), Some(place)) = (from.shards.get(source), to.get_mut(target))
                else {
                    return Err(Status::invalid("a plan names a shard that is not there"));
                };
                if from.kind != kind {
                    return Err(Status::invalid("a plan makes elements of another type"));
                }
                *place = Some(shard.clone());
            }
        }
        let mut arrays = Vec::new();
        for (spec, shards) in plan.output_specs.iter().zip(outputs) {
            let shards: Option<Vec<ArrayShard>> = shards.into_iter().collect();
            let shards = shards.ok_or_else(|| Status::invalid("a plan leaves a shard out"))?;
            arrays.push(self.remapped(spec, &shards, asked.copy_semantics)?);
        }
        self.put_arrays(&places, arrays)
    }

    fn remapped(
        &self,
        spec: &ArraySpec,
        shards: &[ArrayShard],
        semantics: i32,
    ) -> Result<ShardedArray, Status> {
        let spread = Spread::from(&spec.sharding);
        let on_devices = spread.devices.iter().zip(shards).all(|(id, shard)| *id == shard.device);
        if !on_devices {
            return Err(Status::invalid("a plan moves shards to other devices"));
        }
        let shards: Result<Vec<ArrayShard>, Status> =
            shards.iter().map(|shard| self.share(shard, semantics)).collect();
        let dims = spec.shape.dims.clone();
        ShardedArray::of_shards((spec.dtype.kind, dims), spread, shards?)
    }

    /// The same bits as arrays of other types.
    pub(super) fn bitcast(&mut self, asked: &Respec) -> Result<HandleList, Status> {
        let (arrays, specs) = self.respecs(asked)?;
        let places = results(&asked.results, arrays.len())?;
        let mut cast = Vec::new();
        for (array, spec) in arrays.iter().zip(specs) {
            let spread = Spread::from(&spec.sharding);
            if spread.devices != array.spread.devices || spread.devices.len() > 1 {
                return Err(Status::unimplemented(
                    "bitcast_arrays_request is served for arrays on one device, which they stay on",
                ));
            }
            let element = element::to_pjrt(spec.dtype.kind)?;
            let mut shards = Vec::new();
            for shard in &array.shards {
                let cast = shard.contents.device()?.bitcast(element, &spec.shape.dims)?;
                shards.push(ArrayShard::new(shard.device, cast));
            }
            cast.push(ShardedArray {
                kind: spec.dtype.kind,
                dims: spec.shape.dims,
                spread,
                shards,
            });
        }
        self.put_arrays(&places, cast)
    }

    /// Arrays, and what is to become of each.
    pub(super) fn respecs(
        &self,
        asked: &Respec,
    ) -> Result<(Vec<Arc<ShardedArray>>, Vec<ArraySpec>), Status> {
        let arrays = self.handles.arrays(&asked.arrays)?;
        let specs: Result<Vec<ArraySpec>, _> =
            asked.array_specs.iter().map(|spec| decode::<Ifrt, ArraySpec>(spec)).collect();
        let specs = specs?;
        if specs.len() != arrays.len() {
            return Err(Status::invalid("not one spec for each array"));
        }
        Ok((arrays, specs))
    }
}

/// Which shard becomes which.
fn moves(mapping: &Mapping) -> Result<Vec<(usize, usize)>, Status> {
    let wrong = || Status::invalid("a plan with an interval that is none");
    let mut moves = Vec::new();
    let from = mapping.from_start.iter().zip(&mapping.from_end).zip(&mapping.from_step);
    let to = mapping.to_start.iter().zip(&mapping.to_end).zip(&mapping.to_step);
    for (((&start, &end), &step), ((&to_start, &to_end), &to_step)) in from.zip(to) {
        let indices = |start: i64, end: i64, step: i64| {
            let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
            let step = usize::try_from(step).ok().filter(|step| *step > 0)?;
            (end.saturating_sub(start) <= MOST_SHARDS).then(|| (start..end).step_by(step))
        };
        let sources = indices(start, end, step).ok_or_else(wrong)?;
        let targets = indices(to_start, to_end, to_step).ok_or_else(wrong)?;
        if sources.len() != targets.len() || moves.len() + sources.len() > MOST_SHARDS {
            return Err(wrong());
        }
        moves.extend(sources.zip(targets));
    }
    Ok(moves)
}

/// A copy in another place, or in the same one.
fn copy(client: &Client, buffer: &Buffer, place: BufferPlace<'_>) -> Result<Buffer, Status> {
    let copied = copied(buffer, place)?;
    let order = |of: &Buffer| of.minor_to_major().ok().flatten();
    if order(buffer) == order(&copied) {
        return Ok(copied);
    }
    // Some plug-ins copy the bytes of an array that lies in another order, and say that it lies row by row.
    let data = buffer.to_host()?;
    let (element_type, dims) = (buffer.element_type()?, buffer.dimensions()?);
    let array = HostArray { data: &data, element_type, dims: &dims, strides: None };
    client.buffer(array, place).map_err(Status::from)
}

fn copied(buffer: &Buffer, place: BufferPlace<'_>) -> Result<Buffer, Status> {
    let device = match place {
        BufferPlace::Memory(memory) => return buffer.copy_to_memory(memory).map_err(Status::from),
        BufferPlace::Device(device) => device,
    };
    // Plug-ins copy within a device only between memories, and the oldest know of none.
    if let Ok(memory) = device.default_memory() {
        match buffer.copy_to_memory(&memory) {
            Err(error) if error.is_unimplemented() => {}
            copied => return copied.map_err(Status::from),
        }
    }
    buffer.copy_to_device(device).map_err(Status::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(from: (i64, i64, i64), to: (i64, i64, i64)) -> Mapping {
        Mapping {
            from_start: vec![from.0],
            from_end: vec![from.1],
            from_step: vec![from.2],
            to_start: vec![to.0],
            to_end: vec![to.1],
            to_step: vec![to.2],
            ..Mapping::default()
        }
    }

    #[test]
    fn intervals_are_pairs_of_shards() {
        let every_other = moves(&mapping((0, 4, 2), (1, 3, 1))).unwrap();
        assert_eq!(every_other, [(0, 1), (2, 2)]);
    }

    #[test]
    fn intervals_of_a_client_cannot_hurt() {
        for wrong in [
            mapping((0, 4, 0), (0, 4, 1)),
            mapping((0, 4, -1), (0, 4, 1)),
            mapping((-1, 4, 1), (0, 4, 1)),
            mapping((0, 4, 1), (0, 3, 1)),
            mapping((0, i64::MAX, 1), (0, i64::MAX, 1)),
        ] {
            assert!(moves(&wrong).is_err(), "{wrong:?}");
        }
    }
}
