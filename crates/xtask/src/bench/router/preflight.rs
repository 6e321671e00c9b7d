//! A preparation end to end: from a client's request to a plan that is durable on disk, beside one durable insert.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::figures::{Figures, Row, difference};
use super::insert::Inserts;
use super::trial::{Trial, prepare};
use super::{Options, upstream};

/// The sizes of the prompt in bytes, by name.
const PROMPTS: [(&str, usize); 3] = [("1 kB", 1_000), ("32 kB", 32_000), ("400 kB", 400_000)];
/// A row that holds next to nothing.
const SMALL_ROW: usize = 256;
/// Runs before anything is counted: the host starts, and caches fill.
const WARM_UP: usize = 5;

/// Measures and prints.
pub(super) fn measure(root: &Path, options: &Options, figures: &mut Figures) -> Result<()> {
    figures.heading("Preparation through the sidecar, durable on disk");
    let provider = upstream::documents()?;
    let trial = Trial::new(root, provider.port())?;
    let mut client = trial.session()?;
    let mut inserts = match Inserts::start(&options.python, trial.folder()) {
        Ok(inserts) => {
            println!("compared with SQLite {} in WAL mode, synchronous=FULL", inserts.version);
            Some(inserts)
        }
        Err(error) => {
            figures.add("SQLite", "one insert", Row::LeftOut(format!("{error:#}")));
            None
        }
    };
    for (name, bytes) in PROMPTS {
        let prompt = prompt_of(bytes);
        let (mut prepared, mut small, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        // One after the other in every round, so that a disturbance of the machine hits all three.
        for round in 0..WARM_UP + options.runs {
            let begin = Instant::now();
            prepare(&mut client, &prompt)?;
            let took = begin.elapsed();
            let compared: Option<[Duration; 2]> = match &mut inserts {
                Some(inserts) => Some([inserts.insert(SMALL_ROW)?, inserts.insert(bytes)?]),
                None => None,
            };
            if round >= WARM_UP {
                prepared.push(took);
                small.extend(compared.map(|[small, _]| small));
                whole.extend(compared.map(|[_, whole]| whole));
            }
        }
        let prepared = figures.spread("prepare_task", name, prepared);
        let small = figures.spread("SQLite", &format!("one insert of {SMALL_ROW} bytes"), small);
        let whole = figures.spread("SQLite", &format!("one insert of {name}"), whole);
        for (what, compared) in [("a small insert", small), ("an insert of the prompt", whole)] {
            if let (Some(prepared), Some(compared)) = (prepared, compared) {
                let above = difference(prepared.median, compared.median);
                figures.add("prepare_task", &format!("{name}, median above {what}"), Row::Difference(above));
            }
        }
    }
    client.close(super::trial::LIMIT).map(drop)
}

/// A prompt of `bytes` bytes, made of words.
fn prompt_of(bytes: usize) -> String {
    "Say which of these words stands here most often. ".chars().cycle().take(bytes).collect()
}
