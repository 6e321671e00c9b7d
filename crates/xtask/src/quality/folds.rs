//! Parts that are left out in turn.

/// How many parts there are.
pub(super) const FOLDS: usize = 5;

/// The fold of each group, so that the folds have about as many rows each: the largest group goes to the emptiest.
pub(super) fn of_groups(sizes: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|group| (std::cmp::Reverse(sizes[*group]), *group));
    let (mut filled, mut folds) = ([0usize; FOLDS], vec![0; sizes.len()]);
    for group in order {
        let emptiest = (0..FOLDS).min_by_key(|fold| (filled[*fold], *fold)).unwrap_or_default();
        filled[emptiest] += sizes[group];
        folds[group] = emptiest;
    }
    folds
}

/// The fold of each of `rows` rows when there is nothing to keep together. Neighbours go to different folds.
pub(super) fn of_rows(rows: usize) -> Vec<usize> {
    (0..rows).map(|row| row % FOLDS).collect()
}

#[cfg(test)]
mod tests {
    use super::{FOLDS, of_groups};

    #[test]
    fn groups_stay_whole_and_folds_are_even() {
        let sizes: Vec<usize> = (1..=57).collect();
        let folds = of_groups(&sizes);
        let mut filled = [0; FOLDS];
        for (fold, size) in folds.iter().zip(&sizes) {
            filled[*fold] += size;
        }
        assert!(filled.iter().max().unwrap() - filled.iter().min().unwrap() <= 5, "{filled:?}");
    }
}
