use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::num::NonZero;

use crate::evaluator::margin_score;
use crate::retrograde::shapes::Shapes;
use crate::search_result::sort_best_first;
use crate::turns::RequiresAlternation;
use crate::{Score, StopFlag, TooLarge};
use open_ttt_lib::rules::BoardFilling;

/// The options of [`solve_by_layers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerOptions {
    /// The number of threads, including the calling one. The result does not depend
    /// on it.
    pub threads: NonZero<usize>,
    /// The maximum number of positions of the game. At most two adjacent layers are
    /// in memory, with a byte for each position.
    pub max_positions: usize,
}

impl Default for LayerOptions {
    /// One thread, and at most a thousand million positions.
    fn default() -> Self {
        Self {
            threads: NonZero::<usize>::MIN,
            max_positions: 1_000_000_000,
        }
    }
}

/// All positions at the same distance from the start, with their values.
#[derive(Debug)]
pub struct Layer<'a> {
    pub(crate) shapes: &'a Shapes,
    pub(crate) plies: u32,
    pub(crate) values: &'a [i8],
}

/// The solution of a game by layers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerSolution<M> {
    /// The score of the start: the margin under best play.
    pub score: Score,
    /// Every move with its score, the best first.
    pub moves: Vec<(M, Score)>,
    /// The number of positions solved.
    pub positions: usize,
}

/// The error that a game was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveError {
    /// It has too many positions.
    TooLarge(TooLarge),
    /// The stop flag was raised.
    Stopped,
    /// A repetition loses in this game, so a position has no value without the moves
    /// that led to it.
    HistoryDependent,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(error) => error.fmt(f),
            Self::Stopped => f.write_str("solving was stopped"),
            Self::HistoryDependent => {
                f.write_str("a repetition loses, so no position has a value of its own")
            }
        }
    }
}

impl Error for SolveError {}

impl From<TooLarge> for SolveError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// Solves a board-filling game by retrograde analysis: the positions of each ply
/// from those of the next, from the full board back to `start`.
///
/// Only two layers are in memory at a time. `visit` is called with each layer when
/// it is solved, the last one first.
///
/// The value of a position is the final margin of the game, clamped to ±127, and
/// not the points still to come: so it is the best of its successors' values, and a
/// run of adjacent positions depends on a run of adjacent values.
///
/// All positions with the right number of pieces of each side are solved, even if
/// the game cannot reach them. Retrograde analysis goes back to Ströhlein's chess
/// endgames (1970); positions are numbered by the combinatorial number system
/// (Lehmer, 1964).
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
/// [`SolveError`] if there are too many positions, or if the flag is raised.
pub fn solve_by_layers<G>(
    start: &G,
    options: &LayerOptions,
    stop: &StopFlag,
    mut visit: impl FnMut(&Layer<'_>),
) -> Result<LayerSolution<G::Move>, SolveError>
where
    G: BoardFilling + Sync,
{
    let () = RequiresAlternation::<G>::CHECK;
    let shapes = Shapes::new(start, options.max_positions, stop)?;
    let mut moves = Vec::new();
    let mut next = Vec::new();
    for plies in (0..shapes.layers.len() as u32).rev() {
        let values = shapes
            .solve_layer(start, plies, &next, options.threads, stop)
            .ok_or(SolveError::Stopped)?;
        let layer = Layer {
            shapes: &shapes,
            plies,
            values: &values,
        };
        visit(&layer);
        if plies == 1 {
            let scored = start.moves().map(|m| {
                let margin = layer.final_margin(&start.after(m));
                (m, margin_score(start, margin.unwrap_or_default()))
            });
            moves.extend(scored);
        }
        next = values;
    }
    sort_best_first(&mut moves);
    let margin = next.first().copied().map_or(0, i32::from);
    Ok(LayerSolution {
        score: margin_score(start, margin),
        moves,
        positions: shapes.positions,
    })
}

impl Layer<'_> {
    /// The number of plies from the start to this layer.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The number of positions in the layer.
    pub fn positions(&self) -> usize {
        self.values.len()
    }

    /// The number of positions in all layers.
    pub fn total_positions(&self) -> usize {
        self.shapes.positions
    }

    /// The final margin of a position under best play, first side minus second;
    /// `None` if the position is in another layer, or its pieces lie where none can at this point
    /// of a game from the start, whoever owns them.
    pub fn final_margin<G: BoardFilling>(&self, game: &G) -> Option<i32> {
        self.margin_of(game.pieces())
    }

    /// The final margin of the position with these
    /// [`pieces`](BoardFilling::pieces).
    pub fn margin_of(&self, pieces: [u64; 2]) -> Option<i32> {
        let index = self.shapes.index(self.plies, pieces)?;
        self.values.get(index).copied().map(i32::from)
    }

    /// The pieces of each position in the layer, with its
    /// [`final_margin`](Self::final_margin).
    pub fn margins(&self) -> impl Iterator<Item = ([u64; 2], i32)> {
        let block = self.shapes.block_len(self.plies);
        self.values.iter().enumerate().map(move |(index, &value)| {
            let pieces = self.shapes.pieces(self.plies, index / block, index % block);
            (pieces, i32::from(value))
        })
    }
}
