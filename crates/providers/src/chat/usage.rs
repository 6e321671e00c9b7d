//! Token counts and cost, as a provider reports them.

use lwa_domain::PicoUsd;
use serde_json::Value;

use crate::decimal::dollars;

/// Token counts. Cached tokens are part of input, reasoning tokens part of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read.
    pub input: Option<u64>,
    /// Of those, tokens read from the provider's cache.
    pub cached: Option<u64>,
    /// Tokens written, reasoning included.
    pub output: Option<u64>,
    /// Of those, tokens of reasoning.
    pub reasoning: Option<u64>,
    /// Whether the provider reported input or output; estimates are not reports.
    pub reported: bool,
}

fn count(object: &Value, paths: &[&str]) -> Option<u64> {
    paths.iter().find_map(|path| object.pointer(path)).and_then(|value| match value {
        Value::Number(number) => number.as_u64(),
        _ => None,
    })
}

/// Output with reasoning counted in, for relays that leave it out of the completion count.
///
/// The total tells it where there is one; else more reasoning than output does.
fn with_reasoning(output: u64, reasoning: Option<u64>, input: Option<u64>, total: Option<u64>) -> u64 {
    let reasoning = reasoning.unwrap_or(0);
    let sum = input.unwrap_or(0).saturating_add(output).saturating_add(reasoning);
    if total == Some(sum) { output.saturating_add(reasoning) } else { output.max(reasoning) }
}

impl Usage {
    /// Reads a `usage` object; fields that are missing, null or negative stay unknown.
    pub(crate) fn read(usage: &Value) -> Self {
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
        let cached = count(
            usage,
            &[
                "/prompt_tokens_details/cached_tokens",
                "/prompt_token_details/cached_tokens",
                "/input_tokens_details/cached_tokens",
                "/num_cached_tokens",
                "/cached_tokens",
                "/prompt_cache_hit_tokens",
            ],
        );
        Self {
            input,
            // More cached than read is a contradiction, and money is counted from the difference.
            cached: cached.map(|cached| input.map_or(cached, |input| cached.min(input))),
            output: output.map(|output| with_reasoning(output, reasoning, input, count(usage, &["/total_tokens"]))),
            reasoning,
            reported: input.is_some() || output.is_some(),
        }
    }

    /// Takes over what `later` knows; streams repeat usage and the last one counts.
    pub(crate) fn update(&mut self, later: Self) {
        self.input = later.input.or(self.input);
        self.cached = later.cached.or(self.cached);
        self.output = later.output.or(self.output);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.reported |= later.reported;
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
