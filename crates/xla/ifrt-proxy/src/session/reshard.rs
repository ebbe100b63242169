//! Requests that spread arrays otherwise.

use std::sync::Arc;

use unskew_ifrt::types::{Ifrt, Sharding};
use unskew_pjrt::HostArray;
use unskew_serdes::proto::decode;

use super::{Session, results};
use crate::array::{ArrayShard, ShardedArray, Spread};
use crate::element;
use crate::handles::HandleTarget;
use crate::messages::{Handle, HandleList, OldReshard, Respec, Semantics};
use crate::pieces::ShardSlice;
use crate::status::Status;
use crate::strides::{self, DenseBlock};

impl Session {
    pub(super) fn reshard(&mut self, asked: &Respec) -> Result<HandleList, Status> {
        let (arrays, specs) = self.respecs(asked)?;
        let places = results(&asked.results, arrays.len())?;
        let mut spread = Vec::new();
        for (array, spec) in arrays.iter().zip(specs) {
            if spec.dtype.kind != array.kind || spec.shape.dims != array.dims {
                return Err(Status::invalid("arrays that are spread otherwise stay what they are"));
            }
            let to = Spread::from(&spec.sharding);
            spread.push(self.respread(array, to, asked.copy_semantics)?);
        }
        self.put_arrays(&places, spread)
    }

    /// One array spread otherwise, as clients before 3 ask for it and those before 5 still can.
    pub(super) fn old_reshard(&mut self, asked: &OldReshard) -> Result<Handle, Status> {
        let array = self.handles.array(asked.array)?;
        let to = Spread::from(&decode::<Ifrt, Sharding>(&asked.sharding)?);
        let spread = self.respread(&array, to, asked.copy_semantics)?;
        Ok(Handle { handle: self.handles.add(HandleTarget::Array(Arc::new(spread)))? })
    }

    fn respread(
        &self,
        array: &ShardedArray,
        to: Spread,
        semantics: i32,
    ) -> Result<ShardedArray, Status> {
        let pieces = to.cut.pieces(&array.dims, to.devices.len())?;
        let pieces = pieces.ok_or_else(|| unknown("is to be cut"))?;
        if Some(&pieces) == array.spread.cut.pieces(&array.dims, array.shards.len())?.as_ref() {
            return self.onto(array, to, semantics);
        }
        if let Ok(whole) = array.whole()
            && to.devices.len() == 1
        {
            return self.onto(&array.of_shard(whole)?, to, semantics);
        }
        let moved = self.through_host(array, to, &pieces)?;
        if Semantics::from_number(semantics) == Semantics::Donate {
            array.shards.iter().try_for_each(|shard| shard.contents.delete())?;
        }
        Ok(moved)
    }

    /// Puts the array together on the host, and cuts it anew: PJRT has no words for anything else. The
    /// session waits for it.
    fn through_host(
        &self,
        array: &ShardedArray,
        to: Spread,
        pieces: &[ShardSlice],
    ) -> Result<ShardedArray, Status> {
        let element_type = element::to_pjrt(array.kind)?;
        let block = DenseBlock::whole(element_type, &array.dims)?;
        // What the host holds for a session counts as what the session has.
        let _room = self.buffers.room(block.bytes as u64)?;
        let data = self.gathered(array, &block)?;
        let mut shards = Vec::new();
        for (entry, piece) in self.platform.devices_of(&to)?.into_iter().zip(pieces) {
            let begin = block.offset(&piece.origin)?.min(data.len());
            let host = HostArray {
                data: data.get(begin..).unwrap_or_default(),
                element_type,
                dims: &piece.dims,
                strides: Some(&block.strides),
            };
            let place = entry.place(to.memory_kind.as_deref())?;
            shards.push(ArrayShard::new(entry.id, self.platform.client.buffer(host, place)?));
        }
        Ok(ShardedArray { kind: array.kind, dims: array.dims.clone(), spread: to, shards })
    }

    /// All of the array, dense and row by row.
    fn gathered(&self, array: &ShardedArray, block: &DenseBlock) -> Result<Vec<u8>, Status> {
        if let Ok(whole) = array.whole() {
            return Ok(whole.contents.device()?.to_host()?);
        }
        let pieces = array.spread.cut.pieces(&array.dims, array.shards.len())?;
        let pieces = pieces.ok_or_else(|| unknown("is cut"))?;
        let mut data = Vec::new();
        let size = block.bytes;
        data.try_reserve_exact(size)
            .map_err(|_| Status::invalid(format!("there is no room for {size} bytes")))?;
        data.resize(size, 0);
        for (at, (shard, piece)) in array.shards.iter().zip(&pieces).enumerate() {
            if pieces[..at].contains(piece) || piece.dims.contains(&0) {
                continue;
            }
            if shard.contents.dimensions()? != piece.dims {
                return Err(Status::invalid("a shard is not what the sharding says"));
            }
            let part = shard.contents.device()?.to_host()?;
            strides::put(block, &piece.origin, &piece.dims, &part, &mut data)?;
        }
        Ok(data)
    }
}

fn unknown(what: &str) -> Status {
    Status::unimplemented(format!("resharding where the client does not say how an array {what}"))
}
