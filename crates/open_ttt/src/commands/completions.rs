use std::io::{self, Write};

use clap::Command;
use clap_complete::{Shell, generate};

use crate::failure::Failure;

/// Print the completions of commands and options for a shell
///
/// Save them where the shell looks for them: for bash in
/// ~/.local/share/bash-completion/completions/open_ttt, for zsh in a file _open_ttt in a
/// folder of $fpath, for fish in ~/.config/fish/completions/open_ttt.fish.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, mut program: Command) -> Result<(), Failure> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    generate(args.shell, &mut program, name, &mut script);
    Ok(io::stdout().write_all(&script)?)
}
