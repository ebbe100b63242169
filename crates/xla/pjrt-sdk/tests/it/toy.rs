//! A plug-in with two devices, of which the only program is a sum.
#![allow(unsafe_code, reason = "the tests call the table as C hosts do")]

use std::any::Any;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use unskew_pjrt::Plugin;
use unskew_pjrt::sys::{Api, CallError};
use unskew_pjrt_sdk::{
    Attribute, Compile, Device, ElementType, Error, Exports, MemoryUse, OlderHosts, PjrtValue,
    Platform, Program, Shape, SharedStorage, Storage, table_of,
};

/// Numbers in memory of the host.
pub struct Numbers(pub Vec<f32>);

impl Storage for Numbers {
    fn to_host(&self) -> Result<Vec<u8>, Error> {
        Ok(self.0.iter().flat_map(|number| number.to_ne_bytes()).collect())
    }

    fn device_bytes(&self) -> usize {
        4 * self.0.len()
    }

    fn address(&self) -> Option<usize> {
        Some(self.0.as_ptr().addr())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Adds all its arguments; panics if one has no elements, as careless code does.
pub struct Sum;

pub fn shape() -> Shape {
    Shape { element_type: ElementType::F32, dims: vec![3] }
}

impl Program for Sum {
    fn name(&self) -> &str {
        "sum"
    }

    fn outputs(&self) -> Vec<Shape> {
        vec![shape()]
    }

    fn fingerprint(&self) -> String {
        "sum of three".into()
    }

    fn run(
        &self,
        _: usize,
        arguments: &[(&Shape, &SharedStorage)],
    ) -> Result<Vec<SharedStorage>, Error> {
        let mut sum = vec![0.0; 3];
        for (shape, stored) in arguments {
            let numbers: &Numbers = stored.as_any().downcast_ref().unwrap();
            assert!(!numbers.0.is_empty(), "no elements");
            if shape.dims != [3] {
                return Err(Error::invalid(format!("f32[3] wanted: {:?}", shape.dims))
                    .with_payload("wanted", "f32[3]"));
            }
            sum.iter_mut().zip(&numbers.0).for_each(|(sum, number)| *sum += number);
        }
        Ok(vec![Arc::new(Numbers(sum))])
    }

    fn serialize(&self) -> Result<Vec<u8>, Error> {
        Ok(b"sum".to_vec())
    }

    fn cost_analysis(&self) -> Result<Vec<Attribute>, Error> {
        Ok(vec![Attribute { name: "flops".into(), value: PjrtValue::Float(3.0) }])
    }

    fn memory_use(&self) -> Result<MemoryUse, Error> {
        Ok(MemoryUse { outputs: 12, ..MemoryUse::default() })
    }

    fn optimized(&self) -> Result<(String, Vec<u8>), Error> {
        Ok(("mlir".into(), b"sum".to_vec()))
    }
}

pub struct Toy {
    pub older: OlderHosts,
}

impl Platform for Toy {
    fn name(&self) -> &str {
        "toy"
    }

    fn version(&self) -> &str {
        "toy 1"
    }

    fn attributes(&self) -> Vec<Attribute> {
        let value = PjrtValue::Numbers(vec![1, 9, 0]);
        vec![Attribute { name: "stablehlo_current_version".into(), value }]
    }

    fn older_hosts(&self) -> OlderHosts {
        self.older
    }

    fn devices(&self) -> Result<Vec<Device>, Error> {
        let device = |id| Device {
            id,
            kind: "abacus".into(),
            memory: "device".into(),
            attributes: vec![Attribute { name: "beads".into(), value: PjrtValue::Number(10) }],
        };
        Ok(vec![device(0), device(1)])
    }

    fn put(&self, _: usize, shape: &Shape, bytes: Vec<u8>) -> Result<SharedStorage, Error> {
        if shape.element_type != ElementType::F32 {
            return Err(Error::unimplemented("only f32"));
        }
        let numbers = bytes.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes));
        Ok(Arc::new(Numbers(numbers.collect())))
    }

    fn compile(&self, wanted: &Compile<'_>) -> Result<Arc<dyn Program>, Error> {
        match (wanted.code, wanted.format) {
            (b"sum", "mlir") => Ok(Arc::new(Sum)),
            _ => Err(Error::invalid("the only program here is `sum`")),
        }
    }

    fn deserialize(&self, bytes: &[u8]) -> Result<Arc<dyn Program>, Error> {
        match bytes {
            b"sum" => Ok(Arc::new(Sum)),
            _ => Err(Error::invalid("not a serialized sum")),
        }
    }
}

/// Plug-ins of a name, with the minor that they present and their policy for older hosts.
macro_rules! toys {
    ($($name:ident $minor:literal $older:expr;)*) => {$(
        struct $name;
        impl unskew_pjrt_sdk::Exports for $name {
            fn exported() -> &'static unskew_pjrt_sdk::Exported {
                static EXPORTED: std::sync::OnceLock<&'static unskew_pjrt_sdk::Exported> = std::sync::OnceLock::new();
                EXPORTED.get_or_init(|| {
                    unskew_pjrt_sdk::Exported::leak::<$name>(|| (Box::new(toy::Toy { older: $older }), $minor))
                })
            }
        }
    )*};
}
pub(crate) use toys;

pub fn table<P: Exports>() -> NonNull<c_void> {
    NonNull::new(table_of::<P>().cast_mut()).unwrap()
}

pub fn api<P: Exports>() -> Api {
    // SAFETY: this is a table of the SDK, which lives as long as the process.
    unsafe { Api::from_table(table::<P>()) }.unwrap()
}

/// The plug-in as a host has it.
pub fn plugin<P: Exports>() -> Result<Plugin, CallError> {
    // SAFETY: this is a table of the SDK, which lives as long as the process.
    unsafe { Plugin::from_table(table::<P>()) }.unwrap()
}
