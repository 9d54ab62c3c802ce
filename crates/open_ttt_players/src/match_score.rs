use super::{GameResult, WinStatus};

/// The score of a match of many games, from the view of its first player.
///
/// ```
/// use open_ttt_players::MatchScore;
///
/// let score = MatchScore { wins: 60, draws: 20, losses: 20 };
/// assert_eq!(score.share(), 0.7);
/// let elo = score.elo().expect("both have won");
/// assert_eq!(elo.difference.round(), 147.0);
/// assert!(elo.low < 147.0 && 147.0 < elo.high);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchScore {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

/// A difference in strength on the Elo scale, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// The likeliest difference.
    pub difference: f64,
    /// The low end of the interval; −∞ where the games do not bound it.
    pub low: f64,
    /// The high end of the interval; +∞ where the games do not bound it.
    pub high: f64,
}

impl MatchScore {
    /// Counts a game, in which the player was player 1.
    pub const fn count(&mut self, result: GameResult) {
        self.add(result.player1);
    }

    /// Counts a game that was this for the player.
    pub(super) const fn add(&mut self, status: WinStatus) {
        match status {
            WinStatus::Winner => self.wins += 1,
            WinStatus::Loser => self.losses += 1,
            WinStatus::Draw => self.draws += 1,
        }
    }

    /// How many games were played.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points, a draw being half a point: 0 to 1, and one
    /// half before the first game.
    pub fn share(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        (f64::from(self.wins) + f64::from(self.draws) / 2.0) / f64::from(self.games())
    }

    /// The difference in strength that explains the score; `None` while all
    /// games have ended alike, which does not tell how sure it is.
    ///
    /// The interval is the normal approximation to the mean of the games'
    /// points, carried through Elo's logistic curve: good from some thirty
    /// games on.
    pub fn elo(&self) -> Option<Elo> {
        if [self.wins, self.draws, self.losses].contains(&self.games()) {
            return None;
        }
        let share = self.share();
        let deviation = |points: f64, count: u32| f64::from(count) * (points - share).powi(2);
        let variance =
            (deviation(1.0, self.wins) + deviation(0.5, self.draws) + deviation(0.0, self.losses))
                / f64::from(self.games());
        Some(Elo::around(
            share,
            (variance / f64::from(self.games())).sqrt(),
        ))
    }
}

impl Elo {
    /// The difference that explains this share of the points, which has this
    /// standard error.
    pub(super) fn around(share: f64, error: f64) -> Self {
        // So many standard errors to both sides hold 95 % of a normal
        // distribution.
        let margin = 1.96 * error;
        Self {
            difference: elo_of(share),
            low: elo_of(share - margin),
            high: elo_of(share + margin),
        }
    }
}

/// The share of the points that is expected at this Elo difference.
pub(super) fn share_at(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// The Elo difference at which this share of the points is expected.
fn elo_of(share: f64) -> f64 {
    if share <= 0.0 {
        f64::NEG_INFINITY
    } else if share >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / share - 1.0).log10()
    }
}
