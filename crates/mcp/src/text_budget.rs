//! Keeping a result within what clients show whole.

/// The beginning of `text` that fits `limit` bytes; none when all of it fits.
///
/// The cut is at the end of a line where one lies in the second half, else between two characters.
pub(crate) fn cut(text: &str, limit: usize) -> Option<&str> {
    if text.len() <= limit {
        return None;
    }
    let kept = &text[..text.floor_char_boundary(limit)];
    let line_end = kept.rfind('\n').filter(|end| *end >= limit / 2);
    Some(line_end.map_or(kept, |end| &kept[..=end]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn a_text_that_fits_is_not_cut() {
        assert_eq!(cut("12345", 5), None);
    }

    #[test]
    fn the_cut_is_at_a_line_end() {
        assert_eq!(cut("one\ntwo\nthree", 9), Some("one\ntwo\n"));
    }

    #[test]
    fn a_long_line_is_cut_within() {
        assert_eq!(cut("one\ntwotwotwotwotwo", 16), Some("one\ntwotwotwotwo"));
    }

    proptest! {
        #[test]
        fn the_kept_part_is_a_prefix_that_fits(text in ".{0,80}", limit in 0_usize..100) {
            match cut(&text, limit) {
                None => prop_assert!(text.len() <= limit),
                Some(kept) => prop_assert!(text.starts_with(kept) && kept.len() <= limit),
            }
        }
    }
}
