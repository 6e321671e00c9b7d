//! Which tools a process offers. The choice is fixed for its life, because clients ignore changes.

use std::str::FromStr;

use lwa_domain::UnknownLabel;

/// A named set of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolSet {
    /// The few tools that every client gets.
    Core,
    /// Every tool of the router, with its aliases.
    Router,
    /// Recipes made from repeated work.
    Library,
    /// Governed access to other MCP servers.
    Gateway,
    /// Commands and files on this machine.
    Worker,
    /// All of the above.
    All,
}

impl ToolSet {
    const ALL: [(&'static str, Self); 6] = [
        ("core", Self::Core),
        ("router", Self::Router),
        ("library", Self::Library),
        ("gateway", Self::Gateway),
        ("worker", Self::Worker),
        ("all", Self::All),
    ];

    /// The set's name as it is written on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Router => "router",
            Self::Library => "library",
            Self::Gateway => "gateway",
            Self::Worker => "worker",
            Self::All => "all",
        }
    }
}

impl FromStr for ToolSet {
    type Err = UnknownLabel;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        let value = value.trim();
        let names = Self::ALL.map(|(name, _)| name);
        let known = Self::ALL.into_iter().find(|(name, _)| *name == value).map(|(_, set)| set);
        known.ok_or_else(|| UnknownLabel::new("tool set", value, &names))
    }
}
