//! Upgraders equal what they stand for, on random calls: the old operator with the semantics of the release
//! before the change, against the upgrader with the operators of today. Types, shapes, broadcasting, plain
//! numbers, tensors without elements. What has no row here is held to recorded calls in `cases.rs`.

use unskew_core::Version;
use unskew_interpreter::{
    Dtype, Interpreter, ReleaseSemantics, RunProblem, ScalarValue, ScriptValue, Tensor,
};
use unskew_torch_operators::{ChangeStart, OperatorRegistry, RegistryChange};

use crate::corpus::difference;

const CALLS: usize = 80;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    fn number(&mut self, dtype: Dtype) -> ScalarValue {
        match dtype {
            Dtype::Bool => ScalarValue::Bool(self.below(2) == 1),
            Dtype::U8 => ScalarValue::Int(self.below(9) as i64),
            _ if dtype.is_integral() => ScalarValue::Int(self.below(19) as i64 - 9),
            _ if self.below(20) == 0 => {
                ScalarValue::Float(self.one(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0]))
            }
            _ => ScalarValue::Float((self.below(129) as f64 - 64.0) / 16.0),
        }
    }

    fn tensor(&mut self, dtype: Dtype, shape: &[usize]) -> Tensor {
        let numbers: Vec<ScalarValue> =
            (0..shape.iter().product::<usize>()).map(|_| self.number(dtype)).collect();
        Tensor::new(dtype, shape, &numbers).unwrap()
    }

    /// A matrix with a dominant diagonal, symmetric.
    fn matrix(&mut self) -> Tensor {
        let size = 1 + self.below(4) as usize;
        let mut numbers = vec![ScalarValue::Float(0.0); size * size];
        for row in 0..size {
            for column in 0..=row {
                let number = (self.below(33) as f64 - 16.0) / 16.0;
                let number = if row == column { 9.0 + number } else { number };
                numbers[row * size + column] = ScalarValue::Float(number);
                numbers[column * size + row] = ScalarValue::Float(number);
            }
        }
        Tensor::new(Dtype::F64, &[size, size], &numbers).unwrap()
    }

    fn plain(&mut self) -> ScalarValue {
        let dtype = self.one(&[Dtype::Bool, Dtype::I64, Dtype::I64, Dtype::F32]);
        match self.number(dtype) {
            ScalarValue::Float(number) if !number.is_finite() => ScalarValue::Float(1.5),
            number => number,
        }
    }
}

const TYPES: [Dtype; 9] = [
    Dtype::U8,
    Dtype::I8,
    Dtype::I16,
    Dtype::I32,
    Dtype::I64,
    Dtype::F16,
    Dtype::F32,
    Dtype::F64,
    Dtype::Bool,
];

/// What an operator may be given; none if this test does not know it.
fn call(operator: &str, random: &mut Random) -> Option<Vec<(&'static str, ScriptValue)>> {
    let (name, overload) = operator
        .trim_start_matches("aten::")
        .split_once('.')
        .unwrap_or((operator.trim_start_matches("aten::"), ""));
    let shapes: [(&[usize], &[usize]); 7] = [
        (&[], &[]),
        (&[3], &[]),
        (&[], &[2]),
        (&[2, 3], &[3]),
        (&[2, 1], &[1, 3]),
        (&[0], &[1]),
        (&[2, 2], &[2, 2]),
    ];
    let number = |random: &mut Random| ScriptValue::from(random.plain());
    let dtype = |random: &mut Random| match random.below(3) {
        0 => ScriptValue::from(random.one(&TYPES).code()),
        _ => ScriptValue::None,
    };
    let out = |dtype| ScriptValue::from(Tensor::new(dtype, &[0], &[]).unwrap());
    let mut given = Vec::new();
    match name.trim_end_matches('_') {
        "div" | "floor_divide" => {
            let (mut a, b) = random.one(&shapes);
            // What is written to has the shape of the result.
            if name.ends_with('_') {
                a = random.one(&[&[3][..], &[2, 3], &[0]]);
            }
            let b: &[usize] = if name.ends_with('_') { &[] } else { b };
            let (first, second) = (random.one(&TYPES), random.one(&TYPES));
            let (first, second) = match overload.starts_with("out") {
                true => (Dtype::I64, Dtype::I64),
                false => (first, second),
            };
            given.push(("self", random.tensor(first, a).into()));
            given.push(match overload.starts_with("Scalar") {
                true => ("other", number(random)),
                false => ("other", random.tensor(second, b).into()),
            });
            if overload.ends_with("_mode") {
                let mode = random.one(&["trunc", "floor", ""]);
                given.push((
                    "rounding_mode",
                    if mode.is_empty() { ScriptValue::None } else { mode.into() },
                ));
            }
            if overload.starts_with("out") {
                given.push((
                    "out",
                    out(if overload == "out_mode" { Dtype::F32 } else { Dtype::I64 }),
                ));
            }
        }
        "full" => {
            given.push(("size", ScriptValue::ints((0..random.below(3)).map(|n| n as i64))));
            given.push(("fill_value", number(random)));
            match overload {
                "out" => given.push(("out", out(Dtype::F32))),
                "names" => given.extend([("names", ScriptValue::None), ("dtype", dtype(random))]),
                _ => given.push(("dtype", dtype(random))),
            }
        }
        "arange" => {
            if !overload.is_empty() {
                given.push(("start", ScriptValue::from(random.below(4) as i64 - 2)));
            }
            given.push(("end", ScriptValue::from(3 + random.below(9) as i64)));
            if overload == "start_step" {
                given.push(("step", ScriptValue::from(1 + random.below(3) as i64)));
            }
            given.push(("dtype", dtype(random)));
        }
        "linspace" | "logspace" => {
            let steps = random.below(7) as i64 - 1;
            given.extend([("start", number(random)), ("end", number(random))]);
            given.push((
                "steps",
                if steps < 0 { ScriptValue::None } else { ScriptValue::from(steps) },
            ));
            if overload == "out" {
                given.push(("out", out(Dtype::F32)));
            }
        }
        "gelu" => {
            let shape = random.one(&[&[][..], &[5], &[2, 0]]);
            let dtype = random.one(&[Dtype::F32, Dtype::F64]);
            given.push(("self", random.tensor(dtype, shape).into()));
            if overload == "out" {
                given.push(("out", out(dtype)));
            }
        }
        "cholesky" if overload.is_empty() => {
            given.extend([
                ("self", random.matrix().into()),
                ("upper", ScriptValue::from(random.below(2) == 1)),
            ]);
        }
        "qr" if overload.is_empty() => {
            given.extend([
                ("self", random.matrix().into()),
                ("some", ScriptValue::from(random.below(2) == 1)),
            ]);
        }
        "matrix_rank" => {
            given.push(("self", random.matrix().into()));
            if overload == "tol" {
                given.push(("tol", ScriptValue::from(0.5)));
            }
        }
        "frobenius_norm" if overload.is_empty() => given.push(("self", random.matrix().into())),
        "symeig" if overload.is_empty() => given.push(("self", random.matrix().into())),
        _ => return None,
    }
    Some(given)
}

fn copy(values: &[(&'static str, ScriptValue)]) -> Vec<(String, ScriptValue)> {
    let copy = |value: &ScriptValue| match value {
        ScriptValue::Tensor(t) => Tensor::new(t.dtype(), t.shape(), &t.numbers()).unwrap().into(),
        other => other.clone(),
    };
    values.iter().map(|(name, value)| ((*name).to_owned(), copy(value))).collect()
}

/// A release that has the old operator.
fn before(change: &RegistryChange) -> Version {
    match change.since {
        ChangeStart::Version(..6) => Version::pair(1, 5),
        ChangeStart::Version(_) => Version::pair(1, 10),
        since => match since.release() {
            Some(release) if release.minor() > 0 => {
                Version::pair(release.major(), release.minor() - 1)
            }
            _ => Version::pair(1, 13),
        },
    }
}

#[test]
fn upgraders_equal_the_old_operators_on_random_calls() {
    let registry: &OperatorRegistry = unskew_torch_operators::registry();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut covered, mut equal, mut refused, mut left) = (0, 0, 0, Vec::new());
    for (operator, changes) in registry.operators() {
        for change in changes {
            let Some(bridge) = &change.upgrader else { continue };
            if call(operator, &mut random).is_none() {
                left.push(operator);
                continue;
            }
            covered += 1;
            let function = registry.function(&bridge.function).unwrap();
            let old = Interpreter::new(ReleaseSemantics::for_release(before(change)));
            let new = Interpreter::new(ReleaseSemantics::newest());
            for _ in 0..CALLS {
                let given = call(operator, &mut random).unwrap();
                let wanted = old.operator(&bridge.schema.full_name(), Vec::new(), copy(&given));
                let found = new.function(function, Vec::new(), copy(&given));
                let shown: Vec<String> = given
                    .iter()
                    .map(|(n, v)| match v {
                        ScriptValue::Tensor(tensor) => format!("{n}={tensor}"),
                        other => format!("{n}={other}"),
                    })
                    .collect();
                match (wanted, found) {
                    (Ok(wanted), Ok(found)) => {
                        let difference = difference(&wanted, &found, 1e-6);
                        assert_eq!(difference, None, "{} ({})", bridge.function, shown.join(", "));
                        equal += 1;
                    }
                    (Err(a), Err(b))
                        if matches!(
                            (&a.problem, &b.problem),
                            (RunProblem::Refused(_), RunProblem::Refused(_))
                        ) =>
                    {
                        refused += 1;
                    }
                    (Ok(_), Err(error)) => {
                        panic!("{} ({}): {error}", bridge.function, shown.join(", "))
                    }
                    (Err(error), _) => panic!("{operator} ({}): {error}", shown.join(", ")),
                }
            }
        }
    }
    println!(
        "{covered} upgraders: {equal} calls equal, {refused} refused by both; not here: {left:?}"
    );
    assert!(covered >= 25 && equal > 1000);
}
