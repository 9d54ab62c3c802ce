use core::marker::PhantomData;
use std::collections::TryReserveError;

use open_ttt_catalog::{CatalogGame, DynGame, GameVisitor};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, History, Side, Symmetry};

use super::course::{Course, Position};
use crate::game::returns;

/// Many games of one kind, of which those that end begin anew.
pub(super) trait Batch: Send + Sync {
    /// Begins all games anew.
    fn reset(&mut self, view: &mut View<'_>);

    /// The first game in which its action isn't legal.
    fn find_illegal(&self, actions: &[i64]) -> Option<usize>;

    /// Plays a legal move in each game.
    fn step(
        &mut self,
        actions: &[i64],
        rewards: &mut [f32],
        ends: &mut [bool],
        view: &mut View<'_>,
    );

    /// Chooses a legal move in each game, each with the same probability.
    fn sample(&self, rng: &mut Rng, actions: &mut [i64]);

    /// The position of a game.
    fn position(&self, game: usize) -> DynGame;
}

/// What is to be seen of the games: an equal part of each slice for each game.
pub(super) struct View<'a> {
    /// The planes of the positions; empty if nobody looks at them.
    pub(super) planes: &'a mut [f32],
    /// Whether each move is legal.
    pub(super) masks: &'a mut [bool],
    /// The side to move.
    pub(super) to_move: &'a mut [u8],
}

/// The games with this start position, in their own type if it is known.
///
/// # Errors
///
/// If there is no memory for so many.
pub(super) fn batch(start: &DynGame, games: usize) -> Result<Box<dyn Batch>, TryReserveError> {
    start
        .visit(Visitor { games })
        .unwrap_or_else(|| of_game(start, games, DynGame::clone))
}

struct Visitor {
    games: usize,
}

impl GameVisitor for Visitor {
    type Output = Result<Box<dyn Batch>, TryReserveError>;

    fn visit<G: CatalogGame + Encode + Symmetry>(self, game: &G) -> Self::Output {
        of_game(game, self.games, |position| DynGame::new(position.clone()))
    }
}

fn of_game<G>(
    start: &G,
    games: usize,
    erase: fn(&G) -> DynGame,
) -> Result<Box<dyn Batch>, TryReserveError>
where
    G: Encode<Move: Send + Sync> + Send + Sync + 'static,
{
    Ok(match start.repetition() {
        None => Box::new(Games::<G, Position<G>>::new(start, games, erase)?),
        Some(_) => Box::new(Games::<G, History<G>>::new(start, games, erase)?),
    })
}

struct Games<G, C> {
    start: G,
    /// The moves of the start position.
    first_moves: Vec<u32>,
    slots: Vec<Slot<C>>,
    /// The numbers of a position's planes.
    inputs: usize,
    actions: usize,
    erase: fn(&G) -> DynGame,
    kind: PhantomData<fn() -> G>,
}

/// About what a list takes beside its elements where it is allocated.
const LIST_BYTES: usize = 16;

struct Slot<C> {
    course: C,
    /// The indices of the legal moves.
    legal: Vec<u32>,
}

impl<G: Encode, C: Course<G>> Games<G, C> {
    fn new(start: &G, games: usize, erase: fn(&G) -> DynGame) -> Result<Self, TryReserveError> {
        let first_moves = start.moves().map(|m| start.move_index(m) as u32);
        let first_moves: Vec<_> = first_moves.collect();
        let slot = |_| Slot {
            course: C::begin(start),
            legal: first_moves.clone(),
        };
        // Together with the list of moves that each has for itself, which ends the process if
        // there is no memory for it.
        let each = size_of::<Slot<C>>() + LIST_BYTES + size_of_val(&*first_moves);
        Vec::<u8>::new().try_reserve_exact(games.saturating_mul(each))?;
        let mut slots = Vec::new();
        slots.try_reserve_exact(games)?;
        slots.extend((0..games).map(slot));
        Ok(Self {
            slots,
            inputs: start.encoding().inputs(),
            actions: start.move_count(),
            start: start.clone(),
            first_moves,
            erase,
            kind: PhantomData,
        })
    }
}

impl<C> Slot<C> {
    fn is_legal(&self, action: i64) -> bool {
        u32::try_from(action).is_ok_and(|action| self.legal.contains(&action))
    }
}

fn show<G: Encode>(position: &G, planes: &mut [f32], to_move: &mut u8) {
    *to_move = position.to_move().index() as u8;
    if !planes.is_empty() {
        position.encode(planes);
    }
}

/// The part of a slice that belongs to a game.
fn part<T>(slice: &mut [T], game: usize, length: usize) -> &mut [T] {
    if slice.is_empty() {
        slice
    } else {
        &mut slice[game * length..][..length]
    }
}

impl<G, C> Batch for Games<G, C>
where
    G: Encode + Send + Sync,
    C: Course<G> + Send + Sync,
{
    fn reset(&mut self, view: &mut View<'_>) {
        view.masks.fill(false);
        for (game, slot) in self.slots.iter_mut().enumerate() {
            slot.course = C::begin(&self.start);
            slot.legal.clone_from(&self.first_moves);
            let mask = part(view.masks, game, self.actions);
            for &index in &slot.legal {
                mask[index as usize] = true;
            }
            let planes = part(view.planes, game, self.inputs);
            show(slot.course.position(), planes, &mut view.to_move[game]);
        }
    }

    fn find_illegal(&self, actions: &[i64]) -> Option<usize> {
        let mut pairs = self.slots.iter().zip(actions);
        pairs.position(|(slot, &action)| !slot.is_legal(action))
    }

    fn step(
        &mut self,
        actions: &[i64],
        rewards: &mut [f32],
        ends: &mut [bool],
        view: &mut View<'_>,
    ) {
        for (game, slot) in self.slots.iter_mut().enumerate() {
            let position = slot.course.position();
            let Some(m) = position.indexed_move(actions[game] as usize) else {
                // Unreachable after `find_illegal`.
                continue;
            };
            let mover = position.to_move();
            slot.course.play(m);
            let mask = part(view.masks, game, self.actions);
            for &index in &slot.legal {
                mask[index as usize] = false;
            }
            let outcome = slot.course.outcome();
            let (first, second) = returns(outcome);
            rewards[game] = if mover == Side::First { first } else { second };
            ends[game] = outcome.is_some();
            if outcome.is_some() {
                slot.course = C::begin(&self.start);
                slot.legal.clone_from(&self.first_moves);
            } else {
                let position = slot.course.position();
                let indices = position.moves().map(|m| position.move_index(m) as u32);
                slot.legal.clear();
                slot.legal.extend(indices);
            }
            for &index in &slot.legal {
                mask[index as usize] = true;
            }
            let planes = part(view.planes, game, self.inputs);
            show(slot.course.position(), planes, &mut view.to_move[game]);
        }
    }

    fn sample(&self, rng: &mut Rng, actions: &mut [i64]) {
        for (slot, action) in self.slots.iter().zip(actions) {
            *action = slot.legal[rng.below(slot.legal.len())].into();
        }
    }

    fn position(&self, game: usize) -> DynGame {
        (self.erase)(self.slots[game].course.position())
    }
}
