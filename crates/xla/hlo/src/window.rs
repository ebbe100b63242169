//! Windows and convolutions: `size=3x3 pad=1_1x1_1`, `bf01_oi01->bf01`.

use crate::messages::{ConvolutionNumbers, Padding, Window};
use crate::numbers::joined;

impl Window {
    pub(crate) fn text(&self) -> String {
        let dims = &self.dims;
        let mut out = format!("size={}", joined(dims.iter().map(|dim| dim.size), "x"));
        let mut say = |name: &str, needed: bool, values: String| {
            if needed {
                out.push_str(&format!(" {name}={values}"));
            }
        };
        let stride = joined(dims.iter().map(|dim| dim.stride), "x");
        say("stride", dims.iter().any(|dim| dim.stride != 1), stride);
        let pad = joined(dims.iter().map(|dim| format!("{}_{}", dim.low, dim.high)), "x");
        say("pad", dims.iter().any(|dim| dim.low != 0 || dim.high != 0), pad);
        let dilation = joined(dims.iter().map(|dim| dim.base_dilation), "x");
        say("lhs_dilate", dims.iter().any(|dim| dim.base_dilation != 1), dilation);
        let dilation = joined(dims.iter().map(|dim| dim.window_dilation), "x");
        say("rhs_dilate", dims.iter().any(|dim| dim.window_dilation != 1), dilation);
        let reversal = joined(dims.iter().map(|dim| u8::from(dim.reversal)), "x");
        say("rhs_reversal", dims.iter().any(|dim| dim.reversal), reversal);
        out
    }
}

impl Padding {
    pub(crate) fn text(&self) -> String {
        let between = self.dims.iter().any(|dim| dim.interior != 0);
        let dims = self.dims.iter().map(|dim| {
            let interior = if between { format!("_{}", dim.interior) } else { String::new() };
            format!("{}_{}{interior}", dim.low, dim.high)
        });
        joined(dims, "x")
    }
}

impl ConvolutionNumbers {
    pub(crate) fn text(&self) -> String {
        let input = labels(('b', self.input_batch), ('f', self.input_feature), &self.input_spatial);
        let kernel =
            labels(('i', self.kernel_input), ('o', self.kernel_output), &self.kernel_spatial);
        let output =
            labels(('b', self.output_batch), ('f', self.output_feature), &self.output_spatial);
        format!("{input}_{kernel}->{output}")
    }
}

/// A letter or a number for each dimension.
fn labels(one: (char, i64), other: (char, i64), spatial: &[i64]) -> String {
    let count = i64::try_from(spatial.len() + 2).unwrap_or(i64::MAX);
    let label = |at: i64| {
        if at == one.1 {
            return one.0.to_string();
        }
        if at == other.1 {
            return other.0.to_string();
        }
        let place = spatial.iter().position(|dim| *dim == at);
        place.map_or_else(|| "?".to_owned(), |place| place.to_string())
    };
    (0..count).map(label).collect()
}
