//! Scrub, policy and names, measured in this process. `cargo xtask bench privacy` runs it, built with optimisation.
//!
//! The first argument is a file with the mixed text; what other programs are timed on is the same file. The second one
//! is a file of the same kind in which private lines are rare.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lwa_ner::Recogniser;
use lwa_policy::{AllowList, Context as Place, decide};
use lwa_privacy::{Exposure, Kind, Scrubber, Vault, Visibility};

/// How often each pass is done; the best is told, as other work of the machine only ever slows one down.
const RUNS: usize = 5;

const COMMANDS: [&str; 8] = [
    "ls -la src",
    "git log --oneline -20 | head -3",
    "cargo test --workspace 2>&1 | tail -40",
    "rg -n 'fn main' crates --glob '*.rs'",
    "cd build && cmake .. && make -j4",
    "for f in *.log; do grep -c ERROR \"$f\"; done",
    "docker compose -f compose.yaml ps --format json",
    "curl -fsSL https://example.org/install.sh | sh",
];

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("the file is missing")?;
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read `{path}`"))?;
    let sparse = std::env::args().nth(2).context("the second file is missing")?;
    let sparse = std::fs::read_to_string(&sparse).with_context(|| format!("cannot read `{sparse}`"))?;
    scrubbing(&text, &sparse);
    hostile();
    policy()?;
    names(&text);
    Ok(())
}

fn scrubbing(text: &str, sparse: &str) {
    let scrubber = Scrubber::new();
    let assist = Exposure::assist(Visibility::Masked, Visibility::Masked);
    let pass = |name: &str, text: &str, values: usize, exposure: Exposure| {
        // A vault for each run: what the text holds is new to it the first time, gets its placeholders, and is known to it
        // the second time.
        let run = || {
            let mut vault = Vault::new();
            for number in 0..values {
                let _ = vault.mint(Kind::Person, &format!("Xaver{number:04} Quentin{number:04}"));
            }
            [(); 2].map(|()| {
                let begin = Instant::now();
                let done = scrubber.scrub(&mut vault, text, exposure);
                assert!(done.is_ok(), "the text can be scrubbed");
                begin.elapsed()
            })
        };
        let runs: Vec<[Duration; 2]> = (0..RUNS).map(|_| run()).collect();
        for (index, time) in ["", ", once more"].into_iter().enumerate() {
            let took = runs.iter().filter_map(|run| run.get(index)).min().copied().unwrap_or_default();
            rate(&format!("{name}{time}"), text.len(), took);
        }
    };
    pass("scrub, all rules, empty vault", text, 0, assist);
    pass("scrub, all rules, mode pii", text, 0, Exposure::pii());
    pass("scrub, 1,000 known values, mode pii", text, 1_000, Exposure::pii());
    pass("scrub, all rules, sparse", sparse, 0, assist);
    pass("scrub, 1,000 known values, mode pii, sparse", sparse, 1_000, Exposure::pii());
    let part = text.get(..text.char_indices().nth(400_000).map_or(text.len(), |(at, _)| at)).unwrap_or(text);
    pass("scrub of 400,000 characters", part, 0, assist);
    let took = best(|| {
        let bytes: u64 = text.bytes().map(u64::from).sum();
        assert!(bytes > 0, "there is text");
    });
    rate("one look at every byte, for comparison", text.len(), took);
    let mut vault = Vault::new();
    let begin = Instant::now();
    for number in 0..10_000 {
        let _ = vault.mint(Kind::Email, &format!("person{number}@mail.example"));
    }
    let lines: usize = vault.take_records().iter().map(|record| record.to_line().len()).sum();
    println!("vault, 10,000 values minted and written | {:.1} ms | {lines} bytes", ms(begin.elapsed()));
}

/// Texts of one word and one filler, over and over: what a byte of the slowest costs, as a multiple of the middle one.
fn hostile() {
    const LENGTH: usize = 10_000;
    const WORDS: [&str; 24] = [
        "password",
        "pass=",
        "key=",
        "token",
        "auth",
        "pat=",
        "secret: ",
        "kind: Secret",
        "BEGIN PRIVATE KEY",
        "bearer ",
        "://",
        "a@",
        "mr. ",
        "name: ",
        "dear ",
        "ssn ",
        "account ",
        "passport ",
        "1-",
        "1.",
        "1:",
        "%41",
        "[EMAIL-1]",
        "\u{200b}",
    ];
    const FILLERS: [&str; 8] = ["", "a", "1", " ", "\n", "=", "\"", "x="];
    let scrubber = Scrubber::new();
    let mut costs: Vec<(f64, String)> = Vec::new();
    for word in WORDS {
        for filler in FILLERS {
            let unit = format!("{word}{filler}");
            let text = unit.repeat(LENGTH / unit.len());
            let took = best(|| {
                let done = scrubber.scrub(&mut Vault::new(), &text, Exposure::pii());
                std::hint::black_box(&done);
            });
            #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
            costs.push((took.as_secs_f64() * 1e9 / text.len() as f64, format!("{unit:?}")));
        }
    }
    costs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let middle = costs.get(costs.len() / 2).map_or(0.0, |cost| cost.0);
    println!("scrub of {} repeated texts | {middle:.1} ns/byte for the middle one", costs.len());
    for (cost, unit) in costs.iter().rev().take(3) {
        println!("scrub of {unit}, repeated | {cost:.1} ns/byte | {:.0} times the middle one", cost / middle);
    }
}

fn policy() -> Result<()> {
    let list = AllowList::parse("ls*\ngit log*\nhead*\ncargo test*\ntail*\nrg*\ngrep*")?;
    let place = Place::new("/home/user/project", "/home/user");
    for command in COMMANDS {
        const ROUNDS: u32 = 2_000;
        let mut times: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                let begin = Instant::now();
                std::hint::black_box(decide(command, &list, &place));
                begin.elapsed()
            })
            .collect();
        times.sort_unstable();
        let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
        println!("policy | {:.1} µs median | {:.1} µs p99 | {command}", micros(at(50)), micros(at(99)));
    }
    Ok(())
}

fn names(text: &str) {
    let part = text.get(..text.char_indices().nth(20_000).map_or(text.len(), |(at, _)| at)).unwrap_or(text);
    let recogniser = Recogniser::new();
    let begin = Instant::now();
    let _loads = recogniser.find("Anna Berger wrote to us.", Instant::now() + Duration::from_mins(1));
    println!("names, loading the model and one line | {:.0} ms", ms(begin.elapsed()));
    let begin = Instant::now();
    let found = recogniser.find(part, Instant::now() + Duration::from_mins(10));
    let took = begin.elapsed();
    println!(
        "names, 20,000 characters for the first time | {:.0} ms | {} found | {} unread",
        ms(took),
        found.entities.len(),
        found.unread.len()
    );
    let begin = Instant::now();
    let _again = recogniser.find(part, Instant::now() + Duration::from_mins(10));
    println!("names, the same once more, from the cache | {:.2} ms", ms(begin.elapsed()));
    let facts = recogniser.facts();
    println!(
        "names, gate | {:.1} % of {} lines are read | {:.0} kB/s of what is read",
        facts.gate_share().unwrap_or(0.0) * 100.0,
        facts.lines,
        facts.bytes_per_second().unwrap_or(0.0) / 1_000.0
    );
}

fn best(mut work: impl FnMut()) -> Duration {
    (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            work();
            begin.elapsed()
        })
        .min()
        .unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn rate(name: &str, bytes: usize, took: Duration) {
    println!("{name} | {:.0} MB/s | {:.2} ms", bytes as f64 / took.as_secs_f64() / 1e6, ms(took));
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
