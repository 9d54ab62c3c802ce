use super::cells::Cell;
use super::images::Images;
use super::pairing::pairs_hold;
use super::presser::{Presser, Sides};
use super::proof_table::{Entry, Numbers, Pieces, ProofTable};
use super::rows::{Rows, WHOLE, bit, cells};
use crate::budget::BudgetMeter;
use open_ttt_lib::rules::Side;

/// The answer to one question: does the attacker win?
pub(super) struct Proof<'a, 'm> {
    table: &'a mut ProofTable,
    presser: Presser,
    images: Images,
    attacker: Side,
    to_move: Side,
    meter: &'a mut BudgetMeter<'m>,
    progress: &'a mut dyn FnMut(u64),
    /// At how many positions the caller hears of them.
    next_progress: u64,
}

/// A move that is tried, where it leads and what is known about that.
struct Child {
    cell: Cell,
    pieces: Pieces,
    numbers: Option<Numbers>,
}

/// What the moves of a position come to.
struct Family {
    /// The most promising one.
    best: Option<usize>,
    /// The number that tells how promising the second one is.
    second: u32,
    /// The position's own.
    numbers: Numbers,
}

/// What is seen of a position without playing on: its numbers and the moves
/// that may matter, or the one that wins.
struct Glance {
    numbers: Numbers,
    moves: u64,
}

/// How often, in positions, the caller hears how far it has come.
const PROGRESS_INTERVAL: u64 = 1 << 12;

impl<'a, 'm> Proof<'a, 'm> {
    pub(super) fn new(
        table: &'a mut ProofTable,
        rows: Rows,
        images: Images,
        [attacker, to_move]: [Side; 2],
        meter: &'a mut BudgetMeter<'m>,
        progress: &'a mut dyn FnMut(u64),
    ) -> Self {
        Self {
            table,
            presser: Presser::new(rows),
            images,
            attacker,
            to_move,
            next_progress: meter.nodes() + PROGRESS_INTERVAL,
            meter,
            progress,
        }
    }

    /// Whether the attacker wins, and by which move if it is to move.
    pub(super) fn attacker_wins(&mut self) -> Option<(bool, Option<Cell>)> {
        self.meter.poll();
        if self.meter.is_spent() {
            return None;
        }
        let known = self.table.get(self.images.canonical()).copied();
        let (numbers, moves) = match known.filter(|entry| entry.numbers.are_final()) {
            Some(entry) => (entry.numbers, self.images.in_own(entry.moves)),
            None => match self.look_at(None) {
                seen if seen.numbers.are_final() => (seen.numbers, seen.moves),
                _ => self.work(None, Numbers::LIMITS)?,
            },
        };
        let wins = numbers.proof == 0;
        let attacks = self.to_move == self.attacker;
        let winning = cells(moves).next().filter(|_| wins && attacks);
        Some((wins, winning))
    }

    /// The pieces of the attacker and of the defender.
    fn sides(&self) -> Sides {
        let pieces = self.images.own();
        Sides {
            own: pieces[self.attacker.index()],
            other: pieces[self.attacker.other().index()],
        }
    }

    fn play(&mut self, cell: Cell) {
        self.images.flip(self.to_move, cell);
        self.to_move = !self.to_move;
    }

    fn undo(&mut self, cell: Cell) {
        self.to_move = !self.to_move;
        self.images.flip(self.to_move, cell);
    }

    /// Works on a position that is not decided until its numbers reach a limit,
    /// and gives them with its moves. `None` if the budget runs out.
    fn work(&mut self, last: Option<Cell>, limits: Numbers) -> Option<(Numbers, u64)> {
        let nodes = self.meter.nodes();
        let pieces = self.images.canonical();
        let (moves, earlier) = match self.table.get(pieces) {
            Some(entry) => (self.images.in_own(entry.moves), entry.work),
            None => (self.at_a_glance(last).moves, 0),
        };
        let attacks = self.to_move == self.attacker;
        let mut children = self.children(moves);
        loop {
            let family = self.weigh(&mut children, attacks);
            let numbers = family.numbers;
            if self.meter.is_spent() {
                return None;
            }
            let Some(best) = family.best.filter(|_| {
                !numbers.are_final()
                    && numbers.proof < limits.proof
                    && numbers.disproof < limits.disproof
            }) else {
                let winning = family.best.filter(|_| attacks && numbers.proof == 0);
                let moves = winning.map_or(moves, |best| bit(children[best].cell));
                let work = (self.meter.nodes() - nodes).clamp(1, u32::MAX.into()) as u32;
                self.table.put(Entry {
                    pieces,
                    moves: self.images.in_canonical(moves),
                    numbers,
                    work: work.saturating_add(earlier),
                });
                return Some((numbers, moves));
            };
            // The better child may become a little worse than the second one
            // before it is left for that: less going to and fro (Pawlewicz and
            // Lew 2007).
            let second = family.second;
            let beyond_second = second.saturating_add(second / 4).saturating_add(1);
            let child = children[best].numbers.unwrap_or_default();
            let limits = if attacks {
                Numbers {
                    proof: limits.proof.min(beyond_second),
                    disproof: limits.disproof - numbers.disproof + child.disproof,
                }
            } else {
                Numbers {
                    proof: limits.proof - numbers.proof + child.proof,
                    disproof: limits.disproof.min(beyond_second),
                }
            };
            let cell = children[best].cell;
            self.play(cell);
            let result = self.work(Some(cell), limits);
            self.undo(cell);
            children[best].numbers = Some(result?.0);
        }
    }

    /// The cells to try, the likely best first, each of those that are images of
    /// one another once.
    fn children(&self, moves: u64) -> Vec<Child> {
        let pieces = self.images.own();
        let own = pieces[self.to_move.index()];
        let other = pieces[self.to_move.other().index()];
        let rows = &self.presser.rows;
        let worth = |cell| 2 * rows.worth(cell, own, other) + rows.worth(cell, other, own);
        let mut ranking: Vec<_> = cells(moves).map(|cell| (worth(cell), cell)).collect();
        ranking.sort_unstable_by_key(|&(worth, cell)| (core::cmp::Reverse(worth), cell));
        let mut children: Vec<Child> = Vec::with_capacity(ranking.len());
        for (_, cell) in ranking {
            let pieces = self.images.after(self.to_move, cell);
            if children.iter().all(|child| child.pieces != pieces) {
                children.push(Child {
                    cell,
                    pieces,
                    numbers: None,
                });
            }
        }
        children
    }

    /// A position's numbers from those of its children. A child not known yet
    /// is looked at, unless an earlier one decides.
    fn weigh(&mut self, children: &mut [Child], attacks: bool) -> Family {
        let mut best = None;
        let [mut least, mut second] = [Numbers::NEVER; 2];
        let (mut most, mut undecided) = (0, 0);
        for (index, child) in children.iter_mut().enumerate() {
            let known = self.table.get(child.pieces).map(|entry| entry.numbers);
            let numbers = match (child.numbers, known) {
                (_, Some(known)) if known.are_final() => known,
                // What was found out below this very position is at least as
                // good as what the table kept of it.
                (Some(numbers), _) | (None, Some(numbers)) => numbers,
                (None, None) => {
                    self.play(child.cell);
                    let seen = self.look_at(Some(child.cell));
                    self.undo(child.cell);
                    seen.numbers
                }
            };
            child.numbers = Some(numbers);
            let (own, other) = if attacks {
                (numbers.proof, numbers.disproof)
            } else {
                (numbers.disproof, numbers.proof)
            };
            if other == 0 {
                continue;
            }
            // The greatest and one for each other one, not the sum: where lines
            // of play meet again a sum counts the same work many times (Ueda,
            // Hashimoto, Hashimoto, Iida 2008).
            most = most.max(other);
            undecided += 1;
            if own < least {
                second = least;
                least = own;
                best = Some(index);
            } else {
                second = second.min(own);
            }
            if own == 0 {
                break;
            }
        }
        let other = match (least, undecided) {
            (_, 0) => 0,
            (0, _) => Numbers::NEVER,
            _ => (most + undecided - 1).min(Numbers::NEVER - 1),
        };
        let (proof, disproof) = if attacks {
            (least, other)
        } else {
            (other, least)
        };
        Family {
            best,
            second,
            numbers: Numbers { proof, disproof },
        }
    }

    /// Looks at a position after this move for the first time and writes down
    /// what is seen.
    fn look_at(&mut self, last: Option<Cell>) -> Glance {
        self.meter.count(1);
        if self.meter.nodes() >= self.next_progress {
            self.next_progress = self.meter.nodes() + PROGRESS_INTERVAL;
            (self.progress)(self.meter.nodes());
        }
        let seen = self.at_a_glance(last);
        self.table.put(Entry {
            pieces: self.images.canonical(),
            moves: self.images.in_canonical(seen.moves),
            numbers: seen.numbers,
            work: 1,
        });
        seen
    }

    fn at_a_glance(&mut self, last: Option<Cell>) -> Glance {
        if self.to_move == self.attacker {
            self.attack_at_a_glance(last)
        } else {
            self.defence_at_a_glance(last)
        }
    }

    /// What is seen where the attacker is to move.
    ///
    /// If the defender's move did not meet a threat of finishing, the attacker
    /// could have won by presses before it if it can now; then the position
    /// before would not have been played on. The like holds for the defender.
    fn attack_at_a_glance(&mut self, last: Option<Cell>) -> Glance {
        let sides @ Sides { own, other } = self.sides();
        let rows = &self.presser.rows;
        let finishing = rows.finishing(own, other);
        if finishing != 0 {
            return Glance::won_by(finishing);
        }
        let danger = rows.finishing(other, own);
        if danger != 0 && !danger.is_power_of_two() {
            return Glance::LOST;
        }
        // A piece doubles the weight of its lines.
        let weight = rows.weight(own, other);
        if weight < WHOLE && weight + rows.best_gain(own, other) < WHOLE || pairs_hold(rows, sides)
        {
            return Glance::LOST;
        }
        if self.has_blocked(last, own) && self.presser.wins(sides, None, self.meter) {
            return Glance::won_by(self.presser.first().map_or(0, bit));
        }
        if danger != 0 {
            return Glance::attack(1, danger);
        }
        let distance = self.distance(sides);
        match self.presser.defences(sides.turned(), last, self.meter) {
            Some(defences) => Glance::attack(distance + THREATENED, defences),
            None => Glance::attack(distance, self.alive(sides)),
        }
    }

    /// What is seen where the defender is to move.
    fn defence_at_a_glance(&mut self, last: Option<Cell>) -> Glance {
        let sides @ Sides { own, other } = self.sides();
        let rows = &self.presser.rows;
        if rows.finishing(other, own) != 0 {
            return Glance::LOST;
        }
        let finishing = rows.finishing(own, other);
        if finishing != 0 {
            return Glance::defence(if finishing.is_power_of_two() {
                finishing
            } else {
                0
            });
        }
        if rows.weight(own, other) < WHOLE || pairs_hold(rows, sides) {
            return Glance::LOST;
        }
        if self.has_blocked(last, other) && self.presser.wins(sides.turned(), None, self.meter) {
            return Glance::LOST;
        }
        match self.presser.defences(sides, last, self.meter) {
            Some(defences) => Glance::defence(defences),
            None => match self.alive(sides) {
                0 => Glance::LOST,
                alive => Glance::defence(alive),
            },
        }
    }

    /// Whether the last move, if it is known, met a threat of these pieces to
    /// finish a line.
    fn has_blocked(&self, last: Option<Cell>, pieces: u64) -> bool {
        last.is_none_or(|last| {
            let through = self.presser.rows.through(last);
            through.iter().any(|&line| line & !pieces == bit(last))
        })
    }

    /// The moves that may matter where nothing is threatened. A cell on lines
    /// open to nobody is no better than passing, and a piece of one's own never
    /// harms.
    fn alive(&self, Sides { own, other }: Sides) -> u64 {
        self.presser.rows.alive(own, other)
    }

    /// How far from its win the attacker, to move, seems to be: the nearer the
    /// more it can press, the farther the more the defender can.
    fn distance(&self, Sides { own, other }: Sides) -> u32 {
        let rows = &self.presser.rows;
        let counters = rows.presses(other, own) / 2;
        1 + (FAR + counters).saturating_sub(rows.presses(own, other))
    }
}

/// The proof number of an attacker who cannot press at all, and what is added
/// where the defender threatens to win by presses. Found by trying: half and
/// twice as much take longer to solve what has been tried.
const FAR: u32 = 10;
const THREATENED: u32 = 5;

impl Glance {
    const LOST: Self = Self {
        numbers: Numbers::DISPROVED,
        moves: 0,
    };

    fn won_by(moves: u64) -> Self {
        Self {
            numbers: Numbers::PROVED,
            moves,
        }
    }

    /// The attacker has these moves, the win seeming so far off.
    fn attack(proof: u32, moves: u64) -> Self {
        match moves.count_ones() {
            0 => Self::LOST,
            disproof => Self {
                numbers: Numbers { proof, disproof },
                moves,
            },
        }
    }

    /// The defender has these moves left.
    fn defence(moves: u64) -> Self {
        match moves.count_ones() {
            0 => Self::won_by(0),
            proof => Self {
                numbers: Numbers { proof, disproof: 1 },
                moves,
            },
        }
    }
}
