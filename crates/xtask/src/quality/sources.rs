//! Reads the two result sets from checkouts of their repositories.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lwa_domain::tokens::estimate_tokens;
use serde_json::Value;

use super::rows::{Fingerprint, Row, Set};
use super::table::records;

const WEAK: &str = "mistralai/Mixtral-8x7B-Instruct-v0.1";
const STRONG: &str = "gpt-4-1106-preview";
/// The strong model's answers cost three times its input, by its list price of 2024.
const OUTPUT_WEIGHT: f64 = 3.0;

/// The checkouts.
#[derive(Debug, Clone)]
pub struct Folders {
    /// Of `lm-sys/RouteLLM`.
    pub routellm: PathBuf,
    /// Of `RouteWorks/RouterArena`.
    pub routerarena: PathBuf,
}

/// The three sets: `mmlu`, `gsm8k`, `routerarena`.
///
/// # Errors
/// A file is missing or has another shape.
pub fn read(folders: &Folders) -> Result<Vec<Set>> {
    let evals = folders.routellm.join("routellm/evals");
    Ok(vec![
        mmlu(&evals.join("mmlu/responses"))?,
        gsm8k(&evals.join("gsm8k/gsm8k_responses.csv"))?,
        router_arena(&folders.routerarena.join("cached_results"))?,
    ])
}

fn pair(name: &str, bill_unit: &str) -> Set {
    Set {
        name: name.to_owned(),
        cheap_model: "Mixtral-8x7B-Instruct-v0.1".to_owned(),
        strong_model: STRONG.to_owned(),
        bill_unit: bill_unit.to_owned(),
        subjects: Vec::new(),
        rows: Vec::new(),
        fingerprint: String::new(),
    }
}

fn mmlu(folder: &Path) -> Result<Set> {
    let mut set = pair("mmlu", "estimated input tokens; an answer is one letter");
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut fingerprint = Fingerprint::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(subject) = name.strip_prefix("mmlu_").and_then(|name| name.strip_suffix(".csv")) else { continue };
        let text = text_of(&path)?;
        fingerprint = fingerprint.add(text.as_bytes());
        for [prompt, cheap, strong] in cells(&text, ["prompt", WEAK, STRONG]).with_context(|| bad(&path))? {
            let bill = count(estimate_tokens(&prompt));
            set.rows.push(Row {
                subject: set.subjects.len(),
                prompt,
                cheap: truth(&cheap)?,
                strong: truth(&strong)?,
                cheap_bill: 0.0,
                strong_bill: bill,
            });
        }
        set.subjects.push(subject.to_owned());
    }
    finish(set, fingerprint)
}

fn gsm8k(path: &Path) -> Result<Set> {
    let mut set = pair("gsm8k", "estimated input tokens plus three times estimated output tokens");
    set.subjects.push("grade_school_math".to_owned());
    let text = text_of(path)?;
    let reply = format!("{STRONG}_response");
    for [prompt, cheap, strong, reply] in cells(&text, ["prompt", WEAK, STRONG, &reply]).with_context(|| bad(path))? {
        let strong_bill = count(estimate_tokens(&prompt)) + OUTPUT_WEIGHT * count(estimate_tokens(&reply));
        let (cheap, strong) = (truth(&cheap)?, truth(&strong)?);
        set.rows.push(Row { subject: 0, prompt, cheap, strong, cheap_bill: 0.0, strong_bill });
    }
    finish(set, Fingerprint::new().add(text.as_bytes()))
}

/// What one model made of a question of `RouterArena`.
struct Graded {
    question: String,
    score: f64,
    cost: f64,
}

fn router_arena(folder: &Path) -> Result<Set> {
    let mut set = Set {
        cheap_model: "claude-3-haiku-20240307".to_owned(),
        strong_model: "gemini-2.0-flash-001".to_owned(),
        ..pair("routerarena", "recorded cost in US dollars")
    };
    let path = |model: &str| folder.join(format!("{model}.jsonl"));
    let (cheap_text, strong_text) = (text_of(&path(&set.cheap_model))?, text_of(&path(&set.strong_model))?);
    let cheap = graded(&cheap_text).with_context(|| bad(&path(&set.cheap_model)))?;
    let mut strong = graded(&strong_text).with_context(|| bad(&path(&set.strong_model)))?;
    for (index, cheap) in cheap {
        // Which subject a row belongs to stands before the last underscore of its name.
        let subject = index.rsplit_once('_').map_or(index.as_str(), |(subject, _)| subject);
        let Some(strong) = strong.remove(&index) else { bail!("`{index}` has one result of two") };
        let known = set.subjects.iter().position(|known| known == subject);
        let place = known.unwrap_or_else(|| {
            set.subjects.push(subject.to_owned());
            set.subjects.len() - 1
        });
        set.rows.push(Row {
            subject: place,
            prompt: cheap.question,
            cheap: cheap.score,
            strong: strong.score,
            cheap_bill: cheap.cost,
            strong_bill: strong.cost,
        });
    }
    finish(set, Fingerprint::new().add(cheap_text.as_bytes()).add(strong_text.as_bytes()))
}

fn graded(text: &str) -> Result<BTreeMap<String, Graded>> {
    let mut found = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).context("a line is no JSON")?;
        let index = value["global_index"].as_str().context("a line has no `global_index`")?;
        let result = &value["evaluation_result"];
        let graded = Graded {
            question: value["question"].as_str().context("a line has no `question`")?.to_owned(),
            score: result["score"].as_f64().context("a line has no score")?,
            cost: result["inference_cost"].as_f64().context("a line has no cost")?,
        };
        found.insert(index.to_owned(), graded);
    }
    Ok(found)
}

fn finish(set: Set, fingerprint: Fingerprint) -> Result<Set> {
    if set.rows.is_empty() {
        bail!("the set `{}` has no rows", set.name);
    }
    Ok(Set { fingerprint: format!("{:016x}", fingerprint.value()), ..set })
}

/// The cells below the named headings, record by record.
fn cells<const N: usize>(text: &str, names: [&str; N]) -> Result<Vec<[String; N]>> {
    let mut records = records(text)?.into_iter();
    let heading = records.next().unwrap_or_default();
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        *place = heading.iter().position(|cell| cell == name).with_context(|| format!("no column `{name}`"))?;
    }
    Ok(records.map(|mut record| places.map(|place| std::mem::take(&mut record[place]))).collect())
}

fn text_of(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

fn bad(path: &Path) -> String {
    format!("`{}` has another shape than expected", path.display())
}

fn truth(cell: &str) -> Result<f64> {
    match cell {
        "True" => Ok(1.0),
        "False" => Ok(0.0),
        _ => bail!("a result is neither `True` nor `False`"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts of prompts are far below 2^52")]
fn count(tokens: u64) -> f64 {
    tokens as f64
}
