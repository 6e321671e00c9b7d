//! The seed models, read from the text table beside this file.

use std::collections::{BTreeMap, BTreeSet};

use lwa_domain::{Capability, Model, ModelKey, ReasoningEffort, TaskKind};

use crate::support::World;

/// All seeds, with every provider ready.
pub fn world() -> World {
    let lines = include_str!("seeds.txt").lines().filter(|line| !line.starts_with('#'));
    World::of(lines.map(parse))
}

fn parse(line: &str) -> Model {
    let fields: Vec<_> = line.split('|').map(str::trim).collect();
    let (provider, model) = fields[0].split_once(' ').unwrap();
    let notes = fields.get(5).copied().unwrap_or_default();
    Model {
        capabilities: fields[3].chars().map(capability).collect::<BTreeSet<_>>(),
        reasoning_levels: if notes == "levels" { ReasoningEffort::ALL.to_vec() } else { Vec::new() },
        context_length: fields[2].parse().unwrap(),
        task_scores: scores(fields[4]),
        disabled_reason: (notes == "disabled").then(|| "answers 401".to_owned()),
        ..Model::named(
            ModelKey { provider: provider.to_owned(), model: model.to_owned() },
            fields[1].parse().unwrap(),
            "seed",
        )
    }
}

fn capability(letter: char) -> Capability {
    match letter {
        't' => Capability::Text,
        'r' => Capability::Reasoning,
        'o' => Capability::Tools,
        's' => Capability::Structured,
        'v' => Capability::Vision,
        'i' => Capability::Image,
        'f' => Capability::Video,
        other => panic!("no capability is written {other}"),
    }
}

fn scores(text: &str) -> BTreeMap<TaskKind, u8> {
    if let Some((task, score)) = text.split_once("_generation ") {
        return BTreeMap::from([(format!("{task}_generation").parse().unwrap(), score.parse().unwrap())]);
    }
    let scores: Vec<u8> = text.split(' ').map(|score| score.parse().unwrap()).collect();
    assert_eq!(scores.len(), 10, "{text}");
    TaskKind::ALL.iter().copied().zip(scores).collect()
}

#[test]
fn the_seed_table_holds_every_model_and_provider() {
    let world = world();
    assert_eq!(world.models.len(), 26);
    assert_eq!(world.providers.len(), 19);
}
