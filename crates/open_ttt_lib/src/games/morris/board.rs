use crate::games::Point;

/// The maximum number of points.
pub(super) const MAX_POINTS: usize = 24;

/// The maximum number of columns and rows of the plane.
const MAX_SIZE: usize = 7;

const NO_POINT: u8 = u8::MAX;

/// The maximum number of mills through a point.
const MAX_THROUGH: usize = 4;

/// The maximum number of mills of a board.
const MAX_MILLS: usize = 16;

/// The board of a morris game: squares one within the other, each with eight points, or
/// one square with its centre.
///
/// The points of a square are numbered clockwise from the bottom left, those of the outer
/// square first; the centre has the last number:
///
/// ```text
///  2-----3-----4
///  | 10-11-12  |         2--3--4
///  |  |     |  |         | \|/ |
///  1--9    13--5         1--8--5
///  |  |     |  |         | /|\ |
///  |  8-15-14  |         0--7--6
///  0-----7-----6
/// ```
#[derive(Debug)]
pub(super) struct Board {
    /// The number of squares.
    pub(super) rings: u8,
    pub(super) points: u8,
    /// The number of columns and rows of the plane.
    pub(super) size: u8,
    /// The place of each point on the plane.
    places: [Point; MAX_POINTS],
    /// The point at each place, by row and column; [`NO_POINT`] elsewhere.
    at: [[u8; MAX_SIZE]; MAX_SIZE],
    /// The points next to each point, as bits.
    pub(super) neighbours: [u32; MAX_POINTS],
    mills: [u32; MAX_MILLS],
    mill_count: u8,
    /// The mills through each point, padded with some that can't be complete.
    through: [[u32; MAX_THROUGH]; MAX_POINTS],
}

pub(super) static THREE: Board = Board::new(1);
pub(super) static SIX: Board = Board::new(2);
pub(super) static NINE: Board = Board::new(3);

impl Board {
    const fn new(rings: u8) -> Self {
        let has_centre = rings == 1;
        let mut board = Self {
            rings,
            points: rings * 8 + has_centre as u8,
            size: 2 * rings + 1,
            places: [Point { column: 0, row: 0 }; MAX_POINTS],
            at: [[NO_POINT; MAX_SIZE]; MAX_SIZE],
            neighbours: [0; MAX_POINTS],
            mills: [0; MAX_MILLS],
            mill_count: 0,
            through: [[u32::MAX; MAX_THROUGH]; MAX_POINTS],
        };
        let mut point = 0;
        while point < board.points {
            let place = board.find_place(point);
            board.places[point as usize] = place;
            board.at[place.row as usize][place.column as usize] = point;
            point += 1;
        }
        let mut ring = 0;
        while ring < rings {
            let first = ring * 8;
            let mut i = 0;
            while i < 8 {
                board.link(first + i, first + (i + 1) % 8);
                if i % 2 == 0 {
                    board.add_mill([first + i, first + i + 1, first + (i + 2) % 8]);
                } else if ring + 1 < rings {
                    board.link(first + i, first + 8 + i);
                }
                i += 1;
            }
            ring += 1;
        }
        let mut i = 0;
        while i < 8 {
            if rings == 3 && i % 2 == 1 {
                board.add_mill([i, 8 + i, 16 + i]);
            }
            if has_centre {
                board.link(i, 8);
                if i < 4 {
                    board.add_mill([i, 8, i + 4]);
                }
            }
            i += 1;
        }
        board
    }

    const fn link(&mut self, a: u8, b: u8) {
        self.neighbours[a as usize] |= 1 << b;
        self.neighbours[b as usize] |= 1 << a;
    }

    const fn add_mill(&mut self, points: [u8; 3]) {
        let mill = 1 << points[0] | 1 << points[1] | 1 << points[2];
        self.mills[self.mill_count as usize] = mill;
        self.mill_count += 1;
        let mut i = 0;
        while i < 3 {
            let through = &mut self.through[points[i] as usize];
            let mut free = 0;
            while through[free] != u32::MAX {
                free += 1;
            }
            through[free] = mill;
            i += 1;
        }
    }

    /// All points, as bits.
    pub(super) const fn all(&self) -> u32 {
        (1 << self.points) - 1
    }

    /// Every mill, as bits.
    pub(super) fn mills(&self) -> &[u32] {
        &self.mills[..self.mill_count as usize]
    }

    /// Whether these men have a mill through a point.
    pub(super) fn is_in_mill(&self, men: u32, point: u8) -> bool {
        let mut through = self.through[point as usize].iter();
        through.any(|&mill| men & mill == mill)
    }

    /// The men of these that are in no mill.
    pub(super) fn outside_mills(&self, men: u32) -> u32 {
        let complete = self.mills().iter().filter(|&&mill| men & mill == mill);
        men & !complete.fold(0, |all, mill| all | mill)
    }

    const fn find_place(&self, point: u8) -> Point {
        let (ring, middle) = (point / 8, self.rings);
        let far = self.size - 1 - ring;
        let (column, row) = match (ring < self.rings, point % 8) {
            (false, _) => (middle, middle),
            (_, 0) => (ring, ring),
            (_, 1) => (ring, middle),
            (_, 2) => (ring, far),
            (_, 3) => (middle, far),
            (_, 4) => (far, far),
            (_, 5) => (far, middle),
            (_, 6) => (far, ring),
            _ => (middle, ring),
        };
        Point { column, row }
    }

    /// The place of a point on the plane.
    pub(super) const fn place(&self, point: u8) -> Point {
        self.places[point as usize]
    }

    /// The point at a place, if there is one.
    pub(super) fn point(&self, place: Point) -> Option<u8> {
        let row = self.at.get(place.row as usize)?;
        let point = *row.get(place.column as usize)?;
        (point != NO_POINT).then_some(point)
    }
}
