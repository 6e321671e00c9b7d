//! Calls a provider on a port of this machine with the client of the providers, once for each line of its input.
//!
//! `cargo xtask bench router` runs `direct_chat PORT`. Each answer is a line with the nanoseconds from the call to its
//! first token, from there to its last token, and for the whole call.

use std::io::{BufRead as _, Write as _};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lwa_providers::{ChatRequest, Endpoint, ModelProfile, ProxySettings, chat, http_client_with};

#[tokio::main]
async fn main() -> Result<()> {
    let port: u16 = std::env::args().nth(1).and_then(|text| text.parse().ok()).context("the port is missing")?;
    let client = http_client_with(&ProxySettings::default())?;
    let endpoint = Endpoint::new("bench", format!("http://127.0.0.1:{port}/v1"));
    let request = ChatRequest {
        model: "bench".to_owned(),
        system: None,
        prompt: "Say something.".to_owned(),
        max_output_tokens: 1200,
        temperature: None,
        reasoning_effort: None,
        extra_body: None,
        response_format: None,
        profile: ModelProfile::default(),
    };
    for line in std::io::stdin().lock().lines() {
        line.context("the input cannot be read")?;
        let (client, endpoint, request) = (client.clone(), endpoint.clone(), request.clone());
        // In a task of its own, as in the host: the thread that waits here is none of the runtime's own.
        let call = tokio::spawn(async move {
            let (begin, mut seen) = (Instant::now(), None::<(Instant, Instant)>);
            let answer = chat(&client, &endpoint, &request, |_| {
                let now = Instant::now();
                seen = Some((seen.map_or(now, |(first, _)| first), now));
            });
            answer.await.map(|_| (begin, seen, begin.elapsed()))
        });
        let (begin, seen, whole) = call.await.context("the call did not end")??;
        let (first, last) = seen.context("the answer has no token")?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{} {} {}", nanos(first - begin), nanos(last - first), nanos(whole))
            .and_then(|()| out.flush())
            .context("nobody reads the figures")?;
    }
    Ok(())
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
