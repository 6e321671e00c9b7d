//! Hands the scanner what git is about to publish.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use serde::Serialize;

use crate::error::GuardError;
use crate::finding::{Finding, Place, PlaceKind};
use crate::git::{Blob, Blobs, Commit, Entry, Repository, Tag};
use crate::scan::Scanner;

/// More findings are counted and not kept: who has so many reads no longer list.
const MOST_FINDINGS: usize = 2000;
/// Above this line stands the message, below it the change for the writer's eyes.
const SCISSORS: &str = "------------------------ >8 ------------------------";

/// What was looked at, and what was found.
#[derive(Debug, Default)]
pub struct Report {
    /// What must not leave.
    pub findings: Vec<Finding>,
    /// Findings beyond those that are kept.
    pub more: usize,
    /// Contents that were read.
    pub files: usize,
    /// Commits whose message and identities were read.
    pub commits: usize,
    /// Contents that are no text; they were not read.
    pub binary: usize,
    /// Contents that are too large; they were not read.
    pub too_large: Vec<TooLarge>,
}

/// A content that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TooLarge {
    /// The file.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

/// The index as it would be committed, and who would commit it.
///
/// # Errors
/// Git failed.
pub fn staged(repository: &Repository, scanner: &Scanner) -> Result<Report, GuardError> {
    let mut check = Check::new(repository, scanner)?;
    check.entries(&repository.staged()?)?;
    check.next_identities();
    Ok(check.finish())
}

/// Every tracked file, every commit's message and identities, every tag, and the name of every one of them.
///
/// # Errors
/// Git failed.
pub fn all(repository: &Repository, scanner: &Scanner) -> Result<Report, GuardError> {
    let mut check = Check::new(repository, scanner)?;
    check.entries(&repository.tracked()?)?;
    check.next_identities();
    check.commits(&repository.all_commits()?);
    check.tags(&repository.tags()?)?;
    Ok(check.finish())
}

/// The commits of a range: files that they add or change, messages, identities, and the tags on them.
///
/// # Errors
/// The range names no commits, or git failed.
pub fn range(repository: &Repository, scanner: &Scanner, range: &str) -> Result<Report, GuardError> {
    let commits = repository.commits(range)?;
    let mut check = Check::new(repository, scanner)?;
    check.published(&commits)?;
    let ids: HashSet<&str> = commits.iter().map(|commit| commit.id.as_str()).collect();
    let tags: Vec<Tag> = repository.tags()?.into_iter().filter(|tag| ids.contains(tag.commit.as_str())).collect();
    check.tags(&tags)?;
    Ok(check.finish())
}

/// What a push would publish: the lines that git hands to a pre-push hook, for a remote of this name.
///
/// # Errors
/// The lines have another form, or git failed.
pub fn push(repository: &Repository, scanner: &Scanner, remote: &str, lines: &str) -> Result<Report, GuardError> {
    let mut check = Check::new(repository, scanner)?;
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let [_, object, remote_ref, remote_object] = words.as_slice() else { return Err(GuardError::Answer("push")) };
        let is_id = |word: &str| word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id(object) || !is_id(remote_object) {
            return Err(GuardError::Answer("push"));
        }
        if object.bytes().all(|byte| byte == b'0') {
            continue;
        }
        check.add(scanner.scan(&Place::new(PlaceKind::Ref, *remote_ref), remote_ref));
        if repository.kind_of(object)? == "tag" {
            check.tag_object(remote_ref, object)?;
        }
        check.published(&repository.commits_beyond(object, remote, remote_object)?)?;
    }
    Ok(check.finish())
}

/// A message before it is committed, as git would keep it.
pub fn message(repository: Option<&Repository>, scanner: &Scanner, path: &Path) -> Result<Report, GuardError> {
    let bytes = std::fs::read(path).map_err(|source| GuardError::Unreadable { path: path.to_owned(), source })?;
    let setting = |key: &str| repository.and_then(|repository| repository.setting(key));
    let mark = setting("core.commentString").or_else(|| setting("core.commentChar")).filter(|mark| mark != "auto");
    let mark = mark.unwrap_or_else(|| "#".to_owned());
    // Git names no editor to the hook when it opened none, and then keeps lines that look like comments.
    let was_edited = std::env::var_os("GIT_EDITOR").is_none_or(|editor| editor != ":");
    let drops_comments = match setting("commit.cleanup").as_deref() {
        Some("strip") => true,
        Some("verbatim" | "whitespace" | "scissors") => false,
        _ => was_edited && repository.is_some(),
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let kept = text.lines().take_while(|line| !(line.starts_with(&mark) && line.ends_with(SCISSORS)));
    // A dropped line stays as an empty one, so that the numbers of lines are those of the file.
    let kept = kept.map(|line| if drops_comments && line.starts_with(&mark) { "" } else { line });
    let kept = kept.collect::<Vec<_>>().join("\n");
    let place = Place::new(PlaceKind::Message, "message");
    Ok(Report { findings: scanner.scan(&place, &kept), commits: 1, ..Report::default() })
}

struct Check<'a> {
    repository: &'a Repository,
    scanner: &'a Scanner,
    blobs: Blobs,
    report: Report,
    found: BTreeSet<Finding>,
    /// Contents, names, identities and tags that were looked at.
    seen: HashSet<(String, String)>,
}

impl<'a> Check<'a> {
    fn new(repository: &'a Repository, scanner: &'a Scanner) -> Result<Self, GuardError> {
        let blobs = repository.blobs()?;
        Ok(Self { repository, scanner, blobs, report: Report::default(), found: BTreeSet::new(), seen: HashSet::new() })
    }

    fn add(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            if self.found.contains(&finding) {
                continue;
            }
            if self.found.len() < MOST_FINDINGS {
                self.found.insert(finding);
            } else {
                self.report.more += 1;
            }
        }
    }

    fn is_new(&mut self, first: &str, second: &str) -> bool {
        self.seen.insert((first.to_owned(), second.to_owned()))
    }

    fn entries(&mut self, entries: &[Entry]) -> Result<(), GuardError> {
        for entry in entries {
            if self.is_new("", &entry.path) {
                self.add(self.scanner.scan_name(&entry.path, entry.commit.as_deref()));
            }
            if !self.is_new(&entry.object, &entry.path) {
                continue;
            }
            match self.blobs.read(&entry.object)? {
                Blob::Text(text) => {
                    self.report.files += 1;
                    let place =
                        Place { commit: entry.commit.clone(), ..Place::new(PlaceKind::File, entry.path.clone()) };
                    self.add(self.scanner.scan(&place, &text));
                }
                Blob::Binary => self.report.binary += 1,
                Blob::TooLarge(bytes) => self.report.too_large.push(TooLarge { path: entry.path.clone(), bytes }),
            }
        }
        Ok(())
    }

    fn published(&mut self, commits: &[Commit]) -> Result<(), GuardError> {
        self.commits(commits);
        if commits.is_empty() {
            return Ok(());
        }
        self.entries(&self.repository.changed(commits)?)
    }

    fn commits(&mut self, commits: &[Commit]) {
        for commit in commits {
            if !self.is_new("commit", &commit.id) {
                continue;
            }
            self.report.commits += 1;
            let place = Place::new(PlaceKind::Message, "message").in_commit(&commit.id);
            self.add(self.scanner.scan(&place, &commit.message));
            for (role, (name, mail)) in [("author", &commit.author), ("committer", &commit.committer)] {
                self.identity(role, name, mail, Some(&commit.id));
            }
        }
    }

    /// Somebody is named once, however much they wrote.
    fn identity(&mut self, role: &str, name: &str, mail: &str, commit: Option<&str>) {
        if self.is_new(name, mail) {
            let place = Place { commit: commit.map(str::to_owned), ..Place::new(PlaceKind::Identity, role) };
            self.add(self.scanner.scan_identity(&place, name, mail));
        }
    }

    fn next_identities(&mut self) {
        for (role, name, mail) in self.repository.next_identities() {
            self.identity(role, &name, &mail, None);
        }
    }

    fn tags(&mut self, tags: &[Tag]) -> Result<(), GuardError> {
        for tag in tags {
            self.add(self.scanner.scan(&Place::new(PlaceKind::Ref, tag.name.clone()), &tag.name));
            if let Some(object) = &tag.object {
                self.tag_object(&tag.name, object)?;
            }
        }
        Ok(())
    }

    fn tag_object(&mut self, name: &str, object: &str) -> Result<(), GuardError> {
        if let Blob::Text(text) = self.blobs.read(object)?
            && self.is_new(object, name)
        {
            self.add(self.scanner.scan(&Place::new(PlaceKind::Tag, name), &text));
        }
        Ok(())
    }

    fn finish(mut self) -> Report {
        self.report.findings = self.found.into_iter().collect();
        self.report
    }
}
