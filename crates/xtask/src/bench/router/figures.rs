//! The figures of one run, as a table on the terminal and as JSON.

use std::time::Duration;

use serde_json::{Value, json};

use super::percentiles::{Percentiles, Readable};

/// One figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Many measurements of the same thing.
    Spread(Percentiles),
    /// One duration, worked out or measured once.
    Time(Duration),
    /// A difference of durations in nanoseconds, which may be below zero.
    Difference(i64),
    /// Resident memory.
    Kilobytes(u64),
    /// What was not measured, and why.
    LeftOut(String),
}

/// The figures, in the order in which they were measured.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    rows: Vec<(String, String, Row)>,
    /// What else the machine had to do at the start: the load of the last minutes, as the kernel says it.
    load: Option<String>,
}

impl Figures {
    /// No figures yet, measured on a machine with this load.
    pub fn with_load(load: Option<String>) -> Self {
        Self { rows: Vec::new(), load }
    }

    /// Prints a heading.
    #[expect(clippy::unused_self, reason = "what is printed belongs to the table that follows")]
    pub(super) fn heading(&self, text: &str) {
        println!("\n{text}");
    }

    /// Prints and keeps a figure.
    pub fn add(&mut self, who: &str, what: &str, row: Row) {
        let text = match &row {
            Row::Spread(spread) => spread.to_string(),
            Row::Time(time) => Readable(*time).to_string(),
            Row::Difference(nanos) => {
                let sign = if *nanos < 0 { "-" } else { "+" };
                format!("{sign}{}", Readable(Duration::from_nanos(nanos.unsigned_abs())))
            }
            Row::Kilobytes(kilobytes) => format!("{kilobytes} kB"),
            Row::LeftOut(why) => format!("left out: {why}"),
        };
        println!("{who:<22} {what:<34} {text}");
        self.rows.push((who.to_owned(), what.to_owned(), row));
    }

    /// Prints and keeps a spread; nothing for nothing.
    pub(super) fn spread(&mut self, who: &str, what: &str, durations: Vec<Duration>) -> Option<Percentiles> {
        let spread = Percentiles::of(durations)?;
        self.add(who, what, Row::Spread(spread));
        Some(spread)
    }

    /// Everything as JSON, durations in nanoseconds.
    pub fn json(&self) -> Value {
        let row = |(who, what, row): &(String, String, Row)| {
            let nanos = |time: &Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            let figure = match row {
                Row::Spread(spread) => json!({
                    "runs": spread.runs,
                    "least_ns": nanos(&spread.least),
                    "median_ns": nanos(&spread.median),
                    "p99_ns": nanos(&spread.p99),
                }),
                Row::Time(time) => json!({ "ns": nanos(time) }),
                Row::Difference(nanos) => json!({ "difference_ns": nanos }),
                Row::Kilobytes(kilobytes) => json!({ "resident_kb": kilobytes }),
                Row::LeftOut(why) => json!({ "left_out": why }),
            };
            json!({ "who": who, "what": what, "figure": figure })
        };
        json!({ "load_average": self.load, "figures": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

/// `left - right` in nanoseconds.
pub(super) fn difference(left: Duration, right: Duration) -> i64 {
    let nanos = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    nanos(left) - nanos(right)
}

#[cfg(test)]
mod tests {
    use super::{Duration, Figures, Row, difference};

    #[test]
    fn every_figure_is_in_the_json() {
        let mut figures = Figures::default();
        figures.spread("us", "call", vec![Duration::from_nanos(7); 3]).unwrap();
        figures.add("us", "added", Row::Difference(difference(Duration::from_nanos(2), Duration::from_nanos(5))));
        figures.add("them", "call", Row::LeftOut("not installed".to_owned()));
        let json = figures.json();
        assert_eq!(json["figures"][0]["figure"]["median_ns"], 7);
        assert_eq!(json["figures"][1]["figure"]["difference_ns"], -3);
        assert_eq!(json["figures"][2]["figure"]["left_out"], "not installed");
    }
}
