use super::cells::Cell;
use super::failures::Failures;
use super::proof_table::mixed;
use super::rows::{Rows, bit, cells, is_two};
use crate::budget::BudgetMeter;

/// Looks for wins by presses as [`Hunt`](super::hunt::Hunt) does, on a board of
/// at most 64 cells, as fast as a proof needs it.
///
/// What it carries along is the lines that can be pressed on, each as its two
/// free cells: a press takes away those that it or its answer touches, and adds
/// those through its own cell. A press that adds none and meets none is left
/// out. So a win may be missed, but none is ever claimed that is not there.
#[derive(Debug)]
pub(super) struct Presser {
    pub(super) rows: Rows,
    /// The winning line last found: press, answer, press ..., and at the end of
    /// a fork both cells that finish.
    line: Vec<Cell>,
    /// The lines to press on, those of each ply above those of the ply before.
    lines: Vec<u64>,
    failures: Failures,
    /// How many positions this search may still look at.
    left: u32,
}

/// The pieces of two sides, of which the first presses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) own: u64,
    pub(super) other: u64,
}

/// How many positions a search may look at.
const MOST_POSITIONS: u32 = 2_000;

impl Sides {
    pub(super) fn turned(self) -> Self {
        Self {
            own: self.other,
            other: self.own,
        }
    }

    pub(super) fn free(self) -> u64 {
        !(self.own | self.other)
    }
}

impl Presser {
    pub(super) fn new(rows: Rows) -> Self {
        Self {
            rows,
            line: Vec::new(),
            lines: Vec::new(),
            failures: Failures::new(1 << 16),
            left: 0,
        }
    }

    /// The first move of the win last found.
    pub(super) fn first(&self) -> Option<Cell> {
        self.line.first().copied()
    }

    /// Whether the side to move wins by presses, the own side.
    ///
    /// `using` is a cell that a win must make use of, for without the piece on
    /// it there was none.
    pub(super) fn wins(
        &mut self,
        sides: Sides,
        using: Option<Cell>,
        meter: &mut BudgetMeter<'_>,
    ) -> bool {
        let Sides { own, other } = sides;
        self.line.clear();
        self.lines.clear();
        self.left = MOST_POSITIONS;
        let mut finishing = 0;
        let mut touched = own;
        for free in self.rows.open(own, other) {
            if free.is_power_of_two() {
                finishing |= free;
            } else if is_two(free) {
                self.lines.push(free);
                touched |= free;
            }
        }
        if finishing != 0 {
            self.line.extend(cells(finishing).next());
            return true;
        }
        let danger = self.rows.finishing(other, own);
        if self.lines.is_empty() || danger & danger.wrapping_sub(1) != 0 {
            return false;
        }
        if let Some(cell) = using {
            let others = touched & !bit(cell);
            let useful = |&line: &u64| line & other == 0 && line & others != 0;
            if !self.rows.through(cell).iter().any(useful) {
                return false;
            }
        }
        self.press(sides, danger, 0, meter) == Some(true)
    }

    /// Presses on one of the lines from a place in the list on. `danger` is the
    /// cell where the other side would finish. `None` if that is too much work.
    fn press(
        &mut self,
        Sides { own, other }: Sides,
        danger: u64,
        from: usize,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<bool> {
        let to = self.lines.len();
        let [mut once, mut twice] = [0; 2];
        for &line in &self.lines[from..] {
            twice |= once & line;
            once |= line;
        }
        if danger != 0 {
            once &= danger;
            twice &= danger;
        }
        if once == 0 {
            return Some(false);
        }
        for cell in cells(twice) {
            let on = self.lines[from..]
                .iter()
                .filter(|&line| line & bit(cell) != 0);
            let answers = on.fold(0, |answers, line| answers | line) & !bit(cell);
            if !answers.is_power_of_two() {
                self.line.push(cell);
                self.line.extend(cells(answers).take(2));
                return Some(true);
            }
        }
        let key = mixed([own, other]);
        if self.failures.knows(key, 0) {
            return Some(false);
        }
        meter.count(1);
        if self.left == 0 || meter.is_spent() {
            return None;
        }
        self.left -= 1;
        for index in from..to {
            let pair = self.lines[index];
            for press in cells(pair).filter(|&press| danger == 0 || danger == bit(press)) {
                let answer = pair & !bit(press);
                let after = Sides {
                    own: own | bit(press),
                    other: other | answer,
                };
                let gained = self.rows.open_through(press, after.own, after.other);
                self.lines.extend(gained.filter(|&free| is_two(free)));
                if self.lines.len() == to && danger == 0 {
                    continue;
                }
                let answer = answer.trailing_zeros() as Cell;
                let threat = self.rows.finishing_through(answer, after.other, after.own);
                if threat & threat.wrapping_sub(1) != 0 {
                    self.lines.truncate(to);
                    continue;
                }
                for kept in from..to {
                    let line = self.lines[kept];
                    if line & pair == 0 {
                        self.lines.push(line);
                    }
                }
                let played = self.line.len();
                self.line.extend([press, answer]);
                let wins = self.press_after(after, threat, to, meter);
                self.lines.truncate(to);
                if wins != Some(false) {
                    return wins;
                }
                self.line.truncate(played);
            }
        }
        self.failures.learn(key, 0);
        Some(false)
    }

    /// The next press, if there is a line to press on.
    fn press_after(
        &mut self,
        sides: Sides,
        danger: u64,
        from: usize,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<bool> {
        if self.lines.len() == from {
            return Some(false);
        }
        self.press(sides, danger, from, meter)
    }

    /// The cells the other side must think of when the own side, which would be
    /// to move, would win by the line last found: those it uses, and those by
    /// which the other side would press while it is played.
    ///
    /// With a piece on any other cell the line still wins: its threats are the
    /// same, and each answer is as forced as before.
    fn needed(&self, Sides { mut own, mut other }: Sides) -> u64 {
        let rows = &self.rows;
        let mut needed = rows.pressing(other, own) | rows.finishing(own, other);
        for pair in self.line.chunks(2) {
            let press = pair[0];
            own |= bit(press);
            let finishing = rows.finishing_through(press, own, other);
            needed |= bit(press) | finishing;
            let &[_, answer] = pair else {
                break;
            };
            if !finishing.is_power_of_two() {
                break;
            }
            other |= bit(answer);
            needed |= rows.pressing_through(answer, other, own);
        }
        needed
    }

    /// What the other side, to move, can do against the win by presses that the
    /// own side threatens: `None` if nothing is found to be threatened, and
    /// otherwise all moves after which no such win is found. Neither side may
    /// be able to finish at once.
    pub(super) fn defences(
        &mut self,
        sides: Sides,
        using: Option<Cell>,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<u64> {
        if !self.wins(sides, using, meter) {
            return None;
        }
        let mut needed = self.needed(sides) & sides.free();
        let mut tried = 0;
        while let Some(cell) = cells(needed & !tried).next() {
            tried |= bit(cell);
            let defended = Sides {
                other: sides.other | bit(cell),
                ..sides
            };
            if self.wins(defended, None, meter) {
                // This win, too, must be met: it stands without the move that
                // failed against it as well.
                needed &= self.needed(sides) & !bit(cell);
            }
        }
        Some(needed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tangle::Tangle;
    use super::*;
    use crate::{Budget, StopFlag};
    use open_ttt_lib::random::Rng;
    use open_ttt_lib::rules::{IndexedMoves, LineGame, Side, TwoPlayerGame};

    /// The places that finish a line for a side, looked for line by line.
    fn finishing(game: &Tangle, side: Side) -> Vec<usize> {
        let lines = game.winning_lines();
        let mut places: Vec<_> = game.moves().collect();
        places.retain(|&m| {
            let done = |&place: &usize| place == m || game.owner_of(place) == Some(side);
            let through = lines.iter().filter(|line| line.contains(&m));
            through.clone().any(|line| line.iter().all(done))
        });
        places
    }

    /// Whether the side to move wins by presses, all of them tried, with no
    /// notion of a line that could be pressed on.
    fn wins_by_presses(game: &Tangle) -> bool {
        let attacker = game.to_move();
        if !finishing(game, attacker).is_empty() {
            return true;
        }
        let danger = finishing(game, !attacker);
        game.moves().any(|m| {
            let next = game.after(m);
            if danger.iter().any(|&place| place != m) || next.outcome().is_some() {
                return false;
            }
            match finishing(&next, attacker)[..] {
                [] => false,
                [answer] => {
                    let later = next.after(answer);
                    later.outcome().is_none() && wins_by_presses(&later)
                }
                [_, _, ..] => true,
            }
        })
    }

    fn sides(game: &Tangle, side: Side) -> Sides {
        let pieces = |side| {
            let places = 0..game.move_count();
            places
                .filter(|&place| game.owner_of(place) == Some(side))
                .fold(0, |pieces, place| pieces | 1_u64 << place)
        };
        Sides {
            own: pieces(side),
            other: pieces(!side),
        }
    }

    /// Counts the wins found and missed, and the places left out of defences.
    #[derive(Debug, Default)]
    struct Found {
        wins: usize,
        missed: usize,
        defended: usize,
        left_out: usize,
    }

    /// Holds wins and defences in one position to all presses tried.
    #[track_caller]
    fn check(game: &Tangle, found: &mut Found) {
        let stop = StopFlag::new();
        let mut meter = BudgetMeter::new(&Budget::UNLIMITED, &stop);
        let mut presser = Presser::new(Rows::of(game).expect("the game is small"));
        let (own, other) = (game.to_move(), !game.to_move());
        let expected = wins_by_presses(game);
        let wins = presser.wins(sides(game, own), None, &mut meter);
        assert!(expected || !wins, "{game:?}");
        found.wins += usize::from(wins);
        found.missed += usize::from(expected && !wins);
        if !finishing(game, own).is_empty() || !finishing(game, other).is_empty() {
            return;
        }
        let Some(defences) = presser.defences(sides(game, other), None, &mut meter) else {
            return;
        };
        for m in game.moves() {
            let next = game.after(m);
            let kept = defences >> m & 1 == 1;
            assert!(kept || wins_by_presses(&next), "{m} in {game:?}");
            found.left_out += usize::from(!kept);
            found.defended += usize::from(kept);
        }
    }

    #[test]
    fn wins_and_defences_are_those_of_all_presses() {
        let mut rng = Rng::new(1);
        let mut found = Found::default();
        for seed in 0..150 {
            let (places, lines, lengths) =
                [(12, 12, 3..=3), (14, 24, 3..=4), (16, 50, 4..=4)][seed % 3].clone();
            let mut game = Tangle::new(seed as u64, places, lines, lengths);
            while let Some(m) = rng.pick(game.moves()) {
                check(&game, &mut found);
                game.play_unchecked(m);
            }
        }
        assert!(found.wins > 500, "{found:?}");
        assert!(found.missed < found.wins / 20, "{found:?}");
        assert!(found.defended > 500, "{found:?}");
        assert!(found.left_out > 500, "{found:?}");
    }
}
