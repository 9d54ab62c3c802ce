use core::error::Error;
use core::fmt;
use std::io::{self, BufRead, Empty, ErrorKind, IsTerminal, StdinLock, Stdout, Write};
use std::time::Duration;

use anstream::AutoStream;
use terminal_size::{Height, Width};

use crate::Typed;
use crate::draw::{Drawn, Size};

/// How many characters of an answer are shown again.
const LONGEST_ECHO: usize = 60;

/// Where questions are asked and answers read: a terminal or a script.
///
/// ```
/// use open_ttt_app::{Console, Leave};
///
/// let mut output = Vec::new();
/// let mut console = Console::scripted("ten\n7\n".as_bytes(), &mut output);
/// console.say("How many?")?;
/// let count: u32 = console.choose("Write a number", |text| {
///     text.parse().map_err(|_| "That is no number".to_owned())
/// })?;
/// assert_eq!(count, 7);
/// assert_eq!(output, b"How many?\n> ten\nThat is no number\n> 7\n");
/// # Ok::<(), Leave>(())
/// ```
#[derive(Debug)]
pub struct Console<R, W> {
    input: R,
    output: W,
    palette: Palette,
    echo: Echo,
    screen: Screen,
}

/// Whether boards have colours.
#[derive(Clone, Copy, Debug)]
enum Palette {
    Plain,
    Coloured,
}

/// Who shows what is typed.
#[derive(Clone, Copy, Debug)]
enum Echo {
    /// The terminal does.
    Terminal,
    /// Nobody else does, so the console writes it, and a record of the
    /// session reads like a terminal's.
    Console,
}

/// Who looks at what is written.
#[derive(Clone, Copy, Debug)]
enum Screen {
    /// Somebody, now: a line shows that the computer is thinking.
    Terminal,
    /// Nobody until later.
    Record,
}

/// Why a session ends before its games are over.
#[derive(Debug)]
pub enum Leave {
    /// The player wants to.
    Quit,
    /// Nobody is there any more to answer.
    EndOfInput,
    /// Reading or writing failed.
    Failed(io::Error),
}

impl fmt::Display for Leave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quit => f.write_str("the player has left"),
            Self::EndOfInput => f.write_str("the input has ended"),
            Self::Failed(_) => f.write_str("the terminal failed"),
        }
    }
}

impl Error for Leave {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Quit | Self::EndOfInput => None,
            Self::Failed(error) => Some(error),
        }
    }
}

impl From<io::Error> for Leave {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Console<StdinLock<'static>, AutoStream<Stdout>> {
    /// The terminal: standard input and output.
    ///
    /// Boards have colours where the terminal has them and `NO_COLOR` is not
    /// set, and are drawn to fit its size.
    pub fn terminal() -> Self {
        Console::output().reading(io::stdin().lock())
    }
}

impl Console<Empty, AutoStream<Stdout>> {
    /// The terminal, for a program that reads standard input itself: as
    /// [`Typed`], elsewhere, because it waits for other things too.
    pub fn output() -> Self {
        Self {
            echo: if io::stdin().is_terminal() {
                Echo::Terminal
            } else {
                Echo::Console
            },
            screen: if io::stdout().is_terminal() {
                Screen::Terminal
            } else {
                Screen::Record
            },
            input: io::empty(),
            // Takes the colours out again where they are not wanted.
            // It is not locked: a player's thread may want to print.
            output: anstream::stdout(),
            palette: Palette::Coloured,
        }
    }

    fn reading<R>(self, input: R) -> Console<R, AutoStream<Stdout>> {
        Console {
            input,
            output: self.output,
            palette: self.palette,
            echo: self.echo,
            screen: self.screen,
        }
    }
}

impl<R: BufRead, W: Write> Console<R, W> {
    /// A session by script: the lines of `input` are what is typed, and all
    /// that a terminal would show goes to `output`, without colours.
    pub fn scripted(input: R, output: W) -> Self {
        Self {
            input,
            output,
            palette: Palette::Plain,
            echo: Echo::Console,
            screen: Screen::Record,
        }
    }

    /// How large the terminal is now; without one, that of an old terminal.
    pub fn size(&self) -> Size {
        let terminal = match self.screen {
            Screen::Terminal => terminal_size::terminal_size(),
            Screen::Record => None,
        };
        terminal.map_or_else(Size::default, |(Width(columns), Height(rows))| Size {
            columns,
            rows,
        })
    }

    /// Writes a line.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    /// Writes a board, in colours where there are any.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn show(&mut self, board: &Drawn) -> io::Result<()> {
        match self.palette {
            Palette::Plain => write!(self.output, "{board}"),
            Palette::Coloured => write!(self.output, "{}", board.coloured()),
        }
    }

    /// Asks with `> ` until a line comes that is text.
    ///
    /// # Errors
    ///
    /// [`Leave::EndOfInput`] when there are no more lines, [`Leave::Failed`]
    /// when reading or writing fails.
    pub fn ask(&mut self) -> Result<String, Leave> {
        loop {
            self.prompt()?;
            let typed = Typed::read(&mut self.input)?;
            if let Some(text) = self.take(typed)? {
                return Ok(text);
            }
        }
    }

    /// Writes the `> ` behind which an answer is typed.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn prompt(&mut self) -> io::Result<()> {
        self.output.write_all(b"> ")?;
        self.output.flush()
    }

    /// Leaves a prompt without an answer, to say something else first.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn interrupt(&mut self) -> io::Result<()> {
        match self.screen {
            // What is said next is written over it.
            Screen::Terminal => self.output.write_all(b"\r"),
            Screen::Record => self.say(""),
        }
    }

    /// The text that was typed behind a prompt; if it was none, says what is
    /// wrong.
    ///
    /// # Errors
    ///
    /// [`Leave::EndOfInput`] when there are no more lines, [`Leave::Failed`]
    /// when writing fails.
    pub fn take(&mut self, typed: Typed) -> Result<Option<String>, Leave> {
        match (&typed, self.echo) {
            (Typed::End, _) => self.say("")?,
            (_, Echo::Terminal) => {}
            (Typed::Text(text), Echo::Console) => self.say(&clean(text, LONGEST_ECHO))?,
            (Typed::TooLong | Typed::NotText, Echo::Console) => self.say("...")?,
        }
        match typed {
            Typed::Text(text) => return Ok(Some(text)),
            Typed::TooLong => {
                let longest = Typed::LONGEST;
                self.say(&format!("That line is longer than {longest} bytes"))?;
            }
            Typed::NotText => self.say("That line is not text in UTF-8")?,
            Typed::End => return Err(Leave::EndOfInput),
        }
        Ok(None)
    }

    /// Asks until `read` can make something of the answer; where it cannot,
    /// it gives the reason, one sentence.
    ///
    /// `quit` leaves and `help` says `help`, wherever one is asked.
    ///
    /// # Errors
    ///
    /// [`Leave::Quit`], and as for [`ask`](Self::ask).
    pub fn choose<T>(
        &mut self,
        help: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Leave> {
        loop {
            let text = self.ask()?;
            let word = text.to_lowercase();
            match &*word {
                "quit" | "exit" => return Err(Leave::Quit),
                "help" | "?" => self.say(help)?,
                _ => match read(&text) {
                    Ok(choice) => return Ok(choice),
                    // Only where the letter has no other meaning.
                    Err(_) if word == "q" => return Err(Leave::Quit),
                    Err(sentence) => self.say(&sentence)?,
                },
            }
        }
    }

    /// Ends a session: says goodbye, or that the input has ended.
    ///
    /// # Errors
    ///
    /// If the session failed, or writing does. A reader of the output that has
    /// gone away is no failure, but the end.
    pub fn end(&mut self, session: Result<(), Leave>) -> io::Result<()> {
        let ended = match session {
            Ok(()) | Err(Leave::Quit) => self.say("Goodbye"),
            Err(Leave::EndOfInput) => self.say("The input has ended, and so does the game"),
            Err(Leave::Failed(error)) => Err(error),
        };
        match ended.and_then(|()| self.output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            ended => ended,
        }
    }

    /// Shows for how long somebody has been thinking, in a line that the next
    /// such line and [`stop_spinning`](Self::stop_spinning) write over.
    pub(crate) fn spin(&mut self, name: &str, elapsed: Duration) -> io::Result<()> {
        match self.screen {
            Screen::Record => Ok(()),
            Screen::Terminal => {
                let seconds = elapsed.as_secs_f32();
                write!(self.output, "\r{name} is thinking… {seconds:.1} s")?;
                self.output.flush()
            }
        }
    }

    pub(crate) fn stop_spinning(&mut self, name: &str) -> io::Result<()> {
        match self.screen {
            Screen::Record => Ok(()),
            Screen::Terminal => {
                let blank = name.chars().count() + " is thinking… 100000.0 s".len();
                write!(self.output, "\r{:blank$}\r", "")
            }
        }
    }
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
