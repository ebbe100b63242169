//! Layout of an array on its device: the order of its axes.

use unskew_ifrt::types::{Ifrt, Layout};
use unskew_serdes::proto::decode;

use crate::status::Status;
use crate::xla;

/// The axes in the order of an encoded `Layout`, the fastest first; none if that is row by row, as plug-ins lay arrays out
/// that are told nothing.
///
/// # Errors
/// INVALID_ARGUMENT if it is no order of so many axes; UNIMPLEMENTED if there is more to it, such as tiles.
pub fn minor_to_major(layout: &[u8], rank: usize) -> Result<Option<Vec<i64>>, Status> {
    let order: Vec<i64> = match decode::<Ifrt, Layout>(layout)? {
        Layout::Compact(compact) => {
            compact.major_to_minor.iter().rev().copied().map(i64::from).collect()
        }
        Layout::PjRt(of) if of.xla_layout.0.is_empty() => return Ok(None),
        Layout::PjRt(of) => xla::minor_to_major(&of.xla_layout.0)?,
    };
    let rows: Vec<i64> = (0..).take(rank).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != rows {
        return Err(Status::invalid(format!("no order of {rank} axes: {order:?}")));
    }
    Ok((!order.iter().rev().eq(&rows)).then_some(order))
}

#[cfg(test)]
mod tests {
    use unskew_ifrt::types::{CompactLayout, PjRtLayout, XlaLayout};
    use unskew_serdes::default_version;
    use unskew_serdes::proto::encode;

    use super::*;
    use crate::status::StatusCode;

    fn order(layout: Layout) -> Result<Option<Vec<i64>>, StatusCode> {
        let encoded = encode(&layout, default_version::<Ifrt>()).unwrap();
        minor_to_major(&encoded, 2).map_err(|status| status.code)
    }

    #[test]
    fn an_order_of_axes_is_read_from_either_kind_of_layout() {
        let compact =
            |axes: &[i32]| order(Layout::Compact(CompactLayout { major_to_minor: axes.to_vec() }));
        assert_eq!(compact(&[0, 1]), Ok(None));
        assert_eq!(compact(&[1, 0]), Ok(Some(vec![0, 1])));
        for wrong in [&[0][..], &[0, 0], &[0, 2], &[0, -1], &[0, 1, 2]] {
            assert_eq!(compact(wrong), Err(StatusCode::InvalidArgument), "{wrong:?}");
        }
        let xla = |bytes: &[u8]| {
            order(Layout::PjRt(PjRtLayout { xla_layout: XlaLayout(bytes.to_vec()) }))
        };
        assert_eq!(xla(&[]), Ok(None));
        assert_eq!(xla(&[0x0a, 2, 1, 0]), Ok(None));
        assert_eq!(xla(&[0x0a, 2, 0, 1]), Ok(Some(vec![0, 1])));
        assert_eq!(xla(&[0x0a, 2, 0, 1, 0x80, 1, 1]), Ok(Some(vec![0, 1])));
        assert_eq!(xla(&[0x0a, 2, 0, 1, 0x32, 2, 0x0a, 0]), Err(StatusCode::Unimplemented));
        assert_eq!(xla(&[0x0a, 2, 0]), Err(StatusCode::InvalidArgument));
        assert!(minor_to_major(&[0xff], 2).is_err());
    }
}
