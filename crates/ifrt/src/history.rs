//! The dated histories of IFRT, read from `data/`.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Floor, History, Policy, Version};

const SERDES: &str = include_str!("../data/serdes.history.toml");
const PROXY: &str = include_str!("../data/proxy.history.toml");
const SERVER_FLOORS: &str = include_str!("../data/server-floors.toml");
const POLICY: &str = include_str!("../data/policy.toml");

#[derive(Deserialize)]
struct Floors {
    floor: Vec<FloorRow>,
}

#[derive(Deserialize)]
struct FloorRow {
    number: i64,
    landed: toml::value::Datetime,
}

/// The history of the IFRT SerDes version.
pub fn serdes_history() -> &'static History {
    static HISTORY: LazyLock<History> = LazyLock::new(|| embedded(History::from_toml(SERDES)));
    &HISTORY
}

/// The history of the proxy protocol, with the floors of clients.
pub fn proxy_history() -> &'static History {
    static HISTORY: LazyLock<History> = LazyLock::new(|| embedded(History::from_toml(PROXY)));
    &HISTORY
}

/// The history of the proxy protocol, with the floors of servers.
pub fn proxy_server_history() -> &'static History {
    static HISTORY: LazyLock<History> = LazyLock::new(|| {
        let floors: Floors = embedded(toml::from_str(SERVER_FLOORS));
        let floors = floors.floor.iter().map(|row| Floor {
            version: Version::number(row.number),
            landed: embedded(row.landed.to_string().parse()),
        });
        let client = proxy_history();
        let entries = client.entries().to_vec();
        embedded(History::new(client.axis.clone(), &*client.title, entries, floors.collect()))
    });
    &HISTORY
}

/// What IFRT promises about serialized data.
pub fn policy() -> &'static Policy {
    static POLICY_FILE: LazyLock<Policy> = LazyLock::new(|| embedded(Policy::from_toml(POLICY)));
    &POLICY_FILE
}

/// Data of this crate; that it is well-formed is shown by the tests below, not left to its users.
#[allow(clippy::panic, reason = "embedded data, covered by tests")]
fn embedded<T, E: std::fmt::Display>(read: Result<T, E>) -> T {
    read.unwrap_or_else(|error| panic!("embedded data of unskew-ifrt: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_core::{Date, Window};

    #[test]
    fn all_embedded_data_can_be_read() {
        assert_eq!(serdes_history().current(), Version::number(6));
        assert_eq!(serdes_history().minimum(), Version::number(2));
        assert_eq!(proxy_history().current(), Version::number(25));
        assert_eq!(proxy_history().minimum(), Version::number(16));
        assert_eq!(policy().forward, Some(Window::weeks(4)));
    }

    #[test]
    fn clients_and_servers_dropped_versions_on_different_days() {
        let day = Date::constant(2025, 8, 1);
        assert_eq!(proxy_history().minimum_as_of(day), Version::number(15));
        assert_eq!(proxy_server_history().minimum_as_of(day), Version::number(3));
    }

    #[derive(Deserialize)]
    struct Typed {
        last_seen: toml::value::Datetime,
        typed: Vec<TypedRow>,
    }

    #[derive(Deserialize)]
    struct TypedRow {
        number: i64,
        since: toml::value::Datetime,
    }

    /// How many days after it was due each hand-typed `week_4_old` came, and whether the last one
    /// had come at all.
    #[test]
    fn the_computed_four_week_old_version_shows_how_late_the_typed_one_was() {
        let data: Typed = toml::from_str(include_str!("../data/week-4-old.toml")).unwrap();
        let day = |value: &toml::value::Datetime| value.to_string().parse::<Date>().unwrap();
        let due = |number| {
            let landed = serdes_history().landed(Version::number(number)).unwrap();
            Window::weeks(4).end(landed, &[]).unwrap().unwrap()
        };
        let late: Vec<i32> = data.typed[1..]
            .iter()
            .map(|row| day(&row.since).since(due(row.number)).unwrap().get_days())
            .collect();
        // Counted from the landing day; from the header's date it would be 19, 1 and 0.
        assert_eq!(late, [13, 0, 0], "typed too late by these days");
        let seen = day(&data.last_seen);
        let computed = serdes_history().at_least_old(&Window::weeks(4), seen).unwrap();
        assert_eq!(computed, Version::number(4));
        assert_eq!(data.typed.last().unwrap().number, 3, "version 4 was overdue");
    }
}
