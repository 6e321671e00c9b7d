//! Reads comma-separated tables whose cells may hold line breaks.

use anyhow::{Result, bail};

/// The records of `text`, the heading included.
///
/// # Errors
/// A quoted cell does not end, or a record has another number of cells than the heading.
pub(super) fn records(text: &str) -> Result<Vec<Vec<String>>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut is_quoted, mut has_begun) = (false, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if is_quoted && rest.peek() == Some(&'"') => {
                rest.next();
                cell.push('"');
            }
            '"' => {
                is_quoted = !is_quoted;
                has_begun = true;
            }
            ',' if !is_quoted => {
                record.push(std::mem::take(&mut cell));
                has_begun = true;
            }
            '\n' if !is_quoted => {
                if cell.ends_with('\r') {
                    cell.pop();
                }
                if has_begun || !cell.is_empty() {
                    record.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut record));
                }
                has_begun = false;
            }
            _ => cell.push(c),
        }
    }
    if is_quoted {
        bail!("the table ends inside a quoted cell");
    }
    if has_begun || !cell.is_empty() {
        record.push(cell);
        records.push(record);
    }
    let width = records.first().map_or(0, Vec::len);
    if let Some(at) = records.iter().position(|record| record.len() != width) {
        bail!("record {at} of the table has {} cells, the heading {width}", records[at].len());
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::records;

    #[test]
    fn quotes_commas_and_line_breaks_stay_in_their_cell() {
        let found = records("a,b\r\n\"x, \"\"y\"\"\nz\",1\n\n2,\"\"").unwrap();
        assert_eq!(found, [["a", "b"], ["x, \"y\"\nz", "1"], ["2", ""]]);
    }

    #[test]
    fn a_table_that_is_cut_is_refused() {
        assert!(records("a,b\n\"x").is_err());
        assert!(records("a,b\n1\n").is_err());
    }
}
