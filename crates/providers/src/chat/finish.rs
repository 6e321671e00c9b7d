//! Why an answer ended, in the words of any protocol.

/// What a finish reason means. Words that nobody knows are [`Finish::Other`], never an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Complete,
    /// The limit of output tokens was reached, so the text may break off.
    Length,
    /// The provider's filter stopped it.
    Filtered,
    /// The model wants a tool.
    ToolCall,
    /// The provider stopped it with an error.
    Error,
    /// Anything else.
    Other,
}

impl Finish {
    /// Reads a finish reason as it was written.
    pub fn of(reason: &str) -> Self {
        match reason {
            "stop" | "STOP" | "COMPLETE" | "STOP_SEQUENCE" | "stop_sequence" => Self::Complete,
            "length" | "MAX_TOKENS" | "max_tokens" | "max_output_tokens" => Self::Length,
            "content_filter"
            | "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "MODEL_ARMOR"
            | "sensitive" => Self::Filtered,
            "tool_calls" | "tool_call" | "TOOL_CALL" | "function_call" => Self::ToolCall,
            "error"
            | "ERROR"
            | "TIMEOUT"
            | "MALFORMED_FUNCTION_CALL"
            | "MALFORMED_RESPONSE"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "network_error" => Self::Error,
            _ => Self::Other,
        }
    }
}
