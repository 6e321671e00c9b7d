//! For any two configurations: what is held back loosens nothing, and nothing else is held back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use lwa_config::diff::{loosening, without_loosening};
use lwa_config::{ClientConfig, Config, ModelConfig, ProviderConfig, RouterConfig, SecretsBackend};
use lwa_domain::{BillingClass, ConsentMode, DataUse, PicoUsd};
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::{select, subsequence};
use proptest::{collection, option};

fn caps() -> impl Strategy<Value = (u32, Option<PicoUsd>)> {
    (0..3_u32, option::of((1..3_i64).prop_map(PicoUsd::new)))
}

fn router() -> impl Strategy<Value = RouterConfig> {
    (select(ConsentMode::ALL), any::<[bool; 4]>(), caps(), 600..602_u32).prop_map(
        |(consent_mode, [prefer_free, allow_paid, allow_user_pays, allow_training], caps, ttl)| RouterConfig {
            consent_mode,
            prefer_free,
            allow_paid,
            allow_user_pays,
            allow_training,
            confirmation_ttl_seconds: ttl,
            global_daily_request_cap: caps.0,
            global_monthly_usd_cap: caps.1,
            ..RouterConfig::default()
        },
    )
}

fn variable() -> impl Strategy<Value = Option<String>> {
    option::of(select(vec!["A".to_owned(), "B".to_owned()]))
}

fn provider() -> impl Strategy<Value = ProviderConfig> {
    let urls = vec!["http://127.0.0.1:1", "http://127.0.0.1:2", "https://a.example", "https://b.example/{account_id}"];
    let address = (select(urls), select(vec!["/models", "/m"]));
    let names = (variable(), subsequence(vec!["A".to_owned(), "C".to_owned()], 0..=2), variable(), variable());
    let facts = (select(BillingClass::ALL), select(DataUse::ALL), any::<[bool; 3]>(), caps());
    (address, names, facts).prop_map(|((url, path), names, (billing_class, data_use, flags, caps))| ProviderConfig {
        base_url: Some(url.to_owned()),
        models_path: path.to_owned(),
        api_key_env: names.0,
        api_key_envs: names.1,
        account_id_env: names.2,
        quota_key_env: names.3,
        billing_class,
        data_use,
        enabled: flags[0],
        supports_live_models: flags[1],
        request_headers: flags[2].then(|| ("X".to_owned(), "1".to_owned())).into_iter().collect(),
        daily_request_cap: caps.0,
        monthly_usd_cap: caps.1,
        ..ProviderConfig::default()
    })
}

fn model(provider: &'static str, name: &'static str) -> impl Strategy<Value = ModelConfig> {
    let price = || option::of(select(vec![0.0, 1.0, 2.0]));
    let body = any::<bool>().prop_map(|has| has.then(|| serde_json::Map::from_iter([("x".to_owned(), 1.into())])));
    (option::of(select(BillingClass::ALL)), price(), price(), any::<bool>(), body).prop_map(
        move |(billing_class, input, output, enabled, extra_body)| ModelConfig {
            billing_class,
            input_cost_per_million: input,
            output_cost_per_million: output,
            enabled,
            extra_body,
            ..ModelConfig::new(provider, name)
        },
    )
}

fn tool_sets() -> impl Strategy<Value = Vec<String>> {
    subsequence(["core", "router", "library", "gateway", "worker", "all"].map(str::to_owned).to_vec(), 0..=6)
}

fn config() -> impl Strategy<Value = Config> {
    let providers = collection::btree_map(select(vec!["p".to_owned(), "q".to_owned()]), provider(), 0..=2);
    // The provider `r` is never configured, as when what is shipped was left out.
    let models = (option::of(model("p", "m")), option::of(model("q", "m")), option::of(model("r", "m")));
    let clients = collection::btree_map(Just("c".to_owned()), tool_sets(), 0..=1);
    (router(), providers, models, any::<bool>(), clients, tool_sets()).prop_map(
        |(router, providers, models, is_file, clients, toolsets)| {
            let mut config = Config { router, providers, toolsets, ..Config::default() };
            config.models = [models.0, models.1, models.2].into_iter().flatten().collect();
            config.secrets.backend = if is_file { SecretsBackend::File } else { SecretsBackend::Keychain };
            config.clients = clients
                .into_iter()
                .map(|(name, toolsets)| (name, ClientConfig { toolsets, ..ClientConfig::default() }))
                .collect();
            config
        },
    )
}

proptest! {
    #[test]
    fn what_is_in_force_never_loosens(old in config(), new in config()) {
        let held = without_loosening(&old, &new);
        prop_assert_eq!(loosening(&old, &held), vec![]);
        // Holding is settled at once: a second look holds nothing more.
        prop_assert_eq!(without_loosening(&old, &held), held);
    }

    #[test]
    fn what_is_in_force_can_be_written_and_read(config in config()) {
        let mut config = config;
        // What no file can say: an address with an account that has no name.
        config.providers.retain(|_, provider| {
            provider.account_id_env.is_some() || !provider.base_url.iter().any(|url| url.contains('{'))
        });
        let text = lwa_config::to_toml(&config);
        prop_assert_eq!(Config::parse(&text, std::path::Path::new("config.toml")).unwrap(), config);
    }

    #[test]
    fn an_edit_that_loosens_nothing_is_taken_whole(old in config(), new in config()) {
        if loosening(&old, &new).is_empty() {
            prop_assert_eq!(without_loosening(&old, &new), new);
        } else {
            prop_assert!(without_loosening(&old, &new) != new);
        }
        prop_assert_eq!(loosening(&old, &old), vec![]);
    }
}
