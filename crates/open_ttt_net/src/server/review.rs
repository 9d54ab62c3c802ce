use std::sync::Arc;

use core::num::NonZero;

use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::{Named, Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::{GameMove, StateMachine};
use open_ttt_search::{Budget, StopFlag};

use super::Shared;
use super::api_error::ApiError;
use super::commands::History;
use super::stored_match::MatchState;
use crate::MatchId;
use crate::matches::{Act, Seat};
use crate::protocol::{
    AnalyzePosition, BoardView, ErrorCode, GameFrames, GameRecord, MatchRecord, PositionAnalysis,
};

/// The longest game that is judged, in moves.
const MOST_MOVES: usize = 1_000;

/// The match after each of its games, the one that is played last.
fn tables(story: &History) -> Vec<MatchState> {
    let mut tables = Vec::new();
    let mut table = story.start.clone();
    for entry in &story.entries {
        // What stands in the log has been possible.
        let Ok(next) = table.apply(&entry.transition) else {
            break;
        };
        if matches!(entry.transition.act, Act::Rematch) && next.number() > table.number() {
            tables.push(table);
        }
        table = next;
    }
    tables.push(table);
    tables
}

fn game_record(table: &MatchState) -> GameRecord {
    let mut position = table.game().start().clone();
    let moves = table.game().moves().iter().map(|&m| {
        let text = position.move_text(m);
        position.play_unchecked(m);
        text
    });
    GameRecord {
        moves: moves.collect(),
        number: table.number(),
        first: table.seat_of(open_ttt_lib::rules::Side::First),
        verdict: table.verdict(),
    }
}

/// The games of a match.
pub(super) fn record(id: MatchId, story: &History) -> MatchRecord {
    let tables = tables(story);
    let last = tables.last().unwrap_or(&story.start);
    MatchRecord {
        id,
        game: last.settings().game.clone(),
        players: Seat::ALL.map(|seat| last.player(seat).map(|player| player.name.clone())),
        score: last.score(),
        games: tables.iter().map(game_record).collect(),
    }
}

/// A game of a match, board by board.
pub(super) fn frames(story: &History, number: u32) -> Option<GameFrames> {
    let tables = tables(story);
    let table = tables.iter().find(|table| table.number() == number)?;
    let mut position = table.game().start().clone();
    let seat_of = |side| table.seat_of(side);
    let mut boards = vec![BoardView::of(&position, None, seat_of)];
    for &m in table.game().moves() {
        let before = position.clone();
        position.play_unchecked(m);
        boards.push(BoardView::of(&position, Some(&before), seat_of));
    }
    Some(GameFrames {
        record: game_record(table),
        boards,
    })
}

/// What a position is worth, as well as the computers can tell in their time.
pub(super) async fn judge(
    shared: &Arc<Shared>,
    request: &AnalyzePosition,
) -> Result<PositionAnalysis, ApiError> {
    if request.moves.len() > MOST_MOVES {
        return Err(ApiError::bad_request(format_args!(
            "a game of more than {MOST_MOVES} moves is not judged"
        )));
    }
    let mut game = DynGame::from_name(&request.game).map_err(ApiError::bad_request)?;
    for (index, text) in request.moves.iter().enumerate() {
        let number = index + 1;
        let wrong = |cause: &dyn core::fmt::Display| {
            ApiError::bad_request(format_args!("move {number} cannot be played: {cause}"))
        };
        if text.len() > GameMove::MAX_LENGTH {
            return Err(wrong(&"it is too long"));
        }
        let m = game.parse_move(text).map_err(|error| wrong(&error))?;
        game.play(m).map_err(|error| wrong(&error.reason))?;
    }
    let busy = || {
        ApiError::new(
            ErrorCode::Unavailable,
            "the computers are busy; try again soon",
        )
    };
    let job = move |stop: &StopFlag| {
        let analysis = game.analyze(NonZero::<usize>::MIN, &Budget::UNLIMITED, stop);
        let best = analysis.best.iter().map(|&m| game.move_text(m));
        PositionAnalysis {
            result: analysis.result.as_str().to_owned(),
            plies: analysis.plies,
            margin: analysis.margin,
            best: best.collect(),
            exact: analysis.exact,
        }
    };
    let answer = shared.computers.submit(StopFlag::new(), job);
    answer.map_err(|_| busy())?.await.map_err(|_| busy())
}
