use open_ttt_lib::rules::{Drawing, Notation};

use super::state::RemoteState;
use super::{RemoteAction, RemoteStatus};
use crate::screen::TURN_TEXT;
use crate::screen::board::can_turn;

/// What a key does, besides choosing a move and stepping through the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Act(RemoteAction),
    Link,
    Turn,
    Theme,
    Help,
    Leave,
}

impl Command {
    /// The key. A letter of the game's moves is pressed with Ctrl. A rematch is never
    /// possible where there is something to decline.
    pub(super) const fn key(self) -> char {
        match self {
            Self::Act(RemoteAction::Accept) => 'y',
            Self::Act(RemoteAction::Decline | RemoteAction::Rematch) => 'n',
            Self::Act(RemoteAction::OfferDraw) => 'd',
            Self::Act(RemoteAction::TakeBack) => 'u',
            Self::Act(RemoteAction::Claim) => 'w',
            Self::Act(RemoteAction::Resign) => 'R',
            Self::Link => 'l',
            Self::Turn => 'b',
            Self::Theme => 't',
            Self::Help => '?',
            Self::Leave => 'q',
        }
    }

    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Act(RemoteAction::Accept) => "accept",
            Self::Act(RemoteAction::Decline) => "decline",
            Self::Act(RemoteAction::Rematch) => "play again",
            Self::Act(RemoteAction::OfferDraw) => "offer a draw",
            Self::Act(RemoteAction::TakeBack) => "ask to undo",
            Self::Act(RemoteAction::Claim) => "claim the win",
            Self::Act(RemoteAction::Resign) => "resign",
            Self::Link => "link",
            Self::Turn => TURN_TEXT,
            Self::Theme => "light or dark",
            Self::Help => "help",
            Self::Leave => "leave",
        }
    }
}

impl<G: Notation + Drawing> RemoteState<G> {
    /// The commands that do something now.
    pub(super) fn commands(&self) -> Vec<Command> {
        let mut commands = Vec::new();
        if let Some(current) = &self.current {
            // The letter of resigning may be one of a move that is being typed, and there is no
            // other way to it.
            let is_possible =
                |action: &_| *action != RemoteAction::Resign || self.input.typed.is_empty();
            let actions = current.actions.iter().copied().filter(is_possible);
            commands.extend(actions.map(Command::Act));
            if current.link.is_some() && !matches!(current.status, RemoteStatus::Waiting(_)) {
                commands.push(Command::Link);
            }
            if can_turn(&current.game.start().picture().layout) {
                commands.push(Command::Turn);
            }
        }
        if self.theme.toggled() != self.theme {
            commands.push(Command::Theme);
        }
        commands.extend([Command::Help, Command::Leave]);
        commands
    }
}
