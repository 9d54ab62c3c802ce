use core::cmp::Ordering;

use open_ttt_search::sort_moves;

use crate::{GameValue, SolvedValue};

/// What a move is worth to the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MoveValue<M> {
    /// The move.
    pub m: M,
    /// How the game ends after it under best play, as far as that is proved. The number of
    /// moves to the end includes the move.
    pub solved: SolvedValue,
    /// The points that the side can expect, from 0 to 1: a win counts 1, a draw half. It is
    /// certain if the result is proved, and an estimate otherwise.
    pub expected: f64,
    /// By how much the estimate may be wrong, as far as the search shows it: how much it
    /// changed when the search went deeper, or its standard error. 0 if the result is
    /// proved, and 0.5 if nothing is known.
    pub uncertainty: f64,
}

/// What every legal move of a position is worth to the side to move.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PositionValues<M> {
    /// Every legal move, the best first; empty exactly when the game is over.
    pub moves: Vec<MoveValue<M>>,
    /// The moves of both sides from here on that seem best, as far as the search saw.
    pub line: Vec<M>,
    /// The number of positions searched so far.
    pub nodes: u64,
}

impl<M> MoveValue<M> {
    /// A move whose value is proved.
    ///
    /// ```
    /// use open_ttt_coach::{GameValue, MoveValue, SolvedValue};
    ///
    /// let draw = MoveValue::proved('a', SolvedValue::only(GameValue::Draw));
    /// assert_eq!((draw.expected, draw.uncertainty), (0.5, 0.0));
    /// ```
    pub fn proved(m: M, solved: SolvedValue) -> Self {
        let expected = solved.result.points();
        Self {
            m,
            solved,
            expected: expected.unwrap_or(0.5),
            uncertainty: if expected.is_some() { 0.0 } else { 0.5 },
        }
    }

    /// A move whose value is an estimate: the expected points and how much they may be
    /// wrong.
    pub fn estimated(m: M, expected: f64, uncertainty: f64) -> Self {
        Self {
            m,
            solved: SolvedValue::default(),
            expected: expected.clamp(0.0, 1.0),
            uncertainty: uncertainty.clamp(0.0, 0.5),
        }
    }

    /// Whether the result is proved.
    pub fn is_proved(&self) -> bool {
        self.solved.is_proved()
    }

    /// Orders moves from the best to the worst: proved wins, the highest margin and then
    /// the fastest first; draws and estimates by what they promise; proved losses, the
    /// slowest first.
    pub fn cmp_best_first<N>(&self, other: &MoveValue<N>) -> Ordering {
        let rank = |solved: &SolvedValue| match solved.result {
            GameValue::Win => 0,
            GameValue::Draw | GameValue::Unknown => 1,
            GameValue::Loss => 2,
        };
        let (a, b) = (&self.solved, &other.solved);
        let by_rank = rank(a).cmp(&rank(b));
        let by_promise = other.expected.total_cmp(&self.expected);
        let margin = |solved: &SolvedValue| solved.margin.unwrap_or(0);
        let by_margin = margin(b).cmp(&margin(a));
        // A win in an unknown number of moves comes after the others, and so does a loss.
        let plies = |solved: &SolvedValue| solved.plies.unwrap_or(u32::MAX);
        let by_plies = match a.result {
            GameValue::Win => plies(a).cmp(&plies(b)),
            GameValue::Loss => b.plies.cmp(&a.plies),
            GameValue::Draw | GameValue::Unknown => Ordering::Equal,
        };
        by_rank.then(by_promise).then(by_margin).then(by_plies)
    }

    /// Whether the other move is as good, as far as the search tells.
    pub fn is_as_good_as<N>(&self, other: &MoveValue<N>) -> bool {
        self.cmp_best_first(other) != Ordering::Greater
    }
}

impl<M: Copy + Eq> PositionValues<M> {
    /// The values of moves in any order; those that are equally good keep it.
    pub fn new(mut moves: Vec<MoveValue<M>>, line: Vec<M>, nodes: u64) -> Self {
        sort_moves(&mut moves, MoveValue::cmp_best_first);
        Self { moves, line, nodes }
    }

    /// The same values of moves of another type, with the same line.
    pub fn with_moves<N: Copy + Eq>(
        &self,
        as_other: impl Fn(M) -> N,
        line: Vec<N>,
    ) -> PositionValues<N> {
        let value = |value: &MoveValue<M>| MoveValue {
            m: as_other(value.m),
            solved: value.solved,
            expected: value.expected,
            uncertainty: value.uncertainty,
        };
        PositionValues {
            moves: self.moves.iter().map(value).collect(),
            line,
            nodes: self.nodes,
        }
    }

    /// The best move; `None` if the game is over.
    pub fn best(&self) -> Option<&MoveValue<M>> {
        self.moves.first()
    }

    /// The moves that are as good as the best one.
    pub fn best_moves(&self) -> impl Iterator<Item = &MoveValue<M>> {
        let best = self.moves.first();
        self.moves
            .iter()
            .take_while(move |value| best.is_some_and(|best| value.is_as_good_as(best)))
    }

    /// What is known of the position under best play. A proved draw is the best move of which
    /// that is known, and others may win: it tells the result only if all moves are proved.
    /// So does the margin of a win.
    pub fn result(&self) -> SolvedValue {
        match self.best() {
            Some(best) if self.is_proved() => best.solved,
            Some(best) if best.solved.result == GameValue::Win => SolvedValue {
                margin: None,
                ..best.solved
            },
            _ => SolvedValue::default(),
        }
    }

    /// The value of a move; `None` if it isn't legal.
    pub fn get(&self, m: M) -> Option<&MoveValue<M>> {
        self.moves.iter().find(|value| value.m == m)
    }

    /// Whether the result of every move is proved.
    pub fn is_proved(&self) -> bool {
        self.moves.iter().all(MoveValue::is_proved)
    }
}
