//! Package indexes of Python: the files of a package, as the simple repository API lists them, in JSON or HTML.

use std::io::Write;

use percent_encoding::percent_decode_str;
use reqwest::Url;
use serde::Deserialize;

use crate::RegistryError;
use crate::http::{Auth, Http};

/// The media types, the one that says most first.
const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/// The most bytes of a page, and files on it.
const PAGE: usize = 64 << 20;
const FILES: usize = 100_000;

/// A file that an index lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexFile {
    /// The name of the file: `torch-2.7.1-cp311-cp311-manylinux_2_28_x86_64.whl`.
    pub name: String,
    /// Where it lies, without a fragment.
    pub url: String,
    /// Its SHA-256 in hexadecimal digits, if the index says it.
    pub sha256: Option<String>,
}

#[derive(Deserialize)]
struct Page {
    files: Vec<SimpleIndexFile>,
}

#[derive(Deserialize)]
struct SimpleIndexFile {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: std::collections::BTreeMap<String, String>,
}

/// A package index at a URL: `https://pypi.org/simple`. A user with a password in it is told to that server alone.
pub struct PackageIndex {
    url: Url,
    http: Http,
}

impl PackageIndex {
    /// An index that is not asked yet.
    ///
    /// # Errors
    /// If it is no URL.
    pub fn new(url: &str) -> Result<Self, RegistryError> {
        let url = Url::parse(url.trim_end_matches('/'));
        let mut url =
            url.map_err(|error| RegistryError::failed("the URL of a package index", error))?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let password = url.password().map(decoded).unwrap_or_default();
        let auth = match url.username() {
            "" => Auth::Nobody,
            user => Auth::Basic(decoded(user), password),
        };
        // Messages show the URL, and no password. Only URLs without a host have no place for one.
        let _ = (url.set_username(""), url.set_password(None));
        let fix = "name another index, or one with a user and password: https://USER:PASSWORD@HOST/simple";
        Ok(Self { url, http: Http::new(auth, fix)? })
    }

    /// The files of a package, by its normalized name (`torch-c-dlpack-ext`).
    ///
    /// # Errors
    /// If the index does not answer, does not know the package, or answers with neither JSON nor HTML.
    pub fn files(&self, package: &str) -> Result<Vec<IndexFile>, RegistryError> {
        let url = format!("{}/{package}/", self.url.as_str().trim_end_matches('/'));
        let bytes = self.http.bytes(&url, Some(ACCEPT), PAGE)?;
        let text = String::from_utf8_lossy(&bytes);
        let files = match text.trim_start().starts_with('{') {
            true => of_json(&text).map_err(|error| RegistryError::failed(&url, error))?,
            false => of_html(&text),
        };
        let whole = files.into_iter().take(FILES).filter_map(|file| {
            let url = Url::parse(&url).ok()?.join(&file.url).ok()?;
            let is_web = ["http", "https"].contains(&url.scheme());
            is_web.then(|| IndexFile { url: url.to_string(), ..file })
        });
        Ok(whole.collect())
    }

    /// Writes the bytes of a file.
    ///
    /// # Errors
    /// If it is not read whole.
    pub fn fetch(&self, file: &IndexFile, out: &mut dyn Write) -> Result<(), RegistryError> {
        let is_own = Url::parse(&file.url).is_ok_and(|url| url.origin() == self.url.origin());
        match is_own {
            true => self.http.fetch(&file.url, out),
            false => Http::new(Auth::Nobody, "name another index")?.fetch(&file.url, out),
        }
    }
}

fn of_json(text: &str) -> Result<Vec<IndexFile>, serde_json::Error> {
    let page: Page = serde_json::from_str(text)?;
    let file = |entry: SimpleIndexFile| IndexFile {
        sha256: entry.hashes.get("sha256").cloned(),
        name: entry.filename,
        url: entry.url,
    };
    Ok(page.files.into_iter().map(file).collect())
}

/// The links of a page: `<a href="../../x-1-py3-none-any.whl#sha256=...">`.
fn of_html(text: &str) -> Vec<IndexFile> {
    let mut files = Vec::new();
    for link in text.split("<a ").skip(1) {
        let Some((attributes, _)) = link.split_once('>') else { continue };
        let Some((_, rest)) = attributes.split_once("href=") else { continue };
        let mut letters = rest.chars();
        let Some(quote) = letters.next().filter(|c| ['"', '\''].contains(c)) else { continue };
        let Some((href, _)) = letters.as_str().split_once(quote) else { continue };
        let href = href.replace("&amp;", "&");
        let (url, fragment) = href.split_once('#').unwrap_or((&href, ""));
        let name = url.split('?').next().and_then(|path| path.rsplit('/').next());
        let name = name.unwrap_or_default().replace("%2B", "+");
        let sha256 = fragment.strip_prefix("sha256=").map(str::to_owned);
        files.push(IndexFile { name, url: url.to_owned(), sha256 });
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_both_kinds_list_the_same_files() {
        let html = "<!DOCTYPE html><a href=\"../../f/a-1%2Bcpu-py3-none-any.whl#sha256=ab\" data-x>a</a><br>\n\
            <a data-y href='https://h/b-2.tar.gz'>b</a> <a>none</a> <a href=x>";
        let json = r#"{"meta": {}, "files": [
            {"filename": "a-1+cpu-py3-none-any.whl", "url": "../../f/a-1%2Bcpu-py3-none-any.whl", "hashes": {"sha256": "ab"}},
            {"filename": "b-2.tar.gz", "url": "https://h/b-2.tar.gz"}]}"#;
        let files = of_html(html);
        assert_eq!(files.len(), 2, "{files:?}");
        assert_eq!(of_json(json).unwrap(), files);
        assert!(of_json("{}").is_err());
        assert!(of_html("<a href=\"").is_empty() && of_html("").is_empty());
    }
}
