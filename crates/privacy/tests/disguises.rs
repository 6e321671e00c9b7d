//! A token is hidden however it is written, and what only looks like a disguise stays.
//!
//! Tokens are made here, so that nothing in this file can be taken for a leak.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::fmt::Write as _;

use lwa_privacy::{Exposure, Scrubber, Vault, Visibility};
use rstest::rstest;

/// A token of one format with characters that change as they do by chance.
fn token() -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut token = ["AK", "IA"].concat();
    for _ in 0..16 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        token.push(char::from(letters[usize::try_from(state >> 33).unwrap() % letters.len()]));
    }
    token
}

fn scrubbed(text: &str) -> String {
    let exposure = Exposure::assist(Visibility::Open, Visibility::Masked);
    Scrubber::new().scrub(&mut Vault::new(), text, exposure).unwrap().text.into_owned()
}

fn each(token: &str, write: impl Fn(&mut String, u32)) -> String {
    token.chars().fold(String::new(), |mut text, character| {
        write(&mut text, u32::from(character));
        text
    })
}

fn base32(bytes: &[u8]) -> String {
    let bits = bytes.iter().fold(String::new(), |mut bits, byte| {
        write!(bits, "{byte:08b}").unwrap();
        bits
    });
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    bits.as_bytes()
        .chunks(5)
        .map(|chunk| {
            let value = chunk.iter().fold(0, |value, bit| value << 1 | usize::from(bit - b'0')) << (5 - chunk.len());
            char::from(digits[value])
        })
        .collect()
}

#[test]
fn a_token_is_hidden_in_every_escape() {
    let token = token();
    let (head, tail) = token.split_at(9);
    let disguises = [
        each(&token, |text, code| write!(text, "\\x{code:02x}").unwrap()),
        each(&token, |text, code| write!(text, "\\u{{{code:x}}}").unwrap()),
        each(&token, |text, code| write!(text, "\\{code:03o}").unwrap()),
        each(&token, |text, code| write!(text, "={code:02X}").unwrap()),
        each(&token, |text, code| write!(text, "&#{code};").unwrap()),
        format!("{head}X\u{8}{tail}"),
        format!("0x{}", each(&token, |text, code| write!(text, "{code:02x}").unwrap())),
        base32(token.as_bytes()),
        base32(token.as_bytes()).to_lowercase(),
        token.chars().map(String::from).collect::<Vec<_>>().join(" "),
    ];
    for disguise in disguises {
        let result = scrubbed(&format!("see \"{disguise}\" now"));
        assert_eq!(result, "see \"[SECRET-1]\" now", "{disguise}");
    }
    // Of what was struck twice, the first of all characters is gone already.
    let twice = each(&token, |text, code| {
        let character = char::from_u32(code).unwrap();
        write!(text, "{character}\u{8}{character}").unwrap();
    });
    assert_eq!(scrubbed(&format!("see {twice} now")), "see A\u{8}[SECRET-1] now");
    assert_eq!(scrubbed(&format!("^[[31m{token}^[[0m ok")), "^[[31m[SECRET-1]^[[0m ok");
}

#[test]
fn a_token_in_two_pieces_of_text_is_hidden_whole() {
    let token = token();
    let (head, tail) = token.split_at(9);
    for gap in ["\" + \"", "\"\n     \"", "' . '", "=\n", "=\r\n"] {
        let result = scrubbed(&format!("x = {head}{gap}{tail} z"));
        assert!(!result.contains(head) && !result.contains(tail), "{gap:?}: {result}");
    }
    let long = format!("sk-ant-{}", each(&token, |text, code| write!(text, "{code:02x}").unwrap()));
    let (head, tail) = long.split_at(30);
    assert_eq!(scrubbed(&format!("(\"{head}\" + \"{tail}\")")), "(\"[SECRET-1]\")");
}

#[test]
fn the_label_of_a_password_is_read_in_every_escape() {
    for template in [
        "\\x22password\\x22:\\x22‹v›\\x22,",
        "api\\_key: ‹v›",
        "password&colon; ‹v›",
        "\u{70}\u{8}password=‹v›",
        "password\\u{3d}‹v›",
    ] {
        let value = ["Kettle", "Drum", "77x"].concat();
        let result = scrubbed(&template.replace("‹v›", &value));
        assert!(!result.contains(&value), "{result}");
    }
}

#[test]
fn a_token_of_a_bot_is_hidden_without_a_label() {
    // The number of an account in base64, a time, a signature.
    let token =
        format!("{}{}.{}.{}", "MTI2NTU3ODc3", "MzY2NTU0NzIy", "GsQEM0", "vvv7NsenIkQQvCrQqhiZHoDPPSzcBbskC3XNG3");
    assert_eq!(scrubbed(&format!("runs as {token} today")), "runs as [SECRET-1] today");
    let letters = ["hf", "_", "CjJLpVzxRdmCaRKNyKnQuDevaQXpoAjwdh"].concat();
    assert_eq!(scrubbed(&format!("push {letters} done")), "push [SECRET-1] done");
}

#[rstest]
#[case("a\\-b\\_c and C:\\_build\\-out\\x")]
#[case("\"\\x1b[31mred\\x1b[0m\" and '\\033[1m'")]
#[case("IFRAME ONE TWO MFRGGZDFMZTWQ2LK")]
#[case("abcdefghijklmnopqrstuvwxyzabcdef")]
#[case("a=41 b=42=43 c=44 and sum=4069bc12de45")]
#[case("h f _ is a b c d e f")]
#[case("s k - i p p e d 1 2 of them")]
#[case("\u{8}\u{8} back \u{8}")]
#[case("hf_ThisIsTheNameOfAFunctionInOurCodeBase")]
fn what_only_looks_like_a_disguise_stays(#[case] text: &str) {
    for exposure in [Exposure::pii(), Exposure::assist(Visibility::Open, Visibility::Masked)] {
        let result = Scrubber::new().scrub(&mut Vault::new(), text, exposure).unwrap();
        assert_eq!(result.text, text);
    }
}
