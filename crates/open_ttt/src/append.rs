use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Opens a file to append lines to it, and makes it if there is none. A last line without its
/// end, of a full disk or a program that was killed, gets one, so that it does not corrupt the
/// next line.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).append(true).create(true).open(path)?;
    if file.metadata()?.is_file() && file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}
