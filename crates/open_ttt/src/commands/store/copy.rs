use std::io::{self, Write};
use std::path::{Path, PathBuf};

use open_ttt_catalog::Catalog;
use open_ttt_net::log::{SqliteFile, SqliteOpenError};

use super::check::Contents;
use crate::commands::progress_bar;
use crate::failure::{Failure, path_text};

/// Copy the matches of a server, also while it runs
///
/// The copy is a single file with all moves acknowledged before. It is checked like
/// store check does; the exit status is 1 if something is damaged.
#[derive(Debug, clap::Args)]
pub(super) struct BackupArgs {
    /// The file of the server
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The new copy
    #[arg(value_name = "TO")]
    to: PathBuf,
    /// Replace an existing copy
    #[arg(long)]
    force: bool,
}

/// Put a backup in the place of a server's file
///
/// Stop the server before. The backup stays, and is checked like store check does; the
/// exit status is 1 if something is damaged.
#[derive(Debug, clap::Args)]
pub(super) struct RestoreArgs {
    /// The backup
    #[arg(value_name = "BACKUP")]
    backup: PathBuf,
    /// The file of the server
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace an existing file and its moves
    #[arg(long)]
    force: bool,
}

pub(super) fn backup(args: &BackupArgs, catalog: &Catalog) -> Result<(), Failure> {
    let contents = copy(&args.file, &args.to, args.force, catalog)?;
    report("Backed up", &contents, &args.to)
}

pub(super) fn restore(args: &RestoreArgs, catalog: &Catalog) -> Result<(), Failure> {
    let contents = copy(&args.backup, &args.file, args.force, catalog)?;
    report("Restored", &contents, &args.file)
}

/// Copies a file and checks the copy.
fn copy(from: &Path, to: &Path, force: bool, catalog: &Catalog) -> Result<Contents, Failure> {
    let file = SqliteFile::open(from).map_err(Failure::failed)?;
    let bar = progress_bar(0, "copying {wide_bar} {percent} %");
    let progress = |pages: u64, all: u64| {
        bar.set_length(all);
        bar.set_position(pages);
    };
    let copied = if force {
        file.copy_over(to, progress)
    } else {
        file.copy_to(to, progress)
    };
    bar.finish_and_clear();
    copied.map_err(|error| match error {
        SqliteOpenError::Exists(_) => {
            let to = path_text(to);
            Failure::failed(format_args!("{to} exists already; replace it with --force"))
        }
        error => Failure::failed(error),
    })?;
    let copy = SqliteFile::open(to).map_err(Failure::failed)?;
    Contents::of(&copy, catalog)
}

fn report(done: &str, contents: &Contents, to: &Path) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    writeln!(output, "{done} {} to {}", contents.amount(), path_text(to))?;
    output.flush()?;
    contents.verdict(to)
}
