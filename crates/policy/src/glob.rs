//! Patterns of file names and of allow entries: `*`, `?` and bracket sets, in time that grows with the text.

use crate::arg::UNKNOWN;

/// Whether `text` fits `pattern`; an unknown part fits anything.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut from) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while from < text.len() {
        let step = match pattern.get(at) {
            Some('*' | &UNKNOWN) => {
                retry = Some((at + 1, from));
                at += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => set(pattern.get(at..).unwrap_or_default(), text.get(from).copied().unwrap_or_default()),
            Some(wanted) => (text.get(from) == Some(wanted)).then_some(1),
            None => None,
        };
        match (step, retry) {
            (Some(length), _) => {
                at += length;
                from += 1;
            }
            (None, Some((behind, start))) => {
                at = behind;
                from = start + 1;
                retry = Some((behind, from));
            }
            (None, None) => return false,
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|rest| matches!(*rest, '*' | UNKNOWN))
}

/// The length of the bracket set at the start of `pattern` when it holds `wanted`.
fn set(pattern: &[char], wanted: char) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|next| *next == ']').map(|at| at + 2);
    let Some(end) = end else { return (wanted == '[').then_some(1) };
    let mut inside = pattern.get(1..end).unwrap_or_default();
    let is_negated = matches!(inside.first(), Some('!' | '^'));
    if is_negated {
        inside = inside.get(1..).unwrap_or_default();
    }
    let mut found = false;
    let mut at = 0;
    while let Some(low) = inside.get(at) {
        if inside.get(at + 1) == Some(&'-')
            && let Some(high) = inside.get(at + 2)
        {
            found |= (*low..=*high).contains(&wanted);
            at += 3;
        } else {
            found |= *low == wanted;
            at += 1;
        }
    }
    (found != is_negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_fit_as_in_the_shell() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abbd", false),
            ("/et?", "/etc", true),
            ("e[a-z]c", "etc", true),
            ("e[!t]c", "etc", false),
            ("*a*b", "xxaxxab", true),
            ("[", "[", true),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
