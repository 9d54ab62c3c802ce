use super::{Elo, MatchScore, PentanomialScore, WinStatus};

/// How a match stands for its first contestant.
///
/// ```
/// use open_ttt_players::{PentanomialScore, MatchScore, MatchStatistics};
///
/// // Fifty pairs with a win and a loss each, and ten with a win and a draw.
/// let score = MatchScore { wins: 60, draws: 10, losses: 50 };
/// let pairs = PentanomialScore { counts: [0, 0, 50, 10, 0] };
/// let elo = MatchStatistics { score, pairs }.elo().expect("the games differ");
/// let by_games = score.elo().expect("the games differ");
/// assert_eq!(elo.difference, by_games.difference);
/// assert!(by_games.low < 0.0 && 0.0 < elo.low);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchStatistics {
    /// Its games.
    pub score: MatchScore,
    /// Its pairs of games with one opening; a game whose other half was not
    /// played is in none.
    pub pairs: PentanomialScore,
}

impl MatchStatistics {
    /// The difference in strength that explains the score; `None` while all
    /// games have ended alike, which does not tell how sure it is.
    ///
    /// The interval comes from how much the pairs differ, or, while they do
    /// not, from how much the games do. It is a normal approximation, good
    /// from some thirty pairs on.
    pub fn elo(&self) -> Option<Elo> {
        let by_games = self.score.elo()?;
        Some(match self.pairs.deviation() {
            Some(deviation) => {
                let error = deviation / f64::from(self.pairs.pairs()).sqrt();
                Elo::around(self.score.share(), error)
            }
            None => by_games,
        })
    }

    /// Counts a game, and with it the pair whose first half was `half`.
    pub(super) fn count(&mut self, status: WinStatus, half: Option<WinStatus>) {
        self.score.add(status);
        if let Some(half) = half {
            self.pairs.counts[half_points(half) + half_points(status)] += 1;
        }
    }
}

const fn half_points(status: WinStatus) -> usize {
    match status {
        WinStatus::Loser => 0,
        WinStatus::Draw => 1,
        WinStatus::Winner => 2,
    }
}
