//! What was found, and where.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// What a value was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// An address of a private network.
    Ipv4Private,
    /// An address on the internet.
    Ipv4Public,
    /// A link-local or unique local address.
    Ipv6Local,
    /// An address on the internet.
    Ipv6Public,
    /// A folder below somebody's home.
    HomePath,
    /// A mail address of a person.
    Mail,
    /// A machine in a private network of Tailscale.
    Tailnet,
    /// A word of the denylist.
    Denylist,
    /// A credential.
    Secret,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 9] = [
        Self::Ipv4Private,
        Self::Ipv4Public,
        Self::Ipv6Local,
        Self::Ipv6Public,
        Self::HomePath,
        Self::Mail,
        Self::Tailnet,
        Self::Denylist,
        Self::Secret,
    ];

    /// Its name, as it is written in reports and lists.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ipv4Private => "ipv4-private",
            Self::Ipv4Public => "ipv4-public",
            Self::Ipv6Local => "ipv6-local",
            Self::Ipv6Public => "ipv6-public",
            Self::HomePath => "home-path",
            Self::Mail => "mail",
            Self::Tailnet => "tailnet",
            Self::Denylist => "denylist",
            Self::Secret => "secret",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Rule {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == name).ok_or(())
    }
}

/// What kind of thing was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceKind {
    /// The content of a file.
    File,
    /// The name of a file.
    FileName,
    /// The message of a commit.
    Message,
    /// An author or a committer.
    Identity,
    /// An annotated tag, with who made it.
    Tag,
    /// The name of a branch or a tag.
    Ref,
}

/// Where something was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// What was looked at.
    pub kind: PlaceKind,
    /// The file, the role or the ref.
    pub name: String,
    /// The commit, where there is one.
    pub commit: Option<String>,
}

impl Place {
    /// A place that is in no commit yet.
    pub fn new(kind: PlaceKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), commit: None }
    }

    /// The same in a commit.
    pub fn in_commit(self, commit: &str) -> Self {
        Self { commit: Some(commit.to_owned()), ..self }
    }
}

/// One value that must not leave. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where it stands.
    pub place: Place,
    /// The line, from 1.
    pub line: usize,
    /// What it is.
    pub rule: Rule,
    value: String,
}

impl Finding {
    pub(crate) fn new(place: Place, line: usize, rule: Rule, value: &str) -> Self {
        Self { place, line, rule, value: value.to_owned() }
    }

    /// The value itself: for the eyes of the person at the terminal, and for nothing else.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// How long it is.
    pub fn characters(&self) -> usize {
        self.value.chars().count()
    }
}

impl fmt::Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finding")
            .field("place", &self.place)
            .field("line", &self.line)
            .field("rule", &self.rule)
            .field("characters", &self.characters())
            .finish_non_exhaustive()
    }
}
