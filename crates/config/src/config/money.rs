//! Dollars as people write them, and exact amounts.

use lwa_domain::PicoUsd;
use serde::{Serialize, Serializer};

/// Pico-dollars as an amount, rounded up unless the difference is only what floating point leaves of
/// an exact figure.
#[expect(clippy::cast_possible_truncation, reason = "the ranges of the file keep it far below the limit")]
pub(super) fn pico_usd(pico: f64) -> PicoUsd {
    let nearest = pico.round();
    let is_exact = (pico - nearest).abs() <= pico.abs() * 1e-9;
    PicoUsd::new(if is_exact { nearest } else { pico.ceil() } as i64)
}

/// A cap as the file has it: dollars, 0 when there is none.
///
/// The amount goes through its decimal digits, so that reading the figure again gives the same one.
#[expect(clippy::ref_option, reason = "the shape that serde calls")]
pub(super) fn as_dollars<S: Serializer>(cap: &Option<PicoUsd>, serializer: S) -> Result<S::Ok, S::Error> {
    const PER_DOLLAR: i64 = 1_000_000_000_000;
    let pico = cap.unwrap_or(PicoUsd::ZERO).get();
    let digits = format!("{}.{:012}", pico / PER_DOLLAR, pico % PER_DOLLAR);
    digits.parse::<f64>().map_err(serde::ser::Error::custom)?.serialize(serializer)
}
