//! What must hold for all parties, histories and offers.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use proptest::prelude::*;
use unskew_core::{
    Clash, Context, DataConsumer, DataVersions, Date, Finding, History, HistoryEntry, Need,
    NoAgreement, Offer, Outcome, PartFloor, Party, Phase, Provision, Requirement, Role, Rule,
    RuleText, Severity, Version, VersionRange, Window, check, negotiate,
};

static CLASH: Rule = Rule {
    code: "XX001",
    name: "clash",
    since: "0.1",
    severity: Severity::Error,
    phase: Some(Phase::Load),
    summary: "",
    reference: RuleText::plain(""),
    what: RuleText::plain(""),
    why: RuleText::plain(""),
    fix: "",
    error_texts: RuleText::plain(""),
    fires: RuleText::plain(""),
    silent: RuleText::plain(""),
};

const AXES: [&str; 3] = ["a", "b", "c"];

fn version() -> impl Strategy<Value = Version> {
    (0..12i64).prop_map(Version::number)
}

fn range() -> impl Strategy<Value = VersionRange> {
    (proptest::option::of(version()), proptest::option::of(version()))
        .prop_map(|(min, max)| VersionRange { min, max })
}

fn bounded() -> impl Strategy<Value = VersionRange> {
    (version(), version()).prop_map(|(a, b)| VersionRange::between(a.min(b), a.max(b)))
}

fn need() -> impl Strategy<Value = Need> {
    prop_oneof![
        range().prop_map(Need::Within),
        proptest::collection::vec(version(), 0..4).prop_map(Need::OneOf),
        proptest::collection::vec(version(), 0..4).prop_map(Need::NoneOf),
        "[xy]".prop_map(Need::Feature),
    ]
}

fn requirement(axis: &'static str, need: Need) -> Requirement {
    Requirement::new(axis, need, |clash: &Clash<'_>| {
        Finding::new(&CLASH, format!("{} but {}", clash.need, clash.found))
    })
}

fn party(role: Role) -> impl Strategy<Value = Party> {
    let provisions = proptest::collection::vec((0..3usize, bounded()), 0..4);
    let requirements = proptest::collection::vec((0..3usize, need(), any::<bool>()), 0..4);
    let features = proptest::collection::vec("[xy]", 0..2);
    (provisions, requirements, features).prop_map(move |(provisions, requirements, features)| {
        let mut party = Party::new(role.as_str(), role, "test party");
        for (axis, versions) in provisions {
            party = party.provide(Provision::new(AXES[axis], versions));
        }
        for (axis, need, lenient) in requirements {
            let requirement = requirement(AXES[axis], need);
            party = party.require(if lenient {
                requirement.irrelevant_if_absent()
            } else {
                requirement
            });
        }
        party.features = features;
        party
    })
}

fn day(offset: i64) -> Date {
    Date::constant(2024, 1, 1).checked_add(jiff::Span::new().days(offset)).unwrap()
}

/// A history whose numbers may go down, as PJRT's did.
fn history() -> impl Strategy<Value = History> {
    proptest::collection::vec((0..20i64, 0..60i64), 1..12).prop_map(|steps| {
        let mut landed = 0;
        let entries = steps
            .into_iter()
            .map(|(number, later)| {
                landed += later;
                HistoryEntry {
                    version: Version::number(number),
                    landed: day(landed),
                    header: None,
                    change: String::new(),
                    parts: Vec::new(),
                }
            })
            .collect();
        History::new("x", "x", entries, Vec::new()).unwrap()
    })
}

fn offer() -> impl Strategy<Value = Offer> {
    let floor = ("[pq]", version(), any::<bool>()).prop_map(|(part, floor, needed)| PartFloor {
        part,
        floor,
        needed,
    });
    (range(), proptest::collection::vec(floor, 0..3)).prop_map(|(range, floors)| Offer {
        name: "side".into(),
        range,
        floors,
    })
}

fn data() -> impl Strategy<Value = DataVersions> {
    (-2..30i64, 0..30i64, proptest::collection::btree_set(0..30i64, 0..3)).prop_map(
        |(producer, min_consumer, bad_consumers)| DataVersions {
            producer,
            min_consumer,
            bad_consumers,
        },
    )
}

proptest! {
    #[test]
    fn a_verdict_does_not_depend_on_who_comes_first(
        a in party(Role::Artifact), b in party(Role::Runtime),
    ) {
        let context = Context::on(day(0));
        let (ab, ba) = (check(&a, &b, &context), check(&b, &a, &context));
        prop_assert_eq!(&ab.outcome, &ba.outcome);
        prop_assert_eq!(ab.findings.len(), ba.findings.len());
        prop_assert_eq!(ab.severity(), ba.severity());
    }

    #[test]
    fn a_pair_works_exactly_if_no_finding_is_an_unmended_error(
        a in party(Role::Artifact), b in party(Role::Runtime),
    ) {
        let verdict = check(&a, &b, &Context::on(day(0)));
        match &verdict.outcome {
            Outcome::Unrelated => prop_assert_eq!(verdict.findings.len(), 1),
            outcome => prop_assert_eq!(
                matches!(outcome, Outcome::Incompatible),
                verdict.severity() == Some(Severity::Error)
            ),
        }
    }

    #[test]
    fn a_reader_that_reads_more_never_breaks_a_pair(
        wanted in range(), has in bounded(), more in 0..5i64,
    ) {
        let owner = Party::new("o", Role::Artifact, "t").require(requirement("a", Need::Within(wanted)));
        let reader = |versions| Party::new("r", Role::Runtime, "t").provide(Provision::new("a", versions));
        let wider = VersionRange {
            min: has.min,
            max: has.max.map(|max| Version::number(max.major() + more)),
        };
        let context = Context::on(day(0));
        if check(&owner, &reader(has), &context).works() {
            prop_assert!(check(&owner, &reader(wider), &context).works());
        }
    }

    #[test]
    fn newer_consumers_and_newer_producers_never_break_data(
        data in data(), consumer in 0..30i64, min_producer in 0..3i64, later in 0..9i64,
    ) {
        let data = DataVersions { bad_consumers: Default::default(), ..data };
        let old = DataConsumer { version: consumer, min_producer };
        if data.accepted_by(old).is_ok() {
            let newer = DataConsumer { version: consumer + later, ..old };
            prop_assert!(data.accepted_by(newer).is_ok());
            let rewritten = DataVersions { producer: data.producer + later, ..data.clone() };
            prop_assert!(rewritten.accepted_by(old).is_ok());
        }
    }

    #[test]
    fn merged_data_is_accepted_exactly_where_both_parts_are(
        a in data(), b in data(), version in 0..30i64, min_producer in 0..3i64,
    ) {
        let consumer = DataConsumer { version, min_producer };
        let merged = a.merged_with(&b);
        prop_assert_eq!(&merged, &b.merged_with(&a));
        prop_assert_eq!(
            merged.accepted_by(consumer).is_ok(),
            a.accepted_by(consumer).is_ok() && b.accepted_by(consumer).is_ok()
        );
    }

    #[test]
    fn negotiation_never_leaves_either_range_and_is_symmetric(a in offer(), b in offer()) {
        let (ab, ba) = (negotiate(&a, &b), negotiate(&b, &a));
        prop_assert_eq!(ab.is_ok(), ba.is_ok());
        if let (Ok(ab), Ok(ba)) = (&ab, &ba) {
            prop_assert_eq!(ab, ba);
            prop_assert!(a.range.contains(ab.version) && b.range.contains(ab.version));
            let above = Version::number(ab.version.major() + 1);
            prop_assert!(!(a.range.contains(above) && b.range.contains(above)));
            for part in a.floors.iter().chain(&b.floors) {
                prop_assert!(part.floor <= ab.version || !part.needed);
                prop_assert_eq!(part.floor > ab.version, ab.without.contains(part));
            }
        }
        if let Err(NoAgreement::PartUnreachable { part, highest }) = ab {
            prop_assert!(part.needed && part.floor > highest);
        }
    }

    #[test]
    fn negotiation_with_a_newer_side_never_goes_down(a in offer(), b in offer(), later in 0..5i64) {
        let newer = Offer {
            range: VersionRange {
                min: a.range.min,
                max: a.range.max.map(|max| Version::number(max.major() + later)),
            },
            ..a.clone()
        };
        if let Ok(before) = negotiate(&a, &b) {
            prop_assert!(negotiate(&newer, &b).unwrap().version >= before.version);
        }
    }

    #[test]
    fn a_longer_window_covers_all_that_a_shorter_one_does(
        history in history(), short in 0..40u32, longer in 0..40u32, released in 0..500i64,
    ) {
        let released = day(released);
        let Ok(covered) = history.supported(released, &Window::weeks(short)) else {
            return Ok(());
        };
        let wider = history.supported(released, &Window::weeks(short + longer)).unwrap();
        prop_assert_eq!(covered.intersection(wider), covered);
    }

    #[test]
    fn a_version_that_is_old_enough_is_read_by_every_build_of_the_window(
        history in history(), weeks in 0..12u32, today in 0..500i64,
    ) {
        let (today, window) = (day(today), Window::weeks(weeks));
        if let Ok(version) = history.at_least_old(&window, today) {
            let mut build = window.start(today, &[]).unwrap();
            while build <= today {
                prop_assert!(version <= history.as_of(build).unwrap());
                build = build.tomorrow().unwrap();
            }
        }
    }
}
