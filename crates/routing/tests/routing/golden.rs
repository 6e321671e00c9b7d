//! The routing tables: by the numbers for the free routes, and as printed in the reference page.

use std::path::Path;
use std::{env, fs};

use lwa_domain::{Quality, TaskKind};
use lwa_routing::{Decision, Gate, Points, Policy, Request};
use rstest::rstest;

use crate::seeds;
use crate::support::{POLICY, REQUEST, World};

/// Which routes both sides allow besides the free ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Free,
    Paid,
    UserPays,
    Both,
}

fn rules(task: TaskKind, quality: Quality, open: Open) -> (Request<'static>, Policy) {
    let allow_paid = matches!(open, Open::Paid | Open::Both);
    let allow_user_pays = matches!(open, Open::UserPays | Open::Both);
    (
        Request { task, quality, allow_paid, allow_user_pays, ..REQUEST },
        Policy { allow_paid, allow_user_pays, ..POLICY },
    )
}

fn decide(world: &World, task: TaskKind, quality: Quality, open: Open) -> Option<Decision> {
    let (request, policy) = rules(task, quality, open);
    world.decide(&request, &policy).ok()
}

/// `provider:model score`, or `no route`.
fn winner(world: &World, task: TaskKind, quality: Quality, open: Open) -> String {
    decide(world, task, quality, open).map_or("no route".to_owned(), |decision| {
        format!("{} {}", decision.chosen.model.key, Points(decision.chosen.score_hundredths))
    })
}

#[rstest]
#[case("quick_response", "groq:openai/gpt-oss-20b", ["134.0", "114.8", "114.2"])]
#[case("query", "cerebras:gpt-oss-120b", ["133.0", "113.8", "113.2"])]
#[case("conversation_compression", "cerebras:gpt-oss-120b", ["132.0", "112.8", "112.2"])]
#[case("token_optimization", "groq:openai/gpt-oss-20b", ["132.0", "112.8", "112.2"])]
#[case("document_editing", "cerebras:gpt-oss-120b", ["133.0", "113.8", "113.2"])]
#[case("sitrep", "cerebras:gpt-oss-120b", ["134.0", "114.8", "114.2"])]
#[case("planning", "cerebras:gpt-oss-120b", ["135.0", "115.8", "115.2"])]
#[case("verification", "cerebras:gpt-oss-120b", ["136.0", "116.8", "116.2"])]
#[case("coding_aux", "cerebras:gpt-oss-120b", ["134.0", "114.8", "114.2"])]
fn free_routes_score_exactly_as_they_always_did(#[case] task: &str, #[case] key: &str, #[case] scores: [&str; 3]) {
    let world = seeds::world();
    for (quality, score) in Quality::ALL.iter().zip(scores) {
        assert_eq!(winner(&world, task.parse().unwrap(), *quality, Open::Free), format!("{key} {score}"));
    }
}

#[test]
fn the_known_ties_are_ties() {
    let world = seeds::world();
    for (task, second) in [
        (TaskKind::Query, "groq:openai/gpt-oss-120b"),
        (TaskKind::ConversationCompression, "cohere:command-a-03-2025"),
        (TaskKind::TokenOptimization, "zai:glm-4.7-flash"),
    ] {
        for quality in [Quality::Economy, Quality::Balanced] {
            let decision = decide(&world, task, quality, Open::Free).unwrap();
            let tied = decision.others.iter().find(|other| other.key.to_string() == second).unwrap();
            assert!(matches!(tied.reason, Gate::Tied { .. }), "{task}: {}", tied.reason);
        }
    }
}

#[test]
fn pictures_and_films_have_no_free_route() {
    for task in [TaskKind::ImageGeneration, TaskKind::VideoGeneration] {
        for quality in Quality::ALL {
            assert_eq!(winner(&seeds::world(), task, *quality, Open::Free), "no route");
        }
    }
}

/// Economy and balanced still prefer what is free; money changes something at `high` alone.
#[test]
fn below_high_paid_leave_changes_no_text_task() {
    let world = seeds::world();
    for task in text_tasks() {
        for quality in [Quality::Economy, Quality::Balanced] {
            assert_eq!(winner(&world, task, quality, Open::Paid), winner(&world, task, quality, Open::Free));
        }
    }
}

#[rstest]
#[case(TaskKind::Query, "zenmux:google/gemini-3.1-pro-preview")]
#[case(TaskKind::DocumentEditing, "zenmux:google/gemini-3.1-pro-preview")]
#[case(TaskKind::Sitrep, "zenmux:google/gemini-3.1-pro-preview")]
#[case(TaskKind::Planning, "zenmux:google/gemini-3.1-pro-preview")]
#[case(TaskKind::CodingAux, "openai:gpt-5.2")]
fn high_with_paid_leave_takes_a_specialist_that_leads_by_three_points(#[case] task: TaskKind, #[case] key: &str) {
    let decision = decide(&seeds::world(), task, Quality::High, Open::Paid).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), key);
    assert!(decision.requires_consent);
}

#[rstest]
#[case(TaskKind::QuickResponse)]
#[case(TaskKind::ConversationCompression)]
#[case(TaskKind::TokenOptimization)]
#[case(TaskKind::Verification)]
fn high_with_paid_leave_stays_free_where_the_lead_is_small(#[case] task: TaskKind) {
    let world = seeds::world();
    let key = |open| decide(&world, task, Quality::High, open).unwrap().chosen.model.key;
    assert_eq!(key(Open::Paid), key(Open::Free));
}

#[rstest]
#[case("coding_aux", Quality::Balanced, "puter:openai/gpt-5.3-codex 116.8")]
#[case("query", Quality::High, "puter:openai/gpt-5.6-sol 116.7")]
#[case("conversation_compression", Quality::High, "puter:openai/gpt-5.6-luna 112.7")]
#[case("document_editing", Quality::High, "puter:openai/gpt-5.6-sol 116.7")]
#[case("sitrep", Quality::High, "puter:openai/gpt-5.6-sol 116.7")]
#[case("planning", Quality::High, "puter:openai/gpt-5.6-sol 117.7")]
#[case("verification", Quality::High, "puter:openai/gpt-5.6-sol 117.7")]
#[case("coding_aux", Quality::High, "puter:openai/gpt-5.3-codex 120.7")]
fn the_users_own_subscription_scores_as_it_always_did(
    #[case] task: &str,
    #[case] quality: Quality,
    #[case] expected: &str,
) {
    assert_eq!(winner(&seeds::world(), task.parse().unwrap(), quality, Open::UserPays), expected);
}

fn text_tasks() -> impl Iterator<Item = TaskKind> {
    TaskKind::ALL.iter().copied().take(10)
}

/// The tables of the reference page, as they must stand there.
fn tables() -> [(&'static str, String); 3] {
    let world = seeds::world();
    let table = |heading: &str, row: &dyn Fn(TaskKind) -> String| {
        let columns = heading.matches('|').count() - 1;
        let rows = TaskKind::ALL.iter().map(|task| format!("| `{task}` | {} |", row(*task)));
        let lines = [heading.to_owned(), format!("|{}", "---|".repeat(columns))].into_iter().chain(rows);
        lines.collect::<Vec<_>>().join("\n") + "\n"
    };
    let free = table("| Task | economy | balanced | high |", &|task| {
        let cells = Quality::ALL.iter().map(|quality| winner(&world, task, *quality, Open::Free));
        cells.collect::<Vec<_>>().join(" | ")
    });
    let paid = table("| Task | high, free routes only | high, paid routes allowed | Lead in task points |", &|task| {
        let free = decide(&world, task, Quality::High, Open::Free);
        let paid = decide(&world, task, Quality::High, Open::Paid);
        let score = |decision: &Option<Decision>| {
            decision.as_ref().map(|decision| i32::from(decision.chosen.model.task_scores[&task]))
        };
        let lead = match (score(&free), score(&paid)) {
            (Some(free), Some(paid)) if paid > free => format!("+{}", paid - free),
            (None, Some(_)) => "no free route".to_owned(),
            _ => "none that counts".to_owned(),
        };
        let cell = |open| winner(&world, task, Quality::High, open);
        format!("{} | {} | {lead}", cell(Open::Free), cell(Open::Paid))
    });
    let all = table("| Task | high, user-pays allowed | high, paid and user-pays allowed |", &|task| {
        let cell = |open| winner(&world, task, Quality::High, open);
        format!("{} | {}", cell(Open::UserPays), cell(Open::Both))
    });
    [("free", free), ("paid", paid), ("user-pays", all)]
}

/// Set `LWA_UPDATE_TABLES` to write the tables into the page.
#[test]
fn the_tables_of_the_reference_page_are_what_the_router_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/routing.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut wanted = page.clone();
    for (name, table) in tables() {
        let begin = format!("<!-- table {name} -->\n");
        let (head, rest) = wanted.split_once(&begin).unwrap_or_else(|| panic!("no place for table {name}"));
        let (_, tail) = rest.split_once("<!-- end -->").unwrap();
        wanted = format!("{head}{begin}{table}<!-- end -->{tail}");
    }
    if env::var_os("LWA_UPDATE_TABLES").is_some() {
        fs::write(&path, &wanted).unwrap();
    } else {
        assert!(page == wanted, "docs/reference/routing.md is out of date; the tables now are\n{:#?}", tables());
    }
}

#[test]
fn the_reference_page_names_every_label() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/routing.md");
    let page = fs::read_to_string(path).unwrap();
    let missing: Vec<_> = Gate::LABELS.iter().filter(|label| !page.contains(&format!("`{label}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
