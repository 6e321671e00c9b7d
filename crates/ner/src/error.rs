//! Why the model could not be used.

/// Why the model was not loaded. Nothing can be read without it, so everything counts as unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The weights are not the converted ones.
    #[error("the weights of the name finder do not have the expected digest")]
    Weights,
    /// The vocabulary is not the converted one.
    #[error("the vocabulary of the name finder does not have the expected digest")]
    Vocabulary,
    /// The weights have another layout than this version reads.
    #[error("the weights of the name finder have an unknown layout")]
    Layout,
}
