//! The allow list as a text and as a file.

#![allow(clippy::unwrap_used, reason = "a panic in a test is the report")]

mod common;

use std::fs;

use common::context;
use lwa_policy::{AllowList, Decision, decide};

#[test]
fn an_entry_is_held_against_words_and_not_against_text() {
    for (entry, command, wanted) in [
        ("git log*", "git  log   -3", Decision::Allow),
        ("git log*", "'git' \"log\" -3", Decision::Allow),
        ("git log*", "/usr/bin/git log", Decision::Allow),
        ("git log*", "./git log", Decision::Ask),
        ("git log*", "git logs", Decision::Ask),
        ("git log", "git log -3", Decision::Ask),
        ("git status", "git status", Decision::Allow),
        ("kill *", "kill -9 44165", Decision::Allow),
        ("tar -t*", "tar -tf a.tar", Decision::Allow),
        ("tar -t*", "tar -xf a.tar", Decision::Ask),
        ("cat docs/*", "cat docs/a.md docs/b.md", Decision::Allow),
        ("cat docs/*", "cat docs/a.md src/b.rs", Decision::Ask),
        ("cat docs/*", "cat docs/../x", Decision::Ask),
        ("echo 'a*'", "echo 'a*'", Decision::Allow),
        ("echo 'a*'", "echo abc", Decision::Ask),
        ("echo ?", "echo x", Decision::Allow),
        ("FOO=1 ls*", "FOO=1 ls -l", Decision::Allow),
        ("./run.sh*", "./run.sh --fast", Decision::Allow),
        ("python3 -m http.server*", "python3 -m http.server 80", Decision::Allow),
        ("python3*", "python3 -m http.server", Decision::Ask),
        ("docker ps*", "docker exec db psql", Decision::Ask),
    ] {
        let verdict = decide(command, &AllowList::parse(entry).unwrap(), &context());
        assert_eq!(verdict.decision, wanted, "{entry} | {command}: {}", verdict.reason);
    }
}

#[test]
fn rules_carry_their_examples_and_the_strictest_wins() {
    let text = "# pushes\ngit push*\nask: git push origin main*\n  match: git push origin main\n  not_match: git push origin dev\ndeny: terraform apply*\n  because: the cluster is shared\n";
    let list = AllowList::parse(text).unwrap();
    assert_eq!(decide("git push origin dev", &list, &context()).decision, Decision::Allow);
    assert_eq!(decide("git push origin main", &list, &context()).decision, Decision::Ask);
    let denied = decide("terraform apply x", &list, &context());
    assert_eq!((denied.decision, denied.reason.as_str()), (Decision::Deny, "The cluster is shared."));
    for (wrong, line) in [
        ("git log*\n  match: git push", 2),
        ("ls*\n\n  not_match: ls -l", 3),
        ("match: ls", 1),
        ("ls 'a", 1),
        ("> a b", 1),
    ] {
        assert_eq!(AllowList::parse(wrong).unwrap_err().line, line, "{wrong}");
    }
}

#[test]
fn pa_4_a_line_without_its_end_is_not_glued_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run-allow.txt");
    fs::write(&path, "ls*").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    AllowList::add(&path, &["git log*".to_owned()]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "ls*\ngit log*\n");
}

#[test]
fn adding_makes_folders_a_header_and_a_private_file_and_adds_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/run-allow.txt");
    assert!(AllowList::read(&path).unwrap().is_empty(), "a missing file is an empty list");
    let shapes = ["git log*".to_owned(), "> 'my out.txt'".to_owned(), "git log*".to_owned()];
    AllowList::add(&path, &shapes).unwrap();
    AllowList::add(&path, &shapes).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines.iter().take(2).all(|line| line.starts_with('#')));
    assert_eq!(AllowList::read(&path).unwrap().entries().collect::<Vec<_>>(), ["git log*", "> 'my out.txt'"]);
    assert!(AllowList::add(&path, &["ls\nrm*".to_owned()]).is_err());
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside the file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let refused = AllowList::read(&path).unwrap_err();
        assert!(refused.to_string().contains("other users"), "{refused}");
        assert!(AllowList::add(&path, &["ls*".to_owned()]).is_err());
    }
}

#[test]
fn pa_5_a_list_is_what_its_file_says_now() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run-allow.txt");
    AllowList::add(&path, &["ls*".to_owned()]).unwrap();
    assert_eq!(decide("ls", &AllowList::read(&path).unwrap(), &context()).decision, Decision::Allow);
    let without = fs::read_to_string(&path).unwrap().replace("ls*\n", "");
    fs::write(&path, without).unwrap();
    assert_eq!(decide("ls", &AllowList::read(&path).unwrap(), &context()).decision, Decision::Ask);
}

#[test]
fn an_entry_of_a_folder_holds_there_and_nowhere_else() {
    use lwa_policy::Context;

    let list = AllowList::parse("in '/srv/shop': make test\nin /srv/shop: deny: cargo publish*\ncd*\n").unwrap();
    let at = |folder: &str, command: &str| decide(command, &list, &Context::new(folder, "/home/user")).decision;
    assert_eq!(at("/srv/shop", "make test"), Decision::Allow);
    assert_eq!(at("/srv/shop/part", "make test"), Decision::Allow);
    assert_eq!(at("/srv/shop", "cd part && make test"), Decision::Allow);
    for folder in ["/srv", "/srv/shop2", "/srv/other", "/"] {
        assert_eq!(at(folder, "make test"), Decision::Ask, "{folder}");
    }
    assert_eq!(at("/srv/shop", "cd /srv/other && make test"), Decision::Ask);
    assert_eq!(at("/srv/shop", "cd .. && make test"), Decision::Ask);
    assert_eq!(at("/srv/shop", "cd $WHERE && make test"), Decision::Ask);
    assert_eq!(at("/srv/shop", "cargo publish"), Decision::Deny);
    for wrong in ["in shop: make", "in '/srv/shop' make", "in /srv"] {
        assert!(AllowList::parse(wrong).is_err(), "{wrong}");
    }
}
