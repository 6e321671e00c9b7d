//! The private file, through the store's door.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use lwa_secrets::{FileStore, Secret, SecretError, SecretStore, account_for};
use rstest::rstest;

struct Setup {
    folder: tempfile::TempDir,
    store: FileStore,
}

impl Setup {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path().join("state").join("secrets.env"));
        Self { folder, store }
    }

    fn with(content: &str) -> Self {
        let setup = Self::new();
        fs::create_dir(setup.path().parent().unwrap()).unwrap();
        fs::write(setup.path(), content).unwrap();
        fs::set_permissions(setup.path(), fs::Permissions::from_mode(0o600)).unwrap();
        setup
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("state").join("secrets.env")
    }

    fn content(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }
}

fn secret(value: &str) -> Secret {
    Secret::new(value.to_owned())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[rstest]
#[case("${HOME}")]
#[case("a\"b'c")]
#[case("back\\slash\\n")]
#[case("\"${HOME}\" \\ 'x' # no comment")]
#[case("  blanks around  ")]
#[case("several\nlines\r\n\tand a tab")]
#[case("ключ 鍵 🔑")]
#[case("=")]
fn lwa_081_any_value_reads_back_identical_from_a_private_file(#[case] value: &str) {
    let setup = Setup::new();
    setup.store.set("A_KEY", &secret(value)).unwrap();
    setup.store.set("B_KEY", &secret("other")).unwrap();
    // A second store reads what the first wrote, so nothing is remembered in between.
    let read = FileStore::new(setup.path()).get("A_KEY").unwrap().unwrap();
    assert_eq!(read.expose(), value);
    assert_eq!(mode(&setup.path()), 0o600);
    assert_eq!(mode(setup.path().parent().unwrap()), 0o700);
}

#[test]
fn lwa_102_set_writes_one_line_and_remove_takes_it_away() {
    let setup = Setup::new();
    assert!(setup.store.get("A_KEY").unwrap().is_none());
    assert!(!setup.store.remove("A_KEY").unwrap());
    setup.store.set("A_KEY", &secret("one")).unwrap();
    setup.store.set("A_KEY", &secret("two")).unwrap();
    assert_eq!(setup.content(), "A_KEY=\"two\"\n");
    assert!(setup.store.remove("A_KEY").unwrap());
    assert_eq!(setup.content(), "");
    assert!(setup.store.get("A_KEY").unwrap().is_none());
}

#[test]
fn comments_and_foreign_lines_stay_where_they_are() {
    let before = "# mine\nexport OTHER='x y' # note\n\nA_KEY=old\nnot a line\nA_KEY=older\nOPEN=\"\n";
    let setup = Setup::with(before);
    assert_eq!(setup.store.get("OTHER").unwrap().unwrap().expose(), "x y");
    assert_eq!(setup.store.get("A_KEY").unwrap().unwrap().expose(), "older");
    setup.store.set("A_KEY", &secret("new")).unwrap();
    let expected = "# mine\nexport OTHER='x y' # note\n\nA_KEY=\"new\"\nnot a line\nOPEN=\"\n";
    assert_eq!(setup.content(), expected);
    assert!(setup.store.remove("A_KEY").unwrap());
    assert_eq!(setup.content(), expected.replace("A_KEY=\"new\"\n", ""));
}

#[test]
fn a_line_that_cannot_be_read_is_named_by_its_number_alone() {
    let setup = Setup::with("# one\nA_KEY=\"fake-open-value\n");
    let error = setup.store.get("A_KEY").unwrap_err();
    assert!(matches!(error, SecretError::Malformed { line: 2, .. }));
    assert!(!format!("{error} {error:?}").contains("fake-open-value"));
}

#[test]
fn an_empty_value_is_no_secret() {
    assert!(Setup::with("A_KEY=\n").store.get("A_KEY").unwrap().is_none());
}

#[rstest]
#[case(0o640)]
#[case(0o604)]
#[case(0o666)]
fn a_file_that_others_may_read_is_refused_and_not_changed(#[case] permissions: u32) {
    let setup = Setup::with("A_KEY=\"fake\"\n");
    fs::set_permissions(setup.path(), fs::Permissions::from_mode(permissions)).unwrap();
    let error = setup.store.get("A_KEY").unwrap_err();
    assert!(matches!(error, SecretError::NotPrivate { mode, .. } if mode == permissions));
    assert!(error.to_string().contains("chmod 600"), "{error}");
    assert!(setup.store.set("A_KEY", &secret("new")).is_err());
    assert!(setup.store.remove("A_KEY").is_err());
    assert!(setup.store.probe().is_err());
    assert_eq!(setup.content(), "A_KEY=\"fake\"\n");
}

#[test]
fn a_link_or_a_folder_in_the_files_place_is_refused() {
    let setup = Setup::with("");
    let elsewhere = setup.folder.path().join("elsewhere");
    fs::rename(setup.path(), &elsewhere).unwrap();
    symlink(&elsewhere, setup.path()).unwrap();
    assert!(matches!(setup.store.set("A_KEY", &secret("x")), Err(SecretError::NotOurs { .. })));
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "");
    fs::remove_file(setup.path()).unwrap();
    fs::create_dir(setup.path()).unwrap();
    assert!(matches!(setup.store.get("A_KEY"), Err(SecretError::NotOurs { .. })));
}

#[test]
fn an_open_folder_is_closed_when_a_secret_is_written() {
    let setup = Setup::with("");
    let folder = setup.path().parent().unwrap().to_owned();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    setup.store.set("A_KEY", &secret("x")).unwrap();
    assert_eq!(mode(&folder), 0o700);
}

#[test]
fn nothing_is_left_beside_the_file() {
    let setup = Setup::new();
    setup.store.probe().unwrap();
    setup.store.set("A_KEY", &secret("x")).unwrap();
    let names: Vec<_> =
        fs::read_dir(setup.path().parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["secrets.env"]);
    assert_eq!(setup.content(), "A_KEY=\"x\"\n");
}

#[test]
fn changes_from_several_stores_at_once_are_all_kept() {
    let setup = Setup::new();
    let accounts: Vec<String> = (0..16).map(|number| account_for(&format!("p{number}"))).collect();
    std::thread::scope(|scope| {
        for account in &accounts {
            scope.spawn(|| FileStore::new(setup.path()).set(account, &secret(account)).unwrap());
        }
    });
    for account in &accounts {
        assert_eq!(setup.store.get(account).unwrap().unwrap().expose(), account);
    }
}

#[rstest]
#[case("")]
#[case("1A")]
#[case("A B")]
#[case("A\nB")]
#[case("A=B")]
#[case("ключ")]
fn an_account_that_is_no_name_of_a_line_is_refused(#[case] account: &str) {
    let setup = Setup::new();
    assert!(matches!(setup.store.set(account, &secret("x")), Err(SecretError::BadAccount)));
    assert!(!setup.path().exists());
}

#[test]
fn a_store_prints_its_place_and_nothing_of_its_content() {
    let setup = Setup::with("A_KEY=\"fake-value\"\n");
    let printed = format!("{:?}", setup.store);
    assert!(printed.contains("secrets.env") && !printed.contains("fake-value"), "{printed}");
}
