//! `awk`: programs that write files, run commands or open connections.

use std::collections::BTreeMap;

use super::{Look, Walker};
use crate::arg::{Arg, Flow, UNKNOWN};
use crate::options::Grammar;
use crate::walk::state::State;

const AWK: Grammar =
    Grammar::stopping("FvfeiblE", &["field-separator", "assign", "file", "source", "include", "exec", "load"])
        .attached("dDoplL");

impl Walker<'_> {
    pub(super) fn awk(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&AWK);
        let mut codes = parsed.values('e', "source");
        let mut has_file = false;
        for option in &parsed.options {
            if option.is('f', "file") || option.is('E', "exec") && (!option.is_long || option.name.len() > 1) {
                has_file = true;
                let at = option.at;
                look.must_spell(at);
                if option.value.as_ref().is_some_and(|value| value.text != option_tail(look.text(at))) {
                    look.must_spell(at + 1);
                }
                let is_input = option.value.as_ref().is_some_and(|value| value.text == "-");
                let flow = option.value.as_ref().and_then(|value| super::super::held(value, &look.stdin, state));
                match flow.or_else(|| is_input.then(|| look.stdin.clone())) {
                    Some(Flow::Network) => self.deny("network pipe to shell", "`awk` would run a fetched program"),
                    Some(Flow::Literal(text)) => codes.push(Arg::literal(text)),
                    _ => {}
                }
            }
            if option.is('l', "load") || !option.is_long && option.name == "l" {
                self.ask("option that executes", "`awk` loads an extension");
            }
            if (option.is('i', "include") && option.name != "in")
                && option.value.as_ref().is_some_and(|value| value.text.starts_with("inplace"))
            {
                look.must_spell(option.at);
                for at in parsed.operands.iter().skip(1) {
                    let arg = look.args.get(*at).cloned().unwrap_or_default();
                    self.writes_purposely(look, &arg, state);
                }
            } else if option.is('i', "include") && option.value.is_some() {
                self.ask("option that executes", "`awk` includes a file");
            }
            let is_dump = !option.is_long && matches!(option.name.as_str(), "d" | "o" | "p")
                || option.is_long
                    && ["dump-variables", "pretty-print", "profile"]
                        .iter()
                        .any(|name| name.starts_with(&option.name) && option.name.len() > 1);
            if is_dump {
                let value = option.value.clone().unwrap_or_else(|| Arg::literal("awkvars.out"));
                self.writes_aside(look, &value, state);
            }
        }
        if !has_file
            && codes.is_empty()
            && let Some(at) = parsed.operands.first()
        {
            codes.extend(look.args.get(*at).cloned());
        }
        for code in codes {
            if code.is_dynamic {
                self.ask("dynamic code", "the program of `awk` is known at run time only");
            }
            let text = code.code.clone().unwrap_or_else(|| code.text.replace(UNKNOWN, "x"));
            self.awk_code(look, &text, state);
        }
        look.names_only = false;
        // Its options end at the program, so that no later word can be one.
        let program = parsed.operands.first().and_then(|at| look.args.get(1..=*at));
        if program.is_some_and(|words| words.iter().all(Arg::is_static)) {
            look.care = super::super::Care::Harmless;
        }
    }

    fn awk_code(&mut self, look: &mut Look, text: &str, state: &State) {
        let tokens = tokens(text);
        let mut in_output = false;
        let mut values = assigned(look, &tokens);
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            match token {
                Token::Name(name) if name == "system" => {
                    self.ask("option that executes", "the program of `awk` runs commands");
                    if let Some(Token::Text(code)) = tokens.get(at + 2) {
                        look.executes(code);
                        self.denied_in_code(code, &Flow::Nothing, state);
                    }
                }
                Token::Name(name) if name == "print" || name == "printf" => in_output = true,
                Token::Name(name) if name == "getline" => {
                    if let Some(Token::Mark('|')) = at.checked_sub(1).and_then(|at| tokens.get(at)) {
                        self.ask("option that executes", "the program of `awk` runs commands");
                        if let Some(Token::Text(code)) = at.checked_sub(2).and_then(|at| tokens.get(at)) {
                            look.executes(code);
                            self.denied_in_code(code, &Flow::Nothing, state);
                        }
                    }
                }
                Token::Name(name) if name.starts_with('@') => {
                    self.ask("option that executes", "the program of `awk` loads or calls what it names");
                }
                Token::Mark('|') if in_output => {
                    self.ask("option that executes", "the program of `awk` runs commands");
                    if let Some(Token::Text(code)) = next {
                        look.executes(code);
                        self.denied_in_code(code, &look.stdin.clone(), state);
                    }
                }
                Token::Mark('>') if in_output => match next {
                    Some(Token::Text(target)) => {
                        let is_whole =
                            !matches!(tokens.get(at + 2), Some(Token::Text(_) | Token::Name(_) | Token::Field));
                        let mut target = Arg::literal(target.clone());
                        target.is_dynamic = !is_whole;
                        self.writes_aside(look, &target, state);
                    }
                    _ => {
                        self.ask("write", "the program of `awk` writes files or compares without brackets");
                        let named = match next {
                            Some(Token::Name(name)) => values.remove(name).unwrap_or_default(),
                            _ => Vec::new(),
                        };
                        for value in named {
                            self.writes_aside(look, &Arg::literal(value), state);
                        }
                    }
                },
                Token::Mark(';' | '}' | '\n') => in_output = false,
                Token::Text(text) if text.starts_with("/inet") => {
                    self.ask("network", "the program of `awk` opens a connection");
                }
                _ => {}
            }
        }
    }
}

/// The texts that the variables of a program are given, in it and in the words of the command.
fn assigned(look: &Look, tokens: &[Token]) -> BTreeMap<String, Vec<String>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for window in tokens.windows(3) {
        if let [Token::Name(name), Token::Mark('='), Token::Text(text)] = window {
            values.entry(name.clone()).or_default().push(text.clone());
        }
    }
    for arg in look.args.iter().skip(1) {
        let word = arg.text.strip_prefix("--assign=").or_else(|| arg.text.strip_prefix("-v")).unwrap_or(&arg.text);
        if let Some((name, text)) = word.split_once('=') {
            let is_name = name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_');
            if is_name && !name.is_empty() {
                values.entry(name.to_owned()).or_default().push(text.to_owned());
            }
        }
    }
    values
}

fn option_tail(text: &str) -> &str {
    text.get(2..).unwrap_or_default()
}

#[derive(Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Field,
    Mark(char),
}

/// Cuts a program into names, strings and marks; brackets hide comparisons, so what stands in them is left out of marks.
fn tokens(text: &str) -> Vec<Token> {
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(next) = characters.get(at).copied() {
        at += 1;
        match next {
            '"' => {
                let mut inside = String::new();
                while let Some(character) = characters.get(at).copied() {
                    at += 1;
                    match character {
                        '"' => break,
                        '\\' => {
                            let escaped = characters.get(at).copied().unwrap_or_default();
                            inside.push(match escaped {
                                'n' => '\n',
                                't' => '\t',
                                other => other,
                            });
                            at += 1;
                        }
                        other => inside.push(other),
                    }
                }
                found.push(Token::Text(inside));
            }
            '#' => {
                while characters.get(at).is_some_and(|next| *next != '\n') {
                    at += 1;
                }
            }
            '/' if regex_may_start(found.last()) => {
                let start = at;
                loop {
                    match characters.get(at).copied() {
                        Some('\\') => at += 2,
                        Some('/') => {
                            at += 1;
                            found.push(Token::Field);
                            break;
                        }
                        None | Some('\n') => {
                            at = start;
                            break;
                        }
                        Some(_) => at += 1,
                    }
                }
            }
            '(' => {
                depth += 1;
                found.push(Token::Mark('('));
            }
            ')' => {
                depth = depth.saturating_sub(1);
                found.push(Token::Mark(')'));
            }
            '>' => {
                while characters.get(at) == Some(&'>') {
                    at += 1;
                }
                if characters.get(at) == Some(&'=') {
                    at += 1;
                } else if depth == 0 {
                    found.push(Token::Mark('>'));
                }
            }
            '|' => {
                if characters.get(at) == Some(&'|') {
                    at += 1;
                } else {
                    if characters.get(at) == Some(&'&') {
                        at += 1;
                    }
                    found.push(Token::Mark('|'));
                }
            }
            ';' | '{' | '\n' => found.push(Token::Mark(if next == '{' { ';' } else { next })),
            '}' => found.push(Token::Mark('}')),
            '$' => found.push(Token::Field),
            '@' => {
                let mut name = String::from('@');
                while let Some(more) = characters.get(at).copied().filter(|next| next.is_alphanumeric() || *next == '_')
                {
                    name.push(more);
                    at += 1;
                }
                found.push(Token::Name(name));
            }
            first if first.is_alphabetic() || first == '_' => {
                let mut name = String::from(first);
                while let Some(more) = characters.get(at).copied().filter(|next| next.is_alphanumeric() || *next == '_')
                {
                    name.push(more);
                    at += 1;
                }
                found.push(Token::Name(name));
            }
            digit if digit.is_ascii_digit() => found.push(Token::Field),
            // Behind these, but for the last, a slash opens a pattern. `++` and `--` stay out: a division may follow.
            '~' | '!' | ',' | '&' | '=' | '<' | '?' | ':' | '*' | '%' | '^' | ']' => found.push(Token::Mark(next)),
            _ => {}
        }
    }
    found
}

fn regex_may_start(last: Option<&Token>) -> bool {
    !matches!(last, Some(Token::Name(_) | Token::Field | Token::Text(_) | Token::Mark(')' | ']')))
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    #[test]
    fn comparisons_in_brackets_and_patterns_are_no_writes() {
        for plain in ["{ if ($1 > 5) print $2 }", "/a>b/ {print}", "{print \"a > b\"}", "{print ($1 >= 3)}"] {
            assert!(!tokens(plain).contains(&Token::Mark('>')), "{plain}");
        }
        assert!(tokens("{print > \"x\"}").contains(&Token::Mark('>')));
        for piped in ["{y = a[x++] / 2; print \"x\" | \"sh\"; z = 1 / 2}", "{y = x-- / 2; print | \"sh\"; z = 1 / 2}"] {
            assert!(tokens(piped).contains(&Token::Mark('|')), "{piped}");
        }
        for pattern in ["$1 ~ /system/ {print}", "!/system/", "a && /b|c/", "f = x ? /a|b/ : 1"] {
            let found = tokens(pattern);
            assert!(!found.contains(&Token::Name("system".to_owned())), "{pattern}");
            assert!(!found.contains(&Token::Mark('|')), "{pattern}");
        }
    }
}
