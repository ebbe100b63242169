//! What becomes of calls between the real releases.

use std::sync::{Arc, LazyLock};

use unskew_torch_operators::{
    BlockReason, CallDecision, CallFit, CallTarget, FileWriter, OperatorCall, OperatorRegistry,
};
use unskew_torch_schemas::matching::GivenArgument;
use unskew_torch_schemas::{FunctionSchema, OperatorHistory, SchemaType};

use crate::pytorch;

static REGISTRY: LazyLock<OperatorRegistry> = LazyLock::new(pytorch::registry);

static HISTORY: LazyLock<Arc<OperatorHistory>> = LazyLock::new(pytorch::history);

/// `1.10.2: floor_divide | self other`, to a release: what is written and by whom, in one line.
///
/// Arguments stand as the call has them: `name` or `name=literal` by place, `*name...` by name; `name:type` is of a type that is
/// known.
fn decide(
    writer: &str,
    version: u32,
    operator: &str,
    given: &str,
    to: &str,
    to_version: u32,
) -> String {
    let release = writer.parse().unwrap();
    let (name, overload) = operator.split_once('.').unwrap_or((operator, ""));
    let table = HISTORY.table(release).unwrap();
    let schema = table.overload(&format!("aten::{name}"), overload).unwrap();
    let given: Vec<GivenArgument> = given
        .split_whitespace()
        .map(|one| {
            let (name, value) = one.split_once('=').map_or((one, None), |(n, v)| (n, Some(v)));
            let (name, ty) = name.split_once(':').map_or((name, None), |(n, t)| (n, Some(t)));
            GivenArgument {
                name: name.trim_start_matches('*').to_owned(),
                by_name: name.starts_with('*'),
                value: value.map(str::to_owned),
                ty: ty.map(type_of),
            }
        })
        .collect();
    let minor = unskew_core::Version::pair(release.major(), release.minor());
    let writer = FileWriter { operator_version: version, since: Some(minor), until: Some(minor) };
    let table = HISTORY.table(to.parse().unwrap()).unwrap();
    let target = CallTarget { table: &table, operator_version: to_version };
    let call = OperatorCall { schema: &schema, given: &given };
    shown(REGISTRY.decide(call, &writer, target))
}

fn type_of(text: &str) -> SchemaType {
    let schema: FunctionSchema = format!("aten::f({text} x) -> ()").parse().unwrap();
    schema.arguments[0].ty.clone()
}

fn shown(decision: CallDecision<'_>) -> String {
    match decision {
        CallDecision::Keep => "keep".to_owned(),
        CallDecision::Fitted(CallFit { overload, without }) => {
            let overload = overload.map_or(String::new(), |overload| format!(" as .{overload}"));
            format!("keep{overload} without {}", without.join(", "))
        }
        CallDecision::Upgrade(step) => format!("up {}", step.function.name.text),
        CallDecision::Downgrade(step) => format!("down {}", step.function.name.text),
        CallDecision::Blocked(blocked) => format!("blocked: {blocked}"),
    }
}

#[test]
fn a_result_that_changed_is_upgraded_for_new_releases_and_downgraded_for_old_ones() {
    let floor = |writer, to| decide(writer, 3, "floor_divide", "self other", to, 3);
    assert_eq!(floor("1.10.2", "2.15.0"), "up floor_divide_before_1_13");
    assert_eq!(floor("1.10.2", "1.12.1"), "keep");
    assert_eq!(floor("2.0.1", "2.15.0"), "keep");
    assert_eq!(floor("2.0.1", "1.8.1"), "down floor_divide_to_1_12");
    assert_eq!(floor("2.0.1", "1.7.1"), "down floor_divide_to_1_7");
    assert_eq!(floor("2.0.1", "1.4.0"), "down floor_divide_down_to_1_4");
    let arange = |given, to| decide("1.3.1", 1, "arange", given, to, 3);
    assert_eq!(arange("end=5", "1.4.0"), "up arange_before_1_4");
    assert_eq!(arange("end *dtype=4", "2.15.0"), "keep");
    assert_eq!(arange("end *dtype=None", "2.15.0"), "up arange_before_1_4");
    assert_eq!(arange("end *dtype", "2.15.0"), "up arange_before_1_4");
}

#[test]
fn a_result_that_nobody_meant_is_fixed_on_the_way_down_and_needs_no_writer() {
    let pow = |given, writer, to| decide(writer, 3, "pow.Tensor_Scalar", given, to, 3);
    assert_eq!(pow("self exponent=0.5", "2.15.0", "1.4.0"), "down pow_Tensor_Scalar_to_1_5");
    assert_eq!(pow("self exponent=2", "2.15.0", "1.4.0"), "keep");
    assert_eq!(pow("self exponent=0.5", "1.4.0", "2.15.0"), "keep");
}

#[test]
fn sizes_with_their_factors_are_weighed_where_only_sizes_count() {
    let nearest = |given: &str, to| decide("1.10.2", 6, "upsample_nearest2d", given, to, 3);
    let factors = "self output_size scales_h=1.5 scales_w=None";
    assert_eq!(nearest(factors, "1.4.0"), "down upsample_nearest2d_to_1_4");
    assert_eq!(nearest(factors, "1.5.1"), "keep");
    assert_eq!(nearest(factors, "2.15.0"), "keep");
    // What is not known may be the list of factors of another overload.
    let unknown = nearest("self output_size scales_h scales_w", "1.4.0");
    assert!(unknown.starts_with("blocked: "), "{unknown}");
    let none = "self output_size scales_h=None scales_w=None";
    assert_eq!(nearest(none, "1.4.0"), "keep without scales_w, scales_h");
    assert_eq!(nearest("self output_size", "1.4.0"), "keep");
}

#[test]
fn a_slice_without_an_end_is_one_with_both_where_both_are_numbers() {
    let slice = |operator, given: &str, to| decide("2.15.0", 3, operator, given, to, 3);
    let tensor = |given, to| slice("slice.Tensor", given, to);
    assert_eq!(tensor("self dim start=None end", "1.7.1"), "down slice_Tensor_to_1_7");
    assert_eq!(tensor("self dim start end:int", "1.4.0"), "down slice_Tensor_to_1_7");
    assert_eq!(tensor("self dim start:int end:int", "1.4.0"), "keep");
    assert_eq!(tensor("self dim start=None end", "1.8.1"), "keep");
    assert_eq!(slice("slice.str", "string start=None end=-1", "1.6.0"), "down slice_str_to_1_7");
    // A list is sliced by the function for what is in it, if that is known.
    let list = |given, to| slice("slice.t", given, to);
    assert_eq!(list("l:int[] start=None end=-1", "1.4.0"), "down slice_ints_to_1_7");
    assert_eq!(list("l:Tensor[] start=None end=-1", "1.7.1"), "down slice_tensors_to_1_7");
    assert_eq!(list("l:str[] start=1 end=-1", "1.7.1"), "keep");
    let unknown = list("l start=None end=-1", "1.7.1");
    assert!(unknown.starts_with("blocked: "), "{unknown}");
}

#[test]
fn a_traced_convolution_goes_with_and_without_what_it_says_of_tf32() {
    let named = "input weight bias stride padding dilation transposed output_padding groups \
                 benchmark deterministic cudnn_enabled";
    let all = format!("{named} allow_tf32");
    let convolution = |writer, given: &str, to| decide(writer, 3, "_convolution", given, to, 3);
    assert_eq!(convolution("1.10.2", &all, "1.4.0"), "down _convolution_to_1_6");
    assert_eq!(convolution("2.15.0", &all, "1.6.0"), "down _convolution_to_1_6");
    assert_eq!(convolution("1.10.2", &all, "1.7.1"), "keep");
    assert_eq!(convolution("1.4.0", named, "1.6.0"), "keep");
    assert_eq!(convolution("1.4.0", named, "2.15.0"), "up _convolution_before_1_7");
}

#[test]
fn without_knowing_the_writer_a_changed_result_is_not_guessed() {
    let schema: FunctionSchema =
        "aten::floor_divide(Tensor self, Tensor other) -> Tensor".parse().unwrap();
    let given = ["self", "other"]
        .map(|name| GivenArgument { name: name.to_owned(), ..GivenArgument::default() });
    let table = HISTORY.table("2.15.0".parse().unwrap()).unwrap();
    let call = OperatorCall { schema: &schema, given: &given };
    let target = CallTarget { table: &table, operator_version: 10 };
    let CallDecision::Blocked(blocked) = REGISTRY.decide(call, &FileWriter::default(), target)
    else {
        panic!()
    };
    assert_eq!(blocked, BlockReason::WriterUnknown { changed_in: "1.13".parse().unwrap() });
}

#[test]
fn a_version_is_crossed_by_an_upgrader_only_if_the_file_changes_its_version() {
    let div = |version, to_version| {
        decide("1.5.1", version, "div.Tensor", "self other", "2.15.0", to_version)
    };
    assert_eq!(div(3, 3), "keep");
    assert_eq!(div(3, 10), "up div_Tensor_0_3");
    assert_eq!(div(4, 10), "keep");
    assert_eq!(decide("1.10.2", 5, "linspace", "start end", "2.15.0", 10), "up linspace_0_7");
    assert_eq!(decide("1.10.2", 5, "linspace", "start end steps=5", "2.15.0", 10), "keep");
}

#[test]
fn what_is_given_as_the_default_is_left_out_where_it_is_not_known() {
    let gelu = |given| decide("2.15.0", 10, "gelu", given, "1.4.0", 2);
    assert_eq!(gelu("self"), "keep");
    assert_eq!(gelu("self *approximate='none'"), "keep without approximate");
    assert_eq!(gelu("self *approximate='tanh'"), "down gelu_to_1_11");
    assert_eq!(gelu("self *approximate"), "down gelu_to_1_11");
}

#[test]
fn attention_is_taken_apart_whatever_it_drops_at_random() {
    let attention = |given, to| decide("2.15.0", 3, "scaled_dot_product_attention", given, to, 3);
    assert_eq!(attention("query key value", "1.13.1"), "down scaled_dot_product_attention_to_1_13");
    for given in ["query key value attn_mask dropout_p=0.1", "query key value attn_mask dropout_p"]
    {
        assert_eq!(attention(given, "1.4.0"), "down scaled_dot_product_attention_to_1_13");
    }
    assert_eq!(attention("query key value", "2.0.1"), "keep");
    assert_eq!(
        attention("query key value *scale=None *enable_gqa=False", "2.0.1"),
        "keep without scale, enable_gqa"
    );
    assert!(
        attention("query key value *scale=0.5", "2.0.1").starts_with("blocked: no argument scale")
    );
    assert!(attention("query key value", "1.3.1").starts_with("blocked: new in 2.0"));
}

#[test]
fn an_overload_of_another_name_is_taken_only_if_the_own_one_is_gone() {
    let add = decide("1.10.2", 3, "index_add.alpha", "self dim index source *alpha", "2.15.0", 3);
    assert_eq!(add, "keep as . without ");
    // The own overload lost a default; `atol_rtol_float` takes the call and means something else.
    let pinv = decide("1.10.2", 3, "linalg_pinv", "self", "2.15.0", 3);
    assert!(!pinv.starts_with("keep"), "{pinv}");
}

#[test]
fn of_many_operators_without_names_that_is_taken_which_takes_the_call() {
    let decided = |schema: &str, name: &str, ty: &str, to: &str| {
        let schema: FunctionSchema = schema.parse().unwrap();
        let given = [GivenArgument {
            name: name.to_owned(),
            ty: Some(type_of(ty)),
            ..GivenArgument::default()
        }];
        let table = HISTORY.table(to.parse().unwrap()).unwrap();
        let target = CallTarget { table: &table, operator_version: 3 };
        let call = OperatorCall { schema: &schema, given: &given };
        shown(REGISTRY.decide(call, &FileWriter::default(), target))
    };
    // 1.4 had six of them, and later releases have one for texts without a name, and one with.
    let ints = "aten::list(int[] l) -> int[]";
    assert_eq!(decided(ints, "l", "int[]", "2.15.0"), "keep as .t without ");
    assert_eq!(decided(ints, "l", "int[]", "1.4.0"), "keep");
    assert_eq!(decided("aten::list(str t) -> str[]", "t", "str", "2.15.0"), "keep");
}
