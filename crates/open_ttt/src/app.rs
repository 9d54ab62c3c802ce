//! A game of the catalog as an application.

use std::num::NonZero;
use std::thread;

use open_ttt_app::{App, Opponent, Seat};
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::Side;

use crate::kept_games::{GameKeeper, KeptGames, UnfinishedGame};
use crate::opponents;

/// The application for a game, with the computers on offer and the game's judge.
pub(crate) fn of_game(game: &DynGame) -> App<DynGame> {
    opponents::all(game)
        .into_iter()
        .fold(without_opponents(game), App::opponent)
}

/// The application for a game whose players are set one by one.
pub(crate) fn without_opponents(game: &DynGame) -> App<DynGame> {
    let judged = game.clone();
    let cores = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    App::new(game.clone()).judge(move || judged.judge(cores))
}

/// The application that keeps its games, if they are to be kept.
pub(crate) fn keeping(app: App<DynGame>, kept: Option<&KeptGames>) -> App<DynGame> {
    match kept {
        Some(kept) => keep(app, GameKeeper::new(kept.clone())),
        None => app,
    }
}

/// The application that goes on with a game. A computer that isn't known any more is asked
/// for.
pub(crate) fn resumed(unfinished: UnfinishedGame, kept: &KeptGames) -> App<DynGame> {
    let mut app = of_game(unfinished.game()).resume(unfinished.moves().to_vec());
    for side in Side::BOTH {
        let seat = match unfinished.computer(side) {
            None => Some(Seat::Human),
            Some(name) => find_computer(unfinished.game(), name).map(Seat::Computer),
        };
        if let Some(seat) = seat {
            app = app.seat(side, seat);
        }
    }
    keep(app, GameKeeper::of(kept.clone(), unfinished))
}

fn keep(app: App<DynGame>, keeper: GameKeeper) -> App<DynGame> {
    app.keep(move |game| keeper.keep(game))
}

/// The computer with a name: one of those on offer, or a specification.
fn find_computer(game: &DynGame, name: &str) -> Option<Opponent<DynGame>> {
    let mut on_offer = opponents::all(game).into_iter();
    on_offer
        .find(|opponent| opponent.name() == name)
        .or_else(|| {
            let spec = name.parse().ok()?;
            opponents::named("--first", &spec, game).ok()
        })
}
