use open_ttt_lib::rules::{BoardCell, Choice, Drawing, Layout, Notation, Picture, Place};
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::board::{Board, Highlights, pieces_fall, place_at};
use super::cursor::{self, Direction};
use super::theme::Theme;
use crate::computer_seat::MAX_ERROR;
use crate::console::printable;
use crate::move_reader::{MoveReader, place_names};

/// The longest move that can be typed, in characters.
const MAX_TYPED: usize = 40;

/// How a person chooses a move: on the board with the cursor or clicks, with buttons, or by
/// typing it; and what is chosen or typed of it so far.
///
/// It doesn't know the position, which is given to each call.
#[derive(Clone, Debug, Default)]
pub(super) struct MoveInput {
    pub(super) cursor: Cursor,
    /// The places of the move chosen so far.
    pub(super) chosen: Vec<Place>,
    pub(super) typed: String,
    reader: MoveReader,
    /// Whether the person has turned the board, from how it is for them or back to the usual
    /// way.
    pub(super) turns_board: bool,
    /// Where each place and button is on the screen.
    pub(super) places: Vec<(Place, Rect)>,
    buttons: Vec<Rect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cursor {
    Place(Option<Place>),
    /// A button, by its index.
    Button(usize),
}

impl Default for Cursor {
    fn default() -> Self {
        Self::Place(None)
    }
}

/// What a key or click has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input<M> {
    /// It isn't for choosing a move.
    Unknown,
    Changed,
    /// A move is chosen.
    Move(M),
    /// What is chosen or typed isn't a move, and why.
    Refused(String),
}

impl<M> From<Option<M>> for Input<M> {
    fn from(chosen: Option<M>) -> Self {
        chosen.map_or(Self::Changed, Self::Move)
    }
}

impl MoveInput {
    /// Forgets what is chosen and typed.
    pub(super) fn clear(&mut self) {
        self.chosen.clear();
        self.typed.clear();
        self.reader = MoveReader::default();
        if matches!(self.cursor, Cursor::Button(_)) {
            self.cursor = Cursor::Place(None);
        }
    }

    /// The choices that begin with the places chosen so far.
    pub(super) fn open_choices<G: Drawing>(&self, position: &G) -> Vec<Choice<G::Move>> {
        let mut choices = position.picture().choices;
        choices.retain(|choice| choice.path.starts_with(&self.chosen));
        choices
    }

    /// The labels of the moves that are complete with the places chosen so far.
    pub(super) fn labelled_moves<G: Drawing>(&self, position: &G) -> Vec<(String, G::Move)> {
        let complete = |choice: Choice<G::Move>| {
            let is_complete = choice.path.len() == self.chosen.len();
            Some((choice.label.filter(|_| is_complete)?, choice.m))
        };
        let choices = self.open_choices(position).into_iter();
        choices.filter_map(complete).collect()
    }

    /// Handles a key. `is_text` tells whether its letter is part of a typed move.
    pub(super) fn press<G>(&mut self, key: KeyCode, is_text: bool, position: &G) -> Input<G::Move>
    where
        G: Notation + Drawing,
    {
        match key {
            KeyCode::Tab => self.next_button(position),
            KeyCode::Esc | KeyCode::Backspace if self.typed.is_empty() => {
                let unchosen = self.chosen.pop();
                // The buttons may have been those of what was chosen.
                if let Cursor::Button(index) = self.cursor
                    && index >= self.labelled_moves(position).len()
                {
                    self.cursor = Cursor::Place(unchosen);
                }
            }
            KeyCode::Esc => self.typed.clear(),
            KeyCode::Backspace => {
                self.typed.pop();
            }
            KeyCode::Enter if !self.typed.is_empty() => return self.read_typed(position),
            KeyCode::Enter | KeyCode::Char(' ') if self.typed.is_empty() => {
                return match self.cursor {
                    Cursor::Place(Some(place)) => self.choose(place, position),
                    Cursor::Place(None) => Input::Changed,
                    Cursor::Button(index) => self.press_button(index, position),
                };
            }
            KeyCode::Char(letter) if is_text => {
                if self.typed.chars().count() < MAX_TYPED {
                    self.typed.push(letter);
                }
            }
            _ => match direction(key) {
                Some(direction) => self.move_cursor(direction, position),
                None => return Input::Unknown,
            },
        }
        Input::Changed
    }

    /// Handles a click.
    pub(super) fn click<G>(&mut self, at: Position, position: &G) -> Input<G::Move>
    where
        G: Notation + Drawing,
    {
        if let Some(button) = self.buttons.iter().position(|area| area.contains(at)) {
            return self.press_button(button, position);
        }
        let Some(place) = place_at(&self.places, at) else {
            return Input::Unknown;
        };
        self.typed.clear();
        self.cursor = Cursor::Place(Some(place));
        self.choose(place, position)
    }

    /// Chooses a place: the first one of a move, or the next.
    pub(super) fn choose<G>(&mut self, place: Place, position: &G) -> Input<G::Move>
    where
        G: Notation + Drawing,
    {
        if self.chosen.last() == Some(&place) {
            self.chosen.pop();
            return Input::Changed;
        }
        let picture = position.picture();
        let next = |chosen: &[Place]| {
            let depth = chosen.len();
            let choices = picture.choices.iter();
            let open = choices.filter(|choice| choice.path.starts_with(chosen));
            let targets: Vec<_> = open.filter_map(|choice| choice.path.get(depth)).collect();
            let meant = |target: &&&Place| names_same_move(&picture.layout, ***target, place);
            let exact = targets.iter().find(|&&&target| target == place);
            exact
                .or_else(|| targets.iter().find(meant))
                .map(|&&target| target)
        };
        let place = next(&self.chosen).or_else(|| {
            // Another beginning takes the place of this one.
            let first = next(&[])?;
            self.chosen.clear();
            Some(first)
        });
        let Some(place) = place else {
            return Input::Refused("No move goes there.".to_owned());
        };
        self.chosen.push(place);
        self.reader = MoveReader::default();
        match &*self.open_choices(position) {
            [only] if only.path.len() == self.chosen.len() => Input::Move(only.m),
            _ => Input::Changed,
        }
    }

    /// Reads the typed move, or its next part.
    fn read_typed<G: Notation + Drawing>(&mut self, position: &G) -> Input<G::Move> {
        let text = core::mem::take(&mut self.typed);
        match self.reader.read(position, &text) {
            Ok(m) => Input::Move(m),
            Err(message) => Input::Refused(printable(&message, MAX_ERROR)),
        }
    }

    /// Whether a character is part of a typed move: the first one is a letter or digit with
    /// which the name of a place, a move from the start of the game or a button begins.
    pub(super) fn types<G: Notation + Drawing>(
        &self,
        letter: char,
        position: &G,
        start: &G,
    ) -> bool {
        if !self.typed.is_empty() {
            return letter.is_alphanumeric() || " -,:>×".contains(letter);
        }
        if !letter.is_alphanumeric() {
            return false;
        }
        let picture = position.picture();
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

    /// Puts the cursor where it starts, unless it is somewhere.
    pub(super) fn place_cursor<G: Drawing>(&mut self, position: &G) {
        if self.cursor != Cursor::Place(None) {
            return;
        }
        let buttons = self.labelled_moves(position).len();
        let only_buttons = buttons > 0 && buttons == self.open_choices(position).len();
        self.cursor = if only_buttons {
            Cursor::Button(0)
        } else {
            Cursor::Place(self.first_place(position))
        };
    }

    /// Moves the cursor to the nearest place in a direction.
    fn move_cursor<G: Drawing>(&mut self, direction: Direction, position: &G) {
        let from = match self.cursor {
            Cursor::Place(Some(place)) => place,
            _ => match self.first_place(position) {
                Some(place) => place,
                None => return,
            },
        };
        let next = cursor::next(&self.places, from, direction);
        self.cursor = Cursor::Place(Some(next.unwrap_or(from)));
    }

    /// Where the cursor starts: on the place nearest to the middle of the board.
    fn first_place<G: Drawing>(&self, position: &G) -> Option<Place> {
        let picture = position.picture();
        let cells = || picture.cells.iter().map(|cell: &BoardCell| cell.place);
        let targets: Vec<_> = self
            .open_choices(position)
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

    fn next_button<G: Drawing>(&mut self, position: &G) {
        let buttons = self.labelled_moves(position).len();
        self.cursor = match self.cursor {
            Cursor::Place(_) if buttons > 0 => Cursor::Button(0),
            Cursor::Button(index) if index + 1 < buttons => Cursor::Button(index + 1),
            _ => Cursor::Place(self.first_place(position)),
        };
    }

    fn press_button<G: Drawing>(&self, index: usize, position: &G) -> Input<G::Move> {
        let moves = self.labelled_moves(position);
        moves.get(index).map(|&(_, m)| m).into()
    }

    /// What is typed, with the keys that go on from there; `None` if it is nothing.
    pub(super) fn typed_line(&self, theme: Theme) -> Option<Line<'static>> {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let hint = Span::styled("   Enter plays it, Esc deletes it", theme.quiet());
        let typed = Span::styled(format!("> {}_", self.typed), bold);
        (!self.typed.is_empty()).then(|| Line::from_iter([typed, hint]))
    }

    /// What is chosen so far, in words; `None` if it is nothing.
    pub(super) fn chosen_text<M>(&self, picture: &Picture<M>) -> Option<String> {
        let names = place_names(picture);
        let chosen = self.chosen.iter();
        let chosen = chosen.map(|place| names.get(place).map_or("?", String::as_str));
        let chosen: Vec<_> = chosen.filter(|&name| name != "?").collect();
        let chosen = match chosen[..] {
            [] => "the piece".to_owned(),
            _ => chosen.join(" "),
        };
        let text = format!("{chosen} is chosen; choose what comes next");
        (!self.chosen.is_empty()).then_some(text)
    }

    /// Highlights what is chosen and where the move can go on.
    pub(super) fn highlight<G: Drawing>(&self, position: &G, other: Highlights) -> Highlights {
        let depth = self.chosen.len();
        let choices = self.open_choices(position).into_iter();
        Highlights {
            cursor: match self.cursor {
                Cursor::Place(place) => place,
                Cursor::Button(_) => None,
            },
            targets: choices
                .filter_map(|choice| choice.path.get(depth).copied())
                .collect(),
            chosen: self.chosen.clone(),
            ..other
        }
    }

    /// Draws the board and the row of buttons, and notes where they are.
    pub(super) fn draw<M>(
        &mut self,
        frame: &mut Frame<'_>,
        [board, buttons]: [Rect; 2],
        picture: &Picture<M>,
        highlights: Highlights,
        labels: &[(String, M)],
        theme: Theme,
    ) {
        let highlights = Highlights {
            is_turned: highlights.is_turned != self.turns_board,
            ..highlights
        };
        let drawn = Board::draw(picture, &highlights, theme, board.as_size());
        // Nobody's turn is a reason to show the last move.
        let focus = highlights.cursor.or(highlights.last_move.last().copied());
        self.places = drawn.show(board, focus, frame.buffer_mut());
        let mut column = buttons.x + 1;
        self.buttons.clear();
        for (index, (label, _)) in labels.iter().enumerate() {
            let text = format!(" {label} ");
            let width = text.chars().count() as u16 + 2;
            let style = if self.cursor == Cursor::Button(index) {
                theme.cursor()
            } else {
                Style::new().add_modifier(Modifier::BOLD)
            };
            let button = Rect::new(column, buttons.y, width, 1).intersection(buttons);
            frame.render_widget(Span::styled(format!("[{text}]"), style), button);
            self.buttons.push(button);
            column += width + 1;
        }
    }
}

/// Whether two places mean the same move: in a stack, or in a column of a board on which they
/// fall, a piece falls to its place.
fn names_same_move(layout: &Layout, one: Place, other: Place) -> bool {
    match layout {
        _ if one.is_in_tray() || other.is_in_tray() => false,
        Layout::Stacks { .. } => (one.x, one.y) == (other.x, other.y),
        _ => pieces_fall(layout) && one.x == other.x,
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
