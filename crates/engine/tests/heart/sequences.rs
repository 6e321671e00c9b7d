//! Whatever order things come in: one call a plan, no call without a yes, books that agree.

use std::time::Duration;

use jiff::SignedDuration;
use lwa_domain::{ApprovalId, PlanState};
use lwa_protocol::approval::Answer;
use lwa_protocol::plan::{ApproveStatus, PlanListParams, PlanPrepared, RunStatus};
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::test_runner::{Config, TestRunner};

use crate::support::{ALWAYS_ASK, Host, agent, app, id, of_the_agent};

/// One thing that happens. Numbers choose a plan or a question, modulo how many there are.
#[derive(Debug, Clone, Copy)]
enum Step {
    Prepare,
    Approve(usize),
    Decide(usize, Answer),
    DecideAsAgent(usize),
    Run(usize),
    Pass(i64),
    Sweep,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let answer = prop_oneof![
        4 => Just(Answer::AllowOnce),
        1 => Just(Answer::Deny),
        1 => Just(Answer::Dismiss),
        1 => Just(Answer::AllowAlways),
    ];
    prop_oneof![
        3 => Just(Step::Prepare),
        4 => (0_usize..8).prop_map(Step::Approve),
        4 => (0_usize..8, answer).prop_map(|(which, answer)| Step::Decide(which, answer)),
        1 => (0_usize..8).prop_map(Step::DecideAsAgent),
        5 => (0_usize..8).prop_map(Step::Run),
        2 => (1_i64..400).prop_map(Step::Pass),
        1 => Just(Step::Sweep),
        1 => Just(Step::Restart),
    ]
}

/// A plan with what the test knows of it.
struct Known {
    plan: PlanPrepared,
    has_yes: bool,
    runs: usize,
}

struct Story {
    host: Host,
    plans: Vec<Known>,
    questions: Vec<(usize, ApprovalId)>,
}

impl Story {
    async fn take(&mut self, step: Step) {
        let agent = agent();
        match step {
            Step::Prepare => {
                let plan = self.host.prepare(&agent).await;
                self.plans.push(Known { plan, has_yes: false, runs: 0 });
            }
            Step::Approve(which) if !self.plans.is_empty() => {
                let which = which % self.plans.len();
                let known = &self.plans[which];
                if let Ok(answer) = self.host.approve(&agent, &known.plan).await {
                    assert!(known.has_yes || answer.status != ApproveStatus::Ready, "asking is not consenting");
                    if answer.status == ApproveStatus::Unavailable {
                        self.questions.push((which, id(&answer)));
                    }
                }
            }
            Step::Decide(which, answer) if !self.questions.is_empty() => {
                let (plan, question) = self.questions[which % self.questions.len()].clone();
                let taken = self.host.decide(&app(), &question, answer).await.is_ok();
                self.plans[plan].has_yes |= taken && answer == Answer::AllowOnce;
            }
            Step::DecideAsAgent(which) if !self.questions.is_empty() => {
                let (_, question) = self.questions[which % self.questions.len()].clone();
                let agents = of_the_agent(lwa_protocol::Role::App);
                assert!(self.host.decide(&agents, &question, Answer::AllowOnce).await.is_err());
            }
            Step::Run(which) if !self.plans.is_empty() => {
                let which = which % self.plans.len();
                let known = &mut self.plans[which];
                if let Ok(answer) = self.host.run(&agent, &known.plan).await {
                    if answer.status == RunStatus::Completed {
                        assert!(known.has_yes, "a run without a yes");
                        known.runs += usize::from(!answer.replayed);
                    }
                    assert!(known.runs <= 1, "a second run");
                }
            }
            Step::Pass(seconds) => self.host.place.pass(SignedDuration::from_secs(seconds)),
            Step::Sweep => self.host.engine.sweep().await,
            Step::Restart => {
                self.host.engine.shut_down(Duration::from_secs(10)).await;
                self.host.engine = self.host.place.open().await;
            }
            Step::Approve(_) | Step::Decide(..) | Step::DecideAsAgent(_) | Step::Run(_) => {}
        }
    }

    async fn check(&self) {
        let runs: usize = self.plans.iter().map(|known| known.runs).sum();
        let (reserved, claimed) = self.host.claims().await;
        assert_eq!((reserved, claimed), (runs, runs), "ledger, audit log and answers agree");
        let verified = self.host.engine.verify_audit().await.unwrap();
        assert!(verified.ok, "{verified:?}");
        let views = self.host.engine.list_plans(&PlanListParams { limit: Some(1000) }).await.unwrap().plans;
        assert_eq!(views.len(), self.plans.len());
        for known in &self.plans {
            let view = views.iter().find(|view| view.plan_id == known.plan.plan_id).unwrap();
            assert!(known.has_yes || !matches!(view.state, PlanState::Ready | PlanState::Completed), "{view:?}");
            assert_ne!(view.state, PlanState::Working, "nothing is left working");
            assert_eq!(known.runs == 1, view.state == PlanState::Completed, "{view:?}");
        }
    }
}

#[test]
fn no_order_of_events_runs_a_plan_twice_or_without_a_yes() {
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    let steps = proptest::collection::vec(step(), 1..40);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runner
        .run(&steps, |steps| {
            runtime.block_on(async {
                let mut story = Story { host: Host::new(ALWAYS_ASK).await, plans: Vec::new(), questions: Vec::new() };
                for step in steps {
                    story.take(step).await;
                }
                story.check().await;
                story.host.engine.shut_down(Duration::from_secs(10)).await;
            });
            Ok(())
        })
        .unwrap();
}
