use std::io::{self, BufRead, Empty, IsTerminal, StdinLock, Stdout, Write};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use open_ttt_lib::rules::{Outcome, Picture, quoted};
use terminal_size::{Height, Width};
use thiserror::Error;

use crate::draw::{BoardText, Size};
use crate::{InputLine, is_closed_pipe, winning_lines};

/// The longest echo of an answer, in characters.
const MAX_ECHO: usize = 60;

/// Prints questions and reads answers, on a terminal or from a script.
///
/// # Errors
///
/// All that prints fails if writing fails.
///
/// ```
/// use open_ttt_app::{Console, SessionEnd};
///
/// let mut output = Vec::new();
/// let mut console = Console::scripted("ten\n7\n".as_bytes(), &mut output);
/// console.print("How many?")?;
/// let count: u32 = console.choose("Type a number", |text| {
///     text.parse().map_err(|_| "That isn't a number.".to_owned())
/// })?;
/// assert_eq!(count, 7);
/// assert_eq!(output, b"How many?\n> ten\nThat isn't a number.\n> 7\n");
/// # Ok::<(), SessionEnd>(())
/// ```
#[derive(Debug)]
pub struct Console<R, W> {
    input: R,
    output: W,
    /// Whether the console prints each answer, so that a transcript reads like a
    /// terminal session.
    echoes: bool,
    /// Whether the output is a terminal, on which progress can be overwritten.
    on_terminal: bool,
    /// Whether boards are coloured.
    coloured: bool,
}

/// Why a session ends before its games are over.
#[derive(Debug, Error)]
pub enum SessionEnd {
    /// The player quits.
    #[error("the player quit")]
    Quit,
    /// There is no more input.
    #[error("the input ended")]
    EndOfInput,
    /// Reading or writing failed.
    #[error("reading or writing failed")]
    Failed(#[from] io::Error),
}

impl Console<StdinLock<'static>, AutoStream<Stdout>> {
    /// A console on standard input and output.
    ///
    /// Boards are coloured if the terminal supports it and `NO_COLOR` is not
    /// set, and are drawn to fit the terminal.
    pub fn terminal() -> Self {
        Self::standard(io::stdin().lock())
    }
}

impl Console<Empty, AutoStream<Stdout>> {
    /// A console on standard output, for a program that reads standard input
    /// itself and passes each line to [`accept`](Self::accept).
    pub fn output_only() -> Self {
        Self::standard(io::empty())
    }
}

impl<R> Console<R, AutoStream<Stdout>> {
    fn standard(input: R) -> Self {
        Self {
            input,
            // Removes the colours if the terminal does not support them.
            // Standard output is not locked: a player's thread may print.
            output: anstream::stdout(),
            echoes: !io::stdin().is_terminal(),
            on_terminal: io::stdout().is_terminal(),
            coloured: true,
        }
    }
}

#[expect(clippy::missing_errors_doc, reason = "all that prints can fail")]
impl<R: BufRead, W: Write> Console<R, W> {
    /// A console that takes its answers from the lines of `input` and writes a
    /// transcript without colours to `output`.
    pub fn scripted(input: R, output: W) -> Self {
        Self {
            input,
            output,
            echoes: true,
            on_terminal: false,
            coloured: false,
        }
    }

    /// The current size of the terminal, or the default size without one.
    pub fn size(&self) -> Size {
        match terminal_size::terminal_size() {
            Some((Width(columns), Height(rows))) if self.on_terminal => Size { columns, rows },
            _ => Size::default(),
        }
    }

    /// Prints a line.
    pub fn print(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    /// Prints a board, coloured if the console is.
    pub fn print_board(&mut self, board: &BoardText) -> io::Result<()> {
        if self.coloured {
            write!(self.output, "{}", board.coloured())
        } else {
            write!(self.output, "{board}")
        }
    }

    /// Prints by which places a game is won, where the board can't show them in colour.
    pub fn print_winning_lines<M>(
        &mut self,
        picture: &Picture<M>,
        outcome: Outcome,
    ) -> io::Result<()> {
        let shows_colors = self.coloured && AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        match winning_lines(picture, outcome).filter(|_| !shows_colors) {
            Some(text) => self.print(&text),
            None => Ok(()),
        }
    }

    /// Prints the prompt `> `.
    pub fn prompt(&mut self) -> io::Result<()> {
        self.output.write_all(b"> ")?;
        self.output.flush()
    }

    /// Leaves an unanswered prompt: the next output overwrites it on a terminal,
    /// and starts a new line in a transcript.
    pub fn abandon_prompt(&mut self) -> io::Result<()> {
        self.output
            .write_all(if self.on_terminal { b"\r" } else { b"\n" })
    }

    /// Prompts until a line of text is entered; returns it without surrounding
    /// white space.
    ///
    /// # Errors
    ///
    /// [`SessionEnd::EndOfInput`] if there are no more lines,
    /// [`SessionEnd::Failed`] if reading or writing fails.
    pub fn read_text(&mut self) -> Result<String, SessionEnd> {
        loop {
            self.prompt()?;
            let line = InputLine::read(&mut self.input, InputLine::CONSOLE_LIMIT)?;
            if let Some(text) = self.accept(line)? {
                return Ok(text);
            }
        }
    }

    /// The text of a line entered at the prompt, without surrounding white
    /// space. If the line is not text, says so and returns `None`.
    ///
    /// # Errors
    ///
    /// [`SessionEnd::EndOfInput`] if there are no more lines,
    /// [`SessionEnd::Failed`] if writing fails.
    pub fn accept(&mut self, line: InputLine) -> Result<Option<String>, SessionEnd> {
        match &line {
            InputLine::EndOfInput => self.print("")?,
            _ if !self.echoes => {}
            InputLine::Text(text) => self.print(&printable(text.trim(), MAX_ECHO))?,
            InputLine::TooLong | InputLine::NotUtf8 => self.print("...")?,
        }
        match line {
            InputLine::Text(text) => return Ok(Some(text.trim().to_owned())),
            InputLine::TooLong => {
                let limit = InputLine::CONSOLE_LIMIT;
                self.print(&format!("That line is longer than {limit} bytes."))?;
            }
            InputLine::NotUtf8 => self.print("That line isn't valid UTF-8.")?,
            InputLine::EndOfInput => return Err(SessionEnd::EndOfInput),
        }
        Ok(None)
    }

    /// Prompts until `parse` accepts the answer; its errors are printed as they
    /// are.
    ///
    /// `quit` ends the session and `help` prints `help`.
    ///
    /// # Errors
    ///
    /// [`SessionEnd::Quit`], and those of [`read_text`](Self::read_text).
    pub fn choose<T>(
        &mut self,
        help: &str,
        mut parse: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<T, SessionEnd> {
        loop {
            let text = self.read_text()?;
            let word = text.to_lowercase();
            match &*word {
                "quit" | "exit" => return Err(SessionEnd::Quit),
                "help" | "?" => self.print(help)?,
                _ => match parse(&text) {
                    Ok(choice) => return Ok(choice),
                    // `q` can be a choice or the start of one.
                    Err(_) if word == "q" => return Err(SessionEnd::Quit),
                    Err(message) => self.print(&message)?,
                },
            }
        }
    }

    /// Prompts until one of two words, or the start of one, is entered.
    ///
    /// # Errors
    ///
    /// As for [`choose`](Self::choose).
    pub fn choose_word<T: Copy>(
        &mut self,
        help: &str,
        choices: [(&str, T); 2],
    ) -> Result<T, SessionEnd> {
        let words = choices.map(|(word, _)| word);
        self.choose(help, |text| match find_option(text, &words) {
            Some(index) => Ok(choices[index].1),
            None => Err(format!("{} isn't {}.", quoted(text), words.join(" or "))),
        })
    }

    /// Prints a numbered list and prompts until one of its options is entered by
    /// number or by the start of its name; returns its index.
    ///
    /// ```
    /// use open_ttt_app::{Console, SessionEnd};
    ///
    /// let mut output = Vec::new();
    /// let mut console = Console::scripted("r\n".as_bytes(), &mut output);
    /// assert_eq!(console.choose_numbered(&["Play", "Rules"])?, 1);
    /// assert_eq!(output, b"1 Play\n2 Rules\n> r\n");
    /// # Ok::<(), SessionEnd>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`choose`](Self::choose).
    pub fn choose_numbered(&mut self, options: &[impl AsRef<str>]) -> Result<usize, SessionEnd> {
        self.print_numbered(options)?;
        let count = options.len();
        let help = format!("Type a number from 1 to {count}, or the start of a name");
        self.choose(&help, |text| {
            numbered(text, count)
                .or_else(|| find_option(text, options))
                .ok_or_else(|| {
                    let text = quoted(text);
                    format!("{text} isn't on the list. Type a number from 1 to {count}.")
                })
        })
    }

    /// Prints options, each with its number, from 1.
    pub fn print_numbered(&mut self, options: &[impl AsRef<str>]) -> io::Result<()> {
        for (index, option) in options.iter().enumerate() {
            self.print(&format!("{} {}", index + 1, option.as_ref()))?;
        }
        Ok(())
    }

    /// Prints the last line of a session.
    ///
    /// # Errors
    ///
    /// If the session failed, or writing fails. A closed pipe is not an error.
    pub fn finish(&mut self, session: Result<(), SessionEnd>) -> io::Result<()> {
        let printed = match session {
            Ok(()) | Err(SessionEnd::Quit) => self.print("Goodbye"),
            Err(SessionEnd::EndOfInput) => self.print("Input ended. Goodbye"),
            Err(SessionEnd::Failed(error)) => Err(error),
        };
        match printed.and_then(|()| self.output.flush()) {
            Err(error) if is_closed_pipe(&error) => Ok(()),
            finished => finished,
        }
    }

    /// Shows for how long a player has been thinking, on a line that the next
    /// call and [`clear_thinking`](Self::clear_thinking) overwrite.
    pub(crate) fn show_thinking(&mut self, name: &str, elapsed: Duration) -> io::Result<()> {
        if !self.on_terminal {
            return Ok(());
        }
        let seconds = elapsed.as_secs_f32();
        write!(self.output, "\r{name} is thinking… {seconds:.1} s")?;
        self.output.flush()
    }

    pub(crate) fn clear_thinking(&mut self, name: &str) -> io::Result<()> {
        if !self.on_terminal {
            return Ok(());
        }
        let width = name.chars().count() + " is thinking… 100000.0 s".len();
        write!(self.output, "\r{:width$}\r", "")
    }
}

/// The index of the number `text` in a list that starts with 1.
fn numbered(text: &str, count: usize) -> Option<usize> {
    let index = text.parse::<usize>().ok()?.checked_sub(1)?;
    (index < count).then_some(index)
}

/// The index of the only option that `text` is, or starts; case is ignored.
fn find_option(text: &str, options: &[impl AsRef<str>]) -> Option<usize> {
    let text = text.to_lowercase();
    let matching = |fits: &dyn Fn(&str) -> bool| {
        let mut indices =
            (0..options.len()).filter(|&index| fits(&options[index].as_ref().to_lowercase()));
        indices.next().filter(|_| indices.next().is_none())
    };
    matching(&|option| option == text)
        .or_else(|| matching(&|option| !text.is_empty() && option.starts_with(&text)))
}

/// At most `max_chars` of a text, with control characters escaped.
///
/// ```
/// use open_ttt_app::printable;
///
/// assert_eq!(printable("a\u{7}bcd", 3), "a\\u{7}b...");
/// ```
pub fn printable(text: &str, max_chars: usize) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(max_chars) {
        match letter {
            '"' | '\'' | '\\' => shown.push(letter),
            _ => shown.extend(letter.escape_debug()),
        }
    }
    if text.chars().nth(max_chars).is_some() {
        shown.push_str("...");
    }
    shown
}
