//! What does not leave: names in errors, halves of names, what nobody read; and what leaves all the same.

use lwa_protocol::approval::Answer;
use lwa_protocol::worker::{
    ClientAnswerParams, DialogAction, WorkerAnswer, WorkerArtifactParams, WorkerDisclosureParams, WorkerModeParams,
    WorkerSessionParams, WorkerStatusKind,
};
use rstest::rstest;

use crate::desk::{Desk, ON, is};
use crate::model::{Model, is_pass, said};
use crate::support::{Place, minutes};

const PII: &str = "mode = \"pii\"\n";
const NAMES: [&str; 4] = ["Annika", "Oberhauser", "Celestine", "Marchetti"];
const LETTER: &str =
    "Dear team,\nplease call Annika Oberhauser about the garden of Celestine Marchetti tomorrow.\nThank you.\n";

impl Desk {
    async fn lines(&self, reference: &str, first: u64, last: u64) -> WorkerAnswer {
        let params = WorkerArtifactParams {
            call: self.call.clone(),
            reference: reference.to_owned(),
            line_start: first,
            line_end: last,
            ..WorkerArtifactParams::default()
        };
        self.host.engine.worker_artifact(&self.agent, params).await.unwrap()
    }

    async fn discloses(&self, identity: &str) -> WorkerAnswer {
        let params = WorkerDisclosureParams {
            call: self.call.clone(),
            identity: identity.to_owned(),
            ..WorkerDisclosureParams::default()
        };
        self.host.engine.worker_disclosure(&self.agent, params).await.unwrap()
    }

    async fn leaves_pii(&self) -> WorkerAnswer {
        let params = WorkerModeParams { call: self.call.clone(), mode: "assist".to_owned() };
        self.host.engine.worker_set_mode(&self.agent, params).await.unwrap()
    }
}

#[rstest]
#[case(400, "{\"error\": {\"message\": \"cannot parse: ", "\"}}")]
#[case(500, "{\"error\": {\"message\": \"cannot parse: ", "\"}}")]
#[case(502, "<html><body><pre>", "</pre></body></html>")]
#[tokio::test]
async fn w_11_names_that_a_server_repeats_in_its_error_reach_no_agent(
    #[case] status: u16,
    #[case] before: &str,
    #[case] behind: &str,
) {
    for mode in ["", PII] {
        let body = format!("{before}{}{behind}", LETTER.replace('\n', " "));
        let model = Model::start(move |_| Some((status, body.clone())));
        let desk = Desk::new(&model.config("", mode)).await;
        let answer = desk.delegate("Whom?", LETTER).await;
        is(&answer, WorkerStatusKind::Failed);
        assert!(answer.text.starts_with("Error: ") && answer.text.contains(&status.to_string()), "{}", answer.text);
        let seen = format!("{}{}", answer.text, serde_json::to_string(&desk.status().await).unwrap());
        assert!(NAMES.iter().all(|name| !seen.contains(name)), "{seen}");
        let key = WorkerSessionParams { key: "codex.thread-1".to_owned() };
        let shown = desk.host.engine.show_worker_session(&key).await.unwrap();
        assert!(shown.turns[0].is_error && shown.turns[0].result.contains(&status.to_string()));
    }
}

#[rstest]
#[case(false)]
#[case(true)]
#[tokio::test]
async fn a_material_that_the_model_did_not_read_to_its_end_makes_a_failed_check(#[case] is_fail_closed: bool) {
    let model = Model::start(|request| {
        let is_material = is_pass(request) && request["max_tokens"] == 2048;
        let text = match (is_material, is_pass(request)) {
            (true, _) => "I cannot do that.",
            (_, true) => "[]",
            _ => "It is a plain text.",
        };
        Some((200, said(text)))
    });
    let worker = if is_fail_closed { "fail_closed = true\n" } else { "" };
    let desk = Desk::new(&model.config(worker, PII)).await;
    let answer = desk.delegate("What is it?", "a plain text").await;
    is(&answer, WorkerStatusKind::Completed);
    assert!(answer.text.contains("leak-check FAILED"), "{}", answer.text);
    assert_eq!(answer.text.contains("It is a plain text."), !is_fail_closed, "{}", answer.text);
    let check = desk.status().await.leak_check;
    assert_eq!((check.ran, check.failed), (1, 1));
    assert!(check.last_failure.unwrap().contains("material"));
}

#[tokio::test]
async fn what_somebody_has_hidden_is_opened_by_no_setting() {
    let desk = Desk::new(&format!("[worker]\nescalation = \"off\"\n{ON}")).await;
    let open = desk.delegate("Who?", "Contact: jane.roe@example.com").await;
    assert!(open.text.contains("jane.roe"), "the setting opens: {}", open.text);
    desk.discloses("masked").await;
    desk.discloses("ask").await;
    let mut human = desk.human();
    let (asked, _) =
        tokio::join!(desk.delegate("And?", "Contact: jane.roe@example.com"), human.answers(Answer::Deny, None));
    is(&asked, WorkerStatusKind::Completed);
    assert!(asked.text.contains("[EMAIL-1]") && !asked.text.contains("jane.roe"), "{}", asked.text);
    let (opened, _) = tokio::join!(
        desk.delegate("Again?", "Contact: jane.roe@example.com"),
        human.answers(Answer::AllowSession, Some("continue"))
    );
    assert!(opened.text.contains("jane.roe"), "a human opens it: {}", opened.text);
}

#[tokio::test]
async fn a_no_to_leaving_private_mode_holds_for_a_while() {
    let desk = Desk::new("[clients.codex.worker]\narm = \"on\"\nmode = \"pii\"\n").await;
    let mut human = desk.human();
    let (answer, _) = tokio::join!(desk.leaves_pii(), human.answers(Answer::Deny, None));
    is(&answer, WorkerStatusKind::Refused);
    for _ in 0..5 {
        let again = desk.leaves_pii().await;
        is(&again, WorkerStatusKind::Refused);
        assert!(again.text.contains("said no a short while ago"), "{}", again.text);
    }
    assert_eq!(desk.host.questions().await.len(), 1);
}

#[tokio::test]
async fn leaving_private_mode_is_asked_about_six_times_an_hour_at_most() {
    let desk = Desk::new("[clients.codex.worker]\narm = \"on\"\nmode = \"pii\"\n").await;
    let mut human = desk.human();
    for _ in 0..6 {
        let (answer, _) = tokio::join!(desk.leaves_pii(), human.answers(Answer::Dismiss, None));
        is(&answer, WorkerStatusKind::Refused);
    }
    let spent = desk.leaves_pii().await;
    assert!(spent.text.contains("too often this hour"), "{}", spent.text);
    assert_eq!(desk.host.questions().await.len(), 6);
    desk.host.place.pass(minutes(61));
    let (answer, _) = tokio::join!(desk.leaves_pii(), human.answers(Answer::AllowSession, None));
    is(&answer, WorkerStatusKind::Completed);
}

/// Parts of a name that say whose it is.
fn parts_of(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    letters.windows(5).map(|window| window.iter().collect()).collect()
}

#[tokio::test]
async fn w_13_no_slice_shows_half_of_a_name() {
    let desk = Desk::new("[clients.codex.worker]\narm = \"on\"\nmode = \"pii\"\n").await;
    let name = "Bartholomew Featherstonehaugh";
    let filler = "The report about the harbour has many pages and a long list of ships.\n".repeat(60);
    let text = format!("{filler}The contract was signed by {name} in the office of the harbour.\n{filler}");
    let answer = desk.delegate("Count the ships.", &text).await;
    let reference = answer.facts.reference.unwrap();
    let at = u64::try_from(text.find(name).unwrap()).unwrap();
    let mut seen = String::new();
    // Windows that end or begin anywhere in the name, in an order in which none has been read before.
    for offset in (0..30).rev() {
        seen.push_str(&desk.slice(&reference, at + offset, 100).await.text);
        seen.push_str(&desk.slice(&reference, at + offset - 100, 100).await.text);
    }
    for part in parts_of("Bartholomew").into_iter().chain(parts_of("Featherstonehaugh")) {
        assert!(!seen.contains(&part), "{part}: {seen}");
    }
    let whole = desk.slice(&reference, at - 14, 100).await;
    assert!(whole.text.starts_with("was signed by [PERSON-1] in the office"), "{}", whole.text);
    let people = desk.status().await.placeholders.get("PERSON").copied().unwrap_or_default();
    assert_eq!(people, 1, "no half of a name became a value");
}

#[tokio::test]
async fn a_long_line_is_read_for_names_and_its_rest_can_be_reached() {
    let desk = Desk::new(ON).await;
    let words = "the report about the harbour has many pages and a long list of ships ";
    let long = format!("{words}The contract was signed by Annika Oberhauser in the office. {}", words.repeat(1_400));
    let answer = desk.delegate("Count the ships.", &format!("a first line\n{long}")).await;
    let reference = answer.facts.reference.unwrap();
    desk.discloses("masked").await;
    let slice = desk.lines(&reference, 2, 2).await;
    is(&slice, WorkerStatusKind::Completed);
    // Where the machine was too slow to read so much, the line stays here.
    assert!(!slice.text.contains("Annika") && !slice.text.contains("Oberhauser"), "{}", slice.text);
    assert!(slice.text.contains("in part · next offset 20013"), "{}", slice.text);
    let at = u64::try_from(long.find("Annika").unwrap()).unwrap() + 13;
    let near = desk.slice(&reference, at - 40, 100).await;
    assert!(near.text.contains("signed by [PERSON-1] in the") && near.text.contains("leak-check ok"), "{}", near.text);
    let next = desk.slice(&reference, 20_013, 100).await;
    assert!(next.text.contains("chars 20013-20113"), "{}", next.text);
}

#[tokio::test]
async fn our_own_sentences_are_no_private_values() {
    let desk = Desk::new("[clients.codex.worker]\narm = \"on\"\nmode = \"pii\"\nrun_policy = \"allow\"\n").await;
    let listing = desk.run("seq 1 274; ls /proc/1/fd /usr/share/doc; seq 1 300").await;
    is(&listing, WorkerStatusKind::Completed);
    assert!(listing.text.contains(" lines]") && listing.text.contains("· builtin ·"), "{}", listing.text);
    let material = format!("{}the list of ships\n", "nothing to see here\n".repeat(40));
    let matched = desk.delegate("Find the list of ships.", &material).await;
    assert!(matched.text.contains("selected by builtin"), "{}", matched.text);
    let placeholders = desk.status().await.placeholders;
    assert!(!placeholders.contains_key("PERSON") && !placeholders.contains_key("ADDRESS"), "{placeholders:?}");
}

#[tokio::test]
async fn a_command_whose_output_cannot_be_kept_hands_its_result_back() {
    let desk = Desk::new("[clients.codex.worker]\narm = \"on\"\nrun_policy = \"off\"\n").await;
    let folder = desk.host.place.home().artifacts_folder().join("codex.thread-1");
    let folder = folder.display();
    let answer = desk.run(&format!("rm -r '{folder}' && touch '{folder}' && echo it was done")).await;
    is(&answer, WorkerStatusKind::Completed);
    assert!(answer.text.contains("it was done") && answer.text.contains("rc 0"), "{}", answer.text);
    assert!(answer.text.contains("not kept: "), "{}", answer.text);
    assert_eq!(answer.facts.reference, None);
    assert_eq!(desk.status().await.turns_total, 1);
}

#[tokio::test]
async fn a_model_that_cannot_be_used_is_named_where_the_condenser_answers() {
    let config =
        "[worker]\nbase_url = \"http://10.0.0.1/v1\"\nmodel = \"small\"\n[clients.codex.worker]\narm = \"on\"\n";
    let desk = Desk::new(config).await;
    let answer = desk.delegate("What is it?", "a plain text").await;
    is(&answer, WorkerStatusKind::Completed);
    assert!(answer.text.contains("the configured model cannot be used"), "{}", answer.text);
}

#[tokio::test]
async fn a_client_that_declines_is_not_quoted_as_its_user() {
    let mut desk = Desk::without_window(ON).await;
    desk.call.can_ask = true;
    let asked = desk.run("touch made").await;
    is(&asked, WorkerStatusKind::AskClient);
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    let said =
        ClientAnswerParams { handle: asked.question.unwrap().handle, action: DialogAction::Decline, choice: None };
    desk.host.engine.answer_from_client(&desk.agent, &said).await.unwrap();
    let refused = desk.run("touch made").await;
    is(&refused, WorkerStatusKind::Refused);
    assert!(refused.text.contains("declined in the client's dialog"), "{}", refused.text);
    assert!(!refused.text.contains("user said"), "{}", refused.text);
}

#[tokio::test]
async fn a_command_whose_result_cannot_be_checked_says_that_it_ran() {
    let place = Place::new("[clients.codex.worker]\narm = \"on\"\nrun_policy = \"allow\"\n");
    std::fs::write(place.home().private_terms_file(), "[\"Nightjar\",]").unwrap();
    let desk = Desk::at(place.start().await);
    let marker = desk.project.path().join("made");
    let command = format!("touch {} && echo the budget of Nightjar", marker.display());
    let error = desk.host.engine.worker_run(&desk.agent, desk.run_params(&command)).await.unwrap_err();
    assert!(marker.exists());
    assert!(error.message.contains("the command ran (rc 0), and its result is held back"), "{}", error.message);
    assert!(!error.message.contains("Nightjar"));
}
