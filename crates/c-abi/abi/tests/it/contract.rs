//! Every case of the document *StreamExecutor C API Versioning Strategy*, with the headers of each of its
//! versions on either side.
#![allow(unsafe_code, reason = "a test plays both sides")]

use std::ffi::c_void;
use std::ptr::NonNull;

use jiff::civil::Date;
use unskew_abi::contract::feature::{FeatureStage, FeatureUse, usable};
use unskew_abi::contract::handshake::{AgreedVersion, AnnouncedVersion, HandshakeError, agree};
use unskew_abi::contract::{AbsentField, Extensible, InterfaceVersion, Notice, UnknownTail};

/// The headers of 1.0, 1.1 and 1.2.
mod headers {
    pub mod v1_0 {
        #[derive(unskew_abi::contract::Extensible)]
        #[repr(C)]
        pub struct Toy {
            pub struct_size: usize,
            /// Free-form data set by the plug-in.
            pub ext: *mut std::ffi::c_void,
            /// Index of the device.
            pub old_field: i32,
        }
    }

    pub mod v1_1 {
        #[derive(unskew_abi::contract::Extensible)]
        #[repr(C)]
        pub struct Toy {
            pub struct_size: usize,
            pub ext: *mut std::ffi::c_void,
            pub old_field: i32,
            #[extensible(since = "1.1", zero = "no-op")]
            pub new_field1: *mut std::ffi::c_void,
            #[extensible(since = "1.1", zero = "no-op")]
            pub new_field2: i32,
        }
    }

    pub mod v1_2 {
        #[derive(unskew_abi::contract::Extensible)]
        #[repr(C)]
        pub struct Toy {
            pub struct_size: usize,
            pub ext: *mut std::ffi::c_void,
            pub old_field: i32,
            #[extensible(since = "1.1", zero = "no-op", deprecated = "1.2")]
            pub new_field1: *mut std::ffi::c_void,
            #[extensible(since = "1.1", zero = "no-op")]
            pub new_field2: i32,
        }
    }
}
use headers::{v1_0, v1_1, v1_2};

fn at<T>(made: &mut T) -> NonNull<c_void> {
    NonNull::from(made).cast()
}

fn some_pointer() -> *mut c_void {
    std::ptr::without_provenance_mut(0x1000)
}

fn toy_1_1() -> v1_1::Toy {
    v1_1::Toy {
        struct_size: v1_1::Toy::STRUCT_SIZE,
        ext: std::ptr::null_mut(),
        old_field: 7,
        new_field1: some_pointer(),
        new_field2: 5,
    }
}

#[test]
fn sizes_are_where_the_last_field_ends_and_not_what_the_compiler_says() {
    assert_eq!(v1_0::Toy::STRUCT_SIZE, 20);
    assert_eq!(size_of::<v1_0::Toy>(), 24);
    assert_eq!(v1_1::Toy::STRUCT_SIZE, 36);
    let version = |major, minor| InterfaceVersion::new(major, minor);
    assert_eq!(v1_2::Toy::CONTRACT.size_at(version(1, 0)), 20);
    assert_eq!(v1_2::Toy::CONTRACT.size_at(version(1, 2)), 36);
    assert_eq!(v1_2::Toy::CONTRACT.version_of(36), Some(version(1, 1)));
    assert_eq!(v1_2::Toy::CONTRACT.version_of(35), Some(version(1, 1)));
    assert_eq!(v1_2::Toy::CONTRACT.version_of(31), Some(version(0, 0)));
}

#[test]
fn extending_where_the_producer_is_older() {
    let mut made = v1_0::Toy { struct_size: 20, ext: std::ptr::null_mut(), old_field: 7 };
    // SAFETY: a struct of an older header, alive to the end.
    let toy = unsafe { v1_1::ToyReader::new(at(&mut made)) }.unwrap();
    assert_eq!((toy.old_field(), toy.new_field1(), toy.new_field2()), (Some(7), None, None));
    assert_eq!(toy.ext(), Some(std::ptr::null_mut()), "null is a value there");
    assert!(toy.reader().notices().is_empty());
}

#[test]
fn extending_where_the_producer_is_newer() {
    let mut made = toy_1_1();
    // SAFETY: a struct of a newer header, alive to the end.
    let toy = unsafe { v1_0::ToyReader::new(at(&mut made)) }.unwrap();
    assert_eq!(toy.old_field(), Some(7));
    // The consumer can go on, and can know that something was ignored.
    let tail = UnknownTail { structure: "Toy", announced: 36, known: 20, at: 25 };
    assert_eq!(toy.reader().known_only(), Err(tail));
    made.new_field1 = std::ptr::null_mut();
    made.new_field2 = 0;
    // SAFETY: as above.
    let toy = unsafe { v1_0::ToyReader::new(at(&mut made)) }.unwrap();
    assert_eq!(toy.reader().known_only(), Ok(()));
}

#[test]
fn a_field_that_is_there_in_part_is_absent() {
    let mut made = toy_1_1();
    // Greater than the offset of `new_field1`, which is 24: the document's own test would read it.
    made.struct_size = 28;
    // SAFETY: the memory is longer than it announces.
    let toy = unsafe { v1_1::ToyReader::new(at(&mut made)) }.unwrap();
    assert_eq!(toy.new_field1(), None);
    let notices = toy.reader().notices();
    let field = "new_field1";
    assert_eq!(notices, [Notice::EndsWithinField { structure: "Toy", field, announced: 28 }]);
}

#[test]
fn deprecating_where_the_producer_is_older() {
    let mut made = toy_1_1();
    // SAFETY: a struct of an older header, alive to the end.
    let toy = unsafe { v1_2::ToyReader::new(at(&mut made)) }.unwrap();
    assert_eq!(toy.new_field2(), Some(5));
    let notices: Vec<String> = toy.reader().notices().iter().map(ToString::to_string).collect();
    assert_eq!(notices, ["Toy.new_field1 is deprecated since 1.2 and is set"]);
}

#[test]
fn deprecating_where_the_producer_is_newer() {
    let mut made = v1_2::Toy {
        struct_size: v1_2::Toy::STRUCT_SIZE,
        ext: std::ptr::null_mut(),
        old_field: 7,
        // No longer set.
        new_field1: std::ptr::null_mut(),
        new_field2: 5,
    };
    // SAFETY: a struct of a newer header, alive to the end.
    let toy = unsafe { v1_1::ToyReader::new(at(&mut made)) }.unwrap();
    assert_eq!(toy.new_field1(), None, "null is no-op");
    assert_eq!(toy.new_field2(), Some(5));
}

/// Zero is inspected by value only where it is marked as no-op.
#[derive(Extensible)]
#[repr(C)]
struct Example {
    struct_size: usize,
    #[extensible(zero = "no-op")]
    cannot_be_zero: i32,
    #[extensible(zero = "no-op")]
    cannot_be_null: *mut c_void,
    can_be_zero: i32,
    can_be_null: *mut c_void,
}

#[test]
fn by_value_inspection() {
    let mut made = Example {
        struct_size: Example::STRUCT_SIZE,
        cannot_be_zero: 0,
        cannot_be_null: std::ptr::null_mut(),
        can_be_zero: 0,
        can_be_null: std::ptr::null_mut(),
    };
    // SAFETY: alive to the end.
    let example = unsafe { ExampleReader::new(at(&mut made)) }.unwrap();
    assert_eq!((example.cannot_be_zero(), example.cannot_be_null()), (None, None));
    assert_eq!(
        (example.can_be_zero(), example.can_be_null()),
        (Some(0), Some(std::ptr::null_mut()))
    );
}

/// Renaming is a deprecation with extension; so is a change of type.
mod renamed {
    pub mod v5_0 {
        #[derive(unskew_abi::contract::Extensible)]
        #[repr(C)]
        pub struct Device {
            pub struct_size: usize,
            pub ext: *mut std::ffi::c_void,
            pub ordinal: i32,
            #[extensible(zero = "no-op")]
            pub name: usize,
            #[extensible(zero = "no-op")]
            pub memory: u32,
        }
    }

    pub mod v5_1 {
        #[derive(unskew_abi::contract::Extensible)]
        #[repr(C)]
        pub struct Device {
            pub struct_size: usize,
            pub ext: *mut std::ffi::c_void,
            pub ordinal: i32,
            #[extensible(zero = "no-op", deprecated = "5.1", replaced_by = "better_name")]
            pub name: usize,
            #[extensible(zero = "no-op", deprecated = "5.1", replaced_by = "memory_bytes")]
            pub memory: u32,
            #[extensible(since = "5.1", zero = "no-op", replaces = "name")]
            pub better_name: usize,
            #[extensible(since = "5.1", zero = "no-op", replaces = "memory",
                         upgrade = bytes, downgrade = mebibytes)]
            pub memory_bytes: u64,
        }

        fn bytes(mebibytes: u32) -> u64 {
            u64::from(mebibytes) << 20
        }

        fn mebibytes(bytes: u64) -> u32 {
            u32::try_from(bytes >> 20).unwrap_or(u32::MAX)
        }
    }
}

#[test]
fn a_renamed_and_a_retyped_field_are_read_from_an_older_producer() {
    let size = renamed::v5_0::Device::STRUCT_SIZE;
    let mut made = renamed::v5_0::Device {
        struct_size: size,
        ext: std::ptr::null_mut(),
        ordinal: 0,
        name: 77,
        memory: 3,
    };
    // SAFETY: a struct of an older header, alive to the end.
    let device = unsafe { renamed::v5_1::DeviceReader::new(at(&mut made)) }.unwrap();
    assert_eq!(device.better_name(), Some(77));
    assert_eq!(device.memory_bytes(), Some(3 << 20));
    let notices = device.reader().notices();
    assert_eq!(
        notices[0].to_string(),
        "Device.name is deprecated since 5.1 and is set; use better_name"
    );
    assert_eq!(notices.len(), 2);
}

#[test]
fn during_the_grace_period_both_fields_are_served() {
    let mut old = renamed::v5_0::Device {
        struct_size: renamed::v5_0::Device::STRUCT_SIZE,
        ext: std::ptr::null_mut(),
        ordinal: 0,
        name: 0,
        memory: 0,
    };
    // SAFETY: a struct of an older header, alive to the end, and used by nobody else.
    let mut writer = unsafe { renamed::v5_1::DeviceWriter::new(at(&mut old)) }.unwrap();
    writer.set_better_name(9).unwrap();
    writer.set_memory_bytes(5 << 20).unwrap();
    assert_eq!((old.name, old.memory), (9, 5));

    let mut new = renamed::v5_1::Device {
        struct_size: renamed::v5_1::Device::STRUCT_SIZE,
        ext: std::ptr::null_mut(),
        ordinal: 0,
        name: 0,
        memory: 0,
        better_name: 0,
        memory_bytes: 0,
    };
    // SAFETY: as above.
    let mut writer = unsafe { renamed::v5_1::DeviceWriter::new(at(&mut new)) }.unwrap();
    writer.set_better_name(9).unwrap();
    writer.set_memory_bytes(5 << 20).unwrap();
    assert_eq!((new.name, new.better_name, new.memory, new.memory_bytes), (9, 9, 5, 5 << 20));
}

/// Functions are renamed as fields are: the table is a struct.
mod functions {
    use std::ffi::c_void;

    pub type Create = Option<unsafe extern "C" fn(*mut c_void) -> i32>;

    #[derive(unskew_abi::contract::Extensible)]
    #[repr(C)]
    pub struct ExportFunctions {
        pub struct_size: usize,
        #[extensible(zero = "no-op", deprecated = "5.1", replaced_by = "create_better_device")]
        pub create_device: Create,
        #[extensible(since = "5.1", zero = "no-op")]
        pub create_better_device: Create,
    }

    /// Deprecated as a whole.
    #[derive(unskew_abi::contract::Extensible)]
    #[extensible(deprecated = "5.1", replaced_by = "BetterDevice")]
    #[repr(C)]
    pub struct Device {
        pub struct_size: usize,
        pub ordinal: i32,
    }
}

unsafe extern "C" fn create(_: *mut c_void) -> i32 {
    41
}

#[test]
fn a_renamed_function_is_found_under_either_name() {
    let mut table = functions::ExportFunctions {
        struct_size: 16,
        create_device: Some(create),
        create_better_device: None,
    };
    // SAFETY: alive to the end.
    let read = unsafe { functions::ExportFunctionsReader::new(at(&mut table)) }.unwrap();
    assert_eq!(read.create_better_device(), None);
    let old = read.create_device().unwrap().unwrap();
    // SAFETY: it is the function above.
    assert_eq!(unsafe { old(std::ptr::null_mut()) }, 41);
    assert_eq!(read.reader().notices().len(), 1);
}

#[test]
fn a_struct_that_is_deprecated_as_a_whole_is_told_of() {
    let mut made = functions::Device { struct_size: 12, ordinal: 1 };
    // SAFETY: alive to the end.
    let device = unsafe { functions::DeviceReader::new(at(&mut made)) }.unwrap();
    let notices = device.reader().notices();
    assert_eq!(notices[0].to_string(), "Device is deprecated since 5.1; use BetterDevice");
    assert_eq!(device.ordinal(), Some(1));
}

#[test]
fn nothing_is_written_behind_the_other_sides_struct() {
    // The struct of 1.0, and canaries behind it.
    let mut memory = [20_u64, 0, 0xaaaa_aaaa_0000_0000, u64::MAX, u64::MAX];
    // SAFETY: twenty bytes are announced, and are there.
    let mut writer = unsafe { v1_1::ToyWriter::new(at(&mut memory)) }.unwrap();
    writer.set_old_field(-1).unwrap();
    let absent = writer.set_new_field2(5).unwrap_err();
    let since = InterfaceVersion::new(1, 1);
    let expected =
        AbsentField { structure: "Toy", field: "new_field2", since, announced: 20, needed: 36 };
    assert_eq!(absent, expected);
    writer.set_new_field1(std::ptr::null_mut()).unwrap();
    assert_eq!(memory, [20, 0, 0xaaaa_aaaa_ffff_ffff, u64::MAX, u64::MAX]);
}

#[test]
fn sizes_that_cannot_be_true_are_refused() {
    for size in [0, 7, usize::MAX, 1 << 40] {
        let mut memory = [size, 0, 0];
        // SAFETY: the first word is there, and such a size is refused before more is read.
        assert!(unsafe { v1_1::ToyReader::new(at(&mut memory)) }.is_err());
    }
}

#[test]
fn major_versions_must_be_the_same_and_minor_ones_need_not() {
    let ours = InterfaceVersion::new(1, 1);
    let say = |major, minor, size| agree(AnnouncedVersion { major, minor, patch: 0 }, size, ours);
    assert_eq!(say(1, 0, 64), Ok(AgreedVersion(InterfaceVersion::new(1, 0))));
    assert_eq!(say(1, 9, 64), Ok(AgreedVersion(ours)));
    assert_eq!(say(2, 0, 64), Err(HandshakeError::OtherMajor { theirs: 2, ours: 1 }));
    assert_eq!(say(1, 0, 0), Err(HandshakeError::NoSize));
    assert_eq!(say(-1, 0, 64), Err(HandshakeError::NoVersion(-1, 0)));
}

#[test]
fn experimental_features_are_used_at_equal_numbers_and_graduate_into_the_window() {
    let day = Date::constant(2026, 6, 1);
    let experimental = FeatureStage::Experimental { version: 3 };
    assert_eq!(usable(experimental, Some(3), day, 12), FeatureUse::Available);
    assert_eq!(
        usable(experimental, Some(4), day, 12),
        FeatureUse::OtherVersion { theirs: 4, ours: 3 }
    );
    assert_eq!(usable(experimental, None, day, 12), FeatureUse::Absent);
    assert_eq!(usable(FeatureStage::Optional, None, day, 12), FeatureUse::Absent);
    let core = FeatureStage::Core { graduated: Date::constant(2026, 3, 10) };
    assert_eq!(
        usable(core, None, day, 12),
        FeatureUse::Absent,
        "one day before the window is over"
    );
    assert_eq!(usable(core, None, Date::constant(2026, 6, 2), 12), FeatureUse::Missing);
    assert_eq!(usable(core, Some(0), day, 12), FeatureUse::Available);
}

#[test]
fn a_declaration_is_its_own_documentation() {
    let table = v1_0::Toy::CONTRACT.table();
    assert!(
        table.contains(
            "| `old_field` | `i32` | 16 | 20 | 0.0 | a value |  | Index of the device. |"
        )
    );
}
