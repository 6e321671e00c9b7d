//! `[library]`.

use serde::Serialize;

/// What the tool library does by itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file, and they are independent")]
pub struct LibraryConfig {
    /// Whether runs are observed, so that repeated work is noticed.
    pub auto_detect_patterns: bool,
    /// How many distinct runs make a pattern.
    pub pattern_min_occurrences: u32,
    /// How alike two unnamed pieces of work must be, 0 to 1.
    pub pattern_similarity_threshold: f64,
    /// Whether a pattern becomes a recipe by itself.
    pub auto_create_library_tools: bool,
    /// Whether such a recipe can be run at once; else it waits as a draft.
    pub auto_activate_prompt_tools: bool,
    /// Whether a preparation names recipes that fit.
    pub suggest_library_tools: bool,
    /// How many it names at most.
    pub max_library_suggestions: u32,
    /// Whether scripts that a human approved may run.
    pub allow_reviewed_script_execution: bool,
}

impl Default for LibraryConfig {
    fn default() -> Self {
        Self {
            auto_detect_patterns: true,
            pattern_min_occurrences: 3,
            pattern_similarity_threshold: 0.68,
            auto_create_library_tools: true,
            auto_activate_prompt_tools: true,
            suggest_library_tools: true,
            max_library_suggestions: 5,
            allow_reviewed_script_execution: false,
        }
    }
}
