//! Errors of the host API.

use unskew_core::Version;

use crate::sys::calls::Handle;
use crate::sys::{Api, CallError, Record};

/// Why the host API did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The plug-in does not have the function, or answered with an error.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The plug-in said that all went well, and handed out nothing.
    #[error("{function} succeeded and left its result empty")]
    Null {
        /// The function, by its name in C.
        function: &'static str,
    },
    /// The plug-in announced a size or a count that cannot be true, or for which there is no memory.
    #[error("{function}: a size or count that cannot be true or kept: {count}")]
    Implausible {
        /// The function, by its name in C.
        function: &'static str,
        /// The number of elements that the plug-in announced.
        count: usize,
    },
    /// An object of one client was given to another.
    #[error("an object belongs to another client or plug-in")]
    OtherClient,
    /// The option is younger than the plug-in, which would not see it.
    #[error(
        "the plug-in, PJRT {plugin}, does not know the option {field}, which there is since 0.{since}"
    )]
    UnknownOption {
        /// The field, by its name in C.
        field: &'static str,
        /// The first minor that has it.
        since: i32,
        /// The version of the plug-in.
        plugin: Version,
    },
    /// The data are too short for their dimensions, their strides and their element type.
    #[error("the data do not fit their shape: {wanted} bytes wanted, {given} given")]
    TooShort {
        /// How many bytes the shape needs.
        wanted: usize,
        /// How many there are.
        given: usize,
    },
    /// The data have not as many elements as their dimensions say.
    #[error("the data do not fit their shape: {wanted} elements wanted, {given} given")]
    OtherCount {
        /// How many elements the dimensions say.
        wanted: usize,
        /// How many there are.
        given: usize,
    },
    /// A program was given another number of arguments than it has parameters.
    #[error("the program takes {wanted} arguments, {given} given")]
    ArgumentCount {
        /// How many parameters it has.
        wanted: usize,
        /// How many arguments there are for each device.
        given: usize,
    },
    /// An argument has another element type than its parameter.
    #[error("argument {index} does not fit the program: {wanted} wanted, {given} given")]
    ArgumentType {
        /// The place of the argument, from 0.
        index: usize,
        /// The element type of the parameter.
        wanted: String,
        /// The element type of the argument.
        given: String,
    },
    /// A shape has a negative dimension, a negative stride, a size that overflows, an element type
    /// without a size, or not one stride per dimension.
    #[error("not a shape that data of the host can have: {0}")]
    NotAShape(&'static str),
    /// Elements of a type were asked for, and the buffer has another.
    #[error("the buffer does not hold {wanted}: {found}")]
    OtherType {
        /// The element type that was asked for.
        wanted: String,
        /// The element type of the buffer.
        found: String,
    },
    /// Bytes outside of a buffer were asked for.
    #[error("{size} bytes from {offset} on are not all in a buffer of size {there}")]
    Range {
        /// The first byte of the range.
        offset: usize,
        /// The length of the range in bytes.
        size: usize,
        /// The size of the buffer.
        there: usize,
    },
    /// The devices of one execution were given different numbers of arguments, or there are no or
    /// too many lists of arguments.
    #[error("the devices of an execution need one list of arguments each, all of one length")]
    Uneven,
    /// Something that is done once was done twice: a result was taken, a promise kept, a value of one
    /// type added.
    #[error("it was taken, set or added already")]
    Taken,
    /// A failure carries more than a code and a text to a function that has no place for it.
    #[error("{function} takes no payloads of a failure")]
    NoPayloads {
        /// The function, by its name in C.
        function: &'static str,
    },
    /// A buffer was named for an alias of another type or of other dimensions.
    #[error("the buffer has another type or other dimensions than its alias")]
    OtherShape,
    /// A transfer has no buffer of this number.
    #[error("a transfer of {count} buffers has none of the number {index}")]
    NoSuchBuffer {
        /// The index that was asked for, from 0.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// More was sent to a buffer after its last part.
    #[error("the last part of the buffer was sent already: {index}")]
    Complete {
        /// The number of the buffer in its transfer.
        index: usize,
    },
    /// A profile was started twice, stopped without a start, or read before its end.
    #[error("a step of a profile out of its order, which is start, stop, collect: {step}")]
    OutOfOrder {
        /// The call that came too early or too late.
        step: &'static str,
    },
    /// The memory of the host is none of the device's.
    #[error("only a platform whose memory is the host's can use memory of the host: {platform}")]
    NotHostMemory {
        /// The platform name of the client that the buffer is of.
        platform: String,
    },
}

impl Error {
    /// The code of the plug-in's error, if it is one.
    pub fn code(&self) -> Option<crate::ErrorCode> {
        match self {
            Self::Call(error) => Some(error.code()),
            _ => None,
        }
    }

    /// Whether the plug-in is too old, or left the function out.
    pub fn is_unimplemented(&self) -> bool {
        self.code() == Some(crate::ErrorCode::UNIMPLEMENTED)
    }

    #[inline]
    pub(crate) fn same_client<T, U>(one: &Handle<T>, other: &Handle<U>) -> Result<(), Self> {
        if one.same_client(other) { Ok(()) } else { Err(Self::OtherClient) }
    }

    /// An error if the plug-in's struct does not have the field.
    pub(crate) fn known<T: Record>(api: &Api, field: &str) -> Result<(), Self> {
        let found = T::history().fields.iter().find(|known| known.name == field);
        match found {
            Some(found) if !api.knows_field::<T>(found.at + found.bytes) => {
                let plugin = api.version();
                Err(Self::UnknownOption { field: found.name, since: found.since, plugin })
            }
            _ => Ok(()),
        }
    }
}
