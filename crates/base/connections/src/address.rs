//! Addresses that count as one client.

use std::net::{IpAddr, Ipv6Addr};

/// The address that a peer is counted by. Whoever has an address of IPv6 has all of its last 64 bits.
///
/// ```
/// let of = |text: &str| unskew_connections::client(text.parse().unwrap()).to_string();
/// assert_eq!(of("2001:db8::1:2:3:4"), "2001:db8::");
/// assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
/// ```
pub fn client(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let of = |text: &str| client(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1:2:3"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
