//! Values that a pickle recalls by their keys.

use foldhash::{HashMap, HashMapExt as _};

use super::Id;

/// Values by their keys. Whoever writes a pickle counts the keys from zero; any others are kept too.
pub(crate) struct Memo {
    counted: Vec<Id>,
    others: HashMap<u64, Id>,
}

impl Memo {
    pub(crate) fn new() -> Self {
        Self { counted: Vec::new(), others: HashMap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.counted.len() + self.others.len()
    }

    pub(crate) fn get(&self, key: u64) -> Option<Id> {
        let counted = usize::try_from(key).ok().and_then(|key| self.counted.get(key));
        counted.or_else(|| self.others.get(&key)).copied()
    }

    pub(crate) fn insert(&mut self, key: u64, id: Id) {
        let count = self.counted.len() as u64;
        if key > count {
            self.others.insert(key, id);
        } else if key == count {
            self.counted.push(id);
            if !self.others.is_empty() {
                self.others.remove(&key);
            }
        } else if let Some(known) = self.counted.get_mut(key as usize) {
            *known = id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_in_any_order_are_those_of_a_map(
            keys in prop::collection::vec((0..20_u64, any::<Id>()), 0..100)
        ) {
            let (mut memo, mut map) = (Memo::new(), HashMap::new());
            for (key, id) in keys {
                memo.insert(key, id);
                map.insert(key, id);
                prop_assert_eq!(memo.len(), map.len());
                for key in 0..21 {
                    prop_assert_eq!(memo.get(key), map.get(&key).copied());
                }
            }
        }
    }
}
