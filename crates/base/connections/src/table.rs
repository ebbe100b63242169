//! Table of open connections, and their limits.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::activity::{Activity, ConnectionRecord};
use crate::address::client;

/// How many connections there may be, and how silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// How many connections there may be.
    pub all: usize,
    /// How many of them one address may have; in IPv6 one network of 64 bits.
    pub per_address: usize,
    /// How many connections one address may have on which nobody has shown who they are.
    pub unauthenticated: usize,
    /// How many more are taken when all are busy, to say how the server is.
    pub reserve: usize,
    /// How long a connection may take until its first request has begun.
    pub first: Duration,
    /// How long it may take for the next one.
    pub idle: Duration,
    /// How long a client may take no byte of an answer.
    pub stall: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            all: 4096,
            per_address: 2048,
            unauthenticated: 256,
            reserve: 16,
            first: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            stall: Duration::from_secs(60),
        }
    }
}

/// All connections of a server.
#[derive(Debug)]
pub struct Connections {
    limits: ConnectionLimits,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    entries: HashMap<u64, Arc<ConnectionRecord>>,
    clients: HashMap<IpAddr, Client>,
    unauthenticated: Arrivals,
    /// How many of them are beyond the limits.
    reserved: usize,
    next: u64,
}

/// What is known of an address.
#[derive(Debug, Default)]
struct Client {
    /// How many connections it has.
    count: usize,
    unauthenticated: Arrivals,
}

/// The numbers of connections in the order in which they came, of which some may be gone or authenticated by now: whoever
/// opens connections fast makes the server look at each of them once, and not at all of them each time.
#[derive(Debug, Default)]
struct Arrivals(VecDeque<u64>);

impl Arrivals {
    /// Adds one; `all` are the connections that there are.
    fn push(&mut self, number: u64, all: &HashMap<u64, Arc<ConnectionRecord>>, most: usize) {
        if self.0.len() > 2 * most + 64 {
            self.sweep(all);
        }
        self.0.push_back(number);
    }

    fn sweep(&mut self, all: &HashMap<u64, Arc<ConnectionRecord>>) {
        self.0.retain(|number| is_unauthenticated(all.get(number)));
    }

    /// Whether there are so many or more.
    fn reach(&mut self, many: usize, all: &HashMap<u64, Arc<ConnectionRecord>>) -> bool {
        if self.0.len() >= many {
            self.sweep(all);
        }
        self.0.len() >= many
    }

    /// The oldest on which nobody has shown who they are.
    fn pop(&mut self, all: &HashMap<u64, Arc<ConnectionRecord>>) -> Option<u64> {
        while let Some(number) = self.0.pop_front() {
            if is_unauthenticated(all.get(&number)) {
                return Some(number);
            }
        }
        None
    }
}

fn is_unauthenticated(entry: Option<&Arc<ConnectionRecord>>) -> bool {
    entry.is_some_and(|entry| !entry.is_authenticated())
}

impl Table {
    fn remove(&mut self, number: u64) -> Option<Arc<ConnectionRecord>> {
        let entry = self.entries.remove(&number)?;
        if entry.reserve {
            self.reserved -= 1;
        }
        if let Some(client) = self.clients.get_mut(&entry.client) {
            client.count -= 1;
            if client.count == 0 {
                self.clients.remove(&entry.client);
            }
        }
        Some(entry)
    }

    /// Takes the place of the connection that is least worth it; of one client, or of all. False if all are busy.
    fn lose_one(&mut self, of: Option<IpAddr>) -> bool {
        let stranger = match of {
            None => self.unauthenticated.pop(&self.entries),
            Some(client) => {
                let client = self.clients.get_mut(&client);
                client.and_then(|client| client.unauthenticated.pop(&self.entries))
            }
        };
        let number = stranger.or_else(|| self.most_silent(of));
        let lost = number.and_then(|number| self.remove(number));
        if let Some(entry) = &lost {
            entry.lose();
        }
        lost.is_some()
    }

    /// The connection that is silent for the longest time.
    fn most_silent(&self, of: Option<IpAddr>) -> Option<u64> {
        let wanted = |entry: &ConnectionRecord| of.is_none_or(|client| entry.client == client);
        let silent = self.entries.iter().filter(|(_, entry)| wanted(entry));
        let silent = silent.filter_map(|(number, entry)| Some((entry.idle()?, *number)));
        silent.min().map(|(_, number)| number)
    }

    /// Whether a client has so many connections, or so many without knowing whose they are.
    fn is_full(&mut self, client: IpAddr, limits: &ConnectionLimits) -> bool {
        let Some(client) = self.clients.get_mut(&client) else { return false };
        client.count >= limits.per_address
            || client.unauthenticated.reach(limits.unauthenticated, &self.entries)
    }

    fn add(&mut self, entry: &Arc<ConnectionRecord>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.reserved += usize::from(entry.reserve);
        self.entries.insert(number, Arc::clone(entry));
        self.unauthenticated.push(number, &self.entries, self.entries.len());
        let client = self.clients.entry(entry.client).or_default();
        client.count += 1;
        client.unauthenticated.push(number, &self.entries, client.count);
        number
    }
}

impl Connections {
    /// A table without connections, which takes as many as `limits` allow.
    pub fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, table: Mutex::default() })
    }

    /// How many there may be, and how silent.
    pub fn limits(&self) -> &ConnectionLimits {
        &self.limits
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.table().entries.len()
    }

    /// A place for a connection of this peer, which may be that of another connection; none if all are busy, and the
    /// reserve too.
    pub fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionPlace> {
        let client = client(peer);
        let mut table = self.table();
        let mut room = true;
        if table.is_full(client, &self.limits) {
            room = table.lose_one(Some(client));
        }
        if table.entries.len().saturating_sub(table.reserved) >= self.limits.all {
            room &= table.lose_one(None);
        }
        if !room && table.reserved >= self.limits.reserve {
            return None;
        }
        let entry = Arc::new(ConnectionRecord::new(client, !room));
        let number = table.add(&entry);
        Some(ConnectionPlace { entry, number, of: Arc::clone(self) })
    }

    /// Closes the connection that is least worth its place, for a system that has no more sockets. False if all are busy.
    pub fn lose_one(&self) -> bool {
        self.table().lose_one(None)
    }
}

/// The place of a connection, which is free again when this is dropped.
#[derive(Debug)]
pub struct ConnectionPlace {
    pub(crate) entry: Arc<ConnectionRecord>,
    number: u64,
    pub(crate) of: Arc<Connections>,
}

impl ConnectionPlace {
    /// What happens on the connection.
    pub fn activity(&self) -> Activity {
        Activity(Arc::clone(&self.entry))
    }

    /// Whether another connection has it by now.
    pub fn is_lost(&self) -> bool {
        self.entry.is_lost()
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.of.table().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    fn limits(all: usize, per_address: usize, reserve: usize) -> ConnectionLimits {
        ConnectionLimits { all, per_address, reserve, ..ConnectionLimits::default() }
    }

    #[test]
    fn who_never_asked_loses_its_place_first() {
        let connections = Connections::new(limits(3, 3, 0));
        let asked = connections.admit(peer(1)).unwrap();
        drop(asked.activity().begin());
        let silent = connections.admit(peer(2)).unwrap();
        let busy = connections.admit(peer(3)).unwrap();
        let work = busy.activity().begin();
        let fourth = connections.admit(peer(4)).unwrap();
        assert!(silent.is_lost() && !asked.is_lost() && !busy.is_lost());
        let _work = fourth.activity().begin();
        let fifth = connections.admit(peer(5)).unwrap();
        assert!(asked.is_lost() && !busy.is_lost() && !fourth.is_lost());
        let _fifth = fifth.activity().begin();
        assert!(connections.admit(peer(6)).is_none(), "all are busy");
        drop(work);
        assert!(connections.admit(peer(6)).is_some());
        assert!(busy.is_lost());
    }

    #[test]
    fn one_address_takes_the_places_of_no_others() {
        let connections = Connections::new(limits(100, 2, 0));
        let other = connections.admit(peer(1)).unwrap();
        let many: Vec<ConnectionPlace> =
            (0..50).map(|_| connections.admit(peer(2)).unwrap()).collect();
        assert!(!other.is_lost());
        assert_eq!(many.iter().filter(|place| !place.is_lost()).count(), 2);
        assert_eq!(connections.count(), 3);
        drop((many, other));
        // Also of those that come and go by themselves nothing stays.
        for _ in 0..1000 {
            drop(connections.admit(peer(3)));
        }
        assert!(connections.table().unauthenticated.0.len() < 100);
        assert_eq!(connections.count(), 0);
        assert!(connections.table().clients.is_empty(), "nothing is left of them");
    }

    #[test]
    fn one_address_has_so_many_without_a_token_and_more_with_one() {
        let limits = ConnectionLimits { unauthenticated: 2, ..limits(100, 50, 0) };
        let connections = Connections::new(limits);
        let known = connections.admit(peer(1)).unwrap();
        let stranger = known.activity().begin_unauthenticated();
        stranger.authentication().succeeded();
        drop(stranger);
        let busy = connections.admit(peer(1)).unwrap();
        let _body = busy.activity().begin_unauthenticated();
        let silent = connections.admit(peer(1)).unwrap();
        assert!(!busy.is_lost());
        let third = connections.admit(peer(1)).unwrap();
        assert!(busy.is_lost() && !silent.is_lost() && !third.is_lost() && !known.is_lost());
        let other = connections.admit(peer(2)).unwrap();
        assert!(!silent.is_lost() && !other.is_lost());
        for _ in 0..20 {
            drop(connections.admit(peer(1)).unwrap().activity().begin());
        }
        assert!(!third.is_lost(), "what is known does not count");
    }

    #[test]
    fn strangers_lose_their_places_before_anybody_who_is_known() {
        let connections = Connections::new(limits(3, 3, 1));
        let known = connections.admit(peer(1)).unwrap();
        drop(known.activity().begin());
        let places = [2, 3].map(|last| connections.admit(peer(last)).unwrap());
        let _requests = places.each_ref().map(|place| place.activity().begin_unauthenticated());
        let fourth = connections.admit(peer(4)).unwrap();
        assert!(!fourth.activity().is_reserve(), "no stranger keeps the others out");
        assert!(places[0].is_lost() && !places[1].is_lost() && !known.is_lost());
    }

    #[test]
    fn when_all_are_busy_there_is_room_to_say_so() {
        let connections = Connections::new(limits(1, 1, 1));
        let busy = connections.admit(peer(1)).unwrap();
        let _work = busy.activity().begin();
        let more = connections.admit(peer(2)).unwrap();
        assert!(more.activity().is_reserve() && !busy.activity().is_reserve());
        let _more = more.activity().begin();
        assert!(connections.admit(peer(3)).is_none());
        drop((_more, more));
        assert!(connections.admit(peer(3)).unwrap().activity().is_reserve());
        assert_eq!(connections.table().reserved, 0);
    }
}
