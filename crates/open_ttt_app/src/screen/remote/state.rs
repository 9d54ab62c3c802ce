use std::collections::VecDeque;
use std::time::Instant;

use open_ttt_lib::rules::{Drawing, Notation, Side};

use super::clock::clock_text;
use super::{RemoteMatch, RemoteStatus, RemoteUpdate};
use crate::screen::move_input::MoveInput;
use crate::screen::scroll::Scroll;
use crate::screen::theme::Theme;
#[cfg(test)]
use {open_ttt_lib::rules::Place, ratatui::layout::Rect};

/// How many news are kept.
const MAX_NEWS: usize = 20;

/// A match that is played elsewhere, and what the person at the screen has chosen, typed and
/// been told.
///
/// It neither reads keys nor draws: see `input` and `view`.
pub(in crate::screen) struct RemoteState<G: Notation + Drawing> {
    pub(in crate::screen) theme: Theme,
    /// `None` until it is known.
    pub(super) current: Option<RemoteMatch<G>>,
    /// How many moves are on the board.
    pub(super) shown: usize,
    pub(super) input: MoveInput,
    /// What has happened, the latest last.
    pub(super) news: VecDeque<String>,
    /// Why something wasn't possible.
    pub(super) message: Option<String>,
    pub(super) question: Option<Question>,
    /// How far the help is scrolled; `None` if it isn't shown.
    pub(super) help: Option<Scroll>,
    /// The clocks as drawn.
    pub(super) times: Option<[String; 2]>,
}

/// A question to answer with yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Leave,
    Resign,
}

impl<G: Notation + Drawing> RemoteState<G> {
    pub(in crate::screen) fn new(theme: Theme) -> Self {
        Self {
            theme,
            current: None,
            shown: 0,
            input: MoveInput::default(),
            news: VecDeque::new(),
            message: None,
            question: None,
            help: None,
            times: None,
        }
    }

    /// Takes what has become of the match.
    pub(in crate::screen) fn update(&mut self, update: RemoteUpdate<G>) {
        match update {
            RemoteUpdate::Match(current) => self.replace(*current),
            RemoteUpdate::News(text) => {
                if self.news.len() == MAX_NEWS {
                    self.news.pop_front();
                }
                self.news.push_back(text);
            }
            RemoteUpdate::Refused(text) => self.message = Some(text),
        }
    }

    fn replace(&mut self, new: RemoteMatch<G>) {
        let last = new.game.moves().len();
        let Some(old) = self.current.replace(new) else {
            self.shown = last;
            return;
        };
        let is_same_game = self.current.as_ref().map(|new| new.number) == Some(old.number);
        // Whoever looks at an earlier position goes on looking at it.
        if self.shown == old.game.moves().len() || !is_same_game {
            self.shown = last;
        }
        self.shown = self.shown.min(last);
        let Some(new) = &self.current else {
            return;
        };
        if new.game.position() != old.game.position() || !is_same_game {
            self.input.clear();
        }
        if !is_same_game {
            self.input = MoveInput::default();
        }
        if !matches!(new.status, RemoteStatus::Turn(_)) && self.question == Some(Question::Resign) {
            self.question = None;
        }
    }

    /// How many moves the game has.
    pub(super) fn last(&self) -> usize {
        let current = self.current.as_ref();
        current.map_or(0, |current| current.game.moves().len())
    }

    /// The side to move.
    pub(super) fn to_move(&self) -> Option<Side> {
        match self.current.as_ref()?.status {
            RemoteStatus::Turn(side) => Some(side),
            _ => None,
        }
    }

    /// The match, if the person is to choose a move in it and sees its position.
    pub(super) fn awaiting(&self) -> Option<&RemoteMatch<G>> {
        let current = self.current.as_ref();
        current.filter(|current| current.awaits_person(self.shown))
    }

    pub(super) fn awaits_person(&self) -> bool {
        self.awaiting().is_some()
    }

    /// Whether the person at this terminal plays.
    pub(super) fn plays(&self) -> bool {
        let current = self.current.as_ref();
        current.is_some_and(|current| current.own.is_some() && current.is_person)
    }

    /// Whether the arrow keys step through the game: they do unless the player needs them on
    /// the board, now or at the next turn.
    pub(super) fn arrows_step(&self) -> bool {
        let is_known = self.current.is_some();
        is_known && (!self.plays() || self.to_move().is_none() || self.shown < self.last())
    }

    /// Whether leaving is asked about: a player whose game isn't over may not mean it.
    pub(super) fn asks_to_leave(&self) -> bool {
        self.to_move().is_some() && self.plays()
    }

    /// Where each place of the board is on the screen.
    #[cfg(test)]
    pub(in crate::screen) fn places(&self) -> &[(Place, Rect)] {
        &self.input.places
    }

    /// The clocks at this time.
    pub(super) fn times(&self, now: Instant) -> Option<[String; 2]> {
        let clock = self.current.as_ref()?.clock?;
        Some(Side::BOTH.map(|side| clock_text(clock.left(side, now))))
    }

    /// Whether the clocks have changed since they were drawn.
    pub(in crate::screen) fn tick(&self, now: Instant) -> bool {
        self.times(now) != self.times
    }
}
