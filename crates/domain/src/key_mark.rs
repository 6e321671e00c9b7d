//! How issuers mark their keys: the one list for every filter that goes by the beginning of a value.

/// Beginnings by which well-known issuers mark their keys, in their letter case.
///
/// How long a value has to be, and whether case counts, is for each filter to say: what is an accident in a variable
/// may be a key in a prompt.
pub const KEY_BEGINNINGS: &[&str] = &[
    "sk-",
    "sk_",
    "rk_",
    "pk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "hf_",
    "gsk_",
    "npm_",
    "pypi-",
    "dop_v1_",
    "SG.",
    "AGE-SECRET-",
    "lin_api_",
    "xai-",
    "tvly-",
    "whsec_",
    "shpat_",
];
