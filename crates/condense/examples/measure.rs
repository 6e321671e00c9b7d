//! Prints how much the files given as arguments shrink and what stands of their failures and warnings.
//!
//! The words searched for here are independent of the crate's own table, so that misses show.
#![expect(clippy::print_stdout, reason = "an example that prints a table")]

use std::collections::HashSet;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use lwa_condense::{Options, condense};
use regex::Regex;

const ALERT: &str = r"(?i)error|fail|panic|warning|exception|fatal|traceback|denied|refused|timed? ?out|assert";
const IDENTIFIER: &str = r"(?:[\w.~-]*/)+[\w.-]+(?::\d+)*|\bv?\d+\.\d+(?:\.\d+)*[\w.-]*|\b[A-Z]+[-_][A-Z0-9_-]*\d+\b|\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b|\b[A-Z]\d{3,4}\b";
const ESCAPES: &str = r"\x1b\[[0-9;?]*[ -/]*[@-~]";

fn main() -> Result<(), Box<dyn Error>> {
    let alert = Regex::new(ALERT)?;
    let identifier = Regex::new(IDENTIFIER)?;
    let escapes = Regex::new(ESCAPES)?;
    println!(
        "| file | material | input bytes | output bytes | % | alert lines | kept verbatim % | identifiers kept % | ms per MB |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut shares = Vec::new();
    for path in std::env::args().skip(1) {
        let input = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        let condensed = condense(&input, &Options::default());
        let plain = escapes.replace_all(&input, "");
        // The lines of a JSON transcript are those of its texts.
        let texts = if Path::new(&path).extension().is_some_and(|extension| extension == "jsonl") {
            texts_of(&input)
        } else {
            plain.into_owned()
        };
        let alerts: HashSet<&str> =
            texts.lines().flat_map(|line| line.split('\r')).filter(|line| alert.is_match(line)).collect();
        let kept: Vec<&&str> = alerts.iter().filter(|line| condensed.text.contains(**line)).collect();
        if std::env::var_os("SHOW_MISSES").is_some() {
            for line in alerts.iter().filter(|line| !condensed.text.contains(**line)) {
                println!("missing: {line}");
            }
        }
        let identifiers: HashSet<&str> =
            alerts.iter().flat_map(|line| identifier.find_iter(line)).map(|found| found.as_str()).collect();
        let named = identifiers.iter().filter(|name| condensed.text.contains(**name)).count();
        let share = percent(condensed.output_bytes, condensed.input_bytes);
        shares.push(share);
        println!(
            "| {} | {} | {} | {} | {share:.1} | {} | {:.1} | {:.1} | {:.1} |",
            path.rsplit('/').next().unwrap_or(&path),
            condensed.material.as_str(),
            condensed.input_bytes,
            condensed.output_bytes,
            alerts.len(),
            percent(kept.len(), alerts.len()),
            percent(named, identifiers.len()),
            milliseconds(&input) / (as_f64(input.len()) / 1e6),
        );
    }
    shares.sort_by(f64::total_cmp);
    if let (Some(low), Some(high)) = (shares.get((shares.len().max(1) - 1) / 2), shares.get(shares.len() / 2)) {
        println!("\nMedian: {:.1} % of the input.", f64::midpoint(*low, *high));
    }
    scaling();
    Ok(())
}

/// All strings of all records, a line end behind each.
fn texts_of(records: &str) -> String {
    fn collect(value: &serde_json::Value, out: &mut String) {
        match value {
            serde_json::Value::String(text) => {
                out.push_str(text);
                out.push('\n');
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
            serde_json::Value::Object(fields) => fields.values().for_each(|field| collect(field, out)),
            _ => {}
        }
    }
    let mut out = String::new();
    for record in records.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        collect(&record, &mut out);
    }
    out
}

/// The least time of five runs.
fn milliseconds(input: &str) -> f64 {
    let run = || {
        let start = Instant::now();
        black_box(condense(black_box(input), &Options::default()));
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Prints the time for twice as much of the same material as a multiple.
fn scaling() {
    println!("\n| material | 2 MB, ms | 2 MB / 1 MB |\n| --- | ---: | ---: |");
    for (name, unit) in materials() {
        let text = |bytes: usize| {
            let mut text = String::with_capacity(bytes + 256);
            let mut number = 0usize;
            while text.len() < bytes {
                text.push_str(&unit.replace('#', &number.to_string()));
                number += 1;
            }
            text
        };
        let one = milliseconds(&text(1_000_000));
        let two = milliseconds(&text(2_000_000));
        println!("| {name} | {two:.1} | {:.2} |", two / one);
    }
}

fn materials() -> [(&'static str, &'static str); 13] {
    [
        ("build log", "   Compiling crate-# v1.#.0\nwarning: unused variable: `x#`\n  --> src/a.rs:#:5\n   |\n"),
        ("application log", "2026-11-02T10:00:00.#Z INFO http: served path=/a/# status=200 took=#ms\n"),
        ("distinct failures", "2026-11-02T10:00:00.#Z ERROR db: connection # refused\n"),
        ("conversation", "user: Please look at src/a_#.rs again.\nassistant: Sounds good, let me take a look.\n"),
        ("one line", "word # is followed by others, "),
        ("one word", "x"),
        ("empty lines", "\n"),
        ("short lines", "#\n"),
        ("fences", "```rust\n````\n~~~\nlet a# = 1;\n"),
        ("carriage returns", "#%\r"),
        ("escapes", "\u{1b}[31m#\u{1b}[0m\u{1b}]0;"),
        ("spaces and oks", "                                                                ok ok ok ok ok ok"),
        ("brackets", "[[[[((((\"\"\"\"````::::"),
    ]
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { as_f64(part) * 100.0 / as_f64(whole) }
}

#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
fn as_f64(number: usize) -> f64 {
    number as f64
}
