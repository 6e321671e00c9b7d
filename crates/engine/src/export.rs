//! What leaves the ledger and the folder of generated files: rows without texts, and files of one's own plans.

use base64::Engine as _;
use lwa_domain::ErrorCode;
use lwa_protocol::plan::{MediaFileContent, MediaFileParams, RunAnswer};
use lwa_protocol::router::{ExportRecord, LedgerExport, LedgerExportParams};
use lwa_protocol::{Failure, Role};
use lwa_store::CallRecord;

use crate::caller::Caller;
use crate::engine::{Engine, rfc3339};
use crate::failure;

/// How many calls are exported unless somebody asks for more or fewer.
const USUAL: u32 = 1000;
/// A larger file is opened where it lies, not carried through a tool's reply.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;

impl Engine {
    /// `ledger/export`: calls, newest first, without prompts, answers or keys.
    ///
    /// # Errors
    /// The limit is zero, or the database failed.
    pub async fn export_ledger(&self, params: &LedgerExportParams) -> Result<LedgerExport, Failure> {
        let limit = params.limit.unwrap_or(USUAL);
        if limit == 0 {
            return Err(Failure::new(ErrorCode::InvalidInput, "the limit must be at least 1"));
        }
        let calls = self.db.calls(None, limit).await.map_err(failure::store)?;
        Ok(LedgerExport { schema_version: 1, redacted: true, records: calls.into_iter().map(record).collect() })
    }

    /// `plan/media`: one file that a plan made.
    ///
    /// # Errors
    /// There is no such plan or file, or the file is gone or too large to carry.
    pub async fn media_file(&self, caller: &Caller, params: &MediaFileParams) -> Result<MediaFileContent, Failure> {
        let plan = self.db.plan(&params.plan_id).await.map_err(failure::store)?;
        let plan = plan.filter(|plan| caller.role != Role::Sidecar || plan.client == caller.client_name());
        let missing = || {
            Failure::new(ErrorCode::NotFound, format!("plan `{}` has no file {}", params.plan_id, params.index))
                .hint("the answer of the plan lists its files")
        };
        let answer = plan.and_then(|plan| plan.answer).ok_or_else(missing)?;
        let answer: RunAnswer = serde_json::from_value(answer).map_err(|error| failure::json(&error))?;
        let files = answer.media.map(|media| media.files).unwrap_or_default();
        let file = files.into_iter().find(|file| file.index == params.index).ok_or_else(missing)?;
        // The path was written by this host; that it still lies in its own folder is checked all the same.
        let path = std::path::Path::new(&file.path);
        if path.parent() != Some(self.home.generated_dir().as_path()) {
            return Err(missing());
        }
        let gone = |error: std::io::Error| {
            Failure::new(ErrorCode::NotFound, format!("the file `{}` cannot be read: {}", file.path, error.kind()))
        };
        // What was put in its place since, a link above all, is not ours to hand out.
        let file_now = tokio::fs::symlink_metadata(path).await.map_err(gone)?;
        if !file_now.is_file() {
            return Err(missing());
        }
        let length = file_now.len();
        if length > LARGEST_FILE {
            return Err(Failure::new(
                ErrorCode::InvalidInput,
                format!("the file has {length} bytes, too many for a reply"),
            )
            .hint(format!("open `{}`", file.path)));
        }
        let bytes = tokio::fs::read(path).await.map_err(gone)?;
        let base64 = base64::engine::general_purpose::STANDARD.encode(bytes);
        Ok(MediaFileContent { mime_type: file.mime_type, base64 })
    }
}

fn record(call: CallRecord) -> ExportRecord {
    let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let ended = call.settlement.as_ref();
    let status = match ended {
        Some(ended) if ended.error_code.is_none() => "ok",
        Some(_) => "error",
        None if call.is_released => "released",
        None => "open",
    };
    ExportRecord {
        call_id: call.id.to_string(),
        parent_call_id: call.plan_id,
        session_id: call.session,
        tool_name: call.tool_name.unwrap_or_else(|| "unknown".to_owned()),
        phase: call.role,
        created_at: rfc3339(call.at),
        task: call.task.as_str().to_owned(),
        provider: call.provider,
        model: call.model,
        billing_class: call.billing_class,
        status: status.to_owned(),
        usage_status: if ended.is_some_and(|ended| ended.usage_reported) { "reported" } else { "not_reported" }
            .to_owned(),
        input_tokens: ended.and_then(|ended| ended.input_tokens).map(narrow),
        output_tokens: ended.and_then(|ended| ended.output_tokens).map(narrow),
        cost_pico_usd: ended.and_then(|ended| ended.cost),
        latency_ms: ended.map(|ended| narrow(ended.latency_ms)),
    }
}
