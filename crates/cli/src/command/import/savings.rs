//! The ledger of savings of an older worker and the placeholders that it gave out, handed to the host.

use lwa_domain::ErrorCode;
use lwa_protocol::method::{SavingsImport, WorkerReserve};
use lwa_protocol::worker::{GivenBefore, ImportedTurn, ReserveParams, SavingsImportParams, SavingsImported};
use lwa_protocol::{Connection, Failure};
use lwa_registration::seed::local_llm::{GivenIn, SavedTurn};

use super::report::LedgerReport;
use crate::face;
use crate::output::counted;

/// Turns of one call.
const AT_ONCE: usize = 5_000;
/// Conversations of one call.
const CONVERSATIONS_AT_ONCE: usize = 1_000;

/// Notes how many turns the host has already.
pub async fn foresee(host: &Connection, turns: &[SavedTurn], ledger: &mut LedgerReport) -> Result<(), Failure> {
    let mut found = SavingsImported::default();
    for part in turns.chunks(AT_ONCE) {
        add(&mut found, &send(host, part, true).await?);
    }
    ledger.new = Some(found.added);
    ledger.known = Some(found.known);
    ledger.reason = if found.added == 0 {
        "all of it is counted here".to_owned()
    } else {
        format!("{} to be counted here, marked as imported; the file stays where it is", counted(found.added, "turn"))
    };
    Ok(())
}

/// Counts the turns, and gives the exit code. What was written before stays reported when the host takes none.
pub async fn count(host: &Connection, turns: &[SavedTurn], ledger: &mut LedgerReport) -> u8 {
    let mut done = SavingsImported::default();
    for part in turns.chunks(AT_ONCE) {
        match send(host, part, false).await {
            Ok(answer) => add(&mut done, &answer),
            Err(failure) => {
                ledger.new = Some(done.added);
                ledger.known = Some(done.known);
                ledger.reason = format!("{}; the file stays where it is", failure.message);
                return failure.code.exit_code();
            }
        }
    }
    ledger.is_carried = true;
    ledger.new = Some(done.added);
    ledger.known = Some(done.known);
    ledger.reason = if done.added == 0 {
        "all of it was counted here already".to_owned()
    } else {
        format!("{} counted here, marked as imported; the file stays where it is", counted(done.added, "turn"))
    };
    0
}

/// Keeps placeholders that were given out from being given to other values. What a client's process asks for is not
/// done, and is no fault of the import.
pub async fn reserve(host: &Connection, given: &[GivenIn]) -> Result<(), Failure> {
    for part in given.chunks(CONVERSATIONS_AT_ONCE) {
        let conversations = part
            .iter()
            .map(|one| GivenBefore {
                client: one.is_claude_code.then(|| "claude-code".to_owned()),
                session: one.session.clone(),
                placeholders: one.placeholders.clone(),
            })
            .collect();
        match face::call_on::<WorkerReserve>(host, ReserveParams { conversations }).await {
            Ok(_) => {}
            Err(failure) if failure.code == ErrorCode::Forbidden => return Ok(()),
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

async fn send(host: &Connection, turns: &[SavedTurn], dry_run: bool) -> Result<SavingsImported, Failure> {
    let turns = turns.iter().map(sent).collect();
    face::call_on::<SavingsImport>(host, SavingsImportParams { turns, dry_run }).await
}

fn add(sum: &mut SavingsImported, part: &SavingsImported) {
    sum.added += part.added;
    sum.known += part.known;
}

fn sent(turn: &SavedTurn) -> ImportedTurn {
    ImportedTurn {
        session: turn.session.clone(),
        turn: turn.turn.clone(),
        at: turn.at.to_string(),
        kind: turn.kind.to_owned(),
        is_verbatim: turn.is_verbatim,
        is_error: turn.is_error,
        gathered_chars: turn.gathered_chars,
        returned_chars: turn.returned_chars,
        gathered_tokens: turn.gathered_tokens,
        returned_tokens: turn.returned_tokens,
    }
}
