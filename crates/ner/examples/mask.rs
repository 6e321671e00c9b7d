//! Prints what is hidden in each text, for the measurement in `convert/quality.py`: `mask gate|rules|model|first|both`.
//!
//! Texts come as lines of JSON strings on the standard input. A line of the output is a list of ranges in characters,
//! each with its kind. With `both`, a text goes the way of an answer that leaves in mode `pii`: the model reads it as it
//! is, the rules hide what they know and what was found, the model reads what is left, and the rules run again. With
//! `first`, the model reads the text alone, and the rules run once with what it found.
//! `gate` says which lines the model would read at all, and
//! `model` says what the model alone finds, before the vault has its say.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

use std::error::Error;
use std::io::Write as _;
use std::io::{BufRead, stderr, stdin};
use std::ops::Range;
use std::time::{Duration, Instant};

use lwa_ner::{EntityKind, Found, Recogniser};
use lwa_privacy::{Exposure, Kind, Scrubber, Vault};

type Spans = Vec<(Range<usize>, &'static str)>;

/// As the product maps them: a town alone says where and not who.
fn kind_of(kind: EntityKind) -> Option<Kind> {
    let kind = match kind {
        EntityKind::Person => Kind::Person,
        EntityKind::Address => Kind::Address,
        EntityKind::Place => return None,
        EntityKind::Phone => Kind::Phone,
        EntityKind::Email => Kind::Email,
        EntityKind::Account => Kind::Account,
        EntityKind::TaxId => Kind::Ssn,
        EntityKind::Id => Kind::Id,
    };
    Some(kind)
}

struct Bench {
    scrubber: Scrubber,
    reader: Recogniser,
}

impl Bench {
    fn held(&self, text: &str) -> Spans {
        self.reader.forget();
        self.reader.find_unless(text, &|| true).unread.into_iter().map(|range| (range, "")).collect()
    }

    fn by_model(&self, text: &str) -> Spans {
        let found = self.reader.find(text, Instant::now() + Duration::from_mins(1));
        let spans = found.entities.iter();
        spans.filter_map(|entity| Some((entity.start..entity.end, kind_of(entity.kind)?.as_str()))).collect()
    }

    /// What the rules hide, and the text that is left.
    fn by_rules(&self, vault: &mut Vault, text: &str) -> Result<(Spans, String), Box<dyn Error>> {
        let scrubbed = self.scrubber.scrub(vault, text, Exposure::pii())?;
        let spans = scrubbed.found.iter().map(|found| (found.start..found.end, found.kind.as_str())).collect();
        Ok((spans, scrubbed.text.into_owned()))
    }

    fn register(&self, vault: &mut Vault, text: &str, found: &Found) {
        for entity in &found.entities {
            let value = text.get(entity.start..entity.end).unwrap_or_default();
            if let Some(kind) = kind_of(entity.kind) {
                // A refusal is part of what is measured.
                let _ = self.scrubber.register_entity(vault, kind, value, text);
            }
        }
    }

    /// The model first, then the rules with what it found.
    fn by_first(&self, text: &str) -> Result<Spans, Box<dyn Error>> {
        let mut vault = Vault::new();
        let found = self.reader.find(text, Instant::now() + Duration::from_mins(1));
        self.register(&mut vault, text, &found);
        Ok(self.by_rules(&mut vault, text)?.0)
    }

    fn by_both(&self, text: &str) -> Result<Spans, Box<dyn Error>> {
        let mut vault = Vault::new();
        let found = self.reader.find(text, Instant::now() + Duration::from_mins(1));
        let entities = found
            .entities
            .iter()
            .filter_map(|entity| Some((kind_of(entity.kind)?, text.get(entity.start..entity.end).unwrap_or_default())));
        self.scrubber.register_entities(&mut vault, text, Exposure::pii(), entities)?;
        let (_, left) = self.by_rules(&mut vault, text)?;
        let found = self.reader.find(&left, Instant::now() + Duration::from_mins(1));
        self.register(&mut vault, &left, &found);
        Ok(self.by_rules(&mut vault, text)?.0)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let bench = Bench { scrubber: Scrubber::new(), reader: Recogniser::with_threads(1) };
    let texts: Vec<String> =
        stdin().lock().lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect::<Result<_, Box<dyn Error>>>()?;
    bench.by_model("Load the model for Ines Faro.");
    let begun = Instant::now();
    for text in &texts {
        let spans = match mode.as_str() {
            // A reader that may read nothing leaves everything unread that it would have read.
            "gate" => bench.held(text),
            "rules" => bench.by_rules(&mut Vault::new(), text)?.0,
            "model" => bench.by_model(text),
            "first" => bench.by_first(text)?,
            "both" => bench.by_both(text)?,
            _ => return Err("one of `gate`, `rules`, `model`, `first` and `both` is needed".into()),
        };
        let chars = |at: usize| text.get(..at).unwrap_or_default().chars().count();
        let rows: Vec<_> = spans.iter().map(|(range, kind)| (chars(range.start), chars(range.end), kind)).collect();
        println!("{}", serde_json::to_string(&rows)?);
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    writeln!(stderr(), "{bytes} bytes, {} ms, {:?}", begun.elapsed().as_millis(), bench.reader.facts())?;
    Ok(())
}
