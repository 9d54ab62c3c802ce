use std::io::{self, BufRead, Read};

/// A line of input, read with a limit on its length.
///
/// ```
/// use open_ttt_app::InputLine;
///
/// let mut input = "b2\nlonger\n".as_bytes();
/// assert_eq!(InputLine::read(&mut input, 5)?, InputLine::Text("b2".to_owned()));
/// assert_eq!(InputLine::read(&mut input, 5)?, InputLine::TooLong);
/// assert_eq!(InputLine::read(&mut input, 5)?, InputLine::EndOfInput);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    /// The text, without its line feed.
    Text(String),
    /// The line exceeds the limit; all of it has been skipped.
    TooLong,
    /// The line is not valid UTF-8.
    NotUtf8,
    /// There are no more lines.
    EndOfInput,
}

impl InputLine {
    /// The limit of [`Console`](crate::Console), in bytes.
    pub const CONSOLE_LIMIT: usize = 4096;

    /// Reads to the end of a line and keeps at most `max_bytes` of it in memory.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn read(input: &mut impl BufRead, max_bytes: usize) -> io::Result<Self> {
        let mut line = Vec::new();
        let with_line_feed = max_bytes as u64 + 1;
        Read::take(&mut *input, with_line_feed).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(Self::EndOfInput);
        }
        if line.ends_with(b"\n") {
            line.pop();
        } else if line.len() > max_bytes {
            input.skip_until(b'\n')?;
            return Ok(Self::TooLong);
        }
        Ok(String::from_utf8(line).map_or(Self::NotUtf8, Self::Text))
    }
}
