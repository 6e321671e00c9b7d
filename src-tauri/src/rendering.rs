//! Keeps `WebKit` on Linux from drawing blank windows with some graphics drivers.

/// Starts this program once more with `WebKit`'s direct buffers off, unless the user chose already.
///
/// The variable has to be there before GTK starts. Setting it in a running process is not safe, and
/// replacing the process by itself is: same process number, same arguments, a few milliseconds.
#[cfg(target_os = "linux")]
pub fn avoid_blank_windows() {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

    if std::env::var_os(SWITCH).is_some() {
        return;
    }
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => {
            tracing::warn!("`{SWITCH}` stays unset, because this program cannot find itself: {error}");
            return;
        }
    };
    tracing::info!("`{SWITCH}` is set to 1; set it yourself, to 0 if you like, to choose otherwise");
    let mut arguments = std::env::args_os();
    let mut command = Command::new(own);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    let error = command.args(arguments).env(SWITCH, "1").exec();
    tracing::warn!("`{SWITCH}` stays unset, because this program cannot start itself again: {error}");
}

/// Nothing to avoid here.
#[cfg(not(target_os = "linux"))]
pub const fn avoid_blank_windows() {}
