use std::collections::VecDeque;

use open_ttt_lib::rules::{Encode, Objective, Outcome, Side};

use crate::{SearchTarget, SelfPlayGame, SelfPlayGameError};

/// The latest self-play games and their positions.
#[derive(Clone, Debug)]
pub(crate) struct ReplayBuffer<G> {
    /// How many positions are kept; whole games are removed only while that many
    /// remain.
    capacity: usize,
    games: VecDeque<SelfPlayGame>,
    /// How many games have been removed.
    removed: usize,
    positions: VecDeque<Position<G>>,
}

/// A training position.
#[derive(Clone, Debug)]
pub(crate) struct Position<G> {
    pub(crate) game: G,
    /// The number of its self-play game, removed ones included.
    game_number: usize,
    /// The index of its target in that game.
    target: usize,
    /// The result for the side to move, from -1 to 1: the value of the game's end or,
    /// where a random move follows, the search's value of the position before the first
    /// such move.
    pub(crate) result: f32,
    /// Plies to the end of the game.
    pub(crate) plies_left: u32,
}

impl<G: Encode> ReplayBuffer<G> {
    pub(crate) const fn new(capacity: usize) -> Self {
        Self {
            capacity,
            games: VecDeque::new(),
            removed: 0,
            positions: VecDeque::new(),
        }
    }

    /// Adds a game. Returns how many positions it has, and its outcome.
    pub(crate) fn push(
        &mut self,
        start: &G,
        game: SelfPlayGame,
    ) -> Result<(usize, Outcome), SelfPlayGameError> {
        let game_number = self.removed + self.games.len();
        let mut added = Vec::new();
        let (end, outcome) = game.replay(start, |position, ply, _| {
            added.push(Position {
                game: position.clone(),
                game_number,
                target: added.len(),
                result: 0.0,
                plies_left: u32::try_from(game.moves.len() - ply).unwrap_or(u32::MAX),
            });
        })?;
        let mut value = final_value(&end, outcome);
        for position in added.iter_mut().rev() {
            let sign = match position.game.to_move() {
                Side::First => 1.0,
                Side::Second => -1.0,
            };
            let target = &game.targets[position.target];
            if !target.is_followed {
                value = sign * target.value;
            }
            position.result = sign * value;
        }
        let count = added.len();
        self.positions.extend(added);
        self.games.push_back(game);
        Ok((count, outcome))
    }

    /// Removes the oldest games beyond the capacity.
    pub(crate) fn evict(&mut self) {
        while let Some(oldest) = self.games.front()
            && self.positions.len() - oldest.targets.len() >= self.capacity
        {
            self.positions.drain(..oldest.targets.len());
            self.games.pop_front();
            self.removed += 1;
        }
    }

    /// Removes the latest games, down to this many.
    pub(crate) fn truncate(&mut self, games: usize) {
        while self.games.len() > games {
            let latest = self.games.pop_back().unwrap_or_default();
            let kept = self.positions.len() - latest.targets.len();
            self.positions.truncate(kept);
        }
    }

    /// The games, the oldest first.
    pub(crate) fn games(&self) -> impl ExactSizeIterator<Item = &SelfPlayGame> {
        self.games.iter()
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// A position and its target.
    pub(crate) fn get(&self, index: usize) -> (&Position<G>, &SearchTarget) {
        let position = &self.positions[index];
        let game = &self.games[position.game_number - self.removed];
        (position, &game.targets[position.target])
    }
}

/// The value of a finished game to the first side, from -1 to 1.
fn final_value<G: Encode>(end: &G, outcome: Outcome) -> f32 {
    match (end.objective(), outcome) {
        (Objective::Margin(margin), _) if end.outcome().is_some() => margin(end).clamp(-1.0, 1.0),
        (_, Outcome::Win(Side::First)) => 1.0,
        (_, Outcome::Win(Side::Second)) => -1.0,
        (_, Outcome::Draw) => 0.0,
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use open_ttt_lib::rules::{IndexedMoves, TwoPlayerGame};

    use super::*;
    use crate::strip::Strip;

    #[test]
    fn positions_before_a_random_move_take_the_search_value() {
        let start = Strip::new(9);
        let mut position = start.clone();
        let mut game = SelfPlayGame::default();
        while position.outcome().is_none() {
            let moves: Vec<_> = position.moves().collect();
            let ply = game.moves.len();
            game.targets.push(SearchTarget {
                policy: (moves.iter())
                    .map(|&m| (position.move_index(m) as u16, 1.0 / moves.len() as f32))
                    .collect(),
                value: 0.01 * ply as f32,
                is_followed: ply != 2,
            });
            game.moves.push(position.move_index(moves[0]) as u16);
            position.play_unchecked(moves[0]);
        }
        let plies = game.moves.len();
        // Nine cells: the first player takes the last one and wins.
        let win = Outcome::Win(Side::First);
        assert_eq!((plies, position.outcome()), (9, Some(win)));
        let mut buffer = ReplayBuffer::new(100);
        assert_eq!(buffer.push(&start, game).unwrap(), (plies, win));
        let results: Vec<_> = (0..plies).map(|ply| buffer.get(ply).0.result).collect();
        assert_eq!(results[..3], [0.02, -0.02, 0.02]);
        assert_eq!(results[3..], [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
    }
}
