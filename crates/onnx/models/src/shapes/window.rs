//! Convolutions and pools.

use super::conflict::{ShapeConflict, differ, shown, size};
use super::node_inputs::NodeInputs;
use crate::Dim;

/// The attributes of a window, one number for each dimension that it moves over; pads have two.
struct Window {
    kernel: Option<Vec<i64>>,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    pads: Vec<i64>,
    /// Whether `auto_pad` decides on the pads.
    auto: bool,
}

fn list(
    seen: &NodeInputs<'_>,
    name: &str,
    count: usize,
    usual: i64,
) -> Result<Vec<i64>, ShapeConflict> {
    match seen.ints(name) {
        None => Ok(vec![usual; count]),
        Some(all) if all.len() == count => Ok(all.to_vec()),
        Some(all) => {
            Err(ShapeConflict::at_load(format!("`{name}` has {} numbers, not {count}", all.len())))
        }
    }
}

fn window(seen: &NodeInputs<'_>, moved: usize) -> Result<Window, ShapeConflict> {
    let kernel = match seen.ints("kernel_shape") {
        None => None,
        Some(_) => Some(list(seen, "kernel_shape", moved, 1)?),
    };
    let auto = !matches!(seen.text("auto_pad"), None | Some("NOTSET" | "VALID"));
    Ok(Window {
        kernel,
        strides: list(seen, "strides", moved, 1)?,
        dilations: list(seen, "dilations", moved, 1)?,
        pads: list(seen, "pads", moved * 2, 0)?,
        auto,
    })
}

/// The sizes that a window leaves of the dimensions that it moves over.
///
/// # Errors
/// If a convolution reaches beyond its input. Pools take that.
fn moved(
    seen: &NodeInputs<'_>,
    over: &[Dim],
    kernel: &[Option<i64>],
    window: &Window,
) -> Result<Vec<Dim>, ShapeConflict> {
    let ceil = seen.int("ceil_mode").unwrap_or(0) != 0;
    let room = |(at, dim): (usize, &Dim)| -> Option<(i64, i64)> {
        let (size, kernel) = (size(dim)?, (*kernel.get(at)?)?);
        let (stride, dilation) = (*window.strides.get(at)?, *window.dilations.get(at)?);
        if window.auto || ceil || stride <= 0 {
            return None;
        }
        let pads = window.pads.get(at)?.checked_add(*window.pads.get(at + over.len())?)?;
        let reach = kernel.checked_sub(1)?.checked_mul(dilation)?.checked_add(1)?;
        Some((size.checked_add(pads)?.checked_sub(reach)?, stride))
    };
    let one = |dim: (usize, &Dim)| match room(dim) {
        Some((..0, _)) if seen.node.op.ends_with("Pool") => Ok(Dim::Unknown),
        Some((..0, _)) => {
            Err(ShapeConflict::in_run(format!("a window over {} that is wider", shown(over))))
        }
        Some((room, stride)) => Ok(Dim::Size(room / stride + 1)),
        None => Ok(Dim::Unknown),
    };
    over.iter().enumerate().map(one).collect()
}

/// `Conv` and `ConvInteger`. `weights`: where its weights stand.
pub(super) fn convolution(
    seen: &NodeInputs<'_>,
    weights: usize,
) -> Result<Option<Vec<Dim>>, ShapeConflict> {
    let (Some(x), Some(w)) = (seen.dims(0), seen.dims(weights)) else { return Ok(None) };
    if x.len() != w.len() || x.len() < 3 {
        let what = format!("weights of {} dimensions for an input of {}", w.len(), x.len());
        return Err(ShapeConflict::at_load(what));
    }
    let window = window(seen, x.len() - 2)?;
    let (over, own) = (x.get(2..).unwrap_or_default(), w.get(2..).unwrap_or_default());
    let own: Vec<Option<i64>> = own.iter().map(size).collect();
    if let Some(kernel) = &window.kernel
        && own.iter().zip(kernel).any(|(own, said)| own.is_some_and(|own| own != *said))
    {
        let what = format!("`kernel_shape` {kernel:?} and weights of {}", shown(w));
        return Err(ShapeConflict::in_run(what));
    }
    let group = seen.int("group").unwrap_or(1);
    let channels = w.get(1).and_then(size).and_then(|one| one.checked_mul(group));
    if let (Some(has), Some(wants)) = (x.get(1).and_then(size), channels)
        && has != wants
    {
        let what = format!("{has} channels for weights that take {wants}");
        return Err(ShapeConflict::in_run(what));
    }
    let makes = w.first().and_then(size);
    if let Some(makes) = makes
        && (group <= 0 || makes % group != 0)
    {
        return Err(ShapeConflict::in_run(format!("{makes} channels in {group} groups")));
    }
    let kernel: Vec<Option<i64>> = match &window.kernel {
        Some(kernel) => kernel.iter().copied().map(Some).collect(),
        None => own,
    };
    let sizes = moved(seen, over, &kernel, &window)?;
    let head = [x.first().cloned().unwrap_or_default(), makes.map_or(Dim::Unknown, Dim::Size)];
    Ok(Some(head.into_iter().chain(sizes).collect()))
}

/// `ConvTranspose`, of which only the first two sizes are followed.
pub(super) fn transposed(seen: &NodeInputs<'_>) -> Result<Option<Vec<Dim>>, ShapeConflict> {
    let (Some(x), Some(w)) = (seen.dims(0), seen.dims(1)) else { return Ok(None) };
    if x.len() != w.len() || x.len() < 3 {
        let what = format!("weights of {} dimensions for an input of {}", w.len(), x.len());
        return Err(ShapeConflict::in_run(what));
    }
    if let (Some(has), Some(takes)) = (x.get(1), w.first())
        && differ(has, takes)
    {
        let what = format!("input {} and weights {}: the channels differ", shown(x), shown(w));
        return Err(ShapeConflict::in_run(what));
    }
    let group = seen.int("group").unwrap_or(1);
    let makes = w.get(1).and_then(size).and_then(|one| one.checked_mul(group));
    let mut out = vec![Dim::Unknown; x.len()];
    if let Some(first) = out.first_mut() {
        *first = x.first().cloned().unwrap_or_default();
    }
    if let Some(second) = out.get_mut(1) {
        *second = makes.map_or(Dim::Unknown, Dim::Size);
    }
    Ok(Some(out))
}

/// `MaxPool`, `AveragePool` and `LpPool`.
pub(super) fn pool(seen: &NodeInputs<'_>) -> Result<Option<Vec<Dim>>, ShapeConflict> {
    let Some(x) = seen.dims(0) else { return Ok(None) };
    if x.len() < 3 {
        let what = format!("{}: a batch, channels and at least one dimension are needed", shown(x));
        return Err(ShapeConflict::at_load(what));
    }
    let window = window(seen, x.len() - 2)?;
    let (head, over) = x.split_at_checked(2).unwrap_or((x, &[]));
    let kernel: Vec<Option<i64>> = match &window.kernel {
        Some(kernel) => kernel.iter().copied().map(Some).collect(),
        None => vec![None; over.len()],
    };
    Ok(Some([head, &moved(seen, over, &kernel, &window)?].concat()))
}

/// `GlobalAveragePool` and its like: one element is left of each channel.
pub(super) fn global(seen: &NodeInputs<'_>) -> Result<Option<Vec<Dim>>, ShapeConflict> {
    let Some(x) = seen.dims(0) else { return Ok(None) };
    let Some((head, over)) = x.split_at_checked(2) else {
        return Err(ShapeConflict::in_run(format!(
            "{}: a batch and channels are needed",
            shown(x)
        )));
    };
    Ok(Some([head, &vec![Dim::Size(1); over.len()]].concat()))
}
