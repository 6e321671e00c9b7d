//! What the host adds to a streamed answer.
//!
//! The host keeps an answer whole and hands no token on, so the span from first to last token can be seen in a direct
//! call alone. For both ways the time per token is the slope between a short and a long answer.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::direct::{Direct, DirectCall};
use super::figures::{Figures, Row, difference};
use super::percentiles::Percentiles;
use super::trial::{LIMIT, Trial, prepare, run};
use super::{Options, direct, upstream};

/// Tokens of the short and of the long answer.
const TOKENS: [usize; 2] = [10, 2_000];
const WARM_UP: usize = 3;

/// Measures and prints.
pub(super) fn measure(root: &Path, options: &Options, figures: &mut Figures) -> Result<()> {
    figures.heading("A streamed answer: direct, and through a plan that the host runs");
    let program = direct::build(root)?;
    let (mut of_direct, mut of_host) = (Vec::new(), Vec::new());
    for tokens in TOKENS {
        let provider = upstream::streams(tokens)?;
        let trial = Trial::new(root, provider.port())?;
        let mut client = trial.session()?;
        let mut direct = Direct::start(&program, provider.port())?;
        let (mut calls, mut runs) = (Vec::new(), Vec::new());
        // One after the other in every round, so that a disturbance of the machine hits both.
        for round in 0..WARM_UP + options.runs {
            let call = direct.call()?;
            let plan = prepare(&mut client, "Say something.")?;
            let begin = Instant::now();
            run(&mut client, &plan)?;
            let took = begin.elapsed();
            if round >= WARM_UP {
                calls.push(call);
                runs.push(took);
            }
        }
        client.close(LIMIT)?;
        let mut direct = |part: &str, of: fn(&DirectCall) -> Duration| {
            let what = format!("{tokens} tokens, {part}");
            figures.spread("providers::chat", &what, calls.iter().map(of).collect())
        };
        direct("call to first token", |call| call.first);
        direct("first to last token", |call| call.span);
        of_direct.extend(direct("total", |call| call.total));
        of_host.extend(figures.spread("run_prepared_task", &format!("{tokens} tokens, total"), runs));
    }
    for (of, pick) in [("median", median as fn(&Percentiles) -> Duration), ("least", |spread| spread.least)] {
        let (direct, host) = (per_token(&of_direct, pick)?, per_token(&of_host, pick)?);
        figures.add("providers::chat", &format!("per token, by the {of}"), Row::Difference(direct));
        figures.add("run_prepared_task", &format!("per token, by the {of}"), Row::Difference(host));
        figures.add("run_prepared_task", &format!("added per token, by the {of}"), Row::Difference(host - direct));
    }
    Ok(())
}

fn median(spread: &Percentiles) -> Duration {
    spread.median
}

/// Nanoseconds for each further token, from the short and the long answer.
fn per_token(spreads: &[Percentiles], pick: fn(&Percentiles) -> Duration) -> Result<i64> {
    let [short, long] = spreads else { anyhow::bail!("two lengths have to be measured") };
    let tokens = i64::try_from(TOKENS[1] - TOKENS[0]).context("too many tokens")?;
    Ok(difference(pick(long), pick(short)) / tokens)
}
