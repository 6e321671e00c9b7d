//! A look at the here-documents of a text before the grammar reads it: with some broken ones it would never come back.

/// Whether a here-document of the text is not plainly written: an odd delimiter, or no end.
///
/// The shell reads some of these; the policy shows them to the human.
pub(crate) fn are_odd(text: &str) -> bool {
    if !text.contains("<<") {
        return false;
    }
    Reader { text, at: 0, quote: None, outer: None, has_code: false, pending: Vec::new() }.run()
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    quote: Option<u8>,
    /// The quote that was open where the first of the pending documents was named.
    outer: Option<u8>,
    /// Whether a substitution was seen, so that even what looks quoted may be code.
    has_code: bool,
    pending: Vec<(String, bool)>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn run(mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut is_word_start = true;
        while let Some(byte) = bytes.get(self.at).copied() {
            let was_word_start =
                std::mem::replace(&mut is_word_start, matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'('));
            let next = bytes.get(self.at + 1).copied();
            self.has_code |= byte == b'`'
                || next == Some(b'(') && matches!(byte, b'$' | b'<' | b'>')
                || byte == b'$' && matches!(next, Some(b'[' | b'{'));
            // The grammar takes code that stands behind the operator, on its line, for plain words, and the lines of a
            // quote that goes on for the body.
            let opens_code = byte == b'`' || byte == b'$' && matches!(next, Some(b'(' | b'{' | b'['));
            let is_hidden = opens_code && self.quote != Some(b'\'') || byte == b'\n' && self.quote != self.outer;
            if is_hidden && !self.pending.is_empty() {
                return true;
            }
            match byte {
                b'\\' if self.quote != Some(b'\'') => self.at += 1,
                b'\'' | b'"' => match self.quote {
                    Some(mark) if mark == byte => self.quote = None,
                    None => self.quote = Some(byte),
                    Some(_) => {}
                },
                b'#' if was_word_start && self.quote.is_none() => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                    continue;
                }
                b'\n' if !self.pending.is_empty() => {
                    self.at += 1;
                    if !self.skip_bodies() {
                        return true;
                    }
                    continue;
                }
                b'<' if self.rest().starts_with("<<<") => self.at += 2,
                b'<' if next == Some(b'<') && (self.quote.is_none() || self.has_code) => {
                    if !self.delimiter() {
                        return true;
                    }
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.quote.is_some() || !self.pending.is_empty()
    }

    /// Reads an operator and its delimiter; tells whether it is a plain one.
    fn delimiter(&mut self) -> bool {
        let text = self.text;
        let before = text.get(..self.at).unwrap_or_default();
        self.at += 2;
        let rest = text.get(self.at..).unwrap_or_default();
        let strips_tabs = rest.starts_with('-');
        let operand = rest.trim_start_matches('-').trim_start_matches([' ', '\t']);
        // A shift in an arithmetic expression.
        if before.contains("((") && operand.starts_with(|next: char| next.is_ascii_digit()) {
            return true;
        }
        let (opened, mark) = match operand.chars().next() {
            Some(mark @ ('\'' | '"')) => (operand.get(1..).unwrap_or_default(), Some(mark)),
            Some('\\') => (operand.get(1..).unwrap_or_default(), None),
            _ => (operand, None),
        };
        let length =
            opened.find(|next: char| !(next.is_alphanumeric() || "_-.+!@%/,:".contains(next))).unwrap_or(opened.len());
        let name = opened.get(..length).unwrap_or_default();
        let mut behind = opened.get(length..).unwrap_or_default();
        if let Some(mark) = mark {
            match behind.strip_prefix(mark) {
                Some(tail) => behind = tail,
                None => return false,
            }
        }
        let ends = behind.is_empty() || behind.starts_with([' ', '\t', '\n', ';', '|', '&', ')', '<', '>']);
        if name.is_empty() || !ends {
            return false;
        }
        if self.pending.is_empty() {
            self.outer = self.quote;
        }
        self.pending.push((name.to_owned(), strips_tabs));
        self.at = text.len() - behind.len();
        true
    }

    /// Goes behind the bodies that start here; tells whether each of them ends.
    fn skip_bodies(&mut self) -> bool {
        for (name, strips_tabs) in std::mem::take(&mut self.pending) {
            loop {
                let rest = self.rest();
                if rest.is_empty() {
                    return false;
                }
                let length = rest.find('\n').unwrap_or(rest.len());
                let line = rest.get(..length).unwrap_or_default();
                let shown = if strips_tabs { line.trim_start_matches('\t') } else { line };
                let is_end = shown == name;
                self.at = (self.at + length + 1).min(self.text.len());
                if is_end {
                    break;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::are_odd;

    #[test]
    fn plain_documents_pass_and_broken_ones_do_not() {
        for plain in [
            "cat <<E\nx\nE",
            "cat <<'E' | wc\n$( << `\nE\nls",
            "cat <<-E\n\tx\n\tE",
            "cat <<A <<\\B\na\nA\nb\nB\n",
            "echo 'a << b'",
            "x=$((1<<2))",
            "wc <<< x",
            "git commit -m \"$(cat <<'EOF'\nit's << that\nEOF\n)\"",
        ] {
            assert!(!are_odd(plain), "{plain:?}");
        }
        for odd in [
            "cat <<E",
            "<<-EOF$( <<'EOF' <<< a",
            "$( \n<( <<- | <<\"E\" |#",
            "cat <<\"E\"\\ $(( )) ",
            "cat <<E$(x)\nE",
            "\"$( <<",
        ] {
            assert!(are_odd(odd), "{odd:?}");
        }
    }
}
