//! Finding the id of a request that is too long to keep, wherever in the line it stands.

use rmcp::model::RequestId;

/// An id longer than this is no id that anybody sends.
const MAX_ID_BYTES: usize = 256;

/// Whether the scan is within a text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    AfterBackslash,
}

/// Reads JSON byte by byte and keeps nothing but the value of the outermost object's `id`.
#[derive(Debug, Default)]
pub(super) struct IdScan {
    depth: u32,
    text: Text,
    /// The outermost object's key that is being read.
    key: Vec<u8>,
    is_key: bool,
    /// Whether the value that is being read belongs to the key `id`.
    is_id: bool,
    value: Vec<u8>,
}

impl IdScan {
    /// Takes more of the line.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.keep(*byte);
            match self.text {
                Text::Outside => self.take_structure(*byte),
                Text::Inside => self.take_text(*byte),
                Text::AfterBackslash => self.text = Text::Inside,
            }
        }
    }

    /// The id, if the line had one that a request can have.
    pub(super) fn id(&self) -> Option<RequestId> {
        serde_json::from_slice(&self.value).ok()
    }

    /// Keeps the byte when it is part of the id.
    fn keep(&mut self, byte: u8) {
        let is_end = self.text == Text::Outside && matches!(byte, b',' | b'}');
        if self.is_id && self.depth == 1 && !is_end && self.value.len() < MAX_ID_BYTES {
            self.value.push(byte);
        }
    }

    fn take_text(&mut self, byte: u8) {
        match byte {
            b'\\' => self.text = Text::AfterBackslash,
            b'"' => self.text = Text::Outside,
            _ if self.depth == 1 && self.is_key && self.key.len() <= b"id".len() => self.key.push(byte),
            _ => {}
        }
    }

    fn take_structure(&mut self, byte: u8) {
        let is_outermost = self.depth == 1;
        match byte {
            b'"' => {
                self.text = Text::Inside;
                if is_outermost && self.is_key {
                    self.key.clear();
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.is_key = self.depth == 1 && byte == b'{';
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.is_id &= self.depth >= 1;
            }
            b',' if is_outermost => {
                self.is_key = true;
                self.is_id = false;
            }
            b':' if is_outermost && self.is_key => {
                self.is_key = false;
                self.is_id = self.key == b"id";
                if self.is_id {
                    self.value.clear();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#, Some(RequestId::Number(7)))]
    #[case(r#"{"method":"m","params":{"id":1,"a":[{"id":2}]},"id": "a\",b" }"#, Some(RequestId::String("a\",b".into())))]
    #[case(r#"{"method":"m","params":{"x":"\"id\":3,"}}"#, None)]
    #[case(r#"{"id":{"id":4},"method":"m"}"#, None)]
    #[case(r#"{"ids":5,"method":"id"}"#, None)]
    #[case(r#"[{"id":6}]"#, None)]
    #[case(r#"{"id":null}"#, None)]
    fn the_outermost_id_is_found(#[case] line: &str, #[case] expected: Option<RequestId>) {
        let mut scan = IdScan::default();
        scan.feed(line.as_bytes());
        assert_eq!(scan.id(), expected);
    }
}
