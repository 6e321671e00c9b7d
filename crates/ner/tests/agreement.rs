//! The network says what the published model says. `convert/agree.py --golden` wrote the readings with ONNX Runtime.

use lwa_ner::{LoadError, Model};

const TEXTS: &str = include_str!("golden/texts.jsonl");
const READINGS: &str = include_str!("golden/readings.jsonl");
/// The reference rounds what goes into each product to eight bits, so its shares differ by some hundredths where it is
/// undecided; what is most probable does not.
const TOLERANCE: f32 = 0.2;
/// The mean over all pieces is much closer.
const MEAN_TOLERANCE: f32 = 0.02;

/// First byte, byte behind the last one, output, share.
type Reading = (usize, usize, usize, f32);

#[test]
fn every_piece_of_the_reference_is_read_the_same() {
    let model = Model::load().unwrap();
    let (mut pieces, mut marked, mut apart) = (0_u16, 0, 0.0);
    for (text, expected) in TEXTS.lines().zip(READINGS.lines()) {
        let text: String = serde_json::from_str(text).unwrap();
        let expected: Vec<Reading> = serde_json::from_str(expected).unwrap();
        let found = model.pieces(&text);
        assert_eq!(found.len(), expected.len(), "{text}");
        for (found, (start, end, output, share)) in found.iter().zip(expected) {
            assert_eq!(
                (found.start, found.end, found.output),
                (start, end, output),
                "{:?} of {text}",
                &text[start..end]
            );
            assert!(
                (found.share - share).abs() < TOLERANCE,
                "{:?} of {text}: {} {share}",
                &text[start..end],
                found.share
            );
            pieces += 1;
            marked += usize::from(output != 0);
            apart += (found.share - share).abs();
        }
    }
    assert!(pieces > 250 && marked > 100, "{pieces} pieces, {marked} marked");
    assert!(apart / f32::from(pieces) < MEAN_TOLERANCE, "{apart} over {pieces}");
}

#[test]
fn other_weights_and_another_vocabulary_are_refused() {
    assert_eq!(Model::from_parts(b"lwa-ner\x01", b"").unwrap_err(), LoadError::Weights);
    let weights: &'static [u8] = include_bytes!("../model/weights.bin");
    let vocabulary: &'static [u8] = include_bytes!("../model/vocabulary.txt");
    assert!(Model::from_parts(weights, vocabulary).is_ok());
    assert_eq!(Model::from_parts(weights, &vocabulary[1..]).unwrap_err(), LoadError::Vocabulary);
    let mut changed = weights.to_vec();
    changed[7_000_000] ^= 1;
    assert_eq!(Model::from_parts(changed.leak(), vocabulary).unwrap_err(), LoadError::Weights);
}
