//! Finding tools: the index, searches and suggestions.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use lwa_domain::{ErrorCode, TaskKind};
use lwa_library::{Manifest, Query, Relevance, ToolStatus, ToolWords, WordIndex, relevance, search_text};
use lwa_protocol::library::{
    FoundTool, LibraryFound, LibraryList, LibraryListParams, LibrarySearchParams, LibrarySuggestParams,
    LibrarySuggested,
};
use lwa_protocol::plan::{LibrarySuggestion, PrepareParams};
use lwa_protocol::{Event, Failure};
use lwa_store::{LibraryCandidate, LibraryEntry, LibraryLookup};
use sha2::{Digest, Sha256};

use super::views;
use crate::engine::Engine;
use crate::{failure, tokens};

/// Grows when the same files give another index.
const INDEX_FORM: u64 = 1;
/// What the index hands over for ranking.
const CANDIDATES: u32 = 50;
/// A find is at least this relevant, in ten-thousandths: about one of five words, or a part of the name.
const FOUND: u16 = 1000;
/// What is suggested unasked fits better than what was searched for.
const SUGGESTED: u16 = 2500;
/// How much of a prompt is looked at, in bytes.
const LOOKED_AT: usize = 8000;
/// How much a tool of the same task moves forward, in ten-thousandths.
const SAME_TASK: u32 = 1500;

impl Engine {
    /// Reads the tools, and brings the index up to date when they are not those that it was built of.
    pub(crate) async fn sync_library(&self) -> Result<Vec<Manifest>, Failure> {
        let tools = self.shelf("list", |library| library.list(None)).await?;
        let mut indexed = self.db.library_index().await.map_err(failure::store)?;
        let mut changed = Vec::new();
        for tool in &tools {
            let content = content_of(tool);
            if indexed.remove(tool.slug.as_str()).as_ref() != Some(&content) {
                changed.push(entry(tool, content));
            }
        }
        // What is left there is here no more.
        let gone: Vec<String> = indexed.into_keys().collect();
        if !changed.is_empty() || !gone.is_empty() {
            self.db.change_library_index(&changed, &gone).await.map_err(failure::store)?;
            self.load_active().await?;
            self.emit(Event::LibraryChanged);
        }
        Ok(tools)
    }

    /// Takes the tools that may be suggested into memory. Whether there are any.
    pub(super) async fn load_active(&self) -> Result<bool, Failure> {
        let tools = self.db.library_tools(ToolStatus::Active.as_str()).await.map_err(failure::store)?;
        let index = WordIndex::of(tools.iter().map(|tool| (tool.name_words.as_str(), tool.words.as_str())));
        let has_any = !tools.is_empty();
        *self.library.active.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Active { tools, index });
        Ok(has_any)
    }

    /// `library/list`.
    ///
    /// # Errors
    /// The status is misspelt, or the folder cannot be used.
    pub async fn list_library(&self, params: &LibraryListParams) -> Result<LibraryList, Failure> {
        let status = status_of(params.status.as_deref())?;
        let tools = self.sync_library().await?;
        let kept = tools.iter().filter(|tool| status.is_none_or(|status| tool.status == status));
        Ok(LibraryList { tools: kept.map(views::tool).collect() })
    }

    /// `library/search`.
    ///
    /// # Errors
    /// A label is misspelt, or the folder cannot be used.
    pub async fn search_library(&self, params: &LibrarySearchParams) -> Result<LibraryFound, Failure> {
        let status = status_of(params.status.as_deref())?;
        let task = task_of(params.task.as_deref())?;
        let limit = usize::try_from(params.limit.unwrap_or(10).clamp(1, 50)).unwrap_or(50);
        let tools = self.sync_library().await?;
        if params.query.trim().is_empty() {
            let kept = tools.iter().filter(|tool| status.is_none_or(|status| tool.status == status)).take(limit);
            let kept = kept.map(|manifest| FoundTool { tool: views::tool(manifest), relevance: 0.0 });
            return Ok(LibraryFound { tools: kept.collect() });
        }
        let query = Query::of(&params.query);
        let (words, pieces) = (query.words(), query.pieces());
        let lookup =
            LibraryLookup { words: &words, pieces: &pieces, status: status.map(ToolStatus::as_str), limit: CANDIDATES };
        let candidates = self.db.library_candidates(&lookup).await.map_err(failure::store)?;
        let by_slug: HashMap<&str, &Manifest> = tools.iter().map(|tool| (tool.slug.as_str(), tool)).collect();
        let fit = |tool: &LibraryCandidate| relevance(&query, &tool.name_words, &tool.words, &tool.plain);
        let found = candidates.iter().map(|tool| (fit(tool), tool)).collect();
        let best = ranked(found, task, FOUND).into_iter().filter_map(|(fit, candidate)| {
            let manifest = by_slug.get(candidate.slug.as_str())?;
            Some(FoundTool { tool: views::tool(manifest), relevance: fit.fraction() })
        });
        Ok(LibraryFound { tools: best.take(limit).collect() })
    }

    /// `library/suggest`.
    ///
    /// # Errors
    /// The task is misspelt, or the folder cannot be used.
    pub async fn suggest_library(&self, params: &LibrarySuggestParams) -> Result<LibrarySuggested, Failure> {
        let task = task_of(params.task.as_deref())?;
        let config = self.configuration.in_force();
        if !config.library.suggest_library_tools {
            return Ok(LibrarySuggested { is_enabled: false, suggestions: Vec::new() });
        }
        self.sync_library().await?;
        let limit = params.limit.unwrap_or(config.library.max_library_suggestions).clamp(1, 50);
        // Who asks for suggestions has less to lose by a weak one than who did not ask.
        let suggestions = self.suggestions(&params.context, task, FOUND, limit);
        Ok(LibrarySuggested { is_enabled: true, suggestions })
    }

    /// Active tools that fit a request that is being prepared. What is in memory answers: no file is read, and the
    /// database is not asked.
    #[expect(
        clippy::unused_async,
        reason = "whoever prepares a plan waits for its parts, and this one happens to be quick"
    )]
    pub(crate) async fn suggest_for(&self, params: &PrepareParams) -> Vec<LibrarySuggestion> {
        let config = self.configuration.in_force();
        let limit = config.library.max_library_suggestions;
        if !config.library.suggest_library_tools || limit == 0 || params.library_tool.is_some() {
            return Vec::new();
        }
        let prompt = params.prompt.get(..params.prompt.floor_char_boundary(LOOKED_AT)).unwrap_or(&params.prompt);
        let workflow = params.workflow.as_ref();
        let texts = [
            workflow.and_then(|workflow| workflow.name.as_deref()),
            workflow.and_then(|workflow| workflow.description.as_deref()),
            Some(prompt),
        ];
        let text = texts.into_iter().flatten().collect::<Vec<_>>().join("\n");
        self.suggestions(&text, params.task.parse().ok(), SUGGESTED, limit)
    }

    fn suggestions(&self, text: &str, task: Option<TaskKind>, least: u16, limit: u32) -> Vec<LibrarySuggestion> {
        let active = self.library.active.read().unwrap_or_else(PoisonError::into_inner).clone();
        if active.tools.is_empty() {
            return Vec::new();
        }
        let fits = active.index.fits(&Query::of(text)).into_iter();
        let found = fits.filter_map(|(place, fit)| Some((fit, active.tools.get(place)?))).collect();
        let best = ranked(found, task, least).into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX));
        best.map(|(fit, tool)| LibrarySuggestion {
            slug: tool.slug.clone(),
            name: tool.name.clone(),
            description: tool.description.clone(),
            relevance_hundredths: u32::from(fit.ten_thousandths()) / 100,
        })
        .collect()
    }
}

/// The tools that may be suggested.
#[derive(Default)]
pub(super) struct Active {
    tools: Vec<LibraryCandidate>,
    index: WordIndex,
}

/// The tools that fit well enough, best first. The task at hand and the evidence move a find forward and make none.
fn ranked(
    found: Vec<(Relevance, &LibraryCandidate)>,
    task: Option<TaskKind>,
    least: u16,
) -> Vec<(Relevance, &LibraryCandidate)> {
    let order = |fit: Relevance, tool: &LibraryCandidate| {
        let same_task = if task.is_some_and(|task| task.as_str() == tool.task) { SAME_TASK } else { 0 };
        let proven = u32::from(tool.confidence) / 20 + tool.evidence.min(20) * 25;
        u32::from(fit.ten_thousandths()) + same_task + proven
    };
    let mut found: Vec<(Relevance, &LibraryCandidate)> =
        found.into_iter().filter(|(fit, _)| fit.ten_thousandths() >= least.max(1)).collect();
    found.sort_by(|(fit, one), (other_fit, other)| {
        order(*other_fit, other)
            .cmp(&order(*fit, one))
            .then_with(|| other.fit.total_cmp(&one.fit))
            .then_with(|| other.updated_at.cmp(&one.updated_at))
            .then_with(|| one.slug.cmp(&other.slug))
    });
    found
}

fn entry(manifest: &Manifest, content: String) -> LibraryEntry {
    let text = search_text(manifest);
    let words = ToolWords::of(manifest);
    LibraryEntry {
        slug: manifest.slug.to_string(),
        content,
        name: manifest.name.clone(),
        description: text.description,
        tags: text.tags,
        triggers: text.triggers,
        task: text.task,
        status: manifest.status.as_str().to_owned(),
        name_words: words.name,
        words: words.all,
        plain: words.plain,
        confidence: manifest.confidence.ten_thousandths(),
        evidence: manifest.evidence_count,
        updated_at: manifest.updated_at,
    }
}

/// The digest of everything that the index keeps of a tool.
fn content_of(tool: &Manifest) -> String {
    let mut digest = Sha256::new();
    let mut add = |part: &[u8]| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    };
    add(&INDEX_FORM.to_le_bytes());
    let text = search_text(tool);
    for part in [&text.name, &text.description, &text.tags, &text.triggers, &text.task] {
        add(part.as_bytes());
    }
    add(tool.status.as_str().as_bytes());
    add(&tool.confidence.ten_thousandths().to_le_bytes());
    add(&tool.evidence_count.to_le_bytes());
    add(&tool.updated_at.as_nanosecond().to_le_bytes());
    tokens::hex(&digest.finalize())
}

/// A status, none when it is absent or empty.
fn status_of(label: Option<&str>) -> Result<Option<ToolStatus>, Failure> {
    label.filter(|label| !label.is_empty()).map(|label| label.parse().map_err(Failure::from)).transpose()
}

/// A task, none when it is absent or empty.
fn task_of(label: Option<&str>) -> Result<Option<TaskKind>, Failure> {
    label.filter(|label| !label.is_empty()).map(|label| label.parse().map_err(Failure::from)).transpose()
}

/// A task that has to be given.
pub(super) fn required_task(label: &str) -> Result<TaskKind, Failure> {
    if label.is_empty() {
        return Err(Failure::new(ErrorCode::InvalidInput, "the task is missing")
            .hint(format!("it is one of {}", TaskKind::LABELS.join(", "))));
    }
    Ok(label.parse::<TaskKind>()?)
}
