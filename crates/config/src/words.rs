//! Closed sets of words that only the configuration knows.

use lwa_domain::UnknownLabel;

macro_rules! words {
    ($(#[$meta:meta])* $name:ident ($what:literal) { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every word, in canonical order.
            pub const LABELS: &'static [&'static str] = &[$($word),+];

            /// The word as it is written in the file.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownLabel;

            fn from_str(value: &str) -> Result<Self, UnknownLabel> {
                match value {
                    $($word => Ok(Self::$variant),)+
                    other => Err(UnknownLabel::new($what, other, Self::LABELS)),
                }
            }
        }
    };
}

words! {
    /// How a provider is spoken to.
    Adapter("adapter") {
        /// The chat-completions protocol that most providers and local servers speak.
        OpenAi = "openai",
        /// Google's own protocol.
        Gemini = "gemini",
        /// Cohere's own protocol, version 2.
        Cohere = "cohere",
        /// Puter's form of the chat-completions protocol, where the end user pays.
        Puter = "puter",
        /// Replicate's predictions.
        Replicate = "replicate",
        /// Stability's forms for pictures.
        Stability = "stability",
        /// Not spoken to at all: the deterministic condenser inside the product. Files cannot choose it.
        Builtin = "builtin",
    }
}

words! {
    /// Where keys are kept.
    SecretsBackend("backend") {
        /// The operating system's keychain.
        Keychain = "keychain",
        /// A private file in the state folder.
        File = "file",
    }
}

words! {
    /// What the human says about the subscription at a provider.
    SubscriptionStatus("subscription status") {
        /// Nothing is said.
        Unknown = "unknown",
        /// Running.
        Active = "active",
        /// Not running.
        Inactive = "inactive",
        /// Ended.
        Expired = "expired",
    }
}

words! {
    /// Where a thought about the next tier comes from.
    GuidanceMode("guidance mode") {
        /// From what this machine knows.
        Local = "local",
        /// The client is asked to state one.
        CodexRequest = "codex_request",
    }
}

words! {
    /// A set of tools that a client may be offered.
    ToolSet("tool set") {
        /// The tools that most conversations need.
        Core = "core",
        /// Every tool of the router.
        Router = "router",
        /// Every tool of the library.
        Library = "library",
        /// Every tool of the gateway.
        Gateway = "gateway",
        /// Every tool of the worker.
        Worker = "worker",
        /// Every tool.
        All = "all",
    }
}

words! {
    /// What the worker is used for.
    WorkerMode("mode") {
        /// Private material: nothing that identifies a person leaves.
        Pii = "pii",
        /// Bulk output: the caller is spared what nobody needs to read in full.
        Assist = "assist",
    }
}

words! {
    /// Whether a session asks before the worker works for the first time.
    Arm("arming") {
        /// It asks.
        Ask = "ask",
        /// It works at once.
        On = "on",
    }
}

words! {
    /// When a command asks before it runs.
    RunPolicy("run policy") {
        /// Unless the allow-list has it.
        Ask = "ask",
        /// Never; what is denied stays denied.
        Allow = "allow",
        /// Never, and nothing but secrets is denied.
        Off = "off",
    }
}

words! {
    /// What happens when names or addresses turn up and nobody decided about them.
    Escalation("escalation") {
        /// The user is asked.
        Ask = "ask",
        /// They stay masked.
        Auto = "auto",
        /// They leave in clear.
        Off = "off",
    }
}

words! {
    /// Whether numbers that identify people leave in clear.
    AssistNumbers("disclosure of numbers") {
        /// They stay masked.
        Masked = "masked",
        /// They leave in clear.
        Open = "open",
    }
}

words! {
    /// Which of the worker's models decides first.
    DecidePrefer("model") {
        /// The first one.
        Primary = "primary",
        /// The one that answers when the first cannot.
        Fallback = "fallback",
    }
}

words! {
    /// What the worker's commands may reach.
    CommandSandbox("sandbox") {
        /// All that the user may reach.
        Off = "off",
        /// They write nothing outside temporary folders.
        ReadOnly = "read_only",
        /// They write in the project's folder and in temporary folders.
        Workspace = "workspace",
    }
}
