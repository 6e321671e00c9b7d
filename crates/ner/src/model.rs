//! The model: weights and vocabulary together, and how a text of any length is cut for them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::entity::Entity;
use crate::error::LoadError;
use crate::filter::keep_private;
use crate::join::{Word, join};
use crate::label::Label;
use crate::network::{LABELS, Network, POSITIONS, Scratch, Shares};
use crate::pieces::{FIRST, LAST, Piece, Vocabulary};

const WEIGHTS: &[u8] = include_bytes!("../model/weights.bin");
const WEIGHTS_SHA256: &str = "4e071202e863102d4acfa2859de77f52cc340ef44f1a31dbeb905c7feb3b8233";
const VOCABULARY: &[u8] = include_bytes!("../model/vocabulary.txt");
const VOCABULARY_SHA256: &str = "0fbe6b50061feabb9be68af471e9aa6df07a4bc428bdca4b0eff1fcd3612dee5";

/// The length of text that the model reads best, in bytes: about 480 characters.
const WINDOW: usize = 480;
/// What neighbouring windows share, so that an entity at the border is read whole in one of them.
const OVERLAP: usize = 64;
/// Windows run together until they have this many pieces: enough to make unpacking the weights cheap, and few enough
/// for the states to stay near the processor.
const BATCH: usize = 256;

/// What the network says about one piece of a text, for checks of the conversion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieceReading {
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last one.
    pub end: usize,
    /// The output with the greatest share: 0 for none, then beginning and inside of each label in turn.
    pub output: usize,
    /// That share.
    pub share: f32,
}

/// The model, loaded. It is read-only and can be shared between threads.
#[derive(Debug)]
pub struct Model {
    network: Network,
    vocabulary: Vocabulary,
}

/// A part of a text that the network reads at once.
struct Window {
    text: usize,
    pieces: Range<usize>,
    ids: Vec<u32>,
}

impl Model {
    /// The model that is part of the program, after a check of its digests.
    pub fn load() -> Result<Self, LoadError> {
        Self::from_parts(WEIGHTS, VOCABULARY)
    }

    /// The model from given files, which must be the converted ones byte for byte.
    pub fn from_parts(weights: &'static [u8], vocabulary: &'static [u8]) -> Result<Self, LoadError> {
        if !has_digest(weights, WEIGHTS_SHA256) {
            return Err(LoadError::Weights);
        }
        if !has_digest(vocabulary, VOCABULARY_SHA256) {
            return Err(LoadError::Vocabulary);
        }
        let network = Network::parse(weights)?;
        let vocabulary = Vocabulary::parse(std::str::from_utf8(vocabulary).map_err(|_| LoadError::Vocabulary)?);
        if vocabulary.len() != network.words() {
            return Err(LoadError::Layout);
        }
        Ok(Self { network, vocabulary })
    }

    /// What the network says about the pieces of a text, which is cut off at the longest window.
    pub fn pieces(&self, text: &str) -> Vec<PieceReading> {
        let mut pieces = self.vocabulary.read(text);
        pieces.truncate(POSITIONS - 2);
        let ids = ids_of(&pieces);
        let shares = self.network.run(&[&ids], &mut Scratch::default(), &|| false).unwrap_or_default();
        let readings = pieces.iter().zip(shares.iter().skip(1)).map(|(piece, shares)| {
            let (output, share) = top(shares);
            PieceReading { start: piece.start, end: piece.end, output, share }
        });
        readings.collect()
    }

    /// The entities of each text, or nothing for those that were not read to their end when `is_stopped` said so.
    pub(crate) fn read(
        &self,
        texts: &[&str],
        threads: usize,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Option<Vec<Entity>>> {
        let pieces: Vec<Vec<Piece>> = texts.iter().map(|text| self.vocabulary.read(text)).collect();
        let windows: Vec<Window> = pieces.iter().enumerate().flat_map(|(text, pieces)| cut(text, pieces)).collect();
        let shares = self.run(&windows, threads, is_stopped);
        let mut best: Vec<Option<Vec<Shares>>> = pieces
            .iter()
            .map(|pieces| {
                let mut nothing = [0.0; LABELS];
                nothing[0] = 1.0;
                Some(vec![nothing; pieces.len()])
            })
            .collect();
        for (window, shares) in windows.iter().zip(shares) {
            let Some(slot) = best.get_mut(window.text) else { continue };
            match (slot.as_mut(), shares) {
                (Some(best), Some(shares)) => {
                    // Of two readings of a piece, the one that finds more in it counts.
                    for (best, new) in best[window.pieces.clone()].iter_mut().zip(shares) {
                        if new[0] < best[0] {
                            *best = new;
                        }
                    }
                }
                _ => *slot = None,
            }
        }
        let read = texts.iter().zip(&pieces).zip(best).map(|((text, pieces), shares)| {
            let entities = join(text, &words(pieces, &shares?));
            Some(keep_private(text, entities))
        });
        read.collect()
    }

    /// The shares of the pieces of each window, without its first and last piece.
    fn run(
        &self,
        windows: &[Window],
        threads: usize,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Option<Vec<Shares>>> {
        let batches = batches(windows);
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Option<Vec<Shares>>>> = Mutex::new(windows.iter().map(|_| None).collect());
        let work = || {
            let mut scratch = Scratch::default();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let ids: Vec<&[u32]> = windows[batch.clone()].iter().map(|window| window.ids.as_slice()).collect();
                let Some(shares) = self.network.run(&ids, &mut scratch, is_stopped) else { return };
                let mut rest = shares.as_slice();
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                for (result, window) in results[batch.clone()].iter_mut().zip(&windows[batch.clone()]) {
                    let (own, further) = rest.split_at(window.ids.len());
                    *result = Some(own[1..own.len() - 1].to_vec());
                    rest = further;
                }
            }
        };
        let threads = threads.clamp(1, batches.len().max(1));
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ids_of(pieces: &[Piece]) -> Vec<u32> {
    std::iter::once(FIRST).chain(pieces.iter().map(|piece| piece.id)).chain([LAST]).collect()
}

/// Cuts the pieces of a text into windows that begin and end between words and overlap.
fn cut(text: usize, pieces: &[Piece]) -> Vec<Window> {
    let starts_word = |at: usize| at == 0 || pieces[at].word != pieces[at - 1].word;
    let mut windows = Vec::new();
    let mut first = 0;
    while first < pieces.len() {
        let limit = pieces[first].start + WINDOW;
        let most = (first + POSITIONS - 2).min(pieces.len());
        let mut end = first + pieces[first..most].iter().take_while(|piece| piece.end <= limit).count();
        if end < pieces.len() {
            // A word of more pieces than a window has is cut.
            let whole = (first + 1..=end).rev().find(|at| starts_word(*at)).unwrap_or(end);
            end = whole.max(first + 1);
        }
        windows.push(Window { text, pieces: first..end, ids: ids_of(&pieces[first..end]) });
        if end == pieces.len() {
            break;
        }
        let from = pieces[end].start.saturating_sub(OVERLAP);
        first = (first + 1..end).find(|at| pieces[*at].start >= from && starts_word(*at)).unwrap_or(end);
    }
    windows
}

/// Neighbouring windows that run together.
fn batches(windows: &[Window]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut start, mut pieces) = (0, 0);
    for (at, window) in windows.iter().enumerate() {
        pieces += window.ids.len();
        if pieces >= BATCH || at + 1 == windows.len() {
            batches.push(start..at + 1);
            (start, pieces) = (at + 1, 0);
        }
    }
    batches
}

fn top(shares: &Shares) -> (usize, f32) {
    let better = |best: (usize, f32), new: (usize, f32)| if new.1 > best.1 { new } else { best };
    shares.iter().copied().enumerate().fold((0, 0.0), better)
}

/// The words of a text with the mean shares of their pieces.
fn words(pieces: &[Piece], shares: &[Shares]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = pieces.get(at) {
        let count = pieces[at..].iter().take_while(|piece| piece.word == first.word).count();
        let mut sums = [0.0; LABELS];
        for shares in &shares[at..at + count] {
            for (sum, share) in sums.iter_mut().zip(shares) {
                *sum += share;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a word has at most a few hundred pieces")]
        let part = 1.0 / count as f32;
        let by_label =
            sums[1..].chunks_exact(2).zip(Label::ALL).map(|(pair, label)| (label, (pair[0] + pair[1]) * part));
        let best = by_label.fold((Label::GivenName, 0.0), |best, new| if new.1 > best.1 { new } else { best });
        words.push(Word {
            start: first.start,
            end: pieces[at + count - 1].end,
            label: best.0,
            share: 1.0 - sums[0] * part,
        });
        at += count;
    }
    words
}

fn has_digest(bytes: &[u8], digest: &str) -> bool {
    let found = Sha256::digest(bytes);
    let pairs = digest.as_bytes().chunks_exact(2);
    pairs.len() == found.len()
        && found
            .iter()
            .zip(pairs)
            .all(|(byte, pair)| std::str::from_utf8(pair).is_ok_and(|pair| u8::from_str_radix(pair, 16) == Ok(*byte)))
}
