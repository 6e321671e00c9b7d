//! The table. A new line, or a new name in a line, needs a decision record.

/// The rule for one crate.
#[derive(Debug, Clone, Copy)]
pub struct Layer {
    /// The package.
    pub package: &'static str,
    /// Our packages that it may depend on directly.
    pub may_use: &'static [&'static str],
    /// Outside crates that it must not depend on directly, companions included.
    pub must_not_use: &'static [&'static str],
    /// What the rule protects, as the end of a sentence.
    pub because: &'static str,
}

/// What every crate may use for its tests.
pub const FOR_TESTS: &[&str] = &["lwa-domain", "lwa-config", "lwa-protocol", "lwa-testkit"];

/// One rule for each crate, from the words of the product outwards to its doors.
pub const LAYERS: &[Layer] = &[
    Layer {
        package: "lwa-domain",
        may_use: &[],
        must_not_use: &["tokio", "sqlx", "reqwest"],
        because: "the words of the product know no sibling and do no work outside memory",
    },
    Layer {
        package: "lwa-routing",
        may_use: &["lwa-domain"],
        must_not_use: &["tokio", "sqlx", "reqwest"],
        because: "choosing a route is a pure decision",
    },
    Layer {
        package: "lwa-condense",
        may_use: &["lwa-domain"],
        must_not_use: &["tokio", "sqlx", "reqwest"],
        because: "condensing is a pure function of its text",
    },
    Layer {
        package: "lwa-privacy",
        may_use: &["lwa-domain"],
        must_not_use: &["tokio", "sqlx", "reqwest", "tracing"],
        because: "a scrub is a pure function of its text, and private values are never logged",
    },
    Layer {
        package: "lwa-policy",
        may_use: &["lwa-domain"],
        must_not_use: &["tokio", "sqlx", "reqwest", "tracing"],
        because: "whether a command may run is a pure decision over its text",
    },
    Layer {
        package: "lwa-ner",
        may_use: &["lwa-domain", "lwa-privacy"],
        must_not_use: &["tokio", "sqlx", "reqwest", "tracing"],
        because: "the name model reads private text, so it keeps none and logs none",
    },
    Layer {
        package: "lwa-guard",
        may_use: &["lwa-privacy"],
        must_not_use: &["tokio", "sqlx", "reqwest", "tracing"],
        because: "the gate reads what is about to be published, so it keeps none and logs none",
    },
    Layer {
        package: "lwa-config",
        may_use: &["lwa-domain"],
        must_not_use: &["tokio", "sqlx", "reqwest", "tracing"],
        because: "configuration is read before anything else runs, and its values are never logged",
    },
    Layer {
        package: "lwa-registration",
        may_use: &["lwa-domain", "lwa-config"],
        must_not_use: &["tokio", "sqlx", "reqwest", "tracing"],
        because: "what it finds on the machine are other people's keys, and a face decides what becomes of them",
    },
    Layer {
        package: "lwa-telemetry",
        may_use: &["lwa-domain"],
        must_not_use: &["sqlx", "rmcp", "tauri"],
        because: "what leaves as a measurement is numbers and names, handed over by the engine",
    },
    Layer {
        package: "lwa-secrets",
        may_use: &["lwa-domain"],
        must_not_use: &["sqlx", "reqwest", "tracing"],
        because: "secrets are kept apart from storage, network and logs",
    },
    Layer {
        package: "lwa-process",
        may_use: &["lwa-domain"],
        must_not_use: &["sqlx", "reqwest", "rmcp", "tauri", "tracing"],
        because: "a program is run for whoever asks, and what it reads and writes is never logged",
    },
    Layer {
        package: "lwa-library",
        may_use: &["lwa-domain", "lwa-process"],
        must_not_use: &["sqlx", "reqwest", "rmcp", "tauri", "tracing"],
        because: "the tool library is files and pure functions; it knows neither the database nor a door",
    },
    Layer {
        package: "lwa-store",
        may_use: &["lwa-domain"],
        must_not_use: &["reqwest", "rmcp", "tauri"],
        because: "the store keeps verdicts and reaches none",
    },
    Layer {
        package: "lwa-providers",
        may_use: &["lwa-domain", "lwa-condense", "lwa-secrets"],
        must_not_use: &["sqlx", "rmcp", "tauri"],
        because: "a provider executes a locked route and never picks one",
    },
    Layer {
        package: "lwa-worker",
        may_use: &["lwa-domain", "lwa-privacy", "lwa-ner", "lwa-condense", "lwa-process"],
        must_not_use: &["sqlx", "rmcp", "tauri"],
        because: "the worker does private work for whoever was allowed; it decides nothing and keeps no database",
    },
    Layer {
        package: "lwa-protocol",
        may_use: &["lwa-domain", "lwa-config"],
        must_not_use: &["sqlx", "reqwest", "rmcp", "tauri"],
        because: "a face that speaks the protocol must not have to build the host",
    },
    Layer {
        package: "lwa-engine",
        may_use: &[
            "lwa-domain",
            "lwa-config",
            "lwa-routing",
            "lwa-condense",
            "lwa-secrets",
            "lwa-store",
            "lwa-providers",
            "lwa-library",
            "lwa-privacy",
            "lwa-policy",
            "lwa-ner",
            "lwa-worker",
            "lwa-process",
            "lwa-protocol",
            "lwa-telemetry",
        ],
        must_not_use: &["rmcp", "tauri"],
        because: "the engine serves every door and knows none",
    },
    Layer {
        package: "lwa-mcp-face",
        may_use: &["lwa-domain", "lwa-config", "lwa-protocol"],
        must_not_use: &["sqlx", "reqwest", "tauri"],
        because: "the MCP face speaks for an agent and reaches the host by the protocol alone",
    },
    Layer {
        package: "lwa-mcp",
        may_use: &["lwa-domain", "lwa-config", "lwa-protocol", "lwa-mcp-face"],
        must_not_use: &["sqlx", "reqwest", "tauri"],
        because: "the sidecar is a transport around the MCP face",
    },
    Layer {
        package: "lwa-cli",
        may_use: &[
            "lwa-domain",
            "lwa-config",
            "lwa-protocol",
            "lwa-engine",
            "lwa-registration",
            // `lwa scrub` and `lwa policy check` are pure functions of their input and need no host.
            "lwa-policy",
            "lwa-privacy",
            "lwa-ner",
            "lwa-worker",
            // Which variables of the terminal stay behind is the rule of whoever starts programs.
            "lwa-process",
            // `lwa guard` is a gate of git and needs no host.
            "lwa-guard",
        ],
        must_not_use: &["sqlx", "reqwest", "rmcp", "tauri"],
        because: "the command line is a face; it holds the engine for `lwa host` alone",
    },
    Layer {
        package: "lwa-desktop",
        may_use: &["lwa-domain", "lwa-config", "lwa-protocol"],
        must_not_use: &["sqlx", "reqwest", "rmcp", "keyring"],
        because: "the app is windows, tray and notifications; a crash of it must lose nothing",
    },
    Layer {
        package: "lwa-testkit",
        may_use: &["lwa-domain", "lwa-config", "lwa-protocol", "lwa-secrets", "lwa-store", "lwa-providers"],
        must_not_use: &["tauri"],
        because: "fakes stand beside the engine, not on top of it",
    },
    Layer {
        package: "lwa-tests",
        may_use: &["lwa-domain", "lwa-config", "lwa-protocol", "lwa-testkit"],
        must_not_use: &["sqlx", "tauri"],
        because: "end-to-end tests use the built programs through their doors",
    },
    Layer {
        package: "xtask",
        may_use: &[
            "lwa-domain",
            "lwa-protocol",
            "lwa-routing",
            "lwa-providers",
            "lwa-ner",
            "lwa-policy",
            "lwa-privacy",
            "lwa-testkit",
        ],
        must_not_use: &["sqlx", "rmcp", "tauri"],
        because: "the tools measure what the product does through its own doors and pure parts, never through the engine",
    },
];
