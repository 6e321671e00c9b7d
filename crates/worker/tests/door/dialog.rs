//! Questions: nothing in them misleads, and nothing but a clear yes is one.

use std::collections::BTreeMap;

use lwa_domain::Outcome;
use lwa_privacy::Kind;
use lwa_worker::dialog::{CommandAnswer, CommandQuestion, DialogReply, MOST_SHOWN_CHARS, command_dialog, visible};
use lwa_worker::disclosure::{Opening, disclosure_dialog, opening_dialog};
use lwa_worker::gate::turn_on_dialog;
use lwa_worker::mode::Mode;
use proptest::prelude::{any, proptest};
use rstest::rstest;

fn question(command: &str) -> CommandQuestion<'_> {
    CommandQuestion { command, folder: Some("/srv/project"), reasons: &[], shapes: &[] }
}

#[test]
fn w_07_a_command_is_shown_whole_or_not_at_all() {
    let long = format!("echo {}; rm -rf build", "x".repeat(2_000));
    assert!(command_dialog(question(&long)).unwrap().message.contains("; rm -rf build\n"));
    let error = command_dialog(question(&"x".repeat(MOST_SHOWN_CHARS + 1))).unwrap_err();
    assert_eq!(error.chars, MOST_SHOWN_CHARS + 1);
}

#[rstest]
#[case::a_line_of_its_own("ls\nFolder: /safe", "ls\\nFolder: /safe")]
#[case::over_the_line("evil\rls", "evil\\rls")]
#[case::turned_around("ls \u{202e}fr- mr", "ls \\u{202e}fr- mr")]
#[case::hidden("l\u{200b}s", "l\\u{200b}s")]
#[case::an_escape("ls \u{1b}[8m; evil", "ls \\u{1b}[8m; evil")]
#[case::another_blank("ls\u{a0}-l", "ls\\u{a0}-l")]
#[case::a_tag("ls\u{e0041}", "ls\\u{e0041}")]
fn w_07_no_character_of_a_command_misleads(#[case] command: &str, #[case] shown: &str) {
    let message = command_dialog(question(command)).unwrap().message;
    assert!(message.contains(&format!("Command: {shown}\n")), "{message}");
    assert_eq!(message.lines().filter(|line| line.starts_with("Folder:")).count(), 1);
}

#[test]
fn a_command_s_question_shows_place_reasons_and_what_always_would_add() {
    let reasons = ["writes a file\u{202e}".to_owned()];
    let shapes = ["git log".to_owned(), "head".to_owned()];
    let dialog =
        command_dialog(CommandQuestion { command: "git log | head", folder: None, reasons: &reasons, shapes: &shapes })
            .unwrap();
    assert!(dialog.message.contains("Folder: the host's own\n"));
    assert!(dialog.message.contains("Note: writes a file\\u{202e}\n"));
    assert!(dialog.message.contains("\"Always\" adds: git log, head."));
    assert!(command_dialog(question("ls")).unwrap().message.contains("cannot be remembered"));
}

#[test]
fn the_safe_choice_stands_first_in_every_question() {
    let counts = BTreeMap::from([(Kind::Email, 2), (Kind::Secret, 1)]);
    let firsts = [
        command_dialog(question("ls")).unwrap().choices[0].0,
        turn_on_dialog("local_llm_run", "m", Mode::Assist).choices[0].0,
        disclosure_dialog(&counts, "paths: a").choices[0].0,
        opening_dialog(Opening { identity: true, numbers: false }, "").choices[0].0,
    ];
    assert_eq!(firsts, ["refuse", "off", "switch", "keep"]);
}

#[test]
fn a_question_about_values_shows_kinds_and_counts_and_no_secrets() {
    let counts = BTreeMap::from([(Kind::Email, 2), (Kind::Card, 1), (Kind::Secret, 9), (Kind::Person, 0)]);
    let message = disclosure_dialog(&counts, &"s\n".repeat(200)).message;
    assert!(message.contains("2 EMAIL") && message.contains("1 CARD"), "{message}");
    assert!(!message.contains("SECRET") && !message.contains("PERSON"), "{message}");
    let source = message.lines().find_map(|line| line.strip_prefix("Source: ")).unwrap();
    assert_eq!(source, "s\\n".repeat(45));
    let message = opening_dialog(Opening { identity: true, numbers: true }, "because\nSource: x").message;
    assert!(message.contains("Its reason: because\\nSource: x\n"), "{message}");
}

#[test]
fn a_question_about_turning_on_names_tool_model_and_mode_and_no_argument() {
    let message = turn_on_dialog("local_llm_run\nx", &"m".repeat(200), Mode::Pii).message;
    assert!(message.contains("tool local_llm_run\\nx)") && message.contains("Mode at present: pii."), "{message}");
    assert!(!message.contains(&"m".repeat(81)));
}

#[rstest]
#[case(DialogReply::Chosen("once".into()), CommandAnswer::Once)]
#[case(DialogReply::Chosen("  ALWAYS ".into()), CommandAnswer::Always)]
#[case(DialogReply::Chosen("refuse".into()), CommandAnswer::Refused)]
#[case(DialogReply::Chosen(String::new()), CommandAnswer::Refused)]
#[case(DialogReply::Chosen("yes".into()), CommandAnswer::Refused)]
#[case(DialogReply::Ended(Outcome::AllowedOnce), CommandAnswer::Once)]
#[case(DialogReply::Ended(Outcome::AllowedAlways), CommandAnswer::Always)]
#[case(DialogReply::Ended(Outcome::Denied), CommandAnswer::Refused)]
#[case(DialogReply::Ended(Outcome::Dismissed), CommandAnswer::Unanswered)]
#[case(DialogReply::Ended(Outcome::TimedOut), CommandAnswer::Unanswered)]
#[case(DialogReply::Ended(Outcome::Withdrawn), CommandAnswer::Unanswered)]
#[case(DialogReply::Ended(Outcome::Unavailable), CommandAnswer::Unanswered)]
fn only_a_clear_yes_runs_a_command(#[case] reply: DialogReply, #[case] answer: CommandAnswer) {
    assert_eq!(CommandAnswer::read(&reply), answer);
}

proptest! {
    #[test]
    fn w_07_what_is_shown_stays_on_its_line_and_has_no_hidden_sign(text in any::<String>()) {
        let shown = visible(&text);
        assert!(!shown.chars().any(|c| c.is_control() || (c.is_whitespace() && c != ' ')));
        assert!(!shown.contains(['\u{200b}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{ad}']));
    }
}
