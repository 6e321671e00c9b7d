//! What a model's name alone says, from `catalog/families.toml`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use lwa_domain::Capability;
use serde::Deserialize;

const TEXT: &str = include_str!("../../catalog/families.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Families {
    kinds: Vec<Kind>,
    families: Vec<Family>,
}

/// Models that do something else than chat.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    /// What they do, where we have a word for it.
    capability: Option<Capability>,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    parts: Vec<String>,
}

/// Chat models of one family.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    capabilities: BTreeSet<Capability>,
    parts: Vec<String>,
}

impl Kind {
    fn fits(&self, name: &str) -> bool {
        let mut words = name.split(['/', '-', '_', '.', ':', '@', ' ']);
        self.parts.iter().any(|part| name.contains(part.as_str()))
            || words.any(|word| self.words.iter().any(|w| w == word))
    }
}

#[expect(clippy::expect_used, reason = "BUG otherwise: the text is part of the program, and a test reads it")]
static FAMILIES: LazyLock<Families> =
    LazyLock::new(|| toml::from_str(TEXT).expect("BUG: the shipped families are not readable"));

/// What a name says about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// It does not chat; what it does instead, where we have a word for it.
    NotChat(Option<Capability>),
    /// It belongs to a family of chat models, or to none that is known.
    Chat(BTreeSet<Capability>),
}

/// What the name of a model says about it.
pub(super) fn of(name: &str) -> Named {
    let name = name.to_lowercase();
    if let Some(kind) = FAMILIES.kinds.iter().find(|kind| kind.fits(&name)) {
        return Named::NotChat(kind.capability);
    }
    let fits = |family: &&Family| family.parts.iter().any(|part| name.contains(part.as_str()));
    Named::Chat(FAMILIES.families.iter().filter(fits).flat_map(|family| family.capabilities.iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("text-embedding-3-small", Some(Capability::Embedding))]
    #[case("mistral-embed", Some(Capability::Embedding))]
    #[case("BAAI/bge-m3", Some(Capability::Embedding))]
    #[case("nomic-embed-text:latest", Some(Capability::Embedding))]
    #[case("rerank-v3.5", Some(Capability::Rerank))]
    #[case("BAAI/bge-reranker-v2-m3", Some(Capability::Rerank))]
    #[case("gpt-image-1", Some(Capability::Image))]
    #[case("dall-e-3", Some(Capability::Image))]
    #[case("black-forest-labs/FLUX.1-schnell", Some(Capability::Image))]
    #[case("sora-2", Some(Capability::Video))]
    #[case("veo-3.1-generate-preview", Some(Capability::Video))]
    #[case("whisper-large-v3-turbo", None)]
    #[case("gpt-4o-mini-tts", None)]
    #[case("gpt-4o-transcribe", None)]
    #[case("gpt-realtime", None)]
    #[case("omni-moderation-latest", None)]
    #[case("meta-llama/llama-guard-4-12b", None)]
    #[case("mistral-ocr-latest", None)]
    #[case("davinci-002", None)]
    fn models_that_do_not_chat_are_known_by_their_names(#[case] name: &str, #[case] does: Option<Capability>) {
        assert_eq!(of(name), Named::NotChat(does));
    }

    #[rstest]
    #[case("gpt-5.2", &[Capability::Reasoning, Capability::Tools, Capability::Structured, Capability::Vision])]
    #[case("openai/gpt-oss-120b", &[Capability::Reasoning, Capability::Tools])]
    #[case("DeepSeek-R1-Distill-Qwen-32B", &[Capability::Reasoning])]
    #[case("meta/llama-3.3-70b-instruct", &[Capability::Tools])]
    #[case("a-model-of-nobody", &[])]
    #[case("voxtral-small-latest", &[])]
    #[case("qwen2.5-coder-32b-instruct", &[])]
    fn chat_models_have_what_their_family_has(#[case] name: &str, #[case] can: &[Capability]) {
        assert_eq!(of(name), Named::Chat(can.iter().copied().collect()));
    }

    #[test]
    fn no_seed_that_chats_is_taken_for_something_else() {
        for provider in crate::catalog::shipped() {
            for model in provider.seeds() {
                let chats = model.capabilities.contains(&Capability::Text);
                assert_eq!(matches!(of(&model.key.model), Named::Chat(_)), chats, "{}", model.key);
            }
        }
    }
}
