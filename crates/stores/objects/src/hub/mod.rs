//! The Hugging Face hub as a store: `hf://org/model@revision/file`.
//!
//! ```text
//! revision ─▶ commit (asked once) ─▶ tree: paths, sizes, digests (asked once) ─▶ files of that commit, by range
//! ```
//!
//! A revision may move while a model is read, a commit never changes. So the first request asks for the commit, and all
//! others name it. Nothing is written.
//!
//! Source: the API of the hub, <https://huggingface.co/docs/hub/api>; the form of the URI is that of `HfFileSystem`,
//! <https://huggingface.co/docs/huggingface_hub/guides/hf_file_system>.

mod api;
mod hub_repository;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, Error, Extensions, GetOptions, GetResult, GetResultPayload,
    ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions,
    PutPayload, PutResult, Result,
};
use tokio::sync::OnceCell;

use crate::StoreSettings;

use hub_repository::Repository;
pub(crate) use hub_repository::root_len;

/// The name of this store in errors.
const STORE: &str = "Hugging Face hub";

/// A repository at a revision.
pub(crate) struct Hub(Arc<Shared>);

struct Shared {
    repository: Repository,
    api: api::Api,
    opened: OnceCell<Opened>,
}

/// What a repository has at one commit.
struct Opened {
    files: Box<dyn ObjectStore>,
    tree: BTreeMap<Path, ObjectMeta>,
}

impl Hub {
    /// The repository that a root such as `hf://org/model@main` names. Nothing is asked yet.
    pub(crate) fn new(root: &str, settings: &StoreSettings) -> Result<Self> {
        let repository = Repository::parse(root).ok_or_else(|| Error::Generic {
            store: STORE,
            source: "no repository is named".into(),
        })?;
        let api = api::Api::new(settings)?;
        Ok(Self(Arc::new(Shared { repository, api, opened: OnceCell::new() })))
    }
}

impl Shared {
    async fn opened(&self) -> Result<&Opened> {
        let open = || async {
            let commit = self.api.commit(&self.repository).await?;
            let tree = self.api.tree(&self.repository, &commit).await?;
            let files = self.api.files(&self.repository, &commit.sha)?;
            Ok(Opened { files, tree })
        };
        self.opened.get_or_try_init(open).await
    }

    /// What lies below `prefix`.
    async fn below(&self, prefix: Option<&Path>) -> Result<Vec<ObjectMeta>> {
        let opened = self.opened().await?;
        let is_below =
            |path: &Path| prefix.is_none_or(|prefix| path != prefix && path.prefix_matches(prefix));
        let found = opened.tree.iter().filter(|(path, _)| is_below(path));
        Ok(found.map(|(_, meta)| meta.clone()).collect())
    }
}

#[async_trait]
impl ObjectStore for Hub {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let opened = self.0.opened().await?;
        let Some(meta) = opened.tree.get(location) else {
            let source = format!("{} has no such file", self.0.repository).into();
            return Err(Error::NotFound { path: location.to_string(), source });
        };
        if options.head {
            return Ok(GetResult {
                payload: GetResultPayload::Stream(stream::empty().boxed()),
                meta: meta.clone(),
                range: 0..meta.size,
                attributes: Attributes::default(),
                extensions: Extensions::default(),
            });
        }
        // A file of a commit does not change, so there is no condition to send.
        let asked = GetOptions { range: options.range, ..GetOptions::default() };
        let mut answer = opened.files.get_opts(location, asked).await?;
        if answer.meta.size != meta.size {
            let (is, said) = (answer.meta.size, meta.size);
            let source = format!("sent {is} bytes where its list of files says {said}").into();
            return Err(Error::Generic { store: STORE, source });
        }
        answer.meta = meta.clone();
        Ok(answer)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let (hub, prefix) = (self.0.clone(), prefix.cloned());
        let found = async move {
            match hub.below(prefix.as_ref()).await {
                Ok(found) => stream::iter(found.into_iter().map(Ok)).boxed(),
                Err(error) => stream::iter([Err(error)]).boxed(),
            }
        };
        stream::once(found).flatten().boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let objects = self.0.below(prefix).await?;
        Ok(ListResult { common_prefixes: Vec::new(), objects, extensions: Extensions::default() })
    }

    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        Err(not_written("put"))
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(not_written("put_multipart"))
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        stream::iter([Err(not_written("delete"))]).boxed()
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(not_written("copy"))
    }
}

fn not_written(what: &str) -> Error {
    let what = format!("{what}: nothing is written to the hub; use `hf upload`");
    Error::NotSupported { source: what.into() }
}

impl fmt::Display for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.repository.fmt(f)
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hub").field(&self.0.repository).finish()
    }
}
