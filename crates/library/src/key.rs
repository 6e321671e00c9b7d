//! The installation's key: what keeps features unreadable and approvals genuine.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroize;

/// Thirty-two random bytes that the caller made once and keeps outside the library's folder.
#[derive(Clone)]
pub struct InstallationKey([u8; 32]);

impl InstallationKey {
    /// Wraps the caller's bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The keyed digest of `parts` for one purpose. Each part carries its length, so that no two lists
    /// of parts run together into the same text.
    pub(crate) fn digest(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        // HMAC takes a key of any length; the type still calls it fallible.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 32] };
        for part in [purpose.as_bytes()].iter().chain(parts) {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// The first 64 bits of [`InstallationKey::digest`].
    pub(crate) fn digest_64(&self, purpose: &str, parts: &[&[u8]]) -> u64 {
        let digest = self.digest(purpose, parts);
        digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

impl Drop for InstallationKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for InstallationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InstallationKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_depend_on_key_purpose_and_the_borders_of_parts() {
        let one = InstallationKey::from_bytes([1; 32]);
        let two = InstallationKey::from_bytes([2; 32]);
        let digest = one.digest("a", &[b"bc", b"d"]);
        assert_eq!(one.digest("a", &[b"bc", b"d"]), digest);
        assert_ne!(two.digest("a", &[b"bc", b"d"]), digest);
        assert_ne!(one.digest("b", &[b"bc", b"d"]), digest);
        assert_ne!(one.digest("a", &[b"b", b"cd"]), digest);
        assert_eq!(format!("{one:?}"), "InstallationKey");
    }
}
