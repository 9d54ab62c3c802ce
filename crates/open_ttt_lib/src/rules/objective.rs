/// The objective of a game, and the target of a network's value head.
#[derive(Clone, Copy, Debug)]
pub enum Objective<G> {
    /// The outcome: 1 for a win, 0 for a draw, -1 for a loss.
    WinLoss,
    /// The margin of points.
    ///
    /// The function scores a finished game for the first side: the margin,
    /// scaled so that nearly all games are within -1 to 1; values beyond are
    /// clamped. Its sign must agree with the game's outcome.
    Margin(fn(&G) -> f32),
}
