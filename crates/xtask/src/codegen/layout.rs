//! Lays the generator's declarations out for reading: one field a line, comments on one line.

/// A documentation comment, on one line when it has one sentence to say.
pub(super) fn comment(docs: &str) -> String {
    let lines: Vec<&str> = docs.lines().map(str::trim).collect();
    match lines.as_slice() {
        ["/**", line, "*/"] => format!("/** {} */", line.trim_start_matches('*').trim()),
        _ => docs.trim_end().to_owned(),
    }
}

/// Breaks after each field of a record and before each variant of a union of records.
///
/// It reads the text that ts-rs writes, where a record's fields end in commas and a field's
/// comment stands before it.
pub(super) fn lay_out(declaration: &str) -> String {
    let Some((head, body)) = declaration.split_once(" = ") else { return declaration.to_owned() };
    let variants = variants(body.trim().trim_end_matches(';'));
    if variants.len() == 1 || !body.contains('{') {
        return format!("{head} = {};", lay_out_fields(&variants.join(" | ")));
    }
    let mut text = format!("{head} =");
    for variant in variants {
        text.push_str("\n  | ");
        text.push_str(&lay_out_fields(variant).replace('\n', "\n    "));
    }
    text.push(';');
    text
}

/// The parts of a union, split at the bars that stand outside every bracket and string.
fn variants(body: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut is_in_string) = (Vec::new(), 0, 0_i32, false);
    for (at, character) in body.char_indices() {
        match character {
            '"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            '{' | '<' | '(' | '[' => depth += 1,
            '}' | '>' | ')' | ']' => depth -= 1,
            '|' if depth == 0 => {
                parts.push(body[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(body[start..].trim());
    parts
}

fn lay_out_fields(given: &str) -> String {
    let mut page = Page::default();
    let mut rest = given;
    while let Some(first) = rest.chars().next() {
        if let Some(end) = rest.starts_with("/**").then(|| rest.find("*/")).flatten() {
            page.own_line(&comment(&rest[..end + 2]));
            rest = rest[end + 2..].trim_start();
        } else if first == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |at| at + 2);
            page.push(&rest[..end]);
            rest = &rest[end..];
        } else {
            let after = &rest[first.len_utf8()..];
            rest = match first {
                '{' => page.open(after),
                '}' => page.close(after),
                ',' if page.in_record() => page.field_end(after),
                _ => page.plain(first, after),
            };
        }
    }
    page.text
}

/// The text written so far, and the brackets that are open.
#[derive(Default)]
struct Page {
    text: String,
    open: Vec<char>,
    at_line_start: bool,
}

impl Page {
    fn in_record(&self) -> bool {
        self.open.last() == Some(&'{')
    }

    fn records(&self) -> usize {
        self.open.iter().filter(|bracket| **bracket == '{').count()
    }

    fn new_line(&mut self) {
        let length = self.text.trim_end().len();
        self.text.truncate(length);
        self.text.push('\n');
        self.at_line_start = true;
    }

    fn push(&mut self, part: &str) {
        if self.at_line_start {
            self.text.push_str(&"  ".repeat(self.records()));
            self.at_line_start = false;
        }
        self.text.push_str(part);
    }

    fn own_line(&mut self, comment: &str) {
        for line in comment.lines() {
            if !self.at_line_start {
                self.new_line();
            }
            self.push(if line.trim_start().starts_with('*') { " " } else { "" });
            self.push(line.trim_start());
        }
        self.new_line();
    }

    fn open<'a>(&mut self, after: &'a str) -> &'a str {
        self.push("{");
        self.open.push('{');
        if !after.trim_start().starts_with('}') {
            self.new_line();
        }
        after.trim_start()
    }

    fn close<'a>(&mut self, after: &'a str) -> &'a str {
        let is_empty = self.text.ends_with('{');
        let is_unfinished = !is_empty && !self.at_line_start;
        if is_unfinished {
            self.text.truncate(self.text.trim_end().len());
            self.text.push(';');
            self.new_line();
        }
        self.open.pop();
        self.push("}");
        after
    }

    fn field_end<'a>(&mut self, after: &'a str) -> &'a str {
        self.push(";");
        self.new_line();
        after.trim_start()
    }

    fn plain<'a>(&mut self, character: char, after: &'a str) -> &'a str {
        match character {
            '<' | '(' | '[' => self.open.push(character),
            '>' | ')' | ']' => drop(self.open.pop()),
            _ => {}
        }
        let mut buffer = [0; 4];
        self.push(character.encode_utf8(&mut buffer));
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_gets_a_line_for_each_field() {
        let given = "type A = { \n/**\n * One.\n */\na: string, b: Array<B>, };";
        assert_eq!(lay_out(given), "type A = {\n  /** One. */\n  a: string;\n  b: Array<B>;\n};");
    }

    #[test]
    fn commas_inside_angle_brackets_and_strings_stay() {
        let given = "type A = { a: Record<string, \"x, y\">, };";
        assert_eq!(lay_out(given), "type A = {\n  a: Record<string, \"x, y\">;\n};");
    }

    #[test]
    fn a_union_of_records_gets_a_line_for_each() {
        let given = "type A = { \"type\": \"x\" } | { \"type\": \"y\", b: number, };";
        assert_eq!(
            lay_out(given),
            "type A =\n  | {\n      \"type\": \"x\";\n    }\n  | {\n      \"type\": \"y\";\n      b: number;\n    };"
        );
    }

    #[test]
    fn an_empty_record_stays_on_its_line() {
        assert_eq!(lay_out("type A = Record<string, never>;"), "type A = Record<string, never>;");
        assert_eq!(lay_out("type A = {  };"), "type A = {};");
    }
}
