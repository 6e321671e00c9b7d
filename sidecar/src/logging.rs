//! The log: stderr only, no colours, nothing that a client sent.

use std::str::FromStr;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The variable that sets the level: `off`, `error`, `warn`, `info`, `debug`, `trace`.
const LEVEL_VARIABLE: &str = "LWA_LOG";

/// Starts the log.
pub fn start() {
    let wanted = std::env::var(LEVEL_VARIABLE).ok();
    let level = wanted.as_deref().and_then(|level| LevelFilter::from_str(level).ok()).unwrap_or(LevelFilter::WARN);
    // Below this level the SDK logs whole messages, prompts among them; at it, refused requests.
    let filter = Targets::new().with_default(level).with_target("rmcp", level.min(LevelFilter::ERROR));
    let to_stderr = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    tracing_subscriber::registry().with(to_stderr.compact()).with(filter).init();
    // The standard report prints the message of a panic, which may quote what was worked on.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!("a fault of ours at {place}");
    }));
}
