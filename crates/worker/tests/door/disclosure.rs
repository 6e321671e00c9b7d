//! What of the private values may leave: only a human's answer or a setting opens anything.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use lwa_domain::Outcome;
use lwa_privacy::{Exposure, Kind, Visibility};
use lwa_worker::dialog::DialogReply;
use lwa_worker::disclosure::{
    Disclosure, DisclosureSource, DisclosureSurroundings, Due, Escalation, Identity, IdentityRequest, NumbersRequest,
    RequestStep, Round, Stored, Unasked, Verdict,
};
use lwa_worker::mode::Mode;
use proptest::prelude::{Strategy, prop, prop_oneof, proptest};
use rstest::rstest;

fn now() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

const ASKING: DisclosureSurroundings = DisclosureSurroundings {
    mode: Mode::Assist,
    escalation: Escalation::Ask,
    numbers: Visibility::Masked,
    can_ask: true,
};
const AUTO: DisclosureSurroundings = DisclosureSurroundings { escalation: Escalation::Auto, ..ASKING };
const POLICY: DisclosureSurroundings = DisclosureSurroundings { escalation: Escalation::Off, ..ASKING };

fn mails() -> BTreeMap<Kind, usize> {
    BTreeMap::from([(Kind::Email, 2)])
}

fn chosen(value: &str) -> DialogReply {
    DialogReply::Chosen(value.to_owned())
}

fn asked(disclosure: &mut Disclosure, at: Timestamp) -> Round {
    match disclosure.due(ASKING, &mails(), at) {
        Due::Ask(round) => round,
        Due::Settled(verdict) => panic!("{verdict:?}"),
    }
}

fn settled(due: Due) -> Verdict {
    match due {
        Due::Settled(verdict) => verdict,
        Due::Ask(round) => panic!("{round:?}"),
    }
}

fn masked() -> Exposure {
    Exposure::assist(Visibility::Masked, Visibility::Masked)
}

#[rstest]
#[case("continue", Visibility::Open, Visibility::Masked, "asked → identity open")]
#[case("everything", Visibility::Open, Visibility::Open, "asked → everything open")]
fn an_answer_opens_what_it_says_for_the_conversation(
    #[case] choice: &str,
    #[case] identity: Visibility,
    #[case] numbers: Visibility,
    #[case] label: &str,
) {
    let mut disclosure = Disclosure::default();
    let round = asked(&mut disclosure, now());
    let verdict = disclosure.settle(round, &chosen(choice), ASKING, now());
    assert_eq!(verdict.exposure, Exposure::assist(identity, numbers));
    assert_eq!(verdict.label.as_deref(), Some(label));
    let next = settled(disclosure.due(ASKING, &mails(), now()));
    assert_eq!(next.exposure, verdict.exposure);
    assert!(next.exposure.masks(Kind::Secret), "secrets never open");
}

#[test]
fn switching_hides_everything_and_what_was_remembered() {
    let mut disclosure = Disclosure::default();
    let round = asked(&mut disclosure, now());
    let verdict = disclosure.settle(round, &chosen("switch"), ASKING, now());
    assert_eq!((verdict.exposure, verdict.switch_to), (Exposure::pii(), Some(Mode::Pii)));
    assert!(verdict.is_memory_vaulted && verdict.notice.is_some());
    assert_eq!(verdict.label.as_deref(), Some("asked → switched to PII"));
}

#[rstest]
#[case(chosen(""), "dialog no choice: masked")]
#[case(chosen("open"), "dialog no choice: masked")]
#[case(DialogReply::Ended(Outcome::Denied), "dialog decline: masked")]
#[case(DialogReply::Ended(Outcome::Dismissed), "dialog cancel: masked")]
#[case(DialogReply::Ended(Outcome::TimedOut), "dialog timeout: masked")]
#[case(DialogReply::Ended(Outcome::AllowedAlways), "dialog no choice: masked")]
fn anything_else_hides_this_result_and_leaves_the_rest_undecided(#[case] reply: DialogReply, #[case] label: &str) {
    let mut disclosure = Disclosure::default();
    let round = asked(&mut disclosure, now());
    let verdict = disclosure.settle(round, &reply, ASKING, now());
    assert_eq!((verdict.exposure, verdict.label.as_deref()), (masked(), Some(label)));
    assert_eq!(disclosure.stored().identity, Identity::Undecided);
    assert_eq!(disclosure.stored().asked, 1);
}

#[test]
fn a_question_that_no_human_saw_does_not_count() {
    let mut disclosure = Disclosure::default();
    let round = asked(&mut disclosure, now());
    disclosure.settle(round, &DialogReply::Ended(Outcome::Unavailable), ASKING, now());
    assert_eq!((disclosure.stored().asked, disclosure.stored().recent.used(now())), (0, 0));
}

#[test]
fn after_three_questions_it_is_masked_for_good_and_says_how_to_open() {
    let mut disclosure = Disclosure::default();
    for _ in 0..3 {
        let round = asked(&mut disclosure, now());
        disclosure.settle(round, &DialogReply::Ended(Outcome::TimedOut), ASKING, now());
    }
    let verdict = settled(disclosure.due(ASKING, &mails(), now()));
    assert_eq!((verdict.exposure, verdict.label.as_deref()), (masked(), Some("masked (auto)")));
    assert!(verdict.notice.unwrap().contains("local_llm_disclosure"));
    assert_eq!(settled(disclosure.due(ASKING, &mails(), now())).notice, None, "it is said once");
}

#[rstest]
#[case(AUTO, Visibility::Masked, "masked (auto)")]
#[case(POLICY, Visibility::Open, "identity open (policy)")]
#[case(DisclosureSurroundings { can_ask: false, ..ASKING }, Visibility::Masked, "masked (auto)")]
fn settings_decide_without_a_question(
    #[case] surroundings: DisclosureSurroundings,
    #[case] identity: Visibility,
    #[case] label: &str,
) {
    let verdict = settled(Disclosure::default().due(surroundings, &mails(), now()));
    assert_eq!(verdict.exposure, Exposure::assist(identity, Visibility::Masked));
    assert_eq!(verdict.label.as_deref(), Some(label));
}

#[test]
fn w_10_what_a_setting_opened_is_hidden_when_the_setting_goes() {
    let mut disclosure = Disclosure::default();
    settled(disclosure.due(POLICY, &mails(), now()));
    assert_eq!(disclosure.exposure(ASKING), masked());
    assert!(matches!(disclosure.due(ASKING, &mails(), now()), Due::Ask(_)));
}

#[rstest]
#[case(BTreeMap::from([(Kind::Secret, 3)]))]
#[case(BTreeMap::from([(Kind::Email, 0)]))]
#[case(BTreeMap::new())]
fn nobody_is_asked_about_nothing(#[case] counts: BTreeMap<Kind, usize>) {
    let verdict = settled(Disclosure::default().due(ASKING, &counts, now()));
    assert_eq!((verdict.exposure, verdict.label), (masked(), None));
}

#[test]
fn private_mode_asks_nothing_and_hides_everything() {
    let pii = DisclosureSurroundings { mode: Mode::Pii, ..POLICY };
    let mut disclosure = Disclosure::default();
    settled(disclosure.due(POLICY, &mails(), now()));
    assert_eq!(settled(disclosure.due(pii, &mails(), now())).exposure, Exposure::pii());
    assert_eq!(disclosure.exposure(pii), Exposure::pii());
}

#[test]
fn one_question_is_open_and_a_late_reply_decides_nothing() {
    let mut disclosure = Disclosure::default();
    let round = asked(&mut disclosure, now());
    assert_eq!(settled(disclosure.due(ASKING, &mails(), now())).exposure, masked());
    disclosure.withdraw(round);
    let verdict = disclosure.settle(round, &chosen("everything"), ASKING, now());
    assert_eq!(verdict.exposure, masked());
    assert_eq!(disclosure.stored().identity, Identity::Undecided);
}

#[test]
fn w_10_asking_again_is_possible_and_still_cannot_wear_anybody_down() {
    let mut disclosure = Disclosure::default();
    let mut questions = 0;
    for _ in 0..40 {
        match disclosure.due(ASKING, &mails(), now()) {
            Due::Ask(round) => {
                questions += 1;
                disclosure.settle(round, &DialogReply::Ended(Outcome::Dismissed), ASKING, now());
            }
            Due::Settled(verdict) => assert_eq!(verdict.exposure, masked()),
        }
        disclosure.request(IdentityRequest::Ask, NumbersRequest::Keep, ASKING, now());
    }
    assert_eq!(questions, 6);
    let later = now() + SignedDuration::from_mins(61);
    asked(&mut disclosure, later);
}

#[test]
fn hiding_is_done_at_once_and_vaults_what_was_open() {
    let mut disclosure = Disclosure::default();
    let round = asked(&mut disclosure, now());
    disclosure.settle(round, &chosen("everything"), ASKING, now());
    let step = disclosure.request(IdentityRequest::Masked, NumbersRequest::Keep, ASKING, now());
    assert_eq!(step, RequestStep::Done { is_memory_vaulted: true });
    let step = disclosure.request(IdentityRequest::Keep, NumbersRequest::Masked, ASKING, now());
    assert_eq!(step, RequestStep::Done { is_memory_vaulted: true });
    assert_eq!(disclosure.exposure(ASKING), masked());
    let step = disclosure.request(IdentityRequest::Masked, NumbersRequest::Masked, ASKING, now());
    assert_eq!(step, RequestStep::Done { is_memory_vaulted: false });
}

#[rstest]
#[case(chosen("open"), true)]
#[case(DialogReply::Ended(Outcome::AllowedOnce), true)]
#[case(chosen("keep"), false)]
#[case(chosen(""), false)]
#[case(DialogReply::Ended(Outcome::Denied), false)]
#[case(DialogReply::Ended(Outcome::TimedOut), false)]
#[case(DialogReply::Ended(Outcome::Unavailable), false)]
fn opening_needs_a_humans_yes(#[case] reply: DialogReply, #[case] opens: bool) {
    let mut disclosure = Disclosure::default();
    let step = disclosure.request(IdentityRequest::Open, NumbersRequest::Open, ASKING, now());
    let RequestStep::Ask { round, opening, .. } = step else { panic!("{step:?}") };
    assert!(opening.identity && opening.numbers);
    assert_eq!(disclosure.exposure(ASKING), masked(), "nothing is open before the answer");
    assert_eq!(disclosure.settle_request(round, &reply, now()), opens);
    let visibility = if opens { Visibility::Open } else { Visibility::Masked };
    assert_eq!(disclosure.exposure(ASKING), Exposure::assist(visibility, visibility));
    assert!(!disclosure.settle_request(round, &chosen("open"), now()), "one reply is one reply");
}

#[test]
fn where_nobody_can_be_asked_opening_is_refused() {
    let alone = DisclosureSurroundings { can_ask: false, ..ASKING };
    let step = Disclosure::default().request(IdentityRequest::Open, NumbersRequest::Keep, alone, now());
    assert_eq!(step, RequestStep::Refused { why: Unasked::Nowhere, is_memory_vaulted: false });
}

#[test]
fn status_shows_the_state_with_the_settings_looked_up() {
    let mut disclosure = Disclosure::default();
    let round = asked(&mut disclosure, now());
    disclosure.settle(round, &chosen("continue"), ASKING, now());
    let status = disclosure.status(ASKING);
    assert_eq!(
        (status.identity, status.numbers, status.source),
        (Identity::Open, "masked", Some(DisclosureSource::Dialog))
    );
    assert_eq!(status.open_kinds, ["PERSON", "ADDRESS", "PHONE", "EMAIL", "PII"]);
}

#[test]
fn what_is_stored_is_read_again_and_what_cannot_be_read_is_undecided() {
    let mut disclosure = Disclosure::default();
    let round = asked(&mut disclosure, now());
    disclosure.settle(round, &chosen("everything"), ASKING, now());
    let stored = serde_json::to_string(disclosure.stored()).unwrap();
    let again = Disclosure::restore(serde_json::from_str(&stored).unwrap());
    assert_eq!(again.exposure(ASKING), disclosure.exposure(ASKING));
    let odd: Stored = serde_json::from_str(r#"{"identity": "wide open", "numbers": "x"}"#).unwrap();
    assert_eq!(Disclosure::restore(odd).exposure(ASKING), masked());
}

fn refusals() -> impl Strategy<Value = DialogReply> {
    prop_oneof![
        "[a-z ]{0,6}".prop_map(DialogReply::Chosen),
        prop::sample::select(vec![
            Outcome::Denied,
            Outcome::Dismissed,
            Outcome::TimedOut,
            Outcome::Withdrawn,
            Outcome::Unavailable
        ])
        .prop_map(DialogReply::Ended),
    ]
}

proptest! {
    #[test]
    fn no_sequence_of_answers_that_are_no_yes_opens_anything(
        steps in prop::collection::vec((refusals(), 0_u8..6, prop::bool::ANY), 1..30),
    ) {
        let mut disclosure = Disclosure::default();
        for (reply, step, can_ask) in steps {
            // The three words that are a yes are no refusals.
            if matches!(reply.choice().as_deref(), Some("open" | "switch")) {
                continue;
            }
            let surroundings = DisclosureSurroundings { can_ask, ..if step == 5 { AUTO } else { ASKING } };
            let request = match step {
                1 => Some((IdentityRequest::Open, NumbersRequest::Open)),
                2 => Some((IdentityRequest::Ask, NumbersRequest::Keep)),
                3 => Some((IdentityRequest::Keep, NumbersRequest::Open)),
                _ => None,
            };
            match request {
                Some((identity, numbers)) => {
                    let step = disclosure.request(identity, numbers, surroundings, now());
                    if let RequestStep::Ask { round, .. } = step {
                        assert!(!disclosure.settle_request(round, &reply, now()));
                    }
                }
                None => {
                    if let Due::Ask(round) = disclosure.due(surroundings, &mails(), now()) {
                        assert_eq!(disclosure.settle(round, &reply, surroundings, now()).exposure, masked());
                    }
                }
            }
            assert_eq!(disclosure.exposure(ASKING), masked());
            disclosure = Disclosure::restore(disclosure.stored().clone());
        }
    }
}

#[test]
fn a_setting_opens_nothing_that_somebody_has_hidden() {
    let mut disclosure = Disclosure::default();
    assert!(matches!(disclosure.due(POLICY, &mails(), now()), Due::Settled(_)));
    assert_eq!(disclosure.identity(POLICY), Identity::Open);
    disclosure.request(IdentityRequest::Masked, NumbersRequest::Keep, POLICY, now());
    disclosure.request(IdentityRequest::Ask, NumbersRequest::Keep, POLICY, now());
    let mut restored = Disclosure::restore(disclosure.stored().clone());
    let Due::Ask(round) = restored.due(POLICY, &mails(), now()) else { panic!("it was opened unasked") };
    restored.settle(round, &chosen("continue"), POLICY, now());
    assert_eq!(restored.identity(POLICY), Identity::Open, "a human opens it");
    // Where nobody can be asked, it stays hidden.
    let Due::Settled(verdict) = disclosure.due(DisclosureSurroundings { can_ask: false, ..POLICY }, &mails(), now())
    else {
        panic!("there is nobody to ask")
    };
    assert_eq!(verdict.exposure, masked());
}

#[test]
fn leaving_the_private_mode_has_the_same_budget_and_a_no_holds() {
    let mut disclosure = Disclosure::default();
    assert_eq!(disclosure.ask_to_leave(false, now()), Err(Unasked::Nowhere));
    assert_eq!(disclosure.ask_to_leave(true, now()), Ok(()));
    assert!(!disclosure.settle_leaving(Outcome::Denied, now()));
    let free_at = now() + lwa_worker::disclosure::NO_HOLDS;
    assert_eq!(disclosure.ask_to_leave(true, now()), Err(Unasked::SaidNo { free_at }));
    for _ in 1..lwa_worker::disclosure::MOST_AN_HOUR {
        assert_eq!(disclosure.ask_to_leave(true, free_at), Ok(()));
        assert!(!disclosure.settle_leaving(Outcome::TimedOut, free_at));
    }
    assert!(matches!(disclosure.ask_to_leave(true, free_at), Err(Unasked::TooOften { .. })));
    disclosure.reset_questions();
    assert_eq!(disclosure.ask_to_leave(true, free_at), Ok(()));
    assert!(disclosure.settle_leaving(Outcome::AllowedSession, free_at));
}
