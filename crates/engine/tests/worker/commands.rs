//! Whether a command may run.

use lwa_domain::Outcome;
use lwa_protocol::approval::{Answer, ApprovalDetail};
use lwa_protocol::worker::WorkerStatusKind;

use crate::desk::{Desk, ON, is};
use crate::support::minutes;

fn allow(desk: &Desk, lines: &str) {
    std::fs::write(desk.host.place.home().run_allow_file(), lines).unwrap();
}

#[tokio::test]
async fn a_denied_command_asks_nobody_and_nothing_runs() {
    let desk = Desk::new(ON).await;
    let marker = desk.project.path().join("made");
    let answer = desk.run(&format!("touch {} && sudo id", marker.display())).await;
    is(&answer, WorkerStatusKind::Refused);
    assert!(answer.text.contains("REFUSED (privilege escalation)"), "{}", answer.text);
    assert!(!marker.exists());
    assert!(desk.host.questions().await.is_empty());
    assert_eq!(desk.status().await.run_policy.denied, 1);
}

#[tokio::test]
async fn a_listed_command_runs_unasked_and_says_which_entry_it_was() {
    let desk = Desk::allowing(ON, "echo*\n").await;
    let answer = desk.run("echo hello there").await;
    is(&answer, WorkerStatusKind::Completed);
    assert_eq!(answer.facts.policy.as_deref(), Some("allow-list (echo*)"));
    assert!(answer.text.contains("hello there") && answer.text.contains("rc 0"), "{}", answer.text);
    assert_eq!(desk.status().await.run_policy.allowed, 1);
}

#[tokio::test]
async fn once_is_once() {
    let desk = Desk::new(ON).await;
    let mut human = desk.human();
    let (answer, question) = tokio::join!(desk.run("printf one"), human.answers(Answer::AllowOnce, None));
    is(&answer, WorkerStatusKind::Completed);
    assert_eq!(answer.facts.policy.as_deref(), Some("asked:run"));
    let ApprovalDetail::Command(detail) = question.detail else { panic!("another question") };
    assert_eq!(detail.command, "printf one");
    assert_eq!(detail.cwd, desk.project.path().display().to_string());
    let (again, _) = tokio::join!(desk.run("printf one"), human.answers(Answer::Deny, None));
    is(&again, WorkerStatusKind::Refused);
    assert!(again.text.contains("the user said no"), "{}", again.text);
}

#[tokio::test]
async fn always_matches_the_same_command_again_and_no_other_subcommand() {
    let desk = Desk::new(ON).await;
    let mut human = desk.human();
    let command = "git -C . log --oneline -3";
    let (answer, question) = tokio::join!(desk.run(command), human.answers(Answer::AllowAlways, None));
    is(&answer, WorkerStatusKind::Completed);
    let ApprovalDetail::Command(detail) = question.detail else { panic!("another question") };
    assert!(!detail.shapes.is_empty());
    let asked = desk.host.questions().await.len();
    is(&desk.run(command).await, WorkerStatusKind::Completed);
    assert_eq!(desk.host.questions().await.len(), asked, "it does not ask again");
    let (other, _) = tokio::join!(desk.run("git push"), human.answers(Answer::Deny, None));
    is(&other, WorkerStatusKind::Refused);
}

#[tokio::test]
async fn for_the_session_ends_with_the_host() {
    let desk = Desk::new(ON).await;
    let mut human = desk.human();
    let (answer, _) = tokio::join!(desk.run("printf two"), human.answers(Answer::AllowSession, None));
    is(&answer, WorkerStatusKind::Completed);
    is(&desk.run("printf two").await, WorkerStatusKind::Completed);
    assert_eq!(desk.host.questions().await.len(), 1);
    assert!(!desk.host.place.home().run_allow_file().exists(), "nothing was written for longer");
}

#[tokio::test]
async fn pa_5_a_line_that_is_taken_out_counts_no_more_at_once() {
    let desk = Desk::allowing(ON, "echo*\n").await;
    is(&desk.run("echo one").await, WorkerStatusKind::Completed);
    allow(&desk, "# nothing\n");
    let mut human = desk.human();
    let (answer, _) = tokio::join!(desk.run("echo one"), human.answers(Answer::Deny, None));
    is(&answer, WorkerStatusKind::Refused);
}

#[tokio::test]
async fn a_line_that_somebody_adds_waits_for_a_human() {
    let desk = Desk::allowing(ON, "echo*\n").await;
    is(&desk.run("echo one").await, WorkerStatusKind::Completed);
    allow(&desk, "echo*\nprintf*\n");
    let mut human = desk.human();
    let (answer, _) = tokio::join!(desk.run("printf one"), async {
        let change = human.next_question().await;
        let ApprovalDetail::PolicyChange(change) = change.detail else { panic!("another question") };
        assert_eq!(change.changes[0].to, "printf*");
        human.answers(Answer::Deny, None).await
    });
    is(&answer, WorkerStatusKind::Refused);
    assert!(desk.status().await.run_policy.note.unwrap().contains("until a human accepts"));
    let waiting = desk.host.open_questions().await;
    assert_eq!(waiting.len(), 1, "the new line still waits");
    desk.host.decide(&crate::support::app(), &waiting[0].id, Answer::AllowAlways).await.unwrap();
    is(&desk.run("printf one").await, WorkerStatusKind::Completed);
}

#[tokio::test]
async fn a_rule_that_somebody_takes_out_or_breaks_goes_on_refusing() {
    let config = "[clients.codex.worker]\narm = \"on\"\nrun_policy = \"allow\"\n";
    let desk = Desk::allowing(config, "echo*\ndeny: printf*\n").await;
    is(&desk.run("echo one").await, WorkerStatusKind::Completed);
    for broken in ["echo*\n", "echo*\ndeny: printf*\n'\n", ""] {
        allow(&desk, broken);
        let answer = desk.run("printf one").await;
        is(&answer, WorkerStatusKind::Refused);
        assert!(answer.text.contains("rule of the list"), "{broken}: {}", answer.text);
    }
    std::fs::remove_file(desk.host.place.home().run_allow_file()).unwrap();
    is(&desk.run("printf one").await, WorkerStatusKind::Refused);
    let waiting = desk.host.open_questions().await;
    assert_eq!(waiting.len(), 1, "a human is asked whether the rule may go");
    desk.host.decide(&crate::support::app(), &waiting[0].id, Answer::AllowAlways).await.unwrap();
    is(&desk.run("printf one").await, WorkerStatusKind::Completed);
}

#[tokio::test]
async fn a_list_that_comes_after_the_hosts_start_waits_for_a_human_as_a_whole() {
    let desk = Desk::new(ON).await;
    allow(&desk, "printf*\n");
    let mut human = desk.human();
    let (answer, _) = tokio::join!(desk.run("printf one"), async {
        let change = human.next_question().await;
        let ApprovalDetail::PolicyChange(change) = change.detail else { panic!("another question") };
        assert_eq!(change.changes[0].to, "printf*");
        human.answers(Answer::Deny, None).await
    });
    is(&answer, WorkerStatusKind::Refused);
}

#[tokio::test]
async fn pa_8_the_questions_of_an_hour_are_limited_and_come_back() {
    let desk = Desk::new(ON).await;
    let mut human = desk.human();
    for number in 0..12 {
        let command = format!("printf {number}");
        let (answer, _) = tokio::join!(desk.run(&command), human.answers(Answer::AllowOnce, None));
        is(&answer, WorkerStatusKind::Completed);
    }
    let answer = desk.run("printf more").await;
    is(&answer, WorkerStatusKind::Refused);
    assert!(answer.text.contains("REFUSED (ask limit)"), "{}", answer.text);
    desk.host.place.pass(minutes(61));
    let (answer, _) = tokio::join!(desk.run("printf more"), human.answers(Answer::AllowOnce, None));
    is(&answer, WorkerStatusKind::Completed);
}

#[tokio::test]
async fn w_06_without_anybody_to_ask_an_unlisted_command_does_not_run() {
    let desk = Desk::without_window(ON).await;
    let marker = desk.project.path().join("made");
    let answer = desk.run("touch made").await;
    is(&answer, WorkerStatusKind::Unavailable);
    assert!(!marker.exists());
    assert!(answer.text.contains("lwa approvals"), "{}", answer.text);
}

#[tokio::test]
async fn the_settings_allow_and_off_run_what_they_say() {
    let desk = Desk::without_window("[clients.codex.worker]\narm = \"on\"\nrun_policy = \"allow\"\n").await;
    let answer = desk.run("printf free").await;
    is(&answer, WorkerStatusKind::Completed);
    assert_eq!(answer.facts.policy.as_deref(), Some("not asked: run_policy = allow"));
    is(&desk.run("sudo id").await, WorkerStatusKind::Refused);
}

#[tokio::test]
async fn w_07_a_command_that_is_too_long_to_be_read_is_not_asked_about() {
    let desk = Desk::new(ON).await;
    let command = format!("printf '{}'", "x".repeat(5_000));
    let answer = desk.run(&command).await;
    is(&answer, WorkerStatusKind::Refused);
    assert!(answer.text.contains("too long to show"), "{}", answer.text);
    assert!(desk.host.questions().await.is_empty());
}

#[tokio::test]
async fn w_04_a_value_that_is_put_back_into_a_command_is_one_word() {
    let desk = Desk::allowing("[clients.codex.worker]\narm = \"on\"\nmode = \"pii\"\n", "echo*\n").await;
    let marker = desk.project.path().join("made");
    let value = "Oscar Venn; touch made";
    std::fs::write(
        desk.host.place.home().private_terms_file(),
        format!("{{\"terms\": [{{\"kind\": \"PERSON\", \"values\": [\"{value}\"]}}]}}"),
    )
    .unwrap();
    let answer = desk.delegate("What is it?", &format!("the name is {value} here")).await;
    assert!(answer.text.contains("[PERSON-1]"), "{}", answer.text);
    let answer = desk.run("echo [PERSON-1]").await;
    is(&answer, WorkerStatusKind::Completed);
    assert!(!marker.exists(), "nothing of the value was run");
    assert!(!answer.text.contains("Oscar"), "{}", answer.text);
}

#[tokio::test]
async fn a_secret_reaches_a_command_by_a_variable_after_a_yes_and_never_comes_back() {
    let desk = Desk::allowing(ON, "env\nprintenv*\n").await;
    let secret = format!("ghp_{}", "a8Kd73LmQz".repeat(4).get(..36).unwrap());
    let first = desk.delegate("What is it?", &format!("token = {secret}")).await;
    assert!(first.text.contains("[SECRET-1]") && !first.text.contains(&secret), "{}", first.text);
    let denied = desk.run("echo [SECRET-1]").await;
    is(&denied, WorkerStatusKind::Refused);
    assert!(denied.text.contains("secret_env"), "{}", denied.text);
    let mut params = desk.run_params("printenv TOKEN | rev; printenv TOKEN | base64; printenv TOKEN");
    params.secret_env.insert("TOKEN".to_owned(), "[SECRET-1]".to_owned());
    let mut human = desk.human();
    let (answer, question) =
        tokio::join!(desk.host.engine.worker_run(&desk.agent, params), human.answers(Answer::AllowOnce, None));
    let answer = answer.unwrap();
    is(&answer, WorkerStatusKind::Completed);
    assert!(!answer.text.contains(&secret), "{}", answer.text);
    assert_eq!(question.offers, vec![Answer::AllowOnce], "it is granted to this command alone");
    let text = serde_json::to_string(&question).unwrap();
    assert!(text.contains("TOKEN=[SECRET-1]") && !text.contains(&secret), "{text}");
}

#[tokio::test]
async fn a_folder_outside_the_project_asks_though_the_command_is_listed() {
    let desk = Desk::allowing(ON, "pwd\n").await;
    let elsewhere = tempfile::tempdir().unwrap();
    let mut params = desk.run_params("pwd");
    params.cwd = elsewhere.path().display().to_string();
    let mut human = desk.human();
    let (answer, question) =
        tokio::join!(desk.host.engine.worker_run(&desk.agent, params), human.answers(Answer::Deny, None));
    is(&answer.unwrap(), WorkerStatusKind::Refused);
    let ApprovalDetail::Command(detail) = question.detail else { panic!("another question") };
    assert!(detail.reason.contains("outside the client's project"), "{}", detail.reason);
}

#[tokio::test]
async fn the_sandbox_of_the_client_is_a_floor() {
    let mut desk = Desk::allowing(ON, "printf*\n> made\n").await;
    desk.call.sandbox = lwa_protocol::worker::CallerSandbox::ReadOnly;
    let mut human = desk.human();
    let work = desk.run("printf x > made");
    let answer = tokio::select! {
        answer = work => answer,
        _ = human.answers(Answer::AllowOnce, None) => desk.run("printf x > made").await,
    };
    assert!(!desk.project.path().join("made").exists(), "{}", answer.text);
}

#[tokio::test]
async fn an_answer_of_a_command_of_the_worker_itself_does_not_count() {
    let desk = Desk::new(ON).await;
    let mut human = desk.human();
    let asking = async {
        let question = human.next_question().await;
        let of_ours = crate::support::of_the_agent(lwa_protocol::Role::Cli);
        assert!(desk.host.decide(&of_ours, &question.id, Answer::AllowOnce).await.is_err());
        desk.host.decide(&crate::support::app(), &question.id, Answer::Deny).await.unwrap().outcome
    };
    let (answer, outcome) = tokio::join!(desk.run("printf three"), asking);
    is(&answer, WorkerStatusKind::Refused);
    assert_eq!(outcome, Some(Outcome::Denied));
}

#[tokio::test]
async fn new_lines_are_accepted_in_a_terminal_like_edits_of_the_configuration() {
    let desk = Desk::without_window(ON).await;
    is(&desk.run("printf one").await, WorkerStatusKind::Unavailable);
    allow(&desk, "printf*\n");
    let waiting = desk.run("printf one").await;
    is(&waiting, WorkerStatusKind::Unavailable);
    assert!(waiting.text.contains("lwa config accept"), "{}", waiting.text);
    let shown = desk.host.engine.show_what_waits().await.unwrap().pending;
    assert_eq!(shown.len(), 1);
    let accept = lwa_protocol::configuration::ConfigAcceptParams { shown };
    desk.host.engine.accept_configuration(&crate::support::terminal(), &accept).await.unwrap();
    is(&desk.run("printf one").await, WorkerStatusKind::Completed);
    assert!(desk.host.open_questions().await.is_empty());
}
