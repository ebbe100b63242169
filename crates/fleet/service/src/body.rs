//! Bodies of requests, with a limit and no long pauses.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt as _;

use crate::problem::{Kind, Problem};

/// The next bytes of a body; none at its end.
///
/// # Errors
/// If nothing comes for `pause`, or the connection breaks.
pub(crate) async fn next(body: &mut Body, pause: Duration) -> Result<Option<Bytes>, Problem> {
    loop {
        let frame = tokio::time::timeout(pause, body.frame()).await.map_err(|_| {
            Problem::new(Kind::Slow, format!("nothing came for {} s", pause.as_secs()))
        })?;
        match frame {
            None => return Ok(None),
            Some(Ok(frame)) => {
                // Trailers say nothing here.
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
            Some(Err(error)) => {
                let detail = format!("the body broke off: {error}");
                return Err(Problem::new(Kind::Malformed, detail));
            }
        }
    }
}

/// A whole body of at most `limit` bytes.
///
/// # Errors
/// If it is larger, or as [`next`].
pub(crate) async fn whole(
    mut body: Body,
    limit: usize,
    pause: Duration,
) -> Result<Vec<u8>, Problem> {
    let mut whole = Vec::new();
    while let Some(bytes) = next(&mut body, pause).await? {
        if bytes.len() > limit.saturating_sub(whole.len()) {
            let detail = format!("the body has more than {limit} bytes");
            return Err(Problem::new(Kind::TooLarge, detail));
        }
        whole.extend_from_slice(&bytes);
    }
    Ok(whole)
}
