//! Random ids and tokens, and the digests under which tokens are kept.

use std::fmt::Write;

use lwa_domain::{ApprovalId, ErrorCode, PlanId, SessionId};
use lwa_protocol::Failure;
use sha2::{Digest, Sha256};

/// Letters of a typed code: no vowels, so that it spells nothing; nothing that looks like another.
const CODE_LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";

fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("the system gives no random numbers: {error}")))?;
    Ok(bytes)
}

/// Random bytes.
///
/// # Errors
/// The system gives no random numbers.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], Failure> {
    random()
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A new plan id: 96 random bits.
///
/// # Errors
/// The system gives no random numbers.
pub fn plan_id() -> Result<PlanId, Failure> {
    Ok(PlanId::new(hex(&random::<12>()?)))
}

/// A new approval id: 128 random bits.
///
/// # Errors
/// The system gives no random numbers.
pub fn approval_id() -> Result<ApprovalId, Failure> {
    Ok(ApprovalId::new(hex(&random::<16>()?)))
}

/// A new session id: 64 random bits.
///
/// # Errors
/// The system gives no random numbers.
pub fn session_id() -> Result<SessionId, Failure> {
    Ok(SessionId::new(hex(&random::<8>()?)))
}

/// A new token: a readable prefix and 192 random bits. Only its [`digest`] is kept.
///
/// # Errors
/// The system gives no random numbers.
pub fn token(prefix: &str) -> Result<String, Failure> {
    Ok(format!("{prefix}_{}", hex(&random::<24>()?)))
}

/// The code a person types in a terminal: four letters.
///
/// # Errors
/// The system gives no random numbers.
pub fn typed_code() -> Result<String, Failure> {
    let bytes = random::<4>()?;
    Ok(bytes
        .iter()
        .filter_map(|byte| CODE_LETTERS.get(usize::from(*byte) % CODE_LETTERS.len()))
        .map(|byte| char::from(*byte))
        .collect())
}

/// The digest under which a token is kept and found.
pub fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.trim().as_bytes()).into()
}

/// SHA-256 of a text, hexadecimal.
pub fn text_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
