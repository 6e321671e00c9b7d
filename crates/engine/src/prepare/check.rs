//! The checks of a request before anything is routed.

use lwa_domain::{ErrorCode, Pipeline, Quality, ReasoningEffort, TaskKind};
use lwa_protocol::Failure;
use lwa_protocol::plan::{MediaParams, PrepareParams};
use lwa_providers::media::{MediaKind, MediaOptions};
use serde_json::{Map, Value};

use super::MAX_OUTPUT_TOKENS;
use crate::engine::Engine;

/// Limits of a request, in characters and tokens.
const MAX_PROMPT_CHARACTERS: usize = 2_000_000;
const MAX_SYSTEM_CHARACTERS: usize = 200_000;
const DEFAULT_OUTPUT_TOKENS: u32 = 1200;

/// A request whose every field was checked.
pub(super) struct Checked {
    pub task: TaskKind,
    pub quality: Quality,
    pub effort: Option<ReasoningEffort>,
    pub prompt: String,
    pub system: String,
    pub max_output_tokens: Option<u32>,
    pub usual_output_tokens: u32,
    pub required_billing_class: Option<lwa_domain::BillingClass>,
    pub response_format: Option<Value>,
    pub media: Option<Map<String, Value>>,
}

impl Engine {
    pub(super) fn check(&self, params: &PrepareParams) -> Result<Checked, Failure> {
        let task: TaskKind = params.task.parse()?;
        let quality = params.quality.as_deref().map_or(Ok(Quality::Balanced), str::parse)?;
        let effort = params.reasoning_effort.as_deref().map(str::parse::<ReasoningEffort>).transpose()?;
        let media = checked_media(task, effort, params.media.as_ref())?;
        if let Some(voters) = params.voters {
            if task != TaskKind::Consensus {
                return Err(Failure::new(
                    ErrorCode::InvalidInput,
                    format!("`voters` belongs to the task `consensus`, not to `{task}`"),
                ));
            }
            if !(2..=40).contains(&voters) {
                return Err(Failure::new(ErrorCode::InvalidInput, format!("voters must be 2 to 40, not {voters}"))
                    .hint("a consensus needs two voters at least"));
            }
        }
        let required_billing_class = params.required_billing_class.as_deref().map(str::parse).transpose()?;
        let response_format = params.response_format.as_ref().map(|format| checked_format(task, format)).transpose()?;
        if let Some(tokens) = params.max_output_tokens
            && !(1..=MAX_OUTPUT_TOKENS).contains(&tokens)
        {
            return Err(Failure::new(
                ErrorCode::InvalidInput,
                format!("max_output_tokens must be 1 to {MAX_OUTPUT_TOKENS}, not {tokens}"),
            ));
        }
        let prompt = checked_text("prompt", &params.prompt, MAX_PROMPT_CHARACTERS)?;
        if prompt.trim().is_empty() {
            return Err(Failure::new(ErrorCode::InvalidInput, "the prompt is empty").hint("give the text to work on"));
        }
        let config = self.configuration.in_force();
        let mut system = config.router.task_prompts.get(&task).cloned().unwrap_or_else(|| task.doctrine().to_owned());
        if let Some(extra) = params.system_prompt.as_deref().filter(|extra| !extra.trim().is_empty()) {
            let extra = checked_text("system prompt", extra, MAX_SYSTEM_CHARACTERS)?;
            system.push_str("\n\n# Further instructions of the caller\n\n");
            system.push_str(&extra);
        }
        let usual_output_tokens =
            params.usual_output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS).clamp(1, MAX_OUTPUT_TOKENS);
        Ok(Checked {
            task,
            quality,
            effort,
            prompt,
            system,
            max_output_tokens: params.max_output_tokens,
            usual_output_tokens,
            required_billing_class,
            response_format,
            media,
        })
    }
}

/// What a picture or film should be like, in the form that providers' adapters check; refused for other tasks, and
/// where it belongs to the other kind.
fn checked_media(
    task: TaskKind,
    effort: Option<ReasoningEffort>,
    params: Option<&MediaParams>,
) -> Result<Option<Map<String, Value>>, Failure> {
    let kind = match task.pipeline() {
        Pipeline::Image => MediaKind::Image,
        Pipeline::Video => MediaKind::Video,
        Pipeline::Text | Pipeline::Consensus => {
            return match params {
                None => Ok(None),
                Some(_) => Err(Failure::new(
                    ErrorCode::InvalidInput,
                    format!("`media` belongs to pictures and films, not to `{task}`"),
                )),
            };
        }
    };
    if effort.is_some() {
        return Err(Failure::new(ErrorCode::InvalidInput, format!("`{task}` takes no reasoning_effort"))
            .hint("leave reasoning_effort out"));
    }
    let MediaParams { aspect_ratio, output_format, seconds, size } = params.cloned().unwrap_or_default();
    let given =
        [("aspect_ratio", aspect_ratio), ("output_format", output_format), ("seconds", seconds), ("size", size)];
    let metadata: Map<String, Value> =
        given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), Value::String(value?)))).collect();
    MediaOptions::from_metadata(kind, &metadata)
        .map_err(|error| Failure::new(ErrorCode::InvalidInput, error.to_string()))?;
    Ok(Some(metadata))
}

fn checked_format(task: TaskKind, format: &Value) -> Result<Value, Failure> {
    if task.pipeline() != Pipeline::Text {
        return Err(Failure::new(ErrorCode::InvalidInput, format!("`{task}` takes no response_format")));
    }
    let is_schema =
        format.get("schema").is_some_and(Value::is_object) && format.get("name").is_some_and(Value::is_string);
    if format.as_str() == Some("json_object") || is_schema {
        return Ok(format.clone());
    }
    Err(Failure::new(
        ErrorCode::InvalidInput,
        "response_format is neither `json_object` nor an object with `name` and `schema`",
    )
    .hint("give `json_object`, or {\"name\": …, \"schema\": {…}}"))
}

/// A text with line ends made alike, refused when it is too long or no text.
fn checked_text(what: &str, text: &str, limit: usize) -> Result<String, Failure> {
    let characters = text.chars().count();
    if characters > limit {
        return Err(Failure::new(
            ErrorCode::InvalidInput,
            format!("the {what} has {characters} characters; the limit is {limit}"),
        )
        .hint("split it, or compress it first"));
    }
    if text.contains('\0') || odd_characters(text) * 20 > characters {
        return Err(Failure::new(
            ErrorCode::InvalidInput,
            format!("the {what} is not text: it looks like binary data"),
        )
        .hint("give UTF-8 text"));
    }
    // Most texts have no such line end, and looking for one is much cheaper than replacing.
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() })
}

/// How many characters no text has: controls that no terminal writes, and what stands for bytes that are no text.
fn odd_characters(text: &str) -> usize {
    let ascii = text
        .bytes()
        .filter(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x1b | 0x8 | 0xc))
        .count();
    if text.is_ascii() {
        return ascii;
    }
    ascii + text.chars().filter(|c| *c == '\u{FFFD}' || ('\u{80}'..='\u{9f}').contains(c)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_made_alike() {
        assert_eq!(checked_text("prompt", "a\r\nb\rc", 10).unwrap(), "a\nb\nc");
    }

    #[test]
    fn binary_and_overlong_prompts_are_refused_with_the_limit() {
        assert!(checked_text("prompt", "a\0b", 10).unwrap_err().message.contains("binary"));
        assert!(checked_text("prompt", &"\u{FFFD}".repeat(9), 10).unwrap_err().message.contains("binary"));
        assert!(checked_text("prompt", "12345678901", 10).unwrap_err().message.contains("the limit is 10"));
    }

    #[test]
    fn odd_characters_are_those_that_no_text_has() {
        let others = ['\u{FFFD}', '\u{0}', '\u{7f}', '\u{80}', '\u{9f}', '\u{1}'];
        let fine = "a\n\r\t\u{1b}\u{8}\u{c}é\u{a0}圧";
        assert_eq!(odd_characters(fine), 0);
        for other in others {
            assert_eq!(odd_characters(&format!("{fine}{other}{other}")), 2, "{other:?}");
            assert_eq!(odd_characters(&format!("a{other}")), 1, "{other:?}");
        }
        assert_eq!(odd_characters(&"\u{1}".repeat(1000)), 1000);
    }

    #[test]
    fn coloured_terminal_output_is_text() {
        assert!(checked_text("prompt", "\u{1b}[31merror\u{1b}[0m", 100).is_ok());
    }
}
