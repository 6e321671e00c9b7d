//! Recognises credentials by their shape and by the place where they stand.
//!
//! One automaton finds every word that can announce a secret; each kind of word has a reader that looks at its
//! neighbourhood alone. A reader never goes back over what another one has read, which keeps the whole linear.

mod assignment;
mod command;
mod crowd;
mod header;
mod label;
mod link;
mod manifest;
mod nested;
mod pair;
mod pem;
mod place;
mod prefix;
mod script;
mod table;
mod token;
mod url;
mod value;

use crate::hit::Hit;
use prefix::{FORMATS, Format};

/// The state of one reading.
pub(crate) struct Reading<'t> {
    text: &'t str,
    bytes: &'t [u8],
    hits: Vec<Hit>,
    /// Names that end before here have been read.
    labels_done: usize,
    /// Long values that overlap, and where the last of them ends.
    crowd: usize,
    crowd_end: usize,
    /// Key blocks that end before here have been read.
    blocks_done: usize,
    /// URLs that end before here have been read.
    urls_done: usize,
    /// Tokens that end before here have been read.
    tokens_done: usize,
    /// Words of commands that end before here have been read.
    commands_done: usize,
    /// Rows of tables that end before here have been read.
    columns_done: usize,
    /// Manifests that end before here have been read.
    manifests_done: usize,
    quotes: QuoteParity,
}

/// Whether a place is inside double quotes, counted from the start of its line.
#[derive(Debug, Default)]
struct QuoteParity {
    at: usize,
    is_open: bool,
}

impl QuoteParity {
    /// Asked for rising places only, so that every byte is looked at once.
    fn is_open_at(&mut self, bytes: &[u8], place: usize) -> bool {
        let place_end = place.min(bytes.len());
        // A line begins without a quote, so nothing in front of the last one counts.
        if let Some(end) = bytes.get(self.at..place_end).and_then(|passed| memchr::memrchr(b'\n', passed)) {
            self.at += end + 1;
            self.is_open = false;
        }
        for at in self.at..place_end {
            if bytes[at] == b'"' && (at == 0 || bytes[at - 1] != b'\\') {
                self.is_open = !self.is_open;
            }
        }
        self.at = self.at.max(place);
        self.is_open
    }
}

/// What a word announces.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trigger {
    /// A token with a documented prefix.
    Prefix(&'static Format),
    /// Part of a name that may promise a secret.
    Label,
    /// A block with a private key.
    PrivateKey,
    /// A signed token of three parts.
    Jwt,
    /// An authentication scheme in front of its credentials.
    Scheme,
    /// The middle of a URL.
    Url,
    /// A password hash.
    Crypt,
    /// A program that takes credentials as arguments.
    Program,
    /// The kind of a manifest.
    Manifest,
    /// A key in JSON.
    JsonKey,
    /// A line of a password file: `host:5432:database:user:password`.
    PasswordLine,
    /// The user and the password of an Oracle connection.
    Oracle,
    /// The response to a challenge.
    Digest,
    /// What a code for the camera says about a network.
    Wifi,
    /// The source of a database in Go, at its network.
    GoSource,
    /// The arguments of a connection.
    Connection,
    /// A user and a password in a sentence.
    SignIn,
    /// The end of a line with the hashes of a user of Windows.
    WindowsHash,
    /// A key in XML.
    XmlKey,
    /// The beginning of a token with blanks between its characters.
    Spaced,
}

/// Parts of names; each is found inside longer names too.
const LABELS: &[&str] = &[
    "passw",
    "pwd",
    "passp",
    "passc",
    "_pass",
    "-pass",
    "pass=",
    "pass:",
    "pass\"",
    "pass'",
    "pass>",
    "pass =",
    "storepass",
    "keypass",
    "requirepass",
    " pw ",
    "\"pw\"",
    "--pw ",
    "parola",
    "sifre",
    "mot de passe",
    "bip39",
    "dbpass",
    "userpass",
    "secret",
    "token",
    "key",
    "credential",
    "creds",
    "auth",
    "jwt",
    "_pat",
    "pat=",
    "mnemonic",
    "phrase",
    "kennwort",
    "contrasena",
    "senha",
    "wachtwoord",
    "motdepasse",
    "losenord",
    "salasana",
    "haslo",
    "heslo",
    "psk",
    "totp",
    "otp",
    "cvv",
    "cvc",
    "sas",
    "seed",
    "pin",
    "code",
    "passwort",
    "pw=",
    "pw:",
    "_pw",
    "sig=",
    "signature=",
    "identified by",
    "session",
    "sessid",
    "sid=",
    "passord",
    "adgangskode",
    "jelszo",
    "clave",
    "kata sandi",
    "mat khau",
    "saml",
    "secret_id",
    "sonar.login",
    "assword:",
    "pass_word",
    "\npw ",
    "pepper",
    "schlussel",
    "cle api",
    "chave",
    "chiave",
    "geheimnis",
    "codigo",
    "codice",
    "2fa:",
    "mfa:",
    "puk:",
    "puk ",
    "csrf",
];

/// So much of a prefix is looked for.
const LONGEST_WORD: usize = 8;

const HASHES: &[&str] = &[
    "$1$",
    "$2a$",
    "$2b$",
    "$2y$",
    "$5$",
    "$6$",
    "$y$",
    "$7$",
    "$gy$",
    "$apr1$",
    "$argon2",
    "{sha}",
    "{ssha}",
    "$scrypt$",
    "$pbkdf2",
    "pbkdf2_sha",
];

/// The words that can announce a secret.
pub(crate) fn words() -> impl Iterator<Item = (&'static str, Trigger)> {
    // The beginning of a long prefix is enough for the gate, whose table has to stay small.
    let formats = FORMATS.iter().map(|format| {
        let word = format.prefix.get(..LONGEST_WORD).unwrap_or(format.prefix);
        (word, Trigger::Prefix(format))
    });
    let labels = LABELS.iter().map(|&word| (word, Trigger::Label));
    let hashes = HASHES.iter().map(|&word| (word, Trigger::Crypt));
    let programs = command::PROGRAMS.iter().map(|&word| (word, Trigger::Program));
    let others = [
        ("kind", Trigger::Manifest),
        ("private key", Trigger::PrivateKey),
        ("private-lines:", Trigger::PrivateKey),
        ("eyj", Trigger::Jwt),
        ("bearer", Trigger::Scheme),
        ("basic ", Trigger::Scheme),
        ("ssws ", Trigger::Scheme),
        ("geniekey ", Trigger::Scheme),
        ("digest username", Trigger::Digest),
        ("://", Trigger::Url),
        ("static key", Trigger::PrivateKey),
        ("\"kty\"", Trigger::JsonKey),
        (":5432:", Trigger::PasswordLine),
        (":5433:", Trigger::PasswordLine),
        (":6432:", Trigger::PasswordLine),
        (":*:", Trigger::PasswordLine),
        ("*:*:", Trigger::PasswordLine),
        ("oracle:thin:", Trigger::Oracle),
        ("wifi:", Trigger::Wifi),
        ("@tcp(", Trigger::GoSource),
        ("@unix(", Trigger::GoSource),
        ("getconnection(", Trigger::Connection),
        ("createconnection(", Trigger::Connection),
        ("twilio(", Trigger::Connection),
        (".login(", Trigger::Connection),
        ("authenticate(", Trigger::Connection),
        ("setbasicauth(", Trigger::Connection),
        ("basic_auth(", Trigger::Connection),
        ("log in with ", Trigger::SignIn),
        ("login with ", Trigger::SignIn),
        ("logged in with ", Trigger::SignIn),
        ("sign in with ", Trigger::SignIn),
        (":::", Trigger::WindowsHash),
        ("<rsakeyvalue>", Trigger::XmlKey),
        ("g h p _", Trigger::Spaced),
        ("g h o _", Trigger::Spaced),
        ("g h s _", Trigger::Spaced),
        ("g l p a t -", Trigger::Spaced),
        ("g i t h u b _", Trigger::Spaced),
        ("x o x b -", Trigger::Spaced),
        ("x o x p -", Trigger::Spaced),
        ("a k i a ", Trigger::Spaced),
        ("a i z a ", Trigger::Spaced),
        ("s k - ", Trigger::Spaced),
        ("s k _ l", Trigger::Spaced),
        ("n p m _", Trigger::Spaced),
        ("h f _ ", Trigger::Spaced),
    ];
    let fixed = assignment::FIXED.iter().map(|&word| (word, Trigger::Label));
    let labels = labels.chain(fixed);
    formats.chain(labels).chain(hashes).chain(programs).chain(others)
}

impl<'t> Reading<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            hits: Vec::new(),
            labels_done: 0,
            crowd: 0,
            crowd_end: 0,
            blocks_done: 0,
            urls_done: 0,
            tokens_done: 0,
            commands_done: 0,
            columns_done: 0,
            manifests_done: 0,
            quotes: QuoteParity::default(),
        }
    }

    /// At a word of the gate; words come by rising end.
    pub(crate) fn word(&mut self, trigger: Trigger, start: usize, end: usize) {
        match trigger {
            Trigger::Prefix(_) if start < self.tokens_done => {}
            Trigger::Prefix(format) => {
                if let Some(token) = format.find(self.bytes, start) {
                    self.hits.push(Hit::secret(token.start, token.end, format.rule));
                    self.tokens_done = token.end;
                    if format.rule == "aws-access-key-id" {
                        self.aws_pair(token.end);
                    }
                }
            }
            Trigger::Label => self.label(start, end),
            Trigger::PrivateKey => self.private_key(start),
            Trigger::Jwt => self.jwt(start),
            Trigger::Scheme => self.scheme(start, end),
            Trigger::Url => self.url(start, end),
            Trigger::Crypt => self.crypt(start, end),
            Trigger::Program => self.command(start, end),
            Trigger::Manifest => self.manifest(start, end),
            Trigger::JsonKey => self.json_key(start, end),
            Trigger::PasswordLine => self.password_line(start, end),
            Trigger::Oracle => self.oracle(end),
            Trigger::Digest => self.digest(end),
            Trigger::Wifi => self.wifi(end),
            Trigger::GoSource => self.go_source(start),
            Trigger::Connection => self.connection(end),
            Trigger::SignIn => self.sign_in(end),
            Trigger::WindowsHash => self.windows_hash(start),
            Trigger::XmlKey => self.xml_key(end),
            Trigger::Spaced => self.spaced(start),
        }
    }

    /// All secrets of the text. They may overlap.
    pub(crate) fn finish(mut self) -> Vec<Hit> {
        self.scripts();
        self.hits
    }
}

impl Reading<'_> {
    /// The byte at a place.
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// How many bytes from a place on satisfy a test.
    fn run(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        self.bytes.get(from..).unwrap_or_default().iter().take_while(|&&byte| test(byte)).count()
    }

    /// The same up to a limit, which keeps a reader that is called often from going over a long run each time.
    fn run_within(&self, from: usize, most: usize, test: impl Fn(u8) -> bool) -> usize {
        self.bytes.get(from..).unwrap_or_default().iter().take(most).take_while(|&&byte| test(byte)).count()
    }

    /// Skips blanks of one line.
    fn skip_blanks(&self, from: usize, most: usize) -> usize {
        from + self.run(from, |byte| byte == b' ' || byte == b'\t').min(most)
    }

    /// The end of the line that holds a place.
    fn line_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |found| from + found);
        if end > from && self.byte(end - 1) == Some(b'\r') { end - 1 } else { end }
    }

    fn push_secret(&mut self, start: usize, end: usize, rule: &'static str) {
        let is_distinctive = self.text.get(start..end).is_some_and(value::is_distinctive);
        let hit = Hit::secret(start, end, rule);
        self.hits.push(if is_distinctive { hit } else { hit.here_only() });
    }
}
