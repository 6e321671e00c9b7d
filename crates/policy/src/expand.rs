//! Values of the session put into a command text, so that each stays one word of data wherever it stands.

use std::fmt::Write as _;

use thiserror::Error;

use crate::placeholder;

/// Why the values of a session cannot be put into a command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExpandError {
    /// A place of the shell language where no quoting keeps a value from being read as code.
    #[error("`[{0}]` stands where no quoting keeps its value from being read as code")]
    Place(String),
    /// A value with a line break or a zero byte in a place that cannot carry it.
    #[error("the value of `[{0}]` holds a character that this place cannot carry")]
    Value(String),
}

/// The text as one word of the shell, in single quotes unless it is plain.
pub fn quote(text: &str) -> String {
    let is_plain = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:@%+,".contains(&byte))
        && !text.starts_with('-');
    let is_option = text.len() > 1
        && text.starts_with('-')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.=/:,+".contains(&byte));
    if is_plain || is_option {
        return text.to_owned();
    }
    quoted(text)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Where the reader stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Code: words, operators, comments.
    Code { closes: Option<char>, depth: usize },
    /// Inside of double quotes.
    Double,
    /// Between backticks, where backslashes are read twice.
    Backtick,
    /// Inside of `${…}`.
    Parameter,
    /// Inside of `$((…))` or `((…))`.
    Arithmetic { depth: usize },
}

struct Document {
    delimiter: String,
    strips_tabs: bool,
    is_literal: bool,
}

/// Puts the values that `lookup` knows into `text`, quoted for the place in which each stands.
///
/// `lookup` is asked with the name `KIND-N`; what it does not know stays as it is.
pub fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, ExpandError> {
    let mut expander =
        Expander { text, at: 0, out: String::with_capacity(text.len()), lookup, found: placeholder::all(text) };
    if expander.found.is_empty() {
        return Ok(text.to_owned());
    }
    expander.run()?;
    Ok(expander.out)
}

struct Expander<'a> {
    text: &'a str,
    at: usize,
    out: String,
    lookup: &'a dyn Fn(&str) -> Option<String>,
    found: Vec<placeholder::Found>,
}

impl Expander<'_> {
    fn run(&mut self) -> Result<(), ExpandError> {
        let mut places = vec![Place::Code { closes: None, depth: 0 }];
        let mut documents: Vec<Document> = Vec::new();
        let mut is_word_start = true;
        while let Some(next) = self.peek() {
            if let Some((name, value, end)) = self.value_here() {
                let place = places.last().cloned().unwrap_or(Place::Code { closes: None, depth: 0 });
                if value.contains('\0') {
                    return Err(ExpandError::Value(name));
                }
                match place {
                    Place::Code { .. } => self.out.push_str(&quoted(&value)),
                    Place::Double => {
                        self.out.push('"');
                        self.out.push_str(&quoted(&value));
                        self.out.push('"');
                    }
                    Place::Backtick | Place::Parameter | Place::Arithmetic { .. } => {
                        return Err(ExpandError::Place(name));
                    }
                }
                self.at = end;
                is_word_start = false;
                continue;
            }
            let was_word_start =
                std::mem::replace(&mut is_word_start, matches!(next, ' ' | '\t' | '\n' | ';' | '|' | '&' | '('));
            let place = places.last().cloned().unwrap_or(Place::Code { closes: None, depth: 0 });
            match (place, next) {
                (_, '\\') => {
                    self.push();
                    self.push();
                }
                (Place::Code { .. }, '\'') => self.single(false)?,
                (Place::Code { .. }, '$') if self.rest().starts_with("$'") => {
                    self.push();
                    self.single(true)?;
                }
                (Place::Code { .. }, '#') if was_word_start => self.comment()?,
                (Place::Double, '"') => {
                    self.push();
                    places.pop();
                }
                (Place::Code { .. } | Place::Parameter, '"') => {
                    self.push();
                    places.push(Place::Double);
                }
                (Place::Backtick, '`') => {
                    self.push();
                    places.pop();
                }
                (_, '`') => {
                    self.push();
                    places.push(Place::Backtick);
                }
                (_, '$') if self.rest().starts_with("$((") => {
                    self.take(3);
                    places.push(Place::Arithmetic { depth: 2 });
                }
                (_, '$') if self.rest().starts_with("$(") => {
                    self.take(2);
                    places.push(Place::Code { closes: Some(')'), depth: 0 });
                    is_word_start = true;
                }
                (_, '$') if self.rest().starts_with("${") => {
                    self.take(2);
                    places.push(Place::Parameter);
                }
                (Place::Parameter, '}') => {
                    self.push();
                    places.pop();
                }
                (Place::Arithmetic { depth }, '(' | ')') => {
                    self.push();
                    let depth = if next == '(' { depth + 1 } else { depth - 1 };
                    places.pop();
                    if depth > 0 {
                        places.push(Place::Arithmetic { depth });
                    }
                }
                (Place::Code { .. }, '<') if self.rest().starts_with("<<") && !self.rest().starts_with("<<<") => {
                    documents.push(self.document_start());
                }
                (Place::Code { .. }, '<') if self.rest().starts_with("<<<") => self.take(3),
                (Place::Code { .. }, '\n') if !documents.is_empty() => {
                    self.push();
                    for document in documents.drain(..) {
                        self.document(&document)?;
                    }
                    is_word_start = true;
                }
                (Place::Code { closes, depth }, '(') => {
                    self.push();
                    places.pop();
                    places.push(Place::Code { closes, depth: depth + 1 });
                }
                (Place::Code { closes, depth }, ')') => {
                    self.push();
                    if depth == 0 && closes.is_some() {
                        places.pop();
                    } else {
                        places.pop();
                        places.push(Place::Code { closes, depth: depth.saturating_sub(1) });
                    }
                }
                _ => self.push(),
            }
        }
        Ok(())
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self) {
        if let Some(next) = self.peek() {
            self.out.push(next);
            self.at += next.len_utf8();
        }
    }

    fn take(&mut self, count: usize) {
        for _ in 0..count {
            self.push();
        }
    }

    /// The placeholder that starts here, when the session knows its value.
    fn value_here(&self) -> Option<(String, String, usize)> {
        let found = self.found.iter().find(|found| found.start == self.at)?;
        (self.lookup)(&found.name).map(|value| (found.name.clone(), value, found.end))
    }

    /// A string in single quotes; the cursor stands at its opening quote.
    fn single(&mut self, has_escapes: bool) -> Result<(), ExpandError> {
        self.push();
        while let Some(next) = self.peek() {
            if let Some((name, value, end)) = self.value_here() {
                if value.contains('\0') {
                    return Err(ExpandError::Value(name));
                }
                if has_escapes {
                    self.out.push_str(&value.replace('\\', r"\\").replace('\'', r"\'"));
                } else {
                    self.out.push_str(&value.replace('\'', r"'\''"));
                }
                self.at = end;
                continue;
            }
            self.push();
            if next == '\\' && has_escapes {
                self.push();
            } else if next == '\'' {
                return Ok(());
            }
        }
        Ok(())
    }

    fn comment(&mut self) -> Result<(), ExpandError> {
        while let Some(next) = self.peek() {
            if next == '\n' {
                return Ok(());
            }
            if let Some((name, value, end)) = self.value_here() {
                if value.contains(['\n', '\0']) {
                    return Err(ExpandError::Value(name));
                }
                self.out.push_str(&value);
                self.at = end;
                continue;
            }
            self.push();
        }
        Ok(())
    }

    /// Reads `<<`, an optional dash and the delimiter.
    fn document_start(&mut self) -> Document {
        self.take(2);
        let strips_tabs = self.peek() == Some('-');
        if strips_tabs {
            self.push();
        }
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.push();
        }
        let mut raw = String::new();
        let mut quote = None;
        while let Some(next) = self.peek() {
            match quote {
                Some(mark) if next == mark => quote = None,
                None if matches!(next, '\'' | '"') => quote = Some(next),
                None if " \t\n;|&<>()".contains(next) => break,
                _ => {}
            }
            raw.push(next);
            self.push();
        }
        Document {
            delimiter: raw.replace(['\'', '"', '\\'], ""),
            strips_tabs,
            is_literal: raw.contains(['\'', '"', '\\']),
        }
    }

    fn document(&mut self, document: &Document) -> Result<(), ExpandError> {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Ok(());
            }
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default().to_owned();
            let shown = if document.strips_tabs { line.trim_start_matches('\t') } else { &line };
            if shown == document.delimiter {
                self.take(line.chars().count() + 1);
                return Ok(());
            }
            let end = self.at + length;
            // A substitution in the body is code again, in which this reader does not follow.
            let has_code = !document.is_literal && (line.contains("$(") || line.contains('`') || line.contains("${"));
            while self.at < end {
                if let Some((name, value, behind)) = self.value_here() {
                    if has_code {
                        return Err(ExpandError::Place(name));
                    }
                    if value.contains(['\n', '\r', '\0']) {
                        return Err(ExpandError::Value(name));
                    }
                    if document.is_literal {
                        self.out.push_str(&value);
                    } else {
                        for character in value.chars() {
                            if matches!(character, '$' | '`' | '\\') {
                                self.out.push('\\');
                            }
                            let _ = self.out.write_char(character);
                        }
                    }
                    // A line that a value turns into the delimiter would end the document.
                    if line.trim_start_matches('\t') == self.text.get(self.at..behind).unwrap_or_default()
                        && value == document.delimiter
                    {
                        return Err(ExpandError::Value(name));
                    }
                    self.at = behind;
                    continue;
                }
                self.push();
            }
            self.push();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{expand, quote};

    #[test]
    fn a_value_is_one_word_wherever_it_stands() {
        let lookup = |name: &str| (name == "PII-1").then(|| "a'; touch f \"$(id)\"".to_owned());
        let quoted = r#"'a'\''; touch f "$(id)"'"#;
        assert_eq!(expand("echo [PII-1]", &lookup).ok(), Some(format!("echo {quoted}")));
        assert_eq!(expand("echo \"x [PII-1] y\"", &lookup).ok(), Some(format!("echo \"x \"{quoted}\" y\"")));
        assert_eq!(expand("echo 'x [PII-1]'", &lookup).ok(), Some(r#"echo 'x a'\''; touch f "$(id)"'"#.to_owned()));
        assert_eq!(
            expand("cat <<E\n[PII-1]\nE\n", &lookup).ok(),
            Some("cat <<E\na'; touch f \"\\$(id)\"\nE\n".to_owned())
        );
        assert_eq!(expand("echo [PII-2]", &lookup).ok(), Some("echo [PII-2]".to_owned()));
        assert!(expand("echo `echo [PII-1]`", &lookup).is_err());
        assert!(expand("echo $(( [PII-1] ))", &lookup).is_err());
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("-la"), "-la");
    }
}
