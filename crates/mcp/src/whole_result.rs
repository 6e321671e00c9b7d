//! All that a plan wrote, as one text: for a consensus its synthesis and every review.

use std::borrow::Cow;
use std::fmt::Write as _;

use lwa_protocol::plan::{ConsensusAnswer, RunAnswer};

/// The whole text of a result; none when nothing was written.
pub(crate) fn whole_text(answer: &RunAnswer) -> Option<Cow<'_, str>> {
    let synthesis = answer.text.as_deref();
    match &answer.consensus {
        Some(consensus) if !consensus.reviews.is_empty() => Some(Cow::Owned(with_reviews(answer, consensus))),
        _ => synthesis.map(Cow::Borrowed),
    }
}

fn with_reviews(answer: &RunAnswer, consensus: &ConsensusAnswer) -> String {
    let mut text = match (&answer.text, &answer.error) {
        (Some(synthesis), _) => synthesis.trim_end().to_owned(),
        (None, Some(error)) => format!("There is no synthesis: {}.", error.message),
        (None, None) => "There is no synthesis.".to_owned(),
    };
    text.push_str("\n\n# Reviews\n");
    for review in &consensus.reviews {
        let (provider, model) = (&review.route.provider, &review.route.model);
        // Writing to a text cannot fail.
        let _ = write!(text, "\n## {provider}:{model}\n\n{}\n", review.text.trim());
    }
    let failures =
        [("Voters that failed", &consensus.voter_failures), ("Syntheses that failed", &consensus.synthesis_failures)];
    for (title, failures) in failures.into_iter().filter(|(_, failures)| !failures.is_empty()) {
        let _ = write!(text, "\n# {title}\n\n");
        for failure in failures {
            let _ = writeln!(text, "- {}:{}: {}", failure.provider, failure.model, failure.error.message);
        }
    }
    text
}
