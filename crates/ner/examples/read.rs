//! Prints what is found in a file, line by line, and what it took: `read FILE...`.

#![expect(clippy::print_stdout, reason = "a program for people")]

use std::error::Error;
use std::time::{Duration, Instant};

use lwa_ner::Recogniser;

fn main() -> Result<(), Box<dyn Error>> {
    let reader = Recogniser::new();
    for path in std::env::args().skip(1) {
        let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
        let found = reader.find(&text, Instant::now() + Duration::from_mins(10));
        for entity in found.entities {
            let value = text.get(entity.start..entity.end).unwrap_or_default();
            let line = text.get(..entity.start).unwrap_or_default().rfind('\n').map_or(0, |at| at + 1);
            let line = text.get(line..).unwrap_or_default().lines().next().unwrap_or_default();
            println!("{:?} {:.2} {value:?} in {line:?}", entity.kind, entity.score);
        }
    }
    println!("{:?}", reader.facts());
    Ok(())
}
