//! The artifact as the child sees it: bytes that it asks its parent for. It opens no file and no connection.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufReader, Stdin, Stdout};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use unskew_artifact::{ArtifactFile, Content, Links, NeighbouringFiles, Neighbours};
use unskew_source::{Budget, Source};

use crate::frame::{self, FrameKind};
use crate::message::{Beside, Described, FileBeside, ReadRequest};

/// Small reads are served from blocks of this size.
const BLOCK: usize = 64 << 10;

/// How many blocks are kept.
const BLOCKS: usize = 128;

/// The most bytes that are asked for at once, and that go in one message of bytes.
pub const LARGEST_FRAME: usize = 4 << 20;

/// The most files beside one that are remembered with their links.
const BESIDES: usize = 1 << 12;

/// The pipes to the parent.
pub struct Parent {
    input: BufReader<Stdin>,
    output: Stdout,
    blocks: HashMap<(u32, u64), Arc<[u8]>>,
    /// The blocks that are kept, the oldest first.
    order: VecDeque<(u32, u64)>,
}

impl std::fmt::Debug for Parent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parent").field("blocks", &self.blocks.len()).finish_non_exhaustive()
    }
}

/// The parent, for all who ask it.
pub type SharedParent = Arc<Mutex<Parent>>;

impl Parent {
    pub(crate) fn shared() -> SharedParent {
        Arc::new(Mutex::new(Self {
            input: BufReader::new(io::stdin()),
            output: io::stdout(),
            blocks: HashMap::new(),
            order: VecDeque::new(),
        }))
    }

    /// The next question; none if the parent is gone.
    pub(crate) fn question<Q: DeserializeOwned>(&mut self) -> io::Result<Option<Q>> {
        match frame::read(&mut self.input)? {
            Some(frame) if frame.kind == FrameKind::Message => {
                Ok(Some(serde_json::from_slice(&frame.body)?))
            }
            Some(frame) => Err(io::Error::other(format!("no question: {:?}", frame.kind))),
            None => Ok(None),
        }
    }

    /// Says something to the parent.
    ///
    /// # Errors
    /// If the parent is gone.
    pub fn say(&mut self, reply: &impl Serialize) -> io::Result<()> {
        frame::write(&mut self.output, FrameKind::Message, &serde_json::to_vec(reply)?)
    }

    /// Sends bytes of what was made of an artifact, at most [`LARGEST_FRAME`].
    ///
    /// # Errors
    /// If the parent is gone.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        frame::write(&mut self.output, FrameKind::Made, bytes)
    }

    /// Forgets what it knows of an artifact.
    pub(crate) fn forget(&mut self) {
        self.blocks.clear();
        self.order.clear();
    }

    /// Bytes of a file of the artifact.
    fn bytes(&mut self, part: u32, offset: u64, size: usize) -> io::Result<Vec<u8>> {
        let size = u32::try_from(size.min(LARGEST_FRAME)).unwrap_or(u32::MAX);
        let wanted = ReadRequest { part, offset, size };
        frame::write(&mut self.output, FrameKind::Wanted, &wanted.to_bytes())?;
        match frame::read(&mut self.input)? {
            Some(frame) if frame.kind == FrameKind::Data && frame.body.len() <= size as usize => {
                Ok(frame.body)
            }
            Some(frame) if frame.kind == FrameKind::Failed => {
                Err(io::Error::other(String::from_utf8_lossy(&frame.body).into_owned()))
            }
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn beside(&mut self, part: u32, name: &str) -> io::Result<Option<FileBeside>> {
        let body = [&part.to_le_bytes(), name.as_bytes()].concat();
        frame::write(&mut self.output, FrameKind::Beside, &body)?;
        match frame::read(&mut self.input)? {
            Some(frame) if frame.kind == FrameKind::Data => {
                Ok(serde_json::from_slice(&frame.body)?)
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

impl Parent {
    /// The artifact of a question, whose bytes the parent has.
    pub fn content(parent: &SharedParent, described: &Described) -> Content {
        parent.lock().unwrap_or_else(PoisonError::into_inner).forget();
        let part = |(at, file): (usize, &crate::message::File)| {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let (name, size) = (file.shown.clone(), file.size);
            let beside = file.beside.as_ref().map(|Beside { path }| {
                let (parent, path) = (Arc::clone(parent), path.clone());
                let links = Mutex::new(HashMap::new());
                Arc::new(RemoteBeside { part: at, path, parent, links }) as Neighbours
            });
            let source = Arc::new(Remote::new(name, size, at, parent));
            ArtifactFile { name: file.name.clone(), source, path: None, beside }
        };
        let mut parts: Vec<ArtifactFile> = described.parts.iter().enumerate().map(part).collect();
        if !described.is_folder() && parts.len() == 1 {
            return Content::File(parts.remove(0));
        }
        let all: Arc<HashMap<String, Arc<dyn Source>>> =
            Arc::new(parts.iter().map(|part| (part.name.clone(), part.source.clone())).collect());
        // What the parent does not know of lies in the same folder.
        for part in parts.iter_mut().filter(|part| part.beside.is_none()) {
            let folder = part.name.rsplit_once('/').map(|(folder, _)| format!("{folder}/"));
            let (all, folder) = (Arc::clone(&all), folder.unwrap_or_default());
            let beside: Neighbours =
                Arc::new(move |name: &str| all.get(&format!("{folder}{name}")).cloned());
            part.beside = Some(beside);
        }
        Content::Folder { name: described.name.clone(), parts }
    }
}

/// What lies beside a file of the artifact.
struct RemoteBeside {
    part: u32,
    path: Option<String>,
    parent: SharedParent,
    /// How links lead to those that were opened.
    links: Mutex<HashMap<String, Links>>,
}

impl NeighbouringFiles for RemoteBeside {
    fn open(&self, name: &str) -> Option<Arc<dyn Source>> {
        let found = {
            let mut parent = self.parent.lock().unwrap_or_else(PoisonError::into_inner);
            parent.beside(self.part, name).ok()??
        };
        let FileBeside { at, shown, size, link, outside } = found;
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.len() >= BESIDES {
            links.clear();
        }
        links.insert(name.to_owned(), Links { link, outside });
        Some(Arc::new(Remote::new(shown, size, at, &self.parent)))
    }

    fn links(&self, name: &str) -> Links {
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.get(name).copied().unwrap_or_default()
    }

    fn path(&self) -> Option<String> {
        self.path.clone()
    }
}

/// A file of the artifact.
struct Remote {
    name: String,
    size: u64,
    part: u32,
    parent: SharedParent,
    budget: Budget,
}

impl Remote {
    fn new(name: String, size: u64, part: u32, parent: &SharedParent) -> Self {
        Self { name, size, part, parent: Arc::clone(parent), budget: Budget::for_size(size) }
    }
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
