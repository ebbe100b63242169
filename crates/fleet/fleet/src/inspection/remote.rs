//! The artifact as the child sees it: bytes that it asks its parent for. It opens no file and no connection.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufReader, Stdin, Stdout};
use std::sync::{Arc, Mutex, PoisonError};

use unskew_source::{Budget, Source};

use super::frame::{self, Kind};
use super::message::{Question, Reply, Wanted};

/// Small reads are served from blocks of this size.
const BLOCK: usize = 64 << 10;

/// How many blocks are kept.
const BLOCKS: usize = 128;

/// The most bytes that are asked for at once.
pub(super) const MOST: usize = 4 << 20;

/// The pipes to the parent.
pub(super) struct Parent {
    input: BufReader<Stdin>,
    output: Stdout,
    blocks: HashMap<(u32, u64), Arc<[u8]>>,
    /// The blocks that are kept, the oldest first.
    order: VecDeque<(u32, u64)>,
}

/// The parent, for all who ask it.
pub(super) type Shared = Arc<Mutex<Parent>>;

impl Parent {
    pub(super) fn shared() -> Shared {
        Arc::new(Mutex::new(Self {
            input: BufReader::new(io::stdin()),
            output: io::stdout(),
            blocks: HashMap::new(),
            order: VecDeque::new(),
        }))
    }

    /// The next question; none if the parent is gone.
    pub(super) fn question(&mut self) -> io::Result<Option<Question>> {
        match frame::read(&mut self.input)? {
            Some(frame) if frame.kind == Kind::Message => {
                Ok(Some(serde_json::from_slice(&frame.body)?))
            }
            Some(frame) => Err(io::Error::other(format!("no question: {:?}", frame.kind))),
            None => Ok(None),
        }
    }

    pub(super) fn say(&mut self, reply: &Reply) -> io::Result<()> {
        frame::write(&mut self.output, Kind::Message, &serde_json::to_vec(reply)?)
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        frame::write(&mut self.output, Kind::Made, bytes)
    }

    /// Forgets what it knows of an artifact.
    pub(super) fn forget(&mut self) {
        self.blocks.clear();
        self.order.clear();
    }

    /// Bytes of a file of the artifact.
    fn bytes(&mut self, part: u32, offset: u64, size: usize) -> io::Result<Vec<u8>> {
        let size = u32::try_from(size.min(MOST)).unwrap_or(u32::MAX);
        let wanted = Wanted { part, offset, size };
        frame::write(&mut self.output, Kind::Wanted, &wanted.to_bytes())?;
        match frame::read(&mut self.input)? {
            Some(frame) if frame.kind == Kind::Data && frame.body.len() <= size as usize => {
                Ok(frame.body)
            }
            Some(frame) if frame.kind == Kind::Failed => {
                Err(io::Error::other(String::from_utf8_lossy(&frame.body).into_owned()))
            }
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn block(&mut self, part: u32, number: u64) -> io::Result<Arc<[u8]>> {
        if let Some(block) = self.blocks.get(&(part, number)) {
            return Ok(Arc::clone(block));
        }
        let block: Arc<[u8]> = self.bytes(part, number * BLOCK as u64, BLOCK)?.into();
        if self.order.len() >= BLOCKS
            && let Some(oldest) = self.order.pop_front()
        {
            self.blocks.remove(&oldest);
        }
        self.order.push_back((part, number));
        self.blocks.insert((part, number), Arc::clone(&block));
        Ok(block)
    }

    fn read_at(&mut self, part: u32, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.len() >= BLOCK {
            let bytes = self.bytes(part, offset, buffer.len())?;
            buffer[..bytes.len()].copy_from_slice(&bytes);
            return Ok(bytes.len());
        }
        let block = self.block(part, offset / BLOCK as u64)?;
        // Below the size of a block.
        let within = (offset % BLOCK as u64) as usize;
        let there = block.get(within..).unwrap_or(&[]);
        let n = there.len().min(buffer.len());
        buffer[..n].copy_from_slice(&there[..n]);
        Ok(n)
    }
}

/// A file of the artifact.
pub(super) struct Remote {
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) part: u32,
    pub(super) parent: Shared,
    pub(super) budget: Budget,
}

impl Source for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn budget(&self) -> Option<&Budget> {
        Some(&self.budget)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let n = left.min(buffer.len());
        if n == 0 {
            return Ok(0);
        }
        let mut parent = self.parent.lock().unwrap_or_else(PoisonError::into_inner);
        parent.read_at(self.part, offset, &mut buffer[..n])
    }
}
