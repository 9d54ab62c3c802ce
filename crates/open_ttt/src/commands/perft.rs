use std::io::{self, Write};
use std::time::Instant;

use open_ttt_lib::rules::{Named, Notation};
use serde::Serialize;

use super::{milliseconds, move_list, played, print_json};
use crate::args::{self, PositionArgs};
use crate::failure::Failure;

/// Count the move sequences from a position, ply by ply
///
/// Perft counts are published for many games, so this tests the rules.
#[derive(Debug, clap::Args)]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// Number of plies
    #[arg(long, value_name = "N", value_parser = args::plies)]
    pub(crate) depth: u32,
    /// Count for each first move, at the full depth only
    #[arg(long)]
    pub(crate) divide: bool,
    /// Print a JSON object for each count
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct PerftReport<'a> {
    game: &'a str,
    moves: &'a str,
    /// With `--divide`, the first move of the sequences.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    depth: u32,
    nodes: u64,
    ms: f64,
}

pub(crate) fn run(args: &PerftArgs) -> Result<(), Failure> {
    let history = played(&args.position.game, &args.position.moves)?;
    let (game, moves) = (history.position(), move_list(&history));
    let name = game.name();
    let print = |first: Option<String>, depth, nodes, started: Instant| {
        if args.json {
            return print_json(&PerftReport {
                game: &name,
                moves: &moves,
                first,
                depth,
                nodes,
                ms: milliseconds(started.elapsed()),
            });
        }
        let mut output = io::stdout().lock();
        let label = first.unwrap_or_else(|| depth.to_string());
        Ok(writeln!(output, "{label:<4} {nodes}")?)
    };
    if args.divide {
        let started = Instant::now();
        for (m, nodes) in game.perft_divide(args.depth) {
            print(Some(game.move_text(m)), args.depth, nodes, started)?;
        }
        return Ok(());
    }
    // Each count is printed before the next, slower one.
    for depth in args.depth.min(1)..=args.depth {
        let started = Instant::now();
        print(None, depth, game.perft(depth), started)?;
    }
    Ok(())
}
