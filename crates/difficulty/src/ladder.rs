//! Matches between computers of a game that are named by their specifications.

use std::num::NonZero;
use std::ops::Range;
use std::sync::LazyLock;
use std::time::Instant;

use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::SpecError;
use open_ttt_players::{Match, MatchScore, Openings, Participant, PlayerFactory};
use open_ttt_search::{Clock, StopFlag};

/// A beginner who looks at each move and the reply to it, with the knowledge of the game's
/// evaluation: takes a win in one and stops the opponent's.
pub(crate) const BEGINNER: &str = "negamax(depth=2)";

/// Plays the games of a match with these numbers, from the start of the game, without random
/// openings; each side moves first in half of them. `after_game` receives the score up to each
/// game, of these games alone. Reproducible unless a player looks at the clock.
pub(crate) fn play(
    start: &DynGame,
    [a, b]: [&str; 2],
    games: Range<u32>,
    threads: NonZero<usize>,
    stop: &StopFlag,
    mut after_game: impl FnMut(MatchScore),
) -> Result<MatchScore, SpecError> {
    // Games of a match that is continued are not those that it has had.
    let seed = 2 * u64::from(games.start);
    let of = Match {
        start: start.clone(),
        a: Participant::new(seed + 1, player(start, a)?),
        b: Participant::new(seed + 2, player(start, b)?),
        games: games.len().try_into().unwrap_or(u32::MAX),
        openings: Openings::random(0, 0),
        sprt: None,
    };
    let report = of.play(threads, stop, |_, so_far| after_game(so_far.score));
    Ok(report.statistics.score)
}

fn player(start: &DynGame, spec: &str) -> Result<PlayerFactory<'static, DynGame>, SpecError> {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    start.players(&spec.parse()?, Clock::new(|| STARTED.elapsed()))
}
