//! Calls one provider for one locked route, and knows which providers exist.
//!
//! What it is for: [`complete`] sends one request to one endpoint and reads one answer, in any of the protocols;
//! [`list_models`] reads a provider's list; [`catalog`] holds the shipped facts, [`facts`] how each provider speaks; [`local`] finds model servers on this machine;
//! [`builtin`] serves two tasks without any model.
//! What it must never do: pick a route, store, retry, follow a redirect, fall back to another model, or send a
//! request twice.
//! A failure is reported and that is all.
//! Trust boundary: everything a provider sends is foreign text.
//! It is size-limited, parsed leniently where a field is optional and strictly where money is concerned, and
//! passes [`redact()`] before it enters an error.
//! Keys travel in one header and appear nowhere else.
//! Start reading at [`mod@chat`], then [`error`] and `classify`.

pub mod adapter;
pub mod builtin;
pub mod catalog;
pub mod chat;
mod classify;
mod cohere;
mod decimal;
pub mod endpoint;
pub mod error;
pub mod facts;
mod gemini;
pub mod http;
pub mod listing;
pub mod local;
pub mod media;
pub mod prices;
pub mod probe;
pub mod quota;
pub mod redact;
pub mod sse;

pub use adapter::Adapter;
pub use chat::finish::Finish;
pub use chat::format::{FormatSupport, ResponseFormat};
pub use chat::profile::{EffortEncoding, MaxTokensField, ModelProfile};
pub use chat::usage::Usage;
pub use chat::{ChatAnswer, ChatRequest, Limits, chat, chat_within, check, complete};
pub use endpoint::Endpoint;
pub use error::{Failure, LimitKind, ProviderError, QuotaKind, Rejection};
pub use http::{HttpClientError, ProxySettings, http_client, http_client_with};
pub use listing::{
    DiscoveryState, ListedModel, ListedPrice, Listing, MergedModel, PageLimits, list_models, list_models_within,
    merge_model,
};
pub use prices::{CatalogueEntry, SettledPrice, settle_price};
pub use probe::{BalanceSpec, KeyKind, ProbeReport, probe, probe_balance};
pub use quota::{Confidence, QuotaObservation, QuotaWindow, observe};
pub use redact::redact;
