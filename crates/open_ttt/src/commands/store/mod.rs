mod check;
mod copy;

use clap::Subcommand;
use open_ttt_catalog::Catalog;

use check::CheckArgs;
use copy::{BackupArgs, RestoreArgs};

use crate::failure::Failure;

/// Check, back up and restore the file with the matches of a server
///
/// The file is the one of serve --store. With NATS, use the tools of NATS.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    Check(CheckArgs),
    Backup(BackupArgs),
    Restore(RestoreArgs),
}

pub(crate) fn run(args: &StoreArgs, catalog: &Catalog) -> Result<(), Failure> {
    match &args.command {
        StoreCommand::Check(args) => check::run(args, catalog),
        StoreCommand::Backup(args) => copy::backup(args, catalog),
        StoreCommand::Restore(args) => copy::restore(args, catalog),
    }
}
