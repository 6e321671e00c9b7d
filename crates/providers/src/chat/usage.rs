//! Token counts and cost, as a provider reports them.

use lwa_domain::{PicoUsd, TokenCounts};
use serde_json::Value;

use crate::decimal::dollars;
use crate::facts::{Counted, UsageFacts};

/// Token counts. Cached and cache-written tokens are part of input, reasoning tokens part of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read.
    pub input: Option<u64>,
    /// Of those, tokens read from the provider's cache.
    pub cached: Option<u64>,
    /// Of those, tokens written to the provider's cache.
    pub cache_written: Option<u64>,
    /// Tokens written, reasoning included.
    pub output: Option<u64>,
    /// Of those, tokens of reasoning.
    pub reasoning: Option<u64>,
    /// Whether the provider reported input or output; estimates are not reports.
    pub reported: bool,
}

fn count(object: &Value, paths: &[&str]) -> Option<u64> {
    paths.iter().find_map(|path| object.pointer(path)).and_then(whole)
}

/// A count, also where it is written with a fraction of nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked against the range just before")]
pub(crate) fn whole(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    number.as_u64().or_else(|| {
        let number = number.as_f64().filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number))?;
        Some(number as u64)
    })
}

/// Output with reasoning counted in, for relays that leave it out of the completion count.
///
/// The total tells it where there is one; else the provider's habit, and else more reasoning than output does.
fn with_reasoning(output: u64, reasoning: Option<u64>, other: Totals, habit: Counted) -> u64 {
    let reasoning = reasoning.unwrap_or(0);
    let inside = other.input.unwrap_or(0).saturating_add(output);
    match other.total {
        Some(total) if total == inside.saturating_add(reasoning) => output.saturating_add(reasoning),
        Some(total) if total == inside => output.max(reasoning),
        _ if habit == Counted::Outside => output.saturating_add(reasoning),
        _ => output.max(reasoning),
    }
}

#[derive(Clone, Copy)]
struct Totals {
    input: Option<u64>,
    total: Option<u64>,
}

impl Usage {
    /// Reads a `usage` object; fields that are missing, null or negative stay unknown.
    pub(crate) fn read(usage: &Value, facts: &UsageFacts) -> Self {
        let input = count(usage, &["/prompt_tokens", "/input_tokens"]);
        let output = count(usage, &["/completion_tokens", "/output_tokens"]);
        let reasoning = count(
            usage,
            &[
                "/completion_tokens_details/reasoning_tokens",
                "/output_tokens_details/reasoning_tokens",
                "/reasoning_tokens",
            ],
        );
        // Under these two names the input is counted without what a cache took or gave.
        let beside = (count(usage, &["/cache_read_input_tokens"]), count(usage, &["/cache_creation_input_tokens"]));
        let cached = beside.0.or_else(|| {
            count(
                usage,
                &[
                    "/prompt_tokens_details/cached_tokens",
                    "/prompt_token_details/cached_tokens",
                    "/input_tokens_details/cached_tokens",
                    "/num_cached_tokens",
                    "/cached_tokens",
                    "/prompt_cache_hit_tokens",
                ],
            )
        });
        let written = beside.1.or_else(|| {
            count(
                usage,
                &[
                    "/prompt_tokens_details/cache_write_tokens",
                    "/input_tokens_details/cache_write_tokens",
                    "/cache_write_tokens",
                ],
            )
        });
        let is_beside = beside != (None, None) || facts.cached == Counted::Outside;
        let whole_input = match input {
            Some(input) if is_beside => {
                Some(input.saturating_add(cached.unwrap_or(0)).saturating_add(written.unwrap_or(0)))
            }
            input => input,
        };
        // More cached than read is a contradiction, and money is counted from the difference.
        let within =
            |part: Option<u64>, whole: Option<u64>| part.map(|part| whole.map_or(part, |whole| part.min(whole)));
        let cached = within(cached, whole_input);
        let totals = Totals { input, total: count(usage, &["/total_tokens"]) };
        Self {
            input: whole_input,
            cached,
            cache_written: within(written, whole_input.map(|whole| whole - cached.unwrap_or(0).min(whole))),
            output: output.map(|output| with_reasoning(output, reasoning, totals, facts.reasoning)),
            reasoning,
            reported: (input.is_some() || output.is_some()) && !facts.is_estimated,
        }
    }

    /// Takes over what `later` knows; streams repeat usage and the last one counts.
    pub(crate) fn update(&mut self, later: Self) {
        self.input = later.input.or(self.input);
        self.cached = later.cached.or(self.cached);
        self.cache_written = later.cache_written.or(self.cache_written);
        self.output = later.output.or(self.output);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.reported |= later.reported;
    }

    /// The counts that are billed, where both halves are known.
    pub fn counts(&self) -> Option<TokenCounts> {
        Some(TokenCounts {
            input: self.input?,
            cached: self.cached.unwrap_or(0),
            cache_written: self.cache_written.unwrap_or(0),
            output: self.output?,
        })
    }
}

/// The cost that a reply states; a stated zero is zero.
pub(crate) fn reported_cost(reply: &Value) -> Option<PicoUsd> {
    let cost = reply.pointer("/usage/cost").filter(|cost| !cost.is_null()).or_else(|| reply.get("cost"))?;
    let own = dollars(cost)?;
    // With a key of the account's own at the upstream provider, the stated cost is the relay's fee alone.
    let is_own_key = reply.pointer("/usage/is_byok").and_then(Value::as_bool).unwrap_or(false);
    let upstream = reply.pointer("/usage/cost_details/upstream_inference_cost").and_then(dollars);
    Some(match upstream {
        Some(upstream) if is_own_key => own + upstream,
        _ => own,
    })
}
