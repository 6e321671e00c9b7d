//! Putting a tool into use: a question to the human that names one content, and never a yes of ours.

use std::time::Duration;

use lwa_domain::{ApprovalId, ApprovalKind, ErrorCode, Outcome};
use lwa_library::{ContentId, Library, Manifest, Slug, ToolKind, ToolStatus, ToolView};
use lwa_protocol::Failure;
use lwa_protocol::approval::{Answer, ApprovalDetail, ScriptDetail};
use lwa_protocol::library::{LibraryApproveParams, LibraryApproved};
use lwa_protocol::plan::ApproveStatus;
use serde_json::json;

use super::views;
use crate::approve::MAX_HOLD;
use crate::broker::{CARRY, Question, short};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::failure;

/// How much of a content the question shows, in bytes. All of it is in the file that the question names.
const SHOWN: usize = 8000;
/// Who approves, as the library writes it down. Which surface it was is in the question's own record.
const BY: &str = "user";

impl Engine {
    /// `library/approve`: opens the question, or attaches to it, and waits as long as the caller can.
    ///
    /// # Errors
    /// There is none of this name, or its files cannot be read.
    pub async fn approve_tool(
        &self,
        caller: &Caller,
        params: &LibraryApproveParams,
    ) -> Result<LibraryApproved, Failure> {
        let name = params.slug.clone();
        let view = self.shelf("read", move |library| library.read(&library.find(&name)?.slug)).await?;
        let manifest = &view.manifest;
        if manifest.status == ToolStatus::Active && manifest.approved {
            let message = "it is in use already";
            return Ok(answer(ApproveStatus::Ready, message.to_owned(), None, manifest));
        }
        let merge_key = format!("script:{}:{}", manifest.slug, view.content_id);
        let recent = self.db.recent_answer(&merge_key, self.now() - CARRY).await.map_err(failure::store)?;
        if recent.is_some_and(|record| record.outcome == Some(Outcome::Denied)) {
            let message = "the human said no a moment ago; do not ask again for this content";
            return Ok(answer(ApproveStatus::Denied, message.to_owned(), None, manifest));
        }
        let question = self.script_question(&view, merge_key).await?;
        let (engine, asking) = (self.clone(), caller.clone());
        let opened = self.to_the_end(async move { engine.open_question(question, Some(&asking), None).await }).await?;
        let Some(approval) = opened else {
            let message = "the question lost its reason; ask again";
            return Ok(answer(ApproveStatus::Withdrawn, message.to_owned(), None, manifest));
        };
        let id = approval.id;
        if !self.can_ask(caller).await {
            let how = format!(
                "there is no window or terminal to ask in: open the Lwa app, or run `lwa approvals allow {}` in a terminal of your own; then repeat this call",
                short(&id)
            );
            return Ok(answer(ApproveStatus::Unavailable, how, Some(id), manifest));
        }
        let hold = Duration::from_millis(u64::from(params.hold_ms)).min(MAX_HOLD);
        let ended = self.wait_for_answer(&id, hold).await?;
        let slug = manifest.slug.clone();
        let now = self.shelf("find", move |library| library.get(&slug)).await?;
        let (status, message) = match ended.map(|ended| ended.outcome) {
            None => (ApproveStatus::ApprovalPending, "the human has not answered yet; repeat this call"),
            Some(outcome) if outcome.is_allowed() && now.status == ToolStatus::Active && now.approved => {
                (ApproveStatus::Ready, "the human said yes, and it is in use")
            }
            Some(outcome) if outcome.is_allowed() => (
                ApproveStatus::Withdrawn,
                "the human said yes to a content that is no longer there; repeat this call to ask about the new one",
            ),
            Some(Outcome::Denied) => (ApproveStatus::Denied, "the human said no; it stays out of use"),
            Some(Outcome::Dismissed) => (ApproveStatus::Dismissed, "no answer, which is no yes; it stays out of use"),
            Some(Outcome::TimedOut) => (ApproveStatus::TimedOut, "nobody answered in time; it stays out of use"),
            Some(_) => (ApproveStatus::Withdrawn, "the question was withdrawn; repeat this call to ask again"),
        };
        Ok(answer(status, message.to_owned(), Some(id), &now))
    }

    async fn script_question(&self, view: &ToolView, merge_key: String) -> Result<Question, Failure> {
        let manifest = &view.manifest;
        let is_script = manifest.kind == ToolKind::Script;
        let is_sandboxed = if is_script { self.has_whole_sandbox().await? } else { false };
        let shown = view.content.get(..view.content.floor_char_boundary(SHOWN)).unwrap_or(&view.content);
        let name = on_one_line(&manifest.name);
        let (title, consequence, file) = if is_script {
            let surroundings = if is_sandboxed {
                "in a sandbox without a network"
            } else {
                "without a whole sandbox, since this system has none"
            };
            let switched = if self.configuration.in_force().library.allow_reviewed_script_execution {
                ""
            } else {
                " Scripts are switched off by the configuration, and stay so."
            };
            (
                format!("Let the script “{name}” run from now on?"),
                format!(
                    "Agents may run exactly this content on this machine, {surroundings}, until it is changed or disabled.{switched}"
                ),
                manifest.entrypoint.as_str(),
            )
        } else {
            (
                format!("Put the recipe “{name}” into use?"),
                "Agents may prepare plans with this text; each plan is asked about like any other.".to_owned(),
                "tool.yaml",
            )
        };
        Ok(Question {
            kind: ApprovalKind::Script,
            merge_key,
            title,
            detail: ApprovalDetail::Script(ScriptDetail {
                slug: manifest.slug.to_string(),
                name,
                description: on_one_line(&manifest.description),
                path: view.folder.join(file).display().to_string(),
                sha256: view.content_id.to_string(),
                bytes: u32::try_from(view.content.len()).unwrap_or(u32::MAX),
                source: shown.to_owned(),
                is_source_whole: shown.len() == view.content.len(),
                is_sandboxed,
                tool_kind: manifest.kind.as_str().to_owned(),
            }),
            consequence,
            is_serious: is_script,
            // The answer is about a content and lasts as long as the content does.
            offers: vec![Answer::AllowAlways],
            variants: Vec::new(),
        })
    }

    /// A human said yes to the content that the question showed. What lies there now is looked at again.
    pub(crate) async fn script_was_approved(&self, script: &ScriptDetail) -> Result<(), Failure> {
        let parse = |error: lwa_library::LibraryError| super::failure_of(&error);
        let slug: Slug = script.slug.parse().map_err(parse)?;
        let approved: ContentId = script.sha256.parse().map_err(parse)?;
        let _turn = self.library.turn.lock().await;
        let (name, content) = (slug.clone(), approved.clone());
        let done = self.shelf("approve", move |library| put_into_use(library, &name, &content)).await;
        if done.is_ok() {
            self.index_again().await;
        }
        let decision = if done.is_ok() { "allow" } else { "refused" };
        let detail = json!({ "content": approved.short() });
        self.note_tool(None, "library.approved", slug.as_str(), Some(decision), detail).await?;
        done.map(drop)
    }
}

fn put_into_use(library: &Library, slug: &Slug, approved: &ContentId) -> Result<Manifest, lwa_library::LibraryError> {
    let view = library.read(slug)?;
    match view.manifest.kind {
        ToolKind::Script => library.approve_script(slug, approved, BY),
        ToolKind::PromptRecipe if view.content_id == *approved => library.activate(slug),
        ToolKind::PromptRecipe => {
            Err(lwa_library::LibraryError::OtherContent { slug: slug.clone(), approved: approved.clone() })
        }
    }
}

/// The text without line ends and control characters, since it stands in a question.
fn on_one_line(text: &str) -> String {
    text.split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn answer(
    status: ApproveStatus,
    message: String,
    approval_id: Option<ApprovalId>,
    manifest: &Manifest,
) -> LibraryApproved {
    LibraryApproved { status, message, approval_id, tool: views::tool(manifest) }
}

impl Engine {
    async fn has_whole_sandbox(&self) -> Result<bool, Failure> {
        let surroundings = self.script_surroundings();
        super::blocking("probe", move || surroundings.has_whole_sandbox())
            .await
            .map_err(|failure| Failure { code: ErrorCode::Internal, ..failure })
    }
}
