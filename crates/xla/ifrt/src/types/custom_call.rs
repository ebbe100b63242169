//! Programs that are calls into the runtime.

use unskew_serdes::proto::Message;

use super::{ArraySpec, DeviceList, Ifrt};

/// A program that the runtime knows by its type.
#[derive(Clone, Debug, Default, PartialEq, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.CustomCallProgramProto", version = 7,
    type_name = "xla::ifrt::CustomCallProgram"
)]
pub struct CustomCallProgram {
    /// Which kind of program it is.
    #[field(1, string, name = "type")]
    pub kind: String,
    /// Its name, for people.
    #[field(2, string)]
    pub name: String,
    /// What its kind understands.
    #[field(3, bytes)]
    pub serialized_program_text: Vec<u8>,
    /// The devices on which it runs.
    #[field(4, message)]
    pub devices: DeviceList,
    /// What its arguments are, in their order.
    #[field(5, repeated, message)]
    pub input_specs: Vec<ArraySpec>,
    /// What its results are, in their order.
    #[field(6, repeated, message)]
    pub output_specs: Vec<ArraySpec>,
}

/// What such a program is compiled with: nothing before version 4.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.CustomCallCompileOptionsProto", version = 1,
    type_name = "xla::ifrt::CustomCallCompileOptions"
)]
pub struct CustomCallCompileOptions {
    /// How many results go into each bundle.
    #[field(2, repeated, int32, since = 4)]
    pub outputs_bundle_slice_sizes: Vec<i32>,
}
