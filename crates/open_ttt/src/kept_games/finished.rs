use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use open_ttt_players::TextRecord;

use crate::append::open_to_append;

/// The most finished games that are kept.
const MAX_GAMES: usize = 1000;
/// How many more are kept at times, so that the file isn't written anew for every game.
const SLACK: usize = 100;

/// Adds a game to the file with finished ones, and removes the oldest if there are too many.
pub(super) fn add(folder: &Path, record: &TextRecord) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let lock = File::create(folder.join("finished.lock"))?;
    lock.lock()?;
    let path = folder.join("finished.tsv");
    let mut file = open_to_append(&path)?;
    file.write_all(format!("{record}\n").as_bytes())?;
    let lines = || Ok::<_, io::Error>(BufReader::new(File::open(&path)?).split(b'\n'));
    let count = lines()?.count();
    if count <= MAX_GAMES + SLACK {
        return Ok(());
    }
    let anew = folder.join("finished.new");
    let mut output = BufWriter::new(File::create(&anew)?);
    for line in lines()?.skip(count - MAX_GAMES) {
        output.write_all(&line?)?;
        output.write_all(b"\n")?;
    }
    output.into_inner()?.sync_all()?;
    // Windows replaces no file that is open.
    drop(file);
    fs::rename(anew, path)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::{env, process};

    use super::*;

    #[test]
    fn the_oldest_games_make_room() {
        let folder = format!("open_ttt-finished-{}", process::id());
        let folder: PathBuf = env::temp_dir().join(folder);
        let record = |moves: &str| format!("ttt\thuman\thuman\t{moves}\t1-0 resigned");
        fs::create_dir_all(&folder).expect("a folder");
        let old = (record("a1") + "\n").repeat(MAX_GAMES + SLACK - 1);
        fs::write(folder.join("finished.tsv"), old).expect("a file");
        let lines = |moves: &str| {
            let new = record(moves).parse().expect("a record");
            add(&folder, &new).expect("a file");
            let text = fs::read_to_string(folder.join("finished.tsv")).expect("a file");
            let last = text.lines().next_back().map(str::to_owned);
            assert_eq!(last, Some(record(moves)));
            text.lines().count()
        };
        assert_eq!(lines("b1"), MAX_GAMES + SLACK);
        assert_eq!(lines("c1"), MAX_GAMES);
        assert_eq!(lines("a2"), MAX_GAMES + 1);
        // A full disk has taken a part of a line.
        let path = folder.join("finished.tsv");
        let text = fs::read_to_string(&path).expect("a file");
        fs::write(&path, text + "ttt\thuman\thum").expect("a file");
        assert_eq!(lines("b2"), MAX_GAMES + 3);
        fs::remove_dir_all(&folder).expect("the folder");
    }
}
