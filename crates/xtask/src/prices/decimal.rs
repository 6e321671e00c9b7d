//! Dollars as pico-dollars, by their decimal digits.

/// `dollars` times ten to the power of `12 - fewer`, rounded up; `None` for what is no amount.
///
/// The shortest text of a float that reads back as the same float is what its author wrote, so no binary fraction
/// enters the catalogue.
pub(super) fn pico(dollars: f64, fewer: u32) -> Option<i64> {
    if !dollars.is_finite() || dollars < 0.0 {
        return None;
    }
    let text = format!("{dollars}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let shift = 12_usize.checked_sub(usize::try_from(fewer).ok()?)?;
    let kept = &fraction[..fraction.len().min(shift)];
    let has_rest = fraction[kept.len()..].bytes().any(|digit| digit != b'0');
    let zeros = "0".repeat(shift - kept.len());
    let amount: i64 = format!("{whole}{kept}{zeros}").parse().ok()?;
    amount.checked_add(i64::from(has_rest))
}

/// Dollars for a million tokens as pico-dollars for one.
pub(super) fn per_million(dollars: f64) -> Option<i64> {
    pico(dollars, 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_and_rounded_up() {
        assert_eq!(pico(1.923e-6, 0), Some(1_923_000));
        assert_eq!(pico(3e-13, 0), Some(1));
        assert_eq!(pico(0.0, 0), Some(0));
        assert_eq!(pico(-1.0, 0), None);
        assert_eq!(pico(f64::NAN, 0), None);
        assert_eq!(per_million(0.132), Some(132_000));
        assert_eq!(per_million(150.0), Some(150_000_000));
        assert_eq!(per_million(1e300), None);
    }
}
