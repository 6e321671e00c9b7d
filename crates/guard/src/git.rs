//! What git has stored. The only place that starts `git`, without a shell and with answers separated by zero bytes.

mod blobs;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) use self::blobs::{Blob, Blobs};
use crate::error::GuardError;

/// A repository, seen from a folder of it.
#[derive(Debug, Clone)]
pub struct Repository {
    folder: PathBuf,
}

/// A file in the index or in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub path: String,
    pub object: String,
    pub commit: Option<String>,
}

/// What a commit says beside its files.
#[derive(Debug, Clone)]
pub(crate) struct Commit {
    pub id: String,
    pub author: (String, String),
    pub committer: (String, String),
    pub message: String,
}

/// A tag: its ref, the tag object if it is annotated, and the commit.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub name: String,
    pub object: Option<String>,
    pub commit: String,
}

impl Repository {
    /// The repository of a folder.
    ///
    /// # Errors
    /// There is none, or git cannot be started.
    pub fn of(folder: &Path) -> Result<Self, GuardError> {
        let repository = Self { folder: folder.to_owned() };
        let output = repository.output("rev-parse", &["--git-dir"], None)?;
        if output.status.success() { Ok(repository) } else { Err(GuardError::NoRepository(folder.to_owned())) }
    }

    /// The folder of the hooks that git would run, `core.hooksPath` included.
    ///
    /// # Errors
    /// Git failed.
    pub fn hooks_folder(&self) -> Result<PathBuf, GuardError> {
        Ok(self.folder.join(self.line("rev-parse", &["--git-path", "hooks"])?))
    }

    /// The folders that are the repository's own: the work tree, if there is one, and git's.
    pub(crate) fn own_folders(&self) -> Result<Vec<PathBuf>, GuardError> {
        let common = self.folder.join(self.line("rev-parse", &["--git-common-dir"])?);
        let top = self.line("rev-parse", &["--show-toplevel"]).ok().map(PathBuf::from);
        Ok(top.into_iter().chain([common]).filter_map(|folder| folder.canonicalize().ok()).collect())
    }

    fn command(&self, verb: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(&self.folder)
            // Nothing that the repository configures is run, and what is stored is read as it is.
            .args(["--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs"])
            .args(["-c", "core.fsmonitor=false", "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.showSignature=false"])
            .arg(verb)
            .args(arguments)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            // What git says about an error can hold what the gate is there to hide.
            .stderr(Stdio::null());
        command
    }

    fn output(&self, verb: &'static str, arguments: &[&str], input: Option<Vec<u8>>) -> Result<Output, GuardError> {
        let mut command = self.command(verb, arguments);
        let Some(input) = input else { return command.output().map_err(GuardError::NoGit) };
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(GuardError::NoGit)?;
        let mut stdin = child.stdin.take().ok_or(GuardError::Answer(verb))?;
        // Both ends of the pipe at once, or a long answer would wait for a long question.
        let feed = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().map_err(GuardError::NoGit)?;
        drop(feed.join());
        Ok(output)
    }

    fn bytes(&self, verb: &'static str, arguments: &[&str]) -> Result<Vec<u8>, GuardError> {
        succeeded(verb, self.output(verb, arguments, None)?)
    }

    /// The one line of an answer.
    pub(crate) fn line(&self, verb: &'static str, arguments: &[&str]) -> Result<String, GuardError> {
        let text = String::from_utf8_lossy(&self.bytes(verb, arguments)?).into_owned();
        Ok(text.trim_end_matches('\n').to_owned())
    }

    /// A value of the configuration.
    pub(crate) fn setting(&self, key: &str) -> Option<String> {
        self.line("config", &["--get", key]).ok().filter(|value| !value.is_empty())
    }

    /// What the next commit would add or change.
    pub(crate) fn staged(&self) -> Result<Vec<Entry>, GuardError> {
        let base = match self.line("rev-parse", &["--verify", "--quiet", "HEAD^{commit}"]) {
            Ok(head) => head,
            // Before the first commit everything is new.
            Err(_) => self.line("hash-object", &["-t", "tree", "--stdin"])?,
        };
        let options = ["--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--diff-filter=d", &base, "--"];
        raw_entries("diff-index", &self.bytes("diff-index", &options)?)
    }

    /// Everything in the index.
    pub(crate) fn tracked(&self) -> Result<Vec<Entry>, GuardError> {
        // From the top of the work tree, wherever the check was started.
        let bytes = self.bytes("ls-files", &["--stage", "-z", "--full-name", "--", &self.top_argument()])?;
        let mut entries = Vec::new();
        for row in fields(&bytes) {
            let (facts, path) = row.split_once('\t').ok_or(GuardError::Answer("ls-files"))?;
            let mut facts = facts.split(' ');
            let (Some(mode), Some(object)) = (facts.next(), facts.next()) else {
                return Err(GuardError::Answer("ls-files"));
            };
            if mode != SUBMODULE {
                entries.push(Entry { path: path.to_owned(), object: object.to_owned(), commit: None });
            }
        }
        Ok(entries)
    }

    fn top_argument(&self) -> String {
        let up = self.line("rev-parse", &["--show-cdup"]).unwrap_or_default();
        if up.is_empty() { ".".to_owned() } else { up }
    }

    /// The commits that a range names.
    pub(crate) fn commits(&self, range: &str) -> Result<Vec<Commit>, GuardError> {
        self.log(&["--end-of-options", range])
    }

    /// Every commit that a ref leads to.
    pub(crate) fn all_commits(&self) -> Result<Vec<Commit>, GuardError> {
        self.log(&["--all"])
    }

    /// The commits that an object leads to, without those that a remote is known to have.
    pub(crate) fn commits_beyond(&self, object: &str, remote: &str, known: &str) -> Result<Vec<Commit>, GuardError> {
        let remotes = format!("--remotes={remote}");
        let known = self.has(known).then(|| format!("^{known}"));
        let mut arguments = vec![object];
        arguments.extend(known.as_deref());
        arguments.extend(["--not", &remotes]);
        self.log(&arguments)
    }

    fn log(&self, revisions: &[&str]) -> Result<Vec<Commit>, GuardError> {
        let format = "--format=tformat:%H%x00%an%x00%ae%x00%cn%x00%ce%x00%B";
        let mut arguments = vec!["-z", format, "--no-show-signature", "--no-notes"];
        arguments.extend(revisions);
        arguments.push("--");
        let output = self.output("log", &arguments, None)?;
        if !output.status.success() {
            return Err(GuardError::Range);
        }
        let fields: Vec<String> = fields(&output.stdout).collect();
        let rows = fields.chunks(6);
        rows.map(|row| match row {
            [id, author, author_mail, committer, committer_mail, message] => Ok(Commit {
                id: id.clone(),
                author: (author.clone(), author_mail.clone()),
                committer: (committer.clone(), committer_mail.clone()),
                message: message.clone(),
            }),
            _ => Err(GuardError::Answer("log")),
        })
        .collect()
    }

    /// The files that commits add or change; of a merge, those that are new in it.
    pub(crate) fn changed(&self, commits: &[Commit]) -> Result<Vec<Entry>, GuardError> {
        let ids = commits.iter().map(|commit| commit.id.as_str()).collect::<Vec<_>>().join("\n") + "\n";
        let options = ["--stdin", "-r", "--root", "-c", "--raw", "-z", "--no-renames", "--no-abbrev"];
        let output = self.output("diff-tree", &options, Some(ids.into_bytes()))?;
        raw_entries("diff-tree", &succeeded("diff-tree", output)?)
    }

    /// Every tag that leads to a commit.
    pub(crate) fn tags(&self) -> Result<Vec<Tag>, GuardError> {
        let format = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objectname)";
        let bytes = self.bytes("for-each-ref", &[format, "refs/tags"])?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut tags = Vec::new();
        for row in text.lines() {
            let fields: Vec<&str> = row.split('\0').collect();
            let [name, kind, object, peeled] = fields.as_slice() else {
                return Err(GuardError::Answer("for-each-ref"));
            };
            let is_annotated = *kind == "tag";
            tags.push(Tag {
                name: (*name).to_owned(),
                object: is_annotated.then(|| (*object).to_owned()),
                commit: (*if is_annotated { peeled } else { object }).to_owned(),
            });
        }
        Ok(tags)
    }

    /// Who the next commit would be by: the author and the committer, where git knows them.
    pub(crate) fn next_identities(&self) -> Vec<(&'static str, String, String)> {
        let roles = [("author", "GIT_AUTHOR_IDENT"), ("committer", "GIT_COMMITTER_IDENT")];
        let known = roles.into_iter().filter_map(|(role, variable)| {
            let line = self.line("var", &[variable]).ok()?;
            let (name, rest) = line.rsplit_once(" <")?;
            let (mail, _) = rest.split_once('>')?;
            Some((role, name.to_owned(), mail.to_owned()))
        });
        known.collect()
    }

    /// What an object is: `commit`, `tag`, …
    pub(crate) fn kind_of(&self, object: &str) -> Result<String, GuardError> {
        self.line("cat-file", &["-t", object])
    }

    /// Whether an object is here.
    pub(crate) fn has(&self, object: &str) -> bool {
        self.output("cat-file", &["-e", object], None).is_ok_and(|output| output.status.success())
    }

    /// Opens the store of contents.
    pub(crate) fn blobs(&self) -> Result<Blobs, GuardError> {
        Blobs::open(self.command("cat-file", &["--batch"]))
    }
}

/// The mode of a commit of another repository, which has no content here.
const SUBMODULE: &str = "160000";

fn succeeded(verb: &'static str, output: Output) -> Result<Vec<u8>, GuardError> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(GuardError::Git { verb, code: output.status.code().unwrap_or(-1) })
}

/// The parts of an answer that end with a zero byte.
fn fields(bytes: &[u8]) -> impl Iterator<Item = String> + '_ {
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    let count = if bytes.is_empty() { 0 } else { usize::MAX };
    bytes.split(|byte| *byte == 0).take(count).map(|field| String::from_utf8_lossy(field).into_owned())
}

/// Rows `:MODES OBJECTS STATUS`, each with a path behind it; one colon and one old mode and object for each parent.
fn raw_entries(verb: &'static str, bytes: &[u8]) -> Result<Vec<Entry>, GuardError> {
    let mut entries = Vec::new();
    let mut commit = None;
    let mut fields = fields(bytes);
    while let Some(field) = fields.next() {
        let row = field.trim_start_matches(':');
        let parents = field.len() - row.len();
        if parents == 0 {
            commit = Some(field);
            continue;
        }
        let facts: Vec<&str> = row.split(' ').collect();
        let path = fields.next().ok_or(GuardError::Answer(verb))?;
        let (Some(mode), Some(object)) = (facts.get(parents), facts.get(2 * parents + 1)) else {
            return Err(GuardError::Answer(verb));
        };
        let is_gone = mode.bytes().all(|byte| byte == b'0');
        if !is_gone && *mode != SUBMODULE {
            entries.push(Entry { path, object: (*object).to_owned(), commit: commit.clone() });
        }
    }
    Ok(entries)
}
