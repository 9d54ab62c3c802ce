//! How often a computer player makes a mistake: one definition for every player and game.
//! People choose a [`Level`](super::Level), which errs as people do.
//!
//! A difficulty is the probability of a mistake on each move. A mistake is to
//! miss the best result within reach: the player leaves out every move of the
//! best [`Grade`](open_ttt_search::Grade) and plays the best of the rest. A win
//! in five moves is no mistake where another move wins in three. A position
//! whose moves all have the same grade allows no mistake. A tree search, whose moves
//! have no grades, leaves out its best move, and if that is proved to win or to draw,
//! every move proved to have the same outcome.
//!
//! At 0 the player makes no mistakes; at 1 it misses the best result on every
//! move. The effect depends on the player: one that searches to the end of the
//! game gives wins away, one that only compares points gives points away.

use super::Decision;
use open_ttt_lib::random::{Probability, Rng};
use open_ttt_search::{RootMoves, Score};

/// The probability of a mistake, and the random numbers of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Difficulty {
    /// The probability of a mistake on each move.
    pub mistakes: Probability,
    /// The random numbers for mistakes and for the choice among equal moves.
    pub rng: Rng,
}

/// Which of the moves a player plays this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveQuality {
    Best,
    Mistake,
}

impl Difficulty {
    /// No mistakes, and a choice among equal moves that differs from run to run.
    pub fn without_mistakes() -> Self {
        Self {
            mistakes: Probability::NEVER,
            rng: Rng::from_entropy(),
        }
    }

    /// No mistakes, and a choice among equal moves that follows from the seed.
    pub const fn seeded(seed: u64) -> Self {
        Self {
            mistakes: Probability::NEVER,
            rng: Rng::new(seed),
        }
    }

    /// Draws whether the next move is a mistake.
    pub(super) fn draw(&mut self) -> MoveQuality {
        if self.rng.chance(self.mistakes) {
            MoveQuality::Mistake
        } else {
            MoveQuality::Best
        }
    }

    /// Chooses from moves that are sorted by descending score.
    pub(super) fn choose<M: Copy>(
        &mut self,
        moves: &[(M, Score)],
        quality: MoveQuality,
    ) -> Decision<M> {
        let Some(&(_, best)) = moves.first() else {
            return Decision::Resign;
        };
        let best_grade = moves.partition_point(|(_, score)| score.grade() == best.grade());
        let candidates = match &moves[best_grade..] {
            worse if quality == MoveQuality::Mistake && !worse.is_empty() => worse,
            _ => moves,
        };
        let top = candidates[0].1;
        let equal = candidates.iter().take_while(|(_, score)| *score == top);
        Decision::play_or_resign(self.rng.pick(equal).map(|&(m, _)| m))
    }
}

impl MoveQuality {
    /// The root moves that need an exact score: a mistake compares the moves that
    /// aren't best.
    pub(super) const fn root_moves(self) -> RootMoves {
        match self {
            Self::Best => RootMoves::BestOnly,
            Self::Mistake => RootMoves::All,
        }
    }
}

/// The moves that a mistake of a tree search excludes: the best move and, if its
/// outcome is proved, every move proved to have the same outcome.
pub(super) fn moves_to_exclude<M: Copy + Eq, P: Copy + Eq>(
    best: Option<M>,
    moves: impl Iterator<Item = (M, Option<P>)> + Clone,
) -> Vec<M> {
    let is_best = |m| Some(m) == best;
    let proved = moves.clone().find(|&(m, _)| is_best(m));
    let outcome = proved.and_then(|(_, outcome)| outcome);
    moves
        .filter(|&(m, proved)| is_best(m) || outcome.is_some() && proved == outcome)
        .map(|(m, _)| m)
        .collect()
}
