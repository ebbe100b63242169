//! Dates, accessors, negotiation.

use jiff::civil::Date;
use unskew_serdes::{
    Family, NegotiationError, VersionFloor, VersionOffer, default_version, family, negotiate,
};

family!(Specs = "tests/specs.history.toml");

#[test]
fn the_version_that_builds_of_some_weeks_ago_read_is_computed_from_landing_days() {
    let old = |weeks, day| Specs::access().week_n_old().get(weeks, day).number();
    // Version 2 landed on 2026-05-20.
    assert_eq!(old(4, Date::constant(2026, 6, 16)), 1);
    assert_eq!(old(4, Date::constant(2026, 6, 17)), 2);
    assert_eq!(old(0, Date::constant(2026, 5, 20)), 2);
    // Nothing is so old: the lowest there is.
    assert_eq!(old(400, Date::constant(2026, 6, 17)), 0);
}

#[test]
fn numbers_out_of_range_are_no_versions() {
    let any = Specs::access().any();
    assert_eq!(any.get(2).unwrap().number(), 2);
    for number in [-5, 3, 9999, i64::MIN] {
        let error = any.get(number).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("specs version is out of range: {number}, wanted 0 to 2")
        );
    }
}

#[test]
fn the_highest_common_version_is_agreed_on() {
    let any = Specs::access().any();
    let agree = |minimum, maximum, needed: &[VersionFloor]| {
        negotiate::<Specs>(&any, VersionOffer { minimum, maximum }, needed).map(|v| v.number())
    };
    assert_eq!(agree(0, 9, &[]), Ok(2));
    assert_eq!(agree(0, 1, &[]), Ok(1));
    let nothing = agree(3, 9, &[]).unwrap_err();
    assert!(matches!(nothing, NegotiationError::NothingInCommon { theirs_min: 3, .. }));
    // Connects in the real protocol, and then every jit fails.
    let program = VersionFloor { type_name: "HloProgram", version: 2 };
    assert_eq!(
        agree(0, 1, &[program]).unwrap_err().to_string(),
        "specs: HloProgram will be needed and cannot be written below version 2; \
         the highest common version is 1"
    );
}

#[test]
fn the_default_is_the_current_version() {
    if !cfg!(feature = "bad-default") {
        assert_eq!(default_version::<Specs>().number(), Specs::CURRENT);
    }
}

#[test]
#[cfg(feature = "bad-default")]
#[should_panic(expected = "the default version of specs was asked for here")]
fn in_bad_default_mode_the_default_fails() {
    default_version::<Specs>();
}
