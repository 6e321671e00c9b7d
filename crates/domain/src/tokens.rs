//! Token estimates, when no provider has counted yet.

/// An upper-side estimate of how many tokens a text is, at least 1.
///
/// ASCII text is counted at 3.6 characters a token, the figure of the original router; every other
/// character is counted as one token, because dense scripts take about that and an estimate that is
/// too low lets a prompt overflow a context window.
pub fn estimate_tokens(text: &str) -> u64 {
    // Most long texts are ASCII throughout, which is seen many bytes at a time.
    let (ascii, other) = if text.is_ascii() {
        (text.len(), 0)
    } else {
        // Every other character begins with one such byte, and counting bytes takes no decoding.
        (text.bytes().filter(u8::is_ascii).count(), text.bytes().filter(|byte| *byte >= 0xC0).count())
    };
    ((ascii as u64 * 10).div_ceil(36) + other as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_counts_at_the_original_rate() {
        assert_eq!(estimate_tokens(&"a".repeat(3600)), 1000);
        assert_eq!(estimate_tokens(""), 1);
    }

    #[test]
    fn dense_scripts_are_not_undercounted() {
        assert_eq!(estimate_tokens("圧縮する"), 4);
        assert_eq!(estimate_tokens("é\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}"), 7);
    }
}
