//! Each law can fail: tic-tac-toe with one fault at a time.

use std::hash::{Hash, Hasher};

use open_ttt_lib::games::{Cell, TicTacToe};
use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{
    CompactKey, Described, Dihedral, Encode, Encoding, IllegalMove, IndexedMoves, LineGame, Margin,
    Notation, Objective, Outcome, Parameter, ParseMoveError, Reason, Side, SpecError, Symmetry,
    Tactics, TwoPlayerGame,
};

use super::panics::panic_of;

/// A violation of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    ListsAMoveTwice,
    GoesOnAfterTheEnd,
    StopsEarly,
    AcceptsAnything,
    RefusesTheCentre,
    ChangesWhenRefusing,
    GivesAWrongReason,
    NamesAnotherMove,
    PlaysAndAftersDiffer,
    HashesItsHistory,
    HashesItsMovesOnly,
    OrdersMovesByHistory,
    NeverEnds,
    WritesEveryMoveAlike,
    WritesSpaces,
    ReadsExactCaseOnly,
    ReadsNonsense,
    RepeatsNonsense,
    HasOneSideName,
    HasNoMargin,
    SharesKeys,
    OutgrowsItsKey,
    ChangesItsKey,
    CountsMovesFromOne,
    NumbersWithoutEnd,
    CountsOtherMoves,
    LeavesANumberUnwritten,
    WritesALargeNumber,
    WritesTheFreeCellsOnly,
    ChangesItsPlanes,
    WritesACornerOnly,
    CountsPointsAgainst,
    HasNoSymmetry,
    MirrorsMovesOnly,
    BeginsWithAMirror,
    TurnsWithoutTurningBack,
    LacksALine,
    HasAnEmptyLine,
    ForgetsLines,
    ExchangesOwners,
    TakesACellTooMany,
    SeesNoWin,
    CountsPliesTwice,
    ListsALosingMove,
    DeniesAWin,
    RegainsAWin,
    DeniesASecondMove,
    DeniesAForcedWin,
    ForcesTheImpossible,
    PromisesAWin,
    ReturnsOtherParameters,
    MovesTwice,
}

/// Tic-tac-toe with a fault.
#[derive(Clone, Debug)]
struct Faulty {
    game: TicTacToe,
    fault: Fault,
    last: Option<Cell>,
}

impl Faulty {
    const fn new(fault: Fault) -> Self {
        Self {
            game: TicTacToe::new(),
            fault,
            last: None,
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }
}

impl PartialEq for Faulty {
    fn eq(&self, other: &Self) -> bool {
        self.game == other.game
    }
}

impl Eq for Faulty {}

impl Hash for Faulty {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.has(Fault::HashesItsMovesOnly) {
            self.game.moves().collect::<Vec<_>>().hash(state);
        } else {
            self.game.hash(state);
        }
        if self.has(Fault::HashesItsHistory) {
            self.last.hash(state);
        }
    }
}

const fn centre() -> Cell {
    match Cell::new(1, 1) {
        Some(cell) => cell,
        None => panic!("the centre is a cell"),
    }
}

impl TwoPlayerGame for Faulty {
    type Move = Cell;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        match self.fault {
            Fault::MovesTwice if self.game.plies() == 3 => Side::First,
            _ => self.game.to_move(),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.fault {
            Fault::NeverEnds => None,
            Fault::StopsEarly if self.game.plies() == 4 => Some(Outcome::Draw),
            _ => self.game.outcome(),
        }
    }

    fn moves(&self) -> impl Iterator<Item = Cell> {
        let mut moves: Vec<_> = self.game.moves().collect();
        match self.fault {
            Fault::ListsAMoveTwice => moves.extend(moves.last().copied()),
            Fault::GoesOnAfterTheEnd | Fault::NeverEnds if moves.is_empty() => {
                moves.push(centre());
            }
            Fault::OrdersMovesByHistory if self.last == Cell::new(0, 0) => moves.reverse(),
            _ => {}
        }
        moves.into_iter()
    }

    fn play_unchecked(&mut self, m: Cell) {
        if self.game.outcome().is_some() {
            self.game = TicTacToe::new();
        }
        self.game.play_unchecked(m);
        self.last = Some(m);
    }

    fn check(&self, m: Cell) -> Result<(), IllegalMove<Cell>> {
        let verdict = self.game.check(m);
        match self.fault {
            Fault::AcceptsAnything if self.game.outcome().is_none() => Ok(()),
            Fault::GoesOnAfterTheEnd | Fault::NeverEnds if self.moves().any(|l| l == m) => Ok(()),
            Fault::RefusesTheCentre if m == centre() && verdict.is_ok() => Err(IllegalMove {
                attempted: m,
                reason: Reason::Forbidden,
            }),
            Fault::GivesAWrongReason => verdict.map_err(|error| IllegalMove {
                reason: Reason::GameOver,
                ..error
            }),
            Fault::NamesAnotherMove => verdict.map_err(|error| IllegalMove {
                attempted: if m == centre() {
                    Cell::new(0, 0).unwrap_or(m)
                } else {
                    centre()
                },
                ..error
            }),
            _ => verdict,
        }
    }

    fn play(&mut self, m: Cell) -> Result<(), IllegalMove<Cell>> {
        let verdict = self.check(m);
        match (verdict, self.fault) {
            (Ok(()), Fault::PlaysAndAftersDiffer) => {
                let other = self.moves().last().unwrap_or(m);
                self.play_unchecked(other);
            }
            (Err(_), Fault::ChangesWhenRefusing) => self.game = TicTacToe::new(),
            (Ok(()), _) => self.play_unchecked(m),
            (Err(_), _) => {}
        }
        verdict
    }
}

impl Notation for Faulty {
    fn move_text(&self, m: Cell) -> String {
        match self.fault {
            Fault::WritesEveryMoveAlike => "a1".to_owned(),
            Fault::WritesSpaces => self.game.move_text(m).replace('a', "a "),
            _ => self.game.move_text(m),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Cell, ParseMoveError> {
        match self.fault {
            Fault::ReadsExactCaseOnly if text.contains(char::is_uppercase) => {
                Err(ParseMoveError::new(text, "small letters"))
            }
            Fault::ReadsNonsense if text.is_empty() => Ok(centre()),
            Fault::RepeatsNonsense => self.game.parse_move(text).map_err(|_| ParseMoveError {
                text: text.to_owned(),
                expected: "a cell".to_owned(),
            }),
            _ => self.game.parse_move(text),
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        match self.fault {
            Fault::HasOneSideName => "X",
            _ => self.game.side_name(side),
        }
    }

    fn move_noun(&self) -> &'static str {
        self.game.move_noun()
    }
}

impl Margin for Faulty {
    fn margin(&self) -> i32 {
        match self.outcome() {
            Some(Outcome::Win(_)) if self.has(Fault::HasNoMargin) => 0,
            Some(Outcome::Win(Side::First)) => 1,
            Some(Outcome::Win(Side::Second)) => -1,
            _ => 0,
        }
    }
}

impl CompactKey for Faulty {
    const UNIQUE_BITS: Option<u32> = Some(26);

    fn key(&self) -> u64 {
        match self.fault {
            Fault::SharesKeys => self.game.key() >> 1,
            Fault::OutgrowsItsKey => self.game.key() << 9,
            Fault::ChangesItsKey => {
                let last = self.last.map_or(9, |cell| self.game.move_index(cell));
                self.game.key() << 8 | last as u64
            }
            _ => self.game.key(),
        }
    }
}

impl IndexedMoves for Faulty {
    fn move_count(&self) -> usize {
        9
    }

    fn move_index(&self, m: Cell) -> usize {
        self.game.move_index(m) + usize::from(self.has(Fault::CountsMovesFromOne))
    }

    fn indexed_move(&self, index: usize) -> Option<Cell> {
        match self.fault {
            Fault::NumbersWithoutEnd => self.game.indexed_move(index % 9),
            _ => self.game.indexed_move(index),
        }
    }
}

impl Symmetry for Faulty {
    type Transform = Dihedral;

    fn symmetries(&self) -> &'static [Dihedral] {
        match self.fault {
            Fault::BeginsWithAMirror => &[Dihedral::MirrorColumns, Dihedral::Identity],
            Fault::TurnsWithoutTurningBack => &[Dihedral::Identity, Dihedral::QuarterTurn],
            Fault::HasNoSymmetry => &[],
            _ => self.game.symmetries(),
        }
    }

    fn image(&self, transform: Dihedral) -> Self {
        let mut image = self.clone();
        if !self.has(Fault::MirrorsMovesOnly) {
            image.game = self.game.image(transform);
        }
        image
    }

    fn move_image(&self, m: Cell, transform: Dihedral) -> Cell {
        self.game.move_image(m, transform)
    }
}

impl Encode for Faulty {
    fn encoding(&self) -> Encoding {
        let mut encoding = self.game.encoding();
        if self.has(Fault::CountsOtherMoves) {
            encoding.moves += 1;
        }
        if self.has(Fault::ChangesItsPlanes) && self.game.plies() == 3 {
            encoding.planes += 1;
        }
        encoding
    }

    fn encode(&self, planes: &mut [f32]) {
        let unwritten = planes[4];
        self.game.encode(planes);
        match self.fault {
            Fault::LeavesANumberUnwritten => planes[4] = unwritten,
            Fault::WritesALargeNumber => planes[4] *= 2.0,
            Fault::WritesTheFreeCellsOnly => {
                for cell in 0..9 {
                    planes[cell] += planes[9 + cell];
                    planes[9 + cell] = 0.0;
                }
            }
            // One corner is told from a free one by its sign; the others are not.
            Fault::WritesACornerOnly => planes[0] = -planes[0],
            _ => {}
        }
    }

    fn objective(&self) -> Objective<Self> {
        Objective::Margin(|game| match game.fault {
            Fault::CountsPointsAgainst => -game.margin() as f32,
            _ => game.margin() as f32,
        })
    }
}

impl LineGame for Faulty {
    fn winning_lines(&self) -> Vec<Vec<Cell>> {
        let mut lines = self.game.winning_lines();
        match self.fault {
            Fault::LacksALine => lines.truncate(7),
            Fault::HasAnEmptyLine => lines.push(Vec::new()),
            Fault::ForgetsLines => lines.truncate(9 - self.game.plies() as usize),
            _ => {}
        }
        lines
    }

    fn owner_of(&self, cell: Cell) -> Option<Side> {
        let owner = self.game.owner(cell);
        match self.fault {
            Fault::ExchangesOwners if self.game.outcome().is_none() => owner.map(Side::other),
            Fault::TakesACellTooMany if cell == centre() => owner.or(Some(Side::First)),
            _ => owner,
        }
    }
}

impl Tactics for Faulty {
    fn plies_left(&self) -> u32 {
        match self.fault {
            Fault::CountsPliesTwice => 2 * self.game.plies_left(),
            _ => self.game.plies_left(),
        }
    }

    fn wins_at_once(&self) -> bool {
        self.game.wins_at_once() && !self.has(Fault::SeesNoWin)
    }

    fn non_losing_moves(&self) -> impl Iterator<Item = Cell> {
        let mut moves: Vec<_> = self.game.non_losing_moves().collect();
        if self.has(Fault::ListsALosingMove) {
            moves = self.game.moves().collect();
        }
        moves.into_iter()
    }

    fn can_still_win(&self, side: Side) -> bool {
        match self.fault {
            Fault::DeniesAWin => self.game.plies() < 5,
            Fault::RegainsAWin => self.game.plies() > 4,
            _ => self.game.can_still_win(side),
        }
    }

    fn wins_with_second_move(&self) -> Option<bool> {
        self.has(Fault::DeniesASecondMove).then_some(false)
    }

    fn wins_within(&self, _: Side, plies: u32) -> bool {
        self.has(Fault::PromisesAWin) && plies > 2
    }

    fn can_force_win(&self, side: Side) -> bool {
        match self.fault {
            Fault::DeniesAForcedWin => false,
            Fault::ForcesTheImpossible => true,
            _ => self.can_still_win(side),
        }
    }
}

impl Described for Faulty {
    const KEY: &'static str = "faulty";
    const TITLE: &'static str = "Faulty";
    const RULES: &'static str = "Tic-tac-toe with one thing wrong.";
    const PARAMETERS: &'static [Parameter] = &[];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::new(Fault::None))
    }

    fn parameters(&self) -> Vec<u32> {
        match self.fault {
            Fault::ReturnsOtherParameters => vec![1],
            _ => Vec::new(),
        }
    }
}

#[track_caller]
fn check(fault: Fault) {
    Laws::of(&Faulty::new(fault))
        .rules()
        .notation()
        .margin()
        .compact_key()
        .indexed_moves()
        .encode()
        .encode_images()
        .symmetry()
        .line_game()
        .tactics()
        .described();
}

#[test]
fn without_a_fault_every_law_holds() {
    check(Fault::None);
}

macro_rules! each_of_all_breaks_a_law {
    ($($test:ident: $fault:ident => $expected:literal;)*) => {
        each_breaks_a_law! { $($test: $fault => $expected;)* }

        const FAULTS: &[Fault] = &[$(Fault::$fault),*];
    };
}

each_of_all_breaks_a_law! {
    a_move_listed_twice: ListsAMoveTwice => "is listed twice";
    moves_after_the_end: GoesOnAfterTheEnd => "a game has no moves exactly when it is over";
    an_end_with_moves_left: StopsEarly => "a game has no moves exactly when it is over";
    a_move_accepted_and_not_listed: AcceptsAnything => "is accepted and not listed";
    a_move_listed_and_refused: RefusesTheCentre => "is listed and refused";
    a_refusal_that_changes_the_game: ChangesWhenRefusing => "changed the position";
    a_wrong_reason: GivesAWrongReason => "GameOver is given as a reason exactly when it is over";
    an_error_about_another_move: NamesAnotherMove => "the error names another move";
    play_that_is_not_after: PlaysAndAftersDiffer => "play and after differ";
    unequal_hashes: HashesItsHistory => "equal positions have equal hashes";
    equal_hashes_of_different_positions: HashesItsMovesOnly => "different positions have different hashes";
    unequal_orders_of_moves: OrdersMovesByHistory => "equal moves in the same order";
    an_endless_game: NeverEnds => "every game ends";
    moves_written_alike: WritesEveryMoveAlike => "names Cell";
    a_move_with_a_space: WritesSpaces => "can stand in a list";
    a_move_in_capitals_refused: ReadsExactCaseOnly => "names Cell";
    nonsense_read_as_a_move: ReadsNonsense => "names a move";
    nonsense_repeated_in_an_error: RepeatsNonsense => "one short clean line";
    sides_of_one_name: HasOneSideName => "the sides have different names";
    a_margin_that_does_not_decide: HasNoMargin => "the margin decides";
    a_key_for_two_positions: SharesKeys => "have the same key";
    a_key_with_too_many_bits: OutgrowsItsKey => "has more than 26 bits";
    two_keys_for_a_position: ChangesItsKey => "equal positions have equal keys";
    moves_numbered_from_one: CountsMovesFromOne => "the number of";
    numbers_without_end: NumbersWithoutEnd => "the moves end";
    another_count_of_moves: CountsOtherMoves => "the encoding counts the game's moves";
    a_number_not_written: LeavesANumberUnwritten => "every number is written";
    a_number_too_large: WritesALargeNumber => "every number is written";
    positions_written_alike: WritesTheFreeCellsOnly => "different positions are written differently";
    planes_that_change: ChangesItsPlanes => "all positions have the same encoding";
    images_written_otherwise: WritesACornerOnly => "in another order: MirrorColumns";
    points_of_the_loser: CountsPointsAgainst => "the side with more points has won";
    no_symmetry: HasNoSymmetry => "the identity is a symmetry";
    a_symmetry_of_moves_only: MirrorsMovesOnly => "MirrorColumns";
    a_first_symmetry_that_moves: BeginsWithAMirror => "MirrorColumns of Faulty";
    symmetries_that_are_not_a_group: TurnsWithoutTurningBack => "the symmetries form a group";
    a_line_left_out: LacksALine => "the lines determine the outcome";
    a_line_of_no_cells: HasAnEmptyLine => "a line has at least one cell";
    lines_that_vanish: ForgetsLines => "all positions have the same lines";
    pieces_of_the_other_side: ExchangesOwners => "takes its own cell and no other";
    a_free_cell_with_an_owner: TakesACellTooMany => "free exactly when it can be played";
    a_win_not_seen: SeesNoWin => "a win with the next move is seen";
    plies_counted_twice: CountsPliesTwice => "takes one ply";
    a_losing_move_among_the_non_losing: ListsALosingMove => "is non-losing unless the opponent wins at once";
    a_winner_that_could_not_win: DeniesAWin => "a side that has won could still win";
    a_win_that_becomes_possible_again: RegainsAWin => "a side that can't win can't after";
    a_second_move_not_seen: DeniesASecondMove => "a win with the second move is seen";
    a_forced_win_denied: DeniesAForcedWin => "a side that can't force a win doesn't win by force";
    an_impossible_win_forced: ForcesTheImpossible => "a side that can't win can't force a win";
    a_win_promised: PromisesAWin => "a side wins within 3 plies if it says so";
    a_side_that_moves_twice: MovesTwice => "the sides take turns";
    other_parameters: ReturnsOtherParameters => "the parameters tell all";
}

#[test]
fn each_failure_is_where_the_law_is_called() {
    for &fault in FAULTS {
        let panic = panic_of(|| check(fault)).expect("a fault breaks a law");
        assert_eq!(panic.file, file!(), "{fault:?}: {panic:?}");
    }
}

/// A cycle of four positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Carousel(u8);

impl TwoPlayerGame for Carousel {
    type Move = u8;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.0.into())
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn moves(&self) -> impl Iterator<Item = u8> {
        [1, 3].into_iter()
    }

    fn play_unchecked(&mut self, steps: u8) {
        self.0 = (self.0 + steps) % 4;
    }
}

#[test]
#[should_panic(expected = "every game ends")]
fn a_small_endless_game() {
    Laws::of(&Carousel(0)).rules();
}
