//! Consent to a plan: allowed, denied, put away, timed out, nowhere to ask, and all that can cross it.

use lwa_domain::{ErrorCode, Outcome, PlanState};
use lwa_protocol::Role;
use lwa_protocol::approval::{Answer, ApprovalParams};
use lwa_protocol::plan::{ApproveStatus, RunStatus};
use rstest::rstest;

use crate::support::{
    ALWAYS_ASK, Host, agent, app, approve, id, minutes, of_the_agent, run, terminal, unknown_process,
};

#[tokio::test]
async fn allowed_once_gives_one_run_and_a_repeat_is_a_replay() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    assert_eq!((plan.status, plan.working_may_begin), (PlanState::ConfirmationRequired, false));
    let refused = host.run(&agent, &plan).await.unwrap();
    assert_eq!(refused.status, RunStatus::ConfirmationRequired);
    let asked = host.approve(&agent, &plan).await.unwrap();
    host.decide(&app, &id(&asked), Answer::AllowOnce).await.unwrap();
    let allowed = host.approve(&agent, &plan).await.unwrap();
    assert_eq!((allowed.status, allowed.working_may_begin), (ApproveStatus::Ready, true));
    let (first, second) = (host.run(&agent, &plan).await.unwrap(), host.run(&agent, &plan).await.unwrap());
    assert_eq!((first.status, first.replayed), (RunStatus::Completed, false));
    assert_eq!((second.status, second.replayed), (RunStatus::Completed, true));
    assert_eq!(first.text, second.text);
    assert_eq!(host.claims().await, (1, 1));
}

#[rstest]
#[case::denied(Answer::Deny, ApproveStatus::Denied, PlanState::Denied)]
#[case::put_away(Answer::Dismiss, ApproveStatus::Dismissed, PlanState::ConfirmationRequired)]
#[tokio::test]
async fn a_no_is_no_run(#[case] answer: Answer, #[case] status: ApproveStatus, #[case] state: PlanState) {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    host.decide(&app, &id(&asked), answer).await.unwrap();
    let told = host.approve(&agent, &plan).await.unwrap();
    assert_eq!((told.status, told.working_may_begin), (status, false));
    assert_eq!(host.plan(&plan).await.state, state);
    assert!(host.run(&agent, &plan).await.map_or(true, |ran| ran.status == RunStatus::ConfirmationRequired));
    // A later yes to the same question is none.
    let late = host.decide(&app, &id(&asked), Answer::AllowOnce).await.unwrap_err();
    assert_eq!(late.code, ErrorCode::NotFound);
    assert_eq!(host.claims().await, (0, 0));
    assert!(host.open_questions().await.is_empty(), "the repeat took the answer and asked nothing anew");
}

#[tokio::test]
async fn silence_is_a_no_when_the_minutes_are_over() {
    let host = Host::new("[router]\nconsent_mode = \"always_ask\"\n[app]\napproval_minutes = 3\n").await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    host.pass(minutes(2)).await;
    assert_eq!(host.open_questions().await.len(), 1);
    host.pass(minutes(1)).await;
    assert_eq!(host.questions().await[0].outcome, Some(Outcome::TimedOut));
    assert_eq!(host.approve(&agent, &plan).await.unwrap().status, ApproveStatus::TimedOut);
    assert!(host.decide(&app, &id(&asked), Answer::AllowOnce).await.is_err());
    assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::ConfirmationRequired);
    assert_eq!(host.claims().await, (0, 0));
}

#[tokio::test]
async fn a_yes_after_the_last_minute_is_none_even_when_nobody_swept() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    // As after a laptop slept: time is over, and nothing has looked yet.
    host.place.pass(minutes(10));
    let late = host.decide(&app, &id(&asked), Answer::AllowOnce).await.unwrap_err();
    assert!(late.message.contains("timed_out"), "{late}");
    assert!(host.engine.extend(&ApprovalParams { id: id(&asked) }).await.is_err(), "what is over is not extended");
    assert_eq!(host.plan(&plan).await.state, PlanState::ConfirmationRequired);
    assert_eq!(host.questions().await[0].outcome, Some(Outcome::TimedOut));
}

#[tokio::test]
async fn without_a_surface_the_caller_is_told_how_to_approve_and_nothing_runs() {
    let host = Host::new(ALWAYS_ASK).await;
    let agent = agent();
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    assert_eq!((asked.status, asked.outcome), (ApproveStatus::Unavailable, Some(Outcome::Unavailable)));
    assert!(asked.message.contains("lwa approvals allow"), "{}", asked.message);
    assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::ConfirmationRequired);
}

#[tokio::test]
async fn a_surface_that_vanishes_while_it_asks_is_no_yes_and_the_question_stays() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let window = host.engine.attend(&app, "test");
    let mut events = window.subscribe();
    let plan = host.prepare(&agent).await;
    let asked = approve(&host.engine, &agent, &plan, 1).await.unwrap();
    assert_eq!(asked.status, ApproveStatus::ApprovalPending);
    assert!(events.try_recv().is_ok(), "the window heard of it");
    drop(window);
    assert_eq!(host.approve(&agent, &plan).await.unwrap().status, ApproveStatus::Unavailable);
    assert_eq!(host.open_questions().await.len(), 1);
    assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::ConfirmationRequired);
}

#[tokio::test]
async fn callers_that_wait_for_one_plan_share_one_question_and_one_answer() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let window = host.engine.attend(&app, "test");
    let _events = window.subscribe();
    let plan = host.prepare(&agent).await;
    let waiting: Vec<_> = (0..5)
        .map(|_| {
            let (engine, agent, plan) = (host.engine.clone(), agent.clone(), plan.clone());
            tokio::spawn(async move { approve(&engine, &agent, &plan, 60_000).await.unwrap() })
        })
        .collect();
    let question = loop {
        match host.open_questions().await.pop() {
            Some(question) if question.count == 5 => break question,
            _ => tokio::task::yield_now().await,
        }
    };
    host.decide(&app, &question.id, Answer::AllowOnce).await.unwrap();
    for answer in waiting {
        assert_eq!(answer.await.unwrap().status, ApproveStatus::Ready);
    }
    assert_eq!(host.questions().await.len(), 1);
}

#[tokio::test]
async fn one_who_hears_of_the_yes_after_another_ran_the_plan_is_not_told_to_prepare_again() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    host.decide(&app, &id(&asked), Answer::AllowOnce).await.unwrap();
    host.run(&agent, &plan).await.unwrap();
    let told = host.approve(&agent, &plan).await.unwrap();
    assert_eq!((told.status, told.working_may_begin), (ApproveStatus::Ready, false));
}

#[tokio::test]
async fn a_yes_restarts_the_plans_time_once() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    host.pass(minutes(9)).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    host.pass(minutes(9)).await;
    assert_eq!(host.plan(&plan).await.state, PlanState::ConfirmationRequired, "a plan outlives its question");
    host.decide(&app, &id(&asked), Answer::AllowOnce).await.unwrap();
    host.pass(minutes(9)).await;
    assert_eq!(host.plan(&plan).await.state, PlanState::Ready);
    // The answer is not handed out again to gain time.
    assert_eq!(host.approve(&agent, &plan).await.unwrap().status, ApproveStatus::Ready);
    host.place.pass(minutes(1));
    assert_eq!(host.approve(&agent, &plan).await.unwrap_err().code, ErrorCode::PlanExpired);
    assert_eq!(host.run(&agent, &plan).await.unwrap_err().code, ErrorCode::PlanExpired);
    host.engine.sweep().await;
    assert_eq!(host.plan(&plan).await.state, PlanState::Expired);
    assert_eq!(host.claims().await, (0, 0));
}

#[tokio::test]
async fn an_extended_question_keeps_its_plan_alive() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    for _ in 0..4 {
        host.pass(minutes(9)).await;
        host.engine.extend(&ApprovalParams { id: id(&asked) }).await.unwrap();
    }
    host.decide(&app, &id(&asked), Answer::AllowOnce).await.unwrap();
    assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::Completed);
}

#[tokio::test]
async fn a_plan_cannot_be_asked_about_after_its_time() {
    let host = Host::new(ALWAYS_ASK).await;
    let agent = agent();
    let plan = host.prepare(&agent).await;
    host.place.pass(minutes(10));
    assert_eq!(host.approve(&agent, &plan).await.unwrap_err().code, ErrorCode::PlanExpired);
    assert!(host.questions().await.is_empty());
}

#[rstest]
#[case(Answer::AllowAlways)]
#[case(Answer::AllowSession)]
#[tokio::test]
async fn money_is_allowed_once_or_not_at_all(#[case] answer: Answer) {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    assert_eq!(host.decide(&app, &id(&asked), answer).await.unwrap_err().code, ErrorCode::InvalidInput);
    assert_eq!(host.open_questions().await.len(), 1);
}

#[rstest]
#[case::app_of_the_agent(of_the_agent(Role::App))]
#[case::terminal_of_the_agent(of_the_agent(Role::Cli))]
#[case::app_without_a_process(unknown_process(Role::App))]
#[case::terminal_without_a_process(unknown_process(Role::Cli))]
#[case::terminal_without_a_code(terminal())]
#[tokio::test]
async fn a_yes_that_may_be_the_agents_own_does_not_count(#[case] who: lwa_engine::caller::Caller) {
    let host = Host::new(ALWAYS_ASK).await;
    let agent = agent();
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    let refused = host.decide(&who, &id(&asked), Answer::AllowOnce).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden);
    assert!(refused.hint.is_some());
    assert_eq!(host.plan(&plan).await.state, PlanState::ConfirmationRequired);
    assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::ConfirmationRequired);
}

#[tokio::test]
async fn a_terminal_needs_the_code_that_is_shown() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, terminal) = (agent(), terminal());
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    let code = host.open_questions().await[0].code.clone().unwrap();
    let wrong: String = code.chars().rev().chain(['B']).collect();
    for (typed, is_right) in [(wrong, false), (format!(" {} ", code.to_lowercase()), true)] {
        let params = lwa_protocol::approval::DecideParams {
            id: id(&asked),
            answer: Answer::AllowOnce,
            reason: None,
            code: Some(typed),
            variant: None,
        };
        assert_eq!(host.engine.decide(&terminal, &params).await.is_ok(), is_right);
    }
    assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::Completed);
}

#[tokio::test]
async fn an_agent_may_not_reach_the_methods_of_people_at_all() {
    let host = Host::new(ALWAYS_ASK).await;
    let agent = agent();
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    let params = serde_json::json!({ "id": id(&asked), "answer": "allow_once", "reason": null, "code": null });
    let refused = host.engine.call(&agent, "approval/decide", params, None).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden);
}

#[tokio::test]
async fn a_withdrawn_question_is_asked_anew_by_a_repeat() {
    let host = Host::new(ALWAYS_ASK).await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    let first = host.approve(&agent, &plan).await.unwrap();
    let engine = host.place.open().await; // a host that starts withdraws what it finds open
    let second = approve(&engine, &agent, &plan, 0).await.unwrap();
    assert_ne!(id(&first), id(&second));
    let host = Host { engine, ..host };
    assert!(host.decide(&app, &id(&first), Answer::AllowOnce).await.is_err());
    host.decide(&app, &id(&second), Answer::AllowOnce).await.unwrap();
    assert_eq!(run(&host.engine, &agent, &plan).await.unwrap().status, RunStatus::Completed);
}

#[tokio::test]
async fn a_question_put_away_is_asked_again_only_after_a_while() {
    let host = Host::new("[router]\nconsent_mode = \"always_ask\"\nconfirmation_ttl_seconds = 7200\n").await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    let asked = host.approve(&agent, &plan).await.unwrap();
    host.decide(&app, &id(&asked), Answer::Dismiss).await.unwrap();
    host.pass(minutes(14)).await;
    assert_eq!(host.approve(&agent, &plan).await.unwrap().status, ApproveStatus::Dismissed);
    host.pass(minutes(2)).await;
    assert_eq!(host.approve(&agent, &plan).await.unwrap().status, ApproveStatus::Unavailable);
    assert_eq!(host.open_questions().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_yes_and_a_no_at_once_one_counts_and_the_plan_agrees_with_it() {
    for _ in 0..20 {
        let host = Host::new(ALWAYS_ASK).await;
        let agent = agent();
        let plan = host.prepare(&agent).await;
        let asked = host.approve(&agent, &plan).await.unwrap();
        let decide = |answer| {
            let (engine, id) = (host.engine.clone(), id(&asked));
            tokio::spawn(async move {
                let params =
                    lwa_protocol::approval::DecideParams { id, answer, reason: None, code: None, variant: None };
                engine.decide(&app(), &params).await.is_ok()
            })
        };
        let (yes, no) = (decide(Answer::AllowOnce), decide(Answer::Deny));
        let (yes, no) = (yes.await.unwrap(), no.await.unwrap());
        assert!(yes != no, "exactly one answer counts");
        let state = if yes { PlanState::Ready } else { PlanState::Denied };
        assert_eq!(host.plan(&plan).await.state, state);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_whose_giver_vanishes_is_taken_whole_or_not_at_all() {
    for polls in 1..25 {
        let host = Host::new(ALWAYS_ASK).await;
        let agent = agent();
        let plan = host.prepare(&agent).await;
        let asked = host.approve(&agent, &plan).await.unwrap();
        let (engine, id) = (host.engine.clone(), id(&asked));
        let deciding = Box::pin(async move {
            let params = lwa_protocol::approval::DecideParams {
                id,
                answer: Answer::AllowOnce,
                reason: None,
                code: None,
                variant: None,
            };
            engine.decide(&app(), &params).await
        });
        crate::claim::poll_and_drop(deciding, polls).await;
        // Whatever was begun goes on without its caller.
        host.engine.shut_down(std::time::Duration::from_secs(30)).await;
        let host = Host { engine: host.place.open().await, ..host };
        let outcome = host.questions().await[0].outcome.unwrap();
        let state = host.plan(&plan).await.state;
        let agree = if outcome.is_allowed() { PlanState::Ready } else { PlanState::ConfirmationRequired };
        assert_eq!(state, agree, "after {polls} polls the question ended {outcome}");
    }
}
