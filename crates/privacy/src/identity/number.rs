//! The checks that tell an identifying number from any other.

/// The Luhn check over ASCII digits.
pub(crate) fn passes_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &digit)| {
            let value = u32::from(digit.wrapping_sub(b'0'));
            if place % 2 == 0 {
                value
            } else if value > 4 {
                value * 2 - 9
            } else {
                value * 2
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether a payment network uses numbers of this length with this beginning, and the check digit holds.
pub(crate) fn is_card(digits: &[u8]) -> bool {
    let prefix = |length: usize| {
        digits
            .get(..length)
            .unwrap_or_default()
            .iter()
            .fold(0_u32, |number, &digit| number * 10 + u32::from(digit - b'0'))
    };
    let (two, four) = (prefix(2), prefix(4));
    let is_network = match digits.len() {
        13 => two / 10 == 4,
        14 => matches!(two, 36 | 38 | 39) || matches!(prefix(3), 300..=305 | 309),
        15 => matches!(two, 34 | 37) || matches!(four, 1800 | 2131),
        16 => {
            matches!(two / 10, 4 | 6)
                || (50..=58).contains(&two)
                || (2200..=2204).contains(&four)
                || (2221..=2720).contains(&four)
                || two == 35
        }
        17 | 18 => two / 10 == 6,
        19 => matches!(two / 10, 4 | 6),
        _ => false,
    };
    let varies = digits.windows(2).any(|pair| pair[0] != pair[1]);
    is_network && varies && passes_luhn(digits)
}

/// Whether a run of digits is made of card numbers alone.
pub(crate) fn is_cards(digits: &[u8]) -> bool {
    if digits.is_empty() {
        return true;
    }
    [16, 15, 14].iter().any(|&length| digits.get(..length).is_some_and(is_card) && is_cards(&digits[length..]))
}

/// Whether such a social security number may have been given out.
pub(crate) fn is_social_security(digits: &[u8]) -> bool {
    let is_zero = |part: &[u8]| part.iter().all(|&digit| digit == b'0');
    let (Some((area, rest)), true) = (digits.split_at_checked(3), digits.len() == 9) else { return false };
    let (group, serial) = rest.split_at(2);
    area != b"666" && ![area, group, serial].into_iter().any(is_zero)
}

/// The lengths of the account numbers of each country that has them.
const IBAN_LENGTHS: &[(&[u8; 2], usize)] = &[
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NL", 18),
    (b"NO", 15),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"SA", 24),
    (b"SC", 31),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
];

/// The length of an account number of the country with this code.
pub(crate) fn iban_length(country: [u8; 2]) -> Option<usize> {
    let country = country.map(|byte| byte.to_ascii_uppercase());
    IBAN_LENGTHS.iter().find(|(code, _)| **code == country).map(|(_, length)| *length)
}

/// The check of an account number: its letters and digits, rearranged, leave one when divided by 97.
pub(crate) fn passes_mod_97(code: &[u8]) -> bool {
    let Some((head, rest)) = code.split_at_checked(4) else { return false };
    let remainder = rest.iter().chain(head).try_fold(0_u32, |sum, byte| {
        let value = char::from(*byte).to_digit(36)?;
        Some(if value > 9 { (sum * 100 + value) % 97 } else { (sum * 10 + value) % 97 })
    });
    remainder == Some(1)
}
