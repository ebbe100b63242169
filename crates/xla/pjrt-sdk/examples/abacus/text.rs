//! StableHLO as text, as far as this plug-in computes it.

use unskew_pjrt_sdk::{ElementType, Error, Shape};

use crate::program::{Place, Step, Steps, binary, fits, unary};

/// Reads the function `@main`.
pub fn parse(text: &str) -> Result<Steps, Error> {
    let missing = || Error::invalid("no function @main");
    let start = text.find("@main").ok_or_else(missing)?;
    let (head, body) = text[start..].split_once(") ->").ok_or_else(missing)?;
    let mut names = Vec::new();
    let (mut parameters, mut donated) = (Vec::new(), Vec::new());
    for part in head.split('%').skip(1) {
        let (name, rest) = part.split_once(':').ok_or_else(missing)?;
        names.push((name.trim().to_owned(), tensor(rest)?));
        if rest.contains("tf.aliasing_output") {
            donated.push(parameters.len());
        }
        parameters.push(tensor(rest)?);
    }
    let mut function = Function { names, steps: Vec::new(), results: Vec::new() };
    let (_, body) = body.split_once('{').ok_or_else(missing)?;
    for line in body.lines().map(str::trim) {
        if function.line(line)? {
            break;
        }
    }
    let name = text.split_once("module @").map_or("main", |(_, rest)| word(rest)).to_owned();
    let Function { steps, results, .. } = function;
    let code = text.as_bytes().to_vec();
    Ok(Steps { name, code, parameters, donated, steps, results })
}

/// A function on the way to a program: every value so far by name.
struct Function {
    names: Vec<(String, Shape)>,
    steps: Vec<Step>,
    results: Vec<(Place, Shape)>,
}

impl Function {
    /// Reads a line; whether it was the last.
    fn line(&mut self, line: &str) -> Result<bool, Error> {
        if line.is_empty() || line.starts_with("//") {
            return Ok(false);
        }
        if let Some(values) = line.strip_prefix("return").or(line.strip_prefix("func.return")) {
            for name in values.split(':').next().unwrap_or_default().split('%').skip(1) {
                let place = self.place(name)?;
                self.results.push((place, self.names[place].1.clone()));
            }
            return Ok(true);
        }
        let unknown = || Error::unimplemented(format!("abacus does not compute: {line}"));
        let (name, operation) = line.split_once(" = ").ok_or_else(unknown)?;
        let (what, rest) = operation.split_once(' ').ok_or_else(unknown)?;
        let (operands, kind) = rest.rsplit_once(" : ").ok_or_else(unknown)?;
        let shape = tensor(kind)?;
        let step = match what.strip_prefix("stablehlo.").ok_or_else(unknown)? {
            "constant" => {
                let number = operands.strip_prefix("dense<").and_then(|n| n.strip_suffix('>'));
                let number = number.and_then(|number| number.parse().ok()).ok_or_else(unknown)?;
                Step::Constant(vec![number; shape.count().ok_or_else(unknown)?])
            }
            operation => match (unary(operation), binary(operation)) {
                (Some(function), _) => {
                    Step::Unary(function, self.operands::<1>(operands, &shape)?[0])
                }
                (_, Some(function)) => {
                    let [a, b] = self.operands(operands, &shape)?;
                    Step::Binary(function, a, b)
                }
                _ => return Err(unknown()),
            },
        };
        self.steps.push(step);
        self.names.push((name.trim_start_matches('%').trim().to_owned(), shape));
        Ok(false)
    }

    /// The values of these names, all of the shape of the result.
    fn operands<const N: usize>(&self, text: &str, shape: &Shape) -> Result<[Place; N], Error> {
        let mut places = Vec::new();
        for name in text.split('%').skip(1) {
            let place = self.place(name)?;
            if self.names[place].1 != *shape {
                return Err(Error::invalid(format!("%{}: not of {shape:?}", word(name))));
            }
            places.push(place);
        }
        places.try_into().map_err(|_| Error::invalid(format!("{N} operands wanted: {text}")))
    }

    /// The newest value of a name.
    fn place(&self, name: &str) -> Result<Place, Error> {
        let name = word(name);
        let place = self.names.iter().rposition(|(other, _)| other == name);
        place.ok_or_else(|| Error::invalid(format!("no such value: %{name}")))
    }
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The shape in a type such as `tensor<2x3xf32>`.
fn tensor(text: &str) -> Result<Shape, Error> {
    let unknown =
        || Error::unimplemented(format!("abacus has only tensors of f32: {}", text.trim()));
    let (_, rest) = text.split_once("tensor<").ok_or_else(unknown)?;
    let (inside, _) = rest.split_once('>').ok_or_else(unknown)?;
    let dims = inside.strip_suffix("f32").ok_or_else(unknown)?;
    let dims = dims.split('x').filter(|dim| !dim.is_empty()).map(str::parse);
    let dims = dims.collect::<Result<Vec<i64>, _>>().map_err(|_| unknown())?;
    fits(Shape { element_type: ElementType::F32, dims })
}
