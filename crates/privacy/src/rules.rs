//! The human's own shape rules, from a file.
//!
//! A file is taken whole or refused whole, with the rule and the reason: a rule that was skipped in silence would be a
//! leak that nobody sees.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

use crate::hit::Hit;
use crate::identity::passes_luhn;
use crate::kind::Kind;

/// More rules than anybody writes by hand.
const MOST_RULES: usize = 500;
/// Longer patterns are generated ones.
const LONGEST_PATTERN: usize = 2000;
/// The memory of one compiled rule.
const MOST_BYTES: usize = 1 << 20;

/// Why a file of rules is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The file is no JSON of the known form.
    #[error(
        "the rules are not in the form `{{\"regex_rules\": [{{\"id\": …, \"pattern\": …}}]}}` (line {line}, column {column})"
    )]
    Form {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// More rules than are accepted.
    #[error("there are {count} rules, and {MOST_RULES} at most are accepted")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A rule without a name.
    #[error("rule {number} has no `id`")]
    Unnamed {
        /// Its place in the list, from 1.
        number: usize,
    },
    /// Two rules with one name.
    #[error("there are two rules with the id `{id}`")]
    Twice {
        /// The name.
        id: String,
    },
    /// A pattern that cannot be run, or must not be.
    #[error("rule `{id}` {reason}")]
    Unsafe {
        /// The rule.
        id: String,
        /// What is wrong with it.
        reason: Refusal,
    },
}

/// What is wrong with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no regular expression.
    #[error("is not a valid regular expression")]
    Invalid,
    /// It looks around or back, which takes more than linear time.
    #[error("uses look-around or a back-reference, which are not supported because they can take unlimited time")]
    LooksAround,
    /// It is too long or too large.
    #[error("is too large")]
    TooLarge,
    /// It matches nothing at all.
    #[error("matches the empty text")]
    MatchesEmpty,
    /// It would hide ordinary text.
    #[error("matches ordinary text, so it would hide everything")]
    TooBroad,
}

#[derive(Deserialize)]
struct File {
    regex_rules: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    id: Option<String>,
    pattern: String,
    #[serde(default)]
    luhn: bool,
    #[serde(default = "is_on")]
    enabled: bool,
}

fn is_on() -> bool {
    true
}

struct Rule {
    id: String,
    kind: Kind,
    pattern: Regex,
    needs_luhn: bool,
}

/// The rules in force.
#[derive(Default)]
pub struct Rules {
    rules: Vec<Rule>,
    any: RegexSet,
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.rules.iter().map(|rule| &rule.id)).finish()
    }
}

/// Ordinary text of which a rule may hide a little, but not most.
const ORDINARY: &str = "The build finished in 12 seconds and wrote 3 files to target/release.\n\
    error: expected `;`, found `let` in src/main.rs at line 40\n\
    GET /status 200 OK\nmodified: Cargo.toml\nThis is a sentence with ordinary words in it.\n";

impl Rules {
    /// Reads the text of a rules file.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        let file: File = serde_json::from_str(text.trim_start_matches('\u{FEFF}'))
            .map_err(|error| RulesError::Form { line: error.line(), column: error.column() })?;
        if file.regex_rules.len() > MOST_RULES {
            return Err(RulesError::TooMany { count: file.regex_rules.len() });
        }
        let mut rules: Vec<Rule> = Vec::new();
        for (index, row) in file.regex_rules.into_iter().enumerate() {
            let id = row.id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
            let Some(id) = id else { return Err(RulesError::Unnamed { number: index + 1 }) };
            if rules.iter().any(|rule| rule.id == id) {
                return Err(RulesError::Twice { id });
            }
            let pattern = match compile(&row.pattern) {
                Ok(pattern) => pattern,
                Err(reason) => return Err(RulesError::Unsafe { id, reason }),
            };
            if row.enabled {
                rules.push(Rule { kind: kind_of(&id), id, pattern, needs_luhn: row.luhn });
            }
        }
        let any = RegexSetBuilder::new(rules.iter().map(|rule| rule.pattern.as_str())).size_limit(64 << 20).build();
        let Ok(any) = any else { return Err(RulesError::TooMany { count: rules.len() }) };
        Ok(Self { rules, any })
    }

    /// How many rules are in force.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What the rules find in a plain reading.
    pub(crate) fn search(&self, text: &str, hits: &mut Vec<Hit>) {
        if self.rules.is_empty() {
            return;
        }
        for rule in self.any.matches(text).into_iter().filter_map(|index| self.rules.get(index)) {
            for found in rule.pattern.find_iter(text).filter(|found| !found.is_empty()) {
                let digits: Vec<u8> = found.as_str().bytes().filter(u8::is_ascii_digit).collect();
                if !rule.needs_luhn || passes_luhn(&digits) {
                    let mut hit = Hit::new(found.start(), found.end(), rule.kind, "");
                    hit.rule = rule.id.clone().into();
                    hits.push(hit);
                }
            }
        }
    }
}

fn compile(pattern: &str) -> Result<Regex, Refusal> {
    if pattern.len() > LONGEST_PATTERN {
        return Err(Refusal::TooLarge);
    }
    if ["(?=", "(?!", "(?<=", "(?<!", "(?>", "\\1", "\\2", "\\k<"].iter().any(|form| pattern.contains(form)) {
        return Err(Refusal::LooksAround);
    }
    let regex = RegexBuilder::new(pattern).size_limit(MOST_BYTES).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => Refusal::TooLarge,
        _ => Refusal::Invalid,
    })?;
    if regex.is_match("") {
        return Err(Refusal::MatchesEmpty);
    }
    let hidden: usize = regex.find_iter(ORDINARY).map(|found| found.len()).sum();
    if hidden * 3 > ORDINARY.len() {
        return Err(Refusal::TooBroad);
    }
    Ok(regex)
}

/// The kind that a rule's name says.
fn kind_of(id: &str) -> Kind {
    let id = id.to_ascii_lowercase();
    let exact = match id.as_str() {
        "email" => Some(Kind::Email),
        "phone" => Some(Kind::Phone),
        "us_ssn" => Some(Kind::Ssn),
        "credit_card" => Some(Kind::Card),
        "iban" => Some(Kind::Account),
        _ => None,
    };
    let words: [(&[&str], Kind); 6] = [
        (&["key", "token", "secret", "private", "pem", "credential", "password"], Kind::Secret),
        (&["phone"], Kind::Phone),
        (&["mail"], Kind::Email),
        (&["card"], Kind::Card),
        (&["ssn"], Kind::Ssn),
        (&["iban", "account", "routing", "bank"], Kind::Account),
    ];
    let by_word = || words.iter().find(|(words, _)| words.iter().any(|word| id.contains(word))).map(|(_, kind)| *kind);
    exact.or_else(by_word).unwrap_or(Kind::Pii)
}
