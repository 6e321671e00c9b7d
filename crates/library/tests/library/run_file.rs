//! `run.py` of a recipe, run by Python with a stand-in for the command `lwa`.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use crate::shelf::{Shelf, recipe};

/// A command `lwa` that says what it was given and ends with code 5.
const STAND_IN: &str = "#!/bin/sh\nprintf '%s\\n' \"$*\"\ncat\nexit 5\n";

fn run(shelf: &Shelf, arguments: &[&str], input: &str, has_command: bool) -> Output {
    let folder = shelf.temp.path().join("bin");
    fs::create_dir_all(&folder).unwrap();
    if has_command {
        fs::write(folder.join("lwa"), STAND_IN).unwrap();
        fs::set_permissions(folder.join("lwa"), Permissions::from_mode(0o755)).unwrap();
    }
    // On a search path there may be a stand-in for Python that needs more than the empty one below.
    let python = ["/usr/local/bin", "/usr/bin", "/bin"]
        .map(|folder| std::path::Path::new(folder).join("python3"))
        .into_iter()
        .find(|path| path.is_file())
        .expect("python3 in the system's folders");
    let search = if has_command { format!("{}:/usr/bin:/bin", folder.display()) } else { folder.display().to_string() };
    let mut child = Command::new(python)
        .arg(shelf.path("tools/one/run.py"))
        .args(arguments)
        .env_clear()
        .env("PATH", search)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // With arguments, standard input is not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn shelf() -> Shelf {
    let shelf = Shelf::new();
    shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    shelf
}

#[test]
fn arguments_are_joined_and_the_code_is_passed_on() {
    let output = run(&shelf(), &[" some ", "text"], "", true);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "library run one --input -\nsome  text");
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn without_arguments_the_text_comes_from_standard_input() {
    let output = run(&shelf(), &[], "\n naïve — текст \n", true);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "library run one --input -\nnaïve — текст");
}

#[test]
fn nothing_to_do_is_a_wrong_use() {
    for (arguments, input) in [(&[][..], " \n"), (&[" "][..], "unread")] {
        let output = run(&shelf(), arguments, input, true);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}

#[test]
fn a_missing_command_is_named() {
    let output = run(&shelf(), &["text"], "", false);
    assert_eq!(output.status.code(), Some(127));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`lwa`"));
}
