//! What a reader did so far.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::error::LoadError;

/// What a [`crate::Recogniser`] did so far. It counts and holds nothing of what was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// Lines with anything in them that came by.
    pub lines: u64,
    /// Those among them that can hold no identity and were not read.
    pub skipped_lines: u64,
    /// Passages that were read by the network.
    pub read_passages: u64,
    /// Passages that were known from before.
    pub cached_passages: u64,
    /// Passages that were not read in time.
    pub unread_passages: u64,
    /// Bytes that the network read.
    pub read_bytes: u64,
    /// How long it took for them.
    pub reading: Duration,
    /// How often the model was loaded.
    pub loads: u64,
    /// Whether it is loaded now.
    pub is_loaded: bool,
    /// Why it cannot be loaded.
    pub failure: Option<LoadError>,
    /// Passages whose findings are kept.
    pub kept_passages: usize,
}

impl Facts {
    /// The share of the lines that the gate let through, from 0 to 1.
    pub fn gate_share(&self) -> Option<f64> {
        share(self.lines.saturating_sub(self.skipped_lines), self.lines)
    }

    /// The share of the passages that were known from before, from 0 to 1.
    pub fn cached_share(&self) -> Option<f64> {
        share(self.cached_passages, self.cached_passages + self.read_passages)
    }

    /// How fast the network read.
    pub fn bytes_per_second(&self) -> Option<f64> {
        let seconds = self.reading.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let bytes = self.read_bytes as f64;
        (seconds > 0.0).then(|| bytes / seconds)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    lines: AtomicU64,
    skipped_lines: AtomicU64,
    read_passages: AtomicU64,
    cached_passages: AtomicU64,
    unread_passages: AtomicU64,
    read_bytes: AtomicU64,
    reading_micros: AtomicU64,
}

/// What one call adds.
#[derive(Debug, Default)]
pub(crate) struct Increase {
    pub lines: usize,
    pub skipped_lines: usize,
    pub read_passages: usize,
    pub cached_passages: usize,
    pub unread_passages: usize,
    pub read_bytes: usize,
    pub reading: Duration,
}

impl Counters {
    pub(crate) fn add(&self, increase: &Increase) {
        let pairs = [
            (&self.lines, increase.lines),
            (&self.skipped_lines, increase.skipped_lines),
            (&self.read_passages, increase.read_passages),
            (&self.cached_passages, increase.cached_passages),
            (&self.unread_passages, increase.unread_passages),
            (&self.read_bytes, increase.read_bytes),
        ];
        for (counter, number) in pairs {
            counter.fetch_add(number as u64, Ordering::Relaxed);
        }
        let micros = u64::try_from(increase.reading.as_micros()).unwrap_or(u64::MAX);
        self.reading_micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(crate) fn facts(&self) -> Facts {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Facts {
            lines: get(&self.lines),
            skipped_lines: get(&self.skipped_lines),
            read_passages: get(&self.read_passages),
            cached_passages: get(&self.cached_passages),
            unread_passages: get(&self.unread_passages),
            read_bytes: get(&self.read_bytes),
            reading: Duration::from_micros(get(&self.reading_micros)),
            ..Facts::default()
        }
    }
}
