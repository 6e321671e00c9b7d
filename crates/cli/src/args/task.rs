//! The options of `lwa run` and `lwa plan`.

use clap::Args as ClapArgs;
use lwa_domain::PicoUsd;

/// The task and how to serve it.
#[derive(Debug, ClapArgs)]
pub struct TaskArgs {
    /// The kind of task, for example `conversation_compression`.
    pub task: String,
    /// The text to work on; `-` reads it from stdin.
    pub prompt: String,
    /// economy, balanced or high.
    #[arg(long)]
    pub quality: Option<String>,
    /// instant, medium or high.
    #[arg(long)]
    pub reasoning_effort: Option<String>,
    /// The one provider that may be used.
    #[arg(long)]
    pub provider: Option<String>,
    /// The one model that may be used.
    #[arg(long)]
    pub model: Option<String>,
    /// Tokens the answer may have.
    #[arg(long)]
    pub max_output_tokens: Option<u32>,
    /// Lets paid routes be considered; consents to nothing.
    #[arg(long)]
    pub allow_paid: bool,
    /// Lets routes that your own subscription pays be considered; consents to nothing.
    #[arg(long)]
    pub allow_user_pays: bool,
    /// The most the plan may cost in dollars, such as `0.05`; refused when it may cost more or nobody knows.
    #[arg(long, value_name = "USD", value_parser = parse_dollars)]
    pub max_cost: Option<PicoUsd>,
    /// The one billing class that may be used; nothing else takes its place.
    #[arg(long, value_name = "CLASS")]
    pub billing_class: Option<String>,
    /// The form of the answer: `json_object`, a JSON Schema, or `@FILE` that holds one.
    #[arg(long, value_name = "FORM")]
    pub response_format: Option<String>,
    /// For `consensus`: how many models vote at most; every eligible one when left out.
    #[arg(long)]
    pub voters: Option<u32>,
    /// For `image_generation`: width to height, such as `16:9`.
    #[arg(long, value_name = "W:H")]
    pub aspect_ratio: Option<String>,
    /// For `image_generation`: png, jpeg or webp.
    #[arg(long, value_name = "FORMAT")]
    pub output_format: Option<String>,
    /// For `video_generation`: how long it is.
    #[arg(long)]
    pub seconds: Option<String>,
    /// For `video_generation`: width and height in pixels, such as `1280x720`.
    #[arg(long, value_name = "WxH")]
    pub size: Option<String>,
    /// What the work is a part of.
    #[command(flatten)]
    pub workflow: WorkflowArgs,
    /// What the calling client says of itself.
    #[command(flatten)]
    pub codex: CodexArgs,
}

/// Options of `lwa run`.
#[derive(Debug, ClapArgs)]
pub struct RunArgs {
    /// The task.
    #[command(flatten)]
    pub task: TaskArgs,
    /// Does not wait for consent: ends with exit code 4 when it is needed.
    #[arg(long)]
    pub no_wait: bool,
}

/// What work is a part of, so that repeated work can become a recipe.
#[derive(Debug, Default, ClapArgs)]
pub struct WorkflowArgs {
    /// The workflow's name.
    #[arg(long, value_name = "NAME")]
    pub workflow_name: Option<String>,
    /// What the workflow does.
    #[arg(long, value_name = "TEXT")]
    pub workflow_description: Option<String>,
    /// The project it belongs to.
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// A word to find it by; may be given more than once.
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
}

/// What is shown of the client that has the word; it changes nothing else.
#[derive(Debug, Default, ClapArgs)]
pub struct CodexArgs {
    /// The model that Codex uses, to be shown.
    #[arg(long, value_name = "MODEL")]
    pub codex_model: Option<String>,
    /// The reasoning effort that Codex uses, to be shown.
    #[arg(long, value_name = "EFFORT")]
    pub codex_reasoning: Option<String>,
}

impl CodexArgs {
    /// The client's model and effort as they are shown.
    pub fn label(&self) -> String {
        match (&self.codex_model, &self.codex_reasoning) {
            (None, None) => "unknown (host-owned)".to_owned(),
            (Some(model), None) => model.clone(),
            (Some(model), Some(effort)) => format!("{model}, {effort}"),
            (None, Some(effort)) => format!("unknown (host-owned), {effort}"),
        }
    }
}

fn parse_dollars(text: &str) -> Result<PicoUsd, String> {
    let dollars = text.trim().trim_start_matches('$').parse().ok();
    dollars.and_then(PicoUsd::from_dollars).ok_or_else(|| "give an amount in dollars, such as `0.05`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_dollars() {
        assert_eq!(parse_dollars("$0.05"), Ok(PicoUsd::new(50_000_000_000)));
        assert_eq!(parse_dollars("0"), Ok(PicoUsd::ZERO));
        for wrong in ["-1", "five", "", "NaN"] {
            assert!(parse_dollars(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_not_said_of_the_client_is_unknown() {
        let codex = |model: Option<&str>, effort: Option<&str>| CodexArgs {
            codex_model: model.map(str::to_owned),
            codex_reasoning: effort.map(str::to_owned),
        };
        assert_eq!(codex(None, None).label(), "unknown (host-owned)");
        assert_eq!(codex(Some("m-1"), Some("high")).label(), "m-1, high");
        assert_eq!(codex(None, Some("high")).label(), "unknown (host-owned), high");
    }
}
