//! Condenses standard input: `condense [BUDGET]`.
#![expect(clippy::print_stdout, reason = "an example that prints its result")]

use std::io::Read;

use lwa_condense::{Options, condense};

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let max_output_bytes = std::env::args().nth(1).and_then(|budget| budget.parse().ok());
    print!("{}", condense(&text, &Options { max_output_bytes, ..Options::default() }).text);
    Ok(())
}
