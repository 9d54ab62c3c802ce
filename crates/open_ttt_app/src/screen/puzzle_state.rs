use std::time::{Duration, Instant};

use open_ttt_coach::{MoveValue, PositionValues, Puzzle};
use open_ttt_lib::rules::{Drawing, History, Notation, Place, Side};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use ratatui::layout::Position;

use super::board::can_turn;
use super::match_state::JUDGE_POLL;
use super::move_input::{Cursor, Input, MoveInput};
use super::path_of;
use super::scroll::Scroll;
use super::theme::Theme;
use super::{Leave, TURN_TEXT};
use crate::app::App;
use crate::judge_thread::{Finding, JudgeThread};
use crate::puzzle_text::{puzzle_task, wrong_move_text};

/// How long a move stays on the board before the next thing happens.
const PAUSE: Duration = Duration::from_millis(700);

/// How long a wrong move stays on the board.
const WRONG_TIME: Duration = Duration::from_millis(1_500);

/// How the solver leaves a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PuzzleEnd {
    /// For the next one.
    Next,
    /// Back to where it was opened from.
    Back,
}

/// What an event has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Solved {
    /// Nothing that is drawn has changed.
    Nothing,
    Changed,
    /// The next puzzle is wanted.
    Next,
    Leave(Leave),
}

/// What a key does, besides choosing a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PuzzleCommand {
    Hint,
    Solution,
    Again,
    Next,
    Turn,
    Theme,
    Help,
    Leave,
}

/// A puzzle on the screen while a person solves it.
pub(super) struct PuzzleState<'a, G: Notation + Drawing> {
    pub(super) app: &'a App<G>,
    pub(super) puzzle: &'a Puzzle<G::Move>,
    pub(super) title: &'a str,
    pub(super) theme: Theme,
    pub(super) input: MoveInput,
    /// The game up to the position to solve, and what is played of the solution.
    pub(super) game: History<G>,
    /// A wrong move on the board, and until when.
    wrong: Option<(G::Move, Instant)>,
    /// When the next move of the solution is played that isn't the solver's to find.
    next_move: Option<Instant>,
    /// What finds the reply to a wrong move; started by the first one.
    judge: Option<JudgeThread<G>>,
    /// The wrong move to which the judge looks for a reply.
    refuted: Option<G::Move>,
    /// Whether the solution is being shown.
    is_shown: bool,
    /// Whether the next move is marked on the board.
    pub(super) is_hinted: bool,
    /// What has happened.
    pub(super) news: String,
    /// How far the help is scrolled; `None` if it isn't shown.
    pub(super) help: Option<Scroll>,
}

impl<'a, G> PuzzleState<'a, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    pub(super) fn new(
        app: &'a App<G>,
        puzzle: &'a Puzzle<G::Move>,
        title: &'a str,
        theme: Theme,
    ) -> Self {
        let mut state = Self {
            app,
            puzzle,
            title,
            theme,
            input: MoveInput::default(),
            game: History::new(app.game.clone()),
            wrong: None,
            next_move: None,
            judge: None,
            refuted: None,
            is_shown: false,
            is_hinted: false,
            news: String::new(),
            help: None,
        };
        state.begin();
        state
    }

    /// Goes to the position to solve.
    fn begin(&mut self) {
        self.game = History::new(self.app.game.clone());
        for &m in &self.puzzle.moves {
            self.game.play_unchecked(m);
        }
        self.input.clear();
        self.input.cursor = Cursor::Place(None);
        self.wrong = None;
        self.next_move = None;
        self.is_shown = false;
        self.is_hinted = false;
        self.news.clear();
        self.cancel();
    }

    /// The next move of the solution; `None` if all are played.
    pub(super) fn wanted(&self) -> Option<G::Move> {
        let played = self.game.moves().len() - self.puzzle.moves.len();
        self.puzzle.solution.get(played).copied()
    }

    pub(super) fn is_solved(&self) -> bool {
        self.wanted().is_none()
    }

    /// Whether the person is to find the next move.
    pub(super) fn awaits_person(&self) -> bool {
        !self.is_solved() && self.wrong.is_none() && self.next_move.is_none()
    }

    /// The side that solves the puzzle.
    pub(super) fn solver(&self) -> Side {
        let mut position = self.app.game.clone();
        for &m in &self.puzzle.moves {
            position.play_unchecked(m);
        }
        position.to_move()
    }

    pub(super) fn task(&self) -> String {
        puzzle_task(self.puzzle, self.app.name(self.solver()))
    }

    /// The position on the board, and the places of the move that led to it.
    pub(super) fn shown(&self) -> (G, Vec<Place>) {
        let mut game = self.game.clone();
        if let Some((wrong, _)) = self.wrong {
            game.play_unchecked(wrong);
        }
        let position = game.position().clone();
        let Some(m) = game.undo() else {
            return (position, Vec::new());
        };
        (position, path_of(&game.position().picture(), m))
    }

    /// The places of the move to find, if it is to be shown.
    pub(super) fn hint_places(&self) -> Vec<Place> {
        let wanted = self.wanted().filter(|_| self.is_hinted);
        let picture = || self.game.position().picture();
        wanted.map_or_else(Vec::new, |m| path_of(&picture(), m))
    }

    /// The commands that do something now.
    pub(super) fn commands(&self) -> Vec<PuzzleCommand> {
        let is_open = !self.is_solved() && !self.is_shown;
        let all = [
            (PuzzleCommand::Next, true),
            (PuzzleCommand::Hint, self.awaits_person() && !self.is_hinted),
            (PuzzleCommand::Solution, is_open),
            (PuzzleCommand::Again, self.is_solved()),
            (
                PuzzleCommand::Turn,
                can_turn(&self.app.game.picture().layout),
            ),
            (PuzzleCommand::Theme, self.theme.toggled() != self.theme),
            (PuzzleCommand::Help, true),
            (PuzzleCommand::Leave, true),
        ];
        let does = all.into_iter().filter(|&(_, does)| does);
        does.map(|(command, _)| command).collect()
    }

    /// Handles an event of the terminal.
    pub(super) fn handle(&mut self, event: &Event, now: Instant) -> Solved {
        if self.help.as_mut().is_some_and(|help| help.handle(event)) {
            return Solved::Changed;
        }
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(*key, now),
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
                if self.help.take().is_some() {
                    return Solved::Changed;
                }
                if !self.awaits_person() {
                    return Solved::Nothing;
                }
                let at = Position::new(mouse.column, mouse.row);
                let input = self.input.click(at, self.game.position());
                self.take(input, now)
            }
            Event::Resize(..) => Solved::Changed,
            _ => Solved::Nothing,
        }
    }

    fn press(&mut self, key: KeyEvent, now: Instant) -> Solved {
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if has_control && key.code == KeyCode::Char('c') {
            return Solved::Leave(Leave::Quit);
        }
        if self.help.take().is_some() {
            return Solved::Changed;
        }
        if self.awaits_person() && !has_control {
            let is_text = matches!(key.code, KeyCode::Char(letter) if self.types(letter));
            let input = self.input.press(key.code, is_text, self.game.position());
            if input != Input::Unknown {
                return self.take(input, now);
            }
        }
        if self.is_solved() && key.code == KeyCode::Enter {
            return Solved::Next;
        }
        let KeyCode::Char(letter) = key.code else {
            return Solved::Nothing;
        };
        let command = self.commands().into_iter().find(|it| it.key() == letter);
        command.map_or(Solved::Nothing, |command| self.execute(command, now))
    }

    /// Whether a character is part of a typed move, not a command.
    pub(super) fn types(&self, letter: char) -> bool {
        let (position, start) = (self.game.position(), self.game.start());
        self.awaits_person() && self.input.types(letter, position, start)
    }

    fn execute(&mut self, command: PuzzleCommand, now: Instant) -> Solved {
        match command {
            PuzzleCommand::Hint => {
                self.cancel();
                self.is_hinted = true;
                self.news = String::from("The move is marked on the board.");
            }
            PuzzleCommand::Solution => {
                self.cancel();
                self.wrong = None;
                self.is_shown = true;
                self.next_move = Some(now);
            }
            PuzzleCommand::Again => self.begin(),
            PuzzleCommand::Next => return Solved::Next,
            PuzzleCommand::Turn => self.input.turns_board ^= true,
            PuzzleCommand::Theme => self.theme = self.theme.toggled(),
            PuzzleCommand::Help => self.help = Some(Scroll::default()),
            PuzzleCommand::Leave => return Solved::Leave(Leave::Back),
        }
        Solved::Changed
    }

    /// Takes what the person has chosen.
    fn take(&mut self, input: Input<G::Move>, now: Instant) -> Solved {
        match input {
            Input::Unknown => return Solved::Nothing,
            Input::Changed => {}
            Input::Refused(message) => self.news = message,
            Input::Move(m) if Some(m) == self.wanted() => {
                self.news = format!("{} is right.", self.game.position().move_text(m));
                self.play(m, now);
            }
            Input::Move(m) => self.answer_wrong(m, now),
        }
        Solved::Changed
    }

    fn answer_wrong(&mut self, m: G::Move, now: Instant) {
        self.tell_wrong(m, None);
        self.wrong = Some((m, now + WRONG_TIME));
        self.input.clear();
        self.cancel();
        let mut next = self.game.clone();
        next.play_unchecked(m);
        if next.outcome().is_some() {
            return;
        }
        if self.judge.is_none() {
            // Without a thread, the reply isn't told.
            self.judge = JudgeThread::new(self.app.judge.make()).ok();
        }
        if let Some(judge) = &mut self.judge {
            judge.judge(next);
            self.refuted = Some(m);
        }
    }

    /// Tells what is wrong with a move, by the values of the position after it if they are
    /// known.
    fn tell_wrong(&mut self, m: G::Move, values: Option<&PositionValues<G::Move>>) {
        let position = self.game.position();
        let text = wrong_move_text(self.puzzle.goal, position, m, values);
        self.news = format!("{text} Try again.");
    }

    /// Stops looking for a reply to a wrong move, which would take the place of later news.
    fn cancel(&mut self) {
        self.refuted = None;
        if let Some(judge) = &mut self.judge {
            judge.cancel();
        }
    }

    /// Plays the next move of the solution.
    fn play(&mut self, m: G::Move, now: Instant) {
        self.cancel();
        self.game.play_unchecked(m);
        self.input.clear();
        self.is_hinted = false;
        let is_solvers = self.game.position().to_move() == self.solver();
        let goes_on = !self.is_solved() && (self.is_shown || !is_solvers);
        self.next_move = goes_on.then(|| now + PAUSE);
        if self.is_solved() {
            self.news = if self.is_shown {
                let texts = self.game.move_texts();
                let solution = texts[self.puzzle.moves.len()..].join(" ");
                format!("The solution: {solution}")
            } else {
                "Solved!".to_owned()
            };
        }
    }

    /// Lets what is due happen. Returns whether there is something to draw.
    pub(super) fn tick(&mut self, now: Instant) -> bool {
        let mut has_changed = self.poll();
        if self.wrong.is_some_and(|(_, until)| now >= until) {
            self.wrong = None;
            has_changed = true;
        }
        if self.next_move.is_some_and(|due| now >= due)
            && let Some(m) = self.wanted()
        {
            let position = self.game.position();
            let name = self.app.name(position.to_move());
            let reply = format!("{name} plays {}.", position.move_text(m));
            self.news = reply;
            self.play(m, now);
            has_changed = true;
        }
        has_changed
    }

    /// Takes what the judge has found about the wrong move.
    fn poll(&mut self) -> bool {
        let (Some(judge), Some(m)) = (&mut self.judge, self.refuted) else {
            return false;
        };
        let Ok(finding) = judge.poll() else {
            // Without a thread, the reply isn't told.
            self.judge = None;
            self.refuted = None;
            return false;
        };
        let (values, is_last) = match finding {
            Some(Finding::Values(values)) => (values, false),
            Some(Finding::Judged(values, _)) => (values, true),
            _ => return false,
        };
        let is_certain = values.best().is_some_and(MoveValue::is_proved);
        if !is_last && !is_certain {
            return false;
        }
        self.tell_wrong(m, Some(&values));
        self.cancel();
        true
    }

    /// How long the screen may wait for input before the next [`tick`](Self::tick); `None` for
    /// as long as it takes.
    pub(super) fn patience(&self, now: Instant) -> Option<Duration> {
        let judge = self.refuted.map(|_| JUDGE_POLL);
        let wrong = self.wrong.map(|(_, until)| until);
        let due = wrong.into_iter().chain(self.next_move);
        let waits = due.map(|due| due.saturating_duration_since(now));
        waits.chain(judge).min()
    }
}

impl PuzzleCommand {
    /// The key. A letter of the game's moves is pressed with Ctrl.
    pub(super) const fn key(self) -> char {
        match self {
            Self::Hint => 'h',
            Self::Solution => 's',
            Self::Again => 'a',
            Self::Next => 'n',
            Self::Turn => 'b',
            Self::Theme => 't',
            Self::Help => '?',
            Self::Leave => 'q',
        }
    }

    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Solution => "solution",
            Self::Again => "again",
            Self::Next => "next puzzle",
            Self::Turn => TURN_TEXT,
            Self::Theme => "light or dark",
            Self::Help => "help",
            Self::Leave => "quit",
        }
    }
}
