use super::line_masks::{Bitboards, LineMasks, cells};
use super::proof_number_search::ProvedOutcome;
use super::solution_nodes::pieces;
use super::solution_tree::forced_move;
use crate::StopFlag;
use crate::turns::RequiresAlternation;
use open_ttt_lib::rules::{CompactKey, LineGame, Outcome, SolutionBook, Symmetry};

/// Who wins a line game, if its [`SolutionBook`] tells: the winner has a move of the book
/// or wins by threats, or every move of the loser leads to such a position. `None` if
/// that isn't so, if the board has more than 64 cells, or if the flag was raised.
///
/// It takes a tenth of a second as a rule. In a finished game nothing is proved.
///
/// ```
/// use open_ttt_lib::games::Qubic;
/// use open_ttt_lib::rules::{Outcome, Side};
/// use open_ttt_search::{StopFlag, prove_by_book};
///
/// let proved = prove_by_book(&Qubic::new(), &StopFlag::new());
/// assert_eq!(proved.map(|proved| proved.outcome), Some(Outcome::Win(Side::First)));
/// ```
pub fn prove_by_book<G: LineGame + Symmetry + CompactKey + SolutionBook>(
    game: &G,
    stop: &StopFlag,
) -> Option<ProvedOutcome<G::Move>> {
    let () = RequiresAlternation::<G>::CHECK;
    let mut proof = BookProof {
        masks: LineMasks::new(game)?,
        nodes: 0,
        stop,
    };
    let own = game.to_move();
    let winning_move = proof.winning_move(game);
    let winner = match winning_move {
        Some(_) => own,
        None if proof.is_lost(game) => !own,
        None => return None,
    };
    Some(ProvedOutcome {
        outcome: Outcome::Win(winner),
        winning_move,
        every_move_draws: false,
        nodes: proof.nodes,
    })
}

struct BookProof<'a> {
    masks: LineMasks,
    nodes: u64,
    stop: &'a StopFlag,
}

impl BookProof<'_> {
    /// A winning move of the side to move, if it is found.
    fn winning_move<G: LineGame + Symmetry + CompactKey + SolutionBook>(
        &mut self,
        game: &G,
    ) -> Option<G::Move> {
        if game.outcome().is_some() || self.stop.is_raised() {
            return None;
        }
        self.nodes += 1;
        game.book_move()
            .or_else(|| forced_move(game, self.stop))
            .or_else(|| {
                let block = self.forced_block(game)?;
                self.is_lost(&game.after(block)).then_some(block)
            })
    }

    /// The move that the side to move has to make, because its opponent would complete a
    /// line there and nowhere else.
    fn forced_block<G: LineGame>(&self, game: &G) -> Option<G::Move> {
        let [opponent, own] = pieces(game, !game.to_move());
        let fives = self.masks.fives(Bitboards::new(opponent, own), None);
        let cell = cells(fives).next().filter(|_| fives.is_power_of_two())?;
        game.indexed_move(cell.into())
    }

    /// Whether the other side is found to win after every move.
    fn is_lost<G: LineGame + Symmetry + CompactKey + SolutionBook>(&mut self, game: &G) -> bool {
        game.outcome().is_none()
            && game
                .moves()
                .all(|m| self.winning_move(&game.after(m)).is_some())
    }
}
