//! Everything that a program started, found again and ended.

#[cfg(target_os = "linux")]
mod proc;
#[cfg(target_os = "linux")]
mod sweep;

use std::ffi::{OsStr, OsString};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// The variable by which a process of the tree is known wherever it went.
pub(crate) const MARK_NAME: &str = "LWA_RUN";

/// How often a look at what is left is taken while it ends.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// How long the end by force may take before what is left counts as a survivor.
const FORCE_FOR: Duration = Duration::from_secs(2);

/// Whose runs these are, for a later look at what is left of them.
static OWNER: RwLock<String> = RwLock::new(String::new());

/// From here on, runs of this process carry this name, so that [`end_left_behind`] finds them when it has died.
pub fn mark_runs_of(owner: &str) {
    owner.clone_into(&mut OWNER.write().unwrap_or_else(PoisonError::into_inner));
}

/// Ends by force what still runs of the runs of this name, wherever it went. Gives how many processes that were.
///
/// Whoever calls this has to know that nobody of the name is alive. This process and those that started it are spared.
#[cfg(target_os = "linux")]
pub fn end_left_behind(owner: &str) -> usize {
    let beginning = format!("{MARK_NAME}={owner}-");
    let mut ended = std::collections::BTreeSet::new();
    // What is being started during a look is found by the next one.
    for _ in 0..8 {
        let left = sweep::marked(beginning.as_bytes());
        if left.is_empty() {
            break;
        }
        sweep::force(&left);
        ended.extend(left);
        std::thread::sleep(Duration::from_millis(1));
    }
    ended.len()
}

/// Elsewhere what a process carries cannot be looked at.
#[cfg(not(target_os = "linux"))]
pub fn end_left_behind(_: &str) -> usize {
    0
}

/// A value that no other run carries, behind the name of its owner.
pub(crate) fn fresh_mark() -> OsString {
    let mut bytes = [0_u8; 16];
    // Without randomness the mark is still unlike that of another run of this process.
    if getrandom::fill(&mut bytes).is_err() {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..12].copy_from_slice(&std::process::id().to_le_bytes());
    }
    let owner = OWNER.read().unwrap_or_else(PoisonError::into_inner).clone();
    let owner = if owner.is_empty() { owner } else { format!("{owner}-") };
    let text = bytes.iter().fold(owner, |text, byte| format!("{text}{byte:02x}"));
    text.into()
}

/// The processes of one run. Dropping it before [`Tree::end`] has run ends them by force.
#[derive(Debug)]
pub(crate) struct Tree {
    group: Option<Pid>,
    #[cfg(target_os = "linux")]
    sweep: sweep::Sweep,
    is_over: bool,
}

impl Tree {
    /// The tree of the program with this id, which leads its own group and carries `mark`.
    pub(crate) fn of(pid: Option<u32>, mark: &OsStr) -> Self {
        let group = pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        #[cfg(not(target_os = "linux"))]
        let _ = mark;
        Self {
            group,
            #[cfg(target_os = "linux")]
            sweep: sweep::Sweep::from_root(group, mark),
            is_over: false,
        }
    }

    /// Remembers the children that are there now, so that they are known when their parent is gone.
    #[cfg(target_os = "linux")]
    pub(crate) fn note(&mut self) {
        self.sweep.note_children();
    }

    /// Elsewhere the group is all that is known.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn note(&mut self) {}

    /// Asks every process of the tree to end, waits for `grace`, and ends by force what is left.
    pub(crate) async fn end(&mut self, grace: Duration) -> Ended {
        let stragglers = self.signal(Signal::TERM);
        if self.is_gone_within(grace).await {
            self.is_over = true;
            return Ended { stragglers, survivors: 0 };
        }
        let forced_until = tokio::time::Instant::now() + FORCE_FOR;
        loop {
            let left = self.signal(Signal::KILL);
            if self.is_gone_within(LOOK_EVERY).await {
                self.is_over = true;
                return Ended { stragglers, survivors: 0 };
            }
            if tokio::time::Instant::now() >= forced_until {
                self.is_over = true;
                return Ended { stragglers, survivors: left };
            }
        }
    }

    async fn is_gone_within(&mut self, wait: Duration) -> bool {
        let until = tokio::time::Instant::now() + wait;
        loop {
            if self.count() == 0 {
                return true;
            }
            if tokio::time::Instant::now() >= until {
                return false;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Signals the group and every process that is known to have left it. The number is that of the
    /// processes other than the program itself that were there to be signalled.
    fn signal(&mut self, signal: Signal) -> usize {
        #[cfg(target_os = "linux")]
        let running = self.sweep.look();
        if let Some(group) = self.group {
            // The group at once, before its members can start others. It may be gone already.
            let _ = kill_process_group(group, signal);
        }
        #[cfg(target_os = "linux")]
        return self.sweep.signal(&running, signal);
        #[cfg(not(target_os = "linux"))]
        0
    }

    /// How many processes of the tree still run.
    fn count(&mut self) -> usize {
        #[cfg(target_os = "linux")]
        return self.sweep.look().len();
        #[cfg(not(target_os = "linux"))]
        match self.group {
            Some(group) => usize::from(rustix::process::test_kill_process_group(group).is_ok()),
            None => 0,
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // The future was dropped, so there is nobody to wait. A killed process cannot start another,
        // so a few rounds catch what was being started during the first.
        for _ in 0..8 {
            self.signal(Signal::KILL);
            if self.count() == 0 {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What ending a tree came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Processes other than the program itself that were still running.
    pub(crate) stragglers: usize,
    /// Processes that would not end.
    pub(crate) survivors: usize,
}
