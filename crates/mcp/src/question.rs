//! Questions of the host in the client's own dialog: how one is put, and how a reply is read.
//!
//! A form has one required field without a default, and the safe choice stands first. Whatever comes back that is not
//! one of the choices is no answer; the host decides what no answer means.

pub(crate) mod desk;

use std::collections::BTreeMap;

use lwa_protocol::worker::{ClientQuestion, DialogAction};
use rmcp::RoleServer;
use rmcp::model::{
    ConstTitle, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
    InputRequest, InputRequiredResult, InputResponses, LegacyEnumSchema, PrimitiveSchemaDefinition, ProtocolVersion,
    SingleSelectEnumSchema, TitledSingleSelectEnumSchema,
};
use rmcp::service::RequestContext;
use serde_json::Value;

/// The one field of a form.
const FIELD: &str = "choice";
/// What the field is called for people.
const FIELD_TITLE: &str = "Your answer";
/// The name of the one question of a round.
const ROUND_KEY: &str = "question";

/// How a client can be asked something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It has no dialogs.
    Nowhere,
    /// By a request of ours while its call waits: the handshake era.
    Request(Wording),
    /// By a result that asks for another round of the call: the stateless era.
    Rounds,
}

/// How the choices of a form carry their texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wording {
    /// A list of texts beside the list of choices: all that revisions before 2025-11-25 know.
    Beside,
    /// Each choice with its text.
    Within,
}

impl Way {
    /// How the client of this call can be asked.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let elicitation = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
        // An empty capability means forms alone.
        let has_forms = elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none());
        match context.protocol_version() {
            Some(version) if has_forms && !version.has_initialize() => Self::Rounds,
            Some(version) if has_forms && version.as_str() >= ProtocolVersion::V_2025_11_25.as_str() => {
                Self::Request(Wording::Within)
            }
            Some(_) if has_forms => Self::Request(Wording::Beside),
            _ => Self::Nowhere,
        }
    }
}

/// The form of a question.
pub(crate) fn form(question: &ClientQuestion, wording: Wording) -> ElicitRequestParams {
    let choices = || question.choices.iter();
    let field = match wording {
        Wording::Beside => {
            let mut field = LegacyEnumSchema::new(choices().map(|choice| choice.id.clone()).collect());
            field.title = Some(FIELD_TITLE.into());
            field.enum_names = Some(choices().map(|choice| choice.title.clone()).collect());
            EnumSchema::Legacy(field)
        }
        Wording::Within => {
            let titled = choices().map(|choice| ConstTitle::new(&choice.id, &choice.title)).collect();
            let mut field = TitledSingleSelectEnumSchema::new(titled);
            field.title = Some(FIELD_TITLE.into());
            EnumSchema::Single(SingleSelectEnumSchema::Titled(field))
        }
    };
    let properties = BTreeMap::from([(FIELD.to_owned(), PrimitiveSchemaDefinition::Enum(field))]);
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema: ElicitationSchema::new(properties).with_required(vec![FIELD.to_owned()]),
    }
}

/// The result that asks for another round. What the client gives back with it is the question's handle alone.
pub(crate) fn round(question: &ClientQuestion) -> InputRequiredResult {
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question, Wording::Within)));
    let requests = BTreeMap::from([(ROUND_KEY.to_owned(), request)]);
    InputRequiredResult::new(Some(requests), Some(question.handle.clone()))
}

/// What a further round brings as the reply to our question.
pub(crate) fn reply_of_round(responses: Option<&InputResponses>) -> Option<&Value> {
    responses?.get(ROUND_KEY)
}

/// What the reply of a further round said.
pub(crate) fn read_round(reply: &Value, choices: &[String]) -> (DialogAction, Option<String>) {
    let reply: Option<ElicitResult> = serde_json::from_value(reply.clone()).ok();
    reply.map_or((DialogAction::Error, None), |reply| read(&reply, choices))
}

/// What a dialog said, for the host.
pub(crate) fn read(reply: &ElicitResult, choices: &[String]) -> (DialogAction, Option<String>) {
    match reply.action {
        ElicitationAction::Accept => (DialogAction::Accept, chosen(reply.content.as_ref(), choices)),
        ElicitationAction::Decline => (DialogAction::Decline, None),
        ElicitationAction::Cancel => (DialogAction::Cancel, None),
        // Actions of revisions to come.
        _ => (DialogAction::Error, None),
    }
}

fn chosen(content: Option<&Value>, choices: &[String]) -> Option<String> {
    let given = content?.get(FIELD)?.as_str()?.trim().to_lowercase();
    choices.iter().find(|choice| **choice == given).cloned()
}

#[cfg(test)]
mod tests {
    use lwa_domain::ApprovalId;
    use lwa_protocol::worker::Choice;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn question() -> ClientQuestion {
        let choice = |id: &str, title: &str| Choice { id: id.to_owned(), title: title.to_owned() };
        ClientQuestion {
            handle: "q_1".to_owned(),
            approval_id: ApprovalId::new("a1"),
            message: "Turn it on?".to_owned(),
            choices: vec![choice("off", "Leave it off"), choice("on", "Turn it on")],
            patience_s: 600,
        }
    }

    #[rstest]
    #[case(Wording::Beside, json!({
        "type": "string", "title": "Your answer", "enum": ["off", "on"], "enumNames": ["Leave it off", "Turn it on"],
    }))]
    #[case(Wording::Within, json!({
        "type": "string", "title": "Your answer",
        "oneOf": [{"const": "off", "title": "Leave it off"}, {"const": "on", "title": "Turn it on"}],
    }))]
    fn a_form_has_one_required_field_without_a_default(#[case] wording: Wording, #[case] field: Value) {
        let form = serde_json::to_value(form(&question(), wording)).unwrap();
        let schema = json!({"type": "object", "properties": {"choice": field}, "required": ["choice"]});
        assert_eq!(form, json!({"mode": "form", "message": "Turn it on?", "requestedSchema": schema}));
    }

    #[rstest]
    #[case(json!({"action": "accept", "content": {"choice": "on"}}), (DialogAction::Accept, Some("on")))]
    #[case(json!({"action": "accept", "content": {"choice": " ON\n"}}), (DialogAction::Accept, Some("on")))]
    #[case(json!({"action": "accept", "content": {"choice": "yes"}}), (DialogAction::Accept, None))]
    #[case(json!({"action": "accept", "content": {"choice": true}}), (DialogAction::Accept, None))]
    #[case(json!({"action": "accept", "content": {"choice": ["on"]}}), (DialogAction::Accept, None))]
    #[case(json!({"action": "accept", "content": {}}), (DialogAction::Accept, None))]
    #[case(json!({"action": "accept", "content": "on"}), (DialogAction::Accept, None))]
    #[case(json!({"action": "accept"}), (DialogAction::Accept, None))]
    #[case(json!({"action": "decline", "content": {"choice": "on"}}), (DialogAction::Decline, None))]
    #[case(json!({"action": "cancel", "content": {"choice": "on"}}), (DialogAction::Cancel, None))]
    #[case(json!({"action": "allow", "content": {"choice": "on"}}), (DialogAction::Error, None))]
    #[case(json!({"content": {"choice": "on"}}), (DialogAction::Error, None))]
    #[case(json!(["accept"]), (DialogAction::Error, None))]
    fn only_a_choice_that_was_offered_is_an_answer(
        #[case] reply: Value,
        #[case] expected: (DialogAction, Option<&str>),
    ) {
        let responses = InputResponses::from([("question".to_owned(), reply)]);
        let reply = reply_of_round(Some(&responses)).unwrap();
        let (action, choice) = read_round(reply, &["off".to_owned(), "on".to_owned()]);
        assert_eq!((action, choice.as_deref()), expected);
    }

    #[test]
    fn a_round_without_our_question_carries_no_reply() {
        let other = InputResponses::from([("another".to_owned(), json!({"action": "accept"}))]);
        assert_eq!(reply_of_round(Some(&other)), None);
        assert_eq!(reply_of_round(None), None);
    }
}
