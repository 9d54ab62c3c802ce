//! The games of a match, from its log.

use open_ttt_lib::rules::{Side, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;

use crate::matches::{Act, DynMatch};
use crate::protocol::{BoardView, GameFrames, GameRecord};
use crate::replication::{Sequence, Sequencer};
#[cfg(feature = "server")]
use crate::{MatchId, matches::Seat, protocol::MatchRecord};

/// Number of cells on the boards of one answer, unless a single board has more: some
/// hundred thousand bytes of JSON.
const MAX_CELLS: usize = 8_192;

/// Number of boards in one answer.
const MAX_BOARDS: usize = 128;

/// The last state of each game of a match.
pub(crate) fn last_states(history: &Sequencer<DynMatch>) -> Vec<DynMatch> {
    let mut last_states = Vec::new();
    let mut state = history.state().beginning();
    for entry in history.entries_after(Sequence::START).unwrap_or_default() {
        let before = matches!(entry.transition.act, Act::Rematch).then(|| state.clone());
        // Entries of the log are legal.
        if state.advance(&entry.transition).is_err() {
            break;
        }
        last_states.extend(before.filter(|before| before.number() < state.number()));
    }
    last_states.push(state);
    last_states
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
pub(crate) fn record(id: MatchId, history: &Sequencer<DynMatch>) -> MatchRecord {
    let last_states = last_states(history);
    let last = last_states.last().unwrap_or(history.state());
    MatchRecord {
        id,
        game: last.settings().game.clone(),
        players: Seat::ALL.map(|seat| last.player(seat).map(|player| player.name.clone())),
        score: last.score(),
        games: last_states.iter().map(game_record).collect(),
    }
}

/// One game of a match, with a page of the boards after each move.
pub(crate) fn frames(
    history: &Sequencer<DynMatch>,
    number: u32,
    from: usize,
) -> Option<GameFrames> {
    let last_states = last_states(history);
    let state = last_states.iter().find(|state| state.number() == number)?;
    let mut position = state.game().start().clone();
    let seat_of = |side| state.seat_of(side);
    let moves = state.game().moves();
    let mut boards = Vec::new();
    let mut cells = 0;
    let mut before = None;
    for index in 0..=moves.len() {
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
    Some(GameFrames {
        record: game_record(state),
        from,
        boards,
    })
}
