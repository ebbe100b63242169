//! The kinds of pairs in which packages meet: a row each, as in the table at the head of the crate.
//!
//! These need the files and the versions of packages only, so that they are made again for each change that is proposed. What
//! needs declared requirements or sources stands in `judge`: names, libraries, and what packages check themselves.

use unskew_core::Party;
use unskew_releases::Family;

use crate::names::ReachedModules;
use crate::{
    Environment, extension_pairs, handlers, jax_set, numpy, plugins, system, version_pairs,
};

/// Two sides that meet in one way.
pub(crate) struct PairKind {
    /// The first column of the table at the head of the crate.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against that table"))]
    pub(crate) between: &'static str,
    /// The pairs of an environment, whose first side requires something of the second.
    pub(crate) pairs: MakePairs,
}

/// Makes the pairs of an environment, where it may be known which modules the imports of packages reach.
type MakePairs = fn(&Environment, Option<&ReachedModules>) -> Vec<(Party, Party)>;

pub(crate) const PAIR_KINDS: [PairKind; 10] = [
    PairKind {
        between: "PyTorch, TensorFlow and native extensions",
        pairs: |environment, _| extension_pairs::pairs(environment),
    },
    PairKind {
        between: "protobuf and generated code (`*_pb2.py`)",
        pairs: version_pairs::with_protobuf,
    },
    PairKind {
        between: "grpcio and generated code (`*_pb2_grpc.py`)",
        pairs: version_pairs::with_grpcio,
    },
    PairKind {
        between: "jax and jaxlib",
        pairs: |environment, _| version_pairs::with_jaxlib(environment),
    },
    PairKind {
        between: "NumPy and modules compiled against it",
        pairs: |environment, _| numpy::pairs(environment),
    },
    PairKind {
        between: "jaxlib and handlers of XLA's FFI",
        pairs: |environment, _| handlers::pairs(environment),
    },
    PairKind {
        between: "jaxlib and PJRT plug-ins",
        pairs: |environment, _| plugins::pairs(environment, Family::Jax),
    },
    PairKind {
        between: "jaxlib, jax-cuda*, jax-rocm* and libtpu",
        pairs: |environment, _| jax_set::pairs(environment),
    },
    PairKind {
        between: "TensorFlow and pluggable devices",
        pairs: |environment, _| plugins::pairs(environment, Family::TensorFlow),
    },
    PairKind {
        between: "the system's libraries and extension modules",
        pairs: |environment, _| system::pairs(environment),
    },
];

#[cfg(test)]
mod tests {
    use super::PAIR_KINDS;

    #[test]
    fn the_table_at_the_head_of_the_crate_has_every_kind() {
        let head = include_str!("lib.rs");
        for kind in PAIR_KINDS {
            assert!(head.contains(&format!("//! | {} |", kind.between)), "{}", kind.between);
        }
    }
}
