//! What a caller can ask for: task kinds, quality, reasoning effort, and what each task needs.

use crate::billing::Capability;
use crate::label::labels;

labels! {
    /// The twelve kinds of auxiliary work, in their canonical order.
    TaskKind("task") {
        /// A direct answer to a small question.
        QuickResponse = "quick_response",
        /// A question that wants compact reasoning.
        Query = "query",
        /// A long conversation made short, with its facts kept.
        ConversationCompression = "conversation_compression",
        /// A prompt rewritten with fewer tokens and every requirement kept.
        TokenOptimization = "token_optimization",
        /// A document changed conservatively and handed back whole.
        DocumentEditing = "document_editing",
        /// A status report with facts apart from inference.
        Sitrep = "sitrep",
        /// A plan with dependencies, checkpoints and rollback.
        Planning = "planning",
        /// Several independent reviews and their synthesis.
        Consensus = "consensus",
        /// A search for unsupported claims and missing tests.
        Verification = "verification",
        /// Small, minimal code changes.
        CodingAux = "coding_aux",
        /// A picture from a description.
        ImageGeneration = "image_generation",
        /// A short film from a description.
        VideoGeneration = "video_generation",
    }
}

labels! {
    /// How much quality the caller wants for the money; `balanced` is the default.
    Quality("quality") {
        /// Cheapest that does the job.
        Economy = "economy",
        /// The default.
        Balanced = "balanced",
        /// Best available; price matters little.
        High = "high",
    }
}

labels! {
    /// How long a model may think before it answers.
    ReasoningEffort("reasoning_effort") {
        /// No visible reasoning; `none` on the wire.
        Instant = "instant",
        /// Some reasoning.
        Medium = "medium",
        /// As much as the model offers.
        High = "high",
    }
}

impl ReasoningEffort {
    /// The label that OpenAI-compatible providers expect.
    pub const fn wire_value(self) -> &'static str {
        match self {
            Self::Instant => "none",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

labels! {
    /// The kind of machinery that serves a task.
    Pipeline("pipeline") {
        /// One text answer.
        Text = "text",
        /// Several voters and a synthesis.
        Consensus = "consensus",
        /// A picture file.
        Image = "image",
        /// A film file.
        Video = "video",
    }
}

impl TaskKind {
    /// The machinery that serves this task.
    pub const fn pipeline(self) -> Pipeline {
        match self {
            Self::Consensus => Pipeline::Consensus,
            Self::ImageGeneration => Pipeline::Image,
            Self::VideoGeneration => Pipeline::Video,
            _ => Pipeline::Text,
        }
    }

    /// What a model must be able to do to be considered for this task.
    pub const fn required_capabilities(self) -> &'static [Capability] {
        match self {
            Self::QuickResponse | Self::Query | Self::ConversationCompression | Self::TokenOptimization => {
                &[Capability::Text]
            }
            Self::DocumentEditing
            | Self::Sitrep
            | Self::Planning
            | Self::Consensus
            | Self::Verification
            | Self::CodingAux => &[Capability::Text, Capability::Reasoning],
            Self::ImageGeneration => &[Capability::Image],
            Self::VideoGeneration => &[Capability::Video],
        }
    }

    /// Whether the built-in provider, which has no model, can serve this task.
    pub const fn is_served_without_model(self) -> bool {
        matches!(self, Self::ConversationCompression | Self::TokenOptimization)
    }

    /// The system prompt that every model gets for this task, unless the configuration replaces it.
    pub const fn doctrine(self) -> &'static str {
        match self {
            Self::QuickResponse => "Answer directly and briefly. If you do not know, say so in one sentence.",
            Self::Query => {
                "Answer the question with compact reasoning. State what is uncertain and what would settle it."
            }
            Self::ConversationCompression => {
                "Compress the conversation. Keep every name, path, version, number, decision, failure, open task and the next action. Do not add anything that is not there."
            }
            Self::TokenOptimization => {
                "Rewrite the prompt with fewer tokens. Keep every binding requirement, constraint, example and name. Return the rewritten prompt only."
            }
            Self::DocumentEditing => {
                "Edit the document as instructed and change nothing else. Return the complete document."
            }
            Self::Sitrep => {
                "Write a status report: status, done, evidence, blockers, risks, decisions, next. Keep facts apart from inference."
            }
            Self::Planning => {
                "Write a plan: steps with dependencies, checkpoints, rollback, tests, and the points where a human decides."
            }
            Self::Consensus => {
                "Review independently. Give your answer, the strongest objection to it, and any dissent you would record."
            }
            Self::Verification => {
                "Check the material. List claims without support, errors, and tests that are missing."
            }
            Self::CodingAux => "Write the smallest change that does the job, as a diff where that is possible.",
            Self::ImageGeneration | Self::VideoGeneration => {
                "Be faithful to the description. Keep literal text exact and honour every exclusion."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn lwa_001_task_labels_are_the_twelve_in_order() {
        assert_eq!(
            TaskKind::LABELS,
            [
                "quick_response",
                "query",
                "conversation_compression",
                "token_optimization",
                "document_editing",
                "sitrep",
                "planning",
                "consensus",
                "verification",
                "coding_aux",
                "image_generation",
                "video_generation",
            ]
        );
        assert_eq!(Quality::LABELS, ["economy", "balanced", "high"]);
        assert_eq!(ReasoningEffort::LABELS, ["instant", "medium", "high"]);
        let wire: Vec<_> = ReasoningEffort::ALL.iter().map(|effort| effort.wire_value()).collect();
        assert_eq!(wire, ["none", "medium", "high"]);
    }

    #[test]
    fn lwa_002_each_task_label_parses_to_itself() {
        for label in TaskKind::LABELS {
            assert_eq!(label.parse::<TaskKind>().unwrap().as_str(), *label);
        }
    }

    #[rstest]
    #[case("Provider connectivity smoke test")]
    #[case("")]
    #[case("QUERY")]
    fn lwa_003_other_task_labels_are_refused_with_the_whole_list(#[case] label: &str) {
        let message = label.parse::<TaskKind>().unwrap_err().to_string();
        for accepted in TaskKind::LABELS {
            assert!(message.contains(accepted), "{message}");
        }
    }

    #[test]
    fn lwa_004_each_quality_label_parses() {
        for label in Quality::LABELS {
            assert!(label.parse::<Quality>().is_ok());
        }
    }

    #[rstest]
    #[case("low")]
    #[case("medium")]
    #[case("")]
    fn lwa_005_other_quality_labels_are_refused(#[case] label: &str) {
        let message = label.parse::<Quality>().unwrap_err().to_string();
        assert!(message.starts_with("invalid quality") && message.contains("economy"), "{message}");
    }

    #[test]
    fn lwa_006_effort_auto_is_refused() {
        let message = "auto".parse::<ReasoningEffort>().unwrap_err().to_string();
        assert!(message.starts_with("invalid reasoning_effort") && message.contains("instant"), "{message}");
    }

    #[test]
    fn lwa_007_effort_instant_is_none_on_the_wire() {
        assert_eq!(ReasoningEffort::Instant.wire_value(), "none");
    }

    #[test]
    fn lwa_008_each_task_has_one_pipeline() {
        for task in TaskKind::ALL {
            let expected = match task {
                TaskKind::Consensus => Pipeline::Consensus,
                TaskKind::ImageGeneration => Pipeline::Image,
                TaskKind::VideoGeneration => Pipeline::Video,
                _ => Pipeline::Text,
            };
            assert_eq!(task.pipeline(), expected);
        }
    }

    #[test]
    fn a_near_miss_names_the_label_that_was_meant() {
        let error = "conversation-compresion".parse::<TaskKind>().unwrap_err();
        assert_eq!(error.nearest.as_deref(), Some("conversation_compression"));
    }
}
