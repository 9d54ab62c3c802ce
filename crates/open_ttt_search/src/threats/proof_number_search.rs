use super::cell_set::Cell;
use super::df_pn::DfPn;
use super::line_masks::LineMasks;
use super::proof_table::ProofTable;
use super::symmetric_images::SymmetricImages;
use crate::budget::BudgetMeter;
use crate::turns::RequiresAlternation;
use crate::{Budget, StopFlag};
use alloc::vec::Vec;
use open_ttt_lib::rules::{LineGame, Outcome, Side, Symmetry};

/// Proves the game-theoretic outcome of a line game: who wins, not how soon.
///
/// At most two searches prove a position: whether one side can force a win, and if
/// not, whether the other can. Each is a depth-first proof-number search (Allis
/// 1994, Nagai 2002) whose table tells all positions apart, up to symmetry.
/// Positions are decided early by
///
/// - wins by fours, as [`forced_win`](super::forced_win) finds them; where one is
///   threatened, only the moves that stop it are searched, and their number
///   estimates the distance to a win;
/// - the weight of the open lines, which bounds what the attacker can reach (Erdős
///   and Selfridge 1973);
/// - pairing strategies of the defender (Hales and Jewett 1963);
/// - for a draw, that the opponent doesn't even win if the side to move passes: a piece
///   more never harms, the argument of strategy stealing.
///
/// Proved positions stay in the table, so successive positions of the same game
/// are proved sooner.
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
#[doc(alias = "PNS")]
#[doc(alias = "df-pn")]
#[derive(Debug)]
pub struct ProofNumberSearch {
    table: ProofTable,
    context: Option<TableContext>,
}

/// The game-theoretic outcome of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProvedOutcome<M> {
    /// How the game ends under best play.
    pub outcome: Outcome,
    /// A winning move, if the side to move wins. There may be others.
    pub winning_move: Option<M>,
    /// Whether every move is known to draw. In a draw, moves that lose may be known to
    /// [`wins_by_move`](ProofNumberSearch::wins_by_move) alone.
    pub every_move_draws: bool,
    /// The number of positions visited.
    pub nodes: u64,
}

/// The least number of positions that may be visited to see that passing draws.
const MIN_PASS_NODES: u64 = 1 << 20;

/// The most positions visited for each move before any move gets more.
const FIRST_PASS_NODES: u64 = 1_000;

/// What the entries of a table hold for.
#[derive(Debug, PartialEq, Eq)]
struct TableContext {
    masks: LineMasks,
    cell_maps: Vec<Vec<u8>>,
    attacker: Side,
    /// The side to move where the number of pieces is even.
    even_to_move: Side,
}

impl ProofNumberSearch {
    /// A search whose table grows to at most this many bytes.
    pub fn new(table_bytes: usize) -> Self {
        Self {
            table: ProofTable::new(table_bytes),
            context: None,
        }
    }

    /// Whether the game can be searched: its board has at most 64 cells.
    pub fn supports<G: LineGame>(game: &G) -> bool {
        LineMasks::supports(game)
    }

    /// Proves the outcome of a position. `None` if the budget ran out, or if the
    /// game [is not supported](Self::supports). The budget's depth is not used.
    ///
    /// `progress` receives the number of positions visited, from time to time.
    pub fn prove<G: LineGame + Symmetry>(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
        mut progress: impl FnMut(u64),
    ) -> Option<ProvedOutcome<G::Move>> {
        let () = RequiresAlternation::<G>::CHECK;
        let mut meter = BudgetMeter::new(budget, stop);
        let (mut outcome, mut winning_move) = (game.outcome(), None);
        let mut every_move_draws = false;
        // The attacker of the table's entries first: they may prove the position.
        let context = self.context.as_ref();
        let first = context.map_or(game.to_move(), |context| context.attacker);
        for attacker in [first, !first] {
            if outcome.is_none() {
                let (wins, m) = self.attacker_wins(game, attacker, &mut meter, &mut progress)?;
                (outcome, winning_move) = (wins.then_some(Outcome::Win(attacker)), m);
            }
            if outcome.is_none() && attacker == first && attacker == game.to_move() {
                let nodes_before = meter.nodes();
                let mut part = meter.part(MIN_PASS_NODES.max(nodes_before));
                let mut report = |nodes| progress(nodes_before + nodes);
                every_move_draws = self.draws_by_passing(game, &mut part, &mut report);
                meter.count(part.nodes());
                outcome = every_move_draws.then_some(Outcome::Draw);
            }
        }
        Some(ProvedOutcome {
            outcome: outcome.unwrap_or(Outcome::Draw),
            winning_move,
            every_move_draws,
            nodes: meter.nodes(),
        })
    }

    /// For each move, whether this side wins after it; for the side to move, that
    /// gives every winning move. `None` for the moves that the budget, which is for
    /// all moves together, left open.
    ///
    /// After [`prove`](Self::prove), it reuses what that proved for the same side.
    pub fn wins_by_move<G: LineGame + Symmetry>(
        &mut self,
        game: &G,
        side: Side,
        budget: &Budget,
        stop: &StopFlag,
        mut progress: impl FnMut(u64),
    ) -> Vec<(G::Move, Option<bool>)> {
        let () = RequiresAlternation::<G>::CHECK;
        let mut meter = BudgetMeter::new(budget, stop);
        let mut wins: Vec<_> = game.moves().map(|m| (m, None)).collect();
        // Cheap moves first, above all symmetric images of known ones.
        for max_nodes in [FIRST_PASS_NODES, u64::MAX] {
            for (m, wins) in wins.iter_mut().filter(|(_, wins)| wins.is_none()) {
                let next = game.after(*m);
                *wins = if let Some(outcome) = next.outcome() {
                    Some(outcome == Outcome::Win(side))
                } else {
                    let nodes_before = meter.nodes();
                    let mut part = meter.part(max_nodes);
                    let mut report = |nodes| progress(nodes_before + nodes);
                    let result = self.attacker_wins(&next, side, &mut part, &mut report);
                    meter.count(part.nodes());
                    result.map(|(wins, _)| wins)
                };
            }
        }
        wins
    }

    /// Whether this side wins an unfinished game, and by which move if it is to
    /// move.
    fn attacker_wins<G: LineGame + Symmetry>(
        &mut self,
        game: &G,
        attacker: Side,
        meter: &mut BudgetMeter<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Option<(bool, Option<G::Move>)> {
        let images = SymmetricImages::new(game);
        let (wins, cell) = self.search(game, images, attacker, meter, progress)?;
        Some((wins, cell.and_then(|cell| game.indexed_move(cell.into()))))
    }

    /// Whether the opponent of the side to move is found not to win if that side passes.
    /// Then it doesn't win after any move either: if it did, it would also win without
    /// the piece, by playing as if it were there.
    fn draws_by_passing<G: LineGame + Symmetry>(
        &mut self,
        game: &G,
        meter: &mut BudgetMeter<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> bool {
        // With the pieces exchanged instead of the turn, the table's entries hold.
        let mut images = SymmetricImages::new(game);
        images.exchange_sides();
        let result = self.search(game, images, game.to_move(), meter, progress);
        result.is_some_and(|(wins, _)| !wins)
    }

    /// Whether this side wins with these pieces on the game's board.
    fn search<G: LineGame>(
        &mut self,
        game: &G,
        images: SymmetricImages,
        attacker: Side,
        meter: &mut BudgetMeter<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Option<(bool, Option<Cell>)> {
        let masks = LineMasks::new(game)?;
        let to_move = game.to_move();
        let context = TableContext {
            masks: masks.clone(),
            cell_maps: images.cell_maps.clone(),
            attacker,
            even_to_move: if images.piece_count().is_multiple_of(2) {
                to_move
            } else {
                !to_move
            },
        };
        if self.context.as_ref() != Some(&context) {
            self.table.clear();
            self.context = Some(context);
        }
        let sides = [attacker, to_move];
        DfPn::new(&mut self.table, masks, images, sides, meter, progress).attacker_wins()
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_line_game::RandomLineGame;
    use super::*;
    use open_ttt_lib::random::Rng;
    use open_ttt_lib::rules::TwoPlayerGame;

    /// The outcome under best play, by exhaustive search.
    fn outcome(game: &RandomLineGame) -> Outcome {
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

    /// Compares each late position of a random game, and each of its moves, with the
    /// exhaustive search. Counts draws, wins of each side, and draws by passing.
    #[track_caller]
    fn check(start: &RandomLineGame, rng: &mut Rng, counts: &mut [usize; 4]) {
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
                if proved.every_move_draws {
                    let draws = |m| outcome(&game.after(m)) == Outcome::Draw;
                    assert!(game.moves().all(draws), "{game:?}");
                    counts[3] += 1;
                }
                for side in Side::BOTH {
                    let by_move = search.wins_by_move(&game, side, &ALL, &stop, |_| {});
                    assert!(by_move.iter().map(|&(m, _)| m).eq(game.moves()));
                    for (m, wins) in by_move {
                        let expected = outcome(&game.after(m)) == Outcome::Win(side);
                        assert_eq!(wins, Some(expected), "{m}, {side:?} in {game:?}");
                    }
                }
                counts[match expected {
                    Outcome::Draw => 0,
                    Outcome::Win(Side::First) => 1,
                    Outcome::Win(Side::Second) => 2,
                }] += 1;
            }
            game.play_unchecked(m);
        }
    }

    #[test]
    fn outcomes_of_random_line_games_match_an_exhaustive_search() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 4];
        for seed in 0..120 {
            let (places, lines, lengths) = [
                (8, 9, 1..=4),
                (8, 7, 2..=4),
                (10, 9, 3..=5),
                (13, 20, 3..=4),
            ][seed % 4]
                .clone();
            let start = RandomLineGame::new(seed as u64, places, lines, lengths);
            check(&start, &mut rng, &mut counts);
        }
        assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
    }
}
