use open_ttt_lib::rules::{Choice, Drawing, Layout, Notation, Place};

use super::match_state::MatchState;
use crate::computer_seat::MAX_ERROR;
use crate::console::printable;
use crate::move_reader::MoveReader;

impl<G> MatchState<'_, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// The choices that begin with the places chosen so far.
    pub(super) fn open_choices(&self) -> Vec<Choice<G::Move>> {
        if !self.awaits_person() {
            return Vec::new();
        }
        let mut choices = self.game.position().picture().choices;
        choices.retain(|choice| choice.path.starts_with(&self.chosen));
        choices
    }

    /// The labels of the moves that are complete with the places chosen so far.
    pub(super) fn labelled_moves(&self) -> Vec<(String, G::Move)> {
        let complete = |choice: Choice<G::Move>| {
            let is_complete = choice.path.len() == self.chosen.len();
            Some((choice.label.filter(|_| is_complete)?, choice.m))
        };
        self.open_choices()
            .into_iter()
            .filter_map(complete)
            .collect()
    }

    /// Chooses a place: the first one of a move, or the next.
    pub(super) fn choose(&mut self, place: Place) {
        self.message = None;
        if self.chosen.last() == Some(&place) {
            self.chosen.pop();
            return;
        }
        let picture = self.game.position().picture();
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
            self.message = Some("No move goes there.".to_owned());
            return;
        };
        self.chosen.push(place);
        self.reader = MoveReader::default();
        if let [only] = &*self.open_choices()
            && only.path.len() == self.chosen.len()
        {
            self.play(only.m);
        }
    }

    /// Reads the typed move, or its next part.
    pub(super) fn read_typed(&mut self) {
        let text = core::mem::take(&mut self.typed);
        match self.reader.read(self.game.position(), &text) {
            Ok(m) => self.play(m),
            Err(message) => self.message = Some(printable(&message, MAX_ERROR)),
        }
    }
}

/// Whether two places mean the same move: in a stack, or in a column of a board whose rows
/// have no names, a piece falls to its place.
fn names_same_move(layout: &Layout, one: Place, other: Place) -> bool {
    match layout {
        _ if one.is_in_tray() || other.is_in_tray() => false,
        Layout::Stacks { .. } => (one.x, one.y) == (other.x, other.y),
        Layout::Grid { columns, rows, .. } => {
            let is_unnamed = |labels: &[String]| labels.iter().all(String::is_empty);
            is_unnamed(rows) && !is_unnamed(columns) && one.x == other.x
        }
        _ => false,
    }
}
