//! The frameworks that extensions are linked against.

use std::fmt;

use crate::symbol::{Lead, mentions};

/// A framework whose exports are in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framework {
    /// PyTorch: `libtorch_cpu`, `libc10`, `libtorch_python` and those for CUDA.
    Torch,
    /// TensorFlow: `libtensorflow_framework`, `libtensorflow_cc` and what its Python modules load for everybody.
    TensorFlow,
}

impl Framework {
    /// Every framework of the table.
    pub const ALL: [Self; 2] = [Self::Torch, Self::TensorFlow];

    /// The name of its package: `torch`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Torch => "torch",
            Self::TensorFlow => "tensorflow",
        }
    }

    /// The axis of its symbols.
    pub const fn axis(self) -> &'static str {
        match self {
            Self::Torch => "torch.symbols",
            Self::TensorFlow => "tensorflow.symbols",
        }
    }

    /// The framework with this name of a package.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name)
    }

    const fn namespaces(self) -> &'static [&'static str] {
        match self {
            Self::Torch => &["at", "c10", "torch", "caffe2", "c10d"],
            Self::TensorFlow => &["tensorflow", "tsl", "stream_executor", "absl", "google"],
        }
    }

    /// The beginnings of the C names that are its own.
    const fn c_names(self) -> &'static [&'static str] {
        match self {
            Self::Torch => &["aoti_torch_", "torch_", "THP"],
            Self::TensorFlow => &["TF_", "TFE_", "TSL_"],
        }
    }

    /// The framework that a symbol is of, by its name alone: the namespace that it stands in, or, for
    /// instances of the standard library's templates, the types that it is made for.
    ///
    /// `absl` and `google::protobuf` count as TensorFlow's, which exports them; only an object that is linked
    /// against TensorFlow is judged by them.
    pub fn of_symbol(symbol: &str) -> Option<Self> {
        let lead = Lead::from_symbol(symbol);
        Self::ALL.into_iter().find(|one| match lead {
            Lead::C => one.c_names().iter().any(|start| symbol.starts_with(start)),
            // Functions that bind Python stand in no namespace: THPVariable_Wrap(at::TensorBase).
            Lead::Namespace(name) => {
                one.namespaces().contains(&name) || (one == &Self::Torch && name.starts_with("THP"))
            }
            Lead::Standard => one.namespaces().iter().any(|name| mentions(symbol, name)),
            Lead::Other => false,
        })
    }

    /// Whether a symbol says by itself that its object is an extension of this framework: one of `absl` does not.
    pub(crate) fn is_marked_by(self, symbol: &str) -> bool {
        match Lead::from_symbol(symbol) {
            Lead::C => self.c_names().iter().any(|start| symbol.starts_with(start)),
            Lead::Namespace(name) => match self {
                Self::Torch => ["at", "c10", "torch"].contains(&name),
                Self::TensorFlow => ["tensorflow", "tsl"].contains(&name),
            },
            _ => false,
        }
    }

    /// Whether a library of this name is one of its own: `libtorch_cpu.so`, `libtensorflow_framework.so.2`.
    pub fn owns_library(self, library: &str) -> bool {
        match self {
            Self::Torch => ["libtorch.", "libtorch_", "libc10", "libshm.so", "libcaffe2"]
                .iter()
                .any(|start| library.starts_with(start)),
            Self::TensorFlow => {
                library.starts_with("libtensorflow") || library.contains("_pywrap_tensorflow_")
            }
        }
    }

    /// Whether a library of this name is only in its builds for CUDA.
    pub fn is_for_cuda(self, library: &str) -> bool {
        self == Self::Torch
            && ["libtorch_cuda", "libc10_cuda"].iter().any(|start| library.starts_with(start))
    }

    /// Whether a symbol is a C shim of the stable ABI, which PyTorch keeps for two years.
    pub fn is_stable(self, symbol: &str) -> bool {
        self == Self::Torch
            && ["aoti_torch_", "torch_"].iter().any(|start| symbol.starts_with(start))
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_told_by_where_they_stand_not_by_what_they_take() {
        for (symbol, of) in [
            ("_ZN3c104cuda9SetDeviceEi", Some(Framework::Torch)),
            ("_ZN5mylib3fooERKN2at6TensorE", None),
            ("_ZNSt6vectorIN2at6TensorESaIS1_EED1Ev", Some(Framework::Torch)),
            ("_ZN10tensorflow8OpKernelC2EPNS_20OpKernelConstructionE", Some(Framework::TensorFlow)),
            ("TF_NewStatus", Some(Framework::TensorFlow)),
            ("aoti_torch_abs", Some(Framework::Torch)),
            ("_Z16THPVariable_WrapN2at10TensorBaseE", Some(Framework::Torch)),
            ("torchy", None),
            ("cudaMalloc", None),
        ] {
            assert_eq!(Framework::of_symbol(symbol), of, "{symbol}");
        }
    }
}
