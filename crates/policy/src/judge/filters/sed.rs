//! `sed`: in-place edits, and the commands of its scripts that write files or run a shell.

use super::{Care, Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::Grammar;
use crate::walk::state::State;

const SED: Grammar = Grammar::new("efl", &["expression", "file", "line-length"]).attached("i");

/// What a script does.
#[derive(Debug, Default)]
struct Script {
    writes: Vec<String>,
    runs: Vec<String>,
    reads: Vec<String>,
    is_unclear: bool,
}

impl Walker<'_> {
    pub(super) fn sed(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&SED);
        let in_place = parsed.has('i', "in-place");
        let mut scripts = parsed.values('e', "expression");
        let files = parsed.values('f', "file");
        let mut operands = parsed.operands.clone();
        if scripts.is_empty() && files.is_empty() && !operands.is_empty() {
            let at = operands.remove(0);
            scripts.extend(look.args.get(at).cloned());
        }
        for option in &parsed.options {
            if option.is('f', "file") {
                look.must_spell(option.at);
                let is_input = option.value.as_ref().is_some_and(|value| value.text == "-");
                let flow = option.value.as_ref().and_then(|value| super::super::held(value, &look.stdin, state));
                match flow.or_else(|| is_input.then(|| look.stdin.clone())) {
                    Some(Flow::Network) => self.deny("network pipe to shell", "`sed` would run a fetched script"),
                    Some(Flow::Literal(text)) => scripts.push(Arg::literal(text)),
                    Some(_) => self.ask("dynamic code", "`sed` would run a script that is known at run time only"),
                    None => {}
                }
            }
        }
        for script in &scripts {
            if script.is_dynamic {
                self.dynamic_script(script);
            }
            let text = script.code.clone().unwrap_or_else(|| script.text.clone());
            let found = read(&text);
            for target in found.writes {
                self.writes_aside(look, &Arg::literal(target), state);
            }
            for target in found.reads {
                self.read_file(&Arg::literal(target), state);
            }
            for code in found.runs {
                self.ask("option that executes", "the script of `sed` runs a shell");
                look.executes(&code);
                self.denied_in_code(&code, &Flow::Nothing, state);
            }
            if found.is_unclear && text.contains(['w', 'W', 'e']) && !parsed.has('\0', "sandbox") {
                self.ask("unclear script", "the script of `sed` cannot be read to its end");
            }
        }
        if in_place {
            for at in operands {
                let arg = look.args.get(at).cloned().unwrap_or_default();
                self.writes_purposely(look, &arg, state);
            }
            if let Some(at) = parsed.at('i', "in-place") {
                look.must_spell(at);
            }
        }
        look.care = Care::Careful;
    }

    fn dynamic_script(&mut self, script: &Arg) {
        self.ask("dynamic code", "the script is known at run time only");
        let _ = script;
    }
}

/// Reads a script as far as it goes.
fn read(text: &str) -> Script {
    let mut script = Script::default();
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        match skip_address(&characters, at) {
            Some(next) => at = next,
            None => {
                script.is_unclear = true;
                return script;
            }
        }
        let Some(command) = characters.get(at).copied() else { return script };
        at += 1;
        match command {
            's' => match substitution(&characters, at, &mut script) {
                Some(next) => at = next,
                None => {
                    script.is_unclear = true;
                    return script;
                }
            },
            'y' => match delimited(&characters, at, 2) {
                Some((next, _)) => at = next,
                None => {
                    script.is_unclear = true;
                    return script;
                }
            },
            'w' | 'W' => {
                let (next, name) = line(&characters, at);
                script.writes.push(name);
                at = next;
            }
            'r' | 'R' => {
                let (next, name) = line(&characters, at);
                script.reads.push(name);
                at = next;
            }
            'e' => {
                let (next, code) = line(&characters, at);
                script.runs.push(code);
                at = next;
            }
            'a' | 'i' | 'c' => at = text_block(&characters, at),
            'b' | 't' | 'T' | ':' | 'v' => {
                while characters.get(at).is_some_and(|next| !matches!(next, '\n' | ';' | '}')) {
                    at += 1;
                }
            }
            '#' => at = line(&characters, at).0,
            'q' | 'Q' | 'l' | 'L' => {
                while characters.get(at).is_some_and(|next| next.is_ascii_digit() || *next == ' ') {
                    at += 1;
                }
            }
            '{' | '}' | ';' | '\n' | ' ' | '\t' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P'
            | 'x' | 'z' | 'F' => {}
            _ => {
                script.is_unclear = true;
                return script;
            }
        }
    }
    script
}

fn line(characters: &[char], at: usize) -> (usize, String) {
    let rest = characters.get(at..).unwrap_or_default();
    let length = rest.iter().position(|next| *next == '\n').unwrap_or(rest.len());
    let text: String = rest.get(..length).unwrap_or_default().iter().collect();
    (at + length, text.trim().to_owned())
}

fn text_block(characters: &[char], mut at: usize) -> usize {
    while let Some(next) = characters.get(at) {
        if *next == '\\' {
            at += 2;
            continue;
        }
        if *next == '\n' {
            break;
        }
        at += 1;
    }
    at
}

fn skip_address(characters: &[char], mut at: usize) -> Option<usize> {
    loop {
        match characters.get(at).copied() {
            Some(' ' | '\t' | '\n' | ';' | '{' | '}') => at += 1,
            Some('0'..='9' | '$' | ',' | '!' | '~' | '+' | 'I' | 'M') => at += 1,
            Some('/') => at = pattern_end(characters, at + 1, '/')?,
            Some('\\') => {
                let mark = characters.get(at + 1).copied()?;
                at = pattern_end(characters, at + 2, mark)?;
            }
            _ => return Some(at),
        }
    }
}

fn pattern_end(characters: &[char], mut at: usize, mark: char) -> Option<usize> {
    let mut in_set = false;
    loop {
        let next = characters.get(at).copied()?;
        match next {
            '\\' => at += 1,
            '[' if !in_set => {
                in_set = true;
                if characters.get(at + 1) == Some(&'^') {
                    at += 1;
                }
                if characters.get(at + 1) == Some(&']') {
                    at += 1;
                }
            }
            ']' => in_set = false,
            _ if next == mark && !in_set => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

fn delimited(characters: &[char], at: usize, parts: usize) -> Option<(usize, char)> {
    let mark = characters.get(at).copied()?;
    let mut at = at + 1;
    for part in 0..parts {
        if part == 0 {
            at = pattern_end(characters, at, mark)?;
            continue;
        }
        loop {
            let next = characters.get(at).copied()?;
            at += 1;
            if next == '\\' {
                at += 1;
            } else if next == mark {
                break;
            }
        }
    }
    Some((at, mark))
}

fn substitution(characters: &[char], at: usize, script: &mut Script) -> Option<usize> {
    let mark = characters.get(at).copied()?;
    let replacement = pattern_end(characters, at + 1, mark)?;
    let (mut at, _) = delimited(characters, at, 2)?;
    let end = at.saturating_sub(1);
    while let Some(flag) = characters.get(at).copied() {
        match flag {
            'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' | ' ' => at += 1,
            'e' => {
                // What runs is the whole line; what is put into it is all of it that is known.
                script.runs.push(characters.get(replacement..end).unwrap_or_default().iter().collect());
                at += 1;
            }
            'w' => {
                let (next, name) = line(characters, at + 1);
                script.writes.push(name);
                return Some(next);
            }
            _ => break,
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn scripts_show_what_they_write_and_run() {
        assert_eq!(read("s/x/y/w out.txt").writes, vec!["out.txt"]);
        assert_eq!(read("1e id").runs, vec!["id"]);
        assert_eq!(read("/a\\/b/,$w /etc/x").writes, vec!["/etc/x"]);
        assert_eq!(read("s|a|id|e").runs, vec!["id"]);
        assert_eq!(read("s/[/]/ls x/ge").runs, vec!["ls x"]);
        for plain in [
            "s/we/ew/g",
            "/error/p",
            "2,5d",
            "s/[/]w/x/",
            "a\\\nw x",
            "$!N;P;D",
            "/start/,/end/{s/w/e/;p}",
            "y/abc/wex/",
        ] {
            let script = read(plain);
            assert!(script.writes.is_empty() && script.runs.is_empty() && !script.is_unclear, "{plain}: {script:?}");
        }
    }
}
