use super::{IllegalMove, Outcome, Reason, TwoPlayerGame};
use alloc::vec::Vec;

/// A game so far: its start, its moves and its position.
///
/// A position alone doesn't know what came before it. In a game whose rules end it
/// when a position [comes back](TwoPlayerGame::repetition), the history does.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{History, Notation, TwoPlayerGame};
///
/// let mut game = History::new(TicTacToe::new());
/// let centre = game.position().parse_move("b2")?;
/// game.play(centre).expect("a free cell");
/// assert_eq!((game.moves(), game.outcome()), (&[centre][..], None));
/// assert_eq!(game.undo(), Some(centre));
/// assert_eq!(game.position(), game.start());
/// # Ok::<(), open_ttt_lib::rules::ParseMoveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<G: TwoPlayerGame> {
    start: G,
    moves: Vec<G::Move>,
    position: G,
    /// The position before the last move.
    before: Option<G>,
    /// The positions before the current one, the oldest first, if the game has a
    /// rule about repetition.
    earlier: Vec<G>,
    /// The outcome by that rule.
    repetition: Option<Outcome>,
}

impl<G: TwoPlayerGame> History<G> {
    /// A game that starts from this position.
    pub fn new(start: G) -> Self {
        Self {
            position: start.clone(),
            before: None,
            start,
            moves: Vec::new(),
            earlier: Vec::new(),
            repetition: None,
        }
    }

    /// The start position.
    pub const fn start(&self) -> &G {
        &self.start
    }

    /// The moves, in order.
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// The current position.
    pub const fn position(&self) -> &G {
        &self.position
    }

    /// The position before the last move; `None` at the start.
    pub const fn before(&self) -> Option<&G> {
        self.before.as_ref()
    }

    /// The positions before the current one, the oldest first; none in a game without
    /// a rule about [repetition](TwoPlayerGame::repetition).
    pub fn earlier(&self) -> &[G] {
        &self.earlier
    }

    /// The outcome by the rules of the position or by the rule about repetition;
    /// `None` if the game isn't over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.position.outcome().or(self.repetition)
    }

    /// Plays a move.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] if the move is illegal. Nothing has changed then.
    pub fn play(&mut self, m: G::Move) -> Result<(), IllegalMove<G::Move>> {
        if self.repetition.is_some() {
            return Err(IllegalMove::new(m, Reason::GameOver));
        }
        self.position.check(m)?;
        self.play_unchecked(m);
        Ok(())
    }

    /// Plays a move without checking that it is legal, as
    /// [`TwoPlayerGame::play_unchecked`].
    pub fn play_unchecked(&mut self, m: G::Move) {
        let next = self.position.after(m);
        let before = core::mem::replace(&mut self.position, next);
        self.moves.push(m);
        if let Some(rule) = before.repetition() {
            let mover = before.to_move();
            self.earlier.push(before.clone());
            let equal = self.earlier.iter().filter(|&one| *one == self.position);
            let occurrences = 1 + equal.count() as u32;
            self.repetition = rule.outcome(occurrences, mover);
        }
        self.before = Some(before);
    }

    /// Takes the last move back and returns it; `None` if there is none.
    pub fn undo(&mut self) -> Option<G::Move> {
        let m = self.moves.pop()?;
        let mut earlier = Self::new(self.start.clone());
        for &m in &self.moves {
            earlier.play_unchecked(m);
        }
        *self = earlier;
        Some(m)
    }

    /// The start, the moves and the current position.
    pub fn into_parts(self) -> (G, Vec<G::Move>, G) {
        (self.start, self.moves, self.position)
    }
}
