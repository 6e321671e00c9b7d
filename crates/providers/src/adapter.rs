//! What a protocol decides by itself, whoever speaks it.

/// The protocol that a provider speaks, by the word that the shipped catalogue uses.
pub use crate::catalog::AdapterKind as Adapter;

/// The header that carries the bare key, where it is not `Authorization` with `Bearer`.
pub(crate) const fn key_header(adapter: Adapter) -> Option<&'static str> {
    match adapter {
        Adapter::Gemini => Some("x-goog-api-key"),
        _ => None,
    }
}
