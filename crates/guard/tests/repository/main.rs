//! What is read of a repository: the index and not the work tree, ranges, messages, identities, tags.

mod common;

use common::{Repo, short};
use lwa_guard::{Denylist, GuardError, Rule, Scanner, check};

const ADDRESS: &str = "server 10.9.8.7\n";

#[test]
fn the_index_is_read_and_not_the_work_tree() {
    let repo = Repo::new();
    repo.stage("a.txt", "nothing\n");
    repo.write("a.txt", ADDRESS);
    assert_eq!(repo.staged().findings, []);
    repo.git(&["add", "a.txt"]);
    repo.write("a.txt", "nothing\n");
    assert_eq!(short(&repo.staged().findings), [("a.txt", 1, Rule::Ipv4Private)]);
}

#[test]
fn a_staged_change_is_read_whole_and_a_removal_is_not() {
    let repo = Repo::new();
    repo.stage("old.txt", ADDRESS);
    repo.stage("kept.txt", ADDRESS);
    repo.commit("first");
    repo.git(&["rm", "--quiet", "old.txt"]);
    repo.stage("sub/new.txt", format!("one\ntwo\n{ADDRESS}"));
    let report = repo.staged();
    assert_eq!(short(&report.findings), [("sub/new.txt", 3, Rule::Ipv4Private)]);
    assert_eq!(report.files, 1);
    let all = check::all(&repo.open(), &Scanner::new()).unwrap();
    assert_eq!(short(&all.findings), [("kept.txt", 1, Rule::Ipv4Private), ("sub/new.txt", 3, Rule::Ipv4Private)]);
}

#[test]
fn names_with_any_sign_and_targets_of_links_are_read() {
    let repo = Repo::new();
    repo.stage("a b\n\"ü\".txt", ADDRESS);
    repo.stage("notes-mia@firm.de.txt", "x");
    std::os::unix::fs::symlink("/home/mjordan/secret", repo.path().join("link")).unwrap();
    repo.git(&["add", "link"]);
    assert_eq!(
        short(&repo.staged().findings),
        [
            ("a b\n\"ü\".txt", 1, Rule::Ipv4Private),
            ("link", 1, Rule::HomePath),
            ("notes-mia@firm.de.txt", 1, Rule::Mail),
        ]
    );
}

#[test]
fn binary_and_huge_contents_are_counted_and_not_read() {
    let repo = Repo::new();
    repo.stage("a.bin", [b"\0\x01".as_slice(), ADDRESS.as_bytes()].concat());
    repo.stage("huge.txt", vec![b'x'; (16 << 20) + 1]);
    let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(ADDRESS.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    repo.stage("wide.txt", wide);
    let report = repo.staged();
    assert_eq!(short(&report.findings), [("wide.txt", 1, Rule::Ipv4Private)]);
    assert_eq!(report.binary, 1);
    assert_eq!(report.too_large.len(), 1);
    assert_eq!((report.too_large[0].path.as_str(), report.too_large[0].bytes), ("huge.txt", (16 << 20) + 1));
}

#[test]
fn a_range_holds_what_its_commits_brought_even_if_it_is_gone_again() {
    let repo = Repo::new();
    repo.stage("before.txt", ADDRESS);
    let first = repo.commit("first");
    repo.stage("between.txt", ADDRESS);
    let second = repo.commit("second");
    repo.git(&["rm", "--quiet", "between.txt"]);
    repo.commit("third, see /home/mjordan/notes");
    let report = check::range(&repo.open(), &Scanner::new(), &format!("{first}..HEAD")).unwrap();
    assert_eq!(short(&report.findings), [("between.txt", 1, Rule::Ipv4Private), ("message", 1, Rule::HomePath)]);
    assert_eq!(report.findings[0].place.commit.as_deref(), Some(second.as_str()));
    assert_eq!(report.commits, 2);
}

#[test]
fn what_a_merge_itself_brought_is_read() {
    let repo = Repo::new();
    repo.stage("a.txt", "a\n");
    let first = repo.commit("first");
    repo.git(&["checkout", "--quiet", "-b", "side"]);
    repo.stage("b.txt", "b\n");
    repo.commit("side");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.stage("c.txt", "c\n");
    repo.commit("main");
    repo.git(&["merge", "--quiet", "--no-commit", "side"]);
    repo.stage("a.txt", ADDRESS);
    repo.commit("merge");
    let report = check::range(&repo.open(), &Scanner::new(), &format!("{first}..HEAD")).unwrap();
    assert_eq!(short(&report.findings), [("a.txt", 1, Rule::Ipv4Private)]);
}

#[test]
fn identities_and_annotated_tags_of_a_range_are_read() {
    let repo = Repo::new();
    repo.commit("first");
    repo.git(&["-c", "user.email=mia@firm.de", "commit", "--quiet", "--allow-empty", "-m", "by somebody"]);
    repo.git(&["tag", "-a", "v1", "-m", "built on 10.1.1.1"]);
    repo.git(&["tag", "mia@firm.de"]);
    let report = check::range(&repo.open(), &Scanner::new(), "HEAD").unwrap();
    assert_eq!(
        short(&report.findings),
        [("author", 1, Rule::Mail), ("refs/tags/v1", 6, Rule::Ipv4Private), ("refs/tags/mia@firm.de", 1, Rule::Mail),]
    );
    let older = check::range(&repo.open(), &Scanner::new(), "HEAD~1").unwrap();
    assert_eq!(older.findings, []);
}

#[test]
fn who_would_commit_is_looked_at_before() {
    let repo = Repo::new();
    repo.git(&["config", "user.email", "mia@firm.de"]);
    repo.stage("a.txt", "x");
    assert_eq!(short(&repo.staged().findings), [("author", 1, Rule::Mail)]);
}

#[test]
fn a_range_that_is_none_or_an_option_is_refused() {
    let repo = Repo::new();
    repo.commit("first");
    for range in ["nowhere..HEAD", "--output=x", "--all", ""] {
        let refused = check::range(&repo.open(), &Scanner::new(), range);
        assert!(matches!(refused, Err(GuardError::Range)), "{range}: {refused:?}");
    }
    assert!(!repo.path().join("x").exists());
}

#[test]
fn a_push_is_what_the_remote_does_not_have() {
    let repo = Repo::new();
    repo.stage("a.txt", ADDRESS);
    let first = repo.commit("first");
    repo.git(&["update-ref", "refs/remotes/origin/main", &first]);
    repo.stage("b.txt", "fine\n");
    let second = repo.commit("second");
    let zeros = "0".repeat(40);
    let push = |lines: &str| check::push(&repo.open(), &Scanner::new(), "origin", lines).unwrap();
    assert_eq!(push(&format!("refs/heads/main {second} refs/heads/main {first}\n")).findings, []);
    assert_eq!(push(&format!("refs/heads/new {second} refs/heads/new {zeros}\n")).findings, []);
    assert_eq!(push(&format!("(delete) {zeros} refs/heads/new {second}\n")).commits, 0);
    let elsewhere =
        check::push(&repo.open(), &Scanner::new(), "other", &format!("x {second} refs/heads/x {zeros}\n")).unwrap();
    assert_eq!(short(&elsewhere.findings), [("a.txt", 1, Rule::Ipv4Private)]);
}

#[test]
fn the_change_below_the_scissors_is_not_the_message() {
    let repo = Repo::new();
    let text = "subject\n\nseen on 10.3.2.1\n# ------------------------ >8 ------------------------\n-mia@firm.de\n";
    let file = repo.write("message", text);
    let report = check::message(Some(&repo.open()), &Scanner::new(), &file).unwrap();
    assert_eq!(short(&report.findings), [("message", 3, Rule::Ipv4Private)]);
}

#[test]
fn words_of_the_denylist_are_found_everywhere() {
    let repo = Repo::new();
    repo.stage("falcon/plan.txt", "the Project Falcon\n");
    repo.git(&["commit", "--quiet", "-m", "about project-falcon"]);
    let scanner = Scanner::new().with_denylist(Denylist::parse("project falcon\n").unwrap());
    let report = check::range(&repo.open(), &scanner, "HEAD").unwrap();
    assert_eq!(short(&report.findings), [("falcon/plan.txt", 1, Rule::Denylist), ("message", 1, Rule::Denylist)]);
}

#[test]
fn a_folder_without_a_repository_is_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(lwa_guard::Repository::of(folder.path()), Err(GuardError::NoRepository(_))));
}
