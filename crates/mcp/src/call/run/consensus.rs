//! What a reply tells of a consensus: a line for each review. The whole of them is a resource.

use lwa_protocol::plan::{ConsensusAnswer, RouteFailure, RunAnswer};
use rmcp::model::{ContentBlock, Resource};
use serde_json::{Map, Value, json};

use crate::resource::result_uri;
use crate::whole_result::whole_text;

/// Bytes that all lines together may take, and bounds on one of them in characters.
const LINES: usize = 3000;
const SHORTEST: usize = 40;
const LONGEST: usize = 160;

/// Puts lines in the place of the reviews.
pub(super) fn abridge(fields: &mut Map<String, Value>, answer: &RunAnswer) {
    let Some(consensus) = &answer.consensus else { return };
    let mut summary = json!({
        "voters": consensus.voters,
        "answered": consensus.reviews.len(),
        "reviews": lines(consensus),
    });
    for (name, failures) in
        [("voter_failures", &consensus.voter_failures), ("synthesis_failures", &consensus.synthesis_failures)]
    {
        if !failures.is_empty() {
            summary[name] = failures.iter().map(failed).collect();
        }
    }
    if let Some(writer) = &consensus.synthesized_by {
        summary["synthesized_by"] = json!({"provider": writer.provider, "model": writer.model});
    }
    fields.insert("consensus".to_owned(), summary);
}

fn lines(consensus: &ConsensusAnswer) -> Vec<Value> {
    let room = (LINES / consensus.reviews.len().max(1)).clamp(SHORTEST, LONGEST);
    consensus
        .reviews
        .iter()
        .map(|review| {
            let (provider, model) = (&review.route.provider, &review.route.model);
            json!({"provider": provider, "model": model, "line": first_line(&review.text, room)})
        })
        .collect()
}

fn failed(failure: &RouteFailure) -> Value {
    let RouteFailure { provider, model, error } = failure;
    json!({"provider": provider, "model": model, "code": error.code, "message": error.message})
}

/// The first line with letters in it, cut to `room` characters.
fn first_line(text: &str, room: usize) -> String {
    let line = text.lines().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default().trim();
    if line.chars().count() <= room {
        return line.to_owned();
    }
    line.chars().take(room - 1).chain(['…']).collect()
}

/// Links the reviews, unless the reply links the whole already.
pub(super) fn link(fields: &mut Map<String, Value>, answer: &RunAnswer) -> Option<ContentBlock> {
    answer.consensus.as_ref().filter(|consensus| !consensus.reviews.is_empty())?;
    let whole = whole_text(answer)?;
    let uri = result_uri(&answer.plan_id);
    fields.insert("full_text_uri".to_owned(), uri.as_str().into());
    let note = format!("{uri} has every review in full; so has a repeat of the call with text_offset 0");
    fields.insert("note".to_owned(), note.into());
    let resource = Resource::new(uri, format!("result {}", answer.plan_id))
        .with_title("Synthesis and reviews")
        .with_mime_type("text/plain")
        .with_size(u64::try_from(whole.len()).unwrap_or(u64::MAX));
    Some(ContentBlock::resource_link(resource))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("\n---\n  Yes, it is safe.  \nBecause.", 40, "Yes, it is safe.")]
    #[case("äöüäöü", 4, "äöü…")]
    #[case("", 40, "")]
    fn a_line_is_the_first_that_says_something(#[case] text: &str, #[case] room: usize, #[case] line: &str) {
        assert_eq!(first_line(text, room), line);
    }
}
