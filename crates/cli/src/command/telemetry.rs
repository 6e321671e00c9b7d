//! `lwa telemetry`.

use jiff::{SignedDuration, Timestamp};
use lwa_protocol::Failure;
use lwa_protocol::ledger::{Telemetry, TelemetryParams, TelemetrySum};
use lwa_protocol::method::LedgerTelemetry;

use crate::args::parse_duration;
use crate::face;
use crate::output::{Output, table};

/// Shows usage and money.
pub async fn telemetry(since: Option<String>, output: Output) -> Result<u8, Failure> {
    // `7d` counts back from now; everything else the host reads as a day or a time.
    let since = since.map(|text| {
        let back = parse_duration(&text).filter(|_| text.ends_with(|c: char| c.is_ascii_alphabetic()));
        match back.and_then(|back| SignedDuration::try_from(back).ok()) {
            Some(back) => (Timestamp::now() - back).to_string(),
            None => text,
        }
    });
    let telemetry = face::call::<LedgerTelemetry>(TelemetryParams { since }).await?;
    output.result(&telemetry, readable);
    Ok(0)
}

fn readable(telemetry: &Telemetry) -> String {
    let line = |name: &str, sum: &TelemetrySum| {
        let unknown = sum.calls - sum.cost_known;
        let cost = match (sum.calls, unknown) {
            (0, _) | (_, 0) => sum.cost_pico_usd.to_string(),
            (_, unknown) => format!("{} and {unknown} calls of unknown cost", sum.cost_pico_usd),
        };
        vec![
            name.to_owned(),
            sum.calls.to_string(),
            sum.failed.to_string(),
            sum.input_tokens.to_string(),
            sum.output_tokens.to_string(),
            cost,
        ]
    };
    let mut rows = vec![line("today (UTC)", &telemetry.today), line("whole period", &telemetry.total)];
    rows.extend(telemetry.providers.iter().map(|provider| line(&provider.provider, &provider.sum)));
    format!(
        "From {} to {}\n{}",
        telemetry.since,
        telemetry.as_of,
        table(&["", "calls", "failed", "tokens in", "tokens out", "cost"], &rows)
    )
}
