//! What a caller asks for and what it gets back.

/// What kind of text is condensed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Material {
    /// Find out from the text.
    #[default]
    Auto,
    /// Turns of people and assistants, or prose: facts, decisions and open questions stay.
    Conversation,
    /// Output of programs: failures and warnings stay, repeated lines are folded.
    Log,
    /// Instructions for a model: only waste goes.
    Prompt,
}

impl Material {
    /// The word that stands for the material in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Conversation => "conversation",
            Self::Log => "log",
            Self::Prompt => "prompt",
        }
    }
}

/// How to condense.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// What the text is.
    pub material: Material,
    /// The result is not longer than this; `None` keeps every failure and warning.
    pub max_output_bytes: Option<usize>,
    /// The exit code of the command that wrote the text, if one did.
    pub exit_code: Option<i32>,
}

/// A condensed text and what became of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condensed {
    /// The result, with markers in square brackets where something is missing.
    pub text: String,
    /// What the text was taken for; never [`Material::Auto`].
    pub material: Material,
    /// The length of the text that was given.
    pub input_bytes: usize,
    /// The length of [`Condensed::text`].
    pub output_bytes: usize,
    /// What was left out, counted.
    pub left_out: LeftOut,
    /// True when failures, warnings, statements or facts were lost to the budget.
    pub is_cut_to_budget: bool,
    /// What the reader should know; the first note states the ratio.
    pub notes: Vec<String>,
}

impl Condensed {
    /// The length of the result as a share of the input, in per mille; 1000 for an empty input.
    pub fn ratio_per_mille(&self) -> usize {
        if self.input_bytes == 0 {
            return 1000;
        }
        self.output_bytes.saturating_mul(1000) / self.input_bytes
    }
}

/// Counts of what does not stand in the result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Lines of the input, as a terminal shows them.
    pub of_lines: usize,
    /// Lines of which nothing stands in the result.
    pub lines: usize,
    /// Bytes of the input that the result lacks.
    pub bytes: usize,
    /// Empty lines.
    pub blank: usize,
    /// Lines that say again what an earlier line said.
    pub repeated: usize,
    /// Progress and other routine lines.
    pub routine: usize,
    /// Pleasantries and other talk without content.
    pub filler: usize,
    /// Lines around failures and inside code.
    pub context: usize,
    /// Lines whose facts stood in earlier lines, or that only mention a failure.
    pub mentions: usize,
    /// Warnings, lost to the budget.
    pub warnings: usize,
    /// Failures, lost to the budget.
    pub failures: usize,
    /// Facts, decisions, questions and summaries, lost to the budget.
    pub statements: usize,
}
