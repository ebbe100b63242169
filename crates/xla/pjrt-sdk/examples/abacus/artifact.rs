//! StableHLO portable artifacts, which is what JAX sends, as far as this plug-in computes them.

use std::collections::HashMap;

use unskew_pjrt_sdk::{ElementType, Error, Shape};
use unskew_stablehlo::program::{ConstantAttribute, Function, Operation, Program, Type, ValueId};

use crate::program::{Place, Step, Steps, binary, fits, unary};

/// How deep functions may call each other.
const DEPTH: usize = 16;

/// How many operations a program may have, with those of a function at each of its calls.
const MOST: usize = 1 << 16;

/// Reads the function `main`.
pub fn read(code: &[u8]) -> Result<Steps, Error> {
    let program = Program::from_bytes(code)?;
    let main = program.function("main").ok_or_else(|| Error::invalid("no function main"))?;
    let parameters = main.inputs.iter().map(|kind| shape(kind));
    let parameters = parameters.collect::<Result<Vec<Shape>, Error>>()?;
    let donated = |at: &usize| main.argument_attribute(*at, "tf.aliasing_output").is_some();
    let mut lowering =
        Lowering { program: &program, shapes: parameters.clone(), steps: Vec::new(), seen: 0 };
    let arguments: Vec<Place> = (0..parameters.len()).collect();
    let results = lowering.function(main, &arguments, 0)?;
    let Lowering { steps, shapes, .. } = lowering;
    let results = results.into_iter().map(|place| (place, shapes[place].clone())).collect();
    let donated = arguments.into_iter().filter(donated).collect();
    let (name, code) = (main.name.to_string(), code.to_vec());
    Ok(Steps { name, code, parameters, donated, steps, results })
}

/// A program on the way to steps.
struct Lowering<'p> {
    program: &'p Program,
    /// The shape of every value so far.
    shapes: Vec<Shape>,
    steps: Vec<Step>,
    seen: usize,
}

impl Lowering<'_> {
    /// The steps of a function; gives the places of its results.
    fn function(
        &mut self,
        function: &Function,
        arguments: &[Place],
        depth: usize,
    ) -> Result<Vec<Place>, Error> {
        let broken = || Error::invalid(format!("{}: a function of another form", function.name));
        let body = function.body().ok_or_else(broken)?;
        if depth > DEPTH {
            return Err(Error::unimplemented("functions that call each other so deeply"));
        }
        let mut known: HashMap<ValueId, Place> =
            body.arguments.iter().copied().zip(arguments.iter().copied()).collect();
        for operation in &body.operations {
            self.seen += 1;
            if self.seen > MOST {
                return Err(Error::unimplemented(format!("more than {MOST} operations")));
            }
            let operands = operation.operands.iter().map(|value| known.get(value).copied());
            let operands = operands.collect::<Option<Vec<Place>>>().ok_or_else(broken)?;
            let results = match &*operation.name {
                "return" => return Ok(operands),
                "call" => {
                    let callee = operation.attribute("callee").and_then(ConstantAttribute::text);
                    let callee = callee.and_then(|name| self.program.function(name));
                    self.function(callee.ok_or_else(broken)?, &operands, depth + 1)?
                }
                _ => vec![self.step(operation, &operands)?],
            };
            known.extend(operation.results.iter().copied().zip(results));
        }
        Err(broken())
    }

    /// The step of an operation; gives the place of its result.
    fn step(&mut self, operation: &Operation, operands: &[Place]) -> Result<Place, Error> {
        let name = &*operation.name;
        let unknown = || Error::unimplemented(format!("abacus does not compute: {name}"));
        let result = operation.results.first().and_then(|value| self.program.type_of(*value));
        let shape = shape(result.ok_or_else(unknown)?)?;
        let same = |place: &Place| self.shapes[*place] == shape;
        let step = match (name, operands) {
            ("constant", []) => Step::Constant(constant(operation, &shape).ok_or_else(unknown)?),
            ("broadcast_in_dim", [from]) => {
                let dims = operation.attribute("broadcast_dimensions");
                let dims = dims.and_then(ConstantAttribute::indices).ok_or_else(unknown)?;
                let from_dims = &self.shapes[*from].dims;
                let strides = broadcast(from_dims, &shape.dims, &dims).ok_or_else(unknown)?;
                Step::Broadcast { from: *from, to: shape.dims.clone(), strides }
            }
            ("reshape", [from]) if self.shapes[*from].count() == shape.count() => {
                Step::Unary(|a| a, *from)
            }
            (_, [a]) if same(a) => Step::Unary(unary(name).ok_or_else(unknown)?, *a),
            (_, [a, b]) if same(a) && same(b) => {
                Step::Binary(binary(name).ok_or_else(unknown)?, *a, *b)
            }
            _ => return Err(unknown()),
        };
        self.steps.push(step);
        self.shapes.push(shape);
        Ok(self.shapes.len() - 1)
    }
}

/// The numbers of a constant: all of them, or the one that all are.
fn constant(operation: &Operation, shape: &Shape) -> Option<Vec<f32>> {
    let ConstantAttribute::Tensor { bytes, .. } = operation.attribute("value")? else {
        return None;
    };
    let (numbers, []) = bytes.as_chunks() else { return None };
    let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let count = shape.count()?;
    match numbers[..] {
        [one] => Some(vec![one; count]),
        _ => (numbers.len() == count).then_some(numbers),
    }
}

/// How far apart, in the operand, the elements are that follow each other in each dimension of the result:
/// 0 where the same one is repeated. None if the operand does not fit.
fn broadcast(from: &[i64], to: &[i64], dims: &[i64]) -> Option<Vec<usize>> {
    let mut strides = vec![0; to.len()];
    let mut stride = 1;
    if from.len() != dims.len() {
        return None;
    }
    for (size, dim) in from.iter().zip(dims).rev() {
        let place = usize::try_from(*dim).ok()?;
        let wanted = *to.get(place)?;
        if *size != 1 && *size != wanted {
            return None;
        }
        *strides.get_mut(place)? = if *size == 1 { 0 } else { stride };
        stride *= usize::try_from(*size).ok()?;
    }
    Some(strides)
}

/// A tensor of `f32`.
fn shape(kind: &Type) -> Result<Shape, Error> {
    let unknown = || Error::unimplemented(format!("abacus has only tensors of f32: {kind:?}"));
    let Type::Tensor { dims, element } = kind else { return Err(unknown()) };
    if !matches!(**element, Type::Scalar { name: "f32", .. }) {
        return Err(unknown());
    }
    let dims = dims.iter().map(|dim| i64::try_from((*dim)?).ok()).collect::<Option<Vec<i64>>>();
    let shape = Shape { element_type: ElementType::F32, dims: dims.ok_or_else(unknown)? };
    fits(shape)
}
