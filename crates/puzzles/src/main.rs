//! Makes the puzzles that ship with games of the catalog.
//!
//! What has been found is appended to a file, from which an interrupted run resumes.

mod again;
mod collection;
mod search;

use std::fs;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use clap::Parser;
use open_ttt_catalog::{Catalog, DynPuzzleFinder};

use crate::again::judge_again;
use crate::collection::Collection;
use crate::search::{Limits, search};

/// Find puzzles in games of weak players, and write the files that ship with the catalog
#[derive(Debug, Parser)]
struct Args {
    /// The games [default: all]
    games: Vec<String>,
    /// The folder of the puzzles found so far, kept from run to run
    #[arg(long, value_name = "FOLDER")]
    found: PathBuf,
    /// The folder of the files
    #[arg(long, value_name = "FOLDER")]
    folder: PathBuf,
    /// The number of puzzles of a game
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: usize,
    /// The longest time for a game, in minutes
    #[arg(long, value_name = "N", default_value_t = 10)]
    minutes: u64,
    /// How many positions may be searched to judge one
    #[arg(long, value_name = "N", default_value_t = DynPuzzleFinder::NODES)]
    nodes: u64,
    /// Judge the puzzles of the files again, instead of finding others
    #[arg(long)]
    again: bool,
    /// The number of threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let catalog = Catalog::bundled();
    let names = match &*args.games {
        [] => catalog.keys().map(str::to_owned).collect(),
        games => games.to_vec(),
    };
    let threads = args.threads.or_else(|| available_parallelism().ok());
    let limits = Limits {
        // Twice as many, to choose from.
        puzzles: 2 * args.count,
        time: Duration::from_secs(60 * args.minutes),
        nodes: args.nodes,
        threads: threads.unwrap_or(NonZero::<usize>::MIN),
    };
    for folder in [&args.found, &args.folder] {
        fs::create_dir_all(folder)?;
    }
    for name in names {
        let game = catalog.game(&name).map_err(io::Error::other)?;
        let key = game.entry().key;
        let file = format!("{key}.txt");
        let [found, shipped] = [&args.found, &args.folder].map(|folder| folder.join(&file));
        let collection = if args.again {
            judge_again(&game, &shipped, &found, &limits)?
        } else {
            let mut collection = Collection::open(&game, &found)?;
            search(&game, &mut collection, &limits)?;
            collection
        };
        let written = collection.write(&shipped, args.count)?;
        writeln!(io::stdout(), "{key}: {written} puzzles")?;
    }
    Ok(())
}
