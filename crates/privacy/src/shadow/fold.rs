//! One character as the plain character that it looks like.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Characters of scripts that never look like a Latin letter or a digit, which skips the lookup.
pub(crate) fn is_plain(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FFFD}')
}

/// Characters without any width or effect of their own.
fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Letters of other scripts that are drawn like a Latin letter, and Latin letters without a decomposition.
fn look_alike(character: char) -> Option<&'static str> {
    Some(match character {
        'А' | 'Α' => "A",
        'В' | 'Β' => "B",
        'С' | 'Ϲ' => "C",
        'Е' | 'Ε' => "E",
        'Н' | 'Η' => "H",
        'І' | 'Ι' | 'Ӏ' => "I",
        'Ј' => "J",
        'К' | 'Κ' => "K",
        'М' | 'Μ' => "M",
        'Ν' => "N",
        'О' | 'Ο' | 'Օ' | 'Ø' => "O",
        'Р' | 'Ρ' => "P",
        'Ѕ' => "S",
        'Т' | 'Τ' => "T",
        'Υ' | 'Ү' => "Y",
        'Х' | 'Χ' => "X",
        'Ζ' => "Z",
        'а' | 'ɑ' | 'α' => "a",
        'с' | 'ϲ' => "c",
        'ԁ' | 'đ' | 'ð' => "d",
        'е' | 'ҽ' => "e",
        'ɡ' => "g",
        'һ' | 'հ' | 'ħ' => "h",
        'і' | 'ı' | 'ɩ' | 'ι' => "i",
        'ј' | 'ϳ' => "j",
        'ӏ' | 'ǀ' | 'ł' => "l",
        'ո' => "n",
        'о' | 'ο' | 'օ' | 'ø' => "o",
        'р' | 'ρ' => "p",
        'ԛ' => "q",
        'ѕ' => "s",
        'υ' | 'ս' => "u",
        'ν' | 'ѵ' => "v",
        'ԝ' | 'ѡ' => "w",
        'х' | 'χ' => "x",
        'у' | 'γ' | 'ү' => "y",
        'ᴢ' => "z",
        'Ł' => "L",
        'Đ' | 'Ð' => "D",
        'þ' => "th",
        'Þ' => "Th",
        'ß' => "ss",
        'æ' => "ae",
        'Æ' => "Ae",
        'œ' => "oe",
        'Œ' => "Oe",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}' => "-",
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{2BC}' => "'",
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '«' | '»' => "\"",
        '\u{2044}' | '\u{2215}' => "/",
        '\u{2024}' | '。' => ".",
        '【' => "[",
        '】' => "]",
        '\u{2028}' | '\u{2029}' | '\u{85}' => "\n",
        '\u{1680}' => " ",
        _ => return None,
    })
}

/// The value of a decimal digit in another script: the digits of a script stand in blocks of ten.
fn digit(character: char) -> Option<char> {
    const ZEROES: [u32; 30] = [
        0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20,
        0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0,
    ];
    let code = u32::from(character);
    ZEROES.iter().find_map(|&zero| (zero..zero + 10).contains(&code).then(|| char::from_digit(code - zero, 10)))?
}

/// Writes what a character reads as; nothing for a character without a reading.
pub(crate) fn fold_into(character: char, text: &mut String) {
    if character.is_ascii() {
        text.push(character);
    } else if is_ignorable(character) || is_combining_mark(character) {
        // Nothing to read.
    } else if let Some(plain) = look_alike(character) {
        text.push_str(plain);
    } else if let Some(plain) = digit(character) {
        text.push(plain);
    } else {
        decompose_compatible(character, |part| {
            if is_ignorable(part) || is_combining_mark(part) {
                return;
            }
            match look_alike(part) {
                Some(plain) => text.push_str(plain),
                None => text.push(part),
            }
        });
    }
}
