//! From the file's text to the typed configuration.

mod worker;

use std::path::Path;

use lwa_domain::{ConsentMode, PicoUsd, UnknownLabel};
use toml_edit::Document;

use super::money::pico_usd;
use super::{
    AppConfig, BUILTIN_PROVIDER, ClientConfig, Config, LibraryConfig, ModelConfig, ProviderConfig, RouterConfig,
    Shipped, WORKER_FALLBACK_KEY, WORKER_KEY,
};
use crate::endpoint::{ACCOUNT_PLACEHOLDER, base_url_fault, call_path_fault, list_path_fault, path_fault};
use crate::error::ConfigError;
use crate::read::{Fields, Source, syntax_error};
use crate::words::{Adapter, SubscriptionStatus};

pub(super) fn parse(text: &str, path: &Path, shipped: &Shipped) -> Result<Config, ConfigError> {
    let document = Document::parse(text).map_err(|error| syntax_error(&error, text, path))?;
    let source = Source::new(path, text);
    let root = Fields::root(&source, document.as_table())?;
    let mut config =
        Config { providers: shipped.providers.clone(), models: shipped.models.clone(), ..Config::default() };
    config.origin.path = Some(path.to_owned());
    root.words("toolsets", &mut config.toolsets)?;
    root.note_lines("", &mut config.origin.lines);
    if let Some(table) = root.table("router", "router", "[router]")? {
        router(&table, &mut config.router)?;
        table.note_lines("router", &mut config.origin.lines);
    }
    if let Some(table) = root.table("library", "library", "[library]")? {
        library(&table, &mut config.library)?;
        table.note_lines("library", &mut config.origin.lines);
    }
    if let Some(table) = root.table("telemetry", "telemetry", "[telemetry]")? {
        table.checked_text("otlp_endpoint", base_url_fault, &mut config.telemetry.otlp_endpoint)?;
        table.note_lines("telemetry", &mut config.origin.lines);
    }
    if let Some(table) = root.table("secrets", "secrets", "[secrets]")? {
        table.parsed("backend", str::parse)?.into_iter().for_each(|backend| config.secrets.backend = backend);
        table.note_lines("secrets", &mut config.origin.lines);
    }
    if let Some(table) = root.table("app", "app", "[app]")? {
        app(&table, &mut config.app)?;
        table.note_lines("app", &mut config.origin.lines);
    }
    if let Some(table) = root.table("worker", "worker", "[worker]")? {
        worker::worker(&table, &mut config.worker)?;
        table.note_lines("worker", &mut config.origin.lines);
    }
    for (name, table) in root.named_tables("providers", "providers.NAME")? {
        let base = config.providers.remove(&name).unwrap_or_default();
        let provider = provider(&name, &table, base)?;
        table.note_lines(&format!("providers.{name}"), &mut config.origin.lines);
        config.providers.insert(name, provider);
    }
    for (name, table) in root.named_tables("clients", "clients.NAME")? {
        let mut client = client(&table)?;
        let path = format!("clients.{name}");
        table.note_lines(&path, &mut config.origin.lines);
        if let Some(table) = table.table("worker", "clients.NAME.worker", "this client's `worker`")? {
            client.worker = worker::over(&table)?;
            table.note_lines(&format!("{path}.worker"), &mut config.origin.lines);
        }
        config.clients.insert(name, client);
    }
    worker::projects(&root, &mut config)?;
    models(&root, shipped, &mut config)?;
    Ok(config)
}

fn router(table: &Fields<'_>, router: &mut RouterConfig) -> Result<(), ConfigError> {
    if let Some(mode) = table.parsed("consent_mode", ConsentMode::parse_lenient)? {
        router.consent_mode = mode;
    }
    table.flag("prefer_free", &mut router.prefer_free)?;
    table.flag("allow_paid", &mut router.allow_paid)?;
    table.flag("allow_user_pays", &mut router.allow_user_pays)?;
    table.flag("allow_training", &mut router.allow_training)?;
    table.integer("catalog_refresh_minutes", &mut router.catalog_refresh_minutes)?;
    table.integer("confirmation_ttl_seconds", &mut router.confirmation_ttl_seconds)?;
    table.integer("global_daily_request_cap", &mut router.global_daily_request_cap)?;
    cap(table, "global_monthly_usd_cap", &mut router.global_monthly_usd_cap)?;
    table.integer("max_parallel_consensus", &mut router.max_parallel_consensus)?;
    table.flag("post_response_tier_guidance", &mut router.post_response_tier_guidance)?;
    if let Some(mode) = table.parsed("post_response_tier_guidance_mode", str::parse)? {
        router.post_response_tier_guidance_mode = mode;
    }
    table.texts_by_task("task_prompts", &mut router.task_prompts)
}

fn library(table: &Fields<'_>, library: &mut LibraryConfig) -> Result<(), ConfigError> {
    table.flag("auto_detect_patterns", &mut library.auto_detect_patterns)?;
    table.integer("pattern_min_occurrences", &mut library.pattern_min_occurrences)?;
    if let Some(threshold) = table.number("pattern_similarity_threshold")? {
        library.pattern_similarity_threshold = threshold;
    }
    table.flag("auto_create_library_tools", &mut library.auto_create_library_tools)?;
    table.flag("auto_activate_prompt_tools", &mut library.auto_activate_prompt_tools)?;
    table.flag("suggest_library_tools", &mut library.suggest_library_tools)?;
    table.integer("max_library_suggestions", &mut library.max_library_suggestions)?;
    table.flag("allow_reviewed_script_execution", &mut library.allow_reviewed_script_execution)
}

fn app(table: &Fields<'_>, app: &mut AppConfig) -> Result<(), ConfigError> {
    table.flag("bring_to_front", &mut app.bring_to_front)?;
    table.integer("approval_minutes", &mut app.approval_minutes)?;
    table.flag("start_hidden", &mut app.start_hidden)
}

fn client(table: &Fields<'_>) -> Result<ClientConfig, ConfigError> {
    let mut client = ClientConfig::default();
    table.words("toolsets", &mut client.toolsets)?;
    table.optional_text("note", &mut client.note)?;
    Ok(client)
}

/// A cap in dollars, where 0 means none.
fn cap(table: &Fields<'_>, key: &'static str, target: &mut Option<PicoUsd>) -> Result<(), ConfigError> {
    if let Some(dollars) = table.number(key)? {
        *target = Some(pico_usd(dollars * 1e12)).filter(|cap| *cap > PicoUsd::ZERO);
    }
    Ok(())
}

fn provider(name: &str, table: &Fields<'_>, mut provider: ProviderConfig) -> Result<ProviderConfig, ConfigError> {
    if !is_provider_name(name) {
        return Err(table.unusable_self("is no name for a provider; use letters, digits, `-`, `_` and `.`, at most 64"));
    }
    if [WORKER_KEY, WORKER_FALLBACK_KEY].contains(&name) {
        return Err(table.unusable_self("is the name of a key of the worker's; choose another one"));
    }
    if name == BUILTIN_PROVIDER {
        provider.adapter = Adapter::Builtin;
        if let Some(key) = table.first_key_other_than(&["enabled", "disabled_reason"]) {
            return Err(table.unusable(key, "cannot be set for `builtin`, which is part of the program"));
        }
    }
    table.flag("enabled", &mut provider.enabled)?;
    table.flag("experimental", &mut provider.experimental)?;
    table.optional_text("disabled_reason", &mut provider.disabled_reason)?;
    match table.parsed("adapter", chosen_adapter)? {
        Some(None) => return Err(table.unusable("adapter", "is not available; choose one of those that are listed")),
        Some(Some(adapter)) => provider.adapter = adapter,
        None => {}
    }
    table.checked_text("base_url", base_url_fault, &mut provider.base_url)?;
    table.variable("api_key_env", &mut provider.api_key_env)?;
    table.variables("api_key_envs", &mut provider.api_key_envs)?;
    let mut quota_path = None;
    table.checked_text("quota_path", path_fault, &mut quota_path)?;
    provider.quota_path = quota_path.or(provider.quota_path);
    let mut monthly_tokens = provider.subscription_monthly_token_limit.unwrap_or(0);
    table.integer("subscription_monthly_token_limit", &mut monthly_tokens)?;
    provider.subscription_monthly_token_limit = Some(monthly_tokens).filter(|tokens| *tokens > 0);
    table.variable("billing_api_key_env", &mut provider.billing_api_key_env)?;
    table.variable("quota_key_env", &mut provider.quota_key_env)?;
    table.variable("account_id_env", &mut provider.account_id_env)?;
    for (key, fault, target) in [
        ("models_path", list_path_fault as fn(&str) -> Option<&'static str>, &mut provider.models_path),
        ("chat_path", call_path_fault, &mut provider.chat_path),
    ] {
        let mut path = None;
        table.checked_text(key, fault, &mut path)?;
        *target = path.unwrap_or_else(|| std::mem::take(target));
    }
    table.headers("request_headers", &mut provider.request_headers)?;
    if let Some(class) = table.parsed("billing_class", str::parse)? {
        provider.billing_class = class;
    }
    if let Some(data_use) = table.parsed("data_use", str::parse)? {
        provider.data_use = data_use;
    }
    let mut plan = None;
    table.optional_text("subscription_plan", &mut plan)?;
    provider.subscription_plan = plan.unwrap_or(provider.subscription_plan);
    if let Some(status) = table.parsed("subscription_status", str::parse::<SubscriptionStatus>)? {
        provider.subscription_status = status;
    }
    table.flag("supports_live_models", &mut provider.supports_live_models)?;
    cap(table, "monthly_usd_cap", &mut provider.monthly_usd_cap)?;
    table.integer("daily_request_cap", &mut provider.daily_request_cap)?;
    provider.timeout_seconds = table.number("timeout_seconds")?.unwrap_or(provider.timeout_seconds);
    table.integer("catalog_page_limit", &mut provider.catalog_page_limit)?;
    table.integer("catalog_model_limit", &mut provider.catalog_model_limit)?;
    check_provider(table, &provider)?;
    Ok(provider)
}

/// The protocol that a word names; none for those that older products had and this one leaves out, and for the
/// built-in one, which is nobody's to choose.
fn chosen_adapter(word: &str) -> Result<Option<Adapter>, UnknownLabel> {
    match word {
        "codex" | "anthropic" | "bedrock" | "builtin" => Ok(None),
        // Pictures and films are a matter of the model here, so that the older name means the same protocol.
        "openai_media" => Ok(Some(Adapter::OpenAi)),
        other => other.parse().map(Some),
    }
}

/// What the keys of a provider need of each other.
fn check_provider(table: &Fields<'_>, provider: &ProviderConfig) -> Result<(), ConfigError> {
    let Some(url) = &provider.base_url else {
        return match provider.adapter {
            Adapter::Builtin => Ok(()),
            _ => Err(table.missing("base_url", "the provider cannot be reached without an address")),
        };
    };
    if url.contains(ACCOUNT_PLACEHOLDER) && provider.account_id_env.is_none() {
        return Err(table.missing("account_id_env", "`base_url` contains `{account_id}`"));
    }
    Ok(())
}

fn is_provider_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn models(root: &Fields<'_>, shipped: &Shipped, config: &mut Config) -> Result<(), ConfigError> {
    for table in root.tables_in_array("models", "models[]", "[[models]]")? {
        let provider = table.required_text("provider", "it belongs to one")?;
        let name = table.required_text("model", "it is what the provider is asked for")?;
        // A repeated model replaces the earlier one and lies over the shipped one again.
        let base = shipped.models.iter().find(|base| base.provider == provider && base.model == name);
        let mut model = base.cloned().unwrap_or_else(|| ModelConfig::new(provider, name));
        read_model(&table, &mut model)?;
        let prefix = format!("models.{}", model.key());
        config.origin.lines.retain(|key, _| !is_under(key, &prefix));
        table.note_lines(&prefix, &mut config.origin.lines);
        match config.models.iter_mut().find(|known| known.key() == model.key()) {
            Some(known) => *known = model,
            None => config.models.push(model),
        }
    }
    Ok(())
}

/// Whether a key path lies directly under a prefix. Model names contain dots, so only the last one
/// ends the prefix.
fn is_under(key: &str, prefix: &str) -> bool {
    key.rsplit_once('.').is_some_and(|(table, _)| table == prefix)
}

fn read_model(table: &Fields<'_>, model: &mut ModelConfig) -> Result<(), ConfigError> {
    table.optional_text("display_name", &mut model.display_name)?;
    if let Some(class) = table.parsed("billing_class", str::parse)? {
        model.billing_class = Some(class);
    }
    if let Some(capabilities) = table.parsed_list("capabilities", str::parse)? {
        model.capabilities = capabilities.into_iter().collect();
    }
    if let Some(levels) = table.parsed_list("reasoning_levels", str::parse)? {
        model.reasoning_levels = levels;
    }
    let mut context = u32::try_from(model.context_length).unwrap_or(u32::MAX);
    table.integer("context_length", &mut context)?;
    model.context_length = u64::from(context);
    for (key, target) in [
        ("input_cost_per_million", &mut model.input_cost_per_million),
        ("output_cost_per_million", &mut model.output_cost_per_million),
    ] {
        *target = table.number(key)?.or(*target);
    }
    table.free_words("service_tiers", &mut model.service_tiers)?;
    table.free_words("supported_parameters", &mut model.supported_parameters)?;
    for (key, target) in [
        ("free_plan_max_tokens", &mut model.free_plan_max_tokens),
        ("pro_plan_max_tokens", &mut model.pro_plan_max_tokens),
    ] {
        let mut tokens = target.unwrap_or(0);
        table.integer(key, &mut tokens)?;
        *target = Some(tokens).filter(|tokens| *tokens > 0);
    }
    table.flag("is_price_confirmed", &mut model.is_price_confirmed)?;
    if let Some(cost) = model.implausible_cost().filter(|_| !model.is_price_confirmed) {
        let key = if model.input_cost_per_million == Some(cost) {
            "input_cost_per_million"
        } else {
            "output_cost_per_million"
        };
        return Err(table.unusable(
            key,
            "is more than $1000 for a million tokens; is it meant for one token? If it is right, add `is_price_confirmed = true`",
        ));
    }
    for (key, target) in
        [("cost_per_image", &mut model.cost_per_image), ("cost_per_second", &mut model.cost_per_second)]
    {
        *target = table.number(key)?.or(*target);
    }
    table.scores_by_task("task_scores", &mut model.task_scores)?;
    table.flag("enabled", &mut model.enabled)?;
    table.optional_text("disabled_reason", &mut model.disabled_reason)?;
    table.body("extra_body", &mut model.extra_body)
}
