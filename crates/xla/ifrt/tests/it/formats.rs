//! What the types look like at each version, what they are written as, and what each version can hold.

use unskew_ifrt::types::*;
use unskew_serdes::guard::{Goldens, SchemaLock, check_days};
use unskew_serdes::proto::{Message, decode, encode};
use unskew_serdes::{EncodeError, EncodeProblem, Family};

use crate::values;

#[test]
fn formats_change_only_with_a_new_version() {
    SchemaLock::<Ifrt>::new()
        .with_message::<Serialized>()
        .with_message::<Sharding>()
        .with_message::<Layout>()
        .with_message::<ArraySpec>()
        .with_message::<AbstractArraySpec>()
        .with_message::<RemapPlan>()
        .with_message::<ExecuteOptions>()
        .with_message::<IndexDomain>()
        .check("tests/ifrt.lock")
        .unwrap();
    check_days::<Ifrt>(unskew_core::Date::constant(2026, 8, 4)).unwrap();
}

#[test]
fn what_was_written_is_read_and_written_so() {
    Goldens::<Ifrt>::new()
        .with("shape", &values::shape(&[2, 3, -1]))
        .with("shape-of-a-number", &values::shape(&[]))
        .with("dynamic-shape", &values::dynamic_shape())
        .with("dtype", &DType::from(DTypeKind::F32))
        .with("dtype-s1", &DType::from(DTypeKind::S1))
        .with("dtype-f6e2m3fn", &DType::from(DTypeKind::F6e2m3fn))
        .with("device-list", &values::devices(&[0, 1, -1]))
        .with("single-device-sharding", &values::single_device())
        .with("opaque-sharding", &values::opaque())
        .with("concrete-sharding", &values::concrete())
        .with("concrete-sharding-dynamic", &values::concrete_dynamic())
        .with("concrete-even-sharding", &values::concrete_even())
        .with("sharding-param", &Sharding::ShardingParam(values::sharding_param(&[])))
        .with("sharding-param-unreduced", &Sharding::ShardingParam(values::sharding_param(&[1])))
        .with("hlo-sharding", &values::hlo())
        .with("hlo-sharding-spec", &values::hlo_spec())
        .with("pjrt-layout", &Layout::PjRt(values::pjrt_layout()))
        .with("compact-layout", &Layout::Compact(values::compact_layout()))
        .with("array-spec", &values::array_spec())
        .with("abstract-array-spec", &values::abstract_array_spec())
        .with("attribute-map", &values::attributes())
        .with("remap-plan", &values::remap_plan())
        .with("remap-plan-with-devices", &values::remap_plan_with_devices())
        .with("execute-options", &values::execute_options())
        .with("compile-options", &values::compile_options(&[]))
        .with("compile-options-bundles", &values::compile_options(&[2, 1]))
        .with("program", &Serialized::HloProgram(values::program()))
        .with("custom-call-program", &Serialized::CustomCallProgram(values::custom_call()))
        .with("custom-call-options", &values::custom_call_options(&[]))
        .with("custom-call-options-bundles", &values::custom_call_options(&[3]))
        .with("ifrt-ir-program", &Serialized::IfrtIrProgram(values::ifrt_ir_program()))
        .with("ifrt-ir-options", &values::ifrt_ir_options())
        .with("ifrt-ir-options-dumps", &values::ifrt_ir_options_with_dumps())
        .with("ifrt-ir-options-bundles", &values::ifrt_ir_options_with_bundles())
        .with("executable-version", &Serialized::XlaExecutableVersion(values::executable()))
        .with("ifrt-ir-executable-version", &values::ifrt_ir_executable())
        .with("index-domain", &values::index_domain())
        .check("tests/golden.txt")
        .unwrap();
}

fn at<M: Message<Ifrt>>(value: &M, version: i64) -> Result<Vec<u8>, EncodeError> {
    encode(value, any_version().get(version).unwrap())
}

/// The lowest version that holds a value, and the field that needs it.
fn floor<M: Message<Ifrt>>(value: &M) -> (i64, String) {
    let mut path = String::new();
    for version in 0..=i64::from(Ifrt::CURRENT) {
        match at(value, version) {
            Ok(_) => return (version, path),
            Err(error) => {
                assert!(matches!(error.problem(), EncodeProblem::TooYoung { .. }), "{error}");
                path = error.path().to_string();
            }
        }
    }
    panic!("no version holds it");
}

#[test]
fn a_value_is_refused_for_every_version_that_cannot_hold_it() {
    let floor_of = |(version, path): (i64, String), wanted: i64, field: &str| {
        assert_eq!((version, path.as_str()), (wanted, field));
    };
    floor_of(floor(&values::array_spec()), 0, "");
    let unreduced = values::sharding_param(&[1]);
    floor_of(floor(&unreduced), 1, "sharding_param.unreduced_axes");
    floor_of(floor(&values::compile_options(&[1])), 4, "outputs_bundle_slice_sizes");
    floor_of(floor(&values::abstract_array_spec()), 5, "the value");
    floor_of(floor(&values::remap_plan_with_devices()), 1, "input_devices_for_output");
    let mut spec = values::array_spec();
    spec.dtype = DTypeKind::F6e3m2fn.into();
    floor_of(floor(&spec), 5, "dtype.kind");
    floor_of(floor(&values::index_domain()), 5, "the value");
}

/// What is recorded is a type's own format, and never the version that was requested.
#[test]
fn recorded_is_the_lowest_format_but_where_the_makers_record_another() {
    for version in 0..=5 {
        let bytes = at(&values::array_spec(), version).unwrap();
        assert_eq!(bytes, at(&values::array_spec(), 0).unwrap());
    }
    // The makers record 4 from 4 on, whatever is in it.
    let recorded = |version| *at(&values::compile_options(&[]), version).unwrap().last().unwrap();
    assert_eq!(recorded(4), 4);
    assert_eq!(at(&values::compile_options(&[]), 3).unwrap(), [10, 2, 32, 1]);
    // In versions 1 and 2 they recorded the requested one.
    let param = &values::sharding_param(&[1]).sharding_param;
    let mut bytes = at(param, 1).unwrap();
    let place = bytes.windows(2).position(|pair| pair == [0x20, 1]).unwrap();
    bytes[place + 1] = 2;
    assert_eq!(&decode::<Ifrt, ShardingParam>(&bytes).unwrap(), param);
}

/// The history says which types changed at which version, and so do the types.
#[test]
fn the_types_say_what_the_history_says() {
    let history = include_str!("../../data/serdes.history.toml");
    let mut from_history = Vec::new();
    let mut version = 0_u32;
    for line in history.lines() {
        if let Some(number) = line.strip_prefix("number = ") {
            version = number.parse().unwrap();
        }
        if let Some(types) = line.strip_prefix("types = [") {
            let names = types.trim_end_matches(']').split(", ").map(|name| name.trim_matches('"'));
            from_history.extend(names.map(|name| (version, name.to_lowercase())));
        }
    }
    // A program has a version in its history only: what is in it changed, not how it is written.
    from_history.retain(|(_, name)| name != "hloprogram");
    let mut from_types = Vec::new();
    for message in all() {
        let own = [message.since].into_iter();
        let all = own.chain(message.fields.iter().map(|field| field.since));
        let recorded = all.filter(|since| !since.silent && since.version > 0);
        from_types.extend(recorded.map(|since| (since.version, message.rust.to_lowercase())));
    }
    from_types.sort();
    from_history.sort();
    from_types.dedup();
    assert_eq!(from_types, from_history);
}

#[test]
fn every_kind_of_element_goes_through_its_number() {
    use unskew_serdes::proto::Enumeration;
    for value in DTypeKind::DESCRIPTION.values {
        let kind = DTypeKind::from_number(i64::from(value.number)).unwrap();
        assert_eq!(kind.number(), value.number);
        let dtype = DType::from(kind);
        let bytes = at(&dtype, 5).unwrap();
        assert_eq!(decode::<Ifrt, DType>(&bytes).unwrap(), dtype);
    }
    assert_eq!(DTypeKind::DESCRIPTION.values.len(), 35);
}
