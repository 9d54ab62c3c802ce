use open_ttt_lib::rules::{
    BoardCell, CompletedLine, Drawing, Layout, Named, Notation, Picture, Place, Side,
};
use serde::{Deserialize, Serialize};

use crate::matches::{Clock, GameVerdict, MatchMachine, Score, Seat, Settings};

/// All there is to see of a match, for a client that knows no rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchView {
    /// What was agreed on.
    pub settings: Settings,
    /// The number of the game that is played, from 1.
    pub number: u32,
    /// Who sits on each seat.
    pub seats: [Option<SeatView>; 2],
    /// The games won and drawn.
    pub score: Score,
    /// The time of both sides, if it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// Whose turn it is, while the game runs.
    pub to_move: Option<Seat>,
    /// How the game has ended, if it has.
    pub verdict: Option<GameVerdict>,
    /// Who offers a draw.
    pub draw_offer: Option<Seat>,
    /// Who asks to have their move back.
    pub take_back: Option<Seat>,
    /// Who claims that the other side has left, and since when, in milliseconds
    /// since 1970.
    pub claim: Option<(Seat, u64)>,
    /// Who wants another game.
    pub rematch: [bool; 2],
    /// The moves of this game.
    pub moves: Vec<String>,
    /// The board.
    pub board: BoardView,
}

/// Who sits on a seat, and what they are in this game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatView {
    /// What the others call them.
    pub name: String,
    /// Which computer it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
}

/// A board to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoardView {
    /// How the cells are arranged.
    pub layout: LayoutView,
    /// The sides of seat A and seat B: what they are called, `Red`.
    pub side_names: [String; 2],
    /// The pieces of seat A and seat B, one or two characters: `R`.
    pub marks: [String; 2],
    /// Which seat has the first move in this game.
    pub first: Seat,
    /// The cells.
    pub cells: Vec<CellView>,
    /// The cells that the last move has filled.
    pub last: Vec<PlaceView>,
    /// The lines that won or scored.
    pub lines: Vec<LineView>,
    /// The points of seat A and seat B, in games that count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[u32; 2]>,
}

/// How the cells of a board are arranged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LayoutView {
    /// A flat board.
    Grid {
        /// What is written under each column, from the left.
        columns: Vec<String>,
        /// What is written beside each row, from the bottom.
        rows: Vec<String>,
        /// How many columns and rows belong together.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        block: Option<u8>,
    },
    /// Flat boards, one above the other.
    Layers {
        /// What is written above each, from the lowest.
        layers: Vec<String>,
        /// What is written under each column.
        columns: Vec<String>,
        /// What is written beside each row, from the bottom.
        rows: Vec<String>,
    },
    /// Stacks of cells standing in a plane.
    Stacks {
        /// The stacks.
        stacks: Vec<StackView>,
        /// How high each is.
        height: u8,
    },
}

/// A stack and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackView {
    /// To the right.
    pub x: u8,
    /// To the back.
    pub y: u8,
    /// What it is called.
    pub label: String,
}

/// A cell's place: columns from the left, rows from the bottom or the front,
/// layers or heights from below, each from 0.
pub type PlaceView = [u8; 3];

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellView {
    /// Where it is.
    pub at: PlaceView,
    /// Whose piece is on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Seat>,
    /// The move that would put a piece here.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "move")]
    pub playable: Option<String>,
}

/// A row of pieces that won or scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineView {
    /// Whose it is.
    pub seat: Seat,
    /// Its cells, from one end to the other.
    pub places: Vec<PlaceView>,
}

impl MatchView {
    /// What there is to see of a match.
    pub fn of<G: Named + Notation + Drawing>(table: &MatchMachine<G>) -> Self {
        let seat = |seat: Seat| {
            table.player(seat).map(|player| SeatView {
                name: player.name.clone(),
                computer: player.computer.clone(),
            })
        };
        let mut position = table.game().start().clone();
        let mut before = None;
        let moves = table.game().moves();
        let mut texts = Vec::with_capacity(moves.len());
        for (index, &m) in moves.iter().enumerate() {
            texts.push(position.move_text(m));
            if index + 1 == moves.len() {
                before = Some(position.clone());
            }
            position.play_unchecked(m);
        }
        let seats = |side| table.seat_of(side);
        let open = table.is_running();
        Self {
            settings: table.settings().clone(),
            number: table.number(),
            seats: Seat::ALL.map(seat),
            score: table.score(),
            clock: table.clock().copied(),
            to_move: table.to_move(),
            verdict: table.verdict(),
            draw_offer: table.draw_offer(),
            take_back: table.take_back(),
            claim: table.claim(),
            rematch: Seat::ALL.map(|seat| table.wants_rematch(seat)),
            moves: texts,
            board: BoardView::of(&position, before.as_ref(), open, seats),
        }
    }
}

impl BoardView {
    /// A position to draw, with the one before the last move, whether moves may
    /// be made, and the seat of each side.
    pub fn of<G: Notation + Drawing>(
        position: &G,
        before: Option<&G>,
        open: bool,
        seat_of: impl Fn(Side) -> Seat,
    ) -> Self {
        let picture = position.picture();
        let last = before.map_or_else(Vec::new, |before| changed(&before.picture(), &picture));
        let by_seat = |first: Seat, of: [String; 2]| {
            let [one, two] = of;
            if first == Seat::A {
                [one, two]
            } else {
                [two, one]
            }
        };
        let first = seat_of(Side::First);
        let names = [Side::First, Side::Second].map(|side| position.side_name(side).to_owned());
        Self {
            layout: picture.layout.into(),
            side_names: by_seat(first, names),
            marks: by_seat(first, picture.marks.map(str::to_owned)),
            first,
            cells: picture
                .cells
                .iter()
                .map(|cell| CellView {
                    at: place(cell.place),
                    owner: cell.owner.map(&seat_of),
                    playable: cell
                        .playable
                        .filter(|_| open)
                        .map(|m| position.move_text(m)),
                })
                .collect(),
            last,
            lines: picture
                .lines
                .into_iter()
                .map(|CompletedLine { side, places }| LineView {
                    seat: seat_of(side),
                    places: places.into_iter().map(place).collect(),
                })
                .collect(),
            points: picture.points.map(|points| {
                let [one, two] = points;
                if first == Seat::A {
                    [one, two]
                } else {
                    [two, one]
                }
            }),
        }
    }
}

fn place(place: Place) -> PlaceView {
    [place.x, place.y, place.z]
}

/// The cells that are filled now and were not before.
fn changed<M>(before: &Picture<M>, now: &Picture<M>) -> Vec<PlaceView> {
    let was_empty = |cell: &&BoardCell<M>| {
        let old = before.cells.iter().find(|old| old.place == cell.place);
        old.is_none_or(|old| old.owner.is_none())
    };
    now.cells
        .iter()
        .filter(|cell| cell.owner.is_some())
        .filter(was_empty)
        .map(|cell| place(cell.place))
        .collect()
}

impl From<Layout> for LayoutView {
    fn from(layout: Layout) -> Self {
        match layout {
            Layout::Grid {
                columns,
                rows,
                block,
            } => Self::Grid {
                columns,
                rows,
                block,
            },
            Layout::Layers {
                layers,
                columns,
                rows,
            } => Self::Layers {
                layers,
                columns,
                rows,
            },
            Layout::Stacks { stacks, height } => Self::Stacks {
                stacks: stacks
                    .into_iter()
                    .map(|stack| StackView {
                        x: stack.x,
                        y: stack.y,
                        label: stack.label,
                    })
                    .collect(),
                height,
            },
            // A layout of a later library: the cells tell their places.
            _ => Self::Grid {
                columns: Vec::new(),
                rows: Vec::new(),
                block: None,
            },
        }
    }
}
