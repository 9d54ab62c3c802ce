use super::{Elo, MatchScore, PentanomialScore, WinStatus};

/// The statistics of a match, from the view of participant A.
///
/// ```
/// use open_ttt_players::{PentanomialScore, MatchScore, MatchStatistics};
///
/// // Fifty pairs with a win and a loss, ten with a win and a draw.
/// let score = MatchScore { wins: 60, draws: 10, losses: 50 };
/// let pairs = PentanomialScore { counts: [0, 0, 50, 10, 0] };
/// let elo = MatchStatistics { score, pairs }.elo().expect("the games differ");
/// let by_games = score.elo().expect("the games differ");
/// assert_eq!(elo.difference, by_games.difference);
/// assert!(by_games.low < 0.0 && 0.0 < elo.low);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchStatistics {
    /// The results of its games.
    pub score: MatchScore,
    /// The results of its pairs of games with one opening. A game without its
    /// second half counts in none.
    pub pairs: PentanomialScore,
}

impl MatchStatistics {
    /// The Elo difference that explains the score; `None` while all games have
    /// the same result, which gives no variance.
    ///
    /// The interval follows from the variance of the pairs or, while they are all
    /// equal, of the games. It is a normal approximation, good from about thirty
    /// pairs on.
    pub fn elo(&self) -> Option<Elo> {
        let by_games = self.score.elo()?;
        let Some(deviation) = self.pairs.deviation() else {
            return Some(by_games);
        };
        let error = deviation / f64::from(self.pairs.pairs()).sqrt();
        Some(Elo::around(self.score.share(), error))
    }

    /// Counts a game, and a pair if `first_half` is the result of its other game.
    pub(super) fn count(&mut self, status: WinStatus, first_half: Option<WinStatus>) {
        self.score.count(status);
        if let Some(half) = first_half {
            let half_points = |status| match status {
                WinStatus::Loser => 0,
                WinStatus::Draw => 1,
                WinStatus::Winner => 2,
            };
            self.pairs.counts[half_points(half) + half_points(status)] += 1;
        }
    }
}
