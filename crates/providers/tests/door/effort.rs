//! Efforts: what a model accepts, and nothing rounded.

use lwa_domain::{EffortForm, EffortSupport, ReasoningEffort};
use lwa_providers::{ChatRequest, EffortEncoding, Endpoint, Limits, ModelProfile, ProviderError, Rejection, facts};
use lwa_testkit::Reply;
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{call_with, endpoint, request, serve, shape};

const INSTANT: ReasoningEffort = ReasoningEffort::Instant;
const MEDIUM: ReasoningEffort = ReasoningEffort::Medium;
const HIGH: ReasoningEffort = ReasoningEffort::High;

fn support(form: EffortForm, levels: &[&str], is_mandatory: bool) -> EffortSupport {
    EffortSupport { form, levels: levels.iter().map(|level| (*level).to_owned()).collect(), is_mandatory }
}

fn profile(provider: &str, support: &EffortSupport) -> ModelProfile {
    facts::find(provider).unwrap().profile().with_effort(support)
}

async fn ask(provider: &str, effort: ReasoningEffort, profile: ModelProfile) -> Result<Value, ProviderError> {
    let fake = serve(Reply::json(200, shape("chat.json")));
    let endpoint = Endpoint { provider: provider.to_owned(), ..endpoint(&fake) };
    let request = ChatRequest { reasoning_effort: Some(effort), profile, ..request() };
    let outcome = call_with(&endpoint, &request, Limits::default()).await.0;
    if outcome.is_err() {
        assert_eq!(fake.calls().len(), 0, "a refusal sends nothing");
    }
    outcome.map(|_| fake.calls()[0].json())
}

/// The sets of real models, in their providers' own words; each row says what of ours they accept.
#[rstest]
#[case::gpt_oss("groq", support(EffortForm::Level, &["low", "medium", "high"], true), &[MEDIUM, HIGH])]
#[case::qwen("groq", support(EffortForm::Level, &["none", "default"], false), &[INSTANT])]
#[case::mistral("mistral", support(EffortForm::Level, &["none", "high"], false), &[INSTANT, HIGH])]
#[case::aion_always("aion", support(EffortForm::Level, &["low", "high", "max"], true), &[HIGH])]
#[case::zai_always("zai", support(EffortForm::Toggle, &[], true), &[HIGH])]
#[case::zai_toggle("zai", support(EffortForm::Toggle, &[], false), &[INSTANT, HIGH])]
#[case::siliconflow("siliconflow", support(EffortForm::Budget, &[], false), &[INSTANT, MEDIUM, HIGH])]
#[case::siliconflow_toggle("siliconflow", support(EffortForm::Toggle, &[], false), &[INSTANT, HIGH])]
#[case::gemini_levels("gemini", support(EffortForm::Level, &["MINIMAL", "LOW", "MEDIUM", "HIGH"], true), &[MEDIUM, HIGH])]
#[case::gemini_budget("gemini", support(EffortForm::Budget, &[], true), &[MEDIUM, HIGH])]
#[case::venice("venice", support(EffortForm::Level, &["low", "high"], false), &[HIGH])]
#[case::budget_where_levels_are_said("venice", support(EffortForm::Budget, &[], false), &[])]
#[case::silent("aion", support(EffortForm::Level, &[], false), &[])]
fn a_model_accepts_its_own_efforts_only(
    #[case] provider: &str,
    #[case] support: EffortSupport,
    #[case] expected: &[ReasoningEffort],
) {
    let profile = profile(provider, &support);
    let accepted: Vec<_> = ReasoningEffort::ALL.iter().copied().filter(|effort| profile.accepts(*effort)).collect();
    assert_eq!(accepted, expected);
}

#[rstest]
#[case::level("groq", support(EffortForm::Level, &["none", "high"], false), HIGH, json!({"reasoning_effort": "high"}))]
#[case::object("openrouter", support(EffortForm::Level, &["high"], false), HIGH, json!({"reasoning": {"effort": "high"}}))]
#[case::toggle("zai", support(EffortForm::Toggle, &[], false), INSTANT, json!({"thinking": {"type": "disabled"}}))]
#[case::enable("siliconflow", support(EffortForm::Toggle, &[], false), HIGH, json!({"enable_thinking": true}))]
#[case::budget("siliconflow", support(EffortForm::Budget, &[], false), HIGH, json!({"enable_thinking": true, "thinking_budget": 51}))]
#[case::no_budget("siliconflow", support(EffortForm::Budget, &[], false), INSTANT, json!({"enable_thinking": false}))]
#[tokio::test]
async fn each_form_is_written_in_its_provider_s_way(
    #[case] provider: &str,
    #[case] support: EffortSupport,
    #[case] effort: ReasoningEffort,
    #[case] written: Value,
) {
    let body = ask(provider, effort, profile(provider, &support)).await.unwrap();
    let fields = ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "thinking_budget"];
    let found: serde_json::Map<_, _> =
        fields.iter().filter_map(|field| Some(((*field).to_owned(), body.get(*field)?.clone()))).collect();
    assert_eq!(Value::Object(found), written);
}

#[tokio::test]
async fn lwa_035_a_refusal_lists_what_the_model_accepts_in_our_words_and_in_its_own() {
    let levels = support(EffortForm::Level, &["low", "high", "max"], true);
    let error = ask("aion", MEDIUM, profile("aion", &levels)).await.unwrap_err();
    assert!(matches!(error, ProviderError::Rejected { reason: Rejection::Unsupported, .. }));
    let text = error.to_string();
    assert!(text.contains("does not advertise reasoning effort `medium`"), "{text}");
    assert!(text.contains("it accepts high (in its own words: low, high, max)"), "{text}");
    let text = ask("aion", INSTANT, profile("aion", &levels)).await.unwrap_err().to_string();
    assert!(text.contains("always reasons") && text.contains("it accepts high"), "{text}");
}

#[test]
fn the_budget_leaves_room_for_the_answer() {
    // A budget of all output tokens would end every call without an answer.
    let facts = facts::find("siliconflow").unwrap();
    assert_eq!(facts.effort.encoding, EffortEncoding::ThinkingBudget);
    assert_eq!(facts.effort.encoding.form(), EffortForm::Budget);
}
