use open_ttt_lib::rules::{Outcome, TwoPlayerGame};

use super::Claim;

/// What a move does to both sides' chances of winning at once, found by playing it, the
/// other moves and the replies.
pub(super) struct Tactics<'a, G: TwoPlayerGame> {
    game: &'a G,
    m: G::Move,
    after: G,
    /// Whether the opponent can win at once after the move.
    opponent_wins: bool,
}

/// Positions with more moves than this are too many to look two plies ahead.
const MAX_MOVES: usize = 400;

impl<'a, G: TwoPlayerGame> Tactics<'a, G> {
    pub(super) fn new(game: &'a G, m: G::Move) -> Self {
        let after = game.after(m);
        let opponent_wins = wins_at_once(&after).next().is_some();
        Self {
            game,
            m,
            after,
            opponent_wins,
        }
    }

    /// The opponent's wins at once that the move stops.
    pub(super) fn stops(&self) -> Option<Claim<G::Move>> {
        let replies = self.replies(&self.after);
        if self.opponent_wins || !replies {
            return None;
        }
        let others: Vec<_> = self.game.moves().filter(|&m| m != self.m).collect();
        if others.is_empty() || others.len() > MAX_MOVES {
            return None;
        }
        let mut threats = Tally::default();
        let mut only = true;
        for &m in &others {
            let next = self.game.after(m);
            let before = threats.total;
            if self.replies(&next) {
                threats.add(wins_at_once(&next));
            }
            only &= threats.total > before;
        }
        let (threat, times) = threats.most_frequent()?;
        (2 * times >= others.len()).then_some(Claim::Stops { threat, only })
    }

    /// The moves with which the side then threatens to win.
    pub(super) fn threatens(&self) -> Option<Claim<G::Move>> {
        let side = self.game.to_move();
        if self.opponent_wins || !self.replies(&self.after) {
            return None;
        }
        let replies: Vec<_> = self.after.moves().take(MAX_MOVES + 1).collect();
        if replies.len() > MAX_MOVES {
            return None;
        }
        let mut threats = Tally::default();
        let mut unstoppable = true;
        for &reply in &replies {
            let next = self.after.after(reply);
            let before = threats.total;
            if next.to_move() == side {
                threats.add(wins_at_once(&next));
            }
            unstoppable &= threats.total > before;
        }
        let (first, times) = threats.most_frequent()?;
        match threats.second_most_frequent(first) {
            Some(second) if unstoppable => Some(Claim::TwoThreats(first, second)),
            _ => (2 * times >= replies.len()).then_some(Claim::Threatens(first)),
        }
    }

    /// Whether the opponent is to move in this position, and the game goes on.
    fn replies(&self, position: &G) -> bool {
        position.outcome().is_none() && position.to_move() != self.game.to_move()
    }
}

/// The moves with which the side to move wins at once.
fn wins_at_once<G: TwoPlayerGame>(position: &G) -> impl Iterator<Item = G::Move> {
    let side = position.to_move();
    position
        .moves()
        .filter(move |&m| position.after(m).outcome() == Some(Outcome::Win(side)))
}

/// Counts moves.
struct Tally<M> {
    counts: Vec<(M, usize)>,
    total: usize,
}

impl<M> Default for Tally<M> {
    fn default() -> Self {
        Self {
            counts: Vec::new(),
            total: 0,
        }
    }
}

impl<M: Copy + Eq> Tally<M> {
    fn add(&mut self, moves: impl Iterator<Item = M>) {
        for m in moves {
            self.total += 1;
            match self.counts.iter_mut().find(|(known, _)| *known == m) {
                Some((_, count)) => *count += 1,
                None => self.counts.push((m, 1)),
            }
        }
    }

    /// The move counted most often, the first of several, with its count.
    fn most_frequent(&self) -> Option<(M, usize)> {
        let most = self.counts.iter().map(|&(_, count)| count).max()?;
        self.counts
            .iter()
            .copied()
            .find(|&(_, count)| count == most)
    }

    /// Of the others, the move counted most often.
    fn second_most_frequent(&self, first: M) -> Option<M> {
        let others = self.counts.iter().filter(|(m, _)| *m != first);
        others.max_by_key(|(_, count)| *count).map(|&(m, _)| m)
    }
}
