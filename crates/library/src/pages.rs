//! The pages that people read: the catalogue, and a page for each tool.

use crate::manifest::{Manifest, ToolKind};

/// The page at the root of the library.
pub(crate) const ROOT_PAGE: &str = "\
# Tool library

Lwa keeps here what it learned from work that repeats.
`CATALOG.md` lists every tool, `registry.json` holds the same for programs, and each tool has a folder under `tools`.

A recipe is a text with a place for the input; a model runs it under the same rules as any other plan.
A script is a program; it runs only after you approved exactly its present content.

You may read everything here, and edit nothing by hand: use `lwa library` instead.
";

/// The catalogue, sorted by status and then by name.
pub(crate) fn catalogue(tools: &[Manifest]) -> String {
    let mut sorted: Vec<&Manifest> = tools.iter().collect();
    sorted.sort_by_cached_key(|tool| (tool.status.as_str(), tool.name.to_lowercase(), tool.slug.clone()));
    let mut page = String::from(
        "# Catalog\n\n| Tool | Status | Kind | Task | Evidence | Confidence | Description |\n|---|---|---|---|---|---|---|\n",
    );
    for tool in &sorted {
        let row = format!(
            "| [{}](tools/{}/README.md) | {} | {} | {} | {} | {:.2} | {} |\n",
            cell(&tool.name),
            tool.slug,
            tool.status.as_str(),
            tool.kind.as_str(),
            tool.task.as_str(),
            tool.evidence_count,
            tool.confidence.fraction(),
            cell(&tool.description),
        );
        page.push_str(&row);
    }
    if sorted.is_empty() {
        page.push_str("| no tools yet | | | | | | |\n");
    }
    page
}

/// The page of one tool.
pub(crate) fn tool_page(tool: &Manifest) -> String {
    let facts = [
        ("Status", tool.status.as_str().to_owned()),
        ("Kind", tool.kind.as_str().to_owned()),
        ("Task", tool.task.as_str().to_owned()),
        ("Version", tool.version.clone()),
        ("Evidence", tool.evidence_count.to_string()),
        ("Confidence", format!("{:.2}", tool.confidence.fraction())),
        ("Tags", tool.tags.join(", ")),
    ];
    let mut parts = vec![format!("# {}\n\n{}\n\n| | |\n|---|---|\n", line(&tool.name), line(&tool.description))];
    parts.extend(facts.iter().map(|(name, value)| format!("| {name} | {} |\n", cell(value))));
    if !tool.triggers.is_empty() {
        parts.push("\n## When to use it\n\n".to_owned());
        parts.extend(tool.triggers.iter().map(|trigger| format!("- {}\n", line(trigger))));
    }
    parts.push(format!("\n## How to run it\n\n```sh\nlwa library run {} --input -\n```\n", tool.slug));
    parts.push(match tool.kind {
        ToolKind::PromptRecipe => format!("\n## Template\n\n{}", fenced(tool.prompt_template.as_str())),
        ToolKind::Script => {
            format!("\nThe program is `{}`. It runs only after its content was approved.\n", tool.entrypoint)
        }
    });
    parts.concat()
}

/// A text in one cell of a table: no line ends, and no bar that would end the cell.
fn cell(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('|', "\\|")
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in a fence that is longer than any inside it.
fn fenced(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}text\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_catalogue_says_so() {
        assert!(catalogue(&[]).ends_with("| no tools yet | | | | | | |\n"));
    }

    #[test]
    fn a_cell_holds_no_line_end_and_no_bare_bar() {
        assert_eq!(cell("a | b\nc\\|d\r\n"), r"a \| b c\\\|d");
    }

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        assert_eq!(fenced("```\n````"), "`````text\n```\n````\n`````\n");
    }
}
