//! Something on which a real header and our data differ.

use std::fmt;

/// Something on which a header and the data differ.
#[derive(Debug)]
pub struct Deviation {
    /// What it is about.
    pub subject: String,
    /// What the header says.
    pub header: String,
    /// What the data says.
    pub data: String,
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: header: {}; data: {}", self.subject, self.header, self.data)
    }
}
