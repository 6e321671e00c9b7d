//! `doctor/run`: what works, what does not, and the way out.

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::doctor::{Check, CheckStatus, Diagnosis, DoctorParams};
use lwa_protocol::provider::{ProviderParams, ProviderState, ProviderView};

use crate::catalogue::BUILTIN;
use crate::engine::Engine;
use crate::status::ignored_variables;

fn check(id: impl Into<String>, status: CheckStatus, detail: impl Into<String>, fix: Option<String>) -> Check {
    Check { id: id.into(), status, detail: detail.into(), fix }
}

impl Engine {
    /// Checks configuration, database, audit chain, keys, surfaces and providers.
    ///
    /// # Errors
    /// The database failed.
    pub async fn diagnose(&self, params: &DoctorParams) -> Result<Diagnosis, Failure> {
        let mut checks = vec![self.check_configuration(), self.check_audit().await?];
        checks.push(self.check_secrets(params.probe).await);
        checks.push(self.check_surfaces());
        checks.extend(self.check_limits().await?);
        let old = ignored_variables();
        if !old.is_empty() {
            let fix = "unset them; `lwa config show` lists what replaces them";
            checks.push(check(
                "old_variables",
                CheckStatus::Warn,
                format!("these variables have no effect: {}", old.join(", ")),
                Some(fix.to_owned()),
            ));
        }
        for provider in self.list_providers().await?.providers {
            checks.extend(self.check_provider(&provider, params.probe).await?);
        }
        Ok(summary(checks))
    }

    fn check_configuration(&self) -> Check {
        let state = self.configuration.view();
        match state.error {
            Some(error) => check(
                "configuration",
                CheckStatus::Fail,
                error,
                Some(format!("correct `{}`; the last good one is in force", state.path)),
            ),
            None if state.has_pending_change => {
                let fix = "answer in the Lwa window, or run `lwa config accept`; or undo the edit";
                check(
                    "configuration",
                    CheckStatus::Warn,
                    "a loosening edit of the file waits for you",
                    Some(fix.to_owned()),
                )
            }
            None => check("configuration", CheckStatus::Ok, format!("`{}` is in force", state.path), None),
        }
    }

    async fn check_audit(&self) -> Result<Check, Failure> {
        let verified = self.verify_audit().await?;
        Ok(match verified.first_bad {
            None => check("audit", CheckStatus::Ok, format!("{} events, the chain is whole", verified.events), None),
            Some(row) => {
                let fix = "the database was changed from outside; keep a copy of it and find out by what";
                check(
                    "audit",
                    CheckStatus::Fail,
                    format!("event {row} does not follow from the one before"),
                    Some(fix.to_owned()),
                )
            }
        })
    }

    async fn check_secrets(&self, probe: bool) -> Check {
        let state = if probe {
            // The state after the probe tells how it went.
            let _ = self.probe_secrets().await;
            self.secrets_view()
        } else {
            self.secrets_view()
        };
        match (state.state.as_str(), state.detail) {
            ("unavailable", detail) => {
                let fix = "unlock or start a keychain, or set `[secrets] backend = \"file\"`; without it everything that needs no stored key works";
                check(
                    "secrets",
                    CheckStatus::Warn,
                    detail.unwrap_or_else(|| "the store for keys cannot be used".to_owned()),
                    Some(fix.to_owned()),
                )
            }
            ("ready", _) => check("secrets", CheckStatus::Ok, format!("keys are kept in the {}", state.backend), None),
            _ => check(
                "secrets",
                CheckStatus::Ok,
                format!("keys would be kept in the {}; not used yet", state.backend),
                None,
            ),
        }
    }

    /// What limits by age will remove; none where no limit is set.
    async fn check_limits(&self) -> Result<Option<Check>, Failure> {
        let Some(expiring) = self.expiring().await? else { return Ok(None) };
        let goes = format!("{} conversations and {} materials", expiring.sessions, expiring.artifacts);
        Ok(Some(match expiring.at {
            Some(at) => {
                let limit = |days: u32| if days == 0 { "always".to_owned() } else { format!("{days} days") };
                let (sessions, materials) = (limit(expiring.session_days), limit(expiring.artifact_days));
                let fix = "raise `worker.session_days` or `worker.artifact_days` to keep them; `lwa worker purge` \
                    removes them now";
                check(
                    "worker_limits",
                    CheckStatus::Warn,
                    format!(
                        "the new limits by age (conversations {sessions}, materials {materials}) remove {goes} at {at}"
                    ),
                    Some(fix.to_owned()),
                )
            }
            None if expiring.is_empty() => {
                check("worker_limits", CheckStatus::Ok, "limits by age remove nothing within a day", None)
            }
            None => check("worker_limits", CheckStatus::Ok, format!("limits by age remove {goes} within a day"), None),
        }))
    }

    fn check_surfaces(&self) -> Check {
        if self.surfaces.has_app() {
            check("approvals", CheckStatus::Ok, "the app is there to ask you", None)
        } else if self.surfaces.has_terminal() {
            check("approvals", CheckStatus::Ok, "a terminal watches for questions", None)
        } else {
            let fix = "open the Lwa app, or keep `lwa approvals watch` running in a terminal";
            check(
                "approvals",
                CheckStatus::Warn,
                "nothing is open that could ask you; what needs consent is refused",
                Some(fix.to_owned()),
            )
        }
    }

    async fn check_provider(&self, provider: &ProviderView, probe: bool) -> Result<Option<Check>, Failure> {
        let id = format!("provider.{}", provider.name);
        if provider.name == BUILTIN {
            return Ok(Some(check(id, CheckStatus::Ok, "compresses and condenses without a model", None)));
        }
        if matches!(provider.state, ProviderState::NeedsKey | ProviderState::Disabled) {
            // Nobody wants a line for each of the shipped providers that they do not use.
            return Ok(None);
        }
        if probe {
            let tested = match self.test_provider(&ProviderParams { provider: provider.name.clone() }).await {
                Ok(tested) => tested,
                Err(failure) if failure.code == ErrorCode::NotFound => return Ok(None),
                Err(failure) => return Err(failure),
            };
            let status = if tested.ok { CheckStatus::Ok } else { CheckStatus::Fail };
            let fix = (!tested.ok).then(|| {
                format!(
                    "check its key and address, then `lwa doctor --probe`; or set `[providers.{}] enabled = false`",
                    provider.name
                )
            });
            return Ok(Some(check(id, status, tested.detail, fix)));
        }
        Ok(Some(match provider.state {
            ProviderState::Ready => check(id, CheckStatus::Ok, "the last call succeeded", None),
            ProviderState::Failing => check(
                id,
                CheckStatus::Warn,
                provider.detail.clone().unwrap_or_default(),
                Some("`lwa doctor --probe` tries it again".to_owned()),
            ),
            _ => check(
                id,
                CheckStatus::Ok,
                "unverified: configured and not tried yet",
                Some("`lwa doctor --probe` tries it".to_owned()),
            ),
        }))
    }
}

fn summary(checks: Vec<Check>) -> Diagnosis {
    let level = checks.iter().map(|check| check.status).max().unwrap_or(CheckStatus::Ok);
    let of = |status: CheckStatus| -> Vec<String> {
        checks
            .iter()
            .filter(|check| check.status == status)
            .map(|check| format!("{}: {}", check.id, check.detail))
            .collect()
    };
    let (hard_blockers, soft_blockers) = (of(CheckStatus::Fail), of(CheckStatus::Warn));
    let mut worst_first: Vec<&Check> = checks.iter().filter(|check| check.status != CheckStatus::Ok).collect();
    worst_first.sort_by_key(|check| std::cmp::Reverse(check.status));
    let next_actions = worst_first.into_iter().filter_map(|check| check.fix.clone()).collect();
    Diagnosis { level, checks, hard_blockers, soft_blockers, next_actions }
}
