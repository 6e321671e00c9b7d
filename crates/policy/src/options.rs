//! The options of a command as the usual readers take them: bundles, attached values, abbreviated long names.

use crate::arg::Arg;

/// Which options of a program take a value.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Grammar {
    /// Short options whose value is the rest of the bundle or the next word.
    pub(crate) values: &'static str,
    /// Short options whose optional value can only be the rest of the bundle.
    pub(crate) attached: &'static str,
    /// Long options, without dashes, whose value is the next word unless it is attached.
    pub(crate) long: &'static [&'static str],
    /// Long options without a value whose whole name is the beginning of one with a value.
    pub(crate) flags: &'static [&'static str],
    /// Options end at the first operand.
    pub(crate) stops: bool,
}

impl Grammar {
    /// Short options with values and long options with values.
    pub(crate) const fn new(values: &'static str, long: &'static [&'static str]) -> Self {
        Self { values, attached: "", long, flags: &[], stops: false }
    }

    /// Options end at the first operand.
    pub(crate) const fn stopping(values: &'static str, long: &'static [&'static str]) -> Self {
        Self { values, attached: "", long, flags: &[], stops: true }
    }

    /// The same with short options whose value is always attached.
    pub(crate) const fn attached(self, attached: &'static str) -> Self {
        Self { attached, ..self }
    }

    /// The same with long options that stand for themselves.
    pub(crate) const fn flags(self, flags: &'static [&'static str]) -> Self {
        Self { flags, ..self }
    }
}

/// One option.
#[derive(Debug, Clone)]
pub(crate) struct Opt {
    /// `r` for a short option, `recursive` for a long one.
    pub(crate) name: String,
    /// Whether it stood behind two dashes.
    pub(crate) is_long: bool,
    /// Its value.
    pub(crate) value: Option<Arg>,
    /// The word it stands in.
    pub(crate) at: usize,
}

impl Opt {
    /// Whether this is the short option `short` or the long option `long`, which may be abbreviated.
    pub(crate) fn is(&self, short: char, long: &str) -> bool {
        if self.is_long {
            !long.is_empty() && !self.name.is_empty() && long.starts_with(&self.name)
        } else {
            short != '\0' && self.name.chars().eq(std::iter::once(short))
        }
    }
}

/// Options and operands of one command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parsed {
    /// The options in their order.
    pub(crate) options: Vec<Opt>,
    /// Where the operands stand among the words.
    pub(crate) operands: Vec<usize>,
    /// Whether `--` was there.
    pub(crate) has_end: bool,
}

impl Parsed {
    /// Whether the option is there.
    pub(crate) fn has(&self, short: char, long: &str) -> bool {
        self.options.iter().any(|option| option.is(short, long))
    }

    /// Whether one of the short options is there.
    pub(crate) fn has_short(&self, shorts: &str) -> bool {
        self.options.iter().any(|option| !option.is_long && shorts.contains(&option.name))
    }

    /// Writes abbreviated long names out, for programs whose options are told apart by their whole names.
    pub(crate) fn spell_out(mut self, grammar: &Grammar) -> Self {
        for option in self.options.iter_mut().filter(|option| option.is_long && option.name.len() > 1) {
            let is_whole =
                grammar.long.contains(&option.name.as_str()) || grammar.flags.contains(&option.name.as_str());
            if !is_whole && let Some(whole) = grammar.long.iter().find(|whole| whole.starts_with(&option.name)) {
                (*whole).clone_into(&mut option.name);
            }
        }
        self
    }

    /// The values of an option.
    pub(crate) fn values(&self, short: char, long: &str) -> Vec<Arg> {
        self.options.iter().filter(|option| option.is(short, long)).filter_map(|option| option.value.clone()).collect()
    }

    /// The word an option stands in.
    pub(crate) fn at(&self, short: char, long: &str) -> Option<usize> {
        self.options.iter().find(|option| option.is(short, long)).map(|option| option.at)
    }
}

/// Reads the words behind the program.
pub(crate) fn parse(args: &[Arg], grammar: &Grammar) -> Parsed {
    let mut parsed = Parsed::default();
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        if parsed.has_end || text == "-" || !text.starts_with('-') {
            parsed.operands.push(at);
            if grammar.stops {
                parsed.operands.extend(at + 1..args.len());
                return parsed;
            }
        } else if text == "--" {
            parsed.has_end = true;
            if grammar.stops {
                parsed.operands.extend(at + 1..args.len());
                return parsed;
            }
        } else if text.starts_with("--") {
            at += long(args, at, grammar, &mut parsed);
        } else {
            at += bundle(args, at, grammar, &mut parsed);
        }
        at += 1;
    }
    parsed
}

/// Reads a long option; gives how many further words it takes.
fn long(args: &[Arg], at: usize, grammar: &Grammar, parsed: &mut Parsed) -> usize {
    let Some(arg) = args.get(at) else { return 0 };
    let body = arg.text.get(2..).unwrap_or_default();
    if let Some((name, _)) = body.split_once('=') {
        let value = arg.tail(2 + name.len() + 1);
        parsed.options.push(Opt { name: name.to_owned(), is_long: true, value: Some(value), at });
        return 0;
    }
    let is_known = grammar.long.contains(&body);
    let is_start = !is_known
        && body.len() >= 3
        && !grammar.flags.contains(&body)
        && grammar.long.iter().any(|known| known.starts_with(body));
    let value = if is_known || is_start { args.get(at + 1).cloned() } else { None };
    let is_both = value.as_ref().is_some_and(|value| is_option(&value.text));
    let taken = usize::from(value.is_some() && !is_both);
    parsed.options.push(Opt { name: body.to_owned(), is_long: true, value, at });
    taken
}

/// Whether a word that stands where a value could stand looks like an option: it is then taken for both.
fn is_option(text: &str) -> bool {
    let body = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).unwrap_or_default();
    body.starts_with(|next: char| next.is_ascii_alphabetic()) && !text.contains([' ', '\t', '\n'])
}

/// Reads a bundle of short options; gives how many further words it takes.
fn bundle(args: &[Arg], at: usize, grammar: &Grammar, parsed: &mut Parsed) -> usize {
    let Some(arg) = args.get(at) else { return 0 };
    for (index, letter) in arg.text.char_indices().skip(1) {
        let behind = index + letter.len_utf8();
        let has_rest = behind < arg.text.len();
        let name = letter.to_string();
        if grammar.values.contains(letter) {
            let value = if has_rest { Some(arg.tail(behind)) } else { args.get(at + 1).cloned() };
            let is_both = value.as_ref().is_some_and(|value| is_option(&value.text));
            let taken = usize::from(!has_rest && value.is_some() && !is_both);
            parsed.options.push(Opt { name, is_long: false, value, at });
            return taken;
        }
        if grammar.attached.contains(letter) {
            let value = has_rest.then(|| arg.tail(behind));
            parsed.options.push(Opt { name, is_long: false, value, at });
            return 0;
        }
        parsed.options.push(Opt { name, is_long: false, value: None, at });
    }
    0
}

#[cfg(test)]
mod tests {
    use super::{Grammar, parse};
    use crate::arg::Arg;

    #[test]
    fn bundles_values_and_abbreviations_are_read() {
        let args: Vec<Arg> = ["tar", "-xzfa.tar", "--to-com", "id", "-C", "/d", "--", "-x"].map(Arg::literal).to_vec();
        let parsed = parse(&args, &Grammar::new("fC", &["to-command"]));
        assert!(parsed.has('z', ""));
        assert_eq!(parsed.values('f', "file").first().map(|arg| arg.text.as_str()), Some("a.tar"));
        assert_eq!(parsed.values('\0', "to-command").first().map(|arg| arg.text.as_str()), Some("id"));
        assert_eq!(parsed.operands, vec![7]);
    }

    #[test]
    fn a_word_that_could_be_an_option_is_not_lost_as_a_value() {
        let args: Vec<Arg> = ["curl", "--head", "-b", "-o", "x", "--data-r", "-K"].map(Arg::literal).to_vec();
        let grammar = Grammar::new("boK", &["header", "data-raw"]).flags(&["head"]);
        let parsed = parse(&args, &grammar);
        assert!(parsed.has('\0', "head"));
        assert_eq!(parsed.values('b', "").first().map(|arg| arg.text.as_str()), Some("-o"));
        assert_eq!(parsed.values('o', "").first().map(|arg| arg.text.as_str()), Some("x"));
        assert_eq!(parsed.values('\0', "data-raw").first().map(|arg| arg.text.as_str()), Some("-K"));
        assert!(parsed.has('K', ""));
        let spelled = parse(&args, &grammar).spell_out(&grammar);
        assert!(spelled.options.iter().any(|option| option.name == "data-raw"));
        assert!(spelled.options.iter().any(|option| option.name == "head"));
    }
}
