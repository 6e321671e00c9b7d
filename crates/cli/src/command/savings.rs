//! `lwa savings`: what the worker spared, with its formula.

use std::path::Path;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{SavingsBackfill, SavingsGetReport};
use lwa_protocol::worker::{SavingsParams, SavingsReport, SavingsTotals};
use lwa_worker::savings::{FactorSample, PriceFile, PriceList, RowOverride, SampleClass, measured_factor};
use serde::Deserialize;
use serde_json::json;

use crate::args::{PricesVerb, SavingsArgs, SavingsBy, SavingsVerb, from_time};
use crate::face;
use crate::output::{Output, counted, table};

/// A file of samples.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Samples {
    /// By how much a provider's counts vary for the same question.
    #[serde(default)]
    baseline_spread: u64,
    samples: Vec<Sample>,
}

/// One text, counted here and by the provider.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    class: Class,
    counted: u64,
    reported: u64,
    #[serde(default)]
    baseline: u64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Class {
    Listing,
    Code,
    Prose,
    Json,
}

/// Runs a verb.
pub async fn savings(args: SavingsArgs, output: Output) -> Result<u8, Failure> {
    match args.verb {
        None => {
            let by = args.by.map(|by| {
                match by {
                    SavingsBy::Model => "model",
                    SavingsBy::Client => "client",
                    SavingsBy::Session => "session",
                }
                .to_owned()
            });
            let report =
                face::call::<SavingsGetReport>(SavingsParams { by, session: None, since: args.since.map(from_time) })
                    .await?;
            output.result(&report, readable);
        }
        Some(SavingsVerb::Backfill) => {
            let done = face::call::<SavingsBackfill>(Nothing {}).await?;
            output
                .result(&done, |done| format!("{} added, {} known already.", counted(done.added, "turn"), done.known));
        }
        Some(SavingsVerb::MeasureTokenizer { samples }) => measure(&samples, output)?,
        Some(SavingsVerb::Prices { verb }) => prices(verb, output)?,
    }
    Ok(0)
}

fn readable(report: &SavingsReport) -> String {
    let all = report.range.as_ref().unwrap_or(&report.all_time);
    let money = match (&all.usd, &report.caller_model) {
        (Some(usd), Some(model)) => format!("about ${usd} at list prices of {model}"),
        _ => "no price is known".to_owned(),
    };
    let since = report.since.as_deref().map(|since| format!(" since {since}")).unwrap_or_default();
    let mut lines = vec![
        format!(
            "{} in {}{since}; {} counted exactly.",
            counted(all.turns, "turn"),
            counted(report.sessions, "conversation"),
            all.measured_turns
        ),
        format!(
            "{} tokens gathered, {} handed back: {} of input not read, {} of output not written, {} not carried along.",
            all.gathered_tokens, all.returned_tokens, all.avoided_input, all.avoided_output, all.carried
        ),
        format!("That is {money}. It is an estimate, and no bill."),
    ];
    if report.imported_turns > 0 {
        lines.push(format!("{} of these turns were imported from an older product.", report.imported_turns));
    }
    if let Some(checked) = &report.prices_checked {
        let stale =
            if report.prices_stale { ", which is too long ago: set prices with `lwa savings prices set`" } else { "" };
        lines.push(format!("Prices were checked on {checked}{stale}."));
    }
    if !report.rows.is_empty() {
        let rows: Vec<Vec<String>> = report
            .rows
            .iter()
            .map(|row| {
                let SavingsTotals { avoided_input, avoided_output, carried, usd, .. } = &row.totals;
                vec![
                    row.name.clone(),
                    avoided_input.to_string(),
                    avoided_output.to_string(),
                    carried.to_string(),
                    row.direct_usd.clone().unwrap_or_default(),
                    usd.clone().unwrap_or_default(),
                    row.tokenizer_factor.clone().unwrap_or_default(),
                ]
            })
            .collect();
        lines.push(String::new());
        lines.push(table(&["name", "input", "output", "carried", "direct $", "with carry $", "factor"], &rows));
    }
    lines.push(String::new());
    lines.push(report.method.clone());
    lines.extend(report.assumptions.iter().map(|(name, value)| format!("  {name} = {value}")));
    lines.join("\n")
}

fn measure(path: &Path, output: Output) -> Result<(), Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::new(ErrorCode::InvalidInput, format!("`{}` cannot be read: {error}", path.display()))
    })?;
    let file: Samples = serde_json::from_str(&text).map_err(|error| {
        Failure::new(ErrorCode::InvalidInput, format!("`{}` holds no samples: {error}", path.display())).hint(
            "write `{\"samples\": [{\"class\": \"code\", \"counted\": 812, \"reported\": 1003, \"baseline\": 9}, …]}`",
        )
    })?;
    let samples: Vec<FactorSample> = file
        .samples
        .iter()
        .map(|sample| FactorSample {
            class: match sample.class {
                Class::Listing => SampleClass::Listing,
                Class::Code => SampleClass::Code,
                Class::Prose => SampleClass::Prose,
                Class::Json => SampleClass::Json,
            },
            counted: sample.counted,
            reported: sample.reported,
            baseline: sample.baseline,
        })
        .collect();
    let factor = measured_factor(&samples, file.baseline_spread).map_err(|error| {
        Failure::new(ErrorCode::InvalidInput, format!("no factor can be worked out: {error}"))
            .hint("measure longer texts, and each of the classes `listing`, `code`, `prose` and `json`")
    })?;
    output.result(&json!({ "tokenizer_factor": factor, "samples": samples.len() }), |_| {
        format!("{factor:.3} tokens of the model stand for one counted token.\nStore it with `lwa savings prices set MODEL tokenizer_factor={factor:.3}`.")
    });
    Ok(())
}

fn prices(verb: PricesVerb, output: Output) -> Result<(), Failure> {
    let path = face::home()?.prices_file();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(face::internal(&format!("`{}` cannot be read: {error}", path.display()))),
    };
    let refused = |error: &dyn std::fmt::Display| {
        Failure::new(ErrorCode::InvalidInput, format!("{error}")).hint("nothing was written")
    };
    let mut file = PriceFile::parse(&text).map_err(|error| refused(&error))?;
    let message = match verb {
        PricesVerb::Set { model, fields } => {
            let row = row(&model, &fields)?;
            file.set(row);
            format!("`{model}` was set.")
        }
        PricesVerb::Reset { model: Some(model) } => {
            if !file.reset(&model) {
                return Err(Failure::new(ErrorCode::NotFound, format!("`{model}` has no price of yours"))
                    .hint("`lwa savings` lists the models"));
            }
            format!("`{model}` has its shipped price again.")
        }
        PricesVerb::Reset { model: None } => {
            file = PriceFile::default();
            "All shipped prices hold again.".to_owned()
        }
    };
    // A file that could not be used is not written.
    PriceList::shipped().with(&file).map_err(|error| refused(&error))?;
    lwa_config::edit::write_atomic(&path, &file.to_text()).map_err(|error| face::internal(&error))?;
    output.result(&json!({ "file": path, "message": message }), |_| message.clone());
    Ok(())
}

fn row(model: &str, fields: &[String]) -> Result<RowOverride, Failure> {
    let mut object = serde_json::Map::new();
    object.insert("model_id".to_owned(), model.into());
    for field in fields {
        let Some((name, value)) = field.split_once('=') else {
            return Err(Failure::new(ErrorCode::InvalidInput, format!("`{field}` is no FIELD=VALUE"))
                .hint("for example `input_per_m=3`"));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        object.insert(name.to_owned(), value);
    }
    serde_json::from_value(object.into())
        .map_err(|error| Failure::new(ErrorCode::InvalidInput, format!("these fields do not fit: {error}")))
}
