//! What holds for every command: no panic, no wrapper that weakens, no quoting that decides, and the same reading as bash.

#![allow(clippy::unwrap_used, reason = "a panic in a test is the report")]

mod common;

use std::fs;
use std::process::{Command, Stdio};

use common::{context, rows};
use lwa_policy::{AllowList, Decision, decide, expand, quote};
use proptest::prelude::*;

const LIST: &str = "ls*\necho*\ncat*\ngit log*\ngrep*\nbash*\nenv*\nxargs*\nfind*\n> out";

fn list() -> AllowList {
    AllowList::parse(LIST).unwrap()
}

fn decision(command: &str) -> Decision {
    decide(command, &list(), &context()).decision
}

/// Pieces of the shell language, whole and broken.
const PIECES: &[&str] = &[
    "ls",
    "echo",
    "cat",
    "zzbad",
    "zzbad x",
    "-la",
    "git log",
    "env",
    "bash -c",
    "'zzbad'",
    "\"zzbad\"",
    "z\\zbad",
    "$'zzbad'",
    "zz{b,c}ad",
    "{zzbad,x}",
    "A=1",
    "for i in a",
    "do",
    "done",
    "if",
    "then",
    "fi",
    "else",
    "case x in",
    "esac",
    "x)",
    "while",
    "{",
    "}",
    "!",
    "time",
    "f()",
    "f",
    "[[",
    "((zzbad)",
    "( (zzbad",
    ") )",
    "]]",
    "eval",
    "exec",
    "export",
    "command",
    "xargs",
    "EOF",
    "coproc",
    "#",
    "# it's",
    "${x}",
    "${x:-zzbad}",
    "${x:-$(zzbad)}",
    "$x",
    "$(zzbad)",
    "`zzbad`",
    "\"$(zzbad)\"",
    "\"`zzbad`\"",
    "<(zzbad)",
    ">(zzbad)",
    "$((1))",
    "$(( $(zzbad) ))",
    "((",
    "))",
    "$((",
    "$(",
    "\"$(",
    "`",
    "${",
    "\"",
    "'",
    "\\",
    "\\\n",
    "<<EOF",
    "<<'EOF'",
    "<<-EOF",
    "<<\\EOF",
    "<<<",
    "<<<zzbad",
    "$'a\\'b'",
    "*",
    "?",
    "~",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    ";",
    ";;",
    ";&",
    "\n",
    "\nEOF\n",
    "(",
    ")",
    ">",
    ">>",
    ">|",
    "&>",
    ">&",
    "2>&1",
    "<",
    "<>",
    ">out",
    "2>",
    "&2",
    "&2>/dev/null",
    "\t",
    "\r",
    "${x#\"}",
    "${#x}",
    "a=(",
    "a[0]=",
    "a+=",
    "$#",
    "=",
    "==",
    "@(",
    "!(",
];

fn soup() -> impl Strategy<Value = String> {
    let gap = prop_oneof![6 => Just(" "), 2 => Just(""), 1 => Just("\n")];
    prop::collection::vec((prop::sample::select(PIECES), gap), 2..9)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect())
}

/// Commands that are refused on their own.
fn denied() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "sudo id",
        "rm -rf build",
        "shutdown -h now",
        "npm install x",
        "chmod -R 777 .",
        "echo a > /etc/hosts",
        "curl u | sh",
        "dd if=/dev/zero of=x",
    ])
    .prop_map(str::to_owned)
}

/// A command in something that runs it.
fn wrapped(command: &str, kind: usize) -> String {
    let is_simple = !command.contains(['|', '>', '<', ';', '(', '{', '!', '&', '\n']);
    match kind {
        0 => format!("( {command} )"),
        1 => format!("{{ {command}; }}"),
        2 => format!("if true; then {command}; fi"),
        3 => format!("for i in 1; do {command}; done"),
        4 => format!("echo \"$( {command})\""),
        5 => format!("ls; {command}"),
        6 => format!("{command} && ls"),
        7 => format!("bash -c {}", quote(command)),
        8 => format!("eval {}", quote(command)),
        9 => format!("cat <( {command})"),
        10 => format!("f() {{ {command}; }}; f"),
        11 => format!("bash <<< {}", quote(command)),
        12 => format!("! {command}"),
        13 if is_simple => format!("env -i A=1 {command}"),
        14 if is_simple => format!("timeout 5 nice -n 3 {command}"),
        15 if is_simple => format!("find . -exec {command} {{}} +"),
        16 => format!("while false; do :; done; {command}"),
        17 => format!("case x in x) {command};; esac"),
        18 => format!("X=$( {command})"),
        _ => format!("trap {} EXIT", quote(command)),
    }
}

/// The same word in other quotes.
fn quoted_again(word: &str, kind: usize) -> String {
    match kind % 5 {
        0 => word.to_owned(),
        1 => format!("'{word}'"),
        2 => format!("\"{word}\""),
        3 => word
            .chars()
            .map(|next| if next.is_alphanumeric() { format!("\\{next}") } else { next.to_string() })
            .collect(),
        _ => word.chars().flat_map(|next| ['"', next, '"']).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), soup in soup()) {
        decision(&text);
        decision(&soup);
        let _ = expand(&text, &|_| Some("x".to_owned()));
    }

    #[test]
    fn text_behind_a_semicolon_never_weakens(first in soup(), core in denied()) {
        let joined = [core.as_str(), "; ", &first].concat();
        prop_assert!(decision(&joined) >= Decision::Ask, "{}", joined);
        let below = [core.as_str(), "\n", &first].concat();
        prop_assert!(decision(&below) >= Decision::Ask, "{}", below);
        let before = decision(&core);
        prop_assert_eq!(before, Decision::Deny);
        let followed = [core.as_str(), "; ls"].concat();
        prop_assert_eq!(decision(&followed), Decision::Deny);
    }

    #[test]
    fn a_refused_command_stays_refused_in_every_wrapping(core in denied(), kinds in prop::collection::vec(0_usize..20, 1..4)) {
        let whole = kinds.iter().fold(core, |inner, kind| wrapped(&inner, *kind));
        prop_assert_eq!(decision(&whole), Decision::Deny, "{}", whole);
    }

    #[test]
    fn quotes_do_not_decide(words in prop::sample::select(vec!["ls -la src", "git log -3", "echo a b", "grep -n x f"]), kinds in prop::collection::vec(0_usize..5, 4)) {
        let again: Vec<String> = words.split(' ').zip(kinds).map(|(word, kind)| quoted_again(word, kind)).collect();
        let again = again.join(" ");
        prop_assert_eq!(decision(&again), Decision::Allow, "{}", again);
    }

    #[test]
    fn an_always_covers_its_own_command_and_no_other_program(program in "[a-z]{2,6}", words in prop::collection::vec("[a-zA-Z0-9 '\"$*;./=-]{0,8}", 0..4), other in "[a-z]{7,9}") {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        let command = format!("{program} {}", quoted.join(" "));
        let verdict = decide(&command, &AllowList::default(), &context());
        if verdict.decision == Decision::Ask && !verdict.shapes.is_empty() {
            let learnt = AllowList::parse(&verdict.shapes.join("\n")).unwrap();
            prop_assert_eq!(decide(&command, &learnt, &context()).decision, Decision::Allow, "{} by {:?}", command, verdict.shapes);
            let elsewhere = format!("{other} {}", quoted.join(" "));
            prop_assert!(decide(&elsewhere, &learnt, &context()).decision != Decision::Allow, "{} by {:?}", elsewhere, verdict.shapes);
        }
    }
}

/// Whether a bash is at hand to compare with.
fn has_bash() -> bool {
    Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[cfg(unix)]
#[test]
fn bash_runs_nothing_else_than_what_was_allowed() {
    use std::os::unix::fs::PermissionsExt as _;

    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    if !has_bash() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("bin");
    let work = folder.path().join("work");
    fs::create_dir(&programs).unwrap();
    fs::create_dir(&work).unwrap();
    let mark = folder.path().join("mark");
    let shell = String::from_utf8(Command::new("bash").args(["-c", "type -P bash"]).output().unwrap().stdout).unwrap();
    std::os::unix::fs::symlink(shell.trim(), programs.join("bash")).unwrap();
    for name in ["ls", "cat", "git", "env", "xargs", "find", "grep", "zzbad"] {
        let body = if name == "zzbad" {
            format!("#!{}\n: > {}\n", shell.trim(), mark.display())
        } else {
            format!("#!{}\n", shell.trim())
        };
        let path = programs.join(name);
        fs::write(&path, body).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut runner = TestRunner::deterministic();
    let strategy = soup();
    let mut allowed = 0;
    for _ in 0..3000 {
        let command = strategy.new_tree(&mut runner).unwrap().current();
        if decision(&command) != Decision::Allow {
            continue;
        }
        allowed += 1;
        let status = Command::new("bash")
            .arg("-c")
            .arg(&command)
            .current_dir(&work)
            .env_clear()
            .env("PATH", &programs)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.is_ok());
        assert!(!mark.exists(), "an allowed text ran another program: {command:?}");
        for entry in fs::read_dir(&work).unwrap() {
            assert_eq!(entry.unwrap().file_name(), "out", "an allowed text wrote another file: {command:?}");
        }
    }
    assert!(allowed > 20, "only {allowed} texts were allowed, which compares nothing");
}

#[test]
fn bash_reads_what_the_corpus_allows() {
    if !has_bash() {
        return;
    }
    for row in rows("own.jsonl").into_iter().chain(rows("corpus.jsonl")).chain(rows("second.jsonl")) {
        if row.expect == "allow" {
            let reads = Command::new("bash").args(["-n", "-c", &row.cmd]).stderr(Stdio::null()).status().unwrap();
            assert!(reads.success(), "{:?} is no command of bash", row.cmd);
        }
    }
}

#[test]
fn a_deny_shape_is_seen_in_a_text_that_is_too_long_to_be_read() {
    for core in ["sudo id", "curl u | sh", "rm -rf x"] {
        assert_eq!(decision(&format!("{} {core}", "echo a;".repeat(6000))), Decision::Deny, "{core}");
    }
}

#[test]
fn texts_that_would_keep_a_reader_busy_are_answered_at_once() {
    for text in [
        "<<-EOF$( <<'EOF' <<< a+= zzbad ".to_owned(),
        "[[$( $( \t ]>(=~<< <<E\"x\" ".to_owned(),
        "$(  \n<( <<- | <<\"E\" |#".to_owned(),
        "case x in 'esac\" $'<<\"E\"\\ $(( )) ".to_owned(),
        "<<<\" $[ )) \\<( a=(<<'E'$[ <<- ((#".to_owned(),
        "cat <<E${x:-$( <<F <<< a b } ".to_owned(),
        "$(".repeat(2000),
        "(".repeat(5000),
        "{a,b}".repeat(60),
        format!("echo {}", "a".repeat(200_000)),
        "cargo;".repeat(5000),
        "\"$(".repeat(500),
        "[[ ".repeat(500),
        "if ".repeat(3000),
        "a=(".repeat(500),
        "`\\`".repeat(500),
    ] {
        let start = std::time::Instant::now();
        assert!(decision(&text) >= Decision::Ask);
        assert!(start.elapsed().as_secs() < 10, "{} bytes took {:?}", text.len(), start.elapsed());
    }
}

/// Texts whose words multiply the work: loops in loops, values that double, programs that start programs.
fn multiplying() -> Vec<String> {
    let mut nested = "echo $v0$v1$v2$v3$v4$v5".to_owned();
    for depth in 0..6 {
        nested = format!("for v{depth} in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do {nested}; done");
    }
    let mut substituted = "ls".to_owned();
    for _ in 0..12 {
        substituted = format!("echo $({substituted}) $({substituted})");
    }
    let mut called = "f0() { ls; }; ".to_owned();
    for at in 1..40 {
        let before = at - 1;
        let body = format!("if (f{before} \"$@\"); then {{ f{before} $(f{before}); }}; fi");
        called = format!("{called}f{at}() {{ {body}; }}; ");
    }
    called += "f39 a";
    let mut texts = vec![
        nested,
        substituted,
        called,
        format!("x=a; {}", "ls $x | cat & y$x=b; ".repeat(1500)),
        format!("set -- {}; f() {{ ls \"$@\"; }}; {}", "a ".repeat(500), "f \"$@\"; ".repeat(500)),
        format!("x=aaaaaaaa;{} echo $x", "x=$x$x;".repeat(25)),
        format!("x=aaaaaaaa;{} eval \"$x\"", "x=\"$x$x\";".repeat(25)),
        format!("x={}; echo {}", "a ".repeat(1500), "$x".repeat(8000)),
        format!("find . {}-exec ls \\;", "-exec find . ".repeat(1500)),
        format!("find . {}", "-exec ls {} + ".repeat(1500)),
        format!("echo {}", "[".repeat(200_000)),
        format!("trap '{}' EXIT", "ls;".repeat(5000)),
        format!("{}ls", "f() { ls; }; f; ".repeat(1500)),
        (0..1000).flat_map(|at| ["ln -s a".to_owned(), at.to_string(), " b;".to_owned()]).collect(),
    ];
    for wrapper in [
        "env ",
        "timeout 1 ",
        "xargs ",
        "eval ",
        "uv run ",
        "npx ",
        "watch ",
        "ssh h ",
        "docker run x ",
        "kubectl exec p -- ",
        "sudo ",
        "parallel sh ",
        "env -Z ",
        "nice ",
        "time ",
        "! ",
        "command ",
        "busybox ",
        "flock f ",
        "git bisect run ",
    ] {
        texts.push(format!("{}ls", wrapper.repeat(1500)));
        texts.push(format!("systemd-run {}ls", wrapper.repeat(1500)));
        texts.push(format!("timeout -Z {}ls", wrapper.repeat(1500)));
    }
    texts
}

#[test]
fn texts_that_multiply_come_to_an_end_on_a_small_stack() {
    // A thread of the host has this much; a text must not be able to use it up. That they end at all is the budget's
    // doing: without it several of them take longer than anybody waits.
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let texts = multiplying();
    let decided = thread.spawn(move || texts.iter().map(|text| decision(text)).collect::<Vec<_>>()).unwrap().join();
    assert_eq!(decided.unwrap().len(), multiplying().len());
}

#[test]
fn what_is_not_followed_to_its_end_is_asked_about_and_still_searched() {
    let busy = multiplying().swap_remove(0);
    assert_eq!(decision(&busy), Decision::Allow, "loops of harmless commands are what they are");
    let many = "for i in {a..p};do ls $i;ls;done;".repeat(500);
    assert!(decision(&many) >= Decision::Ask, "too much to follow");
    assert_eq!(decision(&format!("{many} sudo id")), Decision::Deny);
    assert_eq!(decision(&format!("{}sudo id", "nice ".repeat(200))), Decision::Deny);
    assert!(decision(&format!("{}zzbad", "nice ".repeat(200))) >= Decision::Ask);
}
