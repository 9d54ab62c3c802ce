use open_ttt_coach::{Hint, PositionValues, Review};
use open_ttt_lib::rules::{Drawing, History, Notation, Side};

use crate::computer_seat::MAX_ERROR;
use crate::console::printable;
use crate::judge_factory::JudgeFactory;
use crate::judge_thread::{Finding, JudgeThread};

/// What the judge has found about the position on the board and about the game, and how much
/// of it the person wants to see.
///
/// It searches only what is shown: a thread is started when the first thing is asked for.
pub(super) struct Coach<'a, G: Notation + Drawing> {
    judge: &'a JudgeFactory<G>,
    thread: Option<JudgeThread<G>>,
    /// The game up to the position on the board.
    game: History<G>,
    shows_values: bool,
    hint_stage: HintStage,
    values: Option<PositionValues<G::Move>>,
    /// The hint that the last values give.
    hint: Option<Hint<G::Move>>,
    review: Option<ReviewStage<G::Move>>,
    /// Why nothing can be found out.
    error: Option<String>,
}

/// How much of a hint is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum HintStage {
    #[default]
    Hidden,
    /// The move, and why.
    Move,
    /// Also the moves that seem to follow.
    Line,
}

/// How far the review of a game is.
#[derive(Debug)]
pub(super) enum ReviewStage<M> {
    /// So many moves are judged.
    Running(usize),
    Done(Review<M>),
}

impl<'a, G> Coach<'a, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    pub(super) fn new(judge: &'a JudgeFactory<G>, game: History<G>) -> Self {
        Self {
            judge,
            thread: None,
            game,
            shows_values: false,
            hint_stage: HintStage::Hidden,
            values: None,
            hint: None,
            review: None,
            error: None,
        }
    }

    /// Turns to the position that is on the board now: the last one of this game.
    pub(super) fn follow(&mut self, game: History<G>) {
        if (game.position(), game.moves()) == (self.game.position(), self.game.moves()) {
            return;
        }
        self.game = game;
        self.hint_stage = HintStage::Hidden;
        self.values = None;
        self.hint = None;
        if !self.is_reviewing() {
            self.cancel();
        }
        self.judge_if_shown();
    }

    /// Shows what every move is worth, or hides it.
    pub(super) fn toggle_values(&mut self) {
        self.shows_values = !self.shows_values;
        self.judge_if_shown();
    }

    /// Shows the hint, then more of it, then nothing.
    pub(super) fn next_hint(&mut self) {
        self.hint_stage = match self.hint_stage {
            HintStage::Hidden => HintStage::Move,
            HintStage::Move => HintStage::Line,
            HintStage::Line => HintStage::Hidden,
        };
        self.judge_if_shown();
    }

    /// Hides the hint.
    pub(super) fn hide_hint(&mut self) {
        self.hint_stage = HintStage::Hidden;
        self.judge_if_shown();
    }

    /// Starts or stops judging the position, by whether anything of it is to be shown. A review
    /// isn't stopped: the position is judged after it.
    fn judge_if_shown(&mut self) {
        if self.is_reviewing() {
            return;
        }
        if !self.shows_values && self.hint_stage == HintStage::Hidden {
            self.cancel();
            return;
        }
        let is_known = self.hint.is_some() || self.is_working();
        if is_known || self.game.outcome().is_some() {
            return;
        }
        let game = self.game.clone();
        if let Some(thread) = self.thread() {
            thread.judge(game);
        }
    }

    /// Judges every move of a game that is over.
    pub(super) fn start_review(&mut self, game: History<G>) {
        if let Some(thread) = self.thread() {
            thread.review(game);
            self.review = Some(ReviewStage::Running(0));
        }
    }

    /// Forgets the review, because another game begins.
    pub(super) fn forget_review(&mut self) {
        if self.is_reviewing() {
            self.cancel();
        }
        self.review = None;
        self.judge_if_shown();
    }

    /// The judge's thread, which is started if necessary; `None` if that fails.
    fn thread(&mut self) -> Option<&mut JudgeThread<G>> {
        if self.thread.is_none() {
            match JudgeThread::new(self.judge.make()) {
                Ok(thread) => {
                    self.thread = Some(thread);
                    self.error = None;
                }
                Err(error) => self.fail(&error.to_string()),
            }
        }
        self.thread.as_mut()
    }

    fn fail(&mut self, error: &str) {
        self.thread = None;
        self.shows_values = false;
        self.hint_stage = HintStage::Hidden;
        self.review = None;
        let error = printable(error, MAX_ERROR);
        self.error = Some(format!("The moves can't be judged: {error}."));
    }

    /// Takes what the judge has found since the last call. Returns whether there is
    /// something to draw.
    pub(super) fn poll(&mut self) -> bool {
        let mut has_changed = false;
        while let Some(thread) = &mut self.thread {
            match thread.poll() {
                Ok(None) => break,
                Ok(Some(finding)) => self.take(finding),
                Err(error) => self.fail(&error),
            }
            has_changed = true;
        }
        has_changed
    }

    fn take(&mut self, finding: Finding<G::Move>) {
        match finding {
            Finding::Values(values) => self.values = Some(values),
            Finding::Judged(values, hint) => {
                self.values = Some(values);
                self.hint = hint;
            }
            Finding::Progress(judged) => self.review = Some(ReviewStage::Running(judged)),
            Finding::Reviewed(review) => {
                self.review = Some(ReviewStage::Done(review));
                self.judge_if_shown();
            }
        }
    }

    /// Stops the search.
    pub(super) fn cancel(&mut self) {
        if let Some(thread) = &mut self.thread {
            thread.cancel();
        }
    }

    /// Whether the judge searches.
    pub(super) fn is_working(&self) -> bool {
        self.thread.as_ref().is_some_and(JudgeThread::is_running)
    }

    pub(super) const fn is_reviewing(&self) -> bool {
        matches!(self.review, Some(ReviewStage::Running(_)))
    }
}

impl<G: Notation + Drawing> Coach<'_, G> {
    /// Whether the person wants to see what moves are worth.
    pub(super) const fn shows_values(&self) -> bool {
        self.shows_values
    }

    /// What the moves are worth, if that is to be shown and known by now.
    pub(super) fn values(&self) -> Option<&PositionValues<G::Move>> {
        self.values.as_ref().filter(|_| self.shows_values)
    }

    pub(super) const fn hint_stage(&self) -> HintStage {
        self.hint_stage
    }

    /// The hint, if it is to be shown and known by now.
    pub(super) fn hint(&self) -> Option<&Hint<G::Move>> {
        self.hint
            .as_ref()
            .filter(|_| self.hint_stage != HintStage::Hidden)
    }

    pub(super) const fn review(&self) -> Option<&ReviewStage<G::Move>> {
        self.review.as_ref()
    }

    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The points of 1 that the first side can expect from here on, if that is to be shown
    /// and known by now.
    pub(super) fn first_expects(&self) -> Option<f64> {
        let outcome = self.game.outcome();
        if let Some(outcome) = outcome.filter(|_| self.shows_values) {
            return open_ttt_coach::GameValue::of_outcome(outcome, Side::First).points();
        }
        let best = self.values()?.best()?;
        Some(match self.game.position().to_move() {
            Side::First => best.expected,
            Side::Second => 1.0 - best.expected,
        })
    }
}
