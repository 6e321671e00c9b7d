//! What stands in front of a place, as a reader of the text takes it.

/// The byte in front of a place.
///
/// The letter of an escape is the blank that it stands for: in `{"log": "a\n415-555-0142"}` a line ends in front of the
/// number. A script without blanks between its words binds nothing, nor do arrows, bullets and emoji: they count as a blank.
pub(crate) fn before(bytes: &[u8], at: usize) -> Option<u8> {
    let byte = at.checked_sub(1).and_then(|before| bytes.get(before)).copied()?;
    match byte {
        b'n' | b'r' if is_escaped(bytes, at - 1) => Some(b'\n'),
        b't' if is_escaped(bytes, at - 1) => Some(b'\t'),
        0x80..=0xBF if is_unspaced(bytes, at) => Some(b' '),
        _ => Some(byte),
    }
}

/// Whether the letter at a place belongs to the backslash in front of it.
pub(crate) fn is_escaped(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), Some(b'n' | b'r' | b't')) && at > 0 && bytes.get(at - 1) == Some(&b'\\')
}

/// Whether a character from the scripts of China, Japan and Korea, a symbol or an emoji ends here.
fn is_unspaced(bytes: &[u8], end: usize) -> bool {
    match bytes[..end] {
        [.., 0xF0, 0x9F, _, _] => true,
        [.., lead, second, _] => matches!((lead, second), (0xE2, 0x80..=0xAF) | (0xE3..=0xED, 0x80..)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_scripts_without_blanks_end_a_word() {
        assert_eq!(before(b"a\\nb", 3), Some(b'\n'));
        assert_eq!(before(b"a\\tb", 3), Some(b'\t'));
        assert_eq!(before(b"anb", 2), Some(b'n'));
        assert_eq!(before("語1".as_bytes(), 3), Some(b' '));
        assert_eq!(before("😀1".as_bytes(), 4), Some(b' '));
        assert_eq!(before("→1".as_bytes(), 3), Some(b' '));
        assert_ne!(before("ж1".as_bytes(), 2), Some(b' '));
        assert_eq!(before(b"a", 0), None);
    }
}
