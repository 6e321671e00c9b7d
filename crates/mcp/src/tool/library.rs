//! The tools of the tool library: recipes made of work that repeats, and scripts that a human approved.

use lwa_domain::{Quality, TaskKind};

use super::output::{ERROR, NEXT, Property};
use super::parameter::{Kind, Parameter, allow_paid, reasoning_effort};
use super::{Hints, ToolRow, Work};
use crate::toolset::ToolSet;

/// What one of these tools does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LibraryWork {
    /// Suggests tools for a piece of work.
    Suggest,
    /// Runs a tool.
    Run,
    /// Counts a run of a workflow.
    Observe,
    /// Lists the tools.
    List,
    /// Finds tools.
    Search,
    /// Shows one tool.
    Read,
    /// Makes a recipe.
    Create,
    /// Takes a script in.
    Register,
    /// Asks the human to put a tool into use.
    Approve,
    /// Takes a tool out of use.
    Disable,
    /// Makes tools of what repeats.
    Analyze,
    /// Repairs the library.
    Rebuild,
    /// Tells how the library is.
    Status,
}

const STATUSES: &[&str] = &["draft", "active", "disabled", "archived"];
const SLUG: &str = "The tool's slug.";
const TAGS: &str = "Words to find it by.";
const TRIGGERS: &str = "When to use it, a sentence each.";
const TEMPLATE: &str =
    "The text of the prompt with {input} where the input goes; no other variable and no other brace.";
const ALLOW_USER_PAYS: &str = "Whether routes that the user's own subscription pays may be considered.";

const fn core(name: &'static str, title: &'static str, work: LibraryWork, description: &'static str) -> ToolRow {
    ToolRow { name, title, description, work: Work::Library(work), set: ToolSet::Library, is_core: true }
}

const fn row(name: &'static str, title: &'static str, work: LibraryWork, description: &'static str) -> ToolRow {
    ToolRow { name, title, description, work: Work::Library(work), set: ToolSet::Library, is_core: false }
}

/// These tools, in the order in which they are listed.
pub(crate) const LIBRARY: [ToolRow; 13] = [
    core(
        "suggest_library_tools",
        "Suggest library tools",
        LibraryWork::Suggest,
        "Find recipes and scripts of the user's library that fit what you are about to do. It costs nothing. Next: \
            run_library_tool with the slug of one that fits.",
    ),
    core(
        "run_library_tool",
        "Run a library tool",
        LibraryWork::Run,
        "Run a tool of the user's library on an input. A recipe becomes a locked plan, as from prepare_task: call \
            run_prepared_task next. A script runs at once in a sandbox, if a human approved its present content; \
            review_required says what is missing, working means repeat the same call.",
    ),
    core(
        "observe_workflow",
        "Note a finished workflow",
        LibraryWork::Observe,
        "Tell the library that a named workflow was done once, well or not. After three successes it becomes a recipe. \
            The sample is looked at and not kept. Do not call it for plans of run_prepared_task: those are counted.",
    ),
    row(
        "list_library_tools",
        "List library tools",
        LibraryWork::List,
        "List the tools of the user's library, newest change first, all of them or those of one status.",
    ),
    row(
        "search_tool_library",
        "Search the library",
        LibraryWork::Search,
        "Find tools of any status whose name, description, tags or triggers share words with a query, best first. \
            Use suggest_library_tools to find only those that can be run.",
    ),
    row(
        "read_library_tool",
        "Read a library tool",
        LibraryWork::Read,
        "Show one tool of the library: its description, its page, and the text of a recipe or the source of a script.",
    ),
    row(
        "create_library_tool",
        "Create a recipe",
        LibraryWork::Create,
        "Put a recipe into the library: a prompt with {input} where the input goes. Never put a key or private text \
            into it. Next: run_library_tool with its slug, unless activate is false.",
    ),
    row(
        "register_script_tool",
        "Register a script",
        LibraryWork::Register,
        "Put a Python script into the library as a draft. It reads its input from standard input, has no network and \
            cannot write outside its own folder. It does not run before a human approved exactly this content. Next: \
            approve_library_tool with its slug.",
    ),
    row(
        "approve_library_tool",
        "Ask to approve a tool",
        LibraryWork::Approve,
        "Ask the human to put a draft or disabled tool into use. It opens a question that shows the content, and never \
            grants anything itself. Next: ready means it is in use; approval_pending means repeat the same call; \
            unavailable means tell the user what message says and stop; any other status means no.",
    ),
    row(
        "disable_library_tool",
        "Disable a tool",
        LibraryWork::Disable,
        "Take a tool out of use. Its files and its history stay, and a human can put it into use again.",
    ),
    row(
        "analyze_repeated_workflows",
        "Analyse repeated workflows",
        LibraryWork::Analyze,
        "List the kinds of work that repeat, and make recipes of those that were seen often enough and have none yet. \
            Calling it again makes no second one.",
    ),
    row(
        "rebuild_tool_catalog",
        "Rebuild the catalogue",
        LibraryWork::Rebuild,
        "Put right what is out of step in the library's folder, and write its catalogue and pages anew. Nothing is \
            lost by it. Use it when a person edited the files.",
    ),
    row(
        "library_status",
        "Library status",
        LibraryWork::Status,
        "See where the library is, how many tools it has by status, what it noticed, and which work repeats.",
    ),
];

fn required(name: &'static str, about: &'static str) -> Parameter {
    Parameter::new(name, Kind::Text, about).required()
}

fn task() -> Parameter {
    Parameter::new("task", Kind::Label(TaskKind::LABELS), "The kind of work.")
}

/// The same without the list of words, which is long and stands in `prepare_task` beside it.
fn task_as_in_prepare_task(about: &'static str) -> Parameter {
    Parameter::new("task", Kind::Text, about)
}

fn limit(default: u32) -> Parameter {
    Parameter::new("limit", Kind::Whole(1, 50), "How many at most.").default(default)
}

fn described() -> Vec<Parameter> {
    vec![
        required("name", "Its name for people."),
        required("description", "What it does, in a sentence."),
        task().required(),
        Parameter::new("tags", Kind::Texts, TAGS),
        Parameter::new("triggers", Kind::Texts, TRIGGERS),
    ]
}

impl LibraryWork {
    pub(super) fn parameters(self) -> Vec<Parameter> {
        match self {
            Self::Suggest => vec![
                required("context", "What you are about to do, in a few words or as the beginning of the prompt."),
                task_as_in_prepare_task("Its task, as in prepare_task."),
                limit(5),
            ],
            Self::Run => vec![
                required("slug", SLUG),
                required("input_text", "What to run it on."),
                Parameter::new("quality", Kind::Label(Quality::LABELS), "Of a recipe.").default("balanced"),
                reasoning_effort(),
                allow_paid(),
                Parameter::new("allow_user_pays", Kind::Flag, ALLOW_USER_PAYS).default(false),
                Parameter::new("max_output_bytes", Kind::Whole(200, 100_000), "Of each stream of a script.")
                    .default(3000),
            ],
            Self::Observe => vec![
                required("workflow_name", "The same name each time."),
                required("description", "What it does, in a sentence."),
                task_as_in_prepare_task("Its task, as in prepare_task.").required(),
                Parameter::new("sample", Kind::Text, "Example input."),
                Parameter::new("project", Kind::Text, "Its project."),
                Parameter::new("success", Kind::Flag, "Whether it went well.").default(true),
                Parameter::new("tags", Kind::Texts, TAGS),
                Parameter::new("plan_id", Kind::Text, "The plan that did the work, if one did."),
            ],
            Self::List => vec![Parameter::new("status", Kind::Label(STATUSES), "Only tools of this status.")],
            Self::Search => vec![required("query", "What to look for."), task(), limit(10)],
            Self::Read | Self::Disable | Self::Approve => vec![required("slug", SLUG)],
            Self::Create => {
                let mut parameters = described();
                parameters.insert(3, required("prompt_template", TEMPLATE));
                let about = "Whether it is in use at once; it is a draft otherwise.";
                parameters.push(Parameter::new("activate", Kind::Flag, about).default(true));
                parameters
            }
            Self::Register => {
                let mut parameters = described();
                parameters.insert(3, required("source", "The program in Python 3, at most 250,000 bytes."));
                let about = "A plain file name that ends in .py.";
                parameters.push(Parameter::new("filename", Kind::Text, about).default("tool.py"));
                parameters
            }
            Self::Analyze => {
                let about = "How many patterns to look at, the most frequent first.";
                vec![Parameter::new("limit", Kind::Whole(1, 500), about).default(100)]
            }
            Self::Rebuild | Self::Status => Vec::new(),
        }
    }

    pub(super) const fn output(self) -> &'static [Property] {
        match self {
            Self::Suggest => SUGGESTED,
            Self::Run => RAN,
            Self::Observe => OBSERVED,
            Self::List | Self::Search => TOOLS,
            Self::Read => READ,
            Self::Create | Self::Register | Self::Disable => TOOL,
            Self::Approve => APPROVED,
            Self::Analyze => ANALYZED,
            Self::Rebuild => REBUILT,
            Self::Status => STATUS,
        }
    }

    pub(super) const fn hints(self) -> Hints {
        let (is_read_only, is_idempotent) = match self {
            // A question shows something and changes nothing that a human did not decide.
            Self::Suggest | Self::List | Self::Search | Self::Read | Self::Status | Self::Approve => (true, true),
            Self::Create | Self::Disable | Self::Analyze | Self::Rebuild => (false, true),
            Self::Run | Self::Observe | Self::Register => (false, false),
        };
        // A recipe is only prepared, and a script has no network.
        Hints { is_read_only, is_idempotent, is_open_world: false }
    }
}

const MESSAGE: Property = ("message", Some("string"), "what this means");

const SUGGESTED: &[Property] = &[
    ("is_enabled", Some("boolean"), ""),
    ("suggestions", Some("array"), ""),
    ("suggestions_more", Some("integer"), ""),
    ERROR,
];
const RAN: &[Property] = &[
    ("status", Some("string"), ""),
    MESSAGE,
    NEXT,
    ("library_tool", Some("object"), ""),
    ("plan_id", Some("string"), ""),
    ("plan_token", Some("string"), ""),
    ("working_may_begin", Some("boolean"), ""),
    ("confirmation_token", Some("string"), ""),
    ("returncode", Some("integer"), ""),
    ("stdout", Some("string"), ""),
    ("stderr", Some("string"), ""),
    ERROR,
];
const OBSERVED: &[Property] =
    &[("status", Some("string"), ""), ("pattern", Some("object"), ""), ("created_tool", Some("object"), ""), ERROR];
const TOOLS: &[Property] = &[
    ("tools", Some("array"), "slug, name, description, kind, status, task, evidence_count; relevance of a search"),
    ("tools_more", Some("integer"), "tools left out of the reply"),
    ERROR,
];
const READ: &[Property] = &[
    ("tool", Some("object"), "what is known about it"),
    ("path", Some("string"), "its folder"),
    ("content", Some("string"), "the text of a recipe or the source of a script"),
    ("content_truncated", Some("boolean"), "whether content was cut; the folder has all of it"),
    ("content_id", Some("string"), "SHA-256 of the whole content"),
    ("readme", Some("string"), "its page for people"),
    ("manifest", Some("string"), "its description as it stands on the disk"),
    ERROR,
];
const TOOL: &[Property] = &[
    ("slug", Some("string"), ""),
    ("name", Some("string"), ""),
    ("status", Some("string"), "draft, active, disabled or archived"),
    ("kind", Some("string"), "prompt_recipe or script"),
    ("version", Some("string"), ""),
    ("task", Some("string"), ""),
    ("approved", Some("boolean"), "by a human; for a script, its present content"),
    ("evidence_count", Some("integer"), "runs that speak for it"),
    NEXT,
    ERROR,
];
const APPROVED: &[Property] = &[
    ("status", Some("string"), "ready, approval_pending, denied, dismissed, timed_out, withdrawn or unavailable"),
    MESSAGE,
    NEXT,
    ("approval_id", Some("string"), ""),
    ("tool", Some("object"), ""),
    ERROR,
];
const ANALYZED: &[Property] = &[
    ("patterns", Some("array"), "work that repeats, the most frequent first"),
    ("patterns_more", Some("integer"), "patterns left out of the reply"),
    ("created_tools", Some("array"), "recipes that were made just now"),
    ERROR,
];
const REBUILT: &[Property] = &[
    ("status", Some("string"), "rebuilt"),
    ("catalog", Some("string"), "the list for people"),
    ("tools", Some("integer"), ""),
    ("repaired", Some("texts"), "what was out of step"),
    ERROR,
];
const STATUS: &[Property] = &[
    ("library", Some("object"), "folder, numbers by status, notices"),
    ("pattern_count", Some("integer"), ""),
    ("patterns", Some("array"), "the most frequent ones"),
    ("patterns_more", Some("integer"), "patterns left out of the reply"),
    ERROR,
];
