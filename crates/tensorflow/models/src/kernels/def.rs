//! Kernel definition, one line of the table: kernels of one op on one device.

use std::fmt;
use std::str::FromStr;

use crate::{AttrValue, DataType};

/// Kernels of one op on one kind of device: one for each choice of values.
///
/// ```
/// use unskew_tensorflow::KernelDef;
/// let kernels: KernelDef = "Cast(CPU DstT=float|half SrcT=int32)".parse().unwrap();
/// assert_eq!((&*kernels.op, &*kernels.device), ("Cast", "CPU"));
/// assert_eq!(kernels.to_string(), "Cast(CPU DstT=float|half SrcT=int32)");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelDef {
    /// The name of the op. Without one it is said that the kernels of this device are listed.
    pub op: String,
    /// The kind of device: `CPU`, `GPU`, `DEFAULT` for all of them.
    pub device: String,
    /// What a node must say in `_kernel` to get it; nothing for most.
    pub label: String,
    /// The values that it takes, by attribute, in the order of the names. An attribute that is not named may have any.
    pub takes: Vec<(String, Vec<AttrValue>)>,
}

/// Why a text is no [`KernelDef`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a kernel (`Op(DEVICE attribute=value|value)`): {0}")]
pub struct KernelDefError(pub String);

impl KernelDef {
    /// The kernels of these lists one by one: every choice of values is one.
    pub(super) fn singles(&self) -> Vec<Self> {
        let mut all = vec![Self { takes: Vec::new(), ..self.clone() }];
        for (name, values) in &self.takes {
            let with = |one: &Self| {
                let one = one.clone();
                values.iter().map(move |value| {
                    let mut one = one.clone();
                    one.takes.push((name.clone(), vec![value.clone()]));
                    one
                })
            };
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    /// The name, the device and the label, which kernels on one line share.
    pub(super) fn head(&self) -> String {
        let label = if self.label.is_empty() { "" } else { ":" };
        format!("{}({}{label}{}", self.op, self.device, self.label)
    }
}

impl fmt::Display for KernelDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head())?;
        for (name, values) in &self.takes {
            let values: Vec<String> = values.iter().map(AttrValue::to_string).collect();
            write!(f, " {name}={}", values.join("|"))?;
        }
        f.write_str(")")
    }
}

impl FromStr for KernelDef {
    type Err = KernelDefError;

    fn from_str(text: &str) -> Result<Self, KernelDefError> {
        let error = || KernelDefError(text.to_owned());
        let (op, rest) = text.split_once('(').ok_or_else(error)?;
        let mut parts = rest.strip_suffix(')').ok_or_else(error)?.split(' ');
        let device = parts.next().ok_or_else(error)?;
        let (device, label) = device.split_once(':').unwrap_or((device, ""));
        let takes = parts.map(|part| {
            let (name, values) = part.split_once('=').ok_or_else(error)?;
            let values: Option<Vec<AttrValue>> = values.split('|').map(value).collect();
            Ok((name.to_owned(), values.ok_or_else(error)?))
        });
        let takes = takes.collect::<Result<_, KernelDefError>>()?;
        Ok(Self { op: op.to_owned(), device: device.to_owned(), label: label.to_owned(), takes })
    }
}

/// A value as [`AttrValue`] shows it: a type, a number, a truth value, a text without blanks in quotes.
fn value(text: &str) -> Option<AttrValue> {
    if let Some(inner) = text.strip_prefix('"') {
        return Some(AttrValue::String(inner.strip_suffix('"')?.as_bytes().into()));
    }
    if let Ok(is) = text.parse() {
        return Some(AttrValue::Bool(is));
    }
    if let Ok(number) = text.parse() {
        return Some(AttrValue::Int(number));
    }
    text.parse::<DataType>().ok().map(AttrValue::Type)
}
