//! The parser of event streams.

use lwa_providers::sse::{EVENT_LIMIT, SseError, SseEvent, SseParser};
use proptest::prelude::{ProptestConfig, prop, prop_assert_eq, proptest};
use rstest::rstest;

fn parse(bytes: &[u8]) -> Vec<SseEvent> {
    let mut parser = SseParser::new();
    let events = parser.push(bytes).unwrap();
    assert_eq!(parser.finish().unwrap(), None);
    events
}

fn data(bytes: &[u8]) -> Vec<String> {
    parse(bytes).into_iter().map(|event| event.data).collect()
}

#[rstest]
#[case::one(b"data: a\n\n", &["a"])]
#[case::no_space(b"data:a\n\n", &["a"])]
#[case::one_space_only(b"data:  a\n\n", &[" a"])]
#[case::several_lines(b"data: a\ndata: b\n\n", &["a\nb"])]
#[case::carriage_return(b"data: a\r\rdata: b\r\r", &["a", "b"])]
#[case::both(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"])]
#[case::mixed(b"data: a\r\n\ndata: b\r\r\n", &["a", "b"])]
#[case::byte_order_mark(b"\xef\xbb\xbfdata: a\n\n", &["a"])]
#[case::mark_in_the_middle_is_text(b"data: \xef\xbb\xbfa\n\n", &["\u{feff}a"])]
#[case::unknown_field(b"colour: red\ndata: a\n\n", &["a"])]
#[case::field_without_colon(b"data\ndata: a\n\n", &["\na"])]
fn lines_become_events(#[case] bytes: &[u8], #[case] expected: &[&str]) {
    assert_eq!(data(bytes), expected);
}

#[rstest]
#[case(b": OPENROUTER PROCESSING\n\n")]
#[case(b": OPENROUTER PROCESSING\r\n\r\n")]
#[case(b": OPENROUTER PROCESSING\r\r")]
#[case(b":\n\n: ping\n\n")]
fn rr_23_a_comment_is_no_data_and_spoils_none(#[case] comment: &[u8]) {
    assert_eq!(data(comment), Vec::<String>::new());
    assert_eq!(data(&[comment, b"data: a\n\n", comment, b"data: b\n", comment].concat()), ["a", "b"]);
}

#[rstest]
#[case(b"\n\n\n")]
#[case(b": a comment\n\n")]
#[case(b"data\n\n")]
#[case(b"data:\n\n")]
#[case(b"event: ping\n\n")]
#[case(b"id: 1\nretry: 5\n\n")]
fn rr_24_an_event_without_data_is_not_told(#[case] empty: &[u8]) {
    assert_eq!(parse(empty), []);
    let events = parse(&[empty, b"data: a\n\n", empty, empty, b"data: b\n\n", empty].concat());
    assert_eq!(events.iter().map(|event| event.data.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn type_id_and_retry_are_kept_as_the_standard_says() {
    let events = parse(b"event: error\nid: 7\nretry: 1500\ndata: a\n\nid: bad\0id\nretry: 1x\ndata: b\n\n");
    let event = |event: &str, data: &str| SseEvent {
        event: event.to_owned(),
        data: data.to_owned(),
        id: Some("7".to_owned()),
        retry_ms: Some(1500),
    };
    assert_eq!(events, [event("error", "a"), event("message", "b")]);
}

#[test]
fn the_end_gives_the_event_that_lacks_its_blank_line() {
    let mut parser = SseParser::new();
    assert_eq!(parser.push(b"data: a\n\ndata: [DO").unwrap().len(), 1);
    assert_eq!(parser.push(b"NE]").unwrap(), []);
    assert_eq!(parser.finish().unwrap().unwrap().data, "[DONE]");
    assert_eq!(parser.finish().unwrap(), None);
}

#[rstest]
#[case::one_line(vec![b'x'; EVENT_LIMIT + 1])]
#[case::comment([b":".to_vec(), vec![b'x'; EVENT_LIMIT]].concat())]
#[case::many_lines(b"data: 0123456789\n".repeat(EVENT_LIMIT / 10))]
fn an_event_beyond_the_limit_is_an_error_for_ever(#[case] bytes: Vec<u8>) {
    let mut parser = SseParser::new();
    let outcome: Result<Vec<_>, _> = bytes.chunks(4096).map(|chunk| parser.push(chunk)).collect();
    assert_eq!(outcome, Err(SseError::EventTooLarge));
    assert_eq!(parser.push(b"data: a\n\n"), Err(SseError::EventTooLarge));
}

#[test]
fn many_events_below_the_limit_are_no_error() {
    let mut parser = SseParser::new();
    let body = format!("data: {}\n\n", "x".repeat(1000));
    for _ in 0..3000 {
        assert_eq!(parser.push(body.as_bytes()).unwrap().len(), 1);
    }
}

#[test]
fn a_line_that_is_not_utf8_is_an_error() {
    let mut parser = SseParser::new();
    assert_eq!(parser.push(b"data: \xff\n\n"), Err(SseError::NotUtf8));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rr_22_any_split_gives_the_same_events(
        lines in prop::collection::vec("(data|event|id|retry|:|x)?(: ?)?[aé北🦀 :]{0,6}", 0..12),
        ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n"]), 12),
        cuts in prop::collection::vec(0usize..200, 0..20),
    ) {
        let text: String = lines.iter().zip(&ends).flat_map(|(line, end)| [line.as_str(), end]).collect();
        let bytes = text.as_bytes();
        let mut whole = SseParser::new();
        let mut expected = whole.push(bytes).unwrap();
        expected.extend(whole.finish().unwrap());
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let mut parser = SseParser::new();
        let mut events = Vec::new();
        let mut begin = 0;
        for cut in cuts {
            events.extend(parser.push(&bytes[begin..cut]).unwrap());
            begin = cut;
        }
        events.extend(parser.finish().unwrap());
        prop_assert_eq!(events, expected);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(0u8..=255, 0..300)) {
        let mut parser = SseParser::new();
        let _events = parser.push(&bytes);
        let _rest = parser.finish();
    }
}
