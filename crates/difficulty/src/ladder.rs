//! Matches between computers of a game that are named by their specifications.

use std::num::NonZero;
use std::sync::LazyLock;
use std::time::Instant;

use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::SpecError;
use open_ttt_players::{Match, MatchScore, Openings, Participant, PlayerFactory};
use open_ttt_search::{Clock, StopFlag};

/// A beginner who looks at each move and the reply to it, with the knowledge of the game's
/// evaluation: takes a win in one and stops the opponent's.
pub(crate) const BEGINNER: &str = "negamax(depth=2)";

/// Plays a match, or what it lacks of so many games after those before, from the start of the
/// game, without random openings; each side moves first in half of the games. `after_game`
/// receives the score up to each game. Reproducible unless a player looks at the clock.
pub(crate) fn play(
    start: &DynGame,
    [a, b]: [&str; 2],
    before: MatchScore,
    games: u32,
    threads: NonZero<usize>,
    stop: &StopFlag,
    mut after_game: impl FnMut(MatchScore),
) -> Result<MatchScore, SpecError> {
    // Games of a match that is continued are not those that it has had.
    let seed = 2 * u64::from(before.games());
    let of = Match {
        start: start.clone(),
        a: Participant::new(seed + 1, player(start, a)?),
        b: Participant::new(seed + 2, player(start, b)?),
        games: games.saturating_sub(before.games()),
        openings: Openings::random(0, 0),
        sprt: None,
    };
    let mut score = before;
    of.play(threads, stop, |game, _| {
        score.count(game.status());
        after_game(score);
    });
    Ok(score)
}

fn player(start: &DynGame, spec: &str) -> Result<PlayerFactory<'static, DynGame>, SpecError> {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    start.players(&spec.parse()?, Clock::new(|| STARTED.elapsed()))
}
