use super::images::Images;
use super::proof::Proof;
use super::proof_table::ProofTable;
use super::rows::Rows;
use crate::budget::BudgetMeter;
use crate::{Budget, StopFlag};
use open_ttt_lib::rules::{LineGame, Outcome, Side, Symmetry};

/// Decides who wins a game of completing lines: not how soon, only who.
///
/// Two questions settle a position: can the one side force a win, and if not,
/// can the other? Each is answered by depth-first proof-number search (Allis
/// 1994, Nagai 2002) with a table that tells all positions apart, up to
/// symmetry. Positions are proved early by
///
/// - wins by threats of finishing a line, as [`forced_win`](super::forced_win)
///   finds them; where such a win is threatened, only the moves after which it
///   is gone are looked at, and how few they are says how near a win is;
/// - the weight of the lines that are still open, which bounds what the attacker
///   can reach (Erdős and Selfridge 1973);
/// - pairs of cells, one on each open line, of which the defender always takes
///   the other (Hales and Jewett 1963).
///
/// What was proved stays known: positions of the same game that are asked one
/// after another, as a player does, are answered the sooner.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Outcome, Side};
/// use open_ttt_search::{Budget, ProofNumberSearch, StopFlag};
///
/// let mut search = ProofNumberSearch::new(1 << 20);
/// let mut prove = |m, n, k| {
///     let game = Mnk::new(m, n, k).expect("a board that exists");
///     let proved = search.prove(&game, &Budget::UNLIMITED, &StopFlag::new(), |_| {});
///     proved.map(|proved| proved.outcome)
/// };
/// assert_eq!(prove(3, 3, 3), Some(Outcome::Draw));
/// assert_eq!(prove(4, 3, 3), Some(Outcome::Win(Side::First)));
/// ```
#[derive(Debug)]
pub struct ProofNumberSearch {
    table: ProofTable,
    question: Option<Question>,
}

/// Who wins, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProvedOutcome<M> {
    /// How the game ends if both sides play their best.
    pub outcome: Outcome,
    /// A move that wins, if the side to move does. There may be others.
    pub winning_move: Option<M>,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// How many positions are looked at for each move before any is looked into
/// further.
const FEW: u64 = 1_000;

/// What the table of a search is about: on which lines, and whose win.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    rows: Rows,
    carried: Vec<Vec<u8>>,
    attacker: Side,
    /// Who is to move where the number of pieces is even.
    begins: Side,
}

impl ProofNumberSearch {
    /// A search whose table takes at most this many bytes; it begins small and
    /// grows with the work.
    pub fn new(bytes: usize) -> Self {
        Self {
            table: ProofTable::new(bytes),
            question: None,
        }
    }

    /// Whether the game is one it can work on: a board of at most 64 cells.
    pub fn supports<G: LineGame>(game: &G) -> bool {
        Rows::suits(game)
    }

    /// Decides a position. `None` if the budget ran out first, whose depth is
    /// not used, or if the game [is not supported](Self::supports).
    ///
    /// `progress` is told now and then how many positions were looked at.
    pub fn prove<G: LineGame + Symmetry>(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
        mut progress: impl FnMut(u64),
    ) -> Option<ProvedOutcome<G::Move>> {
        if let Some(outcome) = game.outcome() {
            return Some(ProvedOutcome {
                outcome,
                winning_move: None,
                nodes: 0,
            });
        }
        let mut meter = BudgetMeter::new(budget, stop);
        // Who was asked about last is asked about first, for the table's sake.
        let last = self.question.as_ref().map(|question| question.attacker);
        let first = last.unwrap_or(game.to_move());
        for attacker in [first, !first] {
            let answer = self.attacker_wins(game, attacker, &mut meter, &mut progress)?;
            if answer.wins {
                return Some(ProvedOutcome {
                    outcome: Outcome::Win(attacker),
                    winning_move: answer.winning_move,
                    nodes: meter.nodes(),
                });
            }
        }
        Some(ProvedOutcome {
            outcome: Outcome::Draw,
            winning_move: None,
            nodes: meter.nodes(),
        })
    }

    /// For each move of a position, whether this side wins after it: asked for
    /// the side to move of a won position, every move that wins. `None` for the
    /// moves that the budget, which is for all together, left open.
    ///
    /// After [`prove`](Self::prove) it goes on from what that proved of the
    /// same side.
    pub fn wins_by_move<G: LineGame + Symmetry>(
        &mut self,
        game: &G,
        side: Side,
        budget: &Budget,
        stop: &StopFlag,
        mut progress: impl FnMut(u64),
    ) -> Vec<(G::Move, Option<bool>)> {
        let mut meter = BudgetMeter::new(budget, stop);
        let mut wins: Vec<_> = game.moves().map(|m| (m, None)).collect();
        // First what takes little: images of moves that are known, above all.
        for most in [FEW, u64::MAX] {
            for (m, wins) in wins.iter_mut().filter(|(_, wins)| wins.is_none()) {
                let next = game.after(*m);
                *wins = if let Some(outcome) = next.outcome() {
                    Some(outcome == Outcome::Win(side))
                } else {
                    let done = meter.nodes();
                    let mut part = meter.part(most);
                    let mut tell = |nodes| progress(done + nodes);
                    let answer = self.attacker_wins(&next, side, &mut part, &mut tell);
                    meter.count(part.nodes());
                    answer.map(|answer| answer.wins)
                };
            }
        }
        wins
    }

    /// Whether this side wins a game that is not over.
    fn attacker_wins<G: LineGame + Symmetry>(
        &mut self,
        game: &G,
        attacker: Side,
        meter: &mut BudgetMeter<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Option<Answer<G::Move>> {
        let rows = Rows::of(game)?;
        let images = Images::of(game);
        let to_move = game.to_move();
        let question = Question {
            rows: rows.clone(),
            carried: images.carried().to_vec(),
            attacker,
            begins: if images.pieces_on_board().is_multiple_of(2) {
                to_move
            } else {
                !to_move
            },
        };
        if self.question.as_ref() != Some(&question) {
            self.table.forget();
            self.question = Some(question);
        }
        let mut proof = Proof::new(
            &mut self.table,
            rows,
            images,
            [attacker, to_move],
            meter,
            progress,
        );
        let (wins, cell) = proof.attacker_wins()?;
        Some(Answer {
            wins,
            winning_move: cell.and_then(|cell| game.indexed_move(cell.into())),
        })
    }
}

/// Whether the attacker wins, and by which move if it is to move.
struct Answer<M> {
    wins: bool,
    winning_move: Option<M>,
}

#[cfg(test)]
mod tests {
    use super::super::tangle::Tangle;
    use super::*;
    use open_ttt_lib::random::Rng;
    use open_ttt_lib::rules::TwoPlayerGame;

    /// How a game ends, by looking at everything.
    fn outcome(game: &Tangle) -> Outcome {
        if let Some(outcome) = game.outcome() {
            return outcome;
        }
        let own = game.to_move();
        let rank = |outcome: Outcome| match outcome {
            Outcome::Win(side) if side == own => 2,
            Outcome::Draw => 1,
            Outcome::Win(_) => 0,
        };
        let outcomes = game.moves().map(|m| outcome(&game.after(m)));
        outcomes
            .max_by_key(|&outcome| rank(outcome))
            .unwrap_or(Outcome::Draw)
    }

    /// Decides each position of a game, and each of its moves, as looking at
    /// everything does.
    #[track_caller]
    fn check(start: &Tangle, rng: &mut Rng, outcomes: &mut [usize; 3]) {
        const ALL: Budget = Budget::UNLIMITED;
        let stop = StopFlag::new();
        let mut search = ProofNumberSearch::new(1 << 16);
        let mut game = start.clone();
        while let Some(m) = rng.pick(game.moves()) {
            if game.moves().count() <= 7 {
                let expected = outcome(&game);
                let proved = search.prove(&game, &ALL, &stop, |_| {}).expect("no limit");
                assert_eq!(proved.outcome, expected, "{game:?}");
                let wins = proved.winning_move.map(|m| outcome(&game.after(m)));
                let own = Outcome::Win(game.to_move());
                assert_eq!(wins, (expected == own).then_some(own), "{game:?}");
                for side in Side::BOTH {
                    let by_move = search.wins_by_move(&game, side, &ALL, &stop, |_| {});
                    assert!(by_move.iter().map(|&(m, _)| m).eq(game.moves()));
                    for (m, wins) in by_move {
                        let expected = outcome(&game.after(m)) == Outcome::Win(side);
                        assert_eq!(wins, Some(expected), "{m}, {side:?} in {game:?}");
                    }
                }
                outcomes[match expected {
                    Outcome::Draw => 0,
                    Outcome::Win(Side::First) => 1,
                    Outcome::Win(Side::Second) => 2,
                }] += 1;
            }
            game.play_unchecked(m);
        }
    }

    #[test]
    fn decides_lines_of_chance_as_looking_at_everything_does() {
        let mut rng = Rng::new(1);
        let mut outcomes = [0; 3];
        for seed in 0..120 {
            let (places, lines, lengths) = [
                (8, 9, 1..=4),
                (8, 7, 2..=4),
                (10, 9, 3..=5),
                (13, 20, 3..=4),
            ][seed % 4]
                .clone();
            let tangle = Tangle::new(seed as u64, places, lines, lengths);
            check(&tangle, &mut rng, &mut outcomes);
        }
        assert!(outcomes.iter().all(|&count| count > 30), "{outcomes:?}");
    }
}
