//! The encodings that values hide in. Decoders are lenient: they answer `None` rather than guess.

/// The six bits of a base64 digit in either alphabet.
fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

/// Decodes base64 in either alphabet, padded or not.
pub(crate) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1);
    let digits = text.get(..end)?;
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0;
        for &digit in group {
            bits = bits << 6 | sextet(digit)?;
        }
        bits <<= 6 * (4 - group.len());
        let triple = bits.to_be_bytes();
        bytes.extend_from_slice(triple.get(1..group.len())?);
    }
    Some(bytes)
}

/// The first three bytes of base64 whose first eight digits are these; what they lack says that it is none.
pub(crate) fn base64_begins(digits: [u8; 8]) -> Option<[u8; 3]> {
    let end = digits.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1);
    if end < 6 {
        return None;
    }
    let mut bits = 0_u64;
    for &digit in digits.get(..end)? {
        bits = bits << 6 | u64::from(sextet(digit)?);
    }
    let [.., first, second, third, _, _, _] = (bits << (6 * (8 - end))).to_be_bytes();
    Some([first, second, third])
}

/// The first two bytes of hexadecimal digits of which these are the first.
pub(crate) fn hex_begins(digits: [u8; 8]) -> Option<[u8; 2]> {
    let mut bits = 0_u32;
    for digit in digits {
        bits = bits << 4 | u32::from(nibble(digit)?);
    }
    let [first, second, ..] = bits.to_be_bytes();
    Some([first, second])
}

/// The five bits of a base32 digit.
fn quintet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    }
}

/// Decodes base32, in capitals or in small letters, padded or not.
pub(crate) fn base32(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1);
    let mut bytes = Vec::with_capacity(end / 8 * 5 + 4);
    for group in text.get(..end)?.chunks(8) {
        let length = match group.len() {
            8 => 5,
            7 => 4,
            5 => 3,
            4 => 2,
            2 => 1,
            _ => return None,
        };
        let mut bits = 0_u64;
        for &digit in group {
            bits = bits << 5 | u64::from(quintet(digit)?);
        }
        bits <<= 5 * (8 - group.len());
        bytes.extend_from_slice(bits.to_be_bytes().get(3..3 + length)?);
    }
    Some(bytes)
}

/// The first five bytes of base32 of which these are the first digits.
pub(crate) fn base32_begins(digits: [u8; 8]) -> Option<[u8; 5]> {
    let mut bits = 0_u64;
    for digit in digits {
        bits = bits << 5 | u64::from(quintet(digit)?);
    }
    let [_, _, _, bytes @ ..] = bits.to_be_bytes();
    Some(bytes)
}

/// The value of a hexadecimal digit.
pub(crate) fn nibble(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Decodes pairs of hexadecimal digits.
pub(crate) fn hex(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.chunks(2).map(|pair| Some(nibble(*pair.first()?)? << 4 | nibble(*pair.get(1)?)?)).collect()
}

/// The text of decoded bytes, when they read as text: valid, and almost free of control characters.
pub(crate) fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let odd = text.bytes().filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()).count();
    (odd * 16 <= text.len()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_what_the_whole_begins_with() {
        for head in [
            "aGVsbG8g", "QUJDREVG", "68656c6c", "0123WXYZ", "+/-_+/-_", "aGVsbG8=", "aGVsbA==", "a.b.c.d.", "nbswy3dp",
            "MFRGGZDF",
        ] {
            let digits: [u8; 8] = *head.as_bytes().first_chunk().expect("eight digits");
            let whole = base64(&digits).map(|bytes| bytes[..3].to_vec());
            assert_eq!(base64_begins(digits).map(Vec::from), whole, "{head}");
            let whole = base32(&digits).filter(|bytes| bytes.len() == 5);
            assert_eq!(base32_begins(digits).map(Vec::from), whole, "{head}");
            assert_eq!(hex_begins(digits).map(Vec::from), hex(&digits).map(|bytes| bytes[..2].to_vec()), "{head}");
        }
    }
}
