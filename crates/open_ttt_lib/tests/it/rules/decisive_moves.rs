//! Playouts with decisive and anti-decisive moves, as a game gets them that doesn't override them.

use open_ttt_lib::rules::{DecisiveMoves, Outcome, Repetition, Side, TwoPlayerGame};

/// The sides take one or two tokens in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Tokens {
    left: u32,
    to_move: Side,
    rule: Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Rule {
    /// Who takes the last token wins.
    Normal,
    /// Who takes the last token loses.
    Misere,
    /// Who takes the last token wins, and who takes a single one moves again.
    Again,
}

impl TwoPlayerGame for Tokens {
    type Move = u32;
    const ALTERNATES: bool = false;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        // Whoever took the last token isn't to move.
        let winner = match self.rule {
            Rule::Normal | Rule::Again => !self.to_move,
            Rule::Misere => self.to_move,
        };
        (self.left == 0).then_some(Outcome::Win(winner))
    }

    fn moves(&self) -> impl Iterator<Item = u32> {
        1..=self.left.min(2)
    }

    fn play_unchecked(&mut self, taken: u32) {
        self.left -= taken;
        if self.rule != Rule::Again || taken == 2 || self.left == 0 {
            self.to_move = !self.to_move;
        }
    }
}

impl DecisiveMoves for Tokens {}

/// Whether the first side, which is to move, wins if both draw the first of the moves that don't
/// lose at once, and if both draw the last of them.
#[track_caller]
fn check(rule: Rule, left: u32, wins: [bool; 2]) {
    let game = Tokens {
        left,
        to_move: Side::First,
        rule,
    };
    let outcomes = [0, u64::MAX].map(|draw| game.play_out_decisively(&mut || draw));
    let sides = wins.map(|wins| if wins { Side::First } else { Side::Second });
    assert_eq!(outcomes, sides.map(Outcome::Win), "{game:?}");
}

#[test]
fn wins_are_taken_and_prevented() {
    check(Rule::Normal, 1, [true; 2]);
    check(Rule::Normal, 2, [true; 2]);
    // Both moves leave a win.
    check(Rule::Normal, 3, [false; 2]);
    // Two tokens taken would leave a win, so one is taken.
    check(Rule::Normal, 4, [true; 2]);
    // Two tokens taken leave three, one taken leaves four.
    check(Rule::Normal, 5, [false, true]);
}

#[test]
fn a_move_that_loses_at_once_is_not_made() {
    check(Rule::Misere, 1, [false; 2]);
    check(Rule::Misere, 2, [true; 2]);
    // Two tokens taken leave one, one taken leaves two.
    check(Rule::Misere, 3, [false, true]);
}

#[test]
fn a_win_of_the_same_side_is_not_prevented() {
    check(Rule::Again, 2, [true; 2]);
    // One token taken leaves a win for the same side, two taken leave one for the other.
    check(Rule::Again, 3, [true; 2]);
    // One taken leaves three for the same side, two taken leave a win for the other.
    check(Rule::Again, 4, [true; 2]);
}

/// Nobody can do anything but wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Waiting(Side);

impl TwoPlayerGame for Waiting {
    type Move = ();
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.0
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn repetition(&self) -> Option<Repetition> {
        Some(Repetition::Draw { occurrences: 3 })
    }

    fn moves(&self) -> impl Iterator<Item = ()> {
        std::iter::once(())
    }

    fn play_unchecked(&mut self, (): ()) {
        self.0 = !self.0;
    }
}

impl DecisiveMoves for Waiting {}

#[test]
fn a_playout_in_which_positions_come_back_ends() {
    let mut draws = 0;
    let outcome = Waiting(Side::First).play_out_decisively(&mut || {
        draws += 1;
        0
    });
    assert_eq!((outcome, draws), (Outcome::Draw, 1_000));
}
