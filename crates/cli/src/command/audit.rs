//! `lwa audit`.

use lwa_protocol::Failure;
use lwa_protocol::audit::AuditTailParams;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{AuditGetTail, AuditVerify};

use crate::args::AuditVerb;
use crate::face;
use crate::output::{Output, table};

/// Runs a verb. A broken chain gives exit code 5.
pub async fn audit(verb: AuditVerb, output: Output) -> Result<u8, Failure> {
    match verb {
        AuditVerb::Tail { lines } => {
            let mut tail = face::call::<AuditGetTail>(AuditTailParams { limit: Some(lines) }).await?;
            tail.events.reverse();
            output.result(&tail, |tail| {
                let rows: Vec<Vec<String>> = tail
                    .events
                    .iter()
                    .map(|event| {
                        let text = |value: &Option<String>| value.clone().unwrap_or_default();
                        vec![
                            event.seq.to_string(),
                            event.at.clone(),
                            event.actor.clone(),
                            event.action.clone(),
                            text(&event.object),
                            text(&event.decision),
                            event.detail.to_string(),
                        ]
                    })
                    .collect();
                table(&["seq", "at", "actor", "action", "object", "decision", "detail"], &rows)
            });
            Ok(0)
        }
        AuditVerb::Verify => {
            let verified = face::call::<AuditVerify>(Nothing {}).await?;
            output.result(&verified, |verified| match verified.first_bad {
                None => format!("The chain of {} events is whole.", verified.events),
                Some(row) => {
                    format!("Event {row} does not follow from the one before: the log was changed from outside.")
                }
            });
            Ok(if verified.ok { 0 } else { 5 })
        }
    }
}
