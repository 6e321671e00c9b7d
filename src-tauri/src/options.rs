//! What can be said on the command line.

use clap::Parser;

/// How the app starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Parser)]
#[command(name = "lwa-desktop", version, about = "The desktop app of Lwa: tray, windows and notifications.")]
pub struct Options {
    /// Start in the tray, without a window.
    #[arg(long)]
    pub hidden: bool,
    /// Open the approval window instead of the main window.
    #[arg(long)]
    pub approval: bool,
    /// Open no window by itself, whatever happens; the tray and a second start still do.
    #[arg(long)]
    pub no_windows: bool,
}

impl Options {
    /// Reads the arguments that a second start handed over.
    ///
    /// They were accepted by the same program, so what cannot be read is a plain start.
    pub fn of_second_start(arguments: Vec<String>) -> Self {
        Self::try_parse_from(arguments).unwrap_or_default()
    }

    /// Whether the main window opens at the start.
    pub const fn wants_main(&self) -> bool {
        !(self.hidden || self.approval || self.no_windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_start_opens_the_main_window_and_each_option_keeps_it_closed() {
        assert!(Options::parse_from(["lwa-desktop"]).wants_main());
        for option in ["--hidden", "--approval", "--no-windows"] {
            assert!(!Options::parse_from(["lwa-desktop", option]).wants_main(), "{option}");
        }
    }

    #[test]
    fn a_misspelt_option_is_refused_with_the_nearest_one() {
        let error = Options::try_parse_from(["lwa-desktop", "--hiden"]).unwrap_err();
        assert!(error.to_string().contains("--hidden"), "{error}");
    }
}
