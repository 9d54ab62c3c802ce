use super::board::{Board, MOST_MISSING, Rank, Worth};
use super::cells::{Cell, Cells};
use super::hunt::{Catch, Hunt};
use super::images::Images;
use super::pairing::pairs_hold;
use super::proof_table::{Entry, Numbers, Pieces, ProofTable};
use crate::rules::{Completing, Outcome, Side, Symmetry};
use crate::search::budget::Meter;
use crate::search::{Budget, StopFlag};

/// Decides who wins a game of completing lines: not how soon, only who.
///
/// Two questions settle a position: can the one side force a win, and if not,
/// can the other? Each is answered by depth-first proof-number search (Allis
/// 1994, Nagai 2002) with a table that tells all positions apart, up to
/// symmetry. Positions are decided early by
///
/// - wins by threats of finishing a line, as [`forced_win`](super::forced_win)
///   finds them; where such a win is threatened, only the moves that may meet
///   it are looked at;
/// - the weight of the lines that are still open, which bounds what the attacker
///   can reach (Erdős and Selfridge 1973);
/// - pairs of cells, one on each open line, of which the defender always takes
///   the other (Hales and Jewett 1963).
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Outcome, Side};
/// use open_ttt_lib::search::{Budget, Decider, StopFlag};
///
/// let mut decider = Decider::new(1 << 20);
/// let mut decide = |m, n, k| {
///     let game = Mnk::new(m, n, k).expect("a board that exists");
///     let decided = decider.decide(&game, &Budget::UNLIMITED, &StopFlag::new(), |_| {});
///     decided.map(|decided| decided.outcome)
/// };
/// assert_eq!(decide(3, 3, 3), Some(Outcome::Draw));
/// assert_eq!(decide(4, 3, 3), Some(Outcome::Win(Side::First)));
/// ```
#[derive(Debug)]
pub struct Decider {
    table: ProofTable,
}

/// Who wins, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decided<M> {
    /// How the game ends if both sides play their best.
    pub outcome: Outcome,
    /// A move that wins, if the side to move does. There may be others.
    pub winning_move: Option<M>,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// The most cells a board may have.
const MOST_CELLS: usize = 64;

/// The weight of a line without free cells; one more free cell halves it. A
/// line with more free cells than this has digits weighs one, which is too
/// much, and errs on the side of nothing being decided.
const WHOLE: i32 = 1 << MOST_MISSING;

const HALVING: Worth = {
    let mut worth = [0; MOST_MISSING + 1];
    let mut missing = 0;
    while missing <= MOST_MISSING {
        worth[missing] = WHOLE >> missing;
        missing += 1;
    }
    worth
};

/// How many positions a search for presses may look at in one position.
const MOST_PRESSES: u32 = 2_000;

impl Decider {
    /// A decider whose table takes at most this many bytes; it begins small and
    /// grows with the work.
    pub fn new(bytes: usize) -> Self {
        Self {
            table: ProofTable::new(bytes),
        }
    }

    /// Whether the game is one it can work on: a board of at most 64 cells.
    pub fn suits<G: Completing>(game: &G) -> bool {
        game.move_count() <= MOST_CELLS
    }

    /// Decides a position. `None` if the budget ran out first, whose depth is
    /// not used, or if the game [does not suit](Self::suits).
    ///
    /// `progress` is told now and then how many positions were looked at.
    pub fn decide<G: Completing + Symmetry>(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
        mut progress: impl FnMut(u64),
    ) -> Option<Decided<G::Move>> {
        if let Some(outcome) = game.outcome() {
            return Some(Decided {
                outcome,
                winning_move: None,
                nodes: 0,
            });
        }
        if !Self::suits(game) {
            return None;
        }
        let mut meter = Meter::new(budget, stop);
        for attacker in [game.to_move(), !game.to_move()] {
            self.table.forget();
            let mut proof = Proof {
                table: &mut self.table,
                hunt: Hunt::new(Board::of(game, HALVING)?),
                images: Images::of(game),
                attacker,
                meter,
                progress: &mut progress,
            };
            let (wins, cell) = proof.attacker_wins()?;
            meter = proof.meter;
            if wins {
                let winning_move = cell.and_then(|cell| game.indexed_move(cell.into()));
                return Some(Decided {
                    outcome: Outcome::Win(attacker),
                    winning_move: winning_move.filter(|_| attacker == game.to_move()),
                    nodes: meter.nodes(),
                });
            }
        }
        Some(Decided {
            outcome: Outcome::Draw,
            winning_move: None,
            nodes: meter.nodes(),
        })
    }
}

/// The answer to one question: does the attacker win?
struct Proof<'a, 'm> {
    table: &'a mut ProofTable,
    hunt: Hunt,
    images: Images,
    attacker: Side,
    meter: Meter<'m>,
    progress: &'a mut dyn FnMut(u64),
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

/// How often, in positions, the caller hears how far it has come.
const PROGRESS_INTERVAL: u64 = 1 << 14;

impl Proof<'_, '_> {
    /// Whether the attacker wins, and by which move if it is to move.
    fn attacker_wins(&mut self) -> Option<(bool, Option<Cell>)> {
        self.meter.look();
        if self.meter.is_spent() {
            return None;
        }
        let seen = self.look_at();
        let numbers = if seen.are_final() {
            seen
        } else {
            self.work(Numbers {
                proof: Numbers::NEVER,
                disproof: Numbers::NEVER,
            })?
        };
        let wins = numbers.proof == 0;
        Some((wins, self.winning_cell(wins)))
    }

    /// The move of the side to move that is proved to win.
    fn winning_cell(&mut self, wins: bool) -> Option<Cell> {
        if !wins || self.hunt.board.to_move() != self.attacker {
            return None;
        }
        if self.hunt.presses(MOST_PRESSES, &mut self.meter) == Catch::Win {
            return self.hunt.line().next();
        }
        let free = *self.hunt.board.free();
        free.iter().find(|&cell| {
            let child = self.images.after(self.hunt.board.to_move(), cell);
            let known = self.table.get(child);
            known.is_some_and(|entry| entry.numbers.proof == 0)
        })
    }

    fn play(&mut self, cell: Cell) {
        self.images.flip(self.hunt.board.to_move(), cell);
        self.hunt.board.play(cell);
    }

    fn undo(&mut self, cell: Cell) {
        self.hunt.board.undo(cell);
        self.images.flip(self.hunt.board.to_move(), cell);
    }

    /// Works on a position that is not decided until its numbers reach a limit.
    /// `None` if the budget runs out.
    fn work(&mut self, limits: Numbers) -> Option<Numbers> {
        let nodes = self.meter.nodes();
        let pieces = self.images.canonical();
        let (moves, earlier) = match self.table.get(pieces) {
            Some(entry) => (self.images.in_own(entry.moves), entry.work),
            None => (self.candidates(), 0),
        };
        let attacks = self.hunt.board.to_move() == self.attacker;
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
                let work = (self.meter.nodes() - nodes).clamp(1, u32::MAX.into()) as u32;
                self.table.put(Entry {
                    pieces,
                    moves: self.images.in_canonical(moves),
                    numbers,
                    work: work.saturating_add(earlier),
                });
                return Some(numbers);
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
            let result = self.work(limits);
            self.undo(cell);
            children[best].numbers = Some(result?);
        }
    }

    /// The cells to try, the likely best first, each of those that are images of
    /// one another once.
    fn children(&mut self, moves: u64) -> Vec<Child> {
        let mut cells = Cells::NONE;
        for cell in (0..MOST_CELLS as Cell).filter(|cell| moves >> cell & 1 == 1) {
            cells.insert(cell);
        }
        let side = self.hunt.board.to_move();
        let mut children: Vec<Child> = Vec::new();
        for cell in self.hunt.ranked(cells).cells() {
            let pieces = self.images.after(side, cell);
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
                    let numbers = self.look_at();
                    self.undo(child.cell);
                    numbers
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

    /// Looks at a position for the first time and writes down what is seen.
    fn look_at(&mut self) -> Numbers {
        self.meter.count();
        if self.meter.nodes().is_multiple_of(PROGRESS_INTERVAL) {
            (self.progress)(self.meter.nodes());
        }
        let (numbers, moves) = self.at_a_glance();
        self.table.put(Entry {
            pieces: self.images.canonical(),
            moves: self.images.in_canonical(moves),
            numbers,
            work: 1,
        });
        numbers
    }

    fn at_a_glance(&mut self) -> (Numbers, u64) {
        let attacks = self.hunt.board.to_move() == self.attacker;
        let decided = if attacks {
            self.attack_at_a_glance()
        } else {
            self.defence_at_a_glance()
        };
        if let Some(wins) = decided {
            let numbers = if wins {
                Numbers::PROVED
            } else {
                Numbers::DISPROVED
            };
            return (numbers, 0);
        }
        let moves = self.candidates();
        if moves == 0 {
            return (Numbers::DISPROVED, 0);
        }
        (
            Numbers {
                proof: 1,
                disproof: 1,
            },
            moves,
        )
    }

    /// Whether the attacker, to move, is seen to win or not to win.
    fn attack_at_a_glance(&mut self) -> Option<bool> {
        let Hunt { board, .. } = &self.hunt;
        let attacker = self.attacker;
        if !board.cells(attacker, Rank::Finishes).is_empty() {
            return Some(true);
        }
        if board.cells(!attacker, Rank::Finishes).len() > 1 {
            return Some(false);
        }
        // A piece doubles the weight of its lines.
        let gain = board.free().iter().map(|cell| board.score(attacker, cell));
        if board.total(attacker) + gain.max().unwrap_or(0) < WHOLE || pairs_hold(board, attacker) {
            return Some(false);
        }
        let catch = self.hunt.presses(MOST_PRESSES, &mut self.meter);
        (catch == Catch::Win).then_some(true)
    }

    /// Whether the attacker, not to move, is seen to win or not to win.
    fn defence_at_a_glance(&mut self) -> Option<bool> {
        let Hunt { board, .. } = &self.hunt;
        let attacker = self.attacker;
        if !board.cells(!attacker, Rank::Finishes).is_empty() {
            return Some(false);
        }
        if board.cells(attacker, Rank::Finishes).len() > 1 {
            return Some(true);
        }
        if board.total(attacker) < WHOLE || pairs_hold(board, attacker) {
            return Some(false);
        }
        let catch = self.hunt.presses(MOST_PRESSES, &mut self.meter);
        (catch == Catch::Win).then_some(false)
    }

    /// The moves that may matter in a position that is not decided at a glance.
    fn candidates(&mut self) -> u64 {
        let board = &self.hunt.board;
        let own = board.to_move();
        let threat = board.cells(!own, Rank::Finishes);
        if !threat.is_empty() {
            return threat.first_word();
        }
        if own != self.attacker
            && let Some(defences) = self.hunt.defences(MOST_PRESSES, &mut self.meter)
        {
            return defences.first_word();
        }
        // A cell on lines open to nobody is no better than passing, and a piece
        // of one's own never harms.
        let board = &self.hunt.board;
        let alive = board
            .free()
            .iter()
            .filter(|&cell| Side::BOTH.iter().any(|&side| board.score(side, cell) > 0));
        alive.map(|cell| 1_u64 << cell).sum()
    }
}
