//! The tools: what the client is told of them, and which work each one does.

pub(crate) mod library;
pub(crate) mod output;
pub(crate) mod parameter;
pub(crate) mod preparation;
pub(crate) mod upkeep;
pub(crate) mod worker;

use std::sync::Arc;

use rmcp::model::{MetaObject, Tool, ToolAnnotations};

use self::library::{LIBRARY, LibraryWork};
use self::output::{APPROVED, PREPARED, PREPARED_AS_ABOVE, Property, RAN, STATUS, output_schema};
use self::parameter::{Kind, Parameter, input_schema, response_detail};
use self::preparation::{PREPARATIONS, Preparation};
use self::upkeep::{UPKEEP, Upkeep};
use self::worker::{WORKER, WorkerTool};
use crate::toolset::ToolSet;

/// What a tool does when it is called.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// Prepares a plan.
    Prepare(&'static Preparation),
    /// Asks the human to consent.
    Approve,
    /// Runs a plan.
    Run,
    /// Tells how the router is.
    Status,
    /// Looks after the router.
    Upkeep(Upkeep),
    /// Works with the tool library.
    Library(LibraryWork),
    /// Works on this machine.
    Worker(WorkerTool),
}

/// What clients may take for granted about a tool. None of them destroys anything.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hints {
    is_read_only: bool,
    is_idempotent: bool,
    is_open_world: bool,
}

/// One tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolRow {
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    pub(crate) work: Work,
    /// The set that the tool belongs to.
    pub(crate) set: ToolSet,
    /// Whether it is in the core set as well.
    is_core: bool,
}

const APPROVE: &str = "Ask the human to consent to a plan whose preparation says requires_confirmation. It opens a \
    question in the Lwa window or the user's terminal and never grants consent itself. Next: ready means call \
    run_prepared_task with plan_token; approval_pending means repeat this call; unavailable means tell the user what \
    message says and stop until they say that they answered; any other status means no for this plan.";

/// The tools that are no preparation. `approve_preflight` counts as read-only: it shows a question and changes
/// nothing that a human did not decide, and an unattended client could otherwise not even ask.
const OTHERS: [ToolRow; 4] = [
    ToolRow {
        name: "approve_preflight",
        title: "Ask for consent",
        description: APPROVE,
        work: Work::Approve,
        set: ToolSet::Router,
        is_core: true,
    },
    ToolRow {
        name: "run_prepared_task",
        title: "Run a prepared plan",
        description: "Run a prepared plan once on the locked route and get its result: after a preparation whose \
            working_may_begin is true, or after approve_preflight said ready. No other model is ever tried. Next: \
            completed carries text; working means repeat the same call; repreflight_required means prepare a new \
            plan. A repeat hands back the stored result and never calls the provider again.",
        work: Work::Run,
        set: ToolSet::Router,
        is_core: true,
    },
    ToolRow {
        name: "router_status",
        title: "Router status",
        description: "See which providers are usable, the consent mode, today's usage, and what blocks work with the \
            way out. Use it when a preparation finds no route. It contacts no provider.",
        work: Work::Status,
        set: ToolSet::Router,
        is_core: true,
    },
    ToolRow {
        name: "confirm_and_run",
        title: "Ask for consent (older name)",
        description: CONFIRM,
        work: Work::Approve,
        set: ToolSet::Router,
        is_core: false,
    },
];

const CONFIRM: &str = "The same as approve_preflight, under its older name: asks the human to consent to a prepared \
    plan. Despite the name it never runs the plan and never grants consent. Next: when status is ready call \
    run_prepared_task with plan_token; when it is approval_pending repeat the same call.";

/// Claude Code shows its model only the names of tools until it asks for more; the core tools that do
/// the work are few enough to be there at once.
fn always_loaded() -> MetaObject {
    let mut meta = MetaObject::default();
    meta.0.insert("anthropic/alwaysLoad".to_owned(), true.into());
    meta
}

/// The tools of these sets, in a fixed order: core first, then the others by set. Those that decide are there where the
/// user switched them on.
pub(crate) fn rows(sets: &[ToolSet], has_decisions: bool) -> Vec<ToolRow> {
    let mut rows = every_row();
    rows.retain(|row| has_decisions || !row.needs_decisions());
    rows.retain(|row| {
        sets.contains(&ToolSet::All) || sets.contains(&row.set) || (row.is_core && sets.contains(&ToolSet::Core))
    });
    rows
}

/// Every tool there is.
pub(crate) fn every_row() -> Vec<ToolRow> {
    let mut rows: Vec<ToolRow> =
        PREPARATIONS.iter().map(ToolRow::of).chain(OTHERS).chain(UPKEEP).chain(LIBRARY).chain(WORKER).collect();
    // The sort is stable, so within core and others the order of the tables stays.
    rows.sort_by_key(|row| !row.is_core);
    rows
}

impl ToolRow {
    /// Whether the tool exists only where the user switched decisions on.
    pub(crate) const fn needs_decisions(&self) -> bool {
        matches!(self.work, Work::Worker(tool) if tool.needs_decisions())
    }

    fn of(preparation: &'static Preparation) -> Self {
        Self {
            name: preparation.tool,
            title: preparation.title,
            description: preparation.description,
            work: Work::Prepare(preparation),
            set: ToolSet::Router,
            is_core: matches!(preparation.tool, "prepare_task" | "build_consensus" | "generate_image"),
        }
    }

    /// The parameters, of which both the schema and the check are made.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        match self.work {
            Work::Prepare(preparation) => preparation.parameters(),
            Work::Approve => {
                let about = "The confirmation_token of the preparation.";
                vec![Parameter::new("confirmation_token", Kind::Text, about).required(), response_detail()]
            }
            Work::Run => vec![
                Parameter::new("plan_token", Kind::Text, "The plan_token of the preparation.").required(),
                Parameter::new("max_text_bytes", Kind::Whole(500, 200_000), MAX_TEXT).default(8000),
                Parameter::new("text_offset", Kind::Whole(0, u32::MAX), TEXT_OFFSET),
                Parameter::new("next_tier_suggestion", Kind::Text, NEXT_TIER),
                response_detail(),
            ],
            Work::Status => vec![response_detail()],
            Work::Upkeep(upkeep) => upkeep.parameters(),
            Work::Library(work) => work.parameters(),
            Work::Worker(tool) => tool.parameters(),
        }
    }

    /// What a reply holds; none where it is text alone.
    fn output(&self) -> Option<&'static [Property]> {
        Some(match self.work {
            Work::Prepare(preparation) if preparation.tool == "prepare_task" => PREPARED,
            Work::Prepare(_) => PREPARED_AS_ABOVE,
            Work::Approve => APPROVED,
            Work::Run => RAN,
            Work::Status => STATUS,
            Work::Upkeep(upkeep) => upkeep.output(),
            Work::Library(work) => work.output(),
            Work::Worker(tool) => return tool.output(),
        })
    }

    fn annotations(&self) -> ToolAnnotations {
        let hints = match self.work {
            // Every call locks one more plan, which is a record of ours and no change of the client's world.
            Work::Prepare(_) => Hints { is_read_only: true, is_idempotent: false, is_open_world: false },
            Work::Approve | Work::Status => Hints { is_read_only: true, is_idempotent: true, is_open_world: false },
            Work::Run => Hints { is_read_only: false, is_idempotent: true, is_open_world: true },
            Work::Upkeep(upkeep) => upkeep.hints(),
            Work::Library(work) => work.hints(),
            Work::Worker(tool) => tool.hints(),
        };
        let annotations =
            ToolAnnotations::new().read_only(hints.is_read_only).destructive(false).open_world(hints.is_open_world);
        // What is not idempotent need not say so: that is what clients take for granted.
        if hints.is_idempotent { annotations.idempotent(true) } else { annotations }
    }

    /// What the client is told.
    pub(crate) fn listed(&self) -> Tool {
        let tool = Tool::new(self.name, self.description, Arc::new(input_schema(&self.parameters())))
            .with_title(self.title)
            .with_annotations(self.annotations());
        let tool = match self.output() {
            Some(properties) => tool.with_raw_output_schema(Arc::new(output_schema(properties))),
            None => tool,
        };
        let is_always_loaded = match self.work {
            Work::Worker(tool) => tool.is_always_loaded(),
            _ => self.is_core,
        };
        if is_always_loaded { tool.with_meta(always_loaded()) } else { tool }
    }
}

const MAX_TEXT: &str = "Bytes of text in the reply; the whole is linked as a resource.";
const NEXT_TIER: &str = "Your own thought about the tier of the next step; it changes no route.";
const TEXT_OFFSET: &str = "Reads the whole text in pieces: 0 first, then next_text_offset of the reply before.";
