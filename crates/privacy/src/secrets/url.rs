//! Credentials inside a URL: in front of the host, and in the path of a webhook.

use super::Reading;
use super::label::Promise;
use super::value::{Form, is_secret};
use crate::hit::Hit;

/// Hosts and paths whose last part is the credential.
const WEBHOOKS: &[&str] = &[
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "outlook.office.com/webhook/",
    "hooks.zapier.com/hooks/catch/",
    "open.feishu.cn/open-apis/bot/v2/hook/",
    "open.larksuite.com/open-apis/bot/v2/hook/",
    "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
    "events.pagerduty.com/integration/",
];

/// Longer than any authority that is worth reading.
const LONGEST_AUTHORITY: usize = 2048;
/// Longer than the address of any webhook.
const LONGEST_WEBHOOK: usize = 400;

impl Reading<'_> {
    pub(super) fn url(&mut self, _start: usize, end: usize) {
        if end < self.urls_done {
            return;
        }
        let ends = |byte: u8| byte.is_ascii_whitespace() || b"\"'`<>\\".contains(&byte);
        let length = self.run(end, |byte| !ends(byte) && !matches!(byte, b'/' | b'?' | b'#'));
        self.urls_done = end + length;
        let Some(authority) = self.text.get(end..end + length) else { return };
        if length <= LONGEST_AUTHORITY {
            self.userinfo(end, authority);
        }
        let path = self.bytes.get(end + length..).unwrap_or_default();
        let is_hook = path.starts_with(b"/hooks/") || path.starts_with(b"/trigger/");
        if authority.len() <= LONGEST_WEBHOOK && (is_hook || WEBHOOKS.iter().any(|hook| is_host_of(hook, authority))) {
            let window = self.bytes.get(end..self.bytes.len().min(end + LONGEST_WEBHOOK)).unwrap_or_default();
            let length = window.iter().take_while(|byte| !ends(**byte)).count();
            if let Some(url) = self.text.get(end..end + length) {
                self.webhook(end, url);
            }
        }
    }

    /// `user:password@host`. A password may hold any character, an at sign too, so the last one before a host counts.
    fn userinfo(&mut self, base: usize, authority: &str) {
        let at = match (authority.rfind('@'), authority.find(':')) {
            (Some(at), _) => at,
            // A sign of URLs in a password is a mistake that happens: the at sign behind it must be near.
            (None, Some(colon)) if !is_port(&authority[colon + 1..]) => match self.at_sign_behind_slash(base) {
                Some(at) => at,
                None => return,
            },
            _ => return,
        };
        let Some(url) = self.text.get(base..base + at) else { return };
        // `host:1433;user=sa;password=…@…`: what stands behind the sign is a port, and the rest are fields.
        if url.split_once(':').and_then(|(_, rest)| rest.split_once(';')).is_some_and(|(port, _)| is_port(port)) {
            return;
        }
        let userinfo = url;
        if let Some((user, password)) = userinfo.split_once(':') {
            if !password.is_empty() && !is_placeholder(password) {
                self.push_secret(base + user.len() + 1, base + at, "url-password");
            }
        } else if userinfo.len() >= 16 && is_secret(userinfo, Promise::Hint, Form::Bare) {
            self.push_secret(base, base + at, "url-token");
        }
    }

    fn at_sign_behind_slash(&self, base: usize) -> Option<usize> {
        const NEAR: usize = 200;
        let window = self.bytes.get(base..self.bytes.len().min(base + NEAR))?;
        let at = memchr::memchr(b'@', window)?;
        let is_other = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>".contains(byte);
        (!window[..at].iter().any(is_other)).then_some(at)
    }

    /// `host:port:database:user:password` alone in its line, as the clients of `PostgreSQL` keep it.
    pub(super) fn password_line(&mut self, start: usize, end: usize) {
        const LONGEST: usize = 300;
        if end < self.urls_done {
            return;
        }
        let from = start.saturating_sub(LONGEST);
        let line_start = memchr::memrchr(b'\n', &self.bytes[from..start]).map_or(from, |found| from + found + 1);
        let line_end = self.line_end(end);
        self.urls_done = line_end;
        let Some(line) = self.text.get(line_start..line_end).filter(|line| line.len() <= LONGEST) else { return };
        let mut fields = line.splitn(5, ':');
        let is_head =
            (0..4).all(|_| fields.next().is_some_and(|field| !field.is_empty() && !field.contains([' ', '/'])));
        let Some(password) = fields.next().filter(|_| is_head && !line.contains([' ', '\t'])) else { return };
        if is_secret(password, Promise::Password, Form::Quoted) {
            self.push_secret(line_end - password.len(), line_end, "password-file");
        }
    }

    /// `WIFI:T:WPA;S:name;P:password;;`.
    pub(super) fn wifi(&mut self, end: usize) {
        const LONGEST: usize = 200;
        let line = self.bytes.get(end..self.line_end(end).min(end + LONGEST)).unwrap_or_default();
        let Some(found) =
            memchr::memmem::find(line, b";P:").filter(|_| line.starts_with(b"T:") || line.starts_with(b"S:"))
        else {
            return;
        };
        let start = end + found + 3;
        let length = self.run_within(start, LONGEST, |byte| !matches!(byte, b';' | b'\n' | b'\r'));
        if length >= 4 {
            self.push_secret(start, start + length, "wifi-password");
        }
    }

    /// `jdbc:oracle:thin:user/password@host`.
    pub(super) fn oracle(&mut self, end: usize) {
        const LONGEST: usize = 200;
        let length = self.run_within(end, LONGEST, |byte| byte.is_ascii_graphic() && !b"\"'`<>".contains(&byte));
        let Some((user, rest)) = self.text.get(end..end + length).and_then(|text| text.split_once('/')) else { return };
        let Some((password, _)) = rest.rsplit_once('@') else { return };
        let is_user = !user.is_empty() && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_user && !password.is_empty() && !is_placeholder(password) {
            let start = end + user.len() + 1;
            self.push_secret(start, start + password.len(), "url-password");
        }
    }

    fn webhook(&mut self, base: usize, url: &str) {
        let Some((host, path)) = url.split_once('/') else { return };
        let known = WEBHOOKS.iter().filter(|hook| is_host_of(hook, host)).find_map(|hook| {
            let (_, known) = hook.split_once('/')?;
            path.starts_with(known).then(|| host.len() + 1 + known.len())
        });
        let Some(start) = known.or_else(|| hook_of_any_host(path).map(|start| host.len() + 1 + start)) else { return };
        let secret = url[start..].trim_end_matches(['.', ',', ')', ';']).trim_end_matches("/enqueue");
        if secret.len() >= 16 {
            self.hits.push(Hit::secret(base + start, base + start + secret.len(), "webhook-url"));
        }
    }
}

/// Whether a host is the one of a webhook, or a part of it.
fn is_host_of(hook: &str, host: &str) -> bool {
    let known = hook.split('/').next().unwrap_or_default();
    host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Where the secret begins in the path of a webhook on a host of one's own: 26 characters behind `/hooks/`, and what
/// stands behind `/with/key/`.
fn hook_of_any_host(path: &str) -> Option<usize> {
    if let Some(rest) = path.strip_prefix("hooks/") {
        let secret = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let has_digit = rest.bytes().take(secret).any(|byte| byte.is_ascii_digit());
        return (secret == 26 && secret == rest.len() && has_digit).then_some("hooks/".len());
    }
    path.find("/with/key/").map(|found| found + "/with/key/".len())
}

fn is_port(text: &str) -> bool {
    text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_placeholder(password: &str) -> bool {
    password.bytes().all(|byte| b"*xX.".contains(&byte))
        || ["password", "pass", "passwd", "pwd", "secret", "changeme", "token"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(password))
        || password.starts_with("${")
        || password.starts_with("$(")
        || password.starts_with('<')
        || password.starts_with('{')
        || password.starts_with("[SECRET-")
        || password.starts_with("%s")
        || password.starts_with("%(")
        || password
            .strip_prefix('$')
            .is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
}
