//! The hand-written decisions of `golden_cases.txt`.

use std::collections::BTreeMap;

use lwa_domain::{BillingClass, Capability, DataUse, Model, Quality, TaskKind};
use lwa_routing::{BUILTIN_PROVIDER, CapabilitySet, Gate, Points, Policy, Rejected, Request};

use crate::seeds;
use crate::support::{POLICY, World, facts, key_of, model, names, price, reason_among};

const CASES: &str = include_str!("golden_cases.txt");

/// One line, taken apart.
struct Case {
    line: &'static str,
    task: TaskKind,
    quality: Quality,
    request: Words,
    world: Words,
    /// The chosen route, the voters or `none`.
    expected: &'static str,
    /// Candidates that were not chosen, with the label of the reason.
    reasons: Vec<(&'static str, &'static str)>,
}

/// Words like `paid` and `prefer=zai,aion`, in order.
struct Words(Vec<(&'static str, &'static str)>);

impl Words {
    fn read(text: &'static str) -> Self {
        Self(text.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, ""))).collect())
    }

    fn all(&self, name: &'static str) -> impl Iterator<Item = &'static str> {
        self.0.iter().filter(move |word| word.0 == name).map(|word| word.1)
    }

    fn one(&self, name: &'static str) -> Option<&'static str> {
        self.all(name).next()
    }

    fn has(&self, name: &'static str) -> bool {
        self.one(name).is_some()
    }

    fn list(&self, name: &'static str) -> Vec<String> {
        self.one(name).map(|value| names(&value.split(',').collect::<Vec<_>>())).unwrap_or_default()
    }
}

fn cases() -> impl Iterator<Item = Case> {
    CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let fields: Vec<_> = line.split('|').map(str::trim).collect();
        let [subject, request, world, expected, why] = fields[..] else { panic!("five fields: {line}") };
        assert!(!why.is_empty(), "a decision needs its argument: {line}");
        let (task, quality) = subject.split_once(' ').unwrap();
        let mut expected = expected.split(" ; ");
        Case {
            line,
            task: task.parse().unwrap(),
            quality: quality.parse().unwrap(),
            request: Words::read(request),
            world: Words::read(world),
            expected: expected.next().unwrap(),
            reasons: expected.map(|reason| reason.split_once('=').unwrap()).collect(),
        }
    })
}

/// The set of labels in `a+b`.
fn set<T: std::str::FromStr<Err: std::fmt::Debug>, S: FromIterator<T>>(text: &str) -> S {
    text.split('+').map(|label| label.parse().unwrap()).collect()
}

fn builtin() -> Model {
    let mut condense = model("builtin:condense", BillingClass::Free, 60);
    condense.capabilities = [Capability::Text].into();
    condense.context_length = 10_000_000;
    condense
}

/// The seeds, changed as the words say.
fn world(words: &Words) -> World {
    const KNOWN: [&str; 22] = [
        "builtin",
        "track",
        "off",
        "down",
        "keyless",
        "full",
        "gone",
        "trains",
        "local",
        "experimental",
        "only",
        "add",
        "disabled",
        "class",
        "context",
        "reads",
        "writes",
        "accepts",
        "levels",
        "can",
        "score",
        "price",
    ];
    let mut world = seeds::world();
    if words.has("builtin") {
        let mut provider = facts(BUILTIN_PROVIDER);
        (provider.is_local, provider.data_use) = (true, DataUse::None);
        world.models.push(builtin());
        world.providers.insert(BUILTIN_PROVIDER.to_owned(), provider);
    }
    for added in words.all("add") {
        let [key, class, score] = added.split(',').collect::<Vec<_>>()[..] else { panic!("{added}") };
        let added = model(key, class.parse().unwrap(), score.parse().unwrap());
        world.providers.insert(added.key.provider.clone(), facts(&added.key.provider));
        world.models.push(added);
    }
    for (name, value) in &words.0 {
        assert!(KNOWN.contains(name), "no world has the word {name}");
        match *name {
            "only" => world.models.retain(|model| value.split(',').any(|provider| provider == model.key.provider)),
            "off" | "down" | "keyless" | "full" | "trains" | "local" | "experimental" => {
                for provider in value.split(',') {
                    let facts = world.providers.get_mut(provider).unwrap();
                    match *name {
                        "off" => facts.disabled_reason = Some("off".into()),
                        "down" => facts.unhealthy_reason = Some("down".into()),
                        "keyless" => facts.has_credential = false,
                        "full" => facts.exhausted_cap = Some("daily".into()),
                        "trains" => facts.data_use = DataUse::Trains,
                        "local" => facts.is_local = true,
                        _ => facts.is_experimental = true,
                    }
                }
            }
            "gone" => _ = world.providers.remove(*value).unwrap(),
            "builtin" | "add" => {}
            _ => change_model(&mut world, name, value),
        }
    }
    world
}

fn change_model(world: &mut World, change: &str, value: &str) {
    let (key, value) = value.split_once(',').unwrap_or((value, ""));
    let number = |text: &str| text.parse::<u64>().unwrap();
    if change == "track" {
        let counts: Vec<u32> = value.split(',').map(|number| number.parse().unwrap()).collect();
        *world = world.clone().with_track(key, counts[0], counts[1], Some(counts[2]));
        return;
    }
    let model = world.models.iter_mut().find(|model| model.key == key_of(key)).unwrap_or_else(|| panic!("no {key}"));
    match change {
        "disabled" => model.disabled_reason = Some("off".into()),
        "class" => model.billing_class = value.parse().unwrap(),
        "context" => model.context_length = number(value),
        "reads" => model.max_input_tokens = Some(number(value)),
        "writes" => model.max_output_tokens = Some(number(value)),
        "accepts" => model.supported_parameters = Some(set(value)),
        "levels" => model.reasoning_levels = set(value),
        "can" => _ = model.capabilities.insert(value.parse().unwrap()),
        "score" => model.task_scores.values_mut().for_each(|score| *score = value.parse().unwrap()),
        "price" => {
            let (input, output) = value.split_once(',').unwrap();
            model.price = Some(price(input.parse().unwrap(), output.parse().unwrap()));
        }
        other => panic!("no model has the word {other}"),
    }
}

fn route(scored: &lwa_routing::Scored, requires_consent: bool, with_score: bool) -> String {
    let model = &scored.model;
    let asks = if requires_consent { " asks" } else { "" };
    let score = if with_score { format!(" {}", Points(scored.score_hundredths)) } else { String::new() };
    format!("{} {}{asks}{score}", model.key, model.billing_class)
}

/// What the router answers, written as in the file, and the candidates it passed over.
fn answer(case: &Case) -> (String, Vec<Rejected>) {
    let words = &case.request;
    let known = [
        "paid",
        "user-pays",
        "ask-paid",
        "config-paid",
        "ask-user-pays",
        "config-user-pays",
        "in",
        "out",
        "effort",
        "needs",
        "class",
        "prefer",
        "exclude",
        "provider",
        "model",
        "structured",
        "training",
        "consent",
        "no-bonus",
        "voters",
        "synthesis",
    ];
    assert!(words.0.iter().all(|(word, _)| known.contains(word)), "{}", case.line);
    let (preferred, excluded) = (words.list("prefer"), words.list("exclude"));
    let request = Request {
        task: case.task,
        quality: case.quality,
        reasoning_effort: words.one("effort").map(|effort| effort.parse().unwrap()),
        capabilities: words.one("needs").map(set::<Capability, CapabilitySet>),
        wants_structured: words.has("structured"),
        estimated_input_tokens: words.one("in").map_or(200, |tokens| tokens.parse().unwrap()),
        max_output_tokens: words.one("out").map_or(1200, |tokens| tokens.parse().unwrap()),
        allow_paid: words.has("paid") || words.has("ask-paid"),
        allow_user_pays: words.has("user-pays") || words.has("ask-user-pays"),
        required_billing_class: words.one("class").map(|class| class.parse().unwrap()),
        preferred_providers: &preferred,
        excluded_providers: &excluded,
        provider: words.one("provider"),
        model: words.one("model"),
    };
    let policy = Policy {
        consent_mode: words.one("consent").map_or(POLICY.consent_mode, |mode| mode.parse().unwrap()),
        prefer_free: !words.has("no-bonus"),
        allow_paid: words.has("paid") || words.has("config-paid"),
        allow_user_pays: words.has("user-pays") || words.has("config-user-pays"),
        allow_training: words.has("training"),
    };
    let world = world(&case.world);
    let cap = |name| words.one(name).and_then(|count| count.parse().ok());
    let decision = if words.has("voters") {
        return match world.voters(&request, &policy, cap("voters")) {
            Ok(voters) => {
                let keys: Vec<_> = voters.chosen.iter().map(|voter| voter.model.key.to_string()).collect();
                (keys.join(" "), voters.others)
            }
            Err(none) => ("none".to_owned(), none.rejected),
        };
    } else if words.has("synthesis") {
        let voters = world.voters(&request, &policy, cap("synthesis")).unwrap();
        world.synthesis(&request, &policy, &voters)
    } else {
        world.decide(&request, &policy)
    };
    match decision {
        Ok(decision) => {
            let with_score = case.expected.split(' ').next_back().is_some_and(|word| word.parse::<f64>().is_ok());
            (route(&decision.chosen, decision.requires_consent, with_score), decision.others)
        }
        Err(none) => ("none".to_owned(), none.rejected),
    }
}

#[test]
fn every_hand_written_decision_is_what_the_router_decides() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (decided, others) = answer(&case);
        if decided != case.expected {
            wrong.push(format!("{}\n    decided: {decided}", case.line));
        }
        for (key, label) in &case.reasons {
            if !others.iter().any(|other| other.key.to_string() == *key) {
                wrong.push(format!("{}\n    `{key}` is not among the others", case.line));
            } else if reason_among(&others, key).label() != *label {
                wrong.push(format!("{}\n    {key}: {}", case.line, reason_among(&others, key)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_file_covers_every_task_quality_and_reason() {
    let mut tasks = BTreeMap::<_, Vec<Quality>>::new();
    let mut missing: Vec<_> = Gate::LABELS.to_vec();
    for case in cases() {
        tasks.entry(case.task).or_default().push(case.quality);
        for (key, label) in case.reasons {
            assert!(Gate::LABELS.contains(&label), "{key}={label}");
            missing.retain(|other| *other != label);
        }
    }
    assert_eq!(missing, Vec::<&str>::new(), "no case expects these");
    assert!(cases().count() >= 150);
    for task in TaskKind::ALL {
        let qualities = &tasks[task];
        assert!(qualities.len() >= 10, "{task} has {} cases", qualities.len());
        for quality in Quality::ALL {
            assert!(qualities.contains(quality), "{task} has no case at {quality}");
        }
    }
}
