//! The keys of the worker, and those of them that a client or a project may have of its own.

use super::super::{
    ARMS, ASSIST_NUMBERS, COMMAND_SANDBOXES, DECIDE_PREFERS, ESCALATIONS, KeyInfo, Kind, RUN_POLICIES, WORKER_MODES,
};
use super::{count, key};

/// `[worker]`.
pub(super) const WORKER: &[KeyInfo] = &[
    key("worker.enabled", Kind::Flag, "true", "Whether there is a worker at all."),
    key(
        "worker.mode",
        WORKER_MODES,
        r#""assist""#,
        "What it is used for: `assist` spares the caller bulk output, `pii` lets nothing out that identifies a person.",
    ),
    key(
        "worker.arm",
        ARMS,
        r#""ask""#,
        "Whether a session asks you before it works for the first time. With `on` it works at once, for every client.",
    ),
    key(
        "worker.run_policy",
        RUN_POLICIES,
        r#""ask""#,
        "When a command asks you: `ask` unless `run-allow.txt` has it; `allow` never, and what is denied stays denied; `off` never, and nothing but secrets is denied.",
    ),
    key(
        "worker.escalation",
        ESCALATIONS,
        r#""ask""#,
        "What happens in `assist` when names or addresses turn up and nobody decided: `ask` asks you, `auto` masks them, `off` lets them out.",
    ),
    key(
        "worker.assist_numbers",
        ASSIST_NUMBERS,
        r#""masked""#,
        "Whether card, account, identity and social security numbers and dates of birth leave in clear in `assist`.",
    ),
    key(
        "worker.sandbox",
        COMMAND_SANDBOXES,
        r#""off""#,
        "What commands may write: `off` what you may; `workspace` the project's folder and temporary ones; `read_only` temporary ones. A client's own sandbox is never widened.",
    ),
    key("worker.sandbox_network", Kind::Flag, "true", "Whether commands in a sandbox reach the network."),
    key(
        "worker.base_url",
        Kind::Url,
        "",
        "The address of a model on this machine, for example `http://127.0.0.1:11434/v1`. Without it the built-in condenser does the work.",
    ),
    key("worker.model", Kind::Text, r#""local""#, "The model's name there."),
    key(
        "worker.api_key_env",
        Kind::Variable,
        "",
        "The environment variable that holds the model's key. The key itself belongs into `lwa keys set worker`, never here.",
    ),
    key("worker.fallback_base_url", Kind::Url, "", "The address of the model that answers when the first cannot."),
    key("worker.fallback_model", Kind::Text, "", "The name of that model; without it, the first one's."),
    key(
        "worker.fallback_api_key_env",
        Kind::Variable,
        "",
        "The environment variable that holds that model's key. The key itself belongs into `lwa keys set worker-fallback`.",
    ),
    key("worker.failover_cooldown", count(0, 86_400), "120", "Seconds that a model which failed is asked last."),
    key(
        "worker.allow_private_network",
        Kind::Flag,
        "false",
        "Whether a model may be on another machine of your private network. Your material goes there.",
    ),
    key("worker.thinking", Kind::Flag, "false", "Whether the model may think before it answers."),
    key(
        "worker.max_output_chars",
        count(100, 20_000),
        "2000",
        "How many characters an answer has at most, unless the call says so.",
    ),
    key("worker.max_tokens_cap", count(400, 1_000_000), "8192", "The most tokens that the model is asked for."),
    key("worker.llm_timeout", count(1, 3600), "300", "Seconds that a call of the model may take."),
    key("worker.chunk_chars", count(1000, 1_000_000), "24000", "How many characters the model reads at once."),
    key("worker.parallel_chunks", count(1, 64), "4", "How many pieces are read at the same time."),
    key(
        "worker.material_max_chars",
        count(1000, 20_000_000),
        "400000",
        "How many characters of material are kept; the rest is cut from the middle, and the result says so.",
    ),
    key(
        "worker.context_chars",
        count(0, 1_000_000),
        "12000",
        "How many characters of the session's memory the model is given.",
    ),
    key("worker.excerpt_chars", count(0, 100_000), "1500", "How many characters of the material the memory keeps."),
    key("worker.summary_chars", count(200, 100_000), "6000", "How many characters the memory's summary has at most."),
    key(
        "worker.auto_compact_chars",
        count(1000, 20_000_000),
        "60000",
        "How many characters of memory collect before it is compacted by itself.",
    ),
    key("worker.command_timeout", count(1, 3600), "120", "Seconds that a command may run, unless the call says so."),
    key(
        "worker.dialog_timeout",
        count(1, 86_400),
        "600",
        "Seconds that a dialog in the client waits for your answer; then it means no.",
    ),
    key(
        "worker.strict_pii",
        Kind::Flag,
        "false",
        "Whether bare runs of digits count as phone numbers even where no word says so.",
    ),
    key("worker.entity_pass", Kind::Flag, "true", "Whether the model is asked for names in the material, in `pii`."),
    key(
        "worker.shapes",
        Kind::Flag,
        "true",
        "Whether the shapes of names, addresses and labelled numbers are looked for.",
    ),
    key("worker.names", Kind::Flag, "true", "Whether the embedded name model reads what leaves."),
    key(
        "worker.fail_closed",
        Kind::Flag,
        "false",
        "Whether an answer that the model could not check for names is withheld. Otherwise it leaves, and says that it was not checked.",
    ),
    key(
        "worker.caller_model",
        Kind::Text,
        "",
        "The cloud model whose prices say what the worker saved; without it, the first of the list.",
    ),
    key(
        "worker.observer",
        Kind::Text,
        r#""none""#,
        "Where events about calls go: `none`, `webhook`, or `exec:PATH` for a program that reads lines of JSON. Events hold counts and times, and no text.",
    ),
    key("worker.observer_url", Kind::Url, "", "The address of the webhook."),
    key(
        "worker.decide",
        Kind::Flag,
        "false",
        "Whether there are tools that let the model decide between given choices.",
    ),
    key("worker.decide_prefer", DECIDE_PREFERS, r#""primary""#, "Which model decides first."),
    key("worker.decide_reasoning", Kind::Flag, "true", "Whether a decision comes with a reason."),
    key("worker.decide_timeout_s", count(1, 600), "5", "Seconds that a decision may take."),
    key("worker.artifact_days", count(0, 36_500), "0", "Days that stored material is kept; 0 means always."),
    key(
        "worker.session_days",
        count(0, 36_500),
        "0",
        "Days that a session is kept after it was last used; 0 means always.",
    ),
];

const MODE: &str = "Its own `worker.mode`.";
const ARM: &str = "Its own `worker.arm`. It arms nothing else.";
const RUN_POLICY: &str = "Its own `worker.run_policy`.";
const ESCALATION: &str = "Its own `worker.escalation`.";
const NUMBERS: &str = "Its own `worker.assist_numbers`.";
const SANDBOX: &str = "Its own `worker.sandbox`.";
const ALLOW: &str = "Lines that hold here on top of those in `run-allow.txt`, in the same form.";

/// `[clients.NAME.worker]`.
pub(super) const OF_CLIENT: &[KeyInfo] = &[
    key("clients.NAME.worker.mode", WORKER_MODES, "", MODE),
    key("clients.NAME.worker.arm", ARMS, "", ARM),
    key("clients.NAME.worker.run_policy", RUN_POLICIES, "", RUN_POLICY),
    key("clients.NAME.worker.escalation", ESCALATIONS, "", ESCALATION),
    key("clients.NAME.worker.assist_numbers", ASSIST_NUMBERS, "", NUMBERS),
    key("clients.NAME.worker.sandbox", COMMAND_SANDBOXES, "", SANDBOX),
    key("clients.NAME.worker.allow", Kind::Words, "[]", ALLOW),
];

/// `[projects."DIR".worker]`.
pub(super) const OF_PROJECT: &[KeyInfo] = &[
    key("projects.DIR.worker.mode", WORKER_MODES, "", MODE),
    key("projects.DIR.worker.arm", ARMS, "", ARM),
    key("projects.DIR.worker.run_policy", RUN_POLICIES, "", RUN_POLICY),
    key("projects.DIR.worker.escalation", ESCALATIONS, "", ESCALATION),
    key("projects.DIR.worker.assist_numbers", ASSIST_NUMBERS, "", NUMBERS),
    key("projects.DIR.worker.sandbox", COMMAND_SANDBOXES, "", SANDBOX),
    key("projects.DIR.worker.allow", Kind::Words, "[]", ALLOW),
];
