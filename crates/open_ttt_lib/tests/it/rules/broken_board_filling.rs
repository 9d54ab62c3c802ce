//! Each law of games of filling can fail: six places in a row with one thing
//! wrong at a time.

use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{BoardFilling, Margin, Outcome, Side, TwoPlayerGame};

/// Six places in a row, filled in any order; those on the left are points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Row {
    pieces: [u64; 2],
    fault: RowFault,
}

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum RowFault {
    None,
    CountsTheRight,
    SharesAPlace,
    TakesTwoPlaces,
    RefusesByColour,
}

impl TwoPlayerGame for Row {
    type Move = u32;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(((self.pieces[0] | self.pieces[1]) & !1).count_ones())
    }

    fn outcome(&self) -> Option<Outcome> {
        let over = self.moves().next().is_none();
        over.then(|| Outcome::from_margin(self.margin()))
    }

    fn moves(&self) -> impl Iterator<Item = u32> {
        let taken = self.pieces[0] | self.pieces[1];
        let refused = self.fault == RowFault::RefusesByColour && self.pieces[0] & 2 != 0;
        (1..7).filter(move |place| taken >> place & 1 == 0 && !(refused && *place == 6))
    }

    fn play_unchecked(&mut self, place: u32) {
        self.pieces[self.to_move().index()] |= 1 << place;
        if self.fault == RowFault::TakesTwoPlaces && place == 3 {
            self.pieces[1] |= 1;
        }
    }
}

impl Margin for Row {
    fn margin(&self) -> i32 {
        let left = self
            .pieces
            .map(|places| (places & 0b1110).count_ones() as i32);
        left[0] - left[1]
    }
}

impl BoardFilling for Row {
    fn pieces(&self) -> [u64; 2] {
        self.pieces
    }

    fn margin_of(&self, pieces: [u64; 2]) -> i32 {
        let fault = match self.fault {
            RowFault::CountsTheRight => RowFault::None,
            _ => {
                return Self {
                    pieces,
                    ..self.clone()
                }
                .margin();
            }
        };
        let right = pieces.map(|places| places >> 3);
        Self {
            pieces: right,
            fault,
        }
        .margin()
    }
}

fn check_row(fault: RowFault) {
    let shared = u64::from(fault == RowFault::SharesAPlace);
    let row = Row {
        pieces: [shared; 2],
        fault,
    };
    Laws::of(&row).board_filling();
}

#[test]
fn a_row_without_a_fault() {
    check_row(RowFault::None);
}

#[test]
#[should_panic(expected = "the margin is that of the pieces")]
fn a_margin_of_other_pieces() {
    check_row(RowFault::CountsTheRight);
}

#[test]
#[should_panic(expected = "a place has one owner")]
fn a_place_with_two_owners() {
    check_row(RowFault::SharesAPlace);
}

#[test]
#[should_panic(expected = "a move adds one place to the mover's")]
fn a_move_that_takes_two_places() {
    check_row(RowFault::TakesTwoPlaces);
}

#[test]
#[should_panic(expected = "the moves depend on the shape alone")]
fn a_move_refused_by_colour() {
    check_row(RowFault::RefusesByColour);
}
