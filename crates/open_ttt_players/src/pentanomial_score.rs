/// The pentanomial score of a match played in pairs of games, from the view of
/// one participant. Both games of a pair have the same opening, with sides
/// swapped.
///
/// A pair scores 0, ½, 1, 1½ or 2 points. An opening that favours one side wins
/// one game of a pair and loses the other, so pairs have a smaller variance than
/// games and give a narrower confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PentanomialScore {
    /// The number of pairs with 0, ½, 1, 1½ and 2 points.
    pub counts: [u32; 5],
}

impl PentanomialScore {
    /// The share of the points for each count.
    pub(super) const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    /// The number of pairs.
    pub fn pairs(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The share of the points, 0 to 1; one half before the first pair.
    pub fn share(&self) -> f64 {
        self.mean(|share| share).unwrap_or(0.5)
    }

    /// The standard deviation of a pair's share of the points; `None` while all
    /// pairs have the same score.
    pub fn deviation(&self) -> Option<f64> {
        if self.counts.contains(&self.pairs()) {
            return None;
        }
        let mean = self.share();
        self.mean(|share| (share - mean).powi(2)).map(f64::sqrt)
    }

    fn mean(&self, value: impl Fn(f64) -> f64) -> Option<f64> {
        let counted = Self::SHARES.into_iter().zip(self.counts);
        let values = counted.map(|(share, count)| value(share) * f64::from(count));
        (self.pairs() > 0).then(|| values.sum::<f64>() / f64::from(self.pairs()))
    }
}
