use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::mem;

use super::{IllegalMove, Outcome, Reason, TwoPlayerGame};
use crate::random::Rng;

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
    /// The [key](key_of) of each of those.
    keys: Vec<u64>,
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
            keys: Vec::new(),
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
        let before = mem::replace(&mut self.position, next);
        self.moves.push(m);
        if before.repetition().is_some() {
            self.keys.push(key_of(&before));
            self.earlier.push(before.clone());
        }
        self.before = Some(before);
        self.repetition = self.outcome_by_repetition();
    }

    /// Takes the last move back and returns it; `None` if there is none.
    pub fn undo(&mut self) -> Option<G::Move> {
        let &last = self.moves.last()?;
        self.truncate(self.moves.len() - 1);
        Some(last)
    }

    /// Takes back all moves but the first `count`; none if there are no more.
    pub(crate) fn truncate(&mut self, count: usize) {
        if let Some(position) = self.earlier.get(count) {
            self.position = position.clone();
            self.moves.truncate(count);
            self.earlier.truncate(count);
            self.keys.truncate(count);
            self.before = self.earlier.last().cloned();
            self.repetition = self.outcome_by_repetition();
        } else if count < self.moves.len() {
            // Without the positions in between, there are only the moves to go by.
            let moves = mem::take(&mut self.moves);
            *self = Self::new(self.start.clone());
            for &m in moves.iter().take(count) {
                self.play_unchecked(m);
            }
        }
    }

    /// The outcome by the rule about repetition, for the last move.
    fn outcome_by_repetition(&self) -> Option<Outcome> {
        let before = self.before.as_ref()?;
        let rule = before.repetition()?;
        let key = key_of(&self.position);
        // A game may have thousands of moves. Keys are compared much faster than positions.
        let known = self.keys.iter().zip(&self.earlier);
        let equal = known.filter(|&(&other, one)| other == key && *one == self.position);
        let occurrences = 1 + equal.count() as u32;
        rule.outcome(occurrences, before.to_move())
    }

    /// The start, the moves and the current position.
    pub fn into_parts(self) -> (G, Vec<G::Move>, G) {
        (self.start, self.moves, self.position)
    }
}

/// A number that is the same for equal positions, and hardly ever for others.
fn key_of<G: Hash>(position: &G) -> u64 {
    let mut hasher = KeyHasher(0);
    position.hash(&mut hasher);
    hasher.finish()
}

/// Mixes each number that it is fed into the key so far.
///
/// Whoever looks for positions that share a key, so that they have to be compared, won't
/// find many: the 5·10²⁰ positions of English draughts are 27 for each key.
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let number = chunk.iter().fold(0, |all, &one| all << 8 | u64::from(one));
            self.0 = Rng::new(self.0 ^ number).next_u64();
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
