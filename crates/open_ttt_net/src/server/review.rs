use core::num::NonZero;
use std::sync::Arc;

use open_ttt_catalog::{AnalysisResult, DynGame};
use open_ttt_lib::rules::{History, Notation, Side, TwoPlayerGame};
use open_ttt_lib::state_machine::{GameMove, StateMachine};
use open_ttt_search::{Budget, StopFlag};

use super::Shared;
use super::api_error::ApiError;
use crate::MatchId;
use crate::matches::{Act, DynMatch, Seat};
use crate::protocol::{
    AnalyzePosition, BoardView, ErrorCode, GameFrames, GameRecord, MatchRecord, PositionAnalysis,
};
use crate::replication::{Sequence, Sequencer};

/// Maximum length of a game to analyze, in moves.
const MAX_MOVES: usize = 1_000;

/// The last state of each game of a match.
fn last_states(history: &Sequencer<DynMatch>) -> Vec<DynMatch> {
    let mut last_states = Vec::new();
    let mut state = history.start().clone();
    for entry in history.entries_after(Sequence::START).unwrap_or_default() {
        // Entries of the log are legal.
        let Ok(next) = state.apply(&entry.transition) else {
            break;
        };
        if matches!(entry.transition.act, Act::Rematch) && next.number() > state.number() {
            last_states.push(state);
        }
        state = next;
    }
    last_states.push(state);
    last_states
}

fn game_record(state: &DynMatch) -> GameRecord {
    GameRecord {
        moves: state.game().history().move_texts(),
        number: state.number(),
        first: state.seat_of(Side::First),
        verdict: state.verdict(),
    }
}

/// The games of a match.
pub(super) fn record(id: MatchId, history: &Sequencer<DynMatch>) -> MatchRecord {
    let last_states = last_states(history);
    let last = last_states.last().unwrap_or(history.start());
    MatchRecord {
        id,
        game: last.settings().game.clone(),
        players: Seat::ALL.map(|seat| last.player(seat).map(|player| player.name.clone())),
        score: last.score(),
        games: last_states.iter().map(game_record).collect(),
    }
}

/// One game of a match, with the board after each move.
pub(super) fn frames(history: &Sequencer<DynMatch>, number: u32) -> Option<GameFrames> {
    let last_states = last_states(history);
    let state = last_states.iter().find(|state| state.number() == number)?;
    let mut position = state.game().start().clone();
    let seat_of = |side| state.seat_of(side);
    let mut boards = vec![BoardView::of(&position, None, seat_of)];
    for &m in state.game().moves() {
        let before = position.clone();
        position.play_unchecked(m);
        boards.push(BoardView::of(&position, Some((&before, m)), seat_of));
    }
    if let Some(last) = boards
        .last_mut()
        .filter(|_| state.game().outcome().is_some())
    {
        last.end();
    }
    Some(GameFrames {
        record: game_record(state),
        boards,
    })
}

/// The value of a position, as far as the computers find it in their time.
pub(super) async fn analyze(
    shared: &Arc<Shared>,
    request: &AnalyzePosition,
) -> Result<PositionAnalysis, ApiError> {
    if request.moves.len() > MAX_MOVES {
        return Err(ApiError::bad_request(format_args!(
            "A game of more than {MAX_MOVES} moves can't be analyzed."
        )));
    }
    let start = shared.catalog.game(&request.game);
    let mut game = History::new(start.map_err(ApiError::bad_request)?);
    for (text, number) in request.moves.iter().zip(1..) {
        play(&mut game, text).map_err(|cause| {
            ApiError::bad_request(format_args!("Move {number} can't be played: {cause}"))
        })?;
    }
    let job = move |stop: &StopFlag| {
        let one = NonZero::<usize>::MIN;
        let analysis = AnalysisResult::of_game(&game, one, &Budget::UNLIMITED, stop);
        let best = analysis.best.iter();
        let best = best.map(|&m| game.position().move_text(m));
        PositionAnalysis {
            result: analysis.value.result.as_str().to_owned(),
            plies: analysis.value.plies,
            margin: analysis.value.margin,
            best: best.collect(),
            exact: analysis.exact,
        }
    };
    let busy = || {
        let text = "The computers are busy. Try again in a moment.";
        ApiError::new(ErrorCode::Unavailable, text)
    };
    let analysis = shared.computers.submit(StopFlag::new(), job);
    analysis.ok_or_else(busy)?.await.map_err(|_| busy())
}

/// Plays a move, or says why it cannot be played.
fn play(game: &mut History<DynGame>, text: &str) -> Result<(), String> {
    if text.len() > GameMove::MAX_LENGTH {
        return Err("it is too long".to_owned());
    }
    let parsed = game.position().parse_move(text);
    let m = parsed.map_err(|error| error.to_string())?;
    game.play(m).map_err(|error| error.reason.to_string())
}
