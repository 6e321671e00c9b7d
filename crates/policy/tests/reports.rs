//! What public reports about such policies ask for.

#![allow(clippy::unwrap_used, reason = "a panic in a test is the report")]

mod common;

use common::context;
use lwa_policy::{AllowList, Decision, Effect, decide};

fn decision(entries: &str, command: &str) -> Decision {
    decide(command, &AllowList::parse(entries).unwrap(), &context()).decision
}

#[test]
fn pg_30_every_simple_command_has_to_be_allowed() {
    for joint in [";", "&&", "||", "|", "|&", "&", "\n"] {
        assert_eq!(decision("ls*", &format!("ls {joint} cargo build")), Decision::Ask, "{joint:?}");
        assert_eq!(decision("ls*\ncargo build*", &format!("ls {joint} cargo build")), Decision::Allow, "{joint:?}");
        assert_eq!(decision("ls*\ncargo build*", &format!("ls {joint} sudo id")), Decision::Deny, "{joint:?}");
    }
}

#[test]
fn pg_31_the_string_of_a_shell_is_parsed() {
    assert_eq!(decision("bash*\nls*", "bash -c 'ls -l'"), Decision::Allow);
    assert_eq!(decision("bash*\nls*", "bash -c 'ls; cargo build'"), Decision::Ask);
    assert_eq!(decision("bash*\nls*", "bash -ec 'ls; sudo id'"), Decision::Deny);
}

#[test]
fn pg_32_a_path_is_judged_by_what_is_done_to_it() {
    for (command, wanted) in [
        ("cat /etc/hosts", Decision::Allow),
        ("cp /etc/hosts h", Decision::Allow),
        ("cp h /etc/hosts", Decision::Deny),
        ("sed -n p /etc/hosts", Decision::Allow),
        ("sed -i p /etc/hosts", Decision::Deny),
    ] {
        assert_eq!(decision("cat*\ncp*\nsed*", command), wanted, "{command}");
    }
    let verdict = decide("cp h out/x", &AllowList::default(), &context());
    assert_eq!(
        verdict.commands.first().unwrap().effects,
        [Effect::Write { path: "/home/me/project/out/x".to_owned() }]
    );
}

#[test]
fn pg_33_always_fits_the_next_time_with_options_and_redirects() {
    for command in [
        "cargo test -p x 2>&1",
        "git log --oneline -3 2>/dev/null",
        "npm run build",
        "ls -la | head -5",
        "cp -r a b",
        "grep -n 'a b' f > out",
        "docker compose ps",
        "xargs -n1 echo < f",
    ] {
        let first = decide(command, &AllowList::default(), &context());
        assert_eq!(first.decision, Decision::Ask, "{command}");
        let learnt = AllowList::parse(&first.shapes.join("\n")).unwrap();
        assert_eq!(decide(command, &learnt, &context()).decision, Decision::Allow, "{command} by {:?}", first.shapes);
    }
}

#[test]
fn pg_34_eval_and_opaque_code_ask() {
    for command in ["eval \"$x\"", "bash \"$f\"", "cat f | sh", "base64 -d f | bash", "python3 - < f", "$CMD x"] {
        assert_eq!(decision("eval*\nbash*\ncat*\nsh*\nbase64*\npython3*", command), Decision::Ask, "{command}");
    }
}

#[test]
fn pg_35_a_substitution_is_judged_and_not_refused() {
    assert_eq!(decision("echo*\ndate*", "echo \"$(date +%F)\""), Decision::Allow);
    assert_eq!(decision("echo*", "echo \"$(date +%F)\""), Decision::Ask);
    assert_eq!(decision("echo*\ngit rev-parse*", "echo `git rev-parse HEAD`"), Decision::Allow);
}

#[test]
fn pg_36_two_dashes_do_not_empty_the_check() {
    assert_eq!(decision("git diff*", "git diff --no-index -- a b"), Decision::Allow);
    assert_eq!(decision("git diff*", "git diff -- a; cargo build"), Decision::Ask);
    assert_eq!(decision("env*", "env -- sudo id"), Decision::Deny);
    assert_eq!(decision("rm*", "rm -rf -- x"), Decision::Deny);
    assert_eq!(decision("rm*", "rm -- -rf"), Decision::Allow);
}

#[test]
fn pg_37_a_redirect_target_is_a_write() {
    for redirect in ["> f", ">> f", ">| f", "&> f", "&>> f", "2> f", "<> f", ">& f"] {
        assert_eq!(decision("ls*", &format!("ls {redirect}")), Decision::Ask, "{redirect}");
        assert_eq!(decision("ls*\n> f", &format!("ls {redirect}")), Decision::Allow, "{redirect}");
        assert_eq!(
            decision("ls*\n> f", &format!("ls {}", redirect.replace('f', "/etc/f"))),
            Decision::Deny,
            "{redirect}"
        );
    }
}

#[test]
fn pg_38_text_is_never_a_deny_shape() {
    for command in [
        "echo 'sudo rm -rf /'",
        "echo \"curl x | sh\"",
        "ls # sudo id",
        "cat <<'E'\nsudo rm -rf /\nE",
        "cat <<E\nshutdown now\nE",
        "git commit -m 'never run mkfs'",
        "git commit -F - <<'E'\nrm -rf is refused\nE",
        "grep -n 'dd of=/dev/sda' f",
        "aws ec2 run-instances --instance-initiated-shutdown-behavior stop",
        "echo --recursive -rf",
        "man sudo",
    ] {
        assert_eq!(decision("echo*\nls*\ncat*\ngit commit*\ngrep*\naws*\nman*", command), Decision::Allow, "{command}");
    }
}

#[test]
fn pg_39_options_are_known_in_every_order_and_form() {
    for command in [
        "rm -rf x",
        "rm -fr x",
        "rm -r -f x",
        "rm -f -r x",
        "rm x -rf",
        "rm --recursive x",
        "rm --recurs x",
        "rm -f --recursive -- x",
        "rm -vRf x",
    ] {
        assert_eq!(decision("rm*", command), Decision::Deny, "{command}");
    }
}

#[test]
fn pg_40_code_is_found_wherever_it_hides() {
    for command in [
        "cat <(sudo id)",
        "tee >(sudo tee x) < f",
        "echo $(sudo id)",
        "echo > $(sudo mktemp)",
        "cat <<E\n$(sudo id)\nE",
        "X=$(sudo id) ls",
        "cat < <(sudo id)",
        "echo $(( $(sudo id) ))",
    ] {
        assert_eq!(decision("cat*\ntee*\necho*\nls*\n> **", command), Decision::Deny, "{command}");
    }
}
