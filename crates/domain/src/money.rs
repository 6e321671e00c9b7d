//! Money as integer pico-dollars, so that sums and caps are exact.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An amount of US dollars in units of 10⁻¹² dollar.
///
/// On the wire it is a decimal string, because a JSON number in a web view is exact only to 2⁵³.
/// Arithmetic saturates: an amount that does not fit is the largest amount, which no cap admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PicoUsd(#[cfg_attr(feature = "ts", ts(type = "string"))] i64);

impl PicoUsd {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    const PER_DOLLAR: f64 = 1e12;

    /// From a count of pico-dollars; negative amounts become zero.
    pub const fn new(pico: i64) -> Self {
        Self(if pico < 0 { 0 } else { pico })
    }

    /// From dollars as people write them in a configuration, rounded up to the next pico-dollar.
    ///
    /// Negative and non-finite values have no meaning as an amount and give `None`.
    #[expect(clippy::cast_possible_truncation, reason = "checked against the range just before")]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let pico = (dollars * Self::PER_DOLLAR).ceil();
        (0.0..9.2e18).contains(&pico).then_some(Self(pico as i64))
    }

    /// The count of pico-dollars.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This amount times a count, saturating.
    pub fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX)))
    }
}

impl Add for PicoUsd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for PicoUsd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// Dollars with the digits that carry information: at least two decimals, at most six.
impl fmt::Display for PicoUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0 && self.0 < 1_000_000 {
            return f.write_str("<$0.000001");
        }
        let micro = self.0.saturating_add(500_000) / 1_000_000;
        let mut decimals = format!("{:06}", micro % 1_000_000);
        while decimals.len() > 2 && decimals.ends_with('0') {
            decimals.pop();
        }
        write!(f, "${}.{decimals}", micro / 1_000_000)
    }
}

impl Serialize for PicoUsd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for PicoUsd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self::new).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(0, "$0.00")]
    #[case(140_000_000_000, "$0.14")]
    #[case(1_000_000_000_000, "$1.00")]
    #[case(6_000_500_000, "$0.006001")]
    #[case(999, "<$0.000001")]
    fn prints_dollars(#[case] pico: i64, #[case] text: &str) {
        assert_eq!(PicoUsd::new(pico).to_string(), text);
    }

    #[test]
    fn travels_as_a_string_and_back() {
        let amount = PicoUsd::new(9_007_199_254_740_993);
        let json = serde_json::to_string(&amount).unwrap();
        assert_eq!(json, "\"9007199254740993\"");
        assert_eq!(serde_json::from_str::<PicoUsd>(&json).unwrap(), amount);
    }

    #[test]
    fn refuses_dollars_that_are_no_amount() {
        assert_eq!(PicoUsd::from_dollars(-1.0), None);
        assert_eq!(PicoUsd::from_dollars(f64::NAN), None);
        assert_eq!(PicoUsd::from_dollars(0.01), Some(PicoUsd::new(10_000_000_000)));
    }

    #[test]
    fn sums_saturate_instead_of_wrapping() {
        assert_eq!(PicoUsd::new(i64::MAX) + PicoUsd::new(1), PicoUsd::new(i64::MAX));
    }
}
