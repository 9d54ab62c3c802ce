use open_ttt_lib::random::Probability;

/// How well a [`FalliblePlayer`](super::FalliblePlayer) plays: from 0, which overlooks most
/// moves, to 1, which overlooks none and is always attentive.
///
/// What a skill amounts to differs from game to game; more of it plays better.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Skill(f64);

/// The positions searched without skill, and how many times more are with all of it.
const MIN_NODES: f64 = 30.0;
const NODE_RATIO: f64 = 1_000.0;

impl Skill {
    /// A skill from 0 to 1; others become the nearest of these.
    ///
    /// ```
    /// use open_ttt_players::Skill;
    ///
    /// assert_eq!(Skill::clamped(1.5), Skill::clamped(1.0));
    /// ```
    pub const fn clamped(skill: f64) -> Self {
        // Not a number becomes 0 too.
        Self(if skill > 0.0 { skill.min(1.0) } else { 0.0 })
    }

    /// This skill, or the greatest with which a turn that isn't attentive searches no more than
    /// so many positions, from 30 to 30,000.
    ///
    /// ```
    /// use open_ttt_players::Skill;
    ///
    /// let skill = Skill::clamped(0.9);
    /// assert_eq!(skill.searching(30_000), skill);
    /// assert!(skill.searching(1_000) < skill);
    /// assert_eq!(skill.searching(1), Skill::clamped(0.0));
    /// ```
    #[must_use]
    pub fn searching(self, positions: u64) -> Self {
        let most = (positions as f64 / MIN_NODES).ln() / NODE_RATIO.ln();
        Self::clamped(self.0.min(most))
    }

    /// Whether the player never overlooks a move that wins at once.
    pub(super) fn takes_wins(self) -> bool {
        self.0 >= 0.4
    }

    /// The probability of an attentive turn.
    pub(super) fn attention(self) -> Probability {
        Probability::new(self.0.powi(3)).unwrap_or(Probability::NEVER)
    }

    /// The probability with which a move is overlooked that is neither near the last move
    /// nor far from it.
    pub(super) fn overlooks(self) -> f64 {
        0.75 * (1.0 - self.0).powf(1.5)
    }

    /// The positions searched in a turn that isn't attentive, from 30 to 30,000.
    pub(super) fn nodes(self) -> u64 {
        (MIN_NODES * NODE_RATIO.powf(self.0)) as u64
    }
}
