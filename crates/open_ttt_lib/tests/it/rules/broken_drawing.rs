//! Each law of drawings can fail: tic-tac-toe drawn with one fault at a time.

use open_ttt_lib::games::{Cell, TicTacToe};
use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{
    Choice, Color, CompletedLine, Drawing, Layout, Outcome, Picture, Piece, Place, Side, Tray,
    TwoPlayerGame,
};

/// A violation of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fault {
    None,
    ShowsACellTwice,
    LacksACell,
    LacksTakenCells,
    ShowsACellOutside,
    LosesACellLater,
    ChangesItsLayout,
    PutsABoardCellInATray,
    OffersTakenCells,
    OffersAMoveTwice,
    HidesAMove,
    SharesAPath,
    SharesALabel,
    BeginsAPath,
    HasANamelessButton,
    HasAnEmptyLabel,
    ShowsNoPieces,
    ShowsALineOfNobody,
    ShowsALineOfTheOther,
    ShowsAnEmptyLine,
    SharesAMark,
    SharesAColor,
    ExchangesItsSides,
    HasALongMark,
}

/// Tic-tac-toe with a fault in its pictures.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Faulty {
    game: TicTacToe,
    fault: Fault,
}

impl TwoPlayerGame for Faulty {
    type Move = Cell;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> impl Iterator<Item = Cell> {
        self.game.moves()
    }

    fn play_unchecked(&mut self, m: Cell) {
        self.game.play_unchecked(m);
    }
}

impl Drawing for Faulty {
    #[expect(clippy::too_many_lines, reason = "a few lines for each fault")]
    fn picture(&self) -> Picture<Cell> {
        let mut picture = self.game.picture();
        match self.fault {
            Fault::ShowsACellTwice => picture.cells.extend(picture.cells.first().cloned()),
            Fault::LacksACell => {
                picture.cells.pop();
            }
            Fault::LosesACellLater if self.game.plies() == 9 => {
                picture.cells.pop();
            }
            Fault::LacksTakenCells => picture.cells.retain(|cell| cell.piece.is_none()),
            Fault::ShowsACellOutside => picture.cells[0].place = Place::flat(3, 0),
            Fault::PutsABoardCellInATray => {
                let cells = picture.cells.split_off(8);
                picture
                    .choices
                    .retain(|choice| choice.path != [cells[0].place]);
                picture.trays.push(Tray {
                    title: "Beside".to_owned(),
                    side: None,
                    cells,
                });
            }
            Fault::ChangesItsLayout if self.game.plies() == 3 => {
                picture.layout = Layout::grid(3, 4);
            }
            Fault::OffersTakenCells => {
                let taken = picture.cells.iter().filter(|cell| cell.piece.is_some());
                let offered = taken.filter_map(|cell| {
                    let m = Cell::new(cell.place.x, cell.place.y)?;
                    Some(Choice::path(m, [cell.place]))
                });
                picture.choices.extend(offered.collect::<Vec<_>>());
            }
            Fault::OffersAMoveTwice => {
                let again = picture.choices.first().cloned();
                picture
                    .choices
                    .extend(again.map(|choice| choice.labelled("Again")));
            }
            Fault::HidesAMove => {
                picture.choices.pop();
            }
            Fault::SharesAPath => {
                let path = picture.choices.first().map(|choice| choice.path.clone());
                for (choice, path) in picture.choices.iter_mut().skip(1).zip(path) {
                    choice.path = path;
                }
            }
            Fault::SharesALabel => {
                for choice in &mut picture.choices {
                    *choice = Choice::button(choice.m, "Move");
                }
            }
            Fault::BeginsAPath => {
                if let [one, other, ..] = &mut *picture.choices {
                    other.path.splice(0..0, one.path.clone());
                }
            }
            Fault::HasANamelessButton => {
                if let [only] = &mut *picture.choices {
                    only.path.clear();
                }
            }
            Fault::HasAnEmptyLabel => {
                for choice in &mut picture.choices {
                    choice.label = Some(" ".to_owned());
                }
            }
            Fault::ShowsNoPieces => {
                for cell in &mut picture.cells {
                    cell.piece = None;
                }
                picture.lines.clear();
            }
            Fault::ShowsALineOfNobody => picture.lines.push(CompletedLine {
                side: Some(Side::First),
                places: vec![Place::flat(1, 1)],
            }),
            Fault::ShowsALineOfTheOther => {
                for line in &mut picture.lines {
                    line.side = line.side.map(Side::other);
                }
            }
            Fault::ShowsAnEmptyLine => picture.lines.push(CompletedLine {
                side: None,
                places: Vec::new(),
            }),
            Fault::SharesAMark => picture.sides[1].mark = "X",
            Fault::SharesAColor => picture.colors = [Color::Green; 2],
            Fault::ExchangesItsSides => picture.sides.reverse(),
            Fault::HasALongMark => {
                for cell in &mut picture.cells {
                    cell.piece = cell.piece.map(|piece| Piece {
                        mark: "ABC",
                        ..piece
                    });
                }
            }
            _ => {}
        }
        picture
    }
}

fn check(fault: Fault) {
    let game = TicTacToe::new();
    Laws::of(&Faulty { game, fault }).drawing();
}

#[test]
fn without_a_fault_every_law_holds() {
    check(Fault::None);
}

each_breaks_a_law! {
    a_cell_shown_twice: ShowsACellTwice => "no cell is shown twice";
    a_cell_not_shown: LacksACell => "is chosen by places that are shown";
    cells_that_vanish: LacksTakenCells => "every position shows the same places";
    a_cell_that_vanishes_at_the_end: LosesACellLater => "every position shows the same places";
    a_cell_outside: ShowsACellOutside => "is outside the layout";
    a_cell_of_the_board_in_a_tray: PutsABoardCellInATray => "is in a tray";
    a_layout_that_changes: ChangesItsLayout => "the layout stays the same";
    taken_cells_offered: OffersTakenCells => "can be chosen once too often";
    a_move_offered_twice: OffersAMoveTwice => "can be chosen once too often";
    a_move_not_offered: HidesAMove => "can't be chosen";
    two_moves_on_one_cell: SharesAPath => "its path is empty or begins another";
    a_path_that_begins_another: BeginsAPath => "its path is empty or begins another";
    a_button_without_a_name: HasANamelessButton => "its path is empty or begins another";
    buttons_of_one_name: SharesALabel => "have different labels";
    a_label_of_spaces: HasAnEmptyLabel => "has a label to read";
    pieces_not_shown: ShowsNoPieces => "different positions look different";
    a_line_of_nobody: ShowsALineOfNobody => "a line's pieces are those of its side";
    a_line_of_the_other_side: ShowsALineOfTheOther => "a line's pieces are those of its side";
    a_line_without_places: ShowsAnEmptyLine => "a line's pieces are those of its side";
    sides_of_one_mark: SharesAMark => "the sides differ";
    sides_of_one_color: SharesAColor => "the sides differ in colour";
    sides_in_the_wrong_order: ExchangesItsSides => "has a usual piece of its own";
    a_mark_too_long: HasALongMark => "a mark has one or two characters";
}
