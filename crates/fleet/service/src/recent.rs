//! Tokens that were good a moment ago, by the digests of what was sent.
//!
//! Whoever sends one pays for a request from the budget of the token, not from that of the address: others at the same
//! address, behind a proxy, cannot use up what is theirs. It opens nothing: the database is asked about every token.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::HeaderMap;
use http::header::AUTHORIZATION;
use unskew_fleet::Digest;

/// After how many tokens all are forgotten.
const MOST: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct RecentTokens(Mutex<HashSet<Digest>>);

/// What a request sends as a token.
pub(crate) fn sent(headers: &HeaderMap) -> Option<Digest> {
    headers.get(AUTHORIZATION).map(|sent| Digest::sha256(sent.as_bytes()))
}

impl RecentTokens {
    fn lock(&self) -> MutexGuard<'_, HashSet<Digest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this was good when it was last sent.
    pub(crate) fn has(&self, sent: &Digest) -> bool {
        self.lock().contains(sent)
    }

    pub(crate) fn note(&self, sent: Digest, good: bool) {
        let mut known = self.lock();
        if !good {
            known.remove(&sent);
        } else if known.len() < MOST || known.contains(&sent) {
            known.insert(sent);
        } else {
            *known = HashSet::from([sent]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_until_it_is_no_longer_good() {
        let (tokens, token) = (RecentTokens::default(), Digest::sha256("Bearer x"));
        assert!(!tokens.has(&token));
        tokens.note(token, true);
        assert!(tokens.has(&token) && !tokens.has(&Digest::sha256("Bearer y")));
        tokens.note(token, false);
        assert!(!tokens.has(&token));
        for number in 0..=MOST {
            tokens.note(Digest::sha256(number.to_string()), true);
        }
        assert!(tokens.lock().len() <= MOST);
    }
}
