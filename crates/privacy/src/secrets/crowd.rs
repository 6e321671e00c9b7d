//! Names and signs in a crowd, `key=key=key=…`, of which each value holds all the ones behind it.

use super::Reading;
use super::label::Promise;
use super::place::Value;
use super::value::looks_secret;

impl Reading<'_> {
    /// Whether a long value stands inside several others already: `key=key=key=…`. Each look at one goes over all of it.
    pub(super) fn is_crowded(&mut self, value: Value) -> bool {
        const LONG: usize = 64;
        const MOST: usize = 6;
        if value.end - value.start < LONG {
            return false;
        }
        if value.start >= self.crowd_end {
            self.crowd = 0;
        }
        self.crowd_end = self.crowd_end.max(value.end);
        self.crowd += 1;
        self.crowd > MOST
    }

    /// Of a crowd of names without a blank between them the last one is looked at, which has the value behind it.
    pub(super) fn last_of_crowd(&mut self, value: Value, promise: Promise) {
        let text = self.text.get(value.start..value.end).unwrap_or_default();
        let start = value.start + memchr::memrchr2(b'=', b':', text.as_bytes()).map_or(0, |sign| sign + 1);
        self.labels_done = value.end;
        let last = Value { start, ..value };
        if self.text.get(start..value.end).is_some_and(looks_secret) {
            self.accept(last, promise.max(Promise::Credential));
        }
    }
}
