use open_ttt_app::{App, Seat};
use open_ttt_lib::catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::Side;

use crate::args::PlayArgs;
use crate::failure::Failure;
use crate::opponents;

pub(crate) fn run(args: PlayArgs) -> Result<(), Failure> {
    let PlayArgs {
        game,
        first,
        second,
    } = args;
    let mut app = App::new(game.clone());
    for opponent in opponents::roster(&game) {
        app = app.opponent(opponent);
    }
    for (side, spec) in Side::BOTH.into_iter().zip([first, second]) {
        if let Some(spec) = spec {
            app = app.seat(side, seat(&game, spec)?);
        }
    }
    Ok(app.run()?)
}

fn seat(game: &DynGame, spec: PlayerSpec) -> Result<Seat<DynGame>, Failure> {
    if spec.is_human() {
        return Ok(Seat::Human);
    }
    let opponent = opponents::named(game, spec).map_err(Failure::usage)?;
    Ok(Seat::Computer(opponent))
}
