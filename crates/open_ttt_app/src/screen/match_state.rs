use std::time::{Duration, Instant};

use open_ttt_lib::rules::{Drawing, History, Notation, Outcome, Picture, Place, Side};
use open_ttt_players::{GameEnd, Termination};

use super::coach::Coach;
use super::game_view::{last_move_places, position_after};
use super::move_input::{Cursor, MoveInput};
use super::pace::Pace;
use super::scroll::Scroll;
use super::theme::Theme;
use crate::app::App;
use crate::computer_seat::{ComputerSeat, MAX_ERROR};
use crate::console::printable;
use crate::opponent::Opponent;
use crate::played_game::PlayedGame;
use crate::score::result_text;
use crate::series::Series;

/// How often a computer that thinks is asked for its move.
const POLL: Duration = Duration::from_millis(15);
/// How often the judge is asked for what it has found.
pub(super) const JUDGE_POLL: Duration = Duration::from_millis(40);

/// A series of games on the screen: the games, and what the person at the keyboard has
/// chosen, typed and been told.
///
/// It neither reads keys nor draws: see `match_input` and `match_view`. How a person chooses
/// a move is in `move_input`.
pub(super) struct MatchState<'a, G: Notation + Drawing> {
    pub(super) app: &'a App<G>,
    pub(super) theme: Theme,
    /// By player; a person's seat is `None`.
    computers: [Option<ComputerSeat<'a, G>>; 2],
    pub(super) series: Series,
    pub(super) game: History<G>,
    /// The moves taken back, the latest last.
    pub(super) undone: Vec<G::Move>,
    /// How the game ended.
    pub(super) end: Option<EndOfGame>,
    pub(super) coach: Coach<'a, G>,
    /// Why the app's games aren't kept, if they aren't: what to tell.
    unkept: Option<String>,
    /// How many moves of a game that is over are on the board.
    pub(super) shown: usize,
    pub(super) pace: Pace,
    pub(super) input: MoveInput,
    pub(super) message: Option<String>,
    pub(super) question: Option<Question>,
    /// How far the help is scrolled; `None` if it isn't shown.
    pub(super) help: Option<Scroll>,
    /// The tenths of a second that a computer has been thinking, as drawn.
    thinking: Option<u128>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EndOfGame {
    /// The end in words.
    pub(super) text: String,
    /// The result and how it came about; `None` if the game doesn't count.
    pub(super) result: Option<(Outcome, Termination)>,
}

/// A question to answer with yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Leave,
    NewGame,
    Resign(Side),
}

/// Who plays a side: a computer, or a person.
pub(super) type Player<'a, G> = Option<&'a Opponent<G>>;

impl<'a, G> MatchState<'a, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    pub(super) fn new(app: &'a App<G>, players: [Player<'a, G>; 2], theme: Theme) -> Self {
        let mut state = Self {
            app,
            theme,
            computers: players.map(|opponent| opponent.map(ComputerSeat::new)),
            series: Series::new(players.map(|opponent| opponent.is_some())),
            game: app.first_game(),
            undone: Vec::new(),
            end: None,
            coach: Coach::new(&app.judge, History::new(app.game.clone())),
            unkept: None,
            shown: 0,
            pace: Pace::default(),
            input: MoveInput::default(),
            message: None,
            question: None,
            help: None,
            thinking: None,
        };
        state.begin_turn();
        state
    }

    pub(super) fn side_to_move(&self) -> Side {
        self.game.position().to_move()
    }

    /// Whether a person plays this side.
    pub(super) fn is_person(&self, side: Side) -> bool {
        self.computers[self.series.player(side)].is_none()
    }

    /// Whether the person at the keyboard is to move.
    pub(super) fn awaits_person(&self) -> bool {
        self.end.is_none() && self.is_person(self.side_to_move())
    }

    /// Whether both players are computers.
    pub(super) fn only_watches(&self) -> bool {
        self.computers.iter().all(Option::is_some)
    }

    /// The name of the player of a side.
    pub(super) fn player_name(&self, side: Side) -> &'static str {
        self.series.player_names()[self.series.player(side)]
    }

    /// For how long the computer to move has been thinking.
    pub(super) fn thinking_time(&self) -> Option<Duration> {
        let computer = self.computers[self.series.player(self.side_to_move())].as_ref()?;
        computer.thread.as_ref()?.thinking_time()
    }

    /// Shows the position after so many moves.
    pub(super) fn show_move(&mut self, count: usize) {
        self.shown = count;
        let mut game = self.game.clone();
        while game.moves().len() > count {
            game.undo();
        }
        self.coach.follow(game);
    }

    /// The position on the board: the current one, or an earlier one of a game that is over.
    pub(super) fn shown_position(&self) -> G {
        self.position_after(self.shown)
    }

    /// The position after so many moves.
    pub(super) fn position_after(&self, count: usize) -> G {
        position_after(&self.game, count)
    }

    /// The picture of the position on the board, and the places of the move that led to it.
    pub(super) fn shown_picture(&self) -> (Picture<G::Move>, Vec<Place>) {
        let picture = self.app.picture(&self.shown_position());
        (picture, last_move_places(&self.game, self.shown))
    }

    /// Plays a legal move of either side.
    pub(super) fn play(&mut self, m: G::Move) {
        self.game.play_unchecked(m);
        self.undone.clear();
        self.begin_turn();
    }

    /// Starts what follows a change of the position.
    fn begin_turn(&mut self) {
        self.show_move(self.game.moves().len());
        self.input.clear();
        // A computer's quick answer doesn't hide why a game isn't kept.
        let before = self.game.before();
        let is_answer = before.is_some_and(|before| {
            let player = self.series.player(before.to_move());
            self.computers[player].is_some()
        });
        if !is_answer || self.message != self.unkept {
            self.message = None;
        }
        self.pace.has_moved(Instant::now());
        if let Some(outcome) = self.game.outcome() {
            let position = self.game.position();
            let by_repetition = position.outcome().is_none();
            let points = position.picture().points.filter(|_| !by_repetition);
            let text = self.result(outcome, points);
            let reason = if by_repetition {
                "The same position has come back. "
            } else {
                ""
            };
            let result = (outcome, Termination::Finished);
            self.finish(Some(result), format!("{reason}{text}"));
            return;
        }
        self.keep();
        if !self.awaits_person() {
            return;
        }
        let game = &self.game;
        let mut failure = None;
        for computer in self.computers.iter_mut().flatten() {
            match computer.thread() {
                Ok(thread) => thread.ponder(game),
                Err(error) => failure = Some(format!("The computer can't play: {error}.")),
            }
        }
        if let Some(failure) = failure {
            self.finish(None, failure);
        }
    }

    fn result(&self, outcome: Outcome, points: Option<[u32; 2]>) -> String {
        result_text(Side::BOTH.map(|side| self.app.name(side)), outcome, points)
    }

    /// Ends the game; without a result it is abandoned.
    fn finish(&mut self, result: Option<(Outcome, Termination)>, text: String) {
        self.cancel_searches();
        let text = match result {
            Some((outcome, _)) => {
                self.series.add(outcome);
                for side in Side::BOTH {
                    if let Some(computer) = &mut self.computers[self.series.player(side)] {
                        computer.follow(outcome, side);
                    }
                }
                text
            }
            None => format!("{text} The game doesn't count."),
        };
        self.end = Some(EndOfGame { text, result });
        self.input.clear();
        self.question = None;
        self.coach.hide_hint();
        if result.is_some() {
            self.keep();
        }
    }

    /// Hands the game to the app's function for that.
    fn keep(&mut self) {
        if self.unkept.is_some() {
            return;
        }
        let computer = |side| {
            let seat = self.computers[self.series.player(side)].as_ref();
            seat.map(ComputerSeat::name)
        };
        let kept = self.app.keeper.keep(&PlayedGame {
            history: &self.game,
            computers: Side::BOTH.map(computer),
            end: self.end.as_ref().and_then(|end| end.result),
        });
        if let Err(error) = kept {
            let error = printable(&error, MAX_ERROR);
            self.unkept = Some(format!("Your games aren't saved: {error}."));
            self.message.clone_from(&self.unkept);
        }
    }

    /// The end of the game in words.
    pub(super) fn end_text(&self) -> Option<&str> {
        self.end.as_ref().map(|end| &*end.text)
    }

    pub(super) fn resign(&mut self, side: Side) {
        let outcome = Outcome::Win(side.other());
        let result = self.result(outcome, None);
        let text = format!("{} resigns. {result}", self.app.name(side));
        self.finish(Some((outcome, Termination::Resigned)), text);
    }

    /// Starts another game, in which the other player has the first move.
    pub(super) fn new_game(&mut self) {
        self.cancel_searches();
        self.series.exchange_sides();
        self.game = History::new(self.app.game.clone());
        self.undone.clear();
        self.end = None;
        self.coach.forget_review();
        self.input.cursor = Cursor::Place(None);
        self.begin_turn();
    }

    /// The number of moves at the person's last turn before this one; in a match of computers
    /// one move less.
    fn undo_target(&self) -> Option<usize> {
        let mut position = self.game.start().clone();
        let mut target = None;
        for (number, &m) in self.game.moves().iter().enumerate() {
            if self.only_watches() || self.is_person(position.to_move()) {
                target = Some(number);
            }
            position.play_unchecked(m);
        }
        target
    }

    pub(super) fn can_undo(&self) -> bool {
        self.end.is_none() && self.undo_target().is_some()
    }

    /// Takes moves back until it is the person's turn again.
    pub(super) fn undo(&mut self) {
        let Some(target) = self.undo_target() else {
            return;
        };
        self.cancel_searches();
        while self.game.moves().len() > target {
            self.undone.extend(self.game.undo());
        }
        self.begin_turn();
    }

    /// Plays the moves taken back, up to the person's next turn.
    pub(super) fn redo(&mut self) {
        self.cancel_searches();
        while let Some(m) = self.undone.pop() {
            self.game.play_unchecked(m);
            if self.only_watches() || self.is_person(self.side_to_move()) {
                break;
            }
        }
        self.begin_turn();
    }

    /// Whether a computer may move now.
    fn awaits_computer(&self) -> bool {
        self.end.is_none() && !self.awaits_person() && self.undone.is_empty()
    }

    /// Lets a computer play if it has a move, and takes what the judge has found. Returns
    /// whether there is something to draw.
    pub(super) fn tick(&mut self, now: Instant) -> bool {
        let has_changed = self.tick_computer(now);
        self.coach.poll() || has_changed
    }

    fn tick_computer(&mut self, now: Instant) -> bool {
        if !self.awaits_computer() || self.only_watches() && !self.pace.may_move(now) {
            return false;
        }
        let side = self.side_to_move();
        let name = self.app.name(side);
        let computer = &mut self.computers[self.series.player(side)];
        let Some(computer) = computer else {
            return false;
        };
        let result = match computer.thread() {
            Ok(thread) => thread.poll(&self.game, Duration::ZERO),
            Err(error) => {
                self.finish(None, format!("{name} can't play: {error}."));
                return true;
            }
        };
        match result {
            None => {
                let tenths = self.thinking_time().map(|time| time.as_millis() / 100);
                return core::mem::replace(&mut self.thinking, tenths) != tenths;
            }
            Some(Ok(Ok(m))) => self.play(m),
            Some(Ok(Err(end))) => match &end {
                GameEnd::Forfeited { illegal, .. } => {
                    let m = self.game.position().move_text(illegal.attempted);
                    let result = self.result(end.outcome(), None);
                    let text = format!("{name} forfeits by the illegal move {m}. {result}");
                    self.finish(Some((end.outcome(), Termination::Forfeited)), text);
                }
                _ => self.resign(side),
            },
            Some(Err(error)) => {
                computer.thread = None;
                let error = printable(&error.to_string(), MAX_ERROR);
                self.finish(None, format!("{name} can't continue: {error}."));
            }
        }
        true
    }

    /// How long the screen may wait for input before the next [`tick`](Self::tick); `None` for
    /// as long as it takes.
    pub(super) fn patience(&self, now: Instant) -> Option<Duration> {
        let for_computer = if !self.awaits_computer() {
            None
        } else if self.only_watches() && !self.pace.may_move(now) {
            self.pace.wait(now)
        } else {
            Some(POLL)
        };
        let for_judge = self.coach.is_working().then_some(JUDGE_POLL);
        for_computer.into_iter().chain(for_judge).min()
    }

    fn cancel_searches(&mut self) {
        let computers = self.computers.iter_mut().flatten();
        let threads = computers.filter_map(|computer| computer.thread.as_mut());
        threads.for_each(crate::player_thread::PlayerThread::cancel);
    }
}
