//! The human's exceptions: what a rule is not to find, in a file outside the repository.

use crate::error::GuardError;
use crate::finding::{Finding, Rule};

/// Exceptions, one a line: `RULE PATH`, where `*` stands for anything, or `RULE =VALUE`. `*` as the rule is every rule
/// but the denylist, which has its own file.
#[derive(Default)]
pub struct Allowed {
    entries: Vec<(Option<Rule>, Target)>,
}

/// The values are private.
impl std::fmt::Debug for Allowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Allowed").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

enum Target {
    Path(String),
    Value(String),
}

impl Allowed {
    /// Reads the file's text.
    ///
    /// # Errors
    /// A line has another form, or names no rule.
    pub fn parse(text: &str) -> Result<Self, GuardError> {
        let mut entries = Vec::new();
        for (index, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || GuardError::Allowed(index + 1);
            let (rule, target) = line.split_once(char::is_whitespace).ok_or_else(wrong)?;
            let rule = match rule {
                "*" => None,
                name => Some(name.parse::<Rule>().map_err(|()| wrong())?),
            };
            let target = target.trim();
            entries.push((
                rule,
                match target.strip_prefix('=') {
                    Some(value) => Target::Value(value.to_owned()),
                    None => Target::Path(target.to_owned()),
                },
            ));
        }
        Ok(Self { entries })
    }

    /// Whether a finding is one of them.
    pub fn admits(&self, finding: &Finding) -> bool {
        self.entries.iter().any(|(rule, target)| {
            rule.map_or(finding.rule != Rule::Denylist, |rule| rule == finding.rule)
                && match target {
                    Target::Path(pattern) => matches(pattern, &finding.place.name),
                    Target::Value(value) => finding.value().eq_ignore_ascii_case(value),
                }
        })
    }
}

/// Whether a pattern stands for a whole path.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == path };
    let Some(mut path) = path.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let Some(tail) = parts.pop() else { return false };
    for part in parts {
        let Some(at) = path.find(part) else { return false };
        path = path.get(at + part.len()..).unwrap_or_default();
    }
    path.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Place, PlaceKind};

    #[test]
    fn an_exception_holds_for_its_rule_and_its_path() {
        let allowed = Allowed::parse("# why\nmail tests/*.json\nipv4-public =8.8.8.8\n").unwrap();
        let finding = |rule, path: &str, value: &str| Finding::new(Place::new(PlaceKind::File, path), 1, rule, value);
        assert!(allowed.admits(&finding(Rule::Mail, "tests/data/a.json", "x")));
        assert!(!allowed.admits(&finding(Rule::Mail, "src/a.json", "x")));
        assert!(!allowed.admits(&finding(Rule::Secret, "tests/a.json", "x")));
        assert!(allowed.admits(&finding(Rule::Ipv4Public, "anywhere", "8.8.8.8")));
        assert!(!allowed.admits(&finding(Rule::Ipv4Public, "anywhere", "8.8.4.4")));
    }

    #[test]
    fn every_rule_does_not_mean_the_denylist() {
        let allowed = Allowed::parse("* docs/*").unwrap();
        let finding = |rule| Finding::new(Place::new(PlaceKind::File, "docs/a"), 1, rule, "x");
        assert!(allowed.admits(&finding(Rule::HomePath)));
        assert!(!allowed.admits(&finding(Rule::Denylist)));
    }

    #[test]
    fn a_rule_that_is_none_is_refused() {
        assert!(matches!(Allowed::parse("mail a\nmial b"), Err(GuardError::Allowed(2))));
    }
}
