use core::error::Error;
use core::fmt;

use open_ttt_lib::rules::IndexedMoves;

/// A game as it was played to learn from: its moves, and what the search
/// thought of each.
///
/// Which network played it, and with what seed, says the one who keeps it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// How many of the moves were drawn by chance, before the search began.
    pub opening: usize,
    /// All moves, by their [indices](IndexedMoves::move_index).
    pub moves: Vec<u16>,
    /// What was thought of the moves behind the opening.
    pub thoughts: Vec<Thought>,
}

/// What a search thought of a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thought {
    /// How good each move is, by its index: a distribution over the legal moves.
    pub policy: Vec<(u16, f32)>,
    /// What the position is worth to the side to move, from -1 to 1.
    pub value: f32,
    /// Whether what was played follows from it; otherwise the move was drawn by
    /// chance, and what came of it says nothing of the position.
    pub is_followed: bool,
}

/// A record is none of this game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadRecord {
    /// The bytes end within it, or go on behind it.
    Length,
    /// A move that is not possible where it stands, counted from 1.
    Move(usize),
    /// There are not as many thoughts as moves behind the opening.
    Thoughts,
    /// What was thought of this move, counted from 1, is no distribution over
    /// the legal moves, or no value.
    Thought(usize),
    /// The game does not end.
    Unfinished,
}

impl Record {
    /// Plays the game again, from the position it began with, to the one it ended
    /// with, and checks everything in it. `see` is shown each position behind the opening,
    /// the number of its move, and what was thought of it.
    ///
    /// # Errors
    ///
    /// [`BadRecord`] if that is no game, or has not been played to its end.
    pub fn replay<G: IndexedMoves>(
        &self,
        start: &G,
        mut see: impl FnMut(&G, usize, &Thought),
    ) -> Result<G, BadRecord> {
        if self.opening.checked_add(self.thoughts.len()) != Some(self.moves.len()) {
            return Err(BadRecord::Thoughts);
        }
        let mut game = start.clone();
        for (ply, &index) in self.moves.iter().enumerate() {
            let bad_move = || BadRecord::Move(ply + 1);
            let m = game.indexed_move(usize::from(index)).ok_or_else(bad_move)?;
            game.check(m).map_err(|_| bad_move())?;
            if let Some(behind) = ply.checked_sub(self.opening) {
                let thought = &self.thoughts[behind];
                if !thought.suits(&game) {
                    return Err(BadRecord::Thought(ply + 1));
                }
                see(&game, ply, thought);
            }
            game.play_unchecked(m);
        }
        if game.outcome().is_none() {
            return Err(BadRecord::Unfinished);
        }
        Ok(game)
    }

    /// Writes it behind what there is.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let mut number = |number: usize| {
            // Games of more than four billion moves do not end.
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            bytes.extend(number.to_le_bytes());
        };
        number(self.opening);
        number(self.moves.len());
        for m in &self.moves {
            bytes.extend(m.to_le_bytes());
        }
        for thought in &self.thoughts {
            let length = u16::try_from(thought.policy.len()).unwrap_or(u16::MAX);
            bytes.extend(length.to_le_bytes());
            bytes.extend(thought.value.to_le_bytes());
            bytes.push(u8::from(thought.is_followed));
            for (m, probability) in &thought.policy {
                bytes.extend(m.to_le_bytes());
                bytes.extend(probability.to_le_bytes());
            }
        }
    }

    /// Reads one from the beginning of these bytes and takes it away from them.
    /// Whether it is a game, [`replay`](Self::replay) tells.
    ///
    /// # Errors
    ///
    /// [`BadRecord::Length`] if the bytes end before it does.
    pub fn read(bytes: &mut &[u8]) -> Result<Self, BadRecord> {
        let opening = u32::from_le_bytes(take(bytes)?) as usize;
        let length = u32::from_le_bytes(take(bytes)?) as usize;
        // No more is set aside than there can be.
        if length > bytes.len() / 2 || opening > length {
            return Err(BadRecord::Length);
        }
        let mut moves = Vec::with_capacity(length);
        for _ in 0..length {
            moves.push(u16::from_le_bytes(take(bytes)?));
        }
        let mut thoughts = Vec::new();
        for _ in opening..length {
            let length = usize::from(u16::from_le_bytes(take(bytes)?));
            let value = f32::from_le_bytes(take(bytes)?);
            let [is_followed] = take(bytes)?;
            let mut policy = Vec::with_capacity(length.min(bytes.len() / 6));
            for _ in 0..length {
                let m = u16::from_le_bytes(take(bytes)?);
                policy.push((m, f32::from_le_bytes(take(bytes)?)));
            }
            thoughts.push(Thought {
                policy,
                value,
                is_followed: is_followed != 0,
            });
        }
        Ok(Self {
            opening,
            moves,
            thoughts,
        })
    }
}

impl Thought {
    fn suits<G: IndexedMoves>(&self, game: &G) -> bool {
        let legal = game.moves().map(|m| game.move_index(m));
        let named = self.policy.iter().map(|&(m, _)| usize::from(m));
        let sum: f32 = self.policy.iter().map(|(_, probability)| probability).sum();
        legal.eq(named)
            && self.policy.iter().all(|(_, p)| (0.0..=1.0).contains(p))
            && (sum - 1.0).abs() < 1e-3
            && (-1.0..=1.0).contains(&self.value)
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], BadRecord> {
    let (head, tail) = bytes.split_first_chunk().ok_or(BadRecord::Length)?;
    *bytes = tail;
    Ok(*head)
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => f.write_str("a recorded game is cut off"),
            Self::Move(number) => write!(f, "move {number} of a recorded game is not possible"),
            Self::Thoughts => f.write_str("a recorded game has not as many thoughts as moves"),
            Self::Thought(number) => write!(
                f,
                "what was thought of move {number} of a recorded game is no policy and value"
            ),
            Self::Unfinished => f.write_str("a recorded game does not end"),
        }
    }
}

impl Error for BadRecord {}
