//! A plug-in that does nothing, and panics when it is asked how many devices it has.

use std::sync::OnceLock;

use unskew_stream_executor_sdk::{
    Callback, Description, Device, Error, EventStatus, Exported, Exports, Host, HostMemory, Memory,
    Order, Pattern, Platform, Timer, Usage,
};

/// The device: everything is done.
pub struct Nothing;

impl Timer for Nothing {
    fn nanoseconds(&self) -> u64 {
        0
    }
}

macro_rules! done {
    ($($name:ident($($argument:ty),*);)*) => {
        $(fn $name(&self, $(_: $argument),*) -> Result<(), Error> { Ok(()) })*
    };
}

impl Device for Nothing {
    type Stream = Nothing;
    type Event = Nothing;
    type Timer = Nothing;

    fn description(&self) -> Description {
        Description::default()
    }
    fn allocate(&self, _: u64, _: i64) -> Option<Memory> {
        None
    }
    fn deallocate(&self, _: Memory) {}
    fn usage(&self) -> Option<Usage> {
        None
    }
    fn stream(&self) -> Result<Nothing, Error> {
        Ok(Nothing)
    }
    fn event(&self) -> Result<Nothing, Error> {
        Ok(Nothing)
    }
    fn timer(&self) -> Result<Nothing, Error> {
        Ok(Nothing)
    }
    fn event_status(&self, _: &Nothing) -> EventStatus {
        EventStatus::Complete
    }
    done! {
        wait_for_stream(&Nothing, &Nothing);
        finish(&Nothing);
        finish_all();
        call_back(&Nothing, Callback);
        record(&Nothing, &Nothing);
        wait_for_event(&Nothing, &Nothing);
        block_for_event(&Nothing);
        start_timer(&Nothing, &Nothing);
        stop_timer(&Nothing, &Nothing);
        copy_to_host(Order<'_, Nothing>, HostMemory, Memory);
        copy_from_host(Order<'_, Nothing>, Memory, HostMemory);
        copy(Order<'_, Nothing>, Memory, Memory, u64);
        fill(&Nothing, Memory, Pattern, u64);
    }
}

/// A platform of this name.
pub struct Named(&'static str);

impl Platform for Named {
    type Device = Nothing;

    fn name(&self) -> &str {
        self.0
    }
    fn device_type(&self) -> &str {
        "TOY"
    }
    fn device_count(&self) -> Result<usize, Error> {
        panic!("no beads")
    }
    fn device(&self, _: usize, _: &Host) -> Result<Nothing, Error> {
        Ok(Nothing)
    }
}

macro_rules! plugins {
    ($($plugin:ident $name:literal;)*) => {$(
        pub struct $plugin;

        impl Exports for $plugin {
            type Platform = Named;

            fn exported() -> &'static Exported<Named> {
                static MADE: OnceLock<Exported<Named>> = OnceLock::new();
                MADE.get_or_init(|| Exported::new(|| Named($name)))
            }
        }
    )*};
}

plugins! {
    Toy "TOY";
    Small "toy";
}
