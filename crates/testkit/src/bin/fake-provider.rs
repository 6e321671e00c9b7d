//! A fake provider in a process of its own.
//!
//! `fake-provider SCENARIO` prints `{"port":N}` and serves until its standard input ends.
//! A line `calls` on standard input prints the requests so far as one line of JSON.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::scenario;
use serde_json::json;

fn main() -> io::Result<ExitCode> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "answer".to_owned());
    let Some(script) = scenario::named(&name) else {
        writeln!(io::stderr(), "unknown scenario `{name}`: expected one of {}", scenario::NAMES.join(", "))?;
        return Ok(ExitCode::from(2));
    };
    let provider = FakeProvider::start(script)?;
    say(&json!({"port": provider.port()}))?;
    for line in io::stdin().lock().lines() {
        if line?.trim() == "calls" {
            let calls: Vec<_> = provider.calls().iter().map(describe).collect();
            say(&json!(calls))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(call: &lwa_testkit::Call) -> serde_json::Value {
    json!({
        "method": call.method,
        "target": call.target,
        "headers": call.headers,
        "body": String::from_utf8_lossy(&call.body),
    })
}

fn say(value: &serde_json::Value) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{value}")?;
    stdout.flush()
}
