//! The first thing that the parent says to the child, and the only one before it may load anything.

use std::io::{self, Read};

use super::Confinement;

/// What a greeting begins with.
const MARK: &str = "unskew-trial";

/// The longest greeting that is read, in bytes.
const LONGEST: usize = 128;

/// What the child has to know of its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HandshakeMessage {
    /// What every line of an answer begins with.
    pub(super) token: String,
    pub(super) confinement: Confinement,
    /// The process that greets: the child ends when it does.
    pub(super) parent: u32,
}

impl HandshakeMessage {
    /// A greeting with a token that nobody has had before.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(super) fn new(confinement: Confinement) -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let token = format!("{:032x}", u128::from_le_bytes(bytes));
        Ok(Self { token, confinement, parent: std::process::id() })
    }

    /// As it is sent.
    pub(super) fn line(&self) -> String {
        let confined = u8::from(self.confinement == Confinement::Sandbox);
        format!("{MARK} {} {confined} {}\n", self.token, self.parent)
    }

    /// Reads a greeting, and not a byte behind it. None if it is not one.
    pub(super) fn read(from: &mut impl Read) -> Option<Self> {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.len() < LONGEST && from.read(&mut byte).ok()? == 1 && byte != *b"\n" {
            line.extend_from_slice(&byte);
        }
        let line = String::from_utf8(line).ok()?;
        let [mark, token, confined, parent] = *line.split(' ').collect::<Vec<_>>() else {
            return None;
        };
        let confinement = match confined {
            "0" => Confinement::None,
            _ => Confinement::Sandbox,
        };
        let greeting = Self { token: token.to_owned(), confinement, parent: parent.parse().ok()? };
        (mark == MARK && token.len() == 32).then_some(greeting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_read_and_nothing_behind_it() {
        let greeting = HandshakeMessage::new(Confinement::Sandbox).unwrap();
        let sent = format!("{}more", greeting.line());
        let mut from = sent.as_bytes();
        assert_eq!(HandshakeMessage::read(&mut from), Some(greeting.clone()));
        assert_eq!(from, b"more");
        assert_ne!(HandshakeMessage::new(Confinement::None).unwrap().token, greeting.token);
        assert_eq!(HandshakeMessage::read(&mut &b"hello\n"[..]), None);
        assert_eq!(HandshakeMessage::read(&mut &[b'x'; 4096][..]), None);
    }
}
