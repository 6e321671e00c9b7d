//! Scrub, vault and rehydration: secrets and private values never leave in clear.
//!
//! **What it is for.** [`egress`] takes the secrets out of every prompt that leaves for a provider.
//! [`Scrubber`] does the whole of it for the worker: it finds credentials, people, places and the numbers that identify
//! them, puts placeholders of a [`Vault`] in their place, and looks at the result again.
//! [`rehydrate()`] is the way back, in the spellings that models make of a placeholder.
//!
//! **What it must never do.** It performs no input or output, reads no clock and no environment: files of terms and
//! rules and the journal of a vault are texts that the caller reads and writes.
//! It logs nothing, and no message, `Debug` or error of it holds a value.
//! It changes no byte outside the ranges that it reports.
//!
//! **Trust boundary.** The text is hostile: it may hide a value behind characters without width, look-alike letters,
//! terminal colours, escapes and encodings, and it may try to make a scan slow. Every reading takes time that grows
//! with the length of the text alone.
//! What cannot be decided is hidden, what cannot be read is refused, and a text that is over the limit or not clean at
//! the end comes back as an error and never as a text.
//!
//! **Where to start reading.** `detect.rs` shows the layers: a `shadow` of the text without its disguises, the one pass
//! of the `gate` over it, the readers of `secrets` and `identity` at the words that it finds, the known `values`, and
//! the decoded runs. `scrub.rs` puts placeholders in; `vault.rs` gives them out.

mod checksum;
mod codec;
mod detect;
mod edge;
pub mod egress;
mod entropy;
mod exposure;
mod found;
mod gate;
mod hit;
mod identity;
mod kind;
mod normal;
mod placeholder;
mod rehydrate;
mod rules;
mod scrub;
mod secrets;
mod shadow;
mod terms;
mod values;
mod vault;

pub use exposure::{Exposure, Visibility};
pub use found::Found;
pub use kind::{Kind, Tier, UnknownKind};
pub use placeholder::Placeholder;
pub use rehydrate::{Bare, Mention, RehydrateStream, Rehydrated, Reveal, mentions, rehydrate};
pub use rules::{Refusal, Rules, RulesError};
pub use scrub::{EntityRefusal, Leak, ScrubError, Scrubbed, Scrubber};
pub use terms::{Terms, TermsError};
pub use vault::{Adoption, Record, Resolved, Vault, VaultError};
