//! Long random words, which mode `pii` hides although nothing says what they are.

use crate::codec;
use crate::hit::Hit;

/// The shortest random word.
const SHORTEST: usize = 32;

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Words in front of a digest or an identifier that is public by nature.
const DIGEST_LABELS: &[&str] = &[
    "sha",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "commit",
    "digest",
    "checksum",
    "etag",
    "hash",
    "tree",
    "parent",
    "parents",
    "revision",
    "rev",
    "fingerprint",
    "integrity",
    "index",
    "blob",
    "object",
    "uuid",
    "guid",
    "trace",
    "span",
    "request",
    "image",
    "layer",
    "from",
    "merge",
    "cherry",
    "head",
    "build",
    "id",
    "blake3",
    "crc",
    "sum",
    "manifest",
    "container",
    "nonce",
    "version",
    "resourceversion",
    "uid",
    "trace_id",
    "span_id",
    "request_id",
];

/// The blocks of certificates and public keys.
fn public_blocks(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memmem::find(&bytes[at..], b"-----BEGIN ").map(|found| at + found) {
        let name_end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
        let end = memchr::memmem::find(&bytes[name_end..], b"-----END ").map_or(bytes.len(), |found| name_end + found);
        if memchr::memmem::find(&bytes[start..name_end], b"PRIVATE").is_none() {
            blocks.push((start, end));
        }
        at = end.max(start + 11);
    }
    blocks
}

/// Adds every random word of a plain reading.
pub(crate) fn search(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let public = public_blocks(bytes);
    let is_public = |start: usize| {
        let next = public.partition_point(|block| block.0 <= start);
        next.checked_sub(1).and_then(|index| public.get(index)).is_some_and(|block| start < block.1)
    };
    let mut at = 0;
    while at < bytes.len() {
        // Only a run that reaches the next stride can be long enough.
        let probe = at + SHORTEST - 1;
        match bytes.get(probe) {
            Some(&byte) if is_word(byte) => {}
            Some(_) => {
                at = probe + 1;
                continue;
            }
            None => break,
        }
        let back = bytes[at..probe].iter().rev().take_while(|&&byte| is_word(byte)).count();
        let start = probe - back;
        let end = probe + bytes[probe..].iter().take_while(|&&byte| is_word(byte)).count();
        if end - start >= SHORTEST
            && is_random(&bytes[start..end])
            && stands_alone(bytes, start, end)
            && !is_digest(text, start, end)
            && !is_public(start)
            && !is_plain_text(bytes, start, end)
        {
            hits.push(Hit::secret(start, end, "high-entropy"));
        }
        at = end + 1;
    }
}

/// The beginning of a picture or a font in a style sheet, or base64 that is a plain text, in which other readers look
/// for secrets.
fn is_plain_text(bytes: &[u8], start: usize, end: usize) -> bool {
    bytes[..start].ends_with(b";base64,")
        || is_public_member(bytes, start)
        || codec::base64(&bytes[start..end]).and_then(codec::readable).is_some()
}

/// A public member of a key in JSON: `{"kty": "RSA", "n": "…"}`.
fn is_public_member(bytes: &[u8], start: usize) -> bool {
    const NEAR: usize = 600;
    let head = &bytes[start.saturating_sub(12)..start];
    let is_member = [b"\"n\"".as_slice(), b"\"x\"", b"\"y\"", b"\"kid\"", b"\"x5t\""]
        .iter()
        .any(|name| memchr::memmem::find(head, name).is_some());
    let from = start.saturating_sub(NEAR);
    let near = &bytes[from..bytes.len().min(start + NEAR)];
    is_member && memchr::memmem::find(near, b"\"kty\"").is_some()
}

/// Letters and digits change places as they do by chance, and not as in a name with a number.
fn is_random(word: &[u8]) -> bool {
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let changes = word.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    let underscores = memchr::memchr_iter(b'_', word).count();
    digits >= 3 && digits < word.len() && changes * 8 >= word.len() && underscores * 8 < word.len()
}

/// A part of a path, a version or a longer name is no word of its own.
fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    let after = bytes.get(end);
    let binds = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b'/' | b'.' | b'-' | b'+') || *byte >= 0x80);
    let goes_on = matches!(after, Some(b'/' | b'-' | b'+' | b'('))
        || (after == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric));
    !binds(before) && !goes_on
}

/// A digest says so, or has the length and the letters of one.
fn is_digest(text: &str, start: usize, end: usize) -> bool {
    let word = &text.as_bytes()[start..end];
    let head = &text.as_bytes()[start.saturating_sub(8)..start];
    if [b"sha1:".as_slice(), b"sha256:", b"sha384:", b"sha512:", b"sha512-", b"sha384-", b"sha256-", b"md5:"]
        .iter()
        .any(|label| head.len() >= label.len() && head[head.len() - label.len()..].eq_ignore_ascii_case(label))
    {
        return true;
    }
    // The public half of a key pair announces itself, and so does a symbol that a compiler made of a name.
    let public =
        [b"AAAAB3Nza".as_slice(), b"AAAAC3Nza", b"AAAAE2Vj", b"age1", b"npub1", b"xpub", b"_ZN", b"_R", b"_T0"];
    if public.iter().any(|prefix| word.starts_with(prefix)) || (word.starts_with(b"RWQ") && word.len() == 56) {
        return true;
    }
    // The name of a file by its content.
    if word.len() == 46 && word.starts_with(b"Qm") || word.len() == 59 && word.starts_with(b"baf") {
        return true;
    }
    if names_digest(&text.as_bytes()[start.saturating_sub(32)..start]) {
        return true;
    }
    let is_hex = word.iter().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte))
        || word.iter().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte));
    if !is_hex {
        return false;
    }
    // The digests of version control and of package managers are everywhere in ordinary output.
    if matches!(word.len(), 40 | 64 | 96 | 128) {
        return true;
    }
    let from = (start.saturating_sub(40)..=start).find(|&at| text.is_char_boundary(at)).unwrap_or(start);
    let line = text[from..start].rsplit('\n').next().unwrap_or_default();
    let is_alone = line.trim().is_empty();
    let labels = line.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    is_alone
        || labels.filter(|label| !label.is_empty()).any(|label| {
            let last = label.rsplit('_').next().unwrap_or(label);
            DIGEST_LABELS.iter().any(|known| known.eq_ignore_ascii_case(label) || known.eq_ignore_ascii_case(last))
        })
}

/// `sha256 = "…"`, `h1:…`, `public_key: …`: the name right in front of a value says that it is public, in whatever
/// alphabet it is written.
fn names_digest(head: &[u8]) -> bool {
    const NAMES: &[&str] = &[
        "h1",
        "sha1",
        "sha224",
        "sha256",
        "sha384",
        "sha512",
        "md5",
        "md5sum",
        "sha1sum",
        "sha224sum",
        "sha256sum",
        "sha384sum",
        "sha512sum",
        "b2sum",
        "blake2b",
        "blake3",
        "narhash",
        "checksum",
        "integrity",
        "digest",
        "publickey",
        "pubkey",
    ];
    let signs = head.iter().rev().take(6).take_while(|byte| b" :=\"'".contains(byte)).count();
    if signs == 0 {
        return false;
    }
    let head = &head[..head.len() - signs];
    let length =
        head.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let name: Vec<u8> = head[head.len() - length..]
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(u8::to_ascii_lowercase)
        .collect();
    NAMES.iter().any(|known| name == known.as_bytes() || (known.len() > 5 && name.ends_with(known.as_bytes())))
}
