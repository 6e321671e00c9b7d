//! Programs that talk to the network: what they fetch, send, write and start.

mod remote;

use super::{Care, Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::{Grammar, Parsed};
use crate::verdict::Effect;
use crate::walk::state::State;

const CURL: Grammar = Grammar::new(
    "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    &[
        "abstract-unix-socket",
        "alt-svc",
        "aws-sigv4",
        "cacert",
        "capath",
        "cert",
        "cert-type",
        "ciphers",
        "config",
        "connect-timeout",
        "connect-to",
        "continue-at",
        "cookie",
        "cookie-jar",
        "create-file-mode",
        "crlfile",
        "curves",
        "data",
        "data-ascii",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "delegation",
        "dns-interface",
        "dns-servers",
        "doh-url",
        "dump-header",
        "ech",
        "egd-file",
        "engine",
        "etag-compare",
        "etag-save",
        "expect100-timeout",
        "form",
        "form-string",
        "ftp-account",
        "ftp-alternative-to-user",
        "ftp-method",
        "ftp-port",
        "ftp-ssl-ccc-mode",
        "happy-eyeballs-timeout-ms",
        "header",
        "help",
        "hostpubmd5",
        "hostpubsha256",
        "hsts",
        "interface",
        "ip-tos",
        "ipfs-gateway",
        "json",
        "keepalive-time",
        "key",
        "key-type",
        "krb",
        "libcurl",
        "limit-rate",
        "local-port",
        "login-options",
        "mail-auth",
        "mail-from",
        "mail-rcpt",
        "max-filesize",
        "max-redirs",
        "max-time",
        "netrc-file",
        "noproxy",
        "oauth2-bearer",
        "output",
        "output-dir",
        "parallel-max",
        "pass",
        "pinnedpubkey",
        "preproxy",
        "proto",
        "proto-default",
        "proto-redir",
        "proxy",
        "proxy-cacert",
        "proxy-cert",
        "proxy-header",
        "proxy-key",
        "proxy-pass",
        "proxy-user",
        "pubkey",
        "quote",
        "random-file",
        "range",
        "rate",
        "referer",
        "request",
        "request-target",
        "resolve",
        "retry-delay",
        "retry-max-time",
        "sasl-authzid",
        "service-name",
        "socks4",
        "socks4a",
        "socks5",
        "socks5-hostname",
        "speed-limit",
        "speed-time",
        "stderr",
        "telnet-option",
        "tftp-blksize",
        "time-cond",
        "tls-max",
        "tls13-ciphers",
        "tlsuser",
        "tlspassword",
        "trace",
        "trace-ascii",
        "trace-config",
        "unix-socket",
        "upload-file",
        "url",
        "url-query",
        "user",
        "user-agent",
        "variable",
        "vlan-priority",
        "write-out",
    ],
)
.flags(&["head", "netrc", "parallel", "crlf", "ftp-ssl"]);

const WGET: Grammar = Grammar::new(
    "aABDeiIlOoPQRtTUwX",
    &[
        "output-file",
        "append-output",
        "execute",
        "input-file",
        "base",
        "config",
        "rejected-log",
        "bind-address",
        "tries",
        "output-document",
        "start-pos",
        "timeout",
        "wait",
        "waitretry",
        "quota",
        "limit-rate",
        "restrict-file-names",
        "user",
        "password",
        "directory-prefix",
        "default-page",
        "header",
        "max-redirect",
        "proxy-user",
        "referer",
        "user-agent",
        "post-data",
        "post-file",
        "method",
        "body-data",
        "body-file",
        "load-cookies",
        "save-cookies",
        "secure-protocol",
        "certificate",
        "private-key",
        "ca-certificate",
        "ca-directory",
        "crl-file",
        "warc-file",
        "warc-header",
        "level",
        "accept",
        "reject",
        "accept-regex",
        "domains",
        "use-askpass",
        "cut-dirs",
        "ftp-user",
        "ftp-password",
        "hsts-file",
        "progress",
        "dns-timeout",
        "connect-timeout",
        "read-timeout",
        "prefer-family",
    ],
);

/// Programs that print what they fetch.
const FETCHERS: &[&str] = &[
    "curl",
    "wget",
    "wget2",
    "fetch",
    "http",
    "https",
    "xh",
    "xhs",
    "httpie",
    "aria2c",
    "lynx",
    "w3m",
    "links",
    "elinks",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "ftp",
    "lftp",
    "tftp",
    "curlie",
    "hurl",
    "axel",
    "lwp-request",
    "get",
    "iwr",
    "irm",
    "invoke-webrequest",
    "invoke-restmethod",
    "websocat",
    "grpcurl",
    "gopher",
    "lwp-download",
    "youtube-dl",
    "yt-dlp",
    "s3cmd",
    "gsutil",
    "rclone",
    "ipfs",
    "snarf",
    "puf",
];

impl Walker<'_> {
    /// Fetching, sending and remote shells.
    pub(super) fn network(&mut self, look: &mut Look, state: &mut State) -> bool {
        let name = look.name.clone();
        let is_fetcher = FETCHERS.contains(&name.as_str());
        if is_fetcher {
            look.out = Some(Flow::Network);
        }
        match name.as_str() {
            "curl" | "curlie" => self.curl(look, state),
            "wget" | "wget2" => self.wget(look, state),
            "ssh" | "autossh" | "mosh" | "dbclient" | "plink" | "sshpass" => self.ssh(look, state),
            "scp" | "sftp" | "pscp" => self.scp(look, state),
            "rsync" => self.rsync(look, state),
            "nc" | "ncat" | "netcat" | "socat" => {
                let runs = look.args.iter().enumerate().skip(1).find(|(_, arg)| {
                    let upper = arg.text.to_uppercase();
                    (arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains(['e', 'c']))
                        || arg.text.starts_with("--exec")
                        || arg.text.starts_with("--sh-exec")
                        || arg.text.starts_with("--lua-exec")
                        || upper.contains("EXEC:")
                        || upper.contains("SYSTEM:")
                        || upper.contains("SHELL:")
                });
                if let Some((at, _)) = runs {
                    let shown = look.text(at).to_owned();
                    look.executes(&shown);
                    for arg in look.from(at) {
                        let tail = arg.text.split_once(':').map_or(arg.text.clone(), |(_, tail)| tail.to_owned());
                        self.denied_in_code(&tail, &Flow::Nothing, state);
                    }
                }
                self.ask("network", format!("`{name}` opens a connection that carries anything"));
            }
            "http" | "https" | "xh" | "xhs" | "httpie" => self.httpie(look, state),
            "aria2c" | "axel" | "yt-dlp" | "youtube-dl" | "fetch" | "lwp-download" => {
                let parsed = look.parse(&Grammar::new(
                    "dioO",
                    &[
                        "dir",
                        "out",
                        "output",
                        "exec",
                        "on-download-complete",
                        "on-bt-download-complete",
                        "on-download-stop",
                        "on-download-error",
                        "on-download-start",
                        "input-file",
                        "conf-path",
                        "config-location",
                        "config-locations",
                    ],
                ));
                for value in
                    [parsed.values('o', "out"), parsed.values('d', "dir"), parsed.values('O', "output")].concat()
                {
                    self.writes_aside(look, &value, state);
                }
                let runs = parsed.options.iter().any(|option| {
                    option.is_long
                        && (option.name.starts_with("on-")
                            || option.name.starts_with("exec")
                            || option.name.starts_with("conf"))
                });
                if runs {
                    self.ask("option that executes", format!("an option of `{name}` starts a program"));
                    for option in &parsed.options {
                        if let Some(value) = &option.value {
                            self.denied_in_code(&value.text, &Flow::Nothing, state);
                        }
                    }
                }
            }
            "mail" | "mailx" | "sendmail" | "msmtp" | "mutt" | "swaks" => {
                self.ask("upload", format!("`{name}` would send a message"));
                return false;
            }
            "lynx" | "w3m" | "links" | "elinks" | "telnet" | "ftp" | "lftp" | "tftp" | "rclone" | "s3cmd"
            | "gsutil" | "ipfs" | "websocat" => {
                self.ask("network", format!("`{name}` opens a connection that carries anything"));
            }
            "nmap" => {
                for at in 1..look.args.len() {
                    let text = look.text(at).to_owned();
                    if text.starts_with("--script") || text == "-sC" || text == "-iL" {
                        look.must_spell(at);
                        look.must_spell((at + 1).min(look.args.len() - 1));
                    }
                    if (text.starts_with("-o") && text.len() == 3 || text == "-oA")
                        && let Some(target) = look.args.get(at + 1).cloned()
                    {
                        self.writes_aside(look, &target, state);
                    }
                }
            }
            "ping" | "dig" | "host" | "nslookup" | "traceroute" | "whois" | "mtr" | "get" | "grpcurl" | "hurl" => {}
            _ => return is_fetcher,
        }
        look.care = Care::Closed;
        look.record.effects.push(Effect::Network);
        true
    }

    fn curl(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&CURL).spell_out(&CURL);
        let folder = parsed.values('\0', "output-dir").pop();
        let mut takes_output = false;
        let gets = parsed.options.iter().any(|option| option.name == if option.is_long { "get" } else { "G" });
        for option in &parsed.options {
            let Some(value) = &option.value else { continue };
            if option.is('o', "output") {
                takes_output = true;
                let target = match &folder {
                    Some(folder) if !value.text.starts_with('/') && value.text != "-" => beside(folder, value),
                    _ => value.clone(),
                };
                self.writes_aside(look, &target, state);
            } else if option.is('D', "dump-header")
                || option.is('c', "cookie-jar")
                || option.is_long
                    && ["trace", "trace-ascii", "stderr", "libcurl", "etag-save", "hsts", "alt-svc"]
                        .contains(&option.name.as_str())
            {
                self.writes_aside(look, value, state);
            } else if is_upload(option.is_long, &option.name) {
                // With `-G` words that are spelled out become a part of the address.
                let is_query = gets && value.is_static() && !value.text.contains('@');
                if !(is_query && (option.name == "d" || option.name.starts_with("data"))) {
                    self.ask("upload", "`curl` would send data away");
                }
            } else if option.is('K', "config") {
                self.ask("options from a file", "`curl` would read further options from a file");
            } else if option.is('X', "request") {
                let method = value.text.to_uppercase();
                if !["GET", "HEAD", "OPTIONS"].contains(&method.as_str()) {
                    self.ask("upload", format!("`curl` would send a `{}` request", value.shown()));
                }
            } else if value.text.starts_with('@')
                && (option.is('H', "header") || option.is('w', "write-out") || option.name == "variable")
            {
                self.ask("upload", "`curl` would read a file into the request");
            } else if option.is('w', "write-out") && value.text.contains("%output{") {
                self.ask("write", "`curl` would write a further file");
            } else if option.is('x', "proxy")
                || option.name.starts_with("preproxy")
                || option.name.ends_with("unix-socket")
                || option.name.starts_with("socks")
                || option.name == "engine"
                || option.name == "doh-url"
                || option.name == "connect-to"
            {
                self.ask("another way", "`curl` would go through a proxy or a socket");
            }
        }
        let is = |short: &str, long: &str| {
            parsed.options.iter().any(|option| if option.is_long { option.name == long } else { option.name == short })
        };
        if is("n", "netrc") || is("", "netrc-optional") || is("", "netrc-file") {
            self.ask("credentials", "`curl` would send stored credentials");
        }
        let cookies = parsed.values('b', "cookie");
        if cookies.iter().any(|value| !value.text.contains('=')) {
            self.ask("upload", "`curl` would read cookies from a file into the request");
        }
        if parsed.has('O', "remote-name") || parsed.has('\0', "remote-name-all") {
            takes_output = true;
            let base = folder.clone().unwrap_or_else(|| Arg::literal("."));
            let operand = parsed.operands.first().map(|at| look.text(*at).to_owned()).unwrap_or_default();
            let name =
                operand.rsplit('/').next().filter(|name| !name.is_empty() && !name.contains('?')).unwrap_or("download");
            let target = beside(&base, &Arg::literal(name));
            self.writes_aside(look, &target, state);
        }
        if takes_output {
            self.note_download(look, &parsed, state);
        }
        self.local_urls(look, &parsed, state);
    }

    fn note_download(&mut self, look: &mut Look, parsed: &Parsed, state: &State) {
        let _ = (parsed, state);
        for write in &look.record.writes {
            self.downloads.push(write.path.clone());
        }
    }

    fn local_urls(&mut self, look: &Look, parsed: &Parsed, state: &State) {
        let named = parsed.values('\0', "url").into_iter().filter(|value| !value.text.is_empty());
        let addresses = parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().chain(named);
        for address in addresses {
            let Some((scheme, rest)) = address.text.split_once("://") else { continue };
            match scheme.to_lowercase().as_str() {
                "http" | "https" | "ftp" | "ftps" => {}
                "file" => {
                    let path = rest.strip_prefix("localhost").unwrap_or(rest);
                    self.read_file(&Arg::literal(path), state);
                }
                _ => self.ask("another way", format!("`curl` would speak `{scheme}`, which carries anything")),
            }
        }
    }

    fn wget(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&WGET).spell_out(&WGET);
        let documents = parsed.values('O', "output-document");
        let to_screen = documents.iter().any(|value| value.text == "-");
        for value in documents {
            self.writes_aside(look, &value, state);
        }
        for value in [parsed.values('o', "output-file"), parsed.values('a', "append-output")].concat() {
            self.writes_aside(look, &value, state);
        }
        for name in ["save-cookies", "warc-file", "hsts-file", "rejected-log"] {
            for value in parsed.values('\0', name) {
                self.writes_aside(look, &value, state);
            }
        }
        let folders = parsed.values('P', "directory-prefix");
        if !to_screen && look.record.writes.is_empty() && !parsed.has('\0', "spider") {
            let base = folders.first().cloned().unwrap_or_else(|| Arg::literal("."));
            let url = parsed.operands.first().map(|at| look.text(*at).to_owned()).unwrap_or_default();
            let tail = url.split_once("://").map_or(url.as_str(), |(_, tail)| tail);
            let name = tail.split_once('/').map_or("", |(_, path)| path.rsplit('/').next().unwrap_or_default());
            let name = if name.is_empty() || name.contains('?') { "index.html" } else { name };
            self.writes_aside(look, &beside(&base, &Arg::literal(name)), state);
        }
        for option in &parsed.options {
            let is = |name: &str| option.is_long && name.starts_with(&option.name) && option.name.len() > 2;
            if option.is('e', "execute") || is("use-askpass") || is("config") {
                self.ask("option that executes", "an option of `wget` sets what it starts");
                if let Some(value) = &option.value {
                    let tail = value.text.split_once('=').map_or(value.text.as_str(), |(_, tail)| tail);
                    self.denied_in_code(tail, &Flow::Nothing, state);
                }
            }
            if option.name.starts_with("post") || option.name.starts_with("body") || option.name == "method" {
                self.ask("upload", "`wget` would send data away");
            }
            if option.is('i', "input-file") {
                self.ask("options from a file", "`wget` would read addresses from a file");
            }
        }
        if !to_screen {
            self.note_download(look, &parsed, state);
        }
    }

    fn httpie(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&Grammar::new(
            "aoAsPp",
            &["auth", "output", "session", "proxy", "verify", "cert", "print", "style", "pretty"],
        ));
        for value in parsed.values('o', "output") {
            self.writes_aside(look, &value, state);
        }
        let sends = parsed.operands.iter().any(|at| {
            let text = look.text(*at);
            ["POST", "PUT", "PATCH", "DELETE"].contains(&text.to_uppercase().as_str())
                || (!text.contains("://") && text.contains(['=', '@']) && !text.contains("=="))
        });
        let reads_input =
            look.stdin != Flow::Nothing && !parsed.options.iter().any(|option| option.name == "ignore-stdin");
        if sends || reads_input {
            self.ask("upload", format!("`{}` would send data away", look.name));
        }
        if parsed.has('d', "download") {
            self.writes_aside(look, &Arg::literal("./download"), state);
        }
    }
}

fn is_upload(is_long: bool, name: &str) -> bool {
    if !is_long {
        return matches!(name, "d" | "F" | "T" | "Q");
    }
    name.starts_with("data")
        || name.starts_with("form")
        || name.starts_with("upload")
        || name == "json"
        || name == "quote"
        || name.starts_with("mail-")
}

fn beside(folder: &Arg, name: &Arg) -> Arg {
    Arg {
        text: format!("{}/{}", folder.text, name.text),
        is_dynamic: folder.is_dynamic || name.is_dynamic,
        is_glob: folder.is_glob || name.is_glob,
        has_placeholder: folder.has_placeholder || name.has_placeholder,
        ..Arg::default()
    }
}

/// Words joined as a remote shell or `eval` would read them.
pub(super) fn join(args: &[Arg]) -> String {
    let mut joined = String::new();
    for arg in args {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(arg.code.as_deref().unwrap_or(&arg.text));
    }
    joined.replace(crate::arg::UNKNOWN, "x")
}
