//! The options of interpreters, some of which carry their value in the same word only, and the texts that code quotes.

use crate::arg::Arg;
use crate::judge::Look;
use crate::options::{Grammar, parse};

/// Reads options with a grammar whose parts are put together at run time.
pub(super) fn owned_parse(look: &Look, values: &str, long: &[&'static str], base: &Grammar) -> crate::options::Parsed {
    let attached: &'static str = match look.name.trim_end_matches(|next: char| next.is_ascii_digit() || next == '.') {
        "perl" => "0lCDFIMmix",
        "ruby" => "iFxKTW0C",
        _ => "",
    };
    let mut plain = *base;
    plain.attached = attached;
    let mut parsed = crate::options::Parsed::default();
    let mut at = 1;
    while let Some(arg) = look.args.get(at) {
        let text = arg.text.as_str();
        if text == "--" {
            parsed.operands.extend(at + 1..look.args.len());
            parsed.has_end = true;
            return parsed;
        }
        if text == "-" || !text.starts_with('-') {
            parsed.operands.extend(at..look.args.len());
            return parsed;
        }
        if let Some(body) = text.strip_prefix("--") {
            let one = parse(&[Arg::default(), arg.clone()], &plain);
            let mut option = one.options.into_iter().next();
            let takes = !body.contains('=')
                && long.iter().any(|name| *name == body || body.len() > 2 && name.starts_with(body));
            if let Some(option) = &mut option {
                option.at = at;
                if takes {
                    option.value = look.args.get(at + 1).cloned();
                    at += 1;
                }
            }
            parsed.options.extend(option);
            at += 1;
            continue;
        }
        at += short_bundle(look, at, values, attached, &mut parsed);
        at += 1;
    }
    parsed
}

fn short_bundle(look: &Look, at: usize, values: &str, attached: &str, parsed: &mut crate::options::Parsed) -> usize {
    let Some(arg) = look.args.get(at) else { return 0 };
    for (index, letter) in arg.text.char_indices().skip(1) {
        let behind = index + letter.len_utf8();
        let has_rest = behind < arg.text.len();
        let name = letter.to_string();
        if attached.contains(letter) {
            let is_number = matches!(letter, '0' | 'l' | 'C' | 'D');
            let rest = arg.text.get(behind..).unwrap_or_default();
            if is_number || letter == 'i' && (rest.starts_with('e') || rest.starts_with('n') || rest.starts_with('p')) {
                parsed.options.push(crate::options::Opt { name, is_long: false, value: None, at });
                continue;
            }
            let value = has_rest.then(|| arg.tail(behind));
            let needs_next = !has_rest && matches!(letter, 'I' | 'M' | 'm' | 'F');
            let taken = usize::from(needs_next);
            let value = if needs_next { look.args.get(at + 1).cloned() } else { value };
            parsed.options.push(crate::options::Opt { name, is_long: false, value, at });
            return taken;
        }
        if values.contains(letter) {
            let value = if has_rest { Some(arg.tail(behind)) } else { look.args.get(at + 1).cloned() };
            let taken = usize::from(!has_rest && value.is_some());
            parsed.options.push(crate::options::Opt { name, is_long: false, value, at });
            return taken;
        }
        parsed.options.push(crate::options::Opt { name, is_long: false, value: None, at });
    }
    0
}

/// The texts in quotes that a piece of code holds.
pub(super) fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut characters = code.chars();
    while let Some(next) = characters.next() {
        if !matches!(next, '\'' | '"' | '`') {
            continue;
        }
        let mut inside = String::new();
        while let Some(character) = characters.next() {
            if character == next {
                break;
            }
            if character == '\\' {
                inside.extend(characters.next());
            } else {
                inside.push(character);
            }
        }
        if !inside.is_empty() {
            found.push(inside);
        }
    }
    found
}
