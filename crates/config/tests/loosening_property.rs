//! For any two configurations: what is held back loosens nothing, and nothing else is held back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::collections::BTreeMap;
use std::path::Path;

use lwa_config::diff::{loosening, without_loosening};
use lwa_config::{
    Arm, AssistNumbers, ClientConfig, CommandSandbox, Config, Escalation, ModelConfig, Observer, ProjectConfig,
    ProviderConfig, RouterConfig, RunPolicy, SecretsBackend, WorkerConfig, WorkerMode, WorkerOverride,
};
use lwa_domain::{BillingClass, ConsentMode, DataUse, PicoUsd};
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::{select, subsequence};
use proptest::{collection, option};

const RUN_POLICIES: &[RunPolicy] = &[RunPolicy::Ask, RunPolicy::Allow, RunPolicy::Off];
const SANDBOXES: &[CommandSandbox] = &[CommandSandbox::ReadOnly, CommandSandbox::Workspace, CommandSandbox::Off];
const ESCALATIONS: &[Escalation] = &[Escalation::Auto, Escalation::Ask, Escalation::Off];

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

fn over() -> impl Strategy<Value = WorkerOverride> {
    let policies = (option::of(select(RUN_POLICIES)), option::of(select(ESCALATIONS)), option::of(select(SANDBOXES)));
    let flags = (option::of(any::<bool>()), option::of(any::<bool>()), option::of(any::<bool>()));
    let lines = subsequence(vec!["ls *".to_owned(), "git status".to_owned()], 0..=2);
    (policies, flags, lines).prop_map(|((run_policy, escalation, sandbox), (is_pii, is_armed, is_masked), allow)| {
        WorkerOverride {
            run_policy,
            escalation,
            sandbox,
            mode: is_pii.map(|is_pii| if is_pii { WorkerMode::Pii } else { WorkerMode::Assist }),
            arm: is_armed.map(|is_armed| if is_armed { Arm::On } else { Arm::Ask }),
            assist_numbers: is_masked
                .map(|is_masked| if is_masked { AssistNumbers::Masked } else { AssistNumbers::Open }),
            allow,
        }
    })
}

/// Limits, as the file may have them.
fn limits() -> impl Strategy<Value = [u32; 4]> {
    (select(vec![100, 2000]), select(vec![30, 120]), select(vec![0, 1, 9]), select(vec![0, 1, 9]))
        .prop_map(|(chars, timeout, artifacts, sessions)| [chars, timeout, artifacts, sessions])
}

fn worker() -> impl Strategy<Value = WorkerConfig> {
    let words = (select(RUN_POLICIES), select(ESCALATIONS), select(SANDBOXES), limits());
    let urls = || option::of(select(vec!["http://127.0.0.1:1", "http://127.0.0.1:2"]));
    let observers = vec![Observer::None, Observer::Webhook, Observer::Exec("/bin/a".into())];
    let told = (select(observers), select(vec!["http://127.0.0.1:3", "http://127.0.0.1:4"]));
    (words, (urls(), urls(), variable()), told, any::<[bool; 10]>()).prop_map(
        |(
            (run_policy, escalation, sandbox, limits),
            (base_url, fallback_base_url, api_key_env),
            (observer, url),
            flags,
        )| WorkerConfig {
            run_policy,
            escalation,
            sandbox,
            max_output_chars: limits[0],
            command_timeout: limits[1],
            artifact_days: limits[2],
            session_days: limits[3],
            base_url: base_url.map(str::to_owned),
            fallback_base_url: fallback_base_url.map(str::to_owned),
            model: if flags[0] { "local" } else { "large-cloud" }.to_owned(),
            api_key_env,
            observer,
            observer_url: Some(url.to_owned()),
            enabled: flags[1],
            strict_pii: flags[2],
            entity_pass: flags[3],
            shapes: flags[4],
            names: flags[5],
            fail_closed: flags[6],
            allow_private_network: flags[7],
            decide: flags[8],
            sandbox_network: flags[9],
            ..WorkerConfig::default()
        },
    )
}

/// Folders within and beside each other, one beside another with a common beginning.
const FOLDERS: [&str; 4] = ["/a", "/a/b", "/a/b/c", "/a-b"];

fn projects() -> impl Strategy<Value = BTreeMap<String, ProjectConfig>> {
    let folder = select(FOLDERS.map(str::to_owned).to_vec());
    collection::btree_map(folder, over().prop_map(|worker| ProjectConfig { worker }), 0..=4)
}

fn tool_sets() -> impl Strategy<Value = Vec<String>> {
    subsequence(["core", "router", "library", "gateway", "worker", "all"].map(str::to_owned).to_vec(), 0..=6)
}

fn config() -> impl Strategy<Value = Config> {
    let providers = collection::btree_map(select(vec!["p".to_owned(), "q".to_owned()]), provider(), 0..=2);
    // The provider `r` is never configured, as when what is shipped was left out.
    let models = (option::of(model("p", "m")), option::of(model("q", "m")), option::of(model("r", "m")));
    let names = select(vec!["c".to_owned(), "d".to_owned()]);
    let clients = collection::btree_map(names, (tool_sets(), over()), 0..=2);
    (router(), providers, models, any::<bool>(), clients, tool_sets(), worker(), projects()).prop_map(
        |(router, providers, models, is_file, clients, toolsets, worker, projects)| {
            let mut config = Config { router, providers, toolsets, worker, projects, ..Config::default() };
            config.models = [models.0, models.1, models.2].into_iter().flatten().collect();
            config.secrets.backend = if is_file { SecretsBackend::File } else { SecretsBackend::Keychain };
            config.clients = clients
                .into_iter()
                .map(|(name, (toolsets, worker))| (name, ClientConfig { toolsets, worker, ..ClientConfig::default() }))
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
    fn nowhere_does_a_client_get_more_than_it_had(old in config(), new in config()) {
        let held = without_loosening(&old, &new);
        let rank = |worker: &WorkerConfig| {
            (
                RUN_POLICIES.iter().position(|policy| *policy == worker.run_policy),
                ESCALATIONS.iter().position(|policy| *policy == worker.escalation),
                SANDBOXES.iter().position(|sandbox| *sandbox == worker.sandbox),
                [
                    worker.mode == WorkerMode::Assist,
                    worker.arm == Arm::On,
                    worker.assist_numbers == AssistNumbers::Open,
                    worker.decide,
                    worker.sandbox_network,
                ],
            )
        };
        let kept_for = |days: u32| if days == 0 { u32::MAX } else { days };
        prop_assert!(held.worker.max_output_chars <= old.worker.max_output_chars);
        prop_assert!(held.worker.command_timeout <= old.worker.command_timeout);
        prop_assert!(kept_for(held.worker.artifact_days) <= kept_for(old.worker.artifact_days));
        prop_assert!(kept_for(held.worker.session_days) <= kept_for(old.worker.session_days));
        for client in ["c", "d", "other"] {
            for folder in [None, Some("/a/x"), Some("/a/b/x"), Some("/a/b/c/x"), Some("/a-b/x"), Some("/z")] {
                let folder = folder.map(Path::new);
                let (before, after) = (old.worker_for(client, folder), held.worker_for(client, folder));
                let (was, is) = (rank(&before), rank(&after));
                prop_assert!(is.0 <= was.0 && is.1 <= was.1 && is.2 <= was.2, "{} {:?}", client, folder);
                prop_assert!(is.3.iter().zip(was.3).all(|(is, was)| !is || was), "{} {:?}", client, folder);
                prop_assert!(after.allow.iter().all(|line| before.allow.contains(line)), "{} {:?}", client, folder);
            }
        }
    }

    #[test]
    fn what_is_in_force_can_be_written_and_read(config in config()) {
        let mut config = config;
        // What no file can say: an address with an account that has no name.
        config.providers.retain(|_, provider| {
            provider.account_id_env.is_some() || !provider.base_url.iter().any(|url| url.contains('{'))
        });
        let text = lwa_config::to_toml(&config);
        prop_assert_eq!(Config::parse(&text, Path::new("config.toml")).unwrap(), config);
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
