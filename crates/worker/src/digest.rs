//! The digest: what the caller gets in place of material.
//!
//! One reading for short material, one for each part of long material and then a merge. A part that cannot be read is
//! named in the answer with its lines; the rest is answered. Without a model the condenser does the work.

mod builtin;
mod chunks;
mod fence;
mod finalize;
mod prompt;

use std::fmt::{self, Write as _};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time::Instant;

pub use builtin::BUILTIN;
pub use chunks::LineRange;
pub(crate) use chunks::{Chunk, head, split};
pub(crate) use fence::{Fence, one_line};
pub use prompt::DEFAULT_TASK;

use crate::mode::Mode;
use crate::model::{ChatModel, ChatRequest, Finish, ModelError, Reply};

/// How a command ended, as far as the reader of its output should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnd {
    /// With this code.
    Exited(i32),
    /// By a signal that we did not send.
    Signalled,
    /// By us, after this many seconds.
    KilledAfter(u64),
}

/// Material and what is wanted of it. It is in clear, so `Debug` prints lengths.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// What is wanted; blank for the usual task.
    pub task: &'a str,
    /// The material.
    pub material: &'a str,
    /// Where it comes from.
    pub source: &'a str,
    /// Whether it was put together from several sources, so that its line numbers are those of no file.
    pub is_combined: bool,
    /// Whether its middle was dropped because it was too long.
    pub is_truncated: bool,
    /// How the command ended whose output it is.
    pub end: Option<CommandEnd>,
    /// The rules for the answer.
    pub mode: Mode,
    /// The memory of the session, in clear.
    pub context: &'a str,
    /// The longest answer.
    pub most_output_chars: usize,
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("task_bytes", &self.task.len())
            .field("material_bytes", &self.material.len())
            .field("end", &self.end)
            .field("mode", &self.mode)
            .field("most_output_chars", &self.most_output_chars)
            .finish_non_exhaustive()
    }
}

/// Sizes and times of the calls for one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest part that is read at once.
    pub chunk_chars: usize,
    /// How many parts are read at the same time.
    pub parallel: usize,
    /// The longest answer of one call.
    pub most_tokens: u32,
    /// The longest time of one call, retries and the second worker included.
    pub call_timeout: Duration,
    /// The end of the whole job.
    pub deadline: Instant,
}

impl Limits {
    /// The usual sizes, and this end.
    pub fn until(deadline: Instant) -> Self {
        Self { chunk_chars: 24_000, parallel: 4, most_tokens: 8192, call_timeout: Duration::from_mins(5), deadline }
    }

    /// The end of a call that begins now.
    pub(crate) fn call_deadline(&self) -> Instant {
        self.deadline.min(Instant::now() + self.call_timeout)
    }

    /// Room for an answer of so many characters.
    pub(crate) fn tokens_for(&self, chars: usize) -> u32 {
        let wanted = u32::try_from(chars / 3 + 256).unwrap_or(u32::MAX);
        wanted.max(400).min(self.most_tokens)
    }
}

/// A part of the material that no answer covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPart {
    /// Its lines.
    pub lines: LineRange,
    /// Why.
    pub error: ModelError,
}

/// An answer. It may hold private values, so `Debug` prints the length of its text.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest {
    /// The answer, with a last line for each part that it lacks.
    pub text: String,
    /// The model that gave it, or [`BUILTIN`].
    pub model: String,
    /// The number of parts that the material was read in.
    pub chunks: usize,
    /// Whether a second call settled a draft that changed its mind.
    pub is_finalized: bool,
    /// False if the answers for the parts stand one after the other because the merge failed.
    pub is_merged: bool,
    /// Whether the answer ended at the limit of its tokens, or was longer than what was asked for.
    pub is_cut: bool,
    /// What no answer covers.
    pub missing: Vec<MissingPart>,
    /// From the first call to the last.
    pub elapsed: Duration,
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Digest")
            .field("text_bytes", &self.text.len())
            .field("model", &self.model)
            .field("chunks", &self.chunks)
            .field("is_finalized", &self.is_finalized)
            .field("is_merged", &self.is_merged)
            .field("is_cut", &self.is_cut)
            .field("missing", &self.missing)
            .field("elapsed", &self.elapsed)
            .finish()
    }
}

/// Answers the job, with the condenser if there is no model.
///
/// # Errors
/// No part of the material could be read; the error is that of the first one.
pub async fn digest(model: Option<&dyn ChatModel>, job: &Job<'_>, limits: &Limits) -> Result<Digest, ModelError> {
    let Some(model) = model else { return Ok(builtin::digest(job)) };
    let started = Instant::now();
    let reader = Reader { model, job, limits, system: prompt::system(job) };
    let chunks = split(job.material, limits.chunk_chars);
    let mut read = reader.read_all(&chunks).await?;
    let draft = reader.merge_all(std::mem::take(&mut read.answers)).await;
    let mut digest = Digest {
        text: draft.reply.text,
        model: draft.reply.model,
        chunks: chunks.len(),
        is_finalized: false,
        is_merged: draft.is_merged,
        is_cut: draft.reply.finish == Finish::TokenLimit,
        missing: read.missing,
        elapsed: Duration::ZERO,
    };
    if draft.is_merged
        && finalize::is_unsettled(&digest.text)
        && let Some(settled) = reader.finalize(&digest.text).await
    {
        digest.is_finalized = true;
        digest.is_cut = settled.finish == Finish::TokenLimit;
        digest.text = settled.text;
        digest.model = settled.model;
    }
    within_budget(&mut digest, job.most_output_chars);
    digest.elapsed = started.elapsed();
    Ok(digest)
}

/// Adds the remarks, and cuts the answer so that both together are no longer than the caller wanted.
///
/// What is missing is said in any case; the answer keeps at least half of the room.
fn within_budget(digest: &mut Digest, most_chars: usize) {
    let remarks = remarks(digest);
    let room = most_chars.saturating_sub(remarks.chars().count()).max(most_chars / 2);
    if digest.text.chars().count() > room {
        let note = format!("\n[the answer goes on; {most_chars} characters were asked for]");
        let kept = head(&digest.text, room.saturating_sub(note.chars().count()));
        let end = match kept.rfind('\n') {
            Some(line) if line > kept.len() / 2 => line,
            _ => kept.rfind(char::is_whitespace).filter(|blank| *blank > kept.len() / 2).unwrap_or(kept.len()),
        };
        digest.text.truncate(end);
        // With room for less than the note, the mark in the result is all that says so.
        if room > note.chars().count() {
            digest.text.push_str(&note);
        }
        digest.is_cut = true;
    }
    digest.text.push_str(&remarks);
}

/// What the reader has to know about an answer that is not whole.
fn remarks(digest: &Digest) -> String {
    let mut text = String::new();
    if digest.is_cut {
        text.push_str("\n[the answer ends here because it reached the limit of its tokens]");
    }
    if !digest.is_merged {
        text.push_str("\n[the answers for the parts could not be merged and stand one after the other]");
    }
    text.push_str(&missing_remark(&digest.missing));
    text
}

/// The lines that no answer covers, with their reasons, the same reason once.
fn missing_remark(missing: &[MissingPart]) -> String {
    let mut by_reason: Vec<(String, Vec<String>)> = Vec::new();
    for MissingPart { lines, error } in missing {
        let (reason, lines) = (error.to_string(), lines.to_string());
        match by_reason.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, of_reason)) => of_reason.push(lines),
            None => by_reason.push((reason, vec![lines])),
        }
    }
    by_reason.iter().fold(String::new(), |mut text, (reason, lines)| {
        let _ = write!(text, "\n[lines {} are missing from this answer: {reason}]", lines.join(", "));
        text
    })
}

/// The answers for parts, and the parts without one.
struct Read {
    answers: Vec<Partial>,
    missing: Vec<MissingPart>,
}

/// An answer for some of the material.
struct Partial {
    lines: LineRange,
    reply: Reply,
}

/// An answer for all of it.
struct Draft {
    reply: Reply,
    is_merged: bool,
}

struct Reader<'r> {
    model: &'r dyn ChatModel,
    job: &'r Job<'r>,
    limits: &'r Limits,
    system: String,
}

impl Reader<'_> {
    /// Reads every part, several at a time. One that fails does not stop the others.
    async fn read_all(&self, chunks: &[Chunk<'_>]) -> Result<Read, ModelError> {
        let of = chunks.len();
        // Made before they are polled: a closure inside a stream that lives across an await cannot be sent to a thread.
        let calls: Vec<_> = chunks
            .iter()
            .map(|chunk| async move { (chunk.lines, self.ask(prompt::part(self.job, chunk, of)).await) })
            .collect();
        let results: Vec<_> = stream::iter(calls).buffered(self.limits.parallel.max(1)).collect().await;
        let mut read = Read { answers: Vec::new(), missing: Vec::new() };
        for (lines, result) in results {
            match result {
                Ok(reply) => read.answers.push(Partial { lines, reply }),
                Err(error) => read.missing.push(MissingPart { lines, error }),
            }
        }
        match read.missing.first() {
            Some(first) if read.answers.is_empty() => Err(first.error.clone()),
            _ => Ok(read),
        }
    }

    /// Merges answers until one is left, in rounds when they are too long for one reading.
    async fn merge_all(&self, mut answers: Vec<Partial>) -> Draft {
        while answers.len() > 1 {
            let groups = self.groups(answers);
            let merges: Vec<_> = groups.into_iter().map(|group| self.merge(group)).collect();
            let results: Vec<_> = stream::iter(merges).buffered(self.limits.parallel.max(1)).collect().await;
            answers = Vec::with_capacity(results.len());
            let mut has_failed = false;
            for result in results {
                match result {
                    Ok(answer) => answers.push(answer),
                    Err(mut parts) => {
                        has_failed = true;
                        answers.append(&mut parts);
                    }
                }
            }
            if has_failed {
                return Draft { reply: side_by_side(answers), is_merged: false };
            }
        }
        let reply = answers.pop().map_or_else(|| side_by_side(Vec::new()), |answer| answer.reply);
        Draft { reply, is_merged: true }
    }

    /// Neighbours that fit into one reading, two at least, so that every round has fewer.
    fn groups(&self, answers: Vec<Partial>) -> Vec<Vec<Partial>> {
        let mut groups: Vec<Vec<Partial>> = Vec::new();
        let mut chars = 0;
        for answer in answers {
            let length = answer.reply.text.chars().count();
            match groups.last_mut() {
                Some(group) if group.len() < 2 || chars + length <= self.limits.chunk_chars => {
                    chars += length;
                    group.push(answer);
                }
                _ => {
                    chars = length;
                    groups.push(vec![answer]);
                }
            }
        }
        groups
    }

    /// One answer of several; they come back as they were if the call fails.
    async fn merge(&self, group: Vec<Partial>) -> Result<Partial, Vec<Partial>> {
        let lines = match (group.first(), group.last()) {
            (Some(first), Some(last)) if group.len() > 1 => {
                LineRange { first: first.lines.first, last: last.lines.last }
            }
            _ => return group.into_iter().next().ok_or_else(Vec::new),
        };
        let labelled: Vec<(String, String)> =
            group.iter().map(|answer| (format!("lines {}", answer.lines), answer.reply.text.clone())).collect();
        match self.ask(prompt::merge(self.job, &labelled)).await {
            Ok(reply) => Ok(Partial { lines, reply }),
            Err(_) => Err(group),
        }
    }

    async fn finalize(&self, draft: &str) -> Option<Reply> {
        let shape = ChatRequest { temperature: 0.1, ..self.request(String::new()) };
        self.model.chat(finalize::question(draft, &prompt::task(self.job), shape)).await.ok()
    }

    async fn ask(&self, user: String) -> Result<Reply, ModelError> {
        self.model.chat(self.request(user)).await
    }

    fn request(&self, user: String) -> ChatRequest {
        ChatRequest {
            system: self.system.clone(),
            user,
            max_tokens: self.limits.tokens_for(self.job.most_output_chars),
            temperature: 0.2,
            format: None,
            deadline: self.limits.call_deadline(),
        }
    }
}

/// Answers one after the other under the lines that they are about.
fn side_by_side(answers: Vec<Partial>) -> Reply {
    let is_cut = answers.iter().any(|answer| answer.reply.finish == Finish::TokenLimit);
    let model = answers.first().map(|answer| answer.reply.model.clone()).unwrap_or_default();
    let parts: Vec<String> =
        answers.into_iter().map(|answer| format!("[lines {}]\n{}", answer.lines, answer.reply.text.trim())).collect();
    Reply {
        text: parts.join("\n\n"),
        finish: if is_cut { Finish::TokenLimit } else { Finish::Stop },
        model,
        usage: None,
        elapsed: Duration::ZERO,
    }
}
