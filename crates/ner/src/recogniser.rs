//! The reader that the product uses: lazy, cached, and done at its deadline.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use crate::cache::{Cache, Key};
use crate::entity::Entity;
use crate::error::LoadError;
use crate::facts::{Counters, Facts, Increase};
use crate::model::Model;
use crate::passage::cut;

/// The longest text that is worth reading for names before it leaves, in characters.
pub const LONGEST_TEXT: usize = 20_000;
/// How long the reading of one such text may take.
pub const READING_TIME: Duration = Duration::from_secs(2);
/// Threads of one reading: a text of the longest kind is done in time, and the machine stays usable.
const MOST_THREADS: usize = 4;
/// Bytes that are read at once.
const PORTION: usize = 32 << 10;

/// What was found in a text, and what was not read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// In the order of the text, without overlaps.
    pub entities: Vec<Entity>,
    /// Whole lines that were not read: those that can hold an identity, and what is read with them. They are in the order
    /// of the text and come without the last line end. Whoever hides names withholds them.
    pub unread: Vec<Range<usize>>,
}

/// Finds names and addresses. It is cheap to make, may be shared between threads, and loads its model when it is needed.
#[derive(Debug)]
pub struct Recogniser {
    threads: usize,
    model: Mutex<Slot>,
    cache: Mutex<Cache>,
    counters: Counters,
}

#[derive(Debug)]
struct Slot {
    model: Option<Arc<Model>>,
    used: Instant,
    loads: u64,
    failure: Option<LoadError>,
}

/// A passage that the network has to read.
struct Open {
    range: Range<usize>,
    key: Key,
}

impl Default for Recogniser {
    fn default() -> Self {
        Self::new()
    }
}

impl Recogniser {
    /// A reader that has loaded nothing yet, with as many threads as the machine has, and four at most.
    pub fn new() -> Self {
        Self::with_threads(available_parallelism().map_or(1, usize::from).min(MOST_THREADS))
    }

    /// A reader with a number of threads for one reading; at least one.
    pub fn with_threads(threads: usize) -> Self {
        let slot = Slot { model: None, used: Instant::now(), loads: 0, failure: None };
        Self {
            threads: threads.max(1),
            model: Mutex::new(slot),
            cache: Mutex::new(Cache::new()),
            counters: Counters::default(),
        }
    }

    /// Reads a text until it is done or the deadline is over.
    ///
    /// What was known from before is found after the deadline too.
    pub fn find(&self, text: &str, deadline: Instant) -> Found {
        self.find_unless(text, &|| Instant::now() >= deadline)
    }

    /// Reads a text until it is done or `is_stopped` says so, which is asked many times and from several threads.
    pub fn find_unless(&self, text: &str, is_stopped: &(dyn Fn() -> bool + Sync)) -> Found {
        let passages = cut(text);
        let mut increase = Increase { lines: passages.lines, skipped_lines: passages.skipped, ..Increase::default() };
        let mut found = Found::default();
        let mut open: Vec<Open> = Vec::new();
        {
            let mut cache = lock(&self.cache);
            for range in passages.ranges {
                let Some(passage) = text.get(range.clone()) else { continue };
                let key = cache.key(passage);
                match cache.get(key) {
                    Some(known) => {
                        increase.cached_passages += 1;
                        found.entities.extend(known.iter().map(|entity| moved(entity, range.start)));
                    }
                    None => open.push(Open { range, key }),
                }
            }
        }
        if !open.is_empty() {
            self.read(text, open, is_stopped, &mut found, &mut increase);
            found.entities.sort_unstable_by_key(|entity| entity.start);
        }
        self.counters.add(&increase);
        found
    }

    fn read(
        &self,
        text: &str,
        mut open: Vec<Open>,
        is_stopped: &(dyn Fn() -> bool + Sync),
        found: &mut Found,
        increase: &mut Increase,
    ) {
        let begun = Instant::now();
        // A text that repeats a line has it read once.
        let mut order: Vec<usize> = (0..open.len()).collect();
        order.sort_by_key(|index| (open[*index].key, *index));
        order.dedup_by_key(|index| open[*index].key);
        order.sort_unstable();
        let texts: Vec<&str> =
            order.iter().map(|index| text.get(open[*index].range.clone()).unwrap_or_default()).collect();
        let mut readings: Vec<Option<Vec<Entity>>> = Vec::with_capacity(texts.len());
        if let Some(model) = (!is_stopped()).then(|| self.model()).flatten() {
            let mut rest = texts.as_slice();
            // Even cutting a text into pieces takes its time, so a long one is not cut as a whole.
            while !rest.is_empty() && !is_stopped() {
                let (portion, further) = rest.split_at(portion(rest));
                readings.extend(model.read(portion, self.threads, is_stopped));
                rest = further;
            }
        }
        let mut cache = lock(&self.cache);
        let read = order.iter().zip(&texts).zip(readings).filter_map(|((index, text), reading)| {
            increase.read_bytes += reading.as_ref().map_or(0, |_| text.len());
            Some((open[*index].key, reading?.into_boxed_slice()))
        });
        let mut fresh: Vec<(Key, Box<[Entity]>)> = read.collect();
        increase.read_passages += fresh.len();
        fresh.sort_by_key(|(key, _)| *key);
        for Open { range, key } in open.drain(..) {
            let known = fresh.binary_search_by_key(&key, |(key, _)| *key).ok().and_then(|at| fresh.get(at));
            if let Some((_, entities)) = known {
                found.entities.extend(entities.iter().map(|entity| moved(entity, range.start)));
            } else {
                increase.unread_passages += 1;
                found.unread.push(range);
            }
        }
        for (key, entities) in fresh {
            cache.put(key, entities);
        }
        increase.reading = begun.elapsed();
    }

    /// Drops the model when nothing was read for so long. Returns whether it was dropped.
    pub fn unload_if_idle(&self, idle: Duration) -> bool {
        let mut slot = lock(&self.model);
        slot.model.is_some() && slot.used.elapsed() >= idle && slot.model.take().is_some()
    }

    /// Forgets what was found in passages that were read before.
    pub fn forget(&self) {
        lock(&self.cache).clear();
    }

    /// What it did so far.
    pub fn facts(&self) -> Facts {
        let kept_passages = lock(&self.cache).len();
        let slot = lock(&self.model);
        Facts {
            loads: slot.loads,
            is_loaded: slot.model.is_some(),
            failure: slot.failure,
            kept_passages,
            ..self.counters.facts()
        }
    }

    /// The model, loaded now if it was not; none if it cannot be.
    fn model(&self) -> Option<Arc<Model>> {
        let mut slot = lock(&self.model);
        slot.used = Instant::now();
        if slot.failure.is_none() && slot.model.is_none() {
            match Model::load() {
                Ok(model) => {
                    slot.model = Some(Arc::new(model));
                    slot.loads += 1;
                }
                Err(failure) => slot.failure = Some(failure),
            }
        }
        slot.model.clone()
    }
}

/// How many of the texts are read at once: at least one.
fn portion(texts: &[&str]) -> usize {
    let mut bytes = 0;
    let fit = texts.iter().take_while(|text| {
        bytes += text.len();
        bytes <= PORTION
    });
    fit.count().max(1)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn moved(entity: &Entity, by: usize) -> Entity {
    Entity { start: entity.start + by, end: entity.end + by, ..*entity }
}
