use super::budget::Meter;
use super::{Budget, Evaluator, Score, StopFlag};
use crate::rules::TwoPlayerGame;

/// The score of a position by looking `depth` plies ahead, leaving out lines
/// that cannot change it: the same as [`negamax`](super::negamax)'s, sooner.
///
/// Knuth and Moore, "An analysis of alpha-beta pruning", 1975.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::search::{Score, WinLoss, alpha_beta};
///
/// assert_eq!(alpha_beta(&TicTacToe::new(), 9, &WinLoss), Score::DRAW);
/// ```
pub fn alpha_beta<G, E>(game: &G, depth: u32, evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let never = StopFlag::new();
    let mut walk = Walk::new(evaluator, Meter::new(&Budget::UNLIMITED, &never));
    walk.score(game, 0, depth, Window::FULL)
        .unwrap_or(Score::DRAW)
}

/// The scores that still matter: above `alpha`, which is already certain, and
/// below `beta`, which the opponent would not allow.
///
/// A result within the window is exact. One at or below `alpha` says "at most
/// this", one at or above `beta` "at least this".
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

impl Window {
    pub(super) const FULL: Self = Self {
        alpha: Score::MIN,
        beta: Score::MAX,
    };

    /// The same window for the other side.
    fn flipped(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

/// One alpha-beta search and what it remembers on the way.
#[derive(Debug)]
pub(super) struct Walk<'a, G: TwoPlayerGame, E> {
    evaluator: &'a E,
    pub(super) meter: Meter<'a>,
    /// Whether a line was cut off by the depth, unfinished.
    pub(super) saw_horizon: bool,
    /// Whether the meter may end the search.
    pub(super) may_stop: bool,
    /// What is known about each ply of the line being looked at.
    plies: Vec<Ply<G::Move>>,
}

#[derive(Debug)]
struct Ply<M> {
    /// The moves to try, kept to save allocating them at each position.
    moves: Vec<M>,
    /// The best line found from here on.
    line: Vec<M>,
    /// Moves that lately refuted the opponent's last move at this ply: likely
    /// to do so again (the "killer heuristic", Akl and Newborn 1977).
    killers: [Option<M>; 2],
}

impl<'a, G, E> Walk<'a, G, E>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    pub(super) fn new(evaluator: &'a E, meter: Meter<'a>) -> Self {
        Self {
            evaluator,
            meter,
            saw_horizon: false,
            may_stop: true,
            plies: Vec::new(),
        }
    }

    /// The line that led to the last exact score of a position at `ply`.
    pub(super) fn line(&self, ply: usize) -> &[G::Move] {
        self.plies.get(ply).map_or(&[], |ply| &ply.line)
    }

    /// The score of a position `ply` plies from the root, looking `depth`
    /// plies further; `None` if the budget ran out on the way.
    pub(super) fn score(
        &mut self,
        game: &G,
        ply: usize,
        depth: u32,
        mut window: Window,
    ) -> Option<Score> {
        self.meter.count();
        if self.may_stop && self.meter.is_spent() {
            return None;
        }
        while self.plies.len() <= ply + 1 {
            self.plies.push(Ply {
                moves: Vec::new(),
                line: Vec::new(),
                killers: [None; 2],
            });
        }
        self.plies[ply].line.clear();
        if let Some(outcome) = game.outcome() {
            return Some(self.evaluator.finished(game, outcome, ply as u32));
        }
        if depth == 0 {
            self.saw_horizon = true;
            return Some(self.evaluator.unfinished(game));
        }
        self.list_moves(game, ply);
        let mut best = Score::MIN;
        for index in 0..self.plies[ply].moves.len() {
            let m = self.plies[ply].moves[index];
            let score = -self.score(&game.after(m), ply + 1, depth - 1, window.flipped())?;
            if score > best {
                best = score;
            }
            if score > window.alpha {
                window.alpha = score;
                self.remember_line(ply, m);
            }
            if window.alpha >= window.beta {
                self.remember_killer(ply, m);
                break;
            }
        }
        Some(best)
    }

    /// Lists the moves of a position, the killers of its ply first.
    fn list_moves(&mut self, game: &G, ply: usize) {
        let Ply { moves, killers, .. } = &mut self.plies[ply];
        moves.clear();
        moves.extend(game.moves());
        for killer in killers.iter().rev().flatten() {
            if let Some(at) = moves.iter().position(|m| m == killer) {
                moves[..=at].rotate_right(1);
            }
        }
    }

    fn remember_line(&mut self, ply: usize, m: G::Move) {
        let (here, below) = self.plies.split_at_mut(ply + 1);
        let line = &mut here[ply].line;
        line.clear();
        line.push(m);
        line.extend_from_slice(&below[0].line);
    }

    fn remember_killer(&mut self, ply: usize, m: G::Move) {
        let killers = &mut self.plies[ply].killers;
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
    }
}

impl<G, E> Walk<'_, G, E>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    /// The score of playing `m`, for the side that plays it: exact above
    /// `floor`, at most `floor` otherwise.
    pub(super) fn score_of_move(
        &mut self,
        game: &G,
        m: G::Move,
        depth: u32,
        floor: Score,
    ) -> Option<Score> {
        let window = Window {
            alpha: floor,
            beta: Score::MAX,
        };
        let score = self.score(&game.after(m), 1, depth - 1, window.flipped())?;
        Some(-score)
    }
}
