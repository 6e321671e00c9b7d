//! `lwa telemetry`.

use lwa_protocol::Failure;
use lwa_protocol::ledger::{LedgerParams, LedgerRow, Telemetry, TelemetryParams, TelemetrySum};
use lwa_protocol::method::{LedgerGetExport, LedgerGetList, LedgerTelemetry};
use lwa_protocol::router::LedgerExportParams;

use super::frame::{field, framed, six_decimals};
use super::telemetry_check;
use crate::args::{TelemetryArgs, WorkflowArgs, from_time};
use crate::face;
use crate::output::{Output, table};

/// Calls that the readable form shows.
const RECENT: u32 = 8;

/// Shows usage and money, hands the calls to another program, or checks what was handed over.
pub async fn telemetry(args: TelemetryArgs, output: Output) -> Result<u8, Failure> {
    if let Some(path) = &args.check {
        return telemetry_check::check(path, output);
    }
    if args.export {
        let export = face::call::<LedgerGetExport>(LedgerExportParams { limit: args.limit }).await?;
        // It is made for programs, so it is JSON with and without `--json`.
        Output::new(true).result(&export, |_| String::new());
        return Ok(0);
    }
    let since = args.since.map(from_time);
    let host = face::host().await?;
    let telemetry = face::call_on::<LedgerTelemetry>(&host, TelemetryParams { since: since.clone() }).await?;
    if output.is_json() {
        output.result(&telemetry, |_| String::new());
        return Ok(0);
    }
    let recent = face::call_on::<LedgerGetList>(&host, LedgerParams { since, limit: Some(RECENT) }).await?;
    let mut lines = vec![field("codex", args.codex.label())];
    lines.extend(workflow(&args.workflow));
    lines.push(field("period", format!("{} to {}", telemetry.since, telemetry.as_of)));
    lines.push(String::new());
    lines.push(sums(&telemetry));
    if !recent.rows.is_empty() {
        lines.push(String::new());
        lines.push(calls(&recent.rows));
    }
    output.line(&framed("LWA TELEMETRY", &lines));
    Ok(0)
}

/// What the work was a part of, where that was said.
fn workflow(workflow: &WorkflowArgs) -> Vec<String> {
    let named = [
        ("workflow", &workflow.workflow_name),
        ("meaning", &workflow.workflow_description),
        ("project", &workflow.project),
    ];
    let mut lines: Vec<String> =
        named.into_iter().filter_map(|(name, value)| Some(field(name, value.as_deref()?))).collect();
    if !workflow.tags.is_empty() {
        lines.push(field("tags", workflow.tags.join(", ")));
    }
    lines
}

fn sums(telemetry: &Telemetry) -> String {
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
    table(&["", "calls", "failed", "tokens in", "tokens out", "cost"], &rows)
}

fn calls(rows: &[LedgerRow]) -> String {
    let number = |count: Option<u32>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.at.clone(),
                row.task.to_string(),
                format!("{}:{}", row.provider, row.model),
                row.billing_class.to_string(),
                row.error_code.map_or_else(|| row.status.clone(), |code| code.to_string()),
                format!("{} / {}", number(row.input_tokens), number(row.output_tokens)),
                row.cost_pico_usd.map_or_else(|| "not reported".to_owned(), six_decimals),
            ]
        })
        .collect();
    table(&["call", "task", "route", "class", "ended", "tokens", "cost"], &rows)
}
