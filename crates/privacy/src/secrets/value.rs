//! Decides whether a value can be a secret, or only points at one, names a type, or is a word of code.

use super::label::Promise;
use super::prefix::is_filler;

/// How the value stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Between quotes.
    Quoted,
    /// Up to the next blank.
    Bare,
}

/// States and stand-ins that documents and logs write where a secret would be, in small letters and in order.
const STAND_INS: &[&str] = &[
    "&str",
    "accepted",
    "admin-only",
    "always",
    "and",
    "any",
    "apikey",
    "array",
    "asc",
    "async",
    "auto",
    "await",
    "basic",
    "bearer",
    "bool",
    "boolean",
    "byte",
    "bytes",
    "can't",
    "cannot",
    "change-me",
    "change_me",
    "changed",
    "changeme",
    "char",
    "compat",
    "const",
    "default",
    "denied",
    "desc",
    "dict",
    "digest",
    "disabled",
    "does",
    "dummy",
    "empty",
    "enabled",
    "ensure",
    "env",
    "environ",
    "example",
    "expected",
    "expired",
    "failed",
    "failure",
    "false",
    "field",
    "file",
    "files",
    "fn",
    "for",
    "from",
    "function",
    "has",
    "hidden",
    "in",
    "incorrect",
    "inherit",
    "input",
    "int",
    "integer",
    "invalid",
    "is",
    "it",
    "jwt",
    "key",
    "keychain",
    "lambda",
    "let",
    "list",
    "manual",
    "map",
    "masked",
    "mismatch",
    "missing",
    "must",
    "mypassword",
    "n/a",
    "na",
    "negotiate",
    "never",
    "new",
    "nil",
    "no",
    "none",
    "none,",
    "not",
    "null",
    "number",
    "oauth",
    "oauth2",
    "object",
    "ok",
    "omitted",
    "optional",
    "or",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "pending",
    "placeholder",
    "please",
    "private",
    "prompt",
    "protected",
    "pub",
    "public",
    "pwd",
    "read",
    "received",
    "redacted",
    "rejected",
    "removed",
    "required",
    "required.",
    "reset",
    "return",
    "rotated",
    "saml",
    "sample",
    "secret",
    "self",
    "should",
    "sss",
    "static",
    "stdin",
    "str",
    "string",
    "success",
    "tbd",
    "test",
    "text",
    "the",
    "this",
    "to",
    "todo",
    "token",
    "true",
    "type",
    "u8",
    "unchanged",
    "undefined",
    "unknown",
    "unset",
    "updated",
    "usize",
    "valid",
    "validated",
    "value",
    "var",
    "varchar",
    "void",
    "was",
    "will",
    "with",
    "write",
    "wrong",
    "xxx",
    "yes",
    "your-password",
    "yourpassword",
];

/// Beginnings of a reference to a secret that is kept elsewhere.
const REFERENCES: &[&str] = &[
    "os.environ",
    "process.env",
    "env:",
    "env.",
    "env(",
    "env[",
    "environ[",
    "system.getenv",
    "getenv",
    "secret://",
    "secrets.",
    "vault://",
    "vault:",
    "op://",
    "ssm:",
    "arn:",
    "file:",
    "http://",
    "https://",
    "!vault",
    "!ref",
    "!sub",
    "!getatt",
    "!secret",
    "enc[",
    "enc:",
    "data:",
    "var.",
    "local.",
    "module.",
    "self.",
    "this.",
    "config.",
    "settings.",
    "request.",
    "req.",
    "args.",
    "opts.",
    "options.",
    "ctx.",
    "params.",
    "props.",
    "state.",
    "keyring:",
    "keychain:",
    "aws-sm://",
    "gcp-sm://",
    "azure-kv://",
    "ref+",
    "conf.",
    "cfg.",
    "app.",
    "user.",
    "import.meta",
    "deno.env",
    "std::env",
    "env!",
    "option_env!",
    "credentials(",
    "projects/",
    "required|",
    "nullable|",
    "ref:",
    "base64:\\",
];

fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_letter(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// A value that looks like a credential by itself.
pub(crate) fn looks_secret(value: &str) -> bool {
    if value.len() < 5 {
        return false;
    }
    let parts = value.bytes().fold(0, |parts, byte| parts | PARTS[usize::from(byte)]);
    if value.len() == 5 {
        // Letters, a digit and a mark: `a=1&b` is none.
        return parts == LETTER | DIGIT | MARK && !value.contains(['=', '&', '?']);
    }
    (parts & LETTER != 0 && parts & (DIGIT | MARK) != 0)
        || (value.len() >= 16 && !value.contains(' ') && is_mixed(value))
}

const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const MARK: u8 = 4;

/// What a byte is a part of. Values are looked at often, so each byte is looked up once.
static PARTS: [u8; 256] = {
    const MARKS: &[u8] = b"!@#$%^&*+=?~";
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphabetic() {
            table[byte as usize] = LETTER;
        } else if byte.is_ascii_digit() {
            table[byte as usize] = DIGIT;
        }
        byte += 1;
    }
    let mut index = 0;
    while index < MARKS.len() {
        table[MARKS[index] as usize] = MARK;
        index += 1;
    }
    table
};

/// Both cases beyond the first letters of words.
fn is_mixed(value: &str) -> bool {
    let upper = value.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = value.bytes().filter(u8::is_ascii_lowercase).count();
    upper >= 4 && lower >= 4
}

/// A value that may be looked for elsewhere: not a word that stands in other places for itself.
pub(crate) fn is_distinctive(value: &str) -> bool {
    let has_mark = value.bytes().any(|byte| b"!@#$%^&*+=?~_".contains(&byte));
    value.len() >= 12
        || (value.len() >= 4 && has_letter(value) && (has_digit(value) || has_mark))
        || (value.len() >= 6 && has_digit(value))
}

/// `$NAME` or `%NAME%` as a whole, and not a password that starts with a dollar sign.
fn is_variable(value: &str) -> bool {
    if let Some(name) = value.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')) {
        return is_identifier(name);
    }
    let Some(name) = value.strip_prefix('$') else { return false };
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    is_identifier(name) && !has_digit(stem)
}

/// `Option<String>`, `&str`, `List[str]`.
pub(crate) fn is_type(value: &str) -> bool {
    let value = value.trim_end_matches([',', ';', ')', '{', '=']);
    let bare = value.trim_start_matches(['&', '*', '?']).trim_end_matches('?');
    let bare = bare.strip_prefix("'static ").unwrap_or(bare);
    let head_length = bare.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_:.".contains(byte)).count();
    let (head, rest) = bare.split_at(head_length);
    let is_generic = matches!(rest.bytes().next(), Some(b'<' | b'[')) && !head.is_empty() && !has_digit(head);
    let is_known = [
        "String",
        "Str",
        "Bytes",
        "Secret",
        "SecretString",
        "SecretStr",
        "Text",
        "Buffer",
        "Option",
        "Optional",
        "Vec",
        "Uint8Array",
        "Data",
        "CharField",
        "TextField",
        "Str!",
        "String!",
        "ID!",
        "string",
        "QString",
        "NSString",
        "SecureString",
        "char",
    ]
    .contains(&bare);
    let has_namespace = head.contains("::") && rest.is_empty();
    let is_slice = value.starts_with('&') && bare.starts_with('[');
    is_generic || is_known || has_namespace || is_slice || (value.starts_with('&') && is_identifier(bare))
}

/// Code that computes or fetches a value.
fn is_code(value: &str) -> bool {
    let value = value.trim_start_matches(['!', '&', '*']);
    let head_length =
        value.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_:.!?->".contains(byte)).count();
    let (head, rest) = value.split_at(head_length);
    let is_name = head.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let is_call = is_name && matches!(rest.bytes().next(), Some(b'(' | b'['));
    let is_chain = value.contains('.')
        && value.split('.').enumerate().all(|(index, part)| {
            let is_index = index > 0 && part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            is_index || (is_identifier(part) && !has_digit(part))
        });
    is_call || is_chain || value.contains("::") && is_name && rest.is_empty()
}

/// A name that speaks of secrets itself: `password = new_password`.
fn names_a_secret(value: &str) -> bool {
    !has_digit(value)
        && value.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_-.".contains(&byte))
        && super::label::promise(value).is_some()
}

fn is_stand_in(value: &str) -> bool {
    const LONGEST: usize = 16;
    let mut buffer = [0; LONGEST];
    let Some(lower) = buffer.get_mut(..value.len()) else { return false };
    lower.copy_from_slice(value.as_bytes());
    lower.make_ascii_lowercase();
    STAND_INS.binary_search_by(|word| word.as_bytes().cmp(lower)).is_ok()
}

fn is_masked(value: &str) -> bool {
    const WORDS: [&str; 5] = ["redacted", "masked", "<hidden", "[hidden", "(hidden"];
    // All of the words have a `d`, and most values do not.
    let may_say_so = || memchr::memchr2(b'd', b'D', value.as_bytes()).is_some();
    value.contains("***")
        || value.contains("•••")
        || value.bytes().all(|byte| b"*xX.-_#?".contains(&byte))
        || may_say_so() && WORDS.iter().any(|word| contains_folded(value, word))
}

/// A few characters of which some are no letters: `p@ss`.
fn is_short_password(value: &str) -> bool {
    has_digit(value) || has_letter(value) && value.bytes().any(|byte| b"@!$&".contains(&byte))
}

fn contains_folded(value: &str, word: &str) -> bool {
    value.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// The value is kept elsewhere, or nowhere.
fn is_reference(value: &str, promise: Promise, form: Form) -> bool {
    let trimmed = value.trim_matches(['"', '\'', '`', ',', ';', ')', ' ']);
    if trimmed.is_empty() || is_masked(trimmed) || is_filler(trimmed.as_bytes()) && !is_short_password(trimmed) {
        return true;
    }
    if is_stand_in(trimmed) || is_instruction(trimmed) || form == Form::Quoted && is_caption(trimmed) {
        return true;
    }
    // Most values differ from all of them in the first byte.
    let first = trimmed.as_bytes()[0].to_ascii_lowercase();
    if REFERENCES.iter().any(|prefix| prefix.as_bytes()[0] == first && starts_with(trimmed, prefix)) {
        return true;
    }
    if is_variable(trimmed)
        || ["${", "$(", "{{", "<%", "%(", "#{", "%{", "$env:", "{$"].iter().any(|mark| trimmed.starts_with(mark))
    {
        return true;
    }
    if trimmed.contains("${") || (form == Form::Quoted && trimmed.starts_with('{') && trimmed.ends_with('}')) {
        return true;
    }
    if (trimmed.starts_with('<') && trimmed.ends_with('>')) || (trimmed.starts_with('[') && trimmed.ends_with(']')) {
        return true;
    }
    // A cut placeholder, and one that stands before punctuation.
    if trimmed.starts_with('<') || trimmed.starts_with("[SECRET-") {
        return true;
    }
    // Code in brackets that goes on behind a blank.
    if form == Form::Bare && trimmed.starts_with('(') && !value.contains(')') {
        return true;
    }
    // The arguments of a function: `(state) => …`.
    let arguments = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    if form == Form::Bare
        && arguments.is_some_and(|inner| inner.is_empty() || is_identifier(inner) && !has_digit(inner))
    {
        return true;
    }
    if matches!(trimmed, "%s" | "%d" | "%v" | "%@" | "?" | "$1" | "$2" | "{}" | "{0}")
        || (form == Form::Bare && trimmed.starts_with(['{', '[']))
    {
        return true;
    }
    if trimmed.strip_prefix([':', '@']).is_some_and(is_identifier) && !has_digit(trimmed) {
        return true;
    }
    is_path(trimmed, promise) || (is_constant(trimmed) && promise < Promise::Password) || names_a_secret(trimmed)
}

/// Words that tell the reader to put a secret there: `your-api-key-here`, `INSERT_PASSWORD_HERE`.
fn is_instruction(value: &str) -> bool {
    const FIRST: &[&str] = &["your", "insert", "replace", "enter", "put", "add", "change", "paste", "fill", "provide"];
    const LAST: &[&str] = &["here", "placeholder"];
    let mut words = value.split(['-', '_', ' ', '.']);
    let is_one_of = |word: Option<&str>, list: &[&str]| {
        word.is_some_and(|word| list.iter().any(|known| known.eq_ignore_ascii_case(word)))
    };
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_ .".contains(&byte));
    let has_gap = value.bytes().any(|byte| !byte.is_ascii_alphabetic());
    is_plain && has_gap && (is_one_of(words.next(), FIRST) || is_one_of(words.next_back(), LAST))
}

/// What people read beside a field: `Forgot your password?`, `Mot de passe`, `Password:`.
fn is_caption(value: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80 || b" :?!.,'".contains(&byte);
    let has_gap = value.contains(' ') || value.ends_with([':', '?']);
    has_gap
        && value.bytes().all(is_plain)
        && value.split(|character: char| !character.is_alphanumeric()).any(|word| {
            ["password", "passwort", "kennwort", "passe", "passphrase", "passcode"]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(word))
        })
}

/// The name of a resource that holds a secret: `db-secret-v2`.
fn names_a_resource(value: &str) -> bool {
    let is_lower = value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    let mut words = value.split('-');
    let has_word = words.clone().any(|word| {
        ["secret", "secrets", "token", "key", "keys", "credentials", "creds", "password", "tls", "cert"].contains(&word)
    });
    let is_version = |word: &str| word.strip_prefix('v').is_some_and(|rest| rest.len() <= 2);
    is_lower && has_word && words.all(|word| !has_digit(word) || is_version(word))
}

/// An upper-case variable name.
fn is_constant(value: &str) -> bool {
    value.contains('_')
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && value.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase())
        && !is_random(value)
}

/// Digits and letters change often: no name that people give.
fn is_random(value: &str) -> bool {
    let changes = value
        .as_bytes()
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()))
        .count();
    changes >= 4 && value.len() >= 16
}

fn is_path(value: &str, promise: Promise) -> bool {
    let is_rooted = value.starts_with("~/") || value.starts_with("./") || value.starts_with("../");
    let is_drive = matches!(value.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    if is_rooted || is_drive {
        return true;
    }
    if let Some(rest) = value.strip_prefix('/') {
        let is_deep = rest.contains('/') || rest.contains('.');
        // Base64 may start with a slash: it is longer than a path's parts and holds both cases and digits.
        let is_blob = rest.split('/').any(|part| part.len() >= 20 && has_digit(part) && is_mixed(part));
        return !is_blob && (is_deep || promise < Promise::Password);
    }
    // A relative path with an extension: `keys/dev.pem`.
    value.contains('/')
        && value.rsplit_once('.').is_some_and(|(stem, extension)| {
            (2..=5).contains(&extension.len())
                && extension.bytes().all(|byte| byte.is_ascii_lowercase())
                && !stem.contains('=')
        })
}

/// Whether the value of a name that promises a secret is one.
pub(crate) fn is_secret(value: &str, promise: Promise, form: Form) -> bool {
    if is_reference(value, promise, form) {
        return false;
    }
    if form == Form::Bare && (is_type(value) || is_code(value)) {
        return false;
    }
    // `TokenHash`, `userToken`: names of code.
    let is_alphabetic = value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let speaks_of_secrets = || {
        ["password", "passwd", "secret", "token", "credential", "key", "hash", "auth"]
            .iter()
            .any(|word| contains_folded(value, word))
    };
    if form == Form::Bare
        && is_alphabetic
        && has_hump(value)
        && !is_jumbled(value)
        && (promise < Promise::Password || speaks_of_secrets())
    {
        return false;
    }
    if promise < Promise::Password && (is_date_or_version(value) || names_a_resource(value) || is_digest(value)) {
        return false;
    }
    // `"missing_credential": "The list needs a key."` is a message about one.
    if promise < Promise::Password && is_sentence(value) {
        return false;
    }
    // `session: request_id=…` is a line of fields, each with its own name.
    if form == Form::Bare && promise < Promise::Password && is_field(value) {
        return false;
    }
    let is_plain_word =
        value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'_') || is_capitalised(value);
    match promise {
        Promise::Password | Promise::Phrase => value.len() >= 4 || (form == Form::Quoted && value.len() >= 3),
        Promise::Credential if value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => value.len() >= 8,
        Promise::Credential => value.len() >= 6 && (!is_plain_word || value.len() >= 20 && form == Form::Quoted),
        Promise::Code | Promise::Codes => false,
        Promise::Hint => value.len() >= 8 && has_digit(value) && has_letter(value) && !is_ordinary(value),
    }
}

/// Three words and more, the first of them with a capital, and no number.
fn is_sentence(value: &str) -> bool {
    let starts = value.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase());
    starts && !has_digit(value) && value.split(' ').filter(|word| !word.is_empty()).count() >= 3
}

fn has_hump(value: &str) -> bool {
    value.as_bytes().windows(2).any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
}

/// Small and capital letters in an order that no name of code has: single small letters between capitals.
fn is_jumbled(value: &str) -> bool {
    const SHORTEST: usize = 12;
    let runs = value.as_bytes().chunk_by(|a, b| a.is_ascii_uppercase() == b.is_ascii_uppercase()).skip(1);
    let (mut single, mut capitals) = (0, 0);
    for run in runs {
        match run {
            [letter] => single += usize::from(letter.is_ascii_lowercase()),
            [first, ..] => capitals += usize::from(first.is_ascii_uppercase()),
            [] => {}
        }
    }
    value.len() >= SHORTEST && single > 0 && single + capitals >= 2
}

/// `SHA256:…`, `9B:04:5D:…`: what tells one public key from another.
fn is_digest(value: &str) -> bool {
    let is_named = ["sha256:", "sha1:", "md5:"].iter().any(|name| starts_with(value, name));
    let is_pairs = || {
        value.len() > 8
            && value.split(':').all(|pair| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    is_named || is_pairs()
}

/// `2026-07-28`, `1.20.3`, `v2`.
fn is_date_or_version(value: &str) -> bool {
    let value = value.trim_start_matches(['v', '=', '^', '~', '>', '<']);
    has_digit(value)
        && value.len() <= 24
        && value.bytes().all(|byte| byte.is_ascii_digit() || b".-:TZ/+ ".contains(&byte))
        && value.bytes().any(|byte| b".-:/".contains(&byte))
}

/// Another name with a sign and a value.
fn is_field(value: &str) -> bool {
    value.split_once('=').is_some_and(|(name, rest)| {
        let name = name.replace(['-', '.'], "_");
        is_identifier(&name) && !rest.is_empty() && !rest.starts_with('=') && (name.contains('_') || !has_digit(&name))
    })
}

fn is_capitalised(value: &str) -> bool {
    let mut bytes = value.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_uppercase()) && bytes.all(|byte| byte.is_ascii_lowercase())
}

/// The form of a UUID.
pub(super) fn is_uuid(value: &str) -> bool {
    value.len() == 36 && value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// Identifiers, versions, dates and names with a number behind them: what stands behind `key:` in ordinary data.
fn is_ordinary(value: &str) -> bool {
    let longest = value.split(|character: char| !character.is_ascii_alphanumeric()).map(str::len).max().unwrap_or(0);
    let stem = value.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_numbered_name = !has_digit(stem);
    is_uuid(value) || is_numbered_name || (longest < 10 && value.len() < 20) || value.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_in_order_and_found_in_any_case() {
        assert!(STAND_INS.is_sorted() && STAND_INS.iter().all(|word| *word == word.to_ascii_lowercase()));
        assert!(STAND_INS.iter().all(|word| is_stand_in(&word.to_ascii_uppercase())));
        assert!(!is_stand_in("hunter2") && !is_stand_in("") && !is_stand_in(&"x".repeat(100)));
    }

    #[test]
    fn a_word_that_says_masked_is_found_anywhere_in_any_case() {
        for value in ["[HIDDEN]", "was-Redacted-1", "x<hidden>", "MASKED", "ab***cd", "xxxx"] {
            assert!(is_masked(value), "{value}");
        }
        assert!(!is_masked("d0nkey-Kong-12"));
    }
}
