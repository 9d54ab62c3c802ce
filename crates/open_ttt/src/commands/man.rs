use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Command;
use clap_mangen::{Man, generate_to};

use crate::failure::Failure;

/// Print the man page
///
/// Read it with: open_ttt man | man -l -
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Write the page, and one for each command, to this folder instead
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &ManArgs, program: Command) -> Result<(), Failure> {
    if let Some(folder) = &args.dir {
        let written = fs::create_dir_all(folder).and_then(|()| generate_to(program, folder));
        return written.map_err(Failure::file("write", folder));
    }
    let mut page = Vec::new();
    Man::new(program).render(&mut page)?;
    Ok(io::stdout().write_all(&page)?)
}
