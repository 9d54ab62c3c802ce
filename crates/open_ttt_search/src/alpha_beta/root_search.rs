use crate::alpha_beta::node_result::NodeResult;
use crate::alpha_beta::pv_search::{PvSearch, SearchContext};
use crate::alpha_beta::window::Window;
use crate::budget::BudgetMeter;
use crate::search_result::{best_moves, sort_best_first};
use crate::turns::keeps_turn_after;
use crate::{Evaluator, RootMoves, Score, SearchResult};
use alloc::vec::Vec;
use open_ttt_lib::rules::TwoPlayerGame;

/// The search of all moves of the root position to one depth, which can pause
/// between any two nodes.
///
/// A move is searched in an aspiration window around its score at the previous
/// depth, and again in the remaining half of the full window if its score is
/// outside (Slate and Atkin, 1977). With [`RootMoves::BestOnly`] the moves after
/// the first are compared with the best score by two null windows: is the move
/// at least as good, is it better?
#[derive(Clone, Debug)]
pub(crate) struct RootSearch<M> {
    pub(crate) depth: u32,
    root_moves: RootMoves,
    /// The moves with their scores at the previous depth, in the order in which
    /// they are searched.
    moves: Vec<(M, Score)>,
    aspiration_margin: u32,
    /// The index of the current move, its window, and whether its search in that
    /// window has started.
    current: usize,
    window: Option<Window>,
    has_started: bool,
    /// The moves searched, with their scores.
    searched: Vec<(M, Score)>,
    best: Score,
    pv: Vec<M>,
    /// Whether any score depends on a line cut off at the depth limit.
    pub(crate) depth_limited: bool,
    /// Whether any score depends on a return to the root or to an earlier position.
    pub(crate) repeats: bool,
}

impl<M: Copy + Eq> RootSearch<M> {
    /// A search that has not started. An `aspiration_margin` of `None` means a full
    /// window.
    pub(crate) fn new(
        depth: u32,
        root_moves: RootMoves,
        moves: Vec<(M, Score)>,
        aspiration_margin: Option<u32>,
    ) -> Self {
        Self {
            depth,
            root_moves,
            searched: Vec::with_capacity(moves.len()),
            moves,
            aspiration_margin: aspiration_margin.unwrap_or(u32::MAX),
            current: 0,
            window: None,
            has_started: false,
            best: Score::MIN,
            pv: Vec::new(),
            depth_limited: false,
            repeats: false,
        }
    }

    /// Continues the search and returns whether it is complete; if not, the budget
    /// is spent.
    pub(crate) fn resume<G: TwoPlayerGame<Move = M>, E: Evaluator<G>>(
        &mut self,
        pv_search: &mut PvSearch<G>,
        context: &SearchContext<'_, G, E>,
        meter: &mut BudgetMeter<'_>,
    ) -> bool {
        let game = context.root;
        while let Some(&(m, previous)) = self.moves.get(self.current) {
            let keeps_turn = keeps_turn_after(game, m);
            let window = self.window.unwrap_or_else(|| self.first_window(previous));
            self.window = Some(window);
            if !self.has_started {
                if meter.is_spent() {
                    return false;
                }
                self.has_started = true;
                let next = game.after(m);
                let window = window.after_move(keeps_turn);
                pv_search.start(context, meter, next, self.depth - 1, window);
            }
            let Some(mut result) = pv_search.resume(context, meter) else {
                return false;
            };
            result.score = result.score.for_mover(keeps_turn);
            self.has_started = false;
            self.window = self.next_window(window, result);
            if self.window.is_none() {
                self.finish_move(m, result, pv_search.principal_variation());
            }
        }
        true
    }

    /// Whether the current move is only compared with the best score.
    fn compares(&self) -> bool {
        self.current > 0 && self.root_moves == RootMoves::BestOnly
    }

    /// The window in which a move is searched first.
    fn first_window(&self, previous: Score) -> Window {
        if self.compares() {
            return Window::null(self.best.just_below());
        }
        let (alpha, beta) = previous.around(self.aspiration_margin);
        Window::new(alpha, beta)
    }

    /// The window in which to search the current move again after this result of
    /// searching it in `window`, for the side to move at the root; `None` if it need not
    /// be searched again.
    fn next_window(&mut self, window: Window, result: NodeResult) -> Option<Window> {
        let score = result.score;
        let compares = self.compares();
        let is_one_sided = window.alpha == Score::MIN || window.beta == Score::MAX;
        let is_worse = compares && score <= window.alpha && !is_one_sided;
        if window.contains(score) || is_worse {
            return None;
        }
        // That a move is no worse is part of the proof that it is as good.
        self.depth_limited |= compares && result.depth_limited;
        Some(if is_one_sided {
            // Happens if the aspiration window was one-sided, or if the table
            // mistook one position for another.
            Window::FULL
        } else if score <= window.alpha {
            Window::new(Score::MIN, score.just_above())
        } else if compares && score == self.best && window.alpha < self.best {
            // At least as good as the best: is it better?
            Window::null(self.best)
        } else {
            Window::new(score.just_below(), Score::MAX)
        })
    }

    fn finish_move(&mut self, m: M, result: NodeResult, pv: &[M]) {
        let score = result.score;
        self.depth_limited |= result.depth_limited;
        self.repeats |= result.repeats != NodeResult::NO_PLY;
        self.searched.push((m, score));
        if score > self.best {
            self.best = score;
            self.pv.clear();
            self.pv.push(m);
            self.pv.extend_from_slice(pv);
        }
        self.current += 1;
    }

    pub(crate) fn write_result(
        mut self,
        game: &impl TwoPlayerGame<Move = M>,
        result: &mut SearchResult<M>,
    ) {
        sort_best_first(&mut self.searched);
        result.score = self.best;
        result.best = best_moves(game, self.best, &self.searched);
        result.principal_variation = self.pv;
        result.moves = self.searched;
        result.depth = self.depth;
    }
}
