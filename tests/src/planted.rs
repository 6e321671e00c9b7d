//! Secrets that are planted before a test and must be found nowhere after it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// A value in the shape of a key that no other test uses.
pub fn secret(tag: &str) -> String {
    let noise: String = (0_u32..24)
        .map(|n| char::from(b'a' + u8::try_from((n * 7 + u32::try_from(tag.len()).unwrap()) % 26).unwrap()))
        .collect();
    format!("sk-planted-{tag}-{}-{noise}", std::process::id())
}

/// Files below `folder` that contain `secret`, as it is or in base64, hexadecimal or reversed.
pub fn files_with(folder: &Path, secret: &str) -> Vec<PathBuf> {
    let forms = forms(secret);
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && fs::read(&path).is_ok_and(|bytes| forms.iter().any(|form| contains(&bytes, form.as_bytes())))
            {
                found.push(path);
            }
        }
    }
    found
}

/// Panics when `text` contains the secret in any form.
pub fn assert_clean(what: &str, text: &str, secret: &str) {
    for form in forms(secret) {
        assert!(!text.contains(&form), "{what} contains the planted secret");
    }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

fn forms(secret: &str) -> Vec<String> {
    let hex = secret.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    vec![secret.to_owned(), hex, secret.chars().rev().collect(), base64(secret.as_bytes())]
}

/// Base64 without the last group, whose letters depend on what follows the secret.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks_exact(3) {
        let number = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        for shift in [18, 12, 6, 0] {
            text.push(char::from(LETTERS[usize::try_from(number >> shift & 63).unwrap()]));
        }
    }
    text
}
