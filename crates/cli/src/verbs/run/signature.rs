//! Signature of a program.

use anyhow::{Context as _, bail};
use unskew_array::ArrayElementType;
use unskew_pjrt::convert::{hlo_program, program_shape};
use unskew_pjrt::{ElementType, LoadedExecutable};
use unskew_source::BytesSource;
use unskew_stablehlo::program::{Program, Type as Kind};

/// A parameter: its type and dimensions, as one device takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramParameter {
    pub element: ArrayElementType,
    pub dims: Vec<u64>,
}

/// The parameters of a program: from what the plug-in made of it, or, where the plug-in does not show
/// that, from the program itself.
pub fn parameters(loaded: &LoadedExecutable, code: &[u8]) -> anyhow::Result<Vec<ProgramParameter>> {
    match loaded.executable()?.optimized_program() {
        Ok((program, format)) if format == hlo_program::FORMAT => {
            let found = program_shape::parameters(&program)?;
            found.iter().enumerate().map(|(i, found)| parameter(i, found)).collect()
        }
        _ => {
            let text = std::str::from_utf8(code).ok().and_then(of_text);
            text.or_else(|| of_artifact(code)).context(
                "cannot tell what the program takes: the plug-in does not show it, and the program has no \
                 function @main of arrays, as StableHLO text or as a portable artifact",
            )
        }
    }
}

fn parameter(index: usize, found: &program_shape::Parameter) -> anyhow::Result<ProgramParameter> {
    let element = found.element_type.and_then(own_type);
    let Some(element) = element else {
        bail!("parameter {index} is no array of numbers");
    };
    let dims: Result<Vec<u64>, _> = found.dims.iter().map(|dim| u64::try_from(*dim)).collect();
    Ok(ProgramParameter { element, dims: dims.context("a parameter with a negative dimension")? })
}

/// The type of a buffer as one of arrays.
pub fn own_type(element: ElementType) -> Option<ArrayElementType> {
    ArrayElementType::named(element.name()?)
}

/// The type of an array as one of buffers.
pub fn host_type(element: ArrayElementType) -> ElementType {
    let found = (0..64).map(ElementType).find(|known| own_type(*known) == Some(element));
    found.unwrap_or(ElementType::INVALID)
}

/// The parameters of the function `@main` of a StableHLO text.
fn of_text(text: &str) -> Option<Vec<ProgramParameter>> {
    let rest = &text[text.find("@main(")? + "@main(".len()..];
    let mut depth = 1_usize;
    let end = rest.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let mut parameters = Vec::new();
    for part in rest[..end].split("tensor<").skip(1) {
        parameters.push(tensor(part)?);
    }
    Some(parameters)
}

/// The parameters of the function `main` of a StableHLO portable artifact.
fn of_artifact(code: &[u8]) -> Option<Vec<ProgramParameter>> {
    let program = Program::read(&BytesSource::new("program", code.to_vec())).ok()?;
    let inputs = program.function("main")?.inputs.iter();
    inputs
        .map(|input| {
            let Kind::Tensor { dims, element } = &**input else { return None };
            let element = match &**element {
                Kind::Scalar { name, .. } => of_mlir(name)?,
                Kind::Complex(part) if matches!(**part, Kind::Scalar { bits: 32, .. }) => {
                    ArrayElementType::C64
                }
                Kind::Complex(part) if matches!(**part, Kind::Scalar { bits: 64, .. }) => {
                    ArrayElementType::C128
                }
                _ => return None,
            };
            Some(ProgramParameter { element, dims: dims.iter().copied().collect::<Option<_>>()? })
        })
        .collect()
}

/// The type of which the text begins behind `tensor<`: `2x3xf32>...`.
fn tensor(text: &str) -> Option<ProgramParameter> {
    let complex = text.find("complex<").filter(|at| *at < text.find('>').unwrap_or(0));
    let (shape, name) = match complex {
        Some(at) => (&text[..at], text[at..].split_inclusive('>').next()?),
        None => {
            let text = &text[..text.find('>')?];
            text.rfind('x').map_or(("", text), |at| (&text[..=at], &text[at + 1..]))
        }
    };
    let dims: Result<Vec<u64>, _> =
        shape.split('x').filter(|dim| !dim.is_empty()).map(str::parse).collect();
    Some(ProgramParameter { element: of_mlir(name)?, dims: dims.ok()? })
}

/// `i32`, `ui8`, `bf16`, `complex<f32>`.
fn of_mlir(name: &str) -> Option<ArrayElementType> {
    match name {
        "i1" => Some(ArrayElementType::PRED),
        "complex<f32>" => Some(ArrayElementType::C64),
        "complex<f64>" => Some(ArrayElementType::C128),
        _ => match (name.strip_prefix("ui"), name.strip_prefix('i')) {
            (Some(bits), _) => ArrayElementType::named(&format!("u{bits}")),
            (None, Some(bits)) => ArrayElementType::named(&format!("s{bits}")),
            (None, None) => ArrayElementType::named(name),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_arrays_is_one_of_buffers() {
        for element in ArrayElementType::ALL {
            assert_eq!(own_type(host_type(element)), Some(element));
        }
    }

    #[test]
    fn the_signature_of_a_text_is_read() {
        let text = "func.func public @main(%arg0: tensor<2x3xf32> {jax.name = \"a(b)\"}, \
                    %arg1: tensor<i1>, %arg2: tensor<4xcomplex<f32>>, %arg3: tensor<1xui4>) -> tensor<f32>";
        let parameter = |element, dims: &[u64]| ProgramParameter { element, dims: dims.to_vec() };
        assert_eq!(
            of_text(text).unwrap(),
            [
                parameter(ArrayElementType::F32, &[2, 3]),
                parameter(ArrayElementType::PRED, &[]),
                parameter(ArrayElementType::C64, &[4]),
                parameter(ArrayElementType::U4, &[1]),
            ]
        );
        assert_eq!(of_text("func.func @main(%arg0: tensor<?xf32>)"), None);
        assert_eq!(of_text("func.func @main() -> tensor<f32>").unwrap(), []);
    }

    #[test]
    fn the_signature_of_an_artifact_is_read() {
        let root = std::path::Path::new(env!("UNSKEW_ROOT"));
        let code = std::fs::read(root.join("crates/xla/pjrt/src/conform/add.stablehlo")).unwrap();
        let vector = || ProgramParameter { element: ArrayElementType::F32, dims: vec![4] };
        assert_eq!(of_artifact(&code).unwrap(), [vector(), vector()]);
        assert_eq!(of_artifact(&code[..100]), None);
    }
}
