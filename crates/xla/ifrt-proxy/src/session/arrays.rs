//! Requests that make arrays of host data, that read them, and that let them go.

use std::sync::Arc;

use bytes::Bytes;
use unskew_ifrt::types::{ArraySpec, DTypeKind, Ifrt, Shape, Sharding};
use unskew_pjrt::ElementType;
use unskew_serdes::proto::decode;

use super::layout::minor_to_major;
use super::{Session, results};
use crate::array::{ArrayShard, ShardedArray, Spread};
use crate::contents::{ShardContents, Texts};
use crate::element;
use crate::handles::HandleTarget;
use crate::memory_quota::MemoryKind;
use crate::messages::{
    ByteStrides, CopyToHost, Empty, Handle, HandleList, MakeArray, MakeArraysFromShards,
    MakeErrorArrays, ResponseBody, ShardsSpec,
};
use crate::platform::DeviceEntry;
use crate::reply::Reply;
use crate::status::{Status, StatusCode};
use crate::strides;

/// How host data are to be read, and how they are to lie on a device.
struct HostShape<'a> {
    kind: DTypeKind,
    dims: &'a [i64],
    strides: Option<&'a ByteStrides>,
    /// The axes, the fastest first; none is row by row.
    minor_to_major: Option<Vec<i64>>,
}

impl Session {
    /// An array of one host buffer, on one device or the same on several.
    pub(super) fn make_array(&mut self, asked: &MakeArray) -> Result<Handle, Status> {
        let data = self.buffers.take(asked.host_buffer, self.limits.patience)?;
        let kind = element::kind(&asked.dtype)?;
        let dims = decode::<Ifrt, Shape>(&asked.shape)?.dims;
        let sharding = decode::<Ifrt, Sharding>(&asked.sharding)?;
        if let Sharding::Hlo(hlo) = &sharding
            && hlo.devices.device_ids.len() > 1
            && !hlo.xla_op_sharding.0.is_empty()
        {
            return Err(Status::unimplemented(
                "one host buffer for an array that is cut into shards: the client is to send the shards",
            ));
        }
        let spread = Spread::from(&sharding);
        one_for_each(kind, spread.devices.len())?;
        let shape = HostShape {
            kind,
            dims: &dims,
            strides: asked.byte_strides.as_ref(),
            minor_to_major: order(asked.layout.as_ref(), dims.len())?,
        };
        let mut shards = Vec::new();
        for entry in self.platform.devices_of(&spread)? {
            shards.push(ArrayShard::new(
                entry.id,
                self.upload(data.clone(), &shape, entry, &spread)?,
            ));
        }
        let array = ShardedArray { kind, dims, spread, shards };
        let handle = self.handles.put(asked.array, HandleTarget::Array(Arc::new(array)))?;
        Ok(Handle { handle })
    }

    fn upload(
        &self,
        data: Bytes,
        shape: &HostShape<'_>,
        entry: &DeviceEntry,
        spread: &Spread,
    ) -> Result<ShardContents, Status> {
        let place = entry.place(spread.memory_kind.as_deref())?;
        if shape.kind == DTypeKind::String {
            // Clients send texts row by row, whatever strides they had.
            let charge = self.ongoing.account.charge(MemoryKind::Host, data.len() as u64)?;
            return Ok(ShardContents::Texts(Texts::new(data, shape.dims, charge)?));
        }
        let element = element::to_pjrt(shape.kind)?;
        let given = shape.strides.map(|strides| strides.strides.as_slice());
        let strides = given.filter(|given| !strides::dense(element, shape.dims, given));
        let array = (element, shape.dims, strides);
        let buffer = match &shape.minor_to_major {
            Some(order) => self.platform.buffer_in_order(&data, array, order, place)?,
            None => self.platform.buffer(data, array, place)?,
        };
        Ok(buffer.into())
    }

    /// Arrays, each of a host buffer for each shard.
    pub(super) fn make_from_shards(
        &mut self,
        asked: &MakeArraysFromShards,
    ) -> Result<HandleList, Status> {
        let places = results(&asked.arrays, asked.specs.len())?;
        let arrays: Result<Vec<ShardedArray>, Status> =
            asked.specs.iter().map(|spec| self.make_of(spec)).collect();
        self.put_arrays(&places, arrays?)
    }

    fn make_of(&self, asked: &ShardsSpec) -> Result<ShardedArray, Status> {
        let spec = decode::<Ifrt, ArraySpec>(&asked.array_spec)?;
        let minor_to_major = order(spec.layout.as_ref(), spec.shape.dims.len())?;
        let spread = Spread::from(&spec.sharding);
        let devices = self.platform.devices_of(&spread)?;
        if asked.host_buffers.len() != asked.shard_indices.len() {
            return Err(Status::invalid("not one list of shards for each host buffer"));
        }
        let mut shards: Vec<Option<ArrayShard>> = devices.iter().map(|_| None).collect();
        for (from, indices) in asked.host_buffers.iter().zip(&asked.shard_indices) {
            let data = self.buffers.take(from.host_buffer, self.limits.patience)?;
            let kind = element::kind(&from.dtype)?;
            let dims = decode::<Ifrt, Shape>(&from.shape)?.dims;
            if kind != spec.dtype.kind {
                return Err(Status::invalid("a shard of another element type than its array"));
            }
            one_for_each(kind, indices.indices.len())?;
            let shape = HostShape {
                kind,
                dims: &dims,
                strides: from.byte_strides.as_ref(),
                minor_to_major: minor_to_major.clone(),
            };
            for index in &indices.indices {
                let at = usize::try_from(*index).ok();
                let place = at.and_then(|at| Some((devices.get(at)?, shards.get_mut(at)?)));
                let Some((entry, place)) = place else {
                    return Err(Status::invalid(format!("the array has no such shard: {index}")));
                };
                let contents = self.upload(data.clone(), &shape, entry, &spread)?;
                *place = Some(ArrayShard::new(entry.id, contents));
            }
        }
        let shards: Option<Vec<ArrayShard>> = shards.into_iter().collect();
        let shards = shards.ok_or_else(|| Status::invalid("a shard of the array has no data"))?;
        ShardedArray::of_shards((spec.dtype.kind, spec.shape.dims), spread, shards)
    }

    /// Gives handles to arrays that were made.
    pub(super) fn put_arrays(
        &mut self,
        places: &[Option<u64>],
        arrays: Vec<ShardedArray>,
    ) -> Result<HandleList, Status> {
        let pairs = places.iter().zip(arrays);
        let put = |(place, array): (&Option<u64>, ShardedArray)| {
            self.handles.put(*place, HandleTarget::Array(Arc::new(array)))
        };
        Ok(HandleList { handles: pairs.map(put).collect::<Result<_, _>>()? })
    }

    /// Arrays that stand for an error.
    pub(super) fn make_errors(&mut self, asked: &MakeErrorArrays) -> Result<HandleList, Status> {
        let error = asked.error.as_ref().filter(|error| error.code != 0);
        let error = error.ok_or_else(|| Status::invalid("arrays of an error that is none"))?;
        let error = Status::from(error);
        let mut handles = Vec::new();
        for place in results(&asked.arrays, asked.array_specs.len())? {
            handles.push(self.handles.put(place, HandleTarget::Poisoned(error.clone()))?);
        }
        Ok(HandleList { handles })
    }

    pub(super) fn check_future(&mut self, handle: u64, reply: Reply) {
        match self.handles.take_future(handle) {
            Ok(events) => reply.send_after(&events, ResponseBody::CheckFuture(Empty {})),
            Err(status) => reply.send(Err(status)),
        }
    }

    /// Answers when all arrays have their contents.
    pub(super) fn check_ready(&self, handles: &[u64], reply: Reply) {
        let events = self.handles.arrays(handles).and_then(|arrays| {
            let shards = arrays.iter().flat_map(|array| &array.shards);
            let ready = shards.filter_map(|shard| shard.contents.ready().transpose());
            ready.collect::<Result<Vec<_>, _>>()
        });
        match events {
            Ok(events) => reply.send_after(&events, ResponseBody::CheckValueReady(Empty {})),
            Err(status) => reply.send(Err(status)),
        }
    }

    /// Answers when the array is in its host buffer. Where the plug-in has it in memory of the host, that memory
    /// is the host buffer.
    pub(super) fn copy_to_host(&self, asked: &CopyToHost, reply: Reply) {
        let begun = self.handles.array(asked.array).and_then(|array| {
            if let ShardContents::Texts(texts) = array.whole()?.contents.as_ref() {
                self.buffers.put(asked.host_buffer, texts.data()?)?;
                return Ok(None);
            }
            let element = element::to_pjrt(array.kind)?;
            let wanted = asked.byte_strides.as_ref().map(|wanted| wanted.strides.clone());
            let wanted = wanted.filter(|wanted| !strides::dense(element, &array.dims, wanted));
            let buffer = array.whole()?.contents.device()?;
            let as_is = wanted.is_none() && is_large(element, &array.dims);
            let here = if as_is { buffer.contents()? } else { None };
            let copied = if here.is_none() { Some(buffer.to_host_async()?) } else { None };
            Ok(Some((element, array, wanted, here, copied)))
        });
        let (element, array, wanted, here, copied) = match begun {
            Ok(Some(begun)) => begun,
            Ok(None) => return reply.send(Ok(ResponseBody::CopyToHost(Empty {}))),
            Err(status) => return reply.send(Err(status)),
        };
        let (buffers, handle) = (Arc::clone(&self.buffers), asked.host_buffer);
        self.runtime.spawn(async move {
            let put = async {
                let data = match (here, copied) {
                    (Some(here), _) => Bytes::from_owner(here.await?),
                    (None, Some(copied)) => Bytes::from(copied.await?),
                    (None, None) => Bytes::new(),
                };
                let data = match &wanted {
                    Some(wanted) => strides::spread(element, &array.dims, wanted, &data)?.into(),
                    None => data,
                };
                buffers.put(handle, data)
            };
            reply.send(put.await.map(|()| ResponseBody::CopyToHost(Empty {})));
        });
    }

    /// Deletes arrays: what shares their memory is deleted too.
    pub(super) fn delete_arrays(
        &mut self,
        handles: impl Iterator<Item = u64>,
    ) -> Result<Handle, Status> {
        for handle in handles {
            match self.handles.array(handle) {
                Ok(array) => array.shards.iter().try_for_each(|shard| shard.contents.delete())?,
                // What stands for an error has no memory.
                Err(status) if status.code == StatusCode::NotFound => return Err(status),
                Err(_) => {}
            }
        }
        Ok(Handle { handle: self.handles.add(HandleTarget::Future(Vec::new()))? })
    }

    /// Whether an array was deleted, or given away.
    pub(super) fn is_deleted(&self, handle: u64) -> Result<bool, Status> {
        let array = self.handles.array(handle)?;
        for shard in &array.shards {
            if shard.contents.is_deleted()? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether it takes longer to copy an array than to ask where it lies.
fn is_large(element: ElementType, dims: &[i64]) -> bool {
    const LARGE: i64 = 64 << 10;
    dims.iter().fold(element.host_bytes().map_or(0, |bytes| bytes as i64), |size, dim| {
        size.saturating_mul(*dim)
    }) >= LARGE
}

/// The order of axes that a client asks for, if it asks for one.
fn order(layout: Option<&impl AsRef<[u8]>>, rank: usize) -> Result<Option<Vec<i64>>, Status> {
    let layout = layout.map(AsRef::as_ref).filter(|layout| !layout.is_empty());
    layout.map_or(Ok(None), |layout| minor_to_major(layout, rank))
}

/// Refuses one buffer of texts for several devices, as a local JAX does.
fn one_for_each(kind: DTypeKind, devices: usize) -> Result<(), Status> {
    if kind != DTypeKind::String || devices <= 1 {
        return Ok(());
    }
    let text =
        format!("texts on {devices} devices come in a buffer for each, and this is one for all");
    Err(Status::new(StatusCode::FailedPrecondition, text))
}
