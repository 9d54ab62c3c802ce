use super::WinStatus;

/// The wins, draws and losses of a match, from the view of its first participant.
///
/// ```
/// use open_ttt_players::MatchScore;
///
/// let score = MatchScore { wins: 60, draws: 20, losses: 20 };
/// assert_eq!(score.share(), 0.7);
/// let elo = score.elo().expect("a bounded difference");
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
    /// The most likely difference.
    pub difference: f64,
    /// The lower end of the interval; −∞ if the games don't bound it.
    pub low: f64,
    /// The upper end of the interval; +∞ if the games don't bound it.
    pub high: f64,
}

impl MatchScore {
    /// Counts a game with this result for the participant.
    pub const fn count(&mut self, status: WinStatus) {
        match status {
            WinStatus::Winner => self.wins += 1,
            WinStatus::Loser => self.losses += 1,
            WinStatus::Draw => self.draws += 1,
        }
    }

    /// The number of games.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points, 0 to 1, with half a point for a draw; one half
    /// before the first game.
    pub fn share(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        (f64::from(self.wins) + f64::from(self.draws) / 2.0) / f64::from(self.games())
    }

    /// The Elo difference that explains the score; `None` while all games have
    /// the same result, which gives no variance.
    ///
    /// The interval is the normal approximation of the mean points per game,
    /// mapped through Elo's logistic curve. It is good from about thirty games on.
    pub fn elo(&self) -> Option<Elo> {
        if [self.wins, self.draws, self.losses].contains(&self.games()) {
            return None;
        }
        let share = self.share();
        let deviation = |points: f64, count: u32| f64::from(count) * (points - share).powi(2);
        let wins = deviation(1.0, self.wins);
        let deviations = wins + deviation(0.5, self.draws) + deviation(0.0, self.losses);
        let variance = deviations / f64::from(self.games());
        let error = (variance / f64::from(self.games())).sqrt();
        Some(Elo::around(share, error))
    }
}

impl Elo {
    /// The difference for this share of the points with this standard error.
    pub(super) fn around(share: f64, error: f64) -> Self {
        // 95 % of a normal distribution.
        let margin = 1.96 * error;
        Self {
            difference: elo_of(share),
            low: elo_of(share - margin),
            high: elo_of(share + margin),
        }
    }
}

/// The expected share of the points at this Elo difference.
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
