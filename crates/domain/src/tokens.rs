//! Token estimates, when no provider has counted yet.

/// An upper-side estimate of how many tokens a text is, at least 1.
///
/// ASCII text is counted at 3.6 characters a token, the figure of the original router; every other
/// character is counted as one token, because dense scripts take about that and an estimate that is
/// too low lets a prompt overflow a context window.
pub fn estimate_tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ((ascii * 10).div_ceil(36) + other).max(1)
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
    }
}
