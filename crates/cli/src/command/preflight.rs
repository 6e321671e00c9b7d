//! A prepared plan as people see it: what is locked, what it may cost, what leaves the machine.

use lwa_protocol::plan::{PlanPrepared, RouteView};

use super::frame::{field, framed};

/// The block that is shown before anything runs.
pub fn preflight(plan: &PlanPrepared, codex: &str) -> String {
    let state = if plan.requires_confirmation { "APPROVAL REQUIRED" } else { "READY" };
    let mut lines = vec![
        field("codex", codex),
        field("plan", plan.plan_id.as_str()),
        field("task", format!("{} — {state}", plan.task)),
    ];
    lines.extend(plan.routes.iter().map(|route| field("route", described(route))));
    if let [route] = plan.routes.as_slice() {
        lines.push(field("because", route.reasons.join("; ")));
    }
    let effort = plan.reasoning_effort.map_or_else(|| "as the model does".to_owned(), |effort| effort.to_string());
    lines.push(field("effort", format!("{effort}; quality {}", plan.quality)));
    lines.push(field("budget", budget(plan)));
    lines.push(field("leaves", leaves(plan)));
    if plan.omitted_characters > 0 {
        let omitted = plan.omitted_characters;
        lines.push(field("omitted", format!("{omitted} characters of the middle of the question do not fit")));
    }
    if !plan.excluded.is_empty() {
        let count = plan.excluded.len();
        lines.push(field("excluded", format!("{count} other candidates; `lwa plan --json` gives each reason")));
    }
    lines.extend(plan.library_suggestions.iter().map(|tool| {
        field("recipe", format!("{} ({}): `lwa library show {}`", tool.name, tool.description, tool.slug))
    }));
    lines.push(field("runnable", format!("until {}", plan.expires_at)));
    lines.push(field("next", &plan.message));
    framed("LWA PREFLIGHT", &lines)
}

fn described(route: &RouteView) -> String {
    let role = match route.role.as_str() {
        "consensus_voter" => "voter ",
        "consensus_synthesis" => "synthesis ",
        _ => "",
    };
    let place = if route.is_local { "stays on this machine" } else { "leaves this machine" };
    let price = match (&route.price_source, &route.price_as_of) {
        (Some(source), Some(as_of)) if route.billing_class.may_cost_money() => {
            let stale = if route.is_price_stale { ", stale" } else { "" };
            format!("; price of {source}, {as_of}{stale}")
        }
        _ => String::new(),
    };
    format!("{role}{}:{} ({}), {place}{price}", route.provider, route.model, route.billing_class)
}

fn budget(plan: &PlanPrepared) -> String {
    let most = match plan.max_cost_pico_usd {
        Some(cost) => format!("at most {cost}"),
        None if plan.routes.iter().all(|route| route.billing_class.is_free()) => "at most nothing".to_owned(),
        None => "cost unknown: no price is known".to_owned(),
    };
    if !plan.mode.is_billed_by_tokens() {
        return most;
    }
    format!("{most}; about {} tokens in, up to {} out", plan.estimated_input_tokens, plan.max_output_tokens)
}

fn leaves(plan: &PlanPrepared) -> String {
    let egress = &plan.egress;
    match egress.masked_secrets {
        0 => egress.data_use.clone(),
        count => format!("{}; {count} secrets are masked before ({})", egress.data_use, egress.masked_kinds.join(", ")),
    }
}
