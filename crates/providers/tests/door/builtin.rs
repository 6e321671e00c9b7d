//! The provider without a model.

use std::time::{Duration, Instant};

use lwa_domain::tokens::estimate_tokens;
use lwa_domain::{ErrorCode, PicoUsd, TaskKind};
use lwa_providers::builtin::run;

fn conversation() -> String {
    let mut text =
        String::from("User: The build fails in crates/store/src/lib.rs with error E0382 since version 1.4.2.\n");
    for number in 0..400 {
        text.push_str("Assistant: Sure, happy to help with that, let me have a look at it right away for you.\n");
        if number % 100 == 0 {
            text.push_str("Assistant: Decision: we keep the write pool at one connection.\n");
        }
    }
    text.push_str("User: Next: run the migration tests on host alpha-7.\n");
    text
}

#[test]
fn a_conversation_is_compressed_and_keeps_its_facts() {
    let prompt = conversation();
    let answer = run(TaskKind::ConversationCompression, &prompt, None).unwrap();
    for fact in ["crates/store/src/lib.rs", "E0382", "1.4.2", "write pool", "alpha-7"] {
        assert!(answer.text.contains(fact), "{fact} is missing in {}", answer.text);
    }
    assert!(answer.text.len() * 4 < prompt.len(), "{} of {}", answer.text.len(), prompt.len());
    assert_eq!(answer.model, "condense");
    assert_eq!(answer.cost, Some(PicoUsd::ZERO));
    assert_eq!(answer.finish_reason.as_deref(), Some("stop"));
    assert!(!answer.usage.reported);
    assert_eq!(answer.usage.input, Some(estimate_tokens(&prompt)));
    assert_eq!(answer.usage.output, Some(estimate_tokens(&answer.text)));
}

#[test]
fn a_prompt_is_optimised_and_keeps_its_requirements() {
    let prompt = "Could you please, if at all possible, write a function `sum`.\n\nIt must not allocate memory on the heap while it runs, not even once.\n\nIt must not allocate memory on the heap while it runs, not even once.\n\n\n\n";
    let answer = run(TaskKind::TokenOptimization, prompt, None).unwrap();
    assert!(answer.text.len() < prompt.len(), "{}", answer.text);
    assert_eq!(answer.text.matches("must not allocate").count(), 1, "{}", answer.text);
    assert!(answer.text.contains("`sum`"), "{}", answer.text);
}

#[test]
fn the_answer_fits_the_allowed_tokens_in_any_script() {
    let russian = "Решение: оставить один пул записи в crates/store. Следующий шаг: проверить миграции.\n".repeat(200);
    for prompt in [conversation(), russian] {
        for task in [TaskKind::ConversationCompression, TaskKind::TokenOptimization] {
            let answer = run(task, &prompt, Some(200)).unwrap();
            assert!(estimate_tokens(&answer.text) <= 200, "{task}: {}", estimate_tokens(&answer.text));
            assert!(!answer.text.trim().is_empty());
        }
    }
}

#[test]
fn the_same_text_gives_the_same_answer() {
    let prompt = conversation();
    assert_eq!(
        run(TaskKind::ConversationCompression, &prompt, Some(300)).unwrap(),
        run(TaskKind::ConversationCompression, &prompt, Some(300)).unwrap()
    );
}

#[test]
fn other_tasks_are_refused_with_the_two_that_work() {
    for task in TaskKind::ALL.iter().filter(|task| !task.is_served_without_model()) {
        let error = run(*task, "x", None).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ProviderRejected);
        assert!(error.to_string().contains("conversation_compression and token_optimization"), "{error}");
        assert!(!error.may_have_cost());
    }
    for task in TaskKind::ALL.iter().filter(|task| task.is_served_without_model()) {
        assert!(run(*task, "x", None).is_ok());
    }
}

/// A second in a debug build for two megabytes leaves no room for anything that grows with the square.
#[test]
fn two_megabytes_are_served_in_linear_time() {
    let prompt = conversation().repeat(2_000_000 / conversation().len());
    let time = |text: &str| {
        let begin = Instant::now();
        run(TaskKind::ConversationCompression, text, Some(1200)).unwrap();
        begin.elapsed()
    };
    let half = time(&prompt[..prompt.len() / 2]);
    let whole = time(&prompt);
    assert!(whole < half * 4 + Duration::from_millis(500), "{half:?} for half of it, {whole:?} for all");
}
