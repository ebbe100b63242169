//! Artifacts: what they are, and their bytes.
//!
//! A file is its bytes. A folder has none of its own: its description lists its files, and each of them is fetched by its
//! path, in which slashes are written `%2F`.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use unskew_artifact::Content;
use unskew_fleet::{Digest, Fleet};
use unskew_source::Source;

use crate::ask::escaped;
use crate::call::{EndpointCall, json};
use crate::endpoint::{Endpoint, EndpointParameter, Gives, ParameterShape, schema};
use crate::problem::{HttpProblem, ProblemKind};
use crate::range::{ByteRange, names, wanted};
use crate::service::Service;
use crate::verb::HttpMethod;

/// How much is read at a time.
const CHUNK: u64 = 1 << 18;

const DIGEST: EndpointParameter =
    EndpointParameter::path("digest", ParameterShape::Digest, "the artifact");
const RANGE: EndpointParameter =
    EndpointParameter::header("range", ParameterShape::Text, "one range of bytes");
const IF_RANGE: EndpointParameter = EndpointParameter::header(
    "if-range",
    ParameterShape::Text,
    "the `ETag` for which the range is meant",
);
const IF_NONE_MATCH: EndpointParameter = EndpointParameter::header(
    "if-none-match",
    ParameterShape::Text,
    "the `ETag` of what the client has",
);
const BYTES: &str = "application/octet-stream";
const GIVES: &[Gives] = &[
    Gives::media(200, "all bytes", BYTES),
    Gives::media(206, "the bytes of the range", BYTES),
    Gives::nothing(304, "the client has them"),
];

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::new(
        HttpMethod::Get,
        "/v1/artifacts/{digest}",
        "artifacts.get",
        "What an artifact is, with the list of its files",
        |call| Box::pin(describe(call)),
    )
    .parameters(&[DIGEST])
    .gives(&[Gives::json(200, "the artifact", schema::<ArtifactBody>)]),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/artifacts/{digest}/content",
        "artifacts.content",
        "The bytes of an artifact that is a file",
        |call| Box::pin(content(call)),
    )
    .parameters(&[DIGEST, RANGE, IF_RANGE, IF_NONE_MATCH])
    .gives(GIVES)
    .refuses(&[ProblemKind::Conflict, ProblemKind::Range])
    .own_time(),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/artifacts/{digest}/files/{path}",
        "artifacts.file",
        "The bytes of a file of an artifact that is a folder",
        |call| Box::pin(member(call)),
    )
    .parameters(&[
        DIGEST,
        EndpointParameter::path(
            "path",
            ParameterShape::Text,
            "the path below the folder, slashes written `%2F`",
        ),
        RANGE,
        IF_RANGE,
        IF_NONE_MATCH,
    ])
    .gives(GIVES)
    .refuses(&[ProblemKind::Range])
    .own_time(),
];

/// An artifact and its files.
#[derive(Serialize, JsonSchema)]
pub struct ArtifactBody {
    /// The digest by which it is found.
    pub artifact: Digest,
    /// The bytes of all its files.
    pub size: u64,
    /// Whether it is a folder.
    pub folder: bool,
    /// The name under which it, or what it was made from, was published first.
    pub file: Option<String>,
    /// The artifact that it was converted from.
    pub made_from: Option<Digest>,
    /// Its files: of a file the one that it is.
    pub files: Vec<FileRow>,
}

/// A file of an artifact.
#[derive(Serialize, JsonSchema)]
pub struct FileRow {
    /// The path below the folder; of a file its name.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// The path from which the file is fetched.
    pub address: String,
}

/// What is known of an artifact, and its bytes.
struct StoredArtifact {
    digest: Digest,
    size: u64,
    made_from: Option<Digest>,
    file: Option<String>,
    content: Content,
}

/// The artifact of an address.
async fn found(call: &EndpointCall) -> Result<StoredArtifact, HttpProblem> {
    let text = call.path("digest").to_owned();
    let digest: Digest = text
        .parse()
        .map_err(|error| HttpProblem::new(ProblemKind::Malformed, format!("{error}")))?;
    let find = move |fleet: &mut Fleet| {
        let known = fleet.store().artifact(&digest)?;
        let (size, made_from) = known.ok_or_else(|| HttpProblem::not_there("artifact", &text))?;
        let file = fleet.store().file_of(&digest)?;
        let content = fleet.depot().content(&digest, file.as_deref().unwrap_or("artifact"))?;
        Ok(StoredArtifact { digest, size, made_from, file, content })
    };
    call.fleet(find).await
}

async fn describe(call: EndpointCall) -> Result<Response, HttpProblem> {
    let found = found(&call).await?;
    let folder = matches!(found.content, Content::Folder { .. });
    let row = |part: &unskew_artifact::ArtifactFile| FileRow {
        path: part.name.clone(),
        size: part.source.size(),
        address: match folder {
            true => format!("/v1/artifacts/{}/files/{}", found.digest, escaped(&part.name)),
            false => format!("/v1/artifacts/{}/content", found.digest),
        },
    };
    let body = ArtifactBody {
        artifact: found.digest,
        size: found.size,
        folder,
        files: found.content.parts().iter().map(row).collect(),
        made_from: found.made_from,
        file: found.file,
    };
    Ok(json(StatusCode::OK, &body))
}

async fn content(call: EndpointCall) -> Result<Response, HttpProblem> {
    let found = found(&call).await?;
    let Content::File(part) = found.content else {
        let detail =
            format!("a folder has no bytes of its own; its files are listed: {}", found.digest);
        return Err(HttpProblem::new(ProblemKind::Conflict, detail));
    };
    let file = found.file.unwrap_or_else(|| "artifact".to_owned());
    given(&call, part.source, &format!("\"{}\"", found.digest), &file)
}

async fn member(call: EndpointCall) -> Result<Response, HttpProblem> {
    let found = found(&call).await?;
    let path = call.path("path");
    let part = found.content.parts().iter().find(|part| part.name == path);
    let folder = matches!(found.content, Content::Folder { .. });
    let part = part.filter(|_| folder).ok_or_else(|| HttpProblem::not_there("file", path))?;
    let name = path.rsplit('/').next().unwrap_or(path);
    // The folder never changes, so its digest and the path name the bytes.
    let etag = format!("\"{}/{}\"", found.digest, Digest::sha256(path).short());
    given(&call, Arc::clone(&part.source), &etag, name)
}

/// The bytes that are asked for.
fn given(
    call: &EndpointCall,
    source: Arc<dyn Source>,
    etag: &str,
    file: &str,
) -> Result<Response, HttpProblem> {
    let size = source.size();
    if call.header("if-none-match").is_some_and(|list| names(list, etag, true)) {
        let response = Response::builder().status(StatusCode::NOT_MODIFIED);
        return built(response.header(header::ETAG, etag), Body::empty());
    }
    let meant = call.header("if-range").is_none_or(|name| name.trim() == etag);
    let range = call.header("range").filter(|_| meant);
    let (status, start, length) = match range.map_or(ByteRange::Whole, |range| wanted(range, size))
    {
        ByteRange::Whole => (StatusCode::OK, 0, size),
        ByteRange::Part { start, length } => (StatusCode::PARTIAL_CONTENT, start, length),
        ByteRange::Unsatisfiable => {
            let range = range.unwrap_or_default();
            let detail = format!("one range of {size} bytes can be given: {range}");
            let problem = HttpProblem::new(ProblemKind::Range, detail);
            return Err(problem.with("content-range", format!("bytes */{size}")));
        }
    };
    let mut response = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, BYTES)
        .header(header::CONTENT_LENGTH, length)
        .header(header::ACCEPT_RANGES, "bytes")
        .header(header::ETAG, etag)
        .header(header::CACHE_CONTROL, "private, max-age=31536000, immutable")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .header(header::CONTENT_DISPOSITION, disposition(file));
    if status == StatusCode::PARTIAL_CONTENT {
        let last = start + length - 1;
        response = response.header(header::CONTENT_RANGE, format!("bytes {start}-{last}/{size}"));
    }
    let body = match call.head {
        true => Body::empty(),
        false => bytes(Arc::clone(&call.service), source, start, length),
    };
    built(response, body)
}

fn built(builder: http::response::Builder, body: Body) -> Result<Response, HttpProblem> {
    builder.body(body).map_err(|error| HttpProblem::new(ProblemKind::Fault, error.to_string()))
}

/// Some bytes of a source, a chunk at a time, read where reading may wait.
fn bytes(service: Arc<Service>, source: Arc<dyn Source>, start: u64, length: u64) -> Body {
    let end = start + length;
    Body::from_stream(stream::try_unfold(start, move |at| {
        let (service, source) = (Arc::clone(&service), Arc::clone(&source));
        async move {
            if at >= end {
                return Ok(None);
            }
            let wanted = usize::try_from((end - at).min(CHUNK)).unwrap_or(0);
            let read = tokio::task::spawn_blocking(move || read(&*source, at, wanted));
            let chunk = read.await.map_err(io::Error::other)??;
            service.metrics().downloaded(chunk.len() as u64);
            let next = at + chunk.len() as u64;
            Ok::<_, io::Error>(Some((chunk, next)))
        }
    }))
}

fn read(source: &dyn Source, at: u64, wanted: usize) -> io::Result<Bytes> {
    let mut buffer = vec![0; wanted];
    loop {
        match source.read_at(at, &mut buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                buffer.truncate(n);
                return Ok(Bytes::from(buffer));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A name for whoever saves the file, as RFC 6266 has it: in letters that everybody takes, and in full.
fn disposition(file: &str) -> HeaderValue {
    let plain = |char: char| match char {
        ' '..='~' if !matches!(char, '"' | '\\' | '%' | '/') => char,
        _ => '_',
    };
    let simple: String = file.chars().map(plain).collect();
    let text = format!("attachment; filename=\"{simple}\"; filename*=UTF-8''{}", escaped(file));
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_for_a_file_ends_no_line_and_leaves_no_folder() {
        let shown = |file: &str| disposition(file).to_str().unwrap().to_owned();
        assert_eq!(shown("net.pt"), "attachment; filename=\"net.pt\"; filename*=UTF-8''net.pt");
        assert!(shown("a\"b\\c/d\r\nx: y").starts_with("attachment; filename=\"a_b_c_d__x: y\";"));
        assert!(shown("a\r\n").ends_with("UTF-8''a%0D%0A"));
        assert!(shown("\u{fc}.pt").contains("filename=\"_.pt\"; filename*=UTF-8''%C3%BC.pt"));
    }
}
