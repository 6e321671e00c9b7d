//! Closed sets of labels: parsing with a helpful refusal, printing, serialising.

use thiserror::Error;

/// A label that is not in its set.
///
/// The message lists every accepted value and, when one is close, names it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("invalid {what} `{value}`: expected one of {accepted}{hint}", hint = hint_text(nearest.as_deref()))]
pub struct UnknownLabel {
    /// What the label names, for example `task`.
    pub what: &'static str,
    /// What was given, cut to 60 characters.
    pub value: String,
    /// Every accepted label, comma separated, in canonical order.
    pub accepted: String,
    /// The accepted label nearest to what was given, if any is near.
    pub nearest: Option<String>,
}

fn hint_text(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl UnknownLabel {
    /// Describes `value`, which is none of `accepted`.
    pub fn new(what: &'static str, value: &str, accepted: &[&str]) -> Self {
        Self {
            what,
            value: value.chars().take(60).collect(),
            accepted: accepted.join(", "),
            nearest: nearest(value, accepted.iter().copied()),
        }
    }
}

/// The candidate most like `value`, or none when nothing is similar enough to be a slip of the pen.
///
/// Similarity is Jaro–Winkler on lower-cased text with `-` and spaces read as `_`; the bound of 0.8
/// accepts one or two wrong letters and a missing ending.
pub fn nearest<'a>(value: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let folded = value.trim().to_lowercase().replace(['-', ' '], "_");
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&folded, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_owned())
}

/// Declares an enumeration whose variants are written as exact, case-sensitive labels.
macro_rules! labels {
    ($(#[$meta:meta])* $name:ident ($what:literal) { $($(#[$vmeta:meta])* $variant:ident = $label:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $label)] $variant),+ }

        impl $name {
            /// Every value, in canonical order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Every label, in canonical order.
            pub const LABELS: &'static [&'static str] = &[$($label),+];

            /// The label as it is written in files, on the wire and in the database.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::label::UnknownLabel;

            fn from_str(value: &str) -> Result<Self, Self::Err> {
                match value {
                    $($label => Ok(Self::$variant),)+
                    other => Err($crate::label::UnknownLabel::new($what, other, Self::LABELS)),
                }
            }
        }
    };
}
pub(crate) use labels;
