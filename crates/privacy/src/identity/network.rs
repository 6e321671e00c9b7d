//! Addresses of machines that lead to a person: internet addresses, those of a private network too, and hardware
//! addresses.

use std::net::Ipv6Addr;

use super::Reading;
use crate::kind::Kind;

/// Whether an address belongs to one machine, and not to every machine, to none, or to a group of them.
fn is_host(octets: [u8; 4]) -> bool {
    !matches!(octets, [0 | 127 | 224..=255, ..] | [169, 254, ..])
}

/// Whether an address belongs to a private network. The network itself, `10.0.0.0/8`, leads to nobody.
fn is_private(octets: [u8; 4]) -> bool {
    matches!(octets, [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..])
}

/// Words in front of four numbers that are a version, or a place in a document.
const VERSIONS: &[&str] = &["ver", "release", "build", "firmware", "revision", "rev", "section", "chapter"];

/// `ssh root@…`: a machine and who signs in there, and no package with its version.
fn is_login(before: &[u8], next: Option<u8>) -> bool {
    const USERS: [&[u8]; 10] =
        [b"root", b"admin", b"user", b"ubuntu", b"ec2-user", b"debian", b"pi", b"deploy", b"app", b"centos"];
    let head = &before[..before.len() - 1];
    let user = head.rsplit(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-').next().unwrap_or_default();
    let is_program = || {
        [b"ssh ".as_slice(), b"scp ", b"sftp ", b"rsync "].iter().any(|word| memchr::memmem::find(head, word).is_some())
    };
    next == Some(b':') || USERS.contains(&user) || is_program()
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
        let before = self.bytes.get(start.saturating_sub(20)..start).unwrap_or_default();
        let label = before.iter().rposition(|byte| !b" :=\"'(".contains(byte)).map_or(0, |last| last + 1);
        let label = &before[..label];
        let letters = label.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = &label[label.len() - letters..];
        let is_version = word.to_ascii_lowercase().ends_with(b"version")
            || VERSIONS.iter().any(|version| word.eq_ignore_ascii_case(version.as_bytes()))
            || before.ends_with(b"==")
            || before.ends_with(b"@") && !is_login(before, next)
            // `Chrome/120.0.0.0` is a product.
            || matches!(before, [.., letter, b'/'] if letter.is_ascii_alphabetic());
        let is_network = is_private(octets) && next == Some(b'/') && self.names_network(octets, end + 1);
        if goes_on || is_version || is_network || !is_host(octets) {
            return false;
        }
        self.push(start, end, Kind::Pii, "ip-address");
        true
    }

    /// Whether the length of a prefix stands at a place that leaves no bits for a machine: `10.0.0.128/25`.
    fn names_network(&self, octets: [u8; 4], at: usize) -> bool {
        let digits = self.run(at, |byte| byte.is_ascii_digit());
        let length: Option<u32> = self.text.get(at..at + digits).and_then(|text| text.parse().ok());
        length.is_some_and(|length| length < 32 && u32::from_be_bytes(octets) & (u32::MAX >> length) == 0)
    }

    /// Every hardware address, and every public address of the sixth version: both begin in front of a sign.
    pub(super) fn machines(&mut self) {
        let bytes = self.bytes;
        for at in memchr::memchr3_iter(b':', b'-', b'.', bytes) {
            let sign = bytes[at];
            // Most signs stand in times, names and lists: the next byte tells them apart without a look at the others.
            let may_go_on = match sign {
                b':' => bytes.get(at + 1).is_some_and(|&next| next == b':' || next.is_ascii_hexdigit()),
                b'.' => bytes.get(at + 5) == Some(&sign),
                _ => bytes.get(at + 3) == Some(&sign),
            };
            if !may_go_on {
                continue;
            }
            let digits =
                bytes[at.saturating_sub(5)..at].iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
            let start = at - digits;
            if !(1..=4).contains(&digits) || !self.is_word_start(start) || self.before(start) == Some(sign) {
                continue;
            }
            if sign == b'.' {
                self.hardware_in_fours(start, digits);
            } else if digits == 2 && bytes.get(at + 3) == Some(&sign) {
                self.hardware(start, sign);
            } else if digits == 4
                && sign == b':'
                && (matches!(bytes[start], b'2' | b'3')
                    || matches!(bytes[start], b'f' | b'F') && self.is_own_network(start))
            {
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

    /// `aabb.cc00.1122`, as switches write the number of hardware.
    fn hardware_in_fours(&mut self, start: usize, digits: usize) {
        let word = self.bytes.get(start..start + 14).unwrap_or_default();
        let is_shaped = digits == 4
            && word.len() == 14
            && word
                .iter()
                .enumerate()
                .all(|(at, byte)| if matches!(at, 4 | 9) { *byte == b'.' } else { byte.is_ascii_hexdigit() });
        let next = self.byte(start + 14);
        let goes_on = next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            || next == Some(b'.') && self.byte(start + 15).is_some_and(|byte| byte.is_ascii_alphanumeric());
        // Words and versions have letters or digits alone.
        let has_both =
            word.iter().any(u8::is_ascii_alphabetic) && word.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2;
        if is_shaped && !goes_on && has_both && !matches!(self.before(start), Some(b'.' | b'-' | b'/' | b'_')) {
            self.push(start, start + 14, Kind::Pii, "mac-address");
        }
    }

    /// An address with all of its eight groups, whatever it begins with, unless it belongs to this machine's own network.
    fn whole_ipv6(&mut self, start: usize) {
        let length = self.run_within(start, 48, |byte| byte.is_ascii_hexdigit() || byte == b':');
        let Some(word) = self.text.get(start..start + length) else { return };
        let groups = word.split(':');
        // Eight pairs are a number of hardware or a digest.
        let is_whole = groups.clone().count() == 8 && groups.clone().any(|group| group.len() > 2);
        let is_nobody = groups
            .clone()
            .next()
            .is_some_and(|first| u16::from_str_radix(first, 16).is_ok_and(|first| first == 0 || first >= 0xFF00));
        if is_whole && !is_nobody {
            self.ipv6(start);
        }
    }

    /// An address of a private network or of one link with a number of its own in it: `fd12:…`, `fe80::1c2d:…`.
    fn is_own_network(&self, start: usize) -> bool {
        let length = self.run_within(start, 48, |byte| byte.is_ascii_hexdigit() || byte == b':');
        let address = self.text.get(start..start + length).map(|word| word.trim_end_matches(':'));
        let Some(Ok(address)) = address.map(str::parse::<Ipv6Addr>) else { return false };
        let [first, .., a, b, c, _] = address.segments();
        match first {
            0xFC00..=0xFDFF => address.segments().iter().filter(|segment| **segment != 0).count() >= 3,
            0xFE80..=0xFEBF => a != 0 && b != 0 && c != 0,
            _ => false,
        }
    }

    /// `ip-81-2-69-142`, the name that a cloud gives to a machine: `start` is the place of its numbers.
    pub(super) fn ipv4_in_name(&mut self, start: usize, groups: &[(usize, usize)]) -> Option<usize> {
        let is_name = self.bytes[..start].ends_with(b"ip-") && self.is_word_start(start - 3);
        let [first, second, third, fourth, ..] = *groups else { return None };
        let parts = [first, second, third, fourth];
        let is_shaped = parts.windows(2).all(|pair| self.bytes.get(pair[0].1..pair[1].0) == Some(b"-"));
        let are_octets =
            parts.iter().all(|&(from, to)| self.text.get(from..to).is_some_and(|text| text.parse::<u8>().is_ok()));
        if !(is_name && is_shaped && are_octets) {
            return None;
        }
        self.push(start, fourth.1, Kind::Pii, "ip-address");
        Some(fourth.1)
    }

    fn ipv6(&mut self, start: usize) {
        let length = self.run_within(start, 48, |byte| byte.is_ascii_hexdigit() || byte == b':');
        let Some(word) = self.text.get(start..start + length) else { return };
        let word = word.strip_suffix(':').filter(|word| !word.ends_with(':')).unwrap_or(word);
        let next = self.byte(start + word.len());
        let goes_on = next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !goes_on && word.parse::<Ipv6Addr>().is_ok() {
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
