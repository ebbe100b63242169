//! `unskew fleet serve`, killed while a client uploads a version of a model in pieces and publishes it.
//!
//! The client does what clients should: it asks the server from where on to go on. Half of the uploads have an
//! `Idempotency-Key`, by which their client finds them again; the others are found in the list of what is open.

use std::io;
use std::time::{Duration, Instant};

use serde_json::json;
use unskew_fleet::Digest;
use unskew_fleet_service::client::ServiceClient;

use crate::ground::{Ground, Servers, kills, random, until};

/// In how many pieces an artifact comes.
const PIECES: usize = 8;

/// The bytes of an artifact, about.
const SIZE: usize = 1 << 20;

/// A graph that no other is equal to, and no piece of it to another piece: it ends with a field that nobody knows.
pub fn artifact(at: u64, version: u64) -> Vec<u8> {
    let example = concat!(env!("UNSKEW_ROOT"), "/examples/add-cast.pb");
    let mut bytes = std::fs::read(example).unwrap();
    bytes.extend([0xc2, 0x3e, 0x80, 0x80, 0x40]);
    let mut state = (at << 8 | version) * 2 + 1;
    for _ in 0..SIZE / 8 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        bytes.extend(state.to_le_bytes());
    }
    bytes
}

/// A client that publishes one artifact, and what it was told.
pub struct Publisher {
    model: String,
    bytes: Vec<u8>,
    digest: Digest,
    key: Option<String>,
    /// The place of the upload, since it was told.
    place: Option<String>,
    /// How much was acknowledged.
    acknowledged: usize,
    version: Option<i64>,
}

impl Publisher {
    pub fn new(model: &str, bytes: Vec<u8>, key: Option<String>) -> Self {
        let (model, digest) = (model.to_owned(), Digest::sha256(&bytes));
        Self { model, bytes, digest, key, place: None, acknowledged: 0, version: None }
    }

    /// Publishes, from wherever the server says.
    ///
    /// # Errors
    /// If the server is gone.
    pub fn publish(&mut self, client: &mut ServiceClient) -> io::Result<i64> {
        let place = match self.place.clone().filter(|_| self.key.is_none()) {
            Some(place) => place,
            None => self.begin(client)?,
        };
        self.place = Some(place.clone());
        loop {
            let far = client.get(&place)?;
            assert_eq!(far.status, 200, "{}", far.text());
            let far = far.json();
            if far["version"].is_i64() {
                break;
            }
            let received = far["received"].as_u64().unwrap() as usize;
            assert!(received >= self.acknowledged, "{received} of {}", self.acknowledged);
            if received == self.bytes.len() {
                break;
            }
            let end = (received + self.bytes.len().div_ceil(PIECES)).min(self.bytes.len());
            let offset = received.to_string();
            let headers = [("upload-offset", offset.as_str())];
            let piece = client.send("PATCH", &place, &headers, &self.bytes[received..end])?;
            assert_eq!(piece.status, 204, "{}", piece.text());
            self.acknowledged = end;
        }
        let done = client.send("POST", &format!("{place}/finish"), &[], b"")?;
        assert_eq!(done.status, 200, "{}", done.text());
        let version = done.json()["version"].as_i64().unwrap();
        self.version = Some(version);
        Ok(version)
    }

    /// Begins the upload, or finds it again.
    fn begin(&self, client: &mut ServiceClient) -> io::Result<String> {
        if self.key.is_none() {
            let open = client.get("/v1/uploads")?;
            assert_eq!(open.status, 200, "{}", open.text());
            let own = |one: &&serde_json::Value| one["digest"] == json!(self.digest);
            if let Some(known) = open.json().as_array().unwrap().iter().find(own) {
                return Ok(format!("/v1/uploads/{}", known["upload"].as_str().unwrap()));
            }
        }
        let new = json!({
            "model": self.model, "file": "net.pb", "size": self.bytes.len(), "digest": self.digest,
        });
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(self.key.as_deref().map(|key| ("idempotency-key", key)));
        let begun = client.send("POST", "/v1/uploads", &headers, new.to_string().as_bytes())?;
        assert!(matches!(begun.status, 200 | 201), "{}", begun.text());
        Ok(begun.header("location").unwrap().to_owned())
    }
}

/// The artifacts of all versions of a model, oldest first, each of which comes as what its digest says.
pub fn versions(client: &mut ServiceClient, model: &str) -> Vec<Digest> {
    let list = client.get(&format!("/v1/models/{model}/versions")).unwrap();
    if list.status == 404 {
        return Vec::new();
    }
    let list = list.json();
    let mut found: Vec<(i64, Digest)> = Vec::new();
    for version in list.as_array().unwrap() {
        let digest: Digest = serde_json::from_value(version["artifact"].clone()).unwrap();
        comes_whole(client, &digest);
        found.push((version["version"].as_i64().unwrap(), digest));
    }
    found.sort();
    let numbers: Vec<i64> = found.iter().map(|(number, _)| *number).collect();
    assert!(numbers.iter().copied().eq(1..=numbers.len() as i64), "{numbers:?}");
    found.into_iter().map(|(_, digest)| digest).collect()
}

/// That an artifact is what its digest says, when it is fetched.
pub fn comes_whole(client: &mut ServiceClient, digest: &Digest) {
    let content = client.get(&format!("/v1/artifacts/{digest}/content")).unwrap();
    assert_eq!(content.status, 200, "{}", content.text());
    assert_eq!(Digest::sha256(&content.body), *digest);
}

/// How much was done when the server was killed.
#[derive(Default)]
struct UploadOutcomes {
    nothing: usize,
    some: usize,
    all: usize,
    new: usize,
}

fn kill_at_random(ground: &Ground) {
    let (kills, mut found) = (kills(4), UploadOutcomes::default());
    let mut server = ground.serve(&[]);
    // Once to warm up, and once to see how long it takes.
    let mut takes = Duration::ZERO;
    for at in 0..2 {
        let begin = Instant::now();
        let mut whole = Publisher::new("measured", artifact(kills + at, 0), None);
        whole.publish(&mut server.client()).unwrap();
        takes = begin.elapsed();
    }
    for at in 0..kills {
        let model = format!("model-{at}");
        let mut old = Publisher::new(&model, artifact(at, 1), None);
        assert_eq!(old.publish(&mut server.client()).unwrap(), 1);
        let key = at.is_multiple_of(2).then(|| format!("key-{at}"));
        let mut new = Publisher::new(&model, artifact(at, 2), key);
        let delay = takes.mul_f64(random(at));
        let mut client = server.client();
        std::thread::scope(|scope| {
            scope.spawn(|| new.publish(&mut client));
            std::thread::sleep(delay);
            // By SIGKILL.
            drop(server);
        });
        server = ground.serve(&[]);
        let mut client = server.client();
        let stand = versions(&mut client, &model);
        assert_eq!(stand[0], old.digest);
        assert!(stand.len() == 1 || stand[1..] == [new.digest], "old or new: {stand:?}");
        if let Some(version) = new.version {
            assert_eq!((version, stand.len()), (2, 2), "what was acknowledged stands");
        }
        let counted = match (stand.len(), new.acknowledged) {
            (2, _) => &mut found.new,
            (_, 0) => &mut found.nothing,
            (_, some) if some < new.bytes.len() => &mut found.some,
            _ => &mut found.all,
        };
        *counted += 1;
        let told = new.acknowledged;
        assert_eq!(new.publish(&mut client).unwrap(), 2);
        assert_eq!(versions(&mut client, &model), [old.digest, new.digest]);
        let open = client.get("/v1/uploads").unwrap().json();
        assert_eq!(open, json!([]), "nothing is open that nobody finds");
        println!("killed after {delay:?} of {takes:?}: {told} bytes acknowledged, then {stand:?}");
    }
    let UploadOutcomes { nothing, some, all, new } = found;
    println!(
        "{kills} uploads: {nothing} before a piece was acknowledged, {some} among pieces, {all} after the last, {new} published"
    );
    drop(server);
    let _sweeping = ground.serve(&["--upload-age", "1"]);
    until("what was left of pieces is swept away", || (ground.staged() == 0).then_some(()));
    let fleet = ground.fleet();
    for digest in fleet.depot().digests().unwrap() {
        fleet.depot().verify(&digest).unwrap();
    }
}

#[test]
fn a_kill_of_a_service_during_uploads_leaves_the_old_or_the_new_in_a_folder() {
    kill_at_random(&Ground::in_a_folder());
}

#[test]
fn a_kill_of_a_service_during_uploads_leaves_the_old_or_the_new_in_servers() {
    let Some(servers) = Servers::start() else { return };
    kill_at_random(&servers.ground());
}
