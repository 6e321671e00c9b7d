//! Known weaknesses of command policies, each as a case that must not come back, and the shapes of "always".

#![allow(clippy::unwrap_used, reason = "a panic in a test is the report")]

mod common;

use common::context;
use lwa_policy::{AllowList, Context, Decision, Files, Verdict, decide, decide_expanded, expand};

fn with(entries: &str, command: &str) -> Verdict {
    decide(command, &AllowList::parse(entries).unwrap(), &context())
}

fn decision(entries: &str, command: &str) -> Decision {
    with(entries, command).decision
}

#[test]
fn w_02_text_in_quotes_behind_marks_and_behind_wrappers_is_judged() {
    let list = "ls*\necho*\ngit log*\ncat*";
    for command in [
        "echo \"$(sudo id)\"",
        "git log --grep=\"$(rm -rf ~)\"",
        "ls &2>/dev/null rm -rf ~",
        "ls # don't\nsudo id",
        "echo $'a\\'' ; sudo id #'",
        "cat <<E\nit's\nE\nsudo id",
        "if true; then sudo id; fi",
        "{ sudo id; }",
        "! sudo id",
        "env -i sudo id",
        "2>/dev/null sudo id",
        "su\\\ndo id",
        "find . -exec sudo id {} +",
        "ls | xargs sudo",
        "bash -c 'eval \"sudo id\"'",
        "timeout -k 1 5 nice -n 3 sudo id",
    ] {
        assert_eq!(decision(list, command), Decision::Deny, "{command}");
    }
    for unreadable in ["ls 'a", "ls $(", "ls )", "ls <<E", "if ls"] {
        assert_eq!(decision(list, unreadable), Decision::Ask, "{unreadable}");
    }
}

/// A file system in which some paths are links.
struct Links(Vec<(&'static str, &'static str)>, Option<&'static str>);

impl Files for Links {
    fn resolve(&self, path: &str) -> Option<String> {
        self.0.iter().find_map(|(from, to)| path.strip_prefix(from).map(|rest| format!("{to}{rest}")))
    }

    fn find_program(&self, _: &str) -> Option<String> {
        self.1.map(str::to_owned)
    }
}

#[test]
fn w_03_protected_places_are_reached_by_no_detour() {
    for command in [
        "echo a > \"/etc/x\"",
        "echo a >| /etc/x",
        "echo a >& /etc/x",
        "cd /etc && echo a > x",
        "cp -t /etc a",
        "cp a /etc/b --backup",
        "tar -C /etc -xf a.tar",
        "unzip a.zip -d /etc",
        "curl -o /etc/x u",
        "ln -s /etc e && echo a > e/hosts",
    ] {
        assert_eq!(decision("echo*\ncp*\ntar*\nunzip*\ncurl*\nln*", command), Decision::Deny, "{command}");
    }
    let links = Links(vec![("/home/me/project/link", "/etc")], None);
    let mut linked = context();
    linked.files = Some(&links);
    let list = AllowList::parse("echo*\n> link/*").unwrap();
    assert_eq!(decide("echo a > link/hosts", &list, &linked).decision, Decision::Deny);
    let inside = Context::new("/etc/nginx", "/home/me");
    assert_eq!(decide("echo a > conf", &list, &inside).decision, Decision::Deny, "the folder itself is guarded");
    let outside = Links(vec![("/home/me/project/out.txt", "/srv/data/out.txt")], None);
    linked.files = Some(&outside);
    let list = AllowList::parse("echo*\n> out.txt").unwrap();
    assert_eq!(decide("echo a > out.txt", &list, &linked).decision, Decision::Ask, "a link leads away from the entry");
}

#[test]
fn a_program_from_a_folder_that_the_agent_writes_is_not_the_usual_one() {
    let list = AllowList::parse("ls*").unwrap();
    for (place, wanted) in
        [("/usr/bin/ls", Decision::Allow), ("/home/me/project/bin/ls", Decision::Ask), ("/tmp/ls", Decision::Ask)]
    {
        let files = Links(Vec::new(), Some(place));
        let mut context = context();
        context.files = Some(&files);
        assert_eq!(decide("ls -l", &list, &context).decision, wanted, "{place}");
    }
}

#[test]
fn w_04_a_private_value_stays_one_word() {
    let list = AllowList::parse("echo*").unwrap();
    let value = "a; touch f; $(id) `id` 'x' \"y\"";
    let lookup = |name: &str| (name == "PII-1").then(|| value.to_owned());
    for written in ["echo [PII-1]", "echo \"x [PII-1] y\"", "echo 'x [PII-1]'", "echo x[PII-1]y"] {
        let expanded = expand(written, &lookup).unwrap();
        let verdict = decide_expanded(written, &expanded, &list, &context());
        assert_eq!(verdict.decision, Decision::Allow, "{expanded}: {}", verdict.reason);
        let final_word =
            decide(&expanded, &list, &context()).commands.first().unwrap().argv.last().unwrap().text.clone();
        assert!(final_word.contains(value), "{expanded} gives {final_word}");
    }
    for refused in ["echo `echo [PII-1]`", "echo $(([PII-1]))", "echo ${x:-[PII-1]}"] {
        assert!(expand(refused, &lookup).is_err(), "{refused}");
    }
    assert_eq!(
        decide("bash -c 'echo [PII-1]'", &AllowList::parse("bash*\necho*").unwrap(), &context()).decision,
        Decision::Ask
    );
}

#[test]
fn w_05_an_entry_ends_at_a_word_and_writes_are_their_own() {
    assert_eq!(decision("ls*", "lsof -i"), Decision::Ask);
    assert_eq!(decision("ls*", "ls -i"), Decision::Allow);
    assert_eq!(decision("find*", "find . -delete"), Decision::Deny);
    assert_eq!(decision("echo*\n> **", "echo a > ~/.bashrc"), Decision::Ask);
    assert_eq!(decision("cat*\ncat /home/me/.ssh/id_ed25519", "cat ~/.ssh/id_ed25519"), Decision::Ask);
    assert_eq!(decision("ls*", "ls > out.txt"), Decision::Ask);
    assert_eq!(decision("ls*\n> out.txt", "ls > out.txt"), Decision::Allow);
    assert_eq!(decision("ls*\n> out.txt", "ls > other.txt"), Decision::Ask);
    assert_eq!(decision("ls*\n> logs/*", "ls > logs/../out.txt"), Decision::Ask);
    assert_eq!(decision("ls*\n>> out.txt", "ls > out.txt"), Decision::Ask);
}

#[test]
fn w_07_an_explanation_is_whole_and_shows_what_hides() {
    let long = format!("ls {} ; cargo publish-everything-now", "a".repeat(3000));
    let verdict = with("", &long);
    let text = verdict.explain();
    assert!(text.contains("cargo publish-everything-now"), "the end of a long command is shown");
    assert_eq!(verdict.commands.len(), 2);
    let odd = with("", "ls 'a\nb' \"\u{202e}x\" '\u{1b}[2K' '\u{200b}'");
    let text = odd.explain();
    assert!(
        text.contains("\\n") && text.contains("\\u{202e}") && text.contains("\\u{1b}") && text.contains("\\u{200b}"),
        "{text}"
    );
    assert!(!text.contains(['\u{202e}', '\u{1b}', '\u{200b}']));
    assert_eq!(text.lines().filter(|line| line.starts_with("  ")).count(), odd.commands.len());
}

fn learns(command: &str) -> Vec<String> {
    let verdict = with("", command);
    assert_eq!(verdict.decision, Decision::Ask, "{command}: {}", verdict.reason);
    let learnt = verdict.shapes.join("\n");
    assert!(!learnt.is_empty(), "{command} can be stored");
    let again = with(&learnt, command);
    assert_eq!(again.decision, Decision::Allow, "{command} by {learnt}: {}", again.reason);
    verdict.shapes
}

#[test]
fn pa_1_what_always_stores_fits_the_same_command_again() {
    assert_eq!(learns("/usr/bin/rg -n T"), ["rg*"]);
    assert_eq!(learns("FOO=1 pytest -q"), ["pytest*"]);
    assert_eq!(learns("nohup make all"), ["make all"]);
    assert_eq!(learns("Rscript x.R"), ["Rscript x.R"]);
    assert_eq!(learns("ls -l 2>&1 | wc -l"), ["ls*", "wc*"]);
    assert_eq!(learns("ls > out.txt"), ["ls*", "> out.txt"]);
    assert_eq!(learns("ls >> 'my logs/x'"), ["ls*", ">> 'my logs/x'"]);
    assert_eq!(learns("rm 'a b' c"), ["rm 'a b' c"]);
}

#[test]
fn pa_2_global_options_of_a_multiplexer_do_not_hide_its_verb() {
    assert_eq!(learns("git -C d push"), ["git push*"]);
    assert_eq!(learns("docker --context c rm y"), ["docker --context c rm y"]);
    assert_eq!(learns("kubectl -n a delete pod x"), ["kubectl -n a delete pod x"]);
    assert_eq!(learns("kubectl -n a get pod"), ["kubectl get*"]);
    assert_eq!(decision("git push*", "git -C d pull"), Decision::Ask);
    assert_eq!(decision("git push*", "git push --force"), Decision::Ask, "what destroys has to be spelled");
    assert_eq!(decision("git push --force*", "git push --force origin x"), Decision::Allow);
}

#[test]
fn pa_3_an_interpreter_is_never_generalised() {
    assert_eq!(learns("bash -c 'x'"), ["bash -c x"]);
    assert_eq!(learns("python3 -c 'print(1)'"), ["python3 -c 'print(1)'"]);
    for stored in ["bash -c x", "python3 -c 'print(1)'"] {
        for other in ["bash -c y", "bash -c 'x; y'", "python3 -c 'print(2)'", "bash x"] {
            assert_eq!(decision(stored, other), Decision::Ask, "{stored} {other}");
        }
    }
}

#[test]
fn pa_6_a_value_with_code_in_it_is_data() {
    let list = AllowList::parse("echo*").unwrap();
    let expanded = expand("echo [PII-1]", &|_| Some("; touch f".to_owned())).unwrap();
    let verdict = decide_expanded("echo [PII-1]", &expanded, &list, &context());
    assert_eq!(verdict.decision, Decision::Allow);
    // A caller that pastes instead of quoting does not get by.
    let pasted = decide_expanded("echo [PII-1]", "echo ; touch f", &list, &context());
    assert_eq!(pasted.decision, Decision::Deny);
}

#[test]
fn pa_7_what_only_the_value_denies_is_told_without_the_value() {
    let list = AllowList::parse("echo*\nrm*").unwrap();
    for (written, expanded) in
        [("echo [PII-1]", "echo; sudo hunter2"), ("rm [PII-1]", "rm '-rf'"), ("cp a [PII-1]", "cp a '/etc/hunter2'")]
    {
        let verdict = decide_expanded(written, expanded, &list, &context());
        assert_eq!(verdict.decision, Decision::Deny, "{expanded}");
        assert_eq!(verdict.segment, None);
        assert!(!verdict.explain().contains("hunter2"));
    }
}

#[test]
fn a_secret_is_named_and_refused_whatever_the_list_says() {
    let verdict = with("echo*\ncurl*", "curl -H \"X: [SECRET-1]\" u; echo [secret_2]");
    assert_eq!((verdict.decision, verdict.rule.as_str()), (Decision::Deny, "secret in command"));
    assert!(
        verdict.reason.contains("[SECRET-1]")
            && verdict.reason.contains("[SECRET-2]")
            && verdict.reason.contains("secret_env")
    );
    let by_session = |name: &str| (name == "ID-7").then_some(lwa_policy::PlaceholderUse::Secret);
    let mut context = context();
    context.placeholders = Some(&by_session);
    assert_eq!(decide("echo [ID-7]", &AllowList::parse("echo*").unwrap(), &context).rule, "secret in command");
}

#[cfg(unix)]
#[test]
fn w_03_the_real_file_system_is_followed_and_own_folders_are_protected() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (work, own) = (root.join("work"), root.join("own"));
    std::fs::create_dir(&work).unwrap();
    std::fs::create_dir(&own).unwrap();
    std::os::unix::fs::symlink(&own, work.join("link")).unwrap();
    std::os::unix::fs::symlink("/etc/not-there", work.join("new")).unwrap();
    let files = lwa_policy::SystemFiles::new("/usr/bin:/bin");
    let mut context = Context::new(work.to_str().unwrap(), "/home/me");
    context.protected = vec![own.to_str().unwrap().to_owned()];
    context.files = Some(&files);
    context.protected.push("/usr/bin".to_owned());
    let list = AllowList::parse("echo*\n> **\nls*\ncat*").unwrap();
    for (command, wanted) in [
        ("cat ../own/vault", Decision::Ask),
        ("cat link/vault", Decision::Ask),
        ("cat /usr/bin/which", Decision::Allow),
        ("echo a > out.txt", Decision::Allow),
        ("echo a > sub/out.txt", Decision::Allow),
        ("echo a > ../own/config", Decision::Deny),
        ("echo a > link/config", Decision::Deny),
        ("echo a > new", Decision::Deny),
        ("ls -l link", Decision::Allow),
    ] {
        let verdict = decide(command, &list, &context);
        assert_eq!(verdict.decision, wanted, "{command}: {}", verdict.reason);
    }
}
