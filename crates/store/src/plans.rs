//! Plans: prepared, approved, claimed once, finished.

use jiff::{SignedDuration, Timestamp};
use lwa_domain::{ApprovalId, BillingClass, PicoUsd, PlanId, PlanMode, PlanState, Quality, ReasoningEffort, TaskKind};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, Transaction};

use crate::audit::{self, NewAudit};
use crate::db::{Db, StoreError};
use crate::ledger::{self, CapLimits, Settlement};
use crate::rows::{Reader, int};

/// How much longer than its question a plan lives.
const TIME_TO_ACT: SignedDuration = SignedDuration::from_mins(1);

/// A SHA-256 digest of a token; tokens themselves are never kept.
pub type TokenHash = [u8; 32];

/// A plan to keep.
#[derive(Debug, Clone)]
pub struct NewPlan {
    /// Its id.
    pub plan_id: PlanId,
    /// Digest of the token that runs it.
    pub plan_token: TokenHash,
    /// Digest of the token that asks for consent; none when none is needed.
    pub confirmation_token: Option<TokenHash>,
    /// The task.
    pub task: TaskKind,
    /// The quality.
    pub quality: Quality,
    /// The effort.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Who prepared it.
    pub client: String,
    /// In which session.
    pub session: String,
    /// The door's name for the call.
    pub tool_name: Option<String>,
    /// What the model is to work on; wiped when the plan has ended.
    pub prompt: String,
    /// The whole system prompt; wiped with the prompt.
    pub system_prompt: String,
    /// SHA-256 of the prompt, hexadecimal.
    pub prompt_hash: String,
    /// The locked provider.
    pub provider: String,
    /// The locked model.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
    /// The locked routes, as they were shown.
    pub routes: Value,
    /// The other candidates, in the caller's own short form.
    pub excluded: String,
    /// Tokens the prompt is estimated to have.
    pub estimated_input_tokens: u64,
    /// Tokens the answer may have.
    pub max_output_tokens: u32,
    /// The most it can cost.
    pub max_cost: Option<PicoUsd>,
    /// Now.
    pub created_at: Timestamp,
    /// When it stops being runnable.
    pub expires_at: Timestamp,
    /// What kind of work it is.
    pub mode: PlanMode,
    /// What the work needs beside the prompt; wiped with it.
    pub work: Option<Value>,
    /// What its preparation found out and it goes on to show; kept when the prompt is wiped.
    pub facts: Value,
}

/// A kept plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRecord {
    /// Its id.
    pub plan_id: PlanId,
    /// Where it stands.
    pub state: PlanState,
    /// The task.
    pub task: TaskKind,
    /// The quality.
    pub quality: Quality,
    /// The effort.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Who prepared it.
    pub client: String,
    /// In which session.
    pub session: String,
    /// What the model is to work on; none once wiped.
    pub prompt: Option<String>,
    /// The whole system prompt; none once wiped.
    pub system_prompt: Option<String>,
    /// SHA-256 of the prompt, hexadecimal.
    pub prompt_hash: String,
    /// Characters of prompt.
    pub prompt_characters: u64,
    /// The locked provider.
    pub provider: String,
    /// The locked model.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
    /// The locked routes, as they were shown.
    pub routes: Value,
    /// The other candidates, in the short form in which they were kept.
    pub excluded: String,
    /// Whether a human has to consent.
    pub requires_confirmation: bool,
    /// The approval that was opened for it last.
    pub approval_id: Option<ApprovalId>,
    /// Tokens the prompt is estimated to have.
    pub estimated_input_tokens: u64,
    /// Tokens the answer may have.
    pub max_output_tokens: u32,
    /// The most it can cost.
    pub max_cost: Option<PicoUsd>,
    /// What it cost.
    pub cost: Option<PicoUsd>,
    /// When it was prepared.
    pub created_at: Timestamp,
    /// When it stops being runnable.
    pub expires_at: Timestamp,
    /// When a human consented.
    pub approved_at: Option<Timestamp>,
    /// When it was claimed.
    pub started_at: Option<Timestamp>,
    /// When its answer was stored.
    pub finished_at: Option<Timestamp>,
    /// The stored answer.
    pub answer: Option<Value>,
    /// What kind of work it is.
    pub mode: PlanMode,
    /// What the work needs beside the prompt; none once wiped.
    pub work: Option<Value>,
    /// The tool or command that prepared it.
    pub tool_name: Option<String>,
    /// What its preparation found out; none for a plan of a version that did not keep it.
    pub facts: Option<Value>,
}

/// The right to run a plan, asked for.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Digest of the plan token.
    pub plan_token: TokenHash,
    /// The calls that the plan will make, each with its own reservation; at least one.
    pub calls: Vec<PlannedCall>,
    /// Now.
    pub now: Timestamp,
}

/// A call to reserve for.
#[derive(Debug, Clone)]
pub struct PlannedCall {
    /// Its place in the plan's routes.
    pub ordinal: u32,
    /// `primary`, `consensus_voter` or `consensus_synthesis`.
    pub role: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
    /// The caps as they are configured now.
    pub limits: CapLimits,
    /// The worst-case cost at the price as it is known now.
    pub reserved: Option<PicoUsd>,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimOutcome {
    /// The plan is ours to run, and its cost is reserved.
    Claimed(Box<PlanRecord>),
    /// The plan cannot be claimed as it stands; nothing changed.
    NotReady(Box<PlanRecord>),
    /// A cap would be broken, in words; nothing changed.
    CapBroken(String),
    /// No plan has this token.
    Unknown,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Finish {
    /// The plan.
    pub plan_id: PlanId,
    /// `Completed` or `RepreflightRequired`.
    pub state: PlanState,
    /// The answer to keep.
    pub answer: Value,
    /// The ledger's side of each call that was not settled before, by its place in the plan's routes.
    ///
    /// What is neither settled nor named here was never called, and its reservation is released.
    pub settlements: Vec<(u32, Settlement)>,
    /// What the plan cost in all; none when a part of it is unknown.
    pub cost: Option<PicoUsd>,
    /// Now.
    pub now: Timestamp,
}

fn record(row: &SqliteRow) -> Result<PlanRecord, StoreError> {
    let reader = Reader::new(row, "plan_id");
    Ok(PlanRecord {
        plan_id: PlanId::new(reader.get::<String>("plan_id")?),
        state: reader.label("state")?,
        task: reader.label("task")?,
        quality: reader.label("quality")?,
        reasoning_effort: reader.label_opt("reasoning_effort")?,
        client: reader.get("client")?,
        session: reader.get("session")?,
        prompt: reader.get("prompt")?,
        system_prompt: reader.get("system_prompt")?,
        prompt_hash: reader.get("prompt_hash")?,
        prompt_characters: reader.count("prompt_characters")?,
        provider: reader.get("provider")?,
        model: reader.get("model")?,
        billing_class: reader.label("billing_class")?,
        routes: reader.json("routes")?,
        excluded: reader.get("excluded")?,
        requires_confirmation: reader.get("requires_confirmation")?,
        approval_id: reader.get::<Option<String>>("approval_id")?.map(ApprovalId::new),
        estimated_input_tokens: reader.count("estimated_input_tokens")?,
        max_output_tokens: u32::try_from(reader.count("max_output_tokens")?).unwrap_or(u32::MAX),
        max_cost: reader.money_opt("max_cost_pico_usd")?,
        cost: reader.money_opt("cost_pico_usd")?,
        created_at: reader.time("created_at")?,
        expires_at: reader.time("expires_at")?,
        approved_at: reader.time_opt("approved_at")?,
        started_at: reader.time_opt("started_at")?,
        finished_at: reader.time_opt("finished_at")?,
        answer: reader.json_opt("answer")?,
        mode: reader.label("mode")?,
        work: reader.json_opt("work")?,
        tool_name: reader.get("tool_name")?,
        facts: reader.json_opt("facts")?,
    })
}

/// A human consented: the plan becomes ready and its time starts anew. Works once.
///
/// Returns whether the plan was waiting for this.
pub(crate) async fn approve(
    tx: &mut Transaction<'static, Sqlite>,
    plan_id: &PlanId,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE plans SET state = 'ready', approved_at = ?2, expires_at = ?3
         WHERE plan_id = ?1 AND state = 'confirmation_required' AND approved_at IS NULL AND expires_at > ?2",
    )
    .bind(plan_id.as_str())
    .bind(now.as_millisecond())
    .bind(expires_at.as_millisecond())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A human said no: the plan can never run, and its prompt is wiped. Returns whether it was waiting.
pub(crate) async fn deny(
    tx: &mut Transaction<'static, Sqlite>,
    plan_id: &PlanId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE plans SET state = 'denied', finished_at = ?2, prompt = NULL, system_prompt = NULL, work = NULL
         WHERE plan_id = ?1 AND state = 'confirmation_required'",
    )
    .bind(plan_id.as_str())
    .bind(now.as_millisecond())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Notes which approval asks for a plan's consent, and keeps the plan from running out before the
/// question does, with time left to act on an answer at the last moment.
///
/// Returns whether the plan still waits for a human.
pub(crate) async fn keep_waiting(
    tx: &mut Transaction<'static, Sqlite>,
    plan_id: &PlanId,
    approval: &ApprovalId,
    asked_until: Timestamp,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE plans SET approval_id = ?2, expires_at = max(expires_at, ?3)
         WHERE plan_id = ?1 AND state = 'confirmation_required'",
    )
    .bind(plan_id.as_str())
    .bind(approval.as_str())
    .bind((asked_until + TIME_TO_ACT).as_millisecond())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

impl Db {
    /// Keeps a new plan, with its audit row, in one transaction.
    ///
    /// # Errors
    /// The database failed.
    pub async fn insert_plan(&self, plan: &NewPlan, audit_row: &NewAudit<'_>) -> Result<(), StoreError> {
        let needs_consent = plan.confirmation_token.is_some();
        let state = if needs_consent { PlanState::ConfirmationRequired } else { PlanState::Ready };
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO plans (plan_id, plan_token_hash, confirmation_token_hash, state, task, quality, reasoning_effort,
                client, session, tool_name, prompt, system_prompt, prompt_hash, prompt_characters, provider, model,
                billing_class, routes, excluded, requires_confirmation, estimated_input_tokens, max_output_tokens,
                max_cost_pico_usd, created_at, expires_at, mode, work, facts)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(plan.plan_id.as_str())
        .bind(plan.plan_token.as_slice())
        .bind(plan.confirmation_token.as_ref().map(<[u8; 32]>::as_slice))
        .bind(state.as_str())
        .bind(plan.task.as_str())
        .bind(plan.quality.as_str())
        .bind(plan.reasoning_effort.map(ReasoningEffort::as_str))
        .bind(&plan.client)
        .bind(&plan.session)
        .bind(&plan.tool_name)
        .bind(&plan.prompt)
        .bind(&plan.system_prompt)
        .bind(&plan.prompt_hash)
        .bind(int(plan.prompt.chars().count() as u64))
        .bind(&plan.provider)
        .bind(&plan.model)
        .bind(plan.billing_class.as_str())
        .bind(plan.routes.to_string())
        .bind(&plan.excluded)
        .bind(needs_consent)
        .bind(int(plan.estimated_input_tokens))
        .bind(plan.max_output_tokens)
        .bind(plan.max_cost.map(PicoUsd::get))
        .bind(plan.created_at.as_millisecond())
        .bind(plan.expires_at.as_millisecond())
        .bind(plan.mode.as_str())
        .bind(plan.work.as_ref().map(ToString::to_string))
        .bind(plan.facts.to_string())
        .execute(&mut *tx)
        .await?;
        audit::append(&mut tx, audit_row).await?;
        Ok(tx.commit().await?)
    }

    /// The plan with this id.
    ///
    /// # Errors
    /// The database failed.
    pub async fn plan(&self, plan_id: &PlanId) -> Result<Option<PlanRecord>, StoreError> {
        let row = sqlx::query("SELECT * FROM plans WHERE plan_id = ?")
            .bind(plan_id.as_str())
            .fetch_optional(self.readers())
            .await?;
        row.as_ref().map(record).transpose()
    }

    /// The plan that this token runs.
    ///
    /// # Errors
    /// The database failed.
    pub async fn plan_by_token(&self, token: &TokenHash) -> Result<Option<PlanRecord>, StoreError> {
        let row = sqlx::query("SELECT * FROM plans WHERE plan_token_hash = ?")
            .bind(token.as_slice())
            .fetch_optional(self.readers())
            .await?;
        row.as_ref().map(record).transpose()
    }

    /// The plan that this token asks consent for.
    ///
    /// # Errors
    /// The database failed.
    pub async fn plan_by_confirmation(&self, token: &TokenHash) -> Result<Option<PlanRecord>, StoreError> {
        let row = sqlx::query("SELECT * FROM plans WHERE confirmation_token_hash = ?")
            .bind(token.as_slice())
            .fetch_optional(self.readers())
            .await?;
        row.as_ref().map(record).transpose()
    }

    /// Plans, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn plans(&self, limit: u32) -> Result<Vec<PlanRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM plans ORDER BY created_at DESC, plan_id LIMIT ?")
            .bind(limit)
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(record).collect()
    }

    /// Marks plans whose time ran out and wipes their prompts. Returns them.
    ///
    /// # Errors
    /// The database failed.
    pub async fn expire_plans(&self, now: Timestamp) -> Result<Vec<PlanId>, StoreError> {
        let mut tx = self.begin().await?;
        let rows = sqlx::query_scalar::<_, String>(
            "UPDATE plans SET state = 'expired', finished_at = ?1, prompt = NULL, system_prompt = NULL, work = NULL
             WHERE state IN ('ready', 'confirmation_required') AND expires_at <= ?1 RETURNING plan_id",
        )
        .bind(now.as_millisecond())
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(rows.into_iter().map(PlanId::new).collect())
    }

    /// Claims a plan: in one transaction it turns from ready to working, its caps are checked and the
    /// worst-case cost of each of its calls is reserved. Of two claims of one token, one wins.
    ///
    /// # Errors
    /// The database failed.
    pub async fn claim_plan(&self, claim: &Claim, audit_row: &NewAudit<'_>) -> Result<ClaimOutcome, StoreError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query("SELECT * FROM plans WHERE plan_token_hash = ?")
            .bind(claim.plan_token.as_slice())
            .fetch_optional(&mut *tx)
            .await?;
        let Some(row) = row else { return Ok(ClaimOutcome::Unknown) };
        let plan = record(&row)?;
        let done = sqlx::query(
            "UPDATE plans SET state = 'working', uses = 1, started_at = ?2
             WHERE plan_token_hash = ?1 AND state = 'ready' AND uses = 0 AND expires_at > ?2",
        )
        .bind(claim.plan_token.as_slice())
        .bind(claim.now.as_millisecond())
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(ClaimOutcome::NotReady(Box::new(plan)));
        }
        // Each reservation counts against the next one's caps; the first that breaks one takes all back.
        for call in &claim.calls {
            if let Some(reason) = ledger::broken_cap(&mut tx, call, claim.now).await? {
                return Ok(ClaimOutcome::CapBroken(reason));
            }
            ledger::reserve(&mut tx, plan.plan_id.as_str(), call, claim.now).await?;
        }
        audit::append(&mut tx, &NewAudit { object: Some(plan.plan_id.as_str()), ..audit_row.clone() }).await?;
        tx.commit().await?;
        Ok(ClaimOutcome::Claimed(Box::new(PlanRecord {
            state: PlanState::Working,
            started_at: Some(claim.now),
            ..plan
        })))
    }

    /// Reserves one more call for a plan that works already. Returns the cap that forbids it, in words.
    ///
    /// # Errors
    /// The database failed.
    pub async fn reserve_call(
        &self,
        plan_id: &PlanId,
        call: &PlannedCall,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let mut tx = self.begin().await?;
        if let Some(reason) = ledger::broken_cap(&mut tx, call, now).await? {
            return Ok(Some(reason));
        }
        ledger::reserve(&mut tx, plan_id.as_str(), call, now).await?;
        tx.commit().await?;
        Ok(None)
    }

    /// Stores how a run ended, settles its reservation and wipes its prompt, in one transaction.
    ///
    /// # Errors
    /// The database failed.
    pub async fn finish_plan(&self, finish: &Finish, audit_row: &NewAudit<'_>) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "UPDATE plans SET state = ?2, answer = ?3, cost_pico_usd = ?4, finished_at = ?5, prompt = NULL, system_prompt = NULL, work = NULL
             WHERE plan_id = ?1 AND state = 'working'",
        )
        .bind(finish.plan_id.as_str())
        .bind(finish.state.as_str())
        .bind(finish.answer.to_string())
        .bind(finish.cost.map(PicoUsd::get))
        .bind(finish.now.as_millisecond())
        .execute(&mut *tx)
        .await?;
        for (ordinal, settlement) in &finish.settlements {
            ledger::settle(&mut tx, finish.plan_id.as_str(), *ordinal, settlement, finish.now).await?;
        }
        ledger::release_rest(&mut tx, finish.plan_id.as_str(), finish.now).await?;
        audit::append(&mut tx, audit_row).await?;
        Ok(tx.commit().await?)
    }

    /// Plans that a host left working when it ended.
    ///
    /// # Errors
    /// The database failed.
    pub async fn working_plans(&self) -> Result<Vec<PlanRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM plans WHERE state = 'working'").fetch_all(self.readers()).await?;
        rows.iter().map(record).collect()
    }
}
