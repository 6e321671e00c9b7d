//! Addresses of machines.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::Found;
use crate::finding::Rule;

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Addresses of four numbers. Five numbers, or four with letters around them, are a version.
pub(super) fn ipv4(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'.') {
            at += 1;
        }
        let run = text[start..at].trim_end_matches('.');
        let end = start + run.len();
        let before = start.checked_sub(1).map(|before| bytes[before]);
        if before.is_some_and(|before| is_word(before) || before == b'.') {
            continue;
        }
        if end == at && bytes.get(at).is_some_and(|&next| is_word(next)) {
            continue;
        }
        let Ok(address) = run.parse::<Ipv4Addr>() else { continue };
        let Some(rule) = ipv4_rule(address) else { continue };
        let is_suffixed = bytes.get(at) == Some(&b'-') && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
        // `name-1.2.3.4` and `1.2.3.4-beta` are versions; nobody numbers a version like a private network.
        if rule == Rule::Ipv4Public && (before == Some(b'-') || is_suffixed) {
            continue;
        }
        found.push(Found { start, end, rule });
    }
}

/// The first addresses of whole blocks, which name the block and no machine.
const BLOCKS: [[u8; 4]; 5] = [[10, 0, 0, 0], [100, 64, 0, 0], [169, 254, 0, 0], [172, 16, 0, 0], [192, 168, 0, 0]];

/// None for what names no machine: loopback, whole blocks, masks, multicast, and the ranges for documentation.
fn ipv4_rule(address: Ipv4Addr) -> Option<Rule> {
    let [a, b, ..] = address.octets();
    if a == 0 || a == 127 || a >= 224 || address.is_documentation() || BLOCKS.contains(&address.octets()) {
        return None;
    }
    let is_shared = a == 100 && b & 0xC0 == 64;
    let is_benchmark = a == 198 && b & 0xFE == 18;
    let is_private = address.is_private() || address.is_link_local() || is_shared || is_benchmark;
    Some(if is_private { Rule::Ipv4Private } else { Rule::Ipv4Public })
}

/// Addresses of eight groups, `::` counted.
pub(super) fn ipv6(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
    let mut at = 0;
    while at < bytes.len() {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_part(bytes[at]) {
            at += 1;
        }
        let is_joined = |byte: Option<&u8>| byte.is_some_and(|&byte| is_word(byte));
        if is_joined(start.checked_sub(1).and_then(|before| bytes.get(before))) || is_joined(bytes.get(at)) {
            continue;
        }
        let mut run = &text[start..at];
        // A colon behind the address is punctuation.
        if run.ends_with(':') && !run.ends_with("::") {
            run = &run[..run.len() - 1];
        }
        let Ok(address) = run.parse::<Ipv6Addr>() else { continue };
        if let Some(rule) = ipv6_rule(address) {
            found.push(Found { start, end: start + run.len(), rule });
        }
    }
}

fn ipv6_rule(address: Ipv6Addr) -> Option<Rule> {
    let [first, second, rest @ ..] = address.segments();
    if second == 0 && rest == [0; 6] && matches!(first, 0xFC00 | 0xFD00 | 0xFE80) {
        return None;
    }
    let is_documentation = (first == 0x2001 && second == 0xdb8) || first & 0xFFF0 == 0x3FF0;
    if first & 0xFE00 == 0xFC00 || first & 0xFFC0 == 0xFE80 {
        Some(Rule::Ipv6Local)
    } else if first & 0xE000 == 0x2000 && !is_documentation {
        Some(Rule::Ipv6Public)
    } else {
        None
    }
}
