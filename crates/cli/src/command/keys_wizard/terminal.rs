//! The terminal that a person sits at, apart from stdin and stdout.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};

use lwa_protocol::Failure;
use lwa_registration::Hidden;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use crate::face;

/// More than a line of a terminal can hold.
const LINE: usize = 8192;
/// Ctrl+C, as a terminal sends it when it is no signal.
const INTERRUPT: u8 = 3;

/// Whether stdin is a terminal, so that somebody can be asked.
pub fn is_attended() -> bool {
    io::stdin().is_terminal()
}

/// Questions and answers. Nothing of them is on stdout or stderr.
pub struct Terminal {
    device: File,
}

impl Terminal {
    /// The terminal of this process.
    pub fn open() -> Result<Self, Failure> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(|error| failed(&error))?;
        Ok(Self { device })
    }

    /// One line, or several.
    pub fn say(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self.device, "{text}").map_err(|error| failed(&error))
    }

    /// Asks for yes or no; anything but a yes is a no. None when the input ended.
    pub fn ask(&mut self, question: &str) -> Result<Option<bool>, Failure> {
        self.write(&format!("{question} [y/N] "))?;
        let Some(answer) = self.read()? else {
            self.write("\n")?;
            return Ok(None);
        };
        let answer = answer.trim();
        Ok(Some(answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes")))
    }

    /// Asks for a secret without showing it. None when the input ended, or on Ctrl+C.
    ///
    /// The echo is off before the question appears, so that nobody can be too quick. Ctrl+C ends the line
    /// instead of the program, which would leave the terminal without its echo.
    pub fn secret(&mut self, question: &str) -> Result<Option<Hidden>, Failure> {
        let quiet = Quiet::new(&self.device)?;
        self.write(question)?;
        let line = self.read();
        drop(quiet);
        self.write("\n")?;
        Ok(line?.map(|line| Hidden::new(line.trim())))
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.device.write_all(text.as_bytes()).and_then(|()| self.device.flush()).map_err(|error| failed(&error))
    }

    /// One line. A terminal gives one line at a time, so that nothing of the next one is taken.
    fn read(&mut self) -> Result<Option<Zeroizing<String>>, Failure> {
        let mut bytes = Zeroizing::new(vec![0_u8; LINE]);
        let length = loop {
            match self.device.read(&mut bytes) {
                Ok(length) => break length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&error)),
            }
        };
        let line = bytes.get(..length).unwrap_or_default();
        if length == 0 || line.contains(&INTERRUPT) {
            return Ok(None);
        }
        Ok(Some(Zeroizing::new(String::from_utf8_lossy(line).trim_end_matches(['\r', '\n']).to_owned())))
    }
}

/// A terminal without echo, until it is dropped.
struct Quiet {
    device: File,
    before: Termios,
}

impl Quiet {
    fn new(device: &File) -> Result<Self, Failure> {
        let device = device.try_clone().map_err(|error| failed(&error))?;
        let before = tcgetattr(&device).map_err(|error| failed(&error))?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ISIG;
        quiet.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
        tcsetattr(&device, OptionalActions::Now, &quiet).map_err(|error| failed(&error))?;
        Ok(Self { device, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.device, OptionalActions::Now, &self.before);
    }
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    face::internal(&format!("cannot use the terminal: {error}"))
}
