//! Leaving the process that started us: own session, no inherited descriptors, private memory.

use std::io;
use std::path::Path;

use rustix::fs::Mode;
use rustix::process::{DumpableBehavior, set_dumpable_behavior, setsid, umask};

/// Makes this process independent of its starter. Call before any thread or runtime exists.
///
/// # Errors
/// The folder cannot be entered.
pub fn leave_session(folder: &Path) -> io::Result<()> {
    // Fails only for a process that leads its group already, which is independent enough.
    let _ = setsid();
    umask(Mode::from_raw_mode(0o077));
    std::env::set_current_dir(folder)?;
    close_inherited();
    Ok(())
}

/// Keeps core dumps and other processes of the same user from reading keys out of memory.
pub fn keep_memory_private() {
    // A system that does not know this setting has nothing to lose by it.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Closes what the client left open for its children: pipes, sockets and files that are none of ours.
fn close_inherited() {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<i32> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).filter(|fd| *fd > 2).collect();
    for fd in open {
        // The descriptor that listed the folder is closed by now; closing it again would be an error
        // on a number that nobody owns yet, because no other thread runs.
        if Path::new(&format!("/proc/self/fd/{fd}")).symlink_metadata().is_ok() {
            #[expect(unsafe_code, reason = "closing a descriptor by number has no safe form")]
            // SAFETY: this runs before any other thread or any owner of a descriptor above 2 exists in
            // this process, so no live handle can refer to the number that is closed.
            unsafe {
                rustix::io::close(fd);
            }
        }
    }
}
