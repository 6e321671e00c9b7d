//! `lwa doctor`.

use lwa_protocol::Failure;
use lwa_protocol::doctor::{CheckStatus, Diagnosis, DoctorParams};
use lwa_protocol::method::DoctorRun;

use crate::face;
use crate::output::Output;

/// Checks what works. A failed check gives exit code 5.
pub async fn doctor(probe: bool, output: Output) -> Result<u8, Failure> {
    let diagnosis = face::call::<DoctorRun>(DoctorParams { probe }).await?;
    output.result(&diagnosis, readable);
    Ok(if diagnosis.level == CheckStatus::Fail { 5 } else { 0 })
}

fn readable(diagnosis: &Diagnosis) -> String {
    let mut lines = Vec::new();
    for check in &diagnosis.checks {
        let mark = match check.status {
            CheckStatus::Ok => "ok  ",
            CheckStatus::Warn => "warn",
            CheckStatus::Fail => "FAIL",
        };
        lines.push(format!("{mark}  {}: {}", check.id, check.detail));
        if let (Some(fix), true) = (&check.fix, check.status != CheckStatus::Ok) {
            lines.push(format!("      → {fix}"));
        }
    }
    lines.join("\n")
}
