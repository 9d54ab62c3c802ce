mod board;
mod drawing;
mod notation;
mod symmetry;

use core::fmt;

pub use symmetry::MorrisTransform;

use self::board::{Board, MAX_POINTS};
use crate::games::Point;
use crate::games::bits::{bits, owner, play_until_stuck};
use crate::rules::{
    CompactKey, Encode, Encoding, Heuristic, IllegalMove, IndexedMoves, Outcome, Reason,
    Repetition, Side, TwoPlayerGame,
};

/// Nine, six or three men's morris.
///
/// The sides place their men in turn, then move them to neighbouring points. Three men in
/// a line of the board are a mill.
///
/// - Nine men's morris, on 24 points: closing a mill captures an opponent's man that is in
///   no mill, or any one if all are in mills; one man, even if two mills are closed. A side
///   with three men left flies: it moves a man to any free point. With two men left it has
///   lost. These are the rules under which Ralph Gasser proved the game a draw ("Solving
///   Nine Men's Morris", 1996).
/// - Six men's morris, on 16 points: the same without flying.
/// - Three men's morris, on 9 points with the diagonals drawn: the first mill wins (Murray,
///   "A History of Board-Games Other Than Chess", 1951).
///
/// In all of them a side that can't move has lost, and a position that occurs for the
/// third time is a draw.
///
/// ```text
///  7 ·-----·-----·
///  6 | ·---·---· |      5 ·---·---·
///  5 | | ·-·-· | |      4 | ·-·-· |      3 ·-·-·
///  4 ·-·-·   ·-·-·      3 ·-·   ·-·        |\|/|
///  3 | | ·-·-· | |      2 | ·-·-· |      2 ·-·-·
///  2 | ·---·---· |      1 ·---·---·        |/|\|
///  1 ·-----·-----·        a b c d e      1 ·-·-·
///    a b c d e f g                         a b c
/// ```
///
/// A man is placed with its point, `d6`, and moved with two, `a1-a4`; a capture follows as
/// in `a1-a4xd6`.
///
/// ```
/// use open_ttt_lib::games::Morris;
/// use open_ttt_lib::rules::{TwoPlayerGame, play_text};
///
/// let mut game = Morris::nine();
/// play_text(&mut game, "a1 d6 d1 d7")?;
/// let captures = game.moves().filter(|m| m.captured.is_some());
/// let texts: Vec<_> = captures.map(|m| m.to_string()).collect();
/// assert_eq!(texts, ["g1xd7", "g1xd6"]);
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Morris {
    /// The points of each side's men.
    men: [u32; 2],
    /// The number of each side's men that aren't placed yet.
    in_hand: [u8; 2],
    to_move: Side,
    variant: Variant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Variant {
    Three,
    Six,
    Nine,
}

/// A move of [`Morris`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MorrisMove {
    /// The point that a man leaves; `None` if it is placed.
    pub from: Option<Point>,
    /// The point that a man reaches.
    pub to: Point,
    /// The point of the captured man.
    pub captured: Option<Point>,
}

/// In the game's notation.
impl fmt::Display for MorrisMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(from) = self.from {
            write!(f, "{from}-")?;
        }
        write!(f, "{}", self.to)?;
        match self.captured {
            Some(captured) => write!(f, "x{captured}"),
            None => Ok(()),
        }
    }
}

impl Morris {
    /// The empty board of nine men's morris.
    pub const fn nine() -> Self {
        Self::of(Variant::Nine)
    }

    /// The empty board of six men's morris.
    pub const fn six() -> Self {
        Self::of(Variant::Six)
    }

    /// The empty board of three men's morris.
    pub const fn three() -> Self {
        Self::of(Variant::Three)
    }

    const fn of(variant: Variant) -> Self {
        Self {
            men: [0; 2],
            in_hand: [variant.men(); 2],
            to_move: Side::First,
            variant,
        }
    }

    /// The number of men with which each side starts: 3, 6 or 9.
    pub const fn men_each(&self) -> u8 {
        self.variant.men()
    }

    /// The number of men that a side hasn't placed yet.
    pub const fn in_hand(&self, side: Side) -> u8 {
        self.in_hand[side.index()]
    }

    /// The owner of the man on a point of the plane; `None` if there is no man or no point.
    pub fn owner(&self, at: Point) -> Option<Side> {
        let bit = 1 << self.board().point(at)?;
        owner(self.men.map(|men| men & bit != 0))
    }

    /// Whether the side to move flies.
    pub const fn flies(&self) -> bool {
        matches!(self.variant, Variant::Nine)
            && self.in_hand(self.to_move) == 0
            && self.own().count_ones() == 3
    }

    const fn board(&self) -> &'static Board {
        match self.variant {
            Variant::Three => &board::THREE,
            Variant::Six => &board::SIX,
            Variant::Nine => &board::NINE,
        }
    }

    const fn own(&self) -> u32 {
        self.men[self.to_move.index()]
    }

    const fn opponents(&self) -> u32 {
        self.men[self.to_move.other().index()]
    }

    const fn free(&self) -> u32 {
        self.board().all() & !(self.men[0] | self.men[1])
    }

    /// The points that the man on a point, or one in hand, can reach.
    const fn targets(&self, from: Option<u8>) -> u32 {
        match from {
            Some(from) if !self.flies() => self.board().neighbours[from as usize] & self.free(),
            _ => self.free(),
        }
    }

    /// Whether the side to move has no move.
    fn is_stuck(&self) -> bool {
        self.in_hand(self.to_move) == 0
            && bits(self.own()).all(|from| self.targets(Some(from)) == 0)
    }

    /// Whether the last move decided the game.
    fn is_over(&self) -> bool {
        match self.variant {
            Variant::Three => {
                let men = self.opponents();
                self.is_stuck() || self.board().mills().iter().any(|mill| men & mill == *mill)
            }
            Variant::Six | Variant::Nine => {
                let left = self.own().count_ones() + u32::from(self.in_hand(self.to_move));
                left < 3 || self.is_stuck()
            }
        }
    }

    /// The men that a move to a point can capture; none if it closes no mill.
    fn prey(&self, from: Option<u8>, to: u8) -> u32 {
        let left = from.map_or(0, |from| 1 << from);
        let men = self.own() & !left | 1 << to;
        if matches!(self.variant, Variant::Three) || !self.board().is_in_mill(men, to) {
            return 0;
        }
        match self.board().outside_mills(self.opponents()) {
            0 => self.opponents(),
            outside => outside,
        }
    }
}

impl Variant {
    const fn men(self) -> u8 {
        match self {
            Self::Three => 3,
            Self::Six => 6,
            Self::Nine => 9,
        }
    }
}

/// Nine men's morris.
impl Default for Morris {
    fn default() -> Self {
        Self::nine()
    }
}

/// The number that stands for no point among those of a board.
const NONE: u8 = MAX_POINTS as u8;

/// The numbers of the points of a set, or [`NONE`] if it is empty.
fn bits_or_none(points: u32) -> impl Iterator<Item = u8> {
    bits(if points == 0 { 1 << NONE } else { points })
}

impl TwoPlayerGame for Morris {
    type Move = MorrisMove;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        self.is_over().then_some(Outcome::Win(!self.to_move))
    }

    fn moves(&self) -> impl Iterator<Item = MorrisMove> {
        let position = *self;
        let board = self.board();
        let men = match (self.is_over(), self.in_hand(self.to_move)) {
            (true, _) => 0,
            (false, 0) => self.own(),
            (false, _) => 1 << NONE,
        };
        bits(men).flat_map(move |man| {
            let man = (man != NONE).then_some(man);
            let from = man.map(|man| board.place(man));
            bits(position.targets(man)).flat_map(move |target| {
                let to = board.place(target);
                bits_or_none(position.prey(man, target)).map(move |prey| MorrisMove {
                    from,
                    to,
                    captured: (prey != NONE).then(|| board.place(prey)),
                })
            })
        })
    }

    fn repetition(&self) -> Option<Repetition> {
        Some(Repetition::Draw { occurrences: 3 })
    }

    fn play_unchecked(&mut self, m: MorrisMove) {
        let bit = |at: Option<Point>| {
            let point = at.and_then(|at| self.board().point(at));
            point.map_or(0, |point| 1 << point)
        };
        let (from, to, captured) = (bit(m.from), bit(Some(m.to)), bit(m.captured));
        let side = self.to_move.index();
        self.men[side] = self.men[side] & !from | to;
        self.men[1 - side] &= !captured;
        if m.from.is_none() {
            self.in_hand[side] = self.in_hand[side].saturating_sub(1);
        }
        self.to_move = !self.to_move;
    }

    fn play_out(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        play_until_stuck(self, draw)
    }

    fn check(&self, m: MorrisMove) -> Result<(), IllegalMove<MorrisMove>> {
        let refuse = |reason| Err(IllegalMove::new(m, reason));
        let point = |at: Option<Point>| at.map(|at| self.board().point(at));
        if self.is_over() {
            return refuse(Reason::GameOver);
        }
        let (from, captured) = (point(m.from), point(m.captured));
        let (Some(to), false, false) = (
            self.board().point(m.to),
            from == Some(None),
            captured == Some(None),
        ) else {
            return refuse(Reason::OffBoard);
        };
        if self.free() >> to & 1 == 0 {
            return refuse(Reason::Occupied);
        }
        let from = from.flatten();
        let is_placed = self.in_hand(self.to_move) > 0;
        let is_own = from.is_none_or(|from| self.own() >> from & 1 == 1);
        let fits = is_placed == from.is_none() && is_own && self.targets(from) >> to & 1 == 1;
        let prey = self.prey(from, to);
        let captures_right = match captured.flatten() {
            None => prey == 0,
            Some(captured) => prey >> captured & 1 == 1,
        };
        if fits && captures_right {
            Ok(())
        } else {
            refuse(Reason::Forbidden)
        }
    }
}

impl Heuristic for Morris {
    /// The balance of 100 for each man, on the board or in hand, 25 for each mill, 12 for
    /// each line with two men and a free point, and 3 for each free point next to a man.
    /// When the game is over, the side to move has lost.
    fn heuristic(&self) -> i32 {
        const LOST: i32 = -10_000;
        if self.is_over() {
            return LOST;
        }
        let (board, free) = (self.board(), self.free());
        let value = |side: Side| {
            let men = self.men[side.index()];
            let count = men.count_ones() + u32::from(self.in_hand(side));
            let lines: i32 = board
                .mills()
                .iter()
                .map(
                    |line| match ((men & line).count_ones(), (free & line).count_ones()) {
                        (3, _) => 25,
                        (2, 1) => 12,
                        _ => 0,
                    },
                )
                .sum();
            let room: u32 = bits(men)
                .map(|man| (board.neighbours[man as usize] & free).count_ones())
                .sum();
            100 * count as i32 + lines + 3 * room as i32
        };
        value(self.to_move) - value(!self.to_move)
    }
}

impl CompactKey for Morris {
    const UNIQUE_BITS: Option<u32> = Some(57);

    /// Two boards of 24 points, two hands of 4 bits and the side to move.
    fn key(&self) -> u64 {
        let [first, second] = self.men.map(u64::from);
        let [hand, other_hand] = self.in_hand.map(u64::from);
        let side = self.to_move.index() as u64;
        first | second << 24 | hand << 48 | other_hand << 52 | side << 56
    }
}

impl IndexedMoves for Morris {
    /// Each point left, or none, with each point reached and each point of a captured man,
    /// or none; in three men's morris nothing is captured.
    fn move_count(&self) -> usize {
        let points = self.board().points as usize;
        (points + 1) * points * self.captures()
    }

    fn move_index(&self, m: MorrisMove) -> usize {
        let points = self.board().points;
        let number = |at: Option<Point>| {
            let point = at.and_then(|at| self.board().point(at));
            point.unwrap_or(points) as usize
        };
        let moved = number(m.from) * points as usize + number(Some(m.to));
        match self.captures() {
            1 => moved,
            captures => moved * captures + number(m.captured),
        }
    }

    fn indexed_move(&self, index: usize) -> Option<MorrisMove> {
        let (points, captures) = (self.board().points as usize, self.captures());
        let place = |point: usize| (point < points).then(|| self.board().place(point as u8));
        let captured = if captures == 1 {
            points
        } else {
            index % captures
        };
        let moved = index / captures;
        (index < self.move_count()).then_some(MorrisMove {
            from: place(moved / points),
            to: place(moved % points)?,
            captured: place(captured),
        })
    }
}

impl Morris {
    /// The numbers of points of captured men, with none, in an index of a move.
    const fn captures(&self) -> usize {
        match self.variant {
            Variant::Three => 1,
            Variant::Six | Variant::Nine => self.board().points as usize + 1,
        }
    }
}

impl Encode for Morris {
    /// Planes of own men, the opponent's men, and the shares of both sides' men that are in
    /// hand.
    fn encoding(&self) -> Encoding {
        let size = self.board().size as usize;
        Encoding {
            version: 1,
            planes: 4,
            rows: size,
            columns: size,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let size = self.board().size as usize;
        let (boards, hands) = planes.split_at_mut(2 * size * size);
        let sides = [self.to_move, !self.to_move];
        boards.fill(0.0);
        for (side, plane) in sides.into_iter().zip(boards.chunks_exact_mut(size * size)) {
            for man in bits(self.men[side.index()]) {
                let Point { column, row } = self.board().place(man);
                plane[row as usize * size + column as usize] = 1.0;
            }
        }
        for (side, plane) in sides.into_iter().zip(hands.chunks_exact_mut(size * size)) {
            plane.fill(f32::from(self.in_hand(side)) / f32::from(self.men_each()));
        }
    }
}
