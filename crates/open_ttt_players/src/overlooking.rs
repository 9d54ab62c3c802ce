use core::hash::{Hash, Hasher};
use std::collections::HashMap;
use std::hash::DefaultHasher;

use open_ttt_lib::random::{Probability, Rng};
use open_ttt_lib::rules::{Drawing, Outcome, Place, Repetition, Side, TwoPlayerGame};
use open_ttt_search::{Evaluator, Score};

use super::Turn;

/// The moves that a player doesn't think of in one turn, neither for itself nor for the
/// opponent.
///
/// A plan is seen only if each of its moves is: the deeper it is, the easier it is missed.
#[derive(Clone, Debug)]
pub(super) struct BlindSpots<M> {
    seed: u64,
    /// How easily moves are overlooked.
    usual: f64,
    /// The same for the moves whose distance from the last move is known.
    by_distance: HashMap<M, f64>,
}

/// From so many cells on, everything is equally far away.
const FAR: u8 = 4;

/// The distance at which moves are overlooked as often as usual.
const USUAL_DISTANCE: f64 = 2.5;

impl<M: Copy + Eq + Hash> BlindSpots<M> {
    /// Blind spots that differ by seed. A move that is neither near nor far is overlooked
    /// with the probability `usual`; each cell farther from the last move doubles the odds.
    pub(super) fn new<G>(turn: &Turn<'_, G>, usual: f64, seed: u64) -> Self
    where
        G: TwoPlayerGame<Move = M> + Drawing,
    {
        let last = turn.before.and_then(|before| last_move(before, turn.game));
        let mut by_distance = HashMap::new();
        if let Some(last) = last {
            for choice in turn.game.picture().choices {
                if let Some(distance) = distance(&choice.path, &last) {
                    let doubled = f64::from(distance.clamp(1, FAR)) - USUAL_DISTANCE;
                    let odds = usual / (1.0 - usual) * doubled.exp2();
                    by_distance.insert(choice.m, odds / (1.0 + odds));
                }
            }
        }
        Self {
            seed,
            usual,
            by_distance,
        }
    }

    /// Whether the player doesn't think of the move.
    fn hide(&self, m: M) -> bool {
        let probability = self.by_distance.get(&m).unwrap_or(&self.usual);
        let mut hasher = DefaultHasher::new();
        (self.seed, m).hash(&mut hasher);
        let probability = Probability::new(*probability).unwrap_or(Probability::NEVER);
        Rng::new(hasher.finish()).chance(probability)
    }
}

/// The places of the move that led from a position to the next.
fn last_move<G: Drawing>(before: &G, position: &G) -> Option<Vec<Place>> {
    let m = before.moves().find(|&m| before.after(m) == *position)?;
    let choices = before.picture().choices;
    let choice = choices.into_iter().find(|choice| choice.m == m)?;
    Some(choice.path)
}

/// The least number of steps, also diagonal ones, from one of these places of the board to
/// one of those; `None` if there are none.
fn distance(from: &[Place], to: &[Place]) -> Option<u8> {
    let on_board = |place: &&Place| !place.is_in_tray();
    let from = from.iter().filter(on_board);
    let pairs = from.flat_map(|a| to.iter().filter(on_board).map(move |b| (a, b)));
    let steps = |(a, b): (&Place, &Place)| {
        let [x, y, z] = [(a.x, b.x), (a.y, b.y), (a.z, b.z)].map(|(a, b)| a.abs_diff(b));
        x.max(y).max(z)
    };
    pairs.map(steps).min()
}

/// A position as it looks to a player with blind spots.
#[derive(Clone, Debug)]
pub(super) struct Overlooking<'a, G: TwoPlayerGame> {
    pub(super) position: G,
    pub(super) blind_spots: &'a BlindSpots<G::Move>,
}

impl<G: TwoPlayerGame> PartialEq for Overlooking<'_, G> {
    /// In one turn the blind spots are the same.
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position
    }
}

impl<G: TwoPlayerGame> Eq for Overlooking<'_, G> {}

impl<G: TwoPlayerGame> Hash for Overlooking<'_, G> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.position.hash(state);
    }
}

impl<G: TwoPlayerGame> TwoPlayerGame for Overlooking<'_, G> {
    type Move = G::Move;
    const ALTERNATES: bool = G::ALTERNATES;

    fn to_move(&self) -> Side {
        self.position.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    /// The moves that are seen; all of them if it is none.
    fn moves(&self) -> impl Iterator<Item = G::Move> {
        let is_seen = |&m: &G::Move| !self.blind_spots.hide(m);
        let mut moves: Vec<_> = self.position.moves().collect();
        if moves.iter().any(is_seen) {
            moves.retain(is_seen);
        }
        moves.into_iter()
    }

    fn repetition(&self) -> Option<Repetition> {
        self.position.repetition()
    }

    fn play_unchecked(&mut self, m: G::Move) {
        self.position.play_unchecked(m);
    }
}

/// An evaluator of positions for those that are seen with blind spots.
#[derive(Clone, Debug)]
pub(super) struct SeenThrough<E>(pub(super) E);

impl<G: TwoPlayerGame, E: Evaluator<G>> Evaluator<Overlooking<'_, G>> for SeenThrough<E> {
    fn finished(&self, game: &Overlooking<'_, G>, outcome: Outcome, plies: u32) -> Score {
        self.0.finished(&game.position, outcome, plies)
    }

    fn unfinished(&self, game: &Overlooking<'_, G>) -> Score {
        self.0.unfinished(&game.position)
    }

    fn margin(&self, proved: Score) -> Option<i32> {
        self.0.margin(proved)
    }
}
