//! Caller of a request.
//!
//! A token comes as `Authorization: Bearer TOKEN`, or as the password of `Authorization: Basic`, which is what browsers
//! ask people for. Browsers send the latter by themselves, also when a page of another site asks them to; so what
//! changes something is refused where the browser says that another site asks.
//!
//! Where no token was ever made, whoever reaches the loopback is an admin. A page of another site can reach it
//! through the browser of somebody on this machine, under a name that its maker points here; so the name has to be
//! one of the loopback.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, Uri, header};
use unskew_fleet::store::TokenRole;

use crate::problem::{HttpProblem, ProblemKind};
use crate::recent;
use crate::service::Service;
use crate::token;
use crate::verb::HttpMethod;

/// Who asks, and what the token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The name in the audit log: `token 5f1c... (ci)`, or an address.
    pub name: String,
    /// Who it is for limits and uploads: the id of the token, or the address.
    pub key: String,
    /// Whether a token was shown.
    pub token: bool,
    /// What the caller may do; none for somebody who has shown nothing.
    pub role: Option<TokenRole>,
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl Caller {
    /// Somebody of whom only the address is known.
    pub(crate) fn at(address: IpAddr, role: Option<TokenRole>) -> Self {
        Self { name: address.to_string(), key: address.to_string(), token: false, role }
    }

    /// Whether the caller may do what needs `role`.
    ///
    /// # Errors
    /// [`ProblemKind::Unauthenticated`] if nobody knows, [`ProblemKind::Forbidden`] if not.
    pub(crate) fn may(&self, role: Option<TokenRole>) -> Result<(), HttpProblem> {
        let Some(needed) = role else { return Ok(()) };
        match self.role {
            None => Err(unknown("this needs a token")),
            Some(role) if role < needed => {
                let detail = format!("this needs the role {needed}; {} has {role}", self.name);
                Err(HttpProblem::new(ProblemKind::Forbidden, detail))
            }
            Some(_) => Ok(()),
        }
    }
}

fn unknown(detail: &str) -> HttpProblem {
    HttpProblem::new(ProblemKind::Unauthenticated, detail)
        .with("www-authenticate", "Bearer realm=\"unskew fleet\", Basic realm=\"unskew fleet\"")
}

/// Who asks, by the head of the request.
///
/// # Errors
/// If a token is sent that is none or opens nothing; if the database is out of reach.
pub(crate) async fn caller(
    service: &Service,
    peer: SocketAddr,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<Caller, HttpProblem> {
    let Some(sent) = headers.get(header::AUTHORIZATION) else {
        let open = service.is_open().await?;
        if open && !is_loopback_name(host(headers, uri)) {
            let detail = "without tokens, the service answers to names of the loopback only";
            return Err(HttpProblem::new(ProblemKind::CrossSite, detail));
        }
        return Ok(Caller::at(peer.ip(), open.then_some(TokenRole::Admin)));
    };
    let token = sent.to_str().ok().and_then(secret);
    let Some((id, secret)) = token.as_deref().and_then(token::parts) else {
        return Err(unknown("what was sent is no token"));
    };
    let (id, secret, now) = (id.to_owned(), secret.to_owned(), service.clock().now());
    let recent = recent::sent(headers).is_some_and(|sent| service.tokens().has(&sent));
    let pool = if recent { service.pool() } else { service.strangers() };
    let known = pool.with(move |fleet| {
        let kept = fleet.store().token(&id)?;
        Ok(kept.filter(|kept| token::opens(kept, &secret, &now)))
    });
    let kept = known.await?.ok_or_else(|| unknown("no such token, or it is no longer good"))?;
    let name = format!("token {} ({})", kept.id, kept.name);
    Ok(Caller { name, key: kept.id, token: true, role: Some(kept.role) })
}

/// The token of an `Authorization`.
fn secret(sent: &str) -> Option<String> {
    let (scheme, rest) = sent.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(base64(rest.trim())?).ok()?;
    let (_, password) = text.split_once(':')?;
    Some(password.to_owned())
}

/// The bytes of a text in base64 (RFC 4648), at most as many as a token and a name have.
fn base64(text: &str) -> Option<Vec<u8>> {
    if text.len() > 1024 {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

/// Refuses what a page of another site asks for.
///
/// # Errors
/// [`ProblemKind::CrossSite`].
pub(crate) fn same_site(
    verb: HttpMethod,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<(), HttpProblem> {
    if verb.is_safe() {
        return Ok(());
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let by_browser = !matches!(text("sec-fetch-site"), None | Some("same-origin" | "none"));
    let own = |origin: &str| origin.split_once("://").map(|(_, host)| host) == host(headers, uri);
    if by_browser || !text("origin").is_none_or(own) {
        return Err(HttpProblem::new(
            ProblemKind::CrossSite,
            "a page of another site asks for this",
        ));
    }
    Ok(())
}

/// Whether a browser says that a form of this service's own pages sends the request. Unlike [`same_site`] it has to say so.
pub(crate) fn by_own_page(headers: &HeaderMap, uri: &Uri) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let origin = text("origin").and_then(|origin| origin.split_once("://"));
    let own = origin.is_some_and(|(_, from)| Some(from) == host(headers, uri));
    own && text("sec-fetch-site").is_none_or(|site| site == "same-origin")
}

fn host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    let named = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    named.or_else(|| uri.authority().map(|authority| authority.as_str()))
}

fn is_loopback_name(host: Option<&str>) -> bool {
    let Some(host) = host else { return true };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let loopback = |address: IpAddr| address.is_loopback();
    name.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_as_a_bearer_or_as_a_password() {
        assert_eq!(secret("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(secret("bearer abc").as_deref(), Some("abc"));
        assert_eq!(secret("Basic bWU6YWJj").as_deref(), Some("abc"));
        for wrong in ["", "abc", "Basic %%%", "Basic YWJj", "Digest x", "Basic"] {
            assert_eq!(secret(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_of_the_loopback() {
        for own in ["localhost", "localhost:80", "127.0.0.1:8471", "[::1]:8471", "[::1]"] {
            assert!(is_loopback_name(Some(own)), "{own}");
        }
        for other in ["evil.example", "localhost.evil.example:80", "10.0.0.1", ""] {
            assert!(!is_loopback_name(Some(other)), "{other}");
        }
    }

    #[test]
    fn another_site_changes_nothing() {
        let uri = Uri::from_static("/v1/runtimes/x");
        let with = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().unwrap());
            }
            same_site(HttpMethod::Put, &headers, &uri)
        };
        assert!(with(&[("host", "a:1")]).is_ok());
        assert!(with(&[("host", "a:1"), ("origin", "http://a:1")]).is_ok());
        assert!(with(&[("host", "a:1"), ("origin", "http://b")]).is_err());
        assert!(with(&[("host", "a:1"), ("origin", "null")]).is_err());
        assert!(with(&[("sec-fetch-site", "cross-site")]).is_err());
        assert!(with(&[("sec-fetch-site", "same-origin")]).is_ok());
    }

    #[test]
    fn an_own_page_says_so() {
        let uri = Uri::from_static("/publish");
        let with = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().unwrap());
            }
            by_own_page(&headers, &uri)
        };
        assert!(with(&[("host", "a:1"), ("origin", "http://a:1")]));
        let site = ("sec-fetch-site", "same-origin");
        assert!(with(&[("host", "a:1"), ("origin", "https://a:1"), site]));
        for others in [
            &[("host", "a:1")][..],
            &[("host", "a:1"), ("origin", "null")],
            &[("host", "a:1"), ("origin", "http://a:2")],
            &[("host", "a:1"), ("origin", "http://a:1"), ("sec-fetch-site", "same-site")],
            &[("origin", "http://a:1")],
            &[],
        ] {
            assert!(!with(others), "{others:?}");
        }
    }
}
