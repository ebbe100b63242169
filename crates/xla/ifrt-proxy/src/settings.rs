//! Settings of HTTP/2 that were sent before those of the server, and the client's word that it has them.
//!
//! Source: RFC 9113, 3.4 (preface), 4.1 (frames), 6.5.3 (acknowledgement of settings).

/// How HTTP/2 begins without encryption.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A frame of settings in which nothing stands: what holds anyway holds.
pub const SETTINGS: [u8; HEAD] = [0, 0, 0, SETTINGS_TYPE, 0, 0, 0, 0, 0];

const ACKNOWLEDGED: [u8; HEAD] = [0, 0, 0, SETTINGS_TYPE, 1, 0, 0, 0, 0];

const SETTINGS_TYPE: u8 = 4;

/// The length of the head of a frame: three bytes of it are the length of the rest.
const HEAD: usize = 9;

/// Takes the first acknowledgement out of what a client sends: it is for settings that the reader has not sent.
#[derive(Debug)]
pub struct WithoutAcknowledgement {
    /// How many bytes come before the next head.
    skip: usize,
    head: Vec<u8>,
}

impl WithoutAcknowledgement {
    /// From the beginning of a connection on.
    pub fn new() -> Self {
        Self { skip: PREFACE.len(), head: Vec::new() }
    }

    /// What is to be read of the bytes that come next; and whether the acknowledgement was among them, after which the
    /// rest is read as it comes.
    pub fn pass(&mut self, mut bytes: &[u8]) -> (Vec<u8>, bool) {
        let mut passed = Vec::with_capacity(bytes.len() + HEAD);
        while !bytes.is_empty() {
            if self.skip > 0 {
                let (part, rest) = bytes.split_at(self.skip.min(bytes.len()));
                passed.extend_from_slice(part);
                (self.skip, bytes) = (self.skip - part.len(), rest);
                continue;
            }
            let (part, rest) = bytes.split_at((HEAD - self.head.len()).min(bytes.len()));
            self.head.extend_from_slice(part);
            bytes = rest;
            if self.head == ACKNOWLEDGED {
                passed.extend_from_slice(bytes);
                return (passed, true);
            }
            if self.head.len() == HEAD {
                let byte = |at: usize| usize::from(self.head[at]);
                self.skip = byte(0) << 16 | byte(1) << 8 | byte(2);
                passed.append(&mut self.head);
            }
        }
        (passed, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_acknowledgement_goes_wherever_the_bytes_are_cut() {
        let ping = [&[0, 0, 8, 6, 0, 0, 0, 0, 0][..], &[4; 8]].concat();
        let before = [PREFACE, &SETTINGS, &ping, &ping].concat();
        let after = [&ping[..], &ACKNOWLEDGED, &ping].concat();
        let all = [&before[..], &ACKNOWLEDGED, &after].concat();
        for cut in 0..=all.len() {
            let mut filter = WithoutAcknowledgement::new();
            let (mut read, mut over) = (Vec::new(), false);
            for part in [&all[..cut], &all[cut..]] {
                if over {
                    read.extend_from_slice(part);
                } else {
                    let (passed, found) = filter.pass(part);
                    read.extend(passed);
                    over = found;
                }
            }
            assert!(over && read == [&before[..], &after].concat(), "cut at {cut}");
        }
    }
}
