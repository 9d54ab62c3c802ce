use open_ttt_app::Seat;
use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::Side;

use crate::app;
use crate::failure::Failure;
use crate::games;
use crate::opponents;

/// Play a game in the terminal
///
/// You'll be asked for any player you leave out.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayArgs {
    /// The game, with any parameters in quotes: 'KEY(NAME=VALUE)'
    #[arg(long, value_name = games::KEY, value_parser = games::bundled)]
    pub(crate) game: DynGame,
    /// The player who goes first
    #[arg(long, value_name = "SPEC")]
    pub(crate) first: Option<PlayerSpec>,
    /// The player who goes second
    #[arg(long, value_name = "SPEC")]
    pub(crate) second: Option<PlayerSpec>,
    /// Play with lines of text instead of in full screen
    #[arg(long)]
    pub(crate) plain: bool,
}

pub(crate) fn run(args: PlayArgs) -> Result<(), Failure> {
    let game = args.game;
    let mut app = app::of_game(&game);
    let players = [("--first", args.first), ("--second", args.second)];
    for (side, (flag, spec)) in Side::BOTH.into_iter().zip(players) {
        if let Some(spec) = spec {
            let seat = if spec.is_human() {
                Seat::Human
            } else {
                Seat::Computer(opponents::named(flag, &spec, &game)?)
            };
            app = app.seat(side, seat);
        }
    }
    Ok(if args.plain {
        app.run_lines()
    } else {
        app.run()
    }?)
}
