//! The checks that numbers and tokens carry in themselves.

/// CRC-32 as in zip and PNG, over a few dozen bytes: bit by bit is enough.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            let mask = (crc & 1).wrapping_neg();
            crc = crc >> 1 ^ (0xEDB8_8320 & mask);
        }
    }
    !crc
}

/// Whether the last six characters are the base62 CRC-32 of the rest, as GitHub and npm write it.
pub(crate) fn has_base62_tail(body: &[u8]) -> bool {
    const TAIL: usize = 6;
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some(split) = body.len().checked_sub(TAIL) else { return false };
    let (entropy, tail) = body.split_at(split);
    let mut crc = crc32(entropy);
    let mut written = [b'0'; TAIL];
    for slot in written.iter_mut().rev() {
        *slot = usize::try_from(crc % 62).ok().and_then(|digit| DIGITS.get(digit)).copied().unwrap_or(b'0');
        crc /= 62;
    }
    written == tail
}
