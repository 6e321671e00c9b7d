//! `lwa-mcp`: MCP on stdio for one client conversation.
//!
//! What it is for: answering the handshake at once, whatever state the host is in, and carrying calls to the host.
//! What it must never do: write anything but MCP to stdout, end on an error while the client is there, outlive the
//! client.
//! Trust boundary: stdin and the environment belong to the client; see the crate `lwa-mcp-face`.
//! Start reading at [`main`], then [`ending`] for what ends the process.

mod ending;
mod logging;
mod options;
mod stdio;

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use lwa_mcp_face::{ClientEnvironment, Face, FaceOptions, HostLink, Wire, serve};

use crate::options::Options;

fn main() -> ExitCode {
    let options = Options::parse();
    logging::start();
    match run(&options) {
        // The process ends here rather than by return, because a blocked read of stdin would hold the runtime.
        Ok(()) => std::process::exit(0),
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Serves the client until it is gone.
fn run(options: &Options) -> anyhow::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start a runtime")?;
    runtime.block_on(async {
        let ending = ending::Ending::watch().context("cannot watch for signals")?;
        let sets = options.sets();
        let wire = Wire::start(stdio::input(), stdio::output());
        let cwd = std::env::current_dir().ok().and_then(|folder| folder.into_os_string().into_string().ok());
        let face_options = FaceOptions {
            sets,
            client: options.client(),
            cwd,
            environment: ClientEnvironment::of(std::env::vars_os()),
            session: options.session(),
            mode: options.mode(),
            has_decisions: options::has_decisions(),
        };
        let face = Face::new(face_options, HostLink::new(), wire.ended());
        if face.tool_count() == 0 {
            tracing::warn!("no tool of the chosen sets exists yet; `core` and `router` have some");
        }
        tokio::select! {
            () = serve(face, wire) => tracing::debug!("the client closed its end"),
            reason = ending.reason() => tracing::debug!("{reason}"),
        }
        Ok(())
    })
}
