//! A game of the catalog as an application.

use std::num::NonZero;
use std::thread;

use open_ttt_app::App;
use open_ttt_catalog::DynGame;

use crate::opponents;

/// The application for a game, with the computers on offer and the game's judge.
pub(crate) fn of_game(game: &DynGame) -> App<DynGame> {
    let judged = game.clone();
    let cores = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let app = App::new(game.clone()).judge(move || judged.judge(cores));
    opponents::all(game).into_iter().fold(app, App::opponent)
}
