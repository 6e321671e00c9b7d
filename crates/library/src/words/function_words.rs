//! Words that carry grammar and no subject, in the languages that people are likeliest to write in.
//! They are left out of features, and they tell which language a text in Latin letters is in.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::Algorithm;

/// With fewer function words than this, a text in Latin letters counts as English.
const ENOUGH: usize = 2;

/// Function words of one language in Latin letters, with its rules for endings.
const LATIN: &[(Algorithm, &[&str])] = &[
    (
        Algorithm::English,
        &[
            "the", "and", "for", "with", "that", "this", "from", "are", "was", "were", "have", "has", "had", "not",
            "but", "you", "your", "our", "their", "its", "his", "her", "they", "them", "what", "which", "who", "when",
            "where", "how", "why", "all", "any", "can", "could", "should", "would", "will", "into", "onto", "than",
            "then", "there", "here", "about", "please", "also", "only", "each", "some", "such", "very", "just", "been",
            "being", "does", "did", "these", "those", "over", "under", "between", "it", "is", "in", "of", "to", "a",
            "an", "on", "as",
        ],
    ),
    (
        Algorithm::German,
        &[
            "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "und", "oder", "aber",
            "nicht", "ist", "sind", "war", "mit", "von", "für", "auf", "aus", "bei", "nach", "wie", "was", "wer",
            "ich", "wir", "sie", "dass", "auch", "noch", "nur", "bitte", "zum", "zur", "über", "kann", "wird",
            "werden", "haben", "diese", "dieser", "dieses", "im", "zu", "es",
        ],
    ),
    (
        Algorithm::French,
        &[
            "les", "des", "une", "est", "sont", "dans", "pour", "avec", "sur", "pas", "que", "qui", "quoi", "mais",
            "nous", "vous", "ils", "elle", "elles", "leur", "cette", "ces", "aux", "par", "plus", "comme", "tout",
            "tous", "être", "avoir", "fait", "sans", "sous", "entre", "aussi", "le", "la", "du", "et", "un", "ce",
        ],
    ),
    (
        Algorithm::Spanish,
        &[
            "los", "las", "una", "unos", "unas", "del", "que", "por", "para", "con", "sin", "sobre", "entre", "pero",
            "como", "más", "este", "esta", "estos", "estas", "ese", "esa", "son", "está", "están", "ser", "hay", "muy",
            "también", "cuando", "donde", "todo", "todos", "nos", "sus", "el", "la", "y", "en", "un",
        ],
    ),
    (
        Algorithm::Italian,
        &[
            "gli", "una", "uno", "del", "della", "delle", "dei", "degli", "che", "per", "con", "non", "sono", "come",
            "più", "questo", "questa", "questi", "queste", "nel", "nella", "alla", "alle", "dal", "dalla", "sul",
            "sulla", "anche", "ma", "il", "lo", "e", "di", "è",
        ],
    ),
    (
        Algorithm::Portuguese,
        &[
            "uma", "umas", "uns", "dos", "das", "que", "para", "com", "sem", "por", "mas", "mais", "como", "não",
            "são", "este", "esta", "isto", "esse", "essa", "nos", "nas", "pelo", "pela", "também", "quando", "onde",
            "muito", "ser", "está", "o", "os", "as", "em", "um", "do", "da",
        ],
    ),
    (
        Algorithm::Dutch,
        &[
            "het", "een", "van", "voor", "met", "niet", "zijn", "was", "aan", "ook", "maar", "door", "over", "bij",
            "naar", "als", "dan", "dat", "deze", "dit", "die", "wat", "wie", "hoe", "wordt", "worden", "heeft",
            "hebben", "kan", "alle", "geen", "nog", "graag", "de", "en", "te", "op",
        ],
    ),
];

/// Function words of other scripts, whose script already tells the language.
const OTHERS: &[&str] = &[
    "это",
    "эта",
    "этот",
    "эти",
    "как",
    "что",
    "для",
    "или",
    "при",
    "над",
    "под",
    "без",
    "его",
    "она",
    "они",
    "оно",
    "мне",
    "нас",
    "вас",
    "был",
    "была",
    "было",
    "были",
    "есть",
    "если",
    "чтобы",
    "также",
    "только",
    "уже",
    "еще",
    "ещё",
    "где",
    "когда",
    "пожалуйста",
    "який",
    "яка",
    "що",
    "так",
    "але",
    "του",
    "της",
    "των",
    "και",
    "για",
    "από",
    "στο",
    "στη",
    "στην",
    "είναι",
    "που",
    "هذا",
    "هذه",
    "على",
    "إلى",
    "من",
    "التي",
    "الذي",
];

/// All of them. A preparation asks for every word of a prompt's beginning, and the lists are long.
static ALL: LazyLock<HashSet<&str>> =
    LazyLock::new(|| LATIN.iter().flat_map(|(_, words)| words.iter()).chain(OTHERS).copied().collect());

/// Whether a word carries no subject in any of the languages.
pub(super) fn holds(word: &str) -> bool {
    ALL.contains(word)
}

/// The language of a text in Latin letters, by its function words; none when there are no words.
pub(super) fn language(words: &[&str]) -> Option<Algorithm> {
    if words.is_empty() {
        return None;
    }
    let hits = |list: &[&str]| words.iter().filter(|word| list.contains(word)).count();
    let mut best = (0, Algorithm::English);
    for (algorithm, list) in LATIN {
        let count = hits(list);
        // The first of equals stays, so English wins a draw.
        if count > best.0 {
            best = (count, *algorithm);
        }
    }
    Some(if best.0 >= ENOUGH { best.1 } else { Algorithm::English })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("please write the notes for this release", Algorithm::English)]
    #[case("schreibe die Notizen für das Release", Algorithm::German)]
    #[case("écris les notes de la version pour nous", Algorithm::French)]
    #[case("escribe las notas del lanzamiento para los clientes", Algorithm::Spanish)]
    #[case("release", Algorithm::English)]
    fn the_language_is_known_by_its_function_words(#[case] text: &str, #[case] expected: Algorithm) {
        let words: Vec<&str> = text.split(' ').collect();
        assert_eq!(language(&words), Some(expected));
    }
}
