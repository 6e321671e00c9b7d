//! The escapes of `$'…'`.

use super::cursor::Cursor;

/// The text of a string whose opening `$'` is read; the closing quote is read as well.
pub(crate) fn read(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut bytes: Vec<u8> = Vec::new();
    loop {
        match cursor.bump()? {
            '\'' => break,
            '\\' => escape(cursor, &mut bytes)?,
            other => push(&mut bytes, other),
        }
    }
    // The shell ends such a string at a zero byte.
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn push(bytes: &mut Vec<u8>, character: char) {
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn escape(cursor: &mut Cursor<'_>, bytes: &mut Vec<u8>) -> Option<()> {
    let kind = cursor.bump()?;
    match kind {
        'a' => bytes.push(7),
        'b' => bytes.push(8),
        'e' | 'E' => bytes.push(27),
        'f' => bytes.push(12),
        'n' => bytes.push(b'\n'),
        'r' => bytes.push(b'\r'),
        't' => bytes.push(b'\t'),
        'v' => bytes.push(11),
        '0'..='7' => {
            let mut value = kind.to_digit(8).unwrap_or_default();
            value = number(cursor, 8, 2, value);
            bytes.push(u8::try_from(value & 0xff).unwrap_or_default());
        }
        'x' => {
            let value = number(cursor, 16, 2, 0);
            bytes.push(u8::try_from(value & 0xff).unwrap_or_default());
        }
        'u' | 'U' => {
            let value = number(cursor, 16, if kind == 'u' { 4 } else { 8 }, 0);
            push(bytes, char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        'c' => {
            let next = cursor.bump()?;
            bytes.push(u8::try_from(u32::from(next) & 0x1f).unwrap_or_default());
        }
        '\\' | '\'' | '"' | '?' => push(bytes, kind),
        other => {
            bytes.push(b'\\');
            push(bytes, other);
        }
    }
    Some(())
}

fn number(cursor: &mut Cursor<'_>, radix: u32, most: usize, start: u32) -> u32 {
    let mut value = start;
    for _ in 0..most {
        let Some(digit) = cursor.peek().and_then(|next| next.to_digit(radix)) else { break };
        cursor.bump();
        value = value.wrapping_mul(radix).wrapping_add(digit);
    }
    value
}
