//! Memory statistics. A field that the plug-in's version of the struct does not have is none.

use crate::sys::bindings::{
    PJRT_Device_MemoryStats_Args, PJRT_Executable_GetCompiledMemoryStats_Args,
};
use crate::sys::{Api, Record};

/// How much memory a device uses, in bytes unless said; what the vendor does not say is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Bytes in use at the time of the call.
    pub bytes_in_use: i64,
    /// In use at most so far.
    pub peak_bytes_in_use: Option<i64>,
    /// The number of allocations.
    pub num_allocs: Option<i64>,
    /// The largest single allocation so far, in bytes.
    pub largest_alloc_size: Option<i64>,
    /// The most that can be used.
    pub bytes_limit: Option<i64>,
    /// Bytes reserved at the time of the call.
    pub bytes_reserved: Option<i64>,
    /// Reserved at most so far.
    pub peak_bytes_reserved: Option<i64>,
    /// The most that can be reserved.
    pub bytes_reservable_limit: Option<i64>,
    /// The largest free block.
    pub largest_free_block_bytes: Option<i64>,
    /// The size of the pool.
    pub pool_bytes: Option<i64>,
    /// The size of the pool at most so far.
    pub peak_pool_bytes: Option<i64>,
    /// Allocated at most so far. Since 0.113.
    pub peak_allocated_bytes: Option<i64>,
}

impl MemoryStats {
    /// An older plug-in leaves the fields that it does not have as they were sent: zero, and so not set.
    pub(crate) fn from_args(stats: &PJRT_Device_MemoryStats_Args) -> Self {
        let set = |value: i64, is_set: u8| Some(value).filter(|_| is_set != 0);
        Self {
            bytes_in_use: stats.bytes_in_use,
            peak_bytes_in_use: set(stats.peak_bytes_in_use, stats.peak_bytes_in_use_is_set),
            num_allocs: set(stats.num_allocs, stats.num_allocs_is_set),
            largest_alloc_size: set(stats.largest_alloc_size, stats.largest_alloc_size_is_set),
            bytes_limit: set(stats.bytes_limit, stats.bytes_limit_is_set),
            bytes_reserved: set(stats.bytes_reserved, stats.bytes_reserved_is_set),
            peak_bytes_reserved: set(stats.peak_bytes_reserved, stats.peak_bytes_reserved_is_set),
            bytes_reservable_limit: set(
                stats.bytes_reservable_limit,
                stats.bytes_reservable_limit_is_set,
            ),
            largest_free_block_bytes: set(
                stats.largest_free_block_bytes,
                stats.largest_free_block_bytes_is_set,
            ),
            pool_bytes: set(stats.pool_bytes, stats.pool_bytes_is_set),
            peak_pool_bytes: set(stats.peak_pool_bytes, stats.peak_pool_bytes_is_set),
            peak_allocated_bytes: set(
                stats.peak_allocated_bytes,
                stats.peak_allocated_bytes_is_set,
            ),
        }
    }
}

macro_rules! compiled {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// How much memory a compiled program uses, in bytes.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct CompiledMemoryStats {
            $($(#[$doc])* pub $name: Option<i64>,)*
        }

        impl CompiledMemoryStats {
            pub(crate) fn from_args(
                api: &Api,
                stats: &PJRT_Executable_GetCompiledMemoryStats_Args,
            ) -> Self {
                Self { $($name: known(api, stringify!($name)).then_some(stats.$name),)* }
            }
        }
    };
}

fn known(api: &Api, name: &str) -> bool {
    type Stats = PJRT_Executable_GetCompiledMemoryStats_Args;
    let field = Stats::history().fields.iter().find(|field| field.name == name);
    field.is_some_and(|field| api.knows_field::<Stats>(field.at + field.bytes))
}

compiled! {
    /// Bytes of generated machine code.
    generated_code_size_in_bytes,
    /// Bytes of all arguments together.
    argument_size_in_bytes,
    /// Bytes of all results together.
    output_size_in_bytes,
    /// Arguments whose memory results reuse.
    alias_size_in_bytes,
    /// What is needed while it runs.
    temp_size_in_bytes,
    /// The machine code on the host. Since 0.43.
    host_generated_code_size_in_bytes,
    /// Arguments on the host. Since 0.43.
    host_argument_size_in_bytes,
    /// Results on the host. Since 0.43.
    host_output_size_in_bytes,
    /// Arguments on the host whose memory results reuse. Since 0.43.
    host_alias_size_in_bytes,
    /// What is needed on the host while it runs. Since 0.43.
    host_temp_size_in_bytes,
    /// The most that is in use at once. Since 0.72.
    peak_memory_in_bytes,
    /// All of it. Since 0.90.
    total_size_in_bytes,
    /// All allocations. Since 0.104.
    total_allocation_bytes,
    /// Allocations without an end. Since 0.104.
    indefinite_allocations,
    /// The most of the heap that is in use at once, without padding. Since 0.104.
    peak_unpadded_heap_bytes,
}
