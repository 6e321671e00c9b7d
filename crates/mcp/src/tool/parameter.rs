//! Parameters of tools: one description that gives both the schema and the check.

use lwa_domain::{BillingClass, Quality, ReasoningEffort, TaskKind};
use serde_json::{Map, Value, json};

/// One parameter of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    /// Its name on the wire.
    pub(crate) name: &'static str,
    /// What it means, for the model.
    pub(crate) about: &'static str,
    /// What may be given.
    pub(crate) kind: Kind,
    /// Whether it has to be given.
    pub(crate) is_required: bool,
    /// What holds when it is absent, as the schema says it.
    pub(crate) default: Option<Value>,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// A text that is not empty.
    Filled,
    /// The reference of a stored material.
    Reference,
    /// A text of a closed set. The host refuses others, so that one place words the refusal.
    Label(&'static [&'static str]),
    /// Yes or no.
    Flag,
    /// A whole number between the two, both included.
    Whole(u32, u32),
    /// A whole number without a bound.
    Count,
    /// A list of texts.
    Texts,
    /// Names, each with a text.
    Named,
    /// An amount in dollars, as decimal text; a number is taken as well.
    Dollars,
    /// The form of an answer, as text; an object is taken as well, since models often write one.
    Format,
}

impl Parameter {
    pub(crate) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, about, kind, is_required: false, default: None }
    }

    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    pub(crate) fn default(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text | Kind::Dollars | Kind::Format => json!({"type": "string"}),
            Kind::Filled => json!({"type": "string", "minLength": 1}),
            Kind::Reference => json!({"type": "string", "pattern": "^a_[0-9a-f]{8}$"}),
            Kind::Label(labels) => json!({"type": "string", "enum": labels}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Kind::Count => json!({"type": "integer", "minimum": 0}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            // Nothing is said of the texts within, since some clients choke on what would say it.
            Kind::Named => json!({"type": "object"}),
        };
        schema["description"] = self.about.into();
        if let Some(default) = &self.default {
            schema["default"] = default.clone();
        }
        schema
    }
}

/// The input schema of a tool with these parameters: one flat object, nothing that a client chokes on.
pub(crate) fn input_schema(parameters: &[Parameter]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.schema())).collect();
    let required: Vec<&str> = parameters.iter().filter(|one| one.is_required).map(|one| one.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// How much a reply tells.
pub(crate) const DETAILS: &[&str] = &["compact", "standard", "debug"];

pub(crate) fn response_detail() -> Parameter {
    Parameter::new("response_detail", Kind::Label(DETAILS), "How much the reply tells.").default("compact")
}

pub(crate) fn quality(default: Quality) -> Parameter {
    let about = "economy takes the cheapest that does the job.";
    Parameter::new("quality", Kind::Label(Quality::LABELS), about).default(default.as_str())
}

pub(crate) fn reasoning_effort() -> Parameter {
    let about = "How long the model may think; leave it out unless the task needs it.";
    Parameter::new("reasoning_effort", Kind::Label(ReasoningEffort::LABELS), about)
}

pub(crate) fn task() -> Parameter {
    let about = "The kind of work; conversation_compression and token_optimization need no model.";
    Parameter::new("task", Kind::Label(TaskKind::LABELS), about).required()
}

pub(crate) fn allow_paid() -> Parameter {
    let about = "Consider routes that cost money; a human still has to consent.";
    Parameter::new("allow_paid", Kind::Flag, about).default(false)
}

pub(crate) fn excluded_providers() -> Parameter {
    Parameter::new("excluded_providers", Kind::Texts, "Providers not to use.")
}

pub(crate) fn max_cost() -> Parameter {
    let about = "The most it may cost in dollars, such as 0.05.";
    Parameter::new("max_cost_usd", Kind::Dollars, about)
}

pub(crate) fn required_billing_class() -> Parameter {
    let about = "The one billing class to use.";
    Parameter::new("required_billing_class", Kind::Label(BillingClass::LABELS), about)
}

pub(crate) fn response_format() -> Parameter {
    let about = "json_object, or a JSON Schema as text.";
    Parameter::new("response_format", Kind::Format, about)
}
