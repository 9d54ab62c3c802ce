use super::dyn_move::dyn_line;
use super::{CatalogGame, DynMove};
use core::fmt;
use core::num::NonZero;

use open_ttt_coach::{Puzzle, PuzzleFinder};
use open_ttt_search::{Budget, StopFlag};

/// Finds puzzles of a game chosen at run time, by the proofs of its
/// [judge](super::DynGame::judge).
pub struct DynPuzzleFinder(Box<FindInGame>);

/// Plays the game with this seed.
type FindInGame = dyn FnMut(u64, &Budget, &StopFlag) -> Vec<Puzzle<DynMove>> + Send;

impl DynPuzzleFinder {
    pub(super) fn new<G: CatalogGame>(start: &G) -> Self {
        let start = start.clone();
        let judge = start.judge(NonZero::<usize>::MIN);
        let mut finder = PuzzleFinder::new(start.clone(), judge);
        Self(Box::new(move |seed, budget, stop| {
            let found = finder.game(seed, budget, stop);
            found
                .into_iter()
                .map(|puzzle| as_dyn(&start, &puzzle))
                .collect()
        }))
    }

    /// Plays a game and returns the puzzles in it, as [`PuzzleFinder::game`].
    pub fn game(&mut self, seed: u64, budget: &Budget, stop: &StopFlag) -> Vec<Puzzle<DynMove>> {
        (self.0)(seed, budget, stop)
    }
}

impl fmt::Debug for DynPuzzleFinder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynPuzzleFinder").finish_non_exhaustive()
    }
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
