//! Another gateway as a process of ours, on a port of this machine.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How long a gateway may take until it accepts connections.
const START_LIMIT: Duration = Duration::from_mins(3);
/// How often it is tried meanwhile.
const TRY_EVERY: Duration = Duration::from_millis(2);

/// A running gateway; dropping it ends it.
pub(super) struct Peer {
    child: Child,
    /// Where it listens.
    pub port: u16,
    /// From its start to the first accepted connection.
    pub cold: Duration,
}

impl Peer {
    /// Starts `command`, which `on_port` tells the port, and waits until it accepts.
    pub(super) fn start(name: &str, folder: &Path, on_port: impl FnOnce(u16) -> Command) -> Result<Self> {
        let port = free_port()?;
        let mut command = on_port(port);
        let begin = Instant::now();
        let child = command
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let mut peer = Self { child, port, cold: Duration::ZERO };
        while !accepts(port) {
            if let Some(status) = peer.child.try_wait().with_context(|| format!("cannot wait for {name}"))? {
                bail!("{name} ended with {status} before it accepted a connection");
            }
            if begin.elapsed() > START_LIMIT {
                bail!("{name} accepted no connection within {} s", START_LIMIT.as_secs());
            }
            thread::sleep(TRY_EVERY);
        }
        peer.cold = begin.elapsed();
        Ok(peer)
    }

    /// Its process id.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Both calls fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether somebody accepts. A connection to a port that nobody listens at may meet itself; that is nobody.
fn accepts(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        .is_ok_and(|stream| stream.local_addr().is_ok_and(|own| own.port() != port))
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
    Ok(listener.local_addr().context("no port is free")?.port())
}
