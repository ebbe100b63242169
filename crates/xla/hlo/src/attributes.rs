//! Attributes behind the operands of an instruction, by its opcode.

use crate::collective;
use crate::escape::quoted;
use crate::header::index;
use crate::literal::is_default_comparison;
use crate::messages::{
    Aliasing, DotNumbers, GatherNumbers, Instruction, Precision, ResultAccuracy, ScatterNumbers,
    Shape,
};
use crate::names::{MAIN_THREAD, Names};
use crate::numbers::{braced, double, joined, single};

/// The attributes in their order.
pub(crate) fn attributes_of(of: &Instruction, names: &Names<'_>) -> Vec<String> {
    let mut out = own(of, names);
    out.extend(called(of, names));
    if of.is_composite {
        out.push("is_composite=true".to_owned());
    }
    if let Some(sharding) = &of.sharding {
        out.push(format!("sharding={}", sharding.text()));
    }
    if let Some(frontend) = of.frontend.as_ref().filter(|frontend| !frontend.map.is_empty()) {
        out.push(format!("frontend_attributes={}", frontend.text()));
    }
    if !of.predecessors.is_empty() {
        let before = of.predecessors.iter().map(|id| names.instruction(*id));
        out.push(format!("control-predecessors={{{}}}", joined(before, ", ")));
    }
    out
}

fn own(of: &Instruction, names: &Names<'_>) -> Vec<String> {
    let dimensions = || format!("dimensions={}", braced(&of.dimensions));
    match of.opcode.as_str() {
        "broadcast" | "concatenate" | "reduce" | "transpose" | "reverse" | "map"
        | "get-dimension-size" | "set-dimension-size" => vec![dimensions()],
        "sort" => {
            [Some(dimensions()), is("is_stable", of.is_stable)].into_iter().flatten().collect()
        }
        "iota" => vec![format!("iota_dimension={}", first(&of.dimensions))],
        "reshape" if !of.dimensions.is_empty() => {
            vec![format!("inferred_dimension={}", first(&of.dimensions))]
        }
        "slice" => vec![slices(of)],
        "dynamic-slice" => {
            vec![format!("dynamic_slice_sizes={}", braced(&of.dynamic_slice_sizes))]
        }
        "pad" => of.padding.iter().map(|padding| format!("padding={}", padding.text())).collect(),
        "get-tuple-element" => vec![format!("index={}", of.tuple_index)],
        "compare" => comparison(of, names),
        "convolution" | "custom-call" => called_target(of),
        "reduce-window" | "select-and-scatter" => window(of),
        "dot" | "ragged-dot" => dot(of),
        "gather" => of.gather.iter().flat_map(|numbers| gather(numbers, of)).collect(),
        "scatter" => of.scatter.iter().flat_map(|numbers| scatter(numbers, of)).collect(),
        "fusion" => {
            let kind = format!("kind={}", of.fusion_kind);
            aliasing(&of.aliasing).into_iter().fold(vec![kind], |mut all, one| {
                all.push(one);
                all
            })
        }
        "fft" => {
            let kind = named(&["FFT", "IFFT", "RFFT", "IRFFT"], of.fft_type);
            vec![format!("fft_type={kind}"), format!("fft_length={}", braced(&of.fft_length))]
        }
        "topk" => vec![format!("k={}", of.k), format!("largest={}", of.largest)],
        "triangular-solve" => triangular(of),
        "cholesky" => of.cholesky.iter().filter_map(|how| is("lower", how.lower)).collect(),
        "reduce-precision" => vec![
            format!("exponent_bits={}", of.exponent_bits),
            format!("mantissa_bits={}", of.mantissa_bits),
        ],
        "batch-norm-training" | "batch-norm-inference" | "batch-norm-grad" => vec![
            format!("epsilon={}", single(of.epsilon)),
            format!("feature_index={}", of.feature_index),
        ],
        "rng" => vec![format!(
            "distribution={}",
            named(&["rng_invalid", "rng_uniform", "rng_normal"], of.distribution)
        )],
        "rng-bit-generator" => vec![format!(
            "algorithm={}",
            named(&["rng_default", "rng_three_fry", "rng_philox"], of.algorithm)
        )],
        "rng-get-and-update-state" => vec![format!("delta={}", of.delta)],
        "exponential"
        | "exponential-minus-one"
        | "log"
        | "log-plus-one"
        | "logistic"
        | "tan"
        | "tanh"
        | "cosine"
        | "sine"
        | "sqrt"
        | "rsqrt"
        | "cbrt"
        | "erf" => of.accuracy.as_ref().and_then(accuracy).into_iter().collect(),
        "parameter" => replication(of).into_iter().collect(),
        "domain" => domain(of).into_iter().collect(),
        "copy-start" => {
            of.prefetch.map(|at| format!("cross_program_prefetch_index={at}")).into_iter().collect()
        }
        _ => communication(of),
    }
}

/// Those of operations that go between devices, or to the host.
fn communication(of: &Instruction) -> Vec<String> {
    let dimensions = || Some(format!("dimensions={}", braced(&of.dimensions)));
    let mut out = match of.opcode.as_str() {
        "all-reduce"
        | "all-reduce-start"
        | "all-gather"
        | "all-gather-start"
        | "reduce-scatter"
        | "all-to-all"
        | "ragged-all-to-all"
        | "collective-broadcast" => collective::attributes(of),
        "collective-permute" | "collective-permute-start" => {
            let mut out = collective::channel(of);
            out.push(collective::pairs(of));
            out
        }
        "send" | "recv" | "send-done" | "recv-done" => {
            let mut out = collective::channel(of);
            out.extend(is("is_host_transfer", of.is_host_transfer));
            out
        }
        "async-start" | "async-update" | "async-done" => {
            let thread = Some(&of.thread).filter(|name| !name.is_empty() && *name != MAIN_THREAD);
            thread.map(|name| format!("async_execution_thread=\"{name}\"")).into_iter().collect()
        }
        "infeed" => config("infeed_config", &of.infeed_config).into_iter().collect(),
        "outfeed" => {
            let shape = of.outfeed_shape.as_ref().map(Shape::with_layout);
            let shape = shape.map(|shape| format!("outfeed_shape={shape}"));
            shape.into_iter().chain(config("outfeed_config", &of.outfeed_config)).collect()
        }
        _ => Vec::new(),
    };
    match of.opcode.as_str() {
        "all-gather" | "all-gather-start" => {
            out.extend(dimensions());
            out.extend(collective::global_ids(of));
        }
        "all-reduce" | "all-reduce-start" => out.extend(collective::global_ids(of)),
        "reduce-scatter" => {
            out.extend(collective::global_ids(of));
            out.extend(dimensions());
        }
        "all-to-all" if !of.dimensions.is_empty() => out.extend(dimensions()),
        _ => {}
    }
    out
}

fn called(of: &Instruction, names: &Names<'_>) -> Option<String> {
    let call = |at: usize| of.calls.get(at).map(|id| names.computation(*id)).unwrap_or_default();
    let all = || format!("{{{}}}", joined(of.calls.iter().map(|id| names.computation(*id)), ", "));
    if of.calls.is_empty() {
        return None;
    }
    Some(match of.opcode.as_str() {
        "while" => format!("condition={}, body={}", call(1), call(0)),
        "select-and-scatter" => format!("select={}, scatter={}", call(0), call(1)),
        "conditional" if chooses_by_truth(of, names) => {
            format!("true_computation={}, false_computation={}", call(0), call(1))
        }
        "conditional" => format!("branch_computations={}", all()),
        "custom-call" => format!("called_computations={}", all()),
        "fusion" | "async-start" | "async-update" | "async-done" => format!("calls={}", call(0)),
        "call" | "map" | "reduce" | "reduce-window" | "scatter" | "sort" | "topk" | "scan"
        | "all-reduce" | "all-reduce-start" | "reduce-scatter" => format!("to_apply={}", call(0)),
        _ => format!("calls={}", all()),
    })
}

fn chooses_by_truth(of: &Instruction, names: &Names<'_>) -> bool {
    let chooser = of.operands.first().and_then(|id| names.instructions.get(id));
    let shape = chooser.and_then(|chooser| chooser.shape.as_ref());
    shape.is_some_and(|shape| {
        crate::shape::element(shape.element) == Some(unskew_array::ArrayElementType::PRED)
    })
}

fn comparison(of: &Instruction, names: &Names<'_>) -> Vec<String> {
    let mut out = vec![format!("direction={}", of.direction)];
    let operand = of.operands.first().and_then(|id| names.instructions.get(id));
    let element = operand.and_then(|operand| operand.shape.as_ref()).map(|shape| shape.element);
    if !is_default_comparison(element.unwrap_or_default(), &of.comparison) {
        out.push(format!("type={}", of.comparison));
    }
    out
}

fn window(of: &Instruction) -> Vec<String> {
    let window = of.window.as_ref().filter(|window| !window.dims.is_empty());
    window.map(|window| format!("window={{{}}}", window.text())).into_iter().collect()
}

/// Those of convolutions, which calls of the compiler's own functions have too.
fn called_target(of: &Instruction) -> Vec<String> {
    let mut out = window(of);
    if let Some(numbers) = &of.convolution {
        out.push(format!("dim_labels={}", numbers.text()));
    }
    for (name, count) in
        [("feature_group_count", of.feature_groups), ("batch_group_count", of.batch_groups)]
    {
        if count > 1 {
            out.push(format!("{name}={count}"));
        }
    }
    out.extend(precision(of.precision.as_ref()));
    if of.opcode == "custom-call" {
        out.extend(custom(of));
    }
    out
}

fn custom(of: &Instruction) -> Vec<String> {
    let mut out = Vec::new();
    if of.padding_type != 0 {
        let kind = named(&["PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"], of.padding_type);
        out.push(format!("padding_type={kind}"));
    }
    out.push(format!("custom_call_target={}", quoted(of.target.as_bytes())));
    if of.constrain_layout {
        let shapes = joined(of.operand_shapes.iter().map(Shape::with_layout), ", ");
        out.push(format!("operand_layout_constraints={{{shapes}}}"));
    }
    out.extend(is("custom_call_has_side_effect", of.side_effect));
    if let Some(literal) = &of.literal {
        let shape = literal.shape.as_ref().map(Shape::with_layout).unwrap_or_default();
        out.push(format!("literal={shape} {}", literal.text()));
    }
    out.extend(aliasing(&of.aliasing));
    if of.schedule != 0 {
        let when = ["SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"];
        out.push(format!("schedule={}", named(&when, of.schedule)));
    }
    if of.api_version > 1 {
        let versions = [
            "API_VERSION_UNSPECIFIED",
            "API_VERSION_ORIGINAL",
            "API_VERSION_STATUS_RETURNING",
            "API_VERSION_STATUS_RETURNING_UNIFIED",
            "API_VERSION_TYPED_FFI",
        ];
        out.push(format!("api_version={}", named(&versions, of.api_version)));
    }
    out
}

fn dot(of: &Instruction) -> Vec<String> {
    let ragged = of.ragged.as_ref();
    let numbers = ragged.and_then(|ragged| ragged.dot.as_ref()).or(of.dot.as_ref());
    let mut out: Vec<String> = numbers.iter().flat_map(|numbers| sides(numbers)).collect();
    if let Some(ragged) = ragged {
        for (name, dims) in
            [("lhs_ragged_dims", &ragged.lhs_ragged), ("rhs_group_dims", &ragged.rhs_group)]
        {
            out.push(format!("{name}={}", braced(dims)));
        }
    }
    out.extend(precision(of.precision.as_ref()));
    out
}

fn sides(numbers: &DotNumbers) -> Vec<String> {
    let mut out = Vec::new();
    for (side, batch, contracting) in [
        ("lhs", &numbers.lhs_batch, &numbers.lhs_contracting),
        ("rhs", &numbers.rhs_batch, &numbers.rhs_contracting),
    ] {
        if !batch.is_empty() {
            out.push(format!("{side}_batch_dims={}", braced(batch)));
        }
        out.push(format!("{side}_contracting_dims={}", braced(contracting)));
    }
    out
}

fn precision(of: Option<&Precision>) -> Vec<String> {
    let Some(of) = of else { return Vec::new() };
    let mut out = Vec::new();
    if of.operands.iter().any(|precision| *precision != 0) {
        let each = of.operands.iter().map(|one| named(&["default", "high", "highest"], *one));
        out.push(format!("operand_precision={}", braced(each)));
    }
    const ALGORITHMS: [&str; 14] = [
        "unset",
        "dot_any_f8_any_f8_f32",
        "dot_any_f8_any_f8_f32_fast_accum",
        "dot_f16_f16_f16",
        "dot_f16_f16_f32",
        "dot_bf16_bf16_bf16",
        "dot_bf16_bf16_f32",
        "dot_bf16_bf16_f32_x3",
        "dot_bf16_bf16_f32_x6",
        "dot_tf32_tf32_f32",
        "dot_tf32_tf32_f32_x3",
        "dot_f32_f32_f32",
        "dot_f64_f64_f64",
        "dot_bf16_bf16_f32_x9",
    ];
    if of.algorithm != 0 {
        out.push(format!("algorithm={}", named(&ALGORITHMS, of.algorithm)));
    }
    out
}

fn gather(numbers: &GatherNumbers, of: &Instruction) -> Vec<String> {
    let mut out = vec![
        format!("offset_dims={}", braced(&numbers.offset)),
        format!("collapsed_slice_dims={}", braced(&numbers.collapsed)),
        format!("start_index_map={}", braced(&numbers.start_index_map)),
    ];
    out.extend(batching(
        [("operand_batching_dims", &numbers.operand_batching)],
        [("start_indices_batching_dims", &numbers.indices_batching)],
    ));
    out.push(format!("index_vector_dim={}", numbers.index_vector));
    out.push(format!("slice_sizes={}", braced(&of.gather_slice_sizes)));
    out.extend(is("indices_are_sorted", of.indices_are_sorted));
    out
}

fn scatter(numbers: &ScatterNumbers, of: &Instruction) -> Vec<String> {
    let mut out = vec![
        format!("update_window_dims={}", braced(&numbers.update_window)),
        format!("inserted_window_dims={}", braced(&numbers.inserted_window)),
        format!("scatter_dims_to_operand_dims={}", braced(&numbers.to_operand)),
    ];
    out.extend(batching(
        [("input_batching_dims", &numbers.input_batching)],
        [("scatter_indices_batching_dims", &numbers.indices_batching)],
    ));
    out.push(format!("index_vector_dim={}", numbers.index_vector));
    out.extend(is("indices_are_sorted", of.indices_are_sorted));
    out.extend(is("unique_indices", of.unique_indices));
    out
}

/// Dimensions of batches, where there are some.
fn batching<'a>(
    one: [(&'a str, &'a Vec<i64>); 1],
    other: [(&'a str, &'a Vec<i64>); 1],
) -> impl Iterator<Item = String> {
    let all = one.into_iter().chain(other).filter(|(_, dims)| !dims.is_empty());
    all.map(|(name, dims)| format!("{name}={}", braced(dims)))
}

fn slices(of: &Instruction) -> String {
    let strided = of.slices.iter().any(|slice| slice.stride != 1);
    let slices = of.slices.iter().map(|slice| {
        let stride = if strided { format!(":{}", slice.stride) } else { String::new() };
        format!("[{}:{}{stride}]", slice.start, slice.limit)
    });
    format!("slice={{{}}}", joined(slices, ", "))
}

fn triangular(of: &Instruction) -> Vec<String> {
    let Some(how) = &of.triangular else { return Vec::new() };
    let kinds = ["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"];
    let mut out: Vec<String> = [
        is("left_side", how.left_side),
        is("lower", how.lower),
        is("unit_diagonal", how.unit_diagonal),
    ]
    .into_iter()
    .flatten()
    .collect();
    out.push(format!("transpose_a={}", named(&kinds, how.transpose)));
    out
}

fn aliasing(list: &[Aliasing]) -> Option<String> {
    let all = list
        .iter()
        .map(|one| format!("{}: ({}, {})", index(&one.output), one.operand, index(&one.index)));
    (!list.is_empty()).then(|| format!("output_to_operand_aliasing={{{}}}", joined(all, ", ")))
}

/// How exact a result is to be, unless that is as ever.
fn accuracy(of: &ResultAccuracy) -> Option<String> {
    if let Some(tolerance) = of.tolerance {
        let (atol, rtol) = (double(tolerance.atol), double(tolerance.rtol));
        let ulps = tolerance.ulps;
        return Some(format!(
            "result_accuracy={{tolerance={{atol={atol},rtol={rtol},ulps={ulps}}}}}"
        ));
    }
    let mode = of.mode.filter(|mode| *mode != 0)?;
    Some(format!("result_accuracy={{mode={}}}", named(&["default", "highest"], mode)))
}

fn replication(of: &Instruction) -> Option<String> {
    let leaves = &of.parameter_replication.as_ref()?.leaves;
    (!leaves.is_empty()).then(|| format!("parameter_replication={}", braced(leaves)))
}

fn domain(of: &Instruction) -> Option<String> {
    let (entry, exit) = (of.entry_sharding.as_ref()?, of.exit_sharding.as_ref()?);
    Some(format!("domain={{kind=\"sharding\", entry={}, exit={}}}", entry.text(), exit.text()))
}

fn config(name: &str, bytes: &[u8]) -> Option<String> {
    (!bytes.is_empty()).then(|| format!("{name}={}", quoted(bytes)))
}

fn is(name: &str, is: bool) -> Option<String> {
    is.then(|| format!("{name}=true"))
}

fn first(list: &[i64]) -> i64 {
    list.first().copied().unwrap_or_default()
}

fn named<'a>(names: &[&'a str], number: i32) -> &'a str {
    let at = usize::try_from(number).ok();
    at.and_then(|at| names.get(at)).copied().unwrap_or("unknown")
}
