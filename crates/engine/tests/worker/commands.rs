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

#[tokio::test]
async fn a_variable_that_the_command_does_not_get_is_no_path() {
    // Writing is allowed below the folder that the variables name.
    let mut desk = Desk::allowing(ON, "cat*\n> src/**\n").await;
    let project = desk.project.path().display().to_string();
    std::fs::write(desk.project.path().join("new.txt"), "git push*\n").unwrap();
    let target = desk.host.place.home().config_dir().join("planted.txt");
    for name in ["PYTHONPATH", "NODE_PATH", "MAKEFLAGS", "LD_LIBRARY_PATH", "API_KEY", "GIT_DIR", "GIT_CONFIG_COUNT"] {
        desk.call.environment.insert(name.to_owned(), format!("{project}/src"));
        let answer = desk.without_a_human(&format!("cat new.txt > ${name}{}", target.display())).await;
        assert_ne!(answer.status, WorkerStatusKind::Completed, "{name}: {}", answer.text);
        assert!(!target.exists(), "{name}");
    }
}

#[tokio::test]
async fn the_home_that_is_judged_is_the_one_that_the_command_has() {
    let mut desk = Desk::allowing(ON, "cat*\n> ~/**\n").await;
    std::fs::write(desk.project.path().join("new.txt"), "git push*\n").unwrap();
    let ours = desk.host.place.home().config_dir().to_owned();
    let target = ours.join("planted.txt");
    for home in [ours.clone(), desk.host.place.temp.path().to_owned()] {
        desk.call.environment.insert("HOME".to_owned(), home.display().to_string());
        for path in ["~/planted.txt", "~/config/planted.txt", "$HOME/planted.txt", "$HOME/config/planted.txt"] {
            let answer = desk.without_a_human(&format!("cat new.txt > {path}")).await;
            let is_outside = answer.status == WorkerStatusKind::Completed;
            assert!(!is_outside || !target.exists(), "{path}: {}", answer.text);
            assert!(!target.exists(), "{path} with {}: {}", home.display(), answer.text);
        }
    }
    // A link to it is as good as the folder itself.
    let link = desk.project.path().join("home");
    std::os::unix::fs::symlink(&ours, &link).unwrap();
    desk.call.environment.insert("HOME".to_owned(), link.display().to_string());
    let answer = desk.run("cat new.txt").await;
    is(&answer, WorkerStatusKind::Refused);
    assert!(answer.text.contains("HOME"), "{}", answer.text);
}

#[tokio::test]
async fn a_command_is_looked_at_again_after_the_yes() {
    let desk = Desk::new(ON).await;
    let project = desk.project.path().to_owned();
    let rules = desk.host.place.home().run_allow_file();
    std::fs::write(project.join("new.txt"), "rm*\n").unwrap();
    let mut human = desk.human();
    let (answer, _) = tokio::join!(
        desk.run("cp new.txt out.txt"),
        human.answers_after(Answer::AllowOnce, || {
            std::os::unix::fs::symlink(&rules, project.join("out.txt")).unwrap();
        })
    );
    is(&answer, WorkerStatusKind::Refused);
    assert!(answer.text.contains("changed meanwhile"), "{}", answer.text);
    assert!(!rules.exists());
    // Files that came to be meanwhile are no other places.
    let (answer, _) = tokio::join!(
        desk.run("cp new.txt plain.txt"),
        human.answers_after(Answer::AllowOnce, || {
            std::fs::write(project.join("plain.txt"), "old").unwrap();
        })
    );
    is(&answer, WorkerStatusKind::Completed);
}

#[tokio::test]
async fn the_folder_that_was_shown_is_the_one_it_runs_in() {
    let desk = Desk::new(ON).await;
    let elsewhere = tempfile::tempdir().unwrap();
    let sub = desk.project.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let mut params = desk.run_params("touch made");
    params.cwd = "sub".to_owned();
    let mut human = desk.human();
    let exchange = || {
        std::fs::remove_dir(&sub).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &sub).unwrap();
    };
    let (answer, question) = tokio::join!(
        desk.host.engine.worker_run(&desk.agent, params),
        human.answers_after(Answer::AllowOnce, exchange)
    );
    let answer = answer.unwrap();
    is(&answer, WorkerStatusKind::Refused);
    assert!(answer.text.contains("changed meanwhile"), "{}", answer.text);
    assert!(!elsewhere.path().join("made").exists());
    let ApprovalDetail::Command(detail) = question.detail else { panic!("another question") };
    assert_eq!(detail.cwd, desk.project.path().canonicalize().unwrap().join("sub").display().to_string());
    // Now that it is a link, the question names what it leads to.
    let mut params = desk.run_params("touch made");
    params.cwd = "sub".to_owned();
    let (_, question) =
        tokio::join!(desk.host.engine.worker_run(&desk.agent, params), human.answers(Answer::Deny, None));
    let ApprovalDetail::Command(detail) = question.detail else { panic!("another question") };
    assert_eq!(detail.cwd, elsewhere.path().canonicalize().unwrap().display().to_string());
    assert!(detail.reason.contains("outside the client's project"), "{}", detail.reason);
}

#[tokio::test]
async fn materials_of_other_conversations_are_read_by_no_path_and_in_no_folder() {
    let desk = Desk::allowing("[clients.codex.worker]\narm = \"on\"\nrun_policy = \"allow\"\n", "").await;
    let folder = desk.host.place.home().artifacts_folder().join("another");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a_1.txt"), "violetkettle").unwrap();
    let link = desk.project.path().join("link");
    std::os::unix::fs::symlink(folder.join("a_1.txt"), &link).unwrap();
    for path in [folder.display().to_string(), folder.join("a_1.txt").display().to_string(), "link".to_owned()] {
        let answer = desk.read_file("Quote everything.", &path).await;
        assert!(!answer.text.contains("violetkettle"), "{path}: {}", answer.text);
        assert!(answer.text.contains("a file of Lwa itself"), "{path}: {}", answer.text);
    }
    let mut params = desk.run_params("cat a_1.txt");
    params.cwd = folder.display().to_string();
    let answer = desk.host.engine.worker_run(&desk.agent, params).await.unwrap();
    is(&answer, WorkerStatusKind::Refused);
    assert!(answer.text.contains("protected path"), "{}", answer.text);
}

#[tokio::test]
async fn a_sandboxed_command_sees_nothing_of_other_conversations() {
    let config = "[clients.codex.worker]\narm = \"on\"\nrun_policy = \"allow\"\nsandbox = \"read_only\"\n";
    let desk = Desk::allowing(config, "").await;
    let folder = desk.host.place.home().artifacts_folder().join("another");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a_1.txt"), "violetkettle").unwrap();
    let answer = desk.run(&format!("cat {}/a_1.txt; echo behind", folder.display())).await;
    assert!(!answer.text.contains("violetkettle"), "{}", answer.text);
    // Where the system has no sandbox, nothing runs.
    if answer.status == WorkerStatusKind::Completed {
        assert!(answer.text.contains("behind"), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_reading_git_runs_no_program_of_the_repository() {
    let desk = Desk::allowing(ON, "git status*\ngit diff*\n").await;
    let project = desk.project.path();
    let git = |words: &[&str]| {
        let done = std::process::Command::new("git").args(words).current_dir(project).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    std::fs::write(project.join("file"), "one\n").unwrap();
    git(&["add", "file"]);
    std::fs::write(project.join("file"), "two\n").unwrap();
    let program = project.join("evil.sh");
    std::fs::write(&program, "#!/bin/sh\ntouch ran\ncat\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    git(&["config", "core.fsmonitor", "./evil.sh"]);
    std::fs::copy(&program, project.join(".git/hooks/post-index-change")).unwrap();
    is(&desk.run("git status").await, WorkerStatusKind::Completed);
    is(&desk.run("git status && true").await, WorkerStatusKind::Completed);
    assert!(!project.join("ran").exists(), "a program of the repository ran");
    git(&["config", "filter.x.clean", "./evil.sh"]);
    std::fs::write(project.join(".gitattributes"), "* filter=x\n").unwrap();
    let mut human = desk.human();
    for command in ["git status", "git diff"] {
        let (answer, question) = tokio::join!(desk.run(command), human.answers(Answer::Deny, None));
        is(&answer, WorkerStatusKind::Refused);
        let ApprovalDetail::Command(detail) = question.detail else { panic!("another question") };
        assert!(detail.reason.contains("filter.clean"), "{}", detail.reason);
    }
    assert!(!project.join("ran").exists());
}

#[tokio::test]
async fn a_reading_git_runs_no_program_of_a_repository_inside_the_repository() {
    let desk = Desk::allowing(ON, "git status*\n").await;
    let project = desk.project.path();
    let inner = project.join("parts/inner");
    std::fs::create_dir_all(&inner).unwrap();
    let git = |folder: &std::path::Path, words: &[&str]| {
        let own = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let done = std::process::Command::new("git").args(own).args(words).current_dir(folder).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(project, &["init", "-q"]);
    git(&inner, &["init", "-q"]);
    std::fs::write(inner.join("file"), "one\n").unwrap();
    git(&inner, &["add", "."]);
    git(&inner, &["commit", "-q", "-m", "one"]);
    git(project, &["add", "--all"]);
    let program = project.join("evil.sh");
    std::fs::write(&program, format!("#!/bin/sh\ntouch '{}/ran'\ncat\n", project.display())).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(inner.join("file"), "two\n").unwrap();
    git(&inner, &["config", "core.fsmonitor", program.to_str().unwrap()]);
    std::fs::copy(&program, inner.join(".git/hooks/post-index-change")).unwrap();
    is(&desk.run("git status").await, WorkerStatusKind::Completed);
    assert!(!project.join("ran").exists(), "a hook or a monitor of the inner repository ran");
    git(&inner, &["config", "filter.x.clean", program.to_str().unwrap()]);
    std::fs::write(inner.join(".gitattributes"), "* filter=x\n").unwrap();
    let mut human = desk.human();
    let (answer, question) = tokio::join!(desk.run("git status"), human.answers(Answer::Deny, None));
    is(&answer, WorkerStatusKind::Refused);
    let ApprovalDetail::Command(detail) = question.detail else { panic!("another question") };
    assert!(detail.reason.contains("filter.clean"), "{}", detail.reason);
    assert!(!project.join("ran").exists());
}

#[tokio::test]
async fn always_for_the_folders_own_code_holds_in_this_project_alone() {
    for answer in [Answer::AllowAlways, Answer::AllowSession] {
        let mut desk = Desk::new(ON).await;
        let script = |folder: &std::path::Path, says: &str| {
            let path = folder.join("build.sh");
            std::fs::write(&path, format!("#!/bin/sh\necho built {says}\n")).unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        };
        script(desk.project.path(), "ours");
        let mut human = desk.human();
        let (first, question) = tokio::join!(desk.run("./build.sh"), human.answers(answer, None));
        assert!(first.text.contains("built ours"), "{}", first.text);
        let ApprovalDetail::Command(detail) = question.detail else { panic!("another question") };
        let place = desk.project.path().canonicalize().unwrap();
        assert_eq!(detail.shapes, [format!("in '{}': ./build.sh", place.display())]);
        assert!(desk.run("./build.sh").await.text.contains("built ours"));
        // The same words in a project that came from elsewhere.
        let hostile = tempfile::tempdir().unwrap();
        script(hostile.path(), "HOSTILE");
        desk.call.cwd = Some(hostile.path().display().to_string());
        let again = desk.without_a_human("./build.sh").await;
        is(&again, WorkerStatusKind::Refused);
        assert!(!again.text.contains("HOSTILE"), "{}", again.text);
    }
}

#[tokio::test]
async fn a_call_that_waits_for_a_human_names_its_own_question() {
    let desk = Desk::new(ON).await;
    let mut human = desk.human();
    let mut ask = async |thread: &str, command: &str| {
        let mut params = desk.run_params(command);
        params.call = crate::desk::call(&desk.project, thread);
        params.call.hold_ms = 300;
        let (answer, question) = tokio::join!(desk.host.engine.worker_run(&desk.agent, params), human.next_question());
        (answer.unwrap(), question)
    };
    for (thread, command) in [("thread-a", "touch theirs"), ("thread-b", "touch mine")] {
        let (answer, question) = ask(thread, command).await;
        is(&answer, WorkerStatusKind::ApprovalPending);
        assert_eq!(answer.approval, Some(question.id));
    }
}

#[tokio::test]
async fn an_unset_variable_before_a_protected_path_hides_it_from_no_setting() {
    let config = "[clients.codex.worker]\narm = \"on\"\nrun_policy = \"allow\"\n";
    let mut desk = Desk::without_window(config).await;
    std::fs::write(desk.project.path().join("new.txt"), "git push*\n").unwrap();
    let target = desk.host.place.home().config_dir().join("planted.txt");
    desk.call.environment.insert("PYTHONPATH".to_owned(), desk.project.path().display().to_string());
    for spelled in ["$PYTHONPATH", "${PYTHONPATH}", "$NO_SUCH_NAME", "\"$NO_SUCH_NAME\""] {
        let answer = desk.run(&format!("cat new.txt > {spelled}{}", target.display())).await;
        is(&answer, WorkerStatusKind::Refused);
        assert!(answer.text.contains("protected path"), "{spelled}: {}", answer.text);
        assert!(!target.exists(), "{spelled}");
    }
    is(&desk.run("cat new.txt > plain.txt").await, WorkerStatusKind::Completed);
}
