//! Conformance tests for games (feature `conformance`).
//!
//! Create [`Laws`] from the start position of a game and call a method for each
//! trait that the game implements:
//!
//! ```
//! use open_ttt_lib::games::Pegs;
//! use open_ttt_lib::rules::conformance::Laws;
//!
//! Laws::of(&Pegs::new())
//!     .rules()
//!     .notation()
//!     .drawing()
//!     .margin()
//!     .heuristic()
//!     .heuristic_images()
//!     .board_filling()
//!     .compact_key()
//!     .indexed_moves()
//!     .encode()
//!     .encode_images()
//!     .symmetry()
//!     .described();
//! ```
//!
//! The checks use all positions of a small game, and those of reproducible random
//! games otherwise.

#![expect(
    clippy::missing_panics_doc,
    reason = "every check panics if a law is broken"
)]

mod drawing;
mod encode;
mod heuristic;
mod line_game;
mod perspective;
mod playouts;
mod tactics;
mod walk;

use core::fmt::Debug;
use core::hash::{BuildHasher, BuildHasherDefault};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};

use super::{
    BoardFilling, CompactKey, Described, FromName, IndexedMoves, Margin, Named, Notation, Outcome,
    Reason, Side, Symmetry, TwoPlayerGame,
};
use crate::random::Rng;

/// The number of moves of one position whose images are checked.
const MOVES_MAPPED: usize = 16;

/// The laws of the rules' traits, checked on the positions of a game.
///
/// # Panics
///
/// Every check panics at the first violated law, with the position.
#[derive(Debug)]
pub struct Laws<G> {
    start: G,
    positions: Vec<G>,
}

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// Collects positions reachable from `start`.
    ///
    /// # Panics
    ///
    /// If a game doesn't end within ten thousand moves.
    #[track_caller]
    pub fn of(start: &G) -> Self {
        let positions = walk::positions(start);
        Self {
            start: start.clone(),
            positions,
        }
    }

    /// The laws of [`TwoPlayerGame`].
    #[track_caller]
    pub fn rules(self) -> Self {
        let mut known_moves: Vec<G::Move> = Vec::new();
        for position in &self.positions {
            for m in position.moves() {
                if known_moves.len() < 512 && !known_moves.contains(&m) {
                    known_moves.push(m);
                }
            }
        }
        for position in &self.positions {
            let moves: Vec<_> = position.moves().collect();
            assert_eq!(
                moves.is_empty(),
                position.outcome().is_some(),
                "a game has no moves exactly when it is over: {position:?}"
            );
            for (index, m) in moves.iter().enumerate() {
                assert!(
                    !moves[..index].contains(m),
                    "{m:?} is listed twice: {position:?}"
                );
            }
            for &m in &known_moves {
                let mut tried = position.clone();
                match tried.play(m) {
                    Ok(()) => {
                        assert!(
                            moves.contains(&m),
                            "{m:?} is accepted and not listed: {position:?}"
                        );
                        assert_eq!(
                            tried,
                            position.after(m),
                            "play and after differ on {m:?}: {position:?}"
                        );
                        assert_ne!(&tried, position, "{m:?} changes nothing");
                        assert!(
                            !G::ALTERNATES || tried.to_move() != position.to_move(),
                            "the sides take turns: {m:?} in {position:?}"
                        );
                    }
                    Err(error) => {
                        assert!(
                            !moves.contains(&m),
                            "{m:?} is listed and refused: {position:?}"
                        );
                        assert_eq!(&tried, position, "refusing {m:?} changed the position");
                        assert_eq!(error.attempted, m, "the error names another move");
                        assert_eq!(
                            error.reason == Reason::GameOver,
                            position.outcome().is_some(),
                            "GameOver is given as a reason exactly when it is over: {position:?}"
                        );
                    }
                }
            }
        }
        self.different_positions_differ();
        // It also finds that a game doesn't end, before playouts hang.
        self.equal_positions_agree();
        self.playouts();
        self
    }

    /// Different positions have different hashes. The probability of a collision
    /// by chance is about 10⁻¹².
    #[track_caller]
    fn different_positions_differ(&self) {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let mut owners: HashMap<u64, &G> = HashMap::new();
        for position in &self.positions {
            let owner = *owners.entry(hasher.hash_one(position)).or_insert(position);
            assert!(
                owner == position,
                "different positions have different hashes: {owner:?}, {position:?}"
            );
        }
    }

    /// Equal positions, reached by transposition, have equal hashes, lists of moves
    /// and playouts.
    #[track_caller]
    fn equal_positions_agree(&self) {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        for (seed, [one, other]) in (0..).zip(walk::transpositions(&self.start)) {
            assert_eq!(
                hasher.hash_one(&one),
                hasher.hash_one(&other),
                "equal positions have equal hashes: {one:?}, {other:?}"
            );
            assert!(
                one.moves().eq(other.moves()),
                "equal positions list equal moves in the same order: {one:?}, {other:?}"
            );
            let [one_end, other_end] = [&one, &other].map(|position| {
                let mut rng = Rng::new(seed);
                position.clone().play_out(&mut || rng.next_u64())
            });
            assert_eq!(
                one_end, other_end,
                "equal positions have equal playouts: {one:?}, {other:?}"
            );
        }
    }

    /// The laws of [`Notation`].
    #[track_caller]
    pub fn notation(self) -> Self
    where
        G: Notation,
    {
        for position in &self.positions {
            let mut texts = HashSet::new();
            for m in position.moves() {
                let text = position.move_text(m);
                assert!(
                    !text.is_empty() && !text.contains([' ', ',']),
                    "the text {text:?} of {m:?} can stand in a list"
                );
                let padded = format!("  {} ", text.to_uppercase());
                for written in [&text, &text.to_lowercase(), &padded] {
                    assert_eq!(
                        position.parse_move(written).as_ref(),
                        Ok(&m),
                        "{written:?} names {m:?}"
                    );
                }
                assert!(texts.insert(text), "two moves are written like {m:?}");
            }
        }
        let long = "a".repeat(1 << 20);
        for nonsense in ["", " ", "-1", "a0", "\u{0}\u{1b}[2J", "ä", "?", &long] {
            let sentence = match self.start.parse_move(nonsense) {
                Err(error) => error.to_string(),
                // What is nonsense elsewhere may be how this game writes a move.
                Ok(m) if self.start.move_text(m).to_lowercase() == nonsense => continue,
                Ok(m) => panic!("{nonsense:?} names a move, {m:?}"),
            };
            assert!(
                sentence.len() < 300 && !sentence.contains(char::is_control),
                "the error for nonsense is one short clean line: {sentence:?}"
            );
        }
        assert_ne!(
            self.start.side_name(Side::First),
            self.start.side_name(Side::Second),
            "the sides have different names"
        );
        self
    }

    /// The law of [`Margin`].
    #[track_caller]
    pub fn margin(self) -> Self
    where
        G: Margin,
    {
        for position in &self.positions {
            if let Some(outcome) = position.outcome() {
                assert_eq!(
                    outcome,
                    Outcome::from_margin(position.margin()),
                    "the margin decides: {position:?}"
                );
            }
        }
        self
    }

    /// The laws of [`BoardFilling`].
    #[track_caller]
    pub fn board_filling(self) -> Self
    where
        G: BoardFilling,
    {
        let mut shapes: HashMap<u64, Vec<u64>> = HashMap::new();
        for position in &self.positions {
            let pieces = position.pieces();
            assert_eq!(
                pieces[0] & pieces[1],
                0,
                "a place has one owner: {position:?}"
            );
            assert_eq!(
                position.margin_of(pieces),
                position.margin(),
                "the margin is that of the pieces: {position:?}"
            );
            let mut places = Vec::new();
            for m in position.moves() {
                let after = position.after(m).pieces();
                let mover = position.to_move();
                let place = after[mover.index()] ^ pieces[mover.index()];
                assert!(
                    place.is_power_of_two()
                        && place & (pieces[0] | pieces[1]) == 0
                        && after[mover.other().index()] == pieces[mover.other().index()],
                    "a move adds one place to the mover's: {m:?} in {position:?}"
                );
                places.push(place);
            }
            places.sort_unstable();
            let shape = shapes.entry(pieces[0] | pieces[1]);
            assert_eq!(
                *shape.or_insert_with(|| places.clone()),
                places,
                "the moves depend on the shape alone: {position:?}"
            );
        }
        self
    }

    /// The laws of [`CompactKey`].
    #[track_caller]
    pub fn compact_key(self) -> Self
    where
        G: CompactKey,
    {
        let mut owners: HashMap<u64, &G> = HashMap::new();
        let mut keys: HashMap<&G, u64> = HashMap::new();
        let mut shared = 0;
        for position in &self.positions {
            let key = position.key();
            if let Some(bits @ ..64) = G::UNIQUE_BITS {
                assert!(
                    key >> bits == 0,
                    "the key of {position:?} has more than {bits} bits"
                );
            }
            let known = *keys.entry(position).or_insert(key);
            assert_eq!(known, key, "equal positions have equal keys");
            let owner = owners.entry(key).or_insert(position);
            if *owner != position {
                assert!(
                    G::UNIQUE_BITS.is_none(),
                    "{owner:?} and {position:?} have the same key"
                );
                shared += 1;
            }
        }
        assert!(shared < 2, "{shared} positions share the key of another");
        self
    }

    /// The laws of [`IndexedMoves`].
    #[track_caller]
    pub fn indexed_moves(self) -> Self
    where
        G: IndexedMoves,
    {
        let count = self.start.move_count();
        for index in 0..count {
            // An index may belong to no move of this position.
            if let Some(m) = self.start.indexed_move(index) {
                assert_eq!(self.start.move_index(m), index, "the number of {m:?}");
            }
        }
        for index in [count, count + 1, usize::MAX] {
            assert_eq!(self.start.indexed_move(index), None, "the moves end");
        }
        for position in &self.positions {
            assert_eq!(position.move_count(), count, "the count is the game's");
            for m in position.moves() {
                let index = position.move_index(m);
                assert_eq!(position.indexed_move(index), Some(m), "move {index}");
            }
        }
        self
    }

    /// The laws of [`Symmetry`].
    #[track_caller]
    pub fn symmetry(self) -> Self
    where
        G: Symmetry,
    {
        let all = self.start.symmetries();
        assert!(!all.is_empty(), "the identity is a symmetry");
        for (number, position) in self.positions.iter().enumerate() {
            for (index, &transform) in all.iter().enumerate() {
                let image = position.image(transform);
                assert_eq!(
                    (index == 0 && image != *position, image.outcome()),
                    (false, position.outcome()),
                    "{transform:?} of {position:?}"
                );
                assert_eq!(image.to_move(), position.to_move(), "{transform:?}");
                let legal: Vec<_> = image.moves().collect();
                let map = |m| position.move_image(m, transform);
                let mapped: Vec<_> = position.moves().map(map).collect();
                assert_eq!(legal.len(), mapped.len(), "{transform:?} of {position:?}");
                // Of many moves, different ones are checked in each position.
                let stride = 1 + mapped.len() / MOVES_MAPPED;
                let pairs = position.moves().zip(mapped);
                for (m, mapped) in pairs.skip(number % stride).step_by(stride) {
                    assert!(
                        legal.contains(&mapped),
                        "{transform:?} maps {m:?} to a legal move: {position:?}"
                    );
                    assert_eq!(
                        position.after(m).image(transform),
                        image.after(mapped),
                        "{transform:?} and {m:?} may change places: {position:?}"
                    );
                }
            }
        }
        for position in self.positions.iter().rev().take(50) {
            let images: Vec<_> = all.iter().map(|&t| position.image(t)).collect();
            for image in &images {
                for &transform in all {
                    assert!(
                        images.contains(&image.image(transform)),
                        "the symmetries form a group: {transform:?} of {image:?}"
                    );
                }
            }
        }
        self
    }

    /// The laws of [`Named`] and [`FromName`].
    #[track_caller]
    pub fn named(self) -> Self
    where
        G: FromName,
    {
        let name = self.start.name();
        let spaced = format!(" {} ", name.to_uppercase());
        for written in [&name, &spaced] {
            let read = G::from_name(written);
            assert_eq!(read.as_ref(), Ok(&self.start), "{written:?} is the game");
        }
        for nonsense in ["", "(", "no such game", "\u{0}"] {
            assert!(G::from_name(nonsense).is_err(), "{nonsense:?} is refused");
        }
        self
    }

    /// The laws of [`Described`].
    #[track_caller]
    pub fn described(self) -> Self
    where
        G: Described,
    {
        let read = G::with_parameters(&self.start.parameters());
        assert_eq!(read.as_ref(), Ok(&self.start), "the parameters tell all");
        let values: Vec<_> = G::PARAMETERS.iter().map(|p| p.default).collect();
        let default = G::with_parameters(&values).map(|game| game.name());
        assert_eq!(default.as_deref(), Ok(G::KEY), "the defaults go unsaid");
        let too_many = vec![1; G::PARAMETERS.len() + 1];
        assert!(G::with_parameters(&too_many).is_err(), "one value too many");
        for parameter in G::PARAMETERS {
            for value in ["", "-1", "x", "1.5", "4294967295", "99999999999"] {
                let nonsense = format!("{}({}={value})", G::KEY, parameter.name);
                assert!(G::from_name(&nonsense).is_err(), "{nonsense} is refused");
            }
        }
        let foreign = format!("{}(no_such_parameter=1)", G::KEY);
        assert!(G::from_name(&foreign).is_err(), "{foreign} is refused");
        self.named()
    }
}
