//! Uploads: begun with what will come, brought in pieces, finished.
//!
//! ```text
//! POST /v1/uploads              { model, file, digest, size }        201, Location
//! PATCH /v1/uploads/{upload}    Upload-Offset: 0, bytes              204, Upload-Offset: 65536
//! HEAD /v1/uploads/{upload}                                          200, Upload-Offset: 65536
//! PATCH ...
//! POST /v1/uploads/{upload}/finish                                   201, the version
//! ```
//!
//! A connection that breaks, or a server that ends, loses what has not been acknowledged and nothing else: `HEAD`
//! says from where on. What had come of a piece when its connection broke is kept too. Any server on the same database
//! and the same artifacts takes the next piece.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::BytesMut;
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use unskew_fleet::store::{PendingUpload, TokenRole, UploadChunk};
use unskew_fleet::{Digest, Fleet, check_name};

use crate::body;
use crate::call::{EndpointCall, empty, json};
use crate::endpoint::{Endpoint, EndpointParameter, Gives, ParameterShape, Takes, schema};
use crate::incoming::{self, UploadMember};
use crate::problem::{HttpProblem, ProblemKind};
use crate::token;
use crate::verb::HttpMethod;

const PUBLISH: Option<TokenRole> = Some(TokenRole::Publish);
const UPLOAD: EndpointParameter =
    EndpointParameter::path("upload", ParameterShape::Text, "the upload");
const OFFSET: &str = "upload-offset";

/// How much is written at a time.
const CHUNK: usize = 1 << 20;

const LONGEST_KEY: usize = 255;

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::new(
        HttpMethod::Post,
        "/v1/uploads",
        "uploads.begin",
        "Begins an upload; the same again with the same key is found and not begun anew",
        |call| Box::pin(begin(call)),
    )
    .role(PUBLISH)
    .parameters(&[EndpointParameter::header(
        "idempotency-key",
        ParameterShape::Text,
        "a name that the client gives to this upload, such as a random one",
    )])
    .takes(Takes::Json(schema::<NewUpload>))
    .gives(&[
        Gives::json(200, "it was begun before", schema::<UploadBody>),
        Gives::json(201, "it is begun", schema::<UploadBody>),
    ])
    .refuses(&[ProblemKind::Conflict, ProblemKind::Digest, ProblemKind::Full]),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/uploads",
        "uploads.list",
        "The uploads that the caller has open, oldest first; an admin sees those of all",
        |call| Box::pin(list(call)),
    )
    .role(PUBLISH)
    .gives(&[Gives::json(200, "the uploads", schema::<Vec<UploadBody>>)]),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/uploads/{upload}",
        "uploads.get",
        "How far an upload is; `HEAD` says it in `Upload-Offset` and `Upload-Length`",
        |call| Box::pin(get(call)),
    )
    .role(PUBLISH)
    .parameters(&[UPLOAD])
    .gives(&[Gives::json(200, "the upload", schema::<UploadBody>)]),
    Endpoint::new(
        HttpMethod::Patch,
        "/v1/uploads/{upload}",
        "uploads.piece",
        "Adds a piece that begins where the upload ends",
        |call| Box::pin(piece(call)),
    )
    .role(PUBLISH)
    .parameters(&[
        UPLOAD,
        EndpointParameter::header(
            "upload-offset",
            ParameterShape::Number,
            "the place of its first byte",
        )
        .needed(),
    ])
    .takes(Takes::Bytes)
    .gives(&[Gives::nothing(204, "it has come; `Upload-Offset` says how far the upload is")])
    .refuses(&[ProblemKind::Conflict])
    .own_time(),
    Endpoint::new(
        HttpMethod::Post,
        "/v1/uploads/{upload}/finish",
        "uploads.finish",
        "Publishes what has come, if it is what was announced and can be read",
        |call| Box::pin(finish(call)),
    )
    .role(PUBLISH)
    .parameters(&[UPLOAD])
    .gives(&[Gives::json(200, "it is published", schema::<PublishedUpload>)])
    .refuses(&[ProblemKind::Conflict, ProblemKind::Refused, ProblemKind::Digest])
    .own_time(),
    Endpoint::new(
        HttpMethod::Delete,
        "/v1/uploads/{upload}",
        "uploads.delete",
        "Drops an upload that has published nothing",
        |call| Box::pin(drop_upload(call)),
    )
    .role(PUBLISH)
    .parameters(&[UPLOAD])
    .gives(&[Gives::nothing(204, "it is gone")])
    .refuses(&[ProblemKind::Conflict]),
];

/// What the client will send.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewUpload {
    /// The model that it will be a version of.
    pub model: String,
    /// The name of the file or folder.
    pub file: String,
    /// What it will be: of a file the SHA-256 of its bytes, of a folder that of its list, as the depot has it.
    pub digest: Digest,
    /// How many bytes will come.
    pub size: u64,
    /// Of a folder its files, in the order in which their bytes come.
    #[serde(default)]
    pub files: Option<Vec<UploadMember>>,
}

/// An upload that is not complete.
#[derive(Serialize, JsonSchema)]
pub struct UploadBody {
    /// The name by which the client goes on with it.
    pub upload: String,
    /// The model that it will be a version of.
    pub model: String,
    /// The name of the file or folder.
    pub file: String,
    /// What it will be.
    pub digest: Digest,
    /// How many bytes will come.
    pub size: u64,
    /// How many have come.
    pub received: u64,
    /// The largest piece that is taken.
    pub largest_piece: u64,
    /// The version that was published of it.
    pub version: Option<i64>,
    /// When it was begun.
    pub began: String,
}

/// What was published with the upload.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Published")]
pub struct PublishedUpload {
    /// The name of the model.
    pub model: String,
    /// The number of the new version.
    pub version: i64,
    /// The digest of the artifact.
    pub artifact: Digest,
}

fn shown(call: &EndpointCall, upload: &PendingUpload) -> UploadBody {
    UploadBody {
        upload: upload.id.clone(),
        model: upload.model.clone(),
        file: upload.file.clone(),
        digest: upload.digest,
        size: upload.size,
        received: upload.received,
        largest_piece: call.service.settings().limits.piece,
        version: upload.version,
        began: upload.began.clone(),
    }
}

async fn begin(mut call: EndpointCall) -> Result<Response, HttpProblem> {
    let NewUpload { model, file, digest, size, files } = call.json().await?;
    check_name(&model)?;
    incoming::check_file(&file)?;
    let limits = call.service.settings().limits;
    if size > limits.artifact {
        let detail = format!("an artifact has at most {} bytes, not {size}", limits.artifact);
        return Err(HttpProblem::new(ProblemKind::TooLarge, detail));
    }
    if let Some(files) = &files {
        incoming::check_members(files, &digest, size)?;
    }
    let key = call.header("idempotency-key").map(str::to_owned);
    if key.as_ref().is_some_and(|key| key.is_empty() || key.len() > LONGEST_KEY) {
        let detail = format!("an Idempotency-Key has 1 to {LONGEST_KEY} characters");
        return Err(HttpProblem::new(ProblemKind::Malformed, detail));
    }
    let id = token::random_name()
        .map_err(|error| HttpProblem::new(ProblemKind::Fault, error.to_string()))?;
    let upload = PendingUpload {
        id,
        owner: call.caller.key.clone(),
        key,
        model,
        file,
        digest,
        size,
        members: files.map(|files| serde_json::to_string(&files).unwrap_or_default()),
        received: 0,
        version: None,
        began: call.service.clock().now(),
        touched: call.service.clock().unix_seconds(),
    };
    let wanted = upload.clone();
    let begun =
        call.change(move |fleet| Ok(fleet.store().begin_upload(&upload, limits.uploads)?)).await?;
    let full = || {
        let detail = format!("{} uploads are open already", limits.uploads);
        HttpProblem::new(ProblemKind::Full, detail).after(Duration::from_secs(60))
    };
    let begun = begun.ok_or_else(full)?;
    let announced = |one: &PendingUpload| {
        (one.model.clone(), one.file.clone(), one.digest, one.size, one.members.clone())
    };
    if announced(&begun) != announced(&wanted) {
        let detail = "this Idempotency-Key began another upload";
        return Err(HttpProblem::new(ProblemKind::Conflict, detail));
    }
    let new = begun.id == wanted.id;
    let mut response =
        json(if new { StatusCode::CREATED } else { StatusCode::OK }, &shown(&call, &begun));
    if let Ok(place) = HeaderValue::from_str(&format!("/v1/uploads/{}", begun.id)) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

/// Whether an upload is the caller's to see.
fn may_see(call: &EndpointCall, upload: &PendingUpload) -> bool {
    upload.owner == call.caller.key || call.caller.role == Some(TokenRole::Admin)
}

async fn list(call: EndpointCall) -> Result<Response, HttpProblem> {
    let open = call.fleet(|fleet| Ok(fleet.store().open_uploads()?)).await?;
    let own = open.iter().filter(|upload| may_see(&call, upload));
    let own: Vec<UploadBody> = own.map(|upload| shown(&call, upload)).collect();
    let mut response = json(StatusCode::OK, &own);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// The upload of an address, if the caller began it or is an admin.
async fn found(call: &EndpointCall) -> Result<PendingUpload, HttpProblem> {
    let id = call.path("upload").to_owned();
    let missing = HttpProblem::not_there("upload", &id);
    let known = call.fleet(move |fleet| Ok(fleet.store().upload(&id)?)).await?;
    known.filter(|upload| may_see(call, upload)).ok_or(missing)
}

fn offset(response: &mut Response, received: u64) {
    response.headers_mut().insert(OFFSET, HeaderValue::from(received));
}

async fn get(call: EndpointCall) -> Result<Response, HttpProblem> {
    let upload = found(&call).await?;
    let mut response = json(StatusCode::OK, &shown(&call, &upload));
    offset(&mut response, upload.received);
    response.headers_mut().insert("upload-length", HeaderValue::from(upload.size));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// That the upload is elsewhere than the client thinks.
fn elsewhere(upload: &PendingUpload, sent: u64) -> HttpProblem {
    let PendingUpload { received, size, .. } = upload;
    let detail = format!("{received} of {size} bytes have come, and the piece begins at {sent}");
    HttpProblem::new(ProblemKind::Conflict, detail).with(OFFSET, received.to_string())
}

/// A task of its own: what has come is kept, also when the connection that brought it is gone and with it whoever
/// waits for the answer.
async fn piece(call: EndpointCall) -> Result<Response, HttpProblem> {
    let kept = tokio::spawn(brought(call)).await;
    kept.unwrap_or_else(|_| Err(HttpProblem::new(ProblemKind::Fault, "the work ended in a panic")))
}

async fn brought(mut call: EndpointCall) -> Result<Response, HttpProblem> {
    let needed = || HttpProblem::new(ProblemKind::Malformed, "a piece needs an Upload-Offset");
    let start = call.number(OFFSET)?.ok_or_else(needed)?;
    let upload = found(&call).await?;
    if upload.version.is_some() || upload.received != start {
        return Err(elsewhere(&upload, start));
    }
    let limits = call.service.settings().limits;
    let room = (upload.size - upload.received.min(upload.size)).min(limits.piece);
    if let Some(length) = call.number(header::CONTENT_LENGTH.as_str())?
        && length > room
    {
        return Err(too_long(room));
    }
    let body = call.take_body();
    let staging = call.service.staging().clone();
    let begin = staging.clone();
    let file = blocking(move || Ok(begin.begin()?)).await?;
    let (file, size, broken) = received(body, file, room, limits.pause).await?;
    if size == 0 {
        return match broken {
            Some(problem) => Err(problem),
            None => Err(HttpProblem::new(ProblemKind::Malformed, "a piece has at least one byte")),
        };
    }
    call.service.metrics().uploaded(size);
    let blob = token::random_name()
        .map_err(|error| HttpProblem::new(ProblemKind::Fault, error.to_string()))?;
    let piece = UploadChunk { start, size, blob };
    let (id, known) = (upload.id.clone(), piece.clone());
    let keep = staging.clone();
    blocking(move || keep.keep(&id, &known.blob, file)).await?;
    let (id, known, now) = (upload.id.clone(), piece.clone(), call.service.clock().unix_seconds());
    let added = call.fleet(move |fleet| Ok(fleet.store().add_piece(&id, &known, now)?)).await;
    // After an error nobody knows whether the database has it; if not, it is swept away.
    if !added? {
        let id = upload.id.clone();
        let dropped = move || {
            staging.drop_piece(&id, &piece.blob);
            Ok(())
        };
        blocking(dropped).await?;
        let now = found(&call).await?;
        return Err(elsewhere(&now, start));
    }
    if let Some(problem) = broken {
        return Err(problem);
    }
    let mut response = empty(StatusCode::NO_CONTENT);
    offset(&mut response, start + size);
    Ok(response)
}

fn too_long(room: u64) -> HttpProblem {
    HttpProblem::new(
        ProblemKind::TooLarge,
        format!("at most {room} more bytes are taken in one piece"),
    )
}

/// Some work on a thread that may wait.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, HttpProblem> + Send + 'static,
) -> Result<T, HttpProblem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(HttpProblem::new(ProblemKind::Fault, "the work ended in a panic")))
}

/// Writes a body to a file. If it breaks off, that is said beside what had come until then; if it is longer than
/// there is room, nothing of it is taken.
async fn received(
    mut body: Body,
    mut file: NamedTempFile,
    room: u64,
    pause: Duration,
) -> Result<(NamedTempFile, u64, Option<HttpProblem>), HttpProblem> {
    let (mut size, mut waiting, mut broken) = (0_u64, BytesMut::new(), None);
    loop {
        let ended = match body::next(&mut body, pause).await {
            Ok(Some(bytes)) => {
                size += bytes.len() as u64;
                waiting.extend_from_slice(&bytes);
                false
            }
            Ok(None) => true,
            Err(problem) => {
                broken = Some(problem);
                true
            }
        };
        if size > room {
            return Err(too_long(room));
        }
        if waiting.len() >= CHUNK || (ended && !waiting.is_empty()) {
            let chunk = waiting.split();
            file = blocking(move || {
                file.write_all(&chunk)?;
                Ok(file)
            })
            .await?;
        }
        if ended {
            return Ok((file, size, broken));
        }
    }
}

async fn finish(call: EndpointCall) -> Result<Response, HttpProblem> {
    let upload = found(&call).await?;
    let (staging, signature) = (call.service.staging().clone(), call.signature());
    let (publishing, clock) = (Arc::clone(call.service.publishing()), call.service.clock().clone());
    let finish = move |fleet: &mut Fleet| {
        // Somebody else may have finished it meanwhile.
        let missing = || HttpProblem::not_there("upload", &upload.id);
        let upload = fleet.store().upload(&upload.id)?.ok_or_else(missing)?;
        fleet.store().sign(Some(signature));
        let version = incoming::finish(fleet, &staging, &upload, &clock);
        fleet.store().sign(None);
        Ok(PublishedUpload { version: version?, model: upload.model, artifact: upload.digest })
    };
    let published = publishing.with(finish).await?;
    Ok(json(StatusCode::OK, &published))
}

async fn drop_upload(call: EndpointCall) -> Result<Response, HttpProblem> {
    let upload = found(&call).await?;
    let (id, staging) = (upload.id.clone(), call.service.staging().clone());
    let drop_it = move |fleet: &mut Fleet| {
        let gone = fleet.store().drop_upload(&id, "dropped")?;
        if gone {
            staging.forget(&id);
        }
        Ok(gone)
    };
    if call.change(drop_it).await? {
        return Ok(empty(StatusCode::NO_CONTENT));
    }
    Err(HttpProblem::new(ProblemKind::Conflict, "it is published, and stays"))
}
