use std::io::{self, BufRead, ErrorKind, Write};
use std::time::Duration;

use crate::draw::Drawn;

/// How many bytes of a line are read; the rest of a longer one is passed over.
const LONGEST_LINE: usize = 4096;

/// How many characters of an answer are shown again.
const LONGEST_ECHO: usize = 60;

/// Where questions are asked and answers read: a terminal or a script.
#[derive(Debug)]
pub(crate) struct Console<R, W> {
    pub(crate) input: R,
    pub(crate) output: W,
    pub(crate) palette: Palette,
    pub(crate) echo: Echo,
    pub(crate) spinner: Spinner,
}

/// Whether boards have colours.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Palette {
    Plain,
    Coloured,
}

/// Who shows what is typed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Echo {
    /// The terminal does.
    Terminal,
    /// Nobody else does, so the console writes it, and a record of the
    /// session reads like a terminal's.
    Console,
}

/// Whether a line shows that the computer is thinking.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spinner {
    Shown,
    Hidden,
}

/// Why a session ends before its games are over.
#[derive(Debug)]
pub(crate) enum Leave {
    /// The player wants to.
    Quit,
    /// Nobody is there any more to answer.
    EndOfInput,
    /// Reading or writing failed.
    Failed(io::Error),
}

impl From<io::Error> for Leave {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl<R: BufRead, W: Write> Console<R, W> {
    /// Writes a line.
    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    pub(crate) fn show(&mut self, board: &Drawn) -> io::Result<()> {
        match self.palette {
            Palette::Plain => write!(self.output, "{board}"),
            Palette::Coloured => write!(self.output, "{}", board.coloured()),
        }
    }

    /// Asks with `> ` until a line comes that is text.
    pub(crate) fn ask(&mut self) -> Result<String, Leave> {
        loop {
            self.output.write_all(b"> ")?;
            self.output.flush()?;
            let read = read_line(&mut self.input)?;
            match (&read, self.echo) {
                (Read::End, _) => self.say("")?,
                (_, Echo::Terminal) => {}
                (Read::Text(text), Echo::Console) => self.say(&clean(text, LONGEST_ECHO))?,
                (Read::TooLong | Read::NotText, Echo::Console) => self.say("...")?,
            }
            match read {
                Read::Text(text) => return Ok(text),
                Read::TooLong => {
                    self.say(&format!("That line is longer than {LONGEST_LINE} bytes"))?;
                }
                Read::NotText => self.say("That line is not text in UTF-8")?,
                Read::End => return Err(Leave::EndOfInput),
            }
        }
    }

    /// Shows for how long somebody has been thinking, in a line that the next
    /// such line and [`stop_spinning`](Self::stop_spinning) write over.
    pub(crate) fn spin(&mut self, name: &str, elapsed: Duration) -> io::Result<()> {
        match self.spinner {
            Spinner::Hidden => Ok(()),
            Spinner::Shown => {
                let seconds = elapsed.as_secs_f32();
                write!(self.output, "\r{name} is thinking… {seconds:.1} s")?;
                self.output.flush()
            }
        }
    }

    pub(crate) fn stop_spinning(&mut self, name: &str) -> io::Result<()> {
        match self.spinner {
            Spinner::Hidden => Ok(()),
            Spinner::Shown => {
                let blank = name.chars().count() + " is thinking… 100000.0 s".len();
                write!(self.output, "\r{:blank$}\r", "")
            }
        }
    }
}

enum Read {
    Text(String),
    TooLong,
    NotText,
    End,
}

/// Reads to the end of a line, however long it is, and keeps no more of it
/// than may be needed.
fn read_line(input: &mut impl BufRead) -> io::Result<Read> {
    let mut line = Vec::new();
    let mut length = 0_usize;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            if length == 0 {
                return Ok(Read::End);
            }
            break;
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let room = LONGEST_LINE - line.len();
        line.extend_from_slice(&part[..part.len().min(room)]);
        length = length.saturating_add(part.len());
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(if length > LONGEST_LINE {
        Read::TooLong
    } else {
        String::from_utf8(line).map_or(Read::NotText, |text| Read::Text(text.trim().to_owned()))
    })
}

/// Text from outside made fit to be shown: shortened, and with everything
/// that could steer a terminal written out.
pub(crate) fn clean(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(longest) {
        match letter {
            '"' | '\'' | '\\' => shown.push(letter),
            _ => shown.extend(letter.escape_debug()),
        }
    }
    if text.chars().nth(longest).is_some() {
        shown.push_str("...");
    }
    shown
}
