//! A library in a folder of its own, with a clock that moves a second at every look.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use lwa_domain::TaskKind;
use lwa_library::{
    Activation, Author, Clock, InstallationKey, Library, LibraryError, NewRecipe, NewScript, Notice, Slug,
};

/// 2026-08-08T00:00:00Z.
pub const START: i64 = 1_786_147_200;

pub struct Shelf {
    pub temp: tempfile::TempDir,
    pub library: Library,
}

pub fn key() -> InstallationKey {
    InstallationKey::from_bytes([7; 32])
}

pub fn clock() -> Clock {
    let seconds = AtomicI64::new(START);
    Arc::new(move || Timestamp::from_second(seconds.fetch_add(1, Ordering::Relaxed)).unwrap())
}

pub fn open(root: &Path) -> Result<Library, LibraryError> {
    Library::open(root, key(), clock())
}

impl Shelf {
    pub fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let library = open(&temp.path().join("tool-library")).unwrap();
        assert_eq!(library.take_notices(), []);
        Self { temp, library }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.library.root().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The same folder, opened once more, and what that said.
    pub fn reopen(&self) -> (Library, Vec<Notice>) {
        let library = open(self.library.root()).unwrap();
        let notices = library.take_notices();
        (library, notices)
    }

    /// Every text below the library, for looking for what must not be there.
    pub fn everything(&self) -> String {
        fn collect(folder: &Path, all: &mut String) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                all.push_str(&path.to_string_lossy());
                if path.is_dir() {
                    collect(&path, all);
                } else {
                    all.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap()));
                }
            }
        }
        let mut all = String::new();
        collect(self.library.root(), &mut all);
        all
    }
}

pub fn slug(text: &str) -> Slug {
    text.parse().unwrap()
}

pub fn recipe(name: &str, template: &str) -> NewRecipe {
    NewRecipe {
        name: name.to_owned(),
        description: format!("What {name} does"),
        task: TaskKind::Sitrep,
        template: template.to_owned(),
        tags: vec!["b".to_owned(), "a".to_owned(), "b".to_owned()],
        triggers: vec!["When it is needed".to_owned()],
        activation: Activation::Active,
        author: Author::Operator,
        evidence: None,
    }
}

pub fn script(name: &str, source: &str) -> NewScript {
    NewScript {
        name: name.to_owned(),
        description: "A program".to_owned(),
        task: TaskKind::CodingAux,
        source: source.as_bytes().to_vec(),
        file_name: "tool.py".to_owned(),
        tags: vec![],
        triggers: vec![],
    }
}
