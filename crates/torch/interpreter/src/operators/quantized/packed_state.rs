//! Packed weights from the states that archives keep of them. `docs/reference/quantized-models.md` has the forms.

use unskew_torch::prepacked_weights::ConvolutionParameters;

use super::packing::{CLASSES, cell, convolution_of, embedding, linear_of};
use crate::{ScalarValue, ScriptValue};

/// The packed weights that a state in an archive describes; none if it is of another class.
pub(crate) fn packed(class: &str, state: &ScriptValue) -> Option<Result<ScriptValue, String>> {
    let kind = class.strip_prefix(CLASSES)?;
    let parts = state.items().unwrap_or_default();
    let unknown = || Err(format!("a state of another form than is known, of {class}"));
    Some(match (kind, parts.as_slice()) {
        ("quantized.LinearPackedParamsBase", [weight @ ScriptValue::Tensor(_), bias]) => {
            Ok(linear_of(weight.clone(), bias.clone()))
        }
        ("quantized.EmbeddingPackedParamsBase", [_, weights, ..]) => {
            match weights.items().unwrap_or_default().as_slice() {
                [weight @ ScriptValue::Tensor(_)] => Ok(embedding(weight.clone())),
                _ => unknown(),
            }
        }
        ("rnn.CellParamsBase", [name, _, _, numbers, weights]) => {
            let weights = weights.items().unwrap_or_default();
            match (name.text(), weights.as_slice()) {
                (Some("quantized_dynamic" | "quantized_fp16"), [input, hidden]) => {
                    let first =
                        numbers.items().unwrap_or_default().first().and_then(ScriptValue::number);
                    let seven_bits = first.is_some_and(ScalarValue::is_true);
                    Ok(cell(input, hidden, seven_bits.into()))
                }
                _ => unknown(),
            }
        }
        ("quantized.Conv2dPackedParamsBase", parts) => {
            convolution(2, parts).unwrap_or_else(unknown)
        }
        ("quantized.Conv3dPackedParamsBase", parts) => {
            convolution(3, parts).unwrap_or_else(unknown)
        }
        _ => unknown(),
    })
}

/// A convolution of one of the three forms.
fn convolution(rank: usize, parts: &[ScriptValue]) -> Option<Result<ScriptValue, String>> {
    let (weight, bias, moves) = match parts {
        [weight @ ScriptValue::Tensor(_), bias, stride, padding, dilation, groups] => {
            let moves = first_form(rank, [stride, padding, dilation], groups)?;
            (weight.clone(), bias.clone(), moves)
        }
        [version, first, second] => {
            match (version.text(), version.number().map(ScalarValue::int)) {
                (Some("2"), _) => {
                    let [ScriptValue::Tensor(numbers), weight] =
                        <[ScriptValue; 2]>::try_from(first.items()?).ok()?
                    else {
                        return None;
                    };
                    let bias = second.items()?.first().cloned().unwrap_or_default();
                    (weight, bias, ConvolutionParameters::of_numbers(&numbers.ints())?)
                }
                (None, Some(3)) => {
                    let [ScriptValue::None, weight, bias] =
                        <[ScriptValue; 3]>::try_from(second.items()?).ok()?
                    else {
                        return None;
                    };
                    let numbers = first.items()?;
                    let numbers: Option<Vec<i64>> =
                        numbers.iter().map(|one| Some(one.number()?.int())).collect();
                    (weight, bias, ConvolutionParameters::of_numbers(&numbers?)?)
                }
                _ => {
                    return Some(Err(format!("packed weights of serialization version {version}")));
                }
            }
        }
        _ => return None,
    };
    let is_whole = moves.stride.len() == rank && matches!(weight, ScriptValue::Tensor(_));
    is_whole.then(|| Ok(convolution_of(rank, weight, bias, moves)))
}

/// The numbers of the first form, which has a tensor for each and knows no transposed convolution.
fn first_form(
    rank: usize,
    runs: [&ScriptValue; 3],
    groups: &ScriptValue,
) -> Option<ConvolutionParameters> {
    let number = |value: &ScriptValue| value.tensor()?.ints().first().copied();
    let run = |value: &ScriptValue| -> Option<Vec<i64>> {
        value.items()?.iter().map(number).collect::<Option<_>>()
    };
    let [stride, padding, dilation] = runs;
    let (stride, padding, dilation) = (run(stride)?, run(padding)?, run(dilation)?);
    let is_whole = [&stride, &padding, &dilation].iter().all(|run| run.len() == rank);
    let (output_padding, groups) = (vec![0; rank], number(groups)?);
    let moves = ConvolutionParameters {
        stride,
        padding,
        dilation,
        output_padding,
        groups,
        transposed: false,
    };
    is_whole.then_some(moves)
}
