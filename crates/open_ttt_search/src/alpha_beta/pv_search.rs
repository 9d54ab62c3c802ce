use alloc::vec::Vec;
use core::iter;

use crate::abdada::AbdadaTable;
use crate::alpha_beta::history::{History, bonus};
use crate::alpha_beta::node_result::NodeResult;
use crate::alpha_beta::transposition_table::{ProbeResult, TableEntry, TranspositionTable};
use crate::alpha_beta::window::Window;
use crate::bound::Bound;
use crate::budget::BudgetMeter;
use crate::position_key::{PositionKey, Salt};
use crate::repetition::Earlier;
use crate::turns::keeps_turn;
use crate::{Evaluator, Score};
use open_ttt_lib::rules::{Repetition, TwoPlayerGame};

/// What the threads that search a position share.
#[derive(Debug)]
pub(crate) struct SearchContext<'a, G, E> {
    /// The position of the root.
    pub(crate) root: &'a G,
    pub(crate) earlier: &'a Earlier<G>,
    pub(crate) evaluator: &'a E,
    pub(crate) table: &'a TranspositionTable,
    /// The moves of the other threads, if there are any.
    pub(crate) abdada: Option<&'a AbdadaTable>,
}

/// Principal variation search that can pause between any two nodes.
///
/// The first move of a node is searched for its score, the others in a null
/// window, to show that they are not better; one that is better is searched again
/// for its score (Marsland and Campbell, "Parallel search of strongly ordered game
/// trees", 1982). Moves are ordered: the transposition table's, the killers, which
/// lately caused cutoffs at the same ply (Akl and Newborn, 1977), and the rest by
/// their [`History`].
///
/// Nothing is pruned that could change the score, and the table provides only
/// scores that a search of the same depth would return. So the result is plain
/// negamax's, whatever the table contains. Where positions can come back, the table
/// holds scores that do not depend on the path; they may then know more than a search
/// of the same depth on this path.
///
/// The search has an explicit stack instead of recursion, so that it can be
/// suspended at any node.
#[derive(Clone, Debug)]
pub(crate) struct PvSearch<G: TwoPlayerGame> {
    salt: Salt,
    /// The nodes on the path to the current one.
    frames: Vec<Frame<G>>,
    /// The moves of those nodes, one list after the other.
    moves: Vec<OrderedMove<G::Move>>,
    plies: Vec<Ply<G::Move>>,
    history: History,
    /// The result of the last node, until it is backed up to its parent.
    result: Option<NodeResult>,
}

/// A node whose moves are being searched.
#[derive(Clone, Debug)]
struct Frame<G> {
    game: G,
    key: Option<PositionKey>,
    depth: u32,
    /// The window, with `alpha` raised to the best score so far.
    window: Window,
    initial_alpha: Score,
    best: Score,
    /// The index of the move that raised `alpha`, or of the table's move.
    move_index: Option<u32>,
    depth_limited: bool,
    /// The lowest ply whose position the score depends on, if positions can come back.
    repeats: u32,
    /// Where this node's moves start in the list of all moves, and the one being
    /// searched.
    first: usize,
    current: usize,
    /// The moves before this one are in order, and the others come after them.
    sorted: usize,
    /// The number of moves at the end of the list that were deferred, because
    /// another thread was searching them.
    deferred: usize,
    mode: Mode,
    /// Whether the current move keeps the turn.
    keeps_turn: bool,
    /// The move marked in the [`AbdadaTable`].
    marked: Option<u64>,
}

/// How the current move of a node is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// In the node's window, for its score.
    Full,
    /// In a null window, to show that it is not better.
    Null,
}

#[derive(Clone, Copy, Debug)]
struct OrderedMove<M> {
    m: M,
    /// The sort key: the rank in the upper half, and the index in the game's list of
    /// moves in the lower.
    order: u64,
}

impl<M> OrderedMove<M> {
    fn index(&self) -> u32 {
        self.order as u32
    }
}

/// What is stored for each distance from the root.
#[derive(Clone, Debug)]
struct Ply<M> {
    /// The principal variation from this ply on.
    pv: Vec<M>,
    killers: [Option<M>; 2],
}

/// Nodes of a lower depth are searched faster than looked up.
const MIN_TABLE_DEPTH: u32 = 2;

/// At a lower depth the history costs more than it saves.
const MIN_HISTORY_DEPTH: u32 = 2;

/// The number of moves that are looked for one by one, before the rest is sorted: at most
/// nodes one of them causes a cutoff. None where the code should be small.
const MAX_PICKED: usize = if cfg!(open_ttt_small) { 0 } else { 3 };

/// So few moves are sorted about as fast as the first of them is found.
const SHORT_LIST: usize = 16;

/// At a lower depth threads ignore what the others are searching.
const MIN_ABDADA_DEPTH: u32 = 3;

impl<G: TwoPlayerGame> PvSearch<G> {
    pub(crate) fn new() -> Self {
        Self {
            salt: Salt::of::<G>(),
            frames: Vec::new(),
            moves: Vec::new(),
            plies: Vec::new(),
            history: History::new(),
            result: None,
        }
    }

    /// The principal variation of the last score found within its window.
    pub(crate) fn principal_variation(&self) -> &[G::Move] {
        self.plies.get(1).map_or(&[], |ply| &ply.pv)
    }

    pub(crate) fn abandon(&mut self) {
        self.frames.clear();
        self.moves.clear();
        self.result = None;
    }

    /// Starts the search of a position one ply from the root, `depth` plies deep.
    pub(crate) fn start<E: Evaluator<G>>(
        &mut self,
        context: &SearchContext<'_, G, E>,
        meter: &mut BudgetMeter<'_>,
        game: G,
        depth: u32,
        window: Window,
    ) {
        self.result = self.enter(context, meter, game, depth, window);
    }

    /// Continues the search and returns its result, or `None` if the budget is
    /// spent first.
    pub(crate) fn resume<E: Evaluator<G>>(
        &mut self,
        context: &SearchContext<'_, G, E>,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<NodeResult> {
        loop {
            if let Some(result) = self.result.take() {
                if self.frames.is_empty() {
                    return Some(result);
                }
                self.result = self.back_up(context, result);
                if self.result.is_some() {
                    continue;
                }
            }
            if meter.is_spent() || context.abdada.is_some_and(AbdadaTable::is_stopped) {
                return None;
            }
            self.result = self.search_move(context, meter);
        }
    }

    /// Searches a node: returns its result if it needs no search of its moves, and
    /// otherwise pushes it on the stack.
    fn enter<E: Evaluator<G>>(
        &mut self,
        context: &SearchContext<'_, G, E>,
        meter: &mut BudgetMeter<'_>,
        game: G,
        depth: u32,
        window: Window,
    ) -> Option<NodeResult> {
        meter.count(1);
        let ply = self.frames.len() + 1;
        while self.plies.len() <= ply {
            let (pv, killers) = (Vec::new(), [None; 2]);
            self.plies.push(Ply { pv, killers });
        }
        if !window.is_null() {
            self.plies[ply].pv.clear();
        }
        let leaf = NodeResult::of_finished(&game, ply as u32, context.evaluator)
            .or_else(|| self.repeated(context, &game, ply as u32))
            .or_else(|| NodeResult::of_horizon(&game, depth, context.evaluator));
        if leaf.is_some() {
            return leaf;
        }
        // Where a repetition loses, every score depends on the path.
        let uses_table = game.repetition() != Some(Repetition::MoverLoses);
        let key =
            (depth >= MIN_TABLE_DEPTH && uses_table).then(|| PositionKey::of(&game, self.salt));
        let probe = key.map_or_else(ProbeResult::default, |key| {
            context.table.probe(key, depth, window, ply as u32)
        });
        if probe.cutoff.is_some() {
            return probe.cutoff;
        }
        let first = self.moves.len();
        self.list_moves(&game, ply, depth, probe.move_index);
        self.frames.push(Frame {
            game,
            key,
            depth,
            window,
            initial_alpha: window.alpha,
            best: Score::MIN,
            move_index: probe.move_index,
            depth_limited: false,
            repeats: NodeResult::NO_PLY,
            first,
            current: first,
            sorted: first,
            deferred: 0,
            mode: Mode::Full,
            keeps_turn: false,
            marked: None,
        });
        None
    }

    /// The result of a position that has come back.
    #[inline]
    fn repeated<E>(
        &self,
        context: &SearchContext<'_, G, E>,
        game: &G,
        ply: u32,
    ) -> Option<NodeResult> {
        game.repetition()?;
        let path = iter::once(context.root).chain(self.frames.iter().map(|frame| &frame.game));
        let mover = self.frames.last().map_or(context.root, |frame| &frame.game);
        NodeResult::of_repeated(game, ply, mover.to_move(), context.earlier, path)
    }

    /// Appends the moves of a node with their places in the order of the search.
    fn list_moves(&mut self, game: &G, ply: usize, depth: u32, table_move: Option<u32>) {
        let killers = self.plies[ply].killers;
        let side = game.to_move();
        let history = &self.history;
        let use_history = depth >= MIN_HISTORY_DEPTH;
        let (moves, mut index) = (&mut self.moves, 0);
        let mut add = |m| {
            let rank = if table_move == Some(index) {
                0
            } else if killers[0] == Some(m) {
                1
            } else if killers[1] == Some(m) {
                2
            } else if use_history {
                3 + history.rank(side, m)
            } else {
                3
            };
            let order = u64::from(rank) << 32 | u64::from(index);
            moves.push(OrderedMove { m, order });
            index += 1;
        };
        // Many games chain their moves from parts, which `for_each` goes through faster than
        // a loop, with more code.
        if cfg!(open_ttt_small) {
            for m in game.moves() {
                add(m);
            }
        } else {
            game.moves().for_each(add);
        }
    }

    fn search_move<E: Evaluator<G>>(
        &mut self,
        context: &SearchContext<'_, G, E>,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<NodeResult> {
        let frame = self.frames.last_mut()?;
        if frame.current == frame.sorted {
            let picked = match context.abdada {
                None => frame.current - frame.first,
                // Moves that are deferred go behind all others.
                Some(_) => MAX_PICKED,
            };
            frame.sorted += sort_next(&mut self.moves[frame.current..], picked);
        }
        if let (Some(abdada), Some(key)) = (context.abdada, frame.key)
            && frame.depth >= MIN_ABDADA_DEPTH
            && frame.mode == Mode::Null
        {
            let end = self.moves.len();
            while frame.current + frame.deferred < end
                && abdada.is_searching(move_hash(key, self.moves[frame.current].index()))
            {
                self.moves[frame.current..].rotate_left(1);
                frame.deferred += 1;
            }
            let hash = move_hash(key, self.moves[frame.current].index());
            abdada.start(hash);
            frame.marked = Some(hash);
        }
        let window = match frame.mode {
            Mode::Full => frame.window,
            Mode::Null => Window::null(frame.window.alpha),
        };
        let next = frame.game.after(self.moves[frame.current].m);
        let depth = frame.depth - 1;
        let keeps_turn = keeps_turn(&frame.game, &next);
        if !G::ALTERNATES {
            frame.keeps_turn = keeps_turn;
        }
        let window = window.after_move(keeps_turn);
        self.enter(context, meter, next, depth, window)
    }

    /// Backs up the result of the current move to the last node. If that completes
    /// the node, pops it and returns its result.
    fn back_up<E: Evaluator<G>>(
        &mut self,
        context: &SearchContext<'_, G, E>,
        result: NodeResult,
    ) -> Option<NodeResult> {
        let ply = self.frames.len();
        let frame = self.frames.last_mut()?;
        let score = result.score.for_mover(!G::ALTERNATES && frame.keeps_turn);
        if let (Some(abdada), Some(hash)) = (context.abdada, frame.marked.take()) {
            abdada.finish(hash);
        }
        if frame.mode == Mode::Null && frame.window.contains(score) {
            // The move is better: search it again for its score, which is at least
            // this.
            frame.mode = Mode::Full;
            frame.window.alpha = score.just_below();
            return None;
        }
        let current = self.moves[frame.current];
        frame.depth_limited |= result.depth_limited;
        // For most games the compiler knows that nothing comes back.
        let can_repeat = frame.game.repetition().is_some();
        if can_repeat {
            frame.repeats = frame.repeats.min(result.repeats);
        }
        frame.best = frame.best.max(score);
        if score > frame.window.alpha {
            frame.move_index = Some(current.index());
            if score >= frame.window.beta {
                // The refuting line alone decides a cutoff.
                frame.depth_limited = result.depth_limited;
                if can_repeat {
                    frame.repeats = result.repeats;
                }
                self.record_cutoff(ply);
                return self.leave(context, Bound::Lower);
            }
            frame.window.alpha = score;
            let (here, below) = self.plies.split_at_mut(ply + 1);
            let pv = &mut here[ply].pv;
            pv.clear();
            pv.push(current.m);
            pv.extend_from_slice(&below[0].pv);
        }
        let frame = self.frames.last_mut()?;
        frame.current += 1;
        frame.mode = Mode::Null;
        if frame.current < self.moves.len() {
            return None;
        }
        let bound = if frame.best > frame.initial_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.leave(context, bound)
    }

    /// Pops the last node, stores its result in the table and returns it.
    fn leave<E>(&mut self, context: &SearchContext<'_, G, E>, bound: Bound) -> Option<NodeResult> {
        let ply = self.frames.len() as u32;
        let frame = self.frames.pop()?;
        self.moves.truncate(frame.first);
        let score = frame.best;
        // A win or loss is found at any depth that reaches it.
        let depth_limited = frame.depth_limited && score.plies().is_none();
        // A score that depends on the path to the node holds on this path only; one
        // that depends on returns to the node itself holds on all.
        let is_of_path = frame.game.repetition().is_some() && frame.repeats < ply;
        if let Some(key) = frame.key.filter(|_| !is_of_path) {
            let entry = TableEntry {
                score: score.relative_to_node(ply),
                bound,
                depth: frame.depth,
                depth_limited,
                move_index: frame.move_index,
            };
            context.table.store(key, entry);
        }
        Some(NodeResult {
            score,
            depth_limited,
            repeats: if is_of_path {
                frame.repeats
            } else {
                NodeResult::NO_PLY
            },
        })
    }

    /// Updates history and killers after the current move caused a cutoff.
    fn record_cutoff(&mut self, ply: usize) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let side = frame.game.to_move();
        let m = self.moves[frame.current].m;
        self.history.add(side, m, bonus(frame.depth));
        for earlier in &self.moves[frame.first..frame.current] {
            self.history.add(side, earlier.m, -bonus(frame.depth));
        }
        let killers = &mut self.plies[ply].killers;
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
    }
}

/// Sorts the moves of a node from the next one on, or only brings that one to its place if
/// few were `picked` so before. Returns how many are in order then.
fn sort_next<M: Copy>(moves: &mut [OrderedMove<M>], picked: usize) -> usize {
    if picked >= MAX_PICKED || moves.len() <= SHORT_LIST {
        moves.sort_unstable_by_key(|m| m.order);
        return moves.len();
    }
    let least = (0..moves.len()).min_by_key(|&at| moves[at].order);
    if let Some(least) = least {
        let next = moves[least];
        moves.copy_within(..least, 1);
        moves[0] = next;
    }
    1
}

/// The hash of a position's move in the [`AbdadaTable`].
fn move_hash(key: PositionKey, move_index: u32) -> u64 {
    key.check
        .wrapping_add((u64::from(move_index) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use open_ttt_lib::random::Rng;

    #[test]
    fn moves_come_in_order() {
        let mut rng = Rng::new(1);
        for count in 1..60 {
            let ranks = (0..count).map(|_| rng.below(8) as u64);
            let orders: Vec<_> = (0..).zip(ranks).map(|(m, rank)| rank << 32 | m).collect();
            let list = orders.iter().map(|&order| OrderedMove { m: order, order });
            let mut moves: Vec<_> = list.collect();
            let mut sorted = 0;
            for picked in 0..moves.len() {
                if picked == sorted {
                    sorted += sort_next(&mut moves[picked..], picked);
                }
            }
            let mut expected = orders;
            expected.sort_unstable();
            let found: Vec<_> = moves.iter().map(|one| one.m).collect();
            assert_eq!((sorted, found), (expected.len(), expected));
        }
    }
}
