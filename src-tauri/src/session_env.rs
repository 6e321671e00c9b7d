//! Notes the variables of the graphical session, for hosts that clients start without them.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use lwa_protocol::start::SESSION_VARIABLES;

/// Writes the variables that are set, one `NAME=value` a line, in one step and for this user alone.
///
/// # Errors
/// The file cannot be written; the old one, if any, stays.
pub fn write(path: &Path, lookup: impl Fn(&str) -> Option<OsString>) -> io::Result<()> {
    let mut text = String::new();
    for name in SESSION_VARIABLES {
        let value = lookup(name).and_then(|value| value.into_string().ok());
        // A line break in a value would forge a second variable.
        if let Some(value) = value.filter(|value| !value.is_empty() && !value.contains(['\n', '\r'])) {
            text.push_str(name);
            text.push('=');
            text.push_str(&value);
            text.push('\n');
        }
    }
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    let written = write_private(&draft, &text).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // Nobody reads a draft; what cannot be removed is replaced next time.
        let _ = fs::remove_file(&draft);
    }
    written
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    // A draft of an earlier process with our number would keep its own mode.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn session(name: &str) -> Option<OsString> {
        match name {
            "DISPLAY" => Some(":7".into()),
            "DBUS_SESSION_BUS_ADDRESS" => Some("unix:path=/run/bus,guid=1".into()),
            "XAUTHORITY" => Some("/a\nDISPLAY=:9".into()),
            _ => None,
        }
    }

    #[test]
    fn set_variables_are_noted_for_this_user_alone() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("session-env");
        write(&path, session).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "DISPLAY=:7\nDBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus,guid=1\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "a draft was left");
    }

    #[test]
    fn a_new_session_replaces_the_old_one_whole() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("session-env");
        fs::write(&path, "WAYLAND_DISPLAY=wayland-0\n").unwrap();
        write(&path, session).unwrap();
        assert!(!fs::read_to_string(&path).unwrap().contains("WAYLAND"));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        assert!(write(&temp.path().join("no").join("session-env"), session).is_err());
    }
}
