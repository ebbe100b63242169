//! Tokens: `unskew_ID_SECRET`.
//!
//! The id finds the row, the secret opens it. The secret is 256 bits from the system's source of randomness, and what is
//! kept is its SHA-256. A slow hash with a salt (Argon2, bcrypt) is for what people think up, which can be guessed;
//! nobody guesses 256 random bits, so a fast one is as good, and costs no request 100 ms.

use std::fmt::Write as _;

use subtle::ConstantTimeEq as _;
use unskew_fleet::Digest;
use unskew_fleet::store::{KeptToken, TokenRole};

use crate::clock::Clock;

/// How every token begins, so that scanners for secrets find it.
const BEGIN: &str = "unskew_";

/// A new token, which is shown once, and what is kept of it. `days` is for how long it is good, by `clock`.
///
/// # Errors
/// If the system has no randomness.
pub fn make(
    name: &str,
    role: TokenRole,
    days: Option<u32>,
    clock: &Clock,
) -> Result<(String, KeptToken), getrandom::Error> {
    let (mut id, mut secret) = ([0; 6], [0; 32]);
    getrandom::fill(&mut id)?;
    getrandom::fill(&mut secret)?;
    let (id, secret) = (hex(&id), hex(&secret));
    let kept = KeptToken {
        id: id.clone(),
        name: name.to_owned(),
        hash: Digest::sha256(&secret),
        role,
        created: clock.now(),
        expires: days.map(|days| clock.after(i64::from(days) * 24 * 3600)),
        revoked: None,
    };
    Ok((format!("{BEGIN}{id}_{secret}"), kept))
}

/// The id and the secret of a token; none if it is no token.
pub fn parts(token: &str) -> Option<(&str, &str)> {
    let (id, secret) = token.strip_prefix(BEGIN)?.split_once('_')?;
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    (id.len() == 12 && secret.len() == 64 && hex(id) && hex(secret)).then_some((id, secret))
}

/// Whether a secret opens a token at a moment. The time that takes says nothing about the secret.
pub fn opens(kept: &KeptToken, secret: &str, moment: &str) -> bool {
    let same = kept.hash.as_bytes().ct_eq(Digest::sha256(secret).as_bytes());
    let alive = kept.revoked.is_none() && kept.expires.as_deref().is_none_or(|end| moment < end);
    bool::from(same) && alive
}

/// Random hexadecimal digits, as names that nobody guesses.
///
/// # Errors
/// If the system has no randomness.
pub(crate) fn random_name() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_secret_opens_and_only_in_time() {
        let clock = Clock::default();
        let (token, kept) = make("ci", TokenRole::Read, Some(1), &clock).unwrap();
        let (id, secret) = parts(&token).unwrap();
        assert_eq!(id, kept.id);
        assert!(opens(&kept, secret, &clock.now()));
        assert!(!opens(&kept, &secret[1..], &clock.now()));
        assert!(!opens(&kept, secret, &clock.after(2 * 24 * 3600)), "expired");
        let revoked = KeptToken { revoked: Some(clock.now()), ..kept };
        assert!(!opens(&revoked, secret, &clock.now()));
        let (other, _) = make("ci", TokenRole::Read, None, &clock).unwrap();
        assert_ne!(other, token);
    }

    #[test]
    fn what_is_no_token_is_none() {
        let (token, _) = make("ci", TokenRole::Read, None, &Clock::default()).unwrap();
        for text in ["", "unskew_", &token[1..], &format!("{token}0"), &token.replace('_', "-")] {
            assert!(parts(text).is_none(), "{text}");
        }
    }
}
