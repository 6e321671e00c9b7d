//! Reads labelled cases, one JSON object a line, from standard input and prints how many of them hold.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

use std::error::Error;
use std::io::BufRead;

use lwa_privacy::{Bare, Exposure, Kind, Reveal, Scrubber, Vault, Visibility, rehydrate};
use serde_json::Value;

fn strings(case: &Value, field: &str) -> Vec<String> {
    case.get(field)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut masked, mut to_mask, mut kept, mut to_keep) = (0, 0, 0, 0);
    let scrubber = Scrubber::new();
    for line in std::io::stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line?)?;
        let text = case["text"].as_str().unwrap_or_default();
        let class = case["class"].as_str().unwrap_or_default();
        let exposure = match case["mode"].as_str() {
            Some("pii") => Exposure::pii(),
            _ => Exposure::assist(Visibility::Open, Visibility::Masked),
        };
        let mut vault = Vault::new();
        if class == "placeholder.model-mutated" {
            vault.mint(Kind::Email, "dana@example.org");
            println!("BACK  {:?}", rehydrate(text, &vault, Reveal::Everything, Bare::Ignored).text);
        }
        if let Some((value, _)) = text.strip_prefix("vault: ").and_then(|rest| rest.split_once(" | ")) {
            scrubber.register_value(&mut vault, value);
        }
        let result = scrubber.scrub(&mut vault, text, exposure)?;
        for value in strings(&case, "must_mask") {
            to_mask += 1;
            if result.text.contains(&value) {
                println!("LEAK  {class}: {value:?}\n      {:?}", result.text);
            } else {
                masked += 1;
            }
        }
        for value in strings(&case, "must_keep") {
            to_keep += 1;
            if result.text.contains(&value) {
                kept += 1;
            } else {
                println!("LOST  {class}: {value:?}\n      {:?}", result.text);
            }
        }
    }
    println!("masked {masked} of {to_mask}, kept {kept} of {to_keep}");
    Ok(())
}
