//! `savings/import`: turns that an older worker counted.
//!
//! A turn from there is marked by its client, which is the older product, and by its session: a stroke stands in none of
//! our keys, so that an imported turn is never taken for one of ours, and one that comes again is known.

use jiff::Timestamp;
use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::worker::{ImportedTurn, SavingsImportParams, SavingsImported};
use lwa_store::SavingsRecord;
use lwa_worker::memory::SessionKey;
use lwa_worker::savings::Work;
use serde_json::json;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::failure;

/// The older product.
const PRODUCT: &str = "local-llm-mcp";
/// Turns of one call.
const MOST_AT_ONCE: usize = 5_000;
/// More characters or tokens than any turn can have.
const MOST_OF_A_TURN: u64 = 1 << 50;

impl Engine {
    /// `savings/import`. Doing it twice adds nothing.
    ///
    /// # Errors
    /// A process of a client asks, a turn cannot be read, or the database failed; nothing was added then.
    pub async fn import_savings(
        &self,
        caller: &Caller,
        params: &SavingsImportParams,
    ) -> Result<SavingsImported, Failure> {
        if params.turns.len() > MOST_AT_ONCE {
            let message = format!("{} turns at once are too many", params.turns.len());
            return Err(Failure::new(ErrorCode::InvalidInput, message).hint("send 5,000 at most"));
        }
        let now = self.now();
        let records = params.turns.iter().map(|turn| record_of(turn, now)).collect::<Option<Vec<_>>>();
        let Some(records) = records else {
            return Err(Failure::new(ErrorCode::InvalidInput, "one of the turns cannot be read")
                .hint("each needs a session, a name, a time that is over, `run` or `delegate`, and its counts"));
        };
        let all = u64::try_from(records.len()).unwrap_or(u64::MAX);
        if params.dry_run {
            let added = self.db.uncounted_savings(&records).await.map_err(failure::store)?;
            return Ok(SavingsImported { added, known: all.saturating_sub(added) });
        }
        // What an agent starts cannot make its own work look better than it was.
        self.refuse_clients_process(caller)?;
        let added = self.db.add_savings(&records).await.map_err(failure::store)?;
        if added > 0 {
            self.audit_worker("savings.import", json!({"product": PRODUCT, "turns": added})).await?;
        }
        Ok(SavingsImported { added, known: all.saturating_sub(added) })
    }
}

/// Whether an older product counted a turn.
pub(super) fn is_imported(record: &SavingsRecord) -> bool {
    record.session.strip_prefix(PRODUCT).is_some_and(|rest| rest.starts_with('/'))
}

fn record_of(turn: &ImportedTurn, now: Timestamp) -> Option<SavingsRecord> {
    let is_name = |text: &str| text.parse::<SessionKey>().is_ok();
    let at: Timestamp = turn.at.parse().ok()?;
    let counts = [Some(turn.gathered_chars), Some(turn.returned_chars), turn.gathered_tokens, turn.returned_tokens];
    let is_possible = counts.into_iter().flatten().all(|count| count <= MOST_OF_A_TURN);
    (is_name(&turn.session) && is_name(&turn.turn) && at <= now && is_possible).then_some(())?;
    Some(SavingsRecord {
        session: format!("{PRODUCT}/{}", turn.session),
        turn: turn.turn.clone(),
        client: PRODUCT.to_owned(),
        at,
        kind: Work::from_word(&turn.kind)?.as_str().to_owned(),
        is_verbatim: turn.is_verbatim,
        is_error: turn.is_error,
        gathered_chars: turn.gathered_chars,
        returned_chars: turn.returned_chars,
        gathered_tokens: turn.gathered_tokens,
        returned_tokens: turn.returned_tokens,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn() -> ImportedTurn {
        ImportedTurn {
            session: "pid-17".to_owned(),
            turn: "t_00ab12".to_owned(),
            at: "2026-01-02T03:04:05+02:00".to_owned(),
            kind: "run".to_owned(),
            is_verbatim: false,
            is_error: false,
            gathered_chars: 4_000,
            returned_chars: 400,
            gathered_tokens: Some(1_000),
            returned_tokens: None,
        }
    }

    fn read(turn: &ImportedTurn) -> Option<SavingsRecord> {
        record_of(turn, "2026-06-01T00:00:00Z".parse().unwrap())
    }

    #[test]
    fn an_imported_turn_is_marked_and_keeps_its_time() {
        let record = read(&turn()).unwrap();
        assert!(is_imported(&record));
        assert_eq!((record.session.as_str(), record.client.as_str()), ("local-llm-mcp/pid-17", "local-llm-mcp"));
        assert_eq!(record.at.to_string(), "2026-01-02T01:04:05Z");
        let ours = SavingsRecord { session: "local-llm-mcp.pid-17".to_owned(), ..record };
        assert!(!is_imported(&ours));
    }

    #[test]
    fn a_turn_that_cannot_be_or_is_no_turn_is_refused() {
        let wrong = [
            ImportedTurn { session: "../x".to_owned(), ..turn() },
            ImportedTurn { turn: String::new(), ..turn() },
            ImportedTurn { at: "yesterday".to_owned(), ..turn() },
            ImportedTurn { at: "2026-06-01T00:00:01Z".to_owned(), ..turn() },
            ImportedTurn { kind: "mode".to_owned(), ..turn() },
            ImportedTurn { gathered_chars: u64::MAX, ..turn() },
            ImportedTurn { gathered_tokens: Some(u64::MAX), ..turn() },
        ];
        assert!(wrong.iter().all(|turn| read(turn).is_none()));
    }
}
