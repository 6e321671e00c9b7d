//! Ids as types, so that a plan id can never stand where a client name is meant.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps an id that already exists.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// A plan: 24 hexadecimal digits. It names a plan and gives no right to run it.
    PlanId
}
id! {
    /// An approval: 32 hexadecimal digits (128 random bits).
    ApprovalId
}
id! {
    /// One conversation of one client.
    SessionId
}
id! {
    /// The program that talks to us, as it names itself: `claude-code`, `codex-mcp-client`.
    ClientName
}
