//! The ledger: what each call reserved, how it ended, and what that leaves of the caps.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lwa_domain::{BillingClass, ErrorCode, ModelKey, PicoUsd, PlanId, TaskKind, TrackRecord};
use sqlx::{Row, Sqlite, Transaction};

use crate::db::{Db, StoreError};
use crate::plans::PlannedCall;
use crate::rows::{Reader, int};

/// The caps that a call must stay within. Zero requests and no amount mean no cap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CapLimits {
    /// Requests a UTC day of this provider.
    pub provider_daily_requests: u32,
    /// Money a UTC month of this provider.
    pub provider_monthly: Option<PicoUsd>,
    /// Requests a UTC day of all providers.
    pub global_daily_requests: u32,
    /// Money a UTC month of all providers.
    pub global_monthly: Option<PicoUsd>,
}

/// What counts against caps: calls of today and money of this month, reservations included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CapUse {
    /// Requests of this UTC day.
    pub requests_today: u64,
    /// Money of this UTC month: the cost where it is known, else what was reserved.
    pub spent_this_month: PicoUsd,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// Why it failed; none when it succeeded.
    pub error_code: Option<ErrorCode>,
    /// Tokens read.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// Of the tokens read, from a cache.
    pub cached_tokens: Option<u64>,
    /// Whether the provider reported the counts.
    pub usage_reported: bool,
    /// What it cost; none when unknown.
    pub cost: Option<PicoUsd>,
    /// From the claim to the end.
    pub latency_ms: u64,
}

/// One call, with its end if it has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// Row number.
    pub id: u64,
    /// The plan.
    pub plan_id: String,
    /// When it began.
    pub at: Timestamp,
    /// Who asked.
    pub client: String,
    /// In which session.
    pub session: String,
    /// The tool or command that prepared the plan.
    pub tool_name: Option<String>,
    /// What for.
    pub task: TaskKind,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
    /// Its part in the plan: `primary`, `consensus_voter` or `consensus_synthesis`.
    pub role: String,
    /// What was reserved.
    pub reserved: Option<PicoUsd>,
    /// Whether the call was never made, so that nothing is reserved any more.
    pub is_released: bool,
    /// How it ended.
    pub settlement: Option<Settlement>,
}

/// The first moment of the UTC day and of the UTC month that `now` lies in.
pub fn period_starts(now: Timestamp) -> (Timestamp, Timestamp) {
    let date = now.to_zoned_datetime(jiff::tz::TimeZone::UTC).date();
    let start = |date: jiff::civil::Date| jiff::tz::TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).unwrap_or(now);
    (start(date), start(date.first_of_month()))
}

const USE_OF_PROVIDER: &str = "SELECT
        count(*) FILTER (WHERE r.at >= ?1) AS requests,
        coalesce(sum(coalesce(s.cost_pico_usd, r.reserved_pico_usd, 0) / 1000000), 0) AS millions,
        coalesce(sum(coalesce(s.cost_pico_usd, r.reserved_pico_usd, 0) % 1000000), 0) AS rest
     FROM ledger_reserved r LEFT JOIN ledger_settled s ON s.reserved_id = r.id
     LEFT JOIN ledger_released x ON x.reserved_id = r.id
     WHERE r.at >= ?2 AND r.provider = ?3 AND x.reserved_id IS NULL";

const USE_OF_ALL: &str = "SELECT
        count(*) FILTER (WHERE r.at >= ?1) AS requests,
        coalesce(sum(coalesce(s.cost_pico_usd, r.reserved_pico_usd, 0) / 1000000), 0) AS millions,
        coalesce(sum(coalesce(s.cost_pico_usd, r.reserved_pico_usd, 0) % 1000000), 0) AS rest
     FROM ledger_reserved r LEFT JOIN ledger_settled s ON s.reserved_id = r.id
     LEFT JOIN ledger_released x ON x.reserved_id = r.id
     WHERE r.at >= ?2 AND x.reserved_id IS NULL";

fn cap_use(row: &sqlx::sqlite::SqliteRow) -> Result<CapUse, StoreError> {
    let reader = Reader { row, name: "caps".to_owned() };
    // Summed in two parts, because the sum of absurd amounts must not be an error for everybody else's calls.
    let (millions, rest): (i64, i64) = (reader.get("millions")?, reader.get("rest")?);
    let spent_this_month = PicoUsd::new(millions.saturating_mul(1_000_000).saturating_add(rest));
    Ok(CapUse { requests_today: reader.count("requests")?, spent_this_month })
}

/// Which cap a call of `reserved` would break, in words; none when it breaks none.
///
/// Runs in the transaction that claims the plan, so that two claims cannot both take the last place.
pub(crate) async fn broken_cap(
    tx: &mut Transaction<'static, Sqlite>,
    call: &PlannedCall,
    now: Timestamp,
) -> Result<Option<String>, StoreError> {
    let PlannedCall { provider, limits, reserved, .. } = call;
    let reserved = *reserved;
    let (day, month) = period_starts(now);
    let of_provider = cap_use(
        &sqlx::query(USE_OF_PROVIDER)
            .bind(day.as_millisecond())
            .bind(month.as_millisecond())
            .bind(provider)
            .fetch_one(&mut **tx)
            .await?,
    )?;
    let name = format!("`{provider}`");
    let limit = (limits.provider_daily_requests, limits.provider_monthly);
    if let Some(reason) = over(&name, of_provider, limit, reserved) {
        return Ok(Some(reason));
    }
    if limits.global_daily_requests == 0 && limits.global_monthly.is_none() {
        return Ok(None);
    }
    let of_all = cap_use(
        &sqlx::query(USE_OF_ALL).bind(day.as_millisecond()).bind(month.as_millisecond()).fetch_one(&mut **tx).await?,
    )?;
    let limit = (limits.global_daily_requests, limits.global_monthly);
    Ok(over("all providers together", of_all, limit, reserved))
}

fn over(
    who: &str,
    used: CapUse,
    (daily, monthly): (u32, Option<PicoUsd>),
    reserved: Option<PicoUsd>,
) -> Option<String> {
    if daily > 0 && used.requests_today >= u64::from(daily) {
        return Some(format!("the daily cap of {daily} requests of {who} is used up"));
    }
    let cap = monthly?;
    let wanted = reserved.unwrap_or(PicoUsd::ZERO);
    (used.spent_this_month + wanted > cap || (used.spent_this_month >= cap && reserved.is_none())).then(|| {
        format!(
            "the monthly cap of {cap} of {who} does not cover another {wanted}: {} is spent or reserved",
            used.spent_this_month
        )
    })
}

pub(crate) async fn reserve(
    tx: &mut Transaction<'static, Sqlite>,
    plan_id: &str,
    call: &PlannedCall,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO ledger_reserved (plan_id, at, client, session, task, provider, model, billing_class,
            reserved_pico_usd, ordinal, role)
         SELECT plan_id, ?2, client, session, task, ?3, ?4, ?5, ?6, ?7, ?8 FROM plans WHERE plan_id = ?1",
    )
    .bind(plan_id)
    .bind(now.as_millisecond())
    .bind(&call.provider)
    .bind(&call.model)
    .bind(call.billing_class.as_str())
    .bind(call.reserved.map(PicoUsd::get))
    .bind(call.ordinal)
    .bind(&call.role)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Ends the reservations of a plan whose calls were never made.
pub(crate) async fn release_rest(
    tx: &mut Transaction<'static, Sqlite>,
    plan_id: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO ledger_released (reserved_id, at)
         SELECT r.id, ?2 FROM ledger_reserved r LEFT JOIN ledger_settled s ON s.reserved_id = r.id
         WHERE r.plan_id = ?1 AND s.reserved_id IS NULL",
    )
    .bind(plan_id)
    .bind(now.as_millisecond())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(crate) async fn settle(
    tx: &mut Transaction<'static, Sqlite>,
    plan_id: &str,
    ordinal: u32,
    settlement: &Settlement,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT OR IGNORE INTO ledger_settled (reserved_id, at, status, error_code, input_tokens, output_tokens, cached_tokens,
            usage_reported, cost_pico_usd, latency_ms)
         SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM ledger_reserved WHERE plan_id = ?1 AND ordinal = ?11",
    )
    .bind(plan_id)
    .bind(now.as_millisecond())
    .bind(if settlement.error_code.is_none() { "ok" } else { "error" })
    .bind(settlement.error_code.map(ErrorCode::as_str))
    .bind(settlement.input_tokens.map(int))
    .bind(settlement.output_tokens.map(int))
    .bind(settlement.cached_tokens.map(int))
    .bind(settlement.usage_reported)
    .bind(settlement.cost.map(PicoUsd::get))
    .bind(int(settlement.latency_ms))
    .bind(ordinal)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

impl Db {
    /// Settles one call of a plan that goes on with others; a call that is settled already stays as it is.
    ///
    /// # Errors
    /// The database failed.
    pub async fn settle_call(
        &self,
        plan_id: &PlanId,
        ordinal: u32,
        settlement: &Settlement,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        settle(&mut tx, plan_id.as_str(), ordinal, settlement, now).await?;
        Ok(tx.commit().await?)
    }

    /// How the calls of each model went since `since`, over at most the newest 5,000 of them.
    ///
    /// A failure counts only if it says something about the provider: not a refused key, a moderated text, a bad
    /// request, nor an ended host.
    ///
    /// # Errors
    /// The database failed.
    pub async fn tracks(&self, since: Timestamp) -> Result<BTreeMap<ModelKey, TrackRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT r.provider, r.model, s.error_code, s.latency_ms FROM ledger_settled s
             JOIN ledger_reserved r ON r.id = s.reserved_id WHERE r.at >= ? ORDER BY r.id DESC LIMIT 5000",
        )
        .bind(since.as_millisecond())
        .fetch_all(self.readers())
        .await?;
        let mut seen: BTreeMap<ModelKey, (TrackRecord, Vec<u32>)> = BTreeMap::new();
        for row in &rows {
            let reader = Reader { row, name: "track".to_owned() };
            let key = ModelKey { provider: reader.get("provider")?, model: reader.get("model")? };
            let error: Option<ErrorCode> = reader.label_opt("error_code")?;
            let (track, latencies) = seen.entry(key).or_default();
            match error {
                None => {
                    track.calls += 1;
                    latencies.push(u32::try_from(reader.count("latency_ms")?).unwrap_or(u32::MAX));
                }
                Some(code) if code.is_providers_fault() => {
                    track.calls += 1;
                    track.failures += 1;
                }
                Some(_) => {}
            }
        }
        let finished = seen.into_iter().map(|(key, (track, mut latencies))| {
            latencies.sort_unstable();
            (key, TrackRecord { median_latency_ms: latencies.get(latencies.len() / 2).copied(), ..track })
        });
        Ok(finished.collect())
    }

    /// What counts against the caps of a provider, or of all of them.
    ///
    /// # Errors
    /// The database failed.
    pub async fn cap_use(&self, provider: Option<&str>, now: Timestamp) -> Result<CapUse, StoreError> {
        let (day, month) = period_starts(now);
        let query = match provider {
            Some(provider) => {
                sqlx::query(USE_OF_PROVIDER).bind(day.as_millisecond()).bind(month.as_millisecond()).bind(provider)
            }
            None => sqlx::query(USE_OF_ALL).bind(day.as_millisecond()).bind(month.as_millisecond()),
        };
        cap_use(&query.fetch_one(self.readers()).await?)
    }

    /// Calls at or after `since`, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn calls(&self, since: Option<Timestamp>, limit: u32) -> Result<Vec<CallRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT r.*, s.at AS ended_at, s.status, s.error_code, s.input_tokens, s.output_tokens, s.cached_tokens,
                s.usage_reported, s.cost_pico_usd, s.latency_ms, x.at AS released_at, p.tool_name
             FROM ledger_reserved r LEFT JOIN ledger_settled s ON s.reserved_id = r.id
             LEFT JOIN ledger_released x ON x.reserved_id = r.id
             LEFT JOIN plans p ON p.plan_id = r.plan_id
             WHERE r.at >= ? ORDER BY r.id DESC LIMIT ?",
        )
        .bind(since.map_or(0, Timestamp::as_millisecond))
        .bind(limit)
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(call).collect()
    }
}

fn call(row: &sqlx::sqlite::SqliteRow) -> Result<CallRecord, StoreError> {
    let reader = Reader::new(row, "plan_id");
    let has_ended = row.try_get::<Option<i64>, _>("ended_at")?.is_some();
    let settlement = has_ended
        .then(|| {
            Ok::<_, StoreError>(Settlement {
                error_code: reader.label_opt("error_code")?,
                input_tokens: reader.count_opt("input_tokens")?,
                output_tokens: reader.count_opt("output_tokens")?,
                cached_tokens: reader.count_opt("cached_tokens")?,
                usage_reported: reader.get("usage_reported")?,
                cost: reader.money_opt("cost_pico_usd")?,
                latency_ms: reader.count("latency_ms")?,
            })
        })
        .transpose()?;
    Ok(CallRecord {
        id: reader.count("id")?,
        plan_id: reader.get("plan_id")?,
        at: reader.time("at")?,
        client: reader.get("client")?,
        session: reader.get("session")?,
        tool_name: reader.get("tool_name")?,
        task: reader.label("task")?,
        provider: reader.get("provider")?,
        model: reader.get("model")?,
        billing_class: reader.label("billing_class")?,
        role: reader.get("role")?,
        reserved: reader.money_opt("reserved_pico_usd")?,
        is_released: reader.get::<Option<i64>>("released_at")?.is_some(),
        settlement,
    })
}
