//! Release of JAX as a client, and a server built from the same sources.

use std::sync::Arc;

use unskew_core::{
    Context, Date, Finding, Judgement, Matcher, NoAgreement, Offer, PartFloor, Party, Promise,
    PromiseState, Provision, Requirement, Severity, Version, VersionRange, negotiate,
};

use unskew_serdes::VersionFloor;
use unskew_serdes::proto::Message as _;

use crate::types::HloProgram;
use crate::{history, rules, session};

/// The axis of the proxy's protocol.
pub const PROXY_AXIS: &str = "ifrt.proxy";

/// The axis of SerDes versions.
pub const SERDES_AXIS: &str = "ifrt.serdes";

/// The protocol version from which SerDes versions are announced at all.
const ANNOUNCES_SERDES: Version = Version::number(15);

/// What a release speaks as an IFRT proxy client.
///
/// No release ships a server; where one is spoken of, a server built from the same sources is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IfrtRelease {
    /// The name that the user knows it by: `jax 0.10.2`.
    pub name: String,
    /// The day of the release.
    pub released: Date,
    /// The protocol versions that its client announces; none if it has no proxy client.
    pub proxy: Option<VersionRange>,
    /// The SerDes versions that it announces; none if it announces none.
    pub serdes: Option<VersionRange>,
    /// The version below which it refuses to write programs.
    pub program_floor: Option<Version>,
}

impl IfrtRelease {
    /// What a build of the sources of `day` speaks, by the histories.
    pub fn built(name: &str, day: Date) -> Self {
        let range = |history: Option<&unskew_core::History>| {
            let history = history?;
            Some(VersionRange::between(history.minimum_as_of(day), history.as_of(day)?))
        };
        let proxy = range(history::proxy());
        let announces =
            proxy.and_then(|range| range.max).is_some_and(|max| max >= ANNOUNCES_SERDES);
        Self {
            name: name.to_owned(),
            released: day,
            proxy,
            serdes: range(history::serdes()).filter(|_| announces),
            program_floor: history::typed_week_4_old().and_then(|typed| typed.as_of(day)),
        }
    }

    /// Adds to the party of this release what it provides and requires at this boundary.
    #[must_use]
    pub fn attach(self, mut party: Party) -> Party {
        let Some(proxy) = self.proxy else { return party };
        party = party.provide(Provision::new(PROXY_AXIS, proxy)).fact("IFRT proxy protocol", proxy);
        if let Some(serdes) = self.serdes {
            let floor = self.program_floor.map(|floor| format!(", programs from {floor}"));
            party = party
                .provide(Provision::new(SERDES_AXIS, serdes))
                .fact("IFRT SerDes", format!("{serdes}{}", floor.unwrap_or_default()));
        }
        let release = Arc::new(self);
        party
            .require(
                Requirement::matches(PROXY_AXIS, Server(Arc::clone(&release)))
                    .irrelevant_if_absent(),
            )
            .with_capability(release)
    }

    /// Why a client of this release cannot work with a server built from the sources of `server`,
    /// in the order in which the two meet the reasons.
    pub fn judge(&self, server: &IfrtRelease) -> Vec<Finding> {
        let Some((client, other)) = self.proxy.zip(server.server_range()) else {
            return Vec::new();
        };
        let agreed = match negotiate(&offer(self, client, None), &offer(server, other, None)) {
            Ok(agreement) => agreement.version,
            Err(_) => return vec![self.no_protocol(server, client, other)],
        };
        let (Some(writes), Some(reads)) = (self.serdes, server.serdes) else { return Vec::new() };
        if agreed < ANNOUNCES_SERDES {
            return Vec::new();
        }
        let client = offer(self, writes, self.program_floor);
        match negotiate(&client, &offer(server, reads, None)) {
            Ok(agreement) => {
                self.unsendable(server, agreement.version, reads).into_iter().collect()
            }
            Err(NoAgreement::PartUnreachable { part, highest }) => {
                vec![self.no_programs(server, part.floor, highest)]
            }
            Err(NoAgreement::NoCommonVersion { .. }) => vec![
                rules::NoCommonSerdes {
                    client: &self.name,
                    client_range: &writes,
                    server: &server.name,
                    server_range: &reads,
                }
                .finding(),
            ],
        }
    }

    /// What this client has and cannot send at the agreed version, by what the types say.
    fn unsendable(
        &self,
        server: &IfrtRelease,
        agreed: Version,
        reads: VersionRange,
    ) -> Option<Finding> {
        let has = |version: u32| self.serdes.is_some_and(|own| own.max >= Some(number(version)));
        let knows = |minimum: u32, range: Option<VersionRange>| {
            range.and_then(|range| range.min).is_none_or(|min| min < number(minimum))
        };
        let mut what: Vec<String> = Vec::new();
        for carried in session::changing() {
            let since = carried.since.version;
            if let Some(minimum) = carried.removed_with_minimum {
                let (client, server) = (knows(minimum, self.serdes), knows(minimum, Some(reads)));
                if client && !server {
                    what.push(format!("{} (not read from minimum {minimum} on)", carried.what));
                }
            } else if number(since) > agreed && has(since) {
                let silently = if carried.dropped { ", read wrongly" } else { "" };
                what.push(format!("{} (since {since}{silently})", carried.what));
            }
        }
        let what = what.join(", ");
        let rule = rules::ValuesBelowTheirFloor {
            client: &self.name,
            server: &server.name,
            agreed: &agreed,
            what: &what,
        };
        (!what.is_empty()).then(|| rule.finding())
    }

    /// The protocol versions of a server built from the same sources.
    fn server_range(&self) -> Option<VersionRange> {
        let max = self.proxy?.max?;
        let min = history::server_minimum()?.as_of(self.released)?;
        Some(VersionRange::between(min.min(max), max))
    }

    fn no_protocol(
        &self,
        server: &IfrtRelease,
        client: VersionRange,
        other: VersionRange,
    ) -> Finding {
        rules::NoCommonProtocol {
            client: &self.name,
            client_range: &client,
            server: &server.name,
            server_range: &other,
        }
        .finding()
        .with_symptom("INVALID_ARGUMENT in answer to GetVersion, again at every attempt to connect")
    }

    fn no_programs(&self, server: &IfrtRelease, floor: Version, highest: Version) -> Finding {
        let landed = history::serdes().and_then(|serdes| serdes.landed(floor));
        let landed = landed.map_or_else(|| "day not known".to_owned(), |day| day.to_string());
        let symptom = format!(
            "FAILED_PRECONDITION: Unsupported IFRT SerDes version {highest} for HloProgram serialization"
        );
        rules::ProgramsBelowTheirFloor {
            client: &self.name,
            floor: &floor,
            highest: &highest,
            landed: &landed,
            server: &server.name,
        }
        .finding()
        .with_symptom(symptom)
    }

    /// What is promised about values that this release writes and `server` reads.
    fn promise(&self, server: &IfrtRelease) -> Option<Promise> {
        let policy = history::policy()?;
        let window = policy.forward.clone()?;
        let from = window.start(self.released, &[]).ok()?;
        let pair = format!(
            "client {} of {}, server of {} ({})",
            self.name, self.released, server.name, server.released
        );
        let (state, what) = if self.serdes.is_none() || server.serdes.is_none() {
            (PromiseState::NotPromised, "no SerDes versions before June 2025".to_owned())
        } else if server.released >= self.released {
            (
                PromiseState::Promised,
                "a newer build reads everything from its minimum on".to_owned(),
            )
        } else if server.released >= from {
            (PromiseState::Promised, format!("the server is at most {window} older"))
        } else {
            (PromiseState::Expired, format!("the server is more than {window} older"))
        };
        Some(Promise {
            policy: policy.name.clone(),
            state,
            window: Some(window.to_string()),
            from: Some(from),
            until: None,
            statement: format!("{pair}: {what}"),
            reference: policy.reference.clone(),
        })
    }

    /// A warning about a server that is older than the window, where nothing else speaks against it.
    fn outlived(&self, server: &IfrtRelease, promise: &Promise) -> Option<Finding> {
        if promise.state != PromiseState::Expired {
            return None;
        }
        let days = server.released.until((jiff::Unit::Day, self.released)).ok()?.get_days();
        let window = promise.window.as_deref().unwrap_or_default();
        let rule = rules::ServerOutlivesTheWindow {
            client: &self.name,
            server: &server.name,
            weeks: &(days / 7),
            window: &window,
        };
        Some(rule.finding())
    }
}

fn number(version: u32) -> Version {
    Version::number(version.into())
}

/// What a side offers, with the floors of the types that every program needs: their own, and that of
/// programs, which the makers do not announce.
fn offer(release: &IfrtRelease, range: VersionRange, program_floor: Option<Version>) -> Offer {
    let floor = |own: VersionFloor| {
        let of_programs = program_floor.filter(|_| own.type_name == HloProgram::NAME);
        let floor = of_programs.unwrap_or(Version::number(0)).max(number(own.version));
        PartFloor { part: own.type_name.to_owned(), floor, needed: true }
    };
    let floors = session::program_floors().into_iter().map(floor);
    let above = |floor: &PartFloor| floor.floor > Version::number(0);
    Offer { name: release.name.clone(), range, floors: floors.filter(above).collect() }
}

/// A client's requirement: a server that it can work with.
struct Server(Arc<IfrtRelease>);

impl Matcher for Server {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let server = other.capability::<IfrtRelease>()?;
        let mut findings = self.0.judge(server);
        let promise = self.0.promise(server);
        if findings.iter().all(|finding| finding.severity != Severity::Error) {
            findings.extend(promise.as_ref().and_then(|promise| self.0.outlived(server, promise)));
        }
        Some(Judgement {
            findings,
            promises: promise.into_iter().collect(),
            ..Judgement::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use unskew_core::{Role, check};

    use super::*;

    /// Version, day of the sources, protocol range, SerDes range.
    type Client = (&'static str, (i16, i8, i8), (i64, i64), Option<(i64, i64)>);

    /// What seven real clients announced, and the SerDes version of programs.
    const MEASURED: [Client; 7] = [
        ("0.4.31", (2024, 7, 29), (3, 4), None),
        ("0.5.3", (2025, 3, 19), (3, 14), None),
        ("0.6.2", (2025, 6, 17), (3, 14), None),
        ("0.7.2", (2025, 9, 15), (15, 16), Some((0, 0))),
        ("0.8.3", (2025, 12, 18), (15, 22), Some((0, 0))),
        ("0.9.2", (2026, 3, 18), (16, 25), Some((0, 1))),
        ("0.10.2", (2026, 6, 14), (16, 25), Some((0, 3))),
    ];

    fn range((min, max): (i64, i64)) -> VersionRange {
        VersionRange::between(Version::number(min), Version::number(max))
    }

    /// The day is that of the sources: jax 0.8.3 was built from those of 0.8.2, and 0.10.2 from
    /// some days before its release, just before SerDes 4.
    #[test]
    fn the_histories_say_what_real_clients_announced() {
        for (version, (y, m, d), proxy, serdes) in MEASURED {
            let built = IfrtRelease::built(version, Date::constant(y, m, d));
            assert_eq!(built.proxy, Some(range(proxy)), "{version}");
            assert_eq!(built.serdes, serdes.map(range), "{version}");
        }
        println!("agreement 7/7 clients");
    }

    #[test]
    fn a_server_of_2026_refuses_every_client_up_to_0_6_2() {
        let server = IfrtRelease::built("head", Date::constant(2026, 8, 7));
        for (version, (y, m, d), ..) in MEASURED {
            let client = IfrtRelease::built(version, Date::constant(y, m, d));
            let refused = client.judge(&server).iter().any(|f| f.rule.code == "IF101");
            assert_eq!(refused, ["0.4.31", "0.5.3", "0.6.2"].contains(&version), "{version}");
        }
    }

    /// Measured with the 0.10.2 client: SerDes at most 2, 1 or 0 connects, and every jit fails; the
    /// 0.9.2 and 0.8.3 clients run at 0.
    #[test]
    fn a_session_below_the_floor_of_programs_is_no_agreement() {
        let mut server = IfrtRelease::built("server", Date::constant(2026, 6, 14));
        let client = |day| IfrtRelease::built("client", day);
        for max in 0..3 {
            server.serdes = Some(range((0, max)));
            let findings = client(Date::constant(2026, 6, 14)).judge(&server);
            assert_eq!(findings[0].rule.code, "IF103");
            let symptom = findings[0].symptom.as_deref().unwrap();
            assert!(symptom.contains(&format!("version {max} for HloProgram")), "{symptom}");
        }
        server.serdes = Some(range((0, 0)));
        // Programs run; what came with version 1 cannot be sent.
        let findings = client(Date::constant(2026, 3, 18)).judge(&server);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.rule.code).collect();
        assert_eq!(codes, ["IF105"]);
        assert!(findings[0].message.contains("ShardingParam.unreduced_axes (since 1)"));
    }

    /// Version 3 has no types of version 5, and a minimum of 2 has removed one.
    #[test]
    fn what_cannot_be_sent_in_a_session_that_works_is_said() {
        let day = |y, m, d| Date::constant(y, m, d);
        let mut newer = IfrtRelease::built("newer", day(2026, 8, 17));
        newer.serdes = Some(range((0, 5)));
        let older = IfrtRelease::built("older", day(2026, 6, 14));
        let findings = newer.judge(&older);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].rule.code, "IF105");
        let text = &findings[0].message;
        assert!(text.contains("agree on SerDes 3"), "{text}");
        for what in
            ["AbstractArraySpec (since 5)", "elements of KIND_F6E2M3FN (since 5, read wrongly)"]
        {
            assert!(text.contains(what), "{text}");
        }
        assert!(!text.contains("ShardingParam"), "{text}");
        // The older client has none of these.
        assert!(older.judge(&newer).is_empty());

        newer.serdes = Some(range((2, 5)));
        let findings = older.judge(&newer);
        assert_eq!(findings[0].rule.code, "IF105");
        let text = &findings[0].message;
        assert!(text.contains("ShardingParamSharding (not read from minimum 2 on)"), "{text}");
    }

    #[test]
    fn two_releases_are_judged_in_both_directions() {
        let party = |name: &str, day| {
            IfrtRelease::built(name, day).attach(Party::new(name, Role::Host, "JAX release"))
        };
        let old = party("jax 0.9.2", Date::constant(2026, 3, 18));
        let new = party("jax 0.10.2", Date::constant(2026, 6, 14));
        let verdict = check(&old, &new, &Context::for_tests());
        assert_eq!(verdict.promises.len(), 2);
        let states: Vec<PromiseState> = verdict.promises.iter().map(|p| p.state).collect();
        assert!(states.contains(&PromiseState::Promised));
        assert!(states.contains(&PromiseState::Expired));
        let codes: Vec<&str> = verdict.findings.iter().map(|f| f.rule.code).collect();
        assert_eq!(codes, ["IF103"]);
    }
}
