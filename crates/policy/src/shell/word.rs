//! A raw word of the shell taken apart into its pieces: text, parameters, substitutions.
//!
//! The grammar yields words with their quotes and escapes; what is data and what is code is decided here.

use super::cursor::Cursor;

/// Why a word could not be read; the caller asks the human.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// One piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text after quote removal.
    Text { text: String, is_quoted: bool },
    /// A tilde with the name behind it.
    Tilde(String),
    /// A parameter with what is done to it.
    Parameter { name: String, is_quoted: bool, form: Form },
    /// A command substitution; its text is code.
    Command { text: String, is_quoted: bool },
    /// A process substitution; its text is code.
    Process { text: String },
    /// An arithmetic expansion.
    Arithmetic { text: String },
}

/// What an expansion does to its parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// The value as it is.
    Plain,
    /// The length or the number: digits only.
    Number,
    /// A default, alternative or error word.
    Default(Vec<Piece>),
    /// A default that is assigned.
    Assign(Vec<Piece>),
    /// A pattern, slice or change of case, with the words in it.
    Edit(Vec<Piece>),
    /// The value is expanded again as a prompt, which runs what it holds.
    Prompt,
    /// The value names the variable to read.
    Indirect,
}

/// Which quoting rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A word of a command.
    Word,
    /// The inside of double quotes.
    Quoted,
    /// The body of a here-document whose delimiter is not quoted.
    Document,
}

/// Takes `raw` apart.
pub(crate) fn parse(raw: &str, mode: Mode) -> Result<Vec<Piece>, Broken> {
    let mut reader = Reader { cursor: Cursor::new(raw), pieces: Vec::new(), depth: 0 };
    match mode {
        Mode::Word => reader.word(None)?,
        Mode::Quoted => reader.quoted(None, true)?,
        Mode::Document => reader.quoted(None, false)?,
    }
    Ok(reader.pieces)
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    pieces: Vec<Piece>,
    depth: u8,
}

const MAX_DEPTH: u8 = 24;

impl Reader<'_> {
    fn text(&mut self, character: char, is_quoted: bool) {
        if let Some(Piece::Text { text, is_quoted: same }) = self.pieces.last_mut()
            && *same == is_quoted
        {
            text.push(character);
            return;
        }
        self.pieces.push(Piece::Text { text: character.to_string(), is_quoted });
    }

    fn mark_quoted(&mut self) {
        // An empty pair of quotes makes a word, so it must leave a trace.
        self.pieces.push(Piece::Text { text: String::new(), is_quoted: true });
    }

    /// Unquoted text, up to `end` when it is given (the brace of a parameter).
    fn word(&mut self, end: Option<char>) -> Result<(), Broken> {
        let start = self.cursor.at;
        while let Some(character) = self.cursor.peek() {
            if Some(character) == end {
                return Ok(());
            }
            self.cursor.bump();
            match character {
                '\\' => match self.cursor.bump() {
                    Some('\n') => {}
                    Some(next) => self.text(next, true),
                    None => self.text('\\', true),
                },
                '\'' => {
                    let inside = self.cursor.until('\'').ok_or(Broken)?;
                    self.pieces.push(Piece::Text { text: inside.to_owned(), is_quoted: true });
                }
                '"' => {
                    self.mark_quoted();
                    self.quoted(Some('"'), true)?;
                    self.cursor.bump().ok_or(Broken)?;
                }
                '$' => self.dollar(false)?,
                '`' => self.backtick(false)?,
                '~' if self.cursor.at == start + 1 && end.is_none() => self.tilde(),
                '<' | '>' if self.cursor.peek() == Some('(') && end.is_none() => {
                    self.cursor.bump();
                    let text = self.cursor.until_paren().ok_or(Broken)?;
                    self.pieces.push(Piece::Process { text });
                }
                '?' | '*' | '+' | '@' | '!' if self.cursor.peek() == Some('(') && end.is_none() => {
                    // An extended pattern: what stands in it is matched, not run.
                    self.text('*', false);
                    self.cursor.bump();
                    let inside = self.cursor.until_paren().ok_or(Broken)?;
                    self.nested(&inside, Mode::Quoted)?;
                }
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' if end.is_none() => return Err(Broken),
                other => self.text(other, false),
            }
        }
        if end.is_some() { Err(Broken) } else { Ok(()) }
    }

    /// Text in which only `$`, backtick and some escapes are special.
    fn quoted(&mut self, end: Option<char>, is_string: bool) -> Result<(), Broken> {
        while let Some(character) = self.cursor.peek() {
            if Some(character) == end {
                return Ok(());
            }
            self.cursor.bump();
            match character {
                '\\' => match self.cursor.peek() {
                    Some('\n') => {
                        self.cursor.bump();
                    }
                    Some(next) if matches!(next, '$' | '`' | '\\') || (next == '"' && is_string) => {
                        self.cursor.bump();
                        self.text(next, true);
                    }
                    _ => self.text('\\', true),
                },
                '$' => self.dollar(true)?,
                '`' => self.backtick(true)?,
                other => self.text(other, true),
            }
        }
        if end.is_some() { Err(Broken) } else { Ok(()) }
    }

    fn nested(&mut self, text: &str, mode: Mode) -> Result<(), Broken> {
        for piece in parse(text, mode)? {
            if !matches!(piece, Piece::Text { .. }) {
                self.pieces.push(piece);
            }
        }
        Ok(())
    }

    fn tilde(&mut self) {
        let name =
            self.cursor.take_while(|next| next.is_alphanumeric() || matches!(next, '_' | '-' | '.' | '+')).to_owned();
        match self.cursor.peek() {
            None | Some('/' | ':') => self.pieces.push(Piece::Tilde(name)),
            Some(_) => {
                self.text('~', false);
                for character in name.chars() {
                    self.text(character, false);
                }
            }
        }
    }

    fn backtick(&mut self, is_quoted: bool) -> Result<(), Broken> {
        let mut text = String::new();
        loop {
            match self.cursor.bump().ok_or(Broken)? {
                '`' => break,
                '\\' => match self.cursor.bump().ok_or(Broken)? {
                    next @ ('`' | '\\' | '$') => text.push(next),
                    '"' if is_quoted => text.push('"'),
                    next => {
                        text.push('\\');
                        text.push(next);
                    }
                },
                other => text.push(other),
            }
        }
        self.pieces.push(Piece::Command { text, is_quoted });
        Ok(())
    }

    fn dollar(&mut self, is_quoted: bool) -> Result<(), Broken> {
        while self.cursor.rest().starts_with("\\\n") {
            self.cursor.at += 2;
        }
        match self.cursor.peek() {
            Some('(') => {
                self.cursor.bump();
                let text = self.cursor.until_paren().ok_or(Broken)?;
                match arithmetic(&text) {
                    Some(inside) => self.pieces.push(Piece::Arithmetic { text: inside.to_owned() }),
                    None => self.pieces.push(Piece::Command { text, is_quoted }),
                }
            }
            Some('[') => {
                self.cursor.bump();
                let text = self.cursor.until(']').ok_or(Broken)?.to_owned();
                self.pieces.push(Piece::Arithmetic { text });
            }
            Some('{') => {
                self.cursor.bump();
                self.brace(is_quoted)?;
            }
            Some('\'') if !is_quoted => {
                self.cursor.bump();
                let text = super::ansi_c::read(&mut self.cursor).ok_or(Broken)?;
                self.pieces.push(Piece::Text { text, is_quoted: true });
            }
            Some('"') if !is_quoted => {
                self.cursor.bump();
                self.mark_quoted();
                self.quoted(Some('"'), true)?;
                self.cursor.bump().ok_or(Broken)?;
            }
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                let name = self.cursor.take_while(|next| next.is_ascii_alphanumeric() || next == '_').to_owned();
                self.pieces.push(Piece::Parameter { name, is_quoted, form: Form::Plain });
            }
            Some(special) if special.is_ascii_digit() || "@*#?-$!".contains(special) => {
                self.cursor.bump();
                let form = if "#?$!".contains(special) { Form::Number } else { Form::Plain };
                self.pieces.push(Piece::Parameter { name: special.to_string(), is_quoted, form });
            }
            _ => self.text('$', is_quoted),
        }
        Ok(())
    }

    /// The inside of `${…}`; the opening brace is read.
    fn brace(&mut self, is_quoted: bool) -> Result<(), Broken> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Broken);
        }
        if matches!(self.cursor.peek(), Some(' ' | '\t' | '\n' | '|')) {
            // The newest shells run `${ command; }` in place.
            self.cursor.bump();
            let text = self.cursor.until_brace().ok_or(Broken)?;
            self.pieces.push(Piece::Command { text, is_quoted });
            self.depth -= 1;
            return Ok(());
        }
        let is_length = self.cursor.peek() == Some('#')
            && !matches!(self.cursor.second(), Some('}' | ':' | '-' | '=' | '+' | '?' | '%' | '#'));
        let is_indirect = self.cursor.peek() == Some('!') && self.cursor.second() != Some('}');
        if is_length || is_indirect {
            self.cursor.bump();
        }
        let mut name = self.cursor.take_while(|next| next.is_ascii_alphanumeric() || next == '_').to_owned();
        if name.is_empty() {
            name = self.cursor.bump().filter(|next| "@*#?-$!".contains(*next)).ok_or(Broken)?.to_string();
        }
        let mut inner = Vec::new();
        // `${!a[@]}` gives the keys of an array and `${!a*}` the names that start so: neither reads what they hold.
        let mut lists = is_indirect && matches!(self.cursor.rest().get(..2), Some("@}" | "*}"));
        if lists {
            self.cursor.bump();
        }
        if self.cursor.peek() == Some('[') {
            self.cursor.bump();
            let index = self.cursor.until_bracket().ok_or(Broken)?;
            lists |= is_indirect && matches!(index.as_str(), "@" | "*") && self.cursor.peek() == Some('}');
            if index != "@" && index != "*" && index.parse::<u32>().is_err() {
                inner = parse(&index, Mode::Quoted)?;
                // An index is arithmetic, and arithmetic runs what a variable holds.
                if index.chars().any(|next| next.is_ascii_alphabetic()) {
                    self.pieces.push(Piece::Arithmetic { text: index });
                }
            }
            name.push_str("[]");
        }
        let operator = self.cursor.take_operator();
        let kept = std::mem::take(&mut self.pieces);
        if is_quoted {
            self.operand(true)?;
        } else {
            self.operand(false)?;
        }
        self.cursor.bump().ok_or(Broken)?;
        let operand = std::mem::replace(&mut self.pieces, kept);
        inner.extend(operand);
        let form = match operator {
            _ if is_length => Form::Number,
            "@" if inner.iter().any(|piece| matches!(piece, Piece::Text { text, .. } if text.contains(['P', 'E']))) => {
                Form::Prompt
            }
            _ if lists => Form::Edit(inner),
            _ if is_indirect => Form::Indirect,
            "" if inner.is_empty() => Form::Plain,
            ":-" | "-" | ":+" | "+" | ":?" | "?" => Form::Default(inner),
            ":=" | "=" => Form::Assign(inner),
            _ => Form::Edit(inner),
        };
        self.pieces.push(Piece::Parameter { name, is_quoted, form });
        self.depth -= 1;
        Ok(())
    }

    /// The word behind the operator, up to the closing brace.
    fn operand(&mut self, is_quoted: bool) -> Result<(), Broken> {
        if !is_quoted {
            return self.word(Some('}'));
        }
        while let Some(character) = self.cursor.peek() {
            match character {
                '}' => return Ok(()),
                '"' => {
                    self.cursor.bump();
                    self.quoted(Some('"'), true)?;
                    self.cursor.bump().ok_or(Broken)?;
                }
                '\\' => {
                    self.cursor.bump();
                    if let Some(next) = self.cursor.bump() {
                        self.text(next, true);
                    }
                }
                '$' => {
                    self.cursor.bump();
                    self.dollar(true)?;
                }
                '`' => {
                    self.cursor.bump();
                    self.backtick(true)?;
                }
                other => {
                    self.cursor.bump();
                    self.text(other, true);
                }
            }
        }
        Err(Broken)
    }
}

/// The expression when the text between `$(` and `)` is itself one parenthesis.
fn arithmetic(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('(')?;
    let mut cursor = Cursor::new(inside);
    let body = cursor.until_paren()?;
    cursor.rest().is_empty().then(|| inside.get(..body.len())).flatten()
}
