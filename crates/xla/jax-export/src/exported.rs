//! Exported function of a file: the tables of its flatbuffer, read where they lie.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_source::flatbuffer::{FlatTable, Flatbuffer};
use unskew_source::{ReadError, Slice, Source, SourceExt};

use crate::schema;

/// The first bytes of the program: MLIR bytecode.
const BYTECODE: [u8; 4] = *b"ML\xefR";
/// Stored numbers of versions are small; what is larger is another flatbuffer.
const LARGEST_STORED: u64 = 1 << 16;
/// The root is written last, and so stands in front: behind the vtable, whatever the size of the file.
const FARTHEST_ROOT: u32 = 1 << 12;
/// The most orders of gradients that a file has, and the deepest pytree that is followed.
pub(crate) const DEEPEST: usize = 512;

/// What a file of `jax.export` says of itself.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The name of the function.
    pub function: String,
    /// The number that the file gives as its format version. Only 1, 2 and 12 and later are honest.
    pub stored: u64,
    /// The JAX that wrote it: since format version 12.
    pub jax: Option<String>,
    /// How the program takes its arguments.
    pub calling_convention: u64,
    /// Where it may run: `cpu`, `cuda`, `rocm`, `tpu`.
    pub platforms: Vec<String>,
    /// For how many devices it was lowered, in the field of one byte that format versions up to 4 have.
    pub devices_short: u64,
    /// The same in the field of format versions since 5.
    pub devices: u64,
    /// The dtypes of inputs and outputs, by their numbers.
    pub dtypes: BTreeSet<u64>,
    /// Names of classes in its pytrees that the reading program must have registered.
    pub classes: BTreeSet<String>,
    /// Names of the types of effects that the function has.
    pub effects: BTreeSet<String>,
    /// Safety checks that whoever exported it switched off.
    pub disabled_checks: BTreeSet<String>,
    /// Inputs and outputs whose sharding is written as a message of XLA.
    pub hlo_shardings: u64,
    /// Those of them that have no other form.
    pub hlo_shardings_only: u64,
    /// Inputs and outputs whose sharding is written by names of axes.
    pub named_shardings: u64,
    /// How many orders of gradients come with it.
    pub gradients: u64,
    /// The fields that tell the format version.
    pub marks: Marks,
}

/// What came with a format version and is in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// Arrays say in which memory they are: 5.
    pub memory_spaces: bool,
    /// A mesh says for which kind of device it is: 8.
    pub mesh_devices: bool,
    /// Each array type, mesh and sharding is written once: 10.
    pub uniques: bool,
    /// A kind of device says its platform: 11.
    pub device_platforms: bool,
}

impl Exported {
    /// Reads the file, and the place of the program in it; none if it is no file of `jax.export`.
    ///
    /// A flatbuffer has no magic number: it is one if the root has the fields, and MLIR bytecode stands where the
    /// program belongs.
    ///
    /// # Errors
    /// If it is one, and an offset leads out of it, or it is over its budget.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<(Self, Slice)>, ReadError> {
        // Before anything further of a large file of another kind is read.
        let head = source.head(4)?;
        let root = head.try_into().map(u32::from_le_bytes);
        if root.is_ok_and(|root| root > FARTHEST_ROOT) {
            return Ok(None);
        }
        let buffer = Flatbuffer::new(&**source);
        let Ok(root) = buffer.root() else { return Ok(None) };
        let Some(program) = program(&buffer, root, source) else { return Ok(None) };
        let mut exported = Self::default();
        exported.root(&buffer, root)?;
        Ok(Some((exported, program)))
    }

    fn root(&mut self, buffer: &Flatbuffer<'_>, root: FlatTable) -> Result<(), ReadError> {
        use schema::exported as field;
        self.function = buffer.text(root, field::FUNCTION)?;
        self.stored = buffer.scalar(root, field::STORED_VERSION, 2)?;
        self.jax = Some(buffer.text(root, field::JAX_VERSION)?).filter(|name| !name.is_empty());
        self.calling_convention = buffer.scalar(root, field::CALLING_CONVENTION, 2)?;
        self.devices_short = buffer.scalar(root, field::DEVICES_SHORT, 2)?;
        self.devices = buffer.scalar(root, field::DEVICES, 4)?;
        self.platforms = texts(buffer, root, field::PLATFORMS)?;
        self.contents(buffer, root)?;
        let mut inner = buffer.child(root, field::VJP)?;
        while let Some(table) = inner {
            self.gradients += 1;
            if self.gradients as usize > DEEPEST {
                return Err(buffer.error(0, "more orders of gradients than any file has"));
            }
            self.contents(buffer, table)?;
            inner = buffer.child(table, field::VJP)?;
        }
        Ok(())
    }

    /// What the function and its gradients have alike.
    fn contents(&mut self, buffer: &Flatbuffer<'_>, table: FlatTable) -> Result<(), ReadError> {
        use schema::exported as field;
        for tree in [field::IN_TREE, field::OUT_TREE] {
            if let Some(tree) = buffer.child(table, tree)? {
                self.tree(buffer, tree)?;
            }
        }
        for avals in [field::IN_AVALS, field::OUT_AVALS, field::UNIQUE_AVALS] {
            self.marks.uniques |= avals == field::UNIQUE_AVALS && has(buffer, table, avals)?;
            each(buffer, table, avals, |aval| {
                self.dtypes.insert(buffer.scalar(aval, schema::aval::DTYPE, 1)?);
                self.marks.memory_spaces |=
                    buffer.scalar(aval, schema::aval::MEMORY_SPACE, 1)? != 0;
                Ok(())
            })?;
        }
        for shardings in [field::IN_SHARDINGS, field::OUT_SHARDINGS] {
            each(buffer, table, shardings, |sharding| {
                let hlo = has(buffer, sharding, schema::sharding::HLO)?;
                let named = has(buffer, sharding, schema::sharding::NAMED)?;
                self.hlo_shardings += u64::from(hlo);
                self.named_shardings += u64::from(named);
                self.hlo_shardings_only += u64::from(hlo && !named);
                Ok(())
            })?;
        }
        if self.named_shardings == 0 {
            self.named_shardings = buffer.vector(table, field::UNIQUE_SHARDINGS, 4)?.len;
        }
        each(buffer, table, field::UNIQUE_MESHES, |mesh| {
            let Some(device) = buffer.child(mesh, schema::mesh::DEVICE)? else { return Ok(()) };
            self.marks.mesh_devices = true;
            self.marks.device_platforms |= has(buffer, device, schema::device::PLATFORM)?;
            Ok(())
        })?;
        for effects in [field::ORDERED_EFFECTS, field::UNORDERED_EFFECTS] {
            each(buffer, table, effects, |effect| {
                self.effects.insert(buffer.text(effect, schema::effect::TYPE_NAME)?);
                Ok(())
            })?;
        }
        each(buffer, table, field::DISABLED_CHECKS, |check| {
            let kind = buffer.scalar(check, schema::check::KIND, 1)?;
            let name = schema::check::KINDS.get(kind as usize).copied().unwrap_or("unknown");
            let target = buffer.text(check, schema::check::TARGET)?;
            self.disabled_checks.insert(format!("{name} {target}").trim_end().to_owned());
            Ok(())
        })
    }

    /// The classes in a pytree. Not by recursion: the depth is the file's to choose.
    fn tree(&mut self, buffer: &Flatbuffer<'_>, root: FlatTable) -> Result<(), ReadError> {
        let mut open = vec![(root, 0)];
        while let Some((node, depth)) = open.pop() {
            if depth > DEEPEST {
                return Err(buffer.error(0, &format!("a pytree deeper than {DEEPEST}")));
            }
            if buffer.scalar(node, schema::tree::KIND, 1)? == schema::tree::CUSTOM {
                self.classes.insert(buffer.text(node, schema::tree::CUSTOM_NAME)?);
            }
            each(buffer, node, schema::tree::CHILDREN, |child| {
                open.push((child, depth + 1));
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The program, if this is a file of `jax.export`.
pub(crate) fn program(
    buffer: &Flatbuffer<'_>,
    root: FlatTable,
    source: &Arc<dyn Source>,
) -> Option<Slice> {
    let stored = buffer.scalar(root, schema::exported::STORED_VERSION, 2).ok()?;
    let bytes = buffer.vector(root, schema::exported::PROGRAM, 1).ok()?;
    let sound = (1..LARGEST_STORED).contains(&stored) && bytes.len > BYTECODE.len() as u64;
    let magic = sound.then(|| source.bytes(bytes.at, 4).ok())??;
    let name = format!("{}, program", source.name());
    (magic == BYTECODE).then(|| Slice::new(name, Arc::clone(source), bytes.at, bytes.len).ok())?
}

fn has(buffer: &Flatbuffer<'_>, table: FlatTable, field: u64) -> Result<bool, ReadError> {
    Ok(buffer.place(table, field)?.is_some())
}

/// Calls `with` for each table of a vector.
fn each(
    buffer: &Flatbuffer<'_>,
    table: FlatTable,
    field: u64,
    mut with: impl FnMut(FlatTable) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let vector = buffer.vector(table, field, 4)?;
    (0..vector.len).try_for_each(|index| with(buffer.element(vector, index)?))
}

fn texts(buffer: &Flatbuffer<'_>, table: FlatTable, field: u64) -> Result<Vec<String>, ReadError> {
    let vector = buffer.vector(table, field, 4)?;
    (0..vector.len).map(|index| buffer.element_text(vector, index)).collect()
}
