//! Finds in a text what must not leave. Pure: a text goes in, findings come out.

mod address;
mod home;
mod mail;

use std::collections::BTreeSet;

use lwa_privacy::egress::{KnownSecrets, scrub_secrets};

use crate::allow::Allowed;
use crate::denylist::Denylist;
use crate::finding::{Finding, Place, PlaceKind, Rule};

/// What one of the readers found: bytes of the text.
pub(crate) struct Found {
    start: usize,
    end: usize,
    rule: Rule,
}

/// The rules in force.
#[derive(Debug, Default)]
pub struct Scanner {
    denylist: Denylist,
    allowed: Allowed,
    homes: Vec<String>,
}

impl Scanner {
    /// The rules alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// With the human's own words.
    pub fn with_denylist(self, denylist: Denylist) -> Self {
        Self { denylist, ..self }
    }

    /// With the human's exceptions.
    pub fn with_allowed(self, allowed: Allowed) -> Self {
        Self { allowed, ..self }
    }

    /// With a home folder that lies elsewhere than homes usually do. One of a single part, such as `/root`, is nobody's.
    pub fn with_home(mut self, home: &str) -> Self {
        let home = home.trim_end_matches('/');
        if home.matches('/').count() >= 2 {
            self.homes.push(home.to_owned());
        }
        self
    }

    /// Everything in a text that must not leave; the same value in the same line once.
    pub fn scan(&self, place: &Place, text: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        address::ipv4(text, &mut found);
        address::ipv6(text, &mut found);
        home::paths(text, &self.homes, &mut found);
        mail::mails(text, &mut found);
        mail::tailnets(text, &mut found);
        found.extend(self.denylist.find(text).into_iter().map(|(start, end)| Found {
            start,
            end,
            rule: Rule::Denylist,
        }));
        let secrets = scrub_secrets(text, &KnownSecrets::none()).found;
        found.extend(secrets.into_iter().map(|secret| Found {
            start: secret.start,
            end: secret.end,
            rule: Rule::Secret,
        }));
        self.findings(place, text, found)
    }

    /// The same for a name and a mail address of somebody who writes commits, where every address is one of a person.
    pub fn scan_identity(&self, place: &Place, name: &str, mail: &str) -> Vec<Finding> {
        let mut findings = self.scan(place, &format!("{name} <{mail}>"));
        if mail.contains('@') && !mail::is_nobodys(mail) {
            let finding = Finding::new(place.clone(), 1, Rule::Mail, mail);
            if !findings.iter().any(|found| found.rule == Rule::Mail) && !self.allowed.admits(&finding) {
                findings.push(finding);
            }
        }
        findings
    }

    /// The name of a file, with folders.
    pub fn scan_name(&self, path: &str, commit: Option<&str>) -> Vec<Finding> {
        let place = Place { commit: commit.map(str::to_owned), ..Place::new(PlaceKind::FileName, path) };
        self.scan(&place, path)
    }

    fn findings(&self, place: &Place, text: &str, mut found: Vec<Found>) -> Vec<Finding> {
        found.sort_by_key(|found| (found.start, found.end));
        let mut findings = BTreeSet::new();
        let (mut line, mut at) = (1, 0);
        for found in found {
            let Some(value) = text.get(found.start..found.end) else { continue };
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[at..found.start]).count();
            at = found.start;
            let finding = Finding::new(place.clone(), line, found.rule, value);
            if !self.allowed.admits(&finding) {
                findings.insert(finding);
            }
        }
        findings.into_iter().collect()
    }
}
