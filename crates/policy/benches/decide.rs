//! How long a decision takes, over the labelled commands: median and slowest, in microseconds.

use std::time::Instant;

use lwa_policy::{AllowList, Context, decide};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    cmd: String,
    allow: Vec<String>,
}

#[allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement is printed, and a broken row ends it")]
fn main() {
    let context = Context::new("/home/me/project", "/home/me");
    for name in ["corpus.jsonl", "own.jsonl"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let text = std::fs::read_to_string(path).unwrap();
        let rows: Vec<Row> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut times: Vec<(f64, &str)> = Vec::new();
        for row in &rows {
            let list = AllowList::parse(&row.allow.join("\n")).unwrap();
            let mut best = f64::MAX;
            for _ in 0..7 {
                let start = Instant::now();
                std::hint::black_box(decide(&row.cmd, &list, &context));
                best = best.min(start.elapsed().as_secs_f64() * 1e6);
            }
            times.push((best, &row.cmd));
        }
        times.sort_by(|one, other| one.0.total_cmp(&other.0));
        let at = |share: usize| times.get((times.len() - 1) * share / 100).map_or(0.0, |time| time.0);
        println!(
            "{name}: {} rows, median {:.1} µs, 95 % {:.1} µs, slowest {:.1} µs",
            times.len(),
            at(50),
            at(95),
            at(100)
        );
        for (time, command) in times.iter().rev().take(3) {
            println!("  {time:.1} µs {command:?}");
        }
    }
}
