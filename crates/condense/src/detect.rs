//! Tells what kind of text it is.

use crate::condensed::Material;
use crate::lines::Lines;
use crate::shape::{has_stamp, is_progress};
use crate::speaker::{Role, Speakers};

/// So many lines are looked at, spread over the text.
const SAMPLE_LINES: usize = 2000;

/// The material of a text: turns of known speakers or mostly sentences make a conversation, all else is a log.
pub(crate) fn detect(lines: &Lines<'_>) -> Material {
    let speakers = Speakers::of(lines);
    let step = lines.spans.len().div_ceil(SAMPLE_LINES).max(1);
    let mut sampled = 0usize;
    let mut prose = 0usize;
    let mut turns = [0usize; 2];
    let mut spoken = 0usize;
    for line in lines.spans.iter().step_by(step) {
        let text = lines.get(line);
        if text.trim().is_empty() {
            continue;
        }
        sampled += 1;
        if let Some(label) = speakers.label(text) {
            spoken += usize::from(has_sentence(text));
            match label.role {
                Role::User => turns[0] += 1,
                Role::Assistant | Role::Tool => turns[1] += 1,
            }
        }
        prose += usize::from(is_prose(text));
    }
    // Names alone may be the keys of a record, unless people speak in sentences behind them.
    let is_talk = turns[0] > 0 && turns[1] > 0
        || turns.iter().sum::<usize>() * 10 > sampled && speakers.has_names() && spoken * 2 > sampled;
    if is_talk || prose * 2 > sampled { Material::Conversation } else { Material::Log }
}

/// Whether a sentence ends in a line.
fn has_sentence(line: &str) -> bool {
    line.trim_end().ends_with(['.', '!', '?']) || [". ", "! ", "? "].iter().any(|end| line.contains(end))
}

/// Whether a line is made of sentences.
fn is_prose(line: &str) -> bool {
    let trimmed = line.trim();
    let words = trimmed.split_ascii_whitespace().take(40);
    let (all, plain) = words.fold((0usize, 0usize), |(all, plain), word| {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        (
            all + 1,
            plain + usize::from(!word.is_empty() && word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-')),
        )
    });
    all >= 4 && plain * 4 >= all * 3 && !has_stamp(line) && !is_progress(trimmed) && !line.starts_with("    ")
}

#[cfg(test)]
mod tests {
    use super::detect;
    use crate::condensed::Material;
    use crate::lines::Lines;
    use rstest::rstest;

    #[rstest]
    #[case("user: hello\nassistant: hi\n", Material::Conversation)]
    #[case("## User\nPlease fix it.\n## Assistant\n   Compiling x v1\n   Compiling y v1\n", Material::Conversation)]
    #[case(
        "We met on Monday. The plan is to ship the first part soon.\nNobody objected to it in the end.\n",
        Material::Conversation
    )]
    #[case("   Compiling a v1.0.0\nerror[E0308]: mismatched types\n", Material::Log)]
    #[case(
        "2026-11-02T10:00:00Z INFO user: alice logged in\n2026-11-02T10:00:01Z INFO user: bob logged in\n",
        Material::Log
    )]
    #[case("", Material::Log)]
    fn names_the_material(#[case] text: &str, #[case] expected: Material) {
        assert_eq!(detect(&Lines::new(text)), expected);
    }
}
