//! What was saved: recorded with each turn, counted exactly in the background where the model can count, summed up with
//! the assumptions of the moment.

mod import;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::civil::Date;
use lwa_protocol::Failure;
use lwa_protocol::worker::{SavingsBackfilled, SavingsParams, SavingsReport, SavingsRow, SavingsTotals};
use lwa_store::SavingsRecord;
use lwa_worker::memory::{Turn, TurnKind};
use lwa_worker::savings::{
    Cost, METHOD, PriceFile, PriceList, PriceRow, Saved, Totals, TurnCounts, Work, four_decimals,
};
use tokio::time::Instant;

use self::import::is_imported;
use super::session::Surroundings;
use crate::engine::{Engine, locked, rfc3339};
use crate::{failure, tokens};

/// How long a count of one turn may take.
const COUNT_LIMIT: Duration = Duration::from_secs(15);
/// The price of a call is looked up for every trailer, the file of prices is read again when it changes.
#[derive(Debug, Default)]
pub(crate) struct Prices {
    made: Mutex<Option<Made>>,
}

/// The list of one content of the file.
#[derive(Debug)]
struct Made {
    of: String,
    list: Arc<PriceList>,
    note: Option<String>,
}

impl Engine {
    /// The prices and assumptions in force, and what is wrong with the human's file.
    pub(super) fn price_list(&self) -> (Arc<PriceList>, Option<String>) {
        let path = self.home.prices_file();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return (self.last_prices(), Some(format!("`{}` cannot be read: {error}", path.display()))),
        };
        let mark = tokens::text_hash(&text);
        if let Some(made) = locked(&self.worker.prices.made).as_ref().filter(|made| made.of == mark) {
            return (made.list.clone(), made.note.clone());
        }
        let read = PriceFile::parse(&text).and_then(|file| {
            if text.trim().is_empty() { Ok(PriceList::shipped()) } else { PriceList::shipped().with(&file) }
        });
        let (list, note) = match read {
            Ok(list) => (Arc::new(list), None),
            Err(error) => (self.last_prices(), Some(format!("`{}` is not in force: {error}", path.display()))),
        };
        *locked(&self.worker.prices.made) = Some(Made { of: mark, list: list.clone(), note: note.clone() });
        (list, note)
    }

    fn last_prices(&self) -> Arc<PriceList> {
        let made = locked(&self.worker.prices.made);
        made.as_ref().map_or_else(|| Arc::new(PriceList::shipped()), |made| made.list.clone())
    }

    /// Tokens that the caller did not have to read or write, as far as they are known when the trailer is written.
    pub(super) fn saved_in_a_turn(
        &self,
        kind: TurnKind,
        is_verbatim: bool,
        gathered_chars: u64,
        returned: &str,
    ) -> u64 {
        let counts = TurnCounts {
            work: if kind == TurnKind::Run { Work::Run } else { Work::Delegate },
            is_verbatim,
            is_error: false,
            gathered_chars,
            returned_chars: u64::try_from(returned.chars().count()).unwrap_or(u64::MAX),
            gathered_tokens: None,
            returned_tokens: None,
        };
        Saved::of(&counts, self.price_list().0.assumptions()).total()
    }

    /// Records what a turn gathered and handed back, and counts it exactly in the background.
    #[expect(clippy::too_many_arguments, reason = "everything that is recorded of one turn")]
    pub(super) async fn record_savings(
        &self,
        key: &str,
        client: &str,
        turn: &Turn,
        gathered_chars: u64,
        returned: &str,
        material: &Arc<String>,
        surroundings: &Surroundings,
    ) -> Result<(), Failure> {
        let Some(counts) = TurnCounts::of_turn(turn) else { return Ok(()) };
        let record = record_of(key, client, turn, &TurnCounts { gathered_chars, ..counts });
        self.db.add_savings(std::slice::from_ref(&record)).await.map_err(failure::store)?;
        let workers = self.workers(&surroundings.config).await?;
        if workers.counter.is_none() || turn.error || gathered_chars == 0 {
            return Ok(());
        }
        let (engine, material, returned) = (self.clone(), material.clone(), returned.to_owned());
        self.tasks.spawn(async move {
            let Some(counter) = &workers.counter else { return };
            let deadline = Instant::now() + COUNT_LIMIT;
            // Half a count is none: the characters of both stand then.
            if let Some((gathered, returned)) = counter.count_both(&material, &returned, deadline).await
                && let Err(error) = engine.db.count_savings(&record.session, &record.turn, gathered, returned).await
            {
                tracing::warn!(%error, "the tokens of a turn could not be recorded");
            }
        });
        Ok(())
    }

    /// `savings/report`.
    ///
    /// # Errors
    /// The database failed, the kind of rows is not known, or `since` is no time.
    pub async fn savings_report(&self, params: &SavingsParams) -> Result<SavingsReport, Failure> {
        let by = match params.by.as_deref() {
            None | Some("model") => By::Model,
            Some("client") => By::Client,
            Some("session") => By::Session,
            Some(other) => {
                let message = format!("`by` is `{}`", other.chars().take(40).collect::<String>());
                return Err(Failure::new(lwa_domain::ErrorCode::InvalidInput, message)
                    .hint("use `model`, `client` or `session`"));
            }
        };
        let (list, note) = self.price_list();
        let since = params.since.as_deref().map(crate::ledger_views::parse_time).transpose()?;
        let mut records = self.db.savings(None).await.map_err(failure::store)?;
        let config = self.configuration.in_force().worker.clone();
        let headline = list.headline(config.caller_model.as_deref());
        let mut all = sums(records.iter(), &list);
        let all_time = view(&all, headline);
        if let Some(since) = since {
            records.retain(|record| record.at >= since);
            all = sums(records.iter(), &list);
        }
        let today = rfc3339(self.now()).get(..10).and_then(|day| day.parse().ok()).unwrap_or(Date::MAX);
        let of_session = |key: &str| sums(records.iter().filter(|record| record.session == key), &list);
        let mut method = METHOD.to_owned();
        if let Some(note) = note {
            method.push_str("\nNote: ");
            method.push_str(&note);
        }
        let rows = match by {
            By::Model => list
                .per_model(&all, today)
                .into_iter()
                .map(|row| SavingsRow {
                    name: row.model_id.clone(),
                    totals: SavingsTotals {
                        usd: Some(four_decimals(row.cost.with_carry())),
                        avoided_input: row.avoided_input,
                        avoided_output: row.avoided_output,
                        carried: row.carried,
                        ..view(&all, None)
                    },
                    direct_usd: Some(four_decimals(row.cost.direct)),
                    tokenizer_factor: Some(format!("{:.2}", row.tokenizer_factor)),
                    price_note: Some(if row.is_stale { format!("{} (stale)", row.price_note) } else { row.price_note }),
                })
                .collect(),
            By::Client => grouped(&records, &list, headline, |record| &record.client),
            By::Session => grouped(&records, &list, headline, |record| &record.session),
        };
        let sessions: std::collections::BTreeSet<&str> = records.iter().map(|record| record.session.as_str()).collect();
        Ok(SavingsReport {
            method,
            assumptions: list.assumptions().shown(),
            prices_checked: list.checked().map(|day| day.to_string()),
            prices_age_days: list.age_days(today),
            prices_stale: list.is_stale(today),
            caller_model: headline.map(|row| row.model_id.clone()),
            session: params.session.as_deref().map(|key| view(&of_session(key), headline)),
            range: since.map(|_| view(&all, headline)),
            all_time,
            sessions: u64::try_from(sessions.len()).unwrap_or(u64::MAX),
            imported_turns: u64::try_from(records.iter().filter(|record| is_imported(record)).count())
                .unwrap_or(u64::MAX),
            since: records.first().map(|record| rfc3339(record.at)),
            rows,
        })
    }

    /// `savings/backfill`: turns that were stored before there were counts. Doing it twice adds nothing.
    ///
    /// # Errors
    /// The database failed.
    pub async fn backfill_savings(&self) -> Result<SavingsBackfilled, Failure> {
        let mut done = SavingsBackfilled::default();
        for session in self.db.worker_sessions().await.map_err(failure::store)? {
            let turns = self.db.last_worker_turns(&session.key, u32::MAX).await.map_err(failure::store)?;
            let records: Vec<SavingsRecord> = turns
                .into_iter()
                .filter_map(|record| serde_json::from_value::<Turn>(record.turn).ok())
                .filter_map(|turn| {
                    let counts = TurnCounts::of_turn(&turn)?;
                    Some(record_of(&session.key, &session.client, &turn, &counts))
                })
                .collect();
            let added = self.db.add_savings(&records).await.map_err(failure::store)?;
            done.added += added;
            done.known += u64::try_from(records.len()).unwrap_or(u64::MAX).saturating_sub(added);
        }
        Ok(done)
    }

    /// What one session saved, or all of them.
    pub(super) async fn saved_by(&self, session: Option<&str>) -> Result<SavingsTotals, Failure> {
        let (list, _) = self.price_list();
        let records = self.db.savings(session).await.map_err(failure::store)?;
        let config = self.configuration.in_force().worker.clone();
        Ok(view(&sums(records.iter(), &list), list.headline(config.caller_model.as_deref())))
    }
}

#[derive(Debug, Clone, Copy)]
enum By {
    Model,
    Client,
    Session,
}

fn record_of(key: &str, client: &str, turn: &Turn, counts: &TurnCounts) -> SavingsRecord {
    SavingsRecord {
        session: key.to_owned(),
        turn: turn.id.to_string(),
        client: client.to_owned(),
        at: turn.ts,
        kind: counts.work.as_str().to_owned(),
        is_verbatim: counts.is_verbatim,
        is_error: counts.is_error,
        gathered_chars: counts.gathered_chars,
        returned_chars: counts.returned_chars,
        gathered_tokens: counts.gathered_tokens,
        returned_tokens: counts.returned_tokens,
    }
}

fn sums<'r>(records: impl Iterator<Item = &'r SavingsRecord>, list: &PriceList) -> Totals {
    let counts: Vec<TurnCounts> = records
        .filter_map(|record| {
            Some(TurnCounts {
                work: Work::from_word(&record.kind)?,
                is_verbatim: record.is_verbatim,
                is_error: record.is_error,
                gathered_chars: record.gathered_chars,
                returned_chars: record.returned_chars,
                gathered_tokens: record.gathered_tokens,
                returned_tokens: record.returned_tokens,
            })
        })
        .collect();
    Totals::of(&counts, list.assumptions())
}

fn grouped(
    records: &[SavingsRecord],
    list: &PriceList,
    headline: Option<&PriceRow>,
    name: impl Fn(&SavingsRecord) -> &String,
) -> Vec<SavingsRow> {
    let mut groups: BTreeMap<&str, Vec<&SavingsRecord>> = BTreeMap::new();
    for record in records {
        groups.entry(name(record)).or_default().push(record);
    }
    groups
        .into_iter()
        .map(|(name, records)| {
            let totals = sums(records.into_iter(), list);
            SavingsRow {
                name: name.to_owned(),
                direct_usd: headline.map(|price| four_decimals(Cost::of(&totals, price).direct)),
                tokenizer_factor: headline.map(|price| format!("{:.2}", price.factor())),
                price_note: headline.map(PriceRow::note),
                totals: view(&totals, headline),
            }
        })
        .collect()
}

fn view(totals: &Totals, headline: Option<&PriceRow>) -> SavingsTotals {
    SavingsTotals {
        turns: totals.turns,
        measured_turns: totals.measured_turns,
        gathered_tokens: totals.gathered,
        returned_tokens: totals.returned,
        avoided_input: totals.avoided_input,
        avoided_output: totals.avoided_output,
        carried: totals.carried,
        usd: headline.map(|price| four_decimals(Cost::of(totals, price).with_carry())),
    }
}
