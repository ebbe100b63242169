//! What the service keeps beside models and runtimes, on every database: tokens, the audit log, uploads, jobs.

use unskew_fleet::Digest;
use unskew_fleet::store::{
    Act, JobState, KeptToken, PendingUpload, Signature, Store, TokenRole, UploadChunk,
};

use crate::databases;

fn on_both(test: impl Fn(Store)) {
    for place in databases::places() {
        test(place.store());
    }
}

#[test]
fn a_clock_that_goes_back_hides_no_version() {
    on_both(|mut store| {
        store.publish("m", &Digest::sha256("a"), "m.pt", 1, "2026-05-01").unwrap();
        store.publish("m", &Digest::sha256("b"), "m.pt", 1, "2026-04-01").unwrap();
        let days: Vec<String> =
            store.versions("m", "9999").unwrap().into_iter().map(|one| one.published).collect();
        assert_eq!(days, ["2026-05-01", "2026-05-01"]);
    });
}

#[test]
fn a_job_has_one_owner_until_that_is_gone() {
    on_both(|mut store| {
        let job = store.put_job("{}", "me", "t0", 5).unwrap().unwrap();
        assert_eq!(store.put_job("{}", "you", "t1", 5).unwrap().unwrap().number, job.number);
        let mine = store.claim_job("a", &[], "t2").unwrap().unwrap();
        assert_eq!((mine.owner.as_deref(), mine.attempts), (Some("a"), 1));
        assert!(store.claim_job("b", &[], "t2").unwrap().is_none());
        let seen = store.running_jobs().unwrap();
        assert!(store.beat_job(job.number, "a").unwrap());
        assert!(store.claim_job("b", &seen, "t3").unwrap().is_none(), "it has a beat since");
        let seen = store.running_jobs().unwrap();
        let taken = store.claim_job("b", &seen, "t4").unwrap().unwrap();
        assert_eq!((taken.owner.as_deref(), taken.attempts), (Some("b"), 2));
        assert!(!store.advance_job(job.number, "a", 1, 2).unwrap(), "no longer his");
        assert!(!store.end_job(job.number, "a", JobState::Done, None, "t5").unwrap());
        assert!(store.end_job(job.number, "b", JobState::Done, None, "t5").unwrap());
        assert!(store.job(job.number).unwrap().unwrap().state.is_over());
    });
}

#[test]
fn a_job_that_is_given_back_waits_again() {
    on_both(|mut store| {
        let job = store.put_job("{}", "me", "t0", 1).unwrap().unwrap();
        assert!(store.put_job("{1}", "me", "t0", 1).unwrap().is_none(), "too many");
        store.claim_job("a", &[], "t1").unwrap().unwrap();
        assert_eq!(store.job_counts().unwrap(), (0, 1));
        assert!(!store.give_back_job(job.number, "b").unwrap());
        assert_eq!(store.give_back_jobs("a").unwrap(), 1);
        assert_eq!(store.job_counts().unwrap(), (1, 0));
        assert_eq!(store.claim_job("b", &[], "t2").unwrap().unwrap().attempts, 1);
        assert!(store.cancel_job(job.number, "t3").unwrap());
        assert!(!store.cancel_job(job.number, "t3").unwrap());
        assert_eq!(store.jobs(None, 9).unwrap().len(), 1);
        assert_eq!(store.forget_jobs("t9").unwrap(), 0, "the newest keeps its number");
    });
}

#[test]
fn no_job_is_done_twice_when_many_claim() {
    for place in databases::places() {
        let mut store = place.store();
        for at in 0..12 {
            store.put_job(&format!("{at}"), "me", "t", 100).unwrap().unwrap();
        }
        let claims = std::thread::scope(|scope| {
            let claim = |name: usize| {
                let mut store = place.store();
                let owner = format!("owner {name}");
                let next = move || store.claim_job(&owner, &[], "t").unwrap().map(|job| job.number);
                std::iter::from_fn(next).collect::<Vec<_>>()
            };
            let threads: Vec<_> = (0..4).map(|name| scope.spawn(move || claim(name))).collect();
            threads.into_iter().flat_map(|one| one.join().unwrap()).collect::<Vec<_>>()
        });
        let mut once = claims.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!((claims.len(), once.len()), (12, 12));
    }
}

fn upload(id: &str, key: Option<&str>) -> PendingUpload {
    PendingUpload {
        id: id.into(),
        owner: "o".into(),
        key: key.map(str::to_owned),
        model: "m".into(),
        file: "m.pt".into(),
        digest: Digest::sha256("x"),
        size: 10,
        members: None,
        received: 0,
        version: None,
        began: "2026-01-01T00:00:00Z".into(),
        touched: 1,
    }
}

fn piece(start: u64, size: u64) -> UploadChunk {
    UploadChunk { start, size, blob: format!("b{start}") }
}

#[test]
fn pieces_come_in_their_order_and_no_further_than_the_end() {
    on_both(|mut store| {
        store.begin_upload(&upload("u", None), 9).unwrap().unwrap();
        assert!(!store.add_piece("u", &piece(4, 4), 2).unwrap(), "a gap");
        assert!(store.add_piece("u", &piece(0, 4), 2).unwrap());
        assert!(!store.add_piece("u", &piece(0, 4), 2).unwrap(), "again");
        assert!(!store.add_piece("u", &piece(4, 7), 2).unwrap(), "too long");
        assert!(store.add_piece("u", &piece(4, 6), 3).unwrap());
        let known = store.upload("u").unwrap().unwrap();
        assert_eq!((known.received, known.touched), (10, 3));
        assert_eq!(store.pieces("u").unwrap(), [piece(0, 4), piece(4, 6)]);
        assert_eq!(store.open_uploads().unwrap().len(), 1);
        assert!(store.drop_upload("u", "late").unwrap());
        assert!(store.pieces("u").unwrap().is_empty());
    });
}

#[test]
fn an_upload_is_published_once() {
    on_both(|mut store| {
        let one = store.begin_upload(&upload("u", Some("k")), 1).unwrap().unwrap();
        let same = store.begin_upload(&upload("other", Some("k")), 1).unwrap().unwrap();
        assert_eq!(one, same);
        assert!(store.begin_upload(&upload("third", None), 1).unwrap().is_none(), "too many");
        for _ in 0..2 {
            assert_eq!(store.finish_upload(&one, "2026-01-02").unwrap(), Some(1));
        }
        assert!(!store.drop_upload("u", "late").unwrap());
        assert_eq!(store.versions("m", "9999").unwrap().len(), 1);
        assert_eq!(store.finish_upload(&upload("gone", None), "2026-01-02").unwrap(), None);
        let mut brought = upload("brought", None);
        brought.model = "n".into();
        store.begin_upload(&brought, 9).unwrap().unwrap();
        assert!(store.add_piece("brought", &piece(0, 10), 1).unwrap());
        assert_eq!(store.finish_upload(&brought, "2026-01-02").unwrap(), Some(1));
        assert_eq!(store.pieces("brought").unwrap().len(), 1, "whoever finished it is gone");
        assert_eq!(store.forget_uploads(2).unwrap(), 2);
        assert!(store.pieces("brought").unwrap().is_empty());
    });
}

#[test]
fn tokens_are_revoked_and_the_log_says_by_whom() {
    on_both(|mut store| {
        assert!(!store.has_tokens().unwrap());
        store.sign(Some(Signature {
            who: "me".into(),
            request: "r".into(),
            moment: "2026-01-01T00:00:00Z".into(),
        }));
        let token = KeptToken {
            id: "1".into(),
            name: "ci".into(),
            hash: Digest::sha256("secret"),
            role: TokenRole::Publish,
            created: "2026-01-01T00:00:00Z".into(),
            expires: None,
            revoked: None,
        };
        store.put_token(&token).unwrap();
        assert_eq!(store.token("1").unwrap().unwrap(), token);
        assert!(store.revoke_token("1", "2026-01-02T00:00:00Z").unwrap());
        assert!(!store.revoke_token("1", "2026-01-03T00:00:00Z").unwrap());
        assert!(store.token("1").unwrap().unwrap().revoked.is_some());
        assert!(store.has_tokens().unwrap(), "one that was revoked was there");
        store.note(&Act { act: "x", subject: "y" }, "refused").unwrap();
        let acts: Vec<String> =
            store.audit(None, 9).unwrap().into_iter().map(|row| row.act).collect();
        assert_eq!(acts, ["x", "token.revoke", "token.create"]);
    });
}
