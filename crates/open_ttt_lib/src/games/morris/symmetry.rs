use super::{Morris, MorrisMove, Variant};
use crate::games::Point;
use crate::games::bits::bits;
use crate::rules::{Dihedral, Symmetry};

/// A symmetry of the board of [`Morris`]: one of the eight of the square and, if there are
/// several squares, the exchange of the inner and the outer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MorrisTransform {
    dihedral: Dihedral,
    /// Whether the squares change places.
    inside_out: bool,
}

static TRANSFORMS: [MorrisTransform; 16] = {
    let identity = MorrisTransform {
        dihedral: Dihedral::Identity,
        inside_out: false,
    };
    let mut all = [identity; 16];
    let mut index = 0;
    while index < 16 {
        all[index] = MorrisTransform {
            dihedral: Dihedral::SQUARE[index % 8],
            inside_out: index >= 8,
        };
        index += 1;
    }
    all
};

impl Morris {
    fn point_image(&self, point: u8, transform: MorrisTransform) -> u8 {
        let board = self.board();
        let point = if transform.inside_out {
            (board.rings - 1 - point / 8) * 8 + point % 8
        } else {
            point
        };
        let image = self.place_image(board.place(point), transform.dihedral);
        board.point(image).unwrap_or(point)
    }

    fn place_image(&self, at: Point, dihedral: Dihedral) -> Point {
        let size = self.board().size;
        let (column, row) = dihedral.apply((at.column, at.row), (size, size));
        Point { column, row }
    }
}

impl Symmetry for Morris {
    type Transform = MorrisTransform;

    fn symmetries(&self) -> &'static [MorrisTransform] {
        match self.variant {
            Variant::Three => &TRANSFORMS[..8],
            Variant::Six | Variant::Nine => &TRANSFORMS,
        }
    }

    fn image(&self, transform: MorrisTransform) -> Self {
        let image =
            |men: u32| bits(men).fold(0, |all, man| all | 1 << self.point_image(man, transform));
        Self {
            men: self.men.map(image),
            ..*self
        }
    }

    fn move_image(&self, m: MorrisMove, transform: MorrisTransform) -> MorrisMove {
        let board = self.board();
        let image = |at: Point| match board.point(at) {
            Some(point) => board.place(self.point_image(point, transform)),
            None => at,
        };
        MorrisMove {
            from: m.from.map(image),
            to: image(m.to),
            captured: m.captured.map(image),
        }
    }
}
