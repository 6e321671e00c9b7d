//! The members of a tree: by descent, by group, by session, and by the mark in their environment.
//!
//! Descent is lost when a parent ends, group and session when a process makes its own, the mark when
//! it clears its environment. A process has to do all of it, unseen between two looks, to be missed.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::MARK_NAME;
use super::proc::{Entry, Identity, children, entries, entry, environment_begins, environment_holds};

#[derive(Debug)]
pub(super) struct Sweep {
    root: Option<Identity>,
    mark_line: Vec<u8>,
    members: HashSet<Identity>,
    /// Processes whose environment was looked at and has no mark.
    strangers: HashSet<Identity>,
}

impl Sweep {
    pub(super) fn from_root(root: Option<Pid>, mark: &OsStr) -> Self {
        let root = root.and_then(|pid| entry(pid.as_raw_nonzero().get())).map(|entry| entry.identity);
        let mark_line = [MARK_NAME.as_bytes(), b"=", mark.as_bytes()].concat();
        Self { root, mark_line, members: root.into_iter().collect(), strangers: HashSet::new() }
    }

    /// Walks down from the known members; cheap, because only the tree itself is read.
    pub(super) fn note_children(&mut self) {
        let mut open: Vec<i32> = self.members.iter().map(|member| member.pid).collect();
        let mut seen: HashSet<i32> = open.iter().copied().collect();
        while let Some(pid) = open.pop() {
            for child in children(pid) {
                if seen.insert(child)
                    && let Some(found) = entry(child)
                {
                    self.members.insert(found.identity);
                    open.push(child);
                }
            }
        }
    }

    /// Looks at every process of the system and keeps those of the tree that still run.
    pub(super) fn look(&mut self) -> Vec<Identity> {
        let all = entries();
        loop {
            let found: Vec<Identity> =
                all.iter().filter(|entry| self.belongs(entry, &all)).map(|e| e.identity).collect();
            let before = self.members.len();
            self.members.extend(found);
            if self.members.len() == before {
                break;
            }
        }
        let running: Vec<Identity> = all
            .iter()
            .filter(|entry| !entry.has_ended && self.members.contains(&entry.identity))
            .map(|entry| entry.identity)
            .collect();
        // What is gone is forgotten, so that its id means nothing when another process gets it.
        let present: HashSet<Identity> = all.iter().map(|entry| entry.identity).collect();
        self.members.retain(|member| present.contains(member));
        self.strangers.retain(|stranger| present.contains(stranger));
        running
    }

    fn belongs(&mut self, candidate: &Entry, all: &[Entry]) -> bool {
        let Some(root) = self.root else { return false };
        if self.members.contains(&candidate.identity) {
            return true;
        }
        // Nothing of the tree is older than its root.
        if candidate.identity.started < root.started {
            return false;
        }
        let is_member =
            |pid: i32| all.iter().any(|entry| entry.identity.pid == pid && self.members.contains(&entry.identity));
        if candidate.group == root.pid || is_member(candidate.session) || is_member(candidate.parent) {
            return true;
        }
        if self.strangers.contains(&candidate.identity) {
            return false;
        }
        let is_marked = environment_holds(candidate.identity.pid, &self.mark_line);
        if is_marked == Some(false) {
            self.strangers.insert(candidate.identity);
        }
        is_marked == Some(true)
    }

    /// Signals these processes; the number leaves out the root.
    pub(super) fn signal(&self, running: &[Identity], signal: Signal) -> usize {
        for member in running {
            send(*member, signal);
        }
        running.iter().filter(|member| Some(**member) != self.root).count()
    }
}

/// Running processes with a variable that begins like this, apart from this process and those that started it.
pub(super) fn marked(beginning: &[u8]) -> Vec<Identity> {
    let all = entries();
    let mut spared: Vec<i32> = i32::try_from(std::process::id()).into_iter().collect();
    while let Some(parent) = spared.last().and_then(|last| all.iter().find(|entry| entry.identity.pid == *last)) {
        if parent.parent <= 0 || spared.contains(&parent.parent) {
            break;
        }
        spared.push(parent.parent);
    }
    all.iter()
        .filter(|entry| !entry.has_ended && !spared.contains(&entry.identity.pid))
        .filter(|entry| environment_begins(entry.identity.pid, beginning))
        .map(|entry| entry.identity)
        .collect()
}

/// Ends these by force.
pub(super) fn force(left: &[Identity]) {
    for one in left {
        send(*one, Signal::KILL);
    }
}

/// Signals exactly this process: the handle is opened first, and then it is made sure that the id
/// still belongs to the same process.
fn send(member: Identity, signal: Signal) {
    let Some(pid) = Pid::from_raw(member.pid) else { return };
    let is_same = || entry(member.pid).is_some_and(|entry| entry.identity == member);
    // A process that ended meanwhile needs no signal, so failures mean nothing here.
    if let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) {
        if is_same() {
            let _ = pidfd_send_signal(handle, signal);
        }
    } else if is_same() {
        let _ = kill_process(pid, signal);
    }
}
