//! Two processes and one folder.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::shelf::{Shelf, open, recipe};

const ROOT: &str = "LWA_LIBRARY_TEST_ROOT";
const NAME: &str = "LWA_LIBRARY_TEST_NAME";

/// This test program once more, as the process that [`another_process_adds_tools`] is.
fn another_process(shelf: &Shelf, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "concurrent::another_process_adds_tools", "--ignored", "--nocapture"])
        .env(ROOT, shelf.library.root())
        .env(NAME, name)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "the other tests here start it as a process of its own"]
fn another_process_adds_tools() {
    let root = PathBuf::from(std::env::var_os(ROOT).expect("a folder"));
    let name = std::env::var(NAME).expect("a name");
    let library = open(&root).unwrap();
    for number in 0.. {
        let made = library.create_recipe(&recipe(&format!("{name} {number}"), "{input}")).unwrap();
        println!("made {}", made.slug);
        if name != "endless" && number == 14 {
            break;
        }
    }
}

#[test]
fn a_18_two_processes_add_tools_at_once_and_all_are_there() {
    let shelf = Shelf::new();
    let processes = ["first", "second", "same", "same"].map(|name| another_process(&shelf, name));
    for mut process in processes {
        let made = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert_eq!(made.filter(|line| line.contains("made ")).count(), 15);
        assert!(process.wait().unwrap().success());
    }
    let tools = shelf.library.list(None).unwrap();
    assert_eq!(tools.len(), 60);
    assert_eq!(shelf.library.check().unwrap(), []);
    for tool in tools {
        assert!(shelf.text("CATALOG.md").contains(&format!("(tools/{}/README.md)", tool.slug)));
    }
}

#[test]
fn a_process_that_is_killed_while_it_writes_loses_nothing_that_it_had_said() {
    let shelf = Shelf::new();
    let mut process = another_process(&shelf, "endless");
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut said: Vec<String> = Vec::new();
    while said.len() < 8 {
        let line = lines.next().unwrap();
        said.extend(line.split_once("made ").map(|(_, slug)| slug.to_owned()));
    }
    process.kill().unwrap();
    said.extend(lines.filter_map(|line| line.split_once("made ").map(|(_, slug)| slug.to_owned())));
    process.wait().unwrap();

    let (library, _) = shelf.reopen();
    let there: Vec<String> = library.list(None).unwrap().iter().map(|tool| tool.slug.to_string()).collect();
    assert!(said.iter().all(|slug| there.contains(slug)), "{said:?} {there:?}");
    assert_eq!(library.check().unwrap(), []);
}
