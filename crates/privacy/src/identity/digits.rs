//! Numbers: every run of digits with the ones that belong to it.

use super::Reading;
use super::number::{iban_length, is_card, is_cards, is_social_security, passes_mod_97};
use crate::hit::Hit;
use crate::kind::Kind;
use crate::shadow::Shadow;

/// A number reaches so far at most.
const LONGEST: usize = 64;
/// The length of a day, `2026-03-12`.
const DAY: usize = 10;
/// More groups of digits make no number of ours.
const MOST_GROUPS: usize = 10;

/// Words in whose neighbourhood ten digits are a telephone number.
const PHONE_WORDS: &[&str] = &[
    "phone",
    "telephone",
    "mobile",
    "cell",
    "tel",
    "sms",
    "call",
    "text",
    "texting",
    "whatsapp",
    "signal",
    "fax",
    "ring",
    "dial",
];
/// How far such a word may stand in front.
const NEAR: usize = 48;

/// Groups of digits and what stands between them.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    pub groups: Vec<(usize, usize)>,
}

impl Cluster {
    /// How many digits all groups have.
    fn digits(&self) -> usize {
        self.groups.iter().map(|(start, end)| end - start).sum()
    }

    /// Whether groups of these lengths stand at the beginning.
    fn begins(&self, lengths: &[usize]) -> bool {
        self.groups.len() >= lengths.len()
            && self.groups.iter().zip(lengths).all(|((start, end), length)| end - start == *length)
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'-' | b'.' | b'/' | b'(' | b')')
}

/// So many bytes are looked at together, a bit for each.
const BLOCK: usize = 64;

/// Which of up to eight bytes are digits, the lowest bit for the first one.
fn digits_of_eight(bytes: [u8; 8]) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(bytes);
    // A digit differs from `0` by nine at most; what adding 118 to the difference makes has its highest bit for all others.
    let apart = word ^ (EACH * 0x30);
    let others = ((apart & (EACH * 0x7F)) + EACH * 0x76) | apart;
    let highest = !others & (EACH * 0x80);
    // The highest bits of the eight bytes side by side.
    (highest >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Which bytes of a block are digits: runs of them are found without a branch for each byte.
fn digits_of(block: &[u8]) -> u64 {
    let mut mask = 0;
    let (eights, rest) = block.as_chunks::<8>();
    for (index, eight) in eights.iter().enumerate() {
        mask |= digits_of_eight(*eight) << (index * 8);
    }
    let mut last = [0; 8];
    for (slot, byte) in last.iter_mut().zip(rest) {
        *slot = *byte;
    }
    if eights.len() * 8 < BLOCK {
        mask |= digits_of_eight(last) << (eights.len() * 8);
    }
    mask
}

impl Reading<'_> {
    /// All runs of digits.
    pub(super) fn digits(&mut self) {
        let bytes = self.bytes;
        let mut done = 0;
        let mut run_end = 0;
        let mut cluster = Cluster::default();
        for (index, block) in bytes.chunks(BLOCK).enumerate() {
            let first = index * BLOCK;
            let mut mask = digits_of(block);
            while mask != 0 {
                let offset = mask.trailing_zeros();
                let run = (mask >> offset).trailing_ones();
                mask &= u64::MAX.checked_shl(offset + run).unwrap_or(0);
                let start = first + offset as usize;
                let mut length = run as usize;
                // What was read as the end of a run of the block before.
                if start < run_end {
                    continue;
                }
                if start + length == first + BLOCK {
                    let rest = bytes.get(start + length..).unwrap_or_default();
                    length += rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                }
                run_end = start + length;
                if start >= done {
                    done = self.number(start, length, &mut cluster).max(run_end);
                }
            }
        }
    }

    /// The start of the group of digits behind the separators at a place.
    fn next_group(&self, at: usize) -> Option<usize> {
        let gap = self.run(at, is_separator);
        ((1..=3).contains(&gap) && self.byte(at + gap).is_some_and(|byte| byte.is_ascii_digit())).then_some(at + gap)
    }

    /// The groups of digits from a place on.
    fn cluster(&self, start: usize, cluster: &mut Cluster) {
        cluster.groups.clear();
        let limit = start + LONGEST;
        let mut at = start;
        loop {
            let length = self.run(at, |byte| byte.is_ascii_digit());
            cluster.groups.push((at, at + length));
            at += length;
            match self.next_group(at).filter(|next| *next <= limit && cluster.groups.len() < MOST_GROUPS) {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// What a run of digits is part of; the end of what was read.
    fn number(&mut self, start: usize, length: usize, cluster: &mut Cluster) -> usize {
        let end = start + length;
        let before = self.before(start);
        if length >= 2
            && before.is_some_and(|byte| byte.is_ascii_alphabetic())
            && let Some(done) = self.iban(start)
        {
            return done;
        }
        let after = self.byte(end);
        if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80) {
            // The first track of a card's magnetic strip.
            if length >= 13 && self.bytes[..start].ends_with(b"%B") && is_card(&self.bytes[start..end]) {
                self.push(start, end, Kind::Card, "card");
                return end;
            }
            // Digits inside a word belong to the word, but for a card that was glued to it.
            return if length >= 13 { self.card_in_run(start, end) } else { end };
        }
        if after.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_') && length < 13 {
            self.street(start, end);
            return end;
        }
        // Telephone numbers of some countries have thirteen digits behind their sign.
        if length >= 13 && !after.is_some_and(is_separator) && before != Some(b'+') {
            return self.card_in_run(start, end);
        }
        // Most numbers are a few digits alone, which can be part of an address at most.
        if length < 8 && !matches!(before, Some(b'+' | b'(')) && self.next_group(end).is_none() {
            self.part_of_address(start, end);
            return end;
        }
        // A day is nothing else, and logs begin their lines with one.
        if length == 4 && !matches!(before, Some(b'+' | b'(' | b'-' | b'.' | b'/')) && self.is_day(start) {
            return start + DAY;
        }
        self.cluster(start, cluster);
        // The shortest telephone number has eight digits, and addresses of machines have four groups.
        if cluster.groups.len() < 4 && cluster.digits() < 8 {
            self.part_of_address(start, end);
            return end;
        }
        let done = self.groups(start, cluster);
        if done == 0 {
            self.part_of_address(start, end);
        }
        done
    }

    /// `2026-03-12`, with nothing behind it that it could be the beginning of.
    fn is_day(&self, start: usize) -> bool {
        let Some(day) = self.bytes.get(start..start + DAY) else { return false };
        let is_shaped = day
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() });
        let goes_on = match self.byte(start + DAY) {
            Some(b' ') => {
                !self.is_time(start + DAY + 1) && self.bytes[start + DAY..].iter().take(4).any(u8::is_ascii_digit)
            }
            Some(next) if next != b'T' => next.is_ascii_alphanumeric() || is_separator(next),
            _ => false,
        };
        is_shaped && matches!(day, [b'1', b'9', ..] | [b'2', b'0', ..]) && !goes_on
    }

    /// `10:1…`
    fn is_time(&self, start: usize) -> bool {
        let time = self.bytes.get(start..start + 4);
        matches!(time, Some([a, b, b':', c]) if [a, b, c].iter().all(|byte| byte.is_ascii_digit()))
    }

    fn part_of_address(&mut self, start: usize, end: usize) {
        self.street(start, end);
        if end - start == 5 {
            self.city_in_front(start, end);
        }
        if matches!(end - start, 4 | 5) {
            self.street_in_front(start, end);
        }
    }

    /// The number that the groups of a cluster make; zero when they make none.
    fn groups(&mut self, start: usize, cluster: &Cluster) -> usize {
        let signs = |index: usize| -> &[u8] {
            match (cluster.groups.get(index), cluster.groups.get(index + 1)) {
                (Some(&(_, end)), Some(&(next, _))) => self.bytes.get(end..next).unwrap_or_default(),
                _ => &[],
            }
        };
        let before = self.before(start);
        // A number that a model wrote into a placeholder is a number: `[CARD-4111 …]`.
        let is_clean =
            !matches!(before, Some(b'-' | b'.' | b'/')) || self.starts_line(start) || self.is_in_placeholder(start);
        if before == Some(b'-')
            && let Some(end) = self.ipv4_in_name(start, &cluster.groups)
        {
            return end;
        }
        let is_dotted = before != Some(b'+') && (0..3).all(|index| signs(index) == b".");
        let is_continued = before == Some(b'-') && start >= 2 && self.bytes[start - 2].is_ascii_alphanumeric();
        if cluster.groups.len() >= 4 && is_dotted && before != Some(b'.') && !is_continued {
            let groups = &cluster.groups[..4];
            if cluster.groups.len() == 4 || signs(3) != b"." {
                if self.ipv4(groups) {
                    return groups[3].1;
                }
                if !cluster.begins(&[4, 4, 4, 4]) {
                    return groups[3].1;
                }
            }
        }
        let bounded = |count: usize, this: &Self| {
            let end = cluster.groups.get(count - 1).map_or(start, |group| group.1);
            let next = this.byte(end);
            let goes_on = next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                || (matches!(next, Some(b'-' | b'.' | b'/'))
                    && this.byte(end + 1).is_some_and(|byte| byte.is_ascii_alphanumeric()));
            (!goes_on).then_some(end)
        };
        if is_clean
            && cluster.begins(&[3, 2, 4])
            && signs(0) == b"-"
            && signs(1) == b"-"
            && let Some(end) = bounded(3, self)
            && is_social_security(self.joined(&cluster.groups[..3], &mut [0; LONGEST]))
        {
            self.push(start, end, Kind::Ssn, "ssn");
            return end;
        }
        if is_clean && let Some(end) = self.card(cluster) {
            return end;
        }
        self.phone(start, cluster).unwrap_or(0)
    }

    fn is_in_placeholder(&self, start: usize) -> bool {
        let head = &self.bytes[start.saturating_sub(10)..start];
        let letters = head.iter().rev().skip(1).take_while(|byte| byte.is_ascii_uppercase()).count();
        letters > 0 && head.iter().rev().nth(letters + 1) == Some(&b'[')
    }

    /// The digits of several groups without what stands between, as far as a number goes.
    fn joined<'b>(&self, groups: &[(usize, usize)], buffer: &'b mut [u8; LONGEST]) -> &'b [u8] {
        let digits = groups.iter().flat_map(|&(start, end)| self.bytes.get(start..end).unwrap_or_default());
        let mut length = 0;
        for (slot, digit) in buffer.iter_mut().zip(digits) {
            *slot = *digit;
            length += 1;
        }
        buffer.get(..length).unwrap_or_default()
    }

    /// A card number in groups: the longest row of groups that checks.
    fn card(&mut self, cluster: &Cluster) -> Option<usize> {
        let groups = &cluster.groups;
        let first = *groups.first()?;
        // `20260908-154500` is the number of a build.
        if cluster.begins(&[8, 6]) {
            return None;
        }
        let mut digits = 0;
        let mut longest = None;
        for (index, &(start, end)) in groups.iter().enumerate() {
            let gap = groups.get(index.wrapping_sub(1)).map_or(0, |previous| start - previous.1);
            digits += end - start;
            if gap > 1 || digits > 19 {
                break;
            }
            let row = &groups[..=index];
            let is_even = index == 0 || row.windows(2).all(|pair| self.byte(pair[0].1) == self.byte(row[0].1));
            let touches = self.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if digits >= 13 && is_even && !touches && is_card(self.joined(row, &mut [0; LONGEST])) {
                longest = Some(end);
            }
        }
        if let Some(end) = longest {
            self.push(first.0, end, Kind::Card, "card");
            return Some(end);
        }
        None
    }

    /// Card numbers in one run of digits.
    fn card_in_run(&mut self, start: usize, end: usize) -> usize {
        let digits = self.bytes.get(start..end).unwrap_or_default();
        let is_alone =
            !self.before(start).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
                && !self.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_alone && (is_card(digits) || ((26..=64).contains(&digits.len()) && is_cards(digits))) {
            self.push(start, end, Kind::Card, "card");
        }
        end
    }

    /// An international bank account number whose check digits begin here.
    fn iban(&mut self, digits: usize) -> Option<usize> {
        let start = digits.checked_sub(2)?;
        let country = [self.byte(start)?, self.byte(start + 1)?];
        let is_start = country.iter().all(u8::is_ascii_alphabetic)
            && !self.before(start).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_start {
            return None;
        }
        let length = iban_length(country)?;
        let mut code = Vec::with_capacity(length);
        let mut at = start;
        while code.len() < length {
            match self.byte(at)? {
                byte if byte.is_ascii_alphanumeric() => code.push(byte),
                b' ' | b'-' | b'.'
                    if !code.is_empty() && self.byte(at + 1).is_some_and(|byte| byte.is_ascii_alphanumeric()) => {}
                _ => return None,
            }
            at += 1;
        }
        let touches = self.byte(at).is_some_and(|byte| byte.is_ascii_alphanumeric());
        if touches || !passes_mod_97(&code) {
            return None;
        }
        self.push(start, at, Kind::Account, "iban");
        Some(at)
    }

    /// The end of a telephone number with its extension: `x4587`.
    fn extension(&self, end: usize) -> usize {
        if self.byte(end) != Some(b'x') {
            return end;
        }
        let digits = self.run(end + 1, |byte| byte.is_ascii_digit());
        let is_bounded = !self.byte(end + 1 + digits).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if (1..=6).contains(&digits) && is_bounded { end + 1 + digits } else { end }
    }

    /// A telephone number: international, North American, or any grouping behind a word that says so.
    fn phone(&mut self, start: usize, cluster: &Cluster) -> Option<usize> {
        let groups = &cluster.groups;
        let before = self.before(start);
        let opening = usize::from(before == Some(b'('));
        let is_plus =
            self.before(start - opening) == Some(b'+') || (opening == 1 && self.bytes[..start - 1].ends_with(b"+ "));
        let plus = usize::from(is_plus);
        let outer = start - opening - plus;
        if self.before(outer).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        if is_plus {
            return self.international(outer, groups);
        }
        let is_trunk = cluster.begins(&[1, 3, 3, 4]) && self.byte(start) == Some(b'1');
        let skip = usize::from(is_trunk);
        // Two stars are bold type.
        let is_bold = self.bytes[..start].ends_with(b"**");
        let is_clean = !matches!(before, Some(b'-' | b'.' | b'/' | b'+' | b'#' | b'*')) || is_bold;
        if is_clean && (is_trunk || cluster.begins(&[3, 3, 4])) {
            let end = groups.get(skip + 2)?.1;
            let next = self.byte(end);
            let goes_on = next.is_some_and(|byte| byte.is_ascii_alphanumeric() && byte != b'x' || byte == b'_')
                || (matches!(next, Some(b'-' | b'.' | b'/'))
                    && self.byte(end + 1).is_some_and(|byte| byte.is_ascii_alphanumeric()));
            let is_row =
                groups.len() > skip + 3 && self.byte(end) == Some(b' ') && self.byte(groups[skip].1) == Some(b' ');
            let gaps_are_short = groups[skip..skip + 3].windows(2).all(|pair| pair[1].0 - pair[0].1 <= 2);
            if !goes_on && !is_row && gaps_are_short {
                self.push(outer, self.extension(end), Kind::Phone, "phone");
                return Some(end);
            }
        }
        self.national(outer, start, groups)
    }

    fn international(&mut self, outer: usize, groups: &[(usize, usize)]) -> Option<usize> {
        let first = self.byte(groups.first()?.0)?;
        if first == b'0' {
            return None;
        }
        let most = if first == b'1' { 11 } else { 15 };
        let mut digits = 0;
        let mut end = outer;
        for (index, &(start, stop)) in groups.iter().enumerate() {
            let gap = groups.get(index.wrapping_sub(1)).map_or(0, |previous| start - previous.1);
            if digits + (stop - start) > most || gap > 2 {
                break;
            }
            digits += stop - start;
            end = stop;
        }
        let touches = self.byte(end).is_some_and(|byte| byte.is_ascii_alphabetic() && byte != b'x' || byte == b'_');
        let is_decimal = groups.len() == 2 && self.byte(groups[0].1) == Some(b'.');
        if digits < 8 || touches || is_decimal {
            return None;
        }
        self.push(outer, self.extension(end), Kind::Phone, "phone");
        Some(end)
    }

    /// Without a country code: ten digits near a word that says so, or the groups of a number with its zero.
    fn national(&mut self, outer: usize, start: usize, groups: &[(usize, usize)]) -> Option<usize> {
        let &(_, first_end) = groups.first()?;
        let length = first_end - start;
        let touches = |this: &Self, end: usize| {
            let next = this.byte(end);
            next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                || (matches!(next, Some(b'-' | b'.' | b'/' | b':'))
                    && this.byte(end + 1).is_some_and(|byte| byte.is_ascii_digit()))
        };
        if length == 10 || length == 11 {
            let is_plausible = matches!(self.byte(start), Some(b'2'..=b'9' | b'0'))
                || (length == 11 && self.byte(start) == Some(b'1'));
            if is_plausible && groups.len() == 1 && !touches(self, first_end) && self.is_near_phone_word(start) {
                self.push(start, first_end, Kind::Phone, "phone-near-word");
                return Some(first_end);
            }
            return None;
        }
        let is_clean = !matches!(self.before(outer), Some(b'-' | b'.' | b'/' | b':' | b'+'));
        let is_numbered = groups.iter().map(|(start, end)| end - start).take(3).eq([3, 2, 4]);
        let is_trunk = self.byte(start) == Some(b'0') && self.byte(start + 1) != Some(b'0');
        if is_trunk && (2..=6).contains(&length) && is_clean && !is_numbered {
            // The mobile telephones of Germany have up to twelve digits.
            let most = if matches!(self.bytes.get(start..start + 3), Some(b"015" | b"016" | b"017")) { 12 } else { 11 };
            let mut digits = 0;
            let mut end = start;
            for (index, &(from, to)) in groups.iter().enumerate() {
                let gap = groups.get(index.wrapping_sub(1)).map_or(0, |previous| from - previous.1);
                let is_dotted = gap == 1 && self.byte(from - 1) == Some(b'.') && length > 2;
                let is_wide = gap > 2 && self.bytes.get(from - gap..from) != Some(b" / ");
                if digits + (to - from) > most || is_wide || is_dotted {
                    break;
                }
                digits += to - from;
                end = to;
            }
            let count = groups.iter().filter(|group| group.1 <= end).count();
            let is_french = length == 2 && count == 5 && digits == 10;
            let is_grouped = length >= 3 && count >= 2 && (9..=most).contains(&digits);
            // `08-123 456 78`, `03-1234-5678`: no date, whose second number has two digits.
            let is_short = length == 2
                && count >= 3
                && (9..=11).contains(&digits)
                && groups.get(1).is_some_and(|group| group.1 - group.0 >= 3)
                && (outer < start || self.byte(first_end) == Some(b'-'));
            // `06-24312407`, the mobile telephones of some countries.
            let is_mobile = count == 2
                && digits == 10
                && self.byte(first_end) == Some(b'-')
                && matches!(self.bytes.get(start..first_end), Some(b"06" | b"07"));
            if (is_french || is_grouped || is_short || is_mobile) && !touches(self, end) {
                self.push(outer, end, Kind::Phone, "phone");
                return Some(end);
            }
        }
        self.exchange(outer, start, groups)
    }

    /// Numbers whose first group says what they are: `0044 20 7946 0018`, `(11) 91234-5678`, `8 (495) 123-45-67`.
    fn exchange(&mut self, outer: usize, start: usize, groups: &[(usize, usize)]) -> Option<usize> {
        let is_clean = !matches!(self.before(outer), Some(b'-' | b'.' | b'/' | b':' | b'+' | b'#' | b'*'));
        let text = self.text.get(start..groups.first()?.1)?;
        let length = |index: usize| groups.get(index).map_or(0, |(start, end)| end - start);
        let gap_is = |gaps: &[&[u8]]| {
            let gap = groups.get(1).and_then(|next| self.bytes.get(groups[0].1..next.0));
            gap.is_some_and(|gap| gaps.contains(&gap))
        };
        let is_code = (3..=5).contains(&text.len()) && text.starts_with("00") && !text.starts_with("000");
        let count = if is_code && groups.len() >= 3 && length(1) <= 3 {
            let mut digits = 0;
            let mut count = 0;
            while count < groups.len() && digits + length(count) <= 15 {
                digits += length(count);
                count += 1;
            }
            if digits < 10 {
                return None;
            }
            count
        } else if outer < start && length(0) == 2 && matches!(length(1), 4 | 5) && length(2) == 4 {
            if !gap_is(&[b") ", b")"]) {
                return None;
            }
            3
        } else if text == "8" && (1..5).map(length).eq([3, 3, 2, 2]) && gap_is(&[b" (", b"("]) {
            5
        } else {
            return None;
        };
        let end = self.extension(groups.get(count - 1)?.1);
        let next = self.byte(end);
        let touches = next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            || (matches!(next, Some(b'-' | b'.' | b'/' | b':'))
                && self.byte(end + 1).is_some_and(|byte| byte.is_ascii_digit()));
        if !is_clean || touches {
            return None;
        }
        self.push(outer, end, Kind::Phone, "phone");
        Some(end)
    }

    fn is_near_phone_word(&self, start: usize) -> bool {
        let window = self.bytes.get(start.saturating_sub(NEAR)..start).unwrap_or_default();
        let line = window.get(memchr::memrchr(b'\n', window).map_or(0, |end| end + 1)..).unwrap_or_default();
        // `text_offset` is a name of code, and no text message.
        let mut words = line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        words.any(|word| PHONE_WORDS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word)))
    }
}

/// Bare rows of ten digits, or of eleven with the code of North America, which are telephone numbers for whoever wants
/// to be strict: everywhere else a word near them has to say so.
///
/// It reads a text of its own, since nobody but the strict pays for it.
pub(crate) fn bare_phones(text: &str) -> Vec<Hit> {
    let shadow = Shadow::of(text);
    let bytes = shadow.text().as_bytes();
    let mut hits = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)) {
        let start = at + found;
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = start + length;
        at = end;
        let binds = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-.:/#$@%".contains(byte) || *byte >= 0x80)
        };
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        // A sentence may end behind the number.
        let next =
            bytes.get(end).filter(|byte| **byte != b'.' || bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric));
        let is_shaped = match length {
            // The seconds since 1970 start with a one, and no area does.
            10 => matches!(bytes[start], b'2'..=b'9' | b'0'),
            11 => bytes[start] == b'1' && matches!(bytes[start + 1], b'2'..=b'9'),
            _ => false,
        };
        if is_shaped && !binds(before) && !binds(next) {
            let (start, end) = shadow.source(start, end);
            hits.push(Hit::new(start, end, Kind::Phone, "strict-phone"));
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_of_a_block_are_those_that_a_look_at_each_byte_finds() {
        let every: Vec<u8> = (0..=u8::MAX).collect();
        for length in [0, 1, 7, 8, 9, 15, 63, 64] {
            for start in 0..=every.len() - length {
                let block = &every[start..start + length];
                let plainly =
                    block.iter().enumerate().fold(0, |mask, (at, byte)| mask | u64::from(byte.is_ascii_digit()) << at);
                assert_eq!(digits_of(block), plainly, "{length} bytes from {start}");
            }
        }
    }
}
