use open_ttt_lib::rules::{Drawing, Notation};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use ratatui::layout::Position;

use super::command::Command;
use super::state::{Question, RemoteState};
use super::{RemoteAction, RemoteCommand, RemoteMatch, RemoteStatus};
use crate::screen::Leave;
use crate::screen::game_view::step;
use crate::screen::move_input::Input;
use crate::screen::scroll::Scroll;

/// What an event has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::screen) enum Handled {
    /// Nothing that is drawn has changed.
    Nothing,
    Changed,
    /// The person does something in the match.
    Command(RemoteCommand),
    Leave(Leave),
}

impl<G: Notation + Drawing> RemoteState<G> {
    /// Handles an event of the terminal.
    pub(in crate::screen) fn handle(&mut self, event: &Event) -> Handled {
        if self.help.as_mut().is_some_and(|help| help.handle(event)) {
            return Handled::Changed;
        }
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(*key),
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
                self.click(Position::new(mouse.column, mouse.row))
            }
            Event::Resize(..) => Handled::Changed,
            _ => Handled::Nothing,
        }
    }

    fn press(&mut self, key: KeyEvent) -> Handled {
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if has_control && key.code == KeyCode::Char('c') {
            return Handled::Leave(Leave::Quit);
        }
        if self.help.take().is_some() {
            return Handled::Changed;
        }
        if let Some(question) = self.question {
            return self.answer(question, key.code);
        }
        if !has_control && let Some(handled) = self.press_in_turn(key.code) {
            return handled;
        }
        if !has_control && self.press_to_step(key.code) {
            return Handled::Changed;
        }
        let KeyCode::Char(letter) = key.code else {
            return Handled::Nothing;
        };
        // The beginning of a move that comes too early isn't a command.
        if !has_control && self.types(letter) {
            return Handled::Nothing;
        }
        let command = self.commands().into_iter().find(|it| it.key() == letter);
        command.map_or(Handled::Nothing, |command| self.execute(command))
    }

    fn answer(&mut self, question: Question, key: KeyCode) -> Handled {
        match key {
            KeyCode::Char('y' | 'Y') | KeyCode::Enter => {
                self.question = None;
                match question {
                    Question::Leave => Handled::Leave(Leave::Back),
                    Question::Resign => Handled::Command(RemoteCommand::Act(RemoteAction::Resign)),
                }
            }
            KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc => {
                self.question = None;
                Handled::Changed
            }
            _ => Handled::Nothing,
        }
    }

    /// Handles a key with which the person chooses a move; `None` if it isn't one.
    fn press_in_turn(&mut self, key: KeyCode) -> Option<Handled> {
        let current = self.awaiting()?;
        let position = current.game.position().clone();
        let is_text = matches!(key, KeyCode::Char(letter) if self.types(letter));
        let input = self.input.press(key, is_text, &position);
        (input != Input::Unknown).then(|| self.take(input))
    }

    /// Takes what the person has chosen.
    fn take(&mut self, input: Input<G::Move>) -> Handled {
        self.message = None;
        match input {
            Input::Unknown => return Handled::Nothing,
            Input::Changed => {}
            Input::Refused(message) => self.message = Some(message),
            Input::Move(m) => {
                self.input.clear();
                let text = |current: &RemoteMatch<G>| RemoteCommand::Move {
                    text: current.game.position().move_text(m),
                    played: current.game.moves().len(),
                    number: current.number,
                };
                if let Some(command) = self.current.as_ref().map(text) {
                    return Handled::Command(command);
                }
            }
        }
        Handled::Changed
    }

    /// Handles a key that steps through the game. Returns whether it is one.
    fn press_to_step(&mut self, key: KeyCode) -> bool {
        let is_arrow = matches!(
            key,
            KeyCode::Left | KeyCode::Right | KeyCode::Up | KeyCode::Down
        );
        if is_arrow && !self.arrows_step() {
            return false;
        }
        let Some(count) = step(key, self.shown, self.last()) else {
            return false;
        };
        self.shown = count;
        self.input.clear();
        self.message = None;
        true
    }

    /// Whether a character is part of a typed move, not a command: also where it's the other
    /// player's turn, who may move just before a key is pressed.
    pub(super) fn types(&self, letter: char) -> bool {
        let Some(current) = self.current.as_ref().filter(|_| self.plays()) else {
            return false;
        };
        let resign = Command::Act(RemoteAction::Resign).key();
        let is_command = self.input.typed.is_empty() && letter == resign;
        let is_on = matches!(current.status, RemoteStatus::Turn(_));
        let (position, start) = (current.game.position(), current.game.start());
        is_on && !is_command && self.input.types(letter, position, start)
    }

    fn execute(&mut self, command: Command) -> Handled {
        self.message = None;
        match command {
            Command::Act(RemoteAction::Resign) => self.question = Some(Question::Resign),
            Command::Act(action) => return Handled::Command(RemoteCommand::Act(action)),
            Command::Link => {
                let link = self.current.as_ref().and_then(|it| it.link.clone());
                self.news.extend(link);
            }
            Command::Turn => self.input.turns_board ^= true,
            Command::Theme => self.theme = self.theme.toggled(),
            Command::Help => self.help = Some(Scroll::default()),
            Command::Leave if self.asks_to_leave() => self.question = Some(Question::Leave),
            Command::Leave => return Handled::Leave(Leave::Back),
        }
        Handled::Changed
    }

    fn click(&mut self, at: Position) -> Handled {
        if self.help.take().is_some() {
            return Handled::Changed;
        }
        let Some(current) = self.awaiting().filter(|_| self.question.is_none()) else {
            return Handled::Nothing;
        };
        let position = current.game.position().clone();
        let input = self.input.click(at, &position);
        self.take(input)
    }
}
