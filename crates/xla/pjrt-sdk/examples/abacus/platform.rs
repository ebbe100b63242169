//! The platform: its device, and how elements get there.

use std::any::Any;
use std::sync::Arc;

use unskew_pjrt_sdk::{
    Attribute, Compile, Device, ElementType, Error, PjrtValue, Platform, Program, Shape,
    SharedStorage, Storage,
};

use crate::{artifact, text};

/// A device that counts beads.
pub struct Abacus;

/// Elements on the device, which is the memory of the host.
pub struct Beads {
    element_type: ElementType,
    bytes: Vec<u8>,
}

impl Beads {
    pub fn of(numbers: &[f32]) -> Self {
        let bytes = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        Self { element_type: ElementType::F32, bytes }
    }

    /// The elements as numbers, if they are of the one type that programs compute with.
    pub fn numbers(&self) -> Option<Vec<f32>> {
        let chunks = self.bytes.as_chunks().0.iter();
        let numbers = || chunks.map(|bytes| f32::from_ne_bytes(*bytes)).collect();
        (self.element_type == ElementType::F32).then(numbers)
    }
}

impl Storage for Beads {
    fn to_host(&self) -> Result<Vec<u8>, Error> {
        Ok(self.bytes.clone())
    }

    fn device_bytes(&self) -> usize {
        self.bytes.len()
    }

    fn address(&self) -> Option<usize> {
        Some(self.bytes.as_ptr().addr())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Platform for Abacus {
    fn name(&self) -> &str {
        "abacus"
    }

    fn version(&self) -> &str {
        concat!("abacus ", env!("CARGO_PKG_VERSION"))
    }

    /// The StableHLO that it reads: what it knows has been there since 0.9.0, and hosts write what they
    /// send for the version that stands here.
    fn attributes(&self) -> Vec<Attribute> {
        let version = |name: &str, numbers: [i64; 3]| Attribute {
            name: name.to_owned(),
            value: PjrtValue::Numbers(numbers.to_vec()),
        };
        vec![
            version("stablehlo_current_version", [1, 0, 0]),
            version("stablehlo_minimum_version", [0, 9, 0]),
        ]
    }

    /// As many as the environment variable `ABACUS_DEVICES` says.
    fn devices(&self) -> Result<Vec<Device>, Error> {
        let wanted = std::env::var("ABACUS_DEVICES").ok().and_then(|count| count.parse().ok());
        let device = |id| {
            let (kind, memory) = ("abacus".to_owned(), "device".to_owned());
            Device { id, kind, memory, attributes: Vec::new() }
        };
        Ok((0..wanted.unwrap_or(1)).map(device).collect())
    }

    /// Every type can be kept; programs compute with `f32`.
    fn put(&self, _: usize, shape: &Shape, bytes: Vec<u8>) -> Result<SharedStorage, Error> {
        Ok(Arc::new(Beads { element_type: shape.element_type, bytes }))
    }

    fn compile(&self, wanted: &Compile<'_>) -> Result<Arc<dyn Program>, Error> {
        if wanted.format != "mlir" {
            return Err(Error::unimplemented(format!("programs in the format {}", wanted.format)));
        }
        if wanted.assignment.partitions > 1 {
            return Err(Error::unimplemented(
                "abacus does not compute programs of several partitions",
            ));
        }
        read(wanted.code)
    }

    /// A serialized program is its code.
    fn deserialize(&self, bytes: &[u8]) -> Result<Arc<dyn Program>, Error> {
        read(bytes)
    }
}

fn read(code: &[u8]) -> Result<Arc<dyn Program>, Error> {
    if code.starts_with(b"ML\xefR") {
        return Ok(Arc::new(artifact::read(code)?));
    }
    if std::env::var_os("ABACUS_TAKES_NO_TEXT").is_some() {
        return Err(Error::invalid("no MLIR bytecode"));
    }
    let text = std::str::from_utf8(code);
    let text = text.map_err(|_| Error::invalid("neither MLIR bytecode nor text"))?;
    Ok(Arc::new(text::parse(text)?))
}
