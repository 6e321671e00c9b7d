//! Cluster manifests of the kind `Secret`: every value under `data` is one, wherever the kind stands.

use super::Reading;
use super::label::Promise;
use super::value::{Form, is_secret};

impl Reading<'_> {
    /// At the word `kind`, once it is known to say `Secret`.
    pub(super) fn manifest(&mut self, start: usize, end: usize) {
        if start < self.manifests_done {
            return;
        }
        let from = end + self.run_within(end, 8, |byte| matches!(byte, b'"' | b'\'' | b' ' | b'\t' | b':'));
        let is_secret_kind = self.bytes.get(from..from + 6) == Some(b"Secret")
            && self.byte(from + 6).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        if !is_secret_kind {
            return;
        }
        let before = &self.bytes[self.manifests_done..start];
        let document_start =
            memchr::memmem::rfind(before, b"\n---").map_or(self.manifests_done, |found| self.manifests_done + found);
        let behind = &self.bytes[from..];
        let document_end = memchr::memmem::find(behind, b"\n---").map_or(self.bytes.len(), |found| from + found);
        self.manifests_done = document_end;
        if self.byte(end) == Some(b'"') {
            self.json_data(document_start, document_end);
        } else {
            self.yaml_data(document_start, document_end);
        }
    }

    fn yaml_data(&mut self, start: usize, end: usize) {
        let mut data_indent: Option<usize> = None;
        let mut at = start;
        while at < end {
            let line_end = memchr::memchr(b'\n', &self.bytes[at..end]).map_or(end, |found| at + found);
            let next = line_end + 1;
            let Some(line) = self.text.get(at..line_end) else { break };
            let body = line.trim_start();
            let indent = line.len() - body.len();
            if matches!(body.trim_end(), "data:" | "stringData:") {
                data_indent = Some(indent);
            } else if data_indent.is_some_and(|outer| indent <= outer) && !body.trim_end().is_empty() {
                data_indent = None;
            } else if data_indent.is_some() {
                let value = match body.split_once(": ") {
                    Some((_, value)) => value,
                    // A line of a block.
                    None if body.trim_end().ends_with(':') => "",
                    None => body,
                };
                let value = value.trim().trim_matches(['"', '\'']);
                if let Some(offset) = line.rfind(value).filter(|_| is_secret(value, Promise::Password, Form::Quoted)) {
                    self.push_secret(at + offset, at + offset + value.len(), "secret-manifest");
                }
            }
            at = next;
        }
    }

    fn json_data(&mut self, start: usize, end: usize) {
        let Some(document) = self.text.get(start..end) else { return };
        for name in ["\"data\"", "\"stringData\""] {
            let mut at = 0;
            while let Some(found) = document[at..].find(name) {
                let open = at + found + name.len();
                let Some(close) = document[open..].find('}') else { break };
                let mut quoted = document[open..open + close].split('"');
                let mut offset = start + open + quoted.next().map_or(0, str::len);
                // Names and values between quotes take turns.
                let mut is_value = false;
                while let Some(text) = quoted.next() {
                    let text_start = offset + 1;
                    if is_value && is_secret(text, Promise::Password, Form::Quoted) {
                        self.push_secret(text_start, text_start + text.len(), "secret-manifest");
                    }
                    is_value = !is_value;
                    offset = text_start + text.len() + 1 + quoted.next().map_or(0, str::len);
                }
                at = open + close;
            }
        }
    }

    /// A key in JSON with its type, `{"kty": "RSA", …, "d": "…"}`: the private members of it.
    pub(super) fn json_key(&mut self, start: usize, end: usize) {
        const NEAR: usize = 8 * 1024;
        const MEMBERS: [&[u8]; 7] = [b"\"d\"", b"\"p\"", b"\"q\"", b"\"dp\"", b"\"dq\"", b"\"qi\"", b"\"k\""];
        if start < self.manifests_done {
            return;
        }
        let from = start.saturating_sub(NEAR).max(self.manifests_done);
        let open = memchr::memrchr(b'{', &self.bytes[from..start]).map_or(from, |found| from + found);
        let window = &self.bytes[end..self.bytes.len().min(end + NEAR)];
        let close = memchr::memchr(b'}', window).map_or(end + window.len(), |found| end + found);
        self.manifests_done = close;
        for member in MEMBERS {
            let Some(found) = memchr::memmem::find(&self.bytes[open..close], member) else { continue };
            let at = open + found + member.len();
            let value = at + self.run_within(at, 8, |byte| matches!(byte, b' ' | b':' | b'\n' | b'"'));
            let length = self.run(value, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
            let is_quoted = self.byte(value - 1) == Some(b'"') && self.byte(value + length) == Some(b'"');
            if length >= 16 && is_quoted {
                self.push_secret(value, value + length, "json-key");
            }
        }
    }
    /// `<RSAKeyValue>…<D>…</D></RSAKeyValue>`: the private members of it.
    pub(super) fn xml_key(&mut self, end: usize) {
        const NEAR: usize = 8 * 1024;
        const MEMBERS: [&[u8]; 6] = [b"<D>", b"<P>", b"<Q>", b"<DP>", b"<DQ>", b"<InverseQ>"];
        if end < self.manifests_done {
            return;
        }
        let window = &self.bytes[end..self.bytes.len().min(end + NEAR)];
        let close = memchr::memmem::find(window, b"</RSAKeyValue>").unwrap_or(window.len());
        self.manifests_done = end + close;
        for member in MEMBERS {
            let Some(found) = memchr::memmem::find(&window[..close], member) else { continue };
            let value = end + found + member.len();
            let length = self.run(value, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
            if length >= 16 && self.byte(value + length) == Some(b'<') {
                self.push_secret(value, value + length, "xml-key");
            }
        }
    }
}
