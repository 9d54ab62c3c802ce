use core::fmt;

use super::CatalogGame;
use open_ttt_lib::rules::{ParseMoveError, Reason};

/// A move of a [`DynGame`](super::DynGame), by its index in the position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DynMove(Kind);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// The move with this [index](open_ttt_lib::rules::IndexedMoves) in the position.
    Indexed(u16),
    /// An illegal move without an index of its own in the position.
    Illegal(Reason),
}

impl DynMove {
    pub(super) fn new(index: usize) -> Self {
        match u16::try_from(index) {
            Ok(index) => Self(Kind::Indexed(index)),
            Err(_) => Self(Kind::Illegal(Reason::OffBoard)),
        }
    }

    /// The index; `usize::MAX`, which is no move's, for one without.
    pub(super) fn index(self) -> usize {
        match self.0 {
            Kind::Indexed(index) => index.into(),
            Kind::Illegal(_) => usize::MAX,
        }
    }

    /// Why it is illegal, if it has no index.
    pub(super) const fn reason(self) -> Option<Reason> {
        match self.0 {
            Kind::Indexed(_) => None,
            Kind::Illegal(reason) => Some(reason),
        }
    }
}

impl fmt::Debug for DynMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Indexed(index) => write!(f, "move {index}"),
            Kind::Illegal(_) => f.write_str("an illegal move"),
        }
    }
}

/// The move in the game's own type; `None` if the position has no such index.
pub(super) fn own_move<G: CatalogGame>(game: &G, m: DynMove) -> Option<G::Move> {
    game.indexed_move(m.index())
}

/// A legal move as a [`DynMove`].
pub(super) fn dyn_move<G: CatalogGame>(game: &G, m: G::Move) -> DynMove {
    DynMove::new(game.move_index(m))
}

/// Successive legal moves, each by its index in its position.
pub(super) fn dyn_line<G: CatalogGame>(game: &G, moves: &[G::Move]) -> Vec<DynMove> {
    let mut position = game.clone();
    let indexed = moves.iter().map(|&m| {
        let indexed = dyn_move(&position, m);
        position.play_unchecked(m);
        indexed
    });
    indexed.collect()
}

/// Parses a move, legal or not.
///
/// Only legal moves are sure to have an index of their own, so an illegal one whose
/// index leads back to another move carries the reason why it is illegal instead.
pub(super) fn parse_dyn_move<G: CatalogGame>(
    game: &G,
    text: &str,
) -> Result<DynMove, ParseMoveError> {
    let m = game.parse_move(text)?;
    let Err(illegal) = game.check(m) else {
        return Ok(dyn_move(game, m));
    };
    let index = game.move_index(m);
    if game.indexed_move(index) == Some(m) {
        return Ok(DynMove::new(index));
    }
    Ok(DynMove(Kind::Illegal(illegal.reason)))
}
