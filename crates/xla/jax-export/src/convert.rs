//! A file for another JAX: its program for the StableHLO of that one, and its fields as that one reads them.
//!
//! A flatbuffer leads forward only. So new tables for the function and its gradients are put in front, with the same
//! children: everything behind moves by the same distance, and no offset inside it changes. A program lies where the
//! old one lay if it is no longer than that, else at the end.

use std::sync::Arc;

use unskew_core::{Conversion, Rewrite, Version};
use unskew_source::flatbuffer::{FlatTable, Flatbuffer};
use unskew_source::{Assembly, AssemblyPiece, ConvertedArtifact, ReadError, Slice, Source};
use unskew_stablehlo::{Mlir, rewrite};

use crate::exported::{DEEPEST, program};
use crate::schema::exported as field;
use crate::{Exported, jax_reader};

const ENVELOPE: &str = "rewrite-jax-export";

/// How many fields a table has that is known.
const FIELDS: u64 = field::JAX_VERSION + 1;
/// The format from which on the number of devices has a field of four bytes.
const DEVICES_SINCE: u64 = 5;
/// The format from which on array types stand once.
const UNIQUES_SINCE: u64 = 10;
/// What the tables in front take a multiple of, so that whatever is aligned stays so.
const ALIGNED: usize = 16;

/// The fields that are numbers, with how many bytes they have; all others are offsets.
const NUMBERS: [(u64, usize); 5] = [
    (field::STORED_VERSION, 2),
    (field::DEVICES_SHORT, 2),
    (field::CALLING_CONVENTION, 2),
    (field::GLOBAL_CONSTANTS, 1),
    (field::DEVICES, 4),
];

/// Plans a file for a JAX that reads programs of this StableHLO; none if it is no file of `jax.export`.
///
/// # Errors
/// If it is one, and it or its program is broken or cannot be written anew.
pub fn convert(
    source: &Arc<dyn Source>,
    jax: Version,
    stablehlo: Version,
    options: &rewrite::RewriteOptions,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let Some((exported, _)) = Exported::read(source)? else { return Ok(None) };
    let buffer = Flatbuffer::new(&**source);
    let mut work =
        Work { source, buffer: &buffer, stablehlo, options, plan: Conversion::default() };
    let mut levels = Vec::new();
    let mut next = Some(buffer.root()?);
    while let Some(table) = next {
        if table.fields() > FIELDS || levels.len() > DEEPEST {
            return Err(buffer.error(0, "fields that are not known; it cannot be rewritten"));
        }
        let mut level = work.level(table)?;
        if let Some(reader) = jax_reader::reader_of_version(jax) {
            work.envelope(&mut level, &exported, reader)?;
        }
        levels.push(level);
        next = buffer.child(table, field::VJP)?;
    }
    if work.plan.changes_nothing() {
        let whole = Arc::new(Assembly::from_source(source));
        return Ok(Some((work.plan, ConvertedArtifact::File(whole))));
    }
    let file = assemble(source, &levels)?;
    Ok(Some((work.plan, ConvertedArtifact::File(Arc::new(file)))))
}

/// A field of a table that is written.
enum Content {
    Number(u64),
    /// What lies in the file.
    Old(u64),
    /// A vector of tables that lie in the file.
    Tables(Vec<u64>),
    /// A vector of so many shardings that say nothing.
    Unspecified(usize),
    /// The program that was written anew.
    Program,
    Gradient,
}

/// The function, or one of its gradients.
struct Level {
    fields: Vec<(u64, Content)>,
    /// Where the old program lies, with its length in front, and the new one.
    program: Option<(u64, u64, Assembly)>,
}

impl Level {
    fn set(&mut self, number: u64, content: Option<Content>) {
        self.fields.retain(|(own, _)| *own != number);
        self.fields.extend(content.map(|content| (number, content)));
        self.fields.sort_by_key(|(own, _)| *own);
    }

    fn has(&self, number: u64) -> bool {
        self.fields.iter().any(|(own, _)| *own == number)
    }
}

struct Work<'a> {
    source: &'a Arc<dyn Source>,
    buffer: &'a Flatbuffer<'a>,
    stablehlo: Version,
    options: &'a rewrite::RewriteOptions,
    plan: Conversion,
}

impl Work<'_> {
    /// A table as it is, with its program for the other StableHLO if that is older.
    fn level(&mut self, table: FlatTable) -> Result<Level, ReadError> {
        let mut level = Level { fields: Vec::new(), program: None };
        for number in 0..FIELDS {
            let size = NUMBERS.iter().find(|(own, _)| *own == number).map(|(_, size)| *size);
            let content = match size {
                Some(size) => {
                    let value = self.buffer.scalar(table, number, size as u64)?;
                    (value != 0).then_some(Content::Number(value))
                }
                None if number == field::VJP => {
                    self.buffer.child(table, number)?.map(|_| Content::Gradient)
                }
                None => self.buffer.place(table, number)?.map(Content::Old),
            };
            level.set(number, content);
        }
        let Some(program): Option<Slice> = program(self.buffer, table, self.source) else {
            return Ok(level);
        };
        let program: Arc<dyn Source> = Arc::new(program);
        let newer = match Mlir::read(&*program)? {
            Some(Mlir::Artifact(artifact)) => artifact.version > self.stablehlo,
            _ => false,
        };
        let planned =
            if newer { rewrite::plan(&program, self.stablehlo, self.options)? } else { None };
        if let Some((plan, assembly)) = planned {
            self.plan.extend(plan);
            let old = self.buffer.vector(table, field::PROGRAM, 1)?;
            level.set(field::PROGRAM, Some(Content::Program));
            level.program = Some((old.at - 4, old.len, assembly));
        }
        Ok(level)
    }

    /// The fields as this JAX reads them.
    fn envelope(
        &mut self,
        level: &mut Level,
        exported: &Exported,
        reader: &jax_reader::JaxReader,
    ) -> Result<(), ReadError> {
        let number = |level: &Level, field| {
            let found = level.fields.iter().find(|(own, _)| *own == field);
            found.map_or(
                0,
                |(_, content)| if let Content::Number(value) = content { *value } else { 0 },
            )
        };
        let stored = number(level, field::STORED_VERSION);
        if let Some(most) = reader.stored.as_ref().and_then(|all| all.iter().max())
            && reader.stored.as_ref().is_some_and(|all| !all.contains(&stored))
        {
            level.set(field::STORED_VERSION, Some(Content::Number(*most)));
            self.add(format!("the stored version {most} instead of {stored}"));
        }
        let (short, long) = (number(level, field::DEVICES_SHORT), number(level, field::DEVICES));
        if reader.format < DEVICES_SINCE && short == 0 && (1..=i16::MAX as u64).contains(&long) {
            level.set(field::DEVICES_SHORT, Some(Content::Number(long)));
            self.add("the number of devices in the field of older formats".to_owned());
        }
        if reader.format >= DEVICES_SINCE && long == 0 && short > 0 {
            level.set(field::DEVICES, Some(Content::Number(short)));
            self.add("the number of devices in the field of newer formats".to_owned());
        }
        if reader.format < UNIQUES_SINCE && exported.marks.uniques {
            self.spread(level)?;
        }
        Ok(())
    }

    /// Array types and shardings as lists of their own, in the place of numbers of those that stand once.
    fn spread(&mut self, level: &mut Level) -> Result<(), ReadError> {
        let old = |level: &Level, number| {
            let found = level.fields.iter().find(|(own, _)| *own == number);
            found.and_then(
                |(_, content)| if let Content::Old(at) = content { Some(*at) } else { None },
            )
        };
        for (list, indices) in
            [(field::IN_AVALS, field::IN_AVAL_INDICES), (field::OUT_AVALS, field::OUT_AVAL_INDICES)]
        {
            let (Some(unique), Some(indices)) =
                (old(level, field::UNIQUE_AVALS), old(level, indices))
            else {
                continue;
            };
            if level.has(list) {
                continue;
            }
            let mut tables = Vec::new();
            for index in self.numbers(indices)? {
                if index >= self.buffer.number(unique, 4)? {
                    return Err(self.buffer.error(indices, "an array type that is not there"));
                }
                let at = unique + 4 + 4 * index;
                tables.push(at + self.buffer.number(at, 4)?);
            }
            level.set(list, Some(Content::Tables(tables)));
            self.add("array types in the fields of older formats".to_owned());
        }
        for (list, indices) in [
            (field::IN_SHARDINGS, field::IN_SHARDING_INDICES),
            (field::OUT_SHARDINGS, field::OUT_SHARDING_INDICES),
        ] {
            let Some(indices) = old(level, indices) else { continue };
            let numbers = self.numbers(indices)?;
            // Zero is a sharding that is not given; others have no older form, which the verdict says.
            if !level.has(list) && numbers.iter().all(|number| *number == 0) {
                level.set(list, Some(Content::Unspecified(numbers.len())));
                self.add("shardings that say nothing in the fields of older formats".to_owned());
            }
        }
        Ok(())
    }

    /// The elements of a vector of numbers of four bytes.
    fn numbers(&self, at: u64) -> Result<Vec<u64>, ReadError> {
        let len = self.buffer.number(at, 4)?;
        if len > self.source.size() / 4 {
            return Err(self.buffer.error(at, &format!("a vector of {len} elements")));
        }
        (0..len).map(|index| self.buffer.number(at + 4 + 4 * index, 4)).collect()
    }

    fn add(&mut self, what: String) {
        self.plan.add(Rewrite::new(ENVELOPE, what));
    }
}

/// Where an offset leads.
enum Target {
    /// To a place of the old file.
    Old(u64),
    Front(usize),
    /// To the table of a level.
    Table(usize),
    /// To the program of a level.
    Program(usize),
}

/// What is put in front of the old file, and the offsets in it that are written when all places are known.
#[derive(Default)]
struct Front {
    bytes: Vec<u8>,
    offsets: Vec<(usize, Target)>,
    tables: Vec<usize>,
}

impl Front {
    fn from_levels(levels: &[Level]) -> Self {
        let mut front = Self { bytes: vec![0; 4], ..Self::default() };
        front.offsets.push((0, Target::Table(0)));
        let mut vectors = Vec::new();
        for (index, level) in levels.iter().enumerate() {
            front.table(index, level, &mut vectors);
        }
        let mut silent = Vec::new();
        for (place, content) in vectors {
            front.offsets.push((place, Target::Front(front.bytes.len())));
            let len = match content {
                Content::Tables(tables) => tables.len(),
                Content::Unspecified(len) => *len,
                _ => 0,
            };
            front.number(len as u64, 4);
            for index in 0..len {
                let at = front.bytes.len();
                match content {
                    Content::Tables(tables) => {
                        front
                            .offsets
                            .extend(tables.get(index).map(|table| (at, Target::Old(*table))));
                    }
                    _ => silent.push(at),
                }
                front.number(0, 4);
            }
        }
        // A sharding without fields: a vtable of its two sizes, and the table with the distance to it.
        let vtable = front.bytes.len();
        front.number(4, 2);
        front.number(4, 2);
        front.offsets.extend(silent.into_iter().map(|at| (at, Target::Front(vtable + 4))));
        front.number(4, 4);
        front.bytes.resize(front.bytes.len().next_multiple_of(ALIGNED), 0);
        front
    }

    fn number(&mut self, value: u64, size: usize) {
        self.bytes.extend(value.to_le_bytes().iter().take(size));
    }

    /// A vtable and its table, whose fields take four bytes each.
    fn table<'l>(
        &mut self,
        index: usize,
        level: &'l Level,
        vectors: &mut Vec<(usize, &'l Content)>,
    ) {
        let last = level.fields.last().map_or(0, |(number, _)| *number);
        let size = 4 + 2 * (last + 1);
        self.number(size, 2);
        self.number(4 + 4 * level.fields.len() as u64, 2);
        for number in 0..=last {
            let place = level.fields.iter().position(|(own, _)| *own == number);
            self.number(place.map_or(0, |place| 4 + 4 * place as u64), 2);
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let at = self.bytes.len();
        self.tables.push(at);
        self.number(size.next_multiple_of(4), 4);
        for (_, content) in &level.fields {
            let place = self.bytes.len();
            let mut value = 0;
            match content {
                Content::Number(number) => value = *number,
                Content::Old(at) => self.offsets.push((place, Target::Old(*at))),
                Content::Program => self.offsets.push((place, Target::Program(index))),
                Content::Gradient => self.offsets.push((place, Target::Table(index + 1))),
                Content::Tables(_) | Content::Unspecified(_) => vectors.push((place, content)),
            }
            self.number(value, 4);
        }
    }

    /// The bytes, with the offsets to where everything is.
    fn finish(mut self, programs: &[u64]) -> Option<Vec<u8>> {
        let distance = self.bytes.len() as u64;
        for (place, target) in self.offsets {
            let to = match target {
                Target::Old(at) => distance + at,
                Target::Front(at) => at as u64,
                Target::Table(level) => *self.tables.get(level)? as u64,
                Target::Program(level) => *programs.get(level)?,
            };
            let offset = i32::try_from(to.checked_sub(place as u64)?).ok()?;
            self.bytes.get_mut(place..place + 4)?.copy_from_slice(&offset.to_le_bytes());
        }
        Some(self.bytes)
    }
}

/// The file: new tables, the old file with the programs that fit, the programs that do not.
fn assemble(source: &Arc<dyn Source>, levels: &[Level]) -> Result<Assembly, ReadError> {
    let front = Front::from_levels(levels);
    let distance = front.bytes.len() as u64;
    let mut end = (distance + source.size()).next_multiple_of(ALIGNED as u64);
    let mut places = Vec::new();
    let (mut inside, mut behind) = (Vec::new(), Vec::new());
    for level in levels {
        let Some((at, len, new)) = &level.program else {
            places.push(0);
            continue;
        };
        let fits = new.size() <= *len;
        inside.push((*at, *len, fits.then_some(new)));
        places.push(if fits { distance + at } else { end });
        if !fits {
            behind.push(new);
            end = (end + 4 + new.size()).next_multiple_of(ALIGNED as u64);
        }
    }
    let front = front.finish(&places);
    let front =
        front.ok_or_else(|| ReadError::malformed(source.name(), "too large a flatbuffer"))?;
    let mut file = Assembly::new(source.name());
    file.push_bytes(front);
    inside.sort_by_key(|(at, ..)| *at);
    let mut from = 0;
    for (at, len, new) in inside {
        file.push_copy(source, from..at)?;
        let before = file.size();
        if let Some(new) = new {
            put(&mut file, new)?;
        }
        zeros(&mut file, before + 4 + len);
        from = at + 4 + len;
    }
    file.push_copy(source, from..source.size())?;
    for new in behind {
        let aligned = file.size().next_multiple_of(ALIGNED as u64);
        zeros(&mut file, aligned);
        put(&mut file, new)?;
    }
    Ok(file)
}

/// A program with its length in front.
fn put(file: &mut Assembly, program: &Assembly) -> Result<(), ReadError> {
    let length = u32::try_from(program.size()).unwrap_or(u32::MAX);
    file.push_bytes(length.to_le_bytes().to_vec());
    for piece in program.pieces() {
        match piece {
            AssemblyPiece::New(bytes) => file.push_bytes(bytes.to_vec()),
            AssemblyPiece::Copied(source, range) => file.push_copy(source, range)?,
        }
    }
    Ok(())
}

fn zeros(file: &mut Assembly, size: u64) {
    let gap = size.saturating_sub(file.size());
    file.push_bytes(vec![0; usize::try_from(gap).unwrap_or_default()]);
}
