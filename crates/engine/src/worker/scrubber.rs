//! The recognisers in force: the built-in ones, with the human's terms and rules. Files are read again when their
//! content changes, and one that cannot be used is refused by name while the last good one stays in force.

use std::path::Path;
use std::sync::{Arc, Mutex};

use lwa_privacy::{Rules, Scrubber, Terms};

use crate::engine::{Engine, locked};
use crate::tokens;

/// The longest text that is scrubbed at once; a longer one is refused, never passed.
const LONGEST_TEXT: usize = 16 * 1024 * 1024;

/// The recognisers as they were last made.
#[derive(Debug, Default)]
pub(crate) struct Recognisers {
    made: Mutex<Option<Made>>,
}

#[derive(Debug, Clone)]
struct Made {
    /// Digests of the files and of the setting they were made of.
    of: (String, String, bool),
    terms: Arc<String>,
    rules: Arc<String>,
    scrubber: Arc<Scrubber>,
    notes: Vec<String>,
    summary: String,
}

/// The recognisers, and what is wrong with their files.
#[derive(Debug, Clone)]
pub(crate) struct Recognising {
    pub scrubber: Arc<Scrubber>,
    /// What is in force, in words.
    pub summary: String,
    /// One sentence for each file that is not in force as it stands.
    pub notes: Vec<String>,
}

impl Engine {
    /// The recognisers in force now.
    pub(crate) fn recognisers(&self, has_shapes: bool) -> Recognising {
        let terms_path = self.home.private_terms_file();
        let rules_path = self.home.rules_file();
        let (terms_text, terms_note) = read(&terms_path);
        let (rules_text, rules_note) = read(&rules_path);
        let mut made = locked(&self.worker.recognisers.made);
        let mut notes: Vec<String> = [terms_note, rules_note].into_iter().flatten().collect();
        // A file that cannot be read says nothing about its content, so the last good one stays.
        let terms_text = terms_text.or_else(|| made.as_ref().map(|made| made.terms.to_string())).unwrap_or_default();
        let rules_text = rules_text.or_else(|| made.as_ref().map(|made| made.rules.to_string())).unwrap_or_default();
        let of = (tokens::text_hash(&terms_text), tokens::text_hash(&rules_text), has_shapes);
        if let Some(made) = made.as_ref().filter(|made| made.of == of) {
            notes.extend(made.notes.iter().cloned());
            return Recognising { scrubber: made.scrubber.clone(), summary: made.summary.clone(), notes };
        }
        let mut refusals = Vec::new();
        let terms = match parse(&terms_text, Terms::parse, Terms::none) {
            Ok(terms) => (terms, terms_text),
            Err(reason) => {
                refusals.push(format!("`{}` is not in force: {reason}", terms_path.display()));
                let last = made.as_ref().map(|made| made.terms.to_string()).unwrap_or_default();
                (Terms::parse(&last).unwrap_or_else(|_| Terms::none()), last)
            }
        };
        let rules = match parse(&rules_text, Rules::parse, Rules::default) {
            Ok(rules) => (rules, rules_text),
            Err(reason) => {
                refusals.push(format!("`{}` is not in force: {reason}", rules_path.display()));
                let last = made.as_ref().map(|made| made.rules.to_string()).unwrap_or_default();
                (Rules::parse(&last).unwrap_or_default(), last)
            }
        };
        let summary = format!(
            "{} private terms, {} own rules, shapes {}",
            terms.0.len(),
            rules.0.len(),
            if has_shapes { "on" } else { "off" }
        );
        let mut scrubber = Scrubber::new().with_terms(terms.0).with_rules(rules.0).with_limit(LONGEST_TEXT);
        if !has_shapes {
            scrubber = scrubber.without_shapes();
        }
        let now = Made {
            of,
            terms: Arc::new(terms.1),
            rules: Arc::new(rules.1),
            scrubber: Arc::new(scrubber),
            notes: refusals,
            summary,
        };
        notes.extend(now.notes.iter().cloned());
        let recognising = Recognising { scrubber: now.scrubber.clone(), summary: now.summary.clone(), notes };
        *made = Some(now);
        recognising
    }
}

/// The content of a file; empty when there is none, nothing when it cannot be read.
fn read(path: &Path) -> (Option<String>, Option<String>) {
    match std::fs::read_to_string(path) {
        Ok(text) => (Some(text), None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (Some(String::new()), None),
        Err(error) => (None, Some(format!("`{}` cannot be read: {error}", path.display()))),
    }
}

fn parse<T, E: std::fmt::Display>(
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
    none: impl FnOnce() -> T,
) -> Result<T, String> {
    if text.trim().is_empty() {
        return Ok(none());
    }
    parse(text).map_err(|error| error.to_string())
}
