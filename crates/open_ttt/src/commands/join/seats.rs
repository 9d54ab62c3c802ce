use std::env;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;
use std::time::Duration;

use open_ttt_net::client::Link;
use open_ttt_net::matches::Seat;
use open_ttt_net::protocol::Token;
use serde::{Deserialize, Serialize};

/// How long the secret of a seat is kept that nobody asks for.
const KEEP: Duration = Duration::from_hours(90 * 24);

/// The longest file that is read, in bytes.
const LONGEST: u64 = 4096;

/// The seats that somebody has on matches elsewhere, each with its secret in a
/// file of its own that only they can read.
///
/// A file is locked while its seat is played, so that the same command in
/// another window takes the other seat.
#[derive(Debug)]
pub(super) struct Seats {
    folder: Option<PathBuf>,
    held: Option<File>,
}

/// What a file says.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    link: String,
    seat: Seat,
    token: Token,
}

impl Seats {
    pub(super) fn open() -> Self {
        Self {
            folder: folder(),
            held: None,
        }
    }

    fn path(&self, link: &Link, seat: Seat) -> Option<PathBuf> {
        let server = link.server();
        let host: String = server
            .host()
            .chars()
            .map(|c| if c == ':' { '_' } else { c })
            .collect();
        let name = format!("{host}_{}_{}_{seat}.json", server.port(), link.id());
        Some(self.folder.as_ref()?.join(name))
    }

    /// The secret of a seat of this match that nobody else plays now.
    pub(super) fn resume(&mut self, link: &Link) -> Option<Token> {
        Seat::ALL.into_iter().find_map(|seat| {
            let path = self.path(link, seat)?;
            let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
            file.try_lock().ok()?;
            let mut text = String::new();
            (&file).take(LONGEST).read_to_string(&mut text).ok()?;
            let kept: Kept = serde_json::from_str(&text).ok()?;
            let is_its = kept.link == link.to_string() && kept.seat == seat;
            is_its.then(|| {
                self.held = Some(file);
                kept.token
            })
        })
    }

    /// Keeps the secret of a seat, unless it is held already.
    ///
    /// # Errors
    ///
    /// If there is no place for it; the link still is.
    pub(super) fn keep(&mut self, link: &Link, seat: Seat) -> io::Result<()> {
        let (Some(token), None, Some(path)) = (link.token(), &self.held, self.path(link, seat))
        else {
            return Ok(());
        };
        let folder = path.parent().unwrap_or(&path);
        private_folder().create(folder)?;
        forget_old(folder);
        let mut file = private_file().open(&path)?;
        if file.try_lock().is_err() {
            // Another window has this very seat.
            return Ok(());
        }
        file.set_len(0)?;
        file.rewind()?;
        let kept = Kept {
            link: link.to_string(),
            seat,
            token: token.clone(),
        };
        let text = serde_json::to_string(&kept).map_err(io::Error::other)?;
        writeln!(file, "{text}")?;
        self.held = Some(file);
        Ok(())
    }
}

fn folder() -> Option<PathBuf> {
    let from = |name| env::var_os(name).map(PathBuf::from);
    let state = from("XDG_STATE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(from("HOME")?.join(".local/state")))
        .or_else(|| from("LOCALAPPDATA"))?;
    Some(state.join("open_ttt").join("seats"))
}

fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Removes what nobody has asked for in a long time. What cannot be removed
/// stays.
fn forget_old(folder: &std::path::Path) {
    let Ok(files) = fs::read_dir(folder) else {
        return;
    };
    for file in files.flatten() {
        let age = file
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|modified| modified.elapsed().ok());
        let is_seat = file.path().extension().is_some_and(|ext| ext == "json");
        if is_seat && age.is_some_and(|age| age > KEEP) {
            let _ = fs::remove_file(file.path());
        }
    }
}
