//! Decides whether a name says that its value is a secret.
//!
//! A name is cut into words, at separators and at humps, and its last word decides: `api_key` names a secret,
//! `api_key_count` a number, `monkey` an animal.

/// How much a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Promise {
    /// A code of a few digits for one use: `PIN`, `verification code`.
    Code,
    /// A list of codes for one use each: `backup codes`.
    Codes,
    /// Often something else: `key`, `auth`. The value has to look like a secret by itself.
    Hint,
    /// A credential by name: `api_key`, `token`, `client_secret`.
    Credential,
    /// A password: any value counts, however plain.
    Password,
    /// A passphrase: words in a row are the value.
    Phrase,
}

const PASSWORD: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passcode",
    "userpassword",
    "dbpassword",
    "rootpassword",
    "adminpassword",
    "mypassword",
    "passwort",
    "kennwort",
    "contrasena",
    "senha",
    "wachtwoord",
    "motdepasse",
    "losenord",
    "salasana",
    "haslo",
    "heslo",
    "parola",
    "sifre",
    "pw",
    "psk",
    "storepass",
    "keypass",
    "keystorepass",
    "truststorepass",
    "requirepass",
    "masterauth",
    "losenordet",
    "passord",
    "passordet",
    "adgangskode",
    "adgangskoden",
    "jelszo",
    "sifreniz",
    "sifresi",
    "sshpass",
    "assword",
];
/// Words in front of `pass` that make it a password: a pass alone may be one over data, or a test that went well.
const PASS_OWNERS: &[&str] = &[
    "db",
    "database",
    "user",
    "usr",
    "admin",
    "root",
    "ssh",
    "become",
    "sudo",
    "smtp",
    "mail",
    "email",
    "imap",
    "ftp",
    "sftp",
    "ldap",
    "bind",
    "my",
    "app",
    "api",
    "login",
    "auth",
    "mysql",
    "postgres",
    "pg",
    "redis",
    "mongo",
    "sql",
    "proxy",
    "http",
    "wifi",
    "keystore",
    "truststore",
    "store",
    "key",
    "cert",
    "vault",
    "basic",
    "service",
    "svc",
    "account",
    "rabbitmq",
    "amqp",
    "mq",
    "es",
    "elastic",
    "jenkins",
    "nexus",
    "registry",
    "docker",
    "git",
    "repo",
    "backup",
    "zip",
    "vnc",
    "rdp",
    "smb",
    "snmp",
    "mqtt",
    "jdbc",
    "odbc",
    "oracle",
    "mssql",
    "ansible",
    "winrm",
];
const PHRASE: &[&str] = &["passphrase", "mnemonic", "seedphrase", "recoveryphrase", "bip"];
const CREDENTIAL: &[&str] = &[
    "secret",
    "token",
    "credential",
    "credentials",
    "creds",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "accountkey",
    "masterkey",
    "signingkey",
    "encryptionkey",
    "sharedaccesskey",
    "sharedkey",
    "storagekey",
    "subscriptionkey",
    "licensekey",
    "accesstoken",
    "authtoken",
    "refreshtoken",
    "idtoken",
    "bearertoken",
    "apitoken",
    "sessiontoken",
    "clientsecret",
    "appsecret",
    "sharedsecret",
    "consumersecret",
    "usertoken",
    "secretaccesskey",
    "apisecret",
    "jwt",
    "authorization",
    "dockerauth",
    "csrfmiddlewaretoken",
    "csrftoken",
    "authenticitytoken",
    "geheimnis",
];
/// Words that promise something behind one of these owners alone: `kata sandi`, `SAMLResponse`, `Clé API`, `2FA`.
const WITH_OWNER: &[(&str, &[&str], Promise)] = &[
    ("word", &["pass"], Promise::Password),
    ("sandi", &["kata"], Promise::Password),
    ("khau", &["mat"], Promise::Password),
    ("response", &["saml"], Promise::Credential),
    ("assertion", &["saml"], Promise::Credential),
    ("signature", &["oauth"], Promise::Credential),
    ("api", &["cle", "clave", "chave", "chiave"], Promise::Credential),
    ("schlussel", &["api"], Promise::Credential),
    ("login", &["sonar"], Promise::Hint),
    ("fa", &["2"], Promise::Code),
];
/// Words that promise little when they stand alone.
const HINT: &[&str] = &[
    "pass",
    "passw",
    "userpass",
    "dbpass",
    "key",
    "auth",
    "pat",
    "sas",
    "totp",
    "seed",
    "clave",
    "chave",
    "chiave",
    "pepper",
    "schlussel",
    "session",
    "sessionid",
    "phpsessid",
    "jsessionid",
    "sid",
    "sessid",
];
const CODE: &[&str] = &[
    "pin",
    "otp",
    "cvv",
    "cvc",
    "totpcode",
    "otpcode",
    "pincode",
    "mfacode",
    "puk",
    "mfa",
    "zugangscode",
    "sicherheitscode",
    "bestatigungscode",
];
/// What makes a key a secret one.
const KEY_OWNERS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "encrypt",
    "decryption",
    "signing",
    "sign",
    "account",
    "shared",
    "storage",
    "service",
    "master",
    "client",
    "app",
    "application",
    "license",
    "licence",
    "subscription",
    "hmac",
    "crypto",
    "cipher",
    "session",
    "consumer",
    "admin",
    "root",
    "deploy",
    "webhook",
    "functions",
    "function",
    "write",
    "read",
    "ingest",
    "instrumentation",
    "aes",
    "des",
    "rsa",
    "jwt",
    "stripe",
    "openai",
    "anthropic",
    "github",
    "aws",
    "gcp",
    "azure",
    "google",
    "sendgrid",
    "mailgun",
    "twilio",
    "datadog",
    "sentry",
    "algolia",
    "cloudflare",
    "maps",
    "server",
    "security",
    "merchant",
    "integration",
    "developer",
    "dev",
    "user",
    "backup",
    "recovery",
    "vault",
    "wifi",
    "fi",
    "wpa",
    "preshared",
    "symmetric",
    "cookie",
    "flask",
    "django",
    "rails",
    "unseal",
];
/// What makes any word for a credential something else.
const NOT_SECRET: &[&str] = &[
    "public",
    "pub",
    "next",
    "page",
    "continuation",
    "cursor",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "sep",
    "cls",
    "special",
    "stop",
    "start",
    "end",
    "cancel",
    "cancellation",
    "lexer",
    "parser",
    "syntax",
    "input",
    "output",
    "prompt",
    "completion",
    "max",
    "min",
    "num",
    "first",
    "last",
    "prev",
    "previous",
    "sync",
    "per",
    "total",
    "count",
    "arrow",
    "cache",
    "json",
    "yaml",
    "known",
    "query",
    "route",
    "translation",
    "sort",
    "index",
    "range",
];
/// What makes a token something else, and no key.
const NOT_TOKEN: &[&str] = &["cached"];
/// What makes a key something else, and no token.
const NOT_KEY: &[&str] = &[
    "socket",
    "foreign",
    "partition",
    "idempotency",
    "unique",
    "composite",
    "surrogate",
    "natural",
    "lookup",
    "map",
    "dict",
    "row",
    "column",
    "object",
    "shortcut",
    "hot",
    "registry",
    "press",
    "event",
    "group",
    "order",
    "search",
    "message",
    "list",
    "config",
    "setting",
    "feature",
    "flag",
    "data",
    "metadata",
    "host",
];
/// Words behind the deciding one that change nothing.
const TAIL: &[&str] = &[
    "value",
    "val",
    "raw",
    "base64",
    "b64",
    "encoded",
    "plain",
    "plaintext",
    "cleartext",
    "text",
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "live",
    "sandbox",
    "old",
    "new",
    "current",
    "main",
    "base",
    "default",
    "confirmation",
    "confirm",
    "again",
    "repeat",
    "first",
    "second",
    "primary",
    "secondary",
    "hex",
    "string",
    "is",
    "data",
];

const MOST_WORDS: usize = 16;

/// The words of a name, in their order.
fn words(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let mut words = Vec::with_capacity(4);
    let mut start = 0;
    for at in 0..=bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or(b'_');
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b'_');
        let after = bytes.get(at + 1).copied().unwrap_or(b'_');
        let is_separator = !byte.is_ascii_alphanumeric();
        let is_hump = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || (before.is_ascii_uppercase() && after.is_ascii_lowercase()));
        if is_separator || is_hump {
            if start < at && words.len() < MOST_WORDS {
                words.extend(name.get(start..at));
            }
            start = if is_separator { at + 1 } else { at };
        }
    }
    words
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|candidate| candidate.eq_ignore_ascii_case(word))
}

/// A trailing number is no word of its own: `password2`.
fn without_digits(word: &str) -> &str {
    let stem = word.trim_end_matches(|character: char| character.is_ascii_digit());
    if stem.is_empty() { word } else { stem }
}

/// What the name promises; `None` when its value is no secret.
pub(crate) fn promise(name: &str) -> Option<Promise> {
    let words = words(name);
    let decider = words.iter().rposition(|word| {
        let number = word.strip_prefix(['v', 'V']).unwrap_or(word);
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        !is_number && word.len() > 1 && !is_one_of(word, TAIL)
    })?;
    let word = without_digits(words.get(decider)?);
    let owners = words.get(..decider)?;
    let owned = |list: &[&str]| owners.iter().any(|owner| is_one_of(owner, list));
    let ends_with = |endings: &[&str]| {
        let word = word.as_bytes();
        endings.iter().any(|ending| {
            word.len() > ending.len() && word[word.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
        })
    };
    if is_one_of(word, PASSWORD) || ends_with(&["password", "passwd", "passwort"]) {
        return Some(Promise::Password);
    }
    if ends_with(&["apikey", "secretkey", "accesskey", "accesstoken", "authtoken", "clientsecret", "sshpass"]) {
        return Some(Promise::Credential);
    }
    if is_one_of(word, PHRASE)
        || (word.eq_ignore_ascii_case("phrase") && owned(&["pass", "seed", "recovery", "secret"]))
    {
        return Some(Promise::Phrase);
    }
    let with_owner = |(known, owners, _): &&(&str, &[&str], Promise)| known.eq_ignore_ascii_case(word) && owned(owners);
    if let Some((_, _, promise)) = WITH_OWNER.iter().find(with_owner) {
        return Some(*promise);
    }
    if word.eq_ignore_ascii_case("id") {
        let is_secret = owners.last().is_some_and(|owner| owner.eq_ignore_ascii_case("secret"));
        return is_secret.then_some(Promise::Hint);
    }
    if name.eq_ignore_ascii_case("authentication_string") {
        return Some(Promise::Password);
    }
    if word.eq_ignore_ascii_case("code") {
        let is_credential = owned(&[
            "your",
            "recovery",
            "backup",
            "verification",
            "security",
            "otp",
            "2fa",
            "mfa",
            "sms",
            "time",
            "login",
            "access",
            "fa",
            "auth",
            "authentication",
            "confirmation",
            "pairing",
            "unlock",
            "lock",
            "door",
            "gate",
            "alarm",
            "safe",
        ]);
        return is_credential.then_some(Promise::Code);
    }
    if word.eq_ignore_ascii_case("codes") {
        return owned(&["recovery", "backup", "scratch", "rescue", "emergency", "fa"]).then_some(Promise::Codes);
    }
    if word.eq_ignore_ascii_case("key") {
        if owned(&["secret", "private", "api"]) {
            return Some(Promise::Credential);
        }
        if owned(NOT_SECRET) || owned(NOT_KEY) {
            return None;
        }
        return Some(if owned(KEY_OWNERS) { Promise::Credential } else { Promise::Hint });
    }
    if is_one_of(word, CREDENTIAL) {
        return (!owned(NOT_SECRET) && !owned(NOT_TOKEN)).then_some(Promise::Credential);
    }
    if (word.eq_ignore_ascii_case("pass") && owned(PASS_OWNERS))
        || (word.eq_ignore_ascii_case("passe") && owned(&["mot"]))
    {
        return Some(Promise::Password);
    }
    if is_one_of(word, CODE) {
        return Some(Promise::Code);
    }
    if is_one_of(word, HINT) {
        return (!owned(NOT_SECRET) && !owned(NOT_TOKEN)).then_some(Promise::Hint);
    }
    None
}
