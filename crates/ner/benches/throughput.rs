//! How fast a text is read: characters a second, the share that the gate lets through, and the median time for a text
//! of 1,000 and of 20,000 characters. Run with `cargo bench -p lwa-ner`.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use lwa_ner::{LONGEST_TEXT, READING_TIME, Recogniser};

const ROUNDS: usize = 15;
const NAMES: [&str; 8] = ["Ines", "Bruno", "Mirela", "Tomás", "Anneke", "Farid", "Yuki", "Wanda"];
const FAMILIES: [&str; 8] = ["Faro", "Quist", "Ionescu", "Ibarra", "de Vries", "Haddad", "Mori", "Kowalska"];
const STREETS: [&str; 4] = ["Quince Street", "Harbour Road", "Calle Mayor", "Lindenweg"];

/// Letters: every line may hold a name.
fn letters(length: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        let (name, family) = (NAMES[number % 8], FAMILIES[number / 8 % 8]);
        let street = STREETS[number % 4];
        let _ = writeln!(
            text,
            "On the {}th {name} {family} wrote that the parcel for {number} {street} had not come, and asked us to call \
             back before noon.",
            number % 28 + 1
        );
        if text.len() >= length {
            break;
        }
    }
    text.truncate(length);
    text
}

/// The output of a build and its tests, with a line about a person now and then.
fn output(length: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        let _ = match number % 6 {
            0 => writeln!(text, "   Compiling lwa-part{number} v0.{number}.1 (crates/part{number})"),
            1 => writeln!(text, "test reading::case_{number:04} ... ok"),
            2 => {
                writeln!(text, "2026-11-30T04:05:{:02}.{number:03}Z DEBUG pool: {number} connections idle", number % 60)
            }
            3 => writeln!(text, "    at src/pool/inner.rs:{number}:17 in fn acquire_timeout()"),
            4 => writeln!(text, "warning: unused variable: `count_{number}`"),
            _ if number % 48 == 5 => writeln!(
                text,
                "Author: {} {} <dev{number}@example.org>",
                NAMES[number / 48 % 8],
                FAMILIES[number / 384 % 8]
            ),
            _ => writeln!(text, "  --> crates/part/src/lib.rs:{number}:{}", number % 80),
        };
        if text.len() >= length {
            break;
        }
    }
    text.truncate(length);
    text
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    let reader = Recogniser::new();
    let begun = Instant::now();
    reader.find("Ines Faro wrote to Bruno Quist.", begun + Duration::from_mins(1));
    println!("first text, with the loading of the model: {:?}", begun.elapsed());
    for (name, make) in [("letters", letters as fn(usize) -> String), ("output of tools", output)] {
        for length in [1_000, LONGEST_TEXT] {
            let text: String = make(2 * length).chars().take(length).collect();
            let (mut fresh, mut known, mut late) = (Vec::new(), Vec::new(), 0);
            let before = reader.facts();
            for _ in 0..ROUNDS {
                reader.forget();
                let begun = Instant::now();
                let found = reader.find(&text, begun + READING_TIME);
                fresh.push(begun.elapsed());
                late += usize::from(!found.unread.is_empty());
                let begun = Instant::now();
                reader.find(&text, begun + READING_TIME);
                known.push(begun.elapsed());
            }
            let after = reader.facts();
            let time = median(fresh);
            #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
            let (speed, share) = (
                length as f64 / time.as_secs_f64(),
                1.0 - (after.skipped_lines - before.skipped_lines) as f64 / (after.lines - before.lines) as f64,
            );
            println!(
                "{name}, {length} characters: median {time:.1?}, {speed:.0} characters a second, gate {:.0} %, \
                 the second time {:.2?}, not done in {READING_TIME:?}: {late} of {ROUNDS}",
                share * 100.0,
                median(known)
            );
        }
    }
}
