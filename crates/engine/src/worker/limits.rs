//! Limits by age: what is kept for how long, and what will go.
//!
//! A limit that was made shorter would remove at once what is older. That is announced first, and goes a day later; until
//! then what held before holds. A longer limit holds at once.

use jiff::{SignedDuration, Timestamp};
use lwa_config::WorkerConfig;
use lwa_protocol::worker::{ExpiringParams, ExpiringView};
use lwa_protocol::{Event, Failure};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::engine::{Engine, rfc3339};
use crate::failure;

/// How long what a shorter limit will remove is announced.
const NOTICE: SignedDuration = SignedDuration::from_hours(24);
/// Where the limits that hold are kept.
const SETTING: &str = "worker.limits";

/// Days; 0 means always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Limits {
    artifact_days: u32,
    session_days: u32,
}

impl Limits {
    const fn of(config: &WorkerConfig) -> Self {
        Self { artifact_days: config.artifact_days, session_days: config.session_days }
    }

    /// Of each limit the longer one.
    fn longer(self, other: Self) -> Self {
        // 0 means always, which is longer than any number of days.
        let longer = |one: u32, other: u32| if one == 0 || other == 0 { 0 } else { one.max(other) };
        Self {
            artifact_days: longer(self.artifact_days, other.artifact_days),
            session_days: longer(self.session_days, other.session_days),
        }
    }
}

/// What is kept over the end of the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Noted {
    /// What holds.
    applied: Limits,
    /// Shorter limits that are announced, and since when.
    announced: Option<(Limits, Timestamp)>,
}

/// What a limit reaches: a conversation with its materials, or materials of one that stays.
struct Reached {
    session: String,
    is_whole: bool,
    artifacts: u64,
    bytes: u64,
}

impl Engine {
    /// Removes what was kept for longer than is set, or announces it where the limit is a new one. Nothing is set unless
    /// the human did; sessions in use stay.
    pub(crate) async fn expire_worker(&self) -> Result<(), Failure> {
        let now = self.now();
        let wanted = Limits::of(&self.configuration.in_force().worker);
        let before = self.noted_limits().await?;
        let noted = self.limits_at(before, wanted, now).await?;
        if noted != before {
            self.note_limits(noted, now).await?;
            if let Some((limits, since)) = noted.announced {
                let goes = summed(&self.reached(limits, since + NOTICE).await?);
                let facts =
                    json!({"sessions": goes.sessions, "artifacts": goes.artifacts, "at": rfc3339(since + NOTICE)});
                self.audit_worker("worker.limit_announced", facts).await?;
            }
        }
        let holds = noted.applied;
        let (mut removed, mut materials) = (0_u64, 0_u64);
        for reached in self.reached(holds, now).await? {
            if reached.is_whole {
                self.remove_session(&reached.session).await?;
                removed += 1;
            } else {
                self.remove_artifact_files(&reached.session, before_of(holds.artifact_days, now)).await?;
                self.emit(Event::WorkerChanged { session: reached.session });
                materials += reached.artifacts;
            }
        }
        if removed > 0 || materials > 0 {
            self.db.write_back().await.map_err(failure::store)?;
            self.audit_worker("worker.expired", json!({"sessions": removed, "artifacts": materials})).await?;
        }
        Ok(())
    }

    /// `worker/expiring`: what limits by age will remove within a day; those in force, or others that somebody thinks of.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_expiring(&self, params: ExpiringParams) -> Result<ExpiringView, Failure> {
        let now = self.now();
        let in_force = Limits::of(&self.configuration.in_force().worker);
        let limits = Limits {
            artifact_days: params.artifact_days.unwrap_or(in_force.artifact_days),
            session_days: params.session_days.unwrap_or(in_force.session_days),
        };
        let noted = self.limits_at(self.noted_limits().await?, limits, now).await?;
        let at = noted.announced.map(|(_, since)| since + NOTICE);
        let goes = summed(&self.reached(limits, at.unwrap_or(now + NOTICE)).await?);
        Ok(ExpiringView {
            artifact_days: limits.artifact_days,
            session_days: limits.session_days,
            at: at.map(rfc3339),
            ..goes
        })
    }

    /// What the limits in force will remove; none where none is set.
    pub(crate) async fn expiring(&self) -> Result<Option<ExpiringView>, Failure> {
        if Limits::of(&self.configuration.in_force().worker) == Limits::default() {
            return Ok(None);
        }
        self.worker_expiring(ExpiringParams::default()).await.map(Some)
    }

    /// What holds and what is announced when these limits are wanted.
    async fn limits_at(&self, before: Noted, wanted: Limits, now: Timestamp) -> Result<Noted, Failure> {
        let settled = Noted { applied: wanted, announced: None };
        // In each limit that was made longer the new one holds at once.
        let applied = before.applied.longer(wanted);
        if applied == wanted {
            return Ok(settled);
        }
        let since = before.announced.filter(|(limits, _)| *limits == wanted).map_or(now, |(_, since)| since);
        let is_over = now.duration_since(since) >= NOTICE;
        if is_over || self.reached(wanted, now).await?.is_empty() {
            return Ok(settled);
        }
        Ok(Noted { applied, announced: Some((wanted, since)) })
    }

    async fn reached(&self, limits: Limits, at: Timestamp) -> Result<Vec<Reached>, Failure> {
        let (sessions, materials) = (before_of(limits.session_days, at), before_of(limits.artifact_days, at));
        let mut reached = Vec::new();
        if sessions.is_none() && materials.is_none() {
            return Ok(reached);
        }
        let live = self.served_sessions();
        for record in self.db.worker_sessions().await.map_err(failure::store)? {
            let is_whole = sessions.is_some_and(|limit| record.last_seen_at < limit) && !live.contains(&record.key);
            if !is_whole && materials.is_none() {
                continue;
            }
            let kept = self.db.worker_artifacts(&record.key).await.map_err(failure::store)?;
            let old = kept.iter().filter(|one| is_whole || materials.is_some_and(|limit| one.created_at < limit));
            let (artifacts, bytes) = old.fold((0, 0), |(count, bytes), one| (count + 1, bytes + one.bytes));
            if is_whole || artifacts > 0 {
                reached.push(Reached { session: record.key, is_whole, artifacts, bytes });
            }
        }
        Ok(reached)
    }

    async fn noted_limits(&self) -> Result<Noted, Failure> {
        let noted = self.db.setting(SETTING).await.map_err(failure::store)?;
        Ok(noted.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    async fn note_limits(&self, noted: Noted, now: Timestamp) -> Result<(), Failure> {
        let text = serde_json::to_string(&noted).map_err(|error| failure::json(&error))?;
        let text = (noted != Noted::default()).then_some(text.as_str());
        self.db.set_setting(SETTING, text, now).await.map_err(failure::store)
    }
}

/// The moment before which something is too old; none where it is always kept.
fn before_of(days: u32, at: Timestamp) -> Option<Timestamp> {
    (days > 0).then(|| at - SignedDuration::from_hours(i64::from(days) * 24))
}

fn summed(reached: &[Reached]) -> ExpiringView {
    let mut sum = ExpiringView::default();
    for one in reached {
        sum.sessions += u64::from(one.is_whole);
        sum.artifacts += one.artifacts;
        sum.bytes += one.bytes;
    }
    sum
}
