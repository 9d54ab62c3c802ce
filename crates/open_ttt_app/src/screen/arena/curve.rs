use open_ttt_players::Elo;

/// The most points that are kept; beyond that, every other one is left out.
const MAX_POINTS: usize = 1_000;

/// The Elo difference as the games of a match are played.
#[derive(Clone, Debug, Default)]
pub(super) struct EloCurve {
    points: Vec<EloPoint>,
    /// A point is kept of each so many games.
    stride: u32,
}

/// The Elo difference after some games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EloPoint {
    pub(super) games: f64,
    pub(super) elo: Elo,
}

impl EloCurve {
    /// Adds the difference after so many games.
    pub(super) fn add(&mut self, games: u32, elo: Elo) {
        let stride = self.stride.max(1);
        if !games.is_multiple_of(stride) || !elo.difference.is_finite() {
            return;
        }
        let games = f64::from(games);
        self.points.push(EloPoint { games, elo });
        if self.points.len() > MAX_POINTS {
            self.stride = stride * 2;
            let stride = f64::from(self.stride);
            self.points.retain(|point| point.games % stride < 0.5);
        }
    }

    /// The most likely difference by games.
    pub(super) fn differences(&self) -> Vec<(f64, f64)> {
        self.points
            .iter()
            .map(|point| (point.games, point.elo.difference))
            .collect()
    }

    /// The lower and the upper end of the interval by games, where they are finite.
    pub(super) fn interval(&self) -> [Vec<(f64, f64)>; 2] {
        let end = |of: fn(&Elo) -> f64| {
            let points = self
                .points
                .iter()
                .map(|point| (point.games, of(&point.elo)));
            points.filter(|(_, elo)| elo.is_finite()).collect()
        };
        [end(|elo| elo.low), end(|elo| elo.high)]
    }

    /// The range of an axis for the differences, in steps of so many Elo: the intervals of the
    /// later games, and 0. The first games, which hardly tell anything, would dwarf them.
    pub(super) fn bounds(&self, step: f64) -> [f64; 2] {
        let last = self.points.last().map_or(0.0, |point| point.games);
        let later = self.points.iter().filter(|it| it.games * 4.0 >= last);
        let [low, high] = later.fold([0.0_f64, 0.0_f64], |[low, high], point| {
            let Elo {
                difference,
                low: from,
                high: to,
            } = point.elo;
            let ends = [from, to].map(|end| if end.is_finite() { end } else { difference });
            [low.min(ends[0]), high.max(ends[1])]
        });
        let low = (low / step).floor() * step;
        let high = (high / step).ceil() * step;
        [low, if high > low { high } else { low + step }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elo(difference: f64, margin: f64) -> Elo {
        Elo {
            difference,
            low: difference - margin,
            high: difference + margin,
        }
    }

    #[test]
    fn a_long_match_keeps_points_of_all_its_parts() {
        let mut curve = EloCurve::default();
        for games in 1..=100_000 {
            curve.add(games, elo(f64::from(games), 1.0));
        }
        let points = curve.differences();
        assert!((MAX_POINTS / 2..=MAX_POINTS).contains(&points.len()));
        let gaps = points.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let expected = points[0].0;
        assert!(gaps.into_iter().all(|gap| (gap - expected).abs() < 0.5));
        assert!(points.last().is_some_and(|last| last.0 > 99_000.0));
    }

    #[test]
    fn the_axis_is_for_the_later_games() {
        let mut curve = EloCurve::default();
        let bounds = |curve: &EloCurve| curve.bounds(50.0).map(|end| end.round() as i32);
        assert_eq!(bounds(&curve), [0, 50]);
        curve.add(1, elo(-700.0, f64::INFINITY));
        curve.add(100, elo(80.0, 60.0));
        curve.add(200, elo(60.0, 40.0));
        assert_eq!(bounds(&curve), [0, 150]);
        assert_eq!(curve.interval()[0], [(100.0, 20.0), (200.0, 20.0)]);
    }
}
