//! The system-call part, through seccomp: no sockets, no reaching into other processes, no set-up of
//! the kernel, and no new privileges.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use super::{Held, Network};
use crate::error::ProcessError;

/// What a sandboxed program never needs and an escape often does.
///
/// `io_uring` is here because its requests do the work of other calls without being them.
const NEVER: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
];

/// Changes of a file's owner and of its extended attributes, which Landlock does not know. Permission
/// bits and times are left alone: compilers and copies of files need both.
const OWNERSHIP: &[libc::c_long] = &[
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// The same under the numbers that newer architectures no longer have.
#[cfg(target_arch = "x86_64")]
const OLD_OWNERSHIP: &[libc::c_long] = &[libc::SYS_chown, libc::SYS_lchown];
#[cfg(not(target_arch = "x86_64"))]
const OLD_OWNERSHIP: &[libc::c_long] = &[];

/// On x86-64 every call has a second number that a filter for the first one misses.
#[cfg(target_arch = "x86_64")]
const SECOND_NUMBER: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const SECOND_NUMBER: Option<i64> = None;

/// Puts bytes into the input of the terminal, as if a person had typed them; `TIOCSTI`, whose type
/// differs between C libraries and whose number does not.
const TYPE_INTO_TERMINAL: u64 = 0x5412;

/// Restricts system calls on this thread. A refused call fails as not permitted; it ends nobody.
pub(super) fn restrict(network: Network) -> Result<Held, ProcessError> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Ok(Held::Unavailable) };
    let program = compile(network, arch).map_err(|error| failed(Box::new(error)))?;
    match seccompiler::apply_filter(&program) {
        Ok(()) => Ok(Held::Full),
        // A kernel without filters.
        Err(seccompiler::Error::Seccomp(error)) if error.raw_os_error() == Some(libc::ENOSYS) => Ok(Held::Unavailable),
        Err(seccompiler::Error::Seccomp(error)) if error.raw_os_error() == Some(libc::EINVAL) => Ok(Held::Unavailable),
        Err(error) => Err(failed(Box::new(error))),
    }
}

fn compile(network: Network, arch: TargetArch) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let sockets: &[libc::c_long] = if network == Network::Closed { &[libc::SYS_socket] } else { &[] };
    for call in NEVER.iter().chain(OWNERSHIP).chain(OLD_OWNERSHIP).chain(sockets) {
        rules.insert(*call, Vec::new());
    }
    let typing = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, TYPE_INTO_TERMINAL)?;
    rules.insert(libc::SYS_ioctl, vec![SeccompRule::new(vec![typing])?]);
    if let Some(offset) = SECOND_NUMBER {
        let doubled: Vec<_> = rules.iter().map(|(call, rule)| (call | offset, rule.clone())).collect();
        rules.extend(doubled);
    }
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)?.try_into()
}

fn failed(source: Box<dyn std::error::Error + Send + Sync>) -> ProcessError {
    ProcessError::Sandbox { what: "system calls", source }
}
