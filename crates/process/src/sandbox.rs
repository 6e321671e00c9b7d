//! What a program may not do, and how much of that this system can hold.
//!
//! The restrictions are laid on a thread that lives for one start only. The program inherits them,
//! the rest of the process does not, and no code runs between fork and exec.

use std::fmt;
use std::path::PathBuf;

use crate::error::ProcessError;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod readable;

/// What a program may not do. New privileges are never given to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// The folders in which it may write, apart from what is hidden in them; everywhere else it only reads.
    pub writable: Vec<PathBuf>,
    /// Folders and files whose content it may not read either. Names in them can still be listed.
    pub hidden: Vec<PathBuf>,
    /// Whether it reaches the network and local sockets.
    pub network: Network,
    /// What happens where the system cannot hold all of this.
    pub need: Need,
}

/// Whether a program reaches the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// It may open sockets.
    Open,
    /// It may open no socket of any kind.
    Closed,
}

/// How much a run depends on its sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Without all of it the program is not started.
    Required,
    /// What is available is in force, and the report says what that is.
    WhereAvailable,
}

/// How far one part of the sandbox is in force.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Held {
    /// Nobody asked for it.
    #[default]
    NotRequested,
    /// All of it.
    Full,
    /// Some of it, because the system is older than the rule.
    Partial,
    /// None of it.
    Unavailable,
}

impl Held {
    /// The word for reports and the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotRequested => "not_requested",
            Self::Full => "full",
            Self::Partial => "partial",
            Self::Unavailable => "unavailable",
        }
    }
}

/// Which parts of the sandbox were in force; never more than the system confirmed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SandboxReport {
    /// Outside the given folders no file is made, changed, moved or removed, and the content of hidden
    /// ones is not read. The user's permission bits and times of files can still be changed.
    pub files: Held,
    /// No sockets.
    pub network: Held,
    /// No privileges of an administrator, none to be gained, and no system calls that reach into other processes or the kernel's set-up.
    pub privileges: Held,
    /// No signals to processes outside the sandbox.
    pub signals: Held,
}

impl SandboxReport {
    /// The report of a run without a sandbox.
    pub const fn none() -> Self {
        Self {
            files: Held::NotRequested,
            network: Held::NotRequested,
            privileges: Held::NotRequested,
            signals: Held::NotRequested,
        }
    }

    /// The whole in one word: full, partial, unavailable, or not requested.
    pub fn overall(&self) -> Held {
        let mut requested = self.parts().map(|(_, held)| held).into_iter().filter(|held| *held != Held::NotRequested);
        let Some(first) = requested.next() else { return Held::NotRequested };
        if requested.all(|held| held == first) { first } else { Held::Partial }
    }

    /// Whether everything that a required sandbox promises is in force. Signals are left out: a
    /// signal to a process of the same user destroys nothing that the files part protects.
    pub fn is_as_required(&self) -> bool {
        [self.files, self.network, self.privileges].iter().all(|held| matches!(held, Held::Full | Held::NotRequested))
    }

    /// The parts by name.
    pub const fn parts(&self) -> [(&'static str, Held); 4] {
        [("files", self.files), ("network", self.network), ("privileges", self.privileges), ("signals", self.signals)]
    }
}

impl fmt::Display for SandboxReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, held)) in self.parts().into_iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name} {}", held.as_str())?;
        }
        Ok(())
    }
}

impl Sandbox {
    /// No writing outside `folder`, no sockets, and all of it required.
    pub fn around(folder: impl Into<PathBuf>) -> Self {
        Self { writable: vec![folder.into()], hidden: Vec::new(), network: Network::Closed, need: Need::Required }
    }

    /// Which parts this system can hold, found out on a thread that ends right after.
    ///
    /// # Errors
    /// The system knows the sandbox and yet refuses it.
    pub fn probe(&self) -> Result<SandboxReport, ProcessError> {
        let sandbox = Self { need: Need::WhereAvailable, ..self.clone() };
        std::thread::scope(|scope| {
            scope.spawn(move || sandbox.restrict_this_thread()).join().unwrap_or_else(|_| {
                Err(ProcessError::Sandbox { what: "probe", source: "the probing thread ended early".into() })
            })
        })
    }

    /// Lays the restrictions on the calling thread, for good.
    #[cfg(target_os = "linux")]
    pub(crate) fn restrict_this_thread(&self) -> Result<SandboxReport, ProcessError> {
        let mut report = SandboxReport::none();
        privileges::gain_none()?;
        report.files = files::restrict(self)?;
        report.signals = files::restrict_signals()?;
        privileges::give_up_all()?;
        let calls = calls::restrict(self.network)?;
        report.privileges = if calls == Held::Full { Held::Full } else { Held::Partial };
        report.network = if self.network == Network::Closed { calls } else { Held::NotRequested };
        self.judge(report)
    }

    /// Elsewhere there is no sandbox, and the report says so.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn restrict_this_thread(&self) -> Result<SandboxReport, ProcessError> {
        let network = if self.network == Network::Closed { Held::Unavailable } else { Held::NotRequested };
        self.judge(SandboxReport {
            files: Held::Unavailable,
            network,
            privileges: Held::Unavailable,
            signals: Held::Unavailable,
        })
    }

    fn judge(&self, report: SandboxReport) -> Result<SandboxReport, ProcessError> {
        if self.need == Need::Required && !report.is_as_required() {
            return Err(ProcessError::SandboxUnavailable(report));
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(files: Held, network: Held) -> SandboxReport {
        SandboxReport { files, network, privileges: Held::Full, signals: Held::Full }
    }

    #[test]
    fn the_whole_is_never_more_than_its_parts() {
        assert_eq!(SandboxReport::none().overall(), Held::NotRequested);
        assert_eq!(report(Held::Full, Held::Full).overall(), Held::Full);
        assert_eq!(report(Held::Full, Held::NotRequested).overall(), Held::Full);
        assert_eq!(report(Held::Full, Held::Unavailable).overall(), Held::Partial);
        assert_eq!(report(Held::Partial, Held::Full).overall(), Held::Partial);
    }

    #[test]
    fn a_required_sandbox_that_is_not_whole_is_refused() {
        let sandbox = Sandbox::around("/nowhere");
        for files in [Held::Partial, Held::Unavailable] {
            let refused = sandbox.judge(report(files, Held::Full));
            assert!(matches!(refused, Err(ProcessError::SandboxUnavailable(seen)) if seen.files == files));
            let relaxed = Sandbox { need: Need::WhereAvailable, ..sandbox.clone() };
            assert_eq!(relaxed.judge(report(files, Held::Full)).unwrap().files, files);
        }
        assert!(sandbox.judge(report(Held::Full, Held::Full)).is_ok());
    }
}
