//! HDF5 files made anew, in the oldest layout, which every reader of the last twenty years takes: superblock 0, headers
//! of version 1, links in B-trees, texts of any length in one global heap. The bytes of datasets are copied from where
//! they stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_source::{Assembly, ReadError, Source, SourceProblem};

use super::{Hdf5File, SIGNATURE, UNDEFINED};

/// The most bytes of one message; a header counts them in two bytes, and they are padded to 8.
const MESSAGE: usize = 0xfff0;

/// The bytes of a link in a node of symbols.
const ENTRY: usize = 40;

/// Where a superblock of version 0 says how long the file is.
pub(crate) const END: u64 = 40;

/// The bytes of a superblock.
const SUPERBLOCK: usize = 96;

#[derive(Default)]
pub(crate) struct Group {
    /// Texts of any length: `model_config`.
    pub(crate) texts: Vec<(String, String)>,
    /// Lists of texts of one length: `layer_names`, in parts where one message has no room for all.
    pub(crate) lists: Vec<(String, Vec<String>)>,
    /// What is in it, by name.
    pub(crate) links: BTreeMap<String, LinkTarget>,
}

/// What a link leads to.
pub(crate) enum LinkTarget {
    Group(Group),
    Dataset(CopiedDataset),
}

#[derive(Clone)]
pub(crate) struct CopiedDataset {
    /// The message of its type as it stands there.
    pub(crate) kind: Arc<[u8]>,
    pub(crate) shape: Vec<u64>,
    /// The first byte of its values in the source, and how many there are.
    pub(crate) stored: (u64, u64),
}

/// A file with `root` as its root group; values are copied from `source`.
pub(crate) fn file(
    name: &str,
    root: &Group,
    source: &Arc<dyn Source>,
) -> Result<Assembly, ReadError> {
    let mut writer =
        Hdf5Writer { bytes: vec![0; SUPERBLOCK], leaf: 4, inner: 16, ..Hdf5Writer::default() };
    writer.fit(largest(root));
    writer.heap(root);
    let at = writer.group(root).ok_or_else(|| {
        let limit = MESSAGE as u64;
        let what = "an attribute of the new file".to_owned();
        ReadError::new(name, SourceProblem::TooLarge { what, size: limit + 1, limit })
    })?;
    let mut end = writer.bytes.len().next_multiple_of(8) as u64;
    writer.bytes.resize(writer.bytes.len().next_multiple_of(8), 0);
    let mut pieces = Vec::new();
    for (place, values) in std::mem::take(&mut writer.patches) {
        writer.put(place, end);
        let (from, size) = values.stored;
        let pad = size.next_multiple_of(8) - size;
        pieces.push((from, size, pad));
        end = end.saturating_add(size).saturating_add(pad);
    }
    writer.superblock(at, end);
    let mut output = Assembly::new(name);
    output.push_bytes(writer.bytes);
    for (from, size, pad) in pieces {
        output.push_copy(source, from..from.saturating_add(size))?;
        output.push_bytes(vec![0; pad as usize]);
    }
    Ok(output)
}

/// A global heap with these texts, numbered from 1.
pub(crate) fn heap(texts: &[&str]) -> Vec<u8> {
    let sizes = texts.iter().map(|text| 16 + text.len().next_multiple_of(8));
    // Readers expect at least 4096 bytes, and the head of what is free in the end.
    let size = (16 + sizes.sum::<usize>() + 16).max(4096);
    let mut bytes = b"GCOL\x01\0\0\0".to_vec();
    bytes.extend((size as u64).to_le_bytes());
    for (number, text) in (1_u16..).zip(texts) {
        bytes.extend(number.to_le_bytes());
        bytes.extend([1, 0, 0, 0, 0, 0]);
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    let free = (size - bytes.len()) as u64;
    bytes.extend([0; 8]);
    bytes.extend(free.to_le_bytes());
    bytes.resize(size, 0);
    bytes
}

/// The most links of a group.
fn largest(group: &Group) -> usize {
    let below = group.links.values().map(|node| match node {
        LinkTarget::Group(group) => largest(group),
        LinkTarget::Dataset(_) => 0,
    });
    below.fold(group.links.len(), usize::max)
}

#[derive(Default)]
struct Hdf5Writer {
    bytes: Vec<u8>,
    /// Half of the links of a node of symbols, and half of the nodes of a B-tree.
    leaf: usize,
    inner: usize,
    /// Where the heap stands, and how many texts of it were referred to.
    heap: u64,
    texts: u32,
    /// Where the address of values is to be written.
    patches: Vec<(usize, CopiedDataset)>,
}

impl Hdf5Writer {
    /// Chooses the sizes of nodes so that the links of every group are in one tree of one level.
    fn fit(&mut self, links: usize) {
        while 4 * self.leaf * self.inner < links {
            self.leaf *= 2;
            self.inner *= 2;
        }
    }

    fn at(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn word(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }

    fn put(&mut self, place: usize, value: u64) {
        if let Some(room) = self.bytes.get_mut(place..place + 8) {
            room.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn superblock(&mut self, root: u64, end: u64) {
        let mut head = SIGNATURE.to_vec();
        head.extend([0, 0, 0, 0, 0, 8, 8, 0]);
        head.extend((self.leaf as u16).to_le_bytes());
        head.extend((self.inner as u16).to_le_bytes());
        head.extend([0; 4]);
        for value in [0, UNDEFINED, end, UNDEFINED, 0, root] {
            head.extend(value.to_le_bytes());
        }
        head.resize(SUPERBLOCK, 0);
        self.bytes[..SUPERBLOCK].copy_from_slice(&head);
    }

    /// All texts of any length in one collection, in the order in which groups will refer to them.
    fn heap(&mut self, root: &Group) {
        let mut all = Vec::new();
        texts(root, &mut all);
        self.heap = self.at();
        self.bytes.extend(heap(&all));
    }

    /// Writes what is below a group and then the group; its address, none if a message is too long.
    fn group(&mut self, group: &Group) -> Option<u64> {
        let mut messages = Vec::new();
        for (name, text) in &group.texts {
            messages.push((0x0c, self.text(name, text)));
        }
        for (name, list) in &group.lists {
            lists(name, list, &mut messages)?;
        }
        let mut links = Vec::new();
        for (name, node) in &group.links {
            let at = match node {
                LinkTarget::Group(group) => self.group(group)?,
                LinkTarget::Dataset(values) => self.dataset(values)?,
            };
            links.push((&**name, at));
        }
        let (tree, heap) = self.links(&links);
        let mut table = tree.to_le_bytes().to_vec();
        table.extend(heap.to_le_bytes());
        messages.insert(0, (0x11, table));
        self.header(&messages)
    }

    fn dataset(&mut self, values: &CopiedDataset) -> Option<u64> {
        let mut space = vec![1, values.shape.len() as u8, 0, 0, 0, 0, 0, 0];
        space.extend(values.shape.iter().flat_map(|one| one.to_le_bytes()));
        let (_, size) = values.stored;
        // No values have no address.
        let mut layout = vec![3, 1];
        layout.extend(UNDEFINED.to_le_bytes());
        layout.extend(size.to_le_bytes());
        let messages =
            [(0x01, space), (0x03, values.kind.to_vec()), (0x05, vec![2, 2, 2, 0]), (0x08, layout)];
        let at = self.header(&messages)?;
        if size > 0 {
            // The layout is the last message, padded to 24 bytes; its address stands behind two bytes.
            self.patches.push((self.bytes.len() - 24 + 2, values.clone()));
        }
        Some(at)
    }

    /// An attribute of a text of any length, in ASCII, which old readers take for bytes: its length, the heap, its number there.
    fn text(&mut self, name: &str, text: &str) -> Vec<u8> {
        let kind = [0x19, 1, 0, 0, 16, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0];
        let mut data = (text.len() as u32).to_le_bytes().to_vec();
        self.texts += 1;
        data.extend(self.heap.to_le_bytes());
        data.extend(self.texts.to_le_bytes());
        attribute(name, &kind, &[1, 0, 0, 0, 0, 0, 0, 0], &data)
    }

    /// The links of a group: nodes of symbols, the tree that leads to them, the heap of names.
    fn links(&mut self, links: &[(&str, u64)]) -> (u64, u64) {
        let mut names = vec![0; 8];
        let mut placed = Vec::new();
        for (name, at) in links {
            placed.push((names.len() as u64, *at));
            names.extend(name.as_bytes());
            names.push(0);
            names.resize(names.len().next_multiple_of(8), 0);
        }
        let heap = self.at();
        self.bytes.extend(b"HEAP\0\0\0\0");
        self.word(names.len() as u64);
        // 1: nothing is free.
        self.word(1);
        self.word(heap + 32);
        self.bytes.extend(names);
        let mut nodes = Vec::new();
        for part in placed.chunks(2 * self.leaf) {
            nodes.push((self.at(), part.last().map_or(0, |(name, _)| *name)));
            let end = self.bytes.len() + 8 + 2 * self.leaf * ENTRY;
            self.bytes.extend(b"SNOD\x01\0");
            self.bytes.extend((part.len() as u16).to_le_bytes());
            for (name, at) in part {
                self.word(*name);
                self.word(*at);
                self.bytes.extend([0; ENTRY - 16]);
            }
            self.bytes.resize(end, 0);
        }
        let tree = self.at();
        let end = self.bytes.len() + 24 + 2 * self.inner * 16 + 8;
        self.bytes.extend(b"TREE\0\0");
        self.bytes.extend((nodes.len() as u16).to_le_bytes());
        self.word(UNDEFINED);
        self.word(UNDEFINED);
        self.word(0);
        for (at, last) in nodes {
            self.word(at);
            self.word(last);
        }
        self.bytes.resize(end, 0);
        (tree, heap)
    }

    fn header(&mut self, messages: &[(u16, Vec<u8>)]) -> Option<u64> {
        let at = self.at();
        let size: usize = messages.iter().map(|(_, one)| 8 + one.len().next_multiple_of(8)).sum();
        self.bytes.extend([1, 0]);
        self.bytes.extend(u16::try_from(messages.len()).ok()?.to_le_bytes());
        self.bytes.extend(1_u32.to_le_bytes());
        self.bytes.extend(u32::try_from(size).ok()?.to_le_bytes());
        self.bytes.extend([0; 4]);
        for (kind, message) in messages {
            let size = message.len().next_multiple_of(8);
            if size > MESSAGE {
                return None;
            }
            self.bytes.extend(kind.to_le_bytes());
            self.bytes.extend((size as u16).to_le_bytes());
            self.bytes.extend([0; 4]);
            self.bytes.extend(message);
            self.bytes.resize(self.bytes.len() + size - message.len(), 0);
        }
        Some(at)
    }
}

/// The texts of a group and of what is below it, in the order in which groups are written.
fn texts<'g>(group: &'g Group, all: &mut Vec<&'g str>) {
    all.extend(group.texts.iter().map(|(_, text)| &**text));
    for node in group.links.values() {
        if let LinkTarget::Group(group) = node {
            texts(group, all);
        }
    }
}

/// A list of texts; in parts `NAME0`, `NAME1` … where it is too long for one message, as Keras has it.
fn lists(name: &str, list: &[String], messages: &mut Vec<(u16, Vec<u8>)>) -> Option<()> {
    let longest = list.iter().map(String::len).max().unwrap_or(0).max(1);
    let fit = (MESSAGE - 256).checked_div(longest).filter(|fit| *fit > 0 && name.len() < 128)?;
    let of = |name: &str, part: &[String]| {
        let mut kind = vec![0x13, 0x01, 0, 0];
        kind.extend((longest as u32).to_le_bytes());
        let mut space = vec![1, 1, 0, 0, 0, 0, 0, 0];
        space.extend((part.len() as u64).to_le_bytes());
        let mut data = Vec::new();
        for text in part {
            let end = data.len() + longest;
            data.extend(text.as_bytes());
            data.resize(end, 0);
        }
        (0x0c, attribute(name, &kind, &space, &data))
    };
    if list.len() <= fit {
        messages.push(of(name, list));
    } else {
        let parts = list.chunks(fit).enumerate();
        messages.extend(parts.map(|(number, part)| of(&format!("{name}{number}"), part)));
    }
    Some(())
}

/// An attribute of version 1: each part is padded to 8 bytes.
fn attribute(name: &str, kind: &[u8], space: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![1, 0];
    for size in [name.len() + 1, kind.len(), space.len()] {
        bytes.extend((size as u16).to_le_bytes());
    }
    for part in [name.as_bytes(), &[0]] {
        bytes.extend(part);
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    for part in [kind, space, data] {
        bytes.extend(part);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    bytes
}

impl CopiedDataset {
    /// A dataset as it stands in `file`; none if its values are not in one piece.
    pub(crate) fn from_dataset(file: &Hdf5File, dataset: &super::Dataset) -> Option<Self> {
        let count = dataset.shape.iter().try_fold(1_u64, |all, one| all.checked_mul(*one))?;
        let size = count.checked_mul(dataset.scalar.size())?;
        let stored = match dataset.stored {
            Some((address, length)) if length == size => (file.place(address)?, size),
            None if size == 0 => (0, 0),
            _ => return None,
        };
        Some(Self { kind: dataset.kind.clone(), shape: dataset.shape.clone(), stored })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

    use unskew_source::{BytesSource, SourceExt as _};

    use super::*;
    use crate::hdf5::Hdf5Scalar;

    #[test]
    fn what_is_written_is_read_again() {
        let values: Vec<u8> = (0..24_u8).collect();
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("values", values.clone()));
        // A number of 4 bytes with the lowest first.
        let kind: Arc<[u8]> = Arc::from([0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0].as_slice());
        let dataset = |stored, shape| {
            LinkTarget::Dataset(CopiedDataset { kind: kind.clone(), shape, stored })
        };
        let mut root = Group::default();
        root.texts.push(("first".to_owned(), "a text".to_owned()));
        let names: Vec<String> = (0..4_000).map(|one| format!("layer_number_{one:08}")).collect();
        root.lists.push(("names".to_owned(), names.clone()));
        for name in names.iter().take(700) {
            let mut group = Group::default();
            group.texts.push(("own".to_owned(), name.clone()));
            root.links.insert(name.clone(), LinkTarget::Group(group));
        }
        root.links.insert("all".to_owned(), dataset((0, 24), vec![2, 3]));
        root.links.insert("part".to_owned(), dataset((8, 4), vec![]));
        root.links.insert("none".to_owned(), dataset((0, 0), vec![0, 5]));
        let made = file("made", &root, &source).unwrap();
        let made: Arc<dyn Source> = Arc::new(BytesSource::new("made", made.all().unwrap()));
        let hdf5 = Hdf5File::open(&made).unwrap().unwrap();
        let read = hdf5.root().unwrap();
        assert_eq!(read.links.len(), 703);
        assert_eq!(read.attribute("first").unwrap().text(&hdf5).unwrap().unwrap(), b"a text");
        let mut listed = Vec::new();
        for part in ["names0", "names1"] {
            listed.extend(read.attribute(part).unwrap().texts(&hdf5).unwrap().unwrap());
        }
        assert!(listed.iter().zip(&names).all(|(read, name)| read == name.as_bytes()));
        assert_eq!(listed.len(), names.len());
        let inner = hdf5.object(read.link(&names[699]).unwrap()).unwrap();
        assert_eq!(
            inner.attribute("own").unwrap().text(&hdf5).unwrap().unwrap(),
            names[699].as_bytes()
        );
        let found = |name: &str| hdf5.object(read.link(name).unwrap()).unwrap().dataset.unwrap();
        let all = found("all");
        assert_eq!((all.scalar, &*all.shape), (Hdf5Scalar::Integer(4), &[2, 3][..]));
        let (at, size) = all.stored.unwrap();
        assert_eq!(made.bytes(at, size).unwrap(), values);
        let (at, size) = found("part").stored.unwrap();
        assert_eq!(made.bytes(at, size).unwrap(), values[8..12]);
        assert_eq!(found("none").stored, None);
    }
}
