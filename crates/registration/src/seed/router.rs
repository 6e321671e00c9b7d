//! Reading `router.yaml`.

use serde_json::{Map, Value};

use super::SeedError;

/// The settings of the file, as JSON. An empty file has none.
///
/// YAML's older words for true and false are understood, as the older product did; a repeated key is an
/// error. The message names a line and quotes nothing.
pub(super) fn read(text: &str) -> Result<Map<String, Value>, SeedError> {
    let value: Value = serde_saphyr::from_str(text)
        .map_err(|error| SeedError::Yaml { line: error.location().map_or(0, |location| location.line()) })?;
    match value {
        Value::Object(settings) => Ok(settings),
        Value::Null => Ok(Map::new()),
        _ => Err(SeedError::NoTable),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_and_numbers_are_read_as_the_older_product_read_them() {
        let text = "a: yes\nb: off\nc: 0.5\nd: 5\ne: null\nf: [x, 'y']\ng: {h: \"yes\"}\n";
        let expected =
            json!({ "a": true, "b": false, "c": 0.5, "d": 5, "e": null, "f": ["x", "y"], "g": { "h": "yes" } });
        assert_eq!(Value::Object(read(text).unwrap()), expected);
        assert!(read("# nothing\n").unwrap().is_empty());
    }

    #[test]
    fn what_is_no_configuration_is_refused_with_its_line_alone() {
        let error = read("a: 1\nb: [secret-words\n").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret-words"), "{error:?}");
        assert_eq!(read("a: 1\nb: 2\na: 3\n").unwrap_err().to_string(), "line 3 is not valid YAML");
        assert!(matches!(read("- a\n- b\n"), Err(SeedError::NoTable)));
    }

    #[test]
    fn a_file_that_grows_without_end_is_refused() {
        let line = |n: u32| {
            let before = if n == 0 { "x".to_owned() } else { format!("*a{}", n - 1) };
            format!("a{n}: &a{n} [{}]\n", vec![before; 9].join(", "))
        };
        let text: String = (0..12).map(line).collect();
        assert!(matches!(read(&text), Err(SeedError::Yaml { .. })));
    }
}
