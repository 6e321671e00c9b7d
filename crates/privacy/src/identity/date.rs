//! Dates as people write them.

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The same in other languages, without accents, where they differ: the beginning that tells a month, and its number.
const OTHER_MONTHS: &[(&str, u32)] = &[
    ("janu", 1),
    ("janv", 1),
    ("ener", 1),
    ("genn", 1),
    ("janei", 1),
    ("febr", 2),
    ("fevr", 2),
    ("feve", 2),
    ("febb", 2),
    ("marz", 3),
    ("mars", 3),
    ("marc", 3),
    ("maart", 3),
    ("maer", 3),
    ("avri", 4),
    ("abri", 4),
    ("apri", 4),
    ("mai", 5),
    ("mayo", 5),
    ("magg", 5),
    ("maio", 5),
    ("mei", 5),
    ("maj", 5),
    ("juni", 6),
    ("juin", 6),
    ("giug", 6),
    ("junh", 6),
    ("juli", 7),
    ("juil", 7),
    ("lugl", 7),
    ("julh", 7),
    ("aout", 8),
    ("agos", 8),
    ("augu", 8),
    ("sept", 9),
    ("sett", 9),
    ("sete", 9),
    ("okto", 10),
    ("octo", 10),
    ("octu", 10),
    ("otto", 10),
    ("outu", 10),
    ("nove", 11),
    ("deze", 12),
    ("dece", 12),
    ("dici", 12),
    ("dice", 12),
];

/// A day of a life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Date {
    pub year: u32,
    pub month: u32,
    pub day: u32,
}

/// A date with the length of its text; two readings where day and month may be either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub length: usize,
    pub readings: Vec<Date>,
}

fn number(bytes: &[u8], most: usize) -> Option<(u32, usize)> {
    let length = bytes.iter().take(most + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 || length > most {
        return None;
    }
    let value = bytes[..length].iter().fold(0, |value, &digit| value * 10 + u32::from(digit - b'0'));
    Some((value, length))
}

fn month(bytes: &[u8]) -> Option<(u32, usize)> {
    let length = bytes.iter().take(10).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = bytes.get(..length)?.to_ascii_lowercase();
    let english = MONTHS.iter().position(|name| {
        let name = name.as_bytes();
        length >= 3
            && (name == word
                || (length <= 4 && name.starts_with(&word))
                || (word == b"sept" && name.starts_with(b"sep")))
    });
    let number = match english {
        Some(index) => u32::try_from(index).ok()? + 1,
        None => OTHER_MONTHS.iter().find(|(name, _)| word.starts_with(name.as_bytes())).map(|(_, number)| *number)?,
    };
    let dot = usize::from(bytes.get(length) == Some(&b'.'));
    Some((number, length + dot))
}

fn full_year(year: u32, length: usize) -> Option<u32> {
    match (length, year) {
        (4, 1850..=2100) => Some(year),
        (2, 0..=30) => Some(2000 + year),
        (2, _) => Some(1900 + year),
        _ => None,
    }
}

fn is_day(date: Date) -> bool {
    (1..=12).contains(&date.month) && (1..=31).contains(&date.day)
}

/// Skips blanks, commas and the signs between the parts of a date.
fn gap(bytes: &[u8], signs: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| signs.contains(byte)).count()
}

/// The date at the start of a text.
pub(crate) fn date_at(bytes: &[u8]) -> Option<Written> {
    numeric(bytes).or_else(|| day_first(bytes)).or_else(|| month_first(bytes))
}

fn written(length: usize, dates: &[Date], bytes: &[u8]) -> Option<Written> {
    let readings: Vec<Date> = dates.iter().copied().filter(|date| is_day(*date)).collect();
    let goes_on = bytes.get(length).is_some_and(u8::is_ascii_alphanumeric) && bytes.get(length) != Some(&b'T');
    (!readings.is_empty() && !goes_on).then_some(Written { length, readings })
}

/// `03/04/1988`, `4.3.88`, `1988-03-04`, `19880304`.
fn numeric(bytes: &[u8]) -> Option<Written> {
    let (first, first_length) = number(bytes, 8)?;
    if first_length == 8 {
        let date = Date { year: full_year(first / 10_000, 4)?, month: first / 100 % 100, day: first % 100 };
        return written(8, &[date], bytes);
    }
    let sign = *bytes.get(first_length).filter(|byte| matches!(byte, b'/' | b'.' | b'-' | b' '))?;
    let second_at = first_length + 1;
    let (second, second_length) = number(bytes.get(second_at..)?, 2)?;
    let third_sign = second_at + second_length;
    if bytes.get(third_sign) != Some(&sign) {
        return None;
    }
    let (third, third_length) = number(bytes.get(third_sign + 1..)?, 4)?;
    let length = third_sign + 1 + third_length;
    if first_length == 4 {
        let year = full_year(first, 4)?;
        return written(length, &[Date { year, month: second, day: third }], bytes);
    }
    let year = full_year(third, third_length)?;
    let day_first = Date { year, month: second, day: first };
    let month_first = Date { year, month: first, day: second };
    let dates = [day_first, month_first];
    written(length, if day_first == month_first { &dates[..1] } else { &dates }, bytes)
}

/// `4 March 1988`, `4th of March, 1988`, `04-Mar-1988`.
fn day_first(bytes: &[u8]) -> Option<Written> {
    let (day, mut at) = number(bytes, 2)?;
    if [b"st", b"nd", b"rd", b"th"]
        .iter()
        .any(|ending| bytes.get(at..at + 2).is_some_and(|text| text.eq_ignore_ascii_case(*ending)))
    {
        at += 2;
    }
    at += gap(bytes.get(at..)?, b" -./");
    if matches!(bytes.get(at..at + 3), Some(b"of " | b"de ")) {
        at += 3;
    }
    let (month, length) = month(bytes.get(at..)?)?;
    at += length;
    at += gap(bytes.get(at..)?, b" ,-./");
    if bytes.get(at..at + 3) == Some(b"de ") {
        at += 3;
    }
    let (year, length) = number(bytes.get(at..)?, 4)?;
    written(at + length, &[Date { year: full_year(year, length)?, month, day }], bytes)
}

/// `March 4th, 1988`.
fn month_first(bytes: &[u8]) -> Option<Written> {
    let (month, mut at) = month(bytes)?;
    at += gap(bytes.get(at..)?, b" -./");
    let (day, length) = number(bytes.get(at..)?, 2)?;
    at += length;
    if [b"st", b"nd", b"rd", b"th"]
        .iter()
        .any(|ending| bytes.get(at..at + 2).is_some_and(|text| text.eq_ignore_ascii_case(*ending)))
    {
        at += 2;
    }
    at += gap(bytes.get(at..)?, b" ,-./");
    let (year, length) = number(bytes.get(at..)?, 4)?;
    written(at + length, &[Date { year: full_year(year, length)?, month, day }], bytes)
}

impl Date {
    /// The reading of a whole text, when it is a date.
    pub(crate) fn readings(text: &str) -> Vec<Self> {
        match date_at(text.as_bytes()) {
            Some(date) if date.length == text.len() => date.readings,
            _ => Vec::new(),
        }
    }

    /// The other ways to write the same day.
    pub(crate) fn spellings(self) -> Vec<String> {
        let Self { year, month, day } = self;
        let name = usize::try_from(month)
            .ok()
            .and_then(|month| MONTHS.get(month.wrapping_sub(1)))
            .copied()
            .unwrap_or_default();
        let short = name.get(..3).unwrap_or(name);
        let mut all = vec![
            format!("{year}-{month:02}-{day:02}"),
            format!("{year}/{month:02}/{day:02}"),
            format!("{year}.{month:02}.{day:02}"),
            format!("{year}{month:02}{day:02}"),
        ];
        for sign in ['/', '.', '-'] {
            all.push(format!("{day:02}{sign}{month:02}{sign}{year}"));
            all.push(format!("{month:02}{sign}{day:02}{sign}{year}"));
            all.push(format!("{day}{sign}{month}{sign}{year}"));
            all.push(format!("{month}{sign}{day}{sign}{year}"));
        }
        for name in [name, short] {
            all.push(format!("{day} {name} {year}"));
            all.push(format!("{day:02} {name} {year}"));
            all.push(format!("{name} {day}, {year}"));
            all.push(format!("{name} {day} {year}"));
            all.push(format!("{day:02}-{name}-{year}"));
            for ending in ["st", "nd", "rd", "th"] {
                all.push(format!("{day}{ending} {name} {year}"));
                all.push(format!("{day}{ending} of {name} {year}"));
                all.push(format!("{name} {day}{ending}, {year}"));
                all.push(format!("{name} {day}{ending} {year}"));
            }
        }
        all
    }
}
