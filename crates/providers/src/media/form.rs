//! A form of plain texts, as browsers send it.

/// An encoded form.
pub(crate) struct Form {
    pub(crate) body: Vec<u8>,
    pub(crate) content_type: String,
}

/// Encodes `fields`, whose names are ours and whose values are anything.
///
/// The mark between the fields is the first one that no value contains, so no value can end its field and begin
/// another.
pub(crate) fn encode(fields: &[(&str, String)]) -> Form {
    let mut number = 0_u64;
    let mut boundary = format!("lwa-form-{number}");
    while fields.iter().any(|(_, value)| value.contains(&boundary)) {
        number += 1;
        boundary = format!("lwa-form-{number}");
    }
    let mut body = String::new();
    for (name, value) in fields {
        body.push_str("--");
        body.push_str(&boundary);
        body.push_str("\r\nContent-Disposition: form-data; name=\"");
        body.push_str(name);
        body.push_str("\"\r\n\r\n");
        body.push_str(value);
        body.push_str("\r\n");
    }
    body.push_str("--");
    body.push_str(&boundary);
    body.push_str("--\r\n");
    Form { body: body.into_bytes(), content_type: format!("multipart/form-data; boundary={boundary}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_end_its_field() {
        let form = encode(&[("prompt", "--lwa-form-0\r\n lwa-form-1 \r\n\r\nother".to_owned())]);
        let boundary = form.content_type.split_once("boundary=").unwrap().1;
        let text = String::from_utf8(form.body).unwrap();
        assert_eq!(text.matches(boundary).count(), 2, "{text}");
        assert!(text.ends_with(&format!("--{boundary}--\r\n")));
    }
}
