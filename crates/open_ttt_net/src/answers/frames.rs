//! The games of a match, from its log.

use core::slice;

use open_ttt_lib::rules::{Side, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_search::StopFlag;

use crate::matches::{Act, DynMatch, Transition};
use crate::protocol::{BoardView, GameFrames, GameRecord};
use crate::replication::{LogEntry, Sequence, Sequencer};
#[cfg(feature = "server")]
use crate::{MatchId, matches::Seat, protocol::MatchRecord};

/// Number of cells on the boards of one answer, unless a single board has more: some
/// hundred thousand bytes of JSON.
const MAX_CELLS: usize = 8_192;

/// Number of boards in one answer.
const MAX_BOARDS: usize = 128;

/// Room for the games of a match in one answer, in bytes of memory. A match that begins at
/// the start of the game has its moves once, each a change; with moves that are given, each
/// of its games has these, too.
#[cfg(feature = "server")]
const MAX_RECORD: usize = 8 << 20;

/// What a game and a move take besides the text of the move.
#[cfg(feature = "server")]
const GAME_OVERHEAD: usize = 128;
#[cfg(feature = "server")]
const MOVE_OVERHEAD: usize = 48;

/// Why the games of a match can't be answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FramesError {
    /// The match has no game of this number.
    NoSuchGame,
    /// There are too many moves for one answer.
    #[cfg(feature = "server")]
    TooLong,
    /// The time for the answer is up.
    Stopped,
}

/// The last state of each game of a match, one after the other. There are no more of them
/// once the flag is raised.
pub(crate) struct LastStates<'a> {
    /// `None` after the last game.
    state: Option<DynMatch>,
    entries: slice::Iter<'a, LogEntry<Transition>>,
    stop: &'a StopFlag,
}

pub(crate) fn last_states<'a>(
    history: &'a Sequencer<DynMatch>,
    stop: &'a StopFlag,
) -> LastStates<'a> {
    let entries = history.entries_after(Sequence::START).unwrap_or_default();
    LastStates {
        state: Some(history.state().beginning()),
        entries: entries.iter(),
        stop,
    }
}

impl Iterator for LastStates<'_> {
    type Item = DynMatch;

    fn next(&mut self) -> Option<DynMatch> {
        let state = self.state.as_mut()?;
        for entry in self.entries.by_ref() {
            if self.stop.is_raised() {
                return None;
            }
            let before = matches!(entry.transition.act, Act::Rematch).then(|| state.clone());
            // Entries of the log are legal.
            if state.advance(&entry.transition).is_err() {
                break;
            }
            let last = before.filter(|before| before.number() < state.number());
            if last.is_some() {
                return last;
            }
        }
        self.state.take()
    }
}

fn game_record(state: &DynMatch) -> GameRecord {
    GameRecord {
        moves: state.game().history().move_texts(),
        given: state.settings().moves.len(),
        number: state.number(),
        first: state.seat_of(Side::First),
        verdict: state.verdict(),
    }
}

/// The games of a match.
#[cfg(feature = "server")]
pub(crate) fn record(
    id: MatchId,
    history: &Sequencer<DynMatch>,
    stop: &StopFlag,
) -> Result<MatchRecord, FramesError> {
    let mut games = Vec::new();
    let mut size = 0;
    for state in last_states(history, stop) {
        let game = game_record(&state);
        let moves = game.moves.iter();
        size += GAME_OVERHEAD + moves.map(|text| text.len() + MOVE_OVERHEAD).sum::<usize>();
        if size > MAX_RECORD {
            return Err(FramesError::TooLong);
        }
        games.push(game);
    }
    if stop.is_raised() {
        return Err(FramesError::Stopped);
    }
    let last = history.state();
    Ok(MatchRecord {
        id,
        game: last.settings().game.clone(),
        players: Seat::ALL.map(|seat| last.player(seat).map(|player| player.name.clone())),
        score: last.score(),
        games,
    })
}

/// One game of a match, with a page of the boards after each move.
pub(crate) fn frames(
    history: &Sequencer<DynMatch>,
    number: u32,
    from: usize,
    stop: &StopFlag,
) -> Result<GameFrames, FramesError> {
    let state = last_states(history, stop).find(|state| state.number() == number);
    if stop.is_raised() {
        return Err(FramesError::Stopped);
    }
    let state = state.ok_or(FramesError::NoSuchGame)?;
    let mut position = state.game().start().clone();
    let seat_of = |side| state.seat_of(side);
    let moves = state.game().moves();
    let mut boards = Vec::new();
    let mut cells = 0;
    let mut before = None;
    for index in 0..=moves.len() {
        if stop.is_raised() {
            return Err(FramesError::Stopped);
        }
        if index >= from {
            let last = before.as_ref().map(|(position, m)| (position, *m));
            let mut board = BoardView::of(&position, last, seat_of);
            if index == moves.len() && state.game().outcome().is_some() {
                board.end();
            }
            cells += board.cells.len();
            if !boards.is_empty() && (cells > MAX_CELLS || boards.len() == MAX_BOARDS) {
                break;
            }
            boards.push(board);
        }
        if let Some(&m) = moves.get(index) {
            before = Some((position.clone(), m));
            position.play_unchecked(m);
        }
    }
    Ok(GameFrames {
        record: game_record(&state),
        from,
        boards,
    })
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use open_ttt_catalog::Catalog;

    use super::*;
    use crate::matches::{Actor, Player, Settings};

    #[test]
    fn games_are_not_read_once_the_time_is_up() {
        let start = DynMatch::new(Settings::of_game("ttt"), |name| {
            Catalog::bundled().game(name)
        });
        let mut history = Sequencer::new(start.expect("a game"));
        for (seat, number) in Seat::ALL.into_iter().zip(1..) {
            let player = Player::person("Ann");
            let transition = Transition {
                at: 1,
                by: Actor::Server,
                act: Act::Join { seat, player },
            };
            let client = "server".parse().expect("an identifier");
            let entry = LogEntry {
                client,
                number,
                transition,
            };
            history.replay(entry).expect("possible");
        }
        let id: MatchId = "match".parse().expect("an identifier");
        let stop = StopFlag::new();
        let games = record(id.clone(), &history, &stop).map(|record| record.games.len());
        assert_eq!(games, Ok(1));
        let boards = |number| frames(&history, number, 0, &stop).map(|it| it.boards.len());
        assert_eq!(boards(1), Ok(1));
        assert_eq!(boards(2), Err(FramesError::NoSuchGame));
        stop.raise();
        assert_eq!(record(id, &history, &stop), Err(FramesError::Stopped));
        assert_eq!(boards(1), Err(FramesError::Stopped));
        assert_eq!(boards(2), Err(FramesError::Stopped));
    }
}
