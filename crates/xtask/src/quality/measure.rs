//! Puts the rows of each set in order by each method and measures the curves.

use lwa_domain::tokens::estimate_tokens;

use super::curve::{Order, height, reaches};
use super::features::{BUCKETS, Features, LEXICAL};
use super::folds;
use super::measured::{Axis, Curve, Difference, Interval, Measured, MeasuredSet, Method, Subject};
use super::resample::{RESAMPLES, Units};
use super::ridge::{Line, Sample, fit_all, predict_held_out};
use super::rows::{Row, Set};

/// Which methods are held against each other, along which axis.
const COMPARED: [(Method, Method, Axis); 4] = [
    (Method::Lexical, Method::Longest, Axis::Calls),
    (Method::Words, Method::Lexical, Axis::Calls),
    (Method::LexicalPerToken, Method::Shortest, Axis::Bill),
    (Method::SubjectMajority, Method::Lexical, Axis::Calls),
];

/// Which features a line is fitted over.
#[derive(Debug, Clone, Copy)]
enum Over {
    Lexical,
    Words,
}

/// Lines that were fitted on a whole set, for other sets of the same models.
struct Elsewhere<'a> {
    set: &'a Set,
    lexical: Line,
    words: Line,
}

/// Measures every set. The first one also lends its lines to later sets of the same two models.
pub fn measure(sets: &[Set]) -> Measured {
    let elsewhere = sets.first().map(|set| {
        let features = features_of(set);
        let folds = folds_of(set);
        let fit = |over| fit_all(&samples(set, &features, over), &folds, width(over));
        Elsewhere { set, lexical: fit(Over::Lexical), words: fit(Over::Words) }
    });
    let sets = sets.iter().map(|set| measure_set(set, elsewhere.as_ref())).collect();
    Measured { resamples: RESAMPLES, sets }
}

fn measure_set(set: &Set, elsewhere: Option<&Elsewhere>) -> MeasuredSet {
    let (features, folds) = (features_of(set), folds_of(set));
    let tokens: Vec<f64> = set.rows.iter().map(|row| real(estimate_tokens(&row.prompt))).collect();
    let lexical = held_out(set, &features, &folds, Over::Lexical);
    let per_token = lexical.iter().zip(&tokens).map(|(gain, tokens)| gain / tokens).collect();
    let mut scores = vec![
        (Method::Longest, tokens.clone()),
        (Method::Shortest, tokens.iter().map(|tokens| -tokens).collect()),
        (Method::Lexical, lexical),
        (Method::LexicalPerToken, per_token),
        (Method::Words, held_out(set, &features, &folds, Over::Words)),
    ];
    let is_foreign = |other: &&Elsewhere| {
        other.set.name != set.name
            && other.set.cheap_model == set.cheap_model
            && other.set.strong_model == set.strong_model
    };
    if let Some(other) = elsewhere.filter(is_foreign) {
        let predict = |line: &Line, over| features.iter().map(|row| line.predict(&values(row, over))).collect();
        scores.push((Method::LexicalElsewhere, predict(&other.lexical, Over::Lexical)));
        scores.push((Method::WordsElsewhere, predict(&other.words, Over::Words)));
    }
    let majority = subject_gains(set);
    if set.subjects.len() > 1 {
        scores.push((Method::SubjectMajority, majority.clone()));
    }
    scores.push((Method::Oracle, set.rows.iter().map(Row::gain).collect()));
    let units = Units::of(&set.rows.iter().map(|row| row.subject).collect::<Vec<_>>());
    let mut lengths: Vec<u64> = set.rows.iter().map(|row| estimate_tokens(&row.prompt)).collect();
    lengths.sort_unstable();
    let length = |at: usize| lengths.get(at).copied().unwrap_or_default();
    let mean = |of: fn(&Row) -> f64| {
        // A cost in dollars needs its digits.
        (set.rows.iter().map(of).sum::<f64>() / count(set.rows.len()) * 1e8).round() / 1e8
    };
    MeasuredSet {
        name: set.name.clone(),
        cheap_model: set.cheap_model.clone(),
        strong_model: set.strong_model.clone(),
        bill_unit: set.bill_unit.clone(),
        fingerprint: set.fingerprint.clone(),
        tokens: [length(0), length(lengths.len() / 2), length(lengths.len() - 1)],
        cheap_bill: mean(|row| row.cheap_bill),
        strong_bill: mean(|row| row.strong_bill),
        subjects: subjects(set),
        majority: majority_point(set, &majority),
        methods: scores.iter().map(|(method, scores)| curve(set, &units, *method, scores)).collect(),
        differences: differences(set, &units, &scores),
    }
}

fn differences(set: &Set, units: &Units, scores: &[(Method, Vec<f64>)]) -> Vec<Difference> {
    let order = |method| scores.iter().find(|(known, _)| *known == method).map(|(_, scores)| Order::by(scores));
    let compare = |(method, than, axis): (Method, Method, Axis)| {
        if axis == Axis::Bill && !has_bill(set) {
            return None;
        }
        let (order, other) = (order(method)?, order(than)?);
        let area = |weights: &dyn Fn(usize) -> f64| {
            order.area(&set.rows, axis, weights) - other.area(&set.rows, axis, weights)
        };
        Some(Difference { method, than, axis, area: rounded_interval(units.interval(area)) })
    };
    COMPARED.into_iter().filter_map(compare).collect()
}

fn features_of(set: &Set) -> Vec<Features> {
    set.rows.iter().map(|row| Features::of(&row.prompt)).collect()
}

/// The fold of each row: whole subjects, or rows where there is one subject.
fn folds_of(set: &Set) -> Vec<usize> {
    if set.subjects.len() < folds::FOLDS {
        return folds::of_rows(set.rows.len());
    }
    let mut sizes = vec![0; set.subjects.len()];
    for row in &set.rows {
        sizes[row.subject] += 1;
    }
    let of_subject = folds::of_groups(&sizes);
    set.rows.iter().map(|row| of_subject[row.subject]).collect()
}

fn held_out(set: &Set, features: &[Features], folds: &[usize], over: Over) -> Vec<f64> {
    predict_held_out(&samples(set, features, over), folds, width(over))
}

fn samples(set: &Set, features: &[Features], over: Over) -> Vec<Sample> {
    let sample = |(row, features): (&Row, &Features)| Sample { values: values(features, over), target: row.gain() };
    set.rows.iter().zip(features).map(sample).collect()
}

const fn width(over: Over) -> usize {
    match over {
        Over::Lexical => LEXICAL.len(),
        Over::Words => LEXICAL.len() + BUCKETS,
    }
}

fn values(features: &Features, over: Over) -> Vec<(usize, f64)> {
    let lexical = features.lexical.iter().copied().enumerate();
    match over {
        Over::Lexical => lexical.collect(),
        Over::Words => lexical.chain(features.buckets.iter().map(|bucket| (LEXICAL.len() + bucket, 1.0))).collect(),
    }
}

/// The mean gain of each row's subject on the subject's rows in other folds.
fn subject_gains(set: &Set) -> Vec<f64> {
    let folds = folds::of_rows(set.rows.len());
    let mut sums = vec![[(0.0, 0.0); folds::FOLDS]; set.subjects.len()];
    for (row, fold) in set.rows.iter().zip(&folds) {
        let (gain, rows) = &mut sums[row.subject][*fold];
        *gain += row.gain();
        *rows += 1.0;
    }
    let others = |row: &Row, fold: usize| {
        let parts = sums[row.subject].iter().enumerate().filter(|(part, _)| *part != fold);
        parts.fold((0.0, 0.0), |(gain, rows), (_, part)| (gain + part.0, rows + part.1))
    };
    set.rows
        .iter()
        .zip(&folds)
        .map(|(row, fold)| {
            let (gain, rows) = others(row, *fold);
            if rows > 0.0 { gain / rows } else { 0.0 }
        })
        .collect()
}

/// Share and quality when each row goes to the model that is better on its subject's other rows; a tie is cheap.
fn majority_point(set: &Set, gains: &[f64]) -> [f64; 2] {
    let chosen = set.rows.iter().zip(gains);
    let (mut share, mut quality) = (0.0, 0.0);
    for (row, gain) in chosen {
        share += if *gain > 0.0 { 1.0 } else { 0.0 };
        quality += if *gain > 0.0 { row.strong } else { row.cheap };
    }
    [rounded(share / count(set.rows.len())), rounded(quality / count(set.rows.len()))]
}

fn subjects(set: &Set) -> Vec<Subject> {
    let empty =
        |name: &String| Subject { name: name.clone(), rows: 0, cheap: 0.0, strong: 0.0, best: 0.0, strong_better: 0 };
    let mut subjects: Vec<Subject> = set.subjects.iter().map(empty).collect();
    for row in &set.rows {
        let subject = &mut subjects[row.subject];
        subject.rows += 1;
        subject.cheap += row.cheap;
        subject.strong += row.strong;
        subject.best += row.cheap.max(row.strong);
        subject.strong_better += u32::from(row.gain() > 0.0);
    }
    for subject in &mut subjects {
        subject.cheap = rounded(subject.cheap);
        subject.strong = rounded(subject.strong);
        subject.best = rounded(subject.best);
    }
    subjects
}

fn curve(set: &Set, units: &Units, method: Method, scores: &[f64]) -> Curve {
    let order = Order::by(scores);
    let by_bill = match method {
        // With the truth known, the best order along the bill is the gain for each unit of it.
        Method::Oracle => Order::by(&set.rows.iter().map(|row| row.gain() / extra_bill(row)).collect::<Vec<_>>()),
        _ => order.clone(),
    };
    let area = |axis| {
        let order = if axis == Axis::Calls { &order } else { &by_bill };
        rounded_interval(units.interval(|weights| order.area(&set.rows, axis, weights)))
    };
    let corners = order.corners(&set.rows, Axis::Calls, &|_| 1.0);
    let base = set.rows.iter().map(|row| row.cheap).sum::<f64>() / count(set.rows.len());
    let gap = corners.last().map_or(0.0, |corner| corner.1);
    Curve {
        method,
        area: area(Axis::Calls),
        bill_area: has_bill(set).then(|| area(Axis::Bill)),
        quality: (0..=20).map(|step| rounded(base + height(&corners, f64::from(step) / 20.0))).collect(),
        needed: [0.5, 0.8, 0.95].map(|part| rounded(reaches(&corners, part * gap))),
    }
}

/// Where the strong model is the cheaper one too, there is nothing to pay for, so there is no such axis.
fn has_bill(set: &Set) -> bool {
    set.rows.iter().map(extra_bill).sum::<f64>() > 0.0
}

fn rounded_interval(Interval { value, low, high }: Interval) -> Interval {
    Interval { value: rounded(value), low: rounded(low), high: rounded(high) }
}

fn extra_bill(row: &Row) -> f64 {
    row.strong_bill - row.cheap_bill
}

/// Four digits: what is beyond them is noise, and differs between machines.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^52")]
fn count(rows: usize) -> f64 {
    rows as f64
}

#[expect(clippy::cast_precision_loss, reason = "token counts of prompts are far below 2^52")]
fn real(tokens: u64) -> f64 {
    tokens as f64
}
