use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use open_ttt_lib::rules::{Heuristic, Outcome, Side, TwoPlayerGame};

/// A game that notes which moves a search makes, each with the moves that led to it.
///
/// Whoever searches it sees the rules of the game and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Watched<G: TwoPlayerGame> {
    game: G,
    path: Vec<G::Move>,
    visits: Rc<RefCell<Vec<Vec<G::Move>>>>,
}

impl<G: TwoPlayerGame> Watched<G> {
    pub(crate) fn new(game: G) -> Self {
        Self {
            game,
            path: Vec::new(),
            visits: Rc::default(),
        }
    }

    /// The moves from the first position to each one that was visited, in order.
    pub(crate) fn visits(&self) -> Vec<Vec<G::Move>> {
        self.visits.borrow().clone()
    }
}

// Where a position comes from is nothing that it is.
impl<G: TwoPlayerGame> PartialEq for Watched<G> {
    fn eq(&self, other: &Self) -> bool {
        self.game == other.game
    }
}

impl<G: TwoPlayerGame> Eq for Watched<G> {}

impl<G: TwoPlayerGame> Hash for Watched<G> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.game.hash(state);
    }
}

impl<G: TwoPlayerGame> TwoPlayerGame for Watched<G> {
    type Move = G::Move;

    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> impl Iterator<Item = Self::Move> {
        self.game.moves()
    }

    fn play_unchecked(&mut self, m: Self::Move) {
        self.game.play_unchecked(m);
        self.path.push(m);
        self.visits.borrow_mut().push(self.path.clone());
    }
}

impl<G: Heuristic> Heuristic for Watched<G> {
    fn heuristic(&self) -> i32 {
        self.game.heuristic()
    }
}

#[cfg(test)]
mod tests {
    use open_ttt_lib::games::TicTacToe;
    use open_ttt_lib::rules::{perft, play_text};
    use open_ttt_search::{WinLoss, negamax};

    use super::*;

    #[test]
    fn a_full_search_visits_every_position_once() {
        let mut game = TicTacToe::new();
        play_text(&mut game, "a1 b2 c3 c1").expect("legal");
        let watched = Watched::new(game);
        let _ = negamax(&watched, 9, &WinLoss);
        let below: u64 = (1..=5).map(|depth| perft(&game, depth)).sum();
        let mut visits = watched.visits();
        assert_eq!(visits.len() as u64, below);
        visits.sort_by_key(|path| format!("{path:?}"));
        visits.dedup();
        assert_eq!(visits.len() as u64, below);
    }
}
