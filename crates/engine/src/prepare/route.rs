//! From a checked request to the routes that a plan locks.

use lwa_domain::tokens::estimate_tokens;
use lwa_domain::{ErrorCode, PicoUsd, Pipeline, PlanMode};
use lwa_protocol::Failure;
use lwa_protocol::plan::{PrepareParams, RouteView};
use lwa_routing::{Catalog, Decision, NoRoute, Policy, Rejected, Request, Scored, consensus};

use super::check::Checked;
use super::{MAX_OUTPUT_TOKENS, ROLE_PRIMARY, ROLE_SYNTHESIS, ROLE_VOTER, WorkDetails, sum_of};
use crate::caller::Caller;
use crate::catalogue::{BUILTIN, Snapshot, unknown_provider};
use crate::consensus::{SYNTHESIS_TOKENS, VOTER_TOKENS, draft, quorum, template};
use crate::engine::Engine;

/// What a plan locks, before it is kept.
pub(super) struct Routed {
    pub mode: PlanMode,
    pub routes: Vec<RouteView>,
    /// The candidates that were not chosen.
    pub others: Vec<Rejected>,
    pub requires_consent: bool,
    pub message: String,
    /// What every call gets to work on; the checked prompt when there is none. A long one is not copied.
    pub prompt: Option<String>,
    pub estimated_input_tokens: u64,
    pub max_output_tokens: u32,
    pub max_cost: Option<PicoUsd>,
    pub omitted_characters: u32,
    pub work: WorkDetails,
}

impl Routed {
    /// The route that stands for the plan: the one there is, or that of the synthesis.
    pub fn lead(&self) -> &RouteView {
        &self.routes[self.routes.len() - 1]
    }
}

impl Engine {
    pub(super) fn route(
        &self,
        caller: &Caller,
        params: &PrepareParams,
        checked: &Checked,
        snapshot: &Snapshot,
    ) -> Result<Routed, Failure> {
        // A misspelt name is bad input; that a known one cannot serve is for routing to say.
        if let Some(name) = params.provider.as_deref().filter(|name| !snapshot.facts.contains_key(*name)) {
            return Err(unknown_provider(name, snapshot.facts.keys().map(String::as_str)));
        }
        let config = self.configuration.in_force();
        let policy = Policy {
            consent_mode: self.consent_mode_of(caller),
            prefer_free: config.router.prefer_free,
            allow_paid: config.router.allow_paid,
            allow_user_pays: config.router.allow_user_pays,
            allow_training: config.router.allow_training,
        };
        let is_media = matches!(checked.task.pipeline(), Pipeline::Image | Pipeline::Video);
        let request = Request {
            task: checked.task,
            quality: checked.quality,
            reasoning_effort: checked.effort,
            capabilities: None,
            wants_structured: checked.response_format.is_some(),
            // The form of the answer is read, and billed, with the prompt.
            estimated_input_tokens: estimate_tokens(&checked.prompt)
                + estimate_tokens(&checked.system)
                + checked.response_format.as_ref().map_or(0, |format| estimate_tokens(&format.to_string())),
            max_output_tokens: if is_media {
                1
            } else {
                checked.max_output_tokens.unwrap_or(checked.usual_output_tokens)
            },
            allow_paid: params.allow_paid,
            allow_user_pays: params.allow_user_pays && !is_media,
            required_billing_class: checked.required_billing_class,
            preferred_providers: &params.preferred_providers,
            excluded_providers: &params.excluded_providers,
            provider: params.provider.as_deref(),
            model: params.model.as_deref(),
        };
        request.check().map_err(|error| Failure::new(ErrorCode::InvalidInput, error.to_string()))?;
        let catalog = Catalog { models: &snapshot.models, providers: &snapshot.facts, tracks: &snapshot.tracks };
        let work = WorkDetails {
            response_format: checked.response_format.clone(),
            media: checked.media.clone(),
            workflow: params.workflow.clone(),
            library_tool: params.library_tool.clone(),
            ..WorkDetails::default()
        };
        if checked.task.pipeline() == Pipeline::Consensus {
            return route_consensus(params, checked, snapshot, &request, &policy, &catalog, work);
        }
        let names_builtin = params.provider.as_deref() == Some(BUILTIN)
            || params.preferred_providers.iter().any(|name| name == BUILTIN);
        let decision =
            lwa_routing::decide(&request, &policy, &catalog).map_err(|none| no_route(&none, names_builtin))?;
        Ok(single(checked, snapshot, &request, decision, work))
    }
}

/// One call: of a text model, or of one that makes pictures or films.
fn single(checked: &Checked, snapshot: &Snapshot, request: &Request, decision: Decision, work: WorkDetails) -> Routed {
    let mode = match checked.task.pipeline() {
        Pipeline::Image => PlanMode::Image,
        Pipeline::Video => PlanMode::Video,
        Pipeline::Text | Pipeline::Consensus => PlanMode::Single,
    };
    let is_builtin = decision.chosen.model.key.provider == BUILTIN;
    // Without a given budget the built-in provider keeps everything that matters, however long.
    let max_output_tokens = match checked.max_output_tokens {
        None if is_builtin => MAX_OUTPUT_TOKENS,
        _ => request.max_output_tokens,
    };
    let mut route =
        route_view(snapshot, &decision.chosen, ROLE_PRIMARY, request.estimated_input_tokens, max_output_tokens);
    if !mode.is_billed_by_tokens() && route.billing_class.may_cost_money() {
        // A price for tokens says nothing about a picture.
        route.max_cost_pico_usd = snapshot.merged.media_cost(&decision.chosen.model.key, checked.media.as_ref());
    }
    let consent_reason = match route.max_cost_pico_usd {
        _ if mode.is_billed_by_tokens() => decision.consent_reason,
        Some(cost) => format!("billing class `{}`, at most {cost}", route.billing_class),
        None => format!("billing class `{}`, at a price that is not known", route.billing_class),
    };
    Routed {
        mode,
        message: locked(&format!("`{}:{}`", route.provider, route.model), decision.requires_consent, &consent_reason),
        requires_consent: decision.requires_consent,
        others: decision.others,
        prompt: None,
        estimated_input_tokens: request.estimated_input_tokens,
        max_output_tokens,
        max_cost: route.max_cost_pico_usd,
        omitted_characters: 0,
        routes: vec![route],
        work,
    }
}

/// Free voters of different providers, then a synthesis; all of it locked before anybody is asked.
fn route_consensus(
    params: &PrepareParams,
    checked: &Checked,
    snapshot: &Snapshot,
    request: &Request,
    policy: &Policy,
    catalog: &Catalog,
    mut work: WorkDetails,
) -> Result<Routed, Failure> {
    let (question, omitted) = draft(&checked.prompt);
    let system_tokens = estimate_tokens(&checked.system);
    let input = estimate_tokens(&question) + system_tokens;
    let voter_request = Request {
        estimated_input_tokens: input,
        max_output_tokens: VOTER_TOKENS,
        required_billing_class: None,
        ..*request
    };
    let most = params.voters.and_then(|most| usize::try_from(most).ok());
    let voters = consensus::voters(&voter_request, policy, catalog, most).map_err(|none| no_route(&none, false))?;
    if voters.chosen.len() < 2 {
        let only = &voters.chosen[0].model.key;
        return Err(Failure::new(
            ErrorCode::NoRoute,
            format!("a consensus needs two free models of different providers, and only `{only}` is eligible"),
        )
        .hint(
            "store the key of another free provider with `lwa keys set PROVIDER`, or ask `verify_work` for one review",
        ));
    }
    // The reviews are not there yet; the room that they may take is reserved.
    let template = template(&checked.prompt);
    let synthesis_base = system_tokens + estimate_tokens(&template);
    let synthesis_input = synthesis_base + 6_000;
    let synthesis_request =
        Request { estimated_input_tokens: synthesis_input, max_output_tokens: SYNTHESIS_TOKENS, ..*request };
    // A model with a small context reads less of each review, so it is not left out for its size alone.
    let smallest = Request { estimated_input_tokens: synthesis_base + 1_500, ..synthesis_request };
    let roomy = consensus::synthesis(&synthesis_request, policy, catalog, &voters);
    let (decision, synthesis_input) = if let Ok(decision) = roomy {
        (decision, synthesis_input)
    } else {
        let decision =
            consensus::synthesis(&smallest, policy, catalog, &voters).map_err(|none| no_route(&none, false))?;
        (decision, smallest.estimated_input_tokens)
    };
    let mut routes: Vec<RouteView> =
        voters.chosen.iter().map(|voter| route_view(snapshot, voter, ROLE_VOTER, input, VOTER_TOKENS)).collect();
    let count = routes.len();
    routes.push(route_view(snapshot, &decision.chosen, ROLE_SYNTHESIS, synthesis_input, SYNTHESIS_TOKENS));
    work.synthesis_template = Some(template);
    work.synthesis_tokens = synthesis_input.saturating_sub(system_tokens);
    let requires_consent = decision.requires_consent;
    let place =
        format!("{count} voters, synthesis by `{}`, {} answers needed", decision.chosen.model.key, quorum(count));
    Ok(Routed {
        mode: PlanMode::Consensus,
        message: locked(&place, requires_consent, &decision.consent_reason),
        requires_consent,
        others: voters.others,
        prompt: Some(question),
        estimated_input_tokens: routes.iter().map(|route| u64::from(route.estimated_input_tokens)).sum(),
        max_output_tokens: routes.iter().map(|route| route.max_output_tokens).sum(),
        max_cost: sum_of(routes.iter().map(|route| route.max_cost_pico_usd)),
        omitted_characters: u32::try_from(omitted).unwrap_or(u32::MAX),
        routes,
        work,
    })
}

fn locked(place: &str, requires_consent: bool, consent_reason: &str) -> String {
    if requires_consent {
        format!(
            "locked to {place}; a human has to consent first ({}): call approve_preflight with the confirmation_token",
            consent_reason.trim_end_matches('.')
        )
    } else {
        format!("locked to {place}; call run_prepared_task with the plan_token to run it once")
    }
}

fn route_view(
    snapshot: &Snapshot,
    chosen: &Scored,
    role: &str,
    estimated_input_tokens: u64,
    max_output_tokens: u32,
) -> RouteView {
    let key = &chosen.model.key;
    let facts = snapshot.facts.get(&key.provider);
    let is_free = chosen.model.billing_class.is_free();
    let reserved = snapshot.merged.reserved.get(key).or(chosen.model.price.as_ref());
    let worst = reserved.map(|price| price.worst_case(estimated_input_tokens, u64::from(max_output_tokens)));
    RouteView {
        role: role.to_owned(),
        provider: key.provider.clone(),
        model: key.model.clone(),
        billing_class: chosen.model.billing_class,
        data_use: facts.map_or(lwa_domain::DataUse::Unknown, |facts| facts.data_use),
        data_use_source: facts.map(|facts| facts.data_use_source.clone()).unwrap_or_default(),
        is_local: facts.is_some_and(|facts| facts.is_local),
        score_hundredths: chosen.score_hundredths,
        reasons: chosen.reasons.clone(),
        // A free class is the provider's rule, so the most it can cost is nothing whatever its prices say.
        max_cost_pico_usd: if is_free { Some(PicoUsd::ZERO) } else { worst },
        price_source: chosen.model.price.as_ref().map(|price| price.source.clone()),
        price_as_of: chosen.model.price.as_ref().map(|price| price.as_of.clone()),
        is_price_stale: snapshot.merged.stale.contains(key),
        estimated_input_tokens: u32::try_from(estimated_input_tokens).unwrap_or(u32::MAX),
        max_output_tokens,
    }
}

fn no_route(none: &NoRoute, names_builtin: bool) -> Failure {
    let mut failure = Failure::new(ErrorCode::NoRoute, without_way_out(none));
    failure.hint = Some(if names_builtin && !none.task.is_served_without_model() {
        format!("the built-in provider serves `conversation_compression` and `token_optimization`, not `{}`", none.task)
    } else {
        none.way_out.clone()
    });
    failure
}

/// What happened, apart from the way out, which travels as the hint.
fn without_way_out(none: &NoRoute) -> String {
    let text = none.to_string();
    let way_out = format!("; way out: {}", none.way_out);
    text.strip_suffix(way_out.as_str()).unwrap_or(&text).to_owned()
}
