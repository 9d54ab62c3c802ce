use serde::{Deserialize, Serialize};
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

use crate::protocol::PlayerRating;

/// A Glicko-2 rating (Glickman, 2012). Each game is a rating period of its own.
///
/// Its JSON form is a list of rating, deviation and volatility.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 3]", into = "[f64; 3]")]
pub(super) struct Rating(Glicko2Rating);

/// The largest deviation, that of a new player.
const MAX_DEVIATION: f64 = 350.0;

impl Default for Rating {
    fn default() -> Self {
        Self(Glicko2Rating::new())
    }
}

impl From<[f64; 3]> for Rating {
    fn from([rating, deviation, volatility]: [f64; 3]) -> Self {
        Self(Glicko2Rating {
            rating,
            deviation,
            volatility,
        })
    }
}

impl From<Rating> for [f64; 3] {
    fn from(Rating(rating): Rating) -> Self {
        [rating.rating, rating.deviation, rating.volatility]
    }
}

impl Rating {
    /// The rating after a game against an opponent with this rating before it.
    pub(super) fn after_game(self, opponent: Self, outcome: Outcomes) -> Self {
        let results = [(opponent.0, outcome)];
        let next = glicko2_rating_period(&self.0, &results, &Glicko2Config::new());
        // A log needs no more digits.
        let rounded = |value: f64, digits: i32| {
            let scale = 10_f64.powi(digits);
            (value * scale).round() / scale
        };
        Self(Glicko2Rating {
            rating: rounded(next.rating, 2),
            deviation: rounded(next.deviation, 2).min(MAX_DEVIATION),
            volatility: rounded(next.volatility, 6),
        })
    }

    pub(super) fn value(self) -> f64 {
        self.0.rating
    }

    /// As players see it.
    pub(super) fn shown(self) -> PlayerRating {
        PlayerRating {
            rating: self.0.rating.round() as i32,
            deviation: self.0.deviation.round() as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(rating: Glicko2Rating, expected: [f64; 3]) {
        let found: [f64; 3] = Rating(rating).into();
        let tolerances = [0.01, 0.01, 0.000_01];
        for ((found, expected), tolerance) in found.into_iter().zip(expected).zip(tolerances) {
            assert!((found - expected).abs() < tolerance, "{found} {expected}");
        }
    }

    fn opponent(rating: f64, deviation: f64) -> Glicko2Rating {
        Rating::from([rating, deviation, 0.06]).0
    }

    /// The example of Glickman, "Example of the Glicko-2 system", 2012.
    #[test]
    fn the_crate_computes_the_published_example() {
        let results = [
            (opponent(1400.0, 30.0), Outcomes::WIN),
            (opponent(1550.0, 100.0), Outcomes::LOSS),
            (opponent(1700.0, 300.0), Outcomes::LOSS),
        ];
        let player = opponent(1500.0, 200.0);
        let rated = glicko2_rating_period(&player, &results, &Glicko2Config::new());
        assert_close(rated, [1464.06, 151.52, 0.059_99]);
    }

    /// Computed by hand with the formulas of the same paper.
    #[test]
    fn a_game_between_new_players_moves_both_by_162() {
        let new = Rating::default();
        let winner = new.after_game(new, Outcomes::WIN);
        let loser = new.after_game(new, Outcomes::LOSS);
        assert_close(winner.0, [1662.31, 290.32, 0.06]);
        assert_close(loser.0, [1337.69, 290.32, 0.06]);
        assert_close(
            new.after_game(new, Outcomes::DRAW).0,
            [1500.0, 290.32, 0.06],
        );
    }
}
