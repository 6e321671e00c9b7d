//! `lwa scrub`: private values replaced by placeholders, without a host and without a trace.

use std::io::{BufRead, Read};
use std::path::Path;
use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_engine::NameReader;
use lwa_privacy::{Exposure, Kind, Rules, Scrubber, Terms, Vault, Visibility};
use lwa_protocol::Failure;
use lwa_worker::outbound::WITHHELD_LINE;
use serde::{Deserialize, Serialize};

use crate::args::{ModeArg, ScrubArgs};
use crate::face;
use crate::output::Output;

/// How long the model of names may read one text; nobody waits for an answer here.
const NAMES_LIMIT: Duration = Duration::from_mins(10);

/// What was done to a text.
#[derive(Debug, Serialize)]
struct Scrubbed {
    text: String,
    found: Vec<Place>,
}

/// One value that was replaced: bytes of the text as it came.
#[derive(Debug, Serialize)]
struct Place {
    placeholder: String,
    kind: String,
    start: usize,
    end: usize,
    rule: String,
}

/// One line of `--jsonl`.
#[derive(Debug, Deserialize)]
struct Row {
    text: String,
    #[serde(default)]
    mode: Option<String>,
}

/// What scrubs.
struct Reader {
    scrubber: Scrubber,
    names: Option<NameReader>,
}

/// Scrubs stdin.
pub fn scrub(args: &ScrubArgs, output: Output) -> Result<u8, Failure> {
    let reader = Reader::new(args)?;
    let failed = |error: std::io::Error| face::internal(&format!("cannot read stdin: {error}"));
    if args.jsonl {
        for (index, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.map_err(failed)?;
            if line.trim().is_empty() {
                continue;
            }
            let row: Row = serde_json::from_str(&line).map_err(|error| {
                Failure::new(ErrorCode::InvalidInput, format!("line {} is no row: {error}", index + 1))
                    .hint("write one `{\"text\": …, \"mode\": \"pii\"}` a line")
            })?;
            let mode = match row.mode.as_deref() {
                None | Some("pii") => ModeArg::Pii,
                Some("assist") => ModeArg::Assist,
                Some(other) => {
                    let message =
                        format!("line {}: the mode is `{}`", index + 1, other.chars().take(40).collect::<String>());
                    return Err(Failure::new(ErrorCode::InvalidInput, message).hint("use `pii` or `assist`"));
                }
            };
            let scrubbed = reader.scrub(&row.text, mode)?;
            output.line(&serde_json::to_string(&scrubbed).unwrap_or_default());
        }
        return Ok(0);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::new(ErrorCode::InvalidInput, "stdin is no UTF-8 text, so nothing of it was passed on")
            .hint("convert it first, for instance with `iconv`")
    })?;
    let scrubbed = reader.scrub(&text, args.mode)?;
    if output.is_json() {
        output.result(&scrubbed, |_| String::new());
    } else {
        // Byte for byte: a line end that was not there is not added.
        output.text(&scrubbed.text);
    }
    Ok(0)
}

impl Reader {
    fn new(args: &ScrubArgs) -> Result<Self, Failure> {
        let home = face::home()?;
        let mut scrubber = Scrubber::new();
        if let Some(text) = read(args.terms.as_deref(), &home.private_terms_file())? {
            scrubber = scrubber.with_terms(parsed("terms", Terms::parse(&text))?);
        }
        if let Some(text) = read(args.rules.as_deref(), &home.rules_file())? {
            scrubber = scrubber.with_rules(parsed("rules", Rules::parse(&text))?);
        }
        Ok(Self { scrubber, names: (!args.no_ner).then(NameReader::default) })
    }

    fn scrub(&self, text: &str, mode: ModeArg) -> Result<Scrubbed, Failure> {
        let exposure = match mode {
            ModeArg::Pii => Exposure::pii(),
            ModeArg::Assist => Exposure::assist(Visibility::Open, Visibility::Masked),
        };
        let mut vault = Vault::new();
        // A row may name a value that is known from before.
        if let Some((value, _)) = text.strip_prefix("vault: ").and_then(|rest| rest.split_once(" | answer: ")) {
            self.scrubber.register_value(&mut vault, value);
        }
        let refused = |error: lwa_privacy::ScrubError| {
            Failure::new(ErrorCode::InvalidInput, format!("the text cannot be checked for private values: {error}"))
                .hint("nothing of it was passed on; give it in smaller parts")
        };
        let mut unread = Vec::new();
        if let Some(names) = self.names.as_ref().filter(|_| exposure.masks(Kind::Person)) {
            // The text is read as it stands, and what is left of it once more.
            let deadline = tokio::time::Instant::now() + NAMES_LIMIT;
            let read = names.read_up_to(usize::MAX, text, deadline);
            let values = read.values.iter().map(|(kind, value)| (*kind, value.as_str()));
            self.scrubber.register_entities(&mut vault, text, exposure, values).map_err(refused)?;
            let first = self.scrubber.scrub(&mut vault, text, exposure).map_err(refused)?;
            let read = names.read_up_to(usize::MAX, &first.text, deadline);
            for (kind, value) in &read.values {
                // A value that would hide ordinary text is not taken, and that is no failure.
                let _ = self.scrubber.register_entity(&mut vault, *kind, value, &first.text);
            }
            unread = read.unread;
        }
        let second = self.scrubber.scrub(&mut vault, text, exposure).map_err(refused)?;
        let found = second
            .found
            .iter()
            .map(|found| Place {
                placeholder: found.placeholder.clone(),
                kind: found.kind.as_str().to_owned(),
                start: found.start,
                end: found.end,
                rule: found.rule.to_string(),
            })
            .collect();
        // What nobody could look at does not leave; the model cannot be loaded at all when this happens here.
        let text = if unread.iter().all(std::ops::Range::is_empty) {
            second.text.into_owned()
        } else {
            std::iter::repeat_n(format!("{WITHHELD_LINE}\n"), second.text.lines().count()).collect()
        };
        Ok(Scrubbed { text, found })
    }
}

/// A file that was named, or the human's own where there is one.
fn read(named: Option<&Path>, own: &Path) -> Result<Option<String>, Failure> {
    let path = named.unwrap_or(own);
    match std::fs::read_to_string(path) {
        Ok(text) if text.trim().is_empty() => Ok(None),
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => Ok(None),
        Err(error) => {
            Err(Failure::new(ErrorCode::InvalidInput, format!("`{}` cannot be read: {error}", path.display()))
                .hint("nothing was scrubbed"))
        }
    }
}

fn parsed<T, E: std::fmt::Display>(what: &str, result: Result<T, E>) -> Result<T, Failure> {
    result.map_err(|error| {
        Failure::new(ErrorCode::ConfigInvalid, format!("the file of {what} cannot be used: {error}"))
            .hint("correct it; nothing was scrubbed without it")
    })
}
