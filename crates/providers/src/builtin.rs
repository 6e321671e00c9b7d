//! The provider without a model: two tasks, served by selecting from the text itself.

use lwa_condense::{Material, Options, condense, optimize};
use lwa_domain::tokens::estimate_tokens;
use lwa_domain::{PicoUsd, TaskKind};

use crate::chat::ChatAnswer;
use crate::chat::usage::Usage;
use crate::error::{Failure, ProviderError, Rejection};

/// The provider's name.
pub const PROVIDER: &str = "builtin";
/// The name that stands where a model's name stands.
pub const MODEL: &str = "condense";

/// How often the budget in bytes is corrected towards the budget in tokens.
const TRIES: usize = 4;

/// Serves `task` without a model, a key or a network; deterministic and in linear time.
///
/// Only the tasks of [`TaskKind::is_served_without_model`] are served; others are refused.
/// Token counts are estimates and marked as such; the cost is zero.
pub fn run(task: TaskKind, prompt: &str, max_output_tokens: Option<u32>) -> Result<ChatAnswer, ProviderError> {
    let shorten: fn(&str, Option<usize>) -> String = match task {
        TaskKind::ConversationCompression => |text, max_output_bytes| {
            condense(text, &Options { material: Material::Auto, max_output_bytes, exit_code: None }).text
        },
        TaskKind::TokenOptimization => |text, max_output_bytes| optimize(text, max_output_bytes).text,
        other => {
            let detail = format!(
                "without a model only conversation_compression and token_optimization can be done, not `{other}`"
            );
            let failure = Box::new(Failure::before_sending(PROVIDER, &detail));
            return Err(ProviderError::Rejected { failure, reason: Rejection::Unsupported });
        }
    };
    let input_tokens = estimate_tokens(prompt);
    let text = within_tokens(prompt, input_tokens, max_output_tokens.map(u64::from), shorten);
    Ok(ChatAnswer {
        usage: Usage { input: Some(input_tokens), output: Some(estimate_tokens(&text)), ..Usage::default() },
        text,
        model: MODEL.to_owned(),
        finish_reason: Some("stop".to_owned()),
        response_id: None,
        cost: Some(PicoUsd::ZERO),
        quota: Vec::new(),
        notes: Vec::new(),
    })
}

/// A text that [`run`] made, condensed further to at most `max_bytes`; none for a task whose text has no parts that could
/// be lost.
pub fn fit(task: TaskKind, text: &str, max_bytes: usize) -> Option<String> {
    if task != TaskKind::ConversationCompression {
        return None;
    }
    // The first line says what was left out of the original; it stays, and what follows is condensed.
    let (first, rest) = text.split_once('\n').filter(|(first, _)| first.starts_with('[')).unwrap_or(("", text));
    let left = max_bytes.checked_sub(first.len() + 1).filter(|_| !first.is_empty());
    let options =
        Options { material: Material::Auto, max_output_bytes: Some(left.unwrap_or(max_bytes)), exit_code: None };
    let condensed = condense(if left.is_some() { rest } else { text }, &options).text;
    Some(if left.is_some() { format!("{first}\n{condensed}") } else { condensed })
}

/// Shortens until the estimate fits; how many bytes a token is depends on the script of what is kept.
fn within_tokens(
    prompt: &str,
    input_tokens: u64,
    max_tokens: Option<u64>,
    shorten: fn(&str, Option<usize>) -> String,
) -> String {
    let Some(max_tokens) = max_tokens else { return shorten(prompt, None) };
    let mut budget = scaled(prompt.len(), max_tokens, input_tokens);
    let mut text = shorten(prompt, Some(budget));
    for _ in 0..TRIES {
        let tokens = estimate_tokens(&text);
        if tokens <= max_tokens {
            break;
        }
        budget = scaled(budget.min(text.len()), max_tokens, tokens).saturating_sub(1);
        text = shorten(prompt, Some(budget));
    }
    text
}

/// `bytes * wanted / had`, for numbers whose product may not fit.
fn scaled(bytes: usize, wanted: u64, had: u64) -> usize {
    let scaled = bytes as u128 * u128::from(wanted) / u128::from(had.max(1));
    usize::try_from(scaled).unwrap_or(usize::MAX)
}
