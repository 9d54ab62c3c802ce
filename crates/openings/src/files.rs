use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Opens a file to which lines are appended, and reads those that earlier runs have
/// written. A last line that was not written to its end is removed.
pub(crate) fn open_lines<T>(
    path: &Path,
    expected: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> io::Result<(File, Vec<T>)> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).append(true).create(true).open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        file.set_len(whole as u64)?;
    }
    let lines = (1..).zip(text[..whole].lines());
    let parsed = lines.map(|(number, line)| {
        parse(line).ok_or_else(|| {
            let message = format!("{}, line {number}: expected {expected}", path.display());
            io::Error::new(ErrorKind::InvalidData, message)
        })
    });
    let parsed = parsed.collect::<io::Result<_>>()?;
    Ok((file, parsed))
}

/// Writes a file that a library includes. It is replaced as a whole: the library would not
/// build with half of it.
pub(crate) fn replace(path: &Path, bytes: Vec<u8>) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, bytes)?;
    fs::rename(new, path)
}
