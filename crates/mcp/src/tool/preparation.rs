//! The preparation tools as one table: `prepare_task` and every alias of it.

use lwa_domain::{Quality, TaskKind};

use super::parameter::{
    Kind, Parameter, allow_paid, excluded_providers, max_cost, quality, reasoning_effort, required_billing_class,
    response_detail, response_format, task,
};

/// A tool that prepares a plan.
#[derive(Debug)]
pub(crate) struct Preparation {
    /// The tool's name.
    pub(crate) tool: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    /// What it is for and what comes next.
    pub(crate) description: &'static str,
    /// The task, unless the caller names it.
    pub(crate) task: Option<TaskKind>,
    /// The quality when the caller names none.
    pub(crate) quality: Quality,
    /// Tokens of answer when the caller names none.
    pub(crate) max_output_tokens: u32,
    /// Where the prompt comes from.
    pub(crate) input: Input,
}

/// Where the prompt of a preparation comes from, and with that which parameters it has.
#[derive(Debug)]
pub(crate) enum Input {
    /// All parameters, the task among them.
    Full,
    /// The same with what the work is a part of.
    Workflow,
    /// One parameter is the prompt.
    One(&'static str, &'static str),
    /// Instructions and a document, joined.
    Document,
    /// A question to several voters.
    Question,
    /// The description of a picture.
    Picture,
    /// The description of a film.
    Film,
}

/// Every preparation tool, in the order in which tools are listed.
pub(crate) const PREPARATIONS: &[Preparation] = &[
    Preparation {
        tool: "prepare_task",
        title: "Prepare auxiliary work",
        description: "Hand side work to Lwa instead of spending your own context: compress a conversation, shorten a \
            prompt, answer a small question, edit, report, plan, check claims. It picks the cheapest suitable route \
            and locks a plan; it calls no model and costs nothing. Next: when working_may_begin is true call \
            run_prepared_task with plan_token; otherwise approve_preflight with confirmation_token.",
        task: None,
        quality: Quality::Balanced,
        max_output_tokens: 1200,
        input: Input::Full,
    },
    Preparation {
        tool: "route_task",
        title: "Route a task",
        description: "The same as prepare_task, under its older name: picks a route for the task and locks a plan \
            without calling a model. Next: run_prepared_task with plan_token, after approve_preflight where the reply \
            asks for it.",
        task: None,
        quality: Quality::Balanced,
        max_output_tokens: 1200,
        input: Input::Full,
    },
    Preparation {
        tool: "smart_complete",
        title: "Prepare a completion",
        description: "The same as prepare_task, for callers that look for a completion: it prepares and locks a plan \
            and never runs it. Next: run_prepared_task with plan_token, after approve_preflight where the reply asks \
            for it.",
        task: None,
        quality: Quality::Balanced,
        max_output_tokens: 1200,
        input: Input::Workflow,
    },
    Preparation {
        tool: "quick_response",
        title: "Prepare a quick answer",
        description: "Prepare a short, direct answer to a small question by a cheap model. Locks a plan and calls no \
            model. Next: run_prepared_task with plan_token.",
        task: Some(TaskKind::QuickResponse),
        quality: Quality::Economy,
        max_output_tokens: 700,
        input: Input::One("prompt", "The question, complete in itself: the model sees nothing else."),
    },
    Preparation {
        tool: "answer_query",
        title: "Prepare an answer",
        description: "Prepare an answer with compact reasoning to a question that needs some thought. Locks a plan \
            and calls no model. Next: run_prepared_task with plan_token.",
        task: Some(TaskKind::Query),
        quality: Quality::Balanced,
        max_output_tokens: 1400,
        input: Input::One("prompt", "The question, complete in itself: the model sees nothing else."),
    },
    Preparation {
        tool: "verify_work",
        title: "Prepare a review",
        description: "Prepare a second pair of eyes: unsupported claims, errors and missing tests in a text, a change \
            or a result. Locks a plan and calls no model. Next: run_prepared_task with plan_token.",
        task: Some(TaskKind::Verification),
        quality: Quality::Balanced,
        max_output_tokens: 1800,
        input: Input::One("material", "What to check, with the context that is needed to check it."),
    },
    Preparation {
        tool: "compress_conversation",
        title: "Prepare a compressed conversation",
        description: "Prepare a short form of a long conversation or log that keeps names, paths, versions, numbers, \
            decisions, failures and open tasks. Works without any configured model. Locks a plan and calls no model. \
            Next: run_prepared_task with plan_token.",
        task: Some(TaskKind::ConversationCompression),
        quality: Quality::Economy,
        max_output_tokens: 1200,
        input: Input::One("conversation", "The whole conversation or log."),
    },
    Preparation {
        tool: "optimize_prompt",
        title: "Prepare a shorter prompt",
        description: "Prepare a version of a prompt with fewer tokens that keeps every binding requirement. Works \
            without any configured model. Locks a plan and calls no model. Next: run_prepared_task with plan_token.",
        task: Some(TaskKind::TokenOptimization),
        quality: Quality::Economy,
        max_output_tokens: 1200,
        input: Input::One("prompt", "The prompt to shorten."),
    },
    Preparation {
        tool: "edit_document",
        title: "Prepare a document edit",
        description: "Prepare a conservative edit of a document: only what the instructions ask for changes, and the \
            whole document comes back. Locks a plan and calls no model. Next: run_prepared_task with plan_token.",
        task: Some(TaskKind::DocumentEditing),
        quality: Quality::Balanced,
        max_output_tokens: 5000,
        input: Input::Document,
    },
    Preparation {
        tool: "write_sitrep",
        title: "Prepare a status report",
        description: "Prepare a status report (status, done, evidence, blockers, risks, decisions, next) from project \
            material, facts apart from inference. Locks a plan and calls no model. Next: run_prepared_task with \
            plan_token.",
        task: Some(TaskKind::Sitrep),
        quality: Quality::Balanced,
        max_output_tokens: 2400,
        input: Input::One("project_material", "Notes, logs and results to report on."),
    },
    Preparation {
        tool: "plan_work",
        title: "Prepare a work plan",
        description: "Prepare a plan for an objective: steps with dependencies, checkpoints, rollback and tests. Locks \
            a plan and calls no model. Next: run_prepared_task with plan_token.",
        task: Some(TaskKind::Planning),
        quality: Quality::Balanced,
        max_output_tokens: 2600,
        input: Input::One("objective", "What is to be reached, with constraints and context."),
    },
    Preparation {
        tool: "build_consensus",
        title: "Prepare a consensus",
        description: "Prepare a second opinion: free models of different providers review the question independently \
            and one writes the synthesis, disagreement kept. Locks a plan, calls no model. Next: run_prepared_task \
            with plan_token.",
        task: Some(TaskKind::Consensus),
        quality: Quality::Balanced,
        max_output_tokens: 1400,
        input: Input::Question,
    },
    Preparation {
        tool: "generate_image",
        title: "Prepare a picture",
        description: "Prepare a picture. Most models for it cost money: allow_paid is usually needed, and a human \
            consents. Locks a plan, calls no model. Next: run_prepared_task with plan_token, after approve_preflight \
            where the reply asks for it; the result names the file.",
        task: Some(TaskKind::ImageGeneration),
        quality: Quality::Balanced,
        max_output_tokens: 1,
        input: Input::Picture,
    },
    Preparation {
        tool: "generate_video",
        title: "Prepare a film",
        description: "Prepare a short film from a description. Most models for it cost money, so allow_paid is \
            usually needed and a human consents. Locks a plan and calls no model. Next: run_prepared_task with \
            plan_token, after approve_preflight where the reply asks for it; the result names the file.",
        task: Some(TaskKind::VideoGeneration),
        quality: Quality::Balanced,
        max_output_tokens: 1,
        input: Input::Film,
    },
];

impl Preparation {
    /// The tool's parameters.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let text = |name, about| Parameter::new(name, Kind::Text, about);
        let mut parameters = match self.input {
            Input::Full => full_parameters(self),
            Input::Workflow => full_parameters(self).into_iter().chain(workflow_parameters()).collect(),
            Input::One(name, about) => {
                vec![text(name, about).required(), quality(self.quality), reasoning_effort()]
            }
            Input::Document => vec![
                text("document", "The whole document.").required(),
                text("instructions", "What to change, and what not to.").required(),
                quality(self.quality),
                reasoning_effort(),
            ],
            Input::Question => vec![
                text("question", "The question, complete in itself: the voters see nothing else.").required(),
                Parameter::new("voters", Kind::Whole(2, 40), "How many vote at most; all eligible ones when left out."),
                quality(self.quality),
                reasoning_effort(),
                allow_paid(),
                excluded_providers(),
            ],
            Input::Picture => vec![
                text("prompt", "What to show, with what to leave out.").required(),
                text("aspect_ratio", "Width to height, such as 16:9.").default("1:1"),
                Parameter::new("output_format", Kind::Label(IMAGE_FORMATS), "The file's format.").default("png"),
                quality(self.quality),
                allow_paid(),
            ],
            Input::Film => vec![
                text("prompt", "What to show, with what to leave out.").required(),
                Parameter::new("seconds", Kind::Whole(1, 300), "How long it is.").default(4),
                text("size", "Width and height in pixels.").default("1280x720"),
                quality(self.quality),
                allow_paid(),
            ],
        };
        // What the core set lists has to be short; these three have no details that a caller would miss.
        if !matches!(self.input, Input::Question | Input::Picture | Input::Film) {
            parameters.push(response_detail());
        }
        parameters
    }
}

/// The formats that a picture can be asked for in.
const IMAGE_FORMATS: &[&str] = &["png", "jpeg", "webp"];

fn full_parameters(preparation: &Preparation) -> Vec<Parameter> {
    let user_pays = "Consider routes on the user's own subscription; a human still has to consent.";
    let system = "Added below the task's own system prompt.";
    vec![
        task(),
        Parameter::new("prompt", Kind::Text, "Material and request, complete in itself: the model sees nothing else.")
            .required(),
        quality(preparation.quality),
        reasoning_effort(),
        allow_paid(),
        Parameter::new("allow_user_pays", Kind::Flag, user_pays).default(false),
        Parameter::new("max_output_tokens", Kind::Whole(1, 100_000), "Tokens the answer may have.")
            .default(preparation.max_output_tokens),
        Parameter::new("preferred_providers", Kind::Texts, "Providers to prefer, best first."),
        excluded_providers(),
        Parameter::new("provider", Kind::Text, "The one provider to use; builtin needs no key."),
        Parameter::new("model", Kind::Text, "The one model to use."),
        Parameter::new("system_prompt", Kind::Text, system),
        response_format(),
        max_cost(),
        required_billing_class(),
    ]
}

fn workflow_parameters() -> [Parameter; 4] {
    [
        Parameter::new("workflow_name", Kind::Text, "The workflow that this is a part of."),
        Parameter::new("workflow_description", Kind::Text, "What that workflow does."),
        Parameter::new("project", Kind::Text, "The project that it belongs to."),
        Parameter::new("workflow_tags", Kind::Texts, "Words to find it by."),
    ]
}
