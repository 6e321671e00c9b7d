//! The reference pages say what the programs say.

use lwa_xtask::reference::{Programs, ToolSetList, check, settings_page, tools_page, write};
use lwa_xtask::root::project_root;
use serde_json::json;

#[test]
fn the_reference_pages_are_up_to_date() {
    match Programs::beside_this_one() {
        Some(programs) => check(&project_root(), &programs).unwrap(),
        None => println!("skipped: `lwa` and `lwa-mcp` are not built beside this test"),
    }
}

#[test]
fn drift_is_noticed_and_writing_mends_it() {
    let Some(programs) = Programs::beside_this_one() else {
        println!("skipped: `lwa` and `lwa-mcp` are not built beside this test");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    assert!(check(folder.path(), &programs).is_err(), "a missing page is drift");
    let pages = write(folder.path(), &programs).unwrap();
    check(folder.path(), &programs).unwrap();
    let text = std::fs::read_to_string(&pages[0]).unwrap();
    std::fs::write(&pages[0], text.replace("plan_token", "planToken")).unwrap();
    let error = check(folder.path(), &programs).unwrap_err().to_string();
    assert!(error.contains("tools.md") && error.contains("cargo xtask docs"), "{error}");
}

#[test]
fn a_tool_is_shown_with_what_it_takes_and_answers() {
    let tool = json!({
        "name": "weigh",
        "description": "Weighs a thing. It breaks nothing.",
        "inputSchema": {
            "properties": {
                "thing": { "type": "string", "description": "What to weigh." },
                "unit": { "enum": ["kg", "lb"], "default": "kg", "description": "The unit." },
                "digits": { "type": "integer", "minimum": 0, "maximum": 6 }
            },
            "required": ["thing"]
        },
        "outputSchema": { "properties": { "weight": { "description": "how heavy" }, "unit": {} } },
        "annotations": { "readOnlyHint": true }
    });
    let sets = [
        ToolSetList { set: "core".to_owned(), with: None, tools: vec![tool] },
        ToolSetList { set: "later".to_owned(), with: Some("a.key"), tools: Vec::new() },
    ];
    let page = tools_page(&sets).unwrap();
    for line in [
        "[`weigh`](#weigh)",
        "| `later`, with `a.key` on | 0 | 0 | none yet |",
        "## weigh\n\nWeighs a thing.\nIt breaks nothing.\n",
        "Hints: reads only, destroys nothing, each call counts, reaches nothing outside.",
        "| `thing` | a text | required | What to weigh. |",
        "| `unit` | `kg`, `lb` | `kg` | The unit. |",
        "| `digits` | a whole number 0 to 6 |  |  |",
        "Answers: `weight` (how heavy), `unit`.",
    ] {
        assert!(page.contains(line), "`{line}` is not in:\n{page}");
    }
    assert!(tools_page(&[ToolSetList { set: "core".to_owned(), with: None, tools: vec![json!({})] }]).is_err());
}

#[test]
fn keys_stand_below_their_tables() {
    let key =
        |name: &str, default: &str| json!({ "key": name, "kind": "a text", "default": default, "meaning": "A thing." });
    let page = settings_page(&[key("toolsets", "[]"), key("router.mode", ""), key("models[].price", "1")]).unwrap();
    for line in [
        "## Top of the file\n",
        "| `toolsets` | a text | `[]` | A thing. |",
        "## `router`\n",
        "| `router.mode` | a text |  | A thing. |",
        "## `models`\n",
    ] {
        assert!(page.contains(line), "`{line}` is not in:\n{page}");
    }
    assert!(settings_page(&[json!({ "key": "x" })]).is_err());
}
