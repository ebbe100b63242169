//! Values without code, for `weights_only=True`.
//!
//! Numbers of numpy become numbers of Python, and an `argparse.Namespace` becomes the dictionary of its values: what a
//! program does with them it can do with these, but `args.lr` is `args["lr"]` then. So each is a rewrite with a name.

use unskew_core::{Conversion, Rewrite};

use super::OBJECTS;
use crate::pickle::{Id, Pickle, PickleCall, PickleValue};

/// The adaptation of checkpoints for the loader that runs no code. It helps nobody where that loader refuses the result.
pub const PLAIN_CHECKPOINT: &str = "plain-checkpoint";

/// Writes what needs no code as plain values.
pub(super) fn put(pickle: &mut Pickle, plan: &mut Conversion) {
    let (mut numbers, mut spaces) = (0_usize, 0_usize);
    for id in 0..pickle.count() {
        let PickleValue::Call(call) = pickle.value(id) else { continue };
        let plain = if is_call_of(pickle, call, "argparse", "Namespace") {
            let state = call.state.map(|state| pickle.value(state).clone());
            state.filter(|state| matches!(state, PickleValue::Dict(_))).inspect(|_| spaces += 1)
        } else if ["numpy.core.multiarray", "numpy._core.multiarray"]
            .iter()
            .any(|module| is_call_of(pickle, call, module, "scalar"))
        {
            number(pickle, call).inspect(|_| numbers += 1)
        } else {
            None
        };
        if let Some(plain) = plain {
            pickle.replace(id, plain);
        }
    }
    let mut say = |count: usize, one: &str, many: &str| {
        if count > 0 {
            let what = if count == 1 { one.to_owned() } else { format!("{count} {many}") };
            plan.add(Rewrite::new(PLAIN_CHECKPOINT, what).at(OBJECTS));
        }
    };
    say(
        numbers,
        "a number of numpy is a number of Python",
        "numbers of numpy are numbers of Python",
    );
    say(
        spaces,
        "an argparse.Namespace is a dictionary: args.lr is args[\"lr\"]",
        "values of argparse.Namespace are dictionaries: args.lr is args[\"lr\"]",
    );
}

fn is_call_of(pickle: &Pickle, call: &PickleCall, module: &str, name: &str) -> bool {
    let callee = pickle.value(call.callee);
    matches!(callee, PickleValue::Global(of, called) if of == module && called == name)
}

fn arguments<'p>(pickle: &'p Pickle, call: &PickleCall) -> Option<Vec<&'p PickleValue>> {
    call.arguments.map(|id: Id| pickle.members(pickle.value(id)).collect())
}

/// A number of numpy: `scalar(dtype('f8'), encode(text, 'latin1'))`.
fn number(pickle: &Pickle, call: &PickleCall) -> Option<PickleValue> {
    let given = arguments(pickle, call)?;
    let [PickleValue::Call(ty), PickleValue::Call(content)] = given.as_slice() else { return None };
    if !is_call_of(pickle, ty, "numpy", "dtype")
        || !is_call_of(pickle, content, "_codecs", "encode")
    {
        return None;
    }
    let name = arguments(pickle, ty)?.first()?.text()?.to_owned();
    let order = pickle.members(pickle.value(ty.state?)).nth(1)?.text()?;
    if !matches!(order, "<" | "|") {
        return None;
    }
    let encoded = arguments(pickle, content)?;
    if encoded.get(1)?.text()? != "latin1" {
        return None;
    }
    let bytes = encoded.first()?.text()?.chars().map(|c| u8::try_from(u32::from(c)).ok());
    decoded(&name, &bytes.collect::<Option<Vec<u8>>>()?)
}

/// A number by the name of its type and its bytes.
fn decoded(ty: &str, bytes: &[u8]) -> Option<PickleValue> {
    Some(match ty {
        "f8" => PickleValue::Float(f64::from_le_bytes(bytes.try_into().ok()?)),
        "f4" => PickleValue::Float(f32::from_le_bytes(bytes.try_into().ok()?).into()),
        "i8" => PickleValue::Int(i64::from_le_bytes(bytes.try_into().ok()?)),
        "i4" => PickleValue::Int(i32::from_le_bytes(bytes.try_into().ok()?).into()),
        "i2" => PickleValue::Int(i16::from_le_bytes(bytes.try_into().ok()?).into()),
        "i1" => PickleValue::Int(i8::from_le_bytes(bytes.try_into().ok()?).into()),
        "u4" => PickleValue::Int(u32::from_le_bytes(bytes.try_into().ok()?).into()),
        "u2" => PickleValue::Int(u16::from_le_bytes(bytes.try_into().ok()?).into()),
        "u1" => PickleValue::Int(u8::from_le_bytes(bytes.try_into().ok()?).into()),
        "u8" => {
            let number = u64::from_le_bytes(bytes.try_into().ok()?);
            PickleValue::Int(i64::try_from(number).ok()?)
        }
        "b1" => match bytes {
            [0] => PickleValue::Bool(false),
            [1] => PickleValue::Bool(true),
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pickle of protocol 0 with numpy numbers as they are pickled by protocol 2.
    fn scalar(ty: &str, order: &str, text: &str) -> String {
        format!(
            "cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(V{ty}\nI00\nI01\ntR(I3\nV{order}\nNNNI-1\nI-1\nI0\ntb\
             c_codecs\nencode\n(V{text}\nVlatin1\ntRtR"
        )
    }

    fn plain(text: &str) -> (Pickle, usize) {
        let mut pickle = crate::pickle::scan("data.pkl", format!("{text}.").as_bytes()).unwrap();
        let mut plan = Conversion::default();
        put(&mut pickle, &mut plan);
        (pickle, plan.rewrites.len())
    }

    #[test]
    fn numbers_of_numpy_are_numbers() {
        let (pickle, changes) =
            plain(&scalar("f8", "<", "\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u00f8?"));
        assert_eq!((pickle.root(), changes), (&PickleValue::Float(1.5), 1));
        let (pickle, _) = plain(&scalar("i2", "<", "\\u00fe\\u00ff"));
        assert_eq!(pickle.root(), &PickleValue::Int(-2));
        let (pickle, _) = plain(&scalar("b1", "|", "\\u0001"));
        assert_eq!(pickle.root(), &PickleValue::Bool(true));
        for (ty, order, text) in [
            ("f8", ">", "\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u00f8?"),
            ("f8", "<", "ab"),
            ("M8", "<", "a"),
        ] {
            let (pickle, changes) = plain(&scalar(ty, order, text));
            assert!(matches!(pickle.root(), PickleValue::Call(_)) && changes == 0, "{ty}{order}");
        }
    }

    #[test]
    fn a_namespace_is_the_dictionary_of_its_values() {
        let text = "cargparse\nNamespace\n)\u{81}}(Vlr\nI1\nub";
        let bytes: Vec<u8> = text.chars().map(|c| c as u8).chain(*b".").collect();
        let mut pickle = crate::pickle::scan("data.pkl", &bytes).unwrap();
        let mut plan = Conversion::default();
        put(&mut pickle, &mut plan);
        assert_eq!(pickle.entry(pickle.root(), "lr"), Some(&PickleValue::Int(1)));
        assert_eq!(plan.rewrites.len(), 1);
    }
}
