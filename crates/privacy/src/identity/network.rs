//! Addresses of machines that lead to a person: public internet addresses and hardware addresses.

use super::Reading;
use crate::kind::Kind;

/// Whether an address belongs to the world, and not to this machine or its own network.
fn is_public(octets: [u8; 4]) -> bool {
    !matches!(
        octets,
        [0 | 10 | 127 | 224..=255, ..] | [169, 254, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..]
    )
}

impl Reading<'_> {
    /// Four numbers with full stops between; `groups` are their ranges.
    pub(super) fn ipv4(&mut self, groups: &[(usize, usize)]) -> bool {
        let [(start, _), _, _, (_, end), ..] = *groups else { return false };
        let mut octets = [0_u8; 4];
        for (slot, &(from, to)) in octets.iter_mut().zip(groups) {
            let text = self.text.get(from..to).unwrap_or_default();
            let has_zero = text.len() > 1 && text.starts_with('0');
            match text.parse() {
                Ok(octet) if !has_zero => *slot = octet,
                _ => return false,
            }
        }
        let next = self.byte(end);
        let goes_on = next.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            || (next == Some(b'.') && self.byte(end + 1).is_some_and(|byte| byte.is_ascii_digit()))
            || (next == Some(b'-') && self.byte(end + 1).is_some_and(|byte| byte.is_ascii_alphanumeric()));
        let before = self.bytes.get(start.saturating_sub(10)..start).unwrap_or_default();
        let is_version = before.to_ascii_lowercase().ends_with(b"version ") || before.ends_with(b"version: ") 
            || before.ends_with(b"==")
            || before.ends_with(b"@")
            // `Chrome/120.0.0.0` is a product.
            || matches!(before, [.., letter, b'/'] if letter.is_ascii_alphabetic());
        if goes_on || is_version || !is_public(octets) {
            return false;
        }
        self.push(start, end, Kind::Pii, "ip-address");
        true
    }

    /// Every hardware address, and every public address of the sixth version: both begin in front of a sign.
    pub(super) fn machines(&mut self) {
        let bytes = self.bytes;
        for at in memchr::memchr2_iter(b':', b'-', bytes) {
            let sign = bytes[at];
            let digits =
                bytes[at.saturating_sub(5)..at].iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
            let start = at - digits;
            if !(1..=4).contains(&digits) || !self.is_word_start(start) || self.before(start) == Some(sign) {
                continue;
            }
            if digits == 2 && bytes.get(at + 3) == Some(&sign) {
                self.hardware(start, sign);
            } else if digits == 4 && sign == b':' && matches!(bytes[start], b'2' | b'3') {
                self.ipv6(start);
            } else if sign == b':' {
                self.whole_ipv6(start);
            }
        }
    }

    fn hardware(&mut self, start: usize, sign: u8) {
        let word = self.bytes.get(start..start + 17).unwrap_or_default();
        let next = self.byte(start + 17);
        let goes_on = next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == sign || byte == b'_');
        if !goes_on && is_hardware(word, sign) {
            self.push(start, start + 17, Kind::Pii, "mac-address");
        }
    }

    /// An address with all of its eight groups, whatever it begins with, unless it belongs to this machine's own network.
    fn whole_ipv6(&mut self, start: usize) {
        let length = self.run(start, |byte| byte.is_ascii_hexdigit() || byte == b':').min(48);
        let Some(word) = self.text.get(start..start + length) else { return };
        let groups = word.split(':');
        // Eight pairs are a number of hardware or a digest.
        let is_whole = groups.clone().count() == 8 && groups.clone().any(|group| group.len() > 2);
        let is_own = groups.clone().next().is_some_and(|first| {
            u16::from_str_radix(first, 16).is_ok_and(|first| first == 0 || first & 0xFE00 == 0xFC00 || first >= 0xFE80)
        });
        if is_whole && !is_own {
            self.ipv6(start);
        }
    }

    fn ipv6(&mut self, start: usize) {
        let length = self.run(start, |byte| byte.is_ascii_hexdigit() || byte == b':').min(48);
        let Some(word) = self.text.get(start..start + length) else { return };
        let word = word.strip_suffix(':').filter(|word| !word.ends_with(':')).unwrap_or(word);
        let next = self.byte(start + word.len());
        let goes_on = next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !goes_on && word.parse::<std::net::Ipv6Addr>().is_ok() {
            self.push(start, start + word.len(), Kind::Pii, "ip-address");
        }
    }
}

/// Whether a word is a hardware address of a single device.
fn is_hardware(word: &[u8], sign: u8) -> bool {
    let is_shaped = word.len() == 17
        && word.chunks(3).all(|chunk| match chunk {
            [a, b] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit(),
            [a, b, c] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit() && *c == sign,
            _ => false,
        });
    let digits = || word.iter().filter(|byte| byte.is_ascii_hexdigit());
    is_shaped && !digits().all(|&byte| byte == b'0') && !digits().all(|byte| byte.eq_ignore_ascii_case(&b'f'))
}
