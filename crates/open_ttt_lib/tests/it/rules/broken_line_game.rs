//! Each law of `LineGame` can fail: a board of lines with one thing wrong at
//! a time.

use open_ttt_lib::games::{Mnk, Point};
use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{IndexedMoves, LineGame, Outcome, Side, TwoPlayerGame};

/// A violation of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fault {
    None,
    LacksALine,
    HasALineTooMany,
    HasALongerLine,
    HasAnEmptyLine,
    ChangesItsLines,
    OwnsAFreePlace,
    ForgetsACell,
    ReturnsTheOtherOwner,
    ChangesAnOwner,
}

/// Three in a row on a board of three by three, with a fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Crooked {
    game: Mnk,
    fault: Fault,
}

impl TwoPlayerGame for Crooked {
    type Move = Point;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> impl Iterator<Item = Point> {
        self.game.moves()
    }

    fn play_unchecked(&mut self, point: Point) {
        self.game.play_unchecked(point);
    }
}

impl IndexedMoves for Crooked {
    fn move_count(&self) -> usize {
        self.game.move_count()
    }

    fn move_index(&self, point: Point) -> usize {
        self.game.move_index(point)
    }

    fn indexed_move(&self, index: usize) -> Option<Point> {
        self.game.indexed_move(index)
    }
}

const CORNER: Point = Point { column: 0, row: 0 };
const CENTRE: Point = Point { column: 1, row: 1 };

impl LineGame for Crooked {
    fn winning_lines(&self) -> Vec<Vec<Point>> {
        let mut lines = self.game.winning_lines();
        match self.fault {
            Fault::LacksALine => lines.truncate(lines.len() - 1),
            Fault::HasALineTooMany => lines.push(vec![CORNER, CENTRE]),
            Fault::HasALongerLine => lines[0].push(CENTRE),
            Fault::HasAnEmptyLine => lines.push(Vec::new()),
            Fault::ChangesItsLines if self.game.plies() == 3 => lines.reverse(),
            _ => {}
        }
        lines
    }

    fn owner_of(&self, place: Point) -> Option<Side> {
        let owner = self.game.owner(place);
        match self.fault {
            Fault::OwnsAFreePlace if place == CENTRE => Some(Side::First),
            Fault::ForgetsACell if place == CENTRE => None,
            Fault::ReturnsTheOtherOwner => owner.map(Side::other),
            Fault::ChangesAnOwner if place == CORNER && self.game.plies() == 4 => {
                owner.map(Side::other)
            }
            _ => owner,
        }
    }
}

#[track_caller]
fn check(fault: Fault) {
    let game = Mnk::new(3, 3, 3).expect("a board of three by three");
    Laws::of(&Crooked { game, fault }).line_game();
}

#[test]
fn without_a_fault_every_law_holds() {
    check(Fault::None);
}

each_breaks_a_law! {
    a_winning_line_left_out: LacksALine => "the lines determine the outcome";
    a_line_that_does_not_win: HasALineTooMany => "the lines determine the outcome";
    a_line_that_is_too_long: HasALongerLine => "the lines determine the outcome";
    a_line_of_no_cell: HasAnEmptyLine => "a line has at least one cell";
    lines_that_change: ChangesItsLines => "all positions have the same lines";
    a_free_place_that_is_owned: OwnsAFreePlace => "is free exactly when it can be played";
    a_taken_cell_that_is_free: ForgetsACell => "takes its own cell and no other";
    owners_exchanged: ReturnsTheOtherOwner => "takes its own cell and no other";
    an_owner_that_changes: ChangesAnOwner => "takes its own cell and no other";
}
