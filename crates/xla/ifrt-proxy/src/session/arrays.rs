//! Requests that make arrays of host data, that read them, and that let them go.

use std::sync::Arc;

use bytes::Bytes;
use unskew_ifrt::types::{ArraySpec, DTypeKind, Ifrt, Layout, Shape, Sharding};
use unskew_pjrt::{Buffer, ElementType};
use unskew_serdes::proto::decode;

use super::{Session, results};
use crate::array::{Array, Shard, Spread};
use crate::element;
use crate::handles::Entry;
use crate::messages::{
    Answer, ByteStrides, CopyToHost, Empty, Handle, Handles, MakeArray, MakeArraysFromShards,
    MakeErrorArrays, ShardsSpec,
};
use crate::platform::DeviceEntry;
use crate::reply::Reply;
use crate::status::{Code, Status};
use crate::{strides, xla};

/// How host data are to be read.
struct HostShape<'a> {
    kind: DTypeKind,
    dims: &'a [i64],
    strides: Option<&'a ByteStrides>,
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
        if let Some(layout) = &asked.layout {
            row_by_row(layout, dims.len())?;
        }
        let spread = Spread::from(&sharding);
        let shape = HostShape { kind, dims: &dims, strides: asked.byte_strides.as_ref() };
        let mut shards = Vec::new();
        for entry in self.platform.devices_of(&spread)? {
            let buffer = self.upload(data.clone(), &shape, entry, &spread)?;
            shards.push(Shard { device: entry.id, buffer: Arc::new(buffer) });
        }
        let array = Array { kind, dims, spread, shards };
        let handle = self.handles.put(asked.array, Entry::Array(Arc::new(array)))?;
        Ok(Handle { handle })
    }

    fn upload(
        &self,
        data: Bytes,
        shape: &HostShape<'_>,
        entry: &DeviceEntry,
        spread: &Spread,
    ) -> Result<Buffer, Status> {
        let element = element::to_pjrt(shape.kind)?;
        let given = shape.strides.map(|strides| strides.strides.as_slice());
        let strides = given.filter(|given| !strides::dense(element, shape.dims, given));
        let place = entry.place(spread.memory_kind.as_deref())?;
        self.platform.buffer(data, (element, shape.dims, strides), place)
    }

    /// Arrays, each of a host buffer for each shard.
    pub(super) fn make_from_shards(
        &mut self,
        asked: &MakeArraysFromShards,
    ) -> Result<Handles, Status> {
        let places = results(&asked.arrays, asked.specs.len())?;
        let arrays: Result<Vec<Array>, Status> =
            asked.specs.iter().map(|spec| self.make_of(spec)).collect();
        self.put_arrays(&places, arrays?)
    }

    fn make_of(&self, asked: &ShardsSpec) -> Result<Array, Status> {
        let spec = decode::<Ifrt, ArraySpec>(&asked.array_spec)?;
        if let Some(layout) = spec.layout.as_ref().filter(|layout| !layout.is_empty()) {
            row_by_row(layout, spec.shape.dims.len())?;
        }
        let spread = Spread::from(&spec.sharding);
        let devices = self.platform.devices_of(&spread)?;
        if asked.host_buffers.len() != asked.shard_indices.len() {
            return Err(Status::invalid("not one list of shards for each host buffer"));
        }
        let mut shards: Vec<Option<Shard>> = devices.iter().map(|_| None).collect();
        for (from, indices) in asked.host_buffers.iter().zip(&asked.shard_indices) {
            let data = self.buffers.take(from.host_buffer, self.limits.patience)?;
            let kind = element::kind(&from.dtype)?;
            let dims = decode::<Ifrt, Shape>(&from.shape)?.dims;
            if kind != spec.dtype.kind {
                return Err(Status::invalid("a shard of another element type than its array"));
            }
            let shape = HostShape { kind, dims: &dims, strides: from.byte_strides.as_ref() };
            for index in &indices.indices {
                let at = usize::try_from(*index).ok();
                let place = at.and_then(|at| Some((devices.get(at)?, shards.get_mut(at)?)));
                let Some((entry, place)) = place else {
                    return Err(Status::invalid(format!("the array has no such shard: {index}")));
                };
                let buffer = Arc::new(self.upload(data.clone(), &shape, entry, &spread)?);
                *place = Some(Shard { device: entry.id, buffer });
            }
        }
        let shards: Option<Vec<Shard>> = shards.into_iter().collect();
        let shards = shards.ok_or_else(|| Status::invalid("a shard of the array has no data"))?;
        Array::of_shards((spec.dtype.kind, spec.shape.dims), spread, shards)
    }

    /// Gives handles to arrays that were made.
    pub(super) fn put_arrays(
        &mut self,
        places: &[Option<u64>],
        arrays: Vec<Array>,
    ) -> Result<Handles, Status> {
        let pairs = places.iter().zip(arrays);
        let put = |(place, array): (&Option<u64>, Array)| {
            self.handles.put(*place, Entry::Array(Arc::new(array)))
        };
        Ok(Handles { handles: pairs.map(put).collect::<Result<_, _>>()? })
    }

    /// Arrays that stand for an error.
    pub(super) fn make_errors(&mut self, asked: &MakeErrorArrays) -> Result<Handles, Status> {
        let error = asked.error.as_ref().filter(|error| error.code != 0);
        let error = error.ok_or_else(|| Status::invalid("arrays of an error that is none"))?;
        let error = Status::from(error);
        let mut handles = Vec::new();
        for place in results(&asked.arrays, asked.array_specs.len())? {
            handles.push(self.handles.put(place, Entry::Poisoned(error.clone()))?);
        }
        Ok(Handles { handles })
    }

    /// Answers when a future has happened.
    pub(super) fn check_future(&mut self, handle: u64, reply: Reply) {
        match self.handles.take_future(handle) {
            Ok(events) => reply.send_after(&events, Answer::CheckFuture(Empty {})),
            Err(status) => reply.send(Err(status)),
        }
    }

    /// Answers when all arrays have their contents.
    pub(super) fn check_ready(&self, handles: &[u64], reply: Reply) {
        let events = self.handles.arrays(handles).and_then(|arrays| {
            let shards = arrays.iter().flat_map(|array| &array.shards);
            let ready = shards.map(|shard| shard.buffer.ready().map_err(Status::from));
            ready.collect::<Result<Vec<_>, _>>()
        });
        match events {
            Ok(events) => reply.send_after(&events, Answer::CheckValueReady(Empty {})),
            Err(status) => reply.send(Err(status)),
        }
    }

    /// Answers when the array is in its host buffer. Where the plug-in has it in memory of the host, that memory
    /// is the host buffer.
    pub(super) fn copy_to_host(&self, asked: &CopyToHost, reply: Reply) {
        let begun = self.handles.array(asked.array).and_then(|array| {
            let element = element::to_pjrt(array.kind)?;
            let wanted = asked.byte_strides.as_ref().map(|wanted| wanted.strides.clone());
            let wanted = wanted.filter(|wanted| !strides::dense(element, &array.dims, wanted));
            let buffer = &array.whole()?.buffer;
            let as_is = wanted.is_none() && is_large(element, &array.dims);
            let here = if as_is { buffer.contents()? } else { None };
            let copied = if here.is_none() { Some(buffer.to_host_async()?) } else { None };
            Ok((element, array, wanted, here, copied))
        });
        let (element, array, wanted, here, copied) = match begun {
            Ok(begun) => begun,
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
            reply.send(put.await.map(|()| Answer::CopyToHost(Empty {})));
        });
    }

    /// Deletes arrays: what shares their memory is deleted too.
    pub(super) fn delete_arrays(
        &mut self,
        handles: impl Iterator<Item = u64>,
    ) -> Result<Handle, Status> {
        for handle in handles {
            match self.handles.array(handle) {
                Ok(array) => array.shards.iter().try_for_each(|shard| shard.buffer.delete())?,
                // What stands for an error has no memory.
                Err(status) if status.code == Code::NotFound => return Err(status),
                Err(_) => {}
            }
        }
        Ok(Handle { handle: self.handles.add(Entry::Future(Vec::new()))? })
    }

    /// Whether an array was deleted, or given away.
    pub(super) fn is_deleted(&self, handle: u64) -> Result<bool, Status> {
        let array = self.handles.array(handle)?;
        for shard in &array.shards {
            if shard.buffer.is_deleted()? {
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

/// Refuses a layout that is not the default of PJRT plug-ins that say nothing else: row by row.
fn row_by_row(layout: &[u8], rank: usize) -> Result<(), Status> {
    let rows = (0..rank).map(|axis| i64::try_from(axis).unwrap_or(i64::MAX));
    let is = match decode::<Ifrt, Layout>(layout)? {
        Layout::Compact(compact) => compact.major_to_minor.iter().copied().map(i64::from).eq(rows),
        Layout::PjRt(of) => {
            xla::layout_message_of_rows(rank) == of.xla_layout.0 || of.xla_layout.0.is_empty()
        }
    };
    if is { Ok(()) } else { Err(Status::unimplemented("arrays in other layouts than row by row")) }
}

#[cfg(test)]
mod tests {
    use unskew_ifrt::types::{CompactLayout, PjRtLayout, XlaLayout};
    use unskew_serdes::default_version;
    use unskew_serdes::proto::encode;

    use super::*;

    #[test]
    fn only_the_layout_row_by_row_is_served() {
        let judged = |layout: Layout| {
            row_by_row(&encode(&layout, default_version::<Ifrt>()).unwrap(), 2).is_ok()
        };
        let compact =
            |axes: &[i32]| Layout::Compact(CompactLayout { major_to_minor: axes.to_vec() });
        assert!(judged(compact(&[0, 1])));
        assert!(!judged(compact(&[1, 0])));
        let xla = |bytes: &[u8]| Layout::PjRt(PjRtLayout { xla_layout: XlaLayout(bytes.to_vec()) });
        assert!(judged(xla(&[0x0a, 2, 1, 0])));
        assert!(!judged(xla(&[0x0a, 2, 0, 1])));
        assert!(row_by_row(&[0xff], 2).is_err());
    }
}
