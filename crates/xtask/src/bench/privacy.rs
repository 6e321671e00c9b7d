//! Scrub, policy and names, beside other scanners on the same text.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// How long the mixed text is; a run of the slowest scanner takes seconds then.
const BYTES: usize = 8_000_000;
/// Of so many lines one or two hold something private: more than a page of output has, and about what a log has.
const DENSE: u32 = 40;
const SPARSE: u32 = 400;
const PEERS: &str = include_str!("privacy_peers.py");

/// What is measured with.
#[derive(Debug)]
pub struct Options {
    /// The Python that holds `detect-secrets` and `presidio-analyzer`.
    pub python: PathBuf,
    /// The program gitleaks.
    pub gitleaks: PathBuf,
}

/// Measures and prints.
///
/// # Errors
/// The example cannot be built or run.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let file = folder.path().join("mixed.txt");
    let text = mixed(BYTES, DENSE);
    fs::write(&file, &text).context("cannot write the text")?;
    println!(
        "# One core, {} bytes of mixed text: logs, code, JSON, prose, two lines in {DENSE} with something private, \
         or two in {SPARSE} where it says sparse\n",
        text.len()
    );
    let sparse = folder.path().join("sparse.txt");
    fs::write(&sparse, mixed(BYTES, SPARSE)).context("cannot write the text")?;
    let done = Command::new("cargo")
        .args(["run", "--quiet", "--release", "-p", "xtask", "--example", "privacy_speed", "--"])
        .arg(&file)
        .arg(&sparse)
        .current_dir(root)
        .status()
        .context("cannot run cargo")?;
    if !done.success() {
        bail!("the measurement failed");
    }
    println!("\n# Others, on the same file in the same run");
    gitleaks(options, folder.path(), text.len())?;
    let script = folder.path().join("peers.py");
    fs::write(&script, PEERS).context("cannot write the script")?;
    let peers = Command::new(&options.python).arg(&script).arg(&file).stderr(Stdio::null()).output();
    match peers {
        Ok(output) if output.status.success() => print!("{}", String::from_utf8_lossy(&output.stdout)),
        _ => println!("detect-secrets, presidio | not measured: `{}` cannot run them", options.python.display()),
    }
    Ok(())
}

fn gitleaks(options: &Options, folder: &Path, bytes: usize) -> Result<()> {
    let source = folder.join("gitleaks");
    fs::create_dir(&source)?;
    fs::rename(folder.join("mixed.txt"), source.join("mixed.txt"))?;
    let begin = Instant::now();
    let done = Command::new(&options.gitleaks)
        .args(["detect", "--no-git", "--no-banner", "--redact", "--exit-code", "0", "--source"])
        .arg(&source)
        .env("GOMAXPROCS", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let took = begin.elapsed();
    fs::rename(source.join("mixed.txt"), folder.join("mixed.txt"))?;
    match done {
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        Ok(status) if status.success() => {
            println!(
                "gitleaks | {:.2} MB/s | {} ms with its start",
                bytes as f64 / took.as_secs_f64() / 1e6,
                took.as_millis()
            );
        }
        _ => println!("gitleaks | not measured: `{}` cannot be run", options.gitleaks.display()),
    }
    Ok(())
}

/// Text as a worker sees it, the same in every run. What looks private in it is made here and belongs to nobody.
fn mixed(bytes: usize, lines_of_two: u32) -> String {
    let mut text = String::with_capacity(bytes + 256);
    let mut state: u32 = 2_463_534_242;
    let mut next = move || {
        // Xorshift: variety that is the same in every run.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let mut line: u32 = 0;
    while text.len() < bytes {
        line += 1;
        let (a, b) = (next(), next());
        let is_private = line % lines_of_two < 40;
        let _ = match line % 40 {
            7 if is_private => writeln!(
                text,
                "Contact: Anna Berger <anna.berger{}@mail.example>, +1 415-555-{:04}",
                a % 900,
                b % 10_000
            ),
            0..=9 => writeln!(
                text,
                "2026-03-{:02}T10:{:02}:{:02}Z INFO  worker-{} request handled path=/api/v1/items/{a} status=200 duration={}ms",
                1 + a % 28,
                a % 60,
                b % 60,
                a % 8,
                b % 900
            ),
            10..=19 => writeln!(
                text,
                "    let value_{} = compute(&input[{}..{}], Options {{ retries: {}, verbose: false }});",
                a % 1000,
                b % 100,
                b % 100 + 50,
                a % 5
            ),
            20..=29 => writeln!(
                text,
                "{{\"id\": {a}, \"name\": \"item-{b}\", \"tags\": [\"alpha\", \"beta\"], \"price\": {}.{:02}, \"hash\": \"{a:08x}{b:08x}{a:08x}\"}}",
                a % 900,
                b % 100
            ),
            30 if is_private => writeln!(text, "export SERVICE_TOKEN=tok{a:08x}{b:08x}{a:08x}"),
            _ => writeln!(
                text,
                "The build finished after {} steps, and nobody had to look at any of the {} warnings in it.",
                a % 500,
                b % 40
            ),
        };
    }
    text
}
