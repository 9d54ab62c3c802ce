use open_ttt_lib::rules::{History, IndexedMoves, Outcome, TwoPlayerGame};

/// A self-play game: its moves, and the search's result for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelfPlayGame {
    /// How many plies at the beginning were drawn at random, without search.
    pub opening: usize,
    /// All moves, by their [indices](IndexedMoves::move_index).
    pub moves: Vec<u16>,
    /// The training target of each position after the opening.
    pub targets: Vec<SearchTarget>,
}

/// What a search found about a position, as a training target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchTarget {
    /// The improved policy: a distribution over the legal moves, by their indices.
    pub policy: Vec<(u16, f32)>,
    /// The value for the side to move, from -1 to 1.
    pub value: f32,
    /// Whether the search's choice was played. If not, the move was drawn at random, and
    /// the game's result says nothing about this position.
    pub is_followed: bool,
}

/// A [`SelfPlayGame`] isn't a valid game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelfPlayGameError {
    /// The bytes end too early, or too late.
    #[error("a recorded game is cut off")]
    Truncated,
    /// This move, counted from 1, is illegal.
    #[error("move {0} of a recorded game is illegal")]
    IllegalMove(usize),
    /// The number of targets differs from the number of moves after the opening.
    #[error("a recorded game has the wrong number of search targets")]
    TargetCount,
    /// The target of this move, counted from 1, isn't a distribution over the legal
    /// moves and a value.
    #[error("the search target of move {0} of a recorded game isn't a policy and a value")]
    InvalidTarget(usize),
    /// The game doesn't end.
    #[error("a recorded game doesn't end")]
    Unfinished,
}

impl SelfPlayGame {
    /// A game in which positions come back is a draw after this many moves.
    pub const MAX_PLIES: usize = 1_000;

    /// Whether a game with this history is over, and how.
    pub(crate) fn outcome<G: TwoPlayerGame>(history: &History<G>) -> Option<Outcome> {
        let can_repeat = history.position().repetition().is_some();
        let is_too_long = can_repeat && history.moves().len() >= Self::MAX_PLIES;
        history.outcome().or(is_too_long.then_some(Outcome::Draw))
    }

    /// Replays the game from its start position to its end, and checks all of it.
    /// Returns the last position and the outcome.
    /// `visit` receives each position after the opening, the number of its ply, and its
    /// target.
    ///
    /// # Errors
    ///
    /// [`SelfPlayGameError`] if the game is invalid or unfinished.
    pub fn replay<G: IndexedMoves>(
        &self,
        start: &G,
        mut visit: impl FnMut(&G, usize, &SearchTarget),
    ) -> Result<(G, Outcome), SelfPlayGameError> {
        if self.opening.checked_add(self.targets.len()) != Some(self.moves.len()) {
            return Err(SelfPlayGameError::TargetCount);
        }
        let mut history = History::new(start.clone());
        for (ply, &index) in self.moves.iter().enumerate() {
            let illegal = || SelfPlayGameError::IllegalMove(ply + 1);
            // Also at the most plies: nobody is to check a game without an end.
            if Self::outcome(&history).is_some() {
                return Err(illegal());
            }
            let game = history.position();
            let m = game.indexed_move(usize::from(index)).ok_or_else(illegal)?;
            game.check(m).map_err(|_| illegal())?;
            if let Some(index) = ply.checked_sub(self.opening) {
                let target = &self.targets[index];
                if !target.suits(game) {
                    return Err(SelfPlayGameError::InvalidTarget(ply + 1));
                }
                visit(game, ply, target);
            }
            history.play(m).map_err(|_| illegal())?;
        }
        let outcome = Self::outcome(&history).ok_or(SelfPlayGameError::Unfinished)?;
        let (_, _, end) = history.into_parts();
        Ok((end, outcome))
    }

    /// Appends the game's binary form.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let mut number = |number: usize| {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            bytes.extend(number.to_le_bytes());
        };
        number(self.opening);
        number(self.moves.len());
        for m in &self.moves {
            bytes.extend(m.to_le_bytes());
        }
        for target in &self.targets {
            let length = u16::try_from(target.policy.len()).unwrap_or(u16::MAX);
            bytes.extend(length.to_le_bytes());
            bytes.extend(target.value.to_le_bytes());
            bytes.push(u8::from(target.is_followed));
            for (m, probability) in &target.policy {
                bytes.extend(m.to_le_bytes());
                bytes.extend(probability.to_le_bytes());
            }
        }
    }

    /// Reads a game from the front of `bytes` and advances past it.
    /// [`replay`](Self::replay) checks whether it is valid.
    ///
    /// # Errors
    ///
    /// [`SelfPlayGameError::Truncated`] if the bytes end too early.
    pub fn read(bytes: &mut &[u8]) -> Result<Self, SelfPlayGameError> {
        let opening = u32::from_le_bytes(take(bytes)?) as usize;
        let length = u32::from_le_bytes(take(bytes)?) as usize;
        // Allocates no more than the bytes can hold.
        if length > bytes.len() / 2 || opening > length {
            return Err(SelfPlayGameError::Truncated);
        }
        let mut moves = Vec::with_capacity(length);
        for _ in 0..length {
            moves.push(u16::from_le_bytes(take(bytes)?));
        }
        let mut targets = Vec::new();
        for _ in opening..length {
            let length = usize::from(u16::from_le_bytes(take(bytes)?));
            let value = f32::from_le_bytes(take(bytes)?);
            let [is_followed] = take(bytes)?;
            let mut policy = Vec::with_capacity(length.min(bytes.len() / 6));
            for _ in 0..length {
                let m = u16::from_le_bytes(take(bytes)?);
                policy.push((m, f32::from_le_bytes(take(bytes)?)));
            }
            targets.push(SearchTarget {
                policy,
                value,
                is_followed: is_followed != 0,
            });
        }
        Ok(Self {
            opening,
            moves,
            targets,
        })
    }
}

impl SearchTarget {
    fn suits<G: IndexedMoves>(&self, game: &G) -> bool {
        let legal = game.moves().map(|m| game.move_index(m));
        let listed = self.policy.iter().map(|&(m, _)| usize::from(m));
        let sum: f32 = self.policy.iter().map(|(_, probability)| probability).sum();
        legal.eq(listed)
            && self.policy.iter().all(|(_, p)| (0.0..=1.0).contains(p))
            && (sum - 1.0).abs() < 1e-3
            && (-1.0..=1.0).contains(&self.value)
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], SelfPlayGameError> {
    let (head, tail) = bytes
        .split_first_chunk()
        .ok_or(SelfPlayGameError::Truncated)?;
    *bytes = tail;
    Ok(*head)
}
