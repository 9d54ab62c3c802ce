use super::board::{Board, Rank};
use super::cells::{Cell, Cells};
use super::failures::Failures;
use crate::budget::BudgetMeter;
use open_ttt_lib::rules::Side;

/// Looks for wins by force: the attacker makes only threats, the defender only
/// what may meet them.
///
/// A *press* threatens to finish a line with the next move, so there is one
/// answer: the cell that finishes. A win by presses alone is a line of play.
/// A *build* threatens a win by presses; the answers are the cells which that
/// win needs and those by which the defender comes to press himself.
///
/// Two presses at once are a fork that nobody answers. This is threat-space
/// search (Allis, van den Herik, Huntjens 1994), with Thomsen's lambda orders
/// (2000): presses are threats of the first order, builds of the second.
///
/// What it finds is a win whatever the defender does. That it finds none says
/// nothing.
#[derive(Debug)]
pub(super) struct Hunt {
    pub(super) board: Board,
    /// The winning line last found, backwards.
    line: Vec<Cell>,
    /// Positions without a win by presses.
    pressed: Failures,
    /// Positions without a win by builds of some depth.
    built: Failures,
    /// Whether a search was cut short by its depth or allowance.
    pub(super) cut_short: bool,
}

/// How a hunt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Catch {
    /// With a win.
    Win,
    /// There is none of this kind.
    Nothing,
    /// It was not allowed to look at enough positions.
    Unknown,
}

/// How much a hunt may spend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// How many positions one search for presses may look at.
    pub(super) presses: u32,
    /// How many builds may follow one another.
    pub(super) builds: u32,
}

impl Hunt {
    pub(super) fn new(board: Board) -> Self {
        Self {
            board,
            line: Vec::new(),
            pressed: Failures::new(1 << 16),
            built: Failures::new(1 << 16),
            cut_short: false,
        }
    }

    /// The winning line last found, from its first move.
    pub(super) fn line(&self) -> impl Iterator<Item = Cell> {
        self.line.iter().rev().copied()
    }

    /// Forgets where there was nothing to find with a smaller allowance.
    pub(super) fn look_again(&mut self) {
        self.built.forget();
        self.cut_short = false;
    }

    /// Whether the side to move wins by presses alone.
    pub(super) fn presses(&mut self, most: u32, meter: &mut BudgetMeter<'_>) -> Catch {
        self.line.clear();
        let mut left = most;
        let catch = self.press(&mut left, meter);
        self.cut_short |= catch == Catch::Unknown;
        catch
    }

    fn press(&mut self, left: &mut u32, meter: &mut BudgetMeter<'_>) -> Catch {
        let attacker = self.board.to_move();
        if let Some(cell) = self.board.cells(attacker, Rank::Finishes).first() {
            self.line.push(cell);
            return Catch::Win;
        }
        let Some(candidates) = self.unless_pressed(Rank::Presses) else {
            return Catch::Nothing;
        };
        if candidates.is_empty() {
            return Catch::Nothing;
        }
        let key = self.board.hash();
        if self.pressed.knows(key, 0) {
            return Catch::Nothing;
        }
        meter.count(1);
        if *left == 0 || meter.is_spent() {
            return Catch::Unknown;
        }
        *left -= 1;
        let catch = self.try_each(candidates, |hunt| hunt.answer_press(left, meter));
        if catch == Catch::Nothing {
            self.pressed.learn(key, 0);
        }
        catch
    }

    /// Plays the cells, the likely best first, until the answer to one shows a
    /// win or was too much work.
    fn try_each(&mut self, cells: Cells, mut answer: impl FnMut(&mut Self) -> Catch) -> Catch {
        for cell in self.ranked(cells).cells() {
            self.board.play(cell);
            let catch = answer(self);
            self.board.undo(cell);
            if catch == Catch::Win {
                self.line.push(cell);
            }
            if catch != Catch::Nothing {
                return catch;
            }
        }
        Catch::Nothing
    }

    /// The defender answers the only way there is.
    fn answer_press(&mut self, left: &mut u32, meter: &mut BudgetMeter<'_>) -> Catch {
        let attacker = !self.board.to_move();
        let threats = self.board.cells(attacker, Rank::Finishes);
        let mut cells = threats.iter();
        let Some(answer) = cells.next() else {
            return Catch::Nothing;
        };
        if let Some(other) = cells.next() {
            self.line.extend([other, answer]);
            return Catch::Win;
        }
        self.board.play(answer);
        let catch = self.press(left, meter);
        self.board.undo(answer);
        if catch == Catch::Win {
            self.line.push(answer);
        }
        catch
    }

    /// The cells of a rank that the attacker may think of: all, or the one that
    /// meets the defender's press; `None` if nothing meets it.
    fn unless_pressed(&self, rank: Rank) -> Option<Cells> {
        let attacker = self.board.to_move();
        let candidates = self.board.cells(attacker, rank);
        let danger = self.board.cells(!attacker, Rank::Finishes);
        match danger.len() {
            0 => Some(candidates),
            1 => Some(candidates.and(&danger)),
            _ => None,
        }
    }

    /// The cells the defender must think of when the attacker, who would be to
    /// move, would win by the line last found: those it uses, and those by which
    /// the defender would press while it is played.
    ///
    /// With a piece on any other cell the line still wins: its threats are the
    /// same, and each answer is as forced as before.
    fn needed(&mut self) -> Cells {
        let attacker = self.board.to_move();
        let mut needed = Cells::NONE;
        let mut played = Vec::with_capacity(self.line.len());
        let moves: Vec<Cell> = self.line().collect();
        for pair in moves.chunks(2) {
            needed = needed.or(&self.board.cells(!attacker, Rank::Presses));
            let finishing = self.board.cells(attacker, Rank::Finishes);
            needed = needed.or(&finishing);
            needed.insert(pair[0]);
            let &[press, answer] = pair else {
                break;
            };
            if !finishing.is_empty() {
                break;
            }
            self.board.play(press);
            needed = needed.or(&self.board.cells(attacker, Rank::Finishes));
            self.board.play(answer);
            played.extend(pair);
        }
        for &cell in played.iter().rev() {
            self.board.undo(cell);
        }
        needed
    }

    /// What the side to move can do against the win by presses that the other
    /// side threatens: `None` if nothing is found to be threatened, and all that
    /// may help otherwise. The side to move must not be able to finish at once.
    pub(super) fn defences(&mut self, most: u32, meter: &mut BudgetMeter<'_>) -> Option<Cells> {
        self.board.pass();
        let needed = match self.presses(most, meter) {
            Catch::Win => Some(self.needed()),
            Catch::Nothing | Catch::Unknown => None,
        };
        self.board.pass();
        needed
    }

    /// Whether the side to move wins by presses and so many builds.
    pub(super) fn builds(&mut self, allowed: Allowance, meter: &mut BudgetMeter<'_>) -> Catch {
        match self.presses(allowed.presses, meter) {
            Catch::Win => return Catch::Win,
            _ if meter.is_spent() => return Catch::Unknown,
            _ => {}
        }
        meter.count(1);
        let attacker = self.board.to_move();
        let Some(builds) = self.unless_pressed(Rank::Builds) else {
            return Catch::Nothing;
        };
        let presses = self.unless_pressed(Rank::Presses).unwrap_or(Cells::NONE);
        let danger = self.board.cells(!attacker, Rank::Finishes);
        let candidates = builds.or(&presses).or(&danger);
        if candidates.is_empty() {
            return Catch::Nothing;
        }
        // Meeting a press is no choice, so it costs nothing.
        let cost = u32::from(danger.is_empty());
        let Some(builds) = allowed.builds.checked_sub(cost) else {
            self.cut_short = true;
            return Catch::Nothing;
        };
        let further = Allowance { builds, ..allowed };
        let key = self.board.hash();
        if self.built.knows(key, allowed.builds) {
            return Catch::Nothing;
        }
        let catch = self.try_each(candidates, |hunt| hunt.answer_build(further, meter));
        if catch == Catch::Nothing {
            self.built.learn(key, allowed.builds);
        }
        catch
    }

    /// The defender tries everything that may help; so much is allowed after it.
    fn answer_build(&mut self, allowed: Allowance, meter: &mut BudgetMeter<'_>) -> Catch {
        let defender = self.board.to_move();
        if !self.board.cells(defender, Rank::Finishes).is_empty() {
            return Catch::Nothing;
        }
        let finishing = self.board.cells(!defender, Rank::Finishes);
        let answers = if !finishing.is_empty() {
            finishing
        } else if let Some(answers) = self.defences(allowed.presses, meter) {
            answers
        } else if meter.is_spent() {
            return Catch::Unknown;
        } else {
            return Catch::Nothing;
        };
        for answer in self.ranked(answers).cells() {
            self.board.play(answer);
            let catch = self.builds(allowed, meter);
            self.board.undo(answer);
            if catch != Catch::Win {
                return catch;
            }
            self.line.push(answer);
        }
        Catch::Win
    }

    /// The cells, those that matter most to both sides first.
    pub(super) fn ranked(&self, cells: Cells) -> Ranking {
        let own: Side = self.board.to_move();
        let mut ranking = Ranking::default();
        for cell in cells.iter() {
            let worth = 2 * self.board.score(own, cell) + self.board.score(!own, cell);
            ranking.add(worth, cell);
        }
        ranking.sort();
        ranking
    }
}

/// Cells by worth, the best first and among equals the lowest number.
#[derive(Debug, Default)]
pub(super) struct Ranking(Vec<(i32, Cell)>);

impl Ranking {
    pub(super) fn add(&mut self, worth: i32, cell: Cell) {
        self.0.push((worth, cell));
    }

    pub(super) fn sort(&mut self) {
        self.0
            .sort_unstable_by_key(|&(worth, cell)| (core::cmp::Reverse(worth), cell));
    }

    pub(super) fn cells(self) -> impl Iterator<Item = Cell> {
        self.0.into_iter().map(|(_, cell)| cell)
    }
}
