//! Mail addresses of people, and names of private networks.

use memchr::memmem;

use super::Found;
use crate::finding::Rule;

/// Who reads no mail. `git` is who one signs in as to fetch a repository.
const NO_READERS: [&str; 7] = ["noreply", "no-reply", "no_reply", "donotreply", "do-not-reply", "git", "nobody"];
/// Domains that are set aside.
const RESERVED: [&str; 5] = ["example", "test", "invalid", "localhost", "localdomain"];
/// Ends of names that look like domains and are files or units of systemd.
const NO_DOMAINS: [&str; 18] = [
    "service", "socket", "timer", "target", "mount", "slice", "scope", "png", "jpg", "jpeg", "gif", "svg", "webp",
    "json", "js", "ts", "tsx", "css",
];
/// What people write in place of the name of a network.
const NO_TAILNETS: [&str; 8] =
    ["example", "tailnet", "tailnet-name", "your-tailnet", "yourtailnet", "my-tailnet", "mytailnet", "name"];

fn is_local_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-' | '\'')
}

fn is_domain_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-')
}

/// Mail addresses whose domain is not set aside for examples.
pub(super) fn mails(text: &str, found: &mut Vec<Found>) {
    for at in memchr::memchr_iter(b'@', text.as_bytes()) {
        let before = &text[..at];
        let start = before
            .rfind(|c: char| !is_local_part(c))
            .map_or(0, |last| last + before[last..].chars().next().map_or(0, char::len_utf8));
        let local = before[start..].trim_start_matches(['.', '\'', '-', '+', '%']);
        let after = &text[at + 1..];
        let domain = &after[..after.find(|c: char| !is_domain_part(c)).unwrap_or(after.len())];
        let domain = domain.trim_end_matches(['.', '-']);
        let Some((_, top)) = domain.rsplit_once('.') else { continue };
        let is_top = top.len() >= 2 && top.chars().all(char::is_alphabetic);
        if local.is_empty() || domain.starts_with(['.', '-']) || !is_top || NO_DOMAINS.contains(&top) {
            continue;
        }
        let (start, end) = (at - local.len(), at + 1 + domain.len());
        if !is_nobodys(&text[start..end]) {
            found.push(Found { start, end, rule: Rule::Mail });
        }
    }
}

/// Whether nobody is behind an address: an example, or a sender that nobody can answer.
pub(super) fn is_nobodys(mail: &str) -> bool {
    let mail = mail.to_lowercase();
    let Some((local, domain)) = mail.rsplit_once('@') else { return true };
    if NO_READERS.contains(&local) || local.ends_with("+noreply") {
        return true;
    }
    let labels: Vec<&str> = domain.split('.').collect();
    let is_example = match labels.as_slice() {
        [.., name, "com" | "net" | "org" | "edu"] => *name == "example",
        _ => false,
    };
    is_example
        || labels.last().is_some_and(|last| RESERVED.contains(last))
        || labels.iter().any(|label| matches!(*label, "noreply" | "no-reply"))
}

/// Names of machines in a network of Tailscale.
pub(super) fn tailnets(text: &str, found: &mut Vec<Found>) {
    let lower = text.to_ascii_lowercase();
    for suffix in [".ts.net", ".beta.tailscale.net"] {
        for at in memmem::find_iter(lower.as_bytes(), suffix) {
            let end = at + suffix.len();
            let mut rest = lower[end..].chars();
            let is_longer = match rest.next() {
                Some('.') => rest.next().is_some_and(char::is_alphanumeric),
                Some(next) => next.is_alphanumeric() || next == '-',
                None => false,
            };
            let before = &lower[..at];
            let start = before
                .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-')))
                .map_or(0, |last| last + before[last..].chars().next().map_or(0, char::len_utf8));
            let network = before[start..].rsplit('.').next().unwrap_or_default();
            if !is_longer && !network.is_empty() && !NO_TAILNETS.contains(&network) {
                found.push(Found { start, end, rule: Rule::Tailnet });
            }
        }
    }
}
