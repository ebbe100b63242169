//! Operands that were repeated along dimensions of another before opset 7, which aligns their last dimensions.

use super::adapter_context::AdapterContext;
use super::node_draft::NodeDraft;

type Done = Result<(), String>;

const OLDER: &str = "the older form repeats its second input in another way";

/// The second input of `Add` and its like, whose first dimension stands at `axis` of the first input.
pub(super) fn broadcast(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if !site.up {
        return Err(OLDER.to_owned());
    }
    let repeats = work.int("broadcast").unwrap_or(0) != 0;
    let axis = work.int("axis");
    if ["broadcast", "axis"].iter().any(|name| work.get(name).is_some() && work.int(name).is_none())
    {
        return Err("how it repeats its input is given by the function around it".to_owned());
    }
    work.remove("broadcast");
    work.remove("axis");
    let Some(axis) = axis.filter(|_| repeats) else { return Ok(()) };
    let (rank, own) = (site.rank(work, 0)?, site.rank(work, 1)?);
    let behind = rank - own - axis;
    if axis < 0 || behind < 0 {
        return Err(format!("axis {axis} for {own} of {rank} dimensions"));
    }
    if behind > 0 {
        // 0 is the size that is there.
        let sizes: Vec<i64> = (0..own + behind).map(|at| i64::from(at >= own)).collect();
        aligned(work, site, &sizes);
    }
    Ok(())
}

/// Slopes of `PRelu`, one for each channel.
pub(super) fn slopes(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>) -> Done {
    if !site.up {
        return Err(OLDER.to_owned());
    }
    let name = work.input(1).unwrap_or_default().to_owned();
    match site.rank(work, 1)? {
        0 => return Ok(()),
        1 if site.size(&name, 0) == Some(1) => return Ok(()),
        1 => {}
        more => return Err(format!("slopes of {more} dimensions")),
    }
    let rank = site.rank(work, 0)?;
    match rank {
        // The channels are the last dimension too.
        2 => {}
        3.. => {
            // 0 is the size that is there.
            let sizes: Vec<i64> = (1..rank).map(|at| i64::from(at > 1)).collect();
            aligned(work, site, &sizes);
        }
        _ => return Err(format!("slopes of channels for {rank} dimensions")),
    }
    Ok(())
}

/// Lays the second input out anew, as so many sizes.
fn aligned(work: &mut NodeDraft, site: &mut AdapterContext<'_, '_>, sizes: &[i64]) {
    let input = work.input(1).unwrap_or_default().to_owned();
    let (output, shape) = (site.fresh("aligned"), site.ints("shape", sizes));
    site.before.push((13, NodeDraft::new("Reshape", &[&input, &shape], &[&output])));
    work.put(1, &output);
}
