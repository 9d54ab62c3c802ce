use open_ttt_lib::rules::{
    BoardCell, CompletedLine, Drawing, Layout, Named, Notation, Picture, Place, Side,
};
use serde::{Deserialize, Serialize};

use crate::matches::{Clock, GameVerdict, MatchMachine, Score, Seat, Settings};

/// A match as displayed, for clients that do not know the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchView {
    /// The settings of the match.
    pub settings: Settings,
    /// The number of the current game, from 1.
    pub number: u32,
    /// The player in each seat.
    pub seats: [Option<SeatView>; 2],
    /// The score of the match.
    pub score: Score,
    /// The clocks, if the match has a time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// The seat to move, while a game is in progress.
    pub to_move: Option<Seat>,
    /// The result, once the game is over.
    pub verdict: Option<GameVerdict>,
    /// The seat that offers a draw.
    pub draw_offer: Option<Seat>,
    /// The seat that asks for a take-back.
    pub take_back: Option<Seat>,
    /// The seat that claims that the opponent has left, and since when, in
    /// milliseconds since 1970.
    pub claim: Option<(Seat, u64)>,
    /// Whether seat A and seat B ask for another game.
    pub rematch: [bool; 2],
    /// The moves of the current game.
    pub moves: Vec<String>,
    /// The board.
    pub board: BoardView,
}

/// The player in a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatView {
    /// The displayed name.
    pub name: String,
    /// The spec of a computer player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
}

/// A board as displayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoardView {
    /// The arrangement of the cells.
    pub layout: LayoutView,
    /// The names of the sides of seat A and seat B: `Red`.
    pub side_names: [String; 2],
    /// The pieces of seat A and seat B, one or two characters: `R`.
    pub marks: [String; 2],
    /// The seat that moves first in this game.
    pub first: Seat,
    /// The cells.
    pub cells: Vec<CellView>,
    /// The cells that the last move filled.
    pub last: Vec<PlaceView>,
    /// The lines that won or scored.
    pub lines: Vec<LineView>,
    /// The points of seat A and seat B, in scoring games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[u32; 2]>,
}

/// The arrangement of the cells of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LayoutView {
    /// A flat board.
    Grid {
        /// The labels of the columns, from the left.
        columns: Vec<String>,
        /// The labels of the rows, from the bottom.
        rows: Vec<String>,
        /// The size of the square blocks that the board is divided into.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        block: Option<u8>,
    },
    /// Flat boards on top of each other.
    Layers {
        /// The labels of the layers, from the lowest.
        layers: Vec<String>,
        /// The labels of the columns, from the left.
        columns: Vec<String>,
        /// The labels of the rows, from the bottom.
        rows: Vec<String>,
    },
    /// Stacks of cells on a plane.
    Stacks {
        /// The stacks.
        stacks: Vec<StackView>,
        /// The height of the stacks, in cells.
        height: u8,
    },
}

/// A stack and its position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackView {
    /// The position from the left.
    pub x: u8,
    /// The position from the front.
    pub y: u8,
    /// The label.
    pub label: String,
}

/// The coordinates of a cell, each from 0: column from the left, row from the
/// bottom or the front, layer or height from below.
pub type PlaceView = [u8; 3];

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellView {
    /// The coordinates.
    pub at: PlaceView,
    /// The owner of the piece on the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Seat>,
    /// The legal move that puts a piece here.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "move")]
    pub playable: Option<String>,
}

/// A line of pieces that won or scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineView {
    /// The owner.
    pub seat: Seat,
    /// The cells, from one end to the other.
    pub places: Vec<PlaceView>,
}

impl MatchView {
    /// The view of a match.
    pub fn of<G: Named + Notation + Drawing>(state: &MatchMachine<G>) -> Self {
        let seat = |seat: Seat| {
            state.player(seat).map(|player| SeatView {
                name: player.name.clone(),
                computer: player.computer.clone(),
            })
        };
        let mut position = state.game().start().clone();
        let mut before = None;
        let moves = state.game().moves();
        let mut texts = Vec::with_capacity(moves.len());
        for (index, &m) in moves.iter().enumerate() {
            texts.push(position.move_text(m));
            if index + 1 == moves.len() {
                before = Some(position.clone());
            }
            position.play_unchecked(m);
        }
        let mut board = BoardView::of(&position, before.as_ref(), |side| state.seat_of(side));
        if !state.is_running() {
            board.cells.iter_mut().for_each(|cell| cell.playable = None);
        }
        Self {
            settings: state.settings().clone(),
            number: state.number(),
            seats: Seat::ALL.map(seat),
            score: state.score(),
            clock: state.clock().copied(),
            to_move: state.to_move(),
            verdict: state.verdict(),
            draw_offer: state.draw_offer(),
            take_back: state.take_back(),
            claim: state.claim(),
            rematch: Seat::ALL.map(|seat| state.wants_rematch(seat)),
            moves: texts,
            board,
        }
    }
}

impl BoardView {
    /// The view of a position.
    ///
    /// `before` is the position before the last move, and `seat_of` the seat of each
    /// side.
    pub fn of<G: Notation + Drawing>(
        position: &G,
        before: Option<&G>,
        seat_of: impl Fn(Side) -> Seat,
    ) -> Self {
        let picture = position.picture();
        let last = before.map_or_else(Vec::new, |before| changed(&before.picture(), &picture));
        let first = seat_of(Side::First);
        let names = [Side::First, Side::Second].map(|side| position.side_name(side).to_owned());
        Self {
            layout: picture.layout.into(),
            side_names: in_seat_order(first, names),
            marks: in_seat_order(first, picture.sides.map(|piece| piece.mark.to_owned())),
            first,
            cells: picture
                .cells
                .iter()
                .map(|cell| CellView {
                    at: place(cell.place),
                    owner: cell.owner().map(&seat_of),
                    playable: picture
                        .choices
                        .iter()
                        .find(|choice| choice.path == [cell.place])
                        .map(|choice| position.move_text(choice.m)),
                })
                .collect(),
            last,
            lines: picture
                .lines
                .into_iter()
                .filter_map(|CompletedLine { side, places }| {
                    Some(LineView {
                        seat: seat_of(side?),
                        places: places.into_iter().map(place).collect(),
                    })
                })
                .collect(),
            points: picture.points.map(|points| in_seat_order(first, points)),
        }
    }
}

/// Values of the first and the second side, in the order of the seats.
fn in_seat_order<T>(first: Seat, mut by_side: [T; 2]) -> [T; 2] {
    by_side.rotate_left(first.index());
    by_side
}

fn place(place: Place) -> PlaceView {
    [place.x, place.y, place.z]
}

/// The cells that are newly filled.
fn changed<M>(before: &Picture<M>, now: &Picture<M>) -> Vec<PlaceView> {
    let was_empty = |cell: &&BoardCell| {
        let old = before.cells.iter().find(|old| old.place == cell.place);
        old.is_none_or(|old| old.piece.is_none())
    };
    now.cells
        .iter()
        .filter(|cell| cell.piece.is_some())
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
            // An unknown layout: clients place the cells by their coordinates.
            _ => Self::Grid {
                columns: Vec::new(),
                rows: Vec::new(),
                block: None,
            },
        }
    }
}
