//! What commands are kept from.

use std::path::PathBuf;

use lwa_config::{CommandSandbox, WorkerConfig};
use lwa_protocol::worker::CallerSandbox;
use lwa_worker::command::{FileAccess, NetworkAccess, SandboxChoice, SandboxNeed};

use crate::engine::Engine;
use crate::worker::session::Surroundings;

impl Engine {
    /// The sandbox of commands: what is configured, and at least what the caller's client holds itself to. Where it has
    /// a say about files, the folders of Lwa itself are hidden.
    pub(in crate::worker) fn sandbox_choice(&self, surroundings: &Surroundings) -> Option<SandboxChoice> {
        let choice = sandbox_choice(surroundings)?;
        let hidden = if choice.files == FileAccess::All { Vec::new() } else { self.hidden_folders() };
        Some(SandboxChoice { hidden, ..choice })
    }

    /// The folders of Lwa that hold something to read. The socket's own does not, and may lie where commands keep
    /// temporary files.
    fn hidden_folders(&self) -> Vec<PathBuf> {
        let socket = self.home.socket();
        let runtime = socket.parent();
        let real = runtime.and_then(|folder| folder.canonicalize().ok());
        let mut folders = self.kept_folders();
        folders.retain(|folder| Some(folder.as_path()) != runtime && Some(folder) != real.as_ref());
        folders
    }
}

pub(in crate::worker) fn sandbox_choice(surroundings: &Surroundings) -> Option<SandboxChoice> {
    let configured = configured_sandbox(&surroundings.config);
    let floor = match surroundings.caller_sandbox {
        CallerSandbox::Unknown | CallerSandbox::Full => None,
        CallerSandbox::Workspace => Some(SandboxChoice::workspace()),
        CallerSandbox::ReadOnly => Some(SandboxChoice::read_only()),
    };
    match (configured, floor) {
        (Some(configured), Some(floor)) => Some(configured.with_floor(&floor)),
        (configured, floor) => configured.or(floor),
    }
}

fn configured_sandbox(config: &WorkerConfig) -> Option<SandboxChoice> {
    let files = match config.sandbox {
        CommandSandbox::Off if config.sandbox_network => return None,
        CommandSandbox::Off => FileAccess::All,
        CommandSandbox::Workspace => FileAccess::Workspace,
        CommandSandbox::ReadOnly => FileAccess::ReadOnly,
    };
    let network = if config.sandbox_network { NetworkAccess::Open } else { NetworkAccess::Closed };
    Some(SandboxChoice { files, network, need: SandboxNeed::Required, hidden: Vec::new() })
}
