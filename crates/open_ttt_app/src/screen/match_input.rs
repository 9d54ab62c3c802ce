use open_ttt_lib::rules::{BoardCell, Drawing, Notation, Place};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::Leave;
use super::board::place_at;
use super::command::Command;
use super::cursor::{self, Direction};
use super::match_state::{Cursor, MatchState, Question};
use crate::move_reader::place_names;

/// The longest move that can be typed, in characters.
const MAX_TYPED: usize = 40;

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
        if self.shows_help {
            self.shows_help = false;
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
        match key {
            KeyCode::Tab => self.next_button(),
            KeyCode::Esc | KeyCode::Backspace if self.typed.is_empty() => {
                self.message = None;
                self.chosen.pop();
            }
            KeyCode::Esc => self.typed.clear(),
            KeyCode::Backspace => {
                self.typed.pop();
            }
            KeyCode::Enter if !self.typed.is_empty() => self.read_typed(),
            KeyCode::Enter | KeyCode::Char(' ') if self.typed.is_empty() => self.choose_at_cursor(),
            KeyCode::Char(letter) if self.types(letter) => {
                self.message = None;
                if self.typed.chars().count() < MAX_TYPED {
                    self.typed.push(letter);
                }
            }
            _ => match direction(key) {
                Some(direction) => self.move_cursor(direction),
                None => return false,
            },
        }
        true
    }

    /// Handles a key that steps through a game that is over. Returns whether it is one.
    fn press_after_end(&mut self, key: KeyCode) -> bool {
        let last = self.game.moves().len();
        match key {
            KeyCode::Left | KeyCode::Up => self.show_move(self.shown.saturating_sub(1)),
            KeyCode::Right | KeyCode::Down => self.show_move((self.shown + 1).min(last)),
            KeyCode::Home => self.show_move(0),
            KeyCode::End => self.show_move(last),
            KeyCode::Enter => self.new_game(),
            _ => return false,
        }
        true
    }

    /// Whether a character is part of a typed move: the first one is a letter or digit with
    /// which the name of a place, a move from the start or a button begins.
    pub(super) fn types(&self, letter: char) -> bool {
        if !self.typed.is_empty() {
            return letter.is_alphanumeric() || " -,:>×".contains(letter);
        }
        if !letter.is_alphanumeric() || letter == Command::Resign.key() {
            return false;
        }
        let picture = self.game.position().picture();
        let start = self.game.start();
        let names = place_names(&picture).into_values();
        let moves = start.moves().map(|m| start.move_text(m));
        let labels = picture
            .choices
            .into_iter()
            .filter_map(|choice| choice.label);
        let letter = letter.to_lowercase().next();
        let mut texts = names.chain(moves).chain(labels);
        texts.any(|text| text.to_lowercase().chars().next() == letter)
    }

    /// Moves the cursor to the nearest place in a direction.
    fn move_cursor(&mut self, direction: Direction) {
        let from = match self.cursor {
            Cursor::Place(Some(place)) => place,
            _ => match self.first_place() {
                Some(place) => place,
                None => return,
            },
        };
        let next = cursor::next(&self.places, from, direction);
        self.cursor = Cursor::Place(Some(next.unwrap_or(from)));
        self.message = None;
    }

    /// Where the cursor starts: on the place nearest to the middle of the board.
    pub(super) fn first_place(&self) -> Option<Place> {
        let picture = self.game.position().picture();
        let cells = || picture.cells.iter().map(|cell: &BoardCell| cell.place);
        let targets: Vec<_> = self
            .open_choices()
            .iter()
            .filter_map(|choice| choice.path.first().copied())
            .collect();
        let sum = cells().fold([0_u32; 3], |[x, y, z], place| {
            [
                x + u32::from(place.x),
                y + u32::from(place.y),
                z + u32::from(place.z),
            ]
        });
        let count = cells().count().max(1) as u32;
        let distance = |place: &Place| {
            let from_middle = |at: u8, sum: u32| (u32::from(at) * count).abs_diff(sum);
            from_middle(place.x, sum[0])
                + from_middle(place.y, sum[1])
                + from_middle(place.z, sum[2])
        };
        targets
            .into_iter()
            .min_by_key(distance)
            .or_else(|| cells().min_by_key(distance))
    }

    fn next_button(&mut self) {
        let buttons = self.labelled_moves().len();
        self.cursor = match self.cursor {
            Cursor::Place(_) if buttons > 0 => Cursor::Button(0),
            Cursor::Button(index) if index + 1 < buttons => Cursor::Button(index + 1),
            _ => Cursor::Place(self.first_place()),
        };
    }

    fn choose_at_cursor(&mut self) {
        match self.cursor {
            Cursor::Place(Some(place)) => self.choose(place),
            Cursor::Place(None) => {}
            Cursor::Button(index) => self.press_button(index),
        }
    }

    fn press_button(&mut self, index: usize) {
        if let Some(&(_, m)) = self.labelled_moves().get(index) {
            self.play(m);
        }
    }

    fn click(&mut self, position: Position) -> Handled {
        if self.shows_help {
            self.shows_help = false;
            return Handled::Changed;
        }
        if !self.awaits_person() || self.question.is_some() {
            return Handled::Nothing;
        }
        if let Some(button) = self.buttons.iter().position(|area| area.contains(position)) {
            self.press_button(button);
            return Handled::Changed;
        }
        let Some(place) = place_at(&self.places, position) else {
            return Handled::Nothing;
        };
        self.typed.clear();
        self.cursor = Cursor::Place(Some(place));
        self.choose(place);
        Handled::Changed
    }
}

/// The direction of an arrow key.
const fn direction(key: KeyCode) -> Option<Direction> {
    match key {
        KeyCode::Left => Some(Direction::Left),
        KeyCode::Right => Some(Direction::Right),
        KeyCode::Up => Some(Direction::Up),
        KeyCode::Down => Some(Direction::Down),
        _ => None,
    }
}
