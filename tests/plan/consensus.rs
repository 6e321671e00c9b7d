//! A consensus from the question to the synthesis, through the sidecar.

use lwa_tests::{Era, Sidecar};
use serde_json::{Value, json};

use crate::fakes::{Member, broken, home, saying};

fn voter(name: &'static str, score: u8, says: &str) -> Member {
    Member::new(name, "free", score, vec![saying(says)])
}

fn build(sidecar: &mut Sidecar, more: &Value) -> Value {
    let mut arguments = json!({ "question": "Is the migration safe?" });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    sidecar.tool("build_consensus", arguments)
}

fn roles(plan: &Value) -> Vec<(&str, &str)> {
    let routes = plan["routes"].as_array().unwrap();
    routes.iter().map(|route| (route["role"].as_str().unwrap(), route["provider"].as_str().unwrap())).collect()
}

fn run(sidecar: &mut Sidecar, plan: &Value) -> Value {
    sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }))
}

fn calls(members: &[Member]) -> Vec<usize> {
    members.iter().map(Member::calls).collect()
}

#[test]
fn lwa_065_three_free_models_vote_and_one_of_them_writes_the_synthesis() {
    let members = [
        voter("alpha", 90, "Alpha says yes."),
        voter("beta", 80, "Beta says yes."),
        voter("gamma", 70, "Gamma says no."),
        Member::new("dear", "paid", 100, vec![saying("Dear says yes.")]),
    ];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = build(&mut sidecar, &json!({}));
    assert_eq!((&plan["mode"], &plan["working_may_begin"]), (&json!("consensus"), &json!(true)), "{plan}");
    let expected = [
        ("consensus_voter", "alpha"),
        ("consensus_voter", "beta"),
        ("consensus_voter", "gamma"),
        ("consensus_synthesis", "alpha"),
    ];
    assert_eq!(roles(&plan), expected);
    assert_eq!(calls(&members), [0, 0, 0, 0], "preparing calls nobody");
    let ran = run(&mut sidecar, &plan);
    assert_eq!(ran["status"], "completed", "{ran}");
    assert_eq!(calls(&members), [2, 1, 1, 0], "four calls, and the paid model none of them");
    let summary = &ran["consensus"];
    assert_eq!((&summary["voters"], &summary["answered"]), (&json!(3), &json!(3)));
    assert_eq!(summary["reviews"][2], json!({ "provider": "gamma", "model": "m-1", "line": "Gamma says no." }));
    assert_eq!(summary["synthesized_by"]["provider"], "alpha");
    // The synthesis reads every review, and the voters read none.
    let synthesis = String::from_utf8(members[0].fake.calls()[1].body.clone()).unwrap();
    for review in ["Alpha says yes.", "Beta says yes.", "Gamma says no."] {
        assert!(synthesis.contains(review), "{synthesis}");
    }
    assert!(!String::from_utf8(members[1].fake.calls()[0].body.clone()).unwrap().contains("Alpha says yes."));
    let whole = sidecar.request("resources/read", json!({ "uri": ran["full_text_uri"] }));
    let whole = whole["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(whole.contains("## beta:m-1\n\nBeta says yes."), "{whole}");
    // A repeat is the stored result.
    assert_eq!(run(&mut sidecar, &plan)["replayed"], true);
    assert_eq!(calls(&members), [2, 1, 1, 0]);
    // Every call is in the ledger, under one plan.
    let export = home.lwa(&["telemetry", "--export"]).json();
    let records = export["records"].as_array().unwrap();
    let mut phases: Vec<&str> = records.iter().map(|record| record["phase"].as_str().unwrap()).collect();
    phases.sort_unstable();
    assert_eq!(phases, ["consensus_synthesis", "consensus_voter", "consensus_voter", "consensus_voter"]);
    assert!(records.iter().all(|record| record["parent_call_id"] == plan["plan_id"]));
}

#[test]
fn a_25_prepare_task_with_consensus_is_a_consensus_with_a_locked_template() {
    let members = [voter("alpha", 90, "yes"), voter("beta", 80, "yes")];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start(&home, Era::Modern, &[]);
    let arguments = json!({ "task": "consensus", "prompt": "Is it safe?", "response_detail": "standard" });
    let plan = sidecar.tool("prepare_task", arguments);
    assert_eq!(roles(&plan).len(), 3, "{plan}");
    let locks = json!({
        "prompt": true, "token_budget": true, "consensus_plan": true, "model_routes": true,
        "dynamic_rerouting_during_work": false, "prompt_lock_scope": "template",
    });
    assert_eq!(plan["locks"], locks);
    let ran = run(&mut sidecar, &plan);
    assert_eq!((&ran["status"], &ran["consensus"]["answered"]), (&json!("completed"), &json!(2)), "{ran}");
    assert_eq!(calls(&members).iter().sum::<usize>(), 3);
}

#[test]
fn lwa_066_a_model_that_a_subscription_pays_never_votes_whatever_its_score() {
    let members = [
        voter("alpha", 50, "yes"),
        voter("beta", 40, "yes"),
        Member::new("star", "user_pays", 100, vec![saying("yes")]),
    ];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    for arguments in [json!({}), json!({ "quality": "high", "allow_paid": true })] {
        let plan = build(&mut sidecar, &arguments);
        assert!(roles(&plan).iter().all(|(_, provider)| *provider != "star"), "{plan}");
        assert_eq!(run(&mut sidecar, &plan)["status"], "completed");
    }
    assert_eq!(members[2].calls(), 0);
}

#[test]
fn a_number_of_voters_is_a_cap_and_the_excluded_do_not_vote() {
    let members = [voter("alpha", 90, "a"), voter("beta", 80, "b"), voter("gamma", 70, "c")];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let capped = build(&mut sidecar, &json!({ "voters": 2 }));
    let voters = |plan: &Value| roles(plan).iter().filter(|(role, _)| *role == "consensus_voter").count();
    assert_eq!((voters(&capped), roles(&capped)[2]), (2, ("consensus_synthesis", "gamma")), "a fresh eye: {capped}");
    let without = build(&mut sidecar, &json!({ "excluded_providers": ["alpha"] }));
    assert!(roles(&without).iter().all(|(_, provider)| *provider != "alpha"), "{without}");
    let refused = build(&mut sidecar, &json!({ "excluded_providers": ["alpha", "beta"] }));
    assert_eq!((&refused["_is_error"], &refused["error"]["code"]), (&json!(true), &json!("no_route")));
    let few = build(&mut sidecar, &json!({ "voters": 1 }));
    assert_eq!(few["error"]["code"], "invalid_input", "{few}");
}

#[test]
fn lwa_067_a_voter_that_fails_is_listed_and_the_others_are_enough() {
    let members = [
        voter("alpha", 90, "Alpha says yes."),
        Member::new("beta", "free", 80, vec![broken()]),
        voter("gamma", 70, "Gamma says no."),
    ];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = build(&mut sidecar, &json!({}));
    let ran = run(&mut sidecar, &plan);
    assert_eq!((&ran["status"], &ran["consensus"]["answered"]), (&json!("completed"), &json!(2)), "{ran}");
    let failures = ran["consensus"]["voter_failures"].as_array().unwrap();
    assert_eq!(
        (failures.len(), &failures[0]["provider"], &failures[0]["code"]),
        (1, &json!("beta"), &json!("provider_failed"))
    );
    assert_eq!(calls(&members), [2, 1, 1], "nobody is asked twice to vote");
}

#[test]
fn lwa_068_a_voter_that_answered_writes_the_synthesis_when_the_locked_model_cannot() {
    let members = [
        Member::new("alpha", "free", 90, vec![saying("Alpha says yes."), broken()]),
        voter("beta", 80, "Beta says yes."),
        voter("gamma", 70, "Gamma says no."),
    ];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = build(&mut sidecar, &json!({}));
    assert_eq!(roles(&plan)[3], ("consensus_synthesis", "alpha"));
    let ran = run(&mut sidecar, &plan);
    assert_eq!(ran["status"], "completed", "{ran}");
    let summary = &ran["consensus"];
    assert_eq!((&summary["answered"], &summary["synthesized_by"]["provider"]), (&json!(3), &json!("beta")));
    let failures = summary["synthesis_failures"].as_array().unwrap();
    assert_eq!((failures.len(), &failures[0]["provider"]), (1, &json!("alpha")));
    assert_eq!(calls(&members), [2, 2, 1]);
}

#[test]
fn without_a_quorum_nobody_writes_a_synthesis_and_the_reviews_are_kept() {
    let members = [
        voter("alpha", 90, "Alpha says yes, at length."),
        Member::new("beta", "free", 80, vec![broken()]),
        Member::new("gamma", "free", 70, vec![broken()]),
    ];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = build(&mut sidecar, &json!({}));
    let ran = run(&mut sidecar, &plan);
    assert_eq!((&ran["_is_error"], &ran["status"]), (&json!(true), &json!("repreflight_required")), "{ran}");
    assert!(ran["error"]["message"].as_str().unwrap().contains("1 of 3 voters answered"));
    assert_eq!(ran["consensus"]["reviews"][0]["line"], "Alpha says yes, at length.");
    assert_eq!(calls(&members), [1, 1, 1]);
    let whole = sidecar.request("resources/read", json!({ "uri": ran["full_text_uri"] }));
    assert!(whole["result"]["contents"][0]["text"].as_str().unwrap().contains("Alpha says yes, at length."));
    // People see the same.
    let shown = home.lwa(&["result", plan["plan_id"].as_str().unwrap()]);
    assert!(shown.code == 5 && shown.stderr.contains("alpha:m-1 answered"), "{shown:?}");
}

#[test]
fn a_paid_synthesis_waits_for_a_human_and_the_voters_are_free_all_the_same() {
    let members = [
        voter("alpha", 60, "yes"),
        voter("beta", 55, "yes"),
        Member::new("dear", "paid", 100, vec![saying("the synthesis")]),
    ];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &[]);
    let plan = build(&mut sidecar, &json!({ "quality": "high", "allow_paid": true }));
    assert_eq!(roles(&plan)[2], ("consensus_synthesis", "dear"), "{plan}");
    assert_eq!(plan["requires_confirmation"], true);
    assert_eq!(run(&mut sidecar, &plan)["status"], "confirmation_required");
    assert_eq!(calls(&members), [0, 0, 0]);
    sidecar.tool("approve_preflight", json!({ "confirmation_token": plan["confirmation_token"] }));
    let open = home.open_approvals();
    assert_eq!(open[0]["detail"]["other_routes"], 2, "{}", open[0]);
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    assert_eq!(home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n")).code, 0);
    let ran = run(&mut sidecar, &plan);
    assert_eq!((&ran["status"], &ran["text"]), (&json!("completed"), &json!("the synthesis")), "{ran}");
    assert_eq!(calls(&members), [1, 1, 1]);
}

#[test]
fn lwa_069_no_voter_and_no_synthesis_gets_more_than_twenty_thousand_characters() {
    let long = "A long review. ".repeat(4000);
    let members = [voter("alpha", 90, &long), voter("beta", 80, &long)];
    let home = home(&members, "");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let question = format!("{}THE END", "Is this line safe? ".repeat(5000));
    let plan = sidecar.tool("build_consensus", json!({ "question": question }));
    let omitted = plan["omitted_characters"].as_u64().unwrap();
    assert!(omitted > 70_000, "{plan}");
    assert_eq!(run(&mut sidecar, &plan)["status"], "completed");
    for member in &members {
        for call in member.fake.calls() {
            let body = call.json();
            let prompt = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
            assert!(prompt.chars().count() <= 20_000, "{}", prompt.chars().count());
            assert!(prompt.contains("THE END"), "the end of a question is kept");
        }
    }
}

#[test]
fn lwa_071_shortened_prompts_keep_their_anchors_and_a_consensus_over_them_completes() {
    let prompts = [
        ("Fix src/auth/session.rs:214, which panics on port 8443.", ["src/auth/session.rs:214", "8443"]),
        ("Draw a lighthouse at dawn, 16:9, with the words \"STAY LEFT\", no people.", ["STAY LEFT", "16:9"]),
        ("Compare SQLite 3.45 with LMDB 0.9.31 for 2000 writes a second.", ["3.45", "0.9.31"]),
    ];
    let members = [voter("alpha", 90, "yes"), voter("beta", 80, "no")];
    let home = home(&members, "");
    for (prompt, anchors) in prompts {
        let padded = format!(
            "Please note that, as I said before, this is important.\n\n\n\n{prompt}\n\n\n\nThank you so much!\n"
        );
        let short = home.lwa(&["run", "token_optimization", &padded, "--provider", "builtin", "--json"]).json();
        let text = short["text"].as_str().unwrap();
        assert!(anchors.iter().all(|anchor| text.contains(anchor)), "{text}");
        assert!(!text.contains("\n\n\n"), "{text}");
        let ran = home.lwa(&["run", "consensus", text, "--voters", "2", "--json"]);
        assert_eq!((ran.code, &ran.json()["status"]), (0, &json!("completed")), "{ran:?}");
    }
}
