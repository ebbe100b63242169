//! One end of an IFRT proxy connection.

use std::sync::Arc;

use unskew_core::{
    Agreement, Context, Finding, Judgement, Matcher, NoAgreement, Offer, PartFloor, Party, Promise,
    PromiseState, Provision, Requirement, Version, VersionRange, Window, negotiate,
};

use crate::{policy, rules};

const PROXY: &str = "ifrt.proxy";
const SERDES: &str = "ifrt.serdes";

/// The type that every jit sends and that is not written below the four-week-old version.
const PROGRAM: &str = "HloProgram";

/// What a build of IFRT speaks, as a client and as a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The proxy protocol versions.
    pub protocols: VersionRange,
    /// The SerDes versions; none for builds before protocol 15, which all write version 0.
    pub serdes: Option<VersionRange>,
    /// The lowest SerDes version at which this build writes a program.
    pub program_floor: Option<Version>,
}

impl End {
    /// Adds this end to the party of a release: what it provides, and that whoever stands opposite
    /// as another end must get on with it.
    pub fn join(self, party: Party) -> Party {
        let serdes = self.serdes.unwrap_or(VersionRange::exactly(Version::number(0)));
        party
            .provide(Provision::new(PROXY, self.protocols))
            .provide(Provision::new(SERDES, serdes))
            .with_capability(Arc::new(self))
            .require(Requirement::matches(PROXY, AsClient).irrelevant_if_absent())
    }

    fn offer_protocols(&self, name: &str) -> Offer {
        Offer { name: name.to_owned(), range: self.protocols, floors: Vec::new() }
    }

    fn offer_serdes(&self, name: &str, writes_programs: bool) -> Offer {
        let program = self.program_floor.filter(|_| writes_programs).map(|floor| PartFloor {
            part: PROGRAM.to_owned(),
            floor,
            needed: true,
        });
        Offer {
            name: name.to_owned(),
            range: self.serdes.unwrap_or(VersionRange::exactly(Version::number(0))),
            floors: program.into_iter().collect(),
        }
    }
}

/// Judges the owner as the client of the other. Both sides have this requirement, so a pair of
/// releases is judged in both directions.
struct AsClient;

impl Matcher for AsClient {
    fn judge(&self, owner: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let (client, server) = (owner.capability::<End>()?, other.capability::<End>()?);
        let mut findings = Vec::new();
        match negotiate(&client.offer_protocols(&owner.name), &server.offer_protocols(&other.name))
        {
            Ok(_) => findings.extend(serdes_finding(client, server, owner, other)),
            Err(_) => findings.push(protocol_finding(client, server, owner, other)),
        }
        let promises = promise(owner, other).into_iter().collect();
        Some(Judgement { findings, promises })
    }
}

fn protocol_finding(client: &End, server: &End, owner: &Party, other: &Party) -> Finding {
    let client_is_older = client.protocols.max < server.protocols.max;
    let newer = if client_is_older { server } else { client };
    let needed = newer.protocols.min.map_or_else(|| "any".to_owned(), |min| min.to_string());
    let symptom = if client_is_older {
        "INVALID_ARGUMENT from GetVersion, retried until the connection times out"
    } else {
        "the client aborts if the server answers with a version outside of its range"
    };
    rules::ProxyProtocolsDoNotMeet {
        client: &owner.name,
        client_range: &client.protocols,
        server: &other.name,
        server_range: &server.protocols,
        needed: &needed,
        older_role: &if client_is_older { "client" } else { "server" },
    }
    .finding()
    .with_symptom(symptom)
}

/// Programs travel from the client to the server, so only the client's floor counts.
fn serdes_finding(client: &End, server: &End, owner: &Party, other: &Party) -> Option<Finding> {
    let offers = (client.offer_serdes(&owner.name, true), server.offer_serdes(&other.name, false));
    let (part, floor, highest) = match negotiate(&offers.0, &offers.1) {
        Ok(Agreement { .. }) => return None,
        Err(NoAgreement::PartUnreachable { part, highest }) => (part.part, part.floor, highest),
        Err(NoAgreement::NoCommonVersion { ranges }) => {
            ("any value".to_owned(), ranges[0].min?, ranges[1].max?)
        }
    };
    let finding = rules::SerdesPartOutOfReach {
        writer: &owner.name,
        reader: &other.name,
        part: &part,
        floor: &floor,
        highest: &highest,
    }
    .finding();
    Some(finding.with_symptom(format!(
        "FAILED_PRECONDITION: Unsupported IFRT SerDes version {highest} for {part} serialization"
    )))
}

/// The newer of two builds promises that its four-week-old version is read by builds of that age.
fn promise(owner: &Party, other: &Party) -> Option<Promise> {
    let (older, newer) = match (owner.dated?, other.dated?) {
        // Each pair is judged twice; one of the two judgements carries the promise.
        (a, b) if a > b || (a == b && owner.name >= other.name) => (other, owner),
        _ => return None,
    };
    let (older_day, newer_day) = (older.dated?, newer.dated?);
    let window = policy().forward.clone().unwrap_or_else(|| Window::weeks(4));
    let from = window.start(newer_day, &[]).ok()?;
    let state = if older_day >= from { PromiseState::Promised } else { PromiseState::NotPromised };
    let relation = if older_day >= from { "lies in" } else { "is older than" };
    Some(Promise {
        policy: policy().name.clone(),
        state,
        window: Some(window.to_string()),
        from: Some(from),
        until: Some(newer_day),
        statement: format!(
            "{} of {older_day} {relation} the window of {} of {newer_day}: {}",
            older.name,
            newer.name,
            policy().text
        ),
        reference: policy().reference.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unskew_core::{Date, Outcome, Phase, Role, check};

    fn range(low: i64, high: i64) -> VersionRange {
        VersionRange::between(Version::number(low), Version::number(high))
    }

    fn release(name: &str, protocols: VersionRange, serdes: Option<(i64, i64, i64)>) -> Party {
        End {
            protocols,
            serdes: serdes.map(|(low, high, _)| range(low, high)),
            program_floor: serdes.map(|(.., floor)| Version::number(floor)),
        }
        .join(Party::new(name, Role::Host, "JAX release"))
    }

    fn judge(a: &Party, b: &Party) -> unskew_core::Verdict {
        check(a, b, &Context::on(Date::constant(2026, 11, 1)))
    }

    /// The ranges that real clients announced, see `ifrt` in the facts of the releases.
    #[test]
    fn real_clients_get_on_with_servers_of_their_own_age_only() {
        let old = release("jax 0.6.2", range(3, 14), None);
        let middle = release("jax 0.8.3", range(15, 22), Some((0, 0, 0)));
        let new = release("jax 0.10.2", range(16, 25), Some((0, 3, 3)));
        assert_eq!(judge(&new, &new).outcome, Outcome::Compatible);
        let verdict = judge(&old, &new);
        assert_eq!(verdict.findings.len(), 2, "each as the client of the other");
        assert!(verdict.findings.iter().all(|f| f.rule.code == "IF001"));
        assert_eq!(verdict.first_failure(), Some(Phase::Load));
        // The newer client cannot write a program that the older server reads.
        let verdict = judge(&middle, &new);
        assert_eq!(verdict.findings[0].rule.code, "IF002");
        assert_eq!(verdict.first_failure(), Some(Phase::FirstUse));
    }

    #[test]
    fn four_weeks_are_promised_and_a_day_more_is_not() {
        let day = Date::constant(2026, 6, 17);
        let at = |name, days: i64| {
            let earlier = Window::days(u32::try_from(days).unwrap()).start(day, &[]).unwrap();
            release(name, range(16, 25), Some((0, 3, 3))).dated(earlier)
        };
        let state = |days| judge(&at("older", days), &at("newer", 0)).promises[0].state;
        assert_eq!(state(28), PromiseState::Promised);
        assert_eq!(state(29), PromiseState::NotPromised);
        assert_eq!(judge(&at("a", 1), &at("b", 0)).promises.len(), 1, "said once for a pair");
    }

    proptest! {
        #[test]
        fn two_ends_work_exactly_if_each_reaches_the_other(
            a in (0..9i64, 0..9i64), b in (0..9i64, 0..9i64),
        ) {
            let verdict = judge(
                &release("a", range(a.0, a.1), None),
                &release("b", range(b.0, b.1), None),
            );
            let meet = a.0.max(b.0) <= a.1.min(b.1);
            prop_assert_eq!(verdict.works(), meet);
        }
    }
}
