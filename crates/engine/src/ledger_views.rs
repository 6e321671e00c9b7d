//! Usage, money and the audit log as people see them.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use lwa_domain::{ClientName, ErrorCode, PicoUsd, PlanId, SessionId};
use lwa_protocol::Failure;
use lwa_protocol::audit::{AuditEvent, AuditTail, AuditTailParams, AuditVerified};
use lwa_protocol::ledger::{
    LedgerList, LedgerParams, LedgerRow, Telemetry, TelemetryDay, TelemetryParams, TelemetryProvider, TelemetrySum,
};
use lwa_store::CallRecord;

use crate::engine::{Engine, rfc3339};
use crate::{failure, tokens};

/// The period that telemetry covers unless told otherwise.
const DEFAULT_PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The most calls that one telemetry answer adds up.
const MAX_CALLS: u32 = 200_000;
/// The most days that are listed one by one.
const MAX_DAYS: usize = 400;

impl Engine {
    /// `ledger/list`.
    ///
    /// # Errors
    /// `since` is no time, or the database failed.
    pub async fn list_ledger(&self, params: &LedgerParams) -> Result<LedgerList, Failure> {
        let since = params.since.as_deref().map(parse_time).transpose()?;
        let calls = self.db.calls(since, params.limit.unwrap_or(200).min(10_000)).await.map_err(failure::store)?;
        Ok(LedgerList { rows: calls.into_iter().map(row).collect() })
    }

    /// `ledger/telemetry`.
    ///
    /// # Errors
    /// `since` is no time, or the database failed.
    pub async fn telemetry(&self, params: &TelemetryParams) -> Result<Telemetry, Failure> {
        let now = self.now();
        let since = params.since.as_deref().map(parse_time).transpose()?.unwrap_or(now - DEFAULT_PERIOD);
        let calls = self.db.calls(Some(since), MAX_CALLS).await.map_err(failure::store)?;
        let mut total = TelemetrySum::default();
        let mut days: BTreeMap<String, TelemetrySum> = days_between(since, now);
        let mut providers: BTreeMap<String, (TelemetrySum, Vec<u64>, Timestamp)> = BTreeMap::new();
        for call in &calls {
            add(&mut total, call);
            if let Some(sum) = days.get_mut(&day_of(call.at)) {
                add(sum, call);
            }
            let entry = providers
                .entry(call.provider.clone())
                .or_insert_with(|| (TelemetrySum::default(), Vec::new(), call.at));
            add(&mut entry.0, call);
            entry.1.extend(call.settlement.as_ref().map(|settlement| settlement.latency_ms));
            entry.2 = entry.2.max(call.at);
        }
        let today = days.get(&day_of(now)).cloned().unwrap_or_default();
        let mut providers: Vec<_> = providers
            .into_iter()
            .map(|(provider, (sum, mut latencies, last))| {
                latencies.sort_unstable();
                TelemetryProvider {
                    provider,
                    sum,
                    latency_p50_ms: percentile(&latencies, 50),
                    latency_p95_ms: percentile(&latencies, 95),
                    last_used: Some(rfc3339(last)),
                }
            })
            .collect();
        providers.sort_by(|a, b| b.sum.calls.cmp(&a.sum.calls).then_with(|| a.provider.cmp(&b.provider)));
        Ok(Telemetry {
            since: rfc3339(since),
            as_of: rfc3339(now),
            total,
            today,
            days: days.into_iter().map(|(day, sum)| TelemetryDay { day, sum }).collect(),
            providers,
        })
    }

    /// Today's sums.
    pub(crate) async fn usage_today(&self) -> Result<TelemetrySum, Failure> {
        let (day, _) = lwa_store::ledger::period_starts(self.now());
        let calls = self.db.calls(Some(day), MAX_CALLS).await.map_err(failure::store)?;
        let mut sum = TelemetrySum::default();
        for call in &calls {
            add(&mut sum, call);
        }
        Ok(sum)
    }

    /// `audit/tail`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn audit_tail(&self, params: &AuditTailParams) -> Result<AuditTail, Failure> {
        let records = self.db.audit_tail(params.limit.unwrap_or(50).min(10_000)).await.map_err(failure::store)?;
        let events = records
            .into_iter()
            .map(|record| AuditEvent {
                seq: narrow(record.seq),
                at: rfc3339(record.at),
                actor: record.actor,
                session: record.session,
                action: record.action,
                object: record.object,
                decision: record.decision,
                detail: record.detail,
                hash: tokens::hex(&record.hash),
            })
            .collect();
        Ok(AuditTail { events })
    }

    /// `audit/verify`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn verify_audit(&self) -> Result<AuditVerified, Failure> {
        let check = self.db.verify_audit().await.map_err(failure::store)?;
        Ok(AuditVerified {
            ok: check.first_bad.is_none(),
            events: narrow(check.events),
            head: check.head.as_deref().map(tokens::hex),
            first_bad: check.first_bad.map(narrow),
        })
    }
}

pub(crate) fn parse_time(text: &str) -> Result<Timestamp, Failure> {
    let as_day = || format!("{text}T00:00:00Z").parse::<Timestamp>();
    text.parse::<Timestamp>().or_else(|_| as_day()).map_err(|_| {
        Failure::new(ErrorCode::InvalidInput, format!("`{}` is no time", text.chars().take(40).collect::<String>()))
            .hint("give a day such as `2026-11-29` or a time such as `2026-11-29T08:00:00Z`")
    })
}

fn row(call: CallRecord) -> LedgerRow {
    let ended = call.settlement.as_ref();
    LedgerRow {
        id: narrow(call.id),
        plan_id: PlanId::new(call.plan_id),
        at: rfc3339(call.at),
        client: ClientName::new(call.client),
        session: SessionId::new(call.session),
        task: call.task,
        provider: call.provider,
        model: call.model,
        billing_class: call.billing_class,
        status: match ended {
            Some(ended) if ended.error_code.is_none() => "ok",
            Some(_) => "error",
            None if call.is_released => "released",
            None => "reserved",
        }
        .to_owned(),
        error_code: ended.and_then(|ended| ended.error_code),
        input_tokens: ended.and_then(|ended| ended.input_tokens).map(narrow),
        output_tokens: ended.and_then(|ended| ended.output_tokens).map(narrow),
        cached_tokens: ended.and_then(|ended| ended.cached_tokens).map(narrow),
        usage_reported: ended.is_some_and(|ended| ended.usage_reported),
        reserved_pico_usd: call.reserved,
        cost_pico_usd: ended.and_then(|ended| ended.cost),
        latency_ms: ended.map(|ended| narrow(ended.latency_ms)),
    }
}

fn add(sum: &mut TelemetrySum, call: &CallRecord) {
    sum.calls += 1;
    let Some(ended) = &call.settlement else { return };
    sum.failed += u32::from(ended.error_code.is_some());
    sum.usage_reported += u32::from(ended.usage_reported);
    sum.cost_known += u32::from(ended.cost.is_some());
    sum.input_tokens = sum.input_tokens.saturating_add(ended.input_tokens.map_or(0, narrow));
    sum.output_tokens = sum.output_tokens.saturating_add(ended.output_tokens.map_or(0, narrow));
    sum.cost_pico_usd = sum.cost_pico_usd + ended.cost.unwrap_or(PicoUsd::ZERO);
}

fn day_of(time: Timestamp) -> String {
    time.strftime("%F").to_string()
}

/// Every UTC day from `since` to `now`, so that a day without calls is a zero and not a gap.
fn days_between(since: Timestamp, now: Timestamp) -> BTreeMap<String, TelemetrySum> {
    let mut days = BTreeMap::new();
    let mut time = now;
    while time >= since && days.len() < MAX_DAYS {
        days.insert(day_of(time), TelemetrySum::default());
        time -= SignedDuration::from_hours(24);
    }
    days.entry(day_of(since)).or_default();
    days
}

/// The value below which `percent` of the sorted values lie, by the nearest rank.
fn percentile(sorted: &[u64], percent: usize) -> Option<u32> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().map(narrow)
}

fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let values: Vec<u64> = (1..=100).collect();
        assert_eq!(percentile(&values, 50), Some(50));
        assert_eq!(percentile(&values, 95), Some(95));
        assert_eq!(percentile(&[7], 95), Some(7));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn days_without_calls_are_listed() {
        let days = days_between("2026-02-26T23:00:00Z".parse().unwrap(), "2026-03-02T01:00:00Z".parse().unwrap());
        let names: Vec<_> = days.keys().map(String::as_str).collect();
        assert_eq!(names, ["2026-02-26", "2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]);
    }

    #[test]
    fn a_day_or_a_time_can_be_given() {
        assert!(parse_time("2026-11-29").is_ok());
        assert!(parse_time("2026-11-29T08:00:00Z").is_ok());
        assert!(parse_time("yesterday").unwrap_err().hint.is_some());
    }
}
