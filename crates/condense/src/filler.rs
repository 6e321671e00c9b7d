//! Tells talk without content from sentences that say something.

/// How sentences without content begin, in lower case.
const OPENERS: &[&str] = &[
    "absolutely",
    "alright",
    "and done",
    "anything else",
    "as always",
    "awesome",
    "back in",
    "cheers",
    "checking",
    "cool",
    "does that make sense",
    "does this make sense",
    "done",
    "excellent",
    "exactly",
    "fair enough",
    "feel free",
    "fine",
    "give me a",
    "glad",
    "go ahead",
    "good call",
    "good catch",
    "good idea",
    "good morning",
    "good point",
    "good question",
    "got it",
    "great",
    "happy to",
    "hello",
    "hi",
    "hm",
    "hold on",
    "hope",
    "i agree",
    "i appreciate",
    "i see",
    "i understand",
    "i will check",
    "i will do",
    "i will get back",
    "i will look",
    "i will think",
    "i will take a look",
    "i will try",
    "i'll check",
    "i'll do that",
    "i'll get",
    "i'll look",
    "i'll take a look",
    "i'll think",
    "i'll try",
    "i'm on it",
    "just a moment",
    "let me check",
    "let me do",
    "let me know",
    "let me look",
    "let me see",
    "let me take",
    "let me think",
    "let me try",
    "let's continue",
    "let's do it",
    "let's move on",
    "let's proceed",
    "let's see",
    "looking at",
    "looking into",
    "looks good",
    "makes sense",
    "moving on",
    "nice",
    "no problem",
    "no worries",
    "noted, thanks",
    "of course",
    "ok",
    "okay",
    "on it",
    "one moment",
    "one sec",
    "perfect",
    "please continue",
    "please do",
    "please go",
    "please proceed",
    "ready",
    "right",
    "running it",
    "running that",
    "running the",
    "sounds good",
    "sounds great",
    "sounds right",
    "sure",
    "thank you",
    "thanks",
    "that helps",
    "that makes sense",
    "that sounds",
    "that works",
    "understood",
    "welcome",
    "will do",
    "working on it",
    "yeah",
    "yep",
    "yes",
    "you are right",
    "you are welcome",
    "you're right",
    "you're welcome",
    "shall i continue",
    "shall we continue",
    "should i continue",
    "should i go ahead",
    "can you continue",
    "trying again",
    "still looking",
    "still working",
];

/// A sentence longer than this says something.
const LONGEST_BYTES: usize = 120;

/// The text without a closing remark in parentheses, such as `(again)` or `(17)`.
pub(crate) fn without_remark(text: &str) -> &str {
    let text = text.trim();
    if let Some(inner) = text.strip_suffix(')')
        && let Some(open) = inner.rfind('(')
        && text.len() - open <= 16
    {
        return text.get(..open).unwrap_or_default().trim_end();
    }
    text
}

/// Whether every sentence of a short text is a pleasantry or announces what its writer is about to do.
pub(crate) fn is_filler(text: &str) -> bool {
    let text = without_remark(text);
    if text.is_empty() || text.len() > 2 * LONGEST_BYTES {
        return false;
    }
    text.split_inclusive(['.', '!', '?']).all(|sentence| {
        let sentence = sentence.trim_matches(|c: char| !c.is_alphanumeric());
        sentence.is_empty() || sentence.len() <= LONGEST_BYTES && OPENERS.iter().any(|opener| begins(sentence, opener))
    })
}

/// Whether `text` begins with the words of `opener`.
fn begins(text: &str, opener: &str) -> bool {
    text.get(..opener.len()).is_some_and(|head| head.eq_ignore_ascii_case(opener))
        && !text.get(opener.len()..).unwrap_or_default().starts_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::is_filler;
    use rstest::rstest;

    #[rstest]
    #[case("Sounds good, let me take a look at that now. (again)", true)]
    #[case("Running the command again to be sure. (17)", true)]
    #[case("Ok. (ok)", true)]
    #[case("I will think about it and come back.", true)]
    #[case("Thanks! That works.", true)]
    #[case("Does that make sense?", true)]
    #[case("Oklahoma is far.", false)]
    #[case("The cache is keyed by path.", false)]
    #[case("Thanks. The cache is keyed by path.", false)]
    #[case("", false)]
    fn tells_filler(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_filler(text), expected);
    }
}
