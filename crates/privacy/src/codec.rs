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
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a',
                b'2'..=b'7' => digit - b'2' + 26,
                _ => return None,
            };
            bits = bits << 5 | u64::from(value);
        }
        bits <<= 5 * (8 - group.len());
        bytes.extend_from_slice(bits.to_be_bytes().get(3..3 + length)?);
    }
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
