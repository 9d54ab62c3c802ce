/// What a game is played for, and so what a network's value head learns.
#[derive(Clone, Copy, Debug)]
pub enum Objective<G> {
    /// To win: a win is 1, a draw 0, a loss -1.
    WinLoss,
    /// To win by as many points as possible.
    ///
    /// The function scores a finished game: the first side's points less the
    /// second's, scaled so that nearly all games are within -1 to 1; what is beyond
    /// is clamped. Its sign must agree with the game's outcome.
    Margin(fn(&G) -> f32),
}
