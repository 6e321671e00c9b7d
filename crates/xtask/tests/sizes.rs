//! No file of ours is too long, and the count sees what it should.

use std::fs;
use std::path::{Path, PathBuf};

use lwa_xtask::root::project_root;
use lwa_xtask::sizes::{Counted, FAIL_ABOVE, Kind, count, refuse_too_long, table};

fn counted(lines: usize, kind: Kind) -> Counted {
    Counted { path: PathBuf::from("a.rs"), kind, lines }
}

#[test]
fn no_file_of_ours_is_too_long() {
    let files = count(&project_root()).unwrap();
    assert!(files.iter().any(|file| file.path == Path::new("crates/xtask/src/sizes.rs")));
    refuse_too_long(&files).unwrap();
}

#[test]
fn a_file_above_the_limit_is_refused_unless_it_is_a_test() {
    assert!(refuse_too_long(&[counted(FAIL_ABOVE + 1, Kind::Rust)]).is_err());
    assert!(refuse_too_long(&[counted(FAIL_ABOVE, Kind::Rust)]).is_ok());
    assert!(refuse_too_long(&[counted(FAIL_ABOVE + 1, Kind::Tests)]).is_ok());
}

#[test]
fn tests_are_counted_apart_and_what_we_did_not_write_is_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (path, text) in [
        ("src/a.rs", "one\ntwo\n#[cfg(test)]\nmod tests {\n}\n"),
        ("tests/b.rs", "one\n"),
        ("ui/C.svelte", "one\ntwo\nthree\n"),
        ("ui/c.test.ts", "one\n"),
        ("ui/generated/d.ts", "one\n"),
        ("target/e.rs", "one\n"),
        ("notes.md", "one\n"),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    let found: Vec<_> = count(root)
        .unwrap()
        .into_iter()
        .map(|file| (file.path.to_string_lossy().into_owned(), file.kind, file.lines))
        .collect();
    assert_eq!(
        found,
        [
            ("src/a.rs".to_owned(), Kind::Rust, 2),
            ("tests/b.rs".to_owned(), Kind::Tests, 1),
            ("ui/C.svelte".to_owned(), Kind::Svelte, 3),
            ("ui/c.test.ts".to_owned(), Kind::Tests, 1),
        ]
    );
}

#[test]
fn the_table_names_the_middle_and_the_longest() {
    let files: Vec<_> = (1..=11).map(|lines| counted(lines, Kind::Rust)).collect();
    let rows = table(&files);
    assert_eq!((rows[0].median, rows[0].ninetieth, rows[0].largest.lines), (6, 10, 11));
}
