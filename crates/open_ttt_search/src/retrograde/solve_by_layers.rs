use core::error::Error;
use core::fmt;
use core::num::NonZero;

use crate::retrograde::shapes::{Shapes, count};
use crate::{Score, StopFlag, TooLarge};
use open_ttt_lib::rules::{BoardFilling, Side, TwoPlayerGame};

/// How a game is to be solved by layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerOptions {
    /// How many threads work on it, the calling one among them. With one,
    /// none is started. The result is always the same.
    pub threads: NonZero<usize>,
    /// How many positions the game may have; the two largest neighbouring
    /// layers are held, a byte for each position.
    pub most_positions: usize,
}

impl Default for LayerOptions {
    /// One thread, at most a thousand million positions.
    fn default() -> Self {
        Self {
            threads: NonZero::<usize>::MIN,
            most_positions: 1_000_000_000,
        }
    }
}

/// Every position that is as many moves away from the start, with its value.
#[derive(Debug)]
pub struct Layer<'a> {
    pub(crate) shapes: &'a Shapes,
    pub(crate) plies: u32,
    pub(crate) values: &'a [i8],
}

/// What the start of a game solved by layers is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerSolution<M> {
    /// The points the side to move wins or loses by under best play.
    pub score: Score,
    /// Every move with its score, the best first.
    pub moves: Vec<(M, Score)>,
    /// How many positions were solved.
    pub positions: usize,
}

/// Why a game was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// It has more positions than were to be looked at.
    TooLarge(TooLarge),
    /// The flag was raised.
    Stopped,
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(error) => error.fmt(f),
            Self::Stopped => f.write_str("solving was stopped"),
        }
    }
}

impl Error for Unsolved {}

impl From<TooLarge> for Unsolved {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// Solves a game of filling a board from its end: the positions of one ply
/// from those of the next, as often as the board is filled, back to `start`.
///
/// Only two layers are held at a time. `visit` is shown each as soon as it is
/// solved, the last one first.
///
/// What is held of a position is the margin the game ends with, not the points
/// still to be made: then a position's value is simply the best of the values
/// it leads to, which for a run of neighbouring positions is a run of
/// neighbouring values. Margins beyond ±127 count as that.
///
/// Positions count that have the right number of pieces of each side, whether
/// or not the game leads there. Retrograde analysis is as old as Ströhlein's
/// chess endgames (1970); the numbering of the colours is the combinatorial
/// number system (Lehmer, 1964).
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_search::{LayerOptions, Score, StopFlag, solve_by_layers};
///
/// let mut game = Pegs::new();
/// play_text(&mut game, "ABCD ABCD ABCD")?;
/// let options = LayerOptions::default();
/// let solution = solve_by_layers(&game, &options, &StopFlag::new(), |_| {})?;
/// assert_eq!(solution.score, Score::evaluation(-2));
/// assert_eq!(solution.moves.len(), 4); // E, F, G and H
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Unsolved`] if there are too many positions, or the flag is raised.
pub fn solve_by_layers<G>(
    start: &G,
    options: &LayerOptions,
    stop: &StopFlag,
    mut visit: impl FnMut(&Layer<'_>),
) -> Result<LayerSolution<G::Move>, Unsolved>
where
    G: BoardFilling + Sync,
{
    let shapes = Shapes::of(start, options.most_positions, stop)?;
    let mut moves = Vec::new();
    let mut next = Vec::new();
    for plies in (0..shapes.layers()).rev() {
        let values = shapes
            .solve_layer(start, plies, &next, options.threads, stop)
            .ok_or(Unsolved::Stopped)?;
        let layer = Layer {
            shapes: &shapes,
            plies,
            values: &values,
        };
        visit(&layer);
        if plies == 1 {
            let scored = start.moves().map(|m| {
                let margin = layer.final_margin(&start.after(m));
                (m, for_mover(start, margin.unwrap_or_default()))
            });
            moves.extend(scored);
        }
        next = values;
    }
    moves.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
    let margin = next.first().copied().map_or(0, i32::from);
    Ok(LayerSolution {
        score: for_mover(start, margin),
        moves,
        positions: shapes.positions(),
    })
}

pub(crate) fn for_mover<G: TwoPlayerGame>(game: &G, margin: i32) -> Score {
    Score::evaluation(match game.to_move() {
        Side::First => margin,
        Side::Second => -margin,
    })
}

impl Layer<'_> {
    /// How many moves lead from the start to this layer.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// How many positions the layer has.
    pub fn positions(&self) -> usize {
        self.values.len()
    }

    /// How many positions all layers have together.
    pub fn positions_of_all(&self) -> usize {
        self.shapes.positions()
    }

    /// The margin a position of this layer ends with under best play, first
    /// side minus second; `None` if it belongs to another layer or does not
    /// come from the start.
    pub fn final_margin<G: BoardFilling>(&self, game: &G) -> Option<i32> {
        self.value_of(game.pieces())
    }

    /// The same of a position told by its [`pieces`](BoardFilling::pieces).
    pub fn value_of(&self, pieces: [u64; 2]) -> Option<i32> {
        let index = self.shapes.index(self.plies, pieces)?;
        self.values.get(index).copied().map(i32::from)
    }

    /// Every position of the layer, told by its pieces, with its value as
    /// [`final_margin`](Self::final_margin) gives it.
    pub fn values(&self) -> impl Iterator<Item = ([u64; 2], i32)> {
        let block = count(self.plies, self.shapes.firsts(self.plies)) as usize;
        self.values.iter().enumerate().map(move |(index, &value)| {
            let pieces = self.shapes.pieces(self.plies, index / block, index % block);
            (pieces, i32::from(value))
        })
    }
}
