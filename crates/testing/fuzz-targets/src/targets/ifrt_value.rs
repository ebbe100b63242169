//! IFRT values of every type: whatever is read is written, and reads back as the same.

use unskew_ifrt::types::{
    AbstractArraySpec, ArraySpec, ExecuteOptions, Ifrt, IndexDomain, Layout, RemapPlan, Serialized,
    Sharding, XlaCompileOptions,
};
use unskew_serdes::default_version;
use unskew_serdes::proto::{Message, decode, encode};

/// Bytes, not values: a fraction may be one that is not equal to itself.
fn read<M: Message<Ifrt>>(bytes: &[u8]) {
    let Ok(value) = decode::<Ifrt, M>(bytes) else { return };
    let first = encode(&value, default_version()).expect("it was read");
    let again: M = decode(&first).expect("it was written");
    assert_eq!(encode(&again, default_version()).ok().as_ref(), Some(&first), "{}", M::NAME);
}

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    read::<Serialized>(bytes);
    read::<Sharding>(bytes);
    read::<Layout>(bytes);
    read::<ArraySpec>(bytes);
    read::<AbstractArraySpec>(bytes);
    read::<RemapPlan>(bytes);
    read::<ExecuteOptions>(bytes);
    read::<XlaCompileOptions>(bytes);
    read::<IndexDomain>(bytes);
    if let Ok(Some(party)) = unskew_ifrt::party(&crate::source("value.bin", bytes)) {
        crate::judge(&party);
    }
}
