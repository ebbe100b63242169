//! Listing of the objects below a prefix.

use std::sync::mpsc::{Receiver, sync_channel};

use futures_util::StreamExt as _;
use object_store::ObjectMeta;

use crate::client::Client;
use crate::{ListedObject, ObjectError, waiting};

/// How many entries are handed over at once, as many as a page of S3 has.
const PAGE: usize = 1000;
/// How many pages wait to be taken.
const AHEAD: usize = 2;

/// Entries, or why there are no more.
type Page = Vec<Result<ListedObject, ObjectError>>;

/// The objects below a prefix, as the store sends them: ordered by key in S3 and Google's, in no order
/// elsewhere. Pages are fetched while entries are taken.
#[derive(Debug)]
pub struct ObjectListing {
    pages: Receiver<Page>,
    page: std::vec::IntoIter<Result<ListedObject, ObjectError>>,
    ended: bool,
}

impl ObjectListing {
    pub(crate) fn start(client: &Client, prefix: &str) -> Self {
        let (sender, pages) = sync_channel(AHEAD);
        let failed = |error| Self {
            pages: sync_channel(AHEAD).1,
            page: vec![Err(error)].into_iter(),
            ended: false,
        };
        let uri = client.uri(prefix);
        let (store, owner) = (client.store().clone(), client.clone());
        let path = match client.location(prefix) {
            Ok(path) => path,
            Err(error) => return failed(error),
        };
        let asked = uri.clone();
        let started = waiting::start(&uri, async move {
            let mut found = store.list(Some(&path)).ready_chunks(PAGE);
            while let Some(page) = found.next().await {
                let entry =
                    |meta: ObjectMeta| ListedObject::new(owner.key_of(&meta.location), &meta);
                let failure = |error| ObjectError::of_store(&asked, error);
                let page = page.into_iter().map(|one| one.map(entry).map_err(failure)).collect();
                let sender = sender.clone();
                // A full channel would block one of the threads that drive requests.
                let sent = tokio::task::spawn_blocking(move || sender.send(page).is_ok()).await;
                if !matches!(sent, Ok(true)) {
                    return;
                }
            }
        });
        match started {
            Ok(()) => Self { pages, page: Vec::new().into_iter(), ended: false },
            Err(error) => failed(error),
        }
    }
}

impl Iterator for ObjectListing {
    type Item = Result<ListedObject, ObjectError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.page.next() {
                Some(entry) => {
                    // After an error comes nothing that could be relied on.
                    self.ended = entry.is_err();
                    return Some(entry);
                }
                None => match self.pages.recv() {
                    Ok(page) => self.page = page.into_iter(),
                    Err(_) => self.ended = true,
                },
            }
        }
        None
    }
}
