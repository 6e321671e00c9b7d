//! Finding tools by a text: which words a text is looked for by, and how well a tool fits.
//!
//! A tool fits because words are shared. How often it was used, and for which task, puts finds in an order and
//! makes none of them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use crate::manifest::{Manifest, search_text};
use crate::words;

/// How many words of a text are looked for.
const MOST_WORDS: usize = 48;
/// How much of a text is looked at, in characters.
const CHARACTERS: usize = 2000;
/// The longest text that is also looked for as a whole, in characters.
const LONGEST_WHOLE: usize = 200;
/// A part of a word is at least this long; shorter ones are in half of all texts.
const SHORTEST_PIECE: usize = 4;

/// What share of the words is there.
const FOR_WORDS: u32 = 5000;
/// What share of the tool's name was named.
const FOR_NAME: u32 = 3500;
/// Whether the text is there as a whole.
const FOR_WHOLE: u32 = 1500;

/// How well a tool fits, in ten-thousandths; nought when nothing is shared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Relevance(u16);

impl Relevance {
    /// From ten-thousandths.
    pub const fn from_ten_thousandths(value: u16) -> Self {
        Self(value)
    }

    /// In ten-thousandths.
    pub const fn ten_thousandths(self) -> u16 {
        self.0
    }

    /// As a fraction.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }
}

/// A word as it stands, and without its ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub form: String,
    pub stem: String,
}

/// A text to find tools by.
#[derive(Clone, PartialEq, Eq)]
pub struct Query {
    words: Vec<Word>,
    whole: String,
}

/// A query may be a prompt, which is nobody's to print.
impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({} words)", self.words.len())
    }
}

impl Query {
    /// The first words of a text that carry a subject.
    pub fn of(text: &str) -> Self {
        let beginning: String = text.chars().take(CHARACTERS).collect();
        let lower = beginning.to_lowercase();
        let words = words::search_words(&lower, MOST_WORDS);
        let whole = lower.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_short = text.len() == beginning.len() && whole.chars().count() <= LONGEST_WHOLE;
        Self { words, whole: if is_short { whole } else { String::new() } }
    }

    /// Whether there is nothing to look for.
    pub const fn is_blank(&self) -> bool {
        self.words.is_empty() && self.whole.is_empty()
    }

    /// The words to look up, each once. An index takes the endings off Latin letters by itself; words of other
    /// scripts are given without them too.
    pub fn words(&self) -> Vec<&str> {
        let all = self.words.iter().flat_map(|word| {
            let stem = (!word.form.is_ascii()).then_some(word.stem.as_str());
            [Some(word.form.as_str()), stem].into_iter().flatten()
        });
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The parts of words to look up: the text as a whole and each longer word.
    pub fn pieces(&self) -> Vec<&str> {
        let long = self.words.iter().map(|word| word.form.as_str()).filter(|form| is_piece(form));
        [self.whole.as_str()].into_iter().filter(|whole| !whole.is_empty()).chain(long).collect()
    }
}

/// The words of a tool, as an index keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolWords {
    /// The words of its name without their endings, with blanks between.
    pub name: String,
    /// All its words, as they stand and without their endings, with blanks between.
    pub all: String,
    /// All of its text in lower case, on one line.
    pub plain: String,
}

impl ToolWords {
    /// The words of a tool.
    pub fn of(manifest: &Manifest) -> Self {
        let text = search_text(manifest);
        let plain = [text.name.as_str(), &text.description, &text.tags, &text.triggers, &text.task]
            .iter()
            .flat_map(|part| part.split_whitespace())
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase();
        let all = words::search_words(&plain, usize::MAX);
        let all: BTreeSet<&str> = all.iter().flat_map(|word| [word.form.as_str(), word.stem.as_str()]).collect();
        let name = words::search_words(&manifest.name.to_lowercase(), usize::MAX);
        let name: BTreeSet<&str> = name.iter().map(|word| word.stem.as_str()).collect();
        Self { name: joined(&name), all: joined(&all), plain }
    }
}

fn joined(words: &BTreeSet<&str>) -> String {
    words.iter().copied().collect::<Vec<_>>().join(" ")
}

fn is_piece(form: &str) -> bool {
    form.chars().count() >= SHORTEST_PIECE
}

/// How well a tool fits a query: which share of the words it has, how much of its name was named, and whether it
/// has the text as a whole.
pub fn relevance(query: &Query, name: &str, all: &str, plain: &str) -> Relevance {
    let known: HashSet<&str> = all.split(' ').collect();
    let mut tenths = 0;
    for word in &query.words {
        if known.contains(word.stem.as_str()) || known.contains(word.form.as_str()) {
            tenths += 10;
        } else if is_piece(&word.form) && plain.contains(&word.form) {
            tenths += 6;
        }
    }
    let named: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let is_named = |stem: &&&str| query.words.iter().any(|word| word.stem == **stem);
    let fit = Fit { tenths, named: count(named.iter().filter(is_named).count()), name: count(named.len()) };
    let has_whole = query.whole.chars().count() >= 3 && plain.contains(&query.whole);
    fit.weigh(query, if has_whole { FOR_WHOLE } else { 0 })
}

/// What a tool shares with a query.
#[derive(Debug, Clone, Copy, Default)]
struct Fit {
    /// Ten for each word of the query that the tool has, less for a part of one.
    tenths: u32,
    /// How many words of the tool's name the query has.
    named: u32,
    /// How many words the name has.
    name: u32,
}

impl Fit {
    fn weigh(self, query: &Query, for_whole: u32) -> Relevance {
        let share = |part: u32, of: u32, weight: u32| (part * weight).checked_div(of).unwrap_or_default();
        let sum = share(self.tenths, 10 * count(query.words.len()), FOR_WORDS)
            // One word in common is not much, even when it is all of the name.
            + share(self.named, self.name.max(2), FOR_NAME)
            + for_whole;
        Relevance(u16::try_from(sum.min(10_000)).unwrap_or(10_000))
    }
}

/// The words of a few hundred tools in memory, for suggestions that nobody waits for.
#[derive(Debug, Clone, Default)]
pub struct WordIndex {
    by_word: HashMap<String, Vec<usize>>,
    by_name: HashMap<String, Vec<usize>>,
    /// How many words the name of each tool has.
    names: Vec<u32>,
}

impl WordIndex {
    /// The index of these tools: the words of each one's name and all its words, as [`ToolWords`] has them.
    pub fn of<'a>(tools: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut index = Self::default();
        for (place, (name, all)) in tools.enumerate() {
            for word in all.split(' ').filter(|word| !word.is_empty()) {
                index.by_word.entry(word.to_owned()).or_default().push(place);
            }
            let mut length = 0;
            for word in name.split(' ').filter(|word| !word.is_empty()) {
                index.by_name.entry(word.to_owned()).or_default().push(place);
                length += 1;
            }
            index.names.push(length);
        }
        index
    }

    /// The places of the tools that share a word with the query, with how well each fits; parts of words count for
    /// nothing here.
    pub fn fits(&self, query: &Query) -> Vec<(usize, Relevance)> {
        let mut fits: HashMap<usize, Fit> = HashMap::new();
        let mut stems = HashSet::new();
        for word in &query.words {
            let hits = |text: &str| self.by_word.get(text).map(Vec::as_slice).unwrap_or_default();
            let (by_stem, by_form) = (hits(&word.stem), hits(&word.form));
            // A tool that has both has the word once; the lists are in order.
            let by_form_alone = by_form.iter().filter(|place| by_stem.binary_search(place).is_err());
            for place in by_stem.iter().chain(by_form_alone) {
                fits.entry(*place).or_default().tenths += 10;
            }
            // Two words of the query may have one stem, and the name has it once.
            if stems.insert(word.stem.as_str()) {
                for place in self.by_name.get(&word.stem).map(Vec::as_slice).unwrap_or_default() {
                    fits.entry(*place).or_default().named += 1;
                }
            }
        }
        fits.into_iter()
            .map(|(place, fit)| {
                let name = self.names.get(place).copied().unwrap_or_default();
                (place, Fit { name, ..fit }.weigh(query, 0))
            })
            .collect()
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const NAME: &str = "Release Notes";
    const TEXT: &str = "release notes release-notes writes what was merged for the users of a version";

    fn fit(text: &str, name: &str, plain: &str) -> u16 {
        let all = words::search_words(plain, usize::MAX);
        let all: BTreeSet<&str> = all.iter().flat_map(|word| [word.form.as_str(), word.stem.as_str()]).collect();
        let name = words::search_words(&name.to_lowercase(), usize::MAX);
        let name: BTreeSet<&str> = name.iter().map(|word| word.stem.as_str()).collect();
        relevance(&Query::of(text), &joined(&name), &joined(&all), plain).ten_thousandths()
    }

    #[test]
    fn the_name_fits_wholly() {
        assert_eq!(fit("release notes", NAME, TEXT), 10_000);
        assert_eq!(fit("Note the releases", NAME, TEXT), 8500);
    }

    #[rstest]
    #[case("kubernetes ingress")]
    #[case("the and of it")]
    #[case("сводка по выпуску")]
    #[case("")]
    fn a_29_nothing_shared_is_nothing(#[case] text: &str) {
        assert_eq!(fit(text, NAME, TEXT), 0);
    }

    #[test]
    fn a_long_text_that_shares_a_word_by_chance_hardly_fits_and_one_that_names_the_tool_does() {
        let filler = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma";
        assert!(fit(&format!("{filler} version"), NAME, TEXT) < 500);
        assert!(fit(&format!("{filler} write release notes"), NAME, TEXT) > 3500);
    }

    #[test]
    fn other_scripts_have_words_without_endings_and_pieces() {
        assert!(fit("напиши заметку выпуска", "Заметки выпуска", "заметки выпуска пишет заметки") > 5000);
        assert!(fit("发布说明", "发布说明", "发布说明 总结合并的内容") > 9000);
        assert!(fit("发布", "发布说明", "发布说明 总结合并的内容") > 2000);
    }

    #[test]
    fn a_part_of_a_word_fits_less_than_the_word() {
        let (part, whole) = (
            fit("kuberne", "Cluster", "cluster for kubernetes"),
            fit("kubernetes", "Cluster", "cluster for kubernetes"),
        );
        assert!(part > 0 && part < whole, "{part} {whole}");
    }

    #[test]
    fn the_index_in_memory_says_what_the_words_say() {
        let texts = [
            ("Release Notes", TEXT),
            ("Port check", "port check looks at open ports of a server"),
            ("Заметки выпуска", "заметки выпуска пишет заметки"),
            ("发布说明", "发布说明 总结合并的内容"),
        ];
        let tools: Vec<(String, String)> = texts
            .iter()
            .map(|(name, plain)| {
                let words = |text: &str| words::search_words(text, usize::MAX);
                let (name, all) = (words(&name.to_lowercase()), words(plain));
                let all: BTreeSet<&str> = all.iter().flat_map(|w| [w.form.as_str(), w.stem.as_str()]).collect();
                let name: BTreeSet<&str> = name.iter().map(|w| w.stem.as_str()).collect();
                (joined(&name), joined(&all))
            })
            .collect();
        let index = WordIndex::of(tools.iter().map(|(name, all)| (name.as_str(), all.as_str())));
        let long = "unrelated words beside it, more of them than the tool has ".repeat(5);
        for text in
            ["check ports and notes", "port ports PORT", "напиши заметку выпуска", "请写发布说明吧好吗", "kubernetes"]
        {
            let query = Query::of(&format!("{text} {long}"));
            let mut fits = index.fits(&query);
            fits.sort_unstable();
            let slow = |(place, (name, all)): (usize, &(String, String))| {
                // Without the text itself, only whole words count.
                Some((place, relevance(&query, name, all, ""))).filter(|(_, fit)| *fit > Relevance::default())
            };
            assert_eq!(fits, tools.iter().enumerate().filter_map(slow).collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn words_that_look_like_keys_are_not_looked_for() {
        let query = Query::of("the sk-proj-planted00000000 for release");
        assert_eq!(query.words(), ["release"]);
        assert_eq!(Query::of("заметки").words(), ["заметк", "заметки"]);
        assert_eq!(format!("{query:?}"), "Query(1 words)");
    }
}
