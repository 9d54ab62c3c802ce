use open_ttt_lib::rules::{History, Outcome, TwoPlayerGame};

/// A game being played: what a batch needs of it.
pub(super) trait Course<G: TwoPlayerGame> {
    fn begin(start: &G) -> Self;
    fn position(&self) -> &G;
    fn outcome(&self) -> Option<Outcome>;
    /// Plays a legal move.
    fn play(&mut self, m: G::Move);
}

/// The position alone, for games in which none comes back.
pub(super) struct Position<G>(G);

impl<G: TwoPlayerGame> Course<G> for Position<G> {
    fn begin(start: &G) -> Self {
        Self(start.clone())
    }

    fn position(&self) -> &G {
        &self.0
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn play(&mut self, m: G::Move) {
        self.0.play_unchecked(m);
    }
}

/// The position and what came before it, for games with a rule about repetition.
impl<G: TwoPlayerGame> Course<G> for History<G> {
    fn begin(start: &G) -> Self {
        Self::new(start.clone())
    }

    fn position(&self) -> &G {
        self.position()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    fn play(&mut self, m: G::Move) {
        self.play_unchecked(m);
    }
}
