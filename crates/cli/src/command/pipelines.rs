//! `lwa pipelines`.

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::method::PipelineGetStatus;
use lwa_protocol::router::{PipelineList, PipelineParams, PipelineStatus, PipelineView};

use crate::args::PipelineArgs;
use crate::face;
use crate::output::{Output, table, word};

/// Shows whether requests can be sent to each provider. A probe that failed gives exit code 5.
pub async fn pipelines(args: PipelineArgs, output: Output) -> Result<u8, Failure> {
    let params = PipelineParams { provider: args.provider, probe: args.probe };
    let list = face::call::<PipelineGetStatus>(params).await?;
    output.result(&list, readable);
    let has_failed = list.pipelines.iter().any(|pipeline| pipeline.status == PipelineStatus::Unreachable);
    Ok(if has_failed { ErrorCode::ProviderUnreachable.exit_code() } else { 0 })
}

fn readable(list: &PipelineList) -> String {
    let rows: Vec<Vec<String>> = list.pipelines.iter().map(row).collect();
    table(&["provider", "status", "rests on", "class", "models", "check", "detail"], &rows)
}

fn row(pipeline: &PipelineView) -> Vec<String> {
    let check = match (pipeline.cache_hit, pipeline.cache_age_seconds) {
        (true, Some(age)) => format!("{}, {age} s ago", pipeline.check_mode),
        _ => pipeline.check_mode.clone(),
    };
    let mark = pipeline.manual_mark.as_ref().map(|mark| format!("; noted {}: {}", mark.status, mark.detail));
    vec![
        pipeline.provider.clone(),
        word(&pipeline.status),
        word(&pipeline.readiness),
        pipeline.billing_class.to_string(),
        pipeline.catalog_models.to_string(),
        check,
        format!("{}{}", pipeline.detail, mark.unwrap_or_default()),
    ]
}
