mod screen;
mod solving;
mod source;

use std::io;

use open_ttt_app::{Screen, SessionEnd};
use open_ttt_catalog::DynGame;

use super::print_json;
use crate::failure::Failure;
use crate::games;
use crate::settings::{DisplayArgs, UserSettings};
pub(crate) use screen::menu;
use solving::{Answered, Solving};
use source::Source;

/// Solve puzzles: find the only move that wins, wins fastest or saves the game
///
/// The puzzles that come with a game are proved to have one solution. In other games they
/// are looked for while you wait. In lines of text, type a move, hint, solution, next or quit.
#[derive(Debug, clap::Args)]
pub(crate) struct PuzzleArgs {
    /// The game, with any parameters in quotes: 'KEY(NAME=VALUE)'
    #[arg(long, value_name = games::KEY, value_parser = games::bundled)]
    game: DynGame,
    /// Only the puzzle of the day, the same for everyone
    #[arg(long, conflicts_with_all = ["rating", "number"])]
    daily: bool,
    /// Begin with the puzzle nearest to this rating, from 400 to 2400
    #[arg(long, value_name = "N", conflicts_with = "number")]
    rating: Option<u32>,
    /// Begin with puzzle number N, from 1, the easiest
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    /// Use lines of text, not the full screen
    #[arg(long)]
    plain: bool,
    /// Print a puzzle as a JSON object instead
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    display: DisplayArgs,
}

pub(crate) fn run(args: &PuzzleArgs) -> Result<(), Failure> {
    let source = Source::new(args)?;
    let mut first = Some(source.first(args)?);
    if args.json {
        let first = first.as_ref().map(|first| source.report(first));
        return first.map_or(Ok(()), |report| print_json(&report));
    }
    if !args.plain
        && Screen::is_available()
        && let Some(index) = first.as_ref().and_then(|first| first.index)
    {
        let settings = UserSettings::load(&args.display);
        let solved = settings
            .open_screen()
            .and_then(|mut screen| screen::solve(&mut screen, &source, index, args.daily));
        settings.report();
        return match solved {
            Err(SessionEnd::Failed(error)) => Err(error.into()),
            _ => Ok(()),
        };
    }
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(numbered) = first.take() {
        let title = source.title(&numbered);
        let mut solving = Solving::new(&source.start, &numbered.puzzle);
        let answered = solving.ask(&title, &mut input, &mut output)?;
        if answered == Answered::Next && !args.daily {
            first = Some(source.next(numbered.index)?);
        }
    }
    Ok(())
}
