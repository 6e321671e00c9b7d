//! The list itself.

mod worker;

use super::{
    ADAPTERS, BACKENDS, BILLING_CLASSES, CAPABILITIES, CONSENT_MODES, DATA_USES, DOLLARS, EFFORTS, GUIDANCE_MODES,
    KeyInfo, Kind, SUBSCRIPTION_STATUSES, TOOL_SETS,
};

const fn key(path: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> KeyInfo {
    KeyInfo { path, kind, default, doc }
}

const fn count(min: u32, max: u32) -> Kind {
    Kind::Integer { min, max }
}

/// Every key of the configuration.
pub(crate) const KEYS: &[KeyInfo] =
    &joined::<
        {
            BEFORE_WORKER.len()
                + worker::WORKER.len()
                + REST.len()
                + worker::OF_CLIENT.len()
                + worker::OF_PROJECT.len()
                + APP.len()
        },
    >(&[BEFORE_WORKER, worker::WORKER, REST, worker::OF_CLIENT, worker::OF_PROJECT, APP]);

/// Several lists as one.
const fn joined<const N: usize>(lists: &[&[KeyInfo]]) -> [KeyInfo; N] {
    let mut all = [APP[0]; N];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut of_list = 0;
        while of_list < lists[list].len() {
            all[at] = lists[list][of_list];
            of_list += 1;
            at += 1;
        }
        list += 1;
    }
    all
}

/// The root, the router, the library and telemetry.
const BEFORE_WORKER: &[KeyInfo] = &[
    key("toolsets", TOOL_SETS, r#"["core"]"#, "The tool sets that clients are offered unless they name their own."),
    // The router.
    key("router.consent_mode", CONSENT_MODES, r#""paid_only""#, "When you are asked before a plan may run."),
    key("router.prefer_free", Kind::Flag, "true", "Whether free routes get a bonus over paid ones."),
    key(
        "router.allow_paid",
        Kind::Flag,
        "false",
        "Whether paid routes, and routes of unknown cost, may be used at all. The request has to allow them too.",
    ),
    key(
        "router.allow_user_pays",
        Kind::Flag,
        "false",
        "Whether routes that your own subscription pays may be used at all. The request has to allow them too.",
    ),
    key(
        "router.allow_training",
        Kind::Flag,
        "false",
        "Whether providers that train models on what they are sent may be used.",
    ),
    key(
        "router.catalog_refresh_minutes",
        count(1, 10_080),
        "30",
        "How old a provider's list of models may become before it is read again.",
    ),
    key(
        "router.confirmation_ttl_seconds",
        count(1, 86_400),
        "600",
        "How long a prepared plan, and your consent to it, stays valid.",
    ),
    key(
        "router.global_daily_request_cap",
        count(0, 1_000_000),
        "0",
        "The most requests to all providers together in a day; 0 means no cap.",
    ),
    key(
        "router.global_monthly_usd_cap",
        DOLLARS,
        "0",
        "The most US dollars for all providers together in a month; 0 means no cap.",
    ),
    key("router.max_parallel_consensus", count(1, 16), "3", "How many voters of a consensus are asked at once."),
    key(
        "router.post_response_tier_guidance",
        Kind::Flag,
        "false",
        "Whether results carry a thought about the next tier. It never changes a route.",
    ),
    key(
        "router.post_response_tier_guidance_mode",
        GUIDANCE_MODES,
        r#""local""#,
        "Whether that thought comes from this machine, or the client is asked for one.",
    ),
    key(
        "router.task_prompts",
        Kind::TextByTask,
        "{}",
        "System prompts of your own, by task, in place of the shipped ones.",
    ),
    // The library.
    key(
        "library.auto_detect_patterns",
        Kind::Flag,
        "true",
        "Whether runs are observed, so that repeated work is noticed. No prompt is kept.",
    ),
    key("library.pattern_min_occurrences", count(2, 100), "3", "How many distinct runs make a pattern."),
    key(
        "library.pattern_similarity_threshold",
        Kind::Number { min: 0.1, max: 1.0 },
        "0.68",
        "How alike two unnamed pieces of work must be to count as the same.",
    ),
    key("library.auto_create_library_tools", Kind::Flag, "true", "Whether a pattern becomes a recipe by itself."),
    key(
        "library.auto_activate_prompt_tools",
        Kind::Flag,
        "true",
        "Whether such a recipe can be used at once; else it waits as a draft.",
    ),
    key("library.suggest_library_tools", Kind::Flag, "true", "Whether a preparation names recipes that fit."),
    key("library.max_library_suggestions", count(1, 50), "5", "How many recipes it names at most."),
    key(
        "library.allow_reviewed_script_execution",
        Kind::Flag,
        "false",
        "Whether scripts that you approved may run. Without it no script runs.",
    ),
    // Telemetry.
    key(
        "telemetry.otlp_endpoint",
        Kind::Url,
        "",
        "The address of a collector of yours that takes OTLP over HTTP, for example `http://127.0.0.1:4318`. Without it nothing is sent; prompts and answers never are.",
    ),
];

/// Providers, models, secrets and clients.
const REST: &[KeyInfo] = &[
    // Providers.
    key("providers.NAME.enabled", Kind::Flag, "true", "Whether the provider may be used."),
    key("providers.NAME.experimental", Kind::Flag, "false", "Marks a provider that is known to be unreliable."),
    key("providers.NAME.disabled_reason", Kind::Text, "", "Why it is switched off; shown wherever it is left out."),
    key("providers.NAME.adapter", ADAPTERS, r#""openai""#, "The protocol it speaks."),
    key(
        "providers.NAME.base_url",
        Kind::Url,
        "",
        "Its address, for example `http://127.0.0.1:11434/v1`; `{account_id}` in the path stands for the account.",
    ),
    key(
        "providers.NAME.api_key_env",
        Kind::Variable,
        "",
        "The environment variable that holds its key. The key itself belongs into `lwa keys set NAME`, never here.",
    ),
    key(
        "providers.NAME.api_key_envs",
        Kind::Variables,
        "[]",
        "More variables that may hold its key; the first that is set is used.",
    ),
    key(
        "providers.NAME.billing_api_key_env",
        Kind::Variable,
        "",
        "The variable of a key that may read the balance; used for nothing else.",
    ),
    key(
        "providers.NAME.quota_key_env",
        Kind::Variable,
        "",
        "The variable of a key that may read the quota; used for nothing else.",
    ),
    key("providers.NAME.quota_path", Kind::UrlPath, "", "Where its balance or quota is read, after `base_url`."),
    key(
        "providers.NAME.subscription_monthly_token_limit",
        count(0, 4_000_000_000),
        "0",
        "Tokens a month of your plan there, for display; 0 means unknown.",
    ),
    key(
        "providers.NAME.account_id_env",
        Kind::Variable,
        "",
        "The variable of the account that `{account_id}` in `base_url` stands for.",
    ),
    key("providers.NAME.models_path", Kind::UrlPath, r#""/models""#, "Where its list of models is, after `base_url`."),
    key("providers.NAME.chat_path", Kind::UrlPath, r#""/chat/completions""#, "Where it answers, after `base_url`."),
    key(
        "providers.NAME.request_headers",
        Kind::TextByHeader,
        "{}",
        "Headers that every request carries. Headers that hold keys are refused.",
    ),
    key(
        "providers.NAME.billing_class",
        BILLING_CLASSES,
        r#""unknown""#,
        "Who pays for its models. An unknown class is treated as paid; a price of zero makes nothing free.",
    ),
    key(
        "providers.NAME.data_use",
        DATA_USES,
        r#""unknown""#,
        "What it does with the text it is sent, as it says itself.",
    ),
    key("providers.NAME.subscription_plan", Kind::Text, r#""unknown""#, "The name of your plan there, for display."),
    key(
        "providers.NAME.subscription_status",
        SUBSCRIPTION_STATUSES,
        r#""unknown""#,
        "Whether your plan there is running, for display.",
    ),
    key(
        "providers.NAME.supports_live_models",
        Kind::Flag,
        "true",
        "Whether its list of models may be read; what it lists can then be chosen.",
    ),
    key(
        "providers.NAME.monthly_usd_cap",
        DOLLARS,
        "0",
        "The most US dollars for this provider in a month; 0 means no cap.",
    ),
    key(
        "providers.NAME.daily_request_cap",
        count(0, 1_000_000),
        "0",
        "The most requests to this provider in a day; 0 means no cap.",
    ),
    key("providers.NAME.timeout_seconds", Kind::Number { min: 0.1, max: 3600.0 }, "90", "How long an answer may take."),
    key(
        "providers.NAME.catalog_page_limit",
        count(1, 100),
        "10",
        "How many pages of its list of models are read at most.",
    ),
    key("providers.NAME.catalog_model_limit", count(1, 10_000), "500", "How many models of its list are kept at most."),
    // Models.
    key("models[].provider", Kind::Text, "", "Who sells or runs it; a configured or shipped provider."),
    key("models[].model", Kind::Text, "", "Its name at that provider."),
    key("models[].display_name", Kind::Text, "", "A name for people."),
    key("models[].billing_class", BILLING_CLASSES, "", "Who pays for it; without it, the provider's class."),
    key("models[].capabilities", CAPABILITIES, r#"["text"]"#, "What it can do."),
    key("models[].reasoning_levels", EFFORTS, "[]", "The reasoning efforts it accepts."),
    key(
        "models[].context_length",
        count(1, 100_000_000),
        "8192",
        "How many tokens of input and output it takes together.",
    ),
    key(
        "models[].input_cost_per_million",
        DOLLARS,
        "",
        "US dollars for a million tokens of input. Counts only together with `output_cost_per_million`.",
    ),
    key(
        "models[].output_cost_per_million",
        DOLLARS,
        "",
        "US dollars for a million tokens of output. Counts only together with `input_cost_per_million`.",
    ),
    key(
        "models[].is_price_confirmed",
        Kind::Flag,
        "false",
        "Says that costs of more than $1000 for a million tokens are meant as they are written.",
    ),
    key("models[].cost_per_image", DOLLARS, "", "US dollars for one picture, for models that make them."),
    key("models[].cost_per_second", DOLLARS, "", "US dollars for a second of film, for models that make them."),
    key("models[].service_tiers", Kind::Words, "[]", "Tiers it is offered in, for display."),
    key(
        "models[].supported_parameters",
        Kind::Words,
        "[]",
        "The parameters it accepts, in the provider's words; empty when that is not known.",
    ),
    key(
        "models[].free_plan_max_tokens",
        count(0, 4_000_000_000),
        "0",
        "Tokens that the free plan allows, for display; 0 means unknown.",
    ),
    key(
        "models[].pro_plan_max_tokens",
        count(0, 4_000_000_000),
        "0",
        "Tokens that the paid plan allows, for display; 0 means unknown.",
    ),
    key("models[].task_scores", Kind::ScoreByTask, "{}", "How well it suits each task, 0 to 100."),
    key("models[].enabled", Kind::Flag, "true", "Whether it may be used."),
    key("models[].disabled_reason", Kind::Text, "", "Why it is switched off; shown wherever it is left out."),
    key(
        "models[].extra_body",
        Kind::Table,
        "",
        "More fields of the request, as the provider documents them. Fields that choose the model, the text or the number of answers are refused.",
    ),
    // Secrets.
    key(
        "secrets.backend",
        BACKENDS,
        r#""keychain""#,
        "Where keys are kept: the system's keychain, or a private file in the state folder.",
    ),
    // Clients.
    key(
        "clients.NAME.toolsets",
        TOOL_SETS,
        "[]",
        "The tool sets this client is offered; empty means those of the root.",
    ),
    key("clients.NAME.note", Kind::Text, "", "What you want to remember about this client."),
];

/// The app.
const APP: &[KeyInfo] = &[
    key("app.bring_to_front", Kind::Flag, "false", "Whether a question brings the app's window to the front."),
    key("app.approval_minutes", count(1, 1440), "10", "How long a question waits for your answer; then it means no."),
    key("app.start_hidden", Kind::Flag, "false", "Whether the app starts in the tray."),
];
