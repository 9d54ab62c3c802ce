use open_ttt_lib::rules::{Drawing, Notation};

use super::TURN_TEXT;
use super::board::can_turn;
use super::match_state::{MatchState, Question};
use super::scroll::Scroll;

/// What a key does, besides choosing a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Pause,
    Step,
    Faster,
    Slower,
    Undo,
    Redo,
    Hint,
    Values,
    Review,
    NewGame,
    Resign,
    Turn,
    Theme,
    Help,
    Leave,
}

impl Command {
    /// The key. A letter of the game's moves is pressed with Ctrl. Redo and review are never
    /// both available.
    pub(super) const fn key(self) -> char {
        match self {
            Self::Pause => ' ',
            Self::Step => '.',
            Self::Faster => '+',
            Self::Slower => '-',
            Self::Undo => 'u',
            Self::Redo | Self::Review => 'r',
            Self::Hint => 'h',
            Self::Values => 'v',
            Self::NewGame => 'n',
            Self::Resign => 'R',
            Self::Turn => 'b',
            Self::Theme => 't',
            Self::Help => '?',
            Self::Leave => 'q',
        }
    }

    pub(super) const fn text(self, is_over: bool) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Step => "one move",
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Hint => "hint",
            Self::Values => "values",
            Self::Review => "review",
            Self::NewGame if is_over => "play again",
            Self::NewGame => "new game",
            Self::Resign => "resign",
            Self::Turn => TURN_TEXT,
            Self::Theme => "light or dark",
            Self::Help => "help",
            Self::Leave => "quit",
        }
    }
}

impl<G> MatchState<'_, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// The commands that do something now.
    pub(super) fn commands(&self) -> Vec<Command> {
        let is_on = self.end.is_none();
        let watches = is_on && self.only_watches();
        let theme = self.theme.toggled() != self.theme;
        let has_moves = !self.game.moves().is_empty();
        let all = [
            (Command::Hint, self.awaits_person()),
            (
                Command::Review,
                !is_on && has_moves && self.coach.review().is_none(),
            ),
            (Command::Values, true),
            (Command::Pause, watches),
            (Command::Step, watches && self.pace.paused),
            (Command::Faster, watches && self.pace.can_be_faster()),
            (Command::Slower, watches && self.pace.can_be_slower()),
            (
                Command::Undo,
                self.can_undo() && (!watches || self.pace.paused),
            ),
            (Command::Redo, is_on && !self.undone.is_empty()),
            (Command::NewGame, !is_on || has_moves),
            // Its letter may be one of a move that is being typed, and has no other way.
            (
                Command::Resign,
                is_on && !self.only_watches() && self.input.typed.is_empty(),
            ),
            (Command::Turn, can_turn(&self.game.start().picture().layout)),
            (Command::Theme, theme),
            (Command::Help, true),
            (Command::Leave, true),
        ];
        all.into_iter()
            .filter(|&(_, does)| does)
            .map(|(command, _)| command)
            .collect()
    }

    /// Carries out a command. Returns whether the screen is to be left.
    pub(super) fn execute(&mut self, command: Command) -> bool {
        let is_on = self.end.is_none() && !self.game.moves().is_empty();
        match command {
            Command::Pause => {
                self.pace.paused = !self.pace.paused;
                // The game goes on from the position on the board.
                self.undone.clear();
            }
            Command::Step if self.undone.is_empty() => self.pace.step(),
            Command::Step | Command::Redo => self.redo(),
            Command::Faster => self.pace.change(true),
            Command::Slower => self.pace.change(false),
            Command::Undo => self.undo(),
            Command::Hint => self.coach.next_hint(),
            Command::Values => self.coach.toggle_values(),
            Command::Review => self.coach.start_review(self.game.clone()),
            Command::NewGame if is_on => self.question = Some(Question::NewGame),
            Command::NewGame => self.new_game(),
            Command::Resign => {
                // The person whose turn it is, or the one who plays at all.
                let side = self.side_to_move();
                let side = if self.is_person(side) {
                    side
                } else {
                    side.other()
                };
                self.question = Some(Question::Resign(side));
            }
            Command::Turn => self.input.turns_board ^= true,
            Command::Theme => self.theme = self.theme.toggled(),
            Command::Help => self.help = Some(Scroll::default()),
            Command::Leave if is_on && !self.only_watches() => {
                self.question = Some(Question::Leave);
            }
            Command::Leave => return true,
        }
        false
    }
}
