use core::cmp::Reverse;

use crate::alpha_beta::principal_variation::{Common, Finding, Walk};
use crate::alpha_beta::window::Window;
use crate::budget::BudgetMeter;
use crate::{Answer, Evaluator, RootMoves, Score};
use open_ttt_lib::rules::TwoPlayerGame;

/// The search of all moves of a position to one depth, which can pause between
/// any two positions.
///
/// A score is looked for in a window around what it was one ply less deep
/// (aspiration, Slate and Atkin 1977), and again in what is left of the full
/// one if it is not there. Other moves than the first need only be compared
/// with the best: whether they are worse, as good or better is asked in two
/// searches of the narrowest window.
#[derive(Clone, Debug)]
pub(crate) struct Iteration<M> {
    depth: u32,
    wanted: RootMoves,
    /// The moves with their last scores, the likely best first.
    moves: Vec<(M, Score)>,
    /// How far from its last score a move's score is expected.
    leeway: u32,
    /// Which move it is the turn of, in which window if that is known, and
    /// whether its search has begun.
    at: usize,
    window: Option<Window>,
    has_begun: bool,
    /// The moves that are done, with their scores.
    done: Vec<(M, Score)>,
    best: Score,
    line: Vec<M>,
    saw_horizon: bool,
}

impl<M: Copy + Eq> Iteration<M> {
    /// An iteration that is to begin. `leeway` is how far scores are expected
    /// from those of the answer before; `None` if they mean nothing.
    pub(crate) fn new(
        depth: u32,
        wanted: RootMoves,
        moves: Vec<(M, Score)>,
        leeway: Option<u32>,
    ) -> Self {
        Self {
            depth,
            wanted,
            done: Vec::with_capacity(moves.len()),
            moves,
            leeway: leeway.unwrap_or(u32::MAX),
            at: 0,
            window: None,
            has_begun: false,
            best: Score::MIN,
            line: Vec::new(),
            saw_horizon: false,
        }
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether any score hangs on a line that was cut off by the depth.
    pub(crate) fn saw_horizon(&self) -> bool {
        self.saw_horizon
    }

    /// Goes on until all moves are searched, and says whether they are, or the
    /// budget was spent before.
    pub(crate) fn go_on<G, E>(
        &mut self,
        walk: &mut Walk<G>,
        common: &Common<'_, E>,
        meter: &mut BudgetMeter<'_>,
        game: &G,
    ) -> bool
    where
        G: TwoPlayerGame<Move = M>,
        E: Evaluator<G>,
    {
        while let Some(&(m, last)) = self.moves.get(self.at) {
            let window = self.window.unwrap_or_else(|| self.first_window(last));
            self.window = Some(window);
            if !self.has_begun {
                if meter.is_spent() {
                    return false;
                }
                self.has_begun = true;
                let next = game.after(m);
                walk.begin(common, meter, next, self.depth - 1, window.flipped());
            }
            let Some(finding) = walk.go_on(common, meter) else {
                return false;
            };
            self.has_begun = false;
            self.window = self.receive(walk, m, window, finding);
            if self.window.is_none() {
                self.at += 1;
            }
        }
        true
    }

    /// The window in which a move is searched first.
    fn first_window(&self, last: Score) -> Window {
        if self.at > 0 && self.wanted == RootMoves::BestOnly {
            return Window::above(self.best.just_below());
        }
        let (alpha, beta) = last.around(self.leeway);
        Window { alpha, beta }
    }

    /// Takes note of what the search of a move has come to. If that is not
    /// enough, returns the window in which to search it again.
    fn receive<G>(
        &mut self,
        walk: &Walk<G>,
        m: M,
        window: Window,
        finding: Finding,
    ) -> Option<Window>
    where
        G: TwoPlayerGame<Move = M>,
    {
        let score = -finding.score;
        let compared = self.at > 0 && self.wanted == RootMoves::BestOnly;
        let widened = window.alpha == Score::MIN || window.beta == Score::MAX;
        let (alpha, beta) = if window.contains(score) {
            (score, score)
        } else if widened {
            // Only by a table that mistook a position for another one, or where
            // the window had but one side from the start.
            (Score::MIN, Score::MAX)
        } else if score <= window.alpha {
            // At most that; below the best that is all there is to know.
            if compared {
                (score, score)
            } else {
                (Score::MIN, score.just_above())
            }
        } else if compared && score == self.best && window.alpha < self.best {
            // At least as good as the best: is it better?
            (self.best, self.best.just_above())
        } else {
            (score.just_below(), Score::MAX)
        };
        if alpha < beta {
            // That it was no worse counts for a move that is as good.
            self.saw_horizon |= compared && finding.saw_horizon;
            return Some(Window { alpha, beta });
        }
        self.saw_horizon |= finding.saw_horizon;
        self.done.push((m, score));
        if score > self.best {
            self.best = score;
            self.line.clear();
            self.line.push(m);
            self.line.extend_from_slice(walk.line());
        }
        None
    }

    /// What a finished iteration has found out, as an answer about `game`.
    pub(crate) fn tell<G>(&mut self, game: &G, answer: &mut Answer<M>)
    where
        G: TwoPlayerGame<Move = M>,
    {
        self.done.sort_by_key(|&(_, score)| Reverse(score));
        answer.score = self.best;
        answer.line.clone_from(&self.line);
        answer.best = game
            .moves()
            .filter(|m| self.done.contains(&(*m, self.best)))
            .collect();
        answer.moves.clone_from(&self.done);
        answer.depth = self.depth;
    }
}
