//! The candidates that were not chosen: as they are told, and as they are kept.
//!
//! A catalogue with live lists has thousands of them, and most share a reason. Kept, each name stands once and each
//! reason once; told, whoever asks says how many they can use.

use std::borrow::Cow;
use std::collections::HashMap;

use lwa_protocol::plan::ExcludedView;
use lwa_routing::Rejected;
use serde::{Deserialize, Serialize};

/// Runs of candidates of one provider with one reason, in their order.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept<'a> {
    #[serde(borrow)]
    providers: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    reasons: Vec<Cow<'a, str>>,
    /// The place of the provider, the place of the reason, the models.
    #[serde(borrow)]
    runs: Vec<(usize, usize, Vec<Cow<'a, str>>)>,
}

/// The first `limit` candidates as they are told.
pub(super) fn views(others: &[Rejected], limit: usize) -> Vec<ExcludedView> {
    let view = |other: &Rejected| ExcludedView {
        provider: other.key.provider.clone(),
        model: other.key.model.clone(),
        reason: other.reason.to_string(),
    };
    others.iter().take(limit).map(view).collect()
}

/// All of them as they are kept.
pub(super) fn kept(others: &[Rejected]) -> Result<String, serde_json::Error> {
    let mut kept = Kept::default();
    let (mut providers, mut reasons) = (Places::default(), Places::default());
    let mut last: Option<&Rejected> = None;
    for other in others {
        let model = Cow::Borrowed(other.key.model.as_str());
        // Comparing two reasons is cheaper than writing one out.
        let goes_on = last.is_some_and(|last| last.key.provider == other.key.provider && last.reason == other.reason);
        last = Some(other);
        match kept.runs.last_mut() {
            Some((_, _, models)) if goes_on => models.push(model),
            _ => {
                let provider = providers.of(Cow::Borrowed(other.key.provider.as_str()));
                let reason = reasons.of(Cow::Owned(other.reason.to_string()));
                kept.runs.push((provider, reason, vec![model]));
            }
        }
    }
    (kept.providers, kept.reasons) = (providers.texts, reasons.texts);
    serde_json::to_string(&kept)
}

/// What was kept: the first `limit` candidates, and how many there are.
pub(crate) fn read(text: &str, limit: usize) -> Result<(Vec<ExcludedView>, usize), serde_json::Error> {
    if text.starts_with('[') {
        // Plans of the first version kept what they told.
        let mut all: Vec<ExcludedView> = serde_json::from_str(text)?;
        let count = all.len();
        all.truncate(limit);
        return Ok((all, count));
    }
    let Kept { providers, reasons, runs } = serde_json::from_str(text)?;
    let count = runs.iter().map(|(_, _, models)| models.len()).sum();
    let text_at = |texts: &[Cow<str>], place: usize| texts.get(place).map(ToString::to_string).unwrap_or_default();
    let views = runs.into_iter().flat_map(|(provider, reason, models)| {
        let (provider, reason) = (text_at(&providers, provider), text_at(&reasons, reason));
        models.into_iter().map(move |model| ExcludedView {
            provider: provider.clone(),
            model: model.into_owned(),
            reason: reason.clone(),
        })
    });
    Ok((views.take(limit).collect(), count))
}

/// Texts, each with its place.
#[derive(Default)]
struct Places<'a> {
    texts: Vec<Cow<'a, str>>,
    places: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Places<'a> {
    fn of(&mut self, text: Cow<'a, str>) -> usize {
        if let Some(place) = self.places.get(&text) {
            return *place;
        }
        let place = self.texts.len();
        self.texts.push(text.clone());
        self.places.insert(text, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use lwa_domain::ModelKey;
    use lwa_routing::Gate;

    use super::*;

    fn rejected(provider: usize, model: usize, reason: Gate) -> Rejected {
        let key = ModelKey {
            provider: format!("provider-{provider:02}"),
            model: format!("vendor/model-{model:04}-instruct"),
        };
        Rejected { key, reason }
    }

    /// As routing tells them: first the eligible ones by score, then the refused ones by name.
    fn others(count: usize) -> Vec<Rejected> {
        let scored = (0..20).map(|place| {
            let reason =
                Gate::Outscored { score: 9_000 - 7 * place, winner: "provider-00:best".into(), winning_score: 9_500 };
            rejected(usize::try_from(place).unwrap() % 3, 9_000 + usize::try_from(place).unwrap(), reason)
        });
        let refused = (0..count - 20).map(|place| {
            let reason = match place % 5 {
                0 => Gate::ContextTooSmall { needed: 120_000, context: 32_768 },
                _ => Gate::MissingCredential(format!("PROVIDER_{}_API_KEY", place / 100).into()),
            };
            rejected(place / 100, place, reason)
        });
        scored.chain(refused).collect()
    }

    #[test]
    fn what_is_kept_tells_every_candidate_with_its_reason_in_its_order() {
        let others = others(2_000);
        let text = kept(&others).unwrap();
        assert_eq!(read(&text, usize::MAX).unwrap(), (views(&others, usize::MAX), 2_000));
        assert_eq!(read(&text, 3).unwrap(), (views(&others, 3), 2_000));
        assert_eq!(read(&kept(&[]).unwrap(), 3).unwrap(), (Vec::new(), 0));
    }

    /// Most of what is left are the names of the models.
    #[test]
    fn two_thousand_candidates_take_a_third_of_what_they_would_written_out() {
        let others = others(2_000);
        let written_out = serde_json::to_string(&views(&others, usize::MAX)).unwrap().len();
        let kept = kept(&others).unwrap().len();
        assert!(kept * 3 < written_out, "{kept} of {written_out} bytes");
    }

    #[test]
    fn plans_of_the_first_version_are_read() {
        let all = views(&others(30), usize::MAX);
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(read(&text, usize::MAX).unwrap(), (all.clone(), 30));
        assert_eq!(read(&text, 2).unwrap(), (all[..2].to_vec(), 30));
    }
}
