//! What ends the process beside the client closing its end: a signal, or the death of the parent.

use std::io;
use std::os::unix::process::parent_id;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

/// How often the parent is looked at. A parent-death signal would fire when a thread of the parent ends.
const LOOK: Duration = Duration::from_secs(2);

/// Watches from its making on, so that nothing is missed before [`Ending::reason`] is asked.
#[derive(Debug)]
pub struct Ending {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    parent: u32,
}

impl Ending {
    /// Starts watching.
    ///
    /// # Errors
    /// The system refuses a signal handler.
    pub fn watch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            parent: parent_id(),
        })
    }

    /// Waits for the first reason to end.
    pub async fn reason(mut self) -> &'static str {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return "asked to terminate",
                _ = self.interrupt.recv() => return "interrupted",
                _ = self.hang_up.recv() => return "the terminal is gone",
                _ = look.tick() => {
                    if parent_id() != self.parent {
                        return "the parent process is gone";
                    }
                }
            }
        }
    }
}
