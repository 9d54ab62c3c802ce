use std::io::{self, Write};
use std::time::Instant;

use open_ttt_lib::rules::{Named, Notation};
use serde::Serialize;

use super::{list, milliseconds, position, print_json, texts};
use crate::args::{self, PositionArgs};
use crate::failure::Failure;

/// Count the ways to play on, ply by ply
///
/// The counts of a game are known from elsewhere, so this checks its rules.
#[derive(Debug, clap::Args)]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// How many plies to count
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = args::plies)]
    pub(crate) depth: u32,
    /// Count by first move, at the full depth only
    #[arg(long)]
    pub(crate) divide: bool,
    /// Print one JSON object a count
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct PerftReport<'a> {
    game: &'a str,
    moves: &'a str,
    /// With `--divide`, the first of the moves counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    depth: u32,
    nodes: u64,
    ms: f64,
}

pub(crate) fn run(args: &PerftArgs) -> Result<(), Failure> {
    let (game, moves) = position(&args.position)?;
    let name = args.position.game.name();
    let moves = list(&texts(&game, &moves));
    let print = |first: Option<String>, depth, nodes, since: Instant| {
        if args.json {
            return print_json(&PerftReport {
                game: &name,
                moves: &moves,
                first,
                depth,
                nodes,
                ms: milliseconds(since.elapsed()),
            });
        }
        let mut output = io::stdout().lock();
        match first {
            Some(first) => writeln!(output, "{first:<4} {nodes}")?,
            None => writeln!(output, "{depth:<4} {nodes}")?,
        }
        Ok(())
    };
    if args.divide {
        let since = Instant::now();
        for (m, nodes) in game.perft_divide(args.depth) {
            print(Some(game.move_text(m)), args.depth, nodes, since)?;
        }
        return Ok(());
    }
    // Ply by ply, so that the first counts stand there while the last is made.
    for depth in args.depth.min(1)..=args.depth {
        let since = Instant::now();
        print(None, depth, game.perft(depth), since)?;
    }
    Ok(())
}
