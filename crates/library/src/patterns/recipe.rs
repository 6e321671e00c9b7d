//! The recipe that a pattern becomes.

use super::observe::PatternSettings;
use super::pattern::Pattern;
use crate::library::{Activation, Author, Evidence, NewRecipe};

/// What a pattern knows, for the tool that is bound to it.
pub fn evidence(pattern: &Pattern) -> Evidence {
    Evidence {
        signature: pattern.signature.clone(),
        occurrences: pattern.occurrences,
        successes: pattern.successes,
        confidence: pattern.confidence(),
        project: pattern.project.clone(),
    }
}

/// The recipe for a pattern, made of its explicit name or its task, and of nothing that a prompt said.
pub fn recipe(settings: &PatternSettings, pattern: &Pattern) -> NewRecipe {
    let task = pattern.task.as_str();
    // A brace in a name would be a variable in the template.
    let label: String = pattern.label.chars().filter(|character| !matches!(character, '{' | '}')).collect();
    let name = if pattern.is_named { title(&pattern.label) } else { format!("{} workflow", pattern.label) };
    let description = if pattern.description.is_empty() {
        format!("Repeats an established workflow of the task `{task}`")
    } else {
        pattern.description.clone()
    };
    let template = format!(
        "Apply the established workflow \"{label}\" to the input below.\n\
         Keep every literal as it is: names, paths, versions, numbers, quotations.\n\
         Say which parts of the result you could not verify.\n\n\
         INPUT\n{{input}}"
    );
    let mut tags = vec![task.to_owned()];
    tags.extend(pattern.tags.iter().cloned());
    NewRecipe {
        name,
        description,
        task: pattern.task,
        template,
        tags,
        triggers: vec![format!("When work of the kind \"{label}\" comes up again.")],
        activation: if settings.auto_activate { Activation::Active } else { Activation::Draft },
        author: Author::PatternDetector,
        evidence: Some(evidence(pattern)),
    }
}

/// Each word with a capital.
fn title(label: &str) -> String {
    label
        .split_whitespace()
        .map(|word| {
            let mut characters = word.chars();
            characters
                .next()
                .map(|first| first.to_uppercase().chain(characters).collect::<String>())
                .unwrap_or_default()
        })
        .collect::<Vec<_>>()
        .join(" ")
}
