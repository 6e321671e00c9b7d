//! The tools: what the client is told of them, and which work each one does.

pub(crate) mod output;
pub(crate) mod parameter;
pub(crate) mod preparation;

use std::sync::Arc;

use rmcp::model::{MetaObject, Tool, ToolAnnotations};

use self::output::{APPROVED, PREPARED, Property, RAN, STATUS, output_schema};
use self::parameter::{Kind, Parameter, input_schema, response_detail};
use self::preparation::{PREPARATIONS, Preparation};
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
}

/// One tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolRow {
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    pub(crate) work: Work,
    is_core: bool,
}

const APPROVE: &str = "Ask the human to consent to a prepared plan that may cost money or needs consent for another \
    reason. It opens a question in the Lwa window or the user's terminal and never grants consent itself. Use it when a preparation says \
    requires_confirmation. Next: status ready means call run_prepared_task with plan_token; approval_pending means the \
    human has not answered, so repeat the same call; unavailable means nobody can be asked here, so tell the user what \
    message says and stop until they say that they answered; any other status means no for this plan.";

/// The tools that are no preparation. `approve_preflight` counts as read-only: it shows a question and changes
/// nothing that a human did not decide, and an unattended client could otherwise not even ask.
const OTHERS: [ToolRow; 4] = [
    ToolRow {
        name: "approve_preflight",
        title: "Ask for consent",
        description: APPROVE,
        work: Work::Approve,
        is_core: true,
    },
    ToolRow {
        name: "run_prepared_task",
        title: "Run a prepared plan",
        description: "Run a prepared plan once on the locked route and get its result. Use it with the plan_token of a \
            preparation whose working_may_begin is true, or after approve_preflight said ready. No other model is ever \
            tried. Next: completed carries text; working means repeat the same call; repreflight_required means \
            prepare a new plan. Repeating the call hands back the stored result with replayed true and never calls the \
            provider again.",
        work: Work::Run,
        is_core: true,
    },
    ToolRow {
        name: "router_status",
        title: "Router status",
        description: "See which providers and models are usable, the consent mode, today's usage, and what blocks work \
            together with the way out. Use it when a preparation finds no route or before asking for a provider by \
            name. It contacts no provider.",
        work: Work::Status,
        is_core: true,
    },
    ToolRow {
        name: "confirm_and_run",
        title: "Ask for consent (older name)",
        description: CONFIRM,
        work: Work::Approve,
        is_core: false,
    },
];

const CONFIRM: &str = "The same as approve_preflight, under its older name: asks the human to consent to a prepared \
    plan. Despite the name it never runs the plan and never grants consent. Next: when status is ready call \
    run_prepared_task with plan_token; when it is approval_pending repeat the same call.";

/// Claude Code shows its model only the names of tools until it asks for more; the core tools are few
/// enough to be there at once.
fn always_loaded() -> MetaObject {
    let mut meta = MetaObject::default();
    meta.0.insert("anthropic/alwaysLoad".to_owned(), true.into());
    meta
}

/// The tools of these sets, in a fixed order: core first, then the router's others.
pub(crate) fn rows(sets: &[ToolSet]) -> Vec<ToolRow> {
    let has_router = sets.iter().any(|set| matches!(set, ToolSet::Router | ToolSet::All));
    let has_core = has_router || sets.contains(&ToolSet::Core);
    let mut rows = every_row();
    rows.retain(|row| if row.is_core { has_core } else { has_router });
    rows
}

/// Every tool there is.
pub(crate) fn every_row() -> Vec<ToolRow> {
    let mut rows: Vec<ToolRow> = PREPARATIONS.iter().map(ToolRow::of).chain(OTHERS).collect();
    // The sort is stable, so within core and others the order of the tables stays.
    rows.sort_by_key(|row| !row.is_core);
    rows
}

impl ToolRow {
    fn of(preparation: &'static Preparation) -> Self {
        Self {
            name: preparation.tool,
            title: preparation.title,
            description: preparation.description,
            work: Work::Prepare(preparation),
            is_core: preparation.tool == "prepare_task",
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
                response_detail(),
            ],
            Work::Status => vec![response_detail()],
        }
    }

    fn output(&self) -> &'static [Property] {
        match self.work {
            Work::Prepare(_) => PREPARED,
            Work::Approve => APPROVED,
            Work::Run => RAN,
            Work::Status => STATUS,
        }
    }

    fn annotations(&self) -> ToolAnnotations {
        let (is_read_only, is_idempotent, is_open_world) = match self.work {
            // Every call locks one more plan, which is a record of ours and no change of the client's world.
            Work::Prepare(_) => (true, false, false),
            Work::Approve | Work::Status => (true, true, false),
            Work::Run => (false, true, true),
        };
        ToolAnnotations::new()
            .read_only(is_read_only)
            .destructive(false)
            .idempotent(is_idempotent)
            .open_world(is_open_world)
    }

    /// What the client is told.
    pub(crate) fn listed(&self) -> Tool {
        let tool = Tool::new(self.name, self.description, Arc::new(input_schema(&self.parameters())))
            .with_title(self.title)
            .with_annotations(self.annotations())
            // The aliases answer what the core tools answer, and a long list costs every conversation.
            .with_raw_output_schema(Arc::new(output_schema(self.output(), self.is_core)));
        if self.is_core { tool.with_meta(always_loaded()) } else { tool }
    }
}

const MAX_TEXT: &str = "Bytes of text in the reply, 8000 unless given. A longer text of builtin is condensed further, any other \
    is cut at a line end; all of it is linked as a resource.";
const TEXT_OFFSET: &str = "Reads the whole text in pieces: the byte to begin at, 0 first, then the next_text_offset of the reply \
    before. Use it when a client shortens long replies.";
