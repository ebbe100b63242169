//! Names for the same thing in several releases, and forms of calls that rebuild the same tensor.

use unskew_core::Version;

use super::{SPARSE, names};

const CSR: &str = "torch._utils._rebuild_sparse_csr_tensor";

/// Groups of names for one thing: each release has one or more of them. Before 1.11 the bytes of any storage were a
/// storage of bytes.
const SAME: [&[&str]; 3] = [
    &[
        "torch.nn.modules.linear.NonDynamicallyQuantizableLinear",
        "torch.nn.modules.linear._LinearWithBias",
    ],
    &["torch._tensor._rebuild_from_type", "torch.tensor._rebuild_from_type"],
    &[
        "torch.storage.UntypedStorage",
        "torch.storage._UntypedStorage",
        "torch._UntypedStorage",
        "torch.ByteStorage",
    ],
];

/// What a release calls something that it does not have under this name; none if it has the name, or has no other.
pub(crate) fn other_name(name: &str, minor: Version) -> Option<&'static str> {
    let has = |name: &str| has(name, minor);
    let group = SAME.iter().find(|group| group.contains(&name))?;
    if has(name) {
        return None;
    }
    group.iter().copied().find(|other| has(other))
}

fn has(name: &str, minor: Version) -> bool {
    names::named(name).iter().any(|one| one.is_of(minor))
}

/// The calls that a release lacks and has in another form.
pub(crate) struct LackingForms {
    /// A tensor that says of its values that they are conjugated or negated.
    pub(crate) metadata: bool,
    /// A parameter with attributes.
    pub(crate) state: bool,
    /// A sparse tensor that says whether it is coalesced.
    pub(crate) coalesced: bool,
    /// The function for `sparse_csr` that the release has instead of the other one.
    pub(crate) csr: Option<&'static str>,
}

impl LackingForms {
    /// Those of a release. In files whose storages lie behind the pickle, what is computed while it is read would be computed
    /// of values that are not there yet.
    pub(crate) fn new(minor: Version, storages_behind: bool) -> Self {
        let takes = |name: &str, count: usize| {
            let known = names::named(name);
            let own = known.iter().find(|one| one.is_of(minor));
            own.and_then(|one| one.most_arguments()).is_none_or(|most| count <= most)
        };
        let csr = match (has(&format!("{SPARSE}.sparse_csr"), minor), has(CSR, minor)) {
            (true, false) => Some("_rebuild_sparse_tensor"),
            (false, true) => Some("_rebuild_sparse_csr_tensor"),
            _ => None,
        };
        Self {
            metadata: !storages_behind && !takes("torch._utils._rebuild_tensor_v2", 7),
            state: !has("torch._utils._rebuild_parameter_with_state", minor)
                && has("torch._tensor._rebuild_from_type_v2", minor),
            coalesced: !takes(&format!("{SPARSE}.sparse_coo"), 4),
            csr,
        }
    }

    /// Whether a call of a pickle, by the name of its function and how many arguments it gives, is one of them.
    pub(crate) fn has(&self, function: &str, given: usize) -> bool {
        match function {
            "torch._utils._rebuild_tensor_v2" => self.metadata && given > 6,
            "torch._utils._rebuild_parameter_with_state" => self.state,
            CSR => self.csr == Some("_rebuild_sparse_tensor"),
            _ => match function.strip_prefix(SPARSE) {
                Some(".sparse_coo") => self.coalesced && given > 3,
                Some(".sparse_csr") => self.csr == Some("_rebuild_sparse_csr_tensor"),
                _ => false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_there_has_another_where_the_release_has_the_same_thing() {
        let untyped =
            |major, minor| other_name("torch.storage.UntypedStorage", Version::pair(major, minor));
        assert_eq!(untyped(1, 9), Some("torch.ByteStorage"));
        assert_eq!(untyped(1, 11), Some("torch._UntypedStorage"));
        assert_eq!(untyped(2, 0), None);
        let old = "torch.tensor._rebuild_from_type";
        assert_eq!(other_name(old, Version::pair(2, 0)), Some("torch._tensor._rebuild_from_type"));
        assert_eq!(other_name(old, Version::pair(1, 8)), None);
        assert_eq!(other_name("torch.storage._load_from_bytes", Version::pair(1, 0)), None);
    }
}
