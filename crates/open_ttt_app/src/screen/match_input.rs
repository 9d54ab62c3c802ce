use open_ttt_lib::rules::{Drawing, Notation};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::Leave;
use super::command::Command;
use super::game_view::step;
use super::match_state::{MatchState, Question};
use super::move_input::Input;

/// What an event has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handled {
    /// Nothing that is drawn has changed.
    Nothing,
    Changed,
    Leave(Leave),
}

impl<G> MatchState<'_, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// Handles an event of the terminal.
    pub(super) fn handle(&mut self, event: &Event) -> Handled {
        if self.help.as_mut().is_some_and(|help| help.handle(event)) {
            return Handled::Changed;
        }
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(*key),
            Event::Mouse(MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column,
                row,
                ..
            }) => self.click(Position::new(*column, *row)),
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
        if self.awaits_person() && !has_control && self.press_in_turn(key.code) {
            return Handled::Changed;
        }
        if self.end.is_some() && self.press_after_end(key.code) {
            return Handled::Changed;
        }
        let KeyCode::Char(letter) = key.code else {
            return Handled::Nothing;
        };
        let command = self.commands().into_iter().find(|&it| it.key() == letter);
        match command {
            Some(command) if self.execute(command) => Handled::Leave(Leave::Back),
            Some(_) => Handled::Changed,
            None => Handled::Nothing,
        }
    }

    fn answer(&mut self, question: Question, key: KeyCode) -> Handled {
        match key {
            KeyCode::Char('y' | 'Y') | KeyCode::Enter => {
                self.question = None;
                match question {
                    Question::Leave => return Handled::Leave(Leave::Back),
                    Question::NewGame => self.new_game(),
                    Question::Resign(side) => self.resign(side),
                }
            }
            KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc => self.question = None,
            _ => return Handled::Nothing,
        }
        Handled::Changed
    }

    /// Handles a key with which a person chooses a move. Returns whether it is one.
    fn press_in_turn(&mut self, key: KeyCode) -> bool {
        let is_text = matches!(key, KeyCode::Char(letter) if self.types(letter));
        let input = self.input.press(key, is_text, self.game.position());
        self.take(input)
    }

    /// Takes what the person has chosen. Returns whether it is for choosing a move.
    pub(super) fn take(&mut self, input: Input<G::Move>) -> bool {
        self.message = match input {
            Input::Unknown => return false,
            Input::Changed => None,
            Input::Refused(message) => Some(message),
            Input::Move(m) => {
                self.play(m);
                return true;
            }
        };
        true
    }

    /// Handles a key that steps through a game that is over. Returns whether it is one.
    fn press_after_end(&mut self, key: KeyCode) -> bool {
        let Some(count) = step(key, self.shown, self.game.moves().len()) else {
            return false;
        };
        self.show_move(count);
        true
    }

    /// Whether a character is part of a typed move, not a command.
    pub(super) fn types(&self, letter: char) -> bool {
        let is_command = self.input.typed.is_empty() && letter == Command::Resign.key();
        let (position, start) = (self.game.position(), self.game.start());
        !is_command && self.input.types(letter, position, start)
    }

    fn click(&mut self, position: Position) -> Handled {
        if self.help.take().is_some() {
            return Handled::Changed;
        }
        if !self.awaits_person() || self.question.is_some() {
            return Handled::Nothing;
        }
        let input = self.input.click(position, self.game.position());
        if self.take(input) {
            Handled::Changed
        } else {
            Handled::Nothing
        }
    }
}
