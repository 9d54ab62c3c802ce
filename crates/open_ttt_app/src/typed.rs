use std::io::{self, BufRead, ErrorKind};

/// A line that was typed.
///
/// ```
/// use open_ttt_app::Typed;
///
/// let mut input = " b2 \n".as_bytes();
/// assert_eq!(Typed::read(&mut input)?, Typed::Text("b2".to_owned()));
/// assert_eq!(Typed::read(&mut input)?, Typed::End);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Text, without the blanks around it.
    Text(String),
    /// More than [`LONGEST`](Self::LONGEST) bytes, which are passed over.
    TooLong,
    /// No UTF-8.
    NotText,
    /// The end of the input.
    End,
}

impl Typed {
    /// The longest line that is taken, in bytes.
    pub const LONGEST: usize = 4096;

    /// Reads to the end of a line, however long it is, and keeps no more of it
    /// than may be needed.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn read(input: &mut impl BufRead) -> io::Result<Self> {
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
                    return Ok(Self::End);
                }
                break;
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let room = Self::LONGEST - line.len();
            line.extend_from_slice(&part[..part.len().min(room)]);
            length = length.saturating_add(part.len());
            let used = part.len() + usize::from(end.is_some());
            input.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(if length > Self::LONGEST {
            Self::TooLong
        } else {
            String::from_utf8(line).map_or(Self::NotText, |text| Self::Text(text.trim().to_owned()))
        })
    }
}
