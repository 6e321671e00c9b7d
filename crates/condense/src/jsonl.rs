//! Unfolds transcripts that hold one JSON record a line into labelled turns.

use serde_json::Value;

use crate::lines::Line;
use crate::signals::mark;

/// Records with an alert stay as they are given while they take up at most one part in so many of the text.
const RAW_SHARE: usize = 4;
/// An alert record of one line stays as it is given up to this length.
const RAW_BYTES: usize = 1000;
/// Values nested deeper than this are left out.
const DEPTH: usize = 12;

/// The turns of a transcript, or nothing when the text is not one.
///
/// A record that holds a word of failure stays in its given form, when that form is short or such records are few;
/// the others become `role: text`.
pub(crate) fn unfold(text: &str) -> Option<String> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    if !is_record(&serde_json::from_str(first.trim()).ok()?) {
        return None;
    }
    let marks = mark(text, &whole_lines(text));
    let raw_bytes: usize =
        text.lines().zip(&marks).filter(|(_, marks)| marks.is_mention()).map(|(line, _)| line.len()).sum();
    let is_raw_cheap = raw_bytes <= text.len() / RAW_SHARE;
    let mut out = String::with_capacity(text.len());
    let mut records = 0usize;
    let mut others = 0usize;
    for (line, marks) in text.lines().zip(&marks) {
        if line.trim().is_empty() {
            continue;
        }
        let Ok(record) = serde_json::from_str::<Value>(line.trim()) else {
            others += 1;
            push_line(&mut out, line);
            continue;
        };
        records += 1;
        let turn = turn_of(&record);
        let is_one_line = !turn.contains('\n') && line.len() <= RAW_BYTES;
        if marks.is_mention() && (is_raw_cheap || is_one_line) {
            push_line(&mut out, line);
        } else {
            push_line(&mut out, &turn);
        }
    }
    (records > others).then_some(out)
}

/// The lines of the text, however long.
fn whole_lines(text: &str) -> Vec<Line> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let span =
                Line { start, end: start + line.trim_end_matches('\n').len(), is_joined: false, is_overwritten: false };
            start += line.len();
            span
        })
        .collect()
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// Whether a value is a record of a conversation.
fn is_record(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    has("role") && (has("content") || has("parts") || has("text"))
        || has("message") && has("type")
        || has("payload") && has("type")
}

/// A record as `role: text`.
fn turn_of(record: &Value) -> String {
    let message = ["message", "payload"]
        .into_iter()
        .find_map(|key| record.get(key))
        .filter(|inner| inner.is_object())
        .unwrap_or(record);
    let name = |key: &str| message.get(key).or_else(|| record.get(key)).and_then(Value::as_str);
    // The answer of a tool comes in the name of the user; it is a program that speaks.
    let is_answer = message.pointer("/content/0/type").and_then(Value::as_str) == Some("tool_result");
    let role = if is_answer { "tool" } else { name("role").or_else(|| name("type")).unwrap_or("record") };
    let mut turn = format!("{role}: ");
    collect(message, &mut turn, 0);
    turn.truncate(turn.trim_end().len());
    turn
}

/// Adds the texts of a value; keys that only carry bookkeeping are skipped.
fn collect(value: &Value, out: &mut String, depth: usize) {
    if depth > DEPTH {
        return;
    }
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, out, depth + 1)),
        Value::Object(fields) => {
            for (key, field) in fields {
                match key.as_str() {
                    "role" | "type" | "id" | "uuid" | "tool_use_id" | "tool_call_id" | "signature" | "usage"
                    | "model" | "stop_reason" => {}
                    "content" | "text" | "parts" | "output" | "result" | "stdout" | "stderr" | "thinking"
                    | "message" | "summary" => collect(field, out, depth + 1),
                    _ if field.is_object() || field.is_array() => collect(field, out, depth + 1),
                    _ => {
                        out.push_str(key);
                        out.push_str(": ");
                        match field {
                            Value::String(text) => out.push_str(text),
                            other => out.push_str(&other.to_string()),
                        }
                        out.push('\n');
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::unfold;

    #[test]
    fn unfolds_records_into_turns() {
        let text = concat!(
            "{\"role\":\"user\",\"content\":\"Hello\\nthere\"}\n",
            "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]}}\n",
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"content\":\"a\\nb\"}]}}\n",
        );
        assert_eq!(unfold(text).as_deref(), Some("user: Hello\nthere\nassistant: Hi\ntool: a\nb\n"));
    }

    #[test]
    fn keeps_a_record_with_a_failure_as_given() {
        let text = "{\"role\":\"user\",\"content\":\"error: gone\"}\n{\"role\":\"user\",\"content\":\"b\"}\n";
        assert_eq!(unfold(text).as_deref(), Some("{\"role\":\"user\",\"content\":\"error: gone\"}\nuser: b\n"));
    }

    #[test]
    fn leaves_other_texts_alone() {
        assert_eq!(unfold("{\"level\":\"error\",\"msg\":\"gone\"}\n"), None);
        assert_eq!(unfold("plain\n"), None);
        assert_eq!(unfold(""), None);
    }
}
