//! The runs of a call: types, values and shapes of what its parameters get.

use super::arguments::ParameterRole;
use super::cases::{ArgumentPassing, CallForm};
use super::shapes::{SHAPES, Shapes};

/// The runs with floats by which it is found which shapes a call takes.
pub fn trial_runs(form: &CallForm, plans: &[Shapes]) -> Vec<Vec<String>> {
    let mut runs = Vec::new();
    for plan in plans {
        for dtype in ["float32", "int64", "bool"] {
            runs.push(run(form, *plan, &|_| (dtype, "plain"), None));
        }
    }
    runs
}

/// All runs of a form: types, values, shapes.
pub fn all_runs(form: &CallForm, plan: Shapes, is_first: bool) -> Vec<Vec<String>> {
    let mut runs = Vec::new();
    let mut add = |one: Vec<String>| {
        if !runs.contains(&one) {
            runs.push(one);
        }
    };
    let data = form.given.iter().filter(|(_, how)| {
        matches!(how, ArgumentPassing::Param(_, ParameterRole::Data | ParameterRole::Several))
    });
    let data = data.count();
    if !form.params.is_empty() && form.params.iter().all(|one| !one.contains("Tensor")) {
        return values(form);
    }
    if form.has_out {
        for dtype in ["float32", "int64", "bool", "float64"] {
            add(run(form, plan, &|_| (dtype, "plain"), None));
        }
        add(run(
            form,
            plan,
            &|at| (if at + 1 == data { "float32" } else { "int64" }, "plain"),
            None,
        ));
        return runs;
    }
    let dtypes: &[&str] = if is_first || form.given.len() < 4 {
        &["float32", "int64", "bool", "uint8", "int32", "int16", "int8", "float64", "complex64"]
    } else {
        &["float32", "int64", "bool", "uint8", "int32", "float64", "complex64"]
    };
    for dtype in dtypes {
        add(run(form, plan, &|_| (dtype, "plain"), None));
    }
    if data > 1 {
        for pair in [
            ["int64", "float32"],
            ["float32", "int64"],
            ["uint8", "int64"],
            ["int64", "uint8"],
            ["bool", "int64"],
            ["bool", "float32"],
            ["float32", "float64"],
            ["float32", "bool"],
            ["int32", "int64"],
            ["int64", "bool"],
        ] {
            add(run(form, plan, &|at| (if at == 0 { pair[0] } else { pair[1] }, "plain"), None));
        }
        // A tensor without dimensions counts less for the type of the result.
        for pair in
            [["float32", "float64"], ["int64", "float32"], ["float32", "int64"], ["int32", "int64"]]
        {
            let first = |at| (if at == 0 { pair[0] } else { pair[1] }, "plain");
            add(run(form, plan, &first, Some((1, ""))));
        }
    }
    for values in ["neg", "zeros", "ties", "nan", "inf", "halves", "large", "strided"] {
        add(run(form, plan, &|_| ("float32", values), None));
    }
    for values in ["neg", "zeros", "ties", "large"] {
        add(run(form, plan, &|_| ("int64", values), None));
    }
    add(run(form, plan, &|_| ("uint8", "large"), None));
    if data > 1 {
        for (first, second) in
            [("neg", "plain"), ("plain", "neg"), ("plain", "zeros"), ("ties", "plain")]
        {
            for dtype in ["float32", "int64"] {
                add(run(form, plan, &|at| (dtype, if at == 0 { first } else { second }), None));
            }
        }
    }
    // Masks and places of other types.
    let others = |role: ParameterRole| {
        form.given
            .iter()
            .any(|(_, how)| matches!(how, ArgumentPassing::Param(_, one) if *one == role))
    };
    if others(ParameterRole::Mask) {
        for dtype in ["uint8", "int64", "float32"] {
            add(run(
                form,
                plan,
                &|at| if at == MASK { (dtype, "index") } else { ("float32", "plain") },
                None,
            ));
        }
    }
    if others(ParameterRole::Index) {
        for dtype in ["int32", "uint8", "bool", "float32"] {
            add(run(
                form,
                plan,
                &|at| if at == INDEX { (dtype, "index") } else { ("float32", "plain") },
                None,
            ));
        }
        add(run(
            form,
            plan,
            &|at| if at == INDEX { ("int64", "neg") } else { ("float32", "plain") },
            None,
        ));
    }
    for shape in SHAPES.into_iter().chain(["0,3", "2,0"]) {
        for dtype in ["float32", "int64"] {
            add(run(form, Shapes::Same(shape), &|_| (dtype, "plain"), None));
        }
    }
    runs
}

/// The numbers by which the runs know places and masks from data.
const INDEX: usize = 98;
const MASK: usize = 99;

type ElementTexts<'k> = dyn Fn(usize) -> (&'static str, &'static str) + 'k;

/// One run: `kind` gives the type and the values of the tensor of a number, `other` the shape of one of them.
fn run(
    form: &CallForm,
    plan: Shapes,
    kind: &ElementTexts<'_>,
    other: Option<(usize, &str)>,
) -> Vec<String> {
    let mut data = 0;
    let params = form.given.iter().filter_map(|(argument, how)| match how {
        ArgumentPassing::Param(_, role) => Some((argument, role)),
        _ => None,
    });
    params
        .map(|(argument, role)| {
            let shape = plan.shape(argument);
            match role {
                ParameterRole::Index => match kind(INDEX) {
                    (dtype @ ("int32" | "uint8" | "bool"), "index") => {
                        format!("{dtype}:{shape}:index")
                    }
                    ("float32", "index") => format!("float32:{shape}:index"),
                    ("int64", "neg") => format!("int64:{shape}:negindex"),
                    _ => format!("int64:{shape}:index"),
                },
                ParameterRole::Mask => match kind(MASK) {
                    (dtype, "index") => format!("{dtype}:{shape}:index"),
                    _ => format!("bool:{shape}:index"),
                },
                ParameterRole::Value(ty) => value(ty, 0),
                ParameterRole::Data | ParameterRole::Several => {
                    let (dtype, values) = kind(data);
                    let shape =
                        other.filter(|(at, _)| *at == data).map_or(shape, |(_, shape)| shape);
                    data += 1;
                    let one = format!("{dtype}:{shape}:{values}");
                    if *role == ParameterRole::Several { format!("[{one}|{one}]") } else { one }
                }
            }
        })
        .collect()
}

const INTS: [&str; 6] = ["7", "-7", "2", "0", "3", "-2"];
const FLOATS: [&str; 10] =
    ["2.5", "-2.5", "0.5", "0.0", "3.0", "nan", "inf", "1e30", "-7.0", "2.0"];

/// A value that is no tensor, as Python writes it.
fn value(ty: &str, which: usize) -> String {
    let of = |all: &[&str]| all[which % all.len()].to_owned();
    match ty {
        "int" => of(&INTS),
        "float" => {
            let text = of(&FLOATS);
            if text.starts_with(['n', 'i']) { format!("float('{text}')") } else { text }
        }
        "bool" => of(&["True", "False"]),
        "str" => of(&["'a b'", "' '", "'Ab'", "'a'", "''"]),
        "complex" => of(&["(1+2j)", "(-1-1j)", "0j"]),
        "List[int]" => of(&["[3, 1, 2]", "[1]", "[]", "[2, 2, 1]"]),
        "List[float]" => of(&["[0.5, 2.5]", "[]", "[2.0]"]),
        "List[bool]" => of(&["[True, False]", "[]", "[True]"]),
        "List[str]" => of(&["['b', 'a']", "[]"]),
        _ if ty.starts_with("Optional[") => {
            value(ty.trim_start_matches("Optional[").trim_end_matches(']'), which)
        }
        _ if ty.starts_with("Dict[str") => of(&["{'a': 1, 'b': 2}", "{}"]),
        _ if ty.starts_with("Dict[int") => of(&["{1: 1, 7: 2}", "{}"]),
        _ if ty.starts_with("Dict[float") => of(&["{1.0: 1, 2.5: 2}", "{}"]),
        _ if ty.starts_with("Dict[bool") => of(&["{True: 1}", "{}"]),
        _ => "None".to_owned(),
    }
}

/// The runs of a form without tensors: pairs of values, as far as there are several.
fn values(form: &CallForm) -> Vec<Vec<String>> {
    let types: Vec<&str> =
        form.params.iter().filter_map(|one| one.split_once(": ")).map(|(_, ty)| ty).collect();
    let mut runs = Vec::new();
    for first in 0..10 {
        for second in if types.len() > 1 { 0..6 } else { 0..1 } {
            let which = |at: usize| if at == 0 { first } else { second + at - 1 };
            let one: Vec<String> =
                types.iter().enumerate().map(|(at, ty)| value(ty, which(at))).collect();
            if !runs.contains(&one) {
                runs.push(one);
            }
        }
    }
    runs
}
