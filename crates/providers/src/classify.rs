//! From a failed reply to what it means: the body's code decides, then its words, then the status.
//!
//! What single codes of single providers mean is said by [`crate::facts`]; here stand only the words of many.

mod complaint;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{StatusCode, Url};
use serde_json::Value;
use tokio::time::Instant;

use complaint::Complaint;

use crate::chat::read_some;
use crate::endpoint::Endpoint;
use crate::error::{Failure, LimitKind, ProviderError, QuotaKind, Rejection, cut};
use crate::facts::{self, CodeFact, ErrorClass};
use crate::quota::{has_spent_allotment, quota_headers, retry_after};
use crate::redact::redact;

/// As much of a failed reply's body as is read.
const BODY_LIMIT: usize = 64 * 1024;

/// Reads a reply whose status is not a success.
pub(crate) async fn read_failure(endpoint: &Endpoint, response: reqwest::Response, deadline: Instant) -> ProviderError {
    let status = response.status();
    let headers = response.headers().clone();
    let from = response.url().clone();
    if status.is_redirection() {
        return redirect(endpoint, status, &headers, &from);
    }
    let bytes = read_some(response, BODY_LIMIT, deadline).await;
    let body = serde_json::from_slice::<Value>(&bytes).ok();
    let complaint = match &body {
        Some(body) => Complaint::read(endpoint, body),
        None => Complaint { codes: Vec::new(), message: page_text(&String::from_utf8_lossy(&bytes)) },
    };
    let mut failure = failure(endpoint, Some(status), &complaint);
    failure.quota = quota_headers(&headers, &endpoint.secrets());
    let wait = retry_after(&headers, body.as_ref(), &complaint.message, Timestamp::now());
    decide(endpoint, (status, &headers), &complaint, wait, Box::new(failure))
}

/// The error inside a document or event that came with status 200, if there is one.
pub(crate) fn embedded(endpoint: &Endpoint, body: &Value) -> Option<ProviderError> {
    let body = match body {
        Value::Array(items) => items.first()?,
        other => other,
    };
    let is_failure = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    };
    let has_error = ["/error", "/x_groq/error", "/choices/0/error", "/response/error"]
        .iter()
        .any(|path| body.pointer(path).is_some_and(is_failure))
        || body.get("success").and_then(Value::as_bool) == Some(false)
        || body.get("object").and_then(Value::as_str) == Some("error")
        || body.get("type").and_then(Value::as_str).is_some_and(|name| name == "error" || name == "response.failed")
        || (body.get("choices").is_none()
            && body.get("code").is_some_and(is_failure)
            && body.get("message").is_some()
            // Some put a code and a word beside what was asked for as well.
            && body.get("data").is_none_or(Value::is_null));
    if !has_error {
        return None;
    }
    let complaint = Complaint::read(endpoint, body);
    let mut failure = failure(endpoint, Some(StatusCode::OK), &complaint);
    failure.status = Some(200);
    let wait = retry_after(&HeaderMap::new(), Some(body), &complaint.message, Timestamp::now());
    // A number in place of the code is the status that the provider would have sent.
    let status =
        complaint.codes.iter().find_map(|code| code.parse::<u16>().ok().filter(|code| (400..600).contains(code)));
    let status = status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::OK);
    Some(decide(endpoint, (status, &HeaderMap::new()), &complaint, wait, Box::new(failure)))
}

/// The request could not be sent, or nothing came back.
pub(crate) fn transport(endpoint: &Endpoint, error: &reqwest::Error) -> ProviderError {
    let was_sent = !error.is_connect();
    let detail = network_text(endpoint, error);
    let failure = Box::new(Failure { was_sent, ..Failure::before_sending(&endpoint.provider, &detail) });
    if error.is_timeout() && was_sent {
        ProviderError::TimedOut { failure }
    } else if error.is_builder() {
        ProviderError::Rejected { failure, reason: Rejection::Misconfigured }
    } else {
        ProviderError::Unreachable { failure }
    }
}

/// The connection broke while an answer arrived.
pub(crate) fn cut_answer(endpoint: &Endpoint, error: &reqwest::Error) -> ProviderError {
    let detail = format!("the connection broke before the answer was complete: {}", network_text(endpoint, error));
    let failure = Failure { status: Some(200), ..Failure::after_sending(&endpoint.provider, &detail) };
    ProviderError::Failed { failure: Box::new(failure) }
}

/// The innermost cause says what happened; the outer ones repeat the address.
fn network_text(endpoint: &Endpoint, error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    redact(&cause.to_string(), &endpoint.secrets())
}

fn redirect(endpoint: &Endpoint, status: StatusCode, headers: &HeaderMap, from: &Url) -> ProviderError {
    let target = headers.get(LOCATION).and_then(|value| value.to_str().ok()).and_then(|value| from.join(value).ok());
    let detail = match target.as_ref().and_then(Url::host_str) {
        // The path and query of the target may repeat the request's secrets.
        Some(host) => format!("it points to `{host}`"),
        None => "it does not say where to".to_owned(),
    };
    let failure = Failure { status: Some(status.as_u16()), ..Failure::after_sending(&endpoint.provider, &detail) };
    ProviderError::Rejected { failure: Box::new(failure), reason: Rejection::Redirect }
}

fn failure(endpoint: &Endpoint, status: Option<StatusCode>, complaint: &Complaint) -> Failure {
    let mut detail = redact(&complaint.message, &endpoint.secrets());
    let codes: Vec<_> = complaint.codes.iter().filter(|code| !detail.to_lowercase().contains(*code)).cloned().collect();
    if !codes.is_empty() {
        detail = format!("{detail} [{}]", redact(&codes.join(", "), &endpoint.secrets()));
    }
    Failure {
        status: status.map(|status| status.as_u16()),
        ..Failure::after_sending(&endpoint.provider, &cut(detail.trim()))
    }
}

/// An error page shortened to its words.
fn page_text(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return text.to_owned();
    }
    let mut words = String::new();
    let mut is_tag = false;
    for c in text.chars().take(4000) {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => {
                is_tag = false;
                words.push(' ');
            }
            _ if is_tag => {}
            other => words.push(other),
        }
    }
    words
}

fn decide(
    endpoint: &Endpoint,
    (status, headers): (StatusCode, &HeaderMap),
    complaint: &Complaint,
    retry_after: Option<std::time::Duration>,
    failure: Box<Failure>,
) -> ProviderError {
    let words = complaint.message.to_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    let code = status.as_u16();
    let is_plain = code == 200;

    if let Some(class) = known_class(endpoint, (code, headers), complaint, &words) {
        return meaning(class, retry_after, failure);
    }
    if is_moderation(status, complaint, &words) {
        return ProviderError::Refused { failure };
    }
    if let Some(quota) = exhausted(status, headers, complaint, &words, retry_after) {
        return ProviderError::QuotaExhausted { failure, quota, retry_after };
    }
    let is_overloaded = complaint.code_holds(&["overloaded", "capacity"])
        || says(&["overloaded", "out of capacity", "no capacity", "at capacity"]);
    if code == 429
        || (matches!(code, 503 | 529) && (is_overloaded || retry_after.is_some()))
        || (is_plain && (is_overloaded || complaint.code_holds(&["rate_limit", "ratelimit", "too_many_requests"])))
    {
        let limit = if is_overloaded {
            LimitKind::Capacity
        } else if complaint.code_holds(&["concurren"])
            || says(&["concurren", "in-flight", "in flight", "parallel requests"])
        {
            LimitKind::Concurrency
        } else {
            LimitKind::Window
        };
        return ProviderError::RateLimited { failure, limit, retry_after };
    }
    if is_unauthorized(status, complaint) {
        return ProviderError::Unauthorized { failure };
    }
    // Gateways and edges say in several ways that what stands behind them was too slow.
    if matches!(code, 408 | 504 | 524) {
        return ProviderError::TimedOut { failure };
    }
    if code >= 500 || (is_plain && !complaint.code_holds(&["invalid_request", "model_not_found", "bad_request"])) {
        return ProviderError::Failed { failure };
    }
    ProviderError::Rejected { failure, reason: rejection(status, complaint, &words) }
}

/// The class that the table of facts gives: the provider's own codes and phrases, then the codes of everybody, then
/// what a status alone means at this provider.
fn known_class(
    endpoint: &Endpoint,
    (status, headers): (u16, &HeaderMap),
    complaint: &Complaint,
    words: &str,
) -> Option<ErrorClass> {
    let own = &facts::for_endpoint(endpoint).errors.codes;
    let fits = |fact: &&CodeFact| complaint.fits(fact, status, words);
    let is_specific = |fact: &&CodeFact| fact.code.is_some() || fact.says.is_some();
    let usual = facts::usual().errors.codes.iter();
    let specific = own.iter().filter(is_specific).chain(usual).find(fits).map(|fact| fact.class);
    // A status that merely says to wait may still turn out to be more by its words.
    let by_status = |fact: &&CodeFact| !is_specific(fact) && fact.class != ErrorClass::Wait;
    let class = specific.or_else(|| own.iter().filter(by_status).find(fits).map(|fact| fact.class))?;
    // A day's window that a header states is no short one, whatever the code says.
    (class != ErrorClass::Wait || !has_spent_allotment(headers)).then_some(class)
}

/// The error of a class that a table gave.
fn meaning(class: ErrorClass, retry_after: Option<std::time::Duration>, failure: Box<Failure>) -> ProviderError {
    let limited = |limit, failure| ProviderError::RateLimited { failure, limit, retry_after };
    let used_up = |quota, failure| ProviderError::QuotaExhausted { failure, quota, retry_after };
    let rejected = |reason, failure| ProviderError::Rejected { failure, reason };
    match class {
        ErrorClass::Wait => limited(LimitKind::Window, failure),
        ErrorClass::Concurrency => limited(LimitKind::Concurrency, failure),
        ErrorClass::NoCapacity => limited(LimitKind::Capacity, failure),
        ErrorClass::Exhausted => used_up(QuotaKind::Allotment, failure),
        ErrorClass::NoBalance => used_up(QuotaKind::Balance, failure),
        ErrorClass::Auth => ProviderError::Unauthorized { failure },
        ErrorClass::BadRequest => rejected(Rejection::BadRequest, failure),
        ErrorClass::TooLarge => rejected(Rejection::TooLarge, failure),
        ErrorClass::Moderation => ProviderError::Refused { failure },
        ErrorClass::ModelGone => rejected(Rejection::UnknownModel, failure),
        ErrorClass::ModelNotAllowed => rejected(Rejection::ModelNotAllowed, failure),
        ErrorClass::TimedOut => ProviderError::TimedOut { failure },
        ErrorClass::Failed => ProviderError::Failed { failure },
    }
}

fn is_moderation(status: StatusCode, complaint: &Complaint, words: &str) -> bool {
    let named = [
        "content_filter",
        "content_policy",
        "policy_violation",
        "moderation",
        "safety",
        "prohibited_content",
        "content_blocked",
    ];
    if complaint.code_holds(&named) {
        return true;
    }
    let phrases = [
        "content policy",
        "content filter",
        "content management policy",
        "flagged",
        "moderation",
        "safety policy",
        "safety system",
    ];
    matches!(status.as_u16(), 200 | 400 | 403 | 422 | 451) && phrases.iter().any(|phrase| words.contains(phrase))
}

/// Whether something is used up that waiting a minute does not bring back.
///
/// The bare word quota is no proof: a limit of requests a minute is called a quota too.
fn exhausted(
    status: StatusCode,
    headers: &HeaderMap,
    complaint: &Complaint,
    words: &str,
    retry_after: Option<std::time::Duration>,
) -> Option<QuotaKind> {
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    let code = status.as_u16();
    let names_long_window = says(&[
        "per day",
        "per-day",
        "daily",
        "(rpd)",
        "(tpd)",
        "per month",
        "per-month",
        "monthly",
        "per week",
        "weekly",
    ]);
    let names_short_window = says(&["per minute", "per-minute", "(rpm)", "(tpm)", "per second", "per hour"]);
    if code == 402 {
        return Some(if names_long_window { QuotaKind::Allotment } else { QuotaKind::Balance });
    }
    if code != 429 && !(code == 200 && complaint.has_code(&["429"])) {
        return None;
    }
    if says(&[
        "insufficient credit",
        "insufficient balance",
        "insufficient fund",
        "credit balance",
        "out of credits",
        "no credits",
        "credits exhausted",
        "check your plan and billing",
        "recharge",
        "top up",
    ]) {
        return Some(QuotaKind::Balance);
    }
    let is_long_wait = retry_after.is_some_and(|wait| wait.as_secs() >= 3600);
    let is_allotment = (names_long_window && !names_short_window) || has_spent_allotment(headers) || is_long_wait;
    is_allotment.then_some(QuotaKind::Allotment)
}

fn is_unauthorized(status: StatusCode, complaint: &Complaint) -> bool {
    match status.as_u16() {
        401 | 407 | 498 => true,
        403 => !complaint.code_holds(&["model"]),
        _ => false,
    }
}

fn rejection(status: StatusCode, complaint: &Complaint, words: &str) -> Rejection {
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    let is_too_large = status.as_u16() == 413
        || complaint.code_holds(&["context_length", "too_large"])
        || says(&[
            "context length",
            "context window",
            "maximum context",
            "too many tokens",
            "prompt is too long",
            "exceeds the available context",
        ]);
    if is_too_large {
        return Rejection::TooLarge;
    }
    if status.as_u16() == 403 {
        return Rejection::ModelNotAllowed;
    }
    let is_unknown_model = complaint.code_holds(&["model_not_found"])
        || (words.contains("model")
            && says(&[
                "not found",
                "does not exist",
                "no such",
                "not a valid model",
                "unknown model",
                "decommissioned",
                "deprecated",
                "no endpoints",
            ]))
        || words.contains("no endpoints found");
    if is_unknown_model { Rejection::UnknownModel } else { Rejection::BadRequest }
}
