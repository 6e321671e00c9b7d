//! The measurement of the router measures what it says.

use std::time::Duration;

use lwa_testkit::{FakeProvider, Reply, Script};
use lwa_xtask::bench::router::{Connection, Decisions, Figures, Percentiles, Row, decisions};

#[test]
fn a_decision_is_measured_with_and_without_a_route() {
    let Decisions { warm, warm_refused, cold } = decisions(100, 20, 2).unwrap();
    assert_eq!((warm.runs, warm_refused.runs, cold.runs), (20, 20, 2));
    for spread in [warm, warm_refused, cold] {
        assert!(Duration::ZERO < spread.least && spread.least <= spread.median && spread.median <= spread.p99);
    }
}

#[test]
fn a_catalogue_in_which_nothing_can_be_chosen_is_no_measurement() {
    // The one model of it is at a provider without a key.
    assert!(decisions(1, 1, 1).is_err());
}

#[test]
fn a_connection_is_kept_and_reads_an_answer_in_chunks() {
    let body = r#"{"say":"a long answer in small parts"}"#;
    let script = Script::new().on("POST /v1/chat", [Reply::json(200, body).split_every(3)]);
    let provider = FakeProvider::start(script).unwrap();
    let mut connection = Connection::open(provider.port()).unwrap();
    for _ in 0..3 {
        assert_eq!(connection.post("/v1/chat", &[("x-test", "1")], "{}").unwrap(), body.as_bytes());
    }
    assert_eq!((provider.connections(), provider.calls().len()), (1, 3));
    assert_eq!(provider.calls()[0].header("x-test"), Some("1"));
}

#[test]
fn an_answer_that_is_no_success_is_an_error() {
    let provider = FakeProvider::start(Script::new()).unwrap();
    let error = Connection::open(provider.port()).unwrap().post("/v1/chat", &[], "{}").unwrap_err();
    assert!(error.to_string().contains("404"), "{error}");
}

#[test]
fn the_figures_carry_the_load_of_the_machine() {
    let mut figures = Figures::with_load(Some("1.00 2.00 3.00".to_owned()));
    let spread = Percentiles::of(vec![Duration::from_micros(3), Duration::from_micros(1)]).unwrap();
    figures.add("us", "call", Row::Spread(spread));
    let json = figures.json();
    assert_eq!(json["load_average"], "1.00 2.00 3.00");
    assert_eq!(json["figures"][0]["figure"]["least_ns"], 1_000);
}
