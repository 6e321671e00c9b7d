//! What was found in passages that were read before, without the passages.
//!
//! Tool output repeats itself, and a reading costs a thousand times what a digest costs. A passage is known by a digest
//! of it alone, so that nothing private is kept; the digest is keyed anew in every process, so that nobody can write a
//! passage that is taken for another one.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::mem;

use sha2::{Digest, Sha256};

use crate::entity::Entity;

/// The length of a digest that is kept: long enough for no two passages of a machine's life to share it.
const KEY: usize = 16;
/// About what an entry costs beside its entities.
const ENTRY_BYTES: usize = 64;
/// The memory of one of the two generations.
const GENERATION_BYTES: usize = 1 << 20;

/// A passage's digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key([u8; KEY]);

type Entries = HashMap<Key, Box<[Entity]>>;

/// Two generations: what was not used while one filled up is forgotten.
#[derive(Debug)]
pub(crate) struct Cache {
    secret: [u8; 16],
    young: Entries,
    old: Entries,
    /// The memory of the young generation.
    bytes: usize,
    limit: usize,
}

impl Cache {
    pub(crate) fn new() -> Self {
        Self::with_limit(GENERATION_BYTES)
    }

    fn with_limit(limit: usize) -> Self {
        // The standard library's hasher is seeded at random, which is all that is needed here.
        let mut secret = [0; 16];
        for (part, number) in secret.chunks_exact_mut(8).zip(0_u64..) {
            part.copy_from_slice(&RandomState::new().hash_one(number).to_le_bytes());
        }
        Self { secret, young: Entries::new(), old: Entries::new(), bytes: 0, limit }
    }

    pub(crate) fn key(&self, passage: &str) -> Key {
        let digest = Sha256::new().chain_update(self.secret).chain_update(passage).finalize();
        let mut key = [0; KEY];
        key.copy_from_slice(&digest[..KEY]);
        Key(key)
    }

    /// What was found in a passage, with places that count from its start.
    pub(crate) fn get(&mut self, key: Key) -> Option<&[Entity]> {
        if let Some(entities) = self.old.remove(&key) {
            self.put(key, entities);
        }
        self.young.get(&key).map(|entities| &**entities)
    }

    pub(crate) fn put(&mut self, key: Key, entities: Box<[Entity]>) {
        let bytes = ENTRY_BYTES + size_of_val(&*entities);
        if bytes > self.limit {
            return;
        }
        if self.bytes + bytes > self.limit {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
        if self.young.insert(key, entities).is_none() {
            self.bytes += bytes;
        }
    }

    pub(crate) fn clear(&mut self) {
        (self.young, self.old, self.bytes) = (Entries::new(), Entries::new(), 0);
    }

    pub(crate) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, ENTRY_BYTES};

    #[test]
    fn what_is_used_stays_and_what_is_not_is_forgotten() {
        let mut cache = Cache::with_limit(4 * ENTRY_BYTES);
        let used = cache.key("used");
        cache.put(used, Box::default());
        for number in 0..100 {
            let key = cache.key(&number.to_string());
            cache.put(key, Box::default());
            assert!(cache.get(used).is_some());
            assert!(cache.len() <= 8);
        }
        let first = cache.key("0");
        assert!(cache.get(first).is_none());
    }

    #[test]
    fn keys_of_two_caches_differ() {
        assert_ne!(Cache::new().key("Ines Faro"), Cache::new().key("Ines Faro"));
    }
}
