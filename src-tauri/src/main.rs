//! The desktop app; see the library for everything it does.

fn main() -> std::process::ExitCode {
    lwa_desktop_lib::run()
}
