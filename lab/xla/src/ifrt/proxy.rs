//! The messages of the proxy's protocol, as the server declares them, against the descriptors of packages.
//!
//! The server's types are read from its sources: each struct that is a message, with the tag, the kind and the
//! label of every field. Which message of the protocol a type is follows from where it stands, from the
//! request and the response down. A field of bytes may be a message there, which is the same on the wire.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, ensure};

use super::descriptor::{Field, Pool};
use super::source::{Declared, Kind, declared};

/// Where the server's messages are, from the root of the repository.
const SOURCES: &str = "crates/xla/ifrt-proxy/src/messages";

/// What stands in no other message.
const ROOTS: [(&str, &str); 11] = [
    ("OldExecuteOptions", "xla.ExecuteOptionsProto"),
    ("Request", "IfrtRequest"),
    ("Response", "IfrtResponse"),
    ("GetVersion", "GrpcGetVersionRequest"),
    ("VersionMessage", "GrpcGetVersionResponse"),
    ("SessionMetadata", "GrpcIfrtSessionMetadata"),
    ("StoreMetadata", "GrpcHostBufferStoreMetadata"),
    ("Chunk", "GrpcHostBufferStoreRequest"),
    ("Chunk", "GrpcHostBufferLookupResponse"),
    ("BufferName", "GrpcHostBufferLookupRequest"),
    ("ReadFromDisk", "GrpcHostBufferReadFromDiskRequest"),
];

const PACKAGE: &str = "xla.ifrt.proxy";

/// The server's messages by the names of their types.
pub struct Messages(BTreeMap<String, Vec<Declared>>);

/// What one package says of them.
pub struct ProxyReport {
    /// Such as `jaxlib 0.10.2`.
    pub label: String,
    /// How many messages and fields were compared.
    pub compared: [usize; 2],
    /// Fields of the package that the server does not read or write, as `Message.field`.
    pub unread: BTreeSet<String>,
    /// Fields of the server that the package has, as `Type.field`.
    pub found: BTreeSet<String>,
    /// What is not as declared.
    pub deviations: Vec<String>,
}

impl std::fmt::Display for ProxyReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ([messages, fields], unread) = (self.compared, self.unread.len());
        write!(
            f,
            "{} (proxy): {messages} messages, {fields} fields, {unread} not read, {} deviations",
            self.label,
            self.deviations.len()
        )
    }
}

impl Messages {
    /// Reads the sources.
    ///
    /// # Errors
    /// If they cannot be read, or say what is not understood here.
    pub fn read() -> anyhow::Result<Self> {
        let folder = unskew_peers::root().join(SOURCES);
        let mut all = BTreeMap::new();
        for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let text = fs::read_to_string(&path)?;
            all.extend(declared(&text).with_context(|| path.display().to_string())?);
        }
        ensure!(all.len() > 40, "only {} messages in {SOURCES}", all.len());
        Ok(Self(all))
    }

    /// Every field, as `Type.field`.
    pub fn fields(&self) -> BTreeSet<String> {
        let of = |(name, fields): (&String, &Vec<Declared>)| -> Vec<String> {
            fields.iter().map(|field| format!("{name}.{}", field.name)).collect()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// Compares them with a package.
    pub fn compare(&self, label: &str, pool: &Pool) -> ProxyReport {
        let mut report = ProxyReport {
            label: label.to_owned(),
            compared: [0; 2],
            unread: BTreeSet::new(),
            found: BTreeSet::new(),
            deviations: Vec::new(),
        };
        let mut seen = BTreeSet::new();
        let mut left: Vec<(String, String)> =
            ROOTS.iter().map(|(ours, theirs)| ((*ours).to_owned(), full(theirs))).collect();
        while let Some((ours, theirs)) = left.pop() {
            if seen.insert((ours.clone(), theirs.clone())) {
                left.extend(self.message(&mut report, pool, &ours, &theirs));
            }
        }
        report
    }

    /// Compares one message, and yields those in it.
    fn message(
        &self,
        report: &mut ProxyReport,
        pool: &Pool,
        ours: &str,
        theirs: &str,
    ) -> Vec<(String, String)> {
        let Some(message) = pool.messages.get(theirs) else {
            // A root that came later.
            return Vec::new();
        };
        let Some(fields) = self.0.get(ours) else {
            report.deviations.push(format!("{theirs}: we have no message {ours}"));
            return Vec::new();
        };
        report.compared[0] += 1;
        let mut inner = Vec::new();
        for field in &message.fields {
            let Some(declared) = fields.iter().find(|it| it.tag == field.number) else {
                report.unread.insert(format!("{}.{}", message.name, field.name));
                continue;
            };
            report.compared[1] += 1;
            report.found.insert(format!("{ours}.{}", declared.name));
            if !declared.is(field) {
                let (name, number) = (&field.name, field.number);
                let found = (field.kind, field.label == 3);
                let text = format!("{theirs}: {name} = {number} is {found:?}, we say {declared:?}");
                report.deviations.push(text);
            }
            if let Kind::Message(name) = &declared.kind {
                let theirs = field.type_name.trim_start_matches('.').to_owned();
                inner.push((name.clone(), theirs));
            }
        }
        inner
    }
}

/// The name of a message with its package: the proxy's, unless it has one.
fn full(name: &str) -> String {
    if name.contains('.') { name.to_owned() } else { format!("{PACKAGE}.{name}") }
}

impl Declared {
    /// Whether a field of a descriptor is the same on the wire.
    fn is(&self, field: &Field) -> bool {
        let kind = match &self.kind {
            Kind::Scalar(kind) => *kind == field.kind || (*kind == 5 && field.kind == 14),
            Kind::Bytes => matches!(field.kind, 11 | 12),
            Kind::Message(_) | Kind::Map => field.kind == 11,
        };
        kind && self.repeated == (field.label == 3)
    }
}
