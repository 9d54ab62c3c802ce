use super::dyn_move::{dyn_line, dyn_move, own_move};
use super::dyn_player::fallible_players;
use super::{CatalogGame, DynGame, DynMove};
use core::fmt;
use core::num::NonZero;
use core::time::Duration;

use open_ttt_coach::{Puzzle, PuzzleFinder};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::History;
use open_ttt_players::{Decision, Level, Player as _, Strength, Turn};
use open_ttt_search::{Budget, Clock, StopFlag};

/// Finds puzzles of a game chosen at run time in games of computers that err, by the proofs
/// of its [judge](super::DynGame::judge).
pub struct DynPuzzleFinder(Box<FindInGame>);

/// Plays the game with this seed.
type FindInGame = dyn FnMut(u64, &Budget, &StopFlag) -> Vec<Puzzle<DynMove>> + Send;

impl DynPuzzleFinder {
    /// The positions searched to judge one, with which the puzzles that ship were found.
    pub const NODES: u64 = 100_000;

    pub(super) fn new<G: CatalogGame>(start: &G) -> Self {
        let start = start.clone();
        let judge = start.judge(NonZero::<usize>::MIN);
        let mut finder = PuzzleFinder::new(&start, judge);
        Self(Box::new(move |seed, budget, stop| {
            let played = play(&start, seed, stop);
            let found = finder.in_game(&played, budget, stop);
            found
                .into_iter()
                .map(|puzzle| as_dyn(&start, &puzzle))
                .collect()
        }))
    }

    /// Plays a game and returns the puzzles in it, as [`PuzzleFinder::in_game`]. The same seed
    /// gives the same game.
    pub fn game(&mut self, seed: u64, budget: &Budget, stop: &StopFlag) -> Vec<Puzzle<DynMove>> {
        (self.0)(seed, budget, stop)
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
fn play<G: CatalogGame>(start: &G, seed: u64, stop: &StopFlag) -> History<G> {
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
    let mut shown = History::new(DynGame::new(start.clone()));
    while game.outcome().is_none() && game.moves().len() < MAX_MOVES && !stop.is_raised() {
        let side = game.position().to_move();
        let m = match &mut players[side.index()] {
            Some(player) if game.moves().len() >= opening => {
                match player.take_turn(&Turn::of(&shown).with_stop(stop.clone())) {
                    Decision::Play(m) => own_move(game.position(), m),
                    Decision::Resign => None,
                }
            }
            _ => rng.pick(game.position().moves()),
        };
        let Some(m) = m else { break };
        shown.play_unchecked(dyn_move(game.position(), m));
        game.play_unchecked(m);
    }
    game
}

/// The same puzzle with moves by their indices.
fn as_dyn<G: CatalogGame>(start: &G, puzzle: &Puzzle<G::Move>) -> Puzzle<DynMove> {
    let mut position = start.clone();
    for &m in &puzzle.moves {
        position.play_unchecked(m);
    }
    Puzzle {
        moves: dyn_line(start, &puzzle.moves),
        goal: puzzle.goal,
        plies: puzzle.plies,
        rating: puzzle.rating,
        solution: dyn_line(&position, &puzzle.solution),
    }
}
