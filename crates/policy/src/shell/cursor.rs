//! A place in a text, with the searches for a closing mark that know quotes, comments and here-documents.

/// A place in a text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    pub(crate) at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(crate) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|next: char| !is_wanted(next)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// The text up to `end`, which is read as well.
    pub(crate) fn until(&mut self, end: char) -> Option<&'t str> {
        let rest = self.rest();
        let length = rest.find(end)?;
        self.at += length + end.len_utf8();
        rest.get(..length)
    }

    /// The operator of a parameter expansion.
    pub(crate) fn take_operator(&mut self) -> &'t str {
        let rest = self.rest();
        for operator in [
            ":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,", "-", "=", "?", "+", "#", "%", "/", "^",
            ",", ":", "@",
        ] {
            if rest.starts_with(operator) {
                self.at += operator.len();
                return operator;
            }
        }
        ""
    }

    /// The code up to the parenthesis that closes the one just read.
    pub(crate) fn until_paren(&mut self) -> Option<String> {
        let start = self.at;
        self.skip_code(')')?;
        self.text.get(start..self.at - 1).map(str::to_owned)
    }

    /// The code up to the brace that closes the one just read.
    pub(crate) fn until_brace(&mut self) -> Option<String> {
        let start = self.at;
        self.skip_code('}')?;
        self.text.get(start..self.at - 1).map(str::to_owned)
    }

    /// The text up to the bracket that closes the one just read.
    pub(crate) fn until_bracket(&mut self) -> Option<String> {
        let start = self.at;
        self.skip_code(']')?;
        self.text.get(start..self.at - 1).map(str::to_owned)
    }

    /// Skips code up to and with the mark that closes it.
    fn skip_code(&mut self, end: char) -> Option<()> {
        let mut stack = vec![end];
        let mut documents: Vec<(String, bool)> = Vec::new();
        let mut is_word_start = true;
        let mut is_command_start = true;
        // Where a `case` stands open: its patterns end with a bracket that closes nothing.
        let mut cases: Vec<usize> = Vec::new();
        while let Some(character) = self.bump() {
            let was_word_start = std::mem::replace(&mut is_word_start, false);
            if end == ')' && was_word_start && character.is_ascii_alphabetic() {
                let rest = self.rest();
                let length = rest.find(|next: char| !next.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let tail = rest.get(..length).unwrap_or_default();
                match (character, tail) {
                    ('c', "ase") if is_command_start => cases.push(stack.len()),
                    ('e', "sac") if is_command_start && cases.last() == Some(&stack.len()) => {
                        cases.pop();
                    }
                    ('d', "o") | ('t', "hen") | ('e', "lse" | "lif") | ('i', "f") | ('w', "hile") | ('u', "ntil") => {}
                    _ => is_command_start = false,
                }
            } else if matches!(character, ';' | '|' | '&' | '\n' | '(' | ')' | '{') {
                is_command_start = true;
            } else if !matches!(character, ' ' | '\t') {
                is_command_start = false;
            }
            if character == ')' && end == ')' && cases.last() == Some(&stack.len()) {
                is_word_start = true;
                continue;
            }
            match character {
                '\\' => {
                    self.bump();
                }
                '\'' => {
                    self.until('\'')?;
                }
                '"' => self.skip_string()?,
                '`' => self.skip_backtick()?,
                '$' => match self.peek() {
                    Some('\'') => {
                        self.bump();
                        super::ansi_c::read(self)?;
                    }
                    Some('(') => {
                        self.bump();
                        self.skip_code(')')?;
                    }
                    Some('{') => {
                        self.bump();
                        self.skip_code('}')?;
                    }
                    _ => {}
                },
                '#' if was_word_start && end == ')' => {
                    self.take_while(|next| next != '\n');
                }
                '<' if self.peek() == Some('<') && end == ')' => {
                    self.bump();
                    if self.peek() == Some('<') {
                        self.bump();
                    } else {
                        documents.push(self.delimiter());
                    }
                }
                '\n' if !documents.is_empty() => {
                    for (delimiter, strips_tabs) in documents.drain(..) {
                        self.skip_document(&delimiter, strips_tabs);
                    }
                    is_word_start = true;
                }
                '(' if end != '}' => stack.push(')'),
                '{' if end == '}' => stack.push('}'),
                '[' if end == ']' => stack.push(']'),
                closing if stack.last() == Some(&closing) => {
                    stack.pop();
                    if stack.is_empty() {
                        return Some(());
                    }
                }
                ' ' | '\t' | '\n' | ';' | '|' | '&' => is_word_start = true,
                _ => {}
            }
            if character == '(' {
                is_word_start = true;
            }
        }
        None
    }

    fn skip_string(&mut self) -> Option<()> {
        loop {
            match self.bump()? {
                '"' => return Some(()),
                '\\' => {
                    self.bump();
                }
                '`' => self.skip_backtick()?,
                '$' => match self.peek() {
                    Some('(') => {
                        self.bump();
                        self.skip_code(')')?;
                    }
                    Some('{') => {
                        self.bump();
                        self.skip_code('}')?;
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    fn skip_backtick(&mut self) -> Option<()> {
        loop {
            match self.bump()? {
                '`' => return Some(()),
                '\\' => {
                    self.bump();
                }
                _ => {}
            }
        }
    }

    /// The delimiter of a here-document; the operator is read up to its second mark.
    fn delimiter(&mut self) -> (String, bool) {
        let strips_tabs = self.peek() == Some('-');
        if strips_tabs {
            self.bump();
        }
        self.take_while(|next| next == ' ' || next == '\t');
        let raw = self.take_while(|next| !" \t\n;|&<>()".contains(next));
        (raw.replace(['\'', '"', '\\'], ""), strips_tabs)
    }

    fn skip_document(&mut self, delimiter: &str, strips_tabs: bool) {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return;
            }
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            self.at = (self.at + length + 1).min(self.text.len());
            let shown = if strips_tabs { line.trim_start_matches('\t') } else { line };
            if shown == delimiter {
                return;
            }
        }
    }
}
