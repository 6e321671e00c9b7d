//! Prints the label of each piece of each text, for the comparison in `convert/agree.py`.
//!
//! Texts come as lines of JSON strings on the standard input.

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

use lwa_ner::Model;

fn main() -> Result<(), Box<dyn Error>> {
    let model = Model::load()?;
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let pieces = model.pieces(&text);
        let rows: Vec<_> = pieces.iter().map(|piece| (piece.start, piece.end, piece.output, piece.share)).collect();
        writeln!(out, "{}", serde_json::to_string(&rows)?)?;
    }
    Ok(())
}
