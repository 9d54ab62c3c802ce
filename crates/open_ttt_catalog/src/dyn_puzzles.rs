use super::dyn_player::fallible_players;
use super::{DynGame, DynMove};
use core::fmt;
use core::num::NonZero;
use core::time::Duration;

use open_ttt_coach::{Judge, Puzzle, PuzzleFinder};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{History, TwoPlayerGame as _};
use open_ttt_players::{Decision, Level, Player as _, Strength, Turn};
use open_ttt_search::{Budget, Clock, StopFlag};

/// Finds puzzles of a game chosen at run time in games of computers that err, by the proofs
/// of its [judge](DynGame::judge).
pub struct DynPuzzleFinder {
    start: DynGame,
    finder: PuzzleFinder<Box<dyn Judge<DynGame> + Send>>,
}

impl DynPuzzleFinder {
    /// The positions searched to judge one, with which the puzzles that ship were found.
    pub const NODES: u64 = 100_000;

    pub(super) fn new(start: &DynGame) -> Self {
        let judge = start.judge(NonZero::<usize>::MIN);
        Self {
            start: start.clone(),
            finder: PuzzleFinder::new(start, judge),
        }
    }

    /// Plays a game and returns the puzzles in it, as [`PuzzleFinder::in_game`]. The same seed
    /// gives the same game.
    pub fn game(&mut self, seed: u64, budget: &Budget, stop: &StopFlag) -> Vec<Puzzle<DynMove>> {
        let played = play(&self.start, seed, stop);
        self.finder.in_game(&played, budget, stop)
    }
}

impl fmt::Debug for DynPuzzleFinder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynPuzzleFinder").finish_non_exhaustive()
    }
}

/// The levels of those who play the games: they err, and are quick.
const LEVELS: [Level; 3] = [Level::Beginner, Level::Easy, Level::Medium];

/// The most moves of a random opening.
const MAX_OPENING: usize = 6;

/// The most moves that a player tries in all positions of a turn: on a large board it sees
/// less than its level would, but it answers as fast as on a small one.
const MAX_MOVES_TRIED: u64 = 200_000;

/// The longest game.
const MAX_MOVES: usize = 200;

/// A game of two computers of some level each, after a random opening.
fn play(start: &DynGame, seed: u64, stop: &StopFlag) -> History<DynGame> {
    let mut rng = Rng::new(seed);
    let moves = start.moves().count() as u64;
    let mut player = || {
        let level = rng.pick(LEVELS).unwrap_or(Level::Easy);
        let skill = Strength::of(level).skill(&start.level_skills());
        let skill = skill.searching(MAX_MOVES_TRIED / moves.max(1));
        // None of them is limited by time.
        let players = fallible_players(start, skill, Clock::new(|| Duration::ZERO));
        players.ok().map(|players| players(rng.next_u64()))
    };
    let mut players = [player(), player()];
    let opening = rng.below(MAX_OPENING + 1);
    let mut game = History::new(start.clone());
    while game.outcome().is_none() && game.moves().len() < MAX_MOVES && !stop.is_raised() {
        let side = game.position().to_move();
        let m = match &mut players[side.index()] {
            Some(player) if game.moves().len() >= opening => {
                match player.take_turn(&Turn::of(&game).with_stop(stop.clone())) {
                    Decision::Play(m) => Some(m),
                    Decision::Resign => None,
                }
            }
            _ => rng.pick(game.position().moves()),
        };
        let Some(m) = m else { break };
        game.play_unchecked(m);
    }
    game
}
