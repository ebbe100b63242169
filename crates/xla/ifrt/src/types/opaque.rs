//! Messages of XLA that stand in IFRT values and have no version.
//!
//! They grow with every release: the options of a debugger in the compile options had 222 fields in
//! jaxlib 0.4.31 and 393 in 0.10.2. So they are kept as the bytes that they came as: what this build
//! does not know is passed on, not lost.

macro_rules! opaque {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub Vec<u8>);

        impl From<Vec<u8>> for $name {
            fn from(bytes: Vec<u8>) -> Self {
                Self(bytes)
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }
    };
}

opaque! {
    /// How XLA spreads an array over devices: an `xla.OpSharding`. No bytes: a copy on each.
    OpSharding
}

opaque! {
    /// How an array lies in memory: an `xla.LayoutProto`.
    XlaLayout
}

opaque! {
    /// What a program is compiled with: an `xla.CompileOptionsProto`.
    CompileOptions
}
