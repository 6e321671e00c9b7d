//! How sure a pattern is, in ten-thousandths, so that equal is equal.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A share between nought and one with four decimals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u16);

impl Confidence {
    /// Nothing is known.
    pub const NONE: Self = Self(0);

    /// From ten-thousandths; what is above one counts as one.
    pub const fn from_ten_thousandths(value: u16) -> Self {
        Self(if value > 10_000 { 10_000 } else { value })
    }

    /// In ten-thousandths.
    pub const fn ten_thousandths(self) -> u16 {
        self.0
    }

    /// From a fraction; what lies outside nought and one, or is no number, is brought inside.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=10000 before the cast")]
    pub fn from_fraction(value: f64) -> Self {
        if value.is_nan() { Self::NONE } else { Self((value.clamp(0.0, 1.0) * 10_000.0).round() as u16) }
    }

    /// As a fraction.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }

    /// The confidence of a pattern with so many distinct runs, so many of them successful.
    ///
    /// It starts at 0.32, gains 0.07 for each of the first eight runs, up to 0.10 for success and 0.08
    /// for a name, and never passes 0.98.
    pub fn of(occurrences: u32, successes: u32, is_named: bool) -> Self {
        if occurrences == 0 {
            return Self::NONE;
        }
        let occurrences = u64::from(occurrences);
        let rate = (u64::from(successes).min(occurrences) * 1000 + occurrences / 2) / occurrences;
        let name = if is_named { 800 } else { 0 };
        let sum = (3200 + 700 * occurrences.min(8) + rate + name).min(9800);
        Self(u16::try_from(sum).unwrap_or(9800))
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.fraction())
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::from_fraction)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(3, 3, true, 7100)]
    #[case(3, 3, false, 6300)]
    #[case(1, 0, false, 3900)]
    #[case(3, 2, false, 5967)]
    #[case(8, 8, false, 9800)]
    #[case(100, 100, true, 9800)]
    #[case(0, 0, true, 0)]
    fn the_formula_is_that_of_the_specification(
        #[case] occurrences: u32,
        #[case] successes: u32,
        #[case] is_named: bool,
        #[case] expected: u16,
    ) {
        assert_eq!(Confidence::of(occurrences, successes, is_named).ten_thousandths(), expected);
    }

    #[test]
    fn every_value_survives_json() {
        for value in 0..=10_000 {
            let confidence = Confidence::from_ten_thousandths(value);
            let text = serde_json::to_string(&confidence).unwrap();
            assert_eq!(serde_json::from_str::<Confidence>(&text).unwrap(), confidence, "{text}");
        }
        assert_eq!(Confidence::from_fraction(f64::NAN), Confidence::NONE);
        assert_eq!(Confidence::from_fraction(7.0).ten_thousandths(), 10_000);
    }
}
