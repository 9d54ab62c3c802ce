use crate::alpha_beta::history::History;
use crate::alpha_beta::transposition::{Entry, Known, TranspositionTable};
use crate::alpha_beta::window::Window;
use crate::bound::Bound;
use crate::budget::BudgetMeter;
use crate::crowd::Crowd;
use crate::position_key::{PositionKey, Salt};
use crate::{Evaluator, Score};
use open_ttt_lib::rules::TwoPlayerGame;

/// What all searches of a position share.
#[derive(Debug)]
pub(crate) struct Common<'a, E> {
    pub(crate) evaluator: &'a E,
    pub(crate) table: &'a TranspositionTable,
    /// The other threads at work, if there are any.
    pub(crate) crowd: Option<&'a Crowd>,
}

/// What a search of a position comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    /// For the side to move, counted from the root.
    pub(crate) score: Score,
    /// Whether it hangs on a line that was cut off by the depth.
    pub(crate) saw_horizon: bool,
}

/// Principal variation search, which can pause between any two positions.
///
/// The first move of a position is expected to be the best and searched for its
/// score, the others only for not being better; one that is, is searched again
/// (Marsland and Campbell, "Parallel search of strongly ordered game trees",
/// 1982). What was found out about a position is kept in a table. Moves are
/// tried in this order: the table's, those that lately refuted a position at
/// the same ply ("killers", Akl and Newborn 1977), and by their [`History`].
///
/// No line is left out that could change the score, and no score taken from the
/// table that a search of the same depth might not give. So the result is plain
/// negamax's, whatever the table holds.
///
/// In place of recursion there is a stack of its own: that is how a search can
/// be left at any position and gone on with later.
#[derive(Clone, Debug)]
pub(crate) struct Walk<G: TwoPlayerGame> {
    salt: Salt,
    /// The positions from the first one to the one that is being looked at.
    frames: Vec<Frame<G>>,
    /// The moves of those positions, one list after the other.
    moves: Vec<Ranked<G::Move>>,
    /// What is known about each ply.
    plies: Vec<Ply<G::Move>>,
    history: History,
    /// What the position looked at last has come to, if its parent has not
    /// been told yet.
    finding: Option<Finding>,
}

/// A position whose moves are being searched.
#[derive(Clone, Debug)]
struct Frame<G> {
    game: G,
    key: Option<PositionKey>,
    /// How many plies are looked ahead from here.
    depth: u32,
    /// The window, its `alpha` raised to the best score so far.
    window: Window,
    /// Where the window began.
    floor: Score,
    best: Score,
    /// The move that raised `alpha`, or the table's.
    ordinal: Option<u32>,
    saw_horizon: bool,
    /// Where the moves of this position begin in the list of all, and which of
    /// them is being searched.
    first: usize,
    at: usize,
    /// How many moves at the end of the list were put off, because another
    /// thread is searching them.
    put_off: usize,
    probe: Probe,
    /// What the crowd was told that is being searched.
    claim: Option<u64>,
}

/// For what a move is being searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    /// For its score.
    Score,
    /// For whether it is better than what there is.
    Better,
}

#[derive(Clone, Copy, Debug)]
struct Ranked<M> {
    m: M,
    /// The rank in the upper half, the best the least, and in the lower where
    /// the move stands in the game's list.
    order: u64,
}

impl<M> Ranked<M> {
    fn ordinal(&self) -> u32 {
        self.order as u32
    }
}

#[derive(Clone, Debug)]
struct Ply<M> {
    /// The best line found from here on.
    line: Vec<M>,
    killers: [Option<M>; 2],
}

/// Nearer to the leaves than this, looking a position up costs more than
/// searching it.
const LEAST_DEPTH_KEPT: u32 = 2;

/// Nearer to the leaves than this, asking for a move's merits costs more than
/// it saves.
const LEAST_DEPTH_RANKED: u32 = 2;

/// Nearer to the leaves than this, threads do not ask what the others do.
const LEAST_DEPTH_SHARED: u32 = 3;

impl<G: TwoPlayerGame> Walk<G> {
    pub(crate) fn new() -> Self {
        Self {
            salt: Salt::of::<G>(),
            frames: Vec::new(),
            moves: Vec::new(),
            plies: Vec::new(),
            history: History::new(),
            finding: None,
        }
    }

    /// The key by which the table knows a position.
    pub(crate) fn key(&self, game: &G) -> PositionKey {
        PositionKey::of(game, self.salt)
    }

    /// The line that led to the last score found within its window.
    pub(crate) fn line(&self) -> &[G::Move] {
        self.plies.get(1).map_or(&[], |ply| &ply.line)
    }

    /// Gives up what is being searched.
    pub(crate) fn abandon(&mut self) {
        self.frames.clear();
        self.moves.clear();
        self.finding = None;
    }

    /// Begins to search a position one ply from the root, `depth` plies
    /// further.
    pub(crate) fn begin<E: Evaluator<G>>(
        &mut self,
        common: &Common<'_, E>,
        meter: &mut BudgetMeter<'_>,
        game: G,
        depth: u32,
        window: Window,
    ) {
        self.finding = self.enter(common, meter, game, depth, window);
    }

    /// Goes on until the position that was begun with is searched, or `None`
    /// if the budget was spent before.
    pub(crate) fn go_on<E: Evaluator<G>>(
        &mut self,
        common: &Common<'_, E>,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<Finding> {
        loop {
            if let Some(finding) = self.finding.take() {
                if self.frames.is_empty() {
                    return Some(finding);
                }
                self.finding = self.receive(common, finding);
                if self.finding.is_some() {
                    continue;
                }
            }
            if meter.is_spent() || common.crowd.is_some_and(Crowd::is_over) {
                return None;
            }
            self.finding = self.descend(common, meter);
        }
    }

    /// Looks at a position: what it comes to, or `None` if its moves must be
    /// searched first, for which it then stands on the stack.
    fn enter<E: Evaluator<G>>(
        &mut self,
        common: &Common<'_, E>,
        meter: &mut BudgetMeter<'_>,
        game: G,
        depth: u32,
        window: Window,
    ) -> Option<Finding> {
        meter.count(1);
        let ply = self.frames.len() + 1;
        while self.plies.len() <= ply {
            self.plies.push(Ply {
                line: Vec::new(),
                killers: [None; 2],
            });
        }
        if window.is_open() {
            self.plies[ply].line.clear();
        }
        if let Some(outcome) = game.outcome() {
            return Some(Finding {
                score: common.evaluator.finished(&game, outcome, ply as u32),
                saw_horizon: false,
            });
        }
        if depth == 0 {
            return Some(Finding {
                score: common.evaluator.unfinished(&game),
                saw_horizon: true,
            });
        }
        let key = (depth >= LEAST_DEPTH_KEPT).then(|| self.key(&game));
        let known = key.map_or_else(Known::default, |key| {
            common.table.look_up(key, depth, window, ply as u32)
        });
        if known.finding.is_some() {
            return known.finding;
        }
        let ordinal = known.ordinal;
        let first = self.moves.len();
        self.list_moves(&game, ply, depth, ordinal);
        self.frames.push(Frame {
            game,
            key,
            depth,
            window,
            floor: window.alpha,
            best: Score::MIN,
            ordinal,
            saw_horizon: false,
            first,
            at: first,
            put_off: 0,
            probe: Probe::Score,
            claim: None,
        });
        None
    }

    /// Lists the moves of a position, the likely best first.
    fn list_moves(&mut self, game: &G, ply: usize, depth: u32, ordinal: Option<u32>) {
        let first = self.moves.len();
        let killers = self.plies[ply].killers;
        let side = game.to_move();
        let history = &self.history;
        let by_merit = depth >= LEAST_DEPTH_RANKED;
        let ranked = (0_u32..).zip(game.moves()).map(|(at, m)| {
            let rank = if ordinal == Some(at) {
                0
            } else if killers[0] == Some(m) {
                1
            } else if killers[1] == Some(m) {
                2
            } else if by_merit {
                3 + history.rank(side, m)
            } else {
                3
            };
            Ranked {
                m,
                order: u64::from(rank) << 32 | u64::from(at),
            }
        });
        self.moves.extend(ranked);
        self.moves[first..].sort_unstable_by_key(|m| m.order);
    }

    /// Looks at the move of the last position whose turn it is.
    fn descend<E: Evaluator<G>>(
        &mut self,
        common: &Common<'_, E>,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<Finding> {
        let frame = self.frames.last_mut()?;
        if let (Some(crowd), Some(key)) = (common.crowd, frame.key)
            && frame.depth >= LEAST_DEPTH_SHARED
            && frame.probe == Probe::Better
        {
            let end = self.moves.len();
            while frame.at + frame.put_off < end
                && crowd.is_claimed(claim(key, self.moves[frame.at].ordinal()))
            {
                self.moves[frame.at..].rotate_left(1);
                frame.put_off += 1;
            }
            let claim = claim(key, self.moves[frame.at].ordinal());
            crowd.claim(claim);
            frame.claim = Some(claim);
        }
        let window = match frame.probe {
            Probe::Score => frame.window,
            Probe::Better => Window::above(frame.window.alpha),
        };
        let next = frame.game.after(self.moves[frame.at].m);
        let depth = frame.depth - 1;
        self.enter(common, meter, next, depth, window.flipped())
    }

    /// Tells the last position what its move has come to. If that settles it,
    /// it leaves the stack and its own finding is returned.
    fn receive<E: Evaluator<G>>(
        &mut self,
        common: &Common<'_, E>,
        finding: Finding,
    ) -> Option<Finding> {
        let ply = self.frames.len();
        let frame = self.frames.last_mut()?;
        let score = -finding.score;
        if let (Some(crowd), Some(claim)) = (common.crowd, frame.claim.take()) {
            crowd.disclaim(claim);
        }
        if frame.probe == Probe::Better && frame.window.contains(score) {
            // It is better: now its score is wanted, which is no less.
            frame.probe = Probe::Score;
            frame.window.alpha = score.just_below();
            return None;
        }
        let ranked = self.moves[frame.at];
        frame.saw_horizon |= finding.saw_horizon;
        frame.best = frame.best.max(score);
        if score > frame.window.alpha {
            frame.ordinal = Some(ranked.ordinal());
            if score >= frame.window.beta {
                // What refutes a position is one line; the others do not matter.
                frame.saw_horizon = finding.saw_horizon;
                self.remember_refutation(ply);
                return self.leave(common, Bound::Lower);
            }
            frame.window.alpha = score;
            let (here, below) = self.plies.split_at_mut(ply + 1);
            let line = &mut here[ply].line;
            line.clear();
            line.push(ranked.m);
            line.extend_from_slice(&below[0].line);
        }
        let frame = self.frames.last_mut()?;
        frame.at += 1;
        frame.probe = Probe::Better;
        if frame.at < self.moves.len() {
            return None;
        }
        let bound = if frame.best > frame.floor {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.leave(common, bound)
    }

    /// Takes the last position off the stack and keeps what it has come to.
    fn leave<E>(&mut self, common: &Common<'_, E>, bound: Bound) -> Option<Finding> {
        let ply = self.frames.len() as u32;
        let frame = self.frames.pop()?;
        self.moves.truncate(frame.first);
        let score = frame.best;
        // A win or loss would be seen at any depth that reaches it.
        let saw_horizon = frame.saw_horizon && score.plies().is_none();
        if let Some(key) = frame.key {
            let entry = Entry {
                score: score.relative_to_node(ply),
                bound,
                depth: frame.depth,
                saw_horizon,
                ordinal: frame.ordinal,
            };
            common.table.store(key, entry);
        }
        Some(Finding { score, saw_horizon })
    }

    /// Remembers that the last position's move has refuted it.
    fn remember_refutation(&mut self, ply: usize) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let side = frame.game.to_move();
        let m = self.moves[frame.at].m;
        self.history.reward(side, m, frame.depth);
        for tried in &self.moves[frame.first..frame.at] {
            self.history.punish(side, tried.m, frame.depth);
        }
        let killers = &mut self.plies[ply].killers;
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
    }
}

/// A move of a position as one word.
fn claim(key: PositionKey, ordinal: u32) -> u64 {
    key.check
        .wrapping_add((u64::from(ordinal) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}
