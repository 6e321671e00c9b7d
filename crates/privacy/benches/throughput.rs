//! Megabytes a second of the deterministic scrub on one core, over mixed text that this program makes itself.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use lwa_privacy::egress::{KnownSecrets, scrub_secrets};
use lwa_privacy::{Exposure, Kind, Scrubber, Vault, Visibility};

/// A small generator of numbers, so that every run measures the same text.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn word<'w>(&mut self, words: &[&'w str]) -> &'w str {
        let index = usize::try_from(self.below(words.len() as u64)).unwrap_or(0);
        words.get(index).copied().unwrap_or_default()
    }
}

const WORDS: &[&str] = &[
    "the", "build", "server", "request", "handler", "returns", "when", "value", "config", "failed", "after", "waiting",
    "module", "please", "check", "that", "every", "session", "keeps", "its", "own", "state", "and", "report", "of",
    "compile", "warning", "unused", "import", "thread", "worker", "finished", "within", "limits", "option", "message",
];

/// Log lines, a listing, a diff, JSON and prose in turn.
fn mixed(size: usize, with_private: bool) -> String {
    let mut random = Random(0x5EED_1234_ABCD_0001);
    let mut text = String::with_capacity(size + 256);
    while text.len() < size {
        let line = match random.below(9) {
            0 => writeln!(
                text,
                "2026-11-29T19:{:02}:{:02}.{:03}Z INFO  service::{}: request_id={:08x}-{:04x}-4{:03x}-a{:03x}-{:012x} took {} ms",
                random.below(60),
                random.below(60),
                random.below(1000),
                random.word(WORDS),
                random.below(1 << 32),
                random.below(1 << 16),
                random.below(1 << 12),
                random.below(1 << 12),
                random.below(1 << 48),
                random.below(900)
            ),
            1 => writeln!(
                text,
                "-rw-r--r--  1 build staff {:>9} Nov 29 19:{:02} src/{}/{}.rs",
                random.below(1 << 20),
                random.below(60),
                random.word(WORDS),
                random.word(WORDS)
            ),
            2 => writeln!(
                text,
                "+    let {} = {}.{}(&self.{}, {})?;",
                random.word(WORDS),
                random.word(WORDS),
                random.word(WORDS),
                random.word(WORDS),
                random.below(100)
            ),
            3 => writeln!(
                text,
                "-        if {}.is_empty() {{ return Err(Error::{}); }}",
                random.word(WORDS),
                random.word(WORDS)
            ),
            4 => writeln!(
                text,
                "  {{\"name\": \"{}\", \"status\": \"{}\", \"count\": {}, \"path\": \"/srv/{}/{}.json\"}},",
                random.word(WORDS),
                random.word(WORDS),
                random.below(10000),
                random.word(WORDS),
                random.word(WORDS)
            ),
            5 => writeln!(
                text,
                "   Compiling {}-{} v{}.{}.{}",
                random.word(WORDS),
                random.word(WORDS),
                random.below(9),
                random.below(90),
                random.below(300)
            ),
            6 => writeln!(
                text,
                "test {}::{}_{}_{} ... ok",
                random.word(WORDS),
                random.word(WORDS),
                random.word(WORDS),
                random.word(WORDS)
            ),
            7 => writeln!(
                text,
                "commit {:016x}{:016x}{:08x}\nAuthor: {} {}\nDate:   Sun Nov 29 19:29:{:02} 2026",
                random.next(),
                random.next(),
                random.below(1 << 32),
                random.word(WORDS),
                random.word(WORDS),
                random.below(60)
            ),
            _ => {
                for _ in 0..random.below(30) {
                    let _ = write!(text, "{} ", random.word(WORDS));
                }
                writeln!(text)
            }
        };
        let _ = line;
        if with_private && random.below(200) == 0 {
            let _ = writeln!(
                text,
                "api_token={:016x}{:04x} for user{}@example.org from 203.0.113.{}",
                random.next(),
                random.below(1 << 16),
                random.below(50),
                random.below(200)
            );
        }
    }
    text
}

/// The time that this thread has worked, where the system tells it, so that other programs do not count.
fn worked(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|field| field.parse().ok());
    nanos.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn measure(name: &str, text: &str, mut pass: impl FnMut(&str) -> usize) {
    // The system counts in steps of some milliseconds, so short texts are taken many times.
    let rounds = u32::try_from(8_000_000 / text.len().max(1)).unwrap_or(1).max(1);
    let mut best = Duration::MAX;
    let mut found = 0;
    for _ in 0..5 {
        let start = Instant::now();
        let before = worked(start);
        for _ in 0..rounds {
            found = black_box(pass(black_box(text)));
        }
        best = best.min((worked(start).saturating_sub(before) / rounds).max(Duration::from_nanos(1)));
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let speed = text.len() as f64 / best.as_secs_f64() / 1e6;
    println!("{name:<44} {speed:>8.1} MB/s  {found:>6} found  {:>9.3} ms", best.as_secs_f64() * 1e3);
}

fn main() {
    let clean = mixed(8_000_000, false);
    let private = mixed(8_000_000, true);
    let material = &private[..(390_000..400_000).find(|&at| private.is_char_boundary(at)).unwrap_or(0)];
    let none = KnownSecrets::none();
    measure("egress, clean", &clean, |text| scrub_secrets(text, &none).found.len());
    measure("egress, with private values", &private, |text| scrub_secrets(text, &none).found.len());
    measure("egress, 400 KB", material, |text| scrub_secrets(text, &none).found.len());
    let mut random = Random(77);
    let values: Vec<String> =
        (0..10_000).map(|_| format!("{:016x}-{:08x}", random.next(), random.below(1 << 32))).collect();
    let known: KnownSecrets = values.iter().take(1000).collect();
    measure("egress, 1000 known values", &private, |text| scrub_secrets(text, &known).found.len());

    let scrubber = Scrubber::new();
    let assist = Exposure::assist(Visibility::Open, Visibility::Masked);
    for (name, exposure) in [("pii", Exposure::pii()), ("assist, identity open", assist)] {
        let mut vault = Vault::new();
        measure(&format!("{name}, clean"), &clean, |text| {
            scrubber.scrub(&mut vault, text, exposure).map_or(0, |result| result.found.len())
        });
        let mut vault = Vault::new();
        measure(&format!("{name}, with private values"), &private, |text| {
            scrubber.scrub(&mut vault, text, exposure).map_or(0, |result| result.found.len())
        });
        let mut vault = Vault::new();
        measure(&format!("{name}, 400 KB"), material, |text| {
            scrubber.scrub(&mut vault, text, exposure).map_or(0, |result| result.found.len())
        });
        for count in [1000, 10_000] {
            let mut vault = Vault::new();
            for value in values.iter().take(count) {
                vault.mint(Kind::Secret, value);
            }
            measure(&format!("{name}, {count} values in the vault"), &private, |text| {
                scrubber.scrub(&mut vault, text, exposure).map_or(0, |result| result.found.len())
            });
        }
    }
    let all = values.concat();
    measure("10,000 values into a vault", &all, |_| {
        let mut vault = Vault::new();
        for value in &values {
            vault.mint(Kind::Secret, value);
        }
        vault.take_records().iter().filter(|record| !record.to_line().is_empty()).count()
    });
    for (name, text) in hostile() {
        let mut vault = Vault::new();
        measure(&format!("hostile: {name}"), &text, |text| {
            scrubber.scrub(&mut vault, text, Exposure::pii()).map_or(0, |result| result.found.len())
        });
    }
}

/// Texts that make a careless scanner slow.
fn hostile() -> Vec<(&'static str, String)> {
    let header = ["-----BEGIN ", "PRIVATE KEY-----\n"].concat();
    [
        ("unclosed key headers", header.as_str()),
        ("one letter", "a"),
        ("digits", "7"),
        ("1-", "1-"),
        ("1 ", "1 "),
        ("quotes", "password=\""),
        ("colons", "token:"),
        ("at signs", "a@"),
        ("percent", "%41"),
        ("base64", "QUJD"),
        ("brackets", "[EMAIL-"),
        ("urls", "x://"),
        ("accents", "é"),
        ("escapes", "\u{1B}[1m"),
        ("names", "Dr Ines "),
        ("curl", "curl -u "),
        ("passwords", "password is is is "),
    ]
    .into_iter()
    .map(|(name, unit)| (name, unit.repeat(400_000 / unit.len())))
    .collect()
}
