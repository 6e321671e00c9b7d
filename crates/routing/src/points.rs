//! Scores as people read them.

use std::fmt;

/// Hundredths of a score point, printed in points with one or two decimals: `114.8`, `5.25`, `-12.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(pub i32);

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100);
        if rest % 10 == 0 { write!(f, "{sign}{whole}.{}", rest / 10) } else { write!(f, "{sign}{whole}.{rest:02}") }
    }
}
