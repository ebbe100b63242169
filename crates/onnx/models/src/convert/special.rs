//! Adapters that are more than a line of the table.

use super::adapter_context::AdapterContext;
use super::node_draft::{AttributeValue, NodeDraft, floats, ints};
use super::repeated;
use crate::OnnxElementType;

type Done = Result<(), String>;

pub(super) fn run(name: &str, work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    match name {
        "broadcast" => repeated::broadcast(work, site),
        "slopes" => repeated::slopes(work, site),
        "attention" => attention(work, site),
        "cast" => cast(work, site),
        "clip" => clip(work, site),
        "constant" => constant(work, site),
        "per_tensor" => per_tensor(work, site),
        "dropout" => dropout(work, site),
        "dft" => dft(work, site),
        "gemm" => gemm(work, site),
        "grid_sample" => grid_sample(work, site),
        "softmax" => softmax(work, site),
        "mod" => modulo(work, site),
        "pow" => pow(work, site),
        "pad" => pad(work, site),
        "pad_axes" => pad_axes(work, site),
        "reduce" => reduce(work, site),
        "resize_to_11" => resize_to_11(work, site),
        "resize_to_13" => resize_to_13(work, site),
        "slice" => slice(work, site),
        "slice_axes" => slice_axes(work, site),
        "split" => split(work, site),
        _ => Err(format!("no adapter is called {name}")),
    }
}

/// What the product of queries and keys is with a mask and the order of keys is told in another way since 24.
fn attention(work: &mut NodeDraft, _: &mut AdapterContext<'_, '_>) -> Done {
    let both = work.int("is_causal").unwrap_or(0) != 0 && work.input(3).is_some();
    match both && work.outputs.len() > 3 {
        true => {
            Err("its fourth output is another one where keys are in order and masked".to_owned())
        }
        false => Ok(()),
    }
}

/// An exponent of another type than the values, which is written down: the same numbers in their type.
fn pow(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    let (values, exponent) = (site.element(work, 0), site.element(work, 1));
    if site.up || values == exponent || values.is_none() {
        return Ok(());
    }
    let all = site.known_ints(work, 1)?;
    let dims = work.input(1).and_then(|name| site.scope.constant(name)).map(|it| it.dims.clone());
    let exact = all.iter().all(|one| one.unsigned_abs() <= 1 << 24);
    let bytes: Vec<u8> = match values {
        Some(OnnxElementType(1)) if exact => {
            all.iter().flat_map(|one| (*one as f32).to_le_bytes()).collect()
        }
        Some(OnnxElementType(11)) if exact => {
            all.iter().flat_map(|one| (*one as f64).to_le_bytes()).collect()
        }
        _ => return Err("its exponent is of another type than its values".to_owned()),
    };
    let value = AttributeValue::Tensor(values.unwrap_or_default(), dims.unwrap_or_default(), bytes);
    let exponent = site.constant("exponent", value);
    work.put(1, &exponent);
    Ok(())
}

/// Attributes that only say something of types of eight bits.
fn cast(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    let to = work.int("to").unwrap_or(0);
    if !site.up && !matches!(to, 17..=20 | 23..=28) {
        work.remove("saturate");
        work.remove("round_mode");
    }
    Ok(())
}

/// Bounds of the element type of the values; the older form has them as attributes.
fn clip(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    let sides = [("min", 1, f32::MIN, f32::NEG_INFINITY), ("max", 2, f32::MAX, f32::INFINITY)];
    for (name, at, least, none) in sides {
        if site.up {
            // The older form has bounds where none are written.
            let value = work.float(name).unwrap_or(least);
            work.remove(name);
            if site.element(work, 0) != Some(OnnxElementType(1)) {
                return Err("its bounds are known for values of type float".to_owned());
            }
            let bound = site.constant(
                name,
                AttributeValue::Tensor(
                    OnnxElementType(1),
                    Vec::new(),
                    value.to_le_bytes().to_vec(),
                ),
            );
            work.put(at, &bound);
        } else {
            let value = match work.input(at) {
                None => none,
                Some(_) => {
                    *site.known_floats(work, at)?.first().ok_or("a bound without a value")?
                }
            };
            work.set(name, AttributeValue::Float(value));
        }
    }
    if !site.up {
        work.inputs.truncate(1);
    }
    Ok(())
}

/// Numbers and lists as the tensors that they mean.
fn constant(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if site.up {
        return Ok(());
    }
    if let Some(number) = work.int("value_int") {
        work.remove("value_int");
        work.set(
            "value",
            AttributeValue::Tensor(OnnxElementType(7), Vec::new(), number.to_le_bytes().to_vec()),
        );
    } else if let Some(all) = work.ints("value_ints") {
        work.remove("value_ints");
        work.set("value", ints(&all));
    } else if let Some(number) = work.float("value_float") {
        work.remove("value_float");
        work.set(
            "value",
            AttributeValue::Tensor(OnnxElementType(1), Vec::new(), number.to_le_bytes().to_vec()),
        );
    } else if let Some(all) = work.floats("value_floats") {
        work.remove("value_floats");
        work.set("value", floats(&all));
    }
    Ok(())
}

/// One scale for the whole tensor: the axis says nothing.
fn per_tensor(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if !site.up {
        if site.rank(work, 1)? != 0 {
            return Err("it has a scale for each index of an axis, which is new".to_owned());
        }
        work.remove("axis");
    }
    Ok(())
}

fn dropout(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if site.up {
        let ratio = work.float("ratio").unwrap_or(0.5);
        work.remove("ratio");
        let ratio = site.constant(
            "ratio",
            AttributeValue::Tensor(OnnxElementType(1), Vec::new(), ratio.to_le_bytes().to_vec()),
        );
        work.put(1, &ratio);
        return Ok(());
    }
    if work.input(2).is_some() && site.known_ints(work, 2)?.iter().any(|one| *one != 0) {
        return Err("it trains, which the older form does not".to_owned());
    }
    // What is dropped in training does not matter where nothing is.
    if work.input(1).is_some()
        && let Ok(ratio) = site.known_floats(work, 1)
        && let Some(ratio) = ratio.first()
    {
        work.set("ratio", AttributeValue::Float(*ratio));
    }
    work.remove("seed");
    work.inputs.truncate(1);
    Ok(())
}

fn dft(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if site.up {
        let axis = work.int("axis").unwrap_or(1);
        work.remove("axis");
        let value =
            AttributeValue::Tensor(OnnxElementType(7), Vec::new(), axis.to_le_bytes().to_vec());
        let axis = site.constant("axis", value);
        work.put(2, &axis);
        return Ok(());
    }
    let axis = match work.input(2) {
        None => -2,
        Some(_) => *site.known_ints(work, 2)?.first().ok_or("an axis without a value")?,
    };
    let axis = if axis < 0 { axis + site.rank(work, 0)? } else { axis };
    work.set("axis", AttributeValue::Int(axis));
    work.inputs.truncate(2);
    work.trim();
    Ok(())
}

/// The older form always adds something.
fn gemm(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if !site.up && work.input(2).is_none() {
        let like = work.input(0).unwrap_or_default().to_owned();
        let zero = site.number(0.0, &like)?;
        work.put(2, &zero);
    }
    Ok(())
}

/// Modes have other names; the older form has two dimensions of space.
fn grid_sample(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if !site.up && site.rank(work, 0)? != 4 {
        return Err("the older form samples images of two dimensions".to_owned());
    }
    let names = [("bilinear", "linear"), ("bicubic", "cubic")];
    let mode = work.text("mode").map(str::to_owned);
    for (old, new) in names {
        let (from, to) = if site.up { (old, new) } else { (new, old) };
        if mode.as_deref() == Some(from) {
            work.set("mode", AttributeValue::Text(to.to_owned()));
        }
    }
    Ok(())
}

/// Before 13 everything from the axis on is one row; since then the axis alone.
fn softmax(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    let input = work.input(0).unwrap_or_default().to_owned();
    let rank = site.scope.rank(&input);
    let last = |axis: i64| axis == -1 || rank.is_some_and(|rank| axis == rank - 1);
    if site.up {
        let axis = work.int("axis").unwrap_or(1);
        if last(axis) {
            work.set("axis", AttributeValue::Int(axis));
            return Ok(());
        }
        let (flat, done, shape) = (site.fresh("flat"), site.fresh("rows"), site.fresh("shape"));
        site.before.push((
            11,
            NodeDraft::new("Flatten", &[&input], &[&flat]).with("axis", AttributeValue::Int(axis)),
        ));
        let output = work.outputs.first().cloned().unwrap_or_default();
        site.before.push((13, NodeDraft::new("Shape", &[&input], &[&shape])));
        site.after.push((13, NodeDraft::new("Reshape", &[&done, &shape], &[&output])));
        work.put(0, &flat);
        work.outputs = vec![done];
        work.set("axis", AttributeValue::Int(-1));
        return Ok(());
    }
    let axis = work.int("axis").unwrap_or(-1);
    if last(axis) {
        work.set("axis", AttributeValue::Int(axis));
        return Ok(());
    }
    let rank = site.rank(work, 0)?;
    let axis = if axis < 0 { axis + rank } else { axis };
    let mut order: Vec<i64> = (0..rank).collect();
    let (Ok(axis), Ok(end)) = (usize::try_from(axis), usize::try_from(rank - 1)) else {
        return Err("its axis is none of its input".to_owned());
    };
    if axis > end {
        return Err("its axis is none of its input".to_owned());
    }
    // Swapping two axes is its own inverse.
    order.swap(axis, end);
    let (turned, done) = (site.fresh("turned"), site.fresh("rows"));
    let output = work.outputs.first().cloned().unwrap_or_default();
    let perm = AttributeValue::Ints(order);
    site.before
        .push((13, NodeDraft::new("Transpose", &[&input], &[&turned]).with("perm", perm.clone())));
    site.after.push((13, NodeDraft::new("Transpose", &[&done], &[&output]).with("perm", perm)));
    work.put(0, &turned);
    work.outputs = vec![done];
    work.set("axis", AttributeValue::Int(rank - 1));
    Ok(())
}

/// Fractions have the sign of the divisor since 28 unless a node says otherwise; before it must.
fn modulo(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    let fraction =
        site.element(work, 0).is_none_or(|element| matches!(element.0, 1 | 10 | 11 | 16));
    match !site.up && fraction && work.int("fmod").unwrap_or(0) == 0 {
        true => {
            Err("the older form has no rest of fractions with the sign of the divisor".to_owned())
        }
        false => Ok(()),
    }
}

fn pad(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if site.up {
        let pads = work.ints("pads").ok_or("it does not say its paddings")?;
        work.remove("pads");
        let pads = site.ints("pads", &pads);
        work.put(1, &pads);
        if let Some(value) = work.float("value") {
            let like = work.input(0).unwrap_or_default().to_owned();
            let value = site.number(f64::from(value), &like)?;
            work.put(2, &value);
        }
        work.remove("value");
        return Ok(());
    }
    let pads = site.known_ints(work, 1)?;
    work.set("pads", AttributeValue::Ints(pads));
    if work.input(2).is_some() {
        let value = site.known_floats(work, 2)?;
        work.set("value", AttributeValue::Float(*value.first().ok_or("padding without a value")?));
    }
    work.inputs.truncate(1);
    Ok(())
}

fn pad_axes(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if site.up || work.input(3).is_none() {
        work.trim();
        return Ok(());
    }
    let (axes, pads, rank) =
        (site.known_ints(work, 3)?, site.known_ints(work, 1)?, site.rank(work, 0)?);
    let wide = usize::try_from(rank).unwrap_or(0);
    let mut all = vec![0; wide * 2];
    for (at, axis) in axes.iter().enumerate() {
        let axis =
            usize::try_from(if *axis < 0 { axis + rank } else { *axis }).unwrap_or(usize::MAX);
        for (from, to) in [(at, axis), (at + axes.len(), axis.saturating_add(wide))] {
            let (Some(pad), Some(slot)) = (pads.get(from), all.get_mut(to).filter(|_| axis < wide))
            else {
                return Err("paddings that do not fit their axes".to_owned());
            };
            *slot = *pad;
        }
    }
    let pads = site.ints("pads", &all);
    work.put(1, &pads);
    work.inputs.truncate(3);
    work.trim();
    Ok(())
}

/// Axes are an input of the newer form, and none of them may mean that nothing is done.
fn reduce(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if site.up {
        if let Some(axes) = work.ints("axes") {
            let axes = site.ints("axes", &axes);
            work.put(1, &axes);
        }
        work.remove("axes");
        return Ok(());
    }
    let axes = match work.input(1) {
        None => Vec::new(),
        Some(name) if site.size(name, 0) == Some(0) => Vec::new(),
        Some(_) => site.known_ints(work, 1)?,
    };
    work.inputs.truncate(1);
    let nothing = work.int("noop_with_empty_axes").unwrap_or(0) != 0;
    work.remove("noop_with_empty_axes");
    if !axes.is_empty() {
        work.set("axes", AttributeValue::Ints(axes));
    } else if nothing {
        match &*work.op {
            "ReduceSum" | "ReduceMax" | "ReduceMin" | "ReduceMean" | "ReduceProd" => {
                "Identity".clone_into(&mut work.op);
                work.attributes.clear();
            }
            _ => return Err("what it does without axes has no older form".to_owned()),
        }
    }
    Ok(())
}

/// Resize of opset 10 looks at the pixel below.
fn resize_to_11(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if site.up {
        let none = site.floats("roi", &[]);
        let scales = work.input(1).unwrap_or_default().to_owned();
        work.put(1, &none);
        work.put(2, &scales);
        work.set("coordinate_transformation_mode", AttributeValue::Text("asymmetric".to_owned()));
        work.set("nearest_mode", AttributeValue::Text("floor".to_owned()));
        return Ok(());
    }
    let mode = work.text("mode").unwrap_or("nearest").to_owned();
    let below = mode != "nearest" || work.text("nearest_mode") == Some("floor");
    let asymmetric = work.text("coordinate_transformation_mode") == Some("asymmetric");
    let scales = work.input(2).map(str::to_owned).filter(|name| site.size(name, 0) != Some(0));
    let (Some(scales), None, true) =
        (scales, work.input(3), below && asymmetric && mode != "cubic")
    else {
        return Err("the older form has scales alone, and looks at the pixel below".to_owned());
    };
    if work.int("exclude_outside").unwrap_or(0) != 0 {
        return Err("the older form counts pixels outside".to_owned());
    }
    for name in [
        "coordinate_transformation_mode",
        "nearest_mode",
        "cubic_coeff_a",
        "exclude_outside",
        "extrapolation_value",
    ] {
        work.remove(name);
    }
    work.inputs.truncate(1);
    work.put(1, &scales);
    Ok(())
}

/// Inputs that may be left out since 13 are empty before.
fn resize_to_13(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if !site.up {
        for at in [1, 2] {
            if work.input(at).is_none() {
                let none = site.floats("none", &[]);
                work.put(at, &none);
            }
        }
    }
    Ok(())
}

fn slice(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    let names = [("starts", 1), ("ends", 2), ("axes", 3)];
    if site.up {
        for (name, at) in names {
            if let Some(all) = work.ints(name) {
                let input = site.ints(name, &all);
                work.put(at, &input);
            }
            work.remove(name);
        }
        return Ok(());
    }
    if work.input(4).is_some() && site.known_ints(work, 4)?.iter().any(|step| *step != 1) {
        return Err("the older form has no steps".to_owned());
    }
    for (name, at) in names {
        if work.input(at).is_some() {
            let all = site.known_ints(work, at)?;
            work.set(name, AttributeValue::Ints(all));
        }
    }
    work.inputs.truncate(1);
    Ok(())
}

/// Axes counted from the end, which are an input here.
fn slice_axes(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if site.up || work.input(3).is_none() {
        return Ok(());
    }
    let axes = site.known_ints(work, 3)?;
    if axes.iter().any(|axis| *axis < 0) {
        let rank = site.rank(work, 0)?;
        let axes: Vec<i64> =
            axes.iter().map(|axis| if *axis < 0 { axis + rank } else { *axis }).collect();
        let all = site.ints("axes", &axes);
        work.put(3, &all);
    }
    Ok(())
}

/// Equal parts: the newer form says how many, and lets the last be smaller.
fn split(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    let parts = work.outputs.len() as i64;
    if site.up {
        if work.input(1).is_none() {
            work.set("num_outputs", AttributeValue::Int(parts));
        }
        return Ok(());
    }
    work.remove("num_outputs");
    if work.input(1).is_some() {
        return Ok(());
    }
    let axis = work.int("axis").unwrap_or(0);
    let size = site.size(work.input(0).unwrap_or_default(), axis);
    let size = size.ok_or("the size of the axis that it splits is not known")?;
    if parts == 0 || size % parts == 0 {
        return Ok(());
    }
    let part = size / parts + 1;
    let sizes: Vec<i64> = (0..parts)
        .map(|at| part.min(size.saturating_sub(at.saturating_mul(part)).max(0)))
        .collect();
    let sizes = site.ints("sizes", &sizes);
    work.put(1, &sizes);
    Ok(())
}
