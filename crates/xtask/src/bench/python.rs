//! The comparison: a minimal server on Python's MCP package, started and asked the same way.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::sidecar::{Options, Server, measure as measure_server};

/// One tool, nothing else: a real Python server is slower than this.
const SERVER: &str = r#"
try:
    from mcp.server.mcpserver import MCPServer as Server  # mcp 2
except ImportError:
    try:
        from mcp.server.fastmcp import FastMCP as Server  # mcp 1
    except ImportError:
        from fastmcp import FastMCP as Server

server = Server("bench")


@server.tool()
def echo(text: str) -> str:
    """Answers with the text it was given."""
    return text


server.run()
"#;

/// Prints the package that would serve, with its version; fails when there is none.
const PROBE: &str = r#"
from importlib.metadata import PackageNotFoundError, version
for name in ("mcp", "fastmcp"):
    try:
        print(name, version(name))
        break
    except PackageNotFoundError:
        pass
else:
    raise SystemExit(1)
"#;

/// Measures the server, or says why it cannot.
pub(super) fn measure(options: &Options, home: &Path) -> Result<()> {
    let found = Command::new(&options.python).args(["-c", PROBE]).stderr(Stdio::null()).output();
    let Some(found) = found.ok().filter(|found| found.status.success()) else {
        let python = options.python.display();
        println!("Python     not measured: `{python}` has neither `mcp` nor `fastmcp`; `pip install mcp` adds one");
        return Ok(());
    };
    println!("Python     compared with: {}", String::from_utf8_lossy(&found.stdout).trim());
    let script = home.join("server.py");
    fs::write(&script, SERVER).context("cannot write the server to compare with")?;
    let path = script.to_string_lossy();
    let server = Server { name: "Python", program: &options.python, arguments: &[path.as_ref()], home };
    measure_server(&server, options.runs)
}
