//! Bodies of requests, with a limit and no long pauses.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt as _;

use crate::problem::{HttpProblem, ProblemKind};

/// The next bytes of a body; none at its end.
///
/// # Errors
/// If nothing comes for `pause`, or the connection breaks.
pub(crate) async fn next(body: &mut Body, pause: Duration) -> Result<Option<Bytes>, HttpProblem> {
    loop {
        let frame = tokio::time::timeout(pause, body.frame()).await.map_err(|_| {
            HttpProblem::new(ProblemKind::Slow, format!("nothing came for {} s", pause.as_secs()))
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
                return Err(HttpProblem::new(ProblemKind::Malformed, detail));
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
) -> Result<Vec<u8>, HttpProblem> {
    let mut whole = Vec::new();
    while let Some(bytes) = next(&mut body, pause).await? {
        if bytes.len() > limit.saturating_sub(whole.len()) {
            let detail = format!("the body has more than {limit} bytes");
            return Err(HttpProblem::new(ProblemKind::TooLarge, detail));
        }
        whole.extend_from_slice(&bytes);
    }
    Ok(whole)
}
