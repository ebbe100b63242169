//! A form that publishes a file as a version of a model, for people with a browser.
//!
//! A browser sends the file with the fields of the form, as `multipart/form-data`, and says neither its size nor its digest
//! before. So it is staged and hashed as it comes, and then goes the way of every upload. Who publishes is known from the head
//! of the request, by the cookie of [`super::session`] too: nothing of the body is read of anybody else.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Redirect, Response};
use bytes::BytesMut;
use http::{StatusCode, header};
use multer::{Constraints, Field, Multipart, SizeLimit};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use unskew_fleet::store::{PendingUpload, TokenRole, UploadChunk};
use unskew_fleet::{Digest, Fleet, check_name};
use unskew_fleet_pages::{Address, Frame, publish};

use super::framed::{html, reader};
use crate::call::EndpointCall;
use crate::endpoint::{Endpoint, EndpointParameter, ParameterShape, Takes};
use crate::incoming;
use crate::problem::{HttpProblem, ProblemKind};
use crate::routes::blocking;
use crate::staging::Staging;
use crate::token;
use crate::verb::HttpMethod;

/// The most bytes of a field that is no file.
const LONGEST: u64 = 2048;

/// How much is written at a time.
const CHUNK: usize = 1 << 20;

pub(super) const PAGES: &[Endpoint] = &[
    Endpoint::new(
        HttpMethod::Get,
        "/publish",
        "page.publish",
        "The form for a version of a model",
        |call| Box::pin(form(call)),
    )
    .parameters(&[EndpointParameter::query(
        "model",
        ParameterShape::Text,
        "the name of the model",
    )]),
    Endpoint::new(
        HttpMethod::Post,
        "/publish",
        "page.publish.post",
        "Publishes a version of a model",
        |call| Box::pin(published(call)),
    )
    .role(Some(TokenRole::Publish))
    .takes(Takes::Bytes)
    .own_time(),
];

async fn form(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (reader, judge) = (reader(&call), unskew_fleet::JudgeIdentity::of_this_program());
    let frame = Frame { reader: &reader, judge: &judge, as_of: call.service.clock().today() };
    let model = call.query("model").unwrap_or_default();
    let may = call.caller.role >= Some(TokenRole::Publish);
    Ok(html(StatusCode::OK, publish(&frame, model, may)))
}

/// A task of its own, so that what has come is kept or taken away also when the browser is gone.
async fn published(call: EndpointCall) -> Result<Response, HttpProblem> {
    let done = tokio::spawn(taken(call)).await;
    done.unwrap_or_else(|_| Err(HttpProblem::new(ProblemKind::Fault, "the work ended in a panic")))
}

async fn taken(mut call: EndpointCall) -> Result<Response, HttpProblem> {
    let limits = call.service.settings().limits;
    let mut fields = fields(&mut call, limits.artifact)?;
    let mut model = None;
    let file = loop {
        let next = paused(limits.pause, fields.next_field()).await?;
        let missing = || HttpProblem::new(ProblemKind::Malformed, "the form has no field `file`");
        let field = next.ok_or_else(missing)?;
        match field.name() {
            Some("model") => model = Some(paused(limits.pause, field.text()).await?),
            _ => break field,
        }
    };
    let model = model.unwrap_or_default().trim().to_owned();
    check_name(&model)?;
    let name = file.file_name().unwrap_or_default().to_owned();
    if name.is_empty() {
        return Err(HttpProblem::new(ProblemKind::Malformed, "no file was chosen"));
    }
    incoming::check_file(&name)?;

    let id = random()?;
    let staging = call.service.staging().clone();
    let staged = stage(file, &staging, &id, limits.piece, limits.pause).await;
    let finished = match staged {
        Ok(staged) => {
            call.service.metrics().uploaded(staged.size);
            finish(&call, &id, model.clone(), name, staged).await
        }
        Err(problem) => Err(problem),
    };
    if let Err(problem) = finished {
        let drop_it = move |fleet: &mut Fleet| {
            let reason = format!("{}: {}", problem.kind.about().code, problem.detail);
            fleet.store().drop_upload(&id, &reason)?;
            staging.forget(&id);
            Ok(problem)
        };
        return Err(call.change(drop_it).await?);
    }
    Ok(Redirect::to(&Address::model(&model).to_string()).into_response())
}

/// The fields of the form, the file of at most `largest` bytes.
fn fields(call: &mut EndpointCall, largest: u64) -> Result<Multipart<'static>, HttpProblem> {
    let media = call.header(header::CONTENT_TYPE.as_str()).unwrap_or_default();
    let boundary = multer::parse_boundary(media).map_err(|error| {
        HttpProblem::new(
            ProblemKind::MediaType,
            format!("the body has to be multipart/form-data: {error}"),
        )
    })?;
    let sizes = SizeLimit::new().per_field(LONGEST).for_field("file", largest);
    let allowed = Constraints::new().allowed_fields(vec!["model", "file"]);
    let body: Body = call.take_body();
    let body = body.into_data_stream();
    Ok(Multipart::with_constraints(body, boundary, allowed.size_limit(sizes)))
}

/// What comes next of the form, if it comes in time.
async fn paused<T>(
    pause: Duration,
    next: impl Future<Output = Result<T, multer::Error>>,
) -> Result<T, HttpProblem> {
    let slow =
        |_| HttpProblem::new(ProblemKind::Slow, format!("nothing came for {} s", pause.as_secs()));
    tokio::time::timeout(pause, next).await.map_err(slow)?.map_err(|error| match error {
        multer::Error::FieldSizeExceeded { limit, field_name } => {
            let field = field_name.unwrap_or_default();
            HttpProblem::new(
                ProblemKind::TooLarge,
                format!("`{field}` has more than {limit} bytes"),
            )
        }
        error => HttpProblem::new(ProblemKind::Malformed, format!("the form: {error}")),
    })
}

/// A file that lies in the staging whole.
struct Staged {
    size: u64,
    digest: Digest,
    pieces: Vec<UploadChunk>,
}

fn random() -> Result<String, HttpProblem> {
    token::random_name().map_err(|error| HttpProblem::new(ProblemKind::Fault, error.to_string()))
}

/// Stages a file in pieces of at most `largest` bytes.
async fn stage(
    mut field: Field<'_>,
    staging: &Staging,
    id: &str,
    largest: u64,
    pause: Duration,
) -> Result<Staged, HttpProblem> {
    let (mut hasher, mut waiting) = (Sha256::new(), BytesMut::new());
    let (mut pieces, mut size) = (Vec::new(), 0_u64);
    let mut open: Option<(NamedTempFile, u64)> = None;
    let piece = usize::try_from(largest).unwrap_or(usize::MAX).clamp(1, CHUNK);
    loop {
        let bytes = paused(pause, field.chunk()).await?;
        let ended = bytes.is_none();
        waiting.extend_from_slice(&bytes.unwrap_or_default());
        while waiting.len() >= piece || (ended && !waiting.is_empty()) {
            let room = open.as_ref().map_or(largest, |(_, held)| largest - held);
            let length = waiting.len().min(piece).min(usize::try_from(room).unwrap_or(piece));
            let chunk = waiting.split_to(length);
            hasher.update(&chunk);
            let (begin, before) = (staging.clone(), open.take());
            let written = blocking(move || {
                let (mut file, held) = match before {
                    Some(open) => open,
                    None => (begin.begin()?, 0),
                };
                file.write_all(&chunk)?;
                Ok((file, held + chunk.len() as u64))
            });
            let (file, held) = written.await?;
            open = Some((file, held));
            if held == largest {
                pieces.push(keep(staging, id, size, open.take()).await?);
                size += held;
            }
        }
        if ended {
            break;
        }
    }
    if let Some(piece) = &open {
        let held = piece.1;
        pieces.push(keep(staging, id, size, open.take()).await?);
        size += held;
    }
    if size == 0 {
        return Err(HttpProblem::new(ProblemKind::Malformed, "the file is empty"));
    }
    let digest = Digest::from_bytes(&hasher.finalize());
    let digest = digest.ok_or_else(|| HttpProblem::new(ProblemKind::Fault, "no SHA-256"))?;
    Ok(Staged { size, digest, pieces })
}

/// Keeps a piece that begins at byte `start` of the file.
async fn keep(
    staging: &Staging,
    id: &str,
    start: u64,
    piece: Option<(NamedTempFile, u64)>,
) -> Result<UploadChunk, HttpProblem> {
    let nothing = || HttpProblem::new(ProblemKind::Fault, "a piece without a file");
    let ((file, size), blob) = (piece.ok_or_else(nothing)?, random()?);
    let (staging, id, name) = (staging.clone(), id.to_owned(), blob.clone());
    blocking(move || staging.keep(&id, &name, file)).await?;
    Ok(UploadChunk { start, size, blob })
}

/// Makes an upload of what is staged, and publishes it.
async fn finish(
    call: &EndpointCall,
    id: &str,
    model: String,
    file: String,
    staged: Staged,
) -> Result<(), HttpProblem> {
    let (most, now) = (call.service.settings().limits.uploads, call.service.clock().unix_seconds());
    let upload = PendingUpload {
        id: id.to_owned(),
        owner: call.caller.key.clone(),
        key: None,
        model,
        file,
        digest: staged.digest,
        size: staged.size,
        members: None,
        received: 0,
        version: None,
        began: call.service.clock().now(),
        touched: now,
    };
    let (staging, signature) = (call.service.staging().clone(), call.signature());
    let (publishing, clock) = (Arc::clone(call.service.publishing()), call.service.clock().clone());
    let work = move |fleet: &mut Fleet| {
        let full = || {
            let detail = format!("{most} uploads are open already");
            HttpProblem::new(ProblemKind::Full, detail).after(Duration::from_secs(60))
        };
        fleet.store().begin_upload(&upload, most)?.ok_or_else(full)?;
        for piece in &staged.pieces {
            if !fleet.store().add_piece(&upload.id, piece, now)? {
                return Err(HttpProblem::new(
                    ProblemKind::Conflict,
                    "the upload was dropped meanwhile",
                ));
            }
        }
        let upload = PendingUpload { received: upload.size, ..upload };
        incoming::finish(fleet, &staging, &upload, &clock)
    };
    let signed = move |fleet: &mut Fleet| {
        fleet.store().sign(Some(signature));
        let done = work(fleet);
        fleet.store().sign(None);
        done
    };
    publishing.with(signed).await.map(drop)
}
