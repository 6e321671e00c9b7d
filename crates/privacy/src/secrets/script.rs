//! Names of passwords in other scripts: `пароль: …`, `密码：…`.
//!
//! The words of the gate are plain ASCII, which keeps its table small, so these have an automaton of their own. It runs
//! over texts with other characters alone.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::Reading;
use super::label::Promise;
use super::value::{Form, is_secret, looks_secret};
use crate::shadow::Shadow;

/// What people call a password, a code of access, a secret, in small letters.
const NAMES: &[&str] = &[
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
    "паролем",
    "парола",
    "Парола",
    "лозинка",
    "Лозинка",
    "κωδικός",
    "Κωδικός",
    "κωδικο",
    "συνθηματικό",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "パスワード",
    "暗証番号",
    "合言葉",
    "비밀번호",
    "암호",
    "패스워드",
    "كلمة المرور",
    "كلمة السر",
    "كلمة سر",
    "رمز عبور",
    "گذرواژه",
    "پاس ورڈ",
    "סיסמה",
    "סיסמא",
    "पासवर्ड",
    "पासवर्ड",
    "পাসওয়ার্ড",
    "கடவுச்சொல்",
    "รหัสผ่าน",
    "պարոլ",
    "პაროლი",
];

/// What people call a key or a token: a long word with digits behind it is one.
const KEYS: &[&str] = &[
    "токен",
    "Токен",
    "ключ",
    "Ключ",
    "секрет",
    "Секрет",
    "令牌",
    "秘钥",
    "访问密钥",
    "トークン",
    "キー",
    "シークレット",
    "토큰",
    "시크릿",
    "API 키",
    "مفتاح",
    "אסימון",
    "מפתח",
    "κλειδί",
];

/// What people call a code for one use: some digits behind it are one.
const CODES: &[&str] = &[
    "код",
    "Код",
    "验证码",
    "驗證碼",
    "校验码",
    "認証コード",
    "確認コード",
    "認証番号",
    "인증번호",
    "인증 코드",
    "확인 코드",
    "رمز التحقق",
    "קוד אימות",
    "รหัส OTP",
];

/// The names as a shadow reads them.
#[expect(clippy::expect_used, reason = "BUG: the table is fixed and within the limits of the automaton")]
static AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let names = NAMES.iter().chain(KEYS).chain(CODES).map(|name| Shadow::of(name).text().to_owned());
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(names)
        .expect("BUG: the table of names makes an automaton")
});

/// So far behind its name, in words of the same script, a value is looked for.
const NEAR: usize = 64;

impl Reading<'_> {
    /// Every name of a password in another script, and the value behind it.
    pub(super) fn scripts(&mut self) {
        if self.text.is_ascii() {
            return;
        }
        let mut done = 0;
        for found in AUTOMATON.find_iter(self.text) {
            if found.start() < done {
                continue;
            }
            done = found.end();
            let name = found.pattern().as_usize();
            let is_key = (NAMES.len()..NAMES.len() + KEYS.len()).contains(&name);
            if name >= NAMES.len() + KEYS.len() {
                if let Some((start, end)) = self.code_in_script(found.end()) {
                    done = end;
                    self.push_secret(start, end, "one-time-code");
                }
            } else if let Some((start, end)) =
                self.value_in_script(found.end()).filter(|(start, end)| !is_key || self.is_key_in_script(*start, *end))
            {
                done = end;
                self.push_secret(start, end, "assignment");
            }
        }
    }

    /// The value behind words of the same script, a sign or none.
    fn value_in_script(&self, from: usize) -> Option<(usize, usize)> {
        let mut has_sign = false;
        // Words and particles of the script, some of which a shadow reads in Latin letters.
        let words = self.run_within(from, NEAR, |byte| byte >= 0x80 || matches!(byte, b' ' | b'(' | b')'));
        let mut at = from + words;
        let letters = self.run_within(at, NEAR, |byte| !matches!(byte, b':' | b'=' | b'\n' | b'"' | b'`'));
        let between = self.text.get(at..at + letters).unwrap_or_default();
        if letters < NEAR
            && matches!(self.byte(at + letters), Some(b':' | b'='))
            && !between.chars().any(char::is_numeric)
        {
            at += letters;
        }
        if matches!(self.byte(at), Some(b':' | b'=')) {
            has_sign = true;
            at += 1;
        }
        at = self.skip_blanks(at, NEAR);
        let quote = self.byte(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let start = at + usize::from(quote.is_some());
        let length = self.run_within(start, NEAR, |byte| byte.is_ascii_graphic() && Some(byte) != quote);
        let value = self.text.get(start..start + length)?;
        let value = if quote.is_some() { value } else { value.trim_end_matches(['.', ',', ';', ')', '"', '\'']) };
        let is_value = if has_sign || quote.is_some() { value.len() >= 4 } else { looks_secret(value) };
        let is_accepted = is_value && is_secret(value, Promise::Password, Form::Bare);
        is_accepted.then_some((start, start + value.len()))
    }

    fn is_key_in_script(&self, start: usize, end: usize) -> bool {
        const SHORTEST: usize = 16;
        self.text.get(start..end).is_some_and(|text| {
            text.len() >= SHORTEST && looks_secret(text) && is_secret(text, Promise::Hint, Form::Bare)
        })
    }

    /// Four to eight digits behind words of the same script, with a sign or none.
    fn code_in_script(&self, from: usize) -> Option<(usize, usize)> {
        let words = self.run_within(from, NEAR, |byte| byte >= 0x80 || byte.is_ascii_alphabetic() || byte == b' ');
        let mut at = from + words;
        if matches!(self.byte(at), Some(b':' | b'=')) {
            at = self.skip_blanks(at + 1, NEAR);
        }
        let digits = self.run_within(at, 9, |byte| byte.is_ascii_digit());
        let is_end = !matches!(self.byte(at + digits), Some(byte) if byte.is_ascii_alphanumeric() || byte == b'.');
        ((4..=8).contains(&digits) && is_end).then_some((at, at + digits))
    }
}
