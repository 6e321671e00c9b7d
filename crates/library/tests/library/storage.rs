//! A folder that cannot be written is an error of its own, which a caller can turn into a warning.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use lwa_library::LibraryError;
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use crate::shelf::{Shelf, open, recipe, slug};

/// Runs `work` on a thread that has no powers of root, so that permissions mean something.
fn as_ordinary_user<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let none = CapabilitySet::empty();
                let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
                set_capabilities(None, sets).unwrap();
                work()
            })
            .join()
            .unwrap()
    })
}

#[test]
fn a_13_a_read_only_folder_is_a_matter_of_storage_and_changes_nothing() {
    let shelf = Shelf::new();
    let before = shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    let folders = ["tools/one/versions", "tools/one", "tools", ""];
    for folder in folders {
        fs::set_permissions(shelf.path(folder), Permissions::from_mode(0o500)).unwrap();
    }
    let results = as_ordinary_user(|| {
        [
            shelf.library.create_recipe(&recipe("two", "{input}")),
            shelf.library.disable(&slug("one")),
            shelf.library.delete(&slug("one")).map(|()| before.clone()),
        ]
    });
    for folder in folders {
        fs::set_permissions(shelf.path(folder), Permissions::from_mode(0o700)).unwrap();
    }
    for result in results {
        let error = result.unwrap_err();
        assert!(matches!(error, LibraryError::ReadOnly { .. }) && error.is_about_storage(), "{error:?}");
    }
    assert_eq!(shelf.library.list(None).unwrap(), [before]);
    assert_eq!(shelf.library.check().unwrap(), []);
}

#[test]
fn a_folder_that_cannot_be_made_is_a_matter_of_storage() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("file"), "").unwrap();
    let error = open(&temp.path().join("file/library")).unwrap_err();
    assert!(error.is_about_storage(), "{error:?}");
}

#[test]
fn a_request_that_is_wrong_is_no_matter_of_storage() {
    let shelf = Shelf::new();
    let error = shelf.library.create_recipe(&recipe("one", "no place")).unwrap_err();
    assert!(!error.is_about_storage());
}
