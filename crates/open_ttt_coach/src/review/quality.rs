use core::fmt;

use open_ttt_lib::rules::Side;

use super::ReviewedMove;
use crate::{GameValue, MoveValue, SolvedValue};

/// How good a move of a game was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quality {
    /// No move is better.
    Best,
    /// It keeps the result; another is a little better.
    Good,
    /// It gives away a tenth of what could be expected; or not the result but points of a
    /// scoring game, or a loss that could have been put off and is now plain.
    Inaccuracy,
    /// It gives away the result, half a point, or a fifth of what could be expected.
    Mistake,
    /// It turns a win into a loss, overlooks what is plain, or gives away three tenths of
    /// what could be expected.
    Blunder,
}

/// A win in so many moves, or the opponent's win in one more, is plain to see.
const PLAIN: u32 = 3;

impl Quality {
    /// Every quality, the best first.
    pub const ALL: [Self; 5] = [
        Self::Best,
        Self::Good,
        Self::Inaccuracy,
        Self::Mistake,
        Self::Blunder,
    ];

    /// The quality of a move beside the best move.
    pub(super) fn of<M: Eq>(played: &MoveValue<M>, best: &MoveValue<M>) -> Self {
        if played.is_as_good_as(best) {
            return Self::Best;
        }
        let lost = best.expected - played.expected;
        let (was, is) = (best.solved, played.solved);
        if best.is_proved() && played.is_proved() {
            let is_plain_loss = |value: SolvedValue| {
                value.result == GameValue::Loss && value.plies.is_some_and(|n| n <= PLAIN + 1)
            };
            let allowed = is_plain_loss(is);
            if was.result == is.result {
                let is_worse = was.margin > is.margin || allowed && !is_plain_loss(was);
                return if is_worse {
                    Self::Inaccuracy
                } else {
                    Self::Good
                };
            }
            let missed = was.result == GameValue::Win && was.plies.is_some_and(|n| n <= PLAIN);
            let is_blunder = lost > 0.75 || missed || allowed;
            return if is_blunder {
                Self::Blunder
            } else {
                Self::Mistake
            };
        }
        match lost {
            0.3.. => Self::Blunder,
            0.2.. => Self::Mistake,
            0.1.. => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// `best`, `good`, `inaccuracy`, `mistake` or `blunder`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Good => "good",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The mean accuracy of a side's moves in percent, where each move has one by the points it
/// gave away: the function of lichess.org/page/accuracy (2022). Points of a scoring game
/// that leave the result as it is count as a tenth.
pub(super) fn accuracy<M>(moves: &[ReviewedMove<M>], side: Side) -> Option<f64> {
    let own: Vec<_> = moves
        .iter()
        .filter(|reviewed| reviewed.side == side)
        .map(|reviewed| {
            let lost = match reviewed.quality {
                Quality::Inaccuracy => reviewed.lost.max(0.1),
                _ => reviewed.lost,
            };
            // Rounded to 100 for a move that gives nothing away.
            let percent = 103.1669 * (-4.354 * lost).exp() - 3.1669;
            percent.max(0.0)
        })
        .collect();
    (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
}
